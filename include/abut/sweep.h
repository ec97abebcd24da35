// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Do a vertex and a face, or two edges, touch on their way from one place to another, and when
// first? A contact is never missed.
#ifndef ABUT_SWEEP_H
#define ABUT_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"

ABUT_EXTERN_C_BEGIN

/// Whether two moving features touch during the step.
typedef enum abut_sweep_verdict {
    ABUT_SWEEP_NONE = 0,  ///< proven: they do not touch
    ABUT_SWEEP_CONTACT,   ///< they touch, or come as close as the tolerance
    ABUT_SWEEP_UNDECIDED,  ///< not decided with reasonable effort; to be treated as a contact. Rare, but for primitives
    ///< that stay about as far apart as the margin for a while: there many are
} abut_sweep_verdict;

/// When and how two moving primitives touch.
///
/// `time` is in [0, 1]. Nothing touches before it, nor at it unless it is 0, which it is only if
/// they touch at the start, decided exactly. At that time the distance is at most the margin plus the
/// tolerance. Of what is undecided only the former is promised, and for contacts so soon after the
/// start that no positive double comes before them `time` is the least one.
///
/// `weight` says where: of a vertex and a face that of the vertex, 1, and those of the face's
/// corners, which sum to 1; of two edges those of the ends of the first and of the second, each two
/// of sum 1. `normal` is of unit length and points from the face to the vertex, or from the second
/// edge to the first, at that time; of primitives that touch already it points against their
/// motion. Without a contact `time` is 1, and weights and normal are 0.
typedef struct abut_sweep_contact {
    abut_sweep_verdict verdict;
    double time;
    double weight[4];
    double normal[3];
} abut_sweep_contact;

/// The tolerance that should do for most, and the least that is accepted.
#define ABUT_SWEEP_TOLERANCE 1e-6
#define ABUT_SWEEP_TOLERANCE_LEAST 1e-8

/// Tells of `count` vertices and faces whether and when they touch. Corners of query i move from
/// from[i] to to[i] along segments, at constant speeds, for times from 0 to 1: the vertex first, then
/// the three corners of the face. Primitives are closed; what has no area or length is what its
/// corners span. Exact in that no contact is ever missed, whatever the magnitudes.
///
/// `tolerance` is in terms of the longest edge at either end: a contact that is reported is at most
/// so far from touching. It is never taken for less than 1e-8 times the greatest difference of two
/// coordinates of the query, motion included, for that is what the arithmetic can tell apart.
/// `margin` (finite, >= 0) is the distance that counts as touching. `context` chooses the
/// instruction set, which no answer depends on; it may be NULL.
/// Returns ABUT_ERR_INVALID_ARGUMENT, and writes nothing, if the tolerance is below
/// ABUT_SWEEP_TOLERANCE_LEAST or above 1, or the margin or a coordinate is not as described, or an
/// array is NULL though `count` is not 0. Allocates nothing, uses less than ABUT_STACK_BYTES of stack, safe on
/// many threads.
ABUT_API abut_status abut_sweep_vertex_face(const abut_context* context, size_t count,
                                            const double (*from)[4][3], const double (*to)[4][3],
                                            double tolerance, double margin,
                                            abut_sweep_contact* contacts);

/// The same for pairs of edges: both ends of the first, then both of the second.
ABUT_API abut_status abut_sweep_edge_edge(const abut_context* context, size_t count,
                                          const double (*from)[4][3], const double (*to)[4][3],
                                          double tolerance, double margin,
                                          abut_sweep_contact* contacts);

ABUT_EXTERN_C_END

#endif
