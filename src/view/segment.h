// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Views of a segment of an animation. Between two breakpoints of its keyframes vertices move
// straight.
#ifndef ABUT_VIEW_SEGMENT_H
#define ABUT_VIEW_SEGMENT_H

#include "view/step.h"

// The interval of a view, and the motion's boxes in it.
typedef struct abut__segment_window {
    double time[2];
    bool moves;             // false: the body stays in its current state
    abut__segment segment;  // if it moves
    float part[2];          // of the segment, at both ends of the window
} abut__segment_window;

// Returns what the motion has scheduled after the current state.
abut__schedule abut__body_schedule(const abut__body* body);
// Returns the first breakpoint after a time, or infinity.
double abut__body_next_break(const abut__body* body, double time);
// Gets the segment that the current state lies in; false: there is none.
bool abut__body_segment(const abut__body* body, abut__segment* out);

// Makes a view of the body from one time to another, with no breakpoint in between. A body without
// keyframes stays in its current state. The window must outlive the view. Queries through it count
// nothing in the usage of the body. ABUT_ERR_INVALID_DATA: a position is not finite or too large.
// ABUT_ERR_NO_MEMORY.
abut_status abut__view_segment(abut__body* body, double from, double to,
                               abut__segment_window* window, abut__view* view);

#endif
