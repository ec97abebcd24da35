// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Files that are written: all of them, or none. A file is written beside its place under a name of
// its own, and takes its place when the whole run has succeeded; until then the old file stays as
// it was. What is no regular file (a pipe, a device, /dev/stdout) is written straight. No output
// may be an input, or another output, by whatever name.
//
// One thread uses this at a time, but any may note inputs; io_outputs_remove() may interrupt it anywhere.
#ifndef IO_OUTPUT_H
#define IO_OUTPUT_H

#include "io/error.h"

#include <stdio.h>

/// Notes a file that is read, so that no output can be it; - is the standard input. A file that is
/// not there is no harm.
void io_input_note(const char* path);
/// Whether a descriptor, such as that of the standard output, is a regular file that is read.
bool io_is_input(int descriptor);
/// False, with the reason in `error`, if the standard output, the standard error output or an output that
/// was claimed is a file that is read. An input may turn up late, when another input names it.
bool io_inputs_apart(io_error* error);

/// Refuses an output that is an input or another output; otherwise notes it. Nothing is opened.
bool io_output_claim(const char* path, io_error* error);

/// Opens an output for writing; claims it, unless that was done. NULL after the reason was put into
/// `error`. End it with io_output_end(), or drop it with io_output_drop().
FILE* io_output_open(const char* path, io_error* error);
/// Closes an output. Once all is well it waits for io_outputs_commit(). False if anything was not
/// written: then it is dropped.
bool io_output_end(FILE* file, io_error* error);
/// After a failure while writing: puts the reason into `error` and returns false.
bool io_output_failed(FILE* file, io_error* error);
/// Whether an output failed because it is a pipe whose reader went away, as `head` does: then it is
/// no error, and nothing need be said.
bool io_output_unread(void);
/// Closes an output and removes what was written. NULL is fine.
void io_output_drop(FILE* file);
/// Makes a folder for outputs, unless it is there. If it was made, and no output takes its place in it, it
/// is removed again.
bool io_output_folder(const char* path, io_error* error);

/// Lets all outputs that were ended take their places, in the order in which they were ended, and
/// drops those that were not. False if one could not; those behind it are dropped, too.
bool io_outputs_commit(io_error* error);
/// Drops all outputs, and forgets what was read and written.
void io_outputs_drop(void);
/// Removes what was written beside the outputs' places, and nothing else: for signal handlers.
void io_outputs_remove(void);

#endif
