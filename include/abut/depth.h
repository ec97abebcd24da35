// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Penetration depth of closed surfaces, and the translation that separates them. query.h has the
// rules that all questions share.
//
// Contact falls into regions: triangles that touch, and those wholly inside the other body that are
// connected to them. A region is separated when none of its triangles of a touches one of its
// triangles of b, and none of them is inside the other body. A connected piece of one body that
// touches nothing and is wholly inside the other body has a region of its own. That region is
// separated when the piece touches nothing of the other body and is outside it.
//
// Moving a by depth * direction, or b by the opposite, separates the region; the query itself has
// verified this. `lower` is a proven lower bound of all separating translations, `upper` the length
// of the shortest one found.
//
// The shortest translation jumps, as midway through a plate from one face to the other. A penalty
// force along it would jump. So a region that continues from the last call follows its last
// translation: depth * direction changes by at most twice the distance that its triangles moved,
// towards the shortest as long as that is downhill, and `depth` may exceed `upper`. It jumps only
// where no translation near the last one separates the region: regions merge, one is or was
// interlocked, or, within one body, triangles join that it does not separate. `jump` reports the
// change. Set `shortest` to get the shortest translation regardless.
//
// One body can penetrate itself: a finger bent into its own palm. Then two patches of the surface
// are the sides: each with its triangles that touch and those that are inside. Translations move one
// patch against the other. Triangles that share a vertex never count, as in abut_collide_self().
#ifndef ABUT_DEPTH_H
#define ABUT_DEPTH_H

#include "query.h"

ABUT_EXTERN_C_BEGIN

/// What a region consists of.
typedef enum abut_region_kind {
    ABUT_REGION_CONTACT = 0,  ///< surfaces cut into each other
    ABUT_REGION_INSIDE_B,     ///< a connected piece of a is wholly inside b: none of its triangles
                              ///< touches; with `one_region`, all such pieces
    ABUT_REGION_INSIDE_A,     ///< the same of b inside a
    ABUT_REGION_FOLD,         ///< within one body: the two sides are connected inside, so that no
                              ///< translation separates them: direction 0, depth INFINITY
} abut_region_kind;

/// A region of contact: see the head of this file.
typedef struct abut_region {
    uint32_t id;  ///< stays the same from call to call while the region continues; not 0
    abut_region_kind kind;
    double direction[3];  ///< unit vector: the translation of a
    double depth;         ///< its length; tiny, but above 0, where surfaces merely touch
    double upper;         ///< the length of the shortest separating translation found
    double lower;         ///< no shorter translation separates the region
    double point_a[3];    ///< the point of a that is deepest along the direction
    double point_b[3];    ///< the same of b
    /// No direction that was tried separates the region without other triangles of the bodies
    /// touching, or none near that of the last call. Then depth * direction separates this region
    /// alone: no vertex of it is inside any more, but its triangles may cut others.
    bool interlocked;
    bool is_new;        ///< the last call had no such region
    double turn_angle;  ///< angle between this direction and that of the last call, in radians; 0
                        ///< if the region is new
    double jump;        ///< by how much depth * direction has changed since then, as a length
    size_t first_pair;  ///< of abut_depth_result_pairs()
    size_t pair_count;
    size_t first_inside;  ///< of abut_depth_result_inside(): triangles of a, then triangles of b
    size_t inside_a_count;
    size_t inside_b_count;
} abut_region;

/// Settings of depth queries. Start from abut_depth_def_default(), then change fields.
typedef struct abut_depth_def {
    abut_query_head head;
    bool one_region;  ///< one region of all, and so one translation for all; if it is not
                      ///< interlocked, nothing touches after it and no piece is inside; not in
                      ///< abut_depth_self() [false]
    bool shortest;    ///< the shortest translation found, whatever the last call returned [false]
} abut_depth_def;
ABUT_API abut_depth_def abut_depth_def_default(void);

/// The answer of a depth query: see query.h. It also remembers the last answer, so that regions
/// keep their ids and translations do not jump. Use one result for each pair of bodies that is
/// followed. Answers for new regions do not depend on it. A query whose arguments are refused
/// forgets nothing; after any other failure all regions are new.
typedef struct abut_depth_result abut_depth_result;
/// Creates an empty result.
ABUT_API abut_status abut_depth_result_create(abut_context* context, abut_depth_result** result,
                                              abut_error* error);
/// Destroys a result; NULL is fine.
ABUT_API void abut_depth_result_destroy(abut_depth_result* result);
/// Empties the result and forgets the last answer: all regions of the next one are new, and ids
/// start at 1 again.
ABUT_API void abut_depth_result_clear(abut_depth_result* result);
/// Returns whether the bodies of the last query have an inside: closed surfaces of one orientation.
/// False if the query failed.
ABUT_API bool abut_depth_result_defined(const abut_depth_result* result);
/// Returns the regions, in the order of their first pairs, then those of pieces that are wholly
/// inside: of a, then of b. NULL if there are none.
ABUT_API const abut_region* abut_depth_result_regions(const abut_depth_result* result,
                                                      size_t* count);
/// Returns the pairs of triangles that touch, region after region, sorted within each. NULL if
/// there are none.
ABUT_API const abut_pair* abut_depth_result_pairs(const abut_depth_result* result, size_t* count);
/// Returns the triangles that are wholly inside the other body, region after region, ascending.
/// NULL if there are none.
ABUT_API const uint32_t* abut_depth_result_inside(const abut_depth_result* result, size_t* count);

/// Finds the regions of two bodies. If a surface is open or of mixed orientation there are no
/// regions, and abut_depth_result_defined() is false.
ABUT_API abut_status abut_depth(const abut_scene* scene, abut_body_id a, abut_body_id b,
                                const abut_depth_def* def, abut_depth_result* result,
                                abut_error* error);

/// Finds the regions of one body with itself. The sides a and b are patches of its surface;
/// triangle_a of a pair belongs to side a. Moving a's triangles by depth * direction, or b's by the
/// opposite, leaves no two touching, and leads out: not against the mean normal of b's side, nor
/// along that of a's. No translation shorter than `lower` leaves none touching. Pieces of the body
/// that touch nothing are not examined; `one_region` is an error.
///
/// As in abut_collide_self() this is decided in the shape's coordinates, for the doubles of
/// abut_body_vertex(), whatever the frame rounds: with v = depth * direction, every product
/// rounded, and the frame's r, corners of a's triangles are moved by
///
///     w[i] = (r[0][i] v[0] + r[1][i] v[1]) + r[2][i] v[2]
///
/// each sum of a corner and w rounded. Points, directions and lengths are those of the world.
ABUT_API abut_status abut_depth_self(const abut_scene* scene, abut_body_id body,
                                     const abut_depth_def* def, abut_depth_result* result,
                                     abut_error* error);

ABUT_EXTERN_C_END

#endif
