// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kernels of the kinetic tree: which of many straight lines is extreme now, and until when.
// Compiled once per instruction set. For rounding errors see bound/kinetic/aabb.h.
#include <math.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

#define STEPS_MOST (ABUT__BLOCK_VERTICES / FLOAT_LANES)
#define EARLY (1 - 0x1p-22)  // times are rounded towards the present

// Returns the first of the lines that have the greatest value and, among these, are steepest.
static inline uint32_t greatest_line(const floats* now, uint32_t steps, const float* before,
                                     const float* after, float sign, float value) {
    const floats top = floats_splat(value);
    uint64_t lanes = 0;
    for (uint32_t g = 0; g < steps; ++g) {
        lanes |= (uint64_t)floats_le(top, now[g]) << FLOAT_LANES * g;
    }
    uint32_t which = (uint32_t)__builtin_ctzll(lanes);
    for (lanes &= lanes - 1; lanes != 0; lanes &= lanes - 1) {
        const uint32_t other = (uint32_t)__builtin_ctzll(lanes);
        const float slope = (after[which] - before[which]) * sign;
        which = (after[other] - before[other]) * sign > slope ? other : which;
    }
    return which;
}

// A line that is extreme at a part of a segment: its value there, its slope, and the end value that
// others must exceed.
typedef struct held_line {
    float part;
    float value;
    float slope;
    float end;
} held_line;

// Returns when the first line that ends above the held one overtakes it; infinity: none does.
static inline float overtaken(const float* before, const float* after, uint32_t steps, float sign,
                              const held_line* held) {
    const floats s = floats_splat(sign * held->part);
    const floats r = floats_splat(sign * (1 - held->part));
    const floats to = floats_splat(sign);
    const floats slope = floats_splat(held->slope);
    floats first = floats_splat(INFINITY);
    for (uint32_t g = 0; g < steps; ++g) {
        const floats b = floats_load(after + FLOAT_LANES * g);
        const uint32_t later = ~floats_le(b * to, floats_splat(held->end)) & FLOAT_BITS;
        if (later != 0) {
            const floats a = floats_load(before + FLOAT_LANES * g);
            const floats wait = (floats_splat(held->value) - (a * r + b * s)) /
                                ((b - a) * to - slope);
            first = floats_min(floats_keep(wait, later, INFINITY), first);
        }
    }
    const float wait = floats_least(first);
    return wait > 0 ? (held->part + wait) * (float)EARLY : held->part;
}

static inline void block_side(const float* before, const float* after, uint32_t steps, float sign,
                              float part, float tolerance, uint32_t side, abut__extremes* out) {
    const floats s = floats_splat(sign * part);
    const floats r = floats_splat(sign * (1 - part));
    floats now[STEPS_MOST];
    floats most = floats_splat(-INFINITY);
    floats ends = floats_splat(-INFINITY);
    for (uint32_t g = 0; g < steps; ++g) {
        const floats a = floats_load(before + FLOAT_LANES * g);
        const floats b = floats_load(after + FLOAT_LANES * g);
        now[g] = a * r + b * s;
        most = floats_max(most, now[g]);
        ends = floats_max(ends, b * floats_splat(sign));
    }
    const float value = floats_greatest(most);
    const uint32_t which = greatest_line(now, steps, before, after, sign, value);
    const float slope = (after[which] - before[which]) * sign;
    const held_line held = {part, value, slope, sign * after[which] + tolerance};
    out->before[side] = before[which];
    out->after[side] = after[which];
    out->which[side] = (uint8_t)which;
    out->next[side] = floats_greatest(ends) <= held.end
                          ? INFINITY
                          : overtaken(before, after, steps, sign, &held);
}

static inline float sign_of(uint32_t side) {
    return side < 3 ? -1.0f : 1.0f;
}

void ABUT_KERNEL(kinetic_block)(const abut__block_points* before, const abut__block_points* after,
                                uint32_t count, uint32_t sides, float part, float tolerance,
                                abut__extremes* out) {
    const uint32_t steps = (count + FLOAT_LANES - 1) / FLOAT_LANES;
    for (uint32_t left = sides; left != 0; left &= left - 1) {
        const uint32_t side = (uint32_t)__builtin_ctz(left);
        block_side(before->xyz[side % 3], after->xyz[side % 3], steps, sign_of(side), part,
                   tolerance, side, out);
    }
}

uint64_t ABUT_KERNEL(kinetic_beyond)(const abut__block* block, const float* coordinates,
                                     float limit, bool is_low) {
    const floats sign = floats_splat(is_low ? -1.0f : 1.0f);
    const floats bound = floats_splat(limit) * sign;
    uint64_t beyond = 0;
    for (uint32_t k = 0; k < block->vertex_count; k += FLOAT_LANES) {
        const floats x = floats_gather3(coordinates, block->vertex + k) * sign;
        beyond |= (uint64_t)floats_lt(bound, x) << k;
    }
    if (beyond == 0) {
        return 0;
    }
    return beyond & UINT64_MAX >> (ABUT__BLOCK_VERTICES - block->vertex_count);  // without padding
}

// Moves every third of sixteen bits to the first five.
static inline uint32_t every_third(uint32_t bits) {
    bits &= 0x1249u;
    bits = (bits | bits >> 2) & 0x10c3u;
    bits = (bits | bits >> 4) & 0x100fu;
    return (bits | bits >> 8) & 0x1fu;
}

#define STRETCHES_OF_WORD 12u

uint32_t ABUT_KERNEL(kinetic_stretched)(const abut__stretch* list, uint32_t count, const float* xyz,
                                        uint32_t axis, float sign, float limit,
                                        uint32_t vertices[ABUT__BLOCK_VERTICES]) {
    const floats signs = floats_splat(sign);
    const floats bound = floats_splat(limit);
    uint32_t found = 0;
    uint32_t end = 0;
    for (uint32_t from = 0; from < count; from += STRETCHES_OF_WORD) {
        const uint32_t left = count - from < STRETCHES_OF_WORD ? count - from : STRETCHES_OF_WORD;
        // all vertices first: which stretches have some cannot be predicted
        uint64_t word = 0;
        for (uint32_t i = 0; i < left; ++i) {
            const uint32_t first = abut__stretch_first(list[from + i]);
            const uint32_t spare = abut__stretch_spare(list[from + i]);
            const uint32_t seen = end > first ? end - first : 0;  // by another stretch
            uint32_t above = 0;
            LANES_UNROLL for (uint32_t p = 0; p < FLOAT_PARTS; ++p) {
                const floats x = floats_load(xyz + first + p * FLOAT_LANES) * signs;
                above |= (uint32_t)floats_lt(bound, x) << p * FLOAT_LANES;
            }
            above &= (0xffffu >> spare) & (0xffffu << (seen < 16 ? seen : 16));
            word |= (uint64_t)every_third(above >> axis) << 5 * i;
            end = first + 16 - spare > end ? first + 16 - spare : end;
        }
        for (; word != 0; word &= word - 1) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(word);
            vertices[found++] = abut__stretch_first(list[from + bit / 5]) / 3 + bit % 5;
        }
    }
    return found;
}

static inline uint32_t unsteady_side(const float* line, const float* box, float tolerance) {
    const f32x8 distance = f32x8_load(line) - f32x8_load(box);
    return ~f32x8_le((f32x8)((i32x8)distance & INT32_MAX), f32x8_splat(tolerance)) & 0xff;
}

uint32_t ABUT_KERNEL(kinetic_unsteady)(const abut__boxes8* lines, const abut__boxes8* boxes,
                                       float tolerance, uint8_t sides[ABUT__FAN]) {
    uint32_t children = 0;
    memset(sides, 0, ABUT__FAN);
    for (uint32_t d = 0; d < 3; ++d) {
        const uint32_t found[2] = {unsteady_side(lines->lo[d], boxes->lo[d], tolerance),
                                   unsteady_side(lines->hi[d], boxes->hi[d], tolerance)};
        for (uint32_t h = 0; h < 2; ++h) {
            for (uint32_t left = found[h]; left != 0; left &= left - 1) {
                sides[__builtin_ctz(left)] |= (uint8_t)(1u << (d + 3 * h));
            }
            children |= found[h];
        }
    }
    return children;
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
    for (uint32_t left = sides; left != 0; left &= left - 1) {
        const uint32_t side = (uint32_t)__builtin_ctz(left);
        const float* a = side < 3 ? before->lo[side] : before->hi[side - 3];
        const float* b = side < 3 ? after->lo[side] : after->hi[side - 3];
        node_side(a, b, count, side < 3 ? -1.0 : 1.0, (double)part, side, out);
    }
}
