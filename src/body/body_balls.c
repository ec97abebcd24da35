// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Spheres around the nodes of a body in world axes relative to its origin, from its motion and its
// frame. They are cached like boxes.
//
// Rounding, with u = 2^-24 and the extent s. The motion grows radii for its own rounding. A row of
// the rotation R has |row|_1 < 1.75, so each coordinate of a turned centre is off by 1.75 (1 + 3) u
// s, which is 12.2 u s in all. A radius is below 3.5 s, and its product with STRETCH and the sum
// add 3 u of that. Together below 32 u s; the pad of a turn is 64 u s.
#include <math.h>

#include "body/body.h"

// Frames differ from rotations by so little (see abut_frame) that no row of R R^T sums to more than
// 1.003, which bounds the square of the norm of R.
#define STRETCH 1.0016f

uint32_t abut__body_kinds(const abut__body* body, int end) {
    const abut__node_spheres* spheres = body->shape->motion->node_spheres;
    const abut__state* state = abut__body_state(body, end);
    if (spheres == NULL || !(state->extent <= ABUT__EXTENT_LIMIT)) {
        return ABUT__BOXES;
    }
    return spheres->kinds(body->shape, state);
}

static void balls_anew(const abut__body* body, uint32_t node, int end, abut__balls8* out) {
    const abut_shape* shape = body->shape;
    const abut__state* state = abut__body_state(body, end);
    abut__turn turn;
    abut__balls8 room;
    float pad = 0;
    const abut__balls8* own = &room;
    if (end == 1 && state->widens) {
        own = abut__kept_balls_of(body, node, &room);
    } else {
        pad = shape->motion->node_spheres->balls(shape, state, node, &room);
    }
    shape->context->kernels->turn_balls(own, abut__body_turn(body, end, &turn), STRETCH, pad, out);
}

// The sphere of all, in the first lane. Rounding its centre to float adds sqrt(3) u s.
static void root_anew(const abut__body* body, int end, abut__balls8* out) {
    const abut_shape* shape = body->shape;
    const abut__state* state = abut__body_state(body, end);
    const abut__ball ball = shape->motion->whole_bounds->sphere(shape, state);
    abut__balls8 own = {.r = {0}};
    for (int d = 0; d < 3; ++d) {
        own.c[d][0] = (float)ball.c[d];
    }
    own.r[0] = (float)(ball.r * (1 + 0x1p-22));
    abut__turn turn;
    shape->context->kernels->turn_balls(&own, abut__body_turn(body, end, &turn), STRETCH,
                                        0x1p-22f * state->extent + ABUT__TINY, out);
}

static void fill(const abut__body* body, uint32_t node, int end, abut__balls8* out) {
    if (node < body->shape->tree.node_count) {
        balls_anew(body, node, end, out);
    } else {
        root_anew(body, end, out);
    }
}

static void* make_cache(const void* of) {
    const abut__body* body = of;
    const size_t count = body->shape->tree.node_count + (size_t)1;
    abut__cached_balls* made = abut__alloc(body->shape->context, count, sizeof *made);
    for (size_t n = 0; n < count && made != NULL; ++n) {
        atomic_init(&made[n].stamp, 0);
    }
    return made;
}

static void undo_cache(const void* of, void* made) {
    const abut__body* body = of;
    abut__free(body->shape->context, made, body->shape->tree.node_count + (size_t)1,
               sizeof(abut__cached_balls));
}

// `node` may be the number of nodes: the sphere of the root
static const abut__balls8* find(const abut__body* body, uint32_t node, int end,
                                abut__balls8* room) {
    const abut__more_bounds* more = end == 1 ? abut__body_more(body) : NULL;
    abut__cached_balls* table = more != NULL ? abut__once_get(&more->cached_balls, make_cache,
                                                              undo_cache, body)
                                             : NULL;
    const abut__claim claim = table != NULL ? abut__claim_take(&table[node].stamp, body->stamp)
                                            : ABUT__BUSY;
    if (claim == ABUT__BUSY) {
        fill(body, node, end, room);
        return room;
    }
    if (claim == ABUT__MINE) {
        fill(body, node, end, &table[node].balls);
        abut__claim_done(&table[node].stamp, body->stamp);
    }
    return &table[node].balls;
}

const abut__balls8* abut__body_balls(const abut__body* body, uint32_t node, int end,
                                     abut__balls8* room) {
    return find(body, node, end, room);
}

abut__ball4 abut__body_ref_ball(const abut__body* body, abut__ref ref, int end) {
    const abut__tree* tree = &body->shape->tree;
    const uint32_t parent = abut__ref_parent(tree, ref);
    const uint32_t slot = parent == ABUT__NONE ? 0 : abut__ref_slot(tree, ref);
    abut__balls8 room;
    const abut__balls8* balls = find(body, parent == ABUT__NONE ? tree->node_count : parent, end,
                                     &room);
    return (abut__ball4){{balls->c[0][slot], balls->c[1][slot], balls->c[2][slot]}, balls->r[slot]};
}
