// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The oracle of casts: a ray and a triangle in GMP rationals, and all triangles of a scene for one
// ray. It reads the scene through the public interface and shares no code with the library. The
// triangle is the intersection of half-planes, rather than where turns have one sign. Slow, and for
// one thread only.

#ifndef ABUT_TESTS_SUPPORT_RAYS_H
#define ABUT_TESTS_SUPPORT_RAYS_H

#include <gmp.h>

#include "support/world.h"

/// A ray by its doubles; if `to_end`, `d` is the point at t = 1.
typedef struct ray_case {
    double o[3];
    double d[3];
    bool to_end;
    double tmin;
    double tmax;
} ray_case;

/// What a ray and a triangle share.
typedef struct ray_answer {
    uint32_t body;
    uint32_t triangle;
    int side;  ///< -1: from the front, 1: from the back, 0: edge-on
    mpq_t t;   ///< the least
} ray_answer;

/// Whether they share a point. `t` must be initialised, and receives the least parameter; `side` may
/// be NULL. `weights` (may be NULL, must be initialised) receives the weights of the point there,
/// unless the triangle is edge-on.
bool ray_meets(const ray_case* ray, const double triangle[3][3], mpq_t t, int* side,
               mpq_t weights[3]);

/// All triangles of a body, or of a scene (body zero), that a ray meets, in the order that cast.h
/// promises. `meet` may be NULL, or says which bodies count. Ends with rays_free().
typedef struct ray_list {
    ray_answer* all;
    size_t count;
    size_t capacity;
} ray_list;
ray_list rays_all(const abut_scene* scene, const abut_body_id* body, const ray_case* ray,
                  bool (*meet)(uint32_t body));
void rays_free(ray_list* list);

/// The corners of a triangle in the world.
void ray_corners(const abut_scene* scene, abut_body_id body, uint32_t triangle, double out[3][3]);

/// Fails unless a row is right: body, triangle, side, and t and weights within the bounds of
/// abut_ray_hit.
void ray_check_hit(const abut_scene* scene, const ray_case* ray, const abut_ray_hit* hit,
                   const ray_answer* wanted);

#endif  // ABUT_TESTS_SUPPORT_RAYS_H
