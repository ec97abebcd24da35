// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Inspects a body's state: proves that boxes contain vertices, returns boxes, and measures how good
// its tree is in this state.
#include <float.h>
#include <math.h>

#include "body/body.h"
#include "shape/shape.h"

// Returns the vertex that a box must contain, in world axes relative to the body's origin.
static void vertex_in_boxes(const abut__body* body, uint32_t vertex, double out[3]) {
    const float* origin = abut__body_own_origin(body, 1);
    abut__body_vertex(body, vertex, 1, out);
    for (int d = 0; d < 3; ++d) {
        out[d] -= (double)origin[d];
    }
    if (body->turned) {
        abut_frame rotation = body->frame;
        memset(rotation.t, 0, sizeof rotation.t);
        abut__frame_apply(&rotation, out);
    }
}

// Boxes of bodies that are not turned contain the vertex rounded to float, which is all that
// queries compare. (Compared as float: gcc 12 drops a vectorised round trip from double to float
// and back.)
static bool box_contains(const abut__body* body, const abut__box3* box, const double p[3]) {
    for (int d = 0; d < 3; ++d) {
        const bool inside = body->turned ? p[d] >= (double)box->lo[d] && p[d] <= (double)box->hi[d]
                                         : (float)p[d] >= box->lo[d] && (float)p[d] <= box->hi[d];
        if (!inside) {
            return false;
        }
    }
    return true;
}

static abut_status check_vertex(const abut__body* body, uint32_t block, uint32_t lane,
                                const abut__block_boxes* boxes, uint32_t vertex,
                                abut_error* error) {
    double p[3];
    vertex_in_boxes(body, vertex, p);
    abut__box3 box;
    for (int d = 0; d < 3; ++d) {
        box.lo[d] = boxes->lo[d][lane];
        box.hi[d] = boxes->hi[d][lane];
    }
    if (!box_contains(body, &box, p)) {
        return abut__fail(error, ABUT_ERR_STATE, ABUT_ELEMENT_VERTEX, vertex,
                          "vertex %u lies outside the box of its triangle", vertex);
    }
    const abut__tree* tree = &body->shape->tree;
    for (abut__ref ref = block | ABUT__REF_BLOCK; ref != ABUT__NONE;
         ref = abut__ref_parent(tree, ref)) {
        box = abut__body_ref_box(body, ref, 1);
        if (!box_contains(body, &box, p)) {
            return abut__fail(error, ABUT_ERR_STATE, ABUT_ELEMENT_VERTEX, vertex,
                              "vertex %u lies outside a box above it at depth %u", vertex,
                              abut__ref_depth(tree, ref));
        }
    }
    return ABUT_OK;
}

static abut_status check_block(const abut__body* body, uint32_t b, abut_error* error) {
    const abut__block* block = body->shape->tree.blocks[b];
    abut__block_boxes boxes;
    abut__body_block_boxes(body, b, 1, &boxes);
    for (uint32_t k = 0; k < block->triangle_count; ++k) {
        for (int c = 0; c < 3; ++c) {
            const abut_status status = check_vertex(body, b, k, &boxes,
                                                    block->vertex[block->corner[c][k]], error);
            if (status != ABUT_OK) {
                return status;
            }
        }
    }
    return ABUT_OK;
}

static abut_status check_finite(const abut__body* body, abut_error* error) {
    for (uint32_t v = 0; v < body->shape->mesh->vertex_count; ++v) {
        double p[3];
        abut__body_vertex(body, v, 1, p);
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, v,
                              "vertex %u is not finite (%g, %g, %g)", v, p[0], p[1], p[2]);
        }
    }
    return ABUT_OK;
}

abut_status abut__body_validate(const abut__body* body, abut_error* error) {
    abut_status status = check_finite(body, error);
    for (uint32_t b = 0; b < body->shape->tree.block_count && status == ABUT_OK; ++b) {
        status = check_block(body, b, error);
    }
    return status;
}

// ---- boxes for display

static void enclose_block(const abut__body* body, const abut__block* block, abut_box* box) {
    for (uint32_t i = 0; i < block->vertex_count; ++i) {
        double p[3];
        abut__body_vertex(body, block->vertex[i], 1, p);
        abut__frame_apply(&body->frame, p);
        for (int d = 0; d < 3; ++d) {
            box->lo[d] = p[d] < box->lo[d] ? p[d] : box->lo[d];
            box->hi[d] = p[d] > box->hi[d] ? p[d] : box->hi[d];
        }
    }
}

// recursion is as deep as the tree, whose depth is limited
static void enclose_ref(const abut__body* body, abut__ref ref, abut_box* box) {
    const abut__tree* tree = &body->shape->tree;
    if (abut__is_block(ref)) {
        enclose_block(body, tree->blocks[abut__block_of(ref)], box);
        return;
    }
    const abut__node* node = &tree->nodes[ref];
    for (uint32_t k = 0; k < node->count; ++k) {
        enclose_ref(body, node->child[k], box);
    }
}

// Computed from the vertices, because the boxes that queries cache depend on earlier queries.
static abut_box box_of_ref(const abut__body* body, abut__ref ref) {
    abut_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    enclose_ref(body, ref, &box);
    return box;
}

// Nodes come after their parents, so one pass finds the nodes of a level in order.
size_t abut__body_level_boxes(const abut__body* body, uint32_t level, abut_box* boxes,
                              size_t capacity) {
    const abut__tree* tree = &body->shape->tree;
    size_t count = 0;
    if (level == 0) {
        if (capacity > 0) {
            boxes[0] = box_of_ref(body, 0);
        }
        return 1;
    }
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        const abut__node* node = &tree->nodes[n];
        for (uint32_t k = 0; k < node->count && node->depth < level; ++k) {
            const bool ends = abut__is_block(node->child[k]);
            if (!ends && node->depth + 1u < level) {
                continue;  // its children come later
            }
            if (count < capacity) {
                boxes[count] = box_of_ref(body, node->child[k]);
            }
            ++count;
        }
    }
    return count;
}

abut_status abut__body_positions(const abut__body* body, abut_positions* positions,
                                 abut_error* error) {
    const uint32_t count = body->shape->mesh->vertex_count;
    double(*out)[3] = abut__alloc(body->shape->context, count, sizeof *out);
    if (out == NULL) {
        return abut__fail_memory(error);
    }
    for (uint32_t v = 0; v < count; ++v) {
        abut__body_vertex(body, v, 1, out[v]);
    }
    *positions = abut_positions_f64(out[0], count);
    return ABUT_OK;
}

abut_status abut__body_measure(const abut__body* body, abut_tree_info* stats, abut_error* error) {
    abut_positions now = {0};
    abut_status status = abut__body_positions(body, &now, error);
    if (status == ABUT_OK) {
        status = abut__shape_measure(
            body->shape, abut__source_make(now.data, 3 * sizeof(double), true), stats, error);
        abut__free(body->shape->context, (void*)now.data, now.count, 3 * sizeof(double));
    }
    return status;
}
