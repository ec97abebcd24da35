// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shapes: a mesh, the way it moves, and its tree. Immutable, shared by any number of bodies and
// threads. To change a shape, make an edited one and switch bodies to it.
//
// Trees are built when they are first needed: see abut_shape_build_tree().
//
// This header has what all shapes share, and shapes of free motion. modal.h, blend.h and flight.h
// have the makers and edits of the other motions. Calls that take a `const abut_shape*` and return
// a value need a shape: NULL is not allowed.
#ifndef ABUT_SHAPE_H
#define ABUT_SHAPE_H

#include "mesh.h"

ABUT_EXTERN_C_BEGIN

/// How a mesh deforms.
typedef enum abut_motion {
    ABUT_MOTION_FREE = 0,  ///< each state gives all positions
    ABUT_MOTION_MODAL,     ///< rest positions plus weighted displacement fields: modal.h
    ABUT_MOTION_BLEND,     ///< convex weights times affine transforms of nodes: blend.h
    ABUT_MOTION_FLIGHT,    ///< vertices move on straight lines in time: flight.h
} abut_motion;

/// A displacement field: how far vertices move per unit of the field's coordinate.
typedef struct abut_field {
    abut_positions values;     ///< displacements: one a vertex, or one for each of `vertices`
    const uint32_t* vertices;  ///< the vertices that move, ascending; NULL: all of them
} abut_field;

/// Settings that shapes of all motions have. Start from abut_shape_def_default(), then change
/// fields.
typedef struct abut_shape_def {
    uint32_t fan_out;               ///< children of a tree node, 2..8 [8]
    uint32_t block_triangles;       ///< most triangles in a block, 1..48 [48]
    const uint32_t* ignored_tags;   ///< pairs of tags whose triangles never meet, copied [NULL]
    size_t ignored_tag_pair_count;  ///< number of pairs: half the numbers in `ignored_tags` [0]
    bool
        certify_on_request;  ///< certificates of a modal or blend shape are never made by calls that
                             ///< set states: see abut_shape_build_certificates() [false]
    uint32_t cookie;         ///< set by the default-maker; do not touch
} abut_shape_def;
ABUT_API abut_shape_def abut_shape_def_default(void);

/// Immutable; may be read by any number of threads and shared by any number of bodies.
typedef struct abut_shape abut_shape;

/// Creates a shape of free motion. `def` may be NULL for the defaults. The shape keeps the mesh
/// alive; the caller may destroy its own reference at once.
ABUT_API abut_status abut_shape_create(abut_context* context, const abut_mesh* mesh,
                                       const abut_shape_def* def, abut_shape** shape,
                                       abut_error* error);
/// Builds the tree over the rest positions, unless the shape has it. Without this call the first call
/// that needs the tree builds it: any query except for nearest queries with ABUT_CULLING_VORONOI, an
/// edit, and what returns boxes or measures the tree. Such a call needs the time and memory for it;
/// without memory it fails with ABUT_ERR_NO_MEMORY, and the next call tries again. Several threads
/// that first need the tree at the same time each build it, and one result is kept. Answers do not
/// depend on when the tree is built.
///
/// A query that needs a tree also computes the boxes of the states of its bodies, if they have none.
/// Setters compute no boxes of a body before that, and those of each new state afterwards. A body
/// that is created when its shape has the tree has boxes from the start.
///
/// Modal shapes with proxies and edited shapes are made with their tree. Flight bodies get it with
/// their first plans.
ABUT_API abut_status abut_shape_build_tree(const abut_shape* shape, abut_error* error);
/// Makes the certificates of a modal or blend shape, unless it has them. They prove, without a look at
/// vertices, that pieces of a body do not touch themselves: see docs/concepts.md. It may take as long
/// as hundreds of self queries, and uses the context's tasks. Shapes of other motions have none: the
/// call does nothing.
///
/// Without this call they are made when the bodies of the shape have had about as many self queries as
/// they cost, in states in which they would have helped: calls that set a state after a self query
/// then make some of them each, until they are done. These calls take longer, up to about half as much
/// as the self queries did, and no more than about 10 ms, apart from single passes over the mesh. They
/// allocate memory for it, and free it at the end. It depends on counts alone, never on time or
/// threads. Without memory there are no certificates. Answers do not depend on certificates. A shape
/// whose def has `certify_on_request`, or that is rigid, without fields and with one node at most,
/// gets them by this call and abut_shape_save() alone.
ABUT_API abut_status abut_shape_build_certificates(const abut_shape* shape, abut_error* error);
/// Releases the caller's reference to the shape; NULL is fine. Bodies keep their shape alive.
ABUT_API void abut_shape_destroy(abut_shape* shape);
/// Returns the shape's mesh. Vertices that move apart have classes of their own in it.
ABUT_API const abut_mesh* abut_shape_mesh(const abut_shape* shape);
/// Returns the shape's motion.
ABUT_API abut_motion abut_shape_motion(const abut_shape* shape);
/// Returns the number of coordinates in a state: one for each field.
ABUT_API size_t abut_shape_field_count(const abut_shape* shape);
/// Returns the number of transforms in a state: one for each node.
ABUT_API size_t abut_shape_node_count(const abut_shape* shape);

/// Changes to make to a shape. Start from abut_shape_edit_def_default(), then change fields.
/// Ids are stable: removed triangles leave their id dead, added ones are numbered from the end;
/// the same holds for added vertices.
typedef struct abut_shape_edit_def {
    const uint32_t* removed_triangles;  ///< ids of living triangles, each once
    size_t removed_triangle_count;
    const uint32_t* added_triangles;  ///< three vertex indices each; may name added vertices
    size_t added_triangle_count;
    const uint32_t* added_tags;        ///< one a new triangle, or NULL: all 0
    abut_positions added_vertices;     ///< rest positions of new vertices
    const uint32_t* added_classes;     ///< one a new vertex: the id of the vertex whose class it
                                       ///< joins, or its own. NULL: by the mesh's class rule.
                                       ///< Computed classes are parted where vertices move apart
    bool rebuild;                      ///< build the whole tree again
    abut_positions rebuild_positions;  ///< positions to build for; count 0: rest positions
    uint32_t cookie;                   ///< set by the default-maker; do not touch
} abut_shape_edit_def;
ABUT_API abut_shape_edit_def abut_shape_edit_def_default(void);

/// What an edit cost.
typedef struct abut_edit_work {
    uint32_t blocks_reused;  ///< taken over as they are
    uint32_t blocks_built;   ///< built by this edit
    uint32_t bounds_reused;  ///< of a blend shape: blocks whose bounds were taken over
    uint32_t
        bounds_built;  ///< of a blend shape: all other blocks, that is those that were built, and
                       ///< those with a vertex whose weights changed
    uint32_t nodes_reused;  ///< nodes of a flight shape's tree that have the children they had
    uint32_t nodes_built;   ///< all other nodes; for other motions all nodes
} abut_edit_work;

/// Makes an edited shape; the old one does not change. Takes a shape of any motion, as long as new
/// vertices need nothing more: either none are added, or the shape has no fields, weights or
/// keyframes. Otherwise use abut_shape_edit_modal(), _blend() or _flight(). Vertices move, and
/// queries answer, as if the shape had been made of the edited mesh, weights and fields. Without
/// `rebuild` only blocks that lose or gain triangles are built and all others shared; nodes, index
/// tables and bounds of fields are made again. A flight shape keeps its nodes, and its bodies what
/// they store for them, except where blocks were lost or gained, until half of the blocks have
/// changed (see abut_body_set_shape()). `work` may be NULL.
ABUT_API abut_status abut_shape_edit(const abut_shape* shape, const abut_shape_edit_def* edit,
                                     abut_shape** edited, abut_edit_work* work, abut_error* error);

/// How good a tree is, for some state.
typedef struct abut_tree_info {
    uint32_t nodes;
    uint32_t blocks;
    uint32_t depth;              ///< nodes on the longest path from the root to a block
    double triangles_per_block;  ///< mean
    double sah_cost;  ///< expected box tests of a random ray that meets the root, the boxes
                      ///< of triangles included
    double overlap;   ///< mean over sibling pairs: shared part of the smaller one's area
} abut_tree_info;
/// Measures the tree for the rest positions; abut_body_inspect() does it for the current state.
/// Linear time.
ABUT_API abut_status abut_shape_inspect(const abut_shape* shape, abut_tree_info* info,
                                        abut_error* error);

/// Proves that the tree is sound: every living triangle is in exactly one block, every block is
/// reached exactly once, counts and adjacency are right. Linear time. ABUT_ERR_STATE: it is not.
ABUT_API abut_status abut_shape_validate(const abut_shape* shape, abut_error* error);

#ifndef ABUT_NO_EXPERIMENTAL
/// Finds for each vertex a marked one whose position it can take: itself if it is marked, or else one
/// near it in the tree. `marks` has a bit for each vertex, 64 in a number, the lowest first; at least one
/// is set. `vertices` receives a vertex for each. See abut_body_reached_vertices(). Linear time; the
/// first call may build the tree.
ABUT_EXPERIMENTAL ABUT_API abut_status abut_shape_stand_ins(const abut_shape* shape,
                                                            const uint64_t* marks,
                                                            uint32_t* vertices, abut_error* error);
#endif

ABUT_EXTERN_C_END

#endif
