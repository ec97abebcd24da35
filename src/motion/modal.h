// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Data that the modal motion keeps in shapes and states.
//
// The pad. Let u = 2^-24 and S = max|p| + sum_j max|U_j| |q_j|, which bounds each coordinate and
// each partial sum. Rest positions p are relative to the mesh's origin. With M fields a float sum of M products is off by (M + 1) u S, rounding the
// coordinates and the rows to float adds 2 u S, so centres and points are within (M + 3) u S of the
// exact values, half extents as much, and their sum and difference another 2 u S. The vertices' own
// doubles are off by far less, unless the origin is not 0: then their error is added. Below 2 (M + 4) u S in all; the pad is (M + 8) 2^-23 S, plus a term
// for underflow: the rounding error of the coordinates, half a smallest float times |q_j| for each
// row, and as much for each product. Points of blocks need half the pad, (M + 8) u S: they are within
// (M + 3) u S, and a box around them is rounded once more.
//
// Boxes with slopes need three times the pad. Slopes times half extents are below 1.05 |U_j|, and so
// the rests of displacements below 2.05 |U_j|: centres are off by 2.05 (M + 3) u S, half extents by
// 2.1 (M + 4) u S, against 6 (M + 8) u S.
//
// Spheres need three times the pad on their radius. Centres lie in the box of what they bound, so R
// and all sums for the radius are below 2 sqrt(3) S: off by 3.5 (M + 2) u S. The centre is off by
// (M + 3) u S in each axis, sqrt(3) times that in all; adding the pad, and box = centre -+ radius,
// another 9 u S. Below (5.3 M + 22) u S against 6 (M + 8) u S. The term for underflow grows
// likewise. After rotation a sphere's centre is off by 1.75 (1 + 3) u S, its radius times the norm
// of a row of R
// (float: 3 u) by 3.5 (3 + 2) u S, their sum by 6 u S: below the 64 u S of body.h.
#ifndef ABUT_MOTION_MODAL_H
#define ABUT_MOTION_MODAL_H

#include "abut/modal.h"
#include "bound/certificate.h"
#include "bound/proxies.h"
#include "bound/refine_choice.h"
#include "motion/motion.h"
#include "motion/whole.h"

// What queries compare of shapes with spheres. The last two are for tests and measurements.
typedef enum abut__modal_compare {
    ABUT__COMPARE_CHOSEN = 0,  // as the bound says; of both kinds by bound/refine_choice.h
    ABUT__COMPARE_CUBES,       // boxes around the spheres
    ABUT__COMPARE_BOTH,        // both kinds in all states
} abut__modal_compare;

// Bounds of nodes, and of the whole shape, by what fields do to them.
typedef struct abut__modal_bounds {
    abut__bdtree* bdtree;
    abut__ball* root;  // balls around all vertices: of the rest state, then of each field
    size_t rows;       // their number
} abut__modal_bounds;

typedef struct abut__modal {
    abut__fields* fields;
    abut__once bounds;  // abut__modal_bounds, made when a state needs them
    abut_modal_bound bound;
    abut__once spheres;  // abut__spheres of the nodes' children, made when needed
    abut__modal_compare compare;
    uint32_t proxy_level;  // 0: no proxies
    double most;           // the greatest magnitude of a rest coordinate,
    double near_most;      // and relative to the mesh's origin, as in all bounds in float
} abut__modal;

// There may be thousands of states, so they are small.
typedef struct abut__modal_state {
    uint32_t count;
    bool unbounded;       // too large for float arithmetic: all boxes are infinite
    bool chooses;         // an abut__refine_choice follows the coordinates
    float pad;            // for bounds and points
    float lost;           // four times the error of vertices, for certificates
    abut__once whole;     // abut__whole, NULL until it is first needed
    abut__once verdicts;  // abut__verdicts
    double coordinate[];
} abut__modal_state;

// Data of a modal shape and of its states.
static inline abut__modal* abut__modal_of(const abut_shape* shape) {
    return shape->own;
}
static inline abut__modal_state* abut__modal_state_of(const abut__state* state) {
    return state->own;
}

// Returns the bounds, which are made at first use; NULL: no memory.
const abut__modal_bounds* abut__modal_bounds_of(const abut_shape* shape);
void abut__modal_bounds_free(const abut_shape* shape, abut__modal_bounds* bounds);

// The vertices of a state that were computed at once, when it was set, or by its first query if the
// state is costly; NULL: they were not.
static inline const abut__whole* abut__modal_whole(const abut__state* state) {
    const abut__whole* whole = abut__once_peek(&abut__modal_state_of(state)->whole);
    return abut__whole_is_here(whole) ? whole : NULL;
}

// Spheres of the nodes' children; NULL: there are none.
static inline const abut__spheres* abut__modal_spheres(const abut_shape* shape) {
    return abut__once_peek(&abut__modal_of(shape)->spheres);
}

// Whether to compare spheres, of states of ABUT_MODAL_BOUND_BOTH; NULL: nothing is to be chosen.
static inline abut__refine_choice* abut__modal_choice(const abut__state* state) {
    abut__modal_state* own = abut__modal_state_of(state);
    return own->chooses ? (abut__refine_choice*)(void*)(own->coordinate + own->count) : NULL;
}

extern const abut__motion abut__modal_motion;
extern const abut__shape_packing abut__modal_packing;

// Sets the greatest rest coordinates.
void abut__modal_find_most(abut__modal* modal, const abut_mesh* mesh);

// Bounds of what coordinates do to vertices.
typedef struct abut__modal_reach {
    double moved;       // no vertex moves farther along an axis
    double size;        // sum of the coordinates and of the fields that count: bounds each
    uint32_t products;  // coordinates that are not 0
} abut__modal_reach;

// Coordinates for a state, one a field.
typedef struct abut__modal_input {
    const double* coordinates;
    size_t count;
    abut__modal_reach reach;
} abut__modal_input;

extern const abut__input abut__modal_coordinates;

#endif
