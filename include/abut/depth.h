// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Depth: how far closed surfaces are inside each other, and which way out is shortest.
//
// Where two bodies cut into each other, their contact falls into regions: the triangles that touch,
// with those wholly inside the other body that hang on to them. A region is *free* when none of its
// triangles of a touches one of its triangles of b, and nothing of them is inside the other body. A
// connected piece of one body that touches nothing and is wholly inside the other has a region of
// its own, whatever the rest of the bodies does. That region is free when the piece touches nothing
// of the other body and is outside it. The depth of a region is the length of a translation of a
// that makes it so: moving a by depth x direction, or b by the opposite, frees it. That is not
// claimed but tried out, with the query itself, before it is returned. No translation shorter than
// `lower` can do it, by proof; `upper` is the shortest found.
//
// The shortest way out leaps where another one becomes shorter: midway through a plate from one
// face to the other. What pushes along it would kick. So where a region goes on from the last call
// its way out is followed: depth x direction changes by at most twice the distance that the
// region's triangles have moved, towards the shortest way as long as that is downhill, and `depth`
// may be above `upper`. It jumps only where no way near the last one frees the region any more: as
// when two regions become one, where one is interlocked or was so in the last call, and within one
// body where triangles join in that are not free along it. `jump` tells. Who wants the shortest way
// however it jumps asks for it.
//
// One body can be in itself, too: a finger bent into its own palm. Then a region has two patches of
// the one surface as its sides, what is inside of each with the triangles that touch, and
// translations move one patch against the other. Triangles that share a vertex never count, as in
// abut_collide_self().
#ifndef ABUT_DEPTH_H
#define ABUT_DEPTH_H

#include "contains.h"

ABUT_EXTERN_C_BEGIN

/// What a region is made of.
typedef enum abut_region_kind {
    ABUT_REGION_CONTACT = 0,  ///< surfaces cut into each other
    ABUT_REGION_INSIDE_B,  ///< a connected piece of a is wholly inside b: no triangle of it touches; with
                           ///< `together`, all such pieces
    ABUT_REGION_INSIDE_A,  ///< the same of b inside a
    ABUT_REGION_FOLD,  ///< within one body: the two sides hang together inside, so that no translation
                       ///< parts them: direction 0, depth INFINITY
} abut_region_kind;

/// A region of contact: see the head of this file.
typedef struct abut_region {
    uint32_t id;  ///< kept from call to call while the region goes on; not 0
    abut_region_kind kind;
    double direction[3];  ///< unit vector: the way out for a
    double depth;         ///< how far; tiny, but above 0, where surfaces merely touch
    double upper;         ///< the length of the shortest translation found that frees the region
    double lower;         ///< no shorter translation frees the region
    double point_a[3];    ///< the point of a that is deepest along the direction
    double point_b[3];    ///< the same of b
    /// No direction that was tried frees the region without other triangles of the bodies touching, or
    /// none near that of the last call: then depth x direction frees this region alone; no vertex of it
    /// is inside any more, but its triangles may cut others.
    bool interlocked;
    bool is_new;        ///< the last call had no such region
    double turn_angle;  ///< angle between this direction and that of the last call, in radians
    double jump;        ///< by how much depth x direction has changed since then, as a length
    size_t first_pair;  ///< of abut_depth_result_pairs()
    size_t pair_count;
    size_t first_inside;  ///< of abut_depth_result_inside(): triangles of a, then triangles of b
    size_t inside_a_count;
    size_t inside_b_count;
} abut_region;

/// What depth takes. Start from abut_depth_def_default(), then change fields.
typedef struct abut_depth_def {
    bool one_region;  ///< one region of all, and so one translation for all; if it is not
                      ///< interlocked nothing touches after it, and no piece is inside [false]
    bool shortest;    ///< the shortest way found, whatever the last call returned [false]
    abut_counters* counters;  ///< added to, if not NULL [NULL]
    uint32_t cookie;          ///< set by the default-maker; do not touch
} abut_depth_def;
ABUT_API abut_depth_def abut_depth_def_default(void);

/// Answers about the depth of one pair of bodies, the memory to work in, and what is remembered
/// from call to call, so that regions keep their ids and ways out do not jump. Use one for each
/// pair of bodies that is followed; answers for new regions do not depend on it.
typedef struct abut_depth_result abut_depth_result;
ABUT_API abut_status abut_depth_result_create(abut_context* context, abut_depth_result** depths,
                                              abut_error* error);
ABUT_API void abut_depth_result_destroy(abut_depth_result* depths);

/// Finds the regions of two bodies. `def` may be NULL for the defaults. If a surface is open or of
/// mixed orientation there are no regions and abut_depth_result_defined() says so.
ABUT_API abut_status abut_depth(const abut_scene* scene, abut_body_id a, abut_body_id b,
                                const abut_depth_def* def, abut_depth_result* depths);

/// Finds the regions of one body with itself. The sides a and b are patches of its surface; of a
/// pair triangle_a is of side a. Moving a's triangles by depth x direction, or b's by the opposite,
/// leaves no two touching, and leads out: not against the mean normal of b's side, nor along that
/// of a's. No translation shorter than `lower` leaves none touching. Pieces of the body that touch
/// nothing are not asked about; `together` is an error.
///
/// As abut_collide_self() this is decided in the shape's coordinates, for the doubles of
/// abut_body_vertex(), whatever the frame rounds: with v = depth x direction, every product
/// rounded, and the frame's r, corners of a's triangles are moved by
///
///     w[i] = (r[0][i] v[0] + r[1][i] v[1]) + r[2][i] v[2]
///
/// each sum of a corner and w rounded. Points, directions and lengths are those of the world.
ABUT_API abut_status abut_depth_self(const abut_scene* scene, abut_body_id a,
                                     const abut_depth_def* def, abut_depth_result* depths);

/// Whether the last two bodies have an inside: closed surfaces of one orientation.
ABUT_API bool abut_depth_result_defined(const abut_depth_result* depths);
/// The regions, in the order of their first pairs, then those of pieces that are wholly inside: of
/// a, then of b. NULL if there are none.
ABUT_API const abut_region* abut_depth_result_regions(const abut_depth_result* depths,
                                                      size_t* count);
/// The pairs of triangles that touch, region after region, sorted within each.
ABUT_API const abut_pair* abut_depth_result_pairs(const abut_depth_result* depths, size_t* count);
/// The triangles that are wholly inside the other body, region after region, ascending.
ABUT_API const uint32_t* abut_depth_result_inside(const abut_depth_result* depths, size_t* count);

ABUT_EXTERN_C_END

#endif
