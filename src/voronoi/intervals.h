// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The first stage: boxes of bodies in sorted intervals, and for every body an upper bound of the
// distance to its nearest other body.
#ifndef ABUT_VORONOI_INTERVALS_H
#define ABUT_VORONOI_INTERVALS_H

#include "base/sort.h"
#include "voronoi/sites.h"

typedef struct abut__intervals {
    ABUT__VECTOR(abut__keyed)
    order;                      // bodies by the low ends of their boxes; second half is
                                // scratch
    ABUT__VECTOR(float) reach;  // by body: the bound, in cells; infinite without another body
    abut__uint32s named;        // by body: its triangle that gives the bound
    ABUT__VECTOR(float) ends;   // by place in the order, the greatest high end up to it
    int axis;                   // the axis of sorting
} abut__intervals;

// Returns whether a pair of bodies is to be tested.
typedef bool (*abut__meet_fn)(const abut__body* a, const abut__body* b);

// Sorts the boxes. False: no memory.
bool abut__intervals_sort(const abut_context* context, const abut__sites* sites,
                          abut__intervals* intervals);
// Computes the bounds, from samples of bodies that meet.
void abut__intervals_sample(const abut_context* context, const abut__sites* sites,
                            abut__meet_fn meet, abut__intervals* intervals);
void abut__intervals_free(const abut_context* context, abut__intervals* intervals);

// Calls `fn` for every body whose box is within `reach` cells of a box. `fn` returns the reach for
// the rest of the search, which may be smaller.
typedef float (*abut__interval_fn)(void* user, uint32_t body, float gap, float reach);
void abut__intervals_near(const abut__sites* sites, const abut__intervals* intervals,
                          const float lo[3], const float hi[3], float reach, abut__interval_fn fn,
                          void* user);

#endif
