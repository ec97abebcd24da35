// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What every motion gives the tree: five operations. Queries are written against these alone;
// adding a motion means one file in motion/, one in bound/ and a line in motion.c.
//
// Everything is in the shape's coordinates; the body turns boxes into world axes (body/body.h) and
// chooses the state: its current one, or the previous one.
#ifndef ABUT_MOTION_MOTION_H
#define ABUT_MOTION_MOTION_H

#include "bound/refit.h"
#include "shape/shape.h"

// A state of a body: its positions, and what follows from them for bounds.
typedef struct abut__state {
    bool valid;
    bool borrowed;
    abut__source source;  // own copy, the caller's array, or the mesh's rest positions
    uint32_t count;
    abut__vector copy;    // bytes
    abut__beside beside;  // tasks that begin may run beside its own
    abut__refit_boxes refit;
    uint32_t refit_nodes;  // room in refit.boxes
    bool wants_normals;    // self queries are to be expected: begin makes what apart needs
    bool has_normals;
    abut__boxes8* normals;   // per node: boxes of its children's unit normals
    uint32_t normals_nodes;  // room in it
} abut__state;

typedef struct abut__motion_ops {
    const char* name;
    // Once per new state, by the writer, with all memory already there: whatever bounds need.
    void (*begin)(const abut_shape* shape, abut__state* state);
    // The boxes of a node's children: a pointer to stored ones, or `room`, filled.
    const abut__boxes8* (*bound)(const abut_shape* shape, const abut__state* state, uint32_t node,
                                 abut__boxes8* room);
    // The block's vertices in float and the radius that their error stays below; for culling
    // only. False: one of them is not finite.
    bool (*evaluate)(const abut_shape* shape, const abut__state* state, uint32_t block,
                     abut__block_points* points, float* radius);
    // The doubles that answers are exact about: one kernel, one order of operations. Coordinate d
    // of vertex ids[i] goes to out[d][i].
    void (*vertices)(const abut_shape* shape, const abut__state* state, const uint32_t* ids,
                     uint32_t count, double* const out[3]);
    // True only with a proof that no two triangles under the node that share no vertex touch.
    bool (*apart)(const abut_shape* shape, const abut__state* state, uint32_t node);
} abut__motion_ops;

// NULL if the motion is unknown
const abut__motion_ops* abut__motion_ops_of(abut_motion motion);

extern const abut__motion_ops abut__free_ops;

#endif
