// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes the bounds of bodies when a query first needs them. Until then a state is what the caller
// gave, and its body needs no tree. All threads that need the bounds make drafts of them, from
// states that do not change meanwhile; the first to finish moves its draft into the body.
#include "body/world.h"
#include "motion/whole.h"
#include "shape/shape.h"

// begins drafts of the body's valid states on a shape, the previous one first; false: no memory
static bool draft_states(const abut__body* body, const abut_shape* shape, abut__state drafts[2]) {
    const abut__motion* motion = shape->motion;
    abut__usage usage = {0};  // there were no queries before
    const abut__state* last = NULL;
    for (int i = 0; i < 2; ++i) {
        const int at = i == 0 ? 1 - body->current : body->current;
        if (!body->state[at].valid || motion->late->draft_state == NULL) {
            continue;
        }
        if (!abut__state_reserve(shape, &drafts[at])) {
            return false;
        }
        motion->late->draft_state(shape, &drafts[at], &body->state[at]);
        motion->begin(shape, &drafts[at], last, &usage);
        last = &drafts[at];
    }
    return true;
}

// `whole` may be NULL
static void adopt_states(abut__body* body, abut__state drafts[2], abut__whole* whole) {
    const abut__late* late = body->shape->motion->late;
    if (whole != NULL) {
        late->adopt_whole(&body->state[body->current], whole);
    }
    for (int i = 0; i < 2; ++i) {
        if (body->state[i].valid && late->adopt_state != NULL) {
            late->adopt_state(&body->state[i], &drafts[i]);
        }
        body->state[i].bare = false;
    }
    abut__body_retune(body);
}

static bool provide(const abut__body* body) {
    const abut__late* late = body->shape->motion->late;
    return late->provide == NULL || late->provide(body->shape);
}

static abut__whole* draft_whole(const abut__body* body) {
    const abut__late* late = body->shape->motion->late;
    return late->draft_whole != NULL ? late->draft_whole(body->shape, &body->state[body->current])
                                     : NULL;
}

static bool make_ready(const abut__body* body, bool self) {
    if (abut__body_has_bounds(body)) {
        return true;
    }
    abut__state drafts[2] = {0};
    bool done = abut__shape_ready(body->shape);
    abut__whole* whole = done && self ? draft_whole(body) : NULL;
    done = done && (whole != NULL || provide(body)) && draft_states(body, body->shape, drafts);
    if (done && abut__commit_begin(&body->has_bounds)) {
        adopt_states((abut__body*)body, drafts, whole);  // what it stores follows from the states
        abut__commit_end(&body->has_bounds);
        whole = NULL;
    }
    abut__whole_release(body->shape->context, whole);
    for (int i = 0; i < 2; ++i) {
        abut__state_release(body->shape, &drafts[i]);
    }
    return done || abut__body_has_bounds(body);
}

bool abut__body_ready(const abut__body* body) {
    return make_ready(body, false);
}

bool abut__body_ready_self(const abut__body* body) {
    return make_ready(body, true);
}

// Moves the slots of blocks in the pool to the blocks of another tree: with the new stamp they are
// filled again. Without memory they are found anew.
static void* move_touches(abut__body* body, const abut_shape* shape) {
    abut__touch* last = abut__once_peek(&body->touches);
    const uint32_t count = shape->tree.block_count;
    abut__touch* made = last != NULL ? abut__alloc(shape->tree.context, count, sizeof *made) : NULL;
    for (uint32_t b = 0; b < count && made != NULL; ++b) {
        const bool had = b < body->shape->tree.block_count;
        atomic_init(&made[b].slot, had ? atomic_load(&last[b].slot) : 0);
        atomic_init(&made[b].seen, 0);
    }
    return made;
}

bool abut__body_switch_tree(abut_scene* scene, abut__body* body, const abut_shape* shape,
                            abut__state drafts[2]) {
    if (!draft_states(body, shape, drafts)) {
        return false;
    }
    void* touches = move_touches(body, shape);
    abut__body_forget(scene->context, body);
    atomic_store(&body->touches, touches);
    adopt_states(body, drafts, NULL);
    body->shape = shape;
    body->stamp = body->change = ++scene->clock;
    return true;
}

bool abut__scene_ready(const abut_scene* scene) {
    bool done = true;
    for (size_t i = 0; i < scene->bodies.count && done; ++i) {
        const abut__body* body = abut__scene_at(scene, i);
        done = body == NULL || abut__body_ready(body);
    }
    return done;
}
