// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The report: one page that shows the bodies in motion and where they touch. It needs nothing but a
// browser, and no network. What it says depends on the input and the options alone, unless the work
// is to be shown, too.
//
// What the page shows is gathered while frames are checked and written at the end, also if there are
// fewer frames than announced.
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/findings.h"

typedef struct report report;

/// What a page is about.
typedef struct report_def {
    const char* path;
    const char* title;
    size_t frames;
    double fps;
    char up;    ///< the axis that points up, 'y' or 'z'
    bool work;  ///< show what it took to find out, too
} report_def;

/// Begins a page; NULL after a sentence. The path must stay.
report* report_open(const report_def* def);
/// A name for the next body, in their order, as it is to be shown.
void report_name(report* r, const char* name);
/// Adds the state of a world, its last answers and what they come to.
void report_frame(report* r, const world* w, const question* q, uint32_t frame,
                  const findings* found, const abut_counters* work);
/// Ends the page, tells its size if `tell`, and frees the report; r may be NULL. False after a
/// sentence.
bool report_close(report* r, bool tell);
/// After a failure, instead of report_close(): an old file stays. NULL is fine.
void report_drop(report* r);

#endif
