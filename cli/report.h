// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes the report: one page that shows the bodies in motion and where they touch. It needs a
// browser and no network. Its content depends only on the input and the options, unless the work is
// shown.
//
// The data is collected while frames are checked and written at the end, also if there are fewer
// frames than announced.
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/findings.h"
#include "cli/picture_terminal.h"
#include "cli/report_events.h"

typedef struct report report;

/// The settings of a page.
typedef struct report_def {
    const char* path;  ///< NULL: no page, only pictures
    const char* title;
    size_t frames;
    double fps;
    char up;        ///< the axis that points up, 'y' or 'z'
    bool work;      ///< also show the work
    bool measures;  ///< measure contact and list its events; otherwise the caller gives them
} report_def;

/// Begins a page; NULL after an error message. The path is borrowed.
report* report_open(const report_def* def);
/// Adds the label of the next body, in the order of the bodies.
void report_name(report* r, const char* name);
/// Adds the state of a world, its last answers and their findings.
void report_frame(report* r, world* w, const question* q, uint32_t frame, const findings* found,
                  const abut_counters* work);
/// Adds a judgement to the verdict, if it is not empty, and sets whether the check fails.
void report_judge(report* r, const char* judgement, bool fails);
/// Lists events, with pictures of the worst. Frames of these are numbers of report_frame().
void report_list(report* r, const events* e, const tracks* t, bool judged);
/// Prints pictures of the worst events.
void report_show(const report* r, const events* e, const tracks* t, picture_protocol by);
/// Writes the page now, with the bodies as they are in the world and frames `first` to `last` without findings. Each
/// frame is given later, when the page asks for it. False after an error message.
bool report_promise(report* r, world* w, const question* q, uint32_t first, uint32_t last);
/// Gives a frame to a page that was promised it, as report_frame() does; `place` counts from 0 in the page. The last
/// part is its description, "frame-PLACE". False if the page cannot take it.
bool report_give(report* r, world* w, const question* q, size_t place, uint32_t frame,
                 const findings* found, const part_sink* to);
/// Ends the page, prints its size if `tell`, and frees the report; `r` may be NULL. False after an
/// error message.
bool report_close(report* r, bool tell);
/// Discards the page after a failure, instead of report_close(): an old file stays. `r` may be
/// NULL.
void report_drop(report* r);

#endif
