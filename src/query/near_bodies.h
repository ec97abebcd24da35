// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bodies near a box, among all bodies of a scene: boxes of the bodies, and boxes around eight of
// those at a time.
#ifndef ABUT_QUERY_NEAR_BODIES_H
#define ABUT_QUERY_NEAR_BODIES_H

#include "base/memory.h"
#include "base/sort.h"
#include "scene/broad.h"

// A body with its box.
typedef struct abut__near_body {
    abut__body* body;
    abut_box box;
} abut__near_body;

enum { ABUT__NEAR_LEVELS = 12 };

typedef struct abut__near_bodies {
    ABUT__VECTOR(abut__near_body) bodies;  // by their numbers: in the order of the scene
    ABUT__VECTOR(abut__keyed) order;       // of the numbers, along a curve; then room to sort in
    // level by level: those of bodies in that order, then of eight of the level below
    ABUT__VECTOR(abut_box) boxes;
    size_t first[ABUT__NEAR_LEVELS + 1];  // where each level begins, then the end
    uint32_t level_count;                 // the last level has one box
} abut__near_bodies;

// Builds the levels after the bodies were set. False: no memory.
bool abut__near_bodies_build(const abut_context* context, abut__near_bodies* all);
void abut__near_bodies_free(const abut_context* context, abut__near_bodies* all);

// What is asked for: bodies that may meet a body, whose boxes are not farther than `most` from a
// box.
typedef struct abut__near_wish {
    const abut__body* asked;
    const abut_box* box;
    double most;
} abut__near_wish;

// Of the bodies that a wish names, returns the number of the one whose box has the nearest centre.
// Of several equally near ones the lowest number counts. ABUT__NONE: no body fits.
uint32_t abut__near_bodies_first(const abut__near_bodies* all, const abut__near_wish* wish);
// Lists the numbers of these bodies except one, with squared distances of boxes as keys: nonnegative
// doubles have the same order as their bits. Returns how many there are.
size_t abut__near_bodies_list(const abut__near_bodies* all, const abut__near_wish* wish,
                              uint32_t except, abut__keyed* out);

// Whether a body with this key may be at the distance. Covers the rounding of keys.
static inline bool abut__may_be_nearer(uint64_t key, double distance) {
    double least_sq;
    memcpy(&least_sq, &key, sizeof least_sq);
    return distance >= 0 && least_sq <= distance * distance * (1 + 0x1p-20);
}

#endif
