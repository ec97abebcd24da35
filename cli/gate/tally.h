// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Counts over all frames what rules put aside, so that no rule hides contact silently.
#ifndef CLI_GATE_TALLY_H
#define CLI_GATE_TALLY_H

#include "cli/gate/rules.h"
#include "cli/history.h"

#include <jansson.h>

/// What one rule, or one reason, put aside.
typedef struct tally_row {
    size_t pairs;
    size_t swept;
    size_t regions;
    size_t insides;
    size_t gaps;
    size_t features;
    size_t frames;
    frame_runs missing;  ///< of --expect: frames without contact
    size_t missing_count;
} tally_row;

typedef struct tally {
    const rules* rules;
    size_t frames;
    tally_row of_rule[MOST_RULES];
    tally_row outside;  ///< what no --only speaks of
    tally_row known;    ///< what the baseline has
    bool baseline;      ///< there is one
} tally;

/// Adds what was put aside in a frame.
void tally_add(tally* t, const world_aside* aside, uint32_t frame);
/// Prints a sentence for each rule: what it put aside, or that it matched nothing.
void tally_print(const tally* t, const frame_names* names);
/// A list of all rules with their counts.
json_t* tally_json(const tally* t, const frame_names* names);

/// Findings of all kinds: "3 pairs of triangles and 1 region".
enum { TALLY_TEXT_SIZE = 192 };
const char* tally_text(const tally_row* row, char text[TALLY_TEXT_SIZE]);

/// What is put aside for each reason, such as "ignored".
const char* aside_reason_name(aside_reason reason);

#endif
