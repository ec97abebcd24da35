// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Data that the blend motion keeps in shapes and states.
//
// The pad. Let u = 2^-24, k the largest number of influences of a vertex, and S the greatest over
// axes d of sum_e t_de X_e + t_d3. Here t_de is the greatest |T_j[d][e]| over nodes j, and X_e
// bounds coordinate e of the rest positions, moved by the fields. S bounds each coordinate and each
// partial sum. Reaches b_j are off by 9 u S: rounding T_j takes u S, six products and sums less
// than 7 u S, one more where fields move the rest box, and the rest box was rounded outwards. At
// most k of the l_j are not 0, because otherwise a vertex would follow more than k nodes. So sum_j
// l_j b_j is off by (k + 1) u S, the two other terms of the bound by 3 u S and 6 u S, their sum by
// 3 u S, and the pad's own addition by u S. In all (k + 23) u S. The pad is (k + 16) 2^-23 S = (2 k
// + 32) u S. Where the weights of a vertex sum to 1 + d, |d| S is added. Where fields move the rest
// positions, their error (motion/modal.h) is added, times the greatest row sum |T_j[d][0]| +
// |T_j[d][1]| + |T_j[d][2]|. For underflow, half a smallest float is added for each number of T_j,
// times X, for each product, and for each rest coordinate of a point, times that row sum.
//
// Points are off by less, and their radius decides how many pairs need vertices in double. Rounding
// weights, transforms and rest positions takes 3 u S, k products and k - 1 sums of them k u S, three
// more products and sums 4 u S, the sum with the radius and vertices in double 2 u S. The radius has
// n = k + 10 of these, one to spare, and n u / (1 - n u) S covers terms of higher order. The terms
// beside S are those of the pad.
//
// Far away, rest positions are relative to the mesh's origin q and points to an origin o of the
// state. T_j then takes p - q to T_j p - o: its translation is T_j q - o, computed in double. That is
// off by 2^-50 S, with the S of the numbers themselves, and so are vertices; both are added. The sum
// of the weights times o is off by |d| |o|, where |o| is below that S and the S of what is relative.
#ifndef ABUT_MOTION_BLEND_H
#define ABUT_MOTION_BLEND_H

#include "abut/blend.h"
#include "bound/bdtree.h"
#include "bound/blend_certificate.h"
#include "bound/convex.h"
#include "mesh/fields.h"
#include "motion/blend_order.h"
#include "motion/motion.h"
#include "motion/rough.h"
#include "motion/whole.h"

// How limits of weights bound nodes. Answers do not depend on it.
typedef enum abut__blend_bound {
    ABUT__BLEND_BOUND_AUTO = 0,
    ABUT__BLEND_BOUND_EXACT,  // the best that limits and boxes allow: a little tighter, slower
    ABUT__BLEND_BOUND_PLAIN,  // one rest box for all influences, as in the paper
} abut__blend_bound;

// What the motion's `prepare` takes.
typedef struct abut__blend_given {
    const abut_blend_def* def;
    abut__blend_bound bound;
} abut__blend_given;

typedef struct abut__blend {
    abut__weights* weights;
    abut__fields* fields;  // move the rest positions; may be none
    abut__convex* convex;
    abut__bdtree* moves;  // of the rest positions by the fields; NULL without fields
    abut__blend_bound bound;
    bool merges;          // boxes of nodes: see abut__lazy
    double most[3];       // the greatest magnitudes of rest coordinates,
    double near_most[3];  // and relative to the mesh's origin, as in all bounds in float
    abut__rough_costs costs;
    abut__once parts;  // abut__blend_parts
} abut__blend;

typedef struct abut__blend_state {
    uint32_t node_count;
    uint32_t field_count;
    float origin[3];           // of the state
    double reach;              // S above, not relative to the origins
    double row;                // the greatest row sum of a transform's matrix
    double largest;            // the greatest number of a transform, or row sum
    float pad;                 // for bounds
    float radius;              // for points, at most the pad
    float moves_pad;           // the part of it for the fields, in rest coordinates
    bool unbounded;            // too large for float arithmetic: all boxes are infinite
    bool same;                 // all transforms are the same
    bool still;                // no field moves the rest positions
    double lost;               // four times the error of vertices (bound/blend_certificate.h)
    _Atomic(float)* norms;     // see abut__blend_proof
    abut__once verdicts;       // abut__verdicts
    abut__whole* whole;        // NULL until it is first needed
    abut__rough* rough;        // likewise
    abut__columns* columns;    // per node, from the origin of the mesh to that of the state
    double (*transforms)[12];  // per node: three rows of four
    double* coordinates;       // per field
} abut__blend_state;

// Data of a blend shape and of its states.
static inline abut__blend* abut__blend_of(const abut_shape* shape) {
    return shape->own;
}
static inline abut__blend_state* abut__blend_state_of(const abut__state* state) {
    return state->own;
}

extern const abut__motion abut__blend_motion;
extern const abut__shape_packing abut__blend_packing;

// Finds the greatest magnitudes of rest coordinates. Fails if one is too large to be blended.
abut_status abut__blend_find_most(abut__blend* blend, const abut_mesh* mesh, abut_error* error);

// Transforms for a state, one a node, and coordinates, one a field.
typedef struct abut__blend_input {
    abut_transforms transforms;
    const double* coordinates;
    size_t coordinate_count;
} abut__blend_input;

extern const abut__input abut__blend_transforms;

#endif
