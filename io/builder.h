// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Builds a mesh from vertices and faces, for the readers of all formats. Internal to io/.
#ifndef IO_BUILDER_H
#define IO_BUILDER_H

#include "io/mesh_file.h"
#include "io/text.h"

typedef struct io_builder {
    io_mesh mesh;
    const char* name;  // of the file
    io_error* error;
    size_t base;  // what messages call the first vertex and the first face: 1 in OBJ, otherwise 0
    size_t vertex_room;
    size_t triangle_room;
    // the current polygon: its first and latest corner
    uint32_t first;
    uint32_t last;
    size_t corners;
    // the largest vertex index used, and where: checked at the end, as faces may precede vertices
    uint64_t largest_index;
    size_t largest_face;
    size_t largest_line;  // 0 in binary files
} io_builder;

/// Reserves room for `count` vertices or triangles in total. False if memory is short or `count`
/// exceeds the 2^31 - 1 that the library can number.
bool io_reserve_vertices(io_builder* b, size_t count);
bool io_reserve_triangles(io_builder* b, size_t count);

/// Adds a vertex. `line` is 0 in binary files.
bool io_add_vertex(io_builder* b, const double position[3], size_t line);

/// Adds a polygon: begin, three or more corners, end. Indices count from 0; io_finish_mesh() checks
/// that they exist.
void io_begin_face(io_builder* b);
bool io_add_corner(io_builder* b, uint64_t vertex, size_t line);
bool io_end_face(io_builder* b, size_t line);

/// Checks the indices, and that there are vertices and triangles; releases unused room.
bool io_finish_mesh(io_builder* b);

/// Reads one number of a text, which must end at a blank, a comment or the line's end. The error
/// names the element, such as "vertex 3".
bool io_expect_double(io_builder* b, io_text* text, double* out, const char* what, size_t element);
bool io_expect_integer(io_builder* b, io_text* text, int64_t* out, const char* what,
                       size_t element);

/// Writes the error that the whole number at this place is too large. Always returns false.
bool io_fail_large(io_builder* b, const io_text* text, const char* what, size_t element);

/// Refuses texts with a NUL byte.
bool io_expect_text(io_builder* b, const io_text* text);

// the readers; each puts its mesh into the builder
bool io_parse_obj(io_builder* b, const char* bytes, size_t size);
bool io_parse_ply(io_builder* b, const char* bytes, size_t size);
bool io_parse_off(io_builder* b, const char* bytes, size_t size);
bool io_parse_stl(io_builder* b, const char* bytes, size_t size);
bool io_parse_npz(io_builder* b, const char* bytes, size_t size);
bool io_parse_npy(io_builder* b, const char* bytes, size_t size);
bool io_parse_vtk(io_builder* b, const char* bytes, size_t size);

/// Whether a file begins as an XML file of VTK does.
bool io_is_vtk(const char* bytes, size_t size);
/// Whether a file looks like STL: by the number of triangles in it, or by its first word.
bool io_is_binary_stl(const char* bytes, size_t size);
bool io_is_text_stl(const char* bytes, size_t size);

#endif
