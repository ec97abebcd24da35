// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Identifies files by name, and lists which are inputs and outputs. Internal to io/output.c.
#ifndef IO_OUTPUT_NAMES_H
#define IO_OUTPUT_NAMES_H

#include "io/error.h"

enum { OUTPUT_PATH_SIZE = 4096 };

typedef struct output_name {
    char place[OUTPUT_PATH_SIZE];  ///< the path with final links followed
    bool exists;
    bool straight;   ///< a pipe or a device: written directly, not replaced
    int descriptor;  ///< of this process, for names such as /dev/stdout; -1: none
} output_name;

/// Identifies a file and notes it as an output. Refuses an input and another output. With `open`, a
/// name that was claimed before and is not open yet is allowed.
bool output_name_take(const char* path, bool open, output_name* name, io_error* error);

/// Forgets all inputs and outputs.
void output_names_forget(void);

#endif
