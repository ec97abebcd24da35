// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Balls of rings of triangles around two poles, closed and facing outward.
#ifndef BENCH_BALL_H
#define BENCH_BALL_H

#include <stdint.h>

typedef struct ball {
    uint32_t vertex_count;
    uint32_t triangle_count;
    double* xyz;
    uint32_t* triangles;
} ball;

/// Makes a ball of 2 segments (rings - 1) triangles. `turn` rotates it about an axis that is none of
/// the coordinates', so that two balls are not parallel. Free it with ball_free().
ball ball_make(double radius, const double centre[3], double turn, uint32_t segments,
               uint32_t rings);
void ball_free(ball* b);

#endif
