// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The table of a scene's bodies, and the steps by which a body gets a new state.
#ifndef ABUT_BODY_WORLD_H
#define ABUT_BODY_WORLD_H

#include "abut/scene.h"
#include "base/memory.h"
#include "body/body.h"
#include "body/thickness.h"

struct abut__pool;

struct abut_scene {
    abut_context* context;
    uint64_t serial;  // unique in the context, so that fronts can outlive their scene
    ABUT__VECTOR(abut__body*) bodies;         // NULL: the index is vacant
    abut__uint32s generations;                // how often each index was used
    abut__uint32s vacant;                     // indices without a body
    ABUT__VECTOR(abut__thickness) thickness;  // by index; those beyond the end are 0
    abut__uint32s orders;                     // likewise; those beyond the end are the index
    uint32_t body_count;
    uint64_t clock;  // the last stamp given
    struct abut__pool* pool;
};

// Reports that there is no such body, or no scene.
abut_status abut__no_body(const abut_scene* scene, abut_body_id body, abut_error* error);
// NULL if there is no such body
abut__body* abut__scene_body(const abut_scene* scene, abut_body_id id);
// Whether distances between two bodies are measured from the first one: see abut_body_set_order().
bool abut__body_is_before(const abut_scene* scene, const abut__body* a, const abut__body* b);
static inline abut__body* abut__scene_at(const abut_scene* scene, size_t index) {
    return index < scene->bodies.count ? scene->bodies.data[index] : NULL;
}

// Makes the bounds of all bodies: see abut__body_ready(). False: no memory.
bool abut__scene_ready(const abut_scene* scene);

// Gives a body a new state: check, next, fill, begin, finish, accept, settle. A refused input
// leaves the current state as it is.
abut_status abut__body_set(abut_scene* scene, abut_body_id id, const abut__input* how, void* input,
                           abut_error* error);

// The steps of it that do not depend on the input.
// Returns memory for a state beside the current one, to be filled; NULL: no memory.
abut__state* abut__body_next(abut__body* body);
// Lets the motion prepare a filled state.
void abut__body_begin(abut__body* body, abut__state* state);
// Makes a prepared state the current one.
void abut__body_accept(abut_scene* scene, abut__body* body, abut__state* state);
// Moves both states to a shape with another tree of the same triangles. They stay valid. The body
// does not release the shape that it had. `drafts` hold memory from one call to the next. False: no
// memory, and nothing changed.
bool abut__body_switch_tree(abut_scene* scene, abut__body* body, const abut_shape* shape,
                            abut__state drafts[2]);

// ---- body_wear.c
// Counts the wear of the body's tree, and rebuilds it for the current state where that pays.
void abut__body_watch_wear(abut_scene* scene, abut__body* body);
// Returns the shape that the caller gave the body, which may have another tree by now.
const abut_shape* abut__body_given(const abut__body* body);
// Gives the body back the shape that it was given, for whose tree its states are invalid then.
void abut__body_forget_wear(const abut_context* context, abut__body* body);

// Updates what follows from frame and state together.
void abut__body_retune(abut__body* body);

#endif
