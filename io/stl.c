// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads STL, binary or text. The format repeats the corners of each triangle, so corners at equal
// positions become one vertex; vertices are numbered in the order of the file. Normals, colours and
// names of solids are skipped.
#include "io/builder.h"
#include "io/weld.h"

enum { HEADER = 80, RECORD = 50 };  // bytes before the number of triangles, and of a triangle

static uint32_t read_count(const unsigned char* at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static double read_float(const unsigned char* at) {
    const uint32_t bits = read_count(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

bool io_is_binary_stl(const char* bytes, size_t size) {
    return size >= HEADER + 4 + RECORD &&
           size - HEADER - 4 == RECORD * (uint64_t)read_count((const unsigned char*)bytes + HEADER);
}

bool io_is_text_stl(const char* bytes, size_t size) {
    io_text text = io_text_of(bytes, size);
    io_skip_empty_lines(&text);
    return io_at_word(&text, "solid");
}

static bool parse_binary(io_builder* b, io_weld* weld, const unsigned char* bytes, size_t size) {
    const size_t count = read_count(bytes + HEADER);
    if ((size - HEADER - 4) / RECORD < count) {
        return io_fail_in(b->error, b->name,
                          "the file promises %zu triangles, but has only %zu; is it cut off?",
                          count, (size - HEADER - 4) / RECORD);
    }
    if (!io_reserve_triangles(b, count)) {
        return false;
    }
    for (size_t t = 0; t < count; ++t) {
        const unsigned char* corner = bytes + HEADER + 4 + RECORD * t + 12;  // after the normal
        io_begin_face(b);
        for (int c = 0; c < 3; ++c, corner += 12) {
            const double at[3] = {read_float(corner), read_float(corner + 4),
                                  read_float(corner + 8)};
            uint32_t vertex;
            if (!io_weld_vertex(weld, b, at, 0, &vertex) || !io_add_corner(b, vertex, 0)) {
                return false;
            }
        }
        if (!io_end_face(b, 0)) {
            return false;
        }
    }
    return true;
}

// the next word of the text, which must be this one
static bool expect_word(io_builder* b, io_text* text, const char* word) {
    char excerpt[IO_EXCERPT_SIZE];
    io_skip_empty_lines(text);
    if (text->at == text->end) {
        return io_fail_in(b->error, b->name, "the text ends where '%s' is expected; is it cut off?",
                          word);
    }
    if (!io_at_word(text, word)) {
        return io_fail_in(b->error, b->name, "line %zu has '%s' where '%s' is expected", text->line,
                          io_excerpt(text->at, text->end, excerpt), word);
    }
    text->at += strlen(word);
    return true;
}

static bool parse_corner(io_builder* b, io_weld* weld, io_text* text) {
    double at[3];
    uint32_t vertex;
    if (!expect_word(b, text, "vertex")) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        io_skip_blanks(text);
        if (!io_expect_double(b, text, &at[k], "facet", b->mesh.face_count)) {
            return false;
        }
    }
    return io_weld_vertex(weld, b, at, text->line, &vertex) && io_add_corner(b, vertex, text->line);
}

// "facet normal 0 0 1", "outer loop", three lines "vertex 0 0 0", "endloop", "endfacet"
static bool parse_facet(io_builder* b, io_weld* weld, io_text* text) {
    io_next_line(text);  // the normal follows from the corners
    if (!expect_word(b, text, "outer") || !expect_word(b, text, "loop")) {
        return false;
    }
    io_begin_face(b);
    for (int c = 0; c < 3; ++c) {
        if (!parse_corner(b, weld, text)) {
            return false;
        }
    }
    return expect_word(b, text, "endloop") && expect_word(b, text, "endfacet") &&
           io_end_face(b, text->line);
}

// any number of solids, one after the other
static bool parse_text(io_builder* b, io_weld* weld, const char* bytes, size_t size) {
    io_text text = io_text_of(bytes, size);
    if (!io_expect_text(b, &text)) {
        return false;
    }
    for (io_skip_empty_lines(&text); text.at < text.end; io_skip_empty_lines(&text)) {
        if (!expect_word(b, &text, "solid")) {
            return false;
        }
        io_next_line(&text);  // its name may be any text
        for (io_skip_empty_lines(&text); io_at_word(&text, "facet"); io_skip_empty_lines(&text)) {
            if (!parse_facet(b, weld, &text)) {
                return false;
            }
        }
        if (!expect_word(b, &text, "endsolid")) {
            return false;
        }
        io_next_line(&text);
    }
    return true;
}

bool io_parse_stl(io_builder* b, const char* bytes, size_t size) {
    io_weld weld = {0};
    // programs write binary files, too, whose header begins with "solid"
    const bool is_text = !io_is_binary_stl(bytes, size) && io_is_text_stl(bytes, size);
    bool done;
    if (is_text) {
        done = parse_text(b, &weld, bytes, size);
    } else if (size < HEADER + 4) {
        done = io_fail_in(b->error, b->name,
                          "%zu bytes are too few for an STL file; is it cut off?", size);
    } else {
        done = parse_binary(b, &weld, (const unsigned char*)bytes, size);
    }
    io_weld_free(&weld);
    return done;
}
