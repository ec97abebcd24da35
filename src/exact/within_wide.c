// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Distance of two triangles against a margin in wide integers. Triangles that share no point are
// closest at two corners, a corner and an inner point of an edge, a corner and one of a face, or
// inner points of two edges. Each pair of features gives a pair of points if its closest points lie
// inside, and every such pair is at least as far apart as the triangles; so the answer is yes if
// and only if one of them is close enough. Features without extent are skipped, for smaller ones
// stand for them.
#include <math.h>

#include "exact/wide.h"
#include "exact/within.h"

typedef struct {
    abut__wide x[3];
} wide_vector;

typedef struct {
    wide_vector corner[6];  // of p, then of q
    abut__wide margin_sq;
} wide_pair;

static void subtract(wide_vector* out, const wide_vector* a, const wide_vector* b) {
    for (int k = 0; k < 3; ++k) {
        abut__wide_sub(&out->x[k], &a->x[k], &b->x[k]);
    }
}

static void dot(abut__wide* out, const wide_vector* a, const wide_vector* b) {
    abut__wide product;
    abut__wide_mul(out, &a->x[0], &b->x[0]);
    for (int k = 1; k < 3; ++k) {
        abut__wide_mul(&product, &a->x[k], &b->x[k]);
        abut__wide_add(out, out, &product);
    }
}

static void cross(wide_vector* out, const wide_vector* a, const wide_vector* b) {
    abut__wide product;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        abut__wide_mul(&out->x[k], &a->x[i], &b->x[j]);
        abut__wide_mul(&product, &a->x[j], &b->x[i]);
        abut__wide_sub(&out->x[k], &out->x[k], &product);
    }
}

// a <= margin^2 b
static bool at_most_margin_sq(const wide_pair* pair, const abut__wide* a, const abut__wide* b) {
    abut__wide limit;
    abut__wide_mul(&limit, &pair->margin_sq, b);
    return abut__wide_compare(a, &limit) <= 0;
}

static bool corners_within(const wide_pair* pair, const wide_vector* x, const wide_vector* y) {
    wide_vector w;
    abut__wide ww;
    subtract(&w, x, y);
    dot(&ww, &w, &w);
    return abut__wide_compare(&ww, &pair->margin_sq) <= 0;
}

// corner x and the inside of edge a b: |w x d|^2 <= margin^2 |d|^2
static bool corner_edge_within(const wide_pair* pair, const wide_vector* x, const wide_vector* a,
                               const wide_vector* b) {
    wide_vector d;
    wide_vector w;
    wide_vector n;
    abut__wide along;
    abut__wide dd;
    abut__wide nn;
    subtract(&d, b, a);
    subtract(&w, x, a);
    dot(&along, &w, &d);
    dot(&dd, &d, &d);
    if (along.sign <= 0 || abut__wide_compare(&along, &dd) >= 0) {
        return false;
    }
    cross(&n, &w, &d);
    dot(&nn, &n, &n);
    return at_most_margin_sq(pair, &nn, &dd);
}

// (n . w)^2 <= margin^2 |n|^2
static bool height_within(const wide_pair* pair, const wide_vector* n, const wide_vector* w) {
    abut__wide height;
    abut__wide height_sq;
    abut__wide nn;
    dot(&height, n, w);
    abut__wide_mul(&height_sq, &height, &height);
    dot(&nn, n, n);
    return at_most_margin_sq(pair, &height_sq, &nn);
}

static bool is_zero(const wide_vector* n) {
    return n->x[0].sign == 0 && n->x[1].sign == 0 && n->x[2].sign == 0;
}

// corner x above the face t of normal n
static bool corner_face_within(const wide_pair* pair, const wide_vector* x, const wide_vector* t,
                               const wide_vector* n) {
    wide_vector w;
    for (int i = 0; i < 3; ++i) {
        wide_vector edge;
        wide_vector inward;
        abut__wide side;
        subtract(&edge, &t[(i + 1) % 3], &t[i]);
        subtract(&w, x, &t[i]);
        cross(&inward, n, &edge);
        dot(&side, &inward, &w);
        if (side.sign < 0) {
            return false;
        }
    }
    return height_within(pair, n, &w);
}

// is 0 <= (w x d) . n <= n . n?
static bool weight_is_inside(const wide_vector* w, const wide_vector* d, const wide_vector* n) {
    wide_vector m;
    abut__wide weight;
    abut__wide nn;
    cross(&m, w, d);
    dot(&weight, &m, n);
    dot(&nn, n, n);
    return weight.sign >= 0 && abut__wide_compare(&weight, &nn) <= 0;
}

// a + s u and c + t v are closest at s = (w x v) . n / n . n, t = (w x u) . n / n . n, where
// w = c - a, n = u x v
static bool edges_within(const wide_pair* pair, const wide_vector* a, const wide_vector* b,
                         const wide_vector* c, const wide_vector* d) {
    wide_vector u;
    wide_vector v;
    wide_vector w;
    wide_vector n;
    subtract(&u, b, a);
    subtract(&v, d, c);
    subtract(&w, c, a);
    cross(&n, &u, &v);
    return !is_zero(&n) && weight_is_inside(&w, &v, &n) && weight_is_inside(&w, &u, &n) &&
           height_within(pair, &n, &w);
}

// corners of one triangle against corners, edges and the face of another
static bool any_corner_within(const wide_pair* pair, const wide_vector* corners,
                              const wide_vector* t) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            if (corners_within(pair, &corners[i], &t[j]) ||
                corner_edge_within(pair, &corners[i], &t[j], &t[(j + 1) % 3])) {
                return true;
            }
        }
    }
    wide_vector u;
    wide_vector v;
    wide_vector n;
    subtract(&u, &t[1], &t[0]);
    subtract(&v, &t[2], &t[0]);
    cross(&n, &u, &v);
    if (is_zero(&n)) {
        return false;
    }
    return corner_face_within(pair, &corners[0], t, &n) ||
           corner_face_within(pair, &corners[1], t, &n) ||
           corner_face_within(pair, &corners[2], t, &n);
}

static void set_pair(wide_pair* pair, const double p[3][3], const double q[3][3], double margin) {
    int exponent = abut__wide_exponent(&margin, 1);
    for (int i = 0; i < 6; ++i) {
        const int own = abut__wide_exponent(i < 3 ? p[i] : q[i - 3], 3);
        exponent = own < exponent ? own : exponent;
    }
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 3; ++k) {
            abut__wide_set(&pair->corner[i].x[k], i < 3 ? p[i][k] : q[i - 3][k], exponent);
        }
    }
    abut__wide limit;
    abut__wide_set(&limit, margin, exponent);
    abut__wide_mul(&pair->margin_sq, &limit, &limit);
}

bool abut__within_wide(const double p[3][3], const double q[3][3], double margin) {
    wide_pair pair;
    set_pair(&pair, p, q, margin);
    const wide_vector* a = pair.corner;
    const wide_vector* b = pair.corner + 3;
    if (any_corner_within(&pair, a, b) || any_corner_within(&pair, b, a)) {
        return true;
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            if (edges_within(&pair, &a[i], &a[(i + 1) % 3], &b[j], &b[(j + 1) % 3])) {
                return true;
            }
        }
    }
    return false;
}
