// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The report of merged parts: a page with the objects in motion, which parts do not hold.
#ifndef CLI_FARM_MERGE_PAGE_H
#define CLI_FARM_MERGE_PAGE_H

#include "cli/farm/part.h"

/// Checks the objects of a part again, in all frames of its run, and writes the report. False after an error
/// message, also if the inputs are not those of the part.
bool merge_page(const part* p, const char* path);

#endif
