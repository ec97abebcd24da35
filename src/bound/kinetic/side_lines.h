// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The sides of blocks in the kinetic AABB tree: the extreme vertices, and those that overtake them.
//
// Only vertices that end above the one that a side holds can overtake it, if that one is extreme at
// the beginning of a segment. So a scan at the end of the segment finds them all, and they are
// mostly few. The extreme line is followed from one to the next of them up to the end, and each
// change is an event. The lines have two numbers each, given as floats, and are compared in double.
#ifndef ABUT_BOUND_KINETIC_SIDE_LINES_H
#define ABUT_BOUND_KINETIC_SIDE_LINES_H

#include "base/rounding.h"
#include "bound/kinetic/aabb.h"

#define ABUT__KINETIC_NEAR 1500u           // blocks whose vertices stay in the second-level cache
#define ABUT__KINETIC_EARLY (1 - 0x1p-22)  // times are rounded towards the present, as in kernels

// A tree with the segment that it is in, in the direction of time.
typedef struct abut__kinetic_run {
    abut__kinetic* kinetic;
    const abut__tree* tree;
    const abut__kinetic_segment* segment;
} abut__kinetic_run;

static inline float abut__coordinate(const abut__source* source, uint32_t vertex, uint32_t axis) {
    const void* place = source->data + vertex * source->stride;
    return source->is_double ? (float)abut__as_float(((const double*)place)[axis])
                             : ((const float*)place)[axis];
}

static inline const float* abut__kinetic_lanes(const abut__boxes8* boxes, uint32_t side) {
    return (const float*)(const void*)boxes + (size_t)ABUT__FAN * side;
}

// Writes the extremes to the parent's lanes; returns the sides whose line has changed. `names` are
// the ids of a block's vertices; NULL: a node, whose children are slots.
uint32_t abut__kinetic_put(abut__kinetic* kinetic, uint32_t member, const uint32_t* names,
                           uint32_t sides, const abut__extremes* found, uint32_t parent,
                           uint32_t slot);
// Returns the stretches of a block, if all positions at an end are packed floats; 0: there are none.
static inline uint32_t abut__kinetic_stretches(const abut__kinetic_run* run, uint32_t block,
                                               int end, const abut__stretch** first) {
    const abut__stretches* stretches = run->segment->stretches;
    if (!abut__stretches_suit(stretches, &run->segment->source[end])) {
        return 0;
    }
    *first = stretches->list + stretches->first[block];
    return stretches->first[block + 1] - stretches->first[block];
}

// A line, with the sign of its side, so that greater means farther outwards.
typedef struct abut__contender {
    float before;
    float after;
    uint32_t vertex;
} abut__contender;

// Sides whose extreme lines will be followed, with the lines that may overtake them. There are many
// together, so that the positions at the beginning can be prefetched.
#define ABUT__SCAN_SIDES 64u
#define ABUT__SCAN_LINES 1024u
typedef struct abut__side_scan {
    uint32_t task;
    uint32_t side_count;
    uint32_t line_count;
    struct {
        uint32_t block;
        uint32_t side;
        uint32_t first;  // its lines
        uint32_t count;
    } side[ABUT__SCAN_SIDES];
    abut__contender line[ABUT__SCAN_LINES];
} abut__side_scan;

// Makes new certificates for a segment: for the sides that do not hold the extreme vertex at the
// beginning, and for all that do not hold it at both ends. Some are left to a later call, or to
// abut__kinetic_end_scan().
void abut__kinetic_enter_block(const abut__kinetic_run* run, abut__side_scan* scan, uint32_t block,
                               uint32_t at_first, uint32_t all);
// Lists the vertices that end above the one that a side holds, which is extreme at the beginning, so
// that its extreme line will be followed.
void abut__kinetic_scan_side(const abut__kinetic_run* run, abut__side_scan* scan, uint32_t block,
                             uint32_t side);
// Follows the extreme lines of all sides that are left. A block whose events do not find room, or
// whose vertices do not fit to its box, will be alone.
void abut__kinetic_end_scan(const abut__kinetic_run* run, abut__side_scan* scan);
// Computes some sides of a block that is alone, at the present time; returns those whose line has
// changed.
uint32_t abut__kinetic_renew_block(const abut__kinetic_run* run, uint32_t block, uint32_t sides);
// Lets a block be alone from now on: its events among the side events do not count, and all its sides are
// computed at the present time. Returns those whose line has changed.
uint32_t abut__kinetic_isolate_block(const abut__kinetic_run* run, uint32_t block);

#endif
