// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bodies: instances of shapes in a scene, each with a rigid frame and a state. Setting a state is
// the only write; everything derived from it follows by itself.
#ifndef ABUT_BODY_H
#define ABUT_BODY_H

#include "scene.h"

ABUT_EXTERN_C_BEGIN

/// Settings of abut_body_create. Start from abut_body_def_default(), then change fields.
typedef struct abut_body_def {
    abut_frame frame;  ///< [identity]
    bool is_static;    ///< pairs of two static bodies are never tested [false]
    uint64_t group;    ///< bits of the groups it is in [1]
    uint64_t mask;     ///< bits of the groups it meets; both sides must agree [all]
    void* user;        ///< for the caller [NULL]
    uint32_t cookie;   ///< set by the default-maker; do not touch
} abut_body_def;
ABUT_API abut_body_def abut_body_def_default(void);

/// Adds a body at the shape's rest positions; a flight body of a shape with keys starts at the time of the first key, and where
/// that has its vertices. `def` may be NULL for the defaults.
ABUT_API abut_status abut_body_create(abut_scene* scene, const abut_shape* shape,
                                      const abut_body_def* def, abut_body_id* body,
                                      abut_error* error);
/// Removes a body. A body that is not there is an error.
ABUT_API abut_status abut_body_destroy(abut_scene* scene, abut_body_id body, abut_error* error);

/// Whether a body exists; its shape; the pointer that abut_body_def.user gave. NULL if there is no such body.
ABUT_API bool abut_body_is_valid(const abut_scene* scene, abut_body_id body);
ABUT_API const abut_shape* abut_body_shape(const abut_scene* scene, abut_body_id body);
ABUT_API void* abut_body_user(const abut_scene* scene, abut_body_id body);

/// Free motion: gives all positions of a new state, in the shape's coordinates. They are checked
/// while they are copied; if one is not finite the call fails, names it, and the body keeps its
/// last good state.
ABUT_API abut_status abut_body_set_positions(abut_scene* scene, abut_body_id body,
                                             abut_positions positions, abut_error* error);

/// As abut_body_set_positions, without the copy: the array must stay alive and unchanged until
/// the next state is set or the body is gone. A position that is not finite is not an error here:
/// its boxes become infinite, and a query that reads it returns ABUT_ERR_INVALID_DATA and names
/// it in its result; abut_body_validate() finds it beforehand.
ABUT_API abut_status abut_body_borrow_positions(abut_scene* scene, abut_body_id body,
                                                abut_positions positions, abut_error* error);

/// Free motion: gives the state before a step and the one after it, for sweeps, without copies: both
/// arrays must stay alive and unchanged until the next state is set or the body is gone. What was
/// borrowed by abut_body_borrow_positions() is no state before a step, for it may be gone.
ABUT_API abut_status abut_body_borrow_step(abut_scene* scene, abut_body_id body,
                                           abut_positions from, abut_positions to,
                                           abut_error* error);

/// Modal motion: gives the coordinates of a new state, one for each field of the shape. Vertex i is
/// then p_i + u_i0 q_0 + u_i1 q_1 ..., in double, every product rounded, added in that order. The
/// cost does not depend on the mesh, unless most of the body was asked for in the last state: then
/// all vertices are moved at once, which is less than moving them block by block.
ABUT_API abut_status abut_body_set_coordinates(abut_scene* scene, abut_body_id body,
                                               const double* coordinates, size_t count,
                                               abut_error* error);

/// Blend motion: gives the transforms of a new state, one for each node of the shape, and the
/// coordinates, one for each of its fields (NULL and 0 if it has none). With the transforms T and
/// weights w of its influences in ascending order of nodes, a vertex at p (its rest position, moved
/// by the fields as abut_body_set_coordinates() says) is, in double, every product rounded,
///
///     m = w_0 T_0;  m += w_1 T_1;  ...   v[d] = ((m[d][0] x + m[d][1] y) + m[d][2] z) + m[d][3]
///
/// Transforms may be anything affine: sheared, mirrored, flat. The cost is that of their number and
/// does not depend on the mesh, unless most of the body was asked for in the last state.
ABUT_API abut_status abut_body_set_transforms(abut_scene* scene, abut_body_id body,
                                              abut_transforms transforms, const double* coordinates,
                                              size_t coordinate_count, abut_error* error);

/// Flight motion: gives the time of a new state. With a and b the positions of a vertex in the keys
/// before and after, and s the part of the way between their times, it is (1 - s) a + s b, in double,
/// every product rounded; before the first key and after the last one it stands still. The cost does
/// not depend on the mesh, but for the first state between two keys, which makes their boxes, and
/// unless most of the body was asked for in the last state, or something dearer was chosen to bound it
/// (abut_shape_def.bound). Vertices with plans go by these instead; a time at which they would not be finite is refused.
/// Positions of keys are not checked beforehand: see abut_body_borrow_positions().
ABUT_API abut_status abut_body_set_time(abut_scene* scene, abut_body_id body, double time,
                                        abut_error* error);

/// Plans of flight: where vertices are at a time, and how fast they go from there. All zero, but for
/// what is wanted, is a good beginning.
typedef struct abut_plans {
    double time;                ///< that positions and velocities are of; any, also after or before
                                ///< that of the body
    const uint32_t* vertices;   ///< whose plans, ascending; NULL: those of all vertices
    size_t vertex_count;        ///< in `vertices`
    abut_positions positions;   ///< one each; count 0: where they are at that time by the plans, or
                                ///< keys, so far
    abut_positions velocities;  ///< one each; count 0: they stand still
    double acceleration[3];     ///< of the whole body, from `time` on and before; plans for some
                                ///< vertices leave it as it is, and have 0 here
} abut_plans;

/// Flight motion: gives plans to all vertices of a body, or new ones to some, at any time; copied. They
/// hold until the next ones, for all times, those before `time` included, and take the place of keys.
/// With x and w the position and velocity given, in double, every product rounded,
///
///     v = p + (t - t0) u            p = x, u = w, t0 = `time`
///
/// and if the body has an acceleration a, given with plans for all from a time T, its common part is
/// added to every vertex, and new plans for some vertices are taken less that part:
///
///     v = (p + (t - t0) u) + c(t)   c(t) = (0.5 ((t - T) (t - T))) a
///     p = x - c(t0)                 u = w - (t0 - T) a
///
/// NULL takes all plans away: vertices follow the shape's keys again, or are at rest. The body's time
/// stays. If a number is not finite, or vertices would not be at the body's time, the call fails, names
/// the vertex, and changes nothing. New plans for some vertices cost these, their blocks and the nodes
/// above them; plans for all, and every now and then a new time, cost a pass over the mesh.
ABUT_API abut_status abut_body_set_plans(abut_scene* scene, abut_body_id body,
                                         const abut_plans* plans, abut_error* error);

/// Moves the body's frame. The cost does not depend on the mesh. To sweeps the body was in this frame
/// before the step, too.
ABUT_API abut_status abut_body_set_frame(abut_scene* scene, abut_body_id body,
                                         const abut_frame* frame, abut_error* error);
/// The same with the frame that the body had before the step: see abut_sweep(). A body's first call
/// takes memory for it; if there is none, the call fails and changes nothing.
ABUT_API abut_status abut_body_set_frames(abut_scene* scene, abut_body_id body,
                                          const abut_frame* from, const abut_frame* to,
                                          abut_error* error);
/// Lets sweeps see the body at rest in its present state and frame, until it gets others: for
/// bodies that do not move in a step though they did in the one before.
ABUT_API abut_status abut_body_hold(abut_scene* scene, abut_body_id body, abut_error* error);
ABUT_API abut_frame abut_body_frame(const abut_scene* scene, abut_body_id body);

/// Replaces abut_body_def.group and abut_body_def.mask.
ABUT_API abut_status abut_body_set_groups(abut_scene* scene, abut_body_id body, uint64_t group,
                                          uint64_t mask, abut_error* error);

/// Lets the body switch to another shape of the same motion. `positions` is its new state,
/// copied; with count 0 it keeps its positions and takes rest positions for vertices beyond them
/// (borrowed positions are kept only if the vertex count is the same, and otherwise refused). A
/// flight body keeps its time and its plans; new vertices have none. A modal body keeps its
/// coordinates, a blend body its transforms, too: the new shape must have as many fields, and
/// `positions` none. It must not have fewer nodes; nodes beyond those of the old
/// shape begin with the identity, so give all transforms anew before the next query if they are
/// elsewhere. A refused switch leaves the body with its shape and state. A flight body that goes to an
/// edited shape straight from the one that was edited keeps boxes, events and separation lists but for
/// what the edit changed; from any other it begins anew with the next state.
ABUT_API abut_status abut_body_set_shape(abut_scene* scene, abut_body_id body,
                                         const abut_shape* shape, abut_positions positions,
                                         abut_error* error);

/// How worn the body's tree is in this state: the mean cost of its blocks' boxes against what it
/// was when they were built, with all sizes measured by the triangles themselves, so that mere
/// stretching does not count. 1: as good as new. Above about 2 queries get slower. Linear time.
ABUT_API abut_status abut_body_wear(const abut_scene* scene, abut_body_id body, double* wear,
                                    abut_error* error);

/// Keeps a body's tree good while its triangles change places: if the wear is above `limit` (at least 1, or the call fails; 2
/// is a good value), the worn blocks are built anew for this state, or all of them if most are worn,
/// and the body gets a shape of its own with them. Answers do not change. Call it every few
/// steps; as the shape is new then, after the step was swept and before the next state is set.
/// `work` (may be NULL) receives what was shared and built; all 0 if nothing was done.
ABUT_API abut_status abut_body_renew(abut_scene* scene, abut_body_id body, double limit,
                                     abut_edit_work* work, abut_error* error);

/// The value of vertex i in this state, in the shape's coordinates, or in the world's with the
/// frame applied: the doubles that answers are exact about.
ABUT_API abut_status abut_body_vertex(const abut_scene* scene, abut_body_id body, uint32_t vertex,
                                      double position[3]);
ABUT_API abut_status abut_body_world_vertex(const abut_scene* scene, abut_body_id body,
                                            uint32_t vertex, double position[3]);

/// A box in world axes that holds the whole body, at the cost of one tree node.
ABUT_API abut_status abut_body_box(const abut_scene* scene, abut_body_id body, abut_box* box);

/// Boxes of one level of the body's tree, in world axes, for pictures. They hold what is under a node and
/// no more, and follow from the state alone; the boxes that queries go by may be wider. Level 0 is the box of all; every further one has the children of the nodes before, and the blocks
/// that ended above it, so that the boxes of a level together hold the whole body. `boxes` (may be
/// NULL with capacity 0) receives the first `capacity` of them, `count` how many there are.
ABUT_API abut_status abut_body_level_boxes(const abut_scene* scene, abut_body_id body,
                                           uint32_t level, abut_box* boxes, size_t capacity,
                                           size_t* count);

/// A sphere in world coordinates that holds all triangles of the body, at the cost of one tree node: for
/// culling, or for a broad phase of one's own. Modal bodies have one of their own, others the one
/// around their box. The radius may be infinite where coordinates are too large to tell.
ABUT_API abut_status abut_body_sphere(const abut_scene* scene, abut_body_id body, double centre[3],
                                      double* radius);

/// The sphere of a contact proxy (see abut_shape_proxy_count()) in world coordinates: it holds the
/// triangles of the proxy. Infinite where coordinates are too large to tell.
ABUT_API abut_status abut_body_proxy(const abut_scene* scene, abut_body_id body, uint32_t proxy,
                                     double centre[3], double* radius);

/// Proves this state sound: every position finite, and every vertex inside every box above it,
/// as queries see them. For tests and for borrowed positions; near-linear time.
ABUT_API abut_status abut_body_validate(const abut_scene* scene, abut_body_id body,
                                        abut_error* error);
/// Statistics of the tree for this state.
ABUT_API abut_status abut_body_stats(const abut_scene* scene, abut_body_id body,
                                     abut_tree_stats* stats, abut_error* error);

/// What bounds a flight body, and what its kinetic tree or BoxTree has done since it was made. The
/// last five are the measures of kinetic data structures: compactness (the first two), locality,
/// efficiency and responsiveness.
typedef struct abut_kinetic_stats {
    abut_bound bound;  ///< in this state: ABUT_BOUND_LINEAR, _KINETIC or _BOXTREE, or _BOXES where
                       ///< all vertices were moved
    uint64_t
        bounded;      ///< nodes and blocks that were looked at to make the boxes at the ends of the
                      ///< present segment, two keys or instants: all of them, twice, or after an
                      ///< edit those that it changed. All else is 0 unless there is such a tree
    uint32_t nodes;   ///< nodes and blocks: what a refit looks at with every state
    uint64_t starts;  ///< for a segment, or when time turned round
    uint64_t steps;   ///< states that went on from the one before
    uint64_t events;  ///< sides, or planes, whose vertex was overtaken
    uint64_t updates;       ///< of these that got another vertex, those above included
    uint64_t visits;        ///< nodes and blocks looked at again; in a kinetic tree each at most
                            ///< once a step, so never more of them than by a refit
    uint64_t most_visits;   ///< in one step of a kinetic tree
    uint64_t mended;        ///< blocks that new plans of some vertices, or an edit, have changed
    uint64_t rebuilds;      ///< nodes of a BoxTree that were parted anew
    double queue_per_node;  ///< what waits for an event at present, per node
    double certificates_per_node;  ///< sides that have one to come
    uint32_t most_per_vertex;      ///< of these, those of one and the same vertex
    double events_per_vertex;      ///< so far
    double updates_per_event;      ///< so far
    double outer_per_inner;        ///< events that changed a box, over all
} abut_kinetic_stats;
/// An error if the body's motion is not flight. Linear time.
ABUT_API abut_status abut_body_kinetic_stats(const abut_scene* scene, abut_body_id body,
                                             abut_kinetic_stats* stats, abut_error* error);

ABUT_EXTERN_C_END

#endif
