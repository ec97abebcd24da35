// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rays: which triangles rays and segments meet, and which of them first. query.h has the rules that
// all questions share.
//
// A ray has the points o + t d, for all real t with tmin <= t <= tmax. It meets a triangle if they
// share a point. This is decided exactly for the doubles of the ray and of abut_body_world_vertex().
// Triangles are closed, so a ray through a common edge or vertex meets all triangles there and never
// slips through. Which triangle comes first is decided exactly, too: t is compared as the rational
// number that it is, and triangles at the same t are in the order of (body, triangle).
//
// Special cases. A ray with d = 0 is the point o: it meets the triangles that o lies on, at tmin. A ray
// with tmin > tmax has no point. A triangle without area is the segment or the point that it spans.
// A ray in the plane of a triangle meets it at the least t of their common points, which is tmin if
// the ray begins within the triangle. An origin on a surface is met at t = 0; a tmin above 0 leaves
// it out.
//
// Thick rays. With a radius a ray is a sphere whose centre moves along a segment, and it meets the
// triangles that are at most the radius away from the segment. This is decided exactly, too. `t` is
// where the sphere first touches the triangle: 0 if and only if it does at its start, decided exactly.
// Otherwise it is computed, and at t the centre is at the radius from the triangle up to 2^-40 of the
// greatest magnitude of the radius and of a coordinate of the segment and the triangle. Triangles are
// in the order of the computed t. Weights are those of the point of the triangle that is closest
// then, and the side is that on which the centre is.
#ifndef ABUT_CAST_H
#define ABUT_CAST_H

#include "query.h"

ABUT_EXTERN_C_BEGIN

/// Limits of rays in the caller's memory: number i starts at (char*)data + i * stride. NULL data mean
/// the default of the limit.
typedef struct abut_ray_limits {
    const void* data;
    size_t stride;  ///< bytes from one number to the next; 0 means tightly packed
    abut_scalar type;
} abut_ray_limits;

/// Rays in world coordinates, as views of the caller's memory. All have the same count. Origins,
/// directions and tmin must be finite, and tmax must be a number or infinite, or the query fails with
/// ABUT_ERR_INVALID_DATA and error.index is the number of the ray.
typedef struct abut_rays {
    abut_positions origins;
    /// Of any length: t is in units of it. If `to_ends`, these are the points at t = 1, and directions
    /// are the exact differences: segments from `origins` to here.
    abut_positions directions;
    bool to_ends;
    abut_ray_limits tmin;  ///< without data 0
    abut_ray_limits tmax;  ///< without data infinite, or 1 if `to_ends`
} abut_rays;

/// Make rays of tightly packed origins and directions, and segments of tightly packed ends.
ABUT_API abut_rays abut_rays_f32(const float* origins, const float* directions, size_t count);
ABUT_API abut_rays abut_rays_f64(const double* origins, const double* directions, size_t count);
ABUT_API abut_rays abut_rays_segments(const double* from, const double* to, size_t count);

/// The side of a triangle that a ray comes from.
typedef enum abut_ray_side {
    ABUT_RAY_SIDE_FRONT = 0,  ///< from where its corners are seen counterclockwise
    ABUT_RAY_SIDE_BACK,       ///< from where they are seen clockwise
    ABUT_RAY_SIDE_EDGE_ON,  ///< the ray lies in its plane, or the triangle has no area, or the ray
                            ///< is a point
} abut_ray_side;

/// A triangle that a ray meets.
///
/// Without a radius `t` differs from the exact value by at most 2^-40 times that value, plus 2^-1060;
/// it is infinite beyond the range of doubles. Its computed value is not clamped to tmin and tmax.
/// Weights are in 0 .. 1 and differ from the exact values by at most 2^-30; that of a corner is exactly
/// 0 if the ray meets the opposite edge. Those of an edge-on triangle are of the point of the triangle
/// that is closest to the rounded point of the ray.
typedef struct abut_ray_hit {
    uint32_t ray;
    uint32_t body;
    uint32_t triangle;
    abut_ray_side side;
    double t;
    double weights[3];  ///< of the corners: the point is their sum
} abut_ray_hit;

/// Which triangles of those that a ray meets are wanted.
typedef enum abut_cast_mode {
    ABUT_CAST_FIRST = 0,  ///< the first
    ABUT_CAST_ANY,        ///< only whether there is one: abut_cast_result_met()
    ABUT_CAST_ALL,        ///< all, in their order along the ray
} abut_cast_mode;

/// Decides whether a ray may meet a triangle: false excludes it. Called before the exact test, from
/// any thread; the answer must depend on the arguments only.
typedef bool (*abut_ray_filter_fn)(void* user, uint32_t ray, uint32_t body, uint32_t triangle);

/// A filter of rays and triangles.
typedef struct abut_ray_filter {
    abut_ray_filter_fn fn;  ///< NULL: all count [NULL]
    void* user;             ///< passed to fn [NULL]
} abut_ray_filter;

/// Settings of casts. Start from abut_cast_def_default(), then change fields. Of the counters,
/// exact_tests are the pairs of a ray and a triangle that were decided, and pairs_found the rows.
typedef struct abut_cast_def {
    abut_query_head head;
    abut_cast_mode mode;  ///< [ABUT_CAST_FIRST]
    uint64_t groups;      ///< over a scene: bits of the groups that the rays are in [1]
    uint64_t
        mask;  ///< over a scene: bits of the groups that they meet; both sides must agree [all]
    abut_ray_filter filter;
    double radius;  ///< of a sphere that moves along segments; finite, >= 0; above 0 only with
                    ///< `to_ends` and without limits [0]
} abut_cast_def;
ABUT_API abut_cast_def abut_cast_def_default(void);

/// The answer of a cast: see query.h.
typedef struct abut_cast_result abut_cast_result;
/// Creates an empty result.
ABUT_API abut_status abut_cast_result_create(abut_context* context, abut_cast_result** result,
                                             abut_error* error);
/// Destroys a result; NULL is fine.
ABUT_API void abut_cast_result_destroy(abut_cast_result* result);
/// Returns the hits, ascending by ray, those of a ray in their order along it. NULL if there are none.
ABUT_API const abut_ray_hit* abut_cast_result_hits(const abut_cast_result* result, size_t* count);
/// Returns for each ray 1 if it meets a triangle, else 0. NULL if there are no rays.
ABUT_API const uint8_t* abut_cast_result_met(const abut_cast_result* result, size_t* count);

/// Finds what rays meet of one body. There may be no rays. Cost: only nodes and blocks that a ray
/// comes near are evaluated, whatever the motion of the body.
ABUT_API abut_status abut_cast(const abut_scene* scene, abut_body_id body, abut_rays rays,
                               const abut_cast_def* def, abut_cast_result* result,
                               abut_error* error);

/// Finds what rays meet of all bodies of a scene whose groups and masks agree with those of def;
/// static ones, too. The result keeps a tree over the boxes of the bodies, which later calls with the
/// same result update for the bodies that changed.
ABUT_API abut_status abut_cast_all(const abut_scene* scene, abut_rays rays,
                                   const abut_cast_def* def, abut_cast_result* result,
                                   abut_error* error);

ABUT_EXTERN_C_END

#endif
