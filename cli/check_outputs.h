// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The outputs of abut check that are made of outcomes alone: JSON, CSV, the table, the verdict and the
// exit code, and through the gate events, JUnit and SARIF. Outcomes come frame by frame, in order.
#ifndef CLI_CHECK_OUTPUTS_H
#define CLI_CHECK_OUTPUTS_H

#include "cli/check_shared.h"

/// Set the first members, and zero the others.
typedef struct check_outputs {
    check_shared* all;
    const char* scene;     ///< the first object, as typed
    object_list* objects;  ///< counts changes of triangles
    gate* gate;
    const question* ask;
    double fps;
    bool verbose;        ///< tells the work, which differs from run to run
    const char** names;  ///< of the objects
    char** labels;       ///< the names as printed
    char** clean;        ///< the names for files
    csv_table csv;       ///< names and times of its rows
    json_output json;
    char* rows;  ///< with --each: of the scene so far
    size_t row_size;
    size_t row_room;
    char* page;  ///< the name of its page; NULL: none
    history found;
    verdict said;          ///< on all frames so far
    uint64_t* topologies;  ///< of the objects, in the last frame
} check_outputs;

/// Makes the names and labels of the objects.
void check_outputs_name(check_outputs* o);
/// Opens the JSON, and the outputs of all scenes unless these are open. False after an error message.
bool check_outputs_open(check_outputs* o, size_t number);

/// Begins with the descriptions of the objects, a list, which it takes over.
void check_outputs_begin(check_outputs* o, json_t* objects);
/// Adds the outcome of the next frame, and takes over its JSON.
void check_outputs_add(check_outputs* o, outcome* now);
/// Judges, and ends the JSON. False after an error message.
bool check_outputs_end(check_outputs* o, double seconds);
/// Prints the table.
void check_outputs_print(const check_outputs* o, double seconds);
/// Adds the scene to the outputs of all scenes. Returns the exit code.
int check_outputs_finish(check_outputs* o, double seconds);

/// Whether the reader of the JSON closed the pipe and there is no other output here.
bool check_outputs_unread(const check_outputs* o);
/// Frees everything, and discards outputs that have not ended.
void check_outputs_free(check_outputs* o);

#endif
