// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The report: one page that shows the bodies in motion, where they touch and how little work it
// took to find out. It needs nothing but a browser, and no network.
//
// The page is written while frames are checked: meshes and positions of some frames at a time. Its
// program and the list of frames follow at the end, so what is there after an interruption can be
// looked at, too.
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/world.h"

typedef struct report report;

/// What a page is about.
typedef struct report_def {
    const char* path;
    const char* title;
    size_t frames;
    double fps;
    char up;  ///< the axis that points up, 'y' or 'z'
} report_def;

/// Begins a page; NULL after a sentence. The path must stay.
report* report_open(const report_def* def);
/// A name for the next body, in their order.
void report_name(report* r, const char* name);
/// Adds the state of a world and its last answers. False after a sentence.
bool report_frame(report* r, const world* w, const question* q, uint32_t frame,
                  const abut_counters* work);
/// Ends the page, tells its size if `tell`, and frees the report; r may be NULL. False after a
/// sentence.
bool report_close(report* r, bool tell);
/// After a failure, instead of report_close(): an old file stays. NULL is fine.
void report_drop(report* r);

#endif
