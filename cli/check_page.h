// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The report of abut check, and pictures of its events in the terminal.
#ifndef CLI_CHECK_PAGE_H
#define CLI_CHECK_PAGE_H

#include "cli/gate/gate.h"
#include "cli/report.h"

typedef struct check_page {
    const char* path;          ///< NULL: only pictures
    const char* const* plain;  ///< the objects as given; the first names the report
    size_t plain_count;
    size_t frames;
    double fps;
    bool work;                  ///< also show the work
    const char* const* labels;  ///< of the objects
    size_t label_count;
} check_page;

/// Begins a report; NULL after an error message.
report* check_page_open(const check_page* p);
/// Ends it with the events and the judgement of the gate; `tell` prints its size and the pictures. `r`
/// may be NULL. False after an error message.
bool check_page_close(report* r, const gate* g, const verdict* said, bool tell,
                      picture_protocol pictures);

#endif
