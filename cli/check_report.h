// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The table and the summary of abut check.
#ifndef CLI_CHECK_REPORT_H
#define CLI_CHECK_REPORT_H

#include "cli/history.h"
#include "cli/object.h"

void print_check_report(const history* found, const object_list* objects, const question* ask,
                        double seconds);

#endif
