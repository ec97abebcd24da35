// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The search for the closest points of two triangles in plain doubles, written once for one pair
// (distance.c) and for lanes of pairs (simd/kernels/distance_kernel.c), so that both give the same
// bits. The including file defines `number` (double, or a vector of them) and least, greatest,
// root, and pick_less(a, b, x, y), which is x where a < b, else y. As in lanes.h, least and
// greatest return their second argument if they are unordered: that turns the NaN of 0 / 0 into 0.
//
// Nine pairs of edges and six of a corner and a face give fifteen pairs of points; the closest pair
// wins. Features without extent give no pair, or one as valid as any other. Then the search tries
// slabs between the triangles: along the difference of the points, made orthogonal to their edges,
// and along the normals of the faces. If a slab is as wide as the distance of the points, the
// triangles share no point and the distance is correct, whatever the errors of the search.
// Otherwise the pair is undecided: the triangles touch or nearly do, or rounding was too large.
//
// Error bounds. The triangles are scaled by a power of two so that the box around both has its
// longest side in [1, 2). u = 2^-53, D is the computed distance of the points.
//   Points: a difference of corners is at most 2 u off, its product with a weight 4 u, a coordinate
//   of the difference of points, sums included, 18 u and another 4 u for weights that sum to a
//   little more than 1. Its length is 39 u off, and its computed length, square root included,
//   53 u. So the distance is at most D + 2^-47.
//   Slab: along any axis n a computed n . x is at most 8.2 u |n|_1 off, and a gap of two of them,
//   rounded, 21 u |n|_1 <= 37 u |n|. So the distance is at least gap / |n| - 2^-47.
// A slab is wide enough if gap / |n| >= D - 2^-46. Comparing squares adds 20 u. In all the distance
// differs from D by at most 2^-45.
//
// Based on: Lumelsky, "On fast computation of distance between line segments", Information
// Processing Letters 21 (1985).
#ifndef ABUT_SIMD_DISTANCE_SEARCH_H
#define ABUT_SIMD_DISTANCE_SEARCH_H

// Distances below this are left to wide integers, so that the relative error is at most 2^-25. The
// extent is below 2, so these include all distances below 2^-20 of the extent; the excess over
// 2^-19 covers the error of D.
#define ABUT__DISTANCE_LEAST 0x1.0001p-19
#define ABUT__DISTANCE_SLACK 0x1p-46

typedef struct closest_points {
    number square;         // of their distance
    number difference[3];  // the point of q minus that of p
    number u[3], v[3];     // the edges that s and t are weights along
    number s, t;           // weights, see `feature`
    number feature;  // 0 .. 8: edge i of p and edge j of q as 3 i + j; weights of their second
                     // corners. 9 .. 11: face of p and corner of q, 12 .. 14: face of q and
                     // corner of p; weights of the face's second and third corner
} closest_points;

static inline number product(const number a[3], const number b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross_product(const number a[3], const number b[3], number out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline number clamp_to_unit(number x) {
    return least(greatest(x, (number){0}), (number){0} + 1.0);
}

static inline void take_closer(closest_points* best, number square, const number difference[3],
                               const number u[3], const number v[3], number s, number t,
                               double feature) {
    for (int k = 0; k < 3; ++k) {
        best->difference[k] = pick_less(square, best->square, difference[k], best->difference[k]);
        best->u[k] = pick_less(square, best->square, u[k], best->u[k]);
        best->v[k] = pick_less(square, best->square, v[k], best->v[k]);
    }
    best->s = pick_less(square, best->square, s, best->s);
    best->t = pick_less(square, best->square, t, best->t);
    best->feature = pick_less(square, best->square, (number){0} + feature, best->feature);
    best->square = least(square, best->square);
}

// Tries edges a + s u and c + t v with w = c - a. With n = u x v the lines are closest at
// s = w . (v x n) / n . n, which stays accurate for nearly parallel lines.
static inline void search_edges(const number u[3], const number v[3], const number w[3],
                                number inverse_uu, number inverse_vv, double feature,
                                closest_points* best) {
    number n[3];
    number m[3];
    cross_product(u, v, n);
    cross_product(v, n, m);
    const number uv = product(u, v);
    number s = clamp_to_unit(product(w, m) / product(n, n));
    const number t = clamp_to_unit((s * uv - product(v, w)) * inverse_vv);
    s = clamp_to_unit((t * uv + product(u, w)) * inverse_uu);
    number difference[3];
    for (int k = 0; k < 3; ++k) {
        difference[k] = (w[k] + t * v[k]) - s * u[k];
    }
    take_closer(best, product(difference, difference), difference, u, v, s, t, feature);
}

// A face a + s u + t v, prepared for corners x with w = x - a: s = w . to_s, t = w . to_t.
typedef struct search_face {
    const number* u;  // not a copy, which gcc would make in parts that are slow to load as vectors
    number v[3], normal[3];
    number to_s[3], to_t[3];
} search_face;

static inline search_face prepare_face(const number u[3], const number last[3]) {
    search_face face;
    face.u = u;
    for (int k = 0; k < 3; ++k) {
        face.v[k] = -last[k];
    }
    cross_product(face.u, face.v, face.normal);
    const number inverse = 1.0 / product(face.normal, face.normal);
    cross_product(face.v, face.normal, face.to_s);
    cross_product(face.normal, face.u, face.to_t);
    for (int k = 0; k < 3; ++k) {
        face.to_s[k] *= inverse;
        face.to_t[k] *= inverse;
    }
    return face;
}

// Tries a corner above a face. One correction step removes the error of the foot along the face.
static inline void search_corner(const search_face* face, const number w[3], double sign,
                                 double feature, closest_points* best) {
    number s = product(w, face->to_s);
    number t = product(w, face->to_t);
    number rest[3];
    for (int k = 0; k < 3; ++k) {
        rest[k] = w[k] - (s * face->u[k] + t * face->v[k]);
    }
    s += product(rest, face->to_s);
    t += product(rest, face->to_t);
    for (int k = 0; k < 3; ++k) {
        rest[k] = sign * (w[k] - (s * face->u[k] + t * face->v[k]));
    }
    const number inside = least(least(s, t), (1.0 - s) - t);
    const number square = pick_less(inside, (number){0}, (number){0} + INFINITY,
                                    product(rest, rest));
    take_closer(best, square, rest, face->u, face->v, s, t, feature);
}

// Returns at most 0 if a gap is at least `width` times the length of the axis that it was measured
// along: `above` and `below` are the gaps to either side. Axes whose squares may underflow prove
// nothing.
static inline number gap_deficit(number above, number below, const number axis[3], number width) {
    const number gap = greatest(greatest(above, below), (number){0});
    const number axis_sq = product(axis, axis);
    return pick_less(axis_sq, (number){0} + 0x1p-500, (number){0} + INFINITY,
                     (width * width) * axis_sq - gap * gap);
}

// Returns at most 0 if the triangles are at least `width` apart along an axis. `e` are the edges of
// p, `w` the vectors from its first corner to those of q.
static inline number slab_deficit(const number e[3][3], const number w[3][3], const number axis[3],
                                  number width) {
    const number p1 = product(axis, e[0]);
    const number p2 = -product(axis, e[2]);
    const number q0 = product(axis, w[0]);
    const number q1 = product(axis, w[1]);
    const number q2 = product(axis, w[2]);
    const number above = least(least(q0, q1), q2) - greatest(greatest(p1, p2), (number){0});
    const number below = least(least(p1, p2), (number){0}) - greatest(greatest(q0, q1), q2);
    return gap_deficit(above, below, axis, width);
}

// Returns 1 / (a . a), or 0 for a short vector.
static inline number inverse_square(const number a[3]) {
    const number aa = product(a, a);
    return pick_less(aa, (number){0} + 0x1p-500, (number){0}, 1.0 / aa);
}

// Subtracts from r its component along a.
static inline void make_orthogonal_to(const number a[3], number r[3]) {
    const number part = product(a, r) * inverse_square(a);
    for (int k = 0; k < 3; ++k) {
        r[k] -= part * a[k];
    }
}

// Computes the difference of the points and removes its rounding error along those edges that have
// a point in their interior.
static inline void refine_axis(const closest_points* best, number axis[3]) {
    number u[3];
    number v[3];
    const number inside_u = least(best->s, 1.0 - best->s);
    const number inside_v = least(best->t, 1.0 - best->t);
    for (int k = 0; k < 3; ++k) {
        u[k] = pick_less((number){0}, inside_u, best->u[k], (number){0});
        v[k] = pick_less((number){0}, inside_v, best->v[k], (number){0});
        axis[k] = best->difference[k];
    }
    make_orthogonal_to(v, u);
    make_orthogonal_to(v, axis);
    make_orthogonal_to(u, axis);
}

// Finds the closest pair of points of two scaled triangles and returns their distance. If `doubt`
// is at most 0, the distance is correct and the triangles share no point.
static inline number search_distance(const number p[3][3], const number q[3][3],
                                     closest_points* best, number* doubt) {
    number e[3][3];
    number f[3][3];
    number inverse_e[3];
    number inverse_f[3];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            e[i][k] = p[(i + 1) % 3][k] - p[i][k];
            f[i][k] = q[(i + 1) % 3][k] - q[i][k];
        }
        inverse_e[i] = 1.0 / product(e[i], e[i]);
        inverse_f[i] = 1.0 / product(f[i], f[i]);
    }
    number w[3][3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 3; ++k) {
                w[i][j][k] = q[j][k] - p[i][k];
            }
        }
    }
    best->square = (number){0} + INFINITY;
    best->s = best->t = best->feature = (number){0};
    for (int k = 0; k < 3; ++k) {
        best->difference[k] = best->u[k] = best->v[k] = (number){0};
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            search_edges(e[i], f[j], w[i][j], inverse_e[i], inverse_f[j], 3 * i + j, best);
        }
    }
    const search_face face_p = prepare_face(e[0], e[2]);
    const search_face face_q = prepare_face(f[0], f[2]);
    for (int i = 0; i < 3; ++i) {
        const number back[3] = {-w[i][0][0], -w[i][0][1], -w[i][0][2]};
        search_corner(&face_p, w[0][i], 1.0, 9 + i, best);
        search_corner(&face_q, back, -1.0, 12 + i, best);
    }
    const number distance = root(best->square);
    const number width = distance - ABUT__DISTANCE_SLACK;
    number axis[3];
    refine_axis(best, axis);
    const number deficit = least(slab_deficit(e, w[0], axis, width),
                                 least(slab_deficit(e, w[0], face_p.normal, width),
                                       slab_deficit(e, w[0], face_q.normal, width)));
    *doubt = greatest(deficit, ABUT__DISTANCE_LEAST - distance);
    return distance;
}

#endif
