// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Gives a body a new state: one order of steps for all motions. The new state is made beside the
// current one and replaces it only when it is complete, so that a refused input invalidates only
// the previous state. The public calls of each motion are in set_*.c.
#include "body/world.h"

abut__state* abut__body_next(abut__body* body) {
    abut__state* next = &body->state[1 - body->current];
    next->bare = !abut__body_has_bounds(body);
    if (!abut__state_reserve(body->shape, next)) {
        return NULL;
    }
    next->valid = false;
    return next;
}

void abut__body_begin(abut__body* body, abut__state* state) {
    const abut__state* last = &body->state[body->current];
    if (body->steady) {
        atomic_store_explicit(&body->usage.opened, 0, memory_order_relaxed);
        atomic_store_explicit(&body->usage.bounded, 0, memory_order_relaxed);
        atomic_store_explicit(&body->usage.false_opens, 0, memory_order_relaxed);
        atomic_store_explicit(&body->usage.refined, 0, memory_order_relaxed);
    }
    body->shape->motion->begin(body->shape, state, last->valid && last != state ? last : NULL,
                               &body->usage);
}

void abut__body_accept(abut_scene* scene, abut__body* body, abut__state* state) {
    const abut__state* last = &body->state[body->current];
    const uint64_t last_stamp = body->stamp;
    const bool moved_on = last != state && last->valid;
    state->valid = true;
    body->changed = body->changed || moved_on;
    body->current = (uint8_t)(state - body->state);
    body->stamp = body->change = ++scene->clock;
    abut__body_retune(body);
    abut__body_widen(body, moved_on ? last : NULL);
    if (moved_on) {
        abut__body_follow_front(body, last_stamp);
    }
}

static abut_status check(const abut__body* body, const abut__input* how, void* input,
                         abut_error* error) {
    const abut_shape* shape = body->shape;
    if (shape->motion != how->motion) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the motion is %s, which takes no %s", shape->motion->name, how->what);
    }
    return how->check != NULL ? how->check(shape, &body->state[body->current], input, error)
                              : ABUT_OK;
}

// makes a new state of the body, filled and begun, but not yet the current one
static abut_status make(abut__body* body, const abut__input* how, void* input, abut__state** made,
                        abut_error* error) {
    const abut_shape* shape = body->shape;
    abut__state* now = &body->state[body->current];
    abut__state* other = how->in_place ? &body->state[1 - body->current] : abut__body_next(body);
    *made = how->in_place ? now : other;
    if (*made == NULL) {
        return abut__fail_memory(error);
    }
    abut_status status = how->fill(shape, *made, how->in_place ? other : now, input, error);
    if (status != ABUT_OK) {
        return status;
    }
    other->valid = false;
    abut__body_begin(body, *made);
    return how->finish != NULL ? how->finish(shape, *made, input, error) : ABUT_OK;
}

abut_status abut__body_set(abut_scene* scene, abut_body_id id, const abut__input* how, void* input,
                           abut_error* error) {
    abut__body* body = abut__scene_body(scene, id);
    if (body == NULL) {
        return abut__no_body(scene, id, error);
    }
    abut__state* made = NULL;
    abut_status status = check(body, how, input, error);
    if (status == ABUT_OK) {
        status = make(body, how, input, &made, error);
    }
    if (status == ABUT_OK) {
        abut__body_accept(scene, body, made);
        if (how->settle != NULL) {
            how->settle(body->shape, &body->state[1 - body->current], made);
        }
        abut__body_watch_wear(scene, body);
    }
    return abut__blame_body(error, id, status);
}
