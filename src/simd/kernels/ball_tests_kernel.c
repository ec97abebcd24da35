// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tests of eight balls against one ball or box. Compiled once per instruction set.
//
// Rounding, with u = 2^-24. A difference of two coordinates is off by u of itself, so a squared
// distance is off by less than 6 u of itself, and so is a squared sum of radii. The factor GROW
// covers both. Callers exclude magnitudes whose squares overflow or underflow.
#include "simd/kernels.h"
#include "simd/lanes.h"

#define GROW (1 + 0x1p-20f)

// |R c| is at most `stretch` times |c|. Unused balls stay empty: their radius is -INFINITY and
// their centre 0.
void ABUT_KERNEL(turn_balls)(const abut__balls8* balls, const abut__turn* turn, float stretch,
                             float pad, abut__balls8* out) {
    const f32x8 radius = f32x8_load(balls->r) + pad;
    f32x8 c[3];
    for (int d = 0; d < 3; ++d) {
        c[d] = f32x8_load(balls->c[d]);
    }
    if (turn == NULL) {
        f32x8_store(out->r, radius);
        for (int d = 0; d < 3; ++d) {
            f32x8_store(out->c[d], c[d]);
        }
        return;
    }
    f32x8_store(out->r, radius * stretch + turn->pad);
    for (int d = 0; d < 3; ++d) {
        const float* r = turn->r[d];
        f32x8_store(out->c[d], (r[0] * c[0] + r[1] * c[1]) + r[2] * c[2]);
    }
}

uint32_t ABUT_KERNEL(balls_meet_ball)(const abut__balls8* balls, uint32_t count,
                                      const abut__ball4* ball) {
    f32x8 sum = {0};
    for (int d = 0; d < 3; ++d) {
        const f32x8 away = f32x8_load(balls->c[d]) - ball->c[d];
        sum += away * away;
    }
    const f32x8 reach = f32x8_load(balls->r) + ball->r;
    return f32x8_le(sum, reach * reach * GROW) & ((1u << count) - 1);
}

uint32_t ABUT_KERNEL(balls_meet_box)(const abut__balls8* balls, uint32_t count, float grow,
                                     const abut__box3* box) {
    f32x8 sum = {0};
    for (int d = 0; d < 3; ++d) {
        const f32x8 c = f32x8_load(balls->c[d]);
        const f32x8 away = f32x8_max(f32x8_max(box->lo[d] - c, c - box->hi[d]), f32x8_splat(0));
        sum += away * away;
    }
    const f32x8 reach = f32x8_load(balls->r) + grow;
    return f32x8_le(sum, reach * reach * GROW) & ((1u << count) - 1);
}

// Centres move along segments relative to each other, from d to d + v. The point nearest to 0 is at
// s = -d v / |v|^2, within [0, 1]. An error of 4 u |d| |v| of d v moves that point by 4 u |d|;
// computing it adds a few u of |d| + |v|, and differences of two sums as much. 2^-18 covers them.
uint32_t ABUT_KERNEL(balls_meet_moving)(const abut__balls8 balls[2], uint32_t count,
                                        const abut__ball4 ball[2]) {
    f32x8 from[3];
    f32x8 way[3];
    f32x8 along = {0};
    f32x8 length_sq = {0};
    f32x8 size = {0};
    const f32x8 zero = {0};
    for (int d = 0; d < 3; ++d) {
        from[d] = f32x8_load(balls[0].c[d]) - ball[0].c[d];
        way[d] = (f32x8_load(balls[1].c[d]) - ball[1].c[d]) - from[d];
        along += from[d] * way[d];
        length_sq += way[d] * way[d];
        size += f32x8_max(from[d], -from[d]) + f32x8_max(way[d], -way[d]);
    }
    // without a way the second argument wins over NaN
    const f32x8 part = f32x8_max(f32x8_min((zero - along) / length_sq, f32x8_splat(1)), zero);
    f32x8 sum = {0};
    for (int d = 0; d < 3; ++d) {
        const f32x8 away = from[d] + part * way[d];
        sum += away * away;
    }
    const float greater = ball[0].r > ball[1].r ? ball[0].r : ball[1].r;
    const f32x8 radius = f32x8_max(f32x8_load(balls[0].r), f32x8_load(balls[1].r));
    const f32x8 reach = (radius + greater) + size * 0x1p-18f;
    return f32x8_le(sum, reach * reach * GROW) & ((1u << count) - 1);
}

// The square of a lower bound of the distance. It is rounded down, and its square by the caller.
static inline f32x8 gap_sq(f32x8 distance_sq, f32x8 reach) {
    const f32x8 gap = f32x8_sqrt(distance_sq) * (1 - 0x1p-20f) - reach * GROW;
    const f32x8 least = f32x8_max(gap, f32x8_splat(0));
    return least * least;
}

void ABUT_KERNEL(balls_ball_gap)(const abut__balls8* balls, const abut__ball4* ball,
                                 float out[ABUT__FAN]) {
    f32x8 sum = {0};
    for (int d = 0; d < 3; ++d) {
        const f32x8 away = f32x8_load(balls->c[d]) - ball->c[d];
        sum += away * away;
    }
    f32x8_store(out, gap_sq(sum, f32x8_load(balls->r) + ball->r));
}

void ABUT_KERNEL(balls_box_gap)(const abut__balls8* balls, float grow, const abut__box3* box,
                                float out[ABUT__FAN]) {
    f32x8 sum = {0};
    for (int d = 0; d < 3; ++d) {
        const f32x8 c = f32x8_load(balls->c[d]);
        const f32x8 away = f32x8_max(f32x8_max(box->lo[d] - c, c - box->hi[d]), f32x8_splat(0));
        sum += away * away;
    }
    f32x8_store(out, gap_sq(sum, f32x8_load(balls->r) + grow));
}
