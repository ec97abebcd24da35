// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Views of the current state, and functions common to all views.
#include "view/view.h"

abut__box3 abut__view_box(const abut__view* view, abut__ref ref) {
    const uint32_t parent = abut__ref_parent(view->tree, ref);
    abut__boxes8 room;
    if (parent == ABUT__NONE) {  // the root: its box is that of its children
        return abut__boxes_around(abut__view_bound(view, ref, &room), view->tree->nodes[ref].count);
    }
    return abut__boxes_get(abut__view_bound(view, parent, &room), abut__ref_slot(view->tree, ref));
}

static void place(const abut__view* view, int end, const double xyz[3][ABUT__BLOCK_VERTICES],
                  uint32_t count, double (*out)[3]) {
    for (uint32_t i = 0; i < count; ++i) {
        for (int d = 0; d < 3; ++d) {
            out[i][d] = xyz[d][i];
        }
        if (view->placing[end] != NULL) {
            abut__frame_apply(view->placing[end], out[i]);
        }
    }
}

void abut__view_evaluate_by(abut__view_evaluator evaluate, const abut__view* view, int end,
                            const uint32_t* ids, uint32_t count, double (*out)[3]) {
    for (uint32_t first = 0; first < count; first += ABUT__BLOCK_VERTICES) {
        const uint32_t left = count - first;
        const uint32_t some = left < ABUT__BLOCK_VERTICES ? left : ABUT__BLOCK_VERTICES;
        double xyz[3][ABUT__BLOCK_VERTICES];
        double* const places[3] = {xyz[0], xyz[1], xyz[2]};
        evaluate(view, end, ids + first, some, places);
        place(view, end, (const double(*)[ABUT__BLOCK_VERTICES])xyz, some, out + first);
    }
}

static void vertices_of_state(const abut__view* view, int end, const uint32_t* ids, uint32_t count,
                              double* const out[3]) {
    view->shape->motion->vertices(view->shape, view->state[end], ids, count, out);
}

void abut__view_evaluate(const abut__view* view, int end, const uint32_t* ids, uint32_t count,
                         double (*out)[3]) {
    abut__view_evaluate_by(vertices_of_state, view, end, ids, count, out);
}

static const abut__boxes8* now_bound(const abut__view* view, uint32_t node, abut__boxes8* room) {
    return abut__body_bound(view->body, node, 1, room);
}

static const abut__balls8* now_balls(const abut__view* view, uint32_t node, int end,
                                     abut__balls8* room) {
    (void)end;
    return abut__body_balls(view->body, node, 1, room);
}

static abut__ball4 now_ball_of(const abut__view* view, abut__ref ref, int end) {
    (void)end;
    return abut__body_ref_ball(view->body, ref, 1);
}

static const abut__block_boxes* now_block_boxes(const abut__view* view, uint32_t block, int side,
                                                abut__reader* reader) {
    return abut__pool_get(reader->scene, view->body, block, &reader->boxes[side],
                          &reader->evaluated);
}

static bool now_apart(const abut__view* view, abut__ref ref) {
    return view->shape->motion->apart(view->shape, view->state[1], ref);
}

static const abut__view_kind now = {
    .at_states = true,
    .bound = now_bound,
    .balls = now_balls,
    .ball_of = now_ball_of,
    .block_boxes = now_block_boxes,
    .vertices = abut__view_evaluate,
    .apart = now_apart,
};

static void set_frame(abut__view* view, const abut_frame* frame) {
    view->frame = frame;
    view->own_origin = abut__body_own_origin(view->body, 1);
    view->far = abut__frame_place(frame, view->own_origin, view->origin);
}

// A literal of values at hand is written in place. A copy of fresh values waits for their stores.
void abut__view_make(const abut__view_kind* kind, abut__body* body, abut__view* out) {
    const abut__state* state = abut__body_state(body, 1);
    const abut_shape* shape = body->shape;
    const double extent = (double)state->extent;
    *out = (abut__view){
        .kind = kind,
        .body = body,
        .shape = shape,
        .tree = &shape->tree,
        .state = {state, state},
        .usage = &body->usage,
        .extent = extent,
        .kinds = ABUT__BOXES,
    };
    set_frame(out, &body->frame);
}

void abut__view_now(abut__body* body, abut__view* out) {
    abut__view_make(&now, body, out);
    out->stored = !body->turned ? abut__state_boxes(body->shape, abut__body_state(body, 1)) : NULL;
    out->kinds = abut__body_kinds(body, 1);
}

abut__view abut__view_moved(const abut__view* view, const abut_frame* frame) {
    abut__view moved = *view;
    set_frame(&moved, frame);
    moved.usage = NULL;
    return moved;
}

const abut__block_boxes* abut__view_peek(const abut__view* view, uint32_t block,
                                         const abut_scene* scene) {
    return view->kind == &now ? abut__pool_peek(scene, view->body, block) : NULL;
}

bool abut__view_blocks_apart(const abut__view* view, uint32_t a, uint32_t b) {
    const abut__pair_proofs* proofs = view->kind == &now ? view->shape->motion->pair_proofs : NULL;
    return proofs != NULL && proofs->blocks_certified(view->shape, view->state[1], a, b);
}

uint32_t abut__view_links_apart(const abut__view* view, uint32_t first, uint32_t count) {
    const abut__pair_proofs* proofs = view->kind == &now ? view->shape->motion->pair_proofs : NULL;
    return proofs != NULL ? proofs->links_apart(view->shape, view->state[1], first, count) : 0;
}

bool abut__view_proves_nodes(const abut__view* view) {
    const abut__pair_proofs* proofs = view->kind == &now ? view->shape->motion->pair_proofs : NULL;
    return proofs != NULL && proofs->nodes_apart != NULL;
}

bool abut__view_nodes_apart(const abut__view* view, uint32_t a, uint32_t b) {
    return abut__view_proves_nodes(view) &&
           view->shape->motion->pair_proofs->nodes_apart(view->shape, view->state[1], a, b);
}

abut__ball abut__view_sphere(const abut__view* view) {
    return abut__body_sphere(view->body, view->frame);
}

abut_box abut__view_world_box(const abut__view* view) {
    abut_box world;
    abut__body_enclose(view->body, 1, view->frame, &world);
    return world;
}
