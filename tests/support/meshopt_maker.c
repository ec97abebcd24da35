// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Compressed streams for tests: see meshopt_maker.h. Written from the text of the extensions, and
// apart from the decoder.
#include "support/meshopt_maker.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 22 };

static made_stream begin(unsigned char first) {
    made_stream s = {malloc(ROOM), 1};
    if (s.bytes == NULL) {
        abort();
    }
    s.bytes[0] = first;
    return s;
}

static void put(made_stream* s, unsigned value) {
    if (s->size == ROOM) {
        abort();
    }
    s->bytes[s->size++] = (unsigned char)value;
}

// ---- attributes

static unsigned zigzag(unsigned v, unsigned bits) {
    const unsigned mask = (1U << bits) - 1;
    return ((v >> (bits - 1) & 1) != 0 ? ~(v << 1) : v << 1) & mask;
}

// what is stored for the four bytes of a channel, by its mode
static uint32_t channel_delta(const unsigned char* now, const unsigned char* before,
                              unsigned char mode) {
    uint32_t a = 0;
    uint32_t b = 0;
    for (int k = 3; k >= 0; --k) {
        a = a << 8 | now[k];
        b = b << 8 | before[k];
    }
    if ((mode & 15) == 2) {
        const unsigned r = mode >> 4;
        const uint32_t v = a ^ b;
        return v << r | v >> ((32 - r) & 31);
    }
    uint32_t delta = 0;
    const unsigned bits = mode == 0 ? 8 : 16;
    for (unsigned at = 0; at < 32; at += bits) {
        delta |= zigzag(((a >> at) - (b >> at)) & ((1U << bits) - 1), bits) << at;
    }
    return delta;
}

static bool all_zero(const unsigned char* bytes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

static void put_group(made_stream* s, const unsigned char deltas[16], unsigned bits) {
    if (bits == 8) {
        for (int i = 0; i < 16; ++i) {
            put(s, deltas[i]);
        }
    }
    if (bits == 0 || bits == 8) {
        return;
    }
    const unsigned sentinel = (1U << bits) - 1;
    for (unsigned first = 0; first < 16; first += 8 / bits) {
        unsigned byte = 0;
        for (unsigned k = 0; k < 8 / bits; ++k) {
            const unsigned code = deltas[first + k] < sentinel ? deltas[first + k] : sentinel;
            byte |= code << (bits == 1 ? k : 8 - bits - bits * k);
        }
        put(s, byte);
    }
    for (int i = 0; i < 16; ++i) {
        if (deltas[i] >= sentinel) {
            put(s, deltas[i]);
        }
    }
}

// deltas of one byte position, with headers of groups
static void put_groups(made_stream* s, test_random* random, const unsigned char* deltas,
                       size_t groups, const unsigned lengths[4]) {
    unsigned picks[16] = {0};
    for (size_t g = 0; g < groups; ++g) {
        do {
            picks[g] = random_below(random, 4);
        } while (lengths[picks[g]] == 0 && !all_zero(deltas + 16 * g, 16));
    }
    for (size_t g = 0; g < groups; g += 4) {
        put(s, picks[g] | picks[g + 1] << 2 | picks[g + 2] << 4 | picks[g + 3] << 6);
    }
    for (size_t g = 0; g < groups; ++g) {
        put_group(s, deltas + 16 * g, lengths[picks[g]]);
    }
}

typedef struct block {
    unsigned char deltas[256][256];  // per byte position
    size_t count;
    size_t stride;
} block;

static void put_block(made_stream* s, test_random* random, int version, const block* b) {
    static const unsigned lengths[3][4] = {{0, 1, 2, 4}, {1, 2, 4, 8}, {0, 2, 4, 8}};
    unsigned controls[256] = {0};
    const size_t groups = (b->count + 15) / 16;
    for (size_t k = 0; k < b->stride && version == 1; ++k) {
        do {
            controls[k] = random_below(random, 4);
        } while (controls[k] == 2 && !all_zero(b->deltas[k], b->count));
    }
    for (size_t k = 0; k < b->stride && version == 1; k += 4) {
        put(s, controls[k] | controls[k + 1] << 2 | controls[k + 2] << 4 | controls[k + 3] << 6);
    }
    for (size_t k = 0; k < b->stride; ++k) {
        if (version == 1 && controls[k] == 3) {
            for (size_t i = 0; i < b->count; ++i) {
                put(s, b->deltas[k][i]);
            }
        } else if (version == 0 || controls[k] < 2) {
            put_groups(s, random, b->deltas[k], groups, lengths[version == 0 ? 2 : controls[k]]);
        }
    }
}

made_stream make_attributes(test_random* random, int version, const unsigned char* data,
                            size_t count, size_t stride) {
    static block b;
    unsigned char modes[64] = {0};
    unsigned char base[256];
    made_stream s = begin((unsigned char)(0xa0 + version));
    const size_t fit = 8192 / stride & ~(size_t)15;
    const size_t most = fit < 256 ? fit : 256;
    for (size_t c = 0; c < stride / 4 && version == 1; ++c) {
        modes[c] = (unsigned char)random_below(random, 3);
        modes[c] |= (unsigned char)(modes[c] == 2 ? random_below(random, 16) << 4 : 0);
    }
    for (size_t k = 0; k < stride; ++k) {
        base[k] = (unsigned char)random_below(random, 256);
    }
    const unsigned char* before = base;
    for (size_t first = 0; first < count; first += most) {
        b.stride = stride;
        b.count = count - first < most ? count - first : most;
        memset(b.deltas, 0, sizeof b.deltas);
        for (size_t i = 0; i < b.count; ++i) {
            const unsigned char* now = data + (first + i) * stride;
            for (size_t k = 0; k < stride; ++k) {
                b.deltas[k][i] = (unsigned char)(channel_delta(now + k / 4 * 4, before + k / 4 * 4,
                                                               modes[k / 4]) >>
                                                 8 * (k % 4));
            }
            before = now;
        }
        put_block(&s, random, version, &b);
    }
    const size_t tail = stride + (version == 1 ? stride / 4 : 0);
    for (size_t i = tail; i < (version == 1 ? 24 : 32); ++i) {
        put(&s, 0);
    }
    for (size_t k = 0; k < stride; ++k) {
        put(&s, base[k]);
    }
    for (size_t c = 0; c < stride / 4 && version == 1; ++c) {
        put(&s, modes[c]);
    }
    return s;
}

// ---- indices

static void put_number(made_stream* s, uint32_t v) {
    for (; v > 127; v >>= 7) {
        put(s, 128 | (v & 127));
    }
    put(s, v);
}

static uint32_t zigzag_delta(uint32_t now, uint32_t before) {
    const uint32_t delta = now - before;
    return (delta >> 31) != 0 ? ~(delta << 1) : delta << 1;
}

made_stream make_indices(test_random* random, const uint32_t* indices, size_t count) {
    uint32_t last[2] = {0, 0};
    made_stream s = begin(0xd1);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t base = random_below(random, 2);
        put_number(&s, zigzag_delta(indices[i], last[base]) << 1 | base);
        last[base] = indices[i];
    }
    for (int i = 0; i < 4; ++i) {
        put(&s, 0);
    }
    return s;
}

// ---- triangles: all edges and vertices that were ever pushed, in order

enum { MOST_PUSHES = 1 << 16 };

typedef struct history {
    uint32_t edges[MOST_PUSHES][2];
    uint32_t vertices[MOST_PUSHES];
    size_t edge_count;
    size_t vertex_count;
    uint32_t next;
    uint32_t last;
} history;

static void push_edge(history* h, uint32_t a, uint32_t b) {
    if (h->edge_count == MOST_PUSHES) {
        abort();
    }
    h->edges[h->edge_count][0] = a;
    h->edges[h->edge_count++][1] = b;
}

static void push_vertex(history* h, uint32_t v) {
    if (h->vertex_count == MOST_PUSHES) {
        abort();
    }
    h->vertices[h->vertex_count++] = v;
}

// stores an index that is drawn, as a difference
static uint32_t put_free_index(made_stream* data, test_random* random, history* h) {
    const uint32_t index = random_below(random, 70000);
    put_number(data, zigzag_delta(index, h->last));
    h->last = index;
    return index;
}

static unsigned draw_edge_code(test_random* random, history* h, made_stream* data, uint32_t t[3]) {
    const size_t edges = h->edge_count < 15 ? h->edge_count : 15;
    const unsigned back = random_below(random, (uint32_t)edges);
    unsigned how = random_below(random, 16);
    if (how > 0 && how < 0xd && how >= h->vertex_count) {
        how = 0;
    }
    memcpy(t, h->edges[h->edge_count - 1 - back], 2 * sizeof *t);
    t[2] = how == 0     ? h->next++
           : how < 0xd  ? h->vertices[h->vertex_count - 1 - how]
           : how == 0xd ? --h->last
           : how == 0xe ? ++h->last
                        : put_free_index(data, random, h);
    push_edge(h, t[2], t[1]);
    push_edge(h, t[0], t[2]);
    if (how == 0 || how >= 0xd) {
        push_vertex(h, t[2]);
    }
    return back << 4 | how;
}

static unsigned draw_way(test_random* random, const history* h, unsigned most) {
    const unsigned way = random_below(random, most + 1);
    return way > 0 && way < 0xf && way > h->vertex_count ? 0 : way;
}

static uint32_t free_corner(test_random* random, history* h, made_stream* data, unsigned way) {
    return way == 0    ? h->next++
           : way < 0xf ? h->vertices[h->vertex_count - way]
                       : put_free_index(data, random, h);
}

static unsigned draw_free_code(test_random* random, history* h, made_stream* data,
                               const unsigned char table[16], uint32_t t[3]) {
    unsigned code = random_below(random, 16);
    unsigned ways = code < 0xe ? table[code] : 0;
    if (code < 0xe && ((ways >> 4) > h->vertex_count || (ways & 15) > h->vertex_count)) {
        code = 0xe;
    }
    if (code >= 0xe) {
        ways = draw_way(random, h, 15) << 4 | draw_way(random, h, 15);
        put(data, ways);
        h->next = ways == 0 ? 0 : h->next;
    }
    t[0] = code < 0xf ? h->next++ : put_free_index(data, random, h);
    t[1] = free_corner(random, h, data, ways >> 4);
    t[2] = free_corner(random, h, data, ways & 15);
    push_edge(h, t[1], t[0]);
    push_edge(h, t[2], t[1]);
    push_edge(h, t[0], t[2]);
    push_vertex(h, t[0]);
    for (unsigned k = 1; k < 3; ++k) {
        const unsigned way = k == 1 ? ways >> 4 : ways & 15;
        if (way == 0 || way == 0xf) {
            push_vertex(h, t[k]);
        }
    }
    return 0xf0 | code;
}

made_stream make_triangles(test_random* random, size_t triangles, uint32_t* corners) {
    static history h;
    unsigned char table[16] = {0};
    made_stream s = begin(0xe1);
    made_stream data = begin(0);
    h.edge_count = h.vertex_count = 0;
    h.next = h.last = 0;
    for (int i = 1; i < 14; ++i) {
        table[i] = (unsigned char)(random_below(random, 15) << 4 | random_below(random, 15));
    }
    for (size_t i = 0; i < triangles; ++i) {
        const bool free_one = h.edge_count == 0 || random_below(random, 3) == 0;
        put(&s, free_one ? draw_free_code(random, &h, &data, table, corners + 3 * i)
                         : draw_edge_code(random, &h, &data, corners + 3 * i));
    }
    for (size_t i = 1; i < data.size; ++i) {
        put(&s, data.bytes[i]);
    }
    for (int i = 0; i < 16; ++i) {
        put(&s, table[i]);
    }
    free(data.bytes);
    return s;
}
