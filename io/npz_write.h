// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes arrays of numpy: an .npz archive, which numpy.load() reads. Arrays are stored one after the
// other, without compression.
#ifndef IO_NPZ_WRITE_H
#define IO_NPZ_WRITE_H

#include "io/error.h"

#include <stdint.h>
#include <stdio.h>

enum { IO_NPZ_DIMENSIONS = 4 };

/// An array in C order.
typedef struct io_npz_array {
    const char* name;  ///< without .npy
    char kind;         ///< 'f' real number, 'u' whole number, 'S' text of a fixed size
    size_t size;       ///< bytes of an element
    size_t shape[IO_NPZ_DIMENSIONS];
    size_t dimensions;  ///< at most IO_NPZ_DIMENSIONS
    const void* data;
} io_npz_array;

/// What the archive's end lists; private.
typedef struct io_npz_entry io_npz_entry;

typedef struct io_npz_writer {
    FILE* file;
    uint64_t written;  ///< bytes so far
    io_npz_entry* entries;
    size_t count;
} io_npz_writer;

/// Begins a file as an output of io/output.h. All calls return false with the reason in `error`.
bool io_npz_begin(io_npz_writer* w, const char* path, io_error* error);
/// Fails if the file would have 4 GB or more.
bool io_npz_add(io_npz_writer* w, const io_npz_array* array, io_error* error);
bool io_npz_end(io_npz_writer* w, io_error* error);
/// After a failure, instead of io_npz_end(); no-op after it.
void io_npz_drop(io_npz_writer* w);

#endif
