// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Batches of rays, and the judge: see rays_common.h.
#include "bench/rays_common.h"

#include "exact/ray.h"

#include <math.h>
#include <stdlib.h>

static rays_set make(size_t count, bool coherent) {
    return (rays_set){.origins = bench_alloc_floats(3 * count),
                      .directions = bench_alloc_floats(3 * count),
                      .count = count,
                      .coherent = coherent,
                      .theirs = bench_alloc(count, sizeof(uint32_t)),
                      .at = bench_alloc_floats(count)};
}

void rays_set_free(rays_set* s) {
    free(s->origins);
    free(s->directions);
    free(s->theirs);
    free(s->at);
}

rays_batch rays_batch_of(const rays_set* s) {
    return (rays_batch){s->origins, s->directions, s->count, s->coherent};
}

abut_box rays_box(const float* xyz, uint32_t vertices) {
    abut_box box;
    for (int d = 0; d < 3; ++d) {
        box.lo[d] = box.hi[d] = (double)xyz[d];
        for (uint32_t v = 1; v < vertices; ++v) {
            const double x = (double)xyz[3 * (size_t)v + (size_t)d];
            box.lo[d] = x < box.lo[d] ? x : box.lo[d];
            box.hi[d] = x > box.hi[d] ? x : box.hi[d];
        }
    }
    return box;
}

// rays in tiles of 16 x 16, which is how renderers send them
rays_set rays_camera(const abut_box* box, uint32_t side) {
    rays_set s = make((size_t)side * side, true);
    double middle[3];
    double size = 0;
    for (int d = 0; d < 3; ++d) {
        middle[d] = 0.5 * (box->lo[d] + box->hi[d]);
        size = fmax(size, box->hi[d] - box->lo[d]);
    }
    const double eye[3] = {middle[0] + 0.3 * size, middle[1] - 1.5 * size, middle[2] + 0.4 * size};
    size_t i = 0;
    for (uint32_t tile = 0; tile < (side / 16) * (side / 16); ++tile) {
        for (uint32_t k = 0; k < 256; ++k, ++i) {
            const uint32_t x = tile % (side / 16) * 16 + k % 16;
            const uint32_t y = tile / (side / 16) * 16 + k / 16;
            const double to[3] = {middle[0] + size * ((double)x / side - 0.5) * 1.2, middle[1],
                                  middle[2] + size * ((double)y / side - 0.5) * 1.2};
            for (size_t d = 0; d < 3; ++d) {
                s.origins[3 * i + d] = (float)eye[d];
                s.directions[3 * i + d] = (float)(to[d] - eye[d]);
            }
        }
    }
    s.count = i;
    return s;
}

static double draw(uint64_t* state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 40) * 0x1p-24;
}

rays_set rays_anywhere(const abut_box* box, size_t count, uint32_t seed) {
    rays_set s = make(count, false);
    uint64_t state = seed + UINT64_C(77);
    for (size_t i = 0; i < count; ++i) {
        double length = 0;
        double d[3];
        do {
            for (int k = 0; k < 3; ++k) {
                d[k] = 2 * draw(&state) - 1;
            }
            length = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        } while (length > 1 || length < 1e-6);
        for (size_t k = 0; k < 3; ++k) {
            s.origins[3 * i + k] = (float)(box->lo[k] + (box->hi[k] - box->lo[k]) * draw(&state));
            s.directions[3 * i + k] = (float)d[k];
        }
    }
    return s;
}

// ---- the judge

static void corners_of(const float* xyz, const uint32_t* triangles, uint32_t t, double out[3][3]) {
    for (int c = 0; c < 3; ++c) {
        const float* p = xyz + 3 * (size_t)triangles[3 * (size_t)t + (size_t)c];
        for (int d = 0; d < 3; ++d) {
            out[c][d] = (double)p[d];
        }
    }
}

static abut__ray ray_of(const rays_set* set, size_t i) {
    abut__ray ray = {.to = (double)INFINITY};
    for (size_t d = 0; d < 3; ++d) {
        ray.o[d] = (double)set->origins[3 * i + d];
        ray.d[d] = (double)set->directions[3 * i + d];
    }
    return ray;
}

// Whether `a` is a right answer as far as `b`, another answer, can tell.
static bool is_right(const abut__ray* ray, const float* xyz, const uint32_t* triangles, uint32_t a,
                     uint32_t b) {
    double p[3][3];
    double q[3][3];
    abut__ray_hit hit;
    bool fallback;
    if (b != RAYS_NONE) {
        corners_of(xyz, triangles, b, q);
    }
    const bool b_meets = b != RAYS_NONE &&
                         abut__ray_meets(ray, (const double(*)[3])q, &hit, &fallback);
    if (a == RAYS_NONE) {
        return !b_meets;
    }
    corners_of(xyz, triangles, a, p);
    if (!abut__ray_meets(ray, (const double(*)[3])p, &hit, &fallback)) {
        return false;
    }
    return !b_meets || abut__ray_compare(ray, (const double(*)[3])p, (const double(*)[3])q) <= 0;
}

rays_verdict rays_judge(const rays_set* set, const abut_cast_result* result, const float* xyz,
                        const uint32_t* triangles) {
    rays_verdict v = {0};
    size_t count = 0;
    size_t next = 0;
    const abut_ray_hit* hits = abut_cast_result_hits(result, &count);
    for (size_t i = 0; i < set->count; ++i) {
        const bool met = next < count && hits[next].ray == i;
        const uint32_t ours = met ? hits[next++].triangle : RAYS_NONE;
        const uint32_t theirs = set->theirs[i];
        if (ours != theirs) {
            const abut__ray ray = ray_of(set, i);
            ++v.differ;
            v.ours_wrong += !is_right(&ray, xyz, triangles, ours, theirs);
            v.theirs_wrong += !is_right(&ray, xyz, triangles, theirs, ours);
        }
    }
    return v;
}
