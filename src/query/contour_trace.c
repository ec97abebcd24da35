// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The calls about contours: they check the pairs and turn each into the piece that its triangles
// share.
#include "query/contour_trace.h"

#include <math.h>

#include "exact/contact.h"
#include "exact/orient.h"

#define PAIRS_MOST (1u << 29)  // pieces, places and nodes have 32-bit numbers

abut_contour_def abut_contour_def_default(void) {
    abut_contour_def def;
    memset(&def, 0, sizeof def);
    def.head.cookie = ABUT__COOKIE + ABUT__KIND_CONTOUR;
    return def;
}

abut_status abut_contour_result_create(abut_context* context, abut_contour_result** result,
                                       abut_error* error) {
    if (context == NULL || result == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "context and the place for the result must not be NULL");
    }
    abut_contour_result* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return abut__fail_memory(error);
    }
    made->context = context;
    *result = made;
    return ABUT_OK;
}

void abut_contour_result_destroy(abut_contour_result* result) {
    if (result == NULL) {
        return;
    }
    const abut_context* context = result->context;
    abut__drop(context, &result->contours);
    abut__drop(context, &result->segments);
    abut__drop(context, &result->points);
    abut__drop(context, &result->places);
    abut__drop(context, &result->pieces);
    abut__drop(context, &result->nodes);
    abut__drop(context, &result->ends);
    abut__drop(context, &result->steps);
    abut__drop(context, &result->keys);
    abut__free(context, result, 1, sizeof *result);
}

const abut_contour* abut_contour_result_contours(const abut_contour_result* result, size_t* count) {
    return abut__contents(&result->contours, count);
}

const abut_contour_segment* abut_contour_result_segments(const abut_contour_result* result,
                                                         size_t* count) {
    return abut__contents(&result->segments, count);
}

const abut_contour_point* abut_contour_result_points(const abut_contour_result* result,
                                                     size_t* count) {
    return abut__contents(&result->points, count);
}

static void empty(abut_contour_result* result) {
    result->contours.count = result->segments.count = result->points.count = 0;
}

// ---- pieces

uint64_t abut__contour_simplex(const abut_mesh* mesh, uint32_t triangle, uint32_t carrier) {
    if (carrier == 7) {
        return UINT64_C(2) << 62 | triangle;
    }
    const uint32_t* corners = mesh->triangles + 3 * (size_t)triangle;
    uint64_t class[2] = {0, 0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        if ((carrier >> i & 1) != 0) {
            class[count++ & 1] = mesh->classes[corners[i]];
        }
    }
    if (count == 1 || class[0] == class[1]) {
        return class[0];
    }
    const bool ascends = class[0] < class[1];
    return UINT64_C(1) << 62 | class[ascends ? 0 : 1] << 31 | class[ascends ? 1 : 0];
}

// Appends the place of a shared point.
static abut__contour_place* add_place(const abut__contour_run* run, const abut_pair* pair,
                                      const uint8_t carrier[2], uint32_t piece, uint32_t end) {
    abut_contour_result* result = run->result;
    abut__contour_place* place = abut__push(result->context, &result->places, 1);
    if (place == NULL) {
        return NULL;
    }
    const uint64_t a = abut__contour_simplex(run->body[0]->shape->mesh, pair->triangle_a,
                                             carrier[0]);
    const uint64_t b = abut__contour_simplex(run->body[1]->shape->mesh, pair->triangle_b,
                                             carrier[1]);
    const bool turned = run->self && b < a;
    *place = (abut__contour_place){{turned ? b : a, turned ? a : b}, piece, end};
    if (piece != ABUT__NONE) {
        result->pieces.data[piece].turned[end] = turned;
    }
    return place;
}

static void position_of(const abut__contour_run* run, const abut__contact_point* x, double out[3]) {
    if (x->corner != NULL) {
        memcpy(out, x->corner, 3 * sizeof *out);
    } else {
        abut__crossing_round(x, out);
    }
    if (run->in_shape && !abut__frame_is_identity(&run->body[0]->frame)) {
        abut__frame_apply(&run->body[0]->frame, out);
    }
}

// Appends the piece between two shared points.
static bool add_piece(const abut__contour_run* run, uint32_t pair, const abut__contact_point* first,
                      const abut__contact_point* last, int direction) {
    abut_contour_result* result = run->result;
    const uint32_t number = (uint32_t)result->pieces.count;
    abut__contour_piece* piece = abut__push(result->context, &result->pieces, 1);
    if (piece == NULL) {
        return false;
    }
    memset(piece, 0, sizeof *piece);
    piece->pair = pair;
    piece->direction = (int8_t)direction;
    memcpy(piece->carrier[0], first->carrier, 2);
    memcpy(piece->carrier[1], last->carrier, 2);
    position_of(run, first, piece->position[0]);
    position_of(run, last, piece->position[1]);
    return add_place(run, &run->pairs[pair], first->carrier, number, 0) != NULL &&
           add_place(run, &run->pairs[pair], last->carrier, number, 1) != NULL;
}

// A triangle without area (`thin`: side 0 or 1 of the pair) that crosses the plane of the other one
// has the shared point inside two of its simplices, or three if it is a point. Pieces without length
// join them.
static bool add_passage(const abut__contour_run* run, uint32_t pair, double corner[2][3][3],
                        int thin, abut__contact_point x) {
    const double(*t)[3] = (const double(*)[3])corner[1 - thin];
    const double(*d)[3] = (const double(*)[3])corner[thin];
    uint8_t carrier[3];
    uint32_t count = 0;
    int side[3];
    for (int i = 0; i < 3; ++i) {
        side[i] = abut__orient3d(t[0], t[1], t[2], d[i]);
        if (side[i] == 0) {
            carrier[count++] = (uint8_t)(1u << i);
        }
    }
    for (int i = 0; i < 3; ++i) {
        const int k = (i + 1) % 3;
        if (side[i] * side[k] < 0 && count < 3) {
            carrier[count++] = (uint8_t)(1u << i | 1u << k);
        }
    }
    if (count == 3 && !(abut__same_point(d[0], d[1]) && abut__same_point(d[0], d[2]))) {
        return true;  // it lies in the plane
    }
    bool done = true;
    for (uint32_t i = 0; i + 1 < count && done; ++i) {
        abut__contact_point from = x;
        abut__contact_point to = x;
        from.carrier[thin] = carrier[i];
        to.carrier[thin] = carrier[i + 1];
        done = add_piece(run, pair, &from, &to, 0);
    }
    return done;
}

static bool add_pair(const abut__contour_run* run, uint32_t pair, double corner[2][3][3]) {
    abut__contact contact;
    abut__triangles_contact((const double(*)[3])corner[0], (const double(*)[3])corner[1], &contact);
    const abut__contact_point* x = contact.point;
    if (contact.count == 0 || (x->carrier[0] | x->carrier[1]) == 0) {
        return true;
    }
    const bool areas = x->carrier[0] != 0 && x->carrier[1] != 0;
    if (!areas) {
        return contact.count != 1 || add_passage(run, pair, corner, x->carrier[0] == 0 ? 0 : 1, *x);
    }
    if (contact.count == 2) {
        return add_piece(run, pair, &x[0], &x[1], contact.direction);
    }
    bool done = true;
    for (uint32_t i = 0; i < contact.count && contact.count > 2 && done; ++i) {
        done = add_place(run, &run->pairs[pair], x[i].carrier, ABUT__NONE, 0) != NULL;
    }
    return done;
}

// ---- pairs

// Reads the corners of a triangle. ABUT__NONE, or the vertex that is not finite.
static uint32_t read_corners(const abut__contour_run* run, int side, uint32_t triangle,
                             double corner[3][3]) {
    const abut__body* body = run->body[side];
    const uint32_t* ids = body->shape->mesh->triangles + 3 * (size_t)triangle;
    for (int i = 0; i < 3; ++i) {
        abut__body_vertex(body, ids[i], 1, corner[i]);
        if (!run->in_shape && !abut__frame_is_identity(&body->frame)) {
            abut__frame_apply(&body->frame, corner[i]);
        }
        if (!isfinite(corner[i][0]) || !isfinite(corner[i][1]) || !isfinite(corner[i][2])) {
            return ids[i];
        }
    }
    return ABUT__NONE;
}

static abut_status trace_bodies(const abut__contour_run* run, abut_error* error) {
    abut_contour_result* result = run->result;
    result->places.count = result->pieces.count = 0;
    for (uint32_t i = 0; i < run->pair_count; ++i) {
        const uint32_t triangle[2] = {run->pairs[i].triangle_a, run->pairs[i].triangle_b};
        double corner[2][3][3];
        for (int side = 0; side < 2; ++side) {
            const uint32_t bad = read_corners(run, side, triangle[side], corner[side]);
            if (bad != ABUT__NONE) {
                const abut__blame blame = abut__blame_on(run->body[side], bad, NULL);
                return abut__query_report(&blame, ABUT_ERR_INVALID_DATA, error);
            }
        }
        if (!add_pair(run, i, corner)) {
            return abut__fail_memory(error);
        }
    }
    const abut_status status = abut__contour_chain(run);
    return status == ABUT_ERR_NO_MEMORY ? abut__fail_memory(error) : status;
}

static bool ascend(const abut_pair* x, const abut_pair* y) {
    if (x->body_a != y->body_a) {
        return x->body_a < y->body_a;
    }
    if (x->body_b != y->body_b) {
        return x->body_b < y->body_b;
    }
    return x->triangle_a != y->triangle_a ? x->triangle_a < y->triangle_a
                                          : x->triangle_b < y->triangle_b;
}

static bool has_triangle(const abut_scene* scene, uint32_t body, uint32_t triangle) {
    const abut__body* found = body < scene->bodies.count ? abut__scene_at(scene, body) : NULL;
    return found != NULL && triangle < found->shape->mesh->triangle_count &&
           abut__mesh_alive(found->shape->mesh, triangle);
}

static abut_status check_pairs(const abut_scene* scene, const abut_pair* pairs, size_t count,
                               abut_error* error) {
    if (count > 0 && pairs == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the pairs are NULL");
    }
    if (count > PAIRS_MOST) {
        return abut__fail(error, ABUT_ERR_LIMIT, ABUT_ELEMENT_NONE, 0,
                          "there are more pairs than contours can number");
    }
    for (size_t i = 0; i < count; ++i) {
        const abut_pair* p = &pairs[i];
        if ((i > 0 && !ascend(p - 1, p)) ||
            (p->body_a == p->body_b && p->triangle_a >= p->triangle_b)) {
            return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, i,
                              "pair %zu is not in the order of a collide result", i);
        }
        if (!has_triangle(scene, p->body_a, p->triangle_a) ||
            !has_triangle(scene, p->body_b, p->triangle_b)) {
            return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, i,
                              "pair %zu names a triangle that does not exist", i);
        }
    }
    return ABUT_OK;
}

static abut_status check(const abut_scene* scene, const abut_contour_def* def,
                         const abut_contour_result* result, abut_error* error) {
    const char* reason = scene == NULL                       ? "the scene is NULL"
                         : result == NULL                    ? "the result is NULL"
                         : result->context != scene->context ? "the result belongs to another "
                                                               "context than the scene"
                                                             : NULL;
    return reason != NULL
               ? abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "%s", reason)
               : abut__check_kind(def->head.cookie, ABUT__KIND_CONTOUR, "contour", error);
}

abut_status abut_contour_trace(const abut_scene* scene, const abut_pair* pairs, size_t pair_count,
                               const abut_contour_def* def, abut_contour_result* result,
                               abut_error* error) {
    const abut_contour_def defaults = abut_contour_def_default();
    def = def != NULL ? def : &defaults;
    if (result != NULL) {
        empty(result);
    }
    abut_status status = check(scene, def, result, error);
    status = status == ABUT_OK ? check_pairs(scene, pairs, pair_count, error) : status;
    if (status != ABUT_OK || result == NULL || pairs == NULL) {
        return status;  // without pairs there are no contours
    }
    size_t end = 0;
    for (size_t first = 0; first < pair_count && status == ABUT_OK; first = end) {
        const abut_pair* p = &pairs[first];
        while (end < pair_count && pairs[end].body_a == p->body_a &&
               pairs[end].body_b == p->body_b) {
            ++end;
        }
        abut__contour_run run = {.body = {abut__scene_at(scene, p->body_a),
                                          abut__scene_at(scene, p->body_b)},
                                 .self = p->body_a == p->body_b,
                                 .pairs = p,
                                 .pair_count = (uint32_t)(end - first),
                                 .result = result};
        if (run.body[0] == NULL || run.body[1] == NULL) {
            break;  // never: check_pairs() found them
        }
        run.in_shape = run.self || abut__frames_equal(&run.body[0]->frame, &run.body[1]->frame);
        status = trace_bodies(&run, error);
    }
    if (status != ABUT_OK) {
        empty(result);
    }
    if (status == ABUT_OK && def->head.counters != NULL) {
        def->head.counters->exact_tests += pair_count;
        def->head.counters->pairs_found += result->segments.count;
    }
    return status;
}
