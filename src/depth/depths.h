// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the files of depth/ share: the caller's object, and one attempt at a region.
//
//   regions.c    what belongs together          gather.c  a region as numbers
//   escape.c     directions worth trying        passage.c when two triangles touch along one
//   trial.c      trying a translation out       way_out.c the shortest that frees a region
//   clearance.c  how far inside a point is      lower.c   what no translation can stay below
//   memory.c     what goes on from call to call
#ifndef ABUT_DEPTH_DEPTHS_H
#define ABUT_DEPTH_DEPTHS_H

#include "depth/escape.h"
#include "depth/trial.h"

// what is remembered of a region from call to call
typedef struct abut__depth_memory {
    uint32_t id;
    double direction[3];
    bool taken;
} abut__depth_memory;

// Middles of the parts that triangles have in the other body: they are on their triangles, and inside
// where no vertex is, as where bars cross.
typedef struct abut__depth_middle {
    double sum[3];
    uint32_t count;
} abut__depth_middle;

struct abut_depths {
    const abut_context* context;
    bool defined;
    abut_result* result;  // what touches
    abut_result* trial;   // what would
    abut__regions regions;
    abut__escape escape;
    abut__vector kinds;     // of abut_region_kind
    abut__vector found;     // of abut_region
    abut__vector pairs;     // of abut_pair
    abut__vector inside;    // of uint32_t
    abut__vector order[2];  // of uint32_t: numbers of triangles, region after region
    abut__vector first[2];  // of uint32_t: where regions begin in it, and the end
    abut__vector seen;      // of uint8_t, by vertex number
    abut__vector middles;   // of abut__depth_middle, by triangle number
    // the last call
    abut_body_id last_body[2];
    uint64_t last_shape[2];
    uint32_t last_stamp;
    abut__vector last_place;  // of abut__depth_place, by triangle of a: entry of `memories`
    abut__vector memories;    // of abut__depth_memory
    uint32_t last_id;
};

// One region, and what is being found out about it.
typedef struct abut__attempt {
    abut_depths* depths;
    abut__trial trial;
    abut_region* region;
    bool together;
    bool few;      // triangles: every pair of them can be looked at
    double scale;  // of coordinates, for shifts that are too short by rounding
} abut__attempt;

// ---- gather.c
// The triangles of both sides, region after region.
bool abut__depths_order(abut_depths* depths);
// Fills depths->escape with a region.
bool abut__depths_gather(abut_depths* depths, uint32_t region);

// ---- way_out.c
// Finds direction, depth, deepest points and the lower bound of a region.
abut_status abut__attempt_solve(abut__attempt* a, const abut__depth_memory* last);

// ---- lower.c
// Raises the region's lower bound.
abut_status abut__attempt_lower(const abut__attempt* a);

// ---- memory.c
// Forgets everything if the bodies are others than in the last call.
void abut__depths_recall(abut_depths* depths, abut_body_id a, abut_body_id b);
// The region of the last call that this one goes on from; NULL: none.
abut__depth_memory* abut__depths_remembered(abut_depths* depths, uint32_t region);
// False: no memory.
bool abut__depths_remember(abut_depths* depths);

#endif
