// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the flight motion keeps in shapes and states. Bodies may have plans of their own: motion/plans.h.
//
// The pad. Let u = 2^-24 and S the greatest magnitude of a coordinate at both ends. Rounding the
// positions, or the boxes' sides, to float is off by u S, the weights by u S each, products by u S
// together, and the sum by u S; the vertices' own doubles by far less. Below 6 u S in all; the pad is
// 2^-20 S = 16 u S, and something for what underflows.
#ifndef ABUT_MOTION_FLIGHT_H
#define ABUT_MOTION_FLIGHT_H

#include "bound/choose.h"
#include "bound/kinetic/aabb.h"
#include "bound/kinetic/boxtree.h"
#include "bound/linear.h"
#include "motion/whole.h"
#include "tree/places.h"

// coordinates beyond are too large for float arithmetic on boxes
#define ABUT__FLIGHT_MOST 1e37f

typedef struct abut__flight {
    uint32_t key_count;  // at least 1
    bool at_rest;        // the only key are the rest positions, since none were given
    abut_key* keys;
    abut__linear linear;
    abut_bound bound;   // ABUT_BOUND_AUTO: chosen for every body
    abut__once places;  // abut__places
} abut__flight;

// where a time lies among the keys
typedef struct abut__key_place {
    uint32_t from;  // key before, and key after: the same at both ends of time
    uint32_t to;
    double part;  // of the way from one to the other
} abut__key_place;

typedef struct abut__flight_state {
    double time;
    struct abut__plans* plans;       // NULL: none; only the current state of a body has them,
    const struct abut__plans* lent;  // and the one before sees them, if that was its last change
    abut__key_place keys;
    float part;  // of the way from one end to the other: keys, or ends of the plans' span
    bool between;
    const abut__key_boxes* ends[2];
    abut__source source[2];
    float shift[3];   // to be added to what is interpolated
    float age_pad;    // of old plans, part of the next two
    float pad;        // that linear bounds and points need
    float tight_pad;  // that kinetic bounds need
    bool unbounded;
    bool tight;              // the kinetic tree is right for this state
    bool parted;             // the BoxTree is
    abut__box3 root;         // round everything, not padded: what the BoxTree cuts
    abut__kinetic* kinetic;  // handed on from state to state; NULL: another state has it, or none
    abut__boxtree* boxtree;  // likewise
    abut__whole* whole;      // all vertices, where that was chosen
    uint32_t segment[2];     // keys of the one that the choice is for, likewise handed on
    abut__choice choice;     // of what bounds the body
} abut__flight_state;

// What a flight shape and its states keep.
static inline abut__flight* abut__flight_of(const abut_shape* shape) {
    return shape->own;
}
static inline abut__flight_state* abut__flight_state_of(const abut__state* state) {
    return state->own;
}

extern const abut__motion abut__flight_motion;

// The last key that is not after a time, or the first one.
uint32_t abut__flight_key(const abut__flight* flight, double time);
abut__key_place abut__flight_place(const abut__flight* flight, double time);
// A vertex by the documented formula of keys.
void abut__flight_read(const abut__flight* flight, const abut__key_place* place, uint32_t vertex,
                       double out[3]);
// Inputs: a double, and an abut_plans, or NULL for none.
extern const abut__input abut__flight_time;
extern const abut__input abut__flight_plans;

// Whether vertices that were there before an edit are where they were in a key, whatever its time.
// Equal views are taken for equal positions, since these are borrowed.
bool abut__flight_same_key(const abut_shape* shape, const abut_shape* before, uint32_t key);
// The places of the shape's vertices, made by whoever comes first; NULL: no memory.
const abut__places* abut__flight_places(const abut_shape* shape);

#endif
