// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two spheres that expand, and whose vertices turn back where they touch: the test of flightplan
// updates in Weller, Zachmann, "Kinetic Bounding Volume Hierarchies for Deformable Objects", 2006. In
// every frame the velocities of the triangles that collide are reversed.
#ifndef BENCH_BOUNCE_H
#define BENCH_BOUNCE_H

#include "bench/bench.h"
#include "bench/leaves.h"

#include <abut/abut.h>

typedef struct bounce bounce;

typedef enum bounce_way {
    BOUNCE_FLIGHT,   ///< plans, new ones for the vertices that turn; linear boxes
    BOUNCE_KINETIC,  ///< the same with a kinetic tree
    BOUNCE_MOVE,     ///< all vertices are moved in float, fast, and borrowed
    BOUNCE_EXACT,    ///< all vertices by the documented formula in double: the reference
} bounce_way;

typedef enum bounce_question {
    BOUNCE_ASK_BOXES,   ///< the boxes of all tree nodes
    BOUNCE_ASK_LEAVES,  ///< the pairs of blocks that overlap: by a kinetic list, if there are plans
    BOUNCE_ASK_COLLIDE,  ///< all pairs, from the roots
    BOUNCE_ASK_LISTED,   ///< all pairs, with a front if there are plans
} bounce_question;

/// Plays it once, and writes down which vertices turn in which frame.
bounce* bounce_create(uint32_t triangles, uint32_t frames, uint32_t seed);
void bounce_destroy(bounce* b);

uint32_t bounce_triangles(const bounce* b);
/// Frames in which vertices turn, and how many do, in all.
uint32_t bounce_turning_frames(const bounce* b);
size_t bounce_turns(const bounce* b);

/// Milliseconds of all frames: new states, the question, and new plans or velocities. Counters are
/// added to.
double bounce_play(const bounce* b, bounce_way way, bounce_question question,
                   abut_counters* counters, leaves_counts* listed);
/// Whether pairs, and pairs of blocks if the question is these, are those of the exact formula in every
/// frame, and boxes hold all vertices in some.
bool bounce_is_right(const bounce* b, bounce_way way, bounce_question question);

#endif
