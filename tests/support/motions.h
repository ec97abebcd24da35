// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// All motions in one table: how to make a shape of each on a given surface, how to draw a state and
// set it on a body, and where the vertices must then be, by a formula in exact arithmetic that
// shares no code with the library.

#ifndef ABUT_TESTS_SUPPORT_MOTIONS_H
#define ABUT_TESTS_SUPPORT_MOTIONS_H

#include "support/flights.h"
#include "support/skin.h"

typedef enum state_kind {
    STATE_REST,        ///< the state of a new body
    STATE_NEAR,        ///< almost the last state, as in a simulation
    STATE_ORDINARY,    ///< anything of the size of the surface
    STATE_EXTREME,     ///< very large, very small, far away, mirrored
    STATE_DEGENERATE,  ///< flat, or collapsed to a line or a point; exactly on a key
} state_kind;
/// Mostly near and ordinary, sometimes the others.
state_kind random_state_kind(test_random* random);

struct motion_row;

/// A moving surface and its state, stored by the test. Each motion uses the members it needs.
typedef struct mover {
    const struct motion_row* row;
    uint32_t variant;  ///< below row->variants
    int bound;         ///< one of row->bounds
    surface surface;
    double* xyz;  ///< free
    field_set fields;
    double* q;  ///< coordinates of the fields
    skin skin;
    double (*t)[12];  ///< transforms of the skin's nodes
    flight flight;    ///< its surface is `surface`
    bool steady;      ///< never removes plans, because that releases their memory
    bool no_plans;    ///< the next state begins by removing all plans
    bool has_change;  ///< the next state is these plans
    flight_change change;
} mover;

typedef struct motion_row {
    const char* name;
    abut_motion motion;
    int bounds[4];
    uint32_t bound_count;
    uint32_t variants;
    /// The bytes that a body adds while no other body is near, when created and after two states;
    /// NULL for a motion whose state is the mesh itself, which promises nothing here.
    size_t (*body_bytes)(const mover* m, bool moved);
    void (*make)(mover* m, test_random* random);
    motion_def (*def)(const mover* m);
    void (*draw)(mover* m, test_random* random, state_kind kind);
    abut_status (*set)(mover* m, abut_scene* scene, abut_body_id body);
    void (*vertex)(const mover* m, uint32_t vertex, double out[3]);
} motion_row;

extern const motion_row motion_free;
extern const motion_row motion_modal;
extern const motion_row motion_blend;
extern const motion_row motion_flight;

/// The mover takes ownership of the surface.
mover mover_make(const motion_row* row, uint32_t variant, surface s, test_random* random);
void mover_free(mover* m);
motion_def mover_def(const mover* m);
/// Draws a state and stores it in the mover. mover_set() sets it on a body.
void mover_draw(mover* m, test_random* random, state_kind kind);
abut_status mover_set(mover* m, abut_scene* scene, abut_body_id body);
/// Fails unless all vertices of the body equal the formula.
void mover_check(const mover* m, const abut_scene* scene, abut_body_id body);

#endif  // ABUT_TESTS_SUPPORT_MOTIONS_H
