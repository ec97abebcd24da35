// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads PLY, as text and binary in both byte orders. Elements other than vertices and faces, and
// properties other than positions and corners, are skipped without reading their values.
#include "io/ply.h"

#include <math.h>

typedef struct reader {
    io_builder* b;
    const ply_header* header;
    const ply_element* element;
    uint64_t row;
    io_text text;  // binary data uses `at` and `end` only
} reader;

static size_t bytes_left(const reader* r) {
    return (size_t)(r->text.end - r->text.at);
}

static size_t line_of(const reader* r) {
    return r->header->encoding == PLY_TEXT ? r->text.line : 0;
}

static bool fail_short(const reader* r) {
    return io_fail_in(r->b->error, r->b->name,
                      "the file ends within %s %llu of %llu; is it cut off?", r->element->name,
                      (unsigned long long)r->row, (unsigned long long)r->element->count);
}

// moves to the next word of a text; line ends count as blanks
static bool at_next_word(reader* r) {
    for (;;) {
        io_skip_blanks(&r->text);
        if (r->text.at == r->text.end) {
            return false;
        }
        if (!io_at_line_end(&r->text)) {
            return true;
        }
        io_next_line(&r->text);
    }
}

static double value_of(const unsigned char* p, ply_type type, bool big) {
    uint64_t bits = 0;
    const size_t size = ply_type_size(type);
    for (size_t i = 0; i < size; ++i) {
        bits |= (uint64_t)p[big ? size - 1 - i : i] << (8 * i);
    }
    const uint32_t bits32 = (uint32_t)bits;
    float f = 0;
    double d = 0;
    switch (type) {
        case PLY_INT8: return (int8_t)bits;
        case PLY_INT16: return (int16_t)bits;
        case PLY_INT32: return (int32_t)bits;
        case PLY_FLOAT32: memcpy(&f, &bits32, sizeof f); return f;
        case PLY_FLOAT64: memcpy(&d, &bits, sizeof d); return d;
        default: return (double)bits;
    }
}

// every type of the format fits a double exactly
static bool read_value(reader* r, ply_type type, double* value) {
    if (r->header->encoding == PLY_TEXT) {
        at_next_word(r);
        return io_expect_double(r->b, &r->text, value, r->element->name, (size_t)r->row);
    }
    const size_t size = ply_type_size(type);
    if (bytes_left(r) < size) {
        return fail_short(r);
    }
    *value = value_of((const unsigned char*)r->text.at, type,
                      r->header->encoding == PLY_BIG_ENDIAN);
    r->text.at += size;
    return true;
}

static bool skip_values(reader* r, ply_type type, uint64_t count) {
    if (r->header->encoding != PLY_TEXT) {
        if (count > bytes_left(r) / ply_type_size(type)) {
            return fail_short(r);
        }
        r->text.at += count * ply_type_size(type);
        return true;
    }
    for (uint64_t i = 0; i < count; ++i) {
        if (!at_next_word(r)) {
            return fail_short(r);
        }
        while (!io_at_separator(&r->text)) {
            ++r->text.at;
        }
    }
    return true;
}

static bool read_list_length(reader* r, const ply_property* property, uint64_t* length) {
    double value = 0;
    if (!read_value(r, property->count_type, &value)) {
        return false;
    }
    if (!(value >= 0 && value <= UINT32_MAX && value == floor(value))) {
        return io_fail_in(r->b->error, r->b->name,
                          "%s %llu has a list of length %g, which is not a valid length",
                          r->element->name, (unsigned long long)r->row, value);
    }
    *length = (uint64_t)value;
    return true;
}

static bool read_corners(reader* r, const ply_property* property) {
    uint64_t length = 0;
    if (!read_list_length(r, property, &length)) {
        return false;
    }
    io_begin_face(r->b);
    for (uint64_t i = 0; i < length; ++i) {
        double value = 0;
        if (!read_value(r, property->type, &value)) {
            return false;
        }
        if (!(value >= 0 && value <= UINT32_MAX && value == floor(value))) {
            return io_fail_in(r->b->error, r->b->name,
                              "face %llu uses vertex %g, which is not a vertex number",
                              (unsigned long long)r->row, value);
        }
        if (!io_add_corner(r->b, (uint64_t)value, line_of(r))) {
            return false;
        }
    }
    return io_end_face(r->b, line_of(r));
}

static bool read_property(reader* r, const ply_property* property, double position[3]) {
    if (property->use == PLY_CORNERS) {
        return read_corners(r, property);
    }
    if (property->use != PLY_PASS_OVER) {
        return read_value(r, property->type, &position[property->use - PLY_X]);
    }
    uint64_t length = 1;
    if (property->count_type != PLY_TYPE_NONE && !read_list_length(r, property, &length)) {
        return false;
    }
    return skip_values(r, property->type, length);
}

static bool read_row(reader* r) {
    const ply_property* properties = r->header->properties + r->element->first_property;
    double position[3] = {0, 0, 0};
    for (size_t i = 0; i < r->element->property_count; ++i) {
        if (!read_property(r, &properties[i], position)) {
            return false;
        }
    }
    return r->element->kind != PLY_VERTEX || io_add_vertex(r->b, position, line_of(r));
}

// the fewest bytes of a row of this element
static size_t least_row(const ply_header* header, const ply_element* element) {
    const bool text = header->encoding == PLY_TEXT;
    size_t bytes = 0;
    for (size_t i = 0; i < element->property_count; ++i) {
        const ply_property* p = &header->properties[element->first_property + i];
        const bool list = p->count_type != PLY_TYPE_NONE;
        const size_t corners = p->use == PLY_CORNERS ? 3 : 0;
        bytes += text ? 2 * (1 + corners)  // a digit and a blank
                      : ply_type_size(list ? p->count_type : p->type) +
                            corners * ply_type_size(p->type);
    }
    return bytes;
}

// checks, before memory is allocated, that all rows of the header fit into the file
static bool check_promises(io_builder* b, const ply_header* header) {
    size_t left = (size_t)(header->body.end - header->body.at);
    left += header->encoding == PLY_TEXT;  // the last line may lack its line end
    for (size_t i = 0; i < header->element_count; ++i) {
        const ply_element* element = &header->elements[i];
        const size_t least = least_row(header, element);
        if (least != 0 && element->count > left / least) {
            return io_fail_in(b->error, b->name,
                              "the file promises %llu rows of '%s' of at least %zu bytes, but %zu "
                              "bytes are left for them; is it cut off?",
                              (unsigned long long)element->count, element->name, least, left);
        }
        left -= least == 0 ? 0 : least * (size_t)element->count;
    }
    return true;
}

static bool read_element(reader* r) {
    const uint64_t count = r->element->count;
    if (r->element->property_count == 0) {
        return true;  // its rows are empty
    }
    if ((r->element->kind == PLY_VERTEX && !io_reserve_vertices(r->b, (size_t)count)) ||
        (r->element->kind == PLY_FACE && !io_reserve_triangles(r->b, (size_t)count))) {
        return false;
    }
    for (r->row = 0; r->row < count; ++r->row) {
        if (!read_row(r)) {
            return false;
        }
    }
    return true;
}

// numbers left over in a text mean that rows were longer than the header says
static bool check_nothing_left(reader* r) {
    char excerpt[IO_EXCERPT_SIZE];
    if (r->header->encoding != PLY_TEXT || !at_next_word(r)) {
        return true;
    }
    return io_fail_in(r->b->error, r->b->name,
                      "line %zu has '%s', more than the header promises; do its properties match "
                      "the rows?",
                      r->text.line, io_excerpt(r->text.at, r->text.end, excerpt));
}

static bool read_body(io_builder* b, const ply_header* header) {
    reader r = {.b = b, .header = header, .text = header->body};
    if ((header->encoding == PLY_TEXT && !io_expect_text(b, &r.text)) ||
        !check_promises(b, header)) {
        return false;
    }
    for (size_t i = 0; i < header->element_count; ++i) {
        r.element = &header->elements[i];
        if (!read_element(&r)) {
            return false;
        }
    }
    return check_nothing_left(&r);
}

bool io_parse_ply(io_builder* b, const char* bytes, size_t size) {
    ply_header header;
    const bool done = ply_header_parse(b, bytes, size, &header) && read_body(b, &header);
    ply_header_free(&header);
    return done;
}
