// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The page of 'abut compare': two takes side by side, with a line for each event over the frames.
#ifndef CLI_COMPARE_PAGE_H
#define CLI_COMPARE_PAGE_H

#include "cli/compare_takes.h"

#include <stdio.h>

/// Writes the page; its file may then have an error.
void compare_page(FILE* file, const take* before, const take* after, const change* changes,
                  size_t count);

#endif
