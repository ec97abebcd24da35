// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sweeps: which vertices and faces, and which edges, of bodies touch within the last step, and
// when. No contact is ever missed. query.h has the rules that all questions share.
//
// Of curves and particles (mesh.h), a segment (i, j, j) is one edge, and also a face for vertices: a
// vertex that meets it is a contact of vertex and face. A point (i, i, i) is a vertex. It is a face
// only for other points: then the vertex is that of a, or within one body the lower one.
// abut_vertex_face_sweep() in exact.h decides about single features.
#ifndef ABUT_SWEEP_H
#define ABUT_SWEEP_H

#include "query.h"

ABUT_EXTERN_C_BEGIN

/// A vertex and a face, or two edges, that touch within a step. `vertices_a` are the vertices of
/// what belongs to body a: one, or three in the order of the triangle, or the two of an edge, the
/// lower number first; `weights_a` says where on it the contact is. Unused entries are UINT32_MAX
/// and 0. `triangle_a` is the face, or the lowest triangle that has the vertex or edge. Within one
/// body a vertex comes before a face, and of two edges that with the lower numbers. `normal` is in
/// world coordinates, of unit length, from b to a at that time. See abut_sweep_contact for what is
/// promised.
typedef struct abut_sweep_pair {
    uint32_t body_a;
    uint32_t body_b;
    uint32_t triangle_a;
    uint32_t triangle_b;
    abut_contact_kind kind;
    bool undecided;  ///< not decided with reasonable effort, counted as a contact
    uint32_t vertices_a[3];
    uint32_t vertices_b[3];
    double time;
    double weights_a[3];
    double weights_b[3];
    double normal[3];
} abut_sweep_pair;

/// Settings of sweeps. Start from abut_sweep_def_default(), then change fields.
typedef struct abut_sweep_def {
    abut_query_head head;
    double margin;     ///< the distance that counts as touching, to which the thickness of both
                       ///< features is added (abut_body_set_thickness()); finite, >= 0 [0]
    double tolerance;  ///< at least ABUT_TOLERANCE_MIN, at most 1: see exact.h
                       ///< [ABUT_TOLERANCE_DEFAULT]
    bool any;          ///< stop at the first contact: only abut_sweep_result_found() is set [false]
    bool earliest_only;  ///< only contacts at the earliest time [false]
    abut_filter filter;  ///< gets triangle_a and triangle_b, within one body the lower one first
    abut_culling culling;
} abut_sweep_def;
ABUT_API abut_sweep_def abut_sweep_def_default(void);

/// The answer of a sweep: see query.h.
typedef struct abut_sweep_result abut_sweep_result;
/// Creates an empty result.
ABUT_API abut_status abut_sweep_result_create(abut_context* context, abut_sweep_result** result,
                                              abut_error* error);
/// Destroys a result; NULL is fine.
ABUT_API void abut_sweep_result_destroy(abut_sweep_result* result);
/// Returns whether there is a contact; also after `any`, which gives no rows.
ABUT_API bool abut_sweep_result_found(const abut_sweep_result* result);
/// Returns the contacts, sorted by (body_a, body_b, kind, feature of a, feature of b): vertices by
/// their numbers, faces by those of their triangles, edges by both vertices. NULL if there are
/// none.
ABUT_API const abut_sweep_pair* abut_sweep_result_pairs(const abut_sweep_result* result,
                                                        size_t* count);
/// Returns the earliest time of a contact; INFINITY if there is none. Before it nothing touches.
/// After `any` the time is not known: INFINITY, whatever abut_sweep_result_found() returns.
ABUT_API double abut_sweep_result_time_of_impact(const abut_sweep_result* result);

/// Finds all vertex-face and edge-edge contacts of two bodies in the last step, each once. Vertices
/// move on straight lines, at times 0 to 1, from their world positions in the previous state and
/// frame (abut_body_set_frame_step()) to those in the current ones; setting a state makes the
/// current one the previous one. No contact is missed; a reported one comes as close as the
/// tolerance. With a margin or thickness, contact is a distance of at most the margin plus both
/// thicknesses: abut_sweep_contact says what is promised then. A body still in the state of its creation, and a static body without a previous
/// state, move by their frames only.
///
/// A flight body turns at every keyframe it passes: at the fraction (t - t0) / (t1 - t0) of a step
/// from t0 to t1, in double, a vertex is where the keyframe has it, or, if the frame moves, at (1 -
/// s) F0(x) + s F1(x). A time is rounded down by up to 2^-49 of the step: between two keyframes
/// that are the fraction d of the step apart this is 2^-49 / d of the way between them, by which
/// the distance at that time may exceed the tolerance. Such parts of steps are always searched by
/// trees.
///
/// ABUT_ERR_STATE, with the body in error.body: the body has no previous state (the positions
/// before these were borrowed, shape or plans are new, or the last state was refused), so set its
/// state twice or use abut_body_borrow_step(); or it accelerates unlike the other one; or it has
/// vertices by plans and others by keyframes and passes several keyframes.
ABUT_API abut_status abut_sweep(const abut_scene* scene, abut_body_id a, abut_body_id b,
                                const abut_sweep_def* def, abut_sweep_result* result,
                                abut_error* error);
/// Finds the same within one body, between features that share no vertex. If its frame does not
/// move, the positions of vertices in the shape's coordinates count.
ABUT_API abut_status abut_sweep_self(const abut_scene* scene, abut_body_id body,
                                     const abut_sweep_def* def, abut_sweep_result* result,
                                     abut_error* error);
/// abut_sweep() for all pairs of bodies whose groups and masks agree and that are not both static.
ABUT_API abut_status abut_sweep_all(const abut_scene* scene, const abut_sweep_def* def,
                                    abut_sweep_result* result, abut_error* error);
/// abut_sweep_self() for all bodies that are not static.
ABUT_API abut_status abut_sweep_self_all(const abut_scene* scene, const abut_sweep_def* def,
                                         abut_sweep_result* result, abut_error* error);

/// Computes a box in world axes that holds the whole body throughout its last step, as abut_sweep_all()
/// uses it: for another broad phase. The box of a body without a previous state is infinite. The first
/// call may build the tree: see abut_shape_build_tree().
ABUT_API abut_status abut_sweep_box(const abut_scene* scene, abut_body_id body, abut_box* box,
                                    abut_error* error);

ABUT_EXTERN_C_END

#endif
