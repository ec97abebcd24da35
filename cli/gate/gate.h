// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The gate of abut check: rules between the queries and the outputs. This file has the steps in the
// order in which the command takes them; each part does one thing (rules.h, sieve.h, tally.h).
#ifndef CLI_GATE_GATE_H
#define CLI_GATE_GATE_H

#include "cli/crew.h"
#include "cli/gate/tally.h"

/// The options of the command that the gate has.
typedef struct gate_options {
    const option_value* ignore;
    const option_value* only;
    const option_value* expect;
} gate_options;

/// Start zeroed.
typedef struct gate {
    bool used;  ///< there is an option of the gate
    rules rules;
    rule_sides* sides;  ///< of the objects
    tally tally;
} gate;

/// Reads the options. False after an error message.
bool gate_read(gate* g, const gate_options* options);
/// Matches the names of the objects, and warns of rules that match none.
void gate_meet(gate* g, const object_list* objects);
/// Puts a sieve on the world of each worker.
void gate_watch(gate* g, crew* workers);
/// Adds a frame that was checked.
void gate_add(gate* g, const world* w, uint32_t frame);
/// Prints what rules put aside.
void gate_print(const gate* g, const frame_names* names);
/// Adds the same to the summary of the JSON.
void gate_describe(const gate* g, const frame_names* names, json_t* summary);
void gate_free(gate* g);

#endif
