// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shapes: a mesh, the way it moves, and its tree. Immutable, shared by any number of bodies and
// threads. To change one, make an edited one and let bodies switch to it.
#ifndef ABUT_SHAPE_H
#define ABUT_SHAPE_H

#include "mesh.h"

ABUT_EXTERN_C_BEGIN

/// How a mesh deforms.
typedef enum abut_motion {
    ABUT_MOTION_FREE = 0,  ///< every state gives all positions anew
    ABUT_MOTION_MODAL,     ///< rest positions plus weighted displacement fields: modes, morph
                           ///< targets, principal components; with no field a rigid body
    ABUT_MOTION_BLEND,     ///< convex weights times affine transforms of nodes: skinned characters,
                           ///< point-based bodies; fields, if there are any, move the rest
                           ///< positions first (morph targets under a skin)
    ABUT_MOTION_FLIGHT,    ///< vertices go on straight lines: from keyframe to keyframe, or as
                           ///< positions and velocities say (abut_body_set_plans())
} abut_motion;

/// A displacement field: how far vertices move per unit of the field's coordinate.
typedef struct abut_field {
    abut_positions values;     ///< displacements: one a vertex, or one for each of `vertices`
    const uint32_t* vertices;  ///< the vertices that move, ascending; NULL: all of them
} abut_field;

/// How vertices follow nodes: weights that are not negative, and those of a vertex sum to 1. Their
/// order does not matter; weights of 0 are left out, and those of one node added.
typedef struct abut_weights {
    size_t node_count;      ///< at least 1, at most 65535
    const uint32_t* first;  ///< influences of vertex i: first[i] .. first[i + 1] - 1, so there are
                            ///< vertex count + 1 numbers; NULL: every vertex has `per_vertex`
    uint32_t per_vertex;    ///< if `first` is NULL
    const uint32_t* nodes;  ///< of every influence
    const void* values;     ///< weight of every influence
    abut_scalar type;       ///< of `values`
    bool normalise;         ///< divide the weights of every vertex by their sum; otherwise a sum
                            ///< that differs from 1 by more than 1e-5 is an error
} abut_weights;

/// A keyframe of a flight shape: where all vertices are at a time. The positions are borrowed: they
/// must stay alive and unchanged as long as the shape.
typedef struct abut_key {
    double time;
    abut_positions positions;  ///< one a vertex
} abut_key;

/// What bounds the nodes of a modal, blend or flight shape's tree. Answers do not depend on it, only the
/// work does.
typedef enum abut_bound {
    ABUT_BOUND_AUTO = 0,      ///< the library chooses: boxes, which are tighter; for flight bodies
                              ///< anew in every segment, by what the last one cost
    ABUT_BOUND_BOXES,         ///< boxes in the shape's axes
    ABUT_BOUND_SPHERES,       ///< modal: spheres round the centres of small balls; turning a body
                              ///< does not widen them
    ABUT_BOUND_SPHERES_MEAN,  ///< modal: spheres round means, as James and Pai have them
    ABUT_BOUND_CONVEX_EXACT,  ///< blend: the best that limits of weights and boxes allow: a little
                              ///< tighter, and slower
    ABUT_BOUND_CONVEX_PLAIN,  ///< blend: one rest box for all influences, as Steinemann, Otaduy and
                              ///< Gross have it: looser
    ABUT_BOUND_KINETIC,  ///< flight: boxes by their extreme vertices, which change only when one
                         ///< overtakes another: the least boxes at every instant, for many
                         ///< frames a key, one after the other
    ABUT_BOUND_BOXTREE,  ///< flight: two planes a node instead of six: fewer changes yet, and
                         ///< much wider boxes
    ABUT_BOUND_LINEAR,   ///< flight: boxes of the keys before and after, interpolated
} abut_bound;

/// Settings of abut_shape_create. Start from abut_shape_def_default(), then change fields.
typedef struct abut_shape_def {
    abut_motion motion;            ///< [ABUT_MOTION_FREE]
    const abut_field* fields;      ///< of a modal or blend shape, copied [NULL]
    size_t field_count;            ///< any number up to 65535, 0 included [0]
    abut_weights weights;          ///< of a blend shape, copied [none]
    const abut_key* keys;          ///< of a flight shape, times ascending, copied without their
                                   ///< positions [NULL]
    size_t key_count;              ///< any number; without keys vertices are at rest until plans
                                   ///< move them [0]
    abut_bound bound;              ///< of a modal, blend or flight shape [ABUT_BOUND_AUTO]
    double axes[3][3];             ///< of a modal shape: rows are the axes of its boxes, a rotation
                                   ///< within 1e-3; worth it for shapes that lie across their own
                                   ///< axes, in bodies that turn [identity]
    uint32_t proxy_level;          ///< of a modal shape: 2^proxy_level contact proxies, as far as
                                   ///< there are triangles, for abut_collide_proxies(); at most
                                   ///< 20; 0: none [0]
    uint32_t fan_out;              ///< children of a tree node, 2..8 [8]
    uint32_t block_triangles;      ///< most triangles in a block, 1..48 [48]
    const uint32_t* ignored_tags;  ///< pairs of tags whose triangles never meet, copied [NULL]
    size_t ignored_tag_pair_count;  ///< number of pairs: half the numbers in `ignored_tags` [0]
    uint32_t cookie;                ///< set by the default-maker; do not touch
} abut_shape_def;
ABUT_API abut_shape_def abut_shape_def_default(void);

/// Immutable; may be read by any number of threads and shared by any number of bodies.
typedef struct abut_shape abut_shape;

/// Builds the tree over the rest positions. `def` may be NULL for the defaults. The shape keeps
/// the mesh alive; the caller may destroy its own hold at once.
ABUT_API abut_status abut_shape_create(abut_context* context, const abut_mesh* mesh,
                                       const abut_shape_def* def, abut_shape** shape,
                                       abut_error* error);
/// Gives up the caller's hold on the shape; NULL is fine. Bodies keep their shape alive.
ABUT_API void abut_shape_destroy(abut_shape* shape);
ABUT_API const abut_mesh* abut_shape_mesh(const abut_shape* shape);
ABUT_API abut_motion abut_shape_motion(const abut_shape* shape);
/// The numbers that make a state of the shape: coordinates, one a field, and transforms, one a node.
ABUT_API size_t abut_shape_field_count(const abut_shape* shape);
ABUT_API size_t abut_shape_node_count(const abut_shape* shape);

/// Contact proxies: spheres that stand for groups of triangles where time is short and an answer
/// need not be exact. The triangles are halved `proxy_level` times; each group has one sphere, which
/// holds its triangles in every state. How many there are, 0 without proxies:
ABUT_API uint32_t abut_shape_proxy_count(const abut_shape* shape);
/// The vertex of a proxy that is nearest to its centre at rest: where a contact may act on the
/// shape. UINT32_MAX if there is no such proxy.
ABUT_API uint32_t abut_shape_proxy_vertex(const abut_shape* shape, uint32_t proxy);
/// The triangles that a proxy stands for; every living triangle has one. `count` (may be NULL)
/// receives their number. NULL if there is no such proxy. Valid as long as the shape.
ABUT_API const uint32_t* abut_shape_proxy_triangles(const abut_shape* shape, uint32_t proxy,
                                                    size_t* count);

/// Changes to make to a shape. Start from abut_shape_edit_default(), then change fields.
/// Ids are stable: removed triangles leave their id dead, added ones are numbered from the end;
/// the same holds for added vertices.
typedef struct abut_shape_edit_def {
    const uint32_t* removed_triangles;  ///< ids of living triangles, each once
    size_t removed_triangle_count;
    const uint32_t* added_triangles;  ///< three vertex indices each, added vertices included
    size_t added_triangle_count;
    const uint32_t* added_tags;        ///< one a new triangle, or NULL: all 0
    abut_positions added_vertices;     ///< rest positions of new vertices
    const uint32_t* added_classes;     ///< one a new vertex: the id of the vertex whose class it
                                       ///< joins, or its own. NULL: by the mesh's class rule.
                                       ///< Computed classes are parted where vertices move apart
    abut_weights added_weights;        ///< of a blend shape: how the new vertices follow nodes
    const abut_field* added_fields;    ///< as many as the shape has fields: how each moves the new
                                       ///< vertices; those it lists are listed by their ids
    const uint32_t* changed_vertices;  ///< of a blend shape: ids of old vertices that get other
                                       ///< weights, each once
    size_t changed_vertex_count;
    abut_weights changed_weights;      ///< theirs, in that order
    size_t node_count;                 ///< of a blend shape: nodes of the edited one, as many as
                                       ///< before or more; 0: as many. That of the weights above
                                       ///< is 0, or the same
    const abut_key* keys;              ///< of a flight shape: all its keys from now on, borrowed
                                       ///< as before, with positions for all vertices; NULL: as
                                       ///< they were, which new vertices of a shape with keys
                                       ///< cannot do with
    size_t key_count;                  ///< in `keys`; 0: the edited shape has none
    bool rebuild;                      ///< build the whole tree anew
    abut_positions rebuild_positions;  ///< positions to build for; count 0: rest positions
    uint32_t cookie;                   ///< set by the default-maker; do not touch
} abut_shape_edit_def;
ABUT_API abut_shape_edit_def abut_shape_edit_default(void);

/// What an edit cost.
typedef struct abut_edit_work {
    uint32_t blocks_shared;  ///< taken over as they are
    uint32_t blocks_built;   ///< made anew
    uint32_t bounds_shared;  ///< of a blend shape: blocks whose bounds were taken over
    uint32_t bounds_built;   ///< of a blend shape: all others, that is those that were built, and
                             ///< those with a vertex whose weights changed
    uint32_t nodes_shared;   ///< nodes of a flight shape's tree that have the children they had
    uint32_t nodes_built;    ///< all others; those of another motion all are
} abut_edit_work;

/// Makes a changed shape; the old one stays as it is. Without `rebuild` only the blocks that lose
/// or gain triangles are built, all others are shared; the nodes above the blocks and flat index
/// tables are made anew, and so is what bounds displacement by fields. Nodes of a flight shape stay
/// but for those that lose or gain a block, until half of the blocks have changed; so does what a body
/// keeps of them that goes from one shape to the next (see abut_body_set_shape()). Vertices move, and
/// queries answer, as if the shape had been made of the edited mesh, weights and fields. `work` may be
/// NULL.
ABUT_API abut_status abut_shape_edit(const abut_shape* shape, const abut_shape_edit_def* edit,
                                     abut_shape** edited, abut_edit_work* work, abut_error* error);

/// How good a tree is, for some state.
typedef struct abut_tree_stats {
    uint32_t nodes;
    uint32_t blocks;
    uint32_t depth;              ///< nodes on the longest way from the root to a block
    double triangles_per_block;  ///< mean
    double sah_cost;  ///< expected box tests of a random ray that meets the root, the boxes
                      ///< of triangles included
    double overlap;   ///< mean over sibling pairs: shared part of the smaller one's area
} abut_tree_stats;
/// Statistics for the rest positions. abut_body_stats() gives them for the current state.
ABUT_API abut_status abut_shape_stats(const abut_shape* shape, abut_tree_stats* stats,
                                      abut_error* error);

/// Proves the tree sound: every living triangle in exactly one block, every block reached exactly
/// once, counts and adjacency right. For tests and for the suspicious; linear time.
ABUT_API abut_status abut_shape_validate(const abut_shape* shape, abut_error* error);

ABUT_EXTERN_C_END

#endif
