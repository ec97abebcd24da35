// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Setting the states of bodies, one way a motion. A new state is made beside the current one and
// takes its place only when it is whole, so a refused one changes nothing.
#include <math.h>

#include "abut/body.h"
#include "motion/blend.h"
#include "motion/flight.h"
#include "motion/free.h"
#include "motion/modal.h"
#include "motion/plans.h"
#include "body/world.h"

abut_status abut__positions_fit(const abut_shape* shape, abut_positions positions, const char* what,
                                abut_error* error) {
    const uint32_t wanted = shape->mesh->vertex_count;
    if (shape->motion != ABUT_MOTION_FREE) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the motion is %s, which takes no positions", shape->ops->name);
    }
    if (positions.count != wanted) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "%zu positions were given, but %s has %u vertices", positions.count, what,
                          wanted);
    }
    return abut__positions_check(positions, "positions", error);
}

// memory for the next state of a body that can take the positions; NULL: `status` says why not
static abut__state* open_state(abut__body* body, abut_positions positions, abut_status* status,
                               abut_error* error) {
    *status = abut__positions_fit(body->shape, positions, "the shape", error);
    abut__state* next = *status == ABUT_OK ? abut__body_next(body) : NULL;
    if (*status == ABUT_OK && next == NULL) {
        *status = abut__fail_memory(error);
    }
    return next;
}

// what was borrowed for one state may be gone in the next one
static void let_go_of_borrowed(abut__body* body) {
    abut__state* last = &body->state[1 - body->current];
    last->valid = last->valid && !last->free->borrowed;
}

static void accept_free(abut_scene* scene, abut__body* body, abut__state* state) {
    abut__body_accept(scene, body, state);
    let_go_of_borrowed(body);
}

abut_status abut_body_set_positions(abut_scene* scene, abut_body_id body, abut_positions positions,
                                    abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(error, body);
    }
    abut_status status;
    abut__state* next = open_state(found, positions, &status, error);
    if (next == NULL) {
        return status;
    }
    abut__copying copying;
    status = abut__free_copy_start(scene->context, next->free, positions, &copying, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__body_begin(found, next);
    status = abut__free_copy_finish(next->free, &copying, error);
    if (status == ABUT_OK) {
        accept_free(scene, found, next);
    }
    return status;
}

// lets a body see positions of the caller's as its next state
static abut_status borrow(abut_scene* scene, abut__body* body, abut_positions positions,
                          abut_error* error) {
    abut_status status;
    abut__state* next = open_state(body, positions, &status, error);
    if (next != NULL) {
        abut__free_borrow(next->free, positions);
        abut__body_begin(body, next);
        abut__body_accept(scene, body, next);
    }
    return status;
}

abut_status abut_body_borrow_positions(abut_scene* scene, abut_body_id body,
                                       abut_positions positions, abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(error, body);
    }
    const abut_status status = borrow(scene, found, positions, error);
    if (status == ABUT_OK) {
        let_go_of_borrowed(found);
    }
    return status;
}

abut_status abut_body_borrow_step(abut_scene* scene, abut_body_id body, abut_positions from,
                                  abut_positions to, abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(error, body);
    }
    abut_status status = abut__positions_fit(found->shape, to, "the shape", error);
    if (status == ABUT_OK) {
        status = borrow(scene, found, from, error);
    }
    return status == ABUT_OK ? borrow(scene, found, to, error) : status;
}

static abut_status check_coordinates(const abut_shape* shape, const double* coordinates,
                                     size_t count, abut__modal_reach* reach, abut_error* error) {
    if (shape->motion != ABUT_MOTION_MODAL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the motion is %s, which takes no coordinates", shape->ops->name);
    }
    if (count != shape->modal->fields->count || (count > 0 && coordinates == NULL)) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          coordinates != NULL || count == 0
                              ? "%zu coordinates were given, but the shape has %u fields"
                              : "the pointer to %zu coordinates for %u fields is NULL",
                          count, shape->modal->fields->count);
    }
    return abut__modal_check(shape, coordinates, reach, error);
}

abut_status abut_body_set_coordinates(abut_scene* scene, abut_body_id body,
                                      const double* coordinates, size_t count, abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(error, body);
    }
    abut__modal_reach reach;
    const abut_status status = check_coordinates(found->shape, coordinates, count, &reach, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__state* next = abut__body_next(found);
    if (next == NULL) {
        return abut__fail_memory(error);
    }
    for (size_t j = 0; j < count; ++j) {
        next->modal->coordinate[j] = coordinates[j];
    }
    abut__modal_measure(found->shape, next, &reach);
    abut__body_begin(found, next);
    abut__body_accept(scene, found, next);
    return ABUT_OK;
}

abut_status abut_body_set_transforms(abut_scene* scene, abut_body_id body,
                                     abut_transforms transforms, const double* coordinates,
                                     size_t coordinate_count, abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(error, body);
    }
    if (found->shape->motion != ABUT_MOTION_BLEND) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the motion is %s, which takes no transforms", found->shape->ops->name);
    }
    abut__state* next = abut__body_next(found);
    if (next == NULL) {
        return abut__fail_memory(error);
    }
    const abut_status status = abut__blend_take(found->shape, next->blend, transforms, coordinates,
                                                coordinate_count, error);
    if (status == ABUT_OK) {
        abut__body_begin(found, next);
        abut__body_accept(scene, found, next);
    }
    return status;
}

// a flight body; NULL: `status` says why not
static abut__body* flight_body(const abut_scene* scene, abut_body_id body, const char* what,
                               abut_status* status, abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        *status = abut__no_body(error, body);
        return NULL;
    }
    if (found->shape->motion != ABUT_MOTION_FLIGHT) {
        *status = abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                             "the motion is %s, which takes no %s", found->shape->ops->name, what);
        return NULL;
    }
    return found;
}

abut_status abut_body_set_time(abut_scene* scene, abut_body_id body, double time,
                               abut_error* error) {
    abut_status status;
    abut__body* found = flight_body(scene, body, "time", &status, error);
    if (found == NULL) {
        return status;
    }
    if (!isfinite(time)) {
        return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NONE, 0,
                          "the time is not finite (%g)", time);
    }
    abut__flight_state* now = found->state[found->current].flight;
    if (now->plans != NULL && !abut__plans_reach(now->plans, time)) {
        return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NONE, 0,
                          "at time %g vertices with plans would not be finite", time);
    }
    abut__state* next = abut__body_next(found);
    if (next == NULL) {
        return abut__fail_memory(error);
    }
    // plans are no part of a state: they go with the current one, and the one before may see them
    abut__state* last = &found->state[found->current];
    next->flight->time = time;
    next->flight->plans = now->plans;
    now->plans = NULL;
    abut__body_begin(found, next);
    abut__body_accept(scene, found, next);
    if (next->flight->plans != NULL) {
        abut__flight_lend(found->shape, last, next);
    }
    return ABUT_OK;
}

abut_status abut_body_set_plans(abut_scene* scene, abut_body_id body, const abut_plans* plans,
                                abut_error* error) {
    abut_status status;
    abut__body* found = flight_body(scene, body, "plans", &status, error);
    if (found == NULL) {
        return status;
    }
    abut__state* state = &found->state[found->current];
    if (plans == NULL) {
        abut__plans_free(state->flight->plans);
        state->flight->plans = NULL;
    } else {
        status = abut__plans_set(found->shape, &state->flight->plans, state->flight->time, plans,
                                 error);
        if (status != ABUT_OK) {
            return status;
        }
    }
    // what was before went by other plans
    abut__state* before = &found->state[1 - found->current];
    before->valid = false;
    if (before->flight != NULL) {
        before->flight->lent = NULL;
    }
    abut__body_begin(found, state);
    abut__body_accept(scene, found, state);
    return ABUT_OK;
}
