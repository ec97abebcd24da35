// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The wrapped spheres of modal shapes: James, Pai, "BD-Tree: Output-Sensitive Collision Detection
// for Reduced Deformable Models", 2004. A set of vertices p_i that fields move by U_ij stays in
//
//   centre(q) = c + sum_j Ubar_j q_j        radius(q) = R + sum_j dR_j |q_j|
//
// with R = max_i |p_i - c| and dR_j = max_i |U_ij - Ubar_j|, whatever c and Ubar_j are. The paper
// takes means; the centres of small balls (ball.h) are tighter. Each sphere is made from the
// vertices themselves, never from the spheres of children: that is what "wrapped" says.
//
// Wrapping spheres. If spheres s lie under a coarser one that has R = max_s (|c_s - c| + R_s) and
// dR_j = max_s (|Ubar_sj - Ubar_j| + dR_sj), then for every q
//
//   |centre_s(q) - centre(q)| + radius_s(q)
//     <= |c_s - c| + R_s + sum_j (|Ubar_sj - Ubar_j| + dR_sj) |q_j| <= radius(q):
//
// it holds all of theirs, not only their vertices. So both are the same thing: for the rest state
// and for every field a ball around items, points or balls.
#ifndef ABUT_BOUND_SPHERES_H
#define ABUT_BOUND_SPHERES_H

#include "base/offset.h"
#include "bound/ball.h"
#include "bound/bdtree.h"

// Spheres in groups of up to eight, as rows of numbers: see abut__modal_lanes and abut__balls8.
typedef struct abut__spheres {
    const abut_context* context;
    ABUT__VECTOR(abut__bd_part) parts;  // one a group
    ABUT__VECTOR(float) data;
    abut__uint32s fields;  // lists of fields
} abut__spheres;

// Appends a group of `count` spheres. Sphere k is given by `rows` balls from balls[k * rows] on: the
// rest state, then every field. Fields that are 0 in all spheres are left out. False: no memory.
bool abut__spheres_add(abut__spheres* spheres, const abut__ball* balls, uint32_t count,
                       size_t rows);
void abut__spheres_free(abut__spheres* spheres);

static inline abut__modal_lanes abut__spheres_group(const abut__spheres* spheres, uint32_t group) {
    const abut__bd_part* part = spheres->parts.data + group;
    return (abut__modal_lanes){ABUT__AT(spheres->data.data, part->data),
                               ABUT__AT(spheres->fields.data, part->first_field),
                               part->field_count};
}

// Vertices that wait for a field to come.
typedef struct abut__wrapper_queue {
    uint32_t first;  // ABUT__NONE: there is none
    uint32_t last;
} abut__wrapper_queue;

// What it takes to wrap vertices. Fields come in order, and each vertex of the set waits for the next
// one that moves it, so that a field costs no more than what it moves.
typedef struct abut__wrapper {
    const abut_mesh* mesh;
    const abut__fields* fields;
    abut__centre_rule rule;
    size_t rows;                  // 1 + fields
    abut__ball* items;            // scratch: one a vertex
    uint32_t* next;               // scratch: one a vertex, which of its fields it waits for
    uint32_t* behind;             // scratch: one a vertex, who comes after it in the queue
    abut__wrapper_queue* queues;  // scratch: one a field
    uint32_t* ids;                // the set: vertices, each once
    size_t id_count;
    uint32_t* seen;  // per vertex: the last set that it was put into
    uint32_t set;
} abut__wrapper;

// Memory for wrapping in an arena; false: there is none.
bool abut__wrapper_make(abut__wrapper* wrapper, abut__arena* arena, const abut_mesh* mesh,
                        const abut__fields* fields, abut__centre_rule rule);
// Empties the set, puts a vertex into it, or all under a node or block.
void abut__wrapper_clear(abut__wrapper* wrapper);
void abut__wrapper_put(abut__wrapper* wrapper, uint32_t vertex);
void abut__wrapper_put_ref(abut__wrapper* wrapper, const abut__tree* tree, abut__ref ref);
// The balls of the set, which must not be empty: the rest state, then every field.
void abut__wrap_vertices(abut__wrapper* wrapper, abut__ball* rows);
// Spheres around the children of all nodes, a group a node. False: no memory.
bool abut__wrap_children(abut__wrapper* wrapper, const abut__tree* tree, abut__spheres* spheres);

#endif
