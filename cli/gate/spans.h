// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// When contact begins and ends, for --intervals. Bodies that follow keyframes, and bodies that stand still, have a
// continuous answer, from the library's contact intervals; others have times of sweeps and frames. Every step from
// one frame to the next is asked for by itself, so that frames can be checked in any order and in parts.
#ifndef CLI_GATE_SPANS_H
#define CLI_GATE_SPANS_H

#include "cli/gate/meter.h"
#include "cli/object.h"

/// Start zeroed.
typedef struct spans {
    const object_list* objects;  ///< of the world; borrowed
    abut_intervals_result* answer;
} spans;

/// Sets the times of measures, whose times of sweeps are set, in the step to `frame`, if there was one.
/// False after an error message.
bool spans_take(spans* s, world* w, const question* q, size_t frame, measure* list, size_t count);
void spans_free(spans* s);

#endif
