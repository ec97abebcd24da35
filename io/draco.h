// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Decodes meshes that are compressed with Draco, by Google's library, where it is built in. Internal
// to io/. The decoder is C++ (draco_decode.cpp); its caller runs it in a process of its own.
#ifndef IO_DRACO_H
#define IO_DRACO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// An attribute: its id in the compressed data, the type of its numbers by the codes of glTF (5120 to
/// 5126), how many a vertex has, and where they go.
typedef struct draco_attribute {
    uint32_t id;
    uint32_t type;
    uint32_t components;  // at most 4
    unsigned char* out;
} draco_attribute;

/// A mesh: the compressed bytes, and what they must decode to.
typedef struct draco_mesh {
    const unsigned char* bytes;
    size_t size;
    size_t vertex_count;
    size_t corner_count;  // three per triangle
    const draco_attribute* attributes;
    size_t attribute_count;
    uint32_t* corners;
} draco_mesh;

/// Decodes a mesh. Returns NULL, or what is wrong as the end of a sentence that begins with "its
/// Draco data". It may crash on data that are damaged.
const char* draco_decode(const draco_mesh* mesh);

#ifdef __cplusplus
}
#endif

#endif
