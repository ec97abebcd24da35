// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The points of blocks at both ends of a segment, as rows of coordinates. A row is read at first
// use, because only blocks with events need them, and is kept while its end is one of a segment.
#ifndef ABUT_BOUND_KINETIC_KEY_POINTS_H
#define ABUT_BOUND_KINETIC_KEY_POINTS_H

#include "simd/kernels.h"
#include "tree/tree.h"

typedef struct abut__key_points {
    uint32_t block_count;
    uint32_t key[2];                // numbers of the ends; ABUT__NONE: none
    abut__block_points* points[2];  // per block
    uint8_t* stored[2];             // per block: a bit for each row that was read
} abut__key_points;

// False: no memory.
bool abut__key_points_init(abut__key_points* of, const abut_context* context, uint32_t blocks);
void abut__key_points_free(abut__key_points* of, const abut_context* context);
// Changes to other ends. What was read for one of them remains, at either place. Returns a bit for
// each end that was already at its place, or has changed places with the other.
uint32_t abut__key_points_take(abut__key_points* of, const uint32_t key[2], bool* swapped);
// Forgets both ends of a block.
void abut__key_points_drop(abut__key_points* of, uint32_t block);
// Copies what was read for a block.
void abut__key_points_copy(abut__key_points* of, uint32_t block, const abut__key_points* from,
                           uint32_t old);
void abut__key_points_read(abut__key_points* of, const abut__block* block, uint32_t number, int end,
                           uint32_t axis, const abut__source* source);

// Reads a row of a block at both ends, unless that was done.
static inline void abut__key_points_need(abut__key_points* of, const abut__block* block,
                                         uint32_t number, uint32_t axis,
                                         const abut__source source[2]) {
    for (int e = 0; e < 2; ++e) {
        if ((of->stored[e][number] >> axis & 1) == 0) {
            abut__key_points_read(of, block, number, e, axis, &source[e]);
        }
    }
}

#endif
