// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Decodes the streams of compressed buffer views of glTF. Internal to io/.
// Based on: Khronos, "EXT_meshopt_compression" (attributes of version 0) and
// "KHR_meshopt_compression" (version 1, whose first byte is 0xa1).
#ifndef IO_MESHOPT_H
#define IO_MESHOPT_H

#include <stdbool.h>
#include <stddef.h>

/// A compressed stream and what it must decode to: `count` elements of `stride` bytes.
typedef struct meshopt_stream {
    const unsigned char* bytes;
    size_t size;
    size_t count;
    size_t stride;
} meshopt_stream;

enum { MESHOPT_MOST_STRIDE = 256 };

/// Each decodes a stream of one mode into `out`, which has room for count * stride bytes. Streams
/// may hold anything. Returns NULL, or what is wrong as the end of a sentence that begins with "its
/// stream".
/// Attributes: the stride is a multiple of 4 from 4 to 256.
const char* meshopt_attributes(const meshopt_stream* stream, unsigned char* out);
/// Corners of triangles: the stride is 2 or 4, the count a multiple of 3.
const char* meshopt_triangles(const meshopt_stream* stream, unsigned char* out);
/// Other indices: the stride is 2 or 4.
const char* meshopt_indices(const meshopt_stream* stream, unsigned char* out);

typedef enum meshopt_filter {
    MESHOPT_NONE = 0,
    MESHOPT_OCTAHEDRAL,   ///< unit vectors; the stride is 4 or 8
    MESHOPT_QUATERNION,   ///< rotations; the stride is 8
    MESHOPT_EXPONENTIAL,  ///< floats; the stride is a multiple of 4
    MESHOPT_COLOR,        ///< colours; the stride is 4 or 8
} meshopt_filter;

/// Whether a filter can be applied to elements of this stride.
bool meshopt_filter_fits(meshopt_filter filter, size_t stride);
/// Applies a filter to decoded attributes in place. Bytes may be anything.
void meshopt_filter_apply(meshopt_filter filter, unsigned char* bytes, size_t count, size_t stride);

#endif
