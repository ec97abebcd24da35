// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes JSON piece by piece, so that long sequences need little memory.
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/// A JSON output. All calls but json_open() do nothing if it is not open.
typedef struct json_output {
    FILE* file;  ///< NULL: not open
    const char* path;
    bool first;  ///< the current list or object is empty so far
} json_output;

/// Opens a file, or the standard output for "-"; NULL means no output. False after an error
/// message.
bool json_open(json_output* out, const char* path);
/// Refuses a file that is an input or another output, before any is opened; `path` may be NULL.
bool json_claim(const char* path);
/// Whether the JSON goes to the standard output; then nothing else may be printed there.
bool json_takes_stdout(const json_output* out);

/// The outermost object, and a list within it.
void json_begin(json_output* out);
void json_begin_list(json_output* out, const char* key);
void json_end_list(json_output* out);
/// Adds an entry to the outermost object, or (key NULL) to the list. Takes ownership of the value.
void json_add(json_output* out, const char* key, json_t* value);
/// Ends the outermost object and the output. False after an error message if a write failed.
bool json_close(json_output* out);
/// Discards the output after a failure, instead of json_close(): an old file stays.
void json_drop(json_output* out);

/// Makes a string; bytes that are not UTF-8 become '?'.
json_t* json_text(const char* text);
/// A count, a number, and a list of three. Numbers that are not finite become null, as JSON has
/// none.
json_t* json_count(unsigned long long count);
json_t* json_finite(double x);
json_t* json_vector(const double v[3]);

#endif
