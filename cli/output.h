// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The outputs of the command, with error messages: see io/output.h. Every file that a subcommand
// writes is opened here or by a writer of io/.
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/// Refuses a file that is an input or another output, before any is opened. `path` may be NULL.
/// False after an error message.
bool output_claim(const char* path);
/// Opens a file for writing; NULL after an error message.
FILE* output_open(const char* path);

/// The same for a report, which is a file that an option such as --csv names; "-" is the standard
/// output, which then takes no other output. A name with the ending of a mesh is refused, because
/// it was most likely meant as an object. output_fits_report() checks the name only. `path` may be
/// NULL, except to open.
bool output_fits_report(const char* option, const char* path);
bool output_claim_report(const char* option, const char* path);
FILE* output_open_report(const char* path);
bool output_is_stdout(const char* path);

/// False, after an error message, if the standard output, the standard error output or an output is
/// an input. Call it when inputs are known, before anything is printed.
bool inputs_apart(void);

/// Closes an output; it gets its final name at the end of the command. False after an error
/// message.
bool output_end(FILE* file);
/// Gives what was written its final name at once, and begins the file anew. False after an error
/// message.
bool output_save(FILE* file);
/// Prints the error of a failed write. Always returns false.
bool output_failed(FILE* file);
/// Discards an output: an old file stays. `file` may be NULL.
void output_drop(FILE* file);

/// Lets outputs_finish() keep files although the subcommand failed: they say what failed.
void outputs_keep(void);
/// Gives all ended files their final names, unless the subcommand or the standard output failed.
/// Returns the exit code.
int outputs_finish(int code);

#endif
