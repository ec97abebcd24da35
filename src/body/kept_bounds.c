// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bounds of a body in the shape's axes that are kept from one state to the next and widened by how
// far vertices can have moved. Based on: James, Pai, "BD-Tree: Output-Sensitive Collision Detection
// for Reduced Deformable Models", 2004, section 3.5.
//
// All widening happens while the state is set, so every thread finds the same bounds.
#include <math.h>

#include "body/body.h"

// ---- tables

static void* make_boxes(const void* of) {
    const abut__body* body = of;
    const uint32_t count = body->shape->tree.node_count;
    abut__kept_boxes* made = abut__alloc(body->shape->context, count, sizeof *made);
    for (uint32_t n = 0; n < count && made != NULL; ++n) {
        atomic_init(&made[n].stamp, 0);
    }
    return made;
}

static void* make_balls(const void* of) {
    const abut__body* body = of;
    const uint32_t count = body->shape->tree.node_count;
    abut__kept_balls* made = abut__alloc(body->shape->context, count, sizeof *made);
    for (uint32_t n = 0; n < count && made != NULL; ++n) {
        atomic_init(&made[n].stamp, 0);
    }
    return made;
}

static void undo_boxes(const void* of, void* made) {
    const abut__body* body = of;
    abut__free(body->shape->context, made, body->shape->tree.node_count, sizeof(abut__kept_boxes));
}

static void undo_balls(const void* of, void* made) {
    const abut__body* body = of;
    abut__free(body->shape->context, made, body->shape->tree.node_count, sizeof(abut__kept_balls));
}

static void* make_more(const void* of) {
    const abut__body* body = of;
    abut__more_bounds* made = abut__alloc(body->shape->context, 1, sizeof *made);
    if (made != NULL) {
        made->state_stamp = body->stamp;
        made->path = 0;
        atomic_init(&made->cached_balls, NULL);
        atomic_init(&made->kept_boxes, NULL);
        atomic_init(&made->kept_balls, NULL);
    }
    return made;
}

static void undo_more(const void* of, void* made) {
    const abut__body* body = of;
    abut__free(body->shape->context, made, 1, sizeof(abut__more_bounds));
}

abut__more_bounds* abut__body_more(const abut__body* body) {
    return abut__once_get(&body->more, make_more, undo_more, body);
}

// the tables, if there are any
static abut__more_bounds* peek_more(const abut__body* body) {
    return body->shape->motion->wears ? NULL : abut__once_peek(&body->more);
}

void abut__body_forget_more(const abut_context* context, abut__body* body) {
    const uint32_t count = body->shape->tree.node_count;
    abut__more_bounds* more = peek_more(body);
    if (more == NULL) {
        return;
    }
    abut__free(context, abut__once_peek(&more->cached_balls), count + (size_t)1,
               sizeof(abut__cached_balls));
    abut__free(context, abut__once_peek(&more->kept_boxes), count, sizeof(abut__kept_boxes));
    abut__free(context, abut__once_peek(&more->kept_balls), count, sizeof(abut__kept_balls));
    abut__free(context, more, 1, sizeof *more);
    atomic_store(&body->more, NULL);
}

// ---- bounds

static void bound_straight(const abut__body* body, uint32_t node, abut__boxes8* out) {
    const abut__boxes8* boxes = body->shape->motion->bound(body->shape, abut__body_state(body, 1),
                                                           NULL, node, out);
    if (boxes != out) {
        *out = *boxes;
    }
}

const abut__boxes8* abut__kept_boxes_of(const abut__body* body, uint32_t node, abut__boxes8* room) {
    const abut__more_bounds* more = abut__body_more(body);
    abut__kept_boxes* table = more != NULL
                                  ? abut__once_get(&more->kept_boxes, make_boxes, undo_boxes, body)
                                  : NULL;
    abut__kept_boxes* kept = table != NULL ? &table[node] : NULL;
    const abut__claim claim = kept != NULL ? abut__claim_take(&kept->stamp, more->state_stamp)
                                           : ABUT__BUSY;
    if (claim == ABUT__READY) {
        return &kept->boxes;
    }
    if (claim == ABUT__BUSY) {
        bound_straight(body, node, room);
        return room;
    }
    bound_straight(body, node, &kept->boxes);
    kept->since = more->path;
    abut__claim_done(&kept->stamp, more->state_stamp);
    return &kept->boxes;
}

// the spheres with their pad
static void balls_straight(const abut__body* body, uint32_t node, abut__balls8* out) {
    const abut_shape* shape = body->shape;
    const float pad = shape->motion->node_spheres->balls(shape, abut__body_state(body, 1), node,
                                                         out);
    for (int k = 0; k < ABUT__FAN; ++k) {
        out->r[k] += pad;
    }
}

const abut__balls8* abut__kept_balls_of(const abut__body* body, uint32_t node, abut__balls8* room) {
    const abut__more_bounds* more = abut__body_more(body);
    abut__kept_balls* table = more != NULL
                                  ? abut__once_get(&more->kept_balls, make_balls, undo_balls, body)
                                  : NULL;
    abut__kept_balls* kept = table != NULL ? &table[node] : NULL;
    const abut__claim claim = kept != NULL ? abut__claim_take(&kept->stamp, more->state_stamp)
                                           : ABUT__BUSY;
    if (claim == ABUT__READY) {
        return &kept->balls;
    }
    if (claim == ABUT__BUSY) {
        balls_straight(body, node, room);
        return room;
    }
    balls_straight(body, node, &kept->balls);
    kept->since = more->path;
    abut__claim_done(&kept->stamp, more->state_stamp);
    return &kept->balls;
}

// ---- a new state

typedef struct widening {
    const abut__body* body;
    const abut__more_bounds* more;
    uint64_t last_stamp;
    double step;
} widening;

// Rounding makes a path so long that steps vanish beside it longer still.
static abut__way way_of(const widening* w, double since) {
    const double lost = 0x1p-50 * w->more->path;
    return (abut__way){w->step + lost, (w->more->path - since) + lost};
}

static bool widen_boxes(const widening* w, uint32_t node) {
    const abut__body* body = w->body;
    abut__kept_boxes* kept = (abut__kept_boxes*)abut__once_peek(&w->more->kept_boxes) + node;
    if (atomic_load_explicit(&kept->stamp, memory_order_relaxed) != w->last_stamp) {
        return false;
    }
    const abut__way way = way_of(w, kept->since);
    const bool narrow = body->shape->motion->lazy->widen(body->shape, abut__body_state(body, 1),
                                                         &way, node, &kept->boxes);
    if (narrow) {
        atomic_store_explicit(&kept->stamp, w->more->state_stamp, memory_order_relaxed);
    }
    return narrow;
}

static bool widen_balls(const widening* w, uint32_t node) {
    const abut__body* body = w->body;
    abut__kept_balls* kept = (abut__kept_balls*)abut__once_peek(&w->more->kept_balls) + node;
    if (atomic_load_explicit(&kept->stamp, memory_order_relaxed) != w->last_stamp) {
        return false;
    }
    const abut__way way = way_of(w, kept->since);
    const bool narrow = body->shape->motion->node_spheres->widen(
        body->shape, abut__body_state(body, 1), &way, node, &kept->balls);
    if (narrow) {
        atomic_store_explicit(&kept->stamp, w->more->state_stamp, memory_order_relaxed);
    }
    return narrow;
}

// Vertices move as far whatever the node, so below one that becomes too wide all do.
static void widen_below(const widening* w, bool (*widen)(const widening*, uint32_t),
                        uint32_t node) {
    if (!widen(w, node)) {
        return;
    }
    const abut__node* opened = &w->body->shape->tree.nodes[node];
    for (uint32_t k = 0; k < opened->count; ++k) {
        if (!abut__is_block(opened->child[k])) {
            widen_below(w, widen, opened->child[k]);
        }
    }
}

void abut__body_widen(abut__body* body, const abut__state* last) {
    abut__more_bounds* more = peek_more(body);
    if (more == NULL) {
        return;
    }
    widening w = {.body = body, .more = more, .last_stamp = more->state_stamp};
    const abut__state* state = abut__body_state(body, 1);
    more->state_stamp = body->stamp;
    if (last == NULL || !state->widens) {
        return;
    }
    w.step = body->shape->motion->lazy->distance(body->shape, state, last);
    if (!isfinite(more->path + w.step)) {  // then nothing is widened
        return;
    }
    more->path += w.step;
    if (abut__once_peek(&more->kept_boxes) != NULL) {
        widen_below(&w, widen_boxes, 0);
    }
    if (abut__once_peek(&more->kept_balls) != NULL) {
        widen_below(&w, widen_balls, 0);
    }
}
