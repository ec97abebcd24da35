// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads Geomview OFF in text form: one vertex or face per line. Normals (NOFF), colours (COFF) and
// texture coordinates (STOFF) follow the positions and are skipped.
#include "io/builder.h"

// the word that may start the file: [ST][C][N][4][n]OFF [BINARY]
static bool parse_keyword(io_builder* b, io_text* text) {
    const char* word = text->at;
    while (!io_at_separator(text) && *text->at != '#') {
        ++text->at;
    }
    const size_t length = (size_t)(text->at - word);
    if (length < 3 || memcmp(text->at - 3, "OFF", 3) != 0) {
        text->at = word;  // the keyword is optional
        return true;
    }
    if (memchr(word, '4', length) != NULL || memchr(word, 'n', length) != NULL) {
        return io_fail_in(b->error, b->name,
                          "its vertices do not have three coordinates, so it cannot be read");
    }
    io_skip_blanks(text);
    if (io_at_word(text, "BINARY")) {
        return io_fail_in(b->error, b->name,
                          "this is a binary OFF file; only the text form can be read, save it as "
                          "that or as PLY");
    }
    return true;
}

static bool parse_count(io_builder* b, io_text* text, const char* what, size_t bytes_each,
                        size_t* count) {
    char excerpt[IO_EXCERPT_SIZE];
    int64_t number = 0;
    io_skip_empty_lines(text);
    const char* start = text->at;
    if (!io_read_integer(&text->at, text->end, &number) || number < 0 || !io_at_number_end(text)) {
        return io_fail_in(b->error, b->name, "line %zu has '%s' where the number of %s is expected",
                          text->line, io_excerpt(start, text->end, excerpt), what);
    }
    if (number == INT64_MAX) {  // the reader clamps larger numbers
        return io_fail_in(b->error, b->name, "line %zu has '%s', which is too large a number of %s",
                          text->line, io_excerpt(start, text->end, excerpt), what);
    }
    // every line takes `bytes_each` bytes at least, which bounds the number of lines
    const size_t left = (size_t)(text->end - text->at);
    if ((uint64_t)number > (left + 1) / bytes_each) {
        return io_fail_in(b->error, b->name,
                          "the file promises %lld %s, but only %zu bytes follow; is it cut off?",
                          (long long)number, what, left);
    }
    *count = (size_t)number;
    return true;
}

static bool parse_vertex(io_builder* b, io_text* text) {
    double position[3];
    for (int k = 0; k < 3; ++k) {
        io_skip_blanks(text);
        if (!io_expect_double(b, text, &position[k], "vertex", b->mesh.vertex_count)) {
            return false;
        }
    }
    return io_add_vertex(b, position, text->line);
}

static bool parse_face(io_builder* b, io_text* text) {
    int64_t corners = 0;
    if (!io_expect_integer(b, text, &corners, "face", b->mesh.face_count)) {
        return false;
    }
    io_begin_face(b);
    for (int64_t i = 0; i < corners; ++i) {
        int64_t index = 0;
        io_skip_blanks(text);
        if (!io_expect_integer(b, text, &index, "face", b->mesh.face_count)) {
            return false;
        }
        if (index < 0) {
            return io_fail_in(b->error, b->name,
                              "face %zu (line %zu) uses vertex %lld, which is negative",
                              b->mesh.face_count, text->line, (long long)index);
        }
        if (!io_add_corner(b, (uint64_t)index, text->line)) {
            return false;
        }
    }
    return io_end_face(b, text->line);
}

bool io_parse_off(io_builder* b, const char* bytes, size_t size) {
    io_text text = io_text_of(bytes, size);
    size_t vertices = 0;
    size_t faces = 0;
    io_skip_empty_lines(&text);
    if (!parse_keyword(b, &text) || !io_expect_text(b, &text) ||
        !parse_count(b, &text, "vertices", 6, &vertices) ||
        !parse_count(b, &text, "faces", 2, &faces)) {
        return false;
    }
    io_next_line(&text);  // the number of edges is optional and unused
    if (!io_reserve_vertices(b, vertices)) {
        return false;
    }
    for (size_t i = 0; i < vertices; ++i, io_next_line(&text)) {
        io_skip_empty_lines(&text);
        if (!parse_vertex(b, &text)) {
            return false;
        }
    }
    for (size_t i = 0; i < faces; ++i, io_next_line(&text)) {
        io_skip_empty_lines(&text);
        if (!parse_face(b, &text)) {
            return false;
        }
    }
    return true;
}
