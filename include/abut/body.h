// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bodies: instances of shapes in a scene, each with a rigid frame and a state. A program writes
// states and frames only; the library updates everything that follows from them.
//
// This header has what all bodies share, and states of free motion. modal.h, blend.h and flight.h
// have the states of the other motions. A call that returns a status fails with
// ABUT_ERR_INVALID_ARGUMENT if the body is not in the scene or has another motion. A setter that
// fails leaves the body as it was unless its comment says otherwise. Only the previous state, which
// sweeps need, may be lost: abut_sweep() then fails and says so.
#ifndef ABUT_BODY_H
#define ABUT_BODY_H

#include "scene.h"

ABUT_EXTERN_C_BEGIN

/// Settings of abut_body_create. Start from abut_body_def_default(), then change fields.
typedef struct abut_body_def {
    abut_frame frame;  ///< [identity]
    bool is_static;    ///< pairs of two static bodies are never tested [false]
    bool keeps_tree;  ///< the tree is never rebuilt by itself: see abut_body_rebuild_tree() [false]
    uint64_t groups;  ///< bits of the groups it is in [1]
    uint64_t mask;    ///< bits of the groups it meets; both sides must agree [all]
    void* user;       ///< for the caller [NULL]
    uint32_t cookie;  ///< set by the default-maker; do not touch
} abut_body_def;
ABUT_API abut_body_def abut_body_def_default(void);

/// Adds a body at the shape's rest positions. A flight body of a shape with keyframes starts at the
/// time of the first one, with its vertices where that has them. `def` may be NULL for the
/// defaults. The body keeps the shape alive.
ABUT_API abut_status abut_body_create(abut_scene* scene, const abut_shape* shape,
                                      const abut_body_def* def, abut_body_id* body,
                                      abut_error* error);
/// Removes a body.
ABUT_API abut_status abut_body_destroy(abut_scene* scene, abut_body_id body, abut_error* error);

/// Returns whether the body is in the scene.
ABUT_API bool abut_body_is_valid(const abut_scene* scene, abut_body_id body);
/// Returns the body's shape; NULL if the body is not in the scene.
ABUT_API const abut_shape* abut_body_shape(const abut_scene* scene, abut_body_id body);
/// Returns the body's `user`; NULL if the body is not in the scene.
ABUT_API void* abut_body_user(const abut_scene* scene, abut_body_id body);

/// Free motion: sets all positions of a new state, in the shape's coordinates; copied. Linear time.
/// If a position is not finite the call fails, names it, and the body keeps its last good state.
ABUT_API abut_status abut_body_set_positions(abut_scene* scene, abut_body_id body,
                                             abut_positions positions, abut_error* error);

/// Free motion: sets all positions without a copy. The array must stay alive and unchanged until
/// the next state is set or the body is gone. A position that is not finite is not an error here:
/// its boxes become infinite, and a query that reads it returns ABUT_ERR_INVALID_DATA and names it.
/// abut_body_validate() finds it beforehand.
ABUT_API abut_status abut_body_borrow_positions(abut_scene* scene, abut_body_id body,
                                                abut_positions positions, abut_error* error);

/// Free motion: sets the state before a step and the one after it, for sweeps, without copies. Both
/// arrays must stay alive and unchanged until the next state is set or the body is gone. Positions
/// that were borrowed by abut_body_borrow_positions() are no previous state, because they may be
/// gone.
ABUT_API abut_status abut_body_borrow_step(abut_scene* scene, abut_body_id body,
                                           abut_positions from, abut_positions to,
                                           abut_error* error);

/// Sets the body's frame. Sweeps see the body in this frame before the step, too. The cost does not
/// depend on the mesh.
ABUT_API abut_status abut_body_set_frame(abut_scene* scene, abut_body_id body,
                                         const abut_frame* frame, abut_error* error);
/// Sets the frame before the step and the one after it: see abut_sweep(). The cost does not depend
/// on the mesh. A body's first call allocates memory for the frame before.
ABUT_API abut_status abut_body_set_frame_step(abut_scene* scene, abut_body_id body,
                                              const abut_frame* from, const abut_frame* to,
                                              abut_error* error);
/// Makes the current state and frame the previous ones, too: sweeps see the body at rest until it
/// gets others. For bodies that moved in the last step and do not move in this one.
ABUT_API abut_status abut_body_end_step(abut_scene* scene, abut_body_id body, abut_error* error);
/// Returns the body's frame; the identity if the body is not in the scene.
ABUT_API abut_frame abut_body_frame(const abut_scene* scene, abut_body_id body);

/// Sets the groups that the body is in and those that it meets: see abut_body_def.
ABUT_API abut_status abut_body_set_groups(abut_scene* scene, abut_body_id body, uint64_t groups,
                                          uint64_t mask, abut_error* error);

/// Sets the number by which distances choose the body that they are measured from: see nearest.h [its
/// index in results]. The last bits of a distance and its points may depend on it. For programs that
/// spread one scene over several and want equal bits.
ABUT_API abut_status abut_body_set_order(abut_scene* scene, abut_body_id body, uint32_t order,
                                         abut_error* error);

/// Sets whether the work of queries is to depend on the body's state alone [false]. Otherwise a new state
/// is prepared in the way that suits what earlier queries needed: all vertices are moved at once where
/// most were needed, which saves time and gives slightly smaller boxes. Answers are the same, but the
/// counters of queries may differ by a few tests. Proofs for self queries still depend on earlier ones.
ABUT_API abut_status abut_body_set_steady(abut_scene* scene, abut_body_id body, bool steady,
                                          abut_error* error);

/// Sets how thick the body is, all vertices alike: finite, >= 0 [0]. Features are a vertex, an edge, or
/// a triangle, which are as thick as their thickest vertex. Thickness counts in queries about distances
/// and about steps:
///   within, features (within.h)  pairs count up to the distance of the def plus the thickness of both
///   sweeps (sweep.h)             contact is at the margin of the def plus the thickness of both
///   nearest (nearest.h)          the closest pair is that of the least distance less the thickness of
///                                both
/// The sums are def + (a + b), each rounded to a double. Within one body it counts for both sides, too.
/// Distances in rows stay those of the surfaces. Other queries ignore it. A body of a new scene index
/// allocates memory for it once.
ABUT_API abut_status abut_body_set_thickness(abut_scene* scene, abut_body_id body, double thickness,
                                             abut_error* error);
/// Sets how thick each vertex is: `count` numbers, as many as the body has vertices, finite and >= 0;
/// copied. Boxes are grown by the thickest vertex of each body, so queries are fast if no vertex is
/// much thicker than the others. If a later shape has more vertices, the new ones are as thick as the
/// thickest. abut_body_set_thickness() replaces all numbers by one. Allocates memory if the body had
/// no array, or one of another length.
ABUT_API abut_status abut_body_set_vertex_thickness(abut_scene* scene, abut_body_id body,
                                                    const double* thickness, uint32_t count,
                                                    abut_error* error);
/// Returns the thickness of the body's thickest vertex; 0 if the body is not in the scene.
ABUT_API double abut_body_thickness(const abut_scene* scene, abut_body_id body);
/// Returns the thickness of a vertex; 0 if the body or the vertex does not exist.
ABUT_API double abut_body_vertex_thickness(const abut_scene* scene, abut_body_id body,
                                           uint32_t vertex);

/// Switches the body to another shape of the same motion. `positions` (free motion only; copied) is
/// the new state. With count 0 a free body keeps its positions and new vertices start at rest;
/// borrowed positions are kept only if the vertex count is the same, otherwise the call fails.
/// Modal and blend bodies keep coordinates and transforms: the new shape must have as many fields
/// and no fewer nodes. New nodes start with the identity; if they belong elsewhere, set all
/// transforms before the next query. Flight bodies keep time and plans; new vertices have no plan.
/// On failure the body keeps its shape and state. A flight body that switches from a shape directly
/// to its edit keeps boxes, events and separation lists where the edit changed nothing; any other
/// switch starts anew with the next state. That pays where queries touch little of the body: a blade
/// that cuts 12 of 32k triangles in every tenth state takes a third to a quarter of the time.
/// Queries within the whole body gain less than a quarter (`abut bench kinetic`, rows `cut ...`).
ABUT_API abut_status abut_body_set_shape(abut_scene* scene, abut_body_id body,
                                         const abut_shape* shape, abut_positions positions,
                                         abut_error* error);

/// Measures how far the tree has degraded in this state: mean cost of the blocks' boxes relative to
/// when they were built, in sizes of the triangles, so that mere stretching does not count. 1: as
/// new; above about 2 queries get slower. Linear time.
ABUT_API abut_status abut_body_tree_degradation(const abut_scene* scene, abut_body_id body,
                                                double* degradation, abut_error* error);

/// If the degradation is above `limit` (at least 1, or the call fails; 2 is a good value), rebuilds
/// the degraded blocks for this state, or all if most are, and gives the body a shape of its own.
/// Answers do not change. Call it every few steps, after the sweep and before the next state is
/// set: a new shape has no previous state. `work` (may be NULL) receives the counts; 0: nothing
/// done.
///
/// Trees of free bodies are also rebuilt by themselves, unless the body's def has `keeps_tree`. The
/// call that sets a state does it, after collide, self or sweep queries have opened so many pairs of
/// blocks in vain that a new tree would have cost less. It depends on counts alone, never on time or
/// threads. Answers stay the same, the state before the step stays valid, and abut_body_shape()
/// still returns the shape that the body was given. The first such trees of a body allocate memory,
/// later ones use it again. Without memory the tree stays as it is.
ABUT_API abut_status abut_body_rebuild_tree(abut_scene* scene, abut_body_id body, double limit,
                                            abut_edit_work* work, abut_error* error);

/// Computes the position of a vertex in this state, in the shape's coordinates: the doubles about
/// which answers are exact. Fails if the body has no such vertex.
ABUT_API abut_status abut_body_vertex(const abut_scene* scene, abut_body_id body, uint32_t vertex,
                                      double position[3], abut_error* error);
/// Computes the same in world coordinates, with the frame applied.
ABUT_API abut_status abut_body_world_vertex(const abut_scene* scene, abut_body_id body,
                                            uint32_t vertex, double position[3], abut_error* error);
/// Compute the same for the vertices from `first` to `first + count - 1`: three doubles each. Fails,
/// and writes nothing, if the body has fewer vertices. `positions` may be NULL if `count` is 0.
ABUT_API abut_status abut_body_vertices(const abut_scene* scene, abut_body_id body, uint32_t first,
                                        uint32_t count, double* positions, abut_error* error);
ABUT_API abut_status abut_body_world_vertices(const abut_scene* scene, abut_body_id body,
                                              uint32_t first, uint32_t count, double* positions,
                                              abut_error* error);

/// Computes a box in world axes that holds the whole body, at the cost of one tree node. The first
/// call may build the tree: see abut_shape_build_tree().
ABUT_API abut_status abut_body_box(const abut_scene* scene, abut_body_id body, abut_box* box,
                                   abut_error* error);

/// Computes the boxes of one level of the body's tree in world axes, for pictures. Level 0 is the
/// box of the whole body; each further level has the children of the nodes before, and the blocks
/// that ended above it, so that the boxes of a level together hold the whole body. They are the
/// least boxes of what is under a node and follow from the state alone; boxes that queries use may
/// be wider. `boxes` (may be NULL with capacity 0) receives the first `capacity` of them, `count`
/// how many there are. Linear time.
ABUT_API abut_status abut_body_level_boxes(const abut_scene* scene, abut_body_id body,
                                           uint32_t level, abut_box* boxes, size_t capacity,
                                           size_t* count, abut_error* error);

/// Computes a sphere in world coordinates that holds all triangles of the body, at the cost of one
/// tree node: for culling, or for another broad phase. Modal bodies have one of their own, others
/// get the one around their box. The radius may be infinite where coordinates are too large.
ABUT_API abut_status abut_body_sphere(const abut_scene* scene, abut_body_id body, double centre[3],
                                      double* radius, abut_error* error);

/// Proves that this state is sound: every position is finite, and every vertex is inside every box
/// above it, as queries see them. For tests and for borrowed positions. Near-linear time. The error
/// names the first vertex to blame.
ABUT_API abut_status abut_body_validate(const abut_scene* scene, abut_body_id body,
                                        abut_error* error);
/// Measures the tree for this state. Linear time.
ABUT_API abut_status abut_body_inspect(const abut_scene* scene, abut_body_id body,
                                       abut_tree_info* info, abut_error* error);

#ifndef ABUT_NO_EXPERIMENTAL
/// Computes a length that covers what rounding adds to the body's boxes in queries about its state or
/// about the last step. Let the boxes of two bodies (abut_body_box(), abut_sweep_box()) grow by their
/// lengths, and by 1 + 2^-15 times what the query adds: half of its margin or distance, and the
/// thickness of the body. If they are apart then, a query decides about no triangles of the two.
/// Infinite if coordinates are too large for boxes. The first call may build the tree.
ABUT_EXPERIMENTAL ABUT_API abut_status abut_body_box_slack(const abut_scene* scene,
                                                           abut_body_id body, double* slack,
                                                           abut_error* error);

/// Marks the vertices of a free body that matter to queries (collide, within, sweep) with other bodies
/// inside some boxes, for programs that send the body to another process. `marks` receives a bit for
/// each vertex, 64 in a number, the lowest first. Let a second body have the same shape and frame, these
/// positions of the marked vertices, and at each other vertex the position of the one that
/// abut_shape_stand_ins() names. Then such queries give the same rows for it, after the same number of
/// exact tests. More marks do no harm. `step`: for queries about the last step; then the second body
/// must have such positions before the step, too, with the same marks or more. The boxes of the other
/// bodies must have grown as said at abut_body_box_slack(), and by as much as this body's box would
/// grow without its slack. Linear time.
ABUT_EXPERIMENTAL ABUT_API abut_status abut_body_reached_vertices(const abut_scene* scene,
                                                                  abut_body_id body, bool step,
                                                                  const abut_box* boxes,
                                                                  size_t count, uint64_t* marks,
                                                                  abut_error* error);
#endif

ABUT_EXTERN_C_END

#endif
