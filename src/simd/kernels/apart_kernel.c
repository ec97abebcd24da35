// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Decides pairs of triangles in float: proves most separate pairs apart, and most that cross
// touching. The corners v are only known to be within e of the points p, which are floats; e is the
// greater one of two rows. Numbers here are relative to the first point, q = p - p_0. For any n, the
// computed n.q is off by less than 4 u |n| m. Here u = 2^-24, |n| is the sum of magnitudes and m the
// greatest coordinate of all q. q itself is off by u m, and v by e. So if
//
//   least n.q of one triangle - greatest n.q of the other > 2 |n| (e + 2^-20 m) + 2^-140
//
// then the triangles share no point: the left side is off by 12 u |n| m, the right side allows 32,
// and the last term covers underflow. This holds for any n if nothing overflows, so m must be at
// most 2^40: products of two edges are then below 2^84 and heights below 2^126. For products of
// three m must be at most 2^28. The directions are those of the separating axis theorem: normals,
// products of edges and, for parallel planes, edges turned in their planes.
//
// The rows also have e + 2^-19 a, where a is the greatest coordinate in a block. It needs no m: m is at
// most the sum of both a, and twice the greater one is at least the sum of both, which covers the
// errors of a point of each triangle.
//
// Most pairs that normals leave open are decided by signs, as in triangles_kernel.c, which explains
// how all heights along products of edges follow from 15 determinants. Let h = 2 (e + 2^-22 m), which
// bounds the error of a difference of two points, and X, Y, Z the extents of the box around both
// triangles, 2 h added. A determinant of three differences is a sum of six products, each at most
// XYZ. The errors of the differences change it by at most 6 h (XY + YZ + ZX), and rounding by at most
// 30 u XYZ. The sum of a height has five determinants, and roundings of 72 u XYZ at most. Together
// this is at most 30 h (XY + YZ + ZX) + 222 u XYZ; the test has 32 and 256, which covers the
// rounding of the test. If a gap is greater, the true axis separates the true triangles. And if an
// edge of one has its ends so far on both sides of the other's plane, and its line passes the other's
// three edges on one side, then they touch. X, Y and Z are in [2^-30, 2^30], so that underflow and
// overflow play no part.
//
// Three steps, each in full registers: pairs that a step leaves open are moved together. Nothing is
// fused: all instruction sets give the same bits.
#include <float.h>
#include <math.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

typedef struct vector {
    floats x[3];
} vector;

static inline vector subtract(vector a, vector b) {
    return (vector){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}

static inline vector cross(vector a, vector b) {
    return (vector){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                     a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static inline floats dot(vector a, vector b) {
    return (a.x[0] * b.x[0] + a.x[1] * b.x[1]) + a.x[2] * b.x[2];
}

static inline floats least3(floats a, floats b, floats c) {
    return floats_min(floats_min(a, b), c);
}
static inline floats greatest3(floats a, floats b, floats c) {
    return floats_max(floats_max(a, b), c);
}

typedef struct pairs {
    vector q[6];   // the first is 0
    floats error;  // e
    floats rough;  // e + 2^-19 a
} pairs;

static inline void load_side(const float* const* rows, vector corner[3], floats* error,
                             floats* rough) {
    floats column[3][4];
    for (int c = 0; c < 3; ++c) {
        floats_load_columns(rows, 4 * c, column[c]);
        corner[c] = (vector){{column[c][0], column[c][1], column[c][2]}};
    }
    *error = column[0][3];
    *rough = column[1][3];
}

static inline pairs load(const abut__row_pairs* list, uint32_t first) {
    pairs p;
    floats error[2];
    floats rough[2];
    load_side(list->row[0] + first, p.q, &error[0], &rough[0]);
    load_side(list->row[1] + first, p.q + 3, &error[1], &rough[1]);
    const vector origin = p.q[0];
    for (int c = 0; c < 6; ++c) {
        p.q[c] = subtract(p.q[c], origin);
    }
    p.error = floats_max(error[0], error[1]);
    p.rough = floats_max(rough[0], rough[1]);
    return p;
}

// Returns the lanes that a direction proves apart; slack is 2 (e + 2^-20 m).
static inline flags separates(const pairs* p, vector n, floats slack) {
    const vector* q = p->q;
    const floats zero = floats_splat(0);
    const floats s1 = dot(n, q[1]);
    const floats s2 = dot(n, q[2]);
    const floats t0 = dot(n, q[3]);
    const floats t1 = dot(n, q[4]);
    const floats t2 = dot(n, q[5]);
    const floats above = least3(t0, t1, t2) - greatest3(zero, s1, s2);
    const floats below = least3(zero, s1, s2) - greatest3(t0, t1, t2);
    const floats size = (floats_abs(n.x[0]) + floats_abs(n.x[1])) + floats_abs(n.x[2]);
    return floats_lt_flags(size * slack + 0x1p-139f, floats_max(above, below));
}

// The edges, each from its corner to the next one, and normals.
typedef struct edges {
    vector edge[2][3];
    vector normal[2];
} edges;

static inline edges edges_of(const pairs* p) {
    edges e;
    for (int side = 0; side < 2; ++side) {
        const vector* q = p->q + 3 * side;
        for (int i = 0; i < 3; ++i) {
            e.edge[side][i] = subtract(q[(i + 1) % 3], q[i]);
        }
        e.normal[side] = cross(e.edge[side][2], e.edge[side][0]);
    }
    return e;
}

// Gets the extents of the box around both triangles.
static inline void extents(const pairs* p, floats out[3]) {
    for (int d = 0; d < 3; ++d) {
        const vector* q = p->q;
        const floats most = floats_max(greatest3(q[0].x[d], q[1].x[d], q[2].x[d]),
                                       greatest3(q[3].x[d], q[4].x[d], q[5].x[d]));
        const floats least = floats_min(least3(q[0].x[d], q[1].x[d], q[2].x[d]),
                                        least3(q[3].x[d], q[4].x[d], q[5].x[d]));
        out[d] = most - least;
    }
}

// Returns how far three numbers are on one side of 0, and how far two are on different sides.
static inline floats one_side(floats a, floats b, floats c) {
    return floats_max(least3(a, b, c), -greatest3(a, b, c));
}
static inline floats two_sides(floats a, floats b) {
    return floats_min(floats_max(a, b), -floats_min(a, b));
}

// What some pairs are.
typedef struct verdict {
    uint32_t apart;
    uint32_t touch;
} verdict;

static inline verdict by_normals(const abut__row_pairs* list, uint32_t first) {
    const pairs p = load(list, first);
    const floats slack = 2 * p.rough;
    const vector n[2] = {cross(p.q[1], p.q[2]),
                         cross(subtract(p.q[4], p.q[3]), subtract(p.q[5], p.q[3]))};
    return (verdict){flags_bits(separates(&p, n[0], slack) | separates(&p, n[1], slack)), 0};
}

// Returns the gap along the product of edges i and j, given v_ij.
static inline floats edge_gap(floats v, floats a, floats b) {
    const floats zero = floats_splat(0);
    const floats above = (v + floats_min(b, zero)) - floats_max(a, zero);
    const floats below = (floats_min(a, zero) - v) - floats_max(b, zero);
    return floats_max(above, below);
}

static inline verdict by_signs(const abut__row_pairs* list, uint32_t first) {
    const pairs p = load(list, first);
    const vector* q = p.q;
    floats size[3];
    extents(&p, size);
    const floats most = greatest3(size[0], size[1], size[2]);
    const floats h = 2 * (p.error + most * 0x1p-22f);
    for (int d = 0; d < 3; ++d) {
        size[d] += 2 * h;
    }
    const floats face = size[0] * size[1];
    const floats faces = face + (size[0] + size[1]) * size[2];
    const floats bound = 32 * (h * faces + 0x1p-21f * (face * size[2]));
    const flags fit = floats_le_flags(floats_splat(0x1p-30f), least3(size[0], size[1], size[2])) &
                      floats_le_flags(greatest3(size[0], size[1], size[2]), floats_splat(0x1p30f));
    const edges e = edges_of(&p);
    floats s[3];
    floats r[3];
    for (int i = 0; i < 3; ++i) {
        s[i] = dot(e.normal[0], q[3 + i]);
        r[i] = dot(e.normal[1], subtract(q[i], q[3]));
    }
    floats gap = floats_max(one_side(s[0], s[1], s[2]), one_side(r[0], r[1], r[2]));
    floats pierced = floats_splat(0);  // how certainly some edge pierces
    floats column_least[3];
    floats column_greatest[3];
    for (int i = 0; i < 3; ++i) {
        floats v[3];
        for (int j = 0; j < 3; ++j) {
            v[j] = dot(cross(e.edge[0][i], e.edge[1][j]), subtract(q[3 + j], q[i]));
            gap = floats_max(gap, edge_gap(v[j], s[j] - s[(j + 1) % 3], r[(i + 1) % 3] - r[i]));
            column_least[j] = i == 0 ? v[j] : floats_min(column_least[j], v[j]);
            column_greatest[j] = i == 0 ? v[j] : floats_max(column_greatest[j], v[j]);
        }
        const floats ends = two_sides(r[i], r[(i + 1) % 3]);
        pierced = floats_max(pierced, floats_min(ends, one_side(v[0], v[1], v[2])));
    }
    for (int j = 0; j < 3; ++j) {
        const floats ends = two_sides(s[j], s[(j + 1) % 3]);
        const floats line = floats_max(column_least[j], -column_greatest[j]);
        pierced = floats_max(pierced, floats_min(ends, line));
    }
    const uint32_t apart = flags_bits(floats_lt_flags(bound, gap) & fit);
    return (verdict){apart, flags_bits(floats_lt_flags(bound, pierced) & fit) & ~apart};
}

// All directions. Few pairs come here.
static verdict by_directions(const abut__row_pairs* list, uint32_t first) {
    const pairs p = load(list, first);
    floats most = floats_splat(0);
    for (int c = 0; c < 6; ++c) {
        for (int d = 0; d < 3; ++d) {
            most = floats_max(most, floats_abs(p.q[c].x[d]));
        }
    }
    const floats slack = 2 * (p.error + most * 0x1p-20f);
    const edges e = edges_of(&p);
    flags apart = separates(&p, e.normal[0], slack) | separates(&p, e.normal[1], slack);
    flags turned = floats_lt_flags(most, most);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            apart |= separates(&p, cross(e.edge[0][i], e.edge[1][j]), slack);
        }
        turned |= separates(&p, cross(e.edge[0][i], e.normal[0]), slack);
        turned |= separates(&p, cross(e.edge[1][i], e.normal[1]), slack);
    }
    apart &= floats_le_flags(most, floats_splat(0x1p40f));
    turned &= floats_le_flags(most, floats_splat(0x1p28f));
    return (verdict){flags_bits(apart | turned), 0};
}

// Takes the `count` first pairs of a list through one step: notes those that touch, and moves those
// that stay open to its front. Returns their number.
#define DEFINE_STEP(name, test)                                                                \
    static uint32_t name(abut__row_pairs* list, uint32_t count) {                              \
        uint32_t left = 0;                                                                     \
        for (uint32_t k = 0; k < FLOAT_LANES; ++k) {                                           \
            list->row[0][count + k] = list->row[0][count - 1];                                 \
            list->row[1][count + k] = list->row[1][count - 1];                                 \
        }                                                                                      \
        for (uint32_t first = 0; first < count; first += FLOAT_LANES) {                        \
            const uint32_t lanes = count - first >= FLOAT_LANES ? FLOAT_BITS                   \
                                                                : (1u << (count - first)) - 1; \
            const verdict found = test(list, first);                                           \
            for (uint32_t touch = found.touch & lanes; touch != 0; touch &= touch - 1) {       \
                const uint32_t k = first + (uint32_t)__builtin_ctz(touch);                     \
                list->touch[list->touch_count++] = list->open[k];                              \
            }                                                                                  \
            uint32_t open = lanes & ~(found.apart | found.touch);                              \
            for (; open != 0; open &= open - 1) {                                              \
                const uint32_t k = first + (uint32_t)__builtin_ctz(open);                      \
                list->row[0][left] = list->row[0][k];                                          \
                list->row[1][left] = list->row[1][k];                                          \
                list->open[left++] = list->open[k];                                            \
            }                                                                                  \
        }                                                                                      \
        return left;                                                                           \
    }
DEFINE_STEP(step_normals, by_normals)
DEFINE_STEP(step_signs, by_signs)
DEFINE_STEP(step_directions, by_directions)

void ABUT_KERNEL(rows_decide)(abut__row_pairs* list) {
    for (uint32_t k = 0; k < ABUT__ROW_PAIRS; ++k) {
        list->open[k] = (uint8_t)k;
    }
    list->touch_count = 0;
    list->open_count = list->count;
    if (list->open_count > 0) {
        list->open_count = step_normals(list, list->open_count);
    }
    if (list->open_count > 0) {
        list->open_count = step_signs(list, list->open_count);
    }
    if (list->open_count > 0) {
        list->open_count = step_directions(list, list->open_count);
    }
}

// A number that is not finite makes `unfit` not a number, which a maximum may ignore.
void ABUT_KERNEL(corner_rows)(const abut__block* block, const abut__block_points* points,
                              float radius, abut__corner_rows* out) {
    const uint32_t count = (block->vertex_count + 3) & ~3u;
    const f32x4 nothing = {0, 0, 0, 0};
    f32x4 at[ABUT__BLOCK_VERTICES];
    f32x4 far = nothing;
    f32x4 unfit = nothing;
    for (uint32_t k = 0; k < count; k += 4) {
        f32x4 p[4] = {f32x4_load(points->xyz[0] + k), f32x4_load(points->xyz[1] + k),
                      f32x4_load(points->xyz[2] + k), nothing};
        for (int d = 0; d < 3; ++d) {
            far = f32x4_max(far, f32x4_abs(p[d]));
            unfit += p[d] * 0;
        }
        f32x4_transpose(p);
        for (uint32_t i = 0; i < 4; ++i) {
            at[k + i] = p[i];
        }
    }
    float most = 0;
    for (int k = 0; k < 4; ++k) {
        most = far[k] > most ? far[k] : most;
    }
    const float bound = radius +
                        (most * 0x1p-23f + ((unfit[0] + unfit[1]) + (unfit[2] + unfit[3])));
    const float error = bound <= FLT_MAX ? bound : INFINITY;
    const float rough = most <= 0x1p38f ? error + most * 0x1p-19f : INFINITY;
    const f32x4 last[3] = {{0, 0, 0, error}, {0, 0, 0, rough}, nothing};
    for (uint32_t k = 0; k < block->triangle_count; ++k) {
        for (int c = 0; c < 3; ++c) {
            f32x4_store(out->row[k] + 4 * c, at[block->corner[c][k]] + last[c]);
        }
    }
}
