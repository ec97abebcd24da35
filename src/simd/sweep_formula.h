// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The cubic of four moving points and its error bound, as one source for single numbers and for
// lanes. The including file defines `number`, NUMBER_MAX(a, b), NUMBER_ABS(a) and NUMBER(constant).
// Both versions do the same operations in the same order and get the same bits. For the formulas
// and the proof of the bound see exact/moving_features.h.
#define ABUT__SWEEP_ERROR 0x1.8p-49   // 24 u
#define ABUT__SWEEP_NORMAL 0x1p-49    // 16 u
#define ABUT__SWEEP_LEAST 0x1p-760    // covers underflow
#define ABUT__SWEEP_DIAGONAL 0.41422  // more than sqrt(2) - 1

typedef struct {
    number x[3];
} sweep_vector;

static inline sweep_vector sweep_cross(sweep_vector a, sweep_vector b) {
    return (sweep_vector){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                           a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static inline number sweep_dot(sweep_vector a, sweep_vector b) {
    return (a.x[0] * b.x[0] + a.x[1] * b.x[1]) + a.x[2] * b.x[2];
}

static inline sweep_vector sweep_most(const sweep_vector v[2]) {
    sweep_vector most;
    for (int k = 0; k < 3; ++k) {
        most.x[k] = NUMBER_MAX(NUMBER_ABS(v[0].x[k]), NUMBER_ABS(v[1].x[k]));
    }
    return most;
}

// An upper bound of the length of v: exact for (1, 0, 0), and the length is convex.
static inline number sweep_length_bound(sweep_vector v) {
    const number x = NUMBER_ABS(v.x[0]);
    const number y = NUMBER_ABS(v.x[1]);
    const number z = NUMBER_ABS(v.x[2]);
    const number most = NUMBER_MAX(x, NUMBER_MAX(y, z));
    return most + NUMBER(ABUT__SWEEP_DIAGONAL) * (((x + y) + z) - most);
}

// Takes e1, e2 and w at both ends. c receives the Bernstein coefficients; returns E.
static inline number sweep_cubic(const sweep_vector e1[2], const sweep_vector e2[2],
                                 const sweep_vector w[2], bool has_margin, number margin,
                                 number c[4], number* permanent) {
    const sweep_vector n0 = sweep_cross(e1[0], e2[0]);
    const sweep_vector n2 = sweep_cross(e1[1], e2[1]);
    const sweep_vector p = sweep_cross(e1[0], e2[1]);
    const sweep_vector q = sweep_cross(e1[1], e2[0]);
    const sweep_vector n1 = {{p.x[0] + q.x[0], p.x[1] + q.x[1], p.x[2] + q.x[2]}};
    const number third = NUMBER(1.0 / 3.0);
    c[0] = sweep_dot(n0, w[0]);
    c[1] = (sweep_dot(n0, w[1]) + sweep_dot(n1, w[0])) * third;
    c[2] = (sweep_dot(n1, w[1]) + sweep_dot(n2, w[0])) * third;
    c[3] = sweep_dot(n2, w[1]);

    const sweep_vector a = sweep_most(e1);
    const sweep_vector b = sweep_most(e2);
    const sweep_vector d = sweep_most(w);
    const number yz = a.x[1] * b.x[2] + a.x[2] * b.x[1];
    const number zx = a.x[2] * b.x[0] + a.x[0] * b.x[2];
    const number xy = a.x[0] * b.x[1] + a.x[1] * b.x[0];
    *permanent = (yz * d.x[0] + zx * d.x[1]) + xy * d.x[2];
    number bound = NUMBER(ABUT__SWEEP_ERROR) * *permanent + NUMBER(ABUT__SWEEP_LEAST);
    if (has_margin) {
        const number most = NUMBER_MAX(NUMBER_MAX(sweep_length_bound(n0), sweep_length_bound(n2)),
                                       NUMBER(0.5) * sweep_length_bound(n1));
        const number normal = most + NUMBER(ABUT__SWEEP_NORMAL) * ((yz + zx) + xy);
        bound += margin * normal * NUMBER(1.0 + ABUT__SWEEP_NORMAL);
    }
    return bound;
}
