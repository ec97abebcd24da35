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
#include "sweep.h"

ABUT_EXTERN_C_BEGIN

/// Two triangles that touch. Within one body body_a == body_b and triangle_a < triangle_b;
/// between bodies in the order of the call, or body_a < body_b in queries over a scene.
typedef struct abut_pair {
    uint32_t body_a;
    uint32_t body_b;
    uint32_t triangle_a;
    uint32_t triangle_b;
} abut_pair;

/// The work a query did. Same for any number of threads and whatever other queries are at work, except after an early stop
/// by `any`, by which depth also tries translations, or by a callback.
typedef struct abut_counters {
    uint64_t boxes_bounded;  ///< boxes of tree nodes that were worked out or fetched
    uint64_t boxes_tested;   ///< pairs of boxes of nodes and blocks compared; triangles not
    uint64_t nodes_apart;    ///< nodes proven free of contact within themselves
    uint64_t blocks_apart;   ///< blocks, and pairs of them, proven so, where the nodes were not
    /// Blocks whose triangle boxes were needed. Each counts once a query, whether it was evaluated or
    /// was at hand from another query in this state. `contains` counts a block once for each ray.
    uint64_t blocks_evaluated;
    uint64_t vertices_moved;  ///< the vertices of these, once for each block
    uint64_t pairs_adjacent;  ///< pairs with overlapping boxes left out: they share a vertex. Pairs
                              ///< about a vertex of very many triangles are left out unseen and
                              ///< are not counted
    uint64_t pairs_filtered;  ///< left out by the tags or by the filter
    uint64_t exact_tests;     ///< pairs that the exact test decided
    uint64_t exact_ties;      ///< those of them that the fast filters left open
    uint64_t hits;            ///< pairs found
    uint64_t undecided;       ///< those of them, in sweeps, that were not decided: see sweep.h
} abut_counters;

/// Says whether a pair is worth testing; called before the exact test, from any thread, and must
/// depend on its arguments only. Within one body triangle_a < triangle_b.
typedef bool (*abut_filter_fn)(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                               uint32_t triangle_b);

/// Receives pairs piece by piece, on the calling thread, each piece sorted, pieces in an order
/// that does not depend on the number of threads. `shared` is NULL unless the query asks for it.
/// Returning false stops the query; abut_result_stopped() then says so.
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
/// Pairs of nodes and blocks held.
ABUT_API size_t abut_front_size(const abut_front* front);
/// Those of them that an ABUT_INCOMPLETE query has not looked at yet.
ABUT_API size_t abut_front_pending(const abut_front* front);

/// How pairs of triangles that are worth a closer look are found. Answers do not depend on it.
typedef enum abut_culling {
    ABUT_CULLING_TREE =
        0,                 ///< by the trees of the shapes: fast, lazy, and the choice nearly always
    ABUT_CULLING_VORONOI,  ///< by a discrete Voronoi diagram on a grid over all bodies asked about.
                           ///< Needs no tree but moves all vertices; its work hardly depends on how
                           ///< many bodies are near each other. A method to compare with, and a
                           ///< second opinion
} abut_culling;

/// What every query takes. Start from abut_query_def_default(), then change fields.
typedef struct abut_query_def {
    double margin;          ///< >= 0: triangles at most this far apart count, decided exactly [0]
    bool any;               ///< stop at the first pair; the result only says whether; not with a
                            ///< callback [false]
    bool neighbours;        ///< within a body: also triangles that share a vertex, if they overlap
                            ///< beyond it: see abut_self() [false]
    bool shared;            ///< also work out what each pair shares: abut_result_shared() [false]
    abut_filter_fn filter;  ///< may be NULL [NULL]
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
    double tolerance;         ///< of sweeps: see sweep.h [ABUT_SWEEP_TOLERANCE]
    bool first;               ///< of sweeps: only contacts at the earliest time [false]
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
ABUT_API const abut_pair* abut_result_pairs(const abut_result* result, size_t* count);
/// What each pair shares, in world coordinates, in the order of the pairs; NULL unless asked for.
/// A pair that is only within the margin shares nothing: count 0.
ABUT_API const abut_intersection* abut_result_shared(const abut_result* result);
/// Whether a callback stopped the query.
ABUT_API bool abut_result_stopped(const abut_result* result);
/// After ABUT_ERR_INVALID_DATA: which vertex of which body was not finite: a borrowed position, or
/// a position that the body's frame carries beyond the range of doubles.
ABUT_API void abut_result_bad_vertex(const abut_result* result, abut_body_id* body,
                                     uint32_t* vertex);

/// All pairs of triangles of two bodies that share a point. A body wholly inside another does not
/// collide. `def` may be NULL for the defaults. Groups and masks are not asked: the caller names
/// the bodies. a == b is an error: see abut_self().
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
/// `shared` gives the whole of what the two have in common. If vertices of one class were moved apart,
/// the point or segment is where the triangle with the lower number has it, and triangles with the
/// same corners are found only if each corner is where the other triangle has it.
ABUT_API abut_status abut_self(const abut_scene* scene, abut_body_id a, const abut_query_def* def,
                               abut_result* result);

/// abut_collide() for all pairs of bodies whose groups and masks agree and that are not both
/// static.
ABUT_API abut_status abut_collide_all(const abut_scene* scene, const abut_query_def* def,
                                      abut_result* result);

/// abut_self() for all bodies that are not static.
ABUT_API abut_status abut_self_all(const abut_scene* scene, const abut_query_def* def,
                                   abut_result* result);

/// What meets in a sweep.
typedef enum abut_sweep_kind {
    ABUT_SWEEP_VERTEX_FACE = 0,  ///< a vertex of a and a face of b
    ABUT_SWEEP_FACE_VERTEX,      ///< a face of a and a vertex of b; never within one body
    ABUT_SWEEP_EDGE_EDGE,
} abut_sweep_kind;

/// A vertex and a face, or two edges, that touch within a step. `vertex_a` are the vertices of what
/// belongs to body a: one, or three in the order of the triangle, or the two of an edge, the lower
/// number first; `weight_a` says where on it the contact is. Unused entries are UINT32_MAX and 0.
/// `triangle_a` is the face, or the lowest triangle that has the vertex or edge. Within one body a
/// vertex comes before a face, and of two edges that with the lower numbers. `normal` is in world
/// coordinates, of unit length, from b to a at that time. See abut_sweep_contact for what is promised.
typedef struct abut_swept_pair {
    uint32_t body_a;
    uint32_t body_b;
    abut_sweep_kind kind;
    bool undecided;  ///< not decided with reasonable effort, counted as a contact
    uint32_t triangle_a;
    uint32_t triangle_b;
    uint32_t vertex_a[3];
    uint32_t vertex_b[3];
    double time;
    double weight_a[3];
    double weight_b[3];
    double normal[3];
} abut_swept_pair;

/// All vertices and faces, and pairs of edges, of two bodies that touch within the last step: while
/// every vertex moves on a segment from its world position in the previous state and frame
/// (abut_body_set_frames()) to that in the current ones, at times from 0 to 1. A contact is never
/// missed; one that is reported comes as close as the tolerance. Each pair is found once. Setting a
/// state makes the current one the previous one. A body that was never given another state than that
/// it was created in keeps it, and only its frame moves; so does a static one that has no previous
/// state. Flight bodies turn at every key that they pass: at the part (t - t0) / (t1 - t0) of a step from
/// t0 to t1, in double, a vertex is where the key has it, or, while the frame moves, at
/// (1 - s) F0(x) + s F1(x). A time is rounded down by up to 2^-49 of the step: between two keys that are the part d of the
/// step apart this is 2^-49 / d of the way between them, by which the distance at that time may be above the tolerance.
/// Of `def` (may be NULL) `margin`, `tolerance`, `first`, `any`, `filter`, `culling`, `grid_cells` and
/// `counters` count; the filter is asked about triangle_a and triangle_b. Other settings than their
/// defaults are an error. Parts of steps over keys are always looked at by trees.
/// Returns ABUT_ERR_STATE if a body has no previous state, because it was borrowed, or the shape or
/// the plans are new, or the last state was refused, or if a body whose plans have an acceleration meets
/// one that does not accelerate alike, or one with vertices by plans and others by keys passes several
/// keys: set its state twice, or both by abut_body_borrow_step(); abut_result_bad_vertex() names the
/// body.
ABUT_API abut_status abut_sweep(const abut_scene* scene, abut_body_id a, abut_body_id b,
                                const abut_query_def* def, abut_result* result);
/// The same within one body, between what shares no vertex. If its frame does not move the vertices'
/// positions in the shape's coordinates count.
ABUT_API abut_status abut_sweep_self(const abut_scene* scene, abut_body_id a,
                                     const abut_query_def* def, abut_result* result);
/// abut_sweep() for all pairs of bodies whose groups and masks agree and that are not both static.
ABUT_API abut_status abut_sweep_all(const abut_scene* scene, const abut_query_def* def,
                                    abut_result* result);
/// abut_sweep_self() for all bodies that are not static.
ABUT_API abut_status abut_sweep_self_all(const abut_scene* scene, const abut_query_def* def,
                                         abut_result* result);
/// What these found, sorted by (body_a, body_b, kind, what of a, what of b): vertices by their
/// numbers, faces by those of their triangles, edges by both vertices. NULL if there is nothing.
ABUT_API const abut_swept_pair* abut_result_sweeps(const abut_result* result, size_t* count);
/// The earliest time of them; INFINITY if there is nothing. Up to it nothing touches.
ABUT_API double abut_result_sweep_time(const abut_result* result);

/// A time during which two triangles touch, in an animation. Within one body body_a == body_b and
/// triangle_a < triangle_b.
typedef struct abut_spell {
    uint32_t body_a;
    uint32_t body_b;
    uint32_t triangle_a;
    uint32_t triangle_b;
    double start;
    double stop;
} abut_spell;

/// When triangles of two bodies touch, from one time to another (from < to). At least one of them is a
/// flight body with two keys or more, which goes by them; others rest as they are, and all keep their frames. Neither
/// time nor state of a body with so many keys is looked at, and none is changed. Vertices go
/// straight between where abut_body_vertex() has them at `from`, at each key of either body in between,
/// and at `to` (abut_body_world_vertex() unless both bodies have the same frame).
///
/// Every time at which two triangles share a point is in a spell of theirs, and nothing is missed: `start`
/// is never later and `stop` never earlier than the truth, but for a spell that begins or ends with
/// the times asked about. They are as sharp as the contacts of abut_sweep_vertex_face(): what is in
/// a spell and does not touch comes as close as the tolerance within V dt <= tolerance / 2 of a time in
/// it, V being the greatest speed. Two spells of a pair are never closer than that, and while features
/// slide along each other in one plane gaps below 1/64 of a segment may be part of a spell.
///
/// Of `def` (may be NULL) `tolerance`, `filter` and `counters` count; other settings than their defaults
/// are an error. Returns ABUT_ERR_INVALID_ARGUMENT if no body has two keys, ABUT_ERR_STATE for bodies with plans, and ABUT_ERR_INVALID_DATA if a key is
/// not finite or above 1e37; abut_result_bad_vertex() names the body. One thread does all the work, which
/// is that of the events of a kinetic separation list (docs/flight.md), and of pairs that come near.
ABUT_API abut_status abut_spells(const abut_scene* scene, abut_body_id a, abut_body_id b,
                                 double from, double to, const abut_query_def* def,
                                 abut_result* result);
/// The same within one flight body of two keys or more, between triangles that share no vertex.
ABUT_API abut_status abut_spells_self(const abut_scene* scene, abut_body_id a, double from,
                                      double to, const abut_query_def* def, abut_result* result);
/// What these found, sorted by (triangle_a, triangle_b, start). NULL if there is nothing.
ABUT_API const abut_spell* abut_result_spells(const abut_result* result, size_t* count);

/// Two contact proxies whose spheres overlap, in world coordinates: the numbers of
/// abut_body_proxy().
typedef struct abut_proxy_contact {
    uint32_t body_a;
    uint32_t body_b;
    uint32_t proxy_a;
    uint32_t proxy_b;
    double centre_a[3];
    double radius_a;
    double centre_b[3];
    double radius_b;
    double gap;  ///< distance of the centres less both radii, in double: at most the margin
} abut_proxy_contact;

/// All pairs of contact proxies of two bodies whose spheres overlap: far cheaper than
/// abut_collide(), and never less, for triangles that touch have proxies that overlap. Bodies whose
/// shapes have no proxies give nothing. Of `def` (may be NULL) only `margin` and `counters` count
/// (boxes_bounded and boxes_tested are spheres); settings other than their defaults are an error.
ABUT_API abut_status abut_collide_proxies(const abut_scene* scene, abut_body_id a, abut_body_id b,
                                          const abut_query_def* def, abut_result* result);
/// The same for all pairs of bodies whose groups and masks agree and that are not both static.
ABUT_API abut_status abut_collide_proxies_all(const abut_scene* scene, const abut_query_def* def,
                                              abut_result* result);
/// What these two found, sorted by (body_a, body_b, proxy_a, proxy_b). NULL if there is nothing.
ABUT_API const abut_proxy_contact* abut_result_proxies(const abut_result* result, size_t* count);

/// Follows pairs over time: which began, which went on, which ended.
typedef struct abut_changes abut_changes;
ABUT_API abut_status abut_changes_create(abut_context* context, abut_changes** changes,
                                         abut_error* error);
ABUT_API void abut_changes_destroy(abut_changes* changes);
/// Compares the pairs of `result` with those of the last call and remembers them. The result
/// should be a whole one: pairs that it lacks because of a budget, `any` or a callback count as
/// ended. Bodies are told by their index.
ABUT_API abut_status abut_changes_update(abut_changes* changes, const abut_result* result);
typedef enum abut_change {
    ABUT_CHANGE_BEGUN = 0,
    ABUT_CHANGE_CONTINUED,
    ABUT_CHANGE_ENDED,
} abut_change;
/// Triangle pairs that began, went on or ended with the last update, sorted.
ABUT_API const abut_pair* abut_changes_pairs(const abut_changes* changes, abut_change change,
                                             size_t* count);
/// The same for pairs of bodies (a pair of bodies touches while any of its triangles do); the
/// triangle fields are 0.
ABUT_API const abut_pair* abut_changes_bodies(const abut_changes* changes, abut_change change,
                                              size_t* count);

ABUT_EXTERN_C_END

#endif
