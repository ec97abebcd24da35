// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds the side of a closed surface on which a point is: the winding number, which is how much
// more often a ray along an axis leaves the surface than it enters it.
//
// Only signs of orientations decide, so the answer is exact. Seen along the ray a triangle covers
// the point or not. To decide that for each triangle, the point is perturbed by (e, e^2) in the two
// coordinates across the ray, with an infinitesimal e. Then it lies on no edge, and of the
// triangles around an edge or a corner exactly those are met that a point beside it would meet. A
// point on the surface is detected before, without perturbation.
//
// A point beside a triangle, at one of its corners, is treated in the same way: it is perturbed
// towards the second corner and by less towards the third. The sign of an orientation is that of
// the first corner for which it is not 0.
//
// Based on: Edelsbrunner, Muecke, "Simulation of Simplicity", ACM Transactions on Graphics 9 (1990).
#include "query/contains.h"

#include <math.h>

#include "exact/orient.h"
#include "exact/triangles.h"
#include "scene/scene.h"

typedef struct ray {
    const abut__body* body;
    const double* point;
    const double (*corners)[3];  // the point, or the three corners of the triangle beside it
    int corner_count;
    uint32_t own;  // that triangle
    int axis;
    int direction;  // 1 or -1
    // the box of the ray, relative to the body's origin
    float lo[3];
    float hi[3];
    int32_t winding;
    bool on_surface;
    abut_counters work;
} ray;

// The orientation of a, b, and the perturbed point seen along the axis; 0 only if a and b coincide
// there.
static int turn(const ray* r, const double a[3], const double b[3]) {
    const int i = (r->axis + 1) % 3;
    const int j = (r->axis + 2) % 3;
    for (int k = 0; k < r->corner_count; ++k) {
        const int sign = abut__orient2d(a, b, r->corners[k], r->axis);
        if (sign != 0) {
            return sign;
        }
    }
    if (a[j] != b[j]) {
        return a[j] < b[j] ? -1 : 1;
    }
    return a[i] == b[i] ? 0 : a[i] < b[i] ? 1 : -1;
}

static bool is_on(const ray* r, const double t[3][3]) {
    const double p[3][3] = {{r->point[0], r->point[1], r->point[2]},
                            {r->point[0], r->point[1], r->point[2]},
                            {r->point[0], r->point[1], r->point[2]}};
    return r->corner_count == 1 && abut__triangles_touch(t, p);
}

static void meet(ray* r, const double t[3][3]) {
    ++r->work.exact_tests;
    if (is_on(r, t)) {
        r->on_surface = true;
        return;
    }
    const int first = turn(r, t[0], t[1]);
    if (first == 0 || turn(r, t[1], t[2]) != first || turn(r, t[2], t[0]) != first) {
        return;
    }
    // the plane is ahead if the point lies on its side that faces the ray
    int side = 0;
    for (int k = 0; k < r->corner_count && side == 0; ++k) {
        side = abut__orient3d(t[0], t[1], t[2], r->corners[k]);
    }
    r->on_surface = side == 0;  // this triangle contains the one that the point is beside
    if (side == -first * r->direction) {
        r->winding += first * r->direction;
    }
}

static void meet_block(ray* r, uint32_t number) {
    const abut__body* body = r->body;
    const abut__block* block = body->shape->tree.blocks[number];
    abut__block_boxes boxes;
    abut__body_block_boxes(body, number, 1, &boxes);
    ++r->work.blocks_evaluated;
    r->work.vertices_evaluated += block->vertex_count;
    for (uint32_t k = 0; k < block->triangle_count && !r->on_surface; ++k) {
        bool passes = true;
        for (int d = 0; d < 3; ++d) {
            passes = passes && boxes.lo[d][k] <= r->hi[d] && boxes.hi[d][k] >= r->lo[d];
        }
        if (!passes || block->triangle[k] == r->own) {
            continue;
        }
        double t[3][3];
        for (int c = 0; c < 3; ++c) {
            abut__body_vertex(body, block->vertex[block->corner[c][k]], 1, t[c]);
            abut__frame_apply(&body->frame, t[c]);
        }
        meet(r, (const double(*)[3])t);
    }
}

static void descend(ray* r, uint32_t node) {
    abut__boxes8 room;
    const abut__tree* tree = &r->body->shape->tree;
    const abut__boxes8* stored = abut__body_bound(r->body, node, 1, &room);
    const abut__boxes8 boxes = *stored;
    const uint32_t count = tree->nodes[node].count;
    r->work.boxes_computed += count;
    r->work.boxes_tested += count;
    for (uint32_t k = 0; k < count && !r->on_surface; ++k) {
        bool passes = true;
        for (int d = 0; d < 3; ++d) {
            passes = passes && boxes.lo[d][k] <= r->hi[d] && boxes.hi[d][k] >= r->lo[d];
        }
        const abut__ref child = tree->nodes[node].child[k];
        if (passes && abut__is_block(child)) {
            meet_block(r, abut__block_of(child));
        } else if (passes) {
            descend(r, child);
        }
    }
}

// Sets the box of the ray, which begins a little before the point. The pad is that of two bodies in
// different frames, of which one has no extent (see run.c).
static void set_reach(ray* r) {
    const double size = 2 * (double)abut__body_state(r->body, 1)->extent;
    for (int d = 0; d < 3; ++d) {
        const double t = r->body->frame.t[d];
        const double offset = r->point[d] - t;
        const double pad = 0x1p-20 * (size + fabs(offset)) +
                           0x1p-48 * (size + fabs(r->point[d]) + fabs(t)) + (double)ABUT__TINY;
        r->lo[d] = (float)(offset - pad);
        r->hi[d] = (float)(offset + pad);
    }
    if (r->direction > 0) {
        r->hi[r->axis] = INFINITY;
    } else {
        r->lo[r->axis] = -INFINITY;
    }
}

// chooses the direction in which the body's box ends soonest
static void aim(ray* r) {
    const abut__box3 box = abut__body_ref_box(r->body, 0, 1);
    double shortest = INFINITY;
    for (int d = 0; d < 3; ++d) {
        const double offset = r->point[d] - r->body->frame.t[d];
        const double ahead = (double)box.hi[d] - offset;
        const double behind = offset - (double)box.lo[d];
        const double way = ahead < behind ? ahead : behind;
        if (way < shortest) {
            shortest = way;
            r->axis = d;
            r->direction = ahead < behind ? 1 : -1;
        }
    }
}

static void send(ray* r, abut_counters* counters) {
    set_reach(r);
    descend(r, 0);
    if (counters != NULL) {
        counters->boxes_computed += r->work.boxes_computed;
        counters->boxes_tested += r->work.boxes_tested;
        counters->blocks_evaluated += r->work.blocks_evaluated;
        counters->vertices_evaluated += r->work.vertices_evaluated;
        counters->exact_tests += r->work.exact_tests;
    }
}

abut_side abut__side_of(const abut__body* body, const double point[3], int32_t* winding,
                        abut_counters* counters) {
    const double corner[1][3] = {{point[0], point[1], point[2]}};
    ray r = {.body = body, .point = point, .direction = 1, .own = ABUT__NONE};
    r.corners = corner;
    r.corner_count = 1;
    aim(&r);
    send(&r, counters);
    *winding = r.on_surface ? 0 : r.winding;
    return r.on_surface ? ABUT_SIDE_SURFACE : r.winding != 0 ? ABUT_SIDE_INSIDE : ABUT_SIDE_OUTSIDE;
}

abut_side abut__side_beside(const abut__body* body, uint32_t triangle, const double corners[3][3],
                            int32_t* winding, abut_counters* counters) {
    ray r = {.body = body, .point = corners[0], .corners = corners, .corner_count = 3};
    r.own = triangle;
    *winding = 0;
    for (r.axis = 0; r.axis < 3 && r.direction == 0; ++r.axis) {
        r.direction = abut__orient2d(corners[0], corners[1], corners[2], r.axis);
    }
    if (r.direction == 0) {
        return ABUT_SIDE_UNDEFINED;
    }
    --r.axis;
    send(&r, counters);
    *winding = r.on_surface ? 0 : r.winding;
    // on the other side the winding number is one more
    return r.on_surface                           ? ABUT_SIDE_SURFACE
           : r.winding != 0 && r.winding + 1 != 0 ? ABUT_SIDE_INSIDE
                                                  : ABUT_SIDE_OUTSIDE;
}

// whether the body has an inside; if not, sets `side`
static abut_status check_surface(const abut__body* body, abut_side* side) {
    const abut__topology* topology = abut__shape_topology(body->shape);
    if (topology == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    *side = topology->closed ? ABUT_SIDE_OUTSIDE : ABUT_SIDE_UNDEFINED;
    return abut__body_state(body, 1)->bad_vertex != ABUT__NONE ? ABUT_ERR_INVALID_DATA : ABUT_OK;
}

abut_status abut_contains_point(const abut_scene* scene, abut_body_id body, const double point[3],
                                abut_side* side, int32_t* winding, abut_counters* counters) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL || point == NULL || side == NULL || !isfinite(point[0]) ||
        !isfinite(point[1]) || !isfinite(point[2])) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    int32_t turns = 0;
    abut_side answer;
    const abut_status status = check_surface(found, &answer);
    if (status != ABUT_OK) {
        return status;
    }
    if (answer != ABUT_SIDE_UNDEFINED) {
        answer = abut__side_of(found, point, &turns, counters);
    }
    *side = answer;
    if (winding != NULL) {
        *winding = turns;
    }
    return ABUT_OK;
}

// For surfaces that do not touch: each piece of one is wholly inside or outside of the other.
static abut_status side_of_pieces(const abut__body* outer, const abut__body* inner, abut_side* side,
                                  abut_counters* counters) {
    const abut__topology* topology = abut__shape_topology(inner->shape);
    if (topology == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    uint32_t inside = 0;
    for (uint32_t i = 0; i < topology->piece_count; ++i) {
        double p[3];
        int32_t winding;
        abut__body_vertex(inner, topology->piece_vertex[i], 1, p);
        abut__frame_apply(&inner->frame, p);
        inside += abut__side_of(outer, p, &winding, counters) == ABUT_SIDE_INSIDE;
    }
    *side = inside == 0                       ? ABUT_SIDE_OUTSIDE
            : inside == topology->piece_count ? ABUT_SIDE_INSIDE
                                              : ABUT_SIDE_PARTLY;
    return ABUT_OK;
}

abut_status abut_contains_body(const abut_scene* scene, abut_body_id outer, abut_body_id inner,
                               abut_side* side, abut_result* result, abut_counters* counters) {
    const abut__body* a = abut__scene_body(scene, outer);
    const abut__body* b = abut__scene_body(scene, inner);
    if (a == NULL || b == NULL || a == b || side == NULL || result == NULL) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    abut_side answer;
    abut_status status = check_surface(a, &answer);
    abut_query_def def = abut_query_def_default();
    def.any = true;
    def.counters = counters;
    if (status == ABUT_OK) {
        status = abut_collide(scene, outer, inner, &def, result);
    }
    if (status == ABUT_OK && answer != ABUT_SIDE_UNDEFINED) {
        if (abut_result_touching(result)) {
            answer = ABUT_SIDE_SURFACE;
        } else {
            status = side_of_pieces(a, b, &answer, counters);
        }
    }
    if (status == ABUT_OK) {
        *side = answer;
    }
    return status;
}
