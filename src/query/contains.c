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
#include "query/query.h"

typedef struct ray {
    const abut_scene* scene;  // whose pool keeps boxes; NULL: they are computed
    const abut__body* body;
    const abut__kernels* kernels;
    const double* point;
    const double* end;           // where the ray ends, off the surface; NULL: it goes on for ever
    const double (*corners)[3];  // the point, or the three corners of the triangle beside it
    int corner_count;
    uint32_t own;  // that triangle
    int axis;
    int direction;     // 1 or -1
    abut__box3 reach;  // of the ray, relative to the body's origin
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

// Only a point in the box of the triangle may be on it.
static bool is_on(const ray* r, const double t[3][3]) {
    const double* x = r->point;
    for (int d = 0; d < 3; ++d) {
        if ((x[d] < t[0][d] && x[d] < t[1][d] && x[d] < t[2][d]) ||
            (x[d] > t[0][d] && x[d] > t[1][d] && x[d] > t[2][d])) {
            return false;
        }
    }
    const double p[3][3] = {{x[0], x[1], x[2]}, {x[0], x[1], x[2]}, {x[0], x[1], x[2]}};
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
    if (side == -first * r->direction &&
        (r->end == NULL || abut__orient3d(t[0], t[1], t[2], r->end) == -side)) {
        r->winding += first * r->direction;
    }
}

static void read_corners(const abut__body* body, const abut__block* block, uint32_t lane,
                         double t[3][3]) {
    uint32_t ids[3];
    double xyz[3][3];
    double* const rows[3] = {xyz[0], xyz[1], xyz[2]};
    for (int c = 0; c < 3; ++c) {
        ids[c] = block->vertex[block->corner[c][lane]];
    }
    body->shape->motion->vertices(body->shape, abut__body_state(body, 1), ids, 3, rows);
    for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 3; ++d) {
            t[c][d] = xyz[d][c];
        }
        abut__frame_apply(&body->frame, t[c]);
    }
}

static const abut__shift unshifted = {{0, 0, 0}, {0, 0, 0}};

static const abut__block_boxes* boxes_of(const abut_scene* scene, const abut__body* body,
                                         uint32_t block, abut__block_boxes* room) {
    abut_counters unused = {0};
    if (scene != NULL) {
        return abut__pool_get(scene, (abut__body*)body, block, room, &unused);
    }
    abut__body_block_boxes(body, block, 1, room);
    return room;
}

static void meet_block(ray* r, uint32_t number) {
    const abut__body* body = r->body;
    const abut__block* block = body->shape->tree.blocks[number];
    abut__block_boxes room;
    const abut__block_boxes* boxes = boxes_of(r->scene, body, number, &room);
    ++r->work.blocks_evaluated;
    r->work.vertices_evaluated += block->vertex_count;
    uint64_t lanes = r->kernels->clip_block(boxes, block->valid, &unshifted, &r->reach);
    for (; lanes != 0 && !r->on_surface; lanes &= lanes - 1) {
        const uint32_t k = (uint32_t)__builtin_ctzll(lanes);
        double t[3][3];
        if (block->triangle[k] != r->own) {
            read_corners(body, block, k, t);
            meet(r, (const double(*)[3])t);
        }
    }
}

static void descend(ray* r, uint32_t node) {
    abut__boxes8 room;
    const abut__node* n = &r->body->shape->tree.nodes[node];
    const abut__boxes8* boxes = abut__body_bound(r->body, node, 1, &room);
    r->work.boxes_computed += n->count;
    r->work.boxes_tested += n->count;
    uint32_t left = r->kernels->overlap_box(boxes, n->count, &unshifted, &r->reach);
    for (; left != 0 && !r->on_surface; left &= left - 1) {
        const abut__ref child = n->child[__builtin_ctz(left)];
        if (abut__is_block(child)) {
            meet_block(r, abut__block_of(child));
        } else {
            descend(r, child);
        }
    }
}

abut__ray_base abut__ray_base_of(const abut_scene* scene, const abut__body* body) {
    abut__ray_base base = {.scene = scene, .body = body, .whole = abut__body_ref_box(body, 0, 1)};
    base.size = 2 * (double)abut__body_state(body, 1)->extent;
    base.far = abut__body_far(body, 1);
    abut__body_origin(body, 1, base.origin);
    return base;
}

// Finds the interval of a coordinate relative to the body's origin. The pad is that of two bodies in
// different frames, of which one has no extent (see run.c).
static void pad_coordinate(const abut__ray_base* base, int d, double x, float* lo, float* hi) {
    const double offset = x - base->origin[d];
    const double pad = 0x1p-20 * (base->size + fabs(offset)) +
                       0x1p-48 * (base->size + fabs(x) + base->far) + (double)ABUT__TINY;
    *lo = (float)(offset - pad);
    *hi = (float)(offset + pad);
}

// sets the box of the ray, which begins a little before the point
static void set_reach(ray* r, const abut__ray_base* base) {
    const int along = r->axis;
    float unused;
    for (int d = 0; d < 3; ++d) {
        pad_coordinate(base, d, r->point[d], &r->reach.lo[d], &r->reach.hi[d]);
    }
    if (r->direction > 0) {
        r->reach.hi[along] = INFINITY;
    } else {
        r->reach.lo[along] = -INFINITY;
    }
    if (r->end != NULL && r->direction > 0) {
        pad_coordinate(base, along, r->end[along], &unused, &r->reach.hi[along]);
    } else if (r->end != NULL) {
        pad_coordinate(base, along, r->end[along], &r->reach.lo[along], &unused);
    }
}

// chooses the direction in which the body's box ends soonest
static void aim(ray* r, const abut__ray_base* base) {
    const abut__box3* box = &base->whole;
    double shortest = INFINITY;
    for (int d = 0; d < 3; ++d) {
        const double offset = r->point[d] - base->origin[d];
        const double ahead = (double)box->hi[d] - offset;
        const double behind = offset - (double)box->lo[d];
        const double way = ahead < behind ? ahead : behind;
        if (way < shortest) {
            shortest = way;
            r->axis = d;
            r->direction = ahead < behind ? 1 : -1;
        }
    }
}

static void send(ray* r, const abut__ray_base* base, abut_counters* counters) {
    r->scene = base->scene;
    r->body = base->body;
    r->kernels = base->body->shape->context->kernels;
    set_reach(r, base);
    descend(r, 0);
    if (counters != NULL) {
        counters->boxes_computed += r->work.boxes_computed;
        counters->boxes_tested += r->work.boxes_tested;
        counters->blocks_evaluated += r->work.blocks_evaluated;
        counters->vertices_evaluated += r->work.vertices_evaluated;
        counters->exact_tests += r->work.exact_tests;
    }
}

static abut_side side_of_ray(const ray* r, int32_t* winding) {
    *winding = r->on_surface ? 0 : r->winding;
    return r->on_surface     ? ABUT_SIDE_SURFACE
           : r->winding != 0 ? ABUT_SIDE_INSIDE
                             : ABUT_SIDE_OUTSIDE;
}

abut_side abut__side_in(const abut__ray_base* base, const double point[3], int32_t* winding,
                        abut_counters* counters) {
    ray r = {.point = point, .direction = 1, .own = ABUT__NONE, .corner_count = 1};
    const double corner[1][3] = {{point[0], point[1], point[2]}};
    r.corners = corner;
    aim(&r, base);
    send(&r, base, counters);
    return side_of_ray(&r, winding);
}

abut_side abut__side_before(const abut__ray_base* base, const double point[3], int axis, double end,
                            int32_t at_end, int32_t* winding, abut_counters* counters) {
    const double corner[1][3] = {{point[0], point[1], point[2]}};
    double last[3] = {point[0], point[1], point[2]};
    last[axis] = end;
    ray r = {.point = point, .end = last, .corner_count = 1, .own = ABUT__NONE, .axis = axis};
    r.corners = corner;
    r.direction = point[axis] < end ? 1 : -1;
    r.winding = at_end;
    send(&r, base, counters);
    return side_of_ray(&r, winding);
}

abut_side abut__side_of(const abut__body* body, const double point[3], int32_t* winding,
                        abut_counters* counters) {
    const abut__ray_base base = abut__ray_base_of(NULL, body);
    return abut__side_in(&base, point, winding, counters);
}

abut_side abut__side_beside(const abut__body* body, uint32_t triangle, const double corners[3][3],
                            int32_t* winding, abut_counters* counters) {
    ray r = {.point = corners[0], .corners = corners, .corner_count = 3, .own = triangle};
    *winding = 0;
    for (r.axis = 0; r.axis < 3 && r.direction == 0; ++r.axis) {
        r.direction = abut__orient2d(corners[0], corners[1], corners[2], r.axis);
    }
    if (r.direction == 0) {
        return ABUT_SIDE_UNDEFINED;
    }
    --r.axis;
    const abut__ray_base base = abut__ray_base_of(NULL, body);
    send(&r, &base, counters);
    *winding = r.on_surface ? 0 : r.winding;
    // on the other side the winding number is one more
    return r.on_surface                           ? ABUT_SIDE_SURFACE
           : r.winding != 0 && r.winding + 1 != 0 ? ABUT_SIDE_INSIDE
                                                  : ABUT_SIDE_OUTSIDE;
}

abut_contains_def abut_contains_def_default(void) {
    abut_contains_def def;
    memset(&def, 0, sizeof def);
    def.head.cookie = ABUT__COOKIE + ABUT__KIND_CONTAINS;
    return def;
}

abut_status abut_contains_result_create(abut_context* context, abut_contains_result** result,
                                        abut_error* error) {
    return abut__result_create(context, sizeof **result, result, error);
}

void abut_contains_result_destroy(abut_contains_result* result) {
    if (result != NULL) {
        abut__drop(result->work.context, &result->sides);
        abut__drop(result->work.context, &result->windings);
        abut__drop(result->work.context, &result->numbers);
        abut__drop(result->work.context, &result->positions);
        abut__drop(result->work.context, &result->stacks);
        abut__drop(result->work.context, &result->order);
        abut__drop(result->work.context, &result->cell_windings);
        abut__drop(result->work.context, &result->row_runs);
        abut__drop(result->work.context, &result->runs);
        abut__result_destroy(result, sizeof *result);
    }
}

const abut_side* abut_contains_result_sides(const abut_contains_result* result, size_t* count) {
    return abut__contents(&result->sides, count);
}

const double* abut_contains_result_winding_numbers(const abut_contains_result* result,
                                                   size_t* count) {
    return abut__contents(&result->numbers, count);
}

const int32_t* abut_contains_result_windings(const abut_contains_result* result, size_t* count) {
    return abut__contents(&result->windings, count);
}

// empties the result, checks the arguments that both calls share, and fills `settings`
static abut_status open_query(const abut_scene* scene, const abut_contains_def* def,
                              abut_contains_result* result, abut__settings* settings,
                              abut_error* error) {
    const abut_contains_def defaults = abut_contains_def_default();
    def = def != NULL ? def : &defaults;
    if (result != NULL) {
        result->sides.count = result->windings.count = result->numbers.count = 0;
    }
    const abut_status status = abut__query_open(scene, result != NULL ? &result->work : NULL,
                                                &def->head, ABUT__KIND_CONTAINS, "contains", error);
    *settings = abut__settings_default;
    settings->any = true;
    settings->counters = def->head.counters;
    if (status == ABUT_OK) {
        abut__workspace_begin(&result->work);
    }
    return status;
}

// ends a query: after a failure empties the result and fills `error`
static abut_status close_query(abut_contains_result* result, abut_status status,
                               abut_error* error) {
    if (status != ABUT_OK) {
        result->sides.count = result->windings.count = result->numbers.count = 0;
    }
    return abut__query_close(&result->work, status, error);
}

// whether the body has an inside; if not, sets `side`
static abut_status check_surface(const abut__body* body, abut__workspace* work, abut_side* side) {
    const abut__topology* topology = abut__shape_topology(body->shape);
    if (topology == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    *side = topology->closed ? ABUT_SIDE_OUTSIDE : ABUT_SIDE_UNDEFINED;
    const uint32_t bad = abut__body_state(body, 1)->bad_vertex;
    work->blame = abut__blame_on(body, bad, NULL);
    return bad != ABUT__NONE ? ABUT_ERR_INVALID_DATA : ABUT_OK;
}

// The box around points. A product with 0 is a number only if the other factor is finite.
static inline bool find_box(const abut__source* source, size_t count, bool is_double,
                            abut_box* box) {
    double lo[3] = {INFINITY, INFINITY, INFINITY};
    double hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    double nothing[3] = {0, 0, 0};
    for (size_t i = 0; i < count; ++i) {
        double p[3];
        abut__read_position(source->data, source->stride, is_double, i, p);
        for (int d = 0; d < 3; ++d) {
            lo[d] = p[d] < lo[d] ? p[d] : lo[d];
            hi[d] = p[d] > hi[d] ? p[d] : hi[d];
            nothing[d] += 0 * p[d];
        }
    }
    memcpy(box->lo, lo, sizeof lo);
    memcpy(box->hi, hi, sizeof hi);
    return nothing[0] + nothing[1] + nothing[2] == 0;
}

abut_status abut__check_points_box(abut_positions points, abut_box* box, abut_error* error) {
    const abut__source source = abut__source_of(points);
    if (source.is_double ? find_box(&source, points.count, true, box)
                         : find_box(&source, points.count, false, box)) {
        return ABUT_OK;
    }
    size_t i = 0;
    for (double p[3];; ++i) {
        abut__read_position(source.data, source.stride, source.is_double, i, p);
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) {
            break;
        }
    }
    return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, i,
                      "point %zu is not finite", i);
}

abut_status abut__check_points(abut_positions points, abut_error* error) {
    abut_box unused;
    return abut__check_points_box(points, &unused, error);
}

static abut_status find_sides(const abut_scene* scene, const abut__body* body,
                              abut_positions points, const abut_box* around,
                              const abut__settings* def, abut_contains_result* result) {
    abut_side first;
    const abut_status status = check_surface(body, &result->work, &first);
    if (status != ABUT_OK) {
        return status;
    }
    const abut_context* context = result->work.context;
    abut_side* sides = abut__push(context, &result->sides, points.count);
    int32_t* windings = abut__push(context, &result->windings, points.count);
    if (points.count > 0 && (sides == NULL || windings == NULL)) {
        return ABUT_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < points.count; ++i) {
        sides[i] = ABUT_SIDE_UNDEFINED;
        windings[i] = 0;
    }
    return first == ABUT_SIDE_UNDEFINED || points.count == 0
               ? ABUT_OK
               : abut__contains_sides(scene, body, points, around, def->counters, result);
}

abut_status abut_contains_points(const abut_scene* scene, abut_body_id body, abut_positions points,
                                 const abut_contains_def* def, abut_contains_result* result,
                                 abut_error* error) {
    abut__settings settings;
    abut__body* found;
    abut_box around;
    abut_status status = open_query(scene, def, result, &settings, error);
    status = status == ABUT_OK ? abut__query_body(scene, body, &found, error) : status;
    if (status == ABUT_OK && points.count > 0) {
        status = abut__positions_check(points, "points", error);
    }
    status = status == ABUT_OK ? abut__check_points_box(points, &around, error) : status;
    if (status != ABUT_OK) {
        return status;
    }
    return close_query(result, find_sides(scene, found, points, &around, &settings, result), error);
}

abut_status abut_contains_winding_numbers(const abut_scene* scene, abut_body_id body,
                                          abut_positions points, const abut_contains_def* def,
                                          abut_contains_result* result, abut_error* error) {
    abut__settings settings;
    abut__body* found;
    abut_status status = open_query(scene, def, result, &settings, error);
    status = status == ABUT_OK ? abut__query_body(scene, body, &found, error) : status;
    if (status == ABUT_OK && points.count > 0) {
        status = abut__positions_check(points, "points", error);
    }
    status = status == ABUT_OK ? abut__check_points(points, error) : status;
    if (status != ABUT_OK) {
        return status;
    }
    const uint32_t bad = abut__body_state(found, 1)->bad_vertex;
    result->work.blame = abut__blame_on(found, bad, NULL);
    status = bad != ABUT__NONE
                 ? ABUT_ERR_INVALID_DATA
                 : abut__contains_numbers(scene, found, points, settings.counters, result);
    return close_query(result, status, error);
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

static abut_status find_side(const abut_scene* scene, abut__body* outer, abut__body* inner,
                             const abut__settings* def, abut_contains_result* result) {
    abut_side side;
    abut__workspace* work = &result->work;
    abut_status status = check_surface(outer, work, &side);
    if (status == ABUT_OK) {
        status = abut__collide_two(scene, def, outer, inner, work);
    }
    if (status == ABUT_OK && side != ABUT_SIDE_UNDEFINED) {
        if (work->found) {
            side = ABUT_SIDE_SURFACE;
        } else {
            status = side_of_pieces(outer, inner, &side, def->counters);
        }
    }
    abut_side* place = status == ABUT_OK ? abut__push(work->context, &result->sides, 1) : NULL;
    if (place != NULL) {
        *place = side;
    }
    return status == ABUT_OK && place == NULL ? ABUT_ERR_NO_MEMORY : status;
}

abut_status abut_contains_body(const abut_scene* scene, abut_body_id outer, abut_body_id inner,
                               const abut_contains_def* def, abut_contains_result* result,
                               abut_error* error) {
    abut__settings settings;
    abut__body* bodies[2];
    abut_status status = open_query(scene, def, result, &settings, error);
    status = status == ABUT_OK ? abut__query_bodies(scene, outer, inner, bodies, error) : status;
    if (status != ABUT_OK) {
        return status;
    }
    status = find_side(scene, bodies[0], bodies[1], &settings, result);
    return close_query(result, status, error);
}
