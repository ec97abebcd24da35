// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// All motions in one table: how to make a shape of each on a given surface, how to draw a state and
// give it to a body, and where the vertices must be then, by a formula in exact arithmetic that shares no
// code with the library.

#ifndef ABUT_TESTS_SUPPORT_MOTIONS_H
#define ABUT_TESTS_SUPPORT_MOTIONS_H

#include "support/flights.h"
#include "support/skin.h"

typedef enum state_kind {
    STATE_REST,        ///< as a body is created
    STATE_NEAR,        ///< hardly different from the last one, as a simulation would
    STATE_ORDINARY,    ///< anything of the size of the surface
    STATE_EXTREME,     ///< very large, very small, far away, mirrored
    STATE_DEGENERATE,  ///< flat, or collapsed to a line or a point; exactly on a key
} state_kind;
/// Mostly near and ordinary, sometimes the others.
state_kind random_state_kind(test_random* random);

struct motion_row;

/// A surface that moves, and its state as numbers of the test. Each motion uses what it needs.
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
    bool steady;      ///< never takes plans away, because that gives their memory back
    bool no_plans;    ///< the next state begins with taking all plans away
    bool has_change;  ///< the next state is these plans
    flight_change change;
} mover;

typedef struct motion_row {
    const char* name;
    abut_motion motion;
    int bounds[4];
    uint32_t bound_count;
    uint32_t variants;
    /// What a body adds while nothing comes near it, in bytes, once created and once two states were
    /// set; NULL for a motion whose state is the mesh itself, which promises nothing here.
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

/// The surface belongs to the mover from now on.
mover mover_make(const motion_row* row, uint32_t variant, surface s, test_random* random);
void mover_free(mover* m);
motion_def mover_def(const mover* m);
/// Draws a state. It is the mover's from now on, and mover_set() gives it to a body.
void mover_draw(mover* m, test_random* random, state_kind kind);
abut_status mover_set(mover* m, abut_scene* scene, abut_body_id body);
/// Fails unless all vertices of the body are where the formula has them.
void mover_check(const mover* m, const abut_scene* scene, abut_body_id body);

#endif  // ABUT_TESTS_SUPPORT_MOTIONS_H
