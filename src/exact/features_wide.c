// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Closest points of features of two triangles in wide integers, pair by pair.
#include "exact/features_wide.h"

#include <stddef.h>

typedef struct {
    abut__wide x[3];
} wide_vector;

typedef struct {
    wide_vector corner[2][3];
    bool (*visit)(void* user, const abut__wide_points* points);
    void* user;
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

static bool is_zero(const wide_vector* n) {
    return n->x[0].sign == 0 && n->x[1].sign == 0 && n->x[2].sign == 0;
}

static bool visit_corners(const wide_pair* pair, uint32_t i, uint32_t j) {
    static const abut__wide one = {1, 1, {1}};
    wide_vector w;
    abut__wide ww;
    subtract(&w, &pair->corner[0][i], &pair->corner[1][j]);
    dot(&ww, &w, &w);
    return pair->visit(pair->user,
                       &(abut__wide_points){&ww, &one, {1, 1}, {i, j}, {NULL, NULL, NULL}});
}

// Visits corner i of a triangle and the interior of edge j of the other. The squared distance is
// |w x d|^2 / |d|^2.
static bool visit_corner_edge(const wide_pair* pair, int side, uint32_t i, uint32_t j) {
    const wide_vector* t = pair->corner[1 - side];
    wide_vector d;
    wide_vector w;
    wide_vector n;
    abut__wide along;
    abut__wide dd;
    abut__wide nn;
    subtract(&d, &t[(j + 1) % 3], &t[j]);
    subtract(&w, &pair->corner[side][i], &t[j]);
    dot(&along, &w, &d);
    dot(&dd, &d, &d);
    if (along.sign <= 0 || abut__wide_compare(&along, &dd) >= 0) {
        return true;
    }
    cross(&n, &w, &d);
    dot(&nn, &n, &n);
    abut__wide_points points = {&nn, &dd, {2, 2}, {j, j}, {&along, NULL, NULL}};
    points.size[side] = 1;
    points.first[side] = i;
    return pair->visit(pair->user, &points);
}

// The squared height along n: (n . w)^2 / |n|^2.
static void height_sq(abut__wide* out, const wide_vector* n, const wide_vector* w) {
    abut__wide height;
    dot(&height, n, w);
    abut__wide_mul(out, &height, &height);
}

// Visits corner i of a triangle above the face of the other, which has the normal n.
static bool visit_corner_face(const wide_pair* pair, int side, uint32_t i, const wide_vector* n) {
    const wide_vector* t = pair->corner[1 - side];
    wide_vector w;
    abut__wide inside[3];
    for (int e = 0; e < 3; ++e) {
        wide_vector edge;
        wide_vector inward;
        subtract(&edge, &t[(e + 1) % 3], &t[e]);
        subtract(&w, &pair->corner[side][i], &t[e]);
        cross(&inward, n, &edge);
        dot(&inside[(e + 2) % 3], &inward, &w);
        if (inside[(e + 2) % 3].sign < 0) {
            return true;
        }
    }
    abut__wide square;
    abut__wide nn;
    height_sq(&square, n, &w);
    dot(&nn, n, n);
    abut__wide_points points = {&square, &nn, {3, 3}, {0, 0}, {&inside[0], &inside[1], &inside[2]}};
    points.size[side] = 1;
    points.first[side] = i;
    return pair->visit(pair->user, &points);
}

// Computes (w x d) . n. Returns whether it is in 0 .. n . n.
static bool weight_inside(const wide_vector* w, const wide_vector* d, const wide_vector* n,
                          const abut__wide* nn, abut__wide* weight) {
    wide_vector m;
    cross(&m, w, d);
    dot(weight, &m, n);
    return weight->sign >= 0 && abut__wide_compare(weight, nn) <= 0;
}

// Visits two edges. With w = c - a and n = u x v, a + s u and c + t v are closest at
// s = (w x v) . n / n . n, t = (w x u) . n / n . n.
static bool visit_edges(const wide_pair* pair, uint32_t i, uint32_t j) {
    const wide_vector* p = pair->corner[0];
    const wide_vector* q = pair->corner[1];
    wide_vector u;
    wide_vector v;
    wide_vector w;
    wide_vector n;
    subtract(&u, &p[(i + 1) % 3], &p[i]);
    subtract(&v, &q[(j + 1) % 3], &q[j]);
    subtract(&w, &q[j], &p[i]);
    cross(&n, &u, &v);
    if (is_zero(&n)) {
        return true;
    }
    abut__wide nn;
    abut__wide s;
    abut__wide t;
    abut__wide square;
    dot(&nn, &n, &n);
    if (!weight_inside(&w, &v, &n, &nn, &s) || !weight_inside(&w, &u, &n, &nn, &t)) {
        return true;
    }
    height_sq(&square, &n, &w);
    return pair->visit(pair->user,
                       &(abut__wide_points){&square, &nn, {2, 2}, {i, j}, {&s, &t, NULL}});
}

// Visits the corners of one triangle against the edges and the face of the other.
static bool visit_corners_of(const wide_pair* pair, int side) {
    for (uint32_t i = 0; i < 3; ++i) {
        for (uint32_t j = 0; j < 3; ++j) {
            if (!visit_corner_edge(pair, side, i, j)) {
                return false;
            }
        }
    }
    const wide_vector* t = pair->corner[1 - side];
    wide_vector u;
    wide_vector v;
    wide_vector n;
    subtract(&u, &t[1], &t[0]);
    subtract(&v, &t[2], &t[0]);
    cross(&n, &u, &v);
    return is_zero(&n) ||
           (visit_corner_face(pair, side, 0, &n) && visit_corner_face(pair, side, 1, &n) &&
            visit_corner_face(pair, side, 2, &n));
}

int abut__wide_pair_exponent(const double p[3][3], const double q[3][3]) {
    int exponent = ABUT__WIDE_NO_EXPONENT;
    for (int i = 0; i < 6; ++i) {
        const int own = abut__wide_exponent(i < 3 ? p[i] : q[i - 3], 3);
        exponent = own < exponent ? own : exponent;
    }
    return exponent;
}

void abut__wide_features(const double p[3][3], const double q[3][3], int exponent,
                         bool (*visit)(void* user, const abut__wide_points* points), void* user) {
    wide_pair pair;
    pair.visit = visit;
    pair.user = user;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            abut__wide_set(&pair.corner[0][i].x[k], p[i][k], exponent);
            abut__wide_set(&pair.corner[1][i].x[k], q[i][k], exponent);
        }
    }
    bool on = true;
    for (uint32_t c = 0; c < 9 && on; ++c) {
        on = visit_corners(&pair, c / 3, c % 3);
    }
    on = on && visit_corners_of(&pair, 0) && visit_corners_of(&pair, 1);
    for (uint32_t e = 0; e < 9 && on; ++e) {
        on = visit_edges(&pair, e / 3, e % 3);
    }
}
