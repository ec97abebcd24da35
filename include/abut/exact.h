// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Primitives on plain doubles, without bodies: do two triangles touch, are they within a distance,
// how far apart are they, and when do a moving vertex and face, or two moving edges, first touch?
// The first two are decided exactly; a sweep never misses a contact.
//
// These calls take no abut_error, because each fails for one reason: an argument is not as
// described.
#ifndef ABUT_EXACT_H
#define ABUT_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"

ABUT_EXTERN_C_BEGIN

/// What two triangles share: nothing (`count` 0), a point (1), a segment (2) or a convex polygon
/// (3 to 6). The points are the corners of that set, each once; those of a polygon are in order
/// around it.
///
/// `count` is exact; entries of `points` past it are not written. A point that is a corner of one
/// of the triangles has that corner's bits. Every other one lies where an edge crosses the other
/// triangle; each of its coordinates lies within the edge's own and differs from the exact value by
/// at most 2^-50 times the extent of both triangles along that axis plus one unit in its last
/// place. So two points that are distinct may be equal once rounded.
typedef struct abut_intersection {
    uint32_t count;
    double points[6][3];
} abut_intersection;

/// Decides whether two triangles share at least one point, and on request what they share.
///
/// `p` and `q` are three corners each. A triangle is closed and has two sides; one without area is
/// the segment or the point that its corners span. The answer is exact for all finite values of
/// the corners, of whatever magnitudes, and depends on neither the order of corners nor that of
/// triangles.
///
/// `touch` receives the answer. `shared` receives what they share; it may be NULL.
/// Returns ABUT_ERR_INVALID_ARGUMENT, and writes nothing, if a coordinate is not finite or another
/// pointer is NULL. Allocates nothing, uses less than ABUT_STACK_BYTES of stack, safe on many threads.
ABUT_API abut_status abut_triangles_touch(const double p[3][3], const double q[3][3], bool* touch,
                                          abut_intersection* shared);

/// Decides whether the distance of two triangles is at most `margin`.
///
/// Corners are as in abut_triangles_touch. The answer is exact: a distance equal to `margin`
/// counts, and with a margin of 0 the question is whether they touch.
///
/// `margin` must be finite and >= 0. `within` receives the answer.
/// Returns ABUT_ERR_INVALID_ARGUMENT, and writes nothing, if `margin` or a coordinate is not as
/// described or a pointer is NULL. Allocates nothing, uses less than ABUT_STACK_BYTES of stack, safe on many
/// threads.
ABUT_API abut_status abut_triangles_within(const double p[3][3], const double q[3][3],
                                           double margin, bool* within);

/// Parts of a triangle.
typedef enum abut_feature {
    ABUT_FEATURE_VERTEX = 0,
    ABUT_FEATURE_EDGE,
    ABUT_FEATURE_FACE,
} abut_feature;

/// Where a triangle is closest to another one.
typedef struct abut_witness {
    double point[3];
    double weights[3];     ///< of the corners: the point is their sum, in 0 .. 1, barycentric
    abut_feature feature;  ///< whose corners are those with weights that are not 0
    uint32_t index;        ///< of the vertex (corner 0, 1, 2) or the edge (from corner `index` to
                           ///< the next one, 2 to 0); 0 for the face
} abut_witness;

/// How far two triangles are apart.
///
/// `distance` is 0 if and only if they share a point: that is decided exactly. With the extent, the
/// longest side of the box around both triangles, `distance` differs from the exact value by at
/// most 2^-45 times the extent, and by at most 2^-25 times that value; a distance of less than
/// 2^-20 times the extent by at most 2^-50 times that value. It is infinite if it is beyond the
/// range of doubles, and the least double above 0 if it is less than that.
///
/// The point of a vertex has its bits. Every other one lies in the box of its feature's corners,
/// and each coordinate differs from the weighted sum of the corners by at most 2^-48 times the
/// extent plus two units in its last place. Weights are in 0 .. 1 and sum to 1 within 2^-50. The
/// points that the weights give are `distance` apart, within the bounds above; where there are many
/// such pairs (parallel edges or faces) it is one of them. Of triangles that share a point both
/// points are the same one that they share, which may be off its feature by rounding, as may the
/// weights.
typedef struct abut_distance {
    double distance;
    abut_witness p;  ///< on the first triangle
    abut_witness q;  ///< on the second
} abut_distance;

/// Measures the distance of two triangles, and where they are closest.
///
/// Corners are as in abut_triangles_touch; a triangle with three equal corners is a point, one with
/// two a segment, and their distances are those of points and segments. Swapping the triangles or
/// their corners may change rounding, within the bounds of abut_distance. Scaling all corners by a
/// power of two scales distance and points by it, bit for bit, as long as nothing leaves the range
/// of normal doubles and they share no point.
///
/// `measured` receives the answer.
/// Returns ABUT_ERR_INVALID_ARGUMENT, and writes nothing, if a coordinate is not finite or a
/// pointer is NULL. Allocates nothing, uses less than ABUT_STACK_BYTES of stack, safe on many threads.
ABUT_API abut_status abut_triangles_distance(const double p[3][3], const double q[3][3],
                                             abut_distance* measured);

/// Whether two moving primitives touch.
typedef enum abut_sweep_verdict {
    ABUT_SWEEP_VERDICT_NONE = 0,   ///< proven: they do not touch
    ABUT_SWEEP_VERDICT_CONTACT,    ///< they touch, or come as close as the tolerance
    ABUT_SWEEP_VERDICT_UNDECIDED,  ///< not decided with reasonable effort: treat it as a contact.
                                   ///< Rare, except for primitives that stay about as far apart
                                   ///< as the margin for a while: there many are
} abut_sweep_verdict;

/// When and how two moving primitives touch.
///
/// `time` is in [0, 1]. Nothing touches before it, nor at it unless it is 0, which it is only if
/// they touch at the start, decided exactly. At that time the distance is at most the margin plus
/// the tolerance. If the verdict is undecided only the former is promised. For contacts so soon
/// after the start that no positive double comes before them `time` is the least one.
///
/// `weights` say where: of a vertex and a face that of the vertex, 1, and those of the face's
/// corners, which sum to 1; of two edges those of the ends of the first and of the second, each two
/// of sum 1. `normal` is of unit length and points from the face to the vertex, or from the second
/// edge to the first, at that time; of primitives that touch already it points against their
/// motion. Without a contact `time` is 1, and weights and normal are 0.
typedef struct abut_sweep_contact {
    abut_sweep_verdict verdict;
    double time;
    double weights[4];
    double normal[3];
} abut_sweep_contact;

/// The tolerance that suits most programs, and the least that is accepted.
#define ABUT_TOLERANCE_DEFAULT 1e-6
#define ABUT_TOLERANCE_MIN 1e-8

/// Decides for `count` pairs of a vertex and a face whether and when they touch. Corners of query i
/// move from from[i] to to[i] along segments, at constant speeds, for times from 0 to 1: the vertex
/// first, then the three corners of the face. Primitives are closed; one without area or length is
/// what its corners span. No contact is ever missed, whatever the magnitudes.
///
/// `tolerance` is in terms of the longest edge at either end: a contact that is reported is at most
/// so far from touching. The least tolerance in effect is 1e-8 times the greatest difference of two
/// coordinates of the query, motion included, because the arithmetic cannot tell less apart.
/// `margin` (finite, >= 0) is the distance that counts as touching. `context` chooses the
/// instruction set, which no answer depends on; it may be NULL. Returns ABUT_ERR_INVALID_ARGUMENT,
/// and writes nothing, if the tolerance is below ABUT_TOLERANCE_MIN or above 1, or the margin or a
/// coordinate is not as described, or an array is NULL though `count` is not 0. Allocates nothing,
/// uses less than ABUT_STACK_BYTES of stack, safe on many threads.
ABUT_API abut_status abut_vertex_face_sweep(const abut_context* context, size_t count,
                                            const double (*from)[4][3], const double (*to)[4][3],
                                            double tolerance, double margin,
                                            abut_sweep_contact* contacts);

/// Decides the same for pairs of edges: both ends of the first, then both of the second.
ABUT_API abut_status abut_edge_edge_sweep(const abut_context* context, size_t count,
                                          const double (*from)[4][3], const double (*to)[4][3],
                                          double tolerance, double margin,
                                          abut_sweep_contact* contacts);

ABUT_EXTERN_C_END

#endif
