// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The gate of abut check: rules and a baseline between the queries and the outputs. This file has the
// steps in the order in which the command takes them; each part does one thing (rules.h, sieve.h,
// baseline.h, tally.h, meter.h, events.h, condition.h).
#ifndef CLI_GATE_GATE_H
#define CLI_GATE_GATE_H

#include "cli/crew.h"
#include "cli/gate/condition.h"
#include "cli/gate/tally.h"
#include "cli/outcome.h"

/// The options of the command that the gate has.
typedef struct gate_options {
    const option_value* ignore;
    const option_value* only;
    const option_value* expect;
    const option_value* baseline;
    const option_value* by;
    const option_value* write_baseline;
    const option_value* events;
    const option_value* fail_if;
    const option_value* units;
    double fps;
    bool intervals;        ///< events say when contact begins and ends
    bool reports;          ///< a report lists events
    const char* settings;  ///< the file that options are from; NULL: none
    const char* scene;     ///< with --each: the object; then baselines are files in folders
    baseline* known;       ///< the baseline, if it was read from a part; it is taken over
    double metres;         ///< then: what one unit of the files is; 0: it is not known
    double diagonal;       ///< then: of the first frame
} gate_options;

/// Start zeroed.
typedef struct gate {
    gate_options given;
    bool used;  ///< there is an option of the gate
    rules rules;
    rule_sides* sides;   ///< of the objects
    const char** nodes;  ///< of the objects; empty where there is none
    bool by_component;
    baseline* known;    ///< NULL: nothing
    baseline* written;  ///< to be written; NULL: nothing
    char* known_path;   ///< of the file of the baseline; NULL: none
    char* written_path;
    tally tally;
    bool measures;         ///< contact is measured and gathered in events
    condition* condition;  ///< of --fail-if; NULL: any contact fails
    condition_scale scale;
    events events;
    size_t failing;  ///< events for which the condition holds, after gate_judge()
} gate;

/// Reads the options, and a baseline from a file. False after an error message.
bool gate_read(gate* g, const gate_options* options);
/// Matches the names of the objects.
/// False after an error message.
bool gate_meet(gate* g, const object_list* objects);
/// Puts a sieve on the world of each worker; `labels` are those of the objects, and borrowed.
void gate_watch(gate* g, crew* workers, const char* const* labels);
/// Warns of rules that match nothing; finds what is known at rest or in a frame, if the baseline is that. False after an error message.
bool gate_learn(gate* g, crew* workers, const question* q);
/// Adds a frame that was checked.
void gate_add(gate* g, const outcome* o);
/// Adds what counts in it to the baseline that is to be written.
void gate_keep(gate* g, const worker* k, const question* q);
/// Decides which events fail, after all frames: those for which the condition holds, or all that count
/// as contact.
void gate_judge(gate* g, const question* q);
/// Whether the check fails; `said` is the verdict without --fail-if.
bool gate_fails(const gate* g, const verdict* said);
/// The judgement of --fail-if in a sentence; empty if there is none. Clean it before it is printed.
enum { JUDGEMENT_SIZE = 512 };
const char* gate_judgement(const gate* g, char text[JUDGEMENT_SIZE]);
/// Opens and writes the baseline; it takes its place at the end of the command. False after an error
/// message.
bool gate_claim(const gate* g);
bool gate_write(gate* g);
/// Prints what was put aside, and what is gone.
void gate_print(const gate* g, const frame_names* names);
void gate_print_events(const gate* g, const frame_names* names, const char* const* labels);
/// Adds the same to the summary of the JSON.
void gate_describe(const gate* g, const frame_names* names, json_t* summary);
/// The events as a list; NULL if contact is not measured.
json_t* gate_events_json(const gate* g, const frame_names* names);
void gate_free(gate* g);

#endif
