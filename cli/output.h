// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The outputs of the command, with sentences for people: see io/output.h. Every file that a
// subcommand writes is opened here, or by a writer of io/, which does the same.
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/// Refuses a file that is an input or another output, before anything is opened. NULL is fine.
/// False after a sentence.
bool output_claim(const char* path);
/// Opens a file for writing; NULL after a sentence.
FILE* output_open(const char* path);

/// A report is a file that an option such as --csv names; "-" is the standard output, which then takes
/// nothing else. A name that ends like that of a mesh is refused: it was meant as an object. These are as
/// the above; output_fits_report() looks at the name alone. NULL is fine, but not to open.
bool output_fits_report(const char* option, const char* path);
bool output_claim_report(const char* option, const char* path);
FILE* output_open_report(const char* path);
bool output_is_stdout(const char* path);

/// False, after a sentence, if the standard output, the standard error output or an output is an input.
/// Ask when inputs are known, before anything is printed.
bool inputs_apart(void);

/// Closes it; it takes its place at the end of the command. False after a sentence.
bool output_end(FILE* file);
/// After a failure while writing: always false, after a sentence.
bool output_failed(FILE* file);
/// Closes it, and the old file stays; NULL is fine.
void output_drop(FILE* file);

/// At the end of a subcommand: all files that were ended take their places, unless it failed or what
/// was printed could not be written.
/// Returns the exit code.
int outputs_finish(int code);

#endif
