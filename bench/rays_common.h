// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the rows of rays share: batches of rays, casts of abut, and the judge of answers that differ.
#ifndef BENCH_RAYS_COMMON_H
#define BENCH_RAYS_COMMON_H

#include "bench/rays.h"
#include "bench/reduced.h"
#include "peers/rays.h"

#include <abut/abut.h>

/// A batch with memory of its own, and the answers of both sides.
typedef struct rays_set {
    float* origins;
    float* directions;
    size_t count;
    bool coherent;
    uint32_t* theirs;
    float* at;
} rays_set;

/// Rays of a camera that sees the whole box, or from anywhere in the box in any direction.
rays_set rays_camera(const abut_box* box, uint32_t side);
rays_set rays_anywhere(const abut_box* box, size_t count, uint32_t seed);
void rays_set_free(rays_set* s);
rays_batch rays_batch_of(const rays_set* s);

/// The box of positions.
abut_box rays_box(const float* xyz, uint32_t vertices);

/// Which answers differ, and who is right by the exact test.
typedef struct rays_verdict {
    size_t differ;
    size_t ours_wrong;
    size_t theirs_wrong;
} rays_verdict;
/// Compares the first hits of a result with set->theirs. `xyz` are the positions that both had.
rays_verdict rays_judge(const rays_set* set, const abut_cast_result* result, const float* xyz,
                        const uint32_t* triangles);

#endif
