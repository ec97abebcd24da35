// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Unpacks gzip data in memory. Files are not trusted: a small one may unpack to any size, so the
// size is limited.
#ifndef IO_GZIP_H
#define IO_GZIP_H

#include "io/error.h"

/// Whether the data starts with the gzip magic number.
bool io_is_gzip(const char* bytes, size_t size);

/// Replaces *bytes, which malloc() allocated, by the unpacked data and frees the old block. The
/// limit is 8 GiB; beyond 64 MiB also 256 times the packed size. False, with *bytes unchanged and
/// the reason in `error`.
bool io_gunzip(const char* name, char** bytes, size_t* size, io_error* error);

#endif
