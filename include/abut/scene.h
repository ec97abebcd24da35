// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Scenes: bodies that are queried together, and the pool of evaluated blocks they share.
//
// Threads: any number of queries may run on one scene at the same time. A call that takes a
// non-const `abut_scene*` must not run at the same time as any other call on the same scene.
//
// Calls that return a value need a scene: NULL is not allowed.
#ifndef ABUT_SCENE_H
#define ABUT_SCENE_H

#include "shape.h"

ABUT_EXTERN_C_BEGIN

/// Settings of abut_scene_create. Start from abut_scene_def_default(), then change fields.
typedef struct abut_scene_def {
    /// Most memory for boxes of evaluated blocks; 0 stores none [64 MiB]. Points and vertices of bodies
    /// that compute them are stored with the boxes, and may take twice as much again. Bodies of which
    /// queries needed nearly all blocks also store all vertices: 24 bytes each, twice.
    size_t pool_bytes;
    uint32_t cookie;  ///< set by the default-maker; do not touch
} abut_scene_def;
ABUT_API abut_scene_def abut_scene_def_default(void);

/// Bodies that are queried together, and the pool of their evaluated blocks.
typedef struct abut_scene abut_scene;

/// Creates an empty scene. `def` may be NULL for the defaults.
ABUT_API abut_status abut_scene_create(abut_context* context, const abut_scene_def* def,
                                       abut_scene** scene, abut_error* error);
/// Destroys a scene and its bodies; NULL is fine.
ABUT_API void abut_scene_destroy(abut_scene* scene);

/// What a scene holds.
typedef struct abut_scene_info {
    uint32_t bodies;
    uint64_t triangles;      ///< of all bodies
    uint32_t pool_capacity;  ///< blocks that the pool may hold
    uint32_t pool_used;      ///< blocks that it has room for now
    uint64_t
        pool_overflows;  ///< evaluations outside the pool, because it was full or another thread
                         ///< was at work on the block; depends on timing
} abut_scene_info;
/// Counts what a scene holds. Takes time in proportion to the number of bodies.
ABUT_API abut_status abut_scene_inspect(const abut_scene* scene, abut_scene_info* info,
                                        abut_error* error);

/// Returns the body that results call `index`; zero if there is none.
ABUT_API abut_body_id abut_scene_body_at(const abut_scene* scene, uint32_t index);
/// Returns a number that all body indices in results are below.
ABUT_API uint32_t abut_scene_body_limit(const abut_scene* scene);

ABUT_EXTERN_C_END

#endif
