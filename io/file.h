// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Whole files into memory.
#ifndef IO_FILE_H
#define IO_FILE_H

#include "io/error.h"

/// Reads a regular file into memory that the caller frees with free(). Folders, pipes and devices
/// are refused: their size is unknown and they may never end. An empty file gives size 0.
bool io_read_file(const char* path, char** bytes, size_t* size, io_error* error);

/// The same for a mesh or a model: the name "-" is the standard input, which is kept, so that it can
/// be read again; what is packed by gzip is unpacked.
bool io_read_input(const char* path, char** bytes, size_t* size, io_error* error);
/// What messages call it: "standard input" for "-", otherwise the name itself.
const char* io_input_name(const char* path);

/// Whether a name ends so, such as ".obj", in any case of letters; a ".gz" behind it is passed over.
bool io_has_ending(const char* name, const char* ending);
/// Whether the name of a file ends in .gz.
bool io_is_packed_name(const char* name);

#endif
