// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The sides of blocks in the kinetic AABB tree: the extreme vertices, and those that may overtake
// them.
//
// The rivals of a side are the vertices that end above the one that it holds. If that one is extreme
// at the beginning of a segment, no other vertex overtakes it, nor a rival that has overtaken it. So
// a scan at the end of the segment finds all vertices that an event has to look at. There are mostly
// few of them; many are compared by a kernel.
#ifndef ABUT_BOUND_KINETIC_SIDE_LINES_H
#define ABUT_BOUND_KINETIC_SIDE_LINES_H

#include "base/rounding.h"
#include "bound/kinetic/aabb.h"

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
    return side < 3 ? boxes->lo[side] : boxes->hi[side - 3];
}

// Writes the extremes to the parent's lanes; returns the sides whose line has changed. `names` are
// the ids of a block's vertices; NULL: a node, whose children are slots.
uint32_t abut__kinetic_put(abut__kinetic* kinetic, uint32_t member, const uint32_t* names,
                           uint32_t sides, const abut__extremes* found, uint32_t parent,
                           uint32_t slot);
// Makes new certificates for a segment: for the sides that do not hold the extreme vertex at the
// beginning, and for all that do not hold it at both ends. `used` counts the rivals stored for the
// node above.
void abut__kinetic_enter_block(const abut__kinetic_run* run, uint32_t block, uint32_t at_first,
                               uint32_t all, uint32_t* used);
// Computes some sides at the present time; returns those whose line has changed.
uint32_t abut__kinetic_renew_block(const abut__kinetic_run* run, uint32_t block, uint32_t sides);
// The same for all sides, if vertices have other positions at both ends.
uint32_t abut__kinetic_repair_block(const abut__kinetic_run* run, uint32_t block);

// Prefetches what an event of a block reads.
static inline void abut__kinetic_prefetch(const abut__kinetic_run* run, uint32_t block) {
    const uint32_t parent = run->tree->block_parent[block];
    __builtin_prefetch(run->kinetic->rivals[block]);
    __builtin_prefetch(run->kinetic->rival[parent]);
    __builtin_prefetch(run->kinetic->held[block], 1);
    for (int e = 0; e < 2; ++e) {
        __builtin_prefetch(run->kinetic->ends[e][parent].lo[0], 1);
        __builtin_prefetch(run->kinetic->ends[e][parent].lo[2], 1);
        __builtin_prefetch(run->kinetic->ends[e][parent].hi[1], 1);
    }
}

#endif
