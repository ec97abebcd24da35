// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Pairs of triangles that are hard to decide, in families, made from a seed. The quick and the long
// test of the exact layer share them.
#ifndef ABUT_TESTS_EXACT_CASES_H
#define ABUT_TESTS_EXACT_CASES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    double p[3][3];
    double q[3][3];
} exact_case;

static inline uint64_t next_bits(uint64_t* state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline int next_int(uint64_t* state, int least, int greatest) {
    return least + (int)(next_bits(state) % (uint64_t)(greatest - least + 1));
}

static inline double next_unit(uint64_t* state) {
    return (double)(next_bits(state) >> 11) * 0x1p-53 * 2.0 - 1.0;
}

// a corner of the pair by number: p0 p1 p2 q0 q1 q2
static inline double* case_corner(exact_case* c, int i) {
    return i < 3 ? c->p[i] : c->q[i - 3];
}

static inline void case_random(uint64_t* state, exact_case* c) {
    const double size = ldexp(1.0, -next_int(state, 0, 2));
    for (int t = 0; t < 2; ++t) {
        double centre[3];
        for (int k = 0; k < 3; ++k) {
            centre[k] = 0.5 * next_unit(state);
        }
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 3; ++k) {
                case_corner(c, 3 * t + i)[k] = centre[k] + size * next_unit(state);
            }
        }
    }
}

static inline void case_grid(uint64_t* state, exact_case* c) {
    const int size = next_int(state, 1, 2);
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 3; ++k) {
            case_corner(c, i)[k] = next_int(state, -size, size);
        }
    }
}

static inline void nudge(uint64_t* state, exact_case* c) {
    double* x = &case_corner(c, next_int(state, 0, 5))[next_int(state, 0, 2)];
    const double moved = nextafter(*x, next_bits(state) & 1 ? INFINITY : -INFINITY);
    *x = isfinite(moved) ? moved : *x;
}

static inline void case_grid_ulp(uint64_t* state, exact_case* c) {
    case_grid(state, c);
    for (int n = next_int(state, 1, 3); n > 0; --n) {
        nudge(state, c);
    }
}

// integer combinations of two integer vectors: exactly in one plane, or on one line
static inline void case_coplanar(uint64_t* state, exact_case* c) {
    int o[3];
    int u[3];
    int v[3];
    const int range = next_int(state, 0, 1) ? 3 : 1000;
    for (int k = 0; k < 3; ++k) {
        o[k] = next_int(state, -range, range);
        u[k] = next_int(state, -range, range);
        v[k] = next_int(state, -range, range);
    }
    const int kind = next_int(state, 0, 5);
    if (kind == 0) {  // across an axis
        u[0] = 0;
        v[0] = 0;
    }
    const int span = next_int(state, 2, 4);
    for (int i = 0; i < 6; ++i) {
        const int s = next_int(state, -span, span);
        const int t = kind == 1 ? 0 : next_int(state, -span, span);  // 1: collinear
        for (int k = 0; k < 3; ++k) {
            case_corner(c, i)[k] = o[k] + s * u[k] + t * v[k];
        }
    }
}

// one triangle without area; the other is random or in its plane
static inline void case_degenerate(uint64_t* state, exact_case* c) {
    if (next_bits(state) & 1) {
        case_coplanar(state, c);
    } else {
        case_grid(state, c);
    }
    const int from = next_int(state, 0, 1) * 3;
    const int both = next_int(state, 0, 2) == 0;
    for (int t = 0; t < 2; ++t) {
        if (both || 3 * t == from) {
            const int a = 3 * t + next_int(state, 0, 2);
            const int b = 3 * t + next_int(state, 0, 2);
            memcpy(case_corner(c, a), case_corner(c, b), sizeof c->p[0]);
        }
    }
}

static inline void case_shared(uint64_t* state, exact_case* c) {
    if (next_bits(state) & 1) {
        case_random(state, c);
    } else {
        case_coplanar(state, c);
    }
    const int count = next_int(state, 1, 3);
    const int turn = next_int(state, 0, 2);
    const int step = next_int(state, 1, 2);
    for (int i = 0; i < count; ++i) {
        memcpy(c->q[(turn + step * i) % 3], c->p[i], sizeof c->p[0]);
    }
}

// a corner or an edge of q passes exactly through a point of p with dyadic weights
static inline void case_near_touch(uint64_t* state, exact_case* c) {
    const int bits = next_int(state, 3, 24);
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 3; ++k) {
            case_corner(c, i)[k] = ldexp(next_int(state, -(1 << bits), 1 << bits), -bits + 4);
        }
    }
    const int w0 = next_int(state, 0, 16);
    const int w1 = next_int(state, 0, 16 - w0);
    double x[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = (w0 * c->p[0][k] + w1 * c->p[1][k] + (16 - w0 - w1) * c->p[2][k]) / 16.0;
    }
    const int kind = next_int(state, 0, 2);
    for (int k = 0; k < 3; ++k) {
        if (kind == 0) {
            c->q[0][k] = x[k];
        } else if (kind == 1) {  // x is the middle of an edge
            c->q[1][k] = 2.0 * x[k] - c->q[0][k];
        } else {  // x is inside q
            c->q[2][k] = 4.0 * x[k] - c->q[0][k] - 2.0 * c->q[1][k];
        }
    }
    for (int n = next_int(state, 0, 2); n > 0; --n) {
        nudge(state, c);
    }
}

static inline void case_needle(uint64_t* state, exact_case* c) {
    case_random(state, c);
    for (int t = 0; t < 2; ++t) {
        const double w = next_unit(state);
        const double off = ldexp(1.0, -next_int(state, 10, 60));
        double* a = case_corner(c, 3 * t);
        double* b = case_corner(c, 3 * t + 1);
        double* d = case_corner(c, 3 * t + 2);
        for (int k = 0; k < 3; ++k) {
            d[k] = a[k] + w * (b[k] - a[k]) + off * next_unit(state);
        }
    }
    if (next_bits(state) & 1) {  // through each other
        for (int k = 0; k < 3; ++k) {
            const double shift = 0.5 * (c->p[0][k] + c->p[1][k]) - 0.5 * (c->q[0][k] + c->q[1][k]);
            for (int i = 0; i < 3; ++i) {
                c->q[i][k] += shift;
            }
        }
    }
}

// each coordinate has its own exponent
static inline void case_mixture(uint64_t* state, exact_case* c) {
    static const int spreads[4] = {40, 150, 250, 1000};
    const int spread = spreads[next_int(state, 0, 3)];
    if (next_bits(state) & 1) {
        case_random(state, c);
    } else {
        case_grid(state, c);
    }
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (next_int(state, 0, 2) == 0) {
                case_corner(c, i)[k] = ldexp(case_corner(c, i)[k],
                                             next_int(state, -spread, spread));
            }
        }
    }
}

enum { CASE_FAMILIES = 9 };
static const char* const case_names[CASE_FAMILIES] = {"random",     "grid",       "grid and ulp",
                                                      "coplanar",   "degenerate", "shared",
                                                      "near touch", "needle",     "mixture"};

static inline void case_family(uint64_t* state, int family, exact_case* c) {
    void (*const make[CASE_FAMILIES])(uint64_t*, exact_case*) = {
        case_random, case_grid,       case_grid_ulp, case_coplanar, case_degenerate,
        case_shared, case_near_touch, case_needle,   case_mixture};
    make[family](state, c);
}

// far away, anisotropic, huge, tiny; all coordinates stay finite
static inline void case_transform(uint64_t* state, exact_case* c) {
    const int kind = next_int(state, 0, 7);
    static const int scales[8] = {300, -300, 1000, -1000, -1050, -1070, 990, 40};
    const int scale = scales[next_int(state, 0, 7)];
    const double offset = next_bits(state) & 1 ? 0x1p40 : 1e8;
    int stretch[3];
    for (int k = 0; k < 3; ++k) {
        stretch[k] = next_int(state, -1, 1) * 40;
    }
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 3; ++k) {
            double* x = &case_corner(c, i)[k];
            double moved = *x;
            if (kind == 0) {
                moved += offset;
            } else if (kind == 1) {
                moved = ldexp(moved, stretch[k]);
            } else if (kind == 2) {
                moved = ldexp(moved, scale);
            } else if (kind == 3) {  // up to the greatest double
                moved = ldexp(moved, 1023);
            }
            *x = isfinite(moved) ? moved
                 : moved > 0.0   ? 0x1.fffffffffffffp1023
                                 : -0x1.fffffffffffffp1023;
        }
    }
}

static inline exact_case case_make(uint64_t seed, uint64_t index, int* family) {
    uint64_t state = seed * UINT64_C(0x2545f4914f6cdd1d) + index * UINT64_C(0x9e6c63d0876a9a47);
    exact_case c;
    *family = next_int(&state, 0, CASE_FAMILIES - 1);
    case_family(&state, *family, &c);
    case_transform(&state, &c);
    return c;
}

#endif
