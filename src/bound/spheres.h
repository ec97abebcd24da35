// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The wrapped spheres of modal shapes: James, Pai, "BD-Tree: Output-Sensitive Collision Detection
// for Reduced Deformable Models", 2004. Vertices p_i that fields move by U_ij stay in the sphere
//
//   centre(q) = c + sum_j Ubar_j q_j        radius(q) = R + sum_j dR_j |q_j|
//
// with R = max_i |p_i - c| and dR_j = max_i |U_ij - Ubar_j|, for any c and Ubar_j. The paper takes
// means; the centres of small balls (ball.h) are tighter. "Wrapped" means that each sphere is made
// from the vertices, not from the spheres of children.
//
// Wrapping spheres. If a coarser sphere above spheres s has R = max_s (|c_s - c| + R_s) and
// dR_j = max_s (|Ubar_sj - Ubar_j| + dR_sj), then for every q
//
//   |centre_s(q) - centre(q)| + radius_s(q)
//     <= |c_s - c| + R_s + sum_j (|Ubar_sj - Ubar_j| + dR_sj) |q_j| <= radius(q):
//
// so it contains the spheres s, not only their vertices. Both are the same computation: for the
// rest state and every field a ball around items, points or balls.
#ifndef ABUT_BOUND_SPHERES_H
#define ABUT_BOUND_SPHERES_H

#include "base/offset.h"
#include "bound/ball.h"
#include "bound/bdtree.h"

// Spheres in groups of up to eight, as rows of numbers: see abut__modal_lanes and abut__balls8.
typedef struct abut__spheres {
    const abut_context* context;
    ABUT__VECTOR(abut__bd_part) parts;  // one per group
    ABUT__VECTOR(float) data;
    abut__uint32s fields;  // lists of fields
} abut__spheres;

// Appends a group of `count` spheres. Sphere k has `rows` balls from balls[k * rows] on: that of
// the rest state, then one per field. Leaves out fields that are 0 in all spheres. False: no
// memory.
bool abut__spheres_add(abut__spheres* spheres, const abut__ball* balls, uint32_t count,
                       size_t rows);
void abut__spheres_free(abut__spheres* spheres);

static inline abut__modal_lanes abut__spheres_group(const abut__spheres* spheres, uint32_t group) {
    const abut__bd_part* part = spheres->parts.data + group;
    return (abut__modal_lanes){ABUT__AT(spheres->data.data, part->data),
                               ABUT__AT(spheres->fields.data, part->first_field),
                               part->field_count};
}

// The queue of vertices whose next field is this one.
typedef struct abut__wrapper_queue {
    uint32_t first;  // ABUT__NONE: empty
    uint32_t last;
} abut__wrapper_queue;

// The data to wrap vertices. Fields come in order, and each vertex of the set is in the queue of
// the next field that moves it. So a field costs no more than the vertices it moves.
typedef struct abut__wrapper {
    const abut_mesh* mesh;
    const abut__fields* fields;
    abut__centre_rule rule;
    size_t rows;                  // 1 + number of fields
    abut__ball* items;            // scratch, per vertex
    uint32_t* next;               // scratch, per vertex: index of the next field that moves it
    uint32_t* after;              // scratch, per vertex: the one after it in the queue
    abut__wrapper_queue* queues;  // scratch, per field
    uint32_t* ids;                // the set: vertices, each once
    size_t id_count;
    uint32_t* seen;  // per vertex: the last set that it was put into
    uint32_t set;
} abut__wrapper;

// Allocates memory in an arena; false: there is none.
bool abut__wrapper_make(abut__wrapper* wrapper, abut__arena* arena, const abut_mesh* mesh,
                        const abut__fields* fields, abut__centre_rule rule);
// Empty the set, put a vertex into it, or all under a node or block.
void abut__wrapper_clear(abut__wrapper* wrapper);
void abut__wrapper_put(abut__wrapper* wrapper, uint32_t vertex);
void abut__wrapper_put_ref(abut__wrapper* wrapper, const abut__tree* tree, abut__ref ref);
// Computes the balls of the set, which must not be empty: the rest state, then every field.
void abut__wrap_vertices(abut__wrapper* wrapper, abut__ball* rows);
// Makes spheres around the children of all nodes, one group per node. False: no memory.
bool abut__wrap_children(abut__wrapper* wrapper, const abut__tree* tree, abut__spheres* spheres);

#endif
