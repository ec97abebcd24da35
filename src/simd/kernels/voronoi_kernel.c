// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kernels of Voronoi culling (voronoi/): boxes near a box, distances from points to triangles, and
// bounds of the distances of pairs of triangles. All numbers are floats in units of cells. Compiled
// once per instruction set; no operation is fused, so the bits are the same.
#include <math.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

// ---- boxes

// The numbers of a search in all lanes.
typedef struct box_lanes {
    floats box[6];
    floats limit;
    ints body;
    ints flip;  // all bits set: boxes of the same body are wanted
} box_lanes;

// The squares of the gaps of boxes, from `at` on, to a box.
static inline floats box_gaps(const float* const side[6], uint32_t at, const floats box[6]) {
    const floats zero = (floats){0};
    floats square = zero;
    for (int d = 0; d < 3; ++d) {
        const floats above = floats_load(side[d] + at) - box[d + 3];
        const floats below = box[d] - floats_load(side[d + 3] + at);
        const floats gap = floats_max(floats_max(above, below), zero);
        square += gap * gap;
    }
    return square;
}

// The same, infinite for boxes that do not count.
static inline floats gap_squares(const float* const side[6], const int32_t* body, uint32_t at,
                                 const box_lanes* own) {
    const floats square = box_gaps(side, at, own->box);
    const ints wanted = (ints)(ints_load(body + at) != own->body) ^ own->flip;
    return (floats)((ints)square | (~wanted & (ints)((floats){0} + INFINITY)));
}

// Appends the boxes of some lanes, from `at` on, to a list.
static inline void list_lanes(uint32_t lanes, uint32_t at, floats square, uint32_t* out,
                              float* gaps, abut__boxes_seen* seen) {
    float squares[FLOAT_LANES];
    floats_store(squares, square);
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(lanes);
        gaps[seen->count] = squares[k];
        out[seen->count++] = at + k;
    }
}

abut__boxes_seen ABUT_KERNEL(near_boxes)(const abut__bins* bins, const abut__box_search* search,
                                         uint32_t* out, float* gaps) {
    const abut__box_search s = *search;
    const abut__bins b = *bins;
    const box_lanes own = {.box = {floats_splat(s.box[0]), floats_splat(s.box[1]),
                                   floats_splat(s.box[2]), floats_splat(s.box[3]),
                                   floats_splat(s.box[4]), floats_splat(s.box[5])},
                           .limit = floats_splat(s.limit_sq < 1e30f ? s.limit_sq : 1e30f),
                           .body = (ints){0} + s.body,
                           .flip = (ints){0} - (s.same ? 1 : 0)};
    abut__boxes_seen seen = {0, 0};
    for (uint32_t z = s.lo[2]; z <= s.hi[2]; ++z) {
        for (uint32_t y = s.lo[1]; y <= s.hi[1]; ++y) {
            const uint32_t* row = b.first + (size_t)(z * b.size[1] + y) * b.size[0];
            const uint32_t end = row[s.hi[0] + 1];
            seen.tested += end - row[s.lo[0]];
            for (uint32_t at = row[s.lo[0]]; at < end; at += FLOAT_LANES) {
                const floats square = gap_squares(b.side, b.body, at, &own);
                uint32_t near = floats_le(square, own.limit);
                near &= end - at < FLOAT_LANES ? (1u << (end - at)) - 1 : FLOAT_BITS;
                if (near != 0) {
                    list_lanes(near, at, square, out, gaps, &seen);
                }
            }
        }
    }
    return seen;
}

abut__boxes_seen ABUT_KERNEL(run_boxes)(const abut__site_line* line, uint32_t first, uint32_t end,
                                        const float box[6], float limit_sq, uint32_t* out,
                                        float* gaps) {
    const abut__site_line l = *line;
    const floats own[6] = {floats_splat(box[0]), floats_splat(box[1]), floats_splat(box[2]),
                           floats_splat(box[3]), floats_splat(box[4]), floats_splat(box[5])};
    const floats limit = floats_splat(limit_sq < 1e30f ? limit_sq : 1e30f);
    abut__boxes_seen seen = {0, end - first};
    for (uint32_t run = first; run < end; run += FLOAT_LANES) {
        uint32_t runs = floats_le(box_gaps(l.run_side, run, own), limit);
        runs &= end - run < FLOAT_LANES ? (1u << (end - run)) - 1 : FLOAT_BITS;
        for (; runs != 0; runs &= runs - 1) {
            const uint32_t begin = 16 * (run + (uint32_t)__builtin_ctz(runs));
            seen.tested += 16;
            for (uint32_t at = begin; at < begin + 16; at += FLOAT_LANES) {
                const floats square = box_gaps(l.side, at, own);
                const uint32_t near = floats_le(square, limit);
                if (near != 0) {
                    list_lanes(near, at, square, out, gaps, &seen);
                }
            }
        }
    }
    return seen;
}

abut__boxes_seen ABUT_KERNEL(slab_boxes)(const abut__slabs* slabs, const abut__slab_search* search,
                                         uint32_t* out, float* gaps) {
    const abut__slabs b = *slabs;
    const abut__slab_search s = *search;
    const floats own[8] = {floats_splat(s.side[0]), floats_splat(s.side[1]),
                           floats_splat(s.side[2]), floats_splat(s.side[3]),
                           floats_splat(s.side[4]), floats_splat(s.side[5]),
                           floats_splat(s.side[6]), floats_splat(s.side[7])};
    const floats limit_sq = floats_splat(s.limit_sq < 1e30f ? s.limit_sq : 1e30f);
    const floats limit = floats_splat(s.limit);
    abut__boxes_seen seen = {0, b.count};
    for (uint32_t at = 0; at < b.count; at += FLOAT_LANES) {
        const floats square = box_gaps(b.side, at, own);
        const floats above = floats_load(b.side[6] + at) - own[7];
        const floats below = own[6] - floats_load(b.side[7] + at);
        uint32_t near = floats_le(square, limit_sq) & floats_le(floats_max(above, below), limit);
        near &= b.count - at < FLOAT_LANES ? (1u << (b.count - at)) - 1 : FLOAT_BITS;
        if (near != 0) {
            list_lanes(near, at, square, out, gaps, &seen);
        }
    }
    return seen;
}

// The numbers of a site of a line in all lanes.
typedef struct line_lanes {
    floats box[6];
    floats limit;
    ints corner[3];
} line_lanes;

static inline line_lanes line_lanes_of(const abut__site_line* line, uint32_t own) {
    line_lanes lanes;
    for (int i = 0; i < 6; ++i) {
        lanes.box[i] = floats_splat(line->side[i][own]);
    }
    for (int c = 0; c < 3; ++c) {
        lanes.corner[c] = (ints){0} + line->corner[c][own];
    }
    lanes.limit = floats_splat(line->limit[own]);
    return lanes;
}

// Squares of gaps, infinite for sites that share a vertex with the own one.
static inline floats without_neighbours(const abut__site_line* line, uint32_t at,
                                        const line_lanes* own, floats square) {
    ints shared = (ints){0};
    for (int c = 0; c < 3; ++c) {
        const ints other = ints_load(line->corner[c] + at);
        for (int k = 0; k < 3; ++k) {
            shared |= (ints)(other == own->corner[k]);
        }
    }
    return (floats)((ints)square | (shared & (ints)((floats){0} + INFINITY)));
}

// Lists what is near among the sites of one run that come after the own one.
static inline void search_run(const abut__site_line* line, uint32_t run, uint32_t own,
                              const line_lanes* lanes, uint32_t* out, float* gaps,
                              abut__boxes_seen* seen) {
    for (uint32_t part = 0; part < FLOAT_PARTS; ++part) {
        const uint32_t at = 16 * run + part * FLOAT_LANES;
        if (own >= at + FLOAT_LANES - 1) {
            continue;
        }
        const uint32_t later = own >= at ? FLOAT_BITS & ~((2u << (own - at)) - 1) : FLOAT_BITS;
        const floats limit = floats_max(lanes->limit, floats_load(line->limit + at));
        floats square = box_gaps(line->side, at, lanes->box);
        if ((floats_le(square, limit) & later) == 0) {
            continue;
        }
        square = without_neighbours(line, at, lanes, square);
        list_lanes(floats_le(square, limit) & later, at, square, out, gaps, seen);
    }
}

abut__boxes_seen ABUT_KERNEL(later_boxes)(const abut__site_line* line, uint32_t own, uint32_t* out,
                                          float* gaps) {
    const abut__site_line l = *line;
    const line_lanes lanes = line_lanes_of(&l, own);
    const uint32_t first = own / 16;
    abut__boxes_seen seen = {0, l.run_count - first};
    for (uint32_t at = first / FLOAT_LANES * FLOAT_LANES; at < l.run_count; at += FLOAT_LANES) {
        const floats limit = floats_max(lanes.limit, floats_load(l.run_limit + at));
        uint32_t near = floats_le(box_gaps(l.run_side, at, lanes.box), limit);
        near &= first > at ? FLOAT_BITS & ~((1u << (first - at)) - 1) : FLOAT_BITS;
        for (; near != 0; near &= near - 1) {
            seen.tested += 16;
            search_run(&l, at + (uint32_t)__builtin_ctz(near), own, &lanes, out, gaps, &seen);
        }
    }
    return seen;
}

// ---- vectors

// Loads the nine numbers of triangles; three more of each are readable, and are of no use.
static inline void load_corners(const float* const rows[FLOAT_LANES], floats corner[12]) {
    floats_load_columns(rows, 0, corner);
    floats_load_columns(rows, 4, corner + 4);
    floats_load_columns(rows, 8, corner + 8);
}

static inline floats product(const floats a[3], const floats b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross_product(const floats a[3], const floats b[3], floats out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// NaN becomes 0
static inline floats clamp_to_unit(floats x) {
    return floats_min(floats_max(x, (floats){0}), (floats){0} + 1.0f);
}

// The nearest difference of points so far.
typedef struct nearest {
    floats square;
    floats difference[3];
} nearest;

static inline void take(nearest* best, const floats difference[3], floats square) {
    for (int d = 0; d < 3; ++d) {
        best->difference[d] = floats_pick_less(square, best->square, difference[d],
                                               best->difference[d]);
    }
    best->square = floats_min(square, best->square);
}

// A triangle a + s u + t v, prepared for the foot of a point x: with w = x - a, s = w . to_s and
// t = w . to_t. Without area these are not numbers, and no foot is inside.
typedef struct face {
    floats u[3], v[3];
    floats to_s[3], to_t[3];
} face;

static inline face face_of(const floats u[3], const floats v[3]) {
    face f;
    floats normal[3];
    cross_product(u, v, normal);
    const floats inverse = 1.0f / product(normal, normal);
    cross_product(v, normal, f.to_s);
    cross_product(normal, u, f.to_t);
    for (int d = 0; d < 3; ++d) {
        f.u[d] = u[d];
        f.v[d] = v[d];
        f.to_s[d] *= inverse;
        f.to_t[d] *= inverse;
    }
    return f;
}

// Tries the foot of a point on a face, if it is inside. The point on the face is one of the
// triangle whatever the rounding of s and t.
static inline void try_foot(const face* f, const floats w[3], floats sign, nearest* best) {
    const floats s = product(w, f->to_s);
    const floats t = product(w, f->to_t);
    const floats inside = floats_min(floats_min(s, t), (1.0f - s) - t);
    floats difference[3];
    for (int d = 0; d < 3; ++d) {
        difference[d] = sign * (w[d] - (s * f->u[d] + t * f->v[d]));
    }
    const floats square = product(difference, difference);
    // not a number: outside
    const floats outside = (floats){0} + INFINITY;
    take(best, difference, floats_pick_less((floats){0}, inside, square, outside));
}

// ---- points and triangles

// Tries the points of an edge from w = x - a, along u.
static inline void try_edge(const floats w[3], const floats u[3], nearest* best) {
    const floats s = clamp_to_unit(product(w, u) / product(u, u));
    floats difference[3];
    for (int d = 0; d < 3; ++d) {
        difference[d] = w[d] - s * u[d];
    }
    take(best, difference, product(difference, difference));
}

// The difference of a point and a point of the triangle that is about nearest to it.
static inline __attribute__((always_inline)) nearest nearest_point(const floats corner[9],
                                                                   const floats point[3]) {
    floats u[3];
    floats v[3];
    floats across[3];
    floats w[3];
    floats w1[3];
    for (int d = 0; d < 3; ++d) {
        u[d] = corner[3 + d] - corner[d];
        v[d] = corner[6 + d] - corner[d];
        across[d] = corner[6 + d] - corner[3 + d];
        w[d] = point[d] - corner[d];
        w1[d] = point[d] - corner[3 + d];
    }
    nearest best = {.square = (floats){0} + INFINITY};
    try_edge(w, u, &best);
    try_edge(w, v, &best);
    try_edge(w1, across, &best);
    const face f = face_of(u, v);
    try_foot(&f, w, (floats){0} + 1.0f, &best);
    return best;
}

// Returns a lower bound of the distance of two sets of three corners each, along a direction from
// the second to the first; 0 if they overlap there. Coordinates are relative to a point near both. A
// sum of three products is off by at most 4 of 2^-24 of the sum of magnitudes.
static inline floats gap_towards(const floats p[9], const floats q[9], const floats point[3],
                                 const nearest* to) {
    const floats* n = to->difference;
    floats low = (floats){0} + INFINITY;
    floats high = (floats){0} - INFINITY;
    floats most = (floats){0};
    for (int c = 0; c < 6; ++c) {
        const floats* x = c < 3 ? p + 3 * c : q + 3 * (c - 3);
        floats parts[3];
        for (int d = 0; d < 3; ++d) {
            parts[d] = n[d] * (x[d] - point[d]);
        }
        const floats at = parts[0] + parts[1] + parts[2];
        low = c < 3 ? floats_min(at, low) : low;
        high = c < 3 ? high : floats_max(at, high);
        most = floats_max(floats_abs(parts[0]) + floats_abs(parts[1]) + floats_abs(parts[2]), most);
    }
    const floats gap = floats_max((low - high) - 0x1p-20f * most, (floats){0});
    // a shorter direction gives no bound
    return floats_pick_less((floats){0} + 0x1p-60f, to->square,
                            gap / floats_sqrt(product(n, n)) * (1 - 0x1p-18f), (floats){0});
}

void ABUT_KERNEL(sample_distances)(const float point[3], uint32_t own, const float* corners,
                                   size_t stride, const uint32_t* others, uint32_t count,
                                   float* distances, float* below) {
    floats p[3];
    floats mine[9];
    for (int d = 0; d < 3; ++d) {
        p[d] = floats_splat(point[d]);
    }
    for (int i = 0; i < 9; ++i) {
        mine[i] = floats_splat(corners[own * stride + (size_t)i]);
    }
    for (uint32_t first = 0; first < count; first += FLOAT_LANES) {
        const float* rows[FLOAT_LANES];
        for (uint32_t k = 0; k < FLOAT_LANES; ++k) {
            rows[k] = corners + others[first + k < count ? first + k : first] * stride;
        }
        floats corner[12];
        load_corners(rows, corner);
        const nearest best = nearest_point(corner, p);
        float numbers[2][FLOAT_LANES];
        floats_store(numbers[0], floats_sqrt(best.square));
        floats_store(numbers[1], gap_towards(mine, corner, p, &best));
        const uint32_t left = count - first < FLOAT_LANES ? count - first : FLOAT_LANES;
        memcpy(distances + first, numbers[0], left * sizeof *distances);
        memcpy(below + first, numbers[1], left * sizeof *below);
    }
}

void ABUT_KERNEL(sample_pairs)(const float* sites, const uint32_t (*pairs)[2], uint32_t count,
                               float* distances, float* below) {
    for (uint32_t first = 0; first < count; first += FLOAT_LANES) {
        const float* rows[2][FLOAT_LANES];
        floats mine[16];
        floats corner[12];
        floats p[3];
        for (uint32_t k = 0; k < FLOAT_LANES; ++k) {
            const uint32_t* pair = pairs[first + k < count ? first + k : first];
            rows[0][k] = sites + 16 * (size_t)pair[0];
            rows[1][k] = sites + 16 * (size_t)pair[1];
        }
        load_corners(rows[0], mine);
        floats_load_columns(rows[0], 12, mine + 12);
        load_corners(rows[1], corner);
        for (int d = 0; d < 3; ++d) {
            p[d] = 0.5f * (mine[9 + d] + mine[12 + d]);
        }
        const nearest best = nearest_point(corner, p);
        float numbers[2][FLOAT_LANES];
        floats_store(numbers[0], floats_sqrt(best.square));
        floats_store(numbers[1], gap_towards(mine, corner, p, &best));
        const uint32_t left = count - first < FLOAT_LANES ? count - first : FLOAT_LANES;
        memcpy(distances + first, numbers[0], left * sizeof *distances);
        memcpy(below + first, numbers[1], left * sizeof *below);
    }
}

void ABUT_KERNEL(corner_distances)(const float triangle[9], const float points[3][16],
                                   uint32_t count, float out[16]) {
    floats corner[9];
    for (int i = 0; i < 9; ++i) {
        corner[i] = floats_splat(triangle[i]);
    }
    for (uint32_t k = 0; k < count; k += FLOAT_LANES) {
        const floats p[3] = {floats_load(points[0] + k), floats_load(points[1] + k),
                             floats_load(points[2] + k)};
        floats_store(out + k, floats_sqrt(nearest_point(corner, p).square) * (1 + 0x1p-18f));
    }
}

void ABUT_KERNEL(point_distances)(const float* corners, size_t stride, const uint32_t* triangles,
                                  const float* const points[3], uint32_t count, float* out) {
    for (uint32_t first = 0; first < count; first += FLOAT_LANES) {
        const float* rows[FLOAT_LANES];
        for (uint32_t k = 0; k < FLOAT_LANES; ++k) {
            rows[k] = corners + triangles[first + k < count ? first + k : first] * stride;
        }
        floats corner[12];
        load_corners(rows, corner);
        const floats p[3] = {floats_load(points[0] + first), floats_load(points[1] + first),
                             floats_load(points[2] + first)};
        floats_store(out + first, floats_sqrt(nearest_point(corner, p).square) * (1 + 0x1p-18f));
    }
}

// ---- pairs of triangles

// Tries the points of two edges a + s u and c + t v, with r = c - a.
static inline void try_edges(const floats u[3], const floats v[3], const floats r[3], floats uu,
                             floats inverse_uu, floats vv, floats inverse_vv, nearest* best) {
    const floats uv = product(u, v);
    const floats ur = product(u, r);
    const floats vr = product(v, r);
    floats s = clamp_to_unit((ur * vv - vr * uv) / (uu * vv - uv * uv));
    const floats t = clamp_to_unit((s * uv - vr) * inverse_vv);
    s = clamp_to_unit((t * uv + ur) * inverse_uu);
    floats difference[3];
    for (int d = 0; d < 3; ++d) {
        difference[d] = (r[d] + t * v[d]) - s * u[d];
    }
    take(best, difference, product(difference, difference));
}

// Corners of two triangles, relative to the first one's first corner: p[0] is 0.
typedef struct two_triangles {
    floats p[3][3];
    floats q[3][3];
} two_triangles;

// The nearest points among the fifteen pairs of features.
static inline nearest nearest_features(const two_triangles* two) {
    floats e[3][3];
    floats f[3][3];
    floats square[2][3];
    floats inverse[2][3];
    for (int i = 0; i < 3; ++i) {
        for (int d = 0; d < 3; ++d) {
            e[i][d] = two->p[(i + 1) % 3][d] - two->p[i][d];
            f[i][d] = two->q[(i + 1) % 3][d] - two->q[i][d];
        }
        square[0][i] = product(e[i], e[i]);
        square[1][i] = product(f[i], f[i]);
        inverse[0][i] = 1.0f / square[0][i];
        inverse[1][i] = 1.0f / square[1][i];
    }
    nearest best = {.square = (floats){0} + INFINITY};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            floats r[3];
            for (int d = 0; d < 3; ++d) {
                r[d] = two->q[k][d] - two->p[i][d];
            }
            try_edges(e[i], f[k], r, square[0][i], inverse[0][i], square[1][k], inverse[1][k],
                      &best);
        }
    }
    floats last[2][3];
    for (int d = 0; d < 3; ++d) {
        last[0][d] = -e[2][d];
        last[1][d] = -f[2][d];
    }
    const face face_p = face_of(e[0], last[0]);
    const face face_q = face_of(f[0], last[1]);
    for (int i = 0; i < 3; ++i) {
        floats back[3];
        for (int d = 0; d < 3; ++d) {
            back[d] = two->p[i][d] - two->q[0][d];
        }
        try_foot(&face_p, two->q[i], (floats){0} + 1.0f, &best);
        try_foot(&face_q, back, (floats){0} - 1.0f, &best);
    }
    return best;
}

// Returns a lower bound of the distance along a direction; at most 0 if they overlap there. A sum
// of three products of rounded differences is off by at most 4 of 2^-24 of the sum of magnitudes,
// and a gap has two such sums.
static inline floats gap_along(const two_triangles* two, const floats n[3]) {
    const floats huge = (floats){0} + INFINITY;
    floats low[2] = {huge, huge};
    floats high[2] = {-huge, -huge};
    floats most = (floats){0};
    for (int side = 0; side < 2; ++side) {
        for (int c = 0; c < 3; ++c) {
            const floats* x = side == 0 ? two->p[c] : two->q[c];
            const floats parts[3] = {n[0] * x[0], n[1] * x[1], n[2] * x[2]};
            const floats at = parts[0] + parts[1] + parts[2];
            low[side] = floats_min(at, low[side]);
            high[side] = floats_max(at, high[side]);
            most = floats_max(floats_abs(parts[0]) + floats_abs(parts[1]) + floats_abs(parts[2]),
                              most);
        }
    }
    const floats gap = floats_max(low[1] - high[0], low[0] - high[1]) - 0x1p-20f * most;
    const floats square = product(n, n);
    // a shorter direction gives no bound
    return floats_pick_less((floats){0} + 0x1p-60f, square,
                            gap / floats_sqrt(square) * (1 - 0x1p-18f), (floats){0});
}

static inline void gather_pairs(const float* corners, size_t stride, const uint32_t (*pairs)[2],
                                uint32_t count, two_triangles* two) {
    const float* rows[2][FLOAT_LANES];
    floats corner[2][12];
    for (uint32_t k = 0; k < FLOAT_LANES; ++k) {
        const uint32_t* pair = pairs[k < count ? k : 0];
        rows[0][k] = corners + pair[0] * stride;
        rows[1][k] = corners + pair[1] * stride;
    }
    load_corners(rows[0], corner[0]);
    load_corners(rows[1], corner[1]);
    for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 3; ++d) {
            two->p[c][d] = corner[0][3 * c + d] - corner[0][d];
            two->q[c][d] = corner[1][3 * c + d] - corner[0][d];
        }
    }
}

void ABUT_KERNEL(bound_pairs)(const float* corners, size_t stride, const uint32_t (*pairs)[2],
                              uint32_t count, float slack, float* below, float* above) {
    for (uint32_t first = 0; first < count; first += FLOAT_LANES) {
        const uint32_t left = count - first < FLOAT_LANES ? count - first : FLOAT_LANES;
        two_triangles two;
        gather_pairs(corners, stride, pairs + first, left, &two);
        const nearest best = nearest_features(&two);
        floats size = (floats){0};
        for (int i = 0; i < 9; ++i) {
            size = floats_max(size, floats_abs(two.p[i / 3][i % 3]));
            size = floats_max(size, floats_abs(two.q[i / 3][i % 3]));
        }
        float bounds[2][FLOAT_LANES];
        floats_store(bounds[0], gap_along(&two, best.difference) - slack);
        floats_store(bounds[1],
                     floats_sqrt(best.square) * (1 + 0x1p-18f) + 0x1p-19f * size + slack);
        memcpy(below + first, bounds[0], left * sizeof *below);
        memcpy(above + first, bounds[1], left * sizeof *above);
    }
}
