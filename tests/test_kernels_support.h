// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shared by the tests of kernels: random numbers of many kinds, boxes and clouds of points.
#ifndef ABUT_TESTS_TEST_KERNELS_SUPPORT_H
#define ABUT_TESTS_TEST_KERNELS_SUPPORT_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simd/kernels.h"
#include "support/everywhere.h"
#include "support/world.h"

#define POINTS 300

static inline uint32_t cases(void) {
    return effort(1000, 8000, 300000);
}

// kinds of numbers
typedef enum flavour { UNIT, LATTICE, ANY, TINY, HUGE_ONES, FLAVOURS } flavour;

static inline float number(test_random* random, flavour kind) {
    switch (kind) {
        case UNIT: return (float)random_double(random, -1, 1);
        case LATTICE: return (float)random_between(random, -2, 2);
        case TINY: return (float)random_between(random, -3, 3) * FLT_TRUE_MIN;
        case HUGE_ONES: return (float)random_between(random, -3, 3) / 3 * FLT_MAX;
        default: break;
    }
    for (;;) {  // any finite float
        const uint32_t bits = (uint32_t)random_bits(random);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            return value;
        }
    }
}

// sometimes infinite, or the whole axis
static inline void random_box(test_random* random, flavour kind, float lo[3], float hi[3]) {
    for (int d = 0; d < 3; ++d) {
        const float x = number(random, kind);
        const float y = number(random, kind);
        lo[d] = x < y ? x : y;
        hi[d] = x < y ? y : x;
    }
    if (random_chance(random, 0.05)) {
        for (int d = 0; d < 3; ++d) {
            lo[d] = -INFINITY;
            hi[d] = INFINITY;
        }
    } else if (random_chance(random, 0.05)) {
        lo[0] = hi[0] = random_chance(random, 0.5) ? INFINITY : -INFINITY;
    }
}

static inline abut__box3 random_box3(test_random* random, flavour kind) {
    abut__box3 box;
    random_box(random, kind, box.lo, box.hi);
    return box;
}

// lanes from `count` on are empty boxes
#define FILL_LANES(random, kind, count, room, boxes)                                          \
    for (uint32_t k = 0; k < (room); ++k) {                                                   \
        abut__box3 box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; \
        box = k < (count) ? random_box3(random, kind) : box;                                  \
        for (int d = 0; d < 3; ++d) {                                                         \
            (boxes).lo[d][k] = box.lo[d];                                                     \
            (boxes).hi[d][k] = box.hi[d];                                                     \
        }                                                                                     \
    }

static inline abut__block_boxes random_lanes(test_random* random, flavour kind, uint32_t count) {
    abut__block_boxes boxes;
    FILL_LANES(random, kind, count, ABUT__BLOCK_TRIANGLES, boxes)
    return boxes;
}

// lanes 0 .. count, with some left out
static inline uint64_t random_mask(test_random* random, uint32_t count) {
    const uint64_t all = count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
    const uint32_t choice = random_below(random, 4);
    return choice == 0   ? all
           : choice == 1 ? all & random_bits(random) & random_bits(random)
                         : all & random_bits(random);
}

// ---- positions

typedef struct cloud {
    abut__source source;
    double room[6 * POINTS];
} cloud;

static inline double coordinate(test_random* random, flavour kind, bool is_double) {
    if (is_double && random_chance(random, 0.3)) {
        return kind == ANY || kind == HUGE_ONES ? random_finite(random)
                                                : random_double(random, -1, 1);
    }
    return (double)number(random, kind);
}

static inline void random_cloud(test_random* random, flavour kind, cloud* c) {
    const bool is_double = random_chance(random, 0.5);
    const size_t stride = 3 + random_below(random, 4);  // in scalars; the rest is NaN
    for (size_t v = 0; v < POINTS; ++v) {
        for (size_t k = 0; k < stride; ++k) {
            const double x = k < 3 ? coordinate(random, kind, is_double) : NAN;
            if (is_double) {
                c->room[v * stride + k] = x;
            } else {
                ((float*)c->room)[v * stride + k] = (float)x;
            }
        }
    }
    const size_t scalar = is_double ? sizeof(double) : sizeof(float);
    c->source = abut__source_make(c->room, stride * scalar, is_double);
}

static inline float value(const cloud* c, uint32_t vertex, int d) {
    const char* place = c->source.data + vertex * c->source.stride;
    volatile float rounded = c->source.is_double ? (float)((const double*)(const void*)place)[d]
                                                 : ((const float*)(const void*)place)[d];
    return rounded;
}

static inline bool same_bits(const void* a, const void* b, size_t size) {
    return memcmp(a, b, size) == 0;
}

#endif  // ABUT_TESTS_TEST_KERNELS_SUPPORT_H
