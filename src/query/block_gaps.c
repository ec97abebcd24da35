// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proves triangles of two blocks farther apart than the best pair so far, by planes between them.
// Boxes are loose around flat pieces of surfaces: between two balls about one centre, where all
// distances are nearly equal, most of the blocks whose boxes are near enough are not near enough
// themselves.
//
// The plane is found by Gilbert's algorithm. Differences of points of both blocks form a convex
// set. A point v of it is given, and the point s of the set that is lowest along v. The set is at
// least v s / |v| from the origin. The next v is the point between both that is nearest to the
// origin. Based on: Gilbert, "An iterative procedure for computing the minimum of a quadratic form
// on a convex set", SIAM Journal on Control 4 (1966).
#include <math.h>

#include "query/nearest.h"

enum {
    BLOCKS = 1024,  // of a body, whose vertices are stored
    PATIENCE = 32,  // pairs of blocks that are compared without this proof
    STEPS = 4       // planes that are tried
};
#define WIDE 0.04f  // square of a distance over that of a block's diagonal: below it boxes suffice

// The vertices of a block in float, relative to a point near both bodies.
typedef struct stored_block {
    _Alignas(64) abut__block_points points;
    float middle[3];
    float most;      // the greatest coordinate
    uint32_t block;  // ABUT__NONE: nothing is stored here
} stored_block;

struct abut__block_gaps {
    stored_block blocks[2][BLOCKS];
    double origin[3];
    float size_sq;  // square of the greatest diagonal of a stored block
};

void abut__block_gaps_begin(abut__seeker* seeker) {
    seeker->meetings = 0;
}

void abut__block_gaps_share(const abut_context* context, abut__seeker* seekers, uint32_t count) {
    bool is_used = false;
    for (uint32_t i = 0; i < count; ++i) {
        is_used = is_used || seekers[i].gaps != NULL;
    }
    for (uint32_t i = 0; i < count && is_used; ++i) {
        if (seekers[i].gaps == NULL) {
            seekers[i].gaps = abut__alloc(context, 1, sizeof *seekers[i].gaps);
        }
    }
}

void abut__block_gaps_free(const abut_context* context, abut__seeker* seeker) {
    abut__free(context, seeker->gaps, 1, sizeof *seeker->gaps);
}

static const abut__corners* fetch(abut__seeker* seeker, int side, uint32_t block) {
    const abut__view* view = &seeker->job.view[side];
    const uint32_t count = view->tree->blocks[block]->vertex_count;
    const uint64_t all = count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
    abut__corners_fetch(seeker->scene, &seeker->corners[side], view->body, block,
                        abut__corners_placed(seeker->job.in_shape, view->body), seeker->job.suspect,
                        all);
    return &seeker->corners[side];
}

// Empties the store, whose origin becomes a vertex of a block of b. False: no memory.
static bool begin_store(abut__seeker* seeker, uint32_t block_b) {
    if (seeker->gaps == NULL) {
        seeker->gaps = abut__alloc(seeker->scene->context, 1, sizeof *seeker->gaps);
    }
    for (uint32_t i = 0; i < 2 * BLOCKS && seeker->gaps != NULL; ++i) {
        seeker->gaps->blocks[i / BLOCKS][i % BLOCKS].block = ABUT__NONE;
    }
    if (seeker->gaps != NULL) {
        memcpy(seeker->gaps->origin, fetch(seeker, 1, block_b)->xyz[0], 3 * sizeof(double));
        seeker->gaps->size_sq = 0;
    }
    return seeker->gaps != NULL;
}

static void fill(const abut__seeker* seeker, const abut__corners* corners, uint32_t count,
                 stored_block* out) {
    float size_sq = 0;
    out->most = corners->bad != 0 ? INFINITY : 0;
    for (int d = 0; d < 3; ++d) {
        float lo = INFINITY;
        float hi = -INFINITY;
        for (uint32_t v = 0; v < ABUT__BLOCK_VERTICES; ++v) {
            const double* p = corners->xyz[v < count ? v : 0];
            const float x = (float)(p[d] - seeker->gaps->origin[d]);
            out->points.xyz[d][v] = x;
            lo = x < lo ? x : lo;
            hi = x > hi ? x : hi;
        }
        out->middle[d] = 0.5f * (lo + hi);
        const float most = -lo > hi ? -lo : hi;
        out->most = out->most >= most ? out->most : most;
        size_sq += (hi - lo) * (hi - lo);
    }
    seeker->gaps->size_sq = size_sq > seeker->gaps->size_sq ? size_sq : seeker->gaps->size_sq;
}

static const stored_block* stored(abut__seeker* seeker, int side, uint32_t block) {
    stored_block* place = &seeker->gaps->blocks[side][block % BLOCKS];
    if (place->block != block) {
        fill(seeker, fetch(seeker, side, block),
             seeker->job.view[side].tree->blocks[block]->vertex_count, place);
        place->block = block;
    }
    return place;
}

static float dot(const float a[3], const float b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

// returns the difference of b's lowest point along v and a's highest
static void lowest_difference(const abut__kernels* kernels, const stored_block* const blocks[2],
                              const float v[3], float out[3]) {
    const float back[3] = {-v[0], -v[1], -v[2]};
    const uint32_t a = kernels->lowest_point(&blocks[0]->points, back);
    const uint32_t b = kernels->lowest_point(&blocks[1]->points, v);
    for (int d = 0; d < 3; ++d) {
        out[d] = blocks[1]->points.xyz[d][b] - blocks[0]->points.xyz[d][a];
    }
}

// moves v to the point between v and s that is nearest to the origin
static void step_to(float v[3], const float s[3]) {
    const float way[3] = {s[0] - v[0], s[1] - v[1], s[2] - v[2]};
    const float square = dot(way, way);
    const float part = square > 0 ? -dot(v, way) / square : 0;
    const float most = part < 1 ? part : 1;
    for (int d = 0; d < 3; ++d) {
        v[d] += (most > 0 ? most : 0) * way[d];
    }
}

// A direction from a to b, and the points of both blocks along it.
typedef struct gap {
    float direction[3];
    float length;  // of the direction
    float height;  // of the lowest difference along it, times the length
} gap;

// Finds the direction along which two blocks are farthest apart, among a few. Stops where they are
// farther apart than `reach`, or cannot be. False: some number is too large or too small.
static bool find_gap(const abut__kernels* kernels, const stored_block* const blocks[2], float reach,
                     gap* best) {
    float v[3];
    float part = -INFINITY;
    for (int d = 0; d < 3; ++d) {
        v[d] = blocks[1]->middle[d] - blocks[0]->middle[d];
    }
    for (int k = 0; k < STEPS && !(part > reach); ++k) {
        float s[3];
        const float length = sqrtf(dot(v, v));
        if (!(length > 1e-15f) || !(length < 1e15f)) {
            return k > 0;
        }
        lowest_difference(kernels, blocks, v, s);
        const float height = dot(v, s);
        if (height > part * length) {
            part = height / length;
            *best = (gap){{v[0], v[1], v[2]}, length, height};
        }
        if (!(length > reach)) {
            break;  // points of the convex sets are near enough
        }
        step_to(v, s);
    }
    return true;
}

// keeps the lanes with a corner in a set of vertices
static uint64_t lanes_at(const abut__block* fixed, uint64_t vertices) {
    uint64_t lanes = 0;
    for (uint32_t k = 0; k < fixed->triangle_count; ++k) {
        const uint64_t any = vertices >> fixed->corner[0][k] | vertices >> fixed->corner[1][k] |
                             vertices >> fixed->corner[2][k];
        lanes |= (any & 1) << k;
    }
    return lanes & fixed->valid;
}

// Keeps the triangles of one block that are near enough to the plane through the nearest point of
// the other one, across the gap's direction.
static uint64_t near_plane(const abut__seeker* seeker, const stored_block* const blocks[2],
                           int side, const gap* found, float reach) {
    const float sign = side == 0 ? -1 : 1;
    const float towards[3] = {sign * found->direction[0], sign * found->direction[1],
                              sign * found->direction[2]};
    const float back[3] = {-towards[0], -towards[1], -towards[2]};
    const abut__block_points* other = &blocks[1 - side]->points;
    const uint32_t k = seeker->kernels->lowest_point(other, back);
    const float nearest[3] = {other->xyz[0][k], other->xyz[1][k], other->xyz[2][k]};
    const uint64_t points = seeker->kernels->points_below(
        &blocks[side]->points, towards, dot(nearest, towards) + found->length * reach);
    return lanes_at(seeker->job.view[side].tree->blocks[blocks[side]->block], points);
}

// whether the proof is possible, and pays
static bool is_ready(abut__seeker* seeker, uint32_t block_b) {
    if (seeker->lanes != 0 || seeker->job.self || seeker->job.unbounded ||
        !isfinite(seeker->limits[0]) || ++seeker->meetings <= PATIENCE) {
        return false;
    }
    if (seeker->meetings == PATIENCE + 1 && !begin_store(seeker, block_b)) {
        seeker->meetings = 0;
        return false;
    }
    return seeker->limits[0] >= WIDE * seeker->gaps->size_sq;
}

// removes the lanes that a gap proves too far from the other block
static void remove_lanes(const abut__seeker* seeker, const stored_block* const blocks[2],
                         const gap* found, float reach, uint64_t lanes[2]) {
    const bool apart = found->height > found->length * reach;
    for (int s = 0; s < 2; ++s) {
        lanes[s] &= apart ? 0 : near_plane(seeker, blocks, s, found, reach);
    }
}

// Coordinates are off by u = 2^-24 of the greatest, products, sums and lengths by a few u: less than
// the pad, which is 2^-19 of it. Numbers that are not finite prove nothing.
void abut__blocks_narrow(abut__seeker* seeker, const uint32_t block[2], uint64_t lanes[2]) {
    if (!is_ready(seeker, block[1])) {
        return;
    }
    const stored_block* const blocks[2] = {stored(seeker, 0, block[0]),
                                           stored(seeker, 1, block[1])};
    const float most = blocks[0]->most + blocks[1]->most;
    const float reach = sqrtf(seeker->limits[0]) + 0x1p-19f * most;
    gap found = {{0, 0, 0}, 0, 0};
    if (most < 1e15f && most > 1e-15f && reach < 1e15f &&
        find_gap(seeker->kernels, blocks, reach, &found)) {
        remove_lanes(seeker, blocks, &found, reach, lanes);
    }
}
