// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Queries: which triangles touch, between bodies and within one.
//
// Answers are exact for the doubles of abut_body_world_vertex() (within one body, and between
// bodies with the same frame: of abut_body_vertex()); touching counts; degenerate triangles are
// the segments or points they span. They are complete, sorted, and the same for any number of
// threads and any instruction set.
#ifndef ABUT_QUERY_H
#define ABUT_QUERY_H

#include "body.h"
#include "exact.h"

ABUT_EXTERN_C_BEGIN

/// Two triangles that touch. Within one body body_a == body_b and triangle_a < triangle_b;
/// between bodies in the order of the call, or body_a < body_b in queries over a scene.
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

/// The work a query did. Same for any number of threads and whatever other queries are at work,
/// except after an early stop by `any`, by which depth also tries translations, or by a callback.
typedef struct abut_counters {
    uint64_t boxes_computed;    ///< boxes of tree nodes that were worked out or fetched
    uint64_t boxes_tested;      ///< pairs of boxes of nodes and blocks compared; triangles not
    uint64_t nodes_certified;   ///< nodes proven free of contact within themselves
    uint64_t blocks_certified;  ///< blocks, and pairs of them, proven so, where the nodes were not
    /// Blocks whose triangle boxes were needed. Each counts once a query, whether it was evaluated or
    /// was at hand from another query in this state. `contains` counts a block once for each ray.
    uint64_t blocks_evaluated;
    uint64_t vertices_evaluated;  ///< the vertices of these, once for each block
    uint64_t pairs_adjacent;  ///< pairs with overlapping boxes left out: they share a vertex. Pairs
                              ///< about a vertex of very many triangles are left out unseen and
                              ///< are not counted
    uint64_t pairs_filtered;  ///< left out by the tags or by the filter
    uint64_t exact_tests;     ///< pairs that the exact test decided
    uint64_t exact_fallbacks;  ///< those of them that the fast filters left open
    uint64_t pairs_found;      ///< pairs found
    uint64_t pairs_undecided;  ///< those of them, in sweeps, that were not decided: see exact.h
} abut_counters;

/// Says whether a pair is worth testing; called before the exact test, from any thread, and must
/// depend on its arguments only. Within one body triangle_a < triangle_b.
typedef bool (*abut_filter_fn)(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                               uint32_t triangle_b);

/// Receives pairs piece by piece, on the calling thread, each piece sorted, pieces in an order
/// that does not depend on the number of threads. `shared` is NULL unless the query asks for it.
/// Returning false stops the query; abut_collide_result_stopped() then says so.
typedef bool (*abut_pair_fn)(void* user, const abut_pair* pairs, const abut_intersection* shared,
                             size_t count);

/// Where a traversal stopped. Holds the pairs of nodes and blocks that the last query ended at,
/// for going on after a budget ran out and for starting the next step from them instead of from
/// the roots. Of flight bodies it also knows until when it may end there, so that a step of time
/// looks only at what changes. Answers do not depend on it. One query at a time.
typedef struct abut_front abut_front;
ABUT_API abut_status abut_front_create(abut_context* context, abut_front** front,
                                       abut_error* error);
ABUT_API void abut_front_destroy(abut_front* front);
/// Forgets everything: the next query starts from the roots.
ABUT_API void abut_front_clear(abut_front* front);
/// Returns how many pairs of nodes and blocks an ABUT_INCOMPLETE query has not visited yet.
ABUT_API size_t abut_front_pending(const abut_front* front);

/// How pairs of triangles that are worth a closer look are found. Answers do not depend on it.
typedef enum abut_culling {
    ABUT_CULLING_TREE =
        0,  ///< by the trees of the shapes: fast, lazy, and the choice nearly always
#ifndef ABUT_NO_EXPERIMENTAL
    ABUT_CULLING_VORONOI,  ///< experimental: by a discrete Voronoi diagram on a grid over all bodies
                           ///< of the query. Needs no tree but moves all vertices; its work hardly
                           ///< depends on how many bodies are near each other. A method to compare
                           ///< with, and a second opinion
#endif
} abut_culling;

/// What every query takes. Start from abut_query_def_default(), then change fields.
typedef struct abut_query_def {
    double margin;  ///< >= 0: triangles at most this far apart count, decided exactly [0]
    bool any;       ///< stop at the first pair; the result only says whether; not with a
                    ///< callback [false]
    bool
        include_neighbours;  ///< within a body: also triangles that share a vertex, if they overlap
                             ///< beyond it: see abut_collide_self() [false]
    bool intersections;      ///< also work out what each pair shares: abut_result_shared() [false]
    abut_filter_fn filter;   ///< may be NULL [NULL]
    void* filter_user;
    abut_pair_fn callback;  ///< NULL: pairs are gathered in the result [NULL]
    void* callback_user;
    abut_front* front;        ///< may be NULL: start from the roots, keep nothing [NULL]
    uint64_t budget;          ///< stop after so many box tests, or a few more: then call again with
                              ///< the same question and the same front; if a body moved in between,
                              ///< the query starts over. Needs a front; 0: no end [0]
    abut_culling culling;     ///< Voronoi: not with a front or a budget [ABUT_CULLING_TREE]
    uint32_t grid_cells;      ///< Voronoi: cells along the longest side of the grid, at most 512;
                              ///< 0: chosen by the number of triangles [0]
    abut_counters* counters;  ///< added to, if not NULL [NULL]
    double tolerance;         ///< of sweeps: see exact.h [ABUT_TOLERANCE_DEFAULT]
    bool earliest_only;       ///< of sweeps: only contacts at the earliest time [false]
    uint32_t cookie;          ///< set by the default-maker; do not touch
} abut_query_def;
ABUT_API abut_query_def abut_query_def_default(void);

/// The answer of a query, and the memory it works in: reuse one to allocate nothing after the
/// first steps. One query at a time; its arrays are valid until the next query with it.
typedef struct abut_result abut_result;
ABUT_API abut_status abut_result_create(abut_context* context, abut_result** result,
                                        abut_error* error);
ABUT_API void abut_result_destroy(abut_result* result);

/// Whether anything was found: true also after `any`, with a callback, and for a part of an
/// incomplete query.
ABUT_API bool abut_result_touching(const abut_result* result);
/// The pairs, sorted by (body_a, body_b, triangle_a, triangle_b). NULL if there are none.
ABUT_API const abut_pair* abut_collide_result_pairs(const abut_result* result, size_t* count);
/// What each pair shares, in world coordinates, in the order of the pairs; NULL unless asked for.
/// A pair that is only within the margin shares nothing: count 0.
ABUT_API const abut_intersection* abut_result_shared(const abut_result* result);
/// Whether a callback stopped the query.
ABUT_API bool abut_collide_result_stopped(const abut_result* result);
/// After ABUT_ERR_INVALID_DATA: which vertex of which body was not finite: a borrowed position, or
/// a position that the body's frame carries beyond the range of doubles.
ABUT_API void abut_result_bad_vertex(const abut_result* result, abut_body_id* body,
                                     uint32_t* vertex);

/// All pairs of triangles of two bodies that share a point. A body wholly inside another does not
/// collide. `def` may be NULL for the defaults. Groups and masks are not asked: the caller names
/// the bodies. a == b is an error: see abut_collide_self().
/// Returns ABUT_INCOMPLETE when the budget ran out: the result has the pairs found by this call,
/// the front the rest.
ABUT_API abut_status abut_collide(const abut_scene* scene, abut_body_id a, abut_body_id b,
                                  const abut_query_def* def, abut_result* result);

/// All pairs of triangles within one body that share a point but no vertex. Vertices of one class
/// (mesh.h) are one vertex here.
///
/// With `neighbours` also pairs that share a vertex, if they overlap beyond what they share by the
/// mesh. Of two triangles that have one or two vertices in common, that is the point of the one, or
/// the segment between the two: the pair is found exactly if the triangles have a point in common
/// that is not on it. So it is found if it is folded flat over the edge, overlaps in its plane, or
/// goes on along an edge or through a face. Triangles with the same corners, in any order, coincide
/// and are always found, whether they have an area or not. A `margin` does not thicken neighbours.
/// `shared` gives the whole of what the two have in common. If vertices of one class were moved
/// apart, the point or segment is where the triangle with the lower number has it, and triangles
/// with the same corners are found only if each corner is where the other triangle has it.
ABUT_API abut_status abut_collide_self(const abut_scene* scene, abut_body_id a,
                                       const abut_query_def* def, abut_result* result);

/// abut_collide() for all pairs of bodies whose groups and masks agree and that are not both
/// static.
ABUT_API abut_status abut_collide_all(const abut_scene* scene, const abut_query_def* def,
                                      abut_result* result);

/// abut_collide_self() for all bodies that are not static.
ABUT_API abut_status abut_collide_self_all(const abut_scene* scene, const abut_query_def* def,
                                           abut_result* result);

ABUT_EXTERN_C_END

#endif
