// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes all output files or none. A file is written under a temporary name in its folder and
// renamed when the whole run has succeeded; until then the old file stays unchanged. Pipes and
// devices (also /dev/stdout) are written directly. An output that is an input or another output is
// refused, under any name.
//
// One thread at a time may use this, but any thread may note inputs. io_outputs_remove() may be
// called in a signal handler at any time.
#ifndef IO_OUTPUT_H
#define IO_OUTPUT_H

#include "io/error.h"

#include <stdio.h>

/// Notes a file as an input, so that no output can overwrite it; - is the standard input. The file
/// need not exist.
void io_input_note(const char* path);
/// Inputs that are noted from now on have this number or a larger one.
size_t io_input_mark(void);
/// Calls `fn` for the inputs with this number or a larger one, in the order in which they were noted.
/// False if there is not enough memory.
bool io_inputs_since(size_t mark, void (*fn)(void* user, const char* path), void* user);
/// Whether a descriptor, such as that of the standard output, is a regular file noted as an input.
bool io_is_input(int descriptor);
/// False, with the reason in `error`, if the standard output, the standard error output or a
/// claimed output is an input. An input may be noted late, when another input names it.
bool io_inputs_apart(io_error* error);

/// Notes an output without opening it. False if it is an input or another output.
bool io_output_claim(const char* path, io_error* error);

/// Opens an output for writing; claims it first if necessary. NULL with the reason in `error`. End
/// it with io_output_end() or io_output_drop().
FILE* io_output_open(const char* path, io_error* error);
/// Closes an output, which then waits for io_outputs_commit(). False if anything could not be
/// written: then the output is dropped.
bool io_output_end(FILE* file, io_error* error);
/// Gives what was written so far its final name at once, and begins the file anew: for files that
/// must survive the end of the process at any time. False if anything could not be written, or if
/// the output is a pipe or a device; the last saved file then stays.
bool io_output_save(FILE* file, io_error* error);
/// After a failure while writing: puts the reason into `error` and returns false.
bool io_output_failed(FILE* file, io_error* error);
/// Whether an output failed because the reader of a pipe closed it, as `head` does. This is not an
/// error and needs no message.
bool io_output_unread(void);
/// Closes an output and removes what was written. `file` may be NULL.
void io_output_drop(FILE* file);
/// Makes a folder for outputs, unless it exists. A folder made here is removed again if no output
/// is placed in it.
bool io_output_folder(const char* path, io_error* error);

/// Renames all ended outputs to their final names, in the order in which they were ended, and drops
/// the others. False if one could not be renamed; those after it are dropped, too.
bool io_outputs_commit(io_error* error);
/// Drops all outputs, and forgets all noted inputs and outputs.
void io_outputs_drop(void);
/// Removes the temporary files only: for signal handlers.
void io_outputs_remove(void);

#endif
