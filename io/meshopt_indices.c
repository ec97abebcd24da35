// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Indices of compressed buffer views, of triangles and others: see meshopt.h. A triangle is one
// byte, which names an edge or vertices that were used shortly before, and more bytes where that is
// not enough.
#include "io/meshopt.h"

#include <stdint.h>

enum { TRIANGLES = 0xe1, INDICES = 0xd1, TABLE = 16, PADDING = 4, FIFO = 16 };

static const char* const ends_early = "ends early";
static const char* const has_more = "has bytes that nothing uses";

typedef struct reader {
    const unsigned char* at;
    const unsigned char* end;
} reader;

static bool read_byte(reader* r, uint32_t* out) {
    if (r->at == r->end) {
        return false;
    }
    *out = *r->at++;
    return true;
}

// 7 bits a byte, the lowest first; the highest bit says that more follow
static bool read_number(reader* r, uint32_t* out) {
    uint32_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        uint32_t byte = 0;
        if (!read_byte(r, &byte)) {
            return false;
        }
        value |= (byte & 127) << shift;
        if (byte < 128) {
            *out = value;
            return true;
        }
    }
    return false;
}

static uint32_t unzigzag(uint32_t v) {
    return v >> 1 ^ (0 - (v & 1));
}

static void put(unsigned char* out, size_t stride, uint32_t index) {
    for (size_t k = 0; k < stride; ++k) {
        out[k] = (unsigned char)(index >> 8 * k);
    }
}

// ---- triangles

typedef struct decoder {
    reader data;
    const unsigned char* table;
    uint32_t next;  // the vertex that was not used so far
    uint32_t last;  // the last index that was stored as a difference
    // what was used last; entry i is the i-th before `edges` and `vertices`, the numbers of pushes
    uint32_t edge_fifo[FIFO][2];
    uint32_t vertex_fifo[FIFO];
    size_t edges;
    size_t vertices;
} decoder;

static void push_edge(decoder* d, uint32_t a, uint32_t b) {
    uint32_t* entry = d->edge_fifo[d->edges++ % FIFO];
    entry[0] = a;
    entry[1] = b;
}

static void push_vertex(decoder* d, uint32_t v) {
    d->vertex_fifo[d->vertices++ % FIFO] = v;
}

static bool recent_vertex(const decoder* d, size_t back, uint32_t* out) {
    if (back >= d->vertices) {
        return false;
    }
    *out = d->vertex_fifo[(d->vertices - 1 - back) % FIFO];
    return true;
}

static bool read_index(decoder* d, uint32_t* out) {
    uint32_t code = 0;
    if (!read_number(&d->data, &code)) {
        return false;
    }
    d->last += unzigzag(code);
    *out = d->last;
    return true;
}

// a triangle at a recent edge; `how` says which vertex is the third
static bool at_edge(decoder* d, unsigned back, unsigned how, uint32_t t[3]) {
    if (back >= d->edges) {
        return false;
    }
    const uint32_t* edge = d->edge_fifo[(d->edges - 1 - back) % FIFO];
    t[0] = edge[0];
    t[1] = edge[1];
    if (how == 0) {
        t[2] = d->next++;
    } else if (how < 0xd) {
        if (!recent_vertex(d, how, &t[2])) {
            return false;
        }
    } else if (how < 0xf) {
        t[2] = d->last += how == 0xd ? UINT32_MAX : 1;
    } else if (!read_index(d, &t[2])) {
        return false;
    }
    push_edge(d, t[2], t[1]);
    push_edge(d, t[0], t[2]);
    if (how == 0 || how >= 0xd) {
        push_vertex(d, t[2]);
    }
    return true;
}

// the second or third vertex of a free triangle: a new one, a recent one, or one that is stored
static bool free_vertex(decoder* d, unsigned how, uint32_t* out) {
    if (how == 0) {
        *out = d->next++;
        return true;
    }
    return how < 0xf ? recent_vertex(d, how - 1, out) : read_index(d, out);
}

// a triangle that shares no recent edge
static bool free_triangle(decoder* d, unsigned code, uint32_t t[3]) {
    uint32_t how = code < 0xe ? d->table[code] : 0;
    if (code >= 0xe && !read_byte(&d->data, &how)) {
        return false;
    }
    if (code >= 0xe && how == 0) {
        d->next = 0;
    }
    if (code < 0xf) {
        t[0] = d->next++;
    } else if (!read_index(d, &t[0])) {
        return false;
    }
    const unsigned second = how >> 4;
    const unsigned third = how & 15;
    if (!free_vertex(d, second, &t[1]) || !free_vertex(d, third, &t[2])) {
        return false;
    }
    push_edge(d, t[1], t[0]);
    push_edge(d, t[2], t[1]);
    push_edge(d, t[0], t[2]);
    push_vertex(d, t[0]);
    if (second == 0 || second == 0xf) {
        push_vertex(d, t[1]);
    }
    if (third == 0 || third == 0xf) {
        push_vertex(d, t[2]);
    }
    return true;
}

static bool good_table(const unsigned char table[TABLE]) {
    for (unsigned i = 0; i < TABLE; ++i) {
        if (table[i] >> 4 == 0xf || (table[i] & 0xf) == 0xf) {
            return false;
        }
    }
    return table[TABLE - 2] == 0 && table[TABLE - 1] == 0;
}

const char* meshopt_triangles(const meshopt_stream* s, unsigned char* out) {
    const size_t triangles = s->count / 3;
    if (s->size == 0 || s->bytes[0] != TRIANGLES) {
        return "is of an unknown version (it does not begin with 0xe1)";
    }
    if (s->size - 1 < TABLE || s->size - 1 - TABLE < triangles) {
        return "is cut off";
    }
    const unsigned char* codes = s->bytes + 1;
    decoder d = {.data = {codes + triangles, s->bytes + s->size - TABLE}};
    d.table = d.data.end;
    if (!good_table(d.table)) {
        return "has a damaged table";
    }
    for (size_t i = 0; i < triangles; ++i) {
        uint32_t t[3] = {0, 0, 0};
        const unsigned high = codes[i] >> 4;
        const unsigned low = codes[i] & 15U;
        if (!(high < 0xf ? at_edge(&d, high, low, t) : free_triangle(&d, low, t))) {
            return "ends early, or names an edge or a vertex before there is one";
        }
        for (size_t k = 0; k < 3; ++k) {
            put(out + (3 * i + k) * s->stride, s->stride, t[k]);
        }
    }
    return d.data.at == d.data.end ? NULL : has_more;
}

// ---- other indices

const char* meshopt_indices(const meshopt_stream* s, unsigned char* out) {
    uint32_t last[2] = {0, 0};
    if (s->size == 0 || s->bytes[0] != INDICES) {
        return "is of an unknown version (it does not begin with 0xd1)";
    }
    if (s->size < 1 + PADDING) {
        return "is cut off";
    }
    reader r = {s->bytes + 1, s->bytes + s->size - PADDING};
    for (size_t i = 0; i < s->count; ++i) {
        uint32_t code = 0;
        if (!read_number(&r, &code)) {
            return ends_early;
        }
        uint32_t* base = &last[code & 1];
        *base += unzigzag(code >> 1);
        put(out + i * s->stride, s->stride, *base);
    }
    return r.at == r.end ? NULL : has_more;
}
