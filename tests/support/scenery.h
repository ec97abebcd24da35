// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Scenes of scenes/ as bodies of a world.

#ifndef ABUT_TESTS_SUPPORT_SCENERY_H
#define ABUT_TESTS_SUPPORT_SCENERY_H

#include "scenes/scenes.h"
#include "support/world.h"

/// A body of a scene as it is in a frame; to be freed.
surface scenery_surface(const scene* source, uint32_t body, uint32_t frame);
/// A view of its rest; not to be freed.
surface scenery_rest(const scene* source, uint32_t body);
/// Makes all bodies that are there in a frame anew, static those that never move. `ids` has the bodies of
/// the frame before, or zeros, and receives the new ones; NULL if no caller wants them.
void scenery_add(world* w, const scene* source, uint32_t frame, abut_body_id* ids);

/// Moves one body to where it is in a frame, `scale` times as large; makes or destroys it where it comes or
/// goes.
void scenery_follow(world* w, const scene* source, uint32_t body, uint32_t frame, double scale,
                    abut_body_id* id);

#define SCENERY_BODIES_MOST 64

/// A scene whose bodies are all there, at rest to begin with.
typedef struct scenery {
    scene* source;
    world world;
    uint32_t count;
    abut_body_id body[SCENERY_BODIES_MOST];
} scenery;

/// The scene, which must not be NULL, belongs to the scenery from now on.
scenery scenery_make(scene* source, const abut_context_def* context_def);
void scenery_free(scenery* s);
void scenery_set_frame(scenery* s, uint32_t frame);
/// Validates shapes and states, which takes longer than most queries.
void scenery_validate(const scenery* s);

#endif  // ABUT_TESTS_SUPPORT_SCENERY_H
