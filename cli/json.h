// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// JSON output, written piece by piece so that long sequences need no memory.
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/// Where JSON goes. All calls but json_open() do nothing if no output is open.
typedef struct json_output {
    FILE* file;  ///< NULL: nowhere
    const char* path;
    bool first;  ///< no entry of the current list or object was written yet
} json_output;

/// Opens a file, or the standard output for "-"; NULL means no output. False after a sentence.
bool json_open(json_output* out, const char* path);
/// Refuses a file that is an input or another output, before any is opened; NULL is fine.
bool json_claim(const char* path);
/// Whether the JSON goes to the standard output, where nothing else may then appear.
bool json_takes_stdout(const json_output* out);

/// Start and end of the outermost object, and of a list within it.
void json_begin(json_output* out);
void json_begin_list(json_output* out, const char* key);
void json_end_list(json_output* out);
/// Adds an entry to the outermost object, or (key NULL) to the list. Takes the value over.
void json_add(json_output* out, const char* key, json_t* value);
/// Ends the outermost object and the output. False after a sentence, if anything was not written.
bool json_close(json_output* out);
/// After a failure, instead of json_close(): an old file stays.
void json_drop(json_output* out);

/// A string; bytes that are not UTF-8 become '?'.
json_t* json_text(const char* text);
/// Numbers; a count, and a list of three. What is not finite is null, because JSON has no word for it.
json_t* json_count(unsigned long long count);
json_t* json_finite(double x);
json_t* json_vector(const double v[3]);

#endif
