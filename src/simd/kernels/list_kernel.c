// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kernel of kinetic separation lists: which children of two nodes overlap, and until when this
// stays so. Compiled once per instruction set. For rounding errors see query/separation_list.h.
//
// Most pairs of boxes stay as they are until the end of the window, which needs no division to see:
// a gap that is open now and at the end is open all the time, and if all gaps are closed now and at
// the end, they stay closed. Times are computed only for the others, one by one.
#include <math.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

#define EARLY 0x1p-21f  // by which times are taken early
#define FLAT 0x1p-100f  // slopes below this may underflow: their times are not used

// The boxes of a at both ends of the window, shifted.
typedef struct shifted {
    float lo[2][3][ABUT__FAN];
    float hi[2][3][ABUT__FAN];
} shifted;

// ---- one pair of boxes

// The interval of time in which boxes overlap. It begins when the last of the closing gaps has
// closed, and ends when the first of the opening gaps opens.
typedef struct interval {
    float begin;   // lower bound
    float end;     // lower bound
    float latest;  // upper bound of the end
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

// Returns a time before which nothing changes.
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

// For vectors of eight lanes and, with AVX-512, of sixteen: which boxes overlap now, and which
// pairs stay so or stay apart. Three widest gaps decide: now, of those that stay open, and at the
// end.
#define DEFINE_COMPARE(vector)                                                                \
    typedef struct vector##_boxes {                                                           \
        vector lo[2][3];                                                                      \
        vector hi[2][3];                                                                      \
    } vector##_boxes;                                                                         \
    typedef struct vector##_widest {                                                          \
        vector now;                                                                           \
        vector lasting;                                                                       \
        vector last;                                                                          \
    } vector##_widest;                                                                        \
    static inline void vector##_add_gap(vector##_widest* w, vector first, vector last,        \
                                        float part) {                                         \
        const vector slope = last - first;                                                    \
        const vector now = first + slope * part;                                              \
        const vector end = first + slope;                                                     \
        w->now = vector##_max(w->now, now);                                                   \
        w->lasting = vector##_max(w->lasting, vector##_min(now, end));                        \
        w->last = vector##_max(w->last, end);                                                 \
    }                                                                                         \
    static inline uint32_t vector##_compare(const vector##_boxes* a, const vector##_boxes* b, \
                                            float part, uint32_t* steady) {                   \
        const vector none = vector##_splat(-INFINITY);                                        \
        const vector zero = vector##_splat(0);                                                \
        vector##_widest w = {none, none, none};                                               \
        for (int d = 0; d < 3; ++d) {                                                         \
            vector##_add_gap(&w, a->lo[0][d] - b->hi[0][d], a->lo[1][d] - b->hi[1][d], part); \
            vector##_add_gap(&w, b->lo[0][d] - a->hi[0][d], b->lo[1][d] - a->hi[1][d], part); \
        }                                                                                     \
        const uint32_t overlap = vector##_le(w.now, zero);                                    \
        *steady = ~vector##_le(w.lasting, zero) | (overlap & vector##_le(w.last, zero));      \
        return overlap;                                                                       \
    }
DEFINE_COMPARE(f32x8)
#if FLOAT_LANES == 16
DEFINE_COMPARE(floats)
#endif

// Moves bit i to bit 8 i.
static inline uint64_t spread_bits(uint32_t bits) {
    const uint64_t low = (bits & 0x7f) * UINT64_C(0x0002040810204081);
    return (low & UINT64_C(0x0101010101010101)) | (uint64_t)(bits >> 7 & 1) << 56;
}

// Compares all children of a with one of b.
static inline uint64_t compare_column(const shifted* a, const abut__boxes8* const* b,
                                      uint32_t column, float part, uint64_t* steady) {
    f32x8_boxes x;
    f32x8_boxes y;
    for (int e = 0; e < 2; ++e) {
        for (int d = 0; d < 3; ++d) {
            x.lo[e][d] = f32x8_load(a->lo[e][d]);
            x.hi[e][d] = f32x8_load(a->hi[e][d]);
            y.lo[e][d] = f32x8_splat(b[e]->lo[d][column]);
            y.hi[e][d] = f32x8_splat(b[e]->hi[d][column]);
        }
    }
    uint32_t rows;
    const uint32_t overlap = f32x8_compare(&x, &y, part, &rows);
    *steady = spread_bits(rows) << column;
    return spread_bits(overlap) << column;
}

// Compares one child of a with all of b.
static inline uint64_t compare_row(const shifted* a, const abut__boxes8* const* b, uint32_t row,
                                   float part, uint64_t* steady) {
    f32x8_boxes x;
    f32x8_boxes y;
    for (int e = 0; e < 2; ++e) {
        for (int d = 0; d < 3; ++d) {
            x.lo[e][d] = f32x8_splat(a->lo[e][d][row]);
            x.hi[e][d] = f32x8_splat(a->hi[e][d][row]);
            y.lo[e][d] = f32x8_load(b[e]->lo[d]);
            y.hi[e][d] = f32x8_load(b[e]->hi[d]);
        }
    }
    uint32_t columns;
    const uint64_t overlap = f32x8_compare(&x, &y, part, &columns);
    *steady = (uint64_t)(columns & 0xff) << 8 * row;
    return overlap << 8 * row;
}

static inline uint64_t compare_rows(const shifted* a, const abut__boxes8* const* b, uint64_t valid,
                                    float part, uint64_t* steady) {
    uint64_t overlap = 0;
    *steady = 0;
#if FLOAT_LANES == 16
    floats_boxes y;
    for (int e = 0; e < 2; ++e) {
        for (int d = 0; d < 3; ++d) {
            y.lo[e][d] = floats_repeat8(b[e]->lo[d]);
            y.hi[e][d] = floats_repeat8(b[e]->hi[d]);
        }
    }
    for (uint32_t row = 0; row < ABUT__FAN && valid >> 8 * row != 0; row += 2) {
        floats_boxes x;
        for (int e = 0; e < 2; ++e) {
            for (int d = 0; d < 3; ++d) {
                x.lo[e][d] = floats_spread8(&a->lo[e][d][row]);
                x.hi[e][d] = floats_spread8(&a->hi[e][d][row]);
            }
        }
        uint32_t stays;
        overlap |= (uint64_t)floats_compare(&x, &y, part, &stays) << 8 * row;
        *steady |= (uint64_t)(stays & 0xffff) << 8 * row;
    }
#else
    for (uint32_t row = 0; row < ABUT__FAN && valid >> 8 * row != 0; ++row) {
        uint64_t stays;
        overlap |= compare_row(a, b, row, part, &stays);
        *steady |= stays;
    }
#endif
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
    uint64_t steady;
    const uint32_t first = (uint32_t)__builtin_ctzll(valid | UINT64_C(1) << 63);
    const uint64_t row = UINT64_C(0xff) << (first & ~7u);
    const uint64_t column = UINT64_C(0x0101010101010101) << first % 8;
    const uint64_t overlap = valid &
                             ((valid & ~row) == 0 ? compare_row(&moved, b, first / 8, part, &steady)
                              : (valid & ~column) == 0
                                  ? compare_column(&moved, b, first % 8, part, &steady)
                                  : compare_rows(&moved, b, valid, part, &steady));
    *due = INFINITY;
    for (uint64_t left = valid & ~steady; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const float change = change_of(&moved, lane / 8, b, lane % 8, (overlap >> lane & 1) == 0);
        *due = change < *due ? change : *due;
    }
    return overlap;
}
