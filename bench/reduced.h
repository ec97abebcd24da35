// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A scene of reduced deformation in one of several ways: as modal and blend bodies, or as free ones
// that get all their positions, deformed by the caller of the library.
#ifndef BENCH_REDUCED_H
#define BENCH_REDUCED_H

#include "bench/bench.h"
#include "scenes/scenes.h"

#include <abut/abut.h>

typedef enum reduced_way {
    WAY_LAZY,          ///< coordinates and transforms are set; the library does the rest
    WAY_SPHERES,       ///< the same with trees of spheres, around small balls or around means
    WAY_SPHERES_MEAN,  ///<
    WAY_CUBES,         ///< the same with cubes around the spheres, which queries compare instead
    WAY_BOTH,          ///< with spheres and boxes, where counters show that this gains
    WAY_BOTH_ALWAYS,   ///< with spheres and boxes in all states
    WAY_DEFORM,        ///< all vertices are deformed in float, fast, and borrowed
    WAY_EXACT,         ///< all vertices by the documented formula in double: the reference
} reduced_way;

typedef struct reduced reduced;

/// Makes the bodies of a scene. With `copies` above 1 the last body exists that many times,
/// distributed over the box of the first and swinging through it; the copies do not collide with
/// each other. At frame `turn_back` (0: never) the last body reverses and flies back on its path.
reduced* reduced_create(const scene* s, uint32_t copies, uint32_t turn_back, reduced_way way);
/// The same without copies, and with the trees left to the first query.
reduced* reduced_create_late(const scene* s, reduced_way way);
/// Makes the certificates of all bodies that have some.
void reduced_certify(const reduced* r);
/// Returns the first frame in which bodies of the scene touch; the last if they never do.
uint32_t reduced_first_contact(const scene* s);
void reduced_destroy(reduced* r);

/// Sets the states of a frame, with coordinates of modal bodies times `swing`.
void reduced_update(reduced* r, uint32_t frame, double swing);
/// The same as a step from the previous frame, for reduced_sweep(). Positions are copied, since
/// both ends count.
void reduced_step(reduced* r, uint32_t frame, double swing);
/// Finds all contacts between bodies in the last step; returns their number.
size_t reduced_sweep(reduced* r);
/// Find all pairs between bodies, or within the first.
void reduced_collide(reduced* r);
void reduced_self(reduced* r);

const abut_pair* reduced_pairs(const reduced* r, size_t* count);
/// The counts of all queries so far; may be zeroed.
abut_counters* reduced_counters(reduced* r);
abut_scene* reduced_scene(const reduced* r);
abut_body_id reduced_body(const reduced* r, uint32_t body);

/// Settings of a shape of any motion. Fields and weights are those of the scene's body.
typedef struct reduced_def {
    abut_motion motion;
    abut_shape_def shape;
    bool late;  ///< the tree is left to the first query
    abut_modal_bound modal_bound;
    abut_flight_bound flight_bound;
    const abut_keyframe* keyframes;
    size_t keyframe_count;
} reduced_def;
reduced_def reduced_def_default(abut_motion motion);

/// Makes a shape of a body's mesh.
abut_shape* reduced_make_shape(abut_context* context, const scene_body* body,
                               const reduced_def* def);

/// Ends the process if a call of the library failed.
void reduced_need(abut_status status, const abut_error* error);

#endif
