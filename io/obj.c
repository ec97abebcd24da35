// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads Wavefront OBJ: `v` and `f` lines. Other keywords are skipped; all objects and groups of a
// file become one mesh. Material files (`mtllib`) are not read, but noted as inputs.
#include "io/builder.h"
#include "io/output.h"

#include <string.h>

// skips blanks and line continuations (a backslash at the end of a line)
static void skip_blanks_and_joins(io_text* text) {
    for (;;) {
        io_skip_blanks(text);
        if (text->at == text->end || *text->at != '\\') {
            return;
        }
        io_text behind = *text;
        ++behind.at;
        io_skip_blanks(&behind);
        if (!io_at_line_end(&behind)) {
            return;
        }
        io_next_line(&behind);
        *text = behind;
    }
}

// whether the line that ends before `end` continues on the next one
static bool ends_in_join(const io_text* text, const char* start, const char* end) {
    while (end > start && io_is_blank(text, end[-1])) {
        --end;
    }
    return end > start && end[-1] == '\\';
}

static void skip_joined_lines(io_text* text) {
    // a backslash at the end of a comment (a path, a drawing) does not continue it
    const bool comment = text->at < text->end && *text->at == '#';
    for (;;) {
        const char* start = text->at;
        io_next_line(text);
        if (comment || text->at == text->end || !ends_in_join(text, start, text->at - 1)) {
            return;
        }
    }
}

static bool parse_vertex(io_builder* b, io_text* text) {
    double position[3];
    for (int k = 0; k < 3; ++k) {
        skip_blanks_and_joins(text);
        if (!io_expect_double(b, text, &position[k], "vertex", b->mesh.vertex_count)) {
            return false;
        }
    }
    return io_add_vertex(b, position, text->line);  // a weight or a colour may follow
}

static bool fail_corner(const io_builder* b, const io_text* text) {
    char excerpt[IO_EXCERPT_SIZE];
    return io_fail_in(b->error, b->name,
                      "face %zu (line %zu) has '%s' where a corner such as 7, 7/1 or 7//3 is "
                      "expected",
                      b->base + b->mesh.face_count, text->line,
                      io_excerpt(text->at, text->end, excerpt));
}

// the vertex index of a corner, from 0; a negative one counts back from the last vertex
static bool resolve(const io_builder* b, size_t line, int64_t number, uint64_t* index) {
    if (number > 0) {
        *index = (uint64_t)number - 1;
        return true;
    }
    if (number == 0) {
        return io_fail_in(b->error, b->name,
                          "face %zu (line %zu) uses vertex 0, but OBJ files count from 1",
                          b->base + b->mesh.face_count, line);
    }
    if (number < -(int64_t)b->mesh.vertex_count) {
        return io_fail_in(
            b->error, b->name,
            "face %zu (line %zu) uses vertex %lld; a negative number counts back from "
            "the face, -1 is the last vertex before it, but only %zu come before it",
            b->base + b->mesh.face_count, line, (long long)number, b->mesh.vertex_count);
    }
    *index = (uint64_t)((int64_t)b->mesh.vertex_count + number);
    return true;
}

// parses v, v/vt, v//vn or v/vt/vn; uses v only
static bool parse_corner(io_builder* b, io_text* text) {
    const io_text start = *text;
    int64_t number = 0;
    uint64_t index = 0;
    if (!io_read_integer(&text->at, text->end, &number)) {
        return fail_corner(b, &start);
    }
    for (int part = 0; part < 2 && text->at < text->end && *text->at == '/'; ++part) {
        int64_t ignored;
        ++text->at;
        io_read_integer(&text->at, text->end, &ignored);
    }
    if (!io_at_number_end(text)) {
        return fail_corner(b, &start);
    }
    if (number == INT64_MAX || number == INT64_MIN) {  // the reader clamps larger numbers
        text->at = start.at;
        return io_fail_large(b, text, "face", b->mesh.face_count);
    }
    return resolve(b, text->line, number, &index) && io_add_corner(b, index, text->line);
}

static bool parse_face(io_builder* b, io_text* text) {
    io_begin_face(b);
    for (;;) {
        skip_blanks_and_joins(text);
        if (io_at_line_end(text) || *text->at == '#') {
            return io_end_face(b, text->line);
        }
        if (!parse_corner(b, text)) {
            return false;
        }
    }
}

// notes the file of this name in the folder of the mesh as an input
static void note_beside(const io_builder* b, const char* name, const char* end) {
    char path[4096];
    if (name == end) {  // the file may end here
        return;
    }
    const char* slash = *name == '/' ? NULL : strrchr(b->name, '/');
    const size_t folder = slash == NULL ? 0 : (size_t)(slash + 1 - b->name);
    const size_t length = (size_t)(end - name);
    if (length < sizeof path && folder < sizeof path - length) {
        memcpy(path, b->name, folder);
        memcpy(path + folder, name, length);
        path[folder + length] = '\0';
        io_input_note(path);
    }
}

// the line may hold several names, or one name with blanks: notes each word and the whole
static void note_materials(const io_builder* b, io_text text) {
    text.at += strlen("mtllib");
    io_skip_blanks(&text);
    const char* first = text.at;
    const char* last = first;  // the end of the last word
    while (skip_blanks_and_joins(&text), !io_at_line_end(&text)) {
        const char* word = text.at;
        while (!io_at_separator(&text)) {
            ++text.at;
        }
        last = text.at;
        note_beside(b, word, last);
    }
    note_beside(b, first, last);
}

// the rest of the line names the triangles that follow
static bool parse_tag(io_builder* b, io_text text, const char* keyword, io_tag_kind kind) {
    text.at += strlen(keyword);
    io_skip_blanks(&text);
    const char* first = text.at;
    const char* last = first;
    while (!io_at_line_end(&text)) {
        last = io_at_separator(&text) ? last : text.at + 1;
        ++text.at;
    }
    return io_tags_add(&b->mesh.tags, b->mesh.triangle_count, kind, first,
                       (size_t)(last - first)) ||
           io_fail_in(b->error, b->name, "there is not enough memory");
}

static bool parse_tags(io_builder* b, const io_text* text) {
    static const struct {
        const char* keyword;
        io_tag_kind kind;
    } all[] = {{"usemtl", IO_TAG_MATERIAL}, {"g", IO_TAG_GROUP}, {"o", IO_TAG_OBJECT}};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        if (*text->at == all[i].keyword[0] && io_at_word(text, all[i].keyword)) {
            return parse_tag(b, *text, all[i].keyword, all[i].kind);
        }
    }
    return true;
}

bool io_parse_obj(io_builder* b, const char* bytes, size_t size) {
    io_text text = io_text_of(bytes, size);
    b->base = 1;
    if (!io_expect_text(b, &text)) {
        return false;
    }
    while (text.at < text.end) {
        io_skip_blanks(&text);
        const bool letter = text.end - text.at >= 2 && io_is_blank(&text, text.at[1]);
        const char keyword = letter ? *text.at : '\0';
        text.at += keyword == 'v' || keyword == 'f';
        if ((keyword == 'v' && !parse_vertex(b, &text)) ||
            (keyword == 'f' && !parse_face(b, &text))) {
            return false;
        }
        if (text.at < text.end && *text.at == 'm' && io_at_word(&text, "mtllib")) {
            note_materials(b, text);
        }
        if (text.at < text.end && !parse_tags(b, &text)) {
            return false;
        }
        skip_joined_lines(&text);
    }
    return true;
}
