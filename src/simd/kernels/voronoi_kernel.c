// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kernel of the discrete Voronoi diagram: spreads labels along one axis (voronoi/field.h).
// Compiled once per instruction set; uses integers only.
#include "simd/kernels.h"
#include "simd/lanes.h"

// As many lanes as a register has: compilers handle wider vectors badly in a loop.
#if defined(__AVX512F__)
typedef i32x16 lanes;
#elif defined(__AVX2__)
typedef i32x8 lanes;
#else
typedef i32x4 lanes;
#endif
#define LANES ((uint32_t)(sizeof(lanes) / sizeof(int32_t)))

static inline lanes load(const int32_t* p) {
    lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store(int32_t* p, lanes v) {
    memcpy(p, &v, sizeof v);
}

// mask ? a : b, for masks of all or no bits.
static inline lanes choose(lanes mask, lanes a, lanes b) {
    return (mask & a) | (~mask & b);
}

typedef struct two_labels {
    lanes distance[2];
    lanes body[2];
    lanes site[2];
} two_labels;

// Inserts a label into the two nearest of different bodies.
static inline void take(two_labels* best, lanes distance, lanes body, lanes site) {
    const lanes nearer = distance < best->distance[0];
    const lanes other = body != best->body[0];
    // the first becomes the second, or the label does
    const lanes back = nearer & other;
    const lanes second = ~nearer & other & (distance < best->distance[1]);
    best->distance[1] = choose(back, best->distance[0],
                               choose(second, distance, best->distance[1]));
    best->body[1] = choose(back, best->body[0], choose(second, body, best->body[1]));
    best->site[1] = choose(back, best->site[0], choose(second, site, best->site[1]));
    best->distance[0] = choose(nearer, distance, best->distance[0]);
    best->body[0] = choose(nearer, body, best->body[0]);
    best->site[0] = choose(nearer, site, best->site[0]);
}

void ABUT_KERNEL(spread_labels)(const abut__labels* into, const abut__labels* from, ptrdiff_t step,
                                int32_t low, int32_t high, uint32_t count) {
    for (uint32_t x = 0; x < count; x += LANES) {
        two_labels best;
        for (int i = 0; i < 2; ++i) {
            best.distance[i] = (lanes){0} + ABUT__LABEL_FAR;
            best.body[i] = best.site[i] = (lanes){0} - 1;
        }
        for (int32_t k = low; k <= high; ++k) {
            const ptrdiff_t at = (ptrdiff_t)x + k * step;
            for (int i = 0; i < 2; ++i) {
                take(&best, load(from->distance[i] + at) + k * k, load(from->body[i] + at),
                     load(from->site[i] + at));
            }
        }
        for (int i = 0; i < 2; ++i) {
            store(into->distance[i] + x, best.distance[i]);
            store(into->body[i] + x, best.body[i]);
            store(into->site[i] + x, best.site[i]);
        }
    }
}
