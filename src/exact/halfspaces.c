// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A triangle and half-spaces: see halfspaces.h.
//
// A point of the triangle is given by weights w >= 0 of its corners, not all 0. The height of corner i
// over plane j is h_ji = n_j . c_i - offset_j, and the point is in half-space j if h_j . w <= 0. The
// weights that are in all half-spaces are a convex polygon. If there are any, it has a corner: a
// corner of the triangle, or where a plane crosses an edge, or where two planes cross, at
// w = h_j x h_k. So these candidates are all that is looked at. Signs of determinants of heights, of
// two and three rows, decide. In doubles each height has an error bound; where the bounds do not
// suffice, wide integers decide: heights have 4203 bits at most, products of three 12609 (wide.h).
#include "exact/halfspaces.h"

#include <math.h>

#include "exact/wide.h"

typedef struct heights {
    const double (*t)[3];
    const abut__halfspace* spaces;
    uint32_t count;
    double h[ABUT__HALFSPACES_MOST][3];
    double error[ABUT__HALFSPACES_MOST][3];
    signed char sign[ABUT__HALFSPACES_MOST][3];
} heights;

// ---- wide integers

// The exponents of corners and of normals, whose sum is at most that of offsets.
typedef struct exponents {
    int corner;
    int normal;
} exponents;

static exponents exponents_of(const heights* s) {
    int corner = abut__wide_exponent(s->t[0], 9);
    int normal = ABUT__WIDE_NO_EXPONENT;
    int offset = ABUT__WIDE_NO_EXPONENT;
    for (uint32_t j = 0; j < s->count; ++j) {
        const int n = abut__wide_exponent(s->spaces[j].n, 3);
        const int d = abut__wide_exponent(&s->spaces[j].offset, 1);
        normal = n < normal ? n : normal;
        offset = d < offset ? d : offset;
    }
    corner = corner == ABUT__WIDE_NO_EXPONENT ? 0 : corner;
    normal = normal == ABUT__WIDE_NO_EXPONENT ? 0 : normal;
    if (offset < corner + normal) {
        corner = offset - normal;
    }
    return (exponents){corner, normal};
}

static void height_wide(const heights* s, exponents e, uint32_t j, int i, abut__wide* out) {
    abut__wide a;
    abut__wide b;
    abut__wide product;
    abut__wide_set(out, -s->spaces[j].offset, e.corner + e.normal);
    for (int k = 0; k < 3; ++k) {
        abut__wide_set(&a, s->spaces[j].n[k], e.normal);
        abut__wide_set(&b, s->t[i][k], e.corner);
        abut__wide_mul(&product, &a, &b);
        abut__wide_add(out, out, &product);
    }
}

// h_ji h_lk - h_jk h_li
static void minor_wide(const heights* s, exponents e, uint32_t j, uint32_t l, int i, int k,
                       abut__wide* out) {
    abut__wide a;
    abut__wide b;
    abut__wide product;
    height_wide(s, e, j, i, &a);
    height_wide(s, e, l, k, &b);
    abut__wide_mul(out, &a, &b);
    height_wide(s, e, j, k, &a);
    height_wide(s, e, l, i, &b);
    abut__wide_mul(&product, &a, &b);
    abut__wide_sub(out, out, &product);
}

static int det_wide(const heights* s, uint32_t j, uint32_t k, uint32_t l) {
    const exponents e = exponents_of(s);
    abut__wide sum;
    abut__wide minor;
    abut__wide height;
    abut__wide product;
    abut__wide_set(&sum, 0, 0);
    for (int i = 0; i < 3; ++i) {
        minor_wide(s, e, k, l, (i + 1) % 3, (i + 2) % 3, &minor);
        height_wide(s, e, j, i, &height);
        abut__wide_mul(&product, &minor, &height);
        abut__wide_add(&sum, &sum, &product);
    }
    return sum.sign;
}

// ---- signs

// Adds a product of heights to a sum, and to a bound of its error: the product of magnitudes with
// their errors less that without, and roundings.
static void add_product(const double* factors, const double* errors, int count, double* sum,
                        double* bound) {
    double value = 1;
    double least = 1;
    double most = 1;
    for (int i = 0; i < count; ++i) {
        value *= factors[i];
        least *= fabs(factors[i]);
        most *= fabs(factors[i]) + errors[i];
    }
    *sum += value;
    *bound += (most - least) + 0x1p-46 * most + 0x1p-1000;
}

// The sign if the bound decides it, else 0.
static int sign_of(double sum, double bound) {
    return !(bound < 0x1p1000) ? 0 : sum > bound ? 1 : sum < -bound ? -1 : 0;
}

static int minor_sign(const heights* s, uint32_t j, uint32_t l, int i, int k) {
    double sum = 0;
    double bound = 0;
    add_product((const double[2]){s->h[j][i], s->h[l][k]},
                (const double[2]){s->error[j][i], s->error[l][k]}, 2, &sum, &bound);
    add_product((const double[2]){-s->h[j][k], s->h[l][i]},
                (const double[2]){s->error[j][k], s->error[l][i]}, 2, &sum, &bound);
    const int sign = sign_of(sum, bound);
    if (sign != 0) {
        return sign;
    }
    abut__wide exact;
    minor_wide(s, exponents_of(s), j, l, i, k, &exact);
    return exact.sign;
}

static int det_sign(const heights* s, uint32_t j, uint32_t k, uint32_t l) {
    double sum = 0;
    double bound = 0;
    for (int i = 0; i < 6; ++i) {
        const int a = i % 3;
        const int b = i < 3 ? (a + 1) % 3 : (a + 2) % 3;
        const int c = 3 - a - b;
        add_product((const double[3]){i < 3 ? s->h[j][a] : -s->h[j][a], s->h[k][b], s->h[l][c]},
                    (const double[3]){s->error[j][a], s->error[k][b], s->error[l][c]}, 3, &sum,
                    &bound);
    }
    const int sign = sign_of(sum, bound);
    return sign != 0 ? sign : det_wide(s, j, k, l);
}

static void set_height(heights* s, uint32_t j, int i) {
    const abut__halfspace* space = &s->spaces[j];
    double sum = -space->offset;
    double size = fabs(space->offset);
    for (int k = 0; k < 3; ++k) {
        sum += space->n[k] * s->t[i][k];
        size += fabs(space->n[k] * s->t[i][k]);
    }
    s->h[j][i] = sum;
    s->error[j][i] = 0x1p-49 * size + 0x1p-1000;
    int sign = sign_of(sum, s->error[j][i]);
    if (sign == 0) {
        abut__wide exact;
        height_wide(s, exponents_of(s), j, i, &exact);
        sign = exact.sign;
    }
    s->sign[j][i] = (signed char)sign;
}

// ---- candidates

// Where plane j crosses the edge from corner i to corner k: h_jk and h_ji weigh the opposite ends.
static bool edge_reaches(const heights* s, uint32_t j, int i, int k) {
    if (s->sign[j][i] * s->sign[j][k] >= 0) {
        return false;
    }
    for (uint32_t l = 0; l < s->count; ++l) {
        // the height of the point over plane l has the sign of h_li h_jk - h_lk h_ji, times that of h_jk
        if (l != j && minor_sign(s, l, j, i, k) * s->sign[j][k] > 0) {
            return false;
        }
    }
    return true;
}

// Where planes j and k cross.
static bool crossing_reaches(const heights* s, uint32_t j, uint32_t k) {
    int sign = 0;
    for (int i = 0; i < 3; ++i) {
        const int w = minor_sign(s, j, k, (i + 1) % 3, (i + 2) % 3);
        if (w * sign < 0) {
            return false;  // outside the triangle
        }
        sign = w != 0 ? w : sign;
    }
    for (uint32_t l = 0; l < s->count && sign != 0; ++l) {
        if (l != j && l != k && det_sign(s, l, j, k) * sign > 0) {
            return false;
        }
    }
    return sign != 0;
}

abut__reach abut__halfspaces_reach(const double t[3][3], const abut__halfspace* spaces,
                                   uint32_t count) {
    heights s;
    uint32_t outside = 0;  // corners that are, a bit each
    s.t = t;
    s.spaces = spaces;
    s.count = count;
    for (uint32_t j = 0; j < count; ++j) {
        uint32_t here = 0;
        for (int i = 0; i < 3; ++i) {
            set_height(&s, j, i);
            here |= s.sign[j][i] > 0 ? 1u << i : 0;
        }
        if (here == 7) {
            return ABUT__REACH_NONE;
        }
        outside |= here;
    }
    if (outside != 7) {
        return outside == 0 ? ABUT__REACH_WHOLE : ABUT__REACH_PART;
    }
    for (uint32_t j = 0; j < count; ++j) {
        for (int i = 0; i < 3; ++i) {
            if (edge_reaches(&s, j, i, (i + 1) % 3)) {
                return ABUT__REACH_PART;
            }
        }
    }
    for (uint32_t j = 0; j < count; ++j) {
        for (uint32_t k = j + 1; k < count; ++k) {
            if (crossing_reaches(&s, j, k)) {
                return ABUT__REACH_PART;
            }
        }
    }
    return ABUT__REACH_NONE;
}
