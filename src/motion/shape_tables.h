// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A shape as motions and queries see it: the mesh, the motion's data, the tree, and tables that
// follow from these and are made at first use. Making and editing shapes: shape/shape.h.
//
// The tree, too, may be made at first use, by abut__shape_ready() in shape/shape.h. Code that reads
// it, or tables that follow from it, is called after that, or for bodies that have bounds
// (abut__body_ready() in body/body.h).
#ifndef ABUT_MOTION_SHAPE_TABLES_H
#define ABUT_MOTION_SHAPE_TABLES_H

#include "abut/shape.h"
#include "base/once.h"
#include "mesh/topology.h"
#include "tree/contour.h"
#include "tree/links.h"
#include "tree/patch.h"
#include "tree/seams.h"
#include "tree/stretches.h"

struct abut__motion;

// When certificates are made, and how far they are: see motion/certified.h.
typedef struct abut__certify_plan {
    bool on_request;      // they are made on request alone
    atomic_uint queries;  // self queries in states in which they would have helped
    atomic_uint busy;     // 1: a thread uses the members below
    void* making;         // NULL: nothing is under way
    bool sampling;        // it is a sample
    uint32_t slices;      // so far
    uint64_t spent;       // units of the last slice
} abut__certify_plan;

struct abut_shape {
    abut_context* context;
    atomic_uint holders;
    uint64_t serial;  // unique in the context, so that fronts can outlive their shape
    const struct abut__motion* motion;
    void* own;                      // data of the motion
    struct abut__proxies* proxies;  // NULL: none
    atomic_bool has_sphere;         // at rest the motion's sphere is smaller than the root's box;
                                    // false while bounds are not made yet
    bool is_draft;                  // of a tree that is made late: see abut__late
    uint32_t field_count;           // coordinates of a state
    uint32_t node_count;            // transforms of a state
    uint32_t bounds_reused;         // of an edited shape, if its motion bounds blocks: copied,
    uint32_t bounds_built;          // and computed
    const abut_mesh* mesh;
    const abut_shape* base;  // of the same mesh, with the tables of the mesh; NULL: it has its own
    abut__commit has_tree;   // of the tree and what the motion makes with it; see abut__late
    abut__tree tree;         // in its context is the memory of the shape, too
    abut__tree_def tree_def;
    abut__descent* descent;  // maps its nodes to those of the shape before the edit; NULL: none
    size_t ignored_count;
    uint64_t* ignored;  // sorted pairs of tags, the lower one in the upper half
    // tables that are made at first use
    abut__once contours;      // abut__contours
    abut__once seams;         // abut__seams
    abut__once links;         // abut__links
    abut__once stretches;     // abut__stretches
    abut__once owned;         // uint8_t, which triangle owns a vertex or an edge
    abut__once topology;      // abut__topology
    abut__once certificates;  // see motion/certified.h, likewise the following
    abut__once sample;
    abut__certify_plan certify;
};

// The origin of an edited shape: a motion takes over what the edit left unchanged.
typedef struct abut__lineage {
    const abut_shape* shape;          // the older one
    const abut_shape_edit_def* edit;  // NULL: only the tree differs
    const void* own_edit;             // the motion's edit def; NULL: only a plain edit was given
    uint32_t block_count;             // the first so many blocks are the older one's,
    uint32_t* blocks;                 // and had these numbers there
} abut__lineage;

// Whether the shape has its tree.
static inline bool abut__shape_has_tree(const abut_shape* shape) {
    return abut__is_committed(&shape->has_tree);
}

// Returns the contours of the shape's nodes, made at first use; NULL: no memory.
const abut__contours* abut__shape_contours(const abut_shape* shape);
// The same for the seams of its nodes.
const abut__seams* abut__shape_seams(const abut_shape* shape);
// The same for the links of its blocks.
const abut__links* abut__shape_links(const abut_shape* shape);
// The same for the stretches of its blocks.
const abut__stretches* abut__shape_stretches(const abut_shape* shape);
// The same for the owners of its mesh's vertices and edges (mesh/features.h).
const uint8_t* abut__shape_owned(const abut_shape* shape);
// The same for the connectivity of its triangles.
const abut__topology* abut__shape_topology(const abut_shape* shape);
// Frees all of them.
void abut__shape_tables_free(abut_shape* shape);

// Combines two tags in either order into one number.
static inline uint64_t abut__tag_key(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}
// Whether the shape's table says that triangles with two tags are never reported.
bool abut__shape_ignores(const abut_shape* shape, uint32_t tag_a, uint32_t tag_b);

#endif
