// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The distance of two rigid bodies that tumble past each other, by abut and by FCL.
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

/// Returns whether the distances of all frames differ by less than `most`.
bool rigid_agree(rigid* r, double most);

#endif

#endif
