// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kernel of kinetic separation lists: which children of two nodes overlap, and until when that
// stays so. Compiled once per instruction set. What rounding may do is worked out in query/list.h.
#include <math.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

#define EARLY 0x1p-21f  // that a time is taken before it comes
#define FLAT 0x1p-100f  // slopes below this may underflow: their times are not believed

uint64_t ABUT_KERNEL(list_pairs)(const abut__boxes8* const* a, const abut__boxes8* const* b,
                                 const abut__shift* shift, uint64_t valid, uint64_t lazy,
                                 float part, float* due);

static inline f32x8 choose(i32x8 condition, f32x8 yes, f32x8 no) {
    return (f32x8)((condition & (i32x8)yes) | (~condition & (i32x8)no));
}

// Eight pairs of boxes. They overlap during an interval of time: it begins when the last of the gaps
// that close has closed, and ends when the first of those that open opens.
typedef struct meeting {
    i32x8 apart;     // now
    i32x8 for_ever;  // a gap that is open does not close
    f32x8 begin;     // of the overlap, not after it
    f32x8 end;       // of the overlap, not after it
    f32x8 latest;    // end of the overlap, not before it
} meeting;

// one gap more: its width at both ends of the window
static inline void add_gap(meeting* m, f32x8 first, f32x8 last, float part) {
    const f32x8 zero = f32x8_splat(0);
    const f32x8 slope = last - first;
    const f32x8 now = first + slope * part;
    const i32x8 open = now > zero;
    const i32x8 steep_up = slope >= f32x8_splat(FLAT);
    const i32x8 steep_down = slope <= f32x8_splat(-FLAT);
    const f32x8 root = first / -slope;
    m->apart |= open;
    m->for_ever |= open & (slope >= zero);
    m->begin = f32x8_max(choose(steep_down, root - EARLY, f32x8_splat(-INFINITY)), m->begin);
    const f32x8 closed = choose(slope > zero, f32x8_splat(-INFINITY), f32x8_splat(INFINITY));
    m->end = f32x8_min(choose(steep_up, root - EARLY, closed), m->end);
    m->latest = f32x8_min(choose(steep_up, root + EARLY, f32x8_splat(INFINITY)), m->latest);
}

// bits of lanes
static inline uint32_t bits_of(i32x8 lanes) {
    const f32x8 one = choose(lanes, f32x8_splat(0), f32x8_splat(1));
    return f32x8_le(one, f32x8_splat(0));
}

// boxes of a at both ends of the window, shifted
typedef struct shifted {
    float lo[2][3][ABUT__FAN];
    float hi[2][3][ABUT__FAN];
} shifted;

static inline meeting meet(const shifted* a, uint32_t row, const abut__boxes8* const* b,
                           float part) {
    const i32x8 none = {0, 0, 0, 0, 0, 0, 0, 0};
    meeting m = {none, none, f32x8_splat(-INFINITY), f32x8_splat(INFINITY), f32x8_splat(INFINITY)};
    for (int d = 0; d < 3; ++d) {
        add_gap(&m, a->lo[0][d][row] - f32x8_load(b[0]->hi[d]),
                a->lo[1][d][row] - f32x8_load(b[1]->hi[d]), part);
        add_gap(&m, f32x8_load(b[0]->lo[d]) - a->hi[0][d][row],
                f32x8_load(b[1]->lo[d]) - a->hi[1][d][row], part);
    }
    return m;
}

uint64_t ABUT_KERNEL(list_pairs)(const abut__boxes8* const* a, const abut__boxes8* const* b,
                                 const abut__shift* shift, uint64_t valid, uint64_t lazy,
                                 float part, float* due) {
    shifted boxes;
    for (int e = 0; e < 2; ++e) {
        for (int d = 0; d < 3; ++d) {
            f32x8_store(boxes.lo[e][d], f32x8_load(a[e]->lo[d]) + shift->lo[d]);
            f32x8_store(boxes.hi[e][d], f32x8_load(a[e]->hi[d]) + shift->hi[d]);
        }
    }
    static const int32_t bit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    i32x8 lane_bit;
    memcpy(&lane_bit, bit, sizeof lane_bit);
    uint64_t overlap = 0;
    f32x8 first = f32x8_splat(INFINITY);
    for (uint32_t row = 0; row < ABUT__FAN; ++row) {
        const uint32_t columns = (uint32_t)(valid >> 8 * row) & 0xff;
        if (columns == 0) {
            continue;
        }
        const meeting m = meet(&boxes, row, b, part);
        const int32_t rest = (int32_t)(lazy >> 8 * row) & 0xff;
        const i32x8 wanted = (lane_bit & (int32_t)columns) != 0;
        const i32x8 waits = m.apart | ((lane_bit & rest) == 0);
        const i32x8 never = m.apart & (m.for_ever | (m.begin > m.latest));
        const f32x8 time = choose(m.apart, m.begin, m.end);
        first = f32x8_min(choose(wanted & waits & ~never, time, f32x8_splat(INFINITY)), first);
        overlap |= (uint64_t)(bits_of(wanted & ~m.apart)) << 8 * row;
    }
    float times[8];
    f32x8_store(times, first);
    *due = INFINITY;
    for (int k = 0; k < 8; ++k) {
        *due = times[k] < *due ? times[k] : *due;
    }
    return overlap;
}
