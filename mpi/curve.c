// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The Hilbert curve and its regions: see curve.h.
//
// Based on: Skilling, "Programming the Hilbert Curve", 2004.
#include "mpi/curve.h"

uint32_t abut__cell_of(const abut__regions* regions, int k, double x) {
    const double cells = (double)(1u << ABUT__CURVE_BITS);
    const double at = (x - regions->lo[regions->axis[k]]) * regions->scale[regions->axis[k]];
    // the order also takes care of infinite and undefined numbers
    return at >= cells - 1 ? (1u << ABUT__CURVE_BITS) - 1 : at > 0 ? (uint32_t)at : 0;
}

// Turns coordinates into the transposed index of the curve.
static void to_transposed(int axes, uint32_t x[3]) {
    for (uint32_t q = 1u << (ABUT__CURVE_BITS - 1); q > 1; q >>= 1) {
        const uint32_t below = q - 1;
        for (int i = 0; i < axes; ++i) {
            if ((x[i] & q) != 0) {
                x[0] ^= below;
            } else {
                const uint32_t t = (x[0] ^ x[i]) & below;
                x[0] ^= t;
                x[i] ^= t;
            }
        }
    }
    for (int i = 1; i < axes; ++i) {
        x[i] ^= x[i - 1];
    }
    uint32_t t = 0;
    for (uint32_t q = 1u << (ABUT__CURVE_BITS - 1); q > 1; q >>= 1) {
        if ((x[axes - 1] & q) != 0) {
            t ^= q - 1;
        }
    }
    for (int i = 0; i < axes; ++i) {
        x[i] ^= t;
    }
}

uint64_t abut__curve_code(int axes, const uint32_t cell[3]) {
    uint32_t x[3] = {cell[0], cell[1], axes > 2 ? cell[2] : 0};
    to_transposed(axes, x);
    uint64_t code = 0;
    for (int bit = ABUT__CURVE_BITS - 1; bit >= 0; --bit) {
        for (int i = 0; i < axes; ++i) {
            code = code << 1 | (x[i] >> bit & 1);
        }
    }
    return code;
}

int abut__region_of(const abut__regions* regions, uint64_t code) {
    size_t lo = 0;
    size_t hi = regions->starts.count;
    while (lo < hi) {
        const size_t middle = (lo + hi) / 2;
        if (regions->starts.data[middle] <= code) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return (int)lo;
}

int abut__regions_meeting(const abut__regions* regions, const float a[6], const float b[6]) {
    uint32_t cell[3] = {0, 0, 0};
    for (int k = 0; k < regions->axes; ++k) {
        const int d = regions->axis[k];
        cell[k] = abut__cell_of(regions, k, (double)(a[d] > b[d] ? a[d] : b[d]));
    }
    return abut__region_of(regions, abut__curve_code(regions->axes, cell));
}

// A search for the regions of a box.
typedef struct search {
    const abut_allocator* memory;
    const abut__regions* regions;
    uint32_t lo[3];
    uint32_t hi[3];
    uint32_t* seen;
    uint32_t mark;
    abut__ids* found;
} search;

static bool add_region(search* s, int rank) {
    if (s->seen[rank] == s->mark) {
        return true;
    }
    s->seen[rank] = s->mark;
    uint32_t* place = abut__append(s->memory, s->found, 1);
    if (place != NULL) {
        *place = (uint32_t)rank;
    }
    return place != NULL;
}

// Looks at a cube of 2^level cells a side, whose cells follow each other on the curve: it is opened while
// it reaches the box and belongs to several regions.
static bool look(search* s, const uint32_t cell[3], int level) {
    const int axes = s->regions->axes;
    const uint32_t side = (1u << level) - 1;
    for (int k = 0; k < axes; ++k) {
        if (cell[k] > s->hi[k] || cell[k] + side < s->lo[k]) {
            return true;
        }
    }
    const uint64_t cells = ((uint64_t)1 << (axes * level)) - 1;
    const uint64_t first = abut__curve_code(axes, cell) & ~cells;
    const int from = abut__region_of(s->regions, first);
    if (level == 0 || from == abut__region_of(s->regions, first + cells)) {
        return add_region(s, from);
    }
    bool room = true;
    for (uint32_t child = 0; child < 1u << axes && room; ++child) {
        uint32_t corner[3] = {0, 0, 0};
        for (int k = 0; k < axes; ++k) {
            corner[k] = cell[k] | (child >> k & 1) << (level - 1);
        }
        room = look(s, corner, level - 1);
    }
    return room;
}

// `seen` is written through the search, which the linter does not see.
bool abut__regions_reached(const abut_allocator* memory, const abut__regions* regions,
                           const float box[6],
                           uint32_t* seen,  // NOLINT(readability-non-const-parameter)
                           uint32_t mark, abut__ids* found) {
    search s = {.memory = memory, .regions = regions, .seen = seen, .mark = mark, .found = found};
    for (int k = 0; k < regions->axes; ++k) {
        s.lo[k] = abut__cell_of(regions, k, (double)box[regions->axis[k]]);
        s.hi[k] = abut__cell_of(regions, k, (double)box[3 + regions->axis[k]]);
    }
    // most boxes are within one region: then both ends of the cells that hold them are
    return look(&s, (const uint32_t[3]){0, 0, 0}, ABUT__CURVE_BITS);
}
