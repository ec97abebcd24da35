// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds the vertices of a free body that matter to queries with what is in some boxes. Nodes of the tree
// are reached if their boxes meet one of these. All vertices of reached blocks are marked. Of a node that
// is not reached, under one that is, those are marked that its box rests on. All others may be anywhere
// in that box: it stays as it is, and so do the boxes of all nodes that are reached. So a query opens the
// same nodes, and compares the same boxes of triangles.
//
// Vertices that two such nodes share must be in both boxes, and are marked. So are those that the origin
// and the extent of a state follow from.
//
// The slack. Let E be the sum of the extents of two bodies, D the distance of their origins, F the greater
// of abut__body_far(), m the margin. The pad between boxes (query/run.c) adds at most
//     2^-20 (2 E + D) + 2^-48 (2 E + F) + 2^-20 (2 E + m) + 2 tiny
// to the margin, and rounding no more than that again. Boxes of bodies that meet hold a common point, so D
// is below 2 E + m. That is below 2^-16.4 E + 2^-46 F + 2^-18 m in all. Boxes over a step have a pad of
// 2^-20 (2 E + D) of their own. A slack of 2^-15 of the extent covers both.
#include <math.h>

#include "body/world.h"
#include "motion/free.h"

// ---- slack

static double slack_of(const abut__body* body) {
    double from[3];
    double to[3];
    double distance = 0;
    double far = abut__body_far(body, 1);
    double extent = (double)abut__body_state(body, 1)->extent;
    if (abut__body_state(body, 0)->valid) {
        abut__body_origin(body, 0, from);
        abut__body_origin(body, 1, to);
        for (int d = 0; d < 3; ++d) {
            distance = fmax(distance, fabs(from[d] - to[d]));
        }
        far = fmax(far, abut__body_far(body, 0));
        extent = fmax(extent, (double)abut__body_state(body, 0)->extent + distance);
    }
    return extent <= (double)ABUT__EXTENT_LIMIT
               ? 0x1p-15 * extent + 0x1p-44 * far + 0x1p4 * (double)ABUT__TINY
               : INFINITY;
}

abut_status abut_body_box_slack(const abut_scene* scene, abut_body_id body, double* slack,
                                abut_error* error) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    if (slack == NULL) {
        return abut__blame_body(error, body,
                                abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                                           "the place for the slack must not be NULL"));
    }
    if (!abut__body_ready(found)) {
        return abut__blame_body(error, body, abut__fail_memory(error));
    }
    *slack = slack_of(found);
    return ABUT_OK;
}

// ---- marking

#define MARKED (ABUT__NONE - 1)

typedef struct marking {
    const abut__body* body;
    const abut__tree* tree;
    int first_end;  // 0: both states
    double slack;
    double origin[2][3];
    const abut_box* boxes;
    size_t count;
    abut__ref* under;  // per vertex: the node that is not reached above it, ABUT__NONE or MARKED
} marking;

// The vertices that the boxes of a node rest on, and their coordinates.
typedef struct extremes {
    double least[2][3];
    double most[2][3];
    uint32_t low[2][3];
    uint32_t high[2][3];
} extremes;

static bool meets_any(const marking* m, const abut_box* box) {
    for (size_t i = 0; i < m->count; ++i) {
        const abut_box* other = &m->boxes[i];
        bool meets = true;
        for (int d = 0; d < 3; ++d) {
            // not a number: it meets
            meets = meets && !(box->lo[d] > other->hi[d]) && !(other->lo[d] > box->hi[d]);
        }
        if (meets) {
            return true;
        }
    }
    return false;
}

// adds the box at one end to that of the step, in the world
static void add_end(const marking* m, int end, const abut__box3* from, abut_box* box) {
    for (int d = 0; d < 3; ++d) {
        box->lo[d] = fmin(box->lo[d], m->origin[end][d] + (double)from->lo[d] - m->slack);
        box->hi[d] = fmax(box->hi[d], m->origin[end][d] + (double)from->hi[d] + m->slack);
    }
}

static const abut_box empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void mark_block(const marking* m, const abut__block* block) {
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        m->under[block->vertex[v]] = MARKED;
    }
}

// of equal coordinates the lowest vertex counts, so that nodes above agree with those below
static void widen(extremes* e, int end, int d, uint32_t vertex, double x) {
    if (x < e->least[end][d] || (x == e->least[end][d] && vertex < e->low[end][d])) {
        e->least[end][d] = x;
        e->low[end][d] = vertex;
    }
    if (x > e->most[end][d] || (x == e->most[end][d] && vertex < e->high[end][d])) {
        e->most[end][d] = x;
        e->high[end][d] = vertex;
    }
}

static void leave_block(const marking* m, abut__ref top, const abut__block* block, extremes* e) {
    const abut_shape* shape = m->body->shape;
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        abut__ref* under = &m->under[block->vertex[v]];
        *under = *under == ABUT__NONE || *under == top ? top : MARKED;
    }
    for (int end = m->first_end; end < 2; ++end) {
        double xyz[3][ABUT__BLOCK_VERTICES];
        double* const places[3] = {xyz[0], xyz[1], xyz[2]};
        shape->motion->vertices(shape, abut__body_state(m->body, end), block->vertex,
                                block->vertex_count, places);
        for (uint32_t v = 0; v < block->vertex_count; ++v) {
            for (int d = 0; d < 3; ++d) {
                widen(e, end, d, block->vertex[v], xyz[d][v]);
            }
        }
    }
}

// recursion is as deep as the tree, whose depth is limited
static void leave_under(const marking* m, abut__ref top, abut__ref ref, extremes* e) {
    if (abut__is_block(ref)) {
        leave_block(m, top, m->tree->blocks[abut__block_of(ref)], e);
        return;
    }
    for (uint32_t k = 0; k < m->tree->nodes[ref].count; ++k) {
        leave_under(m, top, m->tree->nodes[ref].child[k], e);
    }
}

// a node or block that nothing reaches: what its box rests on is marked
static void leave(const marking* m, abut__ref ref) {
    extremes e;
    for (int end = 0; end < 2; ++end) {
        for (int d = 0; d < 3; ++d) {
            e.least[end][d] = INFINITY;
            e.most[end][d] = -INFINITY;
            e.low[end][d] = e.high[end][d] = ABUT__NONE;
        }
    }
    leave_under(m, ref, ref, &e);
    for (int end = m->first_end; end < 2; ++end) {
        for (int d = 0; d < 3 && e.low[end][d] != ABUT__NONE; ++d) {
            m->under[e.low[end][d]] = MARKED;
            m->under[e.high[end][d]] = MARKED;
        }
    }
}

static void visit(const marking* m, abut__ref ref) {
    if (abut__is_block(ref)) {
        mark_block(m, m->tree->blocks[abut__block_of(ref)]);
        return;
    }
    const abut__node* node = &m->tree->nodes[ref];
    abut_box boxes[ABUT__FAN];
    for (uint32_t k = 0; k < node->count; ++k) {
        boxes[k] = empty;
    }
    for (int end = m->first_end; end < 2; ++end) {
        abut__boxes8 room;
        const abut__boxes8* bounds = abut__body_bound(m->body, ref, end, &room);
        for (uint32_t k = 0; k < node->count; ++k) {
            const abut__box3 child = abut__boxes_get(bounds, k);
            add_end(m, end, &child, &boxes[k]);
        }
    }
    for (uint32_t k = 0; k < node->count; ++k) {
        (meets_any(m, &boxes[k]) ? visit : leave)(m, node->child[k]);
    }
}

static void visit_root(const marking* m) {
    abut_box box = empty;
    for (int end = m->first_end; end < 2; ++end) {
        const abut__box3 root = abut__body_ref_box(m->body, 0, end);
        add_end(m, end, &root, &box);
    }
    (meets_any(m, &box) ? visit : leave)(m, 0);
}

static abut_status mark(const abut__body* body, bool step, const abut_box* boxes, size_t count,
                        uint64_t* marks, abut_error* error) {
    const abut_context* context = body->shape->context;
    const uint32_t vertices = body->shape->mesh->vertex_count;
    marking m = {.body = body,
                 .tree = &body->shape->tree,
                 .first_end = step ? 0 : 1,
                 .slack = slack_of(body),
                 .boxes = boxes,
                 .count = count,
                 .under = abut__alloc(context, vertices, sizeof(abut__ref))};
    if (m.under == NULL) {
        return abut__fail_memory(error);
    }
    for (uint32_t v = 0; v < vertices; ++v) {
        m.under[v] = ABUT__NONE;
    }
    for (int end = m.first_end; end < 2; ++end) {
        abut__body_origin(body, end, m.origin[end]);
    }
    visit_root(&m);
    for (size_t i = 0; i < abut__origin_samples(vertices); ++i) {
        m.under[abut__origin_sample(vertices, i)] = MARKED;
    }
    memset(marks, 0, (vertices + (size_t)63) / 64 * sizeof *marks);
    for (uint32_t v = 0; v < vertices; ++v) {
        marks[v / 64] |= (uint64_t)(m.under[v] == MARKED) << v % 64;
    }
    abut__free(context, m.under, vertices, sizeof *m.under);
    return ABUT_OK;
}

static abut_status check(const abut__body* body, bool step, const abut_box* boxes, size_t count,
                         const uint64_t* marks, abut_error* error) {
    if (marks == NULL || (boxes == NULL && count > 0)) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "marks and boxes must not be NULL");
    }
    if (body->shape->motion != &abut__free_motion) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the motion is %s, whose states are no positions",
                          body->shape->motion->name);
    }
    if (step && !abut__body_state(body, 0)->valid) {
        return abut__fail(error, ABUT_ERR_STATE, ABUT_ELEMENT_NONE, 0,
                          "the body has no previous state");
    }
    return abut__body_ready(body) ? ABUT_OK : abut__fail_memory(error);
}

abut_status abut_body_reached_vertices(const abut_scene* scene, abut_body_id body, bool step,
                                       const abut_box* boxes, size_t count, uint64_t* marks,
                                       abut_error* error) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    abut_status status = check(found, step, boxes, count, marks, error);
    if (status == ABUT_OK) {
        status = mark(found, step, boxes, count, marks, error);
    }
    return abut__blame_body(error, body, status);
}
