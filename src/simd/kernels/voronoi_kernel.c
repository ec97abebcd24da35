// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kernel of the discrete Voronoi diagram: spreads labels along one axis (voronoi/field.h).
// Compiled once per instruction set; uses integers only.
#include "simd/kernels.h"
#include "simd/lanes.h"

typedef struct two_labels {
    ints distance[2];
    ints body[2];
    ints site[2];
} two_labels;

// Inserts a label into the two nearest of different bodies.
static inline void take(two_labels* best, ints distance, ints body, ints site) {
    const ints nearer = distance < best->distance[0];
    const ints other = body != best->body[0];
    // the first becomes the second, or the label does
    const ints back = nearer & other;
    const ints second = ~nearer & other & (distance < best->distance[1]);
    best->distance[1] = ints_pick(back, best->distance[0],
                                  ints_pick(second, distance, best->distance[1]));
    best->body[1] = ints_pick(back, best->body[0], ints_pick(second, body, best->body[1]));
    best->site[1] = ints_pick(back, best->site[0], ints_pick(second, site, best->site[1]));
    best->distance[0] = ints_pick(nearer, distance, best->distance[0]);
    best->body[0] = ints_pick(nearer, body, best->body[0]);
    best->site[0] = ints_pick(nearer, site, best->site[0]);
}

void ABUT_KERNEL(spread_labels)(const abut__labels* into, const abut__labels* from, ptrdiff_t step,
                                int32_t low, int32_t high, uint32_t count) {
    for (uint32_t x = 0; x < count; x += FLOAT_LANES) {
        two_labels best;
        for (int i = 0; i < 2; ++i) {
            best.distance[i] = (ints){0} + ABUT__LABEL_FAR;
            best.body[i] = best.site[i] = (ints){0} - 1;
        }
        for (int32_t k = low; k <= high; ++k) {
            const ptrdiff_t at = (ptrdiff_t)x + k * step;
            for (int i = 0; i < 2; ++i) {
                take(&best, ints_load(from->distance[i] + at) + k * k,
                     ints_load(from->body[i] + at), ints_load(from->site[i] + at));
            }
        }
        for (int i = 0; i < 2; ++i) {
            ints_store(into->distance[i] + x, best.distance[i]);
            ints_store(into->body[i] + x, best.body[i]);
            ints_store(into->site[i] + x, best.site[i]);
        }
    }
}
