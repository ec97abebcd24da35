// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes JSON piece by piece, so that long sequences need little memory.
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/// A JSON output. All calls but those that open it do nothing if it is not open.
typedef struct json_output {
    FILE* file;  ///< NULL: not open
    const char* path;
    bool first;  ///< the current list or object is empty so far
    bool
        lines;  ///< a line for what comes before the list "frames", for each frame, and for the rest
    bool in_lines;  ///< within that list
    json_t* open;   ///< of lines and of trees: the outermost object so far
    json_t* list;   ///< the current list of it
} json_output;

/// Opens a file, or the standard output for "-"; NULL means no output. False after an error
/// message.
bool json_open(json_output* out, const char* path);
/// The same for lines: each is an object of its own, and is written at once.
bool json_open_lines(json_output* out, const char* path);
/// Writes the last line of an object; another one may begin then.
void json_end_lines(json_output* out);
/// Begins a tree instead of a file; json_take() ends it and gives it to the caller.
void json_open_tree(json_output* out);
json_t* json_take(json_output* out);
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
