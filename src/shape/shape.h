// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A shape as the library sees it.
#ifndef ABUT_SHAPE_SHAPE_H
#define ABUT_SHAPE_SHAPE_H

#include "abut/shape.h"
#include "mesh/topology.h"
#include "tree/contour.h"
#include "tree/links.h"
#include "tree/patch.h"
#include "tree/stretches.h"

struct abut__motion_ops;

struct abut_shape {
    abut_context* context;
    atomic_uint holders;
    uint64_t serial;  // unique in the context, for fronts that outlive their shape
    abut_motion motion;
    const struct abut__motion_ops* ops;
    struct abut__modal* modal;      // of a modal shape
    struct abut__blend* blend;      // of a blend shape
    struct abut__flight* flight;    // of a flight shape
    struct abut__proxies* proxies;  // NULL: none
    bool round;                     // the motion has a sphere that is smaller than the box, at rest
    uint32_t field_count;           // coordinates that a state has
    uint32_t node_count;            // transforms that a state has
    const abut_mesh* mesh;
    abut__tree tree;
    abut__tree_def tree_def;
    abut__descent* descent;  // how its nodes come from those of an edited shape; NULL: they do not
    size_t ignored_count;
    uint64_t* ignored;                  // sorted pairs of tags, the lower one in the upper half
    _Atomic(abut__contours*) contours;  // made when first needed
    _Atomic(abut__links*) links;        // likewise
    _Atomic(abut__stretches*) stretches;
    _Atomic(uint8_t*) owned;  // who owns vertices and edges, likewise
    _Atomic(abut__topology*) topology;
};

// Whether boxes are to have the shape's own axes.
static inline bool abut__axes_are_own(const double axes[3][3]) {
    bool own = true;
    for (int k = 0; k < 9; ++k) {
        own = own && axes[k / 3][k % 3] == (k % 4 == 0 ? 1 : 0);
    }
    return own;
}

// One more holder of a shape; abut_shape_destroy lets go.
void abut__shape_hold(const abut_shape* shape);
// The contours of the shape's nodes, made by whoever comes first; NULL: no memory.
const abut__contours* abut__shape_contours(const abut_shape* shape);
// The same for the links of its blocks.
const abut__links* abut__shape_links(const abut_shape* shape);
// The same for the stretches of its blocks.
const abut__stretches* abut__shape_stretches(const abut_shape* shape);
// The same for the owners of its mesh's vertices and edges (mesh/features.h).
const uint8_t* abut__shape_owned(const abut_shape* shape);
// The same for the way its triangles hang together.
const abut__topology* abut__shape_topology(const abut_shape* shape);
// Whether the shape's table says that two tags never meet.
bool abut__shape_ignores(const abut_shape* shape, uint32_t tag_a, uint32_t tag_b);

// The same shape with its worn blocks (one byte a block) built anew for the given positions.
abut_status abut__shape_renew(const abut_shape* shape, const uint8_t* worn,
                              abut_positions positions, abut_shape** renewed, abut_edit_work* work,
                              abut_error* error);

// A mesh with triangles removed and added, and the number of the first added triangle. Its classes
// go on from those of the mesh, or, if motions will part them anew, from those by rest position.
abut_status abut__mesh_edit(const abut_mesh* mesh, const abut_shape_edit_def* edit, bool part_anew,
                            abut_mesh** edited, uint32_t* first_added, abut_error* error);

#endif
