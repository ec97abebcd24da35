// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads the header of a PLY file: lines of words up to `end_header`.
#include "io/ply.h"

#include <stdlib.h>

typedef struct word {
    const char* text;
    size_t length;
} word;

size_t ply_type_size(ply_type type) {
    static const unsigned char sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
    return sizes[type];
}

static bool is(word w, const char* text) {
    return w.length == strlen(text) && memcmp(w.text, text, w.length) == 0;
}

// the next word of this line; empty at its end
static word next_word(io_text* text) {
    io_skip_blanks(text);
    word w = {text->at, 0};
    while (!io_at_separator(text)) {
        ++text->at;
    }
    w.length = (size_t)(text->at - w.text);
    return w;
}

static bool fail_word(io_builder* b, const io_text* text, word w, const char* wanted) {
    char excerpt[IO_EXCERPT_SIZE];
    return io_fail_in(b->error, b->name, "line %zu of the header has '%s' where %s is expected",
                      text->line, io_excerpt(w.text, w.text + w.length, excerpt), wanted);
}

static ply_type type_of(word w) {
    static const char* const names[][2] = {{"char", "int8"},     {"uchar", "uint8"},
                                           {"short", "int16"},   {"ushort", "uint16"},
                                           {"int", "int32"},     {"uint", "uint32"},
                                           {"float", "float32"}, {"double", "float64"}};
    for (int i = 0; i < 8; ++i) {
        if (is(w, names[i][0]) || is(w, names[i][1])) {
            return (ply_type)(i + 1);
        }
    }
    return PLY_TYPE_NONE;
}

static bool parse_type(io_builder* b, io_text* text, ply_type* type) {
    const word w = next_word(text);
    *type = type_of(w);
    return *type != PLY_TYPE_NONE ||
           fail_word(b, text, w, "a type such as uchar, int, float or double");
}

static bool parse_format(io_builder* b, io_text* text, ply_header* header) {
    const word w = next_word(text);
    header->encoding = is(w, "ascii")                  ? PLY_TEXT
                       : is(w, "binary_little_endian") ? PLY_LITTLE_ENDIAN
                       : is(w, "binary_big_endian")    ? PLY_BIG_ENDIAN
                                                       : PLY_ENCODING_NONE;
    return header->encoding != PLY_ENCODING_NONE ||
           fail_word(b, text, w, "ascii, binary_little_endian or binary_big_endian");
}

// room for one more; capacity doubles, so it is used up when the count is a power of two
static void* grown(void* array, size_t count, size_t size) {
    if ((count & (count - 1)) != 0) {
        return array;
    }
    return realloc(array, (count == 0 ? 1 : 2 * count) * size);
}

static bool parse_element(io_builder* b, io_text* text, ply_header* header) {
    ply_element* elements = grown(header->elements, header->element_count, sizeof *elements);
    if (elements == NULL) {
        return io_fail_in(b->error, b->name, "its header does not fit in memory");
    }
    header->elements = elements;
    ply_element* element = &elements[header->element_count];
    *element = (ply_element){.first_property = header->property_count};
    const word name = next_word(text);
    const word count = next_word(text);
    const char* at = count.text;
    int64_t number = 0;
    if (!io_read_integer(&at, count.text + count.length, &number) || number < 0 ||
        at != count.text + count.length) {
        return fail_word(b, text, count, "the number of elements");
    }
    if (number == INT64_MAX) {  // or beyond
        char excerpt[IO_EXCERPT_SIZE];
        return io_fail_in(b->error, b->name,
                          "line %zu of the header has '%s', which is too large a number",
                          text->line, io_excerpt(count.text, count.text + count.length, excerpt));
    }
    io_excerpt(name.text, name.text + name.length, element->name);
    element->kind = is(name, "vertex") ? PLY_VERTEX : is(name, "face") ? PLY_FACE : PLY_OTHER;
    element->count = (uint64_t)number;
    for (size_t i = 0; i < header->element_count; ++i) {
        // a second vertex or face element is refused; others are not searched for
        if (element->kind == PLY_OTHER) {
            break;
        }
        if (elements[i].kind == element->kind) {
            return io_fail_in(b->error, b->name, "line %zu of the header has a second '%s'",
                              text->line, element->name);
        }
    }
    ++header->element_count;
    return true;
}

static ply_use use_of(const ply_element* element, word name, bool list) {
    if (element->kind == PLY_VERTEX && !list && name.length == 1) {
        const char c = *name.text;
        return c == 'x' ? PLY_X : c == 'y' ? PLY_Y : c == 'z' ? PLY_Z : PLY_PASS_OVER;
    }
    if (element->kind == PLY_FACE && list &&
        (is(name, "vertex_indices") || is(name, "vertex_index"))) {
        return PLY_CORNERS;
    }
    return PLY_PASS_OVER;
}

static bool parse_property(io_builder* b, io_text* text, ply_header* header) {
    if (header->element_count == 0) {
        return io_fail_in(b->error, b->name,
                          "line %zu of the header has a property before any element", text->line);
    }
    ply_element* element = &header->elements[header->element_count - 1];
    ply_property* properties = grown(header->properties, header->property_count,
                                     sizeof *properties);
    if (properties == NULL) {
        return io_fail_in(b->error, b->name, "its header does not fit in memory");
    }
    header->properties = properties;
    ply_property* property = &properties[header->property_count];
    *property = (ply_property){0};
    const io_text before = *text;
    if (is(next_word(text), "list")) {
        if (!parse_type(b, text, &property->count_type)) {
            return false;
        }
    } else {
        *text = before;
    }
    if (!parse_type(b, text, &property->type)) {
        return false;
    }
    property->use = use_of(element, next_word(text), property->count_type != PLY_TYPE_NONE);
    ++element->property_count;
    ++header->property_count;
    return true;
}

// checks that an element has each property it needs exactly once
static bool check_uses(io_builder* b, const ply_header* header, const ply_element* element) {
    size_t seen[PLY_CORNERS + 1] = {0};
    for (size_t i = 0; i < element->property_count; ++i) {
        ++seen[header->properties[element->first_property + i].use];
    }
    if (element->kind == PLY_VERTEX && (seen[PLY_X] != 1 || seen[PLY_Y] != 1 || seen[PLY_Z] != 1)) {
        return io_fail_in(b->error, b->name,
                          "the vertices need each of the properties x, y and z once");
    }
    if (element->kind == PLY_FACE && element->count != 0 && seen[PLY_CORNERS] != 1) {
        return io_fail_in(b->error, b->name,
                          "the faces need one list called vertex_indices or vertex_index");
    }
    return true;
}

static bool check_header(io_builder* b, const ply_header* header) {
    bool has[PLY_FACE + 1] = {false};
    bool strips = false;
    if (header->encoding == PLY_ENCODING_NONE) {
        return io_fail_in(b->error, b->name, "the header has no line that starts with 'format'");
    }
    for (size_t i = 0; i < header->element_count; ++i) {
        const ply_element* element = &header->elements[i];
        has[element->kind] = true;
        strips = strips || strcmp(element->name, "tristrips") == 0;
        if (!check_uses(b, header, element)) {
            return false;
        }
    }
    if (!has[PLY_VERTEX]) {
        return io_fail_in(b->error, b->name, "the header has no element called vertex");
    }
    if (strips && !has[PLY_FACE]) {
        return io_fail_in(b->error, b->name,
                          "triangle strips cannot be read; save it with plain faces");
    }
    return true;
}

// parses one line; sets `done` at the last one
static bool parse_line(io_builder* b, io_text* text, ply_header* header, bool* done) {
    const word w = next_word(text);
    *done = is(w, "end_header");
    if (*done || w.length == 0 || is(w, "comment") || is(w, "obj_info")) {
        return true;
    }
    return is(w, "format")     ? parse_format(b, text, header)
           : is(w, "element")  ? parse_element(b, text, header)
           : is(w, "property") ? parse_property(b, text, header)
                               : fail_word(b, text, w, "element, property or end_header");
}

bool ply_header_parse(io_builder* b, const char* bytes, size_t size, ply_header* header) {
    *header = (ply_header){0};
    // the first line decides how lines end, because binary data may hold any byte
    const bool marked = size >= 4 && memcmp(bytes, "ply", 3) == 0;
    const char* first_end = memchr(bytes, '\n', size < 64 ? size : 64);
    io_text text = {bytes, bytes + size, 1, first_end != NULL ? '\n' : '\r'};
    if (!marked) {
        return io_fail_in(b->error, b->name,
                          "this is not a PLY file: it does not start with 'ply'");
    }
    for (bool done = false; !done;) {
        io_next_line(&text);
        if (text.at == text.end) {
            return io_fail_in(b->error, b->name,
                              "the file ends within its header (line %zu); is it cut off?",
                              text.line);
        }
        if (!parse_line(b, &text, header, &done)) {
            return false;
        }
    }
    io_next_line(&text);
    header->body = text;
    return check_header(b, header);
}

void ply_header_free(ply_header* header) {
    free(header->elements);
    free(header->properties);
    *header = (ply_header){0};
}
