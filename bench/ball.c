// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Balls: see ball.h.
#include "bench/ball.h"

#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

// Rotates about z, then about x, and moves.
static void place(double p[3], double turn, const double centre[3]) {
    const double c = cos(turn);
    const double s = sin(turn);
    const double x = c * p[0] - s * p[1];
    const double y = s * p[0] + c * p[1];
    p[0] = x + centre[0];
    p[1] = c * y - s * p[2] + centre[1];
    p[2] = s * y + c * p[2] + centre[2];
}

static void put(double* p, double radius, double polar, double around) {
    p[0] = radius * sin(polar) * cos(around);
    p[1] = radius * sin(polar) * sin(around);
    p[2] = radius * cos(polar);
}

// Vertex 0 is the pole at the start, then the rings follow, then the other pole.
static uint32_t vertex(const ball* b, uint32_t segments, uint32_t ring, uint32_t segment) {
    const uint32_t rings = (b->vertex_count - 2) / segments + 1;
    return ring == 0       ? 0
           : ring == rings ? b->vertex_count - 1
                           : 1 + (ring - 1) * segments + segment % segments;
}

static void make_triangles(ball* b, uint32_t segments, uint32_t rings) {
    uint32_t* next = b->triangles;
    for (uint32_t r = 0; r < rings; ++r) {
        for (uint32_t s = 0; s < segments; ++s) {
            const uint32_t near[2] = {vertex(b, segments, r, s), vertex(b, segments, r, s + 1)};
            const uint32_t far[2] = {vertex(b, segments, r + 1, s),
                                     vertex(b, segments, r + 1, s + 1)};
            if (r > 0) {
                *next++ = near[0];
                *next++ = far[0];
                *next++ = near[1];
            }
            if (r + 1 < rings) {
                *next++ = near[1];
                *next++ = far[0];
                *next++ = far[1];
            }
        }
    }
}

ball ball_make(double radius, const double centre[3], double turn, uint32_t segments,
               uint32_t rings) {
    ball b = {.vertex_count = segments * (rings - 1) + 2,
              .triangle_count = 2 * segments * (rings - 1)};
    b.xyz = bench_alloc(3 * (size_t)b.vertex_count, sizeof *b.xyz);
    b.triangles = bench_alloc(3 * (size_t)b.triangle_count, sizeof *b.triangles);
    for (uint32_t r = 0; r <= rings; ++r) {
        for (uint32_t s = 0; s < segments; ++s) {
            put(b.xyz + 3 * (size_t)vertex(&b, segments, r, s), radius, pi * r / rings,
                2 * pi * s / segments);
        }
    }
    for (uint32_t v = 0; v < b.vertex_count; ++v) {
        place(b.xyz + 3 * (size_t)v, turn, centre);
    }
    make_triangles(&b, segments, rings);
    return b;
}

void ball_free(ball* b) {
    free(b->xyz);
    free(b->triangles);
}
