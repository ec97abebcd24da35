// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Flight motion: vertices move on straight lines in time, from keyframe to keyframe, or by plans,
// that is positions and velocities. See docs/flight.md.
#ifndef ABUT_FLIGHT_H
#define ABUT_FLIGHT_H

#include "body.h"

ABUT_EXTERN_C_BEGIN

/// Where all vertices of a flight shape are at a time. The positions are borrowed: they must stay
/// alive and unchanged as long as the shape.
typedef struct abut_keyframe {
    double time;
    abut_positions positions;  ///< one a vertex
} abut_keyframe;

/// What bounds the nodes of a flight shape's tree. Answers do not depend on it, only the work does.
typedef enum abut_flight_bound {
    ABUT_FLIGHT_BOUND_AUTO =
        0,                      ///< the library chooses for each segment, by what the last one cost
    ABUT_FLIGHT_BOUND_KINETIC,  ///< boxes by their extreme vertices, which change only when one
                                ///< overtakes another: the least boxes at every instant, for many
                                ///< states a keyframe, one after the other
    ABUT_FLIGHT_BOUND_BOXTREE,  ///< two planes a node instead of six: still fewer changes, and much
                                ///< wider boxes
    ABUT_FLIGHT_BOUND_LINEAR,   ///< boxes of the keyframes before and after, interpolated
} abut_flight_bound;

/// Settings of abut_shape_create_flight(). Start from abut_flight_def_default(), then change
/// fields.
typedef struct abut_flight_def {
    abut_shape_def shape;            ///< what shapes of all motions have [abut_shape_def_default()]
    const abut_keyframe* keyframes;  ///< times ascending; copied without their positions [NULL]
    size_t keyframe_count;    ///< any number; without keyframes vertices rest until plans move
                              ///< them [0]
    abut_flight_bound bound;  ///< [ABUT_FLIGHT_BOUND_AUTO]
    uint32_t cookie;          ///< set by the default-maker; do not touch
} abut_flight_def;
ABUT_API abut_flight_def abut_flight_def_default(void);

/// Creates a shape of flight motion; otherwise as abut_shape_create().
ABUT_API abut_status abut_shape_create_flight(abut_context* context, const abut_mesh* mesh,
                                              const abut_flight_def* def, abut_shape** shape,
                                              abut_error* error);

/// Changes to make to a flight shape. Start from abut_flight_edit_def_default(), then change
/// fields.
typedef struct abut_flight_edit_def {
    abut_shape_edit_def edit;        ///< what edits of all motions have
    const abut_keyframe* keyframes;  ///< all keyframes of the edited shape, borrowed as before, one
                                     ///< position a vertex; NULL: as before, which is an error if
                                     ///< vertices are added to a shape with keyframes [NULL]
    size_t keyframe_count;           ///< in `keyframes`; 0: the edited shape has none [0]
    uint32_t cookie;                 ///< set by the default-maker; do not touch
} abut_flight_edit_def;
ABUT_API abut_flight_edit_def abut_flight_edit_def_default(void);

/// Makes an edited shape of a flight one, as abut_shape_edit() does. A shape of another motion is
/// an error.
ABUT_API abut_status abut_shape_edit_flight(const abut_shape* shape,
                                            const abut_flight_edit_def* edit, abut_shape** edited,
                                            abut_edit_work* work, abut_error* error);

/// Sets the time of a new state. With a and b the positions of a vertex in the keyframes before and
/// after, and s the fraction of the time between them, it is at (1 - s) a + s b, in double, every
/// product rounded; before the first keyframe and after the last one it stands still. Vertices with
/// plans follow these instead; a time at which one would not be finite is refused. The cost does
/// not depend on the mesh, except for the first state between two keyframes, which makes their
/// boxes, and unless queries needed most of the body in the last state, or the shape's `bound`
/// costs more. Positions of keyframes are not checked here: see abut_body_borrow_positions().
ABUT_API abut_status abut_body_set_time(abut_scene* scene, abut_body_id body, double time,
                                        abut_error* error);

/// Plans of a flight body. Start from abut_plans_def_default(), then change fields.
typedef struct abut_plans_def {
    double time;                ///< of the positions and velocities; any time [0]
    const uint32_t* vertices;   ///< which vertices, ascending; NULL: all [NULL]
    size_t vertex_count;        ///< in `vertices` [0]
    abut_positions positions;   ///< one each; count 0: where they are at `time` so far [none]
    abut_positions velocities;  ///< one each; count 0: zero [none]
    double acceleration[3];  ///< experimental: of the whole body, at all times; 0 in plans for some
                             ///< vertices, which keep it [0]
    uint32_t cookie;         ///< set by the default-maker; do not touch
} abut_plans_def;
ABUT_API abut_plans_def abut_plans_def_default(void);

/// Sets positions and velocities at `time` for all vertices or for `vertices`; copied. Plans
/// replace keyframes, for all times, before `time` too, until the next plans. With x and w the
/// position and velocity given, in double, every product rounded,
///
///     v = p + (t - t0) u            p = x, u = w, t0 = `time`
///
/// and if the body has an acceleration a, given with plans for all from a time T, its common part
/// is added to every vertex, and subtracted from new plans for some vertices:
///
///     v = (p + (t - t0) u) + c(t)   c(t) = (0.5 ((t - T) (t - T))) a
///     p = x - c(t0)                 u = w - (t0 - T) a
///
/// NULL removes all plans: vertices follow the keyframes again, or rest. The body's time stays. If
/// a number is not finite, or a vertex would not be at the body's time, the call fails, names the
/// vertex and changes nothing. Plans for some vertices cost these, their blocks and the nodes
/// above; plans for all, and now and then a new time, cost a pass over the mesh. The first plans may
/// build the tree: see abut_shape_build_tree().
ABUT_API abut_status abut_body_set_plans(abut_scene* scene, abut_body_id body,
                                         const abut_plans_def* plans, abut_error* error);

ABUT_EXTERN_C_END

#endif
