// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Adds scenes of scenes/ to a world as bodies.

#ifndef ABUT_TESTS_SUPPORT_SCENERY_H
#define ABUT_TESTS_SUPPORT_SCENERY_H

#include "scenes/scenes.h"
#include "support/world.h"

/// A body of a scene in a frame; the caller frees it.
surface scenery_surface(const scene* source, uint32_t body, uint32_t frame);
/// A view of its rest positions; not to be freed.
surface scenery_rest(const scene* source, uint32_t body);
/// Makes all bodies that exist in a frame anew; those that never move are static. `ids` has the
/// bodies of the frame before, or zeros, and receives the new ones; NULL if not needed.
void scenery_add(world* w, const scene* source, uint32_t frame, abut_body_id* ids);

/// Moves one body to its place in a frame, `scale` times as large; creates or destroys it where it
/// appears or vanishes.
void scenery_follow(world* w, const scene* source, uint32_t body, uint32_t frame, double scale,
                    abut_body_id* id);

#define SCENERY_BODIES_MOST 64

/// A scene all of whose bodies exist, at rest at first.
typedef struct scenery {
    scene* source;
    world world;
    uint32_t count;
    abut_body_id body[SCENERY_BODIES_MOST];
} scenery;

/// The scenery takes ownership of the scene, which must not be NULL.
scenery scenery_make(scene* source, const abut_context_def* context_def);
void scenery_free(scenery* s);
void scenery_set_frame(scenery* s, uint32_t frame);
/// Validates shapes and states, which takes longer than most queries.
void scenery_validate(const scenery* s);

#endif  // ABUT_TESTS_SUPPORT_SCENERY_H
