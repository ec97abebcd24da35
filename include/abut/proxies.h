// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Experimental: contact proxies. A proxy is a sphere that stands for a group of triangles where
// time is short and an answer need not be exact. The triangles of a modal shape are halved
// abut_modal_def.proxy_level times; each group has one sphere, which holds its triangles in every
// state. query.h has the rules that all questions share.
#ifndef ABUT_PROXIES_H
#define ABUT_PROXIES_H

#include "query.h"

#ifndef ABUT_NO_EXPERIMENTAL

ABUT_EXTERN_C_BEGIN

/// Returns the number of contact proxies of a shape; 0 without proxies, or if the shape is NULL.
ABUT_EXPERIMENTAL ABUT_API uint32_t abut_shape_proxy_count(const abut_shape* shape);
/// Returns the vertex of a proxy that is nearest to its centre at rest: where a contact may act on
/// the shape. UINT32_MAX if there is no such proxy.
ABUT_EXPERIMENTAL ABUT_API uint32_t abut_shape_proxy_vertex(const abut_shape* shape,
                                                            uint32_t proxy);
/// Returns the triangles that a proxy stands for; every living triangle has one proxy. `count` (may
/// be NULL) receives their number. NULL if there is no such proxy. Valid as long as the shape.
ABUT_EXPERIMENTAL ABUT_API const uint32_t* abut_shape_proxy_triangles(const abut_shape* shape,
                                                                      uint32_t proxy,
                                                                      size_t* count);

/// Computes the sphere of a contact proxy in world coordinates: it holds the triangles of the
/// proxy. Infinite where coordinates are too large. Fails if the body has no such proxy.
ABUT_EXPERIMENTAL ABUT_API abut_status abut_body_proxy(const abut_scene* scene, abut_body_id body,
                                                       uint32_t proxy, double centre[3],
                                                       double* radius, abut_error* error);

/// Computes a box around all contact proxies of a body: abut_proxies_all() compares the proxies of two
/// bodies only where these boxes, each grown by half the margin, overlap. Fails if the body has no
/// proxies.
ABUT_EXPERIMENTAL ABUT_API abut_status abut_body_proxy_box(const abut_scene* scene,
                                                           abut_body_id body, abut_box* box,
                                                           abut_error* error);

/// Two contact proxies whose spheres are near each other, in world coordinates: the numbers of
/// abut_body_proxy().
typedef struct abut_proxy_pair {
    uint32_t body_a;
    uint32_t body_b;
    uint32_t proxy_a;
    uint32_t proxy_b;
    double centre_a[3];
    double radius_a;
    double centre_b[3];
    double radius_b;
    double distance;  ///< of the centres less both radii, in double, at most the margin;
                      ///< negative: they overlap
} abut_proxy_pair;

/// Settings of proxy queries. Start from abut_proxies_def_default(), then change fields. Of the
/// counters, boxes_computed and boxes_tested count spheres.
typedef struct abut_proxies_def {
    abut_query_head head;
    double margin;  ///< spheres at most this far apart count; finite, >= 0 [0]
} abut_proxies_def;
ABUT_EXPERIMENTAL ABUT_API abut_proxies_def abut_proxies_def_default(void);

/// The answer of a proxy query: see query.h.
typedef struct abut_proxies_result abut_proxies_result;
/// Creates an empty result.
ABUT_EXPERIMENTAL ABUT_API abut_status abut_proxies_result_create(abut_context* context,
                                                                  abut_proxies_result** result,
                                                                  abut_error* error);
/// Destroys a result; NULL is fine.
ABUT_EXPERIMENTAL ABUT_API void abut_proxies_result_destroy(abut_proxies_result* result);
/// Returns the pairs, sorted by (body_a, body_b, proxy_a, proxy_b). NULL if there are none.
ABUT_EXPERIMENTAL ABUT_API const abut_proxy_pair* abut_proxies_result_pairs(
    const abut_proxies_result* result, size_t* count);

/// Finds all pairs of contact proxies of two bodies whose spheres are at most `margin` apart. Costs
/// far less than abut_collide() and misses no contact, because triangles that touch have proxies
/// that overlap. Bodies whose shapes have no proxies give nothing.
ABUT_EXPERIMENTAL ABUT_API abut_status abut_proxies(const abut_scene* scene, abut_body_id a,
                                                    abut_body_id b, const abut_proxies_def* def,
                                                    abut_proxies_result* result, abut_error* error);
/// Finds the same for all pairs of bodies whose groups and masks agree and that are not both
/// static.
ABUT_EXPERIMENTAL ABUT_API abut_status abut_proxies_all(const abut_scene* scene,
                                                        const abut_proxies_def* def,
                                                        abut_proxies_result* result,
                                                        abut_error* error);

ABUT_EXTERN_C_END

#endif

#endif
