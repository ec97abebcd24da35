// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What all questions share. Each question has a header of its own with its settings (a def), its
// result and its calls:
//
//   collide.h    which triangles touch            within.h     which triangles, and which vertices,
//                                                               edges and faces, are near
//   sweep.h      what touches during a step       depth.h      how deep surfaces penetrate
//   nearest.h    which triangles are closest      contains.h   what is inside a closed surface
//   intervals.h  when triangles of animations touch
//   cast.h       which triangles rays meet
//   closest.h    which triangles are closest to points, and on which side these are
//   proxies.h    which bounding spheres overlap, instead of triangles
//   select.h     which triangles reach into a box, a ball or a frustum
//   contour.h    along which lines surfaces intersect, from the pairs of a collide query
//
// Rules for all of them. Answers are exact for the doubles of abut_body_world_vertex() (within one
// body, and between bodies with the same frame: of abut_body_vertex()). Touching counts. A
// degenerate triangle is the segment or point that it spans. Answers are complete, sorted, and the
// same for any number of threads and any instruction set.
//
// A def that is NULL means the defaults. A call about two bodies refuses one body twice, and
// ignores groups and masks: the caller names the bodies. A call over a scene skips pairs of static
// bodies and pairs whose groups and masks disagree.
//
// A result belongs to a context and holds rows and working memory. Reuse it: then queries allocate
// nothing after the first steps. The first query of a body may build the tree of its shape:
// abut_shape_build_tree(). One query at a time works with a result; any number of queries
// with different results may work on one scene. Rows are copies. They stay valid until the next
// query with that result, its _clear() or its destruction. Bodies in rows are indices:
// abut_scene_body_at() returns the id. Calls that return rows give their number by `count`, which
// may be NULL.
//
// A query that fails fills `error` (may be NULL) and leaves an empty result. A query that reads a
// vertex that is not finite fails with ABUT_ERR_INVALID_DATA; error.body and error.index name the
// vertex.
#ifndef ABUT_QUERY_H
#define ABUT_QUERY_H

#include "body.h"
#include "exact.h"

ABUT_EXTERN_C_BEGIN

/// Two triangles. Within one body body_a == body_b and triangle_a < triangle_b; between bodies in
/// the order of the call, or body_a < body_b in queries over a scene.
typedef struct abut_pair {
    uint32_t body_a;
    uint32_t body_b;
    uint32_t triangle_a;
    uint32_t triangle_b;
} abut_pair;

/// Which features of two bodies meet.
typedef enum abut_contact_kind {
    ABUT_CONTACT_VERTEX_FACE = 0,  ///< a vertex of a and a face of b
    ABUT_CONTACT_FACE_VERTEX,      ///< a face of a and a vertex of b; never within one body
    ABUT_CONTACT_EDGE_EDGE,
} abut_contact_kind;

/// The work of a query. The same for any number of threads and beside any other queries, except
/// after an early stop by `any` or by a callback. A depth query also counts the collision queries
/// by which it tries translations.
typedef struct abut_counters {
    uint64_t boxes_computed;    ///< boxes or spheres of tree nodes that were computed or fetched
    uint64_t boxes_tested;      ///< pairs of them, and of those of blocks, that were compared
    uint64_t nodes_certified;   ///< nodes proven free of contact within themselves
    uint64_t blocks_certified;  ///< blocks, and pairs of them, proven so, where the nodes were not
    uint64_t node_pairs_certified;  ///< pairs of nodes with overlapping boxes, proven so
    /// Blocks whose triangle boxes were needed. Each counts once a query, whether the query
    /// evaluated it or another query in this state did. `contains` counts a block once for each ray.
    uint64_t blocks_evaluated;
    uint64_t vertices_evaluated;  ///< vertices of these, once for each block
    uint64_t pairs_adjacent;  ///< pairs with overlapping boxes that were skipped because they share
                              ///< a vertex. Around a vertex with very many triangles pairs are
                              ///< skipped together and are not counted
    uint64_t pairs_filtered;  ///< pairs excluded by tags or by the filter
    uint64_t exact_tests;     ///< pairs that the exact test decided
    uint64_t exact_fallbacks;  ///< those of them that the fast filters left open
    uint64_t pairs_found;      ///< rows found
    uint64_t pairs_undecided;  ///< those of them, in sweeps, that are undecided: see exact.h
} abut_counters;

/// The first member of every query's settings.
typedef struct abut_query_head {
    abut_counters* counters;  ///< added to, if not NULL [NULL]
    uint32_t cookie;          ///< set by the default-maker; do not touch
} abut_query_head;

/// Decides whether a pair is worth testing: false excludes it. Called before the exact test, from
/// any thread; the answer must depend on the arguments only. Within one body triangle_a <
/// triangle_b.
typedef bool (*abut_filter_fn)(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                               uint32_t triangle_b);

/// A filter of pairs of triangles.
typedef struct abut_filter {
    abut_filter_fn fn;  ///< NULL: all pairs count [NULL]
    void* user;         ///< passed to fn [NULL]
} abut_filter;

/// How candidate pairs are found. Answers do not depend on it.
typedef enum abut_culling_kind {
    ABUT_CULLING_TREE = 0,  ///< by the trees of the shapes: fast, lazy, nearly always the best
#ifndef ABUT_NO_EXPERIMENTAL
    ABUT_CULLING_VORONOI,  ///< experimental: by a discrete Voronoi diagram on a grid over all bodies
                           ///< of the query. It evaluates all vertices. Its work hardly depends on
                           ///< how many bodies are near each other. Nearest queries read no tree,
                           ///< and bodies need none for them; other queries decide what it finds by
                           ///< the blocks of trees. Use it to compare, and as a second opinion
#endif
} abut_culling_kind;

/// The choice of culling, with its setting.
typedef struct abut_culling {
    abut_culling_kind kind;  ///< [ABUT_CULLING_TREE]
    uint32_t grid_cells;     ///< Voronoi: cells along the longest side of the grid, at most 512;
                             ///< 0: chosen for the least time, without a grid for small bodies [0]
} abut_culling;

ABUT_EXTERN_C_END

#endif
