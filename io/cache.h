// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Point caches: the positions of all vertices of a mesh in each frame. Reads PC2 (version 1), MDD,
// arrays of numpy (.npy, .npz) and raw floats (one file per frame) a few frames at a time, so that a
// long cache needs little memory; a packed .npz is unpacked whole. Writes PC2.
//
// PC2, little endian: "POINTCACHE2\0", version, points, start and rate (float), samples; then x y z
// as floats, point after point, sample after sample. MDD, big endian: frames, points, the times of
// the frames (float), then the same. Raw floats are little endian, x y z point after point.
#ifndef IO_CACHE_H
#define IO_CACHE_H

#include "io/error.h"
#include "io/sequence.h"

#include <stdint.h>
#include <stdio.h>

typedef struct io_cache {
    FILE* file;
    io_sequence frames;  ///< of raw floats: the files
    char* name;
    const char* format;  ///< "PC2", "MDD", "NPY", "NPZ" or "raw floats"
    bool doubles;        ///< numbers are doubles, not floats
    size_t vertex_count;
    size_t frame_count;   ///< at least one
    uint64_t first_byte;  ///< of the first frame
    bool big_endian;
    unsigned char* memory;  ///< what was unpacked; then first_byte is a place in it
} io_cache;

/// Whether the name ends in .pc2, .mdd, .npy, .npz, or .f32 (raw floats).
bool io_is_cache_name(const char* name);

/// Whether a file is a mesh and a cache in one: an .npz archive of several frames.
bool io_has_frames(const char* path);

/// Opens a cache and checks its header against the size of the file; for raw floats the path may be
/// a pattern of io_sequence_list(). On failure `out` is empty and `error` (may be NULL) has the
/// reason. Close it with io_cache_close().
bool io_cache_open(const char* path, io_cache* out, io_error* error);
void io_cache_close(io_cache* cache);

/// Reads `count` frames from frame `first` on, x y z of every vertex, as floats or as doubles. All
/// numbers must be finite.
bool io_cache_read(io_cache* cache, size_t first, size_t count, void* xyz, io_error* error);

/// Writes a PC2 file frame by frame; the caller writes exactly the announced number of frames. The
/// functions return false with the reason in `error`.
typedef struct io_pc2_writer {
    FILE* file;
    size_t vertex_count;
} io_pc2_writer;
bool io_pc2_begin(io_pc2_writer* w, const char* path, size_t vertex_count, size_t frame_count,
                  io_error* error);
void io_pc2_add(io_pc2_writer* w, const float* xyz);
/// Closes the file; false if anything could not be written.
bool io_pc2_end(io_pc2_writer* w, io_error* error);
/// After a failure, instead of io_pc2_end().
void io_pc2_drop(io_pc2_writer* w);

#endif
