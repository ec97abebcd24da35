// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the files of depth/ share: the caller's object, and one attempt at a region.
//
//   regions.c    what belongs together          gather.c  a region as numbers
//   escape.c     directions worth trying        passage.c when two triangles touch along one
//   trial.c      trying a translation out       way_out.c the shortest that frees a region
//   clearance.c  how far inside a point is      lower.c   what no translation can stay below
//   couples.c    the sides of one body in itself  hold.c   and how long pairs of them touch
//   steady.c     ways out that do not jump      history.c  what goes on from call to call
//   attempt.c    how far a direction needs
#ifndef ABUT_DEPTH_DEPTH_H
#define ABUT_DEPTH_DEPTH_H

#include "depth/escape.h"
#include "depth/trial.h"

// What is remembered of a region from call to call. Triangles are remembered by groups: regions, or patches within
// one body.
typedef struct abut__depth_memory {
    uint32_t id;
    uint32_t group[2];  // of the sides: two patches, or twice the region
    double direction[3];
    double depth;
    bool by_width;  // and the depth was the width of the overlap
    bool interlocked;
    bool taken;
} abut__depth_memory;

// A triangle as it was in the last call.
typedef struct abut__depth_trace {
    uint32_t group;
    double corner[3][3];  // in the world
} abut__depth_trace;

// The group of the last call that a group goes on from, by how many triangles both have.
typedef struct abut__depth_claim {
    uint32_t group;  // ABUT__NONE: none
    uint32_t votes;
} abut__depth_claim;

// Two patches of one body that touch.
typedef struct abut__depth_couple {
    uint32_t patch[2];           // the same one: it cuts itself
    abut__depth_memory* memory;  // what it goes on from, or NULL
} abut__depth_couple;

// Middles of the parts that triangles have in the other body: they are on their triangles, and inside
// where no vertex is, as where bars cross.
typedef struct abut__depth_middle {
    double sum[3];
    uint32_t count;
} abut__depth_middle;

enum { ABUT__DEPTH_MARKS = 16 };  // vertices of a body, spread over it, whose places are remembered

struct abut_depths {
    const abut_context* context;
    bool defined;
    abut_result* result;  // what touches
    abut_result* trial;   // what would
    abut__regions regions;
    abut__escape escape;
    abut__region_kinds kinds;
    ABUT__VECTOR(abut_region) found;
    ABUT__VECTOR(bool) by_width;  // one for each of them
    ABUT__VECTOR(abut_pair) pairs;
    abut__uint32s inside;
    abut__uint32s order[2];                    // numbers of triangles, region after region
    abut__uint32s first[2];                    // where regions begin in it, and the end
    ABUT__VECTOR(uint8_t) seen;                // by vertex number
    ABUT__VECTOR(uint64_t) keys;               // to sort by
    ABUT__VECTOR(abut__depth_middle) middles;  // by triangle number
    // within one body: all that is in itself, of which each two patches become the regions above
    abut__regions patches;
    ABUT__VECTOR(abut__depth_couple) couples;  // in the order of their first pairs
    abut__uint32s couple_of;                   // by pair
    ABUT__VECTOR(abut_pair) turned;            // the first side's triangle first
    abut__uint32s patch_order[2];              // as `order` and `first`; the second ones are empty
    abut__uint32s patch_first[2];
    // the last call
    abut_body_id last_body[2];
    uint64_t last_shape[2];
    uint32_t memory_stamp;
    uint32_t last_stamp;                            // 0: nothing is remembered
    ABUT__VECTOR(abut__depth_place) last_place[2];  // by triangle: its number in last_triangle
    ABUT__VECTOR(abut__depth_trace) last_triangle[2];
    double last_mark[2][ABUT__DEPTH_MARKS][3];
    ABUT__VECTOR(abut__depth_memory) memories;
    ABUT__VECTOR(abut__depth_claim) claims;  // by group
    abut__uint32s votes;                     // by group of the last call
    uint32_t last_group_count;
    uint32_t last_id;
};

// One region, and what is being found out about it.
typedef struct abut__attempt {
    abut_depths* depths;
    abut__trial trial;
    abut_region* region;
    bool together;
    bool few;           // triangles: every pair of them can be looked at
    double out[3];      // within one body: ways out have this direction, more or less; may be 0
    double keep;        // another way must need less than this part of the present one
    bool by_width;      // what was found is as long as the overlap is wide
    double nearest[3];  // the way that the lower bound rests on; 0: none
    double scale;       // of coordinates, for shifts that are too short by rounding
} abut__attempt;

// ---- gather.c
// Triangles of a side, region after region: their numbers, and where regions begin, and the end.
bool abut__depths_sort(const abut_context* context, const abut__depth_side* side, uint32_t regions,
                       abut__uint32s* order, abut__uint32s* first);
// The same for both sides of the regions.
bool abut__depths_order(abut_depths* depths);
// Where the triangles of every pair meet.
static inline const abut_intersection* abut__depths_shared(const abut_depths* depths) {
    return depths->regions.within ? depths->patches.shared.data : depths->regions.shared.data;
}
// Fills depths->escape with a region.
bool abut__depths_gather(abut_depths* depths, uint32_t region);

// ---- couples.c
// Finds patches of one body and which of them touch. `anew`: which of two is the first side does not depend on the last
// call.
abut_status abut__couples_find(abut_depths* depths, const abut_pair* pairs, size_t count,
                               bool anew);
// Makes a couple the only region.
abut_status abut__couples_load(abut_depths* depths, uint32_t number);

// ---- attempt.c
// The deepest points of both along a direction.
void abut__attempt_deepest(const abut__attempt* a, const double direction[3], double point_a[3],
                           double point_b[3]);
// Whether what a shift has freed is where it ought to be. Not `clean`: other triangles may touch.
bool abut__attempt_is_out(const abut__attempt* a, const double direction[3], bool clean,
                          const double way[3]);
// Makes a shift along a direction as long as it must be to free the region, or (`clean`) to free it
// without touching elsewhere; INFINITY: it does not.
abut_status abut__attempt_shift(const abut__attempt* a, const double direction[3], bool clean,
                                double* shift);
// The first shift from a given one on with which nothing touches; not below `limit`: there is none.
abut_status abut__attempt_push(const abut__attempt* a, const double direction[3], bool clean,
                               double limit, double* shift);

// ---- steady.c
// Has the way out of a region that goes on change no faster than the bodies move, where that frees it.
abut_status abut__attempt_steady(abut__attempt* a, const abut__depth_memory* last);

// ---- way_out.c
// Finds direction, depth, deepest points and the lower bound of a region.
abut_status abut__attempt_solve(abut__attempt* a, const abut__depth_memory* last);

// ---- lower.c
// Raises the region's lower bound, and notes the way of a's deepest point to b's surface, or that of b's.
abut_status abut__attempt_lower(abut__attempt* a);

// ---- hold.c
// The same within one body: no shorter translation parts the pair of triangles that is deepest in each other.
void abut__attempt_hold(const abut__attempt* a);

// ---- history.c
// Forgets everything if the bodies are others than in the last call.
void abut__depths_recall(abut_depths* depths, abut_body_id a, abut_body_id b);
// Finds for every group the one of the last call that it goes on from: of regions, which are then found
// by abut__depths_remembered(), or of patches. False: no memory.
bool abut__depths_match(abut_depths* depths, const abut__regions* groups,
                        const abut__uint32s order[2], const abut__uint32s first[2]);
// The region of the last call that this one goes on from; NULL: none.
abut__depth_memory* abut__depths_remembered(abut_depths* depths, uint32_t region);
// How far corners of the region's triangles have moved since the last call, of a and b together; what both
// have in common does not count. Where none of a side was there, vertices all over the body stand for them.
double abut__depths_motion(const abut_depths* depths, uint32_t region);
// Remembers what was found, and the groups of triangles. False: no memory.
bool abut__depths_remember(abut_depths* depths, const abut__regions* groups);

#endif
