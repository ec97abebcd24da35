// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Data that the flight motion keeps in shapes and states. Bodies may have plans of their own:
// motion/plans.h.
//
// The pad. Let u = 2^-24 and S the greatest magnitude of a coordinate at both ends. Rounding the
// positions, or the boxes' sides, to float is off by u S, the weights by u S each, products by u S
// together, and the sum by u S; the vertices' own doubles by far less. Below 6 u S in all; the pad
// is 2^-20 S = 16 u S, plus a term for underflow. A keyframe in float, about the origin 0, needs none:
// at its time the boxes have the very coordinates of vertices.
//
// Far from the origin. Boxes and points of bodies that follow keyframes are relative to an origin of
// the shape, and so is S. Subtracting it is exact, or off by u S. The vertices' own doubles are off by
// 3 2^-53 of their magnitudes, which are up to S plus those of the origin: 2^-50 of the latter is added
// to the pad. Bodies with plans have the origin 0.
#ifndef ABUT_MOTION_FLIGHT_H
#define ABUT_MOTION_FLIGHT_H

#include "abut/flight.h"
#include "bound/choose.h"
#include "bound/kinetic/aabb.h"
#include "bound/kinetic/boxtree.h"
#include "bound/linear.h"
#include "bound/surface_segment.h"
#include "motion/whole.h"
#include "tree/places.h"

// greater coordinates are too large for float arithmetic on boxes
#define ABUT__FLIGHT_MOST 1e37f

// Positions of keyframes that the library owns. Edited shapes share them.
typedef struct abut__key_store {
    atomic_uint holders;
    const abut_context* context;
    size_t size;  // bytes of `positions`
    char* positions;
} abut__key_store;
void abut__key_store_release(abut__key_store* store);

typedef struct abut__flight {
    uint32_t key_count;  // at least 1
    bool at_rest;        // the only keyframe is the rest positions, since none were given
    abut_keyframe* keys;
    abut__key_store* store;  // has the positions of keys that were loaded; NULL: they are borrowed
    float origin[3];         // of states without plans; edits keep it
    abut__linear linear;
    abut_flight_bound bound;  // AUTO: chosen for each body
    abut__once places;        // abut__places
    // abut__surface_segment: 2 k at keyframe k, 2 k + 1 between it and the next
    abut__once* surfaces;
    atomic_uchar* surface_queries;  // per surface: how many asked for it so far, up to 2
} abut__flight;

// where a time lies among the keyframes
typedef struct abut__key_place {
    uint32_t from;  // keyframe before, and keyframe after; equal outside of all keyframes
    uint32_t to;
    double part;  // fraction between the two
} abut__key_place;

typedef struct abut__flight_state {
    double time;
    struct abut__plans* plans;       // NULL: none; only the current state of a body has them,
    const struct abut__plans* lent;  // and the previous one reads them, if it had the same ones
    abut__key_place keys;
    float part;  // fraction between the ends, which are keyframes, or those of the plans' span
    bool between;
    const abut__key_boxes* ends[2];
    abut__source source[2];
    float shift[3];   // added to what is interpolated
    float age_pad;    // for old plans, part of the next two
    float pad;        // for linear bounds and points
    float tight_pad;  // for kinetic bounds
    bool unbounded;
    bool proves;             // self queries look for proofs
    bool tight;              // the kinetic tree is valid for this state
    bool parted;             // the BoxTree is valid for this state
    abut__box3 root;         // around everything, not padded: the box that the BoxTree cuts
    abut__kinetic* kinetic;  // passed on from state to state; NULL: another state has it, or none
    abut__boxtree* boxtree;  // likewise
    abut__whole* whole;      // all vertices, if that was chosen
    uint32_t segment[2];     // keyframes of the segment that the choice is for, passed on, too
    abut__choice choice;     // of the rule that bounds the body
} abut__flight_state;

// Data of a flight shape and of its states.
static inline abut__flight* abut__flight_of(const abut_shape* shape) {
    return shape->own;
}
static inline abut__flight_state* abut__flight_state_of(const abut__state* state) {
    return state->own;
}
// Whether boxes of keyframes are relative to an origin other than 0.
static inline bool abut__flight_is_far(const abut__flight* flight) {
    return flight->origin[0] != 0 || flight->origin[1] != 0 || flight->origin[2] != 0;
}
// What boxes of keyframes need beyond their pad because vertices are rounded far from 0.
static inline float abut__flight_far_pad(const abut__flight* flight) {
    float most = 0;
    for (int d = 0; d < 3; ++d) {
        const float size = flight->origin[d] < 0 ? -flight->origin[d] : flight->origin[d];
        most = size > most ? size : most;
    }
    return 0x1p-50f * most;
}
// The plans that a state reads; NULL: none.
static inline const struct abut__plans* abut__flight_plans_of(const abut__flight_state* own) {
    return own->plans != NULL ? own->plans : own->lent;
}

extern const abut__motion abut__flight_motion;
extern const abut__shape_packing abut__flight_packing;

// Checks the keyframes of a def, for so many vertices, and makes shape->own with them.
abut_status abut__flight_check_keys(const abut_flight_def* def, uint32_t vertices,
                                    abut_error* error);
abut_status abut__flight_take_keys(abut_shape* shape, const abut_flight_def* def,
                                   abut_error* error);

// Its optional tables in files of their own, and the operation that uses the first.
extern const abut__proofs abut__flight_proofs;
extern const abut__pair_proofs abut__flight_pair_proofs;
extern const abut__timeline abut__flight_timeline;
bool abut__flight_apart(const abut_shape* shape, const abut__state* state, abut__ref ref);

// Returns the last keyframe that is not after a time, or the first one.
uint32_t abut__flight_key(const abut__flight* flight, double time);
abut__key_place abut__flight_place(const abut__flight* flight, double time);
// The positions of a keyframe, and its boxes, made at first use; NULL: no memory.
abut__source abut__flight_source(const abut_shape* shape, uint32_t key);
const abut__key_boxes* abut__flight_key_boxes(const abut_shape* shape, uint32_t key);
// Reads a vertex by the documented formula of keyframes.
void abut__flight_read(const abut__flight* flight, const abut__key_place* place, uint32_t vertex,
                       double out[3]);
// Inputs: a double, and an abut_plans_def, or NULL for none.
extern const abut__input abut__flight_time;
extern const abut__input abut__flight_plans;

// Whether the vertices of the shape before an edit have the same positions in a keyframe, whatever
// its time. Equal views count as equal positions, because these are borrowed.
bool abut__flight_same_key(const abut_shape* shape, const abut_shape* before, uint32_t key);
// Returns the places of the shape's vertices, made at first use; NULL: no memory.
const abut__places* abut__flight_places(const abut_shape* shape);

#endif
