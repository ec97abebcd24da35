// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Selections: descends the trees of bodies. Boxes that are proven apart from the volume are left out,
// those that are proven inside are taken without evaluating a vertex, and triangles in between are
// decided exactly.
//
// The pad. Boxes of nodes are off by 2^-20 of the body's extent at most, the body's origin and its
// vertices in the world by 2^-48 of the numbers that they are computed from.
#include "abut/select.h"

#include <math.h>

#include "exact/halfspaces.h"
#include "exact/triangles.h"
#include "query/query.h"

struct abut_select_result {
    abut__workspace work;
    ABUT__VECTOR(abut_selected) list;
    ABUT__VECTOR(abut__ref) stack;
    ABUT__VECTOR(abut__keyed) keys;
};

abut_volume abut_volume_box(abut_box box) {
    return (abut_volume){.kind = ABUT_VOLUME_BOX, .box = box};
}

abut_volume abut_volume_ball(const double centre[3], double radius) {
    return (abut_volume){
        .kind = ABUT_VOLUME_BALL, .centre = {centre[0], centre[1], centre[2]}, .radius = radius};
}

abut_volume abut_volume_planes(const abut_plane* planes, size_t plane_count) {
    return (abut_volume){.kind = ABUT_VOLUME_PLANES, .planes = planes, .plane_count = plane_count};
}

abut_select_def abut_select_def_default(void) {
    abut_select_def def;
    memset(&def, 0, sizeof def);
    def.groups = def.mask = UINT64_MAX;
    def.head.cookie = ABUT__COOKIE + ABUT__KIND_SELECT;
    return def;
}

abut_status abut_select_result_create(abut_context* context, abut_select_result** result,
                                      abut_error* error) {
    return abut__result_create(context, sizeof **result, result, error);
}

void abut_select_result_destroy(abut_select_result* result) {
    if (result != NULL) {
        abut__drop(result->work.context, &result->list);
        abut__drop(result->work.context, &result->stack);
        abut__drop(result->work.context, &result->keys);
    }
    abut__result_destroy(result, sizeof *result);
}

const abut_selected* abut_select_result_triangles(const abut_select_result* result, size_t* count) {
    return abut__contents(&result->list, count);
}

// ---- volumes

// A volume as half-spaces, or a ball.
typedef struct selection {
    const abut_scene* scene;
    abut_select_result* result;
    abut__reader* reader;
    abut__halfspace spaces[ABUT__HALFSPACES_MOST];
    uint32_t count;
    bool ball;
    double centre[3];
    double radius;
    // the current body
    abut__view view;
    double pad;
} selection;

static bool are_finite(const double* values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

static const char* set_planes(selection* s, const abut_volume* volume) {
    if (volume->plane_count > ABUT_VOLUME_PLANES_MOST ||
        (volume->planes == NULL && volume->plane_count > 0)) {
        return "a volume has at most 16 planes, and they must not be NULL";
    }
    s->count = (uint32_t)volume->plane_count;
    for (uint32_t i = 0; i < s->count; ++i) {
        const abut_plane* plane = &volume->planes[i];
        if (!are_finite(plane->normal, 3) || !isfinite(plane->offset)) {
            return "a plane of the volume is not finite";
        }
        memcpy(s->spaces[i].n, plane->normal, sizeof plane->normal);
        s->spaces[i].offset = plane->offset;
    }
    return NULL;
}

// Returns what is wrong with the volume, or NULL.
static const char* set_volume(selection* s, const abut_volume* volume) {
    switch (volume->kind) {
        case ABUT_VOLUME_BOX:
            if (!are_finite(volume->box.lo, 3) || !are_finite(volume->box.hi, 3)) {
                return "the box is not finite";
            }
            s->count = 6;
            for (int k = 0; k < 3; ++k) {
                s->spaces[2 * k] = (abut__halfspace){.offset = -volume->box.lo[k]};
                s->spaces[2 * k + 1] = (abut__halfspace){.offset = volume->box.hi[k]};
                s->spaces[2 * k].n[k] = -1;
                s->spaces[2 * k + 1].n[k] = 1;
            }
            return NULL;
        case ABUT_VOLUME_BALL:
            s->ball = true;
            memcpy(s->centre, volume->centre, sizeof s->centre);
            s->radius = volume->radius;
            return are_finite(s->centre, 3) && isfinite(s->radius) && s->radius >= 0
                       ? NULL
                       : "centre and radius of a ball must be finite, and the radius at least 0";
        case ABUT_VOLUME_PLANES: return set_planes(s, volume);
    }
    return "there is no such kind of volume";
}

// ---- boxes

// How a box, relative to the body's origin, lies to the ball. Sums are off by less than 2^-48 of
// themselves.
static abut__reach ball_reach(const selection* s, const abut__box3* box) {
    double least = 0;
    double most = 0;
    for (int k = 0; k < 3; ++k) {
        const double lo = s->view.origin[k] + (double)box->lo[k] - s->pad - s->centre[k];
        const double hi = s->view.origin[k] + (double)box->hi[k] + s->pad - s->centre[k];
        const double near = lo > 0 ? lo : hi < 0 ? -hi : 0;
        const double far = -lo > hi ? -lo : hi;
        least += near * near;
        most += far * far;
    }
    const double limit = s->radius * s->radius;
    const double slack = 0x1p-40 * (limit + most) + 0x1p-1000;
    return least > limit + slack  ? ABUT__REACH_NONE
           : most + slack < limit ? ABUT__REACH_WHOLE
                                  : ABUT__REACH_PART;
}

static abut__reach box_reach(const selection* s, const abut__box3* box) {
    bool whole = true;
    if (s->ball) {
        return ball_reach(s, box);
    }
    for (uint32_t j = 0; j < s->count; ++j) {
        const abut__halfspace* space = &s->spaces[j];
        double least = -space->offset;
        double most = -space->offset;
        double size = fabs(space->offset);
        for (int k = 0; k < 3; ++k) {
            const double lo = s->view.origin[k] + (double)box->lo[k] - s->pad;
            const double hi = s->view.origin[k] + (double)box->hi[k] + s->pad;
            least += space->n[k] * (space->n[k] > 0 ? lo : hi);
            most += space->n[k] * (space->n[k] > 0 ? hi : lo);
            size += fabs(space->n[k]) * (fabs(lo) + fabs(hi));
        }
        const double slack = 0x1p-40 * size + 0x1p-1000;
        if (least > slack) {
            return ABUT__REACH_NONE;
        }
        whole = whole && most < -slack;
    }
    return whole ? ABUT__REACH_WHOLE : ABUT__REACH_PART;
}

// ---- triangles

static abut__reach triangle_reach(const selection* s, const double t[3][3]) {
    if (!s->ball) {
        return abut__halfspaces_reach(t, s->spaces, s->count);
    }
    bool inside = true;
    const double* c = s->centre;
    const double point[3][3] = {{c[0], c[1], c[2]}, {c[0], c[1], c[2]}, {c[0], c[1], c[2]}};
    if (!abut__triangles_within(point, t, s->radius)) {
        return ABUT__REACH_NONE;
    }
    for (int i = 0; i < 3 && inside; ++i) {
        const double* p = t[i];
        const double corner[3][3] = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
        inside = abut__triangles_within(point, corner, s->radius);
    }
    return inside ? ABUT__REACH_WHOLE : ABUT__REACH_PART;
}

static bool add(selection* s, uint32_t triangle, bool whole) {
    abut_selected* row = abut__push(s->result->work.context, &s->result->list, 1);
    if (row == NULL) {
        return false;
    }
    *row = (abut_selected){s->view.body->index, triangle, whole};
    return true;
}

// Decides a triangle. False: no memory, or a vertex is not finite, which the reader notes.
static bool decide(selection* s, uint32_t triangle) {
    const uint32_t* ids = s->view.shape->mesh->triangles + 3 * (size_t)triangle;
    double t[3][3];
    s->view.kind->vertices(&s->view, 1, ids, 3, t);
    for (int i = 0; i < 3; ++i) {
        if (!are_finite(t[i], 3)) {
            s->reader->bad_vertex = (uint64_t)s->view.body->index << 32 | ids[i];
            return false;
        }
    }
    ++s->reader->counters.exact_tests;
    const abut__reach reach = triangle_reach(s, (const double(*)[3])t);
    return reach == ABUT__REACH_NONE || add(s, triangle, reach == ABUT__REACH_WHOLE);
}

static bool select_block(selection* s, uint32_t number, bool whole) {
    const abut__block* block = s->view.tree->blocks[number];
    bool done = true;
    if (whole) {
        for (uint32_t k = 0; k < block->triangle_count && done; ++k) {
            done = add(s, block->triangle[k], true);
        }
        return done;
    }
    const abut__block_boxes* boxes = s->view.kind->block_boxes(&s->view, number, 0, s->reader);
    ++s->reader->counters.blocks_evaluated;
    s->reader->counters.boxes_tested += block->triangle_count;
    for (uint32_t k = 0; k < block->triangle_count && done; ++k) {
        abut__box3 box;
        for (int d = 0; d < 3; ++d) {
            box.lo[d] = boxes->lo[d][k];
            box.hi[d] = boxes->hi[d][k];
        }
        const abut__reach reach = box_reach(s, &box);
        done = reach == ABUT__REACH_NONE    ? true
               : reach == ABUT__REACH_WHOLE ? add(s, block->triangle[k], true)
                                            : decide(s, block->triangle[k]);
    }
    return done;
}

// ---- bodies

// Entries of the stack are nodes and blocks. The marks of whole ones are in a second stack behind it.
static bool select_tree(selection* s) {
    const abut__tree* tree = s->view.tree;
    const size_t room = (tree->depth + (size_t)1) * ABUT__FAN;
    abut__ref* stack = abut__renew(s->result->work.context, &s->result->stack, 2 * room);
    if (stack == NULL) {
        return false;
    }
    size_t count = 1;
    bool done = true;
    stack[0] = 0;
    stack[room] = 0;
    while (count > 0 && done) {
        const abut__ref at = stack[--count];
        const bool whole = stack[room + count] != 0;
        if (abut__is_block(at)) {
            done = select_block(s, abut__block_of(at), whole);
            continue;
        }
        const abut__node* node = &tree->nodes[at];
        abut__boxes8 boxes_room;
        const abut__boxes8* boxes = whole ? NULL : abut__view_bound(&s->view, at, &boxes_room);
        s->reader->counters.boxes_tested += whole ? 0 : node->count;
        for (uint32_t k = 0; k < node->count; ++k) {
            abut__reach reach = ABUT__REACH_WHOLE;
            if (!whole) {
                const abut__box3 box = abut__boxes_get(boxes, k);
                reach = box_reach(s, &box);
            }
            if (reach != ABUT__REACH_NONE) {
                stack[count] = node->child[k];
                stack[room + count++] = reach == ABUT__REACH_WHOLE;
            }
        }
    }
    return done;
}

// Sorts the rows of a body, which begin at `first`.
static bool sort_rows(abut_select_result* result, size_t first) {
    const size_t count = result->list.count - first;
    abut__keyed* keys = abut__renew(result->work.context, &result->keys, 2 * count);
    abut_selected* rows = count > 0 ? result->list.data + first : NULL;
    if (keys == NULL) {
        return count == 0;
    }
    for (size_t i = 0; i < count; ++i) {
        keys[i] = (abut__keyed){rows[i].triangle, rows[i].whole};
    }
    abut__sort_keyed(keys, keys + count, count);
    for (size_t i = 0; i < count; ++i) {
        rows[i].triangle = (uint32_t)keys[i].key;
        rows[i].whole = keys[i].value != 0;
    }
    return true;
}

static abut_status select_body(selection* s, abut__body* body) {
    abut_select_result* result = s->result;
    const uint32_t bad = abut__body_state(body, 1)->bad_vertex;
    const size_t first = result->list.count;
    if (bad != ABUT__NONE) {
        result->work.blame = abut__blame_on(body, bad, NULL);
        return ABUT_ERR_INVALID_DATA;
    }
    abut__view_now(body, &s->view);
    if (!abut__frame_is_identity(s->view.frame)) {
        s->view.placing[0] = s->view.placing[1] = s->view.frame;
    }
    s->pad = 0x1p-19 * s->view.extent + 0x1p-46 * (s->view.extent + s->view.far) +
             (double)ABUT__TINY;
    s->reader->bad_vertex = UINT64_MAX;
    if (select_tree(s) && sort_rows(result, first)) {
        return ABUT_OK;
    }
    if (s->reader->bad_vertex == UINT64_MAX) {
        return ABUT_ERR_NO_MEMORY;
    }
    result->work.blame = abut__blame_on(body, (uint32_t)s->reader->bad_vertex, NULL);
    return ABUT_ERR_INVALID_DATA;
}

// ---- calls

static abut_status open_query(const abut_scene* scene, const abut_volume* volume,
                              const abut_select_def* def, abut_select_result* result, selection* s,
                              abut_error* error) {
    if (result != NULL) {
        result->list.count = 0;
    }
    const abut_status status = abut__query_open(scene, result != NULL ? &result->work : NULL,
                                                &def->head, ABUT__KIND_SELECT, "select", error);
    if (status != ABUT_OK || result == NULL) {
        return status;
    }
    memset(s, 0, sizeof *s);
    s->scene = scene;
    s->result = result;
    s->reader = &result->work.workers[0].reader;
    s->reader->scene = scene;
    const char* wrong = volume == NULL ? "the volume is NULL" : set_volume(s, volume);
    if (wrong != NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "%s", wrong);
    }
    abut__workspace_begin(&result->work);
    return ABUT_OK;
}

static abut_status close_query(selection* s, const abut_select_def* def, abut_status status,
                               abut_error* error) {
    if (status != ABUT_OK) {
        s->result->list.count = 0;
    } else if (def->head.counters != NULL) {
        abut__counters_add(def->head.counters, &s->reader->counters);
        def->head.counters->pairs_found += s->result->list.count;
    }
    return abut__query_close(&s->result->work, status, error);
}

abut_status abut_select(const abut_scene* scene, abut_body_id body, const abut_volume* volume,
                        const abut_select_def* def, abut_select_result* result, abut_error* error) {
    const abut_select_def defaults = abut_select_def_default();
    selection s;
    abut__body* found = NULL;
    def = def != NULL ? def : &defaults;
    abut_status status = open_query(scene, volume, def, result, &s, error);
    if (status != ABUT_OK || result == NULL) {
        return status;
    }
    status = abut__query_body(scene, body, &found, error);
    return status == ABUT_OK ? close_query(&s, def, select_body(&s, found), error) : status;
}

abut_status abut_select_all(const abut_scene* scene, const abut_volume* volume,
                            const abut_select_def* def, abut_select_result* result,
                            abut_error* error) {
    const abut_select_def defaults = abut_select_def_default();
    selection s;
    def = def != NULL ? def : &defaults;
    abut_status status = open_query(scene, volume, def, result, &s, error);
    if (status != ABUT_OK || result == NULL) {
        return status;
    }
    status = abut__query_all_ready(scene, error);
    if (status != ABUT_OK) {
        return status;
    }
    for (size_t i = 0; i < scene->bodies.count && status == ABUT_OK; ++i) {
        abut__body* body = abut__scene_at(scene, i);
        if (body != NULL && (body->group & def->mask) != 0 && (body->mask & def->groups) != 0) {
            status = select_body(&s, body);
        }
    }
    return close_query(&s, def, status, error);
}
