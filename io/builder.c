// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Builds a mesh from vertices and faces: see builder.h.
#include "io/builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_ELEMENTS = INT32_MAX };  // the library numbers vertices and triangles below 2^31

// " (line 7)" for texts, nothing for binary files
static const char* place(size_t line, char text[40]) {
    text[0] = '\0';
    if (line != 0) {
        snprintf(text, 40, " (line %zu)", line);
    }
    return text;
}

// grows an array of `size` bytes an element to hold `count`
static bool grow(io_builder* b, void** array, size_t* room, size_t count, size_t size,
                 const char* what) {
    if (count > MOST_ELEMENTS) {
        return io_fail_in(b->error, b->name, "there are more than %d %s, which cannot be numbered",
                          (int)MOST_ELEMENTS, what);
    }
    void* grown = realloc(*array, (count == 0 ? 1 : count) * size);
    if (grown == NULL) {
        return io_fail_in(b->error, b->name, "it does not fit in memory (%zu %s)", count, what);
    }
    *array = grown;
    *room = count;
    return true;
}

bool io_reserve_vertices(io_builder* b, size_t count) {
    void* array = b->mesh.positions;
    const bool done = grow(b, &array, &b->vertex_room, count, 3 * sizeof(double), "vertices");
    b->mesh.positions = array;
    return done;
}

bool io_reserve_triangles(io_builder* b, size_t count) {
    void* array = b->mesh.triangles;
    const bool done = grow(b, &array, &b->triangle_room, count, 3 * sizeof(uint32_t), "triangles");
    b->mesh.triangles = array;
    return done;
}

// the next capacity: half as much again
static size_t more_room(size_t room) {
    const size_t more = room + room / 2 + 64;
    return room < MOST_ELEMENTS && more > MOST_ELEMENTS ? (size_t)MOST_ELEMENTS : more;
}

bool io_add_vertex(io_builder* b, const double position[3], size_t line) {
    char where[40];
    const size_t vertex = b->mesh.vertex_count;
    if (vertex == b->vertex_room && !io_reserve_vertices(b, more_room(vertex))) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        if (!isfinite(position[k])) {
            return io_fail_in(b->error, b->name,
                              "vertex %zu%s has a coordinate that is not finite (%c is %g); "
                              "export the mesh again without it",
                              b->base + vertex, place(line, where), "xyz"[k], position[k]);
        }
        b->mesh.positions[3 * vertex + (size_t)k] = position[k];
    }
    b->mesh.vertex_count = vertex + 1;
    return true;
}

void io_begin_face(io_builder* b) {
    b->corners = 0;
}

bool io_add_corner(io_builder* b, uint64_t vertex, size_t line) {
    if (vertex > b->largest_index) {
        b->largest_index = vertex;
        b->largest_face = b->mesh.face_count;
        b->largest_line = line;
    }
    // io_finish_mesh() refuses an index that does not fit
    const uint32_t index = vertex > UINT32_MAX ? UINT32_MAX : (uint32_t)vertex;
    if (b->corners == 0) {
        b->first = index;
    } else if (b->corners >= 2) {
        const size_t triangle = b->mesh.triangle_count;
        if (triangle == b->triangle_room && !io_reserve_triangles(b, more_room(triangle))) {
            return false;
        }
        uint32_t* corner = b->mesh.triangles + 3 * triangle;
        corner[0] = b->first;
        corner[1] = b->last;
        corner[2] = index;
        b->mesh.triangle_count = triangle + 1;
    }
    b->last = index;
    ++b->corners;
    return true;
}

bool io_end_face(io_builder* b, size_t line) {
    char where[40];
    if (b->corners < 3) {
        return io_fail_in(b->error, b->name,
                          "face %zu%s has %zu corner%s; a face needs three or more",
                          b->base + b->mesh.face_count, place(line, where), b->corners,
                          b->corners == 1 ? "" : "s");
    }
    ++b->mesh.face_count;
    return true;
}

bool io_finish_mesh(io_builder* b) {
    char where[40];
    if (b->mesh.vertex_count == 0) {
        return io_fail_in(b->error, b->name, "there are no vertices; is it a mesh?");
    }
    if (b->mesh.triangle_count == 0) {
        return io_fail_in(b->error, b->name,
                          "there are %zu vertices but no faces; a surface of triangles is needed",
                          b->mesh.vertex_count);
    }
    if (b->largest_index >= b->mesh.vertex_count) {
        return io_fail_in(b->error, b->name,
                          "face %zu%s uses vertex %llu, but there are only %zu vertices, %zu to "
                          "%zu; is it cut off?",
                          b->base + b->largest_face, place(b->largest_line, where),
                          (unsigned long long)b->base + b->largest_index, b->mesh.vertex_count,
                          b->base, b->base + b->mesh.vertex_count - 1);
    }
    return io_reserve_vertices(b, b->mesh.vertex_count) &&
           io_reserve_triangles(b, b->mesh.triangle_count);
}

// writes the error for a missing number
static bool fail_number(io_builder* b, const io_text* text, const char* what, size_t element,
                        const char* wanted) {
    char excerpt[IO_EXCERPT_SIZE];
    if (text->at == text->end) {
        return io_fail_in(b->error, b->name,
                          "the file ends in %s %zu (line %zu), where %s is missing; is it cut off?",
                          what, b->base + element, text->line, wanted);
    }
    if (io_at_line_end(text)) {
        return io_fail_in(b->error, b->name, "%s %zu (line %zu) ends early: %s is missing", what,
                          b->base + element, text->line, wanted);
    }
    return io_fail_in(b->error, b->name, "%s %zu (line %zu) has '%s' where %s is expected", what,
                      b->base + element, text->line, io_excerpt(text->at, text->end, excerpt),
                      wanted);
}

bool io_fail_large(io_builder* b, const io_text* text, const char* what, size_t element) {
    char excerpt[IO_EXCERPT_SIZE];
    return io_fail_in(b->error, b->name, "%s %zu (line %zu) has '%s', which is too large a number",
                      what, b->base + element, text->line,
                      io_excerpt(text->at, text->end, excerpt));
}

bool io_expect_double(io_builder* b, io_text* text, double* out, const char* what, size_t element) {
    char excerpt[IO_EXCERPT_SIZE];
    const char* start = text->at;
    const io_number_result result = io_read_double(&text->at, text->end, out);
    if (result == IO_NUMBER_NOT_FINITE) {
        return io_fail_in(b->error, b->name,
                          "%s %zu (line %zu) has a value that is not finite ('%s'); export the "
                          "mesh again without it",
                          what, b->base + element, text->line,
                          io_excerpt(start, text->end, excerpt));
    }
    if (result != IO_NUMBER_OK || !io_at_number_end(text)) {
        text->at = start;
        return fail_number(b, text, what, element, "a number");
    }
    return true;
}

bool io_expect_integer(io_builder* b, io_text* text, int64_t* out, const char* what,
                       size_t element) {
    const char* start = text->at;
    if (!io_read_integer(&text->at, text->end, out) || !io_at_number_end(text)) {
        text->at = start;
        return fail_number(b, text, what, element, "a whole number");
    }
    if (*out == INT64_MAX || *out == INT64_MIN) {  // the reader clamps larger numbers
        text->at = start;
        return io_fail_large(b, text, what, element);
    }
    return true;
}

bool io_expect_text(io_builder* b, const io_text* text) {
    const size_t size = (size_t)(text->end - text->at);
    const char* zero = size == 0 ? NULL : memchr(text->at, '\0', size);
    if (zero == NULL) {
        return true;
    }
    io_text lines = *text;
    lines.end = zero;
    while (lines.at < lines.end) {
        io_next_line(&lines);
    }
    return io_fail_in(b->error, b->name,
                      "line %zu has a NUL byte, so this is not plain text; is the file damaged, or "
                      "of another format than its name says?",
                      lines.line);
}
