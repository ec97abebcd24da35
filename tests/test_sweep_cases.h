// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Moving primitives that are hard to decide, made from a seed and an index.
#ifndef ABUT_TESTS_SWEEP_CASES_H
#define ABUT_TESTS_SWEEP_CASES_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "support/random.h"

typedef struct sweep_case {
    double x[2][4][3];  // end, point, axis
    bool edges;
    int family;
} sweep_case;

enum {
    SWEEP_RANDOM,
    SWEEP_GRID,
    SWEEP_GRID_ULPS,
    SWEEP_TOUCH,  // touching exactly at a dyadic time
    SWEEP_TOUCH_ULPS,
    SWEEP_TOUCH_NEAR,
    SWEEP_SCALED,    // by 2^-300 or 2^300
    SWEEP_NEEDLES,   // axes scaled by 2^-40 .. 2^40
    SWEEP_FAR,       // 2^40 away
    SWEEP_PLANAR,    // in one plane throughout
    SWEEP_PARALLEL,  // or collapsed, or without motion
    SWEEP_PLANAR_NEAR,
    SWEEP_PARALLEL_NEAR,
    SWEEP_FAST,   // motions of 2^25 sizes
    SWEEP_START,  // close to contact at the start
    SWEEP_SLIDE,  // touching at the rim throughout: only rounding separates them
    SWEEP_FAMILIES
};

static inline double* sweep_number(sweep_case* c, int i) {
    return &c->x[0][0][0] + i;
}

static inline void sweep_fill_grid(test_random* random, sweep_case* c, int range) {
    for (int i = 0; i < 24; ++i) {
        *sweep_number(c, i) = random_between(random, -range, range);
    }
}

static inline void sweep_fill_random(test_random* random, sweep_case* c) {
    for (int i = 0; i < 24; ++i) {
        *sweep_number(c, i) = random_double(random, -1.0, 1.0);
    }
    for (int i = 12; i < 24; ++i) {  // moderate motions, or any
        if (random_chance(random, 0.9)) {
            *sweep_number(c, i) = *sweep_number(c, i - 12) + 0.3 * *sweep_number(c, i);
        }
    }
}

// Moves the first point so that the primitives touch at t = 2^-k m, with dyadic weights. All
// numbers are small integers at first, so everything is exact.
static inline void sweep_make_touch(test_random* random, sweep_case* c) {
    sweep_fill_grid(random, c, 7);
    const double t = (double)random_between(random, 0, 8) / 8.0;
    const int u = random_between(random, 0, 4);
    const int v = random_between(random, 0, c->edges ? 4 : 4 - u);
    for (int k = 0; k < 3; ++k) {
        double at[4];  // where points are at t, times 8
        for (int i = 0; i < 4; ++i) {
            at[i] = (1.0 - t) * c->x[0][i][k] + t * c->x[1][i][k];
        }
        double gap;
        if (c->edges) {
            const double a = at[0] + 0.25 * u * (at[1] - at[0]);
            const double b = at[2] + 0.25 * v * (at[3] - at[2]);
            gap = b - a;
        } else {
            gap = at[1] + 0.25 * u * (at[2] - at[1]) + 0.25 * v * (at[3] - at[1]) - at[0];
        }
        for (int end = 0; end < 2; ++end) {  // shifts the whole first primitive
            c->x[end][0][k] += gap;
            c->x[end][1][k] += c->edges ? gap : 0.0;
        }
    }
}

static inline void sweep_make_planar(test_random* random, sweep_case* c) {
    sweep_fill_grid(random, c, 4);
    const int p = random_between(random, -2, 2);
    const int q = random_between(random, -2, 2);
    for (int i = 0; i < 8; ++i) {
        double* x = sweep_number(c, 3 * i);
        x[2] = p * x[0] + q * x[1];
    }
}

static inline void sweep_make_parallel(test_random* random, sweep_case* c) {
    sweep_fill_grid(random, c, 3);
    const uint32_t how = random_below(random, 5);
    for (int end = 0; end < 2; ++end) {
        for (int k = 0; k < 3; ++k) {
            double(*x)[3] = c->x[end];
            switch (how) {
                case 0:  // parallel edges, or a face that is a segment
                    x[3][k] = x[2][k] + 2.0 * (x[1][k] - x[c->edges ? 0 : 2][k]);
                    break;
                case 1:  // collapsed at one end of time
                    x[3][k] = end == 0 ? x[2][k] : x[3][k];
                    break;
                case 2:  // collapsed throughout
                    x[3][k] = x[2][k];
                    x[1][k] = c->edges ? x[0][k] : x[2][k];
                    break;
                case 3:  // no motion
                    x[0][k] = c->x[0][0][k];
                    x[1][k] = c->x[0][1][k];
                    x[2][k] = c->x[0][2][k];
                    x[3][k] = c->x[0][3][k];
                    break;
                default:  // all move alike
                    if (end == 1) {
                        for (int i = 1; i < 4; ++i) {
                            x[i][k] = c->x[0][i][k] + (x[0][k] - c->x[0][0][k]);
                        }
                    }
            }
        }
    }
}

// changes some numbers by some units in the last place
static inline void sweep_add_ulps(test_random* random, sweep_case* c) {
    const int changes = random_between(random, 1, 4);
    for (int i = 0; i < changes; ++i) {
        double* x = sweep_number(c, (int)random_below(random, 24));
        *x = nextafter(*x, random_chance(random, 0.5) ? 1e300 : -1e300);
    }
}

// moves points by 10^-1 .. 10^-17
static inline void sweep_add_noise(test_random* random, sweep_case* c) {
    const double size = pow(10.0, -random_between(random, 1, 17));
    const int changes = random_between(random, 1, 24);
    for (int i = 0; i < changes; ++i) {
        *sweep_number(c, (int)random_below(random, 24)) += random_double(random, -size, size);
    }
}

// third coordinates close to 0 at the start, by 10^-1 .. 10^-320
static inline void sweep_make_start(test_random* random, sweep_case* c) {
    sweep_fill_grid(random, c, 3);
    for (int i = 0; i < 4; ++i) {
        c->x[0][i][2] = 0.0;
    }
    c->x[0][0][2] = pow(10.0, -random_double(random, 1.0, 322.0));
    c->x[1][0][2] = -(double)random_between(random, 1, 3);
    if (random_chance(random, 0.5)) {
        c->x[0][0][0] = c->x[0][1][0];
    }
    if (c->edges) {
        c->x[0][1][2] = random_chance(random, 0.5) ? c->x[0][0][2] : 1.0;
    }
}

// A vertex on an edge of the face, or edges that meet in a line, exactly and throughout, while
// everything moves alike or slides along that line. Coordinates have so many bits that sums and
// products are rounded, but the points themselves are exact.
static inline void sweep_make_slide(test_random* random, sweep_case* c) {
    double along[3];
    double aside[3];
    const bool simple = random_chance(random, 0.5);
    static const double ratios[3][3] = {{3, 4, 0}, {12, 5, 0}, {3, 4, 12}};
    const uint32_t which = random_below(random, 3);
    for (uint32_t k = 0; k < 3; ++k) {
        along[k] = simple ? ratios[which][k] : ldexp(random_between(random, -9999, 9999), -12);
        aside[k] = ldexp(random_between(random, -9999, 9999), -12);
    }
    const double slide = random_chance(random, 0.5)
                             ? ldexp(random_between(random, -999999, 999999), -18)
                             : 0;
    const double places[4] = {0, -random_between(random, 1, 99), random_between(random, 1, 99), 0};
    for (int end = 0; end < 2; ++end) {
        for (uint32_t k = 0; k < 3; ++k) {
            const double shift = end == 0 ? 0 : ldexp((double)random_between(random, -99, 99), -6);
            const double by = (end == 0 ? 0 : slide) * along[k];
            double* x[4] = {&c->x[end][0][k], &c->x[end][1][k], &c->x[end][2][k], &c->x[end][3][k]};
            *x[0] = shift + (c->edges ? places[1] * along[k] : 0);
            *x[1] = shift + (c->edges ? places[2] * along[k] : places[1] * along[k] + by);
            *x[2] = shift + (c->edges ? by : places[2] * along[k] + by);
            *x[3] = shift + aside[k] + by;
        }
    }
}

static inline void sweep_scale_axes(test_random* random, sweep_case* c, int range) {
    int by[3];
    for (int k = 0; k < 3; ++k) {
        by[k] = random_between(random, -range, range);
    }
    for (int i = 0; i < 24; ++i) {
        *sweep_number(c, i) = ldexp(*sweep_number(c, i), by[i % 3]);
    }
}

static inline void sweep_fill_any(test_random* random, sweep_case* c) {
    switch (random_below(random, 4)) {
        case 0: sweep_fill_grid(random, c, 3); break;
        case 1: sweep_make_touch(random, c); break;
        case 2:
            sweep_make_touch(random, c);
            sweep_add_noise(random, c);
            break;
        default: sweep_fill_random(random, c);
    }
}

static inline sweep_case sweep_case_make(uint64_t seed, uint64_t index) {
    test_random random = random_seed(seed * UINT64_C(0x9e3779b97f4a7c15) + index);
    sweep_case c;
    memset(&c, 0, sizeof c);
    c.family = (int)(index % SWEEP_FAMILIES);
    c.edges = random_chance(&random, 0.5);
    switch (c.family) {
        case SWEEP_GRID:
        case SWEEP_GRID_ULPS: sweep_fill_grid(&random, &c, 3); break;
        case SWEEP_TOUCH:
        case SWEEP_TOUCH_ULPS:
        case SWEEP_TOUCH_NEAR: sweep_make_touch(&random, &c); break;
        case SWEEP_SCALED:
        case SWEEP_NEEDLES:
        case SWEEP_FAR: sweep_fill_any(&random, &c); break;
        case SWEEP_PLANAR:
        case SWEEP_PLANAR_NEAR: sweep_make_planar(&random, &c); break;
        case SWEEP_PARALLEL:
        case SWEEP_PARALLEL_NEAR: sweep_make_parallel(&random, &c); break;
        case SWEEP_START: sweep_make_start(&random, &c); break;
        case SWEEP_SLIDE: sweep_make_slide(&random, &c); break;
        default: sweep_fill_random(&random, &c);
    }
    const int scale = random_chance(&random, 0.5) ? 300 : -300;
    const double away = ldexp(random_double(&random, -1.0, 1.0), 40);
    for (int i = 0; i < 24; ++i) {
        double* x = sweep_number(&c, i);
        *x = c.family == SWEEP_SCALED ? ldexp(*x, scale) : *x;
        *x = c.family == SWEEP_FAR ? *x + away : *x;
        *x = c.family == SWEEP_FAST && i >= 12 ? ldexp(*x, 25) : *x;
    }
    if (c.family == SWEEP_NEEDLES) {
        sweep_scale_axes(&random, &c, 40);
    }
    if (c.family == SWEEP_GRID_ULPS || c.family == SWEEP_TOUCH_ULPS) {
        sweep_add_ulps(&random, &c);
    }
    if (c.family == SWEEP_TOUCH_NEAR || c.family == SWEEP_PLANAR_NEAR ||
        c.family == SWEEP_PARALLEL_NEAR) {
        sweep_add_noise(&random, &c);
    }
    return c;
}

#endif
