// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Plans of a body's own: vertices that move from a position with a velocity, and a common
// acceleration, which shifts the whole body alike. Based on the flightplans, and their updates
// during the motion, of Weller, Zachmann, "Kinetic Bounding Volume Hierarchies for Deformable
// Objects", 2006.
//
// Bounds. A body with plans has a span of time, with all positions at both ends, in float, and the
// boxes of both. Between the ends boxes are interpolated as between keyframes (bound/linear.h).
// When the time leaves the span, the next one begins where it ended. When plans change, what
// depends on them is computed again at both ends. Where there are keyframes, spans end at them,
// because vertices without a plan turn there. Boxes of positions and of velocities would need no
// ends, but they grow wherever velocities differ, even if vertices converge.
//
// Between its ends the common part c(t) = a (t - T)^2 / 2 is not linear. It differs from the line
// between the ends by exactly a (t - from)(to - t) / 2, which is subtracted from boxes and points;
// let D be its greatest magnitude.
//
// The pad. Let S be the greatest magnitude of a coordinate at both ends and u = 2^-24.
// Interpolation is off by 6 u S as between keyframes (motion/flight.h), the shift by D and its
// rounding by u (S + 3 D): below 2^-20 (S + D). Terms of the documented formula may be much larger
// than their sum. Let M be a bound of |p| + |t - t0| |u| + |c| over all vertices. Their doubles are
// off by less than 8 2^-53 M at the time and at both ends, where M is greatest since it is convex
// in t: 2^-48 M covers them all. A vertex without a plan is the interpolation of two keyframes at
// the very ends of the span, or rests, so that its terms are below S.
#ifndef ABUT_MOTION_PLANS_H
#define ABUT_MOTION_PLANS_H

#include "abut/flight.h"
#include "bound/linear.h"
#include "motion/motion.h"

// bounds of the magnitudes of all plans
typedef struct abut__plan_limits {
    double p;
    double u;
    double first;  // range of the times that plans are from; first > last: there are none
    double last;
} abut__plan_limits;

// the whole body at one end of the span
typedef struct abut__plan_end {
    double time;      // NAN: not computed yet
    uint32_t serial;  // changes whenever the end is computed again
    float* points;
    abut__key_boxes boxes;
} abut__plan_end;

typedef struct abut__plans {
    const abut_context* context;
    uint32_t vertex_count;
    uint32_t block_count;
    uint32_t planned;  // vertices with a plan
    double (*p)[3];    // position of a vertex: p + (t - since) u
    double (*u)[3];
    double* since;  // NAN: the vertex has no plan
    double acceleration[3];
    double origin;     // the time that the common part is from
    bool accelerated;  // there is a common part
    abut__plan_limits limits;
    double time;  // of the last state
    double from;  // the span, in the direction of time; from == to: only the first end is valid
    double to;
    double most;  // M over the span
    abut__plan_end end[2];
    uint64_t epoch;     // unique in the context: another one means other boxes at the ends
    uint64_t change;    // the last time since then that some boxes were updated,
    uint64_t* touched;  // and per node the last time that those of its children were
    uint32_t serials;
    // both ends equal those of the shape before, except for what its edit changed
    bool is_descended;
    bool repaired;  // plans of some blocks changed since the last state, and both ends with them
    uint64_t* block_marks;  // these blocks, one bit each
    uint64_t* node_marks;   // all 0 between calls
} abut__plans;

// Sets plans given for a body of the shape at a time; `plans` are its present ones, NULL at first.
// A refused call changes nothing.
abut_status abut__plans_set(const abut_shape* shape, abut__plans** plans, double time,
                            const abut_plans_def* given, abut_error* error);
// Copies plans for another shape: vertices that only the new one has get none.
abut_status abut__plans_carry(const abut_shape* shape, const abut_shape* before,
                              const abut__plans* from, abut__plans** plans, abut_error* error);
void abut__plans_free(abut__plans* plans);

// Whether vertices with plans remain finite at a time.
bool abut__plans_reach(const abut__plans* plans, double time);
// Makes a span that contains the time. False: numbers are too large for boxes.
bool abut__plans_seek(const abut_shape* shape, abut__plans* plans, double time);
// Clears the marks of repaired blocks. Call it after all other data of both ends are updated.
void abut__plans_settle(abut__plans* plans);
// Returns how far the common part is off the line between the ends of the span.
void abut__plans_curve_offset(const abut__plans* plans, double time, double offset[3]);
// Evaluates the documented formula; coordinate d of ids[i] goes to out[d][i].
void abut__plans_vertices(const abut_shape* shape, const abut__plans* plans, double time,
                          const uint32_t* ids, uint32_t count, double* const out[3]);

#endif
