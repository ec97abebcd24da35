// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads .pvd files: lists of files of VTK with their times.
#ifndef IO_PVD_H
#define IO_PVD_H

#include "io/sequence.h"

/// Whether a name ends in .pvd.
bool io_is_pvd_name(const char* name);

/// Reads the list: the files in the order of their times, without numbers. Names in the list are
/// relative to its folder, and must stay there. Files of the same time (parts) are refused. On
/// failure `out` is empty and `error` (may be NULL) has the reason. Free with io_sequence_free().
bool io_read_pvd(const char* path, io_sequence* out, io_error* error);
/// The same for a list in memory; `path` says where the files are.
bool io_parse_pvd(const char* path, const char* bytes, size_t size, io_sequence* out,
                  io_error* error);

#endif
