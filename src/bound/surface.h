// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proves that a piece of surface does not touch itself, from its normals and its contour.
//
// Criterion. Let N be a set of consistently oriented triangles whose boundary is one closed loop,
// and V a direction with V.n > 0 for all their normals n. Project along V. For a point x off the
// edges, the number of triangles that cover x is the winding number of the projected boundary
// around x, since interior edges cancel. If the projected boundary is a strictly simple polygon,
// that number is at most 1 everywhere: no two triangles overlap in projection, and triangles
// without a common vertex could touch only where both touch the boundary, which does not touch
// itself. So nothing within N touches. Normals alone do not suffice: a flat strip that closes into
// a ring over itself has all normals up.
// Based on: Volino, Thalmann, "Efficient self-collision detection on smoothly discretized surface
// animations using geometrical shape regularity", 1994; Provot, "Collision and self-collision
// handling in cloth model dedicated to design garments", 1997.
#ifndef ABUT_BOUND_SURFACE_H
#define ABUT_BOUND_SURFACE_H

#include "simd/kernels.h"
#include "tree/contour.h"

// Computes boxes of unit normals for the children of every node, bottom-up like a refit.
void abut__surface_normals(const abut_context* context, const abut__tree* tree, abut__source source,
                           abut__boxes8* normals);

// Returns true only if no two triangles under the node that share no vertex touch.
bool abut__surface_apart(const abut_context* context, const abut__tree* tree,
                         const abut__contours* contours, const abut__boxes8* normals,
                         abut__source source, uint32_t node);

// The same over a step from one source to another, along segments.
//
// If V faces n0, n1 and m of every triangle (kernels/surface.c), it faces all normals at all times.
// The contour must be simple at all times, too. It is tested in the middle of each part of the
// step, without the mean motion of its corners, and with corners as uncertain as they move in a
// part. Then the projection is injective on the closed surface at every time, so no two different
// points of the surface touch, even on neighbours.
void abut__surface_step_normals(const abut_context* context, const abut__tree* tree,
                                abut__source from, abut__source to, abut__boxes8* normals);
bool abut__surface_step_apart(const abut_context* context, const abut__tree* tree,
                              const abut__contours* contours, const abut__boxes8* normals,
                              abut__source from, abut__source to, uint32_t node);

// ---- the parts of these proofs, for bound/surface_segment.h

// Finds a direction that faces all normals under some nodes, at most ABUT__FAN; false: none was
// found.
bool abut__surface_direction(const abut__tree* tree, const abut__boxes8* normals,
                             const uint32_t* nodes, uint32_t count, float v[3]);
// Tells whether a contour is simple along V at the fraction `part` of a step, where a position is
// the double (1 - part) a + part b. `to` NULL: it stays at a.
bool abut__surface_contour_at(const abut_context* context, const uint32_t* loop, uint32_t count,
                              abut__source from, const abut__source* to, double part,
                              const float v[3]);
// Tells whether it is simple during the whole step if no coordinate of a position is farther than
// `error` from the segment.
bool abut__surface_contour_moves(const abut_context* context, const uint32_t* loop, uint32_t count,
                                 abut__source from, abut__source to, const float v[3], float error);

#endif
