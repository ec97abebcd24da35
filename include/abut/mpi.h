// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Worlds: scenes whose bodies are spread over the ranks of an MPI communicator. A small library of its
// own (abut_mpi), so that abut itself needs no MPI. See docs/mpi.md.
//
// Each body has a global id and is owned by one rank, which sets its states. Answers are those of a
// plain scene in which body i has the index i: the same rows in the same order, for any number of
// ranks and whatever rank owns a body.
//
// A call that is marked "collective" must be made by all ranks, in the same order, with equal
// settings. It returns the same status on all of them. If it fails, the error names the body (its
// global id is error.body.index) and abut_world_blamed() returns the rank. Bodies then have the states
// that they had before, and the world can be used further. All other calls are local: they send
// nothing and wait for no other rank. Only the rank that owns a body may change it.
//
// A world makes no call of MPI except in collective calls, and on the calling thread alone.
#ifndef ABUT_MPI_H
#define ABUT_MPI_H

#include <mpi.h>

#include "blend.h"
#include "collide.h"
#include "flight.h"
#include "modal.h"
#include "nearest.h"
#include "proxies.h"
#include "save.h"
#include "sweep.h"
#include "within.h"

ABUT_EXTERN_C_BEGIN

/// Settings of abut_world_create. Start from abut_world_def_default(), then change fields.
typedef struct abut_world_def {
    abut_scene_def scene;      ///< of the bodies that a rank owns or meets
    abut_allocator allocator;  ///< of the world itself: both functions, or both NULL [NULL]
    uint32_t
        keep_steps;   ///< queries for which a rank keeps a body of another rank that it does not
                      ///< meet any more; the same on all ranks [4]
    uint32_t cookie;  ///< set by the default-maker; do not touch
} abut_world_def;
ABUT_API abut_world_def abut_world_def_default(void);

/// A scene whose bodies are spread over ranks.
typedef struct abut_world abut_world;

/// Creates an empty world. Collective. The communicator is duplicated. `def` may be NULL for the
/// defaults. The context belongs to this rank alone.
ABUT_API abut_status abut_world_create(MPI_Comm communicator, abut_context* context,
                                       const abut_world_def* def, abut_world** world,
                                       abut_error* error);
/// Destroys a world with its bodies and shapes. Collective; NULL is fine if it is so on all ranks.
ABUT_API void abut_world_destroy(abut_world* world);
/// Returns the rank to blame for the last collective call that failed; -1 if none has failed.
ABUT_API int abut_world_blamed(const abut_world* world);

/// The name of a shape: a hash of its content, so that equal shapes of different ranks have one name.
typedef struct abut_shape_name {
    uint64_t word[2];
} abut_shape_name;

/// Adds a shape, which the world takes over: do not destroy it. Local. A rank that meets a body of a
/// shape that it lacks fetches it once, from the body's owner. If the world has an equal shape on this
/// rank, the given one is destroyed, and the name is the same. If the call fails, the shape stays the
/// caller's. The call saves the shape (save.h) to compute the name.
///
/// Certificates of modal and blend shapes (abut_shape_build_certificates()) that are made by
/// themselves are made after as many self queries as one rank has. Then answers are the same, but the
/// number of exact tests depends on the number of ranks. So give shapes that need self queries
/// `certify_on_request`, or build the certificates before this call.
ABUT_API abut_status abut_world_add_shape(abut_world* world, abut_shape* shape,
                                          abut_shape_name* name, abut_error* error);
/// Returns the shape of that name; NULL if this rank does not have it.
ABUT_API const abut_shape* abut_world_shape(const abut_world* world, abut_shape_name name);

/// Adds a body that this rank owns. Local. Ids are the caller's choice: any number below UINT32_MAX,
/// each once in the world. Memory and time do not depend on the greatest one. An id that two ranks
/// have is found by the next query, which fails. `def` may be NULL for the defaults. Trees are never
/// rebuilt by themselves, as if def->keeps_tree were set, and the body is steady
/// (abut_body_set_steady()): a plain scene of such bodies has the same number of exact tests.
ABUT_API abut_status abut_world_add_body(abut_world* world, uint32_t id, abut_shape_name shape,
                                         const abut_body_def* def, abut_error* error);
/// Removes a body of this rank. Local.
ABUT_API abut_status abut_world_remove_body(abut_world* world, uint32_t id, abut_error* error);
/// Returns the ids of the bodies that this rank owns, ascending. Local. They stay valid until bodies
/// are added, removed or moved. NULL if there are none, or no memory.
ABUT_API const uint32_t* abut_world_bodies(abut_world* world, size_t* count);

/// Set the state of a body of this rank, as abut_body_set_positions(), abut_body_set_coordinates(),
/// abut_body_set_transforms() and abut_body_set_time() do. Local. A state that is refused leaves the
/// body as it was, its previous state included.
ABUT_API abut_status abut_world_set_positions(abut_world* world, uint32_t id,
                                              abut_positions positions, abut_error* error);
ABUT_API abut_status abut_world_set_coordinates(abut_world* world, uint32_t id,
                                                const double* coordinates, size_t count,
                                                abut_error* error);
ABUT_API abut_status abut_world_set_transforms(abut_world* world, uint32_t id,
                                               abut_transforms transforms,
                                               const double* coordinates, size_t coordinate_count,
                                               abut_error* error);
ABUT_API abut_status abut_world_set_time(abut_world* world, uint32_t id, double time,
                                         abut_error* error);
/// Sets plans of a flight body of this rank, as abut_body_set_plans() does. Local. A rank that needs a body
/// with new plans gets the calls that made them, since the last ones with positions for all vertices.
ABUT_API abut_status abut_world_set_plans(abut_world* world, uint32_t id,
                                          const abut_plans_def* plans, abut_error* error);

/// Set the frame of a body of this rank, or end its step, as abut_body_set_frame(),
/// abut_body_set_frame_step() and abut_body_end_step() do. Local.
ABUT_API abut_status abut_world_set_frame(abut_world* world, uint32_t id, const abut_frame* frame,
                                          abut_error* error);
ABUT_API abut_status abut_world_set_frame_step(abut_world* world, uint32_t id,
                                               const abut_frame* from, const abut_frame* to,
                                               abut_error* error);
ABUT_API abut_status abut_world_end_step(abut_world* world, uint32_t id, abut_error* error);

/// Set groups and thickness of a body of this rank, as abut_body_set_groups() and
/// abut_body_set_thickness() do. Local.
ABUT_API abut_status abut_world_set_groups(abut_world* world, uint32_t id, uint64_t groups,
                                           uint64_t mask, abut_error* error);
ABUT_API abut_status abut_world_set_thickness(abut_world* world, uint32_t id, double thickness,
                                              abut_error* error);

/// Where the rows of an answer go. The sorted list of all ranks is one list.
typedef enum abut_world_placement {
    ABUT_WORLD_GATHERED = 0,  ///< all rows on one rank, none on the others
    ABUT_WORLD_DISTRIBUTED,   ///< each rank has a part of the list, in the order of ranks, of about
                              ///< equal length; rows of two bodies stay together
} abut_world_placement;

/// Settings of all queries of a world. Start from abut_world_query_def_default(), then change fields.
typedef struct abut_world_query_def {
    abut_world_placement placement;  ///< [ABUT_WORLD_GATHERED]
    int root;                        ///< the rank of gathered rows [0]
    uint32_t cookie;                 ///< set by the default-maker; do not touch
} abut_world_query_def;
ABUT_API abut_world_query_def abut_world_query_def_default(void);

/// The answer of a query: rows that name bodies by their global ids. They stay valid until the next
/// query with this answer or its destruction. A query that fails leaves an empty answer.
typedef struct abut_world_answer abut_world_answer;
/// Creates an empty answer. Local. Destroy it before its world.
ABUT_API abut_status abut_world_answer_create(abut_world* world, abut_world_answer** answer,
                                              abut_error* error);
/// Destroys an answer; NULL is fine.
ABUT_API void abut_world_answer_destroy(abut_world_answer* answer);
/// Return the rows of this rank, after a query that has such rows; NULL if there are none.
ABUT_API const abut_pair* abut_world_answer_pairs(const abut_world_answer* answer, size_t* count);
ABUT_API const abut_sweep_pair* abut_world_answer_sweeps(const abut_world_answer* answer,
                                                         size_t* count);
ABUT_API const abut_distance_pair* abut_world_answer_distances(const abut_world_answer* answer,
                                                               size_t* count);
#ifndef ABUT_NO_EXPERIMENTAL
/// Returns the rows of this rank, as above, after abut_world_proxies_all().
ABUT_EXPERIMENTAL ABUT_API const abut_proxy_pair* abut_world_answer_proxies(
    const abut_world_answer* answer, size_t* count);
#endif

/// abut_collide_all(), abut_collide_self_all(), abut_sweep_all(), abut_sweep_self_all(),
/// abut_within_all() and abut_nearest_all() over all bodies of the world. Collective. `def` and `query`
/// may be NULL for the defaults. Counters in def->head receive the work of this rank; each pair of
/// bodies is decided by one rank. A filter must give the same answer on all ranks; it gets global ids.
/// Not in a world: `any`, `intersections`, `earliest_only`, callbacks, fronts, budgets and Voronoi culling.
ABUT_API abut_status abut_world_collide_all(abut_world* world, const abut_collide_def* def,
                                            const abut_world_query_def* query,
                                            abut_world_answer* answer, abut_error* error);
ABUT_API abut_status abut_world_collide_self_all(abut_world* world, const abut_collide_def* def,
                                                 const abut_world_query_def* query,
                                                 abut_world_answer* answer, abut_error* error);
ABUT_API abut_status abut_world_sweep_all(abut_world* world, const abut_sweep_def* def,
                                          const abut_world_query_def* query,
                                          abut_world_answer* answer, abut_error* error);
ABUT_API abut_status abut_world_sweep_self_all(abut_world* world, const abut_sweep_def* def,
                                               const abut_world_query_def* query,
                                               abut_world_answer* answer, abut_error* error);
ABUT_API abut_status abut_world_within_all(abut_world* world, const abut_within_def* def,
                                           const abut_world_query_def* query,
                                           abut_world_answer* answer, abut_error* error);
ABUT_API abut_status abut_world_nearest_all(abut_world* world, const abut_nearest_def* def,
                                            const abut_world_query_def* query,
                                            abut_world_answer* answer, abut_error* error);
#ifndef ABUT_NO_EXPERIMENTAL
/// abut_proxies_all() over all bodies of the world, by the rules above. Spheres that several pairs of
/// bodies need are computed for each pair, so boxes_computed is not that of a plain scene; all other
/// counters are.
ABUT_EXPERIMENTAL ABUT_API abut_status abut_world_proxies_all(abut_world* world,
                                                              const abut_proxies_def* def,
                                                              const abut_world_query_def* query,
                                                              abut_world_answer* answer,
                                                              abut_error* error);
#endif

/// Moves bodies to ranks so that bodies near each other have one owner and each rank has about equal
/// work, by the counters of queries since the last call. Collective. Call it after bodies were added,
/// and every few hundred steps. abut_world_bodies() returns what a rank owns now.
ABUT_API abut_status abut_world_balance(abut_world* world, abut_error* error);

/// The piece of a surface that one rank owns. Start from abut_surface_def_default(), then change fields. A
/// surface is one mesh of free motion, cut into pieces of any form, one for each rank. Vertices and
/// triangles have the ids that they have in the whole mesh. All arrays are copied.
typedef struct abut_surface_def {
    abut_positions positions;  ///< rest positions of the piece's vertices; the type is the same on
                               ///< all ranks
    const uint32_t* vertex_ids;  ///< of these vertices, each once in a piece; below UINT32_MAX
    const uint32_t* triangles;   ///< three places each in the list of the piece's vertices
    const uint32_t*
        triangle_ids;       ///< of these triangles, each once in the surface; below UINT32_MAX
    size_t triangle_count;  ///< of the piece; may be 0 [0]
    abut_class_rule
        class_rule;           ///< as in abut_mesh_def, of the whole mesh [ABUT_CLASS_RULE_COMPUTED]
    const uint32_t* classes;  ///< ABUT_CLASS_RULE_GIVEN: one number a vertex, with a meaning that
                              ///< all ranks share [NULL]
    uint32_t cookie;          ///< set by the default-maker; do not touch
} abut_surface_def;
ABUT_API abut_surface_def abut_surface_def_default(void);

/// Adds a surface, of which each rank gives its piece. Collective. Surfaces have ids of their own, apart
/// from those of bodies. No rank ever holds the whole mesh: memory grows with a rank's piece and with the
/// parts of other pieces that come near it. A vertex that several pieces have must have the same rest
/// position and class in them. A triangle id that two ranks have fails the call. Pieces stay where they are:
/// abut_world_balance() does not move them.
ABUT_API abut_status abut_world_add_surface(abut_world* world, uint32_t id,
                                            const abut_surface_def* def, abut_error* error);
/// Removes a surface. Collective.
ABUT_API abut_status abut_world_remove_surface(abut_world* world, uint32_t id, abut_error* error);
/// Sets the positions of the vertices of this rank's piece, in the order of the def, in the type of the
/// rest positions; copied. The ones before become the previous state. Local. All ranks must do it in every
/// step, with the same position for a vertex of several pieces: a query that sees two positions fails.
/// If a position is not finite the call fails, names the vertex by its id, and changes nothing. If there
/// is no memory the surface stays where it is, and the previous state is lost: it is at rest.
ABUT_API abut_status abut_world_set_surface_positions(abut_world* world, uint32_t id,
                                                      abut_positions positions, abut_error* error);

/// Sets how thick the surface is, as abut_body_set_thickness() does. Local; all ranks must set the same, or
/// queries fail.
ABUT_API abut_status abut_world_set_surface_thickness(abut_world* world, uint32_t id,
                                                      double thickness, abut_error* error);

/// abut_collide_self(), abut_sweep_self() and abut_within_self() of a surface. Collective. Rows are those of
/// the whole mesh in one process, bit for bit and in the same order, however it is cut: they have the
/// surface's id as bodies, and the ids of the whole mesh. The number of exact tests depends on the cut. In
/// a distributed answer, rows with equal first features stay together. What is said about `def` and
/// `query` above holds here, too.
ABUT_API abut_status abut_world_collide_surface(abut_world* world, uint32_t id,
                                                const abut_collide_def* def,
                                                const abut_world_query_def* query,
                                                abut_world_answer* answer, abut_error* error);
ABUT_API abut_status abut_world_sweep_surface(abut_world* world, uint32_t id,
                                              const abut_sweep_def* def,
                                              const abut_world_query_def* query,
                                              abut_world_answer* answer, abut_error* error);
ABUT_API abut_status abut_world_within_surface(abut_world* world, uint32_t id,
                                               const abut_within_def* def,
                                               const abut_world_query_def* query,
                                               abut_world_answer* answer, abut_error* error);

/// What this rank did since the creation of the world, or since abut_world_stats_clear().
typedef struct abut_world_stats {
    uint64_t box_tests;      ///< pairs of boxes of whole bodies that were compared
    abut_counters counters;  ///< of the pairs of bodies that this rank decided
    uint64_t pairs_decided;  ///< pairs of bodies
    uint64_t bytes_sent;  ///< of all messages to other ranks, headers included, without shapes. A
                          ///< collective operation of MPI counts its length once for each of the
                          ///< ceil(log2 ranks) rounds
    uint64_t messages_sent;  ///< to other ranks; a collective operation counts each of its rounds
    uint64_t shape_bytes;    ///< of shapes that were sent
    uint64_t states_sent;    ///< states of bodies that were sent to other ranks
    uint64_t parts_sent;     ///< of these, how many were sent without vertices that no body reaches
    uint64_t
        vertices_spared;  ///< vertices that were left out, once for each state before or after a
                          ///< step
    uint64_t ghosts;  ///< bodies of other ranks that pairs needed, and blocks of surfaces (up to
                      ///< 64 triangles), summed over queries
    uint64_t ghost_vertices;  ///< and their vertices, all of them if only a part was sent
    uint64_t queries;
    uint32_t
        neighbours;  ///< ranks to which this one has sent messages, collective operations not counted
    uint32_t owned;  ///< bodies that it owns now
    uint32_t held;   ///< bodies of other ranks that it holds now
} abut_world_stats;
/// Returns what this rank did. Local.
ABUT_API abut_world_stats abut_world_stats_get(const abut_world* world);
/// Starts counting anew. Local.
ABUT_API void abut_world_stats_clear(abut_world* world);

ABUT_EXTERN_C_END

#endif
