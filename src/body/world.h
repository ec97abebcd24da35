// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The table of a scene's bodies, and how a body gets a new state.
#ifndef ABUT_BODY_WORLD_H
#define ABUT_BODY_WORLD_H

#include "abut/scene.h"
#include "base/memory.h"
#include "body/body.h"

struct abut__pool;

struct abut_scene {
    abut_context* context;
    uint64_t serial;                   // unique in the context, for fronts that outlive their scene
    ABUT__VECTOR(abut__body*) bodies;  // NULL where there is none
    abut__uint32s generations;         // how often a place was used
    abut__uint32s vacant;              // places without a body
    uint32_t body_count;
    uint64_t clock;  // the last stamp given
    struct abut__pool* pool;
};

// Says that there is no such body.
abut_status abut__no_body(abut_error* error, abut_body_id body);
// NULL if there is no such body
abut__body* abut__scene_body(const abut_scene* scene, abut_body_id id);
static inline abut__body* abut__scene_at(const abut_scene* scene, size_t index) {
    return index < scene->bodies.count ? scene->bodies.data[index] : NULL;
}

// ---- making a new state: take the next one, fill it, begin it, accept it
// Memory for a state beside the current one, to be filled; NULL: there is none.
abut__state* abut__body_next(abut__body* body);
// Works out what bounds need of a filled state.
void abut__body_begin(abut__body* body, abut__state* state);
// Lets a state that was begun become the current one.
void abut__body_accept(abut_scene* scene, abut__body* body, abut__state* state);
// Whether positions can be a state of the shape; `what` names the shape.
abut_status abut__positions_fit(const abut_shape* shape, abut_positions positions, const char* what,
                                abut_error* error);

#endif
