// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kernels of the kinetic tree: which of many straight lines is extreme now, and until when.
// Compiled once per instruction set. For rounding errors see bound/kinetic/aabb.h.
#include <math.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

#define EARLY (1 - 0x1p-22)  // times are rounded towards the present

// Lines as lanes: their current values, slopes and end values. For the lowest line all are negated.
typedef struct lines {
    uint32_t count;  // a multiple of ABUT__GROUP
    float now[ABUT__BLOCK_VERTICES];
    float slope[ABUT__BLOCK_VERTICES];
    float end[ABUT__BLOCK_VERTICES];
} lines;

// Returns the greatest line now; of equal ones the steepest.
static inline uint32_t greatest_line(const lines* l, float* value, float* slope) {
    const floats lowest = floats_splat(-INFINITY);
    floats most = lowest;
    for (uint32_t k = 0; k < l->count; k += FLOAT_LANES) {
        most = floats_max(most, floats_load(l->now + k));
    }
    *value = floats_greatest(most);
    const floats top = floats_splat(*value);
    floats steepest = lowest;
    for (uint32_t k = 0; k < l->count; k += FLOAT_LANES) {
        const floats now = floats_load(l->now + k);
        steepest = floats_max(floats_pick_le(top, now, floats_load(l->slope + k), lowest),
                              steepest);
    }
    *slope = floats_greatest(steepest);
    const floats steep = floats_splat(*slope);
    for (uint32_t k = 0; k < l->count; k += FLOAT_LANES) {
        const uint32_t there = flags_bits(floats_le_flags(top, floats_load(l->now + k)) &
                                          floats_le_flags(steep, floats_load(l->slope + k)));
        if (there != 0) {
            return k + (uint32_t)__builtin_ctz(there);
        }
    }
    return 0;
}

// Returns the time at which the first line that ends above `end` overtakes.
static inline float next_time(const lines* l, float part, float value, float slope, float end) {
    const floats limit = floats_splat(end);
    const floats never = floats_splat(INFINITY);
    floats first = never;
    for (uint32_t k = 0; k < l->count; k += FLOAT_LANES) {
        const floats wait = (floats_splat(value) - floats_load(l->now + k)) /
                            (floats_load(l->slope + k) - floats_splat(slope));
        first = floats_min(floats_pick_le(floats_load(l->end + k), limit, never, wait), first);
    }
    const float wait = floats_least(first);
    return wait > 0 ? (part + wait) * (float)EARLY : part;
}

static inline void block_side(const float* before, const float* after, uint32_t groups, float sign,
                              float part, float tolerance, uint32_t side, abut__extremes* out) {
    const floats s = floats_splat(sign * part);
    const floats r = floats_splat(sign * (1 - part));
    const floats to = floats_splat(sign);
    lines l;
    l.count = groups * ABUT__GROUP;
    floats ends = floats_splat(-INFINITY);
    for (uint32_t k = 0; k < l.count; k += FLOAT_LANES) {
        const floats a = floats_load(before + k);
        const floats b = floats_load(after + k);
        floats_store(l.now + k, a * r + b * s);
        floats_store(l.slope + k, (b - a) * to);
        floats_store(l.end + k, b * to);
        ends = floats_max(ends, b * to);
    }
    float value;
    float slope;
    const uint32_t which = greatest_line(&l, &value, &slope);
    const float end = sign * after[which] + tolerance;
    out->before[side] = before[which];
    out->after[side] = after[which];
    out->which[side] = (uint8_t)which;
    out->next[side] = floats_greatest(ends) <= end ? INFINITY
                                                   : next_time(&l, part, value, slope, end);
}

void ABUT_KERNEL(kinetic_block)(const float* before, const float* after, uint32_t groups,
                                uint32_t sides, float part, float tolerance, abut__extremes* out) {
    for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
        if ((sides >> side & 1) != 0) {
            const size_t row = (size_t)(side % 3) * groups * ABUT__GROUP;
            block_side(before + row, after + row, groups, side < 3 ? -1.0f : 1.0f, part, tolerance,
                       side, out);
        }
    }
}

// Eight lines in double, so that rounding errors do not accumulate from level to level.
static inline void node_side(const float* before, const float* after, uint32_t count, double sign,
                             double part, uint32_t side, abut__extremes* out) {
    double now[ABUT__FAN];
    double slope[ABUT__FAN];
    for (uint32_t k = 0; k < ABUT__FAN; ++k) {
        const double a = sign * (double)before[k];
        const double b = sign * (double)after[k];
        now[k] = a * (1 - part) + b * part;
        slope[k] = b - a;
    }
    uint32_t which = 0;
    float most = (float)sign * after[0];
    for (uint32_t k = 1; k < count; ++k) {
        const bool above = now[k] > now[which] || (now[k] == now[which] && slope[k] > slope[which]);
        which = above ? k : which;
        most = (float)sign * after[k] > most ? (float)sign * after[k] : most;
    }
    out->before[side] = before[which];
    out->after[side] = after[which];
    out->which[side] = (uint8_t)which;
    out->next[side] = INFINITY;
    const float end = (float)sign * after[which];
    if (most <= end) {
        return;
    }
    double wait = INFINITY;
    for (uint32_t k = 0; k < count; ++k) {
        const double steeper = slope[k] - slope[which];
        if ((float)sign * after[k] > end && steeper > 0) {
            const double until = (now[which] - now[k]) / steeper;
            wait = until < wait ? until : wait;
        }
    }
    out->next[side] = (float)((part + wait) * EARLY);
}

void ABUT_KERNEL(kinetic_node)(const abut__boxes8* before, const abut__boxes8* after,
                               uint32_t count, uint32_t sides, float part, abut__extremes* out) {
    for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
        if ((sides >> side & 1) != 0) {
            const float* a = side < 3 ? before->lo[side] : before->hi[side - 3];
            const float* b = side < 3 ? after->lo[side] : after->hi[side - 3];
            node_side(a, b, count, side < 3 ? -1.0 : 1.0, (double)part, side, out);
        }
    }
}

// A line that is extreme at both ends is extreme throughout. The boxes at both ends are known, so
// this takes only comparisons.
static inline uint32_t note_steady(const float* before, const float* after, uint64_t lanes,
                                   uint32_t side, abut__extremes* out) {
    if (lanes == 0) {
        return 0;
    }
    const uint32_t which = (uint32_t)__builtin_ctzll(lanes);
    out->before[side] = before[which];
    out->after[side] = after[which];
    out->which[side] = (uint8_t)which;
    out->next[side] = INFINITY;
    return 1u << side;
}

uint32_t ABUT_KERNEL(kinetic_block_steady)(const float* before, const float* after, uint32_t groups,
                                           const abut__box3 ends[2], abut__extremes* out) {
    uint32_t sides = 0;
    for (uint32_t d = 0; d < 3; ++d) {
        const float* from = before + (size_t)d * groups * ABUT__GROUP;
        const float* to = after + (size_t)d * groups * ABUT__GROUP;
        uint64_t low = 0;
        uint64_t high = 0;
        for (uint32_t k = 0; k < groups * ABUT__GROUP; k += FLOAT_LANES) {
            const floats a = floats_load(from + k);
            const floats b = floats_load(to + k);
            const flags lowest = floats_le_flags(a, floats_splat(ends[0].lo[d])) &
                                 floats_le_flags(b, floats_splat(ends[1].lo[d]));
            const flags highest = floats_le_flags(floats_splat(ends[0].hi[d]), a) &
                                  floats_le_flags(floats_splat(ends[1].hi[d]), b);
            low |= (uint64_t)flags_bits(lowest) << k;
            high |= (uint64_t)flags_bits(highest) << k;
        }
        sides |= note_steady(from, to, low, d, out);
        sides |= note_steady(from, to, high, 3 + d, out);
    }
    return sides;
}

// Lanes without a child are empty boxes, which are never extreme.
uint32_t ABUT_KERNEL(kinetic_node_steady)(const abut__boxes8* before, const abut__boxes8* after,
                                          const abut__box3 ends[2], abut__extremes* out) {
    uint32_t sides = 0;
    for (uint32_t d = 0; d < 3; ++d) {
        const uint32_t lowest = f32x8_le(f32x8_load(before->lo[d]), f32x8_splat(ends[0].lo[d])) &
                                f32x8_le(f32x8_load(after->lo[d]), f32x8_splat(ends[1].lo[d]));
        const uint32_t highest = f32x8_le(f32x8_splat(ends[0].hi[d]), f32x8_load(before->hi[d])) &
                                 f32x8_le(f32x8_splat(ends[1].hi[d]), f32x8_load(after->hi[d]));
        sides |= note_steady(before->lo[d], after->lo[d], lowest, d, out);
        sides |= note_steady(before->hi[d], after->hi[d], highest, 3 + d, out);
    }
    return sides;
}
