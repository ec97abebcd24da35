// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads whole files into memory.
#ifndef IO_FILE_H
#define IO_FILE_H

#include "io/error.h"

/// Reads a regular file into memory that the caller frees with free(). Folders, pipes and devices
/// are refused: their size is unknown and they may never end. An empty file gives size 0.
bool io_read_file(const char* path, char** bytes, size_t* size, io_error* error);

/// The same for a mesh or a model: the name "-" means the standard input, which is stored so that
/// it can be read again; gzip data is unpacked.
bool io_read_input(const char* path, char** bytes, size_t* size, io_error* error);
/// The name for messages: "standard input" for "-", otherwise the name itself.
const char* io_input_name(const char* path);

/// Whether a name has this ending, such as ".obj", in upper or lower case; a final ".gz" is
/// ignored.
bool io_has_ending(const char* name, const char* ending);
/// Whether a name ends in .gz.
bool io_is_packed_name(const char* name);

#endif
