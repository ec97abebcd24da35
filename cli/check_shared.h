// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The outputs of abut check that hold all scenes of a run. Without --each a run is one scene, and its JSON
// is written frame by frame instead (check_outputs.h).
#ifndef CLI_CHECK_SHARED_H
#define CLI_CHECK_SHARED_H

#include "cli/gate/reports.h"

/// Set the first members, and zero the others.
typedef struct check_shared {
    bool each;              ///< every object is a scene
    const char* settings;   ///< the file of settings; NULL: none
    const char* json_path;  ///< NULL: none; so for all
    const char* lines_path;
    const char* junit_path;
    const char* sarif_path;
    const char* markdown_path;
    const char* csv_path;
    const char* html_path;  ///< with --each: of the list of scenes; otherwise it is only claimed
    const char* expected_inputs;  ///< the hash that inputs must have; NULL: any
    bool open;
    json_output json;   ///< with --each
    json_output lines;  ///< of the current scene
    reports reports;
    FILE* csv;
    FILE* index;  ///< the list of scenes as a page, with --each
    size_t scenes;
    size_t passed;
    size_t failed;
    size_t errors;
} check_shared;

/// Opens the outputs. False after an error message.
bool shared_open(check_shared* s);
/// Whether one of them is the standard output; then nothing else may be printed there.
bool shared_takes_stdout(const check_shared* s);

/// Adds a scene; `tree` is its JSON with --each, otherwise NULL, and `page` the name of its page or NULL.
void shared_add(check_shared* s, const scene* now, json_t* tree, const char* page);
/// Adds a scene that could not be checked, with the last error message.
void shared_add_failed(check_shared* s, const char* name);
/// Ends the outputs. False after an error message.
bool shared_close(check_shared* s);
/// Discards them after a failure; does nothing after shared_close().
void shared_drop(check_shared* s);

/// Checks every object as a scene, with --each; `tell` prints how many pass. Returns the worst exit code.
typedef int (*scene_fn)(check_shared* s, const arguments* given, size_t number);
int shared_run_each(check_shared* s, const arguments* given, bool tell, scene_fn run);

/// The name of the page of the n-th scene, from 1: "out.html" gives "out-3.html". The caller frees it.
char* shared_page_name(const char* html, size_t n);

#endif
