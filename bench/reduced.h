// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A scene of reduced deformation in one of several ways: as modal and blend bodies, or as free ones
// that are given all their positions, deformed by whoever holds the library.
#ifndef BENCH_REDUCED_H
#define BENCH_REDUCED_H

#include "bench/bench.h"
#include "scenes/scenes.h"

#include <abut/abut.h>

typedef enum reduced_way {
    WAY_LAZY,          ///< coordinates and transforms are given, the rest is the library's
    WAY_SPHERES,       ///< the same with trees of spheres, around small balls or around means
    WAY_SPHERES_MEAN,  ///<
    WAY_DEFORM,        ///< all vertices are deformed in float, fast, and borrowed
    WAY_EXACT,         ///< all vertices by the documented formula in double: the reference
} reduced_way;

typedef struct reduced reduced;

/// The bodies of a scene. With `copies` above 1 the last body is there so many times, spread over
/// the box of the first and going to and fro through it; the copies do not meet each other.
/// At frame `turn_back` (0: never) the last body turns and flies back the way it came.
reduced* reduced_create(const scene* s, uint32_t copies, uint32_t turn_back, reduced_way way);
/// The first frame in which bodies of the scene touch; the last if they never do.
uint32_t reduced_first_contact(const scene* s);
void reduced_destroy(reduced* r);

/// The states of a frame, coordinates of modal bodies times `swing`.
void reduced_update(reduced* r, uint32_t frame, double swing);
/// The same as a step from the frame before, for reduced_sweep(): positions are copied, since both
/// ends count.
void reduced_step(reduced* r, uint32_t frame, double swing);
/// All contacts between bodies in the last step; their number.
size_t reduced_sweep(reduced* r);
/// All pairs between bodies, or within the first.
void reduced_collide(reduced* r);
void reduced_self(reduced* r);

const abut_pair* reduced_pairs(const reduced* r, size_t* count);
/// What all queries so far have counted; may be zeroed.
abut_counters* reduced_counters(reduced* r);
abut_scene* reduced_scene(const reduced* r);
abut_body_id reduced_body(const reduced* r, uint32_t body);

/// A body's mesh as a shape; `def` says everything but its fields and weights.
abut_shape* reduced_make_shape(abut_context* context, const scene_body* body, abut_shape_def def);

/// Ends the process if a call of the library failed.
void reduced_need(abut_status status, const abut_error* error);

#endif
