// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Unpacks gzip data that is in memory. Files are not trusted: a small one may unpack to any size, so
// there is a limit.
#ifndef IO_GZIP_H
#define IO_GZIP_H

#include "io/error.h"

/// Whether data begins as gzip data does.
bool io_is_gzip(const char* bytes, size_t size);

/// Replaces packed data by what is in it: `*bytes`, which malloc() gave, is freed if that succeeds.
/// At most 8 GiB, and of more than 64 MiB at most 256 times the packed size. False after a sentence.
bool io_gunzip(const char* name, char** bytes, size_t* size, io_error* error);

#endif
