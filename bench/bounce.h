// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two spheres that expand, and whose vertices reverse where they touch: the test of flightplan
// updates in Weller, Zachmann, "Kinetic Bounding Volume Hierarchies for Deformable Objects", 2006.
// In every frame the velocities of the triangles that collide are reversed.
#ifndef BENCH_BOUNCE_H
#define BENCH_BOUNCE_H

#include "bench/bench.h"
#include "bench/leaves.h"

#include <abut/abut.h>

typedef struct bounce bounce;

typedef enum bounce_way {
    BOUNCE_FLIGHT,   ///< flight plans, new ones for vertices that reverse; linear boxes
    BOUNCE_KINETIC,  ///< the same with a kinetic tree
    BOUNCE_MOVE,     ///< all vertices are moved in float, fast, and borrowed
    BOUNCE_EXACT,    ///< all vertices by the documented formula in double: the reference
} bounce_way;

typedef enum bounce_question {
    BOUNCE_ASK_TIME,     ///< new states only
    BOUNCE_ASK_BOXES,    ///< the boxes of all tree nodes
    BOUNCE_ASK_LEAVES,   ///< the pairs of blocks that overlap: with flight plans, by a kinetic list
    BOUNCE_ASK_COLLIDE,  ///< all pairs, from the roots
    BOUNCE_ASK_LISTED,   ///< all pairs; with flight plans, with a front
} bounce_question;

/// Plays the motion once, and records which vertices reverse in which frame.
bounce* bounce_create(uint32_t triangles, uint32_t frames, uint32_t seed);
void bounce_destroy(bounce* b);

uint32_t bounce_triangles(const bounce* b);
/// The number of frames in which vertices reverse, and the total number of reversals.
uint32_t bounce_turning_frames(const bounce* b);
size_t bounce_turns(const bounce* b);

/// Returns the milliseconds of all frames: new states, the query, and new plans or velocities. Adds
/// to the counters.
double bounce_play(const bounce* b, bounce_way way, bounce_question question,
                   abut_counters* counters, leaves_counts* listed);
/// Returns whether pairs, and pairs of blocks if these are queried, match the exact formula in
/// every frame, and boxes contain all vertices in some frames.
bool bounce_is_right(const bounce* b, bounce_way way, bounce_question question);

#endif
