// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Conditions of --fail-if, such as "depth > 2mm or pairs > 10 or length > 5 frames". A condition is about
// one event.
//
//   condition:  and-part {"or" and-part}
//   and-part:   term {"and" term}
//   term:       "not" term | "(" condition ")" | kind | quantity comparison number [unit]
//   kind:       "cuts" | "touches" | "between" | "inside" | "near"
//   quantity:   "depth" | "distance" (unit: mm, cm, m, %; none: that of the files)
//               "length" (unit: frames, s; none: frames) | "pairs"
//   comparison: > >= < <= = == !=
#ifndef CLI_GATE_CONDITION_H
#define CLI_GATE_CONDITION_H

#include "cli/gate/events.h"

typedef struct condition condition;

/// Parses a text; NULL after an error message that names the column.
condition* condition_parse(const char* text);
/// `c` may be NULL.
void condition_free(condition* c);

/// Whether it has lengths with a unit such as mm, or in per cent.
bool condition_has_unit(const condition* c);
bool condition_has_percent(const condition* c);

/// What units stand for.
typedef struct condition_scale {
    double metres;    ///< that one unit of the files has
    double diagonal;  ///< of all objects in the first frame, in units of the files
    double fps;
} condition_scale;
bool condition_holds(const condition* c, const event* e, const condition_scale* scale);

#endif
