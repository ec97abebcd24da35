// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The first stage: boxes of bodies in sorted intervals, and for every body a distance that its
// nearest other one is within.
#ifndef ABUT_VORONOI_INTERVALS_H
#define ABUT_VORONOI_INTERVALS_H

#include "base/sort.h"
#include "voronoi/sites.h"

typedef struct abut__intervals {
    ABUT__VECTOR(abut__keyed) order;  // bodies by the low ends of their boxes; then scratch
    ABUT__VECTOR(float) reach;        // by body: in cells; infinite if there is no other body
    ABUT__VECTOR(float) ends;         // by place in the order, the greatest high end up to it
    int axis;                         // that the boxes are sorted along
} abut__intervals;

// Whether two bodies are to be looked at.
typedef bool (*abut__meet_fn)(const abut__body* a, const abut__body* b);

// Sorts the boxes. False: no memory.
bool abut__intervals_sort(const abut_context* context, const abut__sites* sites,
                          abut__intervals* intervals);
// Samples distances of bodies that meet.
void abut__intervals_sample(const abut_context* context, const abut__sites* sites,
                            abut__meet_fn meet, abut__intervals* intervals);
void abut__intervals_free(const abut_context* context, abut__intervals* intervals);

// Calls for every other body whose box is within `reach` cells of a box, whatever it is of; stops when
// the function returns a smaller reach than what is left.
typedef float (*abut__interval_fn)(void* user, uint32_t body, float gap, float reach);
void abut__intervals_near(const abut__sites* sites, const abut__intervals* intervals,
                          const float lo[3], const float hi[3], float reach, abut__interval_fn fn,
                          void* user);

#endif
