// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kernel of kinetic separation lists: which children of two nodes overlap, and until when that
// stays so. Compiled once per instruction set. What rounding may do is worked out in query/list.h.
//
// Most pairs of boxes stay as they are until the end of the window, which is seen without any division:
// a gap that is open now and at the end is open all the time, and if all are closed now and at the end,
// they stay closed. Times are worked out for the others only, one by one.
#include <math.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

#define EARLY 0x1p-21f  // that a time is taken before it comes
#define FLAT 0x1p-100f  // slopes below this may underflow: their times are not believed

uint64_t ABUT_KERNEL(list_pairs)(const abut__boxes8* const* a, const abut__boxes8* const* b,
                                 const abut__shift* shift, uint64_t valid, float part, float* due);

// boxes of a at both ends of the window, shifted
typedef struct shifted {
    float lo[2][3][ABUT__FAN];
    float hi[2][3][ABUT__FAN];
} shifted;

// ---- one pair of boxes

// Boxes overlap during an interval of time: it begins when the last of the gaps that close has closed,
// and ends when the first of those that open opens.
typedef struct interval {
    float begin;   // not after it
    float end;     // not after it
    float latest;  // end, not before it
} interval;

static inline void add_root(interval* overlap, float first, float last) {
    const float slope = last - first;
    const float root = first / -slope;
    if (slope <= -FLAT) {
        overlap->begin = root - EARLY > overlap->begin ? root - EARLY : overlap->begin;
    } else if (slope >= FLAT) {
        overlap->end = root - EARLY < overlap->end ? root - EARLY : overlap->end;
        overlap->latest = root + EARLY < overlap->latest ? root + EARLY : overlap->latest;
    } else if (slope > 0) {
        overlap->end = -INFINITY;
    }
}

// a time before which nothing changes
static inline float change_of(const shifted* a, uint32_t i, const abut__boxes8* const* b,
                              uint32_t j, bool apart) {
    interval overlap = {-INFINITY, INFINITY, INFINITY};
    for (int d = 0; d < 3; ++d) {
        add_root(&overlap, a->lo[0][d][i] - b[0]->hi[d][j], a->lo[1][d][i] - b[1]->hi[d][j]);
        add_root(&overlap, b[0]->lo[d][j] - a->hi[0][d][i], b[1]->lo[d][j] - a->hi[1][d][i]);
    }
    if (!apart) {
        return overlap.end;
    }
    return overlap.begin > overlap.latest ? INFINITY : overlap.begin;
}

// ---- many pairs

typedef struct boxes {
    wide lo[2][3];
    wide hi[2][3];
} boxes;

// what the widest of the gaps are: now, of those that stay open, and at any time from now on
typedef struct widest {
    wide now;
    wide lasting;
    wide ever;
} widest;

static inline void add_gap(widest* w, wide first, wide last, float part) {
    const wide slope = last - first;
    const wide now = first + slope * part;
    const wide end = first + slope;
    w->now = WIDE(max)(w->now, now);
    w->lasting = WIDE(max)(w->lasting, WIDE(min)(now, end));
    w->ever = WIDE(max)(w->ever, end);
}

// lanes that overlap now, and lanes that stay so, or stay apart
static inline uint32_t compare(const boxes* a, const boxes* b, float part, uint32_t* steady) {
    const wide none = WIDE(splat)(-INFINITY);
    const wide zero = WIDE(splat)(0);
    widest w = {none, none, none};
    for (int d = 0; d < 3; ++d) {
        add_gap(&w, a->lo[0][d] - b->hi[0][d], a->lo[1][d] - b->hi[1][d], part);
        add_gap(&w, b->lo[0][d] - a->hi[0][d], b->lo[1][d] - a->hi[1][d], part);
    }
    const uint32_t overlap = WIDE(le)(w.now, zero);
    *steady = ~WIDE(le)(w.lasting, zero) | (overlap & WIDE(le)(w.ever, zero));
    return overlap;
}

// the bits of a column
static inline uint64_t column_bits(uint32_t rows, uint32_t column) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < ABUT__FAN; ++i) {
        bits |= (uint64_t)(rows >> i & 1) << (8 * i + column);
    }
    return bits;
}

// all children of a with one of b
static inline uint64_t compare_column(const shifted* a, const abut__boxes8* const* b,
                                      uint32_t column, float part, uint64_t* steady) {
    boxes x;
    boxes y;
    for (int e = 0; e < 2; ++e) {
        for (int d = 0; d < 3; ++d) {
            x.lo[e][d] = wide_repeat(a->lo[e][d]);
            x.hi[e][d] = wide_repeat(a->hi[e][d]);
            y.lo[e][d] = WIDE(splat)(b[e]->lo[d][column]);
            y.hi[e][d] = WIDE(splat)(b[e]->hi[d][column]);
        }
    }
    uint32_t rows;
    const uint32_t overlap = compare(&x, &y, part, &rows);
    *steady = column_bits(rows, column);
    return column_bits(overlap, column);
}

static inline uint64_t compare_rows(const shifted* a, const abut__boxes8* const* b, uint64_t valid,
                                    float part, uint64_t* steady) {
    boxes y;
    for (int e = 0; e < 2; ++e) {
        for (int d = 0; d < 3; ++d) {
            y.lo[e][d] = wide_repeat(b[e]->lo[d]);
            y.hi[e][d] = wide_repeat(b[e]->hi[d]);
        }
    }
    uint64_t overlap = 0;
    *steady = 0;
    for (uint32_t lane = 0; lane < 64; lane += WIDE_LANES) {
        const uint64_t lanes = (UINT64_C(1) << WIDE_LANES) - 1;
        if ((valid >> lane & lanes) == 0) {
            continue;
        }
        boxes x;
        for (int e = 0; e < 2; ++e) {
            for (int d = 0; d < 3; ++d) {
                x.lo[e][d] = wide_spread(&a->lo[e][d][lane / 8]);
                x.hi[e][d] = wide_spread(&a->hi[e][d][lane / 8]);
            }
        }
        uint32_t stays;
        overlap |= (uint64_t)compare(&x, &y, part, &stays) << lane;
        *steady |= (stays & lanes) << lane;
    }
    return overlap;
}

uint64_t ABUT_KERNEL(list_pairs)(const abut__boxes8* const* a, const abut__boxes8* const* b,
                                 const abut__shift* shift, uint64_t valid, float part, float* due) {
    shifted moved;
    for (int e = 0; e < 2; ++e) {
        for (int d = 0; d < 3; ++d) {
            f32x8_store(moved.lo[e][d], f32x8_load(a[e]->lo[d]) + shift->lo[d]);
            f32x8_store(moved.hi[e][d], f32x8_load(a[e]->hi[d]) + shift->hi[d]);
        }
    }
    const uint32_t column = (uint32_t)__builtin_ctzll(valid | UINT64_C(1) << 63) % 8;
    const bool one_column = (valid & ~(UINT64_C(0x0101010101010101) << column)) == 0;
    uint64_t steady;
    const uint64_t overlap = valid & (one_column ? compare_column(&moved, b, column, part, &steady)
                                                 : compare_rows(&moved, b, valid, part, &steady));
    *due = INFINITY;
    for (uint64_t left = valid & ~steady; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const float change = change_of(&moved, lane / 8, b, lane % 8, (overlap >> lane & 1) == 0);
        *due = change < *due ? change : *due;
    }
    return overlap;
}
