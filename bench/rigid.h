// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two rigid bodies that tumble past each other, by abut and by FCL: their distance, or the triangles
// that touch.
#ifndef BENCH_RIGID_H
#define BENCH_RIGID_H

#include "bench/bench.h"
#include "bench/near.h"

#ifdef BENCH_HAVE_FCL

typedef struct rigid rigid;

/// Makes both sides. The path has `frames` frames, and fits bodies of this size. The arrays of the
/// meshes must outlive it.
rigid* rigid_create(const near_mesh meshes[2], near_volume volume, double size, uint32_t frames);
void rigid_destroy(rigid* r);

/// Place both bodies as in a frame and return their distance.
double rigid_ask_abut(rigid* r, uint32_t frame);
double rigid_ask_fcl(rigid* r, uint32_t frame);
/// Place both bodies as in a frame, find all pairs that touch, and return their number.
size_t rigid_collide_abut(rigid* r, uint32_t frame);
size_t rigid_collide_fcl(rigid* r, uint32_t frame);

/// Returns whether the distances of all frames differ by less than `most`.
bool rigid_agree(rigid* r, double most);

/// Pairs of all frames, and those that only one side found.
typedef struct rigid_pairs {
    size_t frames;  ///< in which triangles touch
    size_t most;    ///< in one frame
    size_t all;     ///< that abut found
    size_t abut;    ///< that only abut found
    size_t fcl;     ///< that only FCL found
} rigid_pairs;
rigid_pairs rigid_compare(rigid* r);

#endif

#endif
