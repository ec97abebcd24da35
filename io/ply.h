// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The header of a PLY file: its elements and their properties. Internal to io/.
#ifndef IO_PLY_H
#define IO_PLY_H

#include "io/builder.h"

typedef enum ply_encoding {
    PLY_ENCODING_NONE = 0,
    PLY_TEXT,
    PLY_LITTLE_ENDIAN,
    PLY_BIG_ENDIAN,
} ply_encoding;

typedef enum ply_type {
    PLY_TYPE_NONE = 0,
    PLY_INT8,
    PLY_UINT8,
    PLY_INT16,
    PLY_UINT16,
    PLY_INT32,
    PLY_UINT32,
    PLY_FLOAT32,
    PLY_FLOAT64,
} ply_type;

typedef enum ply_use {
    PLY_PASS_OVER = 0,
    PLY_X,
    PLY_Y,
    PLY_Z,
    PLY_CORNERS,
} ply_use;

typedef struct ply_property {
    ply_type type;
    ply_type count_type;  // PLY_TYPE_NONE: one value; else a list, its length first
    ply_use use;
} ply_property;

typedef enum ply_kind {
    PLY_OTHER = 0,
    PLY_VERTEX,
    PLY_FACE,
} ply_kind;

typedef struct ply_element {
    ply_kind kind;
    char name[IO_EXCERPT_SIZE];
    uint64_t count;
    size_t first_property;
    size_t property_count;
} ply_element;

typedef struct ply_header {
    ply_encoding encoding;
    ply_element* elements;
    size_t element_count;
    ply_property* properties;
    size_t property_count;
    io_text body;  // what follows the header
} ply_header;

/// Bytes of a binary value.
size_t ply_type_size(ply_type type);

/// Reads the header. Call ply_header_free() after success and after failure.
bool ply_header_parse(io_builder* b, const char* bytes, size_t size, ply_header* header);
void ply_header_free(ply_header* header);

#endif
