// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes compressed streams of glTF (EXT_meshopt_compression and KHR_meshopt_compression) for tests.
// Wherever the format leaves a choice, the maker draws it at random, so that all codes occur.
#ifndef TEST_SUPPORT_MESHOPT_MAKER_H
#define TEST_SUPPORT_MESHOPT_MAKER_H

#include "support/random.h"

#include <stddef.h>
#include <stdint.h>

typedef struct made_stream {
    unsigned char* bytes;  ///< the caller frees it
    size_t size;
} made_stream;

/// Encodes `count` elements of `stride` bytes; `version` is 0 or 1.
made_stream make_attributes(test_random* random, int version, const unsigned char* data,
                            size_t count, size_t stride);
/// Draws a stream of triangles, and writes their corners to `corners` (three per triangle).
made_stream make_triangles(test_random* random, size_t triangles, uint32_t* corners);
/// Encodes indices; two that follow each other differ by less than 2^29.
made_stream make_indices(test_random* random, const uint32_t* indices, size_t count);

#endif
