// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Boxes of a body in world axes relative to its origin, from its motion and its frame. An identity
// rotation changes nothing.
#include <math.h>

#include "body/body.h"

// Computed when needed, because there may be thousands of bodies, and boxes are cached.
const abut__turn* abut__body_turn(const abut__body* body, int end, abut__turn* turn) {
    if (!(end == 1 ? body->turned : body->turned_before)) {
        return NULL;
    }
    const abut_frame* frame = abut__body_frame(body, end);
    turn->pad = ABUT__TURN_PAD * abut__body_state(body, end)->extent + ABUT__TINY;
    for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 3; ++e) {
            turn->r[d][e] = (float)frame->r[d][e];
        }
    }
    return turn;
}

// whether the body is turned, and too large for float arithmetic
static bool is_unbounded(const abut__body* body, int end) {
    return end == 1
               ? body->unbounded
               : body->turned_before && !(abut__body_state(body, 0)->extent <= ABUT__EXTENT_LIMIT);
}

// Turns the boxes that the body keeps and widens.
static const abut__boxes8* bound_kept(const abut__body* body, uint32_t node,
                                      const abut__turn* turned, abut__boxes8* room) {
    if (turned == NULL) {
        return abut__kept_boxes_of(body, node, room);
    }
    const abut_shape* shape = body->shape;
    abut__boxes8 straight;
    const abut__boxes8* kept = abut__kept_boxes_of(body, node, &straight);
    shape->context->kernels->turn_boxes(kept, shape->tree.nodes[node].count, turned, room);
    return room;
}

static const abut__boxes8* bound_anew(const abut__body* body, uint32_t node, int end,
                                      abut__boxes8* room) {
    const abut_shape* shape = body->shape;
    if (is_unbounded(body, end)) {
        abut__boxes_infinite(room, shape->tree.nodes[node].count);
        return room;
    }
    abut__turn turn;
    const abut__state* state = abut__body_state(body, end);
    const abut__turn* turned = abut__body_turn(body, end, &turn);
    return end == 1 && state->widens ? bound_kept(body, node, turned, room)
                                     : shape->motion->bound(shape, state, turned, node, room);
}

static void* make_cache(const void* of) {
    const abut__body* body = of;
    const uint32_t count = body->shape->tree.node_count;
    abut__cached_boxes* made = abut__alloc(body->shape->context, count, sizeof *made);
    for (uint32_t n = 0; n < count && made != NULL; ++n) {
        atomic_init(&made[n].stamp, 0);
        made[n].walk = made[n].merged = 0;
    }
    return made;
}

static void undo_cache(const void* of, void* made) {
    const abut__body* body = of;
    abut__free(body->shape->context, made, body->shape->tree.node_count,
               sizeof(abut__cached_boxes));
}

void abut__body_forget(const abut_context* context, abut__body* body) {
    if (!abut__body_has_bounds(body)) {
        return;  // nothing was cached, and the shape may have no tree
    }
    abut__free(body->shape->tree.context, abut__once_peek(&body->touches),
               body->shape->tree.block_count, sizeof(abut__touch));
    atomic_store(&body->touches, NULL);
    abut__free(context, abut__once_peek(&body->cached), body->shape->tree.node_count,
               sizeof(abut__cached_boxes));
    atomic_store(&body->cached, NULL);
    abut__body_forget_more(context, body);
}

// ---- the front, as in section 3.4 of Steinemann, Otaduy, Gross, "Efficient Bounds for Point-Based
// Animations", 2007: boxes where the last query ended are computed, those above them merged

static void walk_front(const abut__tree* tree, abut__cached_boxes* table, uint32_t node,
                       uint64_t last_stamp) {
    const abut__node* n = &tree->nodes[node];
    table[node].walk = last_stamp;
    table[node].merged = 0;
    for (uint32_t k = 0; k < n->count; ++k) {
        const abut__ref child = n->child[k];
        if (!abut__is_block(child) &&
            atomic_load_explicit(&table[child].stamp, memory_order_relaxed) == last_stamp) {
            table[node].merged |= 1u << k;
            walk_front(tree, table, child, last_stamp);
        }
    }
}

void abut__body_follow_front(abut__body* body, uint64_t last_stamp) {
    const abut__lazy* lazy = body->shape->motion->lazy;
    abut__cached_boxes* table = abut__once_peek(&body->cached);
    if (table == NULL || lazy == NULL || lazy->bound_some == NULL) {
        return;
    }
    if (!abut__body_state(body, 1)->merges) {
        table[0].walk = 0;  // no stamp
        table[0].merged = 0;
        return;
    }
    const bool opened = atomic_load_explicit(&table[0].stamp, memory_order_relaxed) == last_stamp;
    table[0].walk = last_stamp;
    table[0].merged = 0;
    if (opened) {
        walk_front(&body->shape->tree, table, 0, last_stamp);
    }
}

// Computes the boxes of the children that are not `merged`, and merges those of the others.
static const abut__boxes8* bound_merged(const abut__body* body, uint32_t node, uint32_t merged,
                                        abut__boxes8* room) {
    const abut_shape* shape = body->shape;
    abut__turn turn;
    shape->motion->lazy->bound_some(shape, abut__body_state(body, 1),
                                    abut__body_turn(body, 1, &turn), node,
                                    ((1u << shape->tree.nodes[node].count) - 1) & ~merged, room);
    for (uint32_t left = merged; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        const abut__ref child = shape->tree.nodes[node].child[k];
        abut__boxes8 below;
        const abut__box3 box = abut__boxes_around(abut__body_bound(body, child, 1, &below),
                                                  shape->tree.nodes[child].count);
        abut__boxes_put(room, k, &box);
    }
    return room;
}

// Computes boxes of the current state that are not in the table.
static const abut__boxes8* bound_by_front(const abut__body* body, const abut__cached_boxes* table,
                                          uint32_t node, abut__boxes8* room) {
    const uint32_t merged = table[node].walk == table[0].walk ? table[node].merged : 0;
    return merged == 0 || is_unbounded(body, 1) ? bound_anew(body, node, 1, room)
                                                : bound_merged(body, node, merged, room);
}

const abut__boxes8* abut__body_bound(const abut__body* body, uint32_t node, int end,
                                     abut__boxes8* room) {
    // kept boxes need no second copy unless they are turned
    const bool once = end == 1 && body->shape->motion->lazy != NULL &&
                      (body->turned || !abut__body_state(body, 1)->widens);
    abut__cached_boxes* table = once ? abut__once_get(&body->cached, make_cache, undo_cache, body)
                                     : NULL;
    if (table == NULL) {
        return bound_anew(body, node, end, room);
    }
    abut__cached_boxes* cached = &table[node];
    switch (abut__claim_take(&cached->stamp, body->stamp)) {
        case ABUT__READY: return &cached->boxes;
        case ABUT__BUSY: return bound_by_front(body, table, node, room);
        case ABUT__MINE: break;
    }
    if (abut__body_state(body, 1)->counts) {  // a query changes nothing else of a body
        atomic_fetch_add_explicit(&((abut__body*)body)->usage.bounded, 1, memory_order_relaxed);
    }
    const abut__boxes8* boxes = bound_by_front(body, table, node, &cached->boxes);
    if (boxes != &cached->boxes) {
        cached->boxes = *boxes;
    }
    abut__claim_done(&cached->stamp, body->stamp);
    return &cached->boxes;
}

abut__box3 abut__body_ref_box(const abut__body* body, abut__ref ref, int end) {
    const abut__tree* tree = &body->shape->tree;
    const uint32_t parent = abut__ref_parent(tree, ref);
    abut__boxes8 room;
    if (parent == ABUT__NONE) {  // no node above stores the root's box
        return abut__boxes_around(abut__body_bound(body, ref, end, &room), tree->nodes[ref].count);
    }
    const abut__boxes8* boxes = abut__body_bound(body, parent, end, &room);
    return abut__boxes_get(boxes, abut__ref_slot(tree, ref));
}

static void fill_infinite_lanes(const abut__block* block, abut__block_boxes* out) {
    for (int d = 0; d < 3; ++d) {
        for (uint32_t k = 0; k < ABUT__BLOCK_TRIANGLES; ++k) {
            out->lo[d][k] = k < block->triangle_count ? -INFINITY : INFINITY;
            out->hi[d][k] = k < block->triangle_count ? INFINITY : -INFINITY;
        }
        out->all.lo[d] = -INFINITY;
        out->all.hi[d] = INFINITY;
    }
    out->valid = block->valid;
}

void abut__body_block_points(const abut__body* body, uint32_t block, int end,
                             abut__cached_points* out) {
    const abut_shape* shape = body->shape;
    if (!shape->motion->evaluate(shape, abut__body_state(body, end), block, &out->at,
                                 &out->radius) ||
        is_unbounded(body, end)) {
        out->radius = INFINITY;
    }
}

void abut__body_boxes_around(const abut__body* body, uint32_t block, int end,
                             const abut__cached_points* points, abut__block_boxes* out) {
    const abut__block* fixed = body->shape->tree.blocks[block];
    if (points->radius == INFINITY) {
        fill_infinite_lanes(fixed, out);
        return;
    }
    abut__turn turn;
    body->shape->context->kernels->block_boxes(
        fixed, &points->at, abut__body_turn(body, end, &turn), points->radius, out);
}

void abut__body_block_boxes(const abut__body* body, uint32_t block, int end,
                            abut__block_boxes* out) {
    abut__cached_points points;
    abut__body_block_points(body, block, end, &points);
    abut__body_boxes_around(body, block, end, &points, out);
}

// returns the box around all eight; unused ones are empty, so that the loop has a fixed length
static abut__box3 box_around(const abut__boxes8* boxes) {
    abut__box3 box;
    for (int d = 0; d < 3; ++d) {
        float lo[4];
        float hi[4];
        for (int k = 0; k < 4; ++k) {
            const float* l = boxes->lo[d];
            const float* h = boxes->hi[d];
            lo[k] = l[k] < l[k + 4] ? l[k] : l[k + 4];
            hi[k] = h[k] > h[k + 4] ? h[k] : h[k + 4];
        }
        const float lo0 = lo[0] < lo[2] ? lo[0] : lo[2];
        const float lo1 = lo[1] < lo[3] ? lo[1] : lo[3];
        const float hi0 = hi[0] > hi[2] ? hi[0] : hi[2];
        const float hi1 = hi[1] > hi[3] ? hi[1] : hi[3];
        box.lo[d] = lo0 < lo1 ? lo0 : lo1;
        box.hi[d] = hi0 > hi1 ? hi0 : hi1;
    }
    return box;
}

static inline double apply_row(const abut_frame* frame, int d, double x, double y, double z) {
    const double* r = frame->r[d];
    return ((r[0] * x + r[1] * y) + r[2] * z) + frame->t[d];
}

static inline void apply(const abut_frame* frame, double x, double y, double z, double out[3]) {
    out[0] = apply_row(frame, 0, x, y, z);
    out[1] = apply_row(frame, 1, x, y, z);
    out[2] = apply_row(frame, 2, x, y, z);
}

void abut__frame_apply(const abut_frame* frame, double position[3]) {
    apply(frame, position[0], position[1], position[2], position);
}

void abut__body_origin_in(const abut__body* body, int end, const abut_frame* frame, double out[3]) {
    const float* origin = abut__body_own_origin(body, end);
    apply(frame, (double)origin[0], (double)origin[1], (double)origin[2], out);
}

// NAN does not count.
static inline double greatest(double x, double y, double z) {
    const double a = fabs(x) > 0 ? fabs(x) : 0;
    const double b = fabs(y) > a ? fabs(y) : a;
    return fabs(z) > b ? fabs(z) : b;
}

// A row of a rotation times a vector is at most 1.75 times its greatest number.
static inline double far_of(const float origin[3], const abut_frame* frame) {
    return greatest(frame->t[0], frame->t[1], frame->t[2]) +
           2 * greatest((double)origin[0], (double)origin[1], (double)origin[2]);
}

double abut__body_far_in(const abut__body* body, int end, const abut_frame* frame) {
    return far_of(abut__body_own_origin(body, end), frame);
}

double abut__frame_place(const abut_frame* frame, const float own[3], double origin[3]) {
    apply(frame, (double)own[0], (double)own[1], (double)own[2], origin);
    return far_of(own, frame);
}

// The box that the motion has of all, placed in double. Let s be the extent, which also bounds the
// box, and f what abut__body_far() returns: turned vertices and the turned box are off by 2^-50 (s +
// f) each, and adding the origin by 2^-51 (2 s + f).
static bool own_box(const abut__body* body, int end, const abut_frame* frame, abut_box* world) {
    const abut__state* state = abut__body_state(body, end);
    double centre[3];
    double half[3];
    const abut__whole_bounds* whole = body->shape->motion->whole_bounds;
    if (whole == NULL || !(state->extent <= ABUT__EXTENT_LIMIT) ||
        !whole->box(body->shape, state, centre, half)) {
        return false;
    }
    double origin[3];
    const double far = abut__frame_place(frame, abut__body_own_origin(body, end), origin);
    for (int d = 0; d < 3; ++d) {
        const double* r = frame->r[d];
        double c = centre[d];
        double e = half[d];
        if (end == 1 ? body->turned : body->turned_before) {
            c = (r[0] * centre[0] + r[1] * centre[1]) + r[2] * centre[2];
            e = (fabs(r[0]) * half[0] + fabs(r[1]) * half[1]) + fabs(r[2]) * half[2];
        }
        e += 0x1p-46 * (double)state->extent + 0x1p-48 * far + (double)ABUT__TINY;
        world->lo[d] = (origin[d] + c) - e;
        world->hi[d] = (origin[d] + c) + e;
    }
    return true;
}

abut_box abut__body_box_in(const abut__body* body, int end, const abut_frame* frame,
                           const abut__box3* box) {
    abut_box world;
    double origin[3];
    const double far = abut__frame_place(frame, abut__body_own_origin(body, end), origin);
    for (int d = 0; d < 3; ++d) {
        // room for the rounding of boxes to float, of world vertices, and of this very sum
        const double least = fabs((double)box->lo[d]);
        const double most = fabs((double)box->hi[d]);
        const double size = least > most ? least : most;
        const double pad = 0x1p-22 * size + 0x1p-48 * far + (double)ABUT__TINY;
        const bool bounded = size <= (double)ABUT__EXTENT_LIMIT;
        world.lo[d] = bounded ? origin[d] + (double)box->lo[d] - pad : -INFINITY;
        world.hi[d] = bounded ? origin[d] + (double)box->hi[d] + pad : INFINITY;
    }
    return world;
}

void abut__body_enclose(const abut__body* body, int end, const abut_frame* frame, abut_box* world) {
    if (!own_box(body, end, frame, world)) {
        // aside: bodies that no other body comes near need no table
        abut__boxes8 room;
        const abut__box3 box = box_around(bound_anew(body, 0, end, &room));
        *world = abut__body_box_in(body, end, frame, &box);
    }
}

bool abut__body_is_still(const abut__body* body) {
    return abut__body_state(body, 0) == abut__body_state(body, 1) &&
           abut__frames_equal(abut__body_frame(body, 0), &body->frame);
}

bool abut__frame_is_identity(const abut_frame* frame) {
    static const abut_frame identity = {.r = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return abut__frames_equal(frame, &identity);
}

// Mostly frames are equal bit for bit; their numbers are finite, but zeros have signs.
bool abut__frames_equal(const abut_frame* a, const abut_frame* b) {
    if (memcmp(a, b, sizeof *a) == 0) {
        return true;
    }
    for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 3; ++e) {
            if (a->r[d][e] != b->r[d][e]) {
                return false;
            }
        }
        if (a->t[d] != b->t[d]) {
            return false;
        }
    }
    return true;
}
