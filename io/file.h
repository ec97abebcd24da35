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

#endif
