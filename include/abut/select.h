// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Selection: which triangles reach into a box, a ball or a frustum. query.h has the rules that all
// questions share.
//
// Volumes and triangles are closed: a triangle counts if it shares a point with the volume. This is
// decided exactly for the doubles of the volume and of abut_body_world_vertex(). A triangle without
// area is the segment or the point that it spans. Parts of a body that lie wholly in the volume, or
// wholly outside, are not evaluated.
#ifndef ABUT_SELECT_H
#define ABUT_SELECT_H

#include "query.h"

ABUT_EXTERN_C_BEGIN

/// A half-space: the points x with normal . x <= offset. The normal points outwards, and may have any
/// length; if it is 0 the half-space is all or nothing, by the sign of the offset.
typedef struct abut_plane {
    double normal[3];
    double offset;
} abut_plane;

/// Kinds of volumes.
typedef enum abut_volume_kind {
    ABUT_VOLUME_BOX = 0,
    ABUT_VOLUME_BALL,
    ABUT_VOLUME_PLANES,
} abut_volume_kind;

/// The greatest number of planes of a volume.
#define ABUT_VOLUME_PLANES_MOST 16

/// A volume in the world. Make it by one of the calls below. All numbers must be finite.
typedef struct abut_volume {
    abut_volume_kind kind;
    abut_box box;              ///< a box; one with lo > hi along an axis has no point
    double centre[3];          ///< of a ball
    double radius;             ///< of a ball; >= 0
    const abut_plane* planes;  ///< what all these half-spaces have in common, such as a frustum;
                               ///< borrowed for the query
    size_t plane_count;        ///< at most ABUT_VOLUME_PLANES_MOST; 0: everything
} abut_volume;
/// Make volumes.
ABUT_API abut_volume abut_volume_box(abut_box box);
ABUT_API abut_volume abut_volume_ball(const double centre[3], double radius);
ABUT_API abut_volume abut_volume_planes(const abut_plane* planes, size_t plane_count);

/// A triangle that reaches into the volume.
typedef struct abut_selected {
    uint32_t body;
    uint32_t triangle;
    bool whole;  ///< all of it is in the volume
} abut_selected;

/// Settings of selections. Start from abut_select_def_default(), then change fields. Of the counters,
/// exact_tests are the triangles that were decided one by one.
typedef struct abut_select_def {
    abut_query_head head;
    uint64_t groups;  ///< over a scene: bits of the groups that the volume is in [all]
    uint64_t mask;    ///< over a scene: bits of the groups that it meets [all]
} abut_select_def;
ABUT_API abut_select_def abut_select_def_default(void);

/// The answer of a selection: see query.h.
typedef struct abut_select_result abut_select_result;
/// Creates an empty result.
ABUT_API abut_status abut_select_result_create(abut_context* context, abut_select_result** result,
                                               abut_error* error);
/// Destroys a result; NULL is fine.
ABUT_API void abut_select_result_destroy(abut_select_result* result);
/// Returns the triangles, sorted by (body, triangle). NULL if there are none.
ABUT_API const abut_selected* abut_select_result_triangles(const abut_select_result* result,
                                                           size_t* count);

/// Finds the triangles of a body that reach into a volume. Fails with ABUT_ERR_INVALID_ARGUMENT if the
/// volume is not as described. Runs on the calling thread.
ABUT_API abut_status abut_select(const abut_scene* scene, abut_body_id body,
                                 const abut_volume* volume, const abut_select_def* def,
                                 abut_select_result* result, abut_error* error);

/// Finds those of all bodies whose groups and masks agree with those of the def; static ones, too.
ABUT_API abut_status abut_select_all(const abut_scene* scene, const abut_volume* volume,
                                     const abut_select_def* def, abut_select_result* result,
                                     abut_error* error);

ABUT_EXTERN_C_END

#endif
