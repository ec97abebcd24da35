// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The report's page without its data: the build makes it from viewer/.
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H

#include <stddef.h>

extern const unsigned char report_page[];
extern const size_t report_page_size;
extern const size_t report_page_data_at;  ///< offset at which the data is inserted

#endif
