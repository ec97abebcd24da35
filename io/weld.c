// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds vertices at equal positions by a hash table: see weld.h.
#include "io/weld.h"

#include <stdlib.h>
#include <time.h>

// Spreads all bits, so that the positions of a grid do not collide. The seed is one that the writer
// of a file cannot know, so that no file makes all positions collide.
static uint64_t hash(uint64_t seed, const double position[3]) {
    uint64_t sum = seed;
    for (int k = 0; k < 3; ++k) {
        const double value = position[k] + 0.0;  // -0 becomes 0
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        sum = (sum ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 32;
    }
    return sum * UINT64_C(0xd6e8feb86659fd93);
}

static bool is_at(const io_builder* b, uint32_t vertex, const double position[3]) {
    const double* known = b->mesh.positions + 3 * (size_t)vertex;
    return known[0] == position[0] && known[1] == position[1] && known[2] == position[2];
}

// where the position is in the table, or an empty place for it
static size_t find(const io_weld* weld, const io_builder* b, const double position[3]) {
    const size_t mask = weld->size - 1;
    for (size_t at = (size_t)(hash(weld->seed, position) >> 20) & mask;; at = (at + 1) & mask) {
        const uint32_t found = weld->table[at];
        if (found == 0 || is_at(b, found - 1, position)) {
            return at;
        }
    }
}

static bool grow(io_weld* weld, io_builder* b) {
    const size_t size = weld->size == 0 ? 1024 : 2 * weld->size;
    uint32_t* table = calloc(size, sizeof *table);
    if (table == NULL) {
        return io_fail_in(b->error, b->name, "it does not fit in memory (%zu vertices)",
                          b->mesh.vertex_count);
    }
    free(weld->table);
    const uint64_t seed = (uint64_t)(uintptr_t)table ^ ((uint64_t)time(NULL) << 32) ^
                          (uint64_t)clock();
    *weld = (io_weld){table, size, seed};
    for (size_t v = 0; v < b->mesh.vertex_count; ++v) {
        table[find(weld, b, b->mesh.positions + 3 * v)] = (uint32_t)v + 1;
    }
    return true;
}

bool io_weld_vertex(io_weld* weld, io_builder* b, const double position[3], size_t line,
                    uint32_t* vertex) {
    if (2 * (b->mesh.vertex_count + 1) > weld->size && !grow(weld, b)) {
        return false;
    }
    const size_t at = find(weld, b, position);
    if (weld->table[at] == 0) {
        if (!io_add_vertex(b, position, line)) {
            return false;
        }
        weld->table[at] = (uint32_t)b->mesh.vertex_count;
    }
    *vertex = weld->table[at] - 1;
    return true;
}

void io_weld_free(io_weld* weld) {
    free(weld->table);
    *weld = (io_weld){0};
}
