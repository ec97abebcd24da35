// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Which file a name means, and which files are read and written already. Internal to io/output.c.
#ifndef IO_OUTPUT_NAMES_H
#define IO_OUTPUT_NAMES_H

#include "io/error.h"

enum { OUTPUT_PATH_SIZE = 4096 };

typedef struct output_name {
    char place[OUTPUT_PATH_SIZE];  ///< the path without links at its end
    bool exists;
    bool straight;   ///< a pipe or a device: nothing can take its place
    int descriptor;  ///< of this process, as /dev/stdout is; -1: none
} output_name;

/// Finds out what a name means and notes it as an output. Refuses what is an input or another
/// output, unless (`open`) the same name was claimed and is now to be opened, for the first time.
bool output_name_take(const char* path, bool open, output_name* name, io_error* error);

/// Forgets all inputs and outputs.
void output_names_forget(void);

#endif
