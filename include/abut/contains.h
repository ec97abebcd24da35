// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Is it inside? A question about closed surfaces.
//
// A surface is closed if every edge is used as often in one direction as in the other: open
// surfaces and surfaces of mixed orientation have no inside, and then the answer is
// ABUT_SIDE_UNDEFINED, never a guess. Vertices of one class count as one vertex: they must be at
// one place. Points are inside where the surface winds around them at least once, in either
// direction; so a surface may cut itself, and may have its normals inwards. The answer is exact for
// the doubles of abut_body_world_vertex().
#ifndef ABUT_CONTAINS_H
#define ABUT_CONTAINS_H

#include "query.h"

ABUT_EXTERN_C_BEGIN

/// Where a point is with respect to a closed surface.
typedef enum abut_side {
    ABUT_SIDE_OUTSIDE = 0,
    ABUT_SIDE_INSIDE,
    ABUT_SIDE_SURFACE,    ///< the point lies on the surface, or the surfaces touch
    ABUT_SIDE_PARTLY,     ///< some pieces of a body are inside, others are not
    ABUT_SIDE_UNDEFINED,  ///< the surface is open or of mixed orientation: it has no inside
} abut_side;

/// On which side of a body's surface a point in world coordinates is. `winding` (may be NULL)
/// receives how often the surface winds around it: 1 inside a simple surface with its normals
/// outwards, -1 if they point inwards; 0 if `side` is neither inside nor outside. `counters` (may
/// be NULL) is added to. Returns ABUT_ERR_INVALID_DATA if the body has a vertex that is not finite.
ABUT_API abut_status abut_contains_point(const abut_scene* scene, abut_body_id body,
                                         const double point[3], abut_side* side, int32_t* winding,
                                         abut_counters* counters);

/// On which side of `outer` the body `inner` is, all of it. Bodies whose triangles touch are
/// ABUT_SIDE_SURFACE, whatever else. `result` is memory to work in, as for abut_collide(); its
/// answer is that of the question whether they touch.
ABUT_API abut_status abut_contains_body(const abut_scene* scene, abut_body_id outer,
                                        abut_body_id inner, abut_side* side, abut_result* result,
                                        abut_counters* counters);

ABUT_EXTERN_C_END

#endif
