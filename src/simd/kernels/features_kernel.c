// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds the features of two moving triangles that may meet: all fifteen pairs at once, a lane each
// (see ABUT__FEATURE_PAIRS), and both faces in the last lane. A feature is the hull of up to three corners. Corners move on
// segments, so at any time its least coordinate is at least the interpolation of the least ones at
// both ends. A gap along an axis at both ends is therefore there throughout. Corners are doubles
// rounded to float, which is monotonic; larger errors are covered by the pad of the shift. NaN,
// from corners or shifts beyond the range of float, is no gap.
#include "simd/kernels.h"
#include "simd/lanes.h"

// The corners of both triangles' features, lane by lane. From lane 6 on, the first rows also
// enumerate all nine pairs of corners.
static const int32_t corners_a[3][16] = {{0, 1, 2, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 0},
                                         {0, 1, 2, 1, 1, 1, 1, 1, 1, 2, 2, 2, 0, 0, 0, 1},
                                         {0, 1, 2, 2, 2, 2, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2}};
static const int32_t corners_b[3][16] = {{0, 0, 0, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0},
                                         {1, 1, 1, 0, 1, 2, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1},
                                         {2, 2, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 2}};
#define CORNERS_FROM 6

// Bit 3 i + j: corner i of a and corner j of b are of one class.
static inline uint32_t equal_corners(const abut__moving_triangle* a,
                                     const abut__moving_triangle* b) {
    float classes[2][4];
    memcpy(classes[0], a->classes, sizeof classes[0]);
    memcpy(classes[1], b->classes, sizeof classes[1]);
    uint32_t equal = 0;
    for (int part = 0; part < FLOAT_PARTS; ++part) {
        equal |= floats_same_bits(floats_pick4(classes[0], corners_a[0] + part * FLOAT_LANES),
                                  floats_pick4(classes[1], corners_b[0] + part * FLOAT_LANES))
                 << part * FLOAT_LANES;
    }
    return equal >> CORNERS_FROM & 0x1ff;
}

// Returns the pairs of features that share a class: an edge has its own corner and the next.
static uint32_t sharing_pairs(uint32_t equal) {
    const uint32_t rows = (equal | equal >> 1 | equal >> 2) & 0x49;
    const uint32_t columns = (equal | equal >> 3 | equal >> 6) & 7;
    const uint32_t both = equal | (equal >> 1 & 0xdb) | (equal << 2 & 0x124);
    const uint32_t edges = both | both >> 3 | (both << 6 & 0x1ff);
    return (rows & 1) | (rows >> 2 & 2) | (rows >> 4 & 4) | columns << 3 | edges << 6;
}

typedef struct moving_features {
    floats lo[2][3];
    floats hi[2][3];
} moving_features;

static inline void shift_features(const abut__shift* shift, moving_features* f) {
    for (int end = 0; end < 2; ++end) {
        for (int d = 0; d < 3; ++d) {
            f->lo[end][d] += floats_splat(shift->lo[d]);
            f->hi[end][d] += floats_splat(shift->hi[d]);
        }
    }
}

static inline void load_features(const abut__moving_triangle* t, const int32_t corners[3][16],
                                 int part, moving_features* f) {
    for (int end = 0; end < 2; ++end) {
        for (int d = 0; d < 3; ++d) {
            const floats p = floats_pick4(t->x[end][d], corners[0] + part * FLOAT_LANES);
            const floats q = floats_pick4(t->x[end][d], corners[1] + part * FLOAT_LANES);
            const floats r = floats_pick4(t->x[end][d], corners[2] + part * FLOAT_LANES);
            f->lo[end][d] = floats_min(floats_min(p, q), r);
            f->hi[end][d] = floats_max(floats_max(p, q), r);
        }
    }
}

static inline uint32_t features_apart(const moving_features* a, const moving_features* b) {
    flags apart = {0};
    for (int d = 0; d < 3; ++d) {
        apart |= floats_lt_flags(b->hi[0][d], a->lo[0][d]) &
                 floats_lt_flags(b->hi[1][d], a->lo[1][d]);
        apart |= floats_lt_flags(a->hi[0][d], b->lo[0][d]) &
                 floats_lt_flags(a->hi[1][d], b->lo[1][d]);
    }
    return flags_bits(apart);
}

void ABUT_KERNEL(features_meet)(const abut__moving_triangle* a, const abut__moving_triangle* b,
                                const uint8_t (*lanes)[2], uint32_t count, bool self,
                                const abut__shift* shift, uint16_t* meet) {
    moving_features first[FLOAT_PARTS];
    const abut__moving_triangle* loaded = &a[lanes[0][0]];
    for (int part = 0; part < FLOAT_PARTS; ++part) {
        load_features(loaded, corners_a, part, &first[part]);
        shift_features(shift, &first[part]);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const abut__moving_triangle* p = &a[lanes[i][0]];
        const abut__moving_triangle* q = &b[lanes[i][1]];
        uint32_t pairs = p->owned[0] & q->owned[1];
        if (self && pairs != 0) {
            const uint32_t equal = equal_corners(p, q);
            pairs &= equal != 0 ? ~sharing_pairs(equal) : pairs;
        }
        meet[i] = 0;
        if (pairs == 0) {
            continue;
        }
        uint32_t apart = 0;
        for (int part = 0; part < FLOAT_PARTS; ++part) {
            moving_features second;
            if (p != loaded) {
                load_features(p, corners_a, part, &first[part]);
                shift_features(shift, &first[part]);
            }
            load_features(q, corners_b, part, &second);
            apart |= features_apart(&first[part], &second) << part * FLOAT_LANES;
        }
        loaded = p;
        meet[i] = (uint16_t)(pairs & ~apart);
    }
}

// ---- at rest

// The greatest coordinates of a feature's corners, and those of the negated ones: rows of
// abut__feature_block.
#define ROW_PARTS (8 / DOUBLE_LANES)
typedef struct feature_bound {
    doubles part[ROW_PARTS];
} feature_bound;

static inline void load_bound(const double row[8], feature_bound* out) {
    for (int i = 0; i < ROW_PARTS; ++i) {
        out->part[i] = doubles_load(row + i * DOUBLE_LANES);
    }
}

static inline void join_bounds(const feature_bound* a, const feature_bound* b, feature_bound* out) {
    for (int i = 0; i < ROW_PARTS; ++i) {
        out->part[i] = doubles_max(a->part[i], b->part[i]);
    }
}

// The bounds of a triangle: corners, edges, face.
enum { CORNERS = 0, EDGES = 3, FACE = 6, BOUNDS = 7 };

static inline void load_bounds(const abut__feature_block* block, uint32_t lane,
                               feature_bound out[BOUNDS]) {
    for (int c = 0; c < 3; ++c) {
        load_bound(block->rows[block->fixed->corner[c][lane]], &out[CORNERS + c]);
    }
    for (int c = 0; c < 3; ++c) {
        join_bounds(&out[CORNERS + c], &out[CORNERS + (c + 1) % 3], &out[EDGES + c]);
    }
    join_bounds(&out[EDGES], &out[CORNERS + 2], &out[FACE]);
}

// which bounds a pair of features compares
static const uint8_t bound_a[16] = {0, 1, 2, 6, 6, 6, 3, 3, 3, 4, 4, 4, 5, 5, 5, 0};
static const uint8_t bound_b[16] = {6, 6, 6, 0, 1, 2, 3, 4, 5, 3, 4, 5, 3, 4, 5, 0};

// Sums are the overlaps along the axes: the greatest coordinate of one feature minus the least of
// the other. Rounding is monotonic, so an overlap that rounds to less than -margin is less.
static inline uint32_t bounds_near(const feature_bound* a, const feature_bound* b, doubles least) {
    uint32_t apart = 0;
    for (int i = 0; i < ROW_PARTS; ++i) {
        apart |= doubles_lt(a->part[i] + b->part[i], least);
    }
    return apart == 0;
}

// Returns the pairs of features that ownership permits.
static inline uint32_t owned_pairs(uint32_t a, uint32_t b) {
    const uint32_t edges_b = b >> 3;
    return (a & 7) | (b & 7) << 3 | ((a & 8) != 0 ? edges_b << 6 : 0) |
           ((a & 16) != 0 ? edges_b << 9 : 0) | ((a & 32) != 0 ? edges_b << 12 : 0);
}

// Bit 3 i + j: corner i of a and corner j of b are of one class.
static inline uint32_t equal_classes(const abut__feature_block* a, uint32_t lane_a,
                                     const abut__feature_block* b, uint32_t lane_b) {
    uint32_t equal = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        const uint32_t own = a->classes[a->fixed->corner[i][lane_a]];
        for (uint32_t j = 0; j < 3; ++j) {
            equal |= (uint32_t)(own == b->classes[b->fixed->corner[j][lane_b]]) << (3 * i + j);
        }
    }
    return equal;
}

static inline uint32_t near_pairs(const feature_bound a[BOUNDS], const feature_bound b[BOUNDS],
                                  uint32_t pairs, doubles least) {
    uint32_t near = 0;
    for (uint32_t left = pairs; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        near |= bounds_near(&a[bound_a[i]], &b[bound_b[i]], least) << i;
    }
    return near;
}

void ABUT_KERNEL(features_near)(const abut__feature_block* a, const abut__feature_block* b,
                                const uint8_t (*lanes)[2], uint32_t count, bool self, double margin,
                                uint16_t* near) {
    const doubles least = doubles_splat(-margin);
    feature_bound first[BOUNDS];
    uint32_t loaded = UINT32_MAX;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t lane_a = lanes[i][0];
        const uint32_t lane_b = lanes[i][1];
        uint32_t pairs = owned_pairs(a->owned[lane_a], b->owned[lane_b]);
        if (self && pairs != 0) {
            const uint32_t equal = equal_classes(a, lane_a, b, lane_b);
            pairs &= equal != 0 ? ~sharing_pairs(equal) : pairs;
        }
        near[i] = 0;
        if (pairs == 0) {
            continue;
        }
        if (loaded != lane_a) {
            load_bounds(a, lane_a, first);
            loaded = lane_a;
        }
        feature_bound second[BOUNDS];
        load_bounds(b, lane_b, second);
        near[i] = (uint16_t)near_pairs(first, second, pairs, least);
    }
}
