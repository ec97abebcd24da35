// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tests sixteen pairs of triangles at once: proves most of them apart or touching and leaves the
// rest to the exact functions. Two triangles are apart if and only if one of these axes separates
// them: the two normals and, edge by edge, e_i x f_j (parallel planes need others; such pairs stay
// undecided). With s_j and r_i the heights of q_j and p_i above the plane of the other triangle and
// v_ij = (e_i x f_j) . (q_j - p_i), the heights along e_i x f_j above p_i are
//   p_i, p_i+1: 0     p_i+2: s_j - s_j+1     q_j, q_j+1: v_ij     q_j+2: v_ij + r_i+1 - r_i
// so that an axis costs no more than v_ij. An edge pierces the other triangle if its ends are on
// opposite sides of the plane and its line passes all three edges on one side: signs of r and v.
//
// Error bounds. u = 2^-53, B is the product of the extents of the box around both triangles, all
// differences are of original coordinates. Each of s, r, v is a determinant: |error| <= 50 u B and
// |value| <= 6 B (1 + 50 u) (exact/orient.h). A gap adds v, a difference of two s, one of two r:
// 50 + 2 (100 + 12) u B, and rounds sums of at most 18 B and 30 B: 322 u B in all. Heights above
// the *computed* rather than the true axis differ by at most 27 u B more each. 2^-44 = 512 u covers
// every case. Lanes whose extents are outside the range without overflow and underflow stay
// undecided.
//
// Every instruction set does the same operations in the same order and gives the same bits.
#include <math.h>

#include "abut/types.h"
#include "simd/kernels.h"
#include "simd/lanes.h"

#define ERROR_FACTOR 0x1p-44

typedef struct {
    doubles x[3];
} vector;

typedef struct {
    vector p[3], q[3];
    doubles gap[3];     // between the boxes, per axis; negative if they overlap
    doubles extent[3];  // of the box around both
    doubles bound;      // 2^-44 times their product
} pairs;

static inline vector load(const abut__triangle_batch* batch, int corner, int first) {
    vector v;
    for (int k = 0; k < 3; ++k) {
        v.x[k] = doubles_load(&batch->corner[corner][k][first]);
    }
    return v;
}

static inline vector subtract(vector a, vector b) {
    return (vector){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}

static inline vector cross(vector a, vector b) {
    return (vector){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                     a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static inline doubles dot(vector a, vector b) {
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

static inline doubles least(doubles a, doubles b, doubles c) {
    return doubles_min(doubles_min(a, b), c);
}

static inline doubles greatest(doubles a, doubles b, doubles c) {
    return doubles_max(doubles_max(a, b), c);
}

static inline pairs load_pairs(const abut__triangle_batch* batch, int first) {
    pairs t;
    for (int i = 0; i < 3; ++i) {
        t.p[i] = load(batch, i, first);
        t.q[i] = load(batch, i + 3, first);
    }
    for (int k = 0; k < 3; ++k) {
        const doubles lo_p = least(t.p[0].x[k], t.p[1].x[k], t.p[2].x[k]);
        const doubles hi_p = greatest(t.p[0].x[k], t.p[1].x[k], t.p[2].x[k]);
        const doubles lo_q = least(t.q[0].x[k], t.q[1].x[k], t.q[2].x[k]);
        const doubles hi_q = greatest(t.q[0].x[k], t.q[1].x[k], t.q[2].x[k]);
        t.gap[k] = doubles_max(lo_p - hi_q, lo_q - hi_p);
        t.extent[k] = doubles_max(hi_p, hi_q) - doubles_min(lo_p, lo_q);
    }
    t.bound = doubles_splat(ERROR_FACTOR) * (t.extent[0] * t.extent[1] * t.extent[2]);
    return t;
}

// Returns the lanes whose extents are in (lowest, highest).
static inline uint32_t in_range(const pairs* t, double lowest, double highest) {
    return doubles_lt(doubles_splat(lowest), least(t->extent[0], t->extent[1], t->extent[2])) &
           doubles_lt(greatest(t->extent[0], t->extent[1], t->extent[2]), doubles_splat(highest));
}

// Heights above both planes, and the axes that are normal to them.
typedef struct {
    vector e[3], f[3];  // edges
    vector n_p, n_q;
    doubles s[3], r[3];
} heights;

static inline heights plane_heights(const pairs* t) {
    heights h;
    for (int i = 0; i < 3; ++i) {
        h.e[i] = subtract(t->p[(i + 1) % 3], t->p[i]);
        h.f[i] = subtract(t->q[(i + 1) % 3], t->q[i]);
    }
    h.n_p = cross(h.e[2], h.e[0]);  // both of these edges have corner 0
    h.n_q = cross(h.f[2], h.f[0]);
    for (int i = 0; i < 3; ++i) {
        h.s[i] = dot(h.n_p, subtract(t->q[i], t->p[0]));
        h.r[i] = dot(h.n_q, subtract(t->p[i], t->q[0]));
    }
    return h;
}

// Returns how far all three heights are on one side.
static inline doubles one_side(const doubles h[3]) {
    return doubles_max(least(h[0], h[1], h[2]), -greatest(h[0], h[1], h[2]));
}

// Returns how far two heights are on different sides.
static inline doubles two_sides(doubles a, doubles b) {
    return doubles_min(doubles_max(a, b), -doubles_min(a, b));
}

// Returns the gap between the two along the axis e_i x f_j, given v_ij.
static inline doubles edge_gap(const heights* h, doubles v, int i, int j) {
    const doubles zero = doubles_splat(0.0);
    const doubles a = h->s[j] - h->s[(j + 1) % 3];
    const doubles b = h->r[(i + 1) % 3] - h->r[i];
    const doubles above = (v + doubles_min(b, zero)) - doubles_max(a, zero);
    const doubles below = (doubles_min(a, zero) - v) - doubles_max(b, zero);
    return doubles_max(above, below);
}

static inline abut__triangle_verdict filter_lanes(const abut__triangle_batch* batch, int first,
                                                  uint32_t valid) {
    const pairs t = load_pairs(batch, first);
    const doubles zero = doubles_splat(0.0);
    uint32_t apart = doubles_lt(zero, greatest(t.gap[0], t.gap[1], t.gap[2]));
    const uint32_t good = in_range(&t, 0x1p-300, 0x1p300);
    const heights h = plane_heights(&t);
    doubles gap = doubles_max(one_side(h.s), one_side(h.r));
    apart |= doubles_lt(t.bound, gap) & good;
    if ((valid & good & ~apart) == 0) {
        return (abut__triangle_verdict){apart & valid, 0};
    }
    doubles pierced = -t.bound;  // how certainly some edge pierces
    doubles column_least[3];
    doubles column_greatest[3];
    for (int i = 0; i < 3; ++i) {
        doubles v[3];
        for (int j = 0; j < 3; ++j) {
            v[j] = dot(cross(h.e[i], h.f[j]), subtract(t.q[j], t.p[i]));
            gap = doubles_max(gap, edge_gap(&h, v[j], i, j));
            column_least[j] = i == 0 ? v[j] : doubles_min(column_least[j], v[j]);
            column_greatest[j] = i == 0 ? v[j] : doubles_max(column_greatest[j], v[j]);
        }
        const doubles ends = two_sides(h.r[i], h.r[(i + 1) % 3]);
        pierced = doubles_max(pierced, doubles_min(ends, one_side(v)));
    }
    for (int j = 0; j < 3; ++j) {
        const doubles ends = two_sides(h.s[j], h.s[(j + 1) % 3]);
        const doubles line = doubles_max(column_least[j], -column_greatest[j]);
        pierced = doubles_max(pierced, doubles_min(ends, line));
    }
    apart |= doubles_lt(t.bound, gap) & good;
    const uint32_t touch = doubles_lt(t.bound, pierced) & good;
    return (abut__triangle_verdict){apart & valid, touch & valid & ~apart};
}

abut__triangle_verdict ABUT_KERNEL(triangles_filter)(const abut__triangle_batch* batch,
                                                     uint32_t valid) {
    abut__triangle_verdict verdict = {0, 0};
    for (int first = 0; first < 16; first += DOUBLE_LANES) {
        const uint32_t lanes = valid >> first & DOUBLE_BITS;
        if (lanes != 0) {
            const abut__triangle_verdict v = filter_lanes(batch, first, lanes);
            verdict.apart |= v.apart << first;
            verdict.touch |= v.touch << first;
        }
    }
    return verdict;
}

// Positive if a gap proves a distance above the margin; gap and axis are not normalised. For any
// computed axis, a certain gap divided by the axis's length is a lower bound of the distance.
static inline doubles excess(doubles gap, vector axis, doubles bound, doubles margin_sq) {
    const doubles certain = gap - bound;
    return certain * doubles_abs(certain) - margin_sq * dot(axis, axis);
}

// Returns the greatest of `most` and the excesses along the axes e_i x f_j of one edge. Always
// inlined, so that i is a constant and gcc keeps no array in memory.
static inline __attribute__((always_inline)) doubles row_excess(const pairs* t, const heights* h,
                                                                int i, doubles margin_sq,
                                                                doubles most) {
    for (int j = 0; j < 3; ++j) {
        const vector axis = cross(h->e[i], h->f[j]);
        const doubles v = dot(axis, subtract(t->q[j], t->p[i]));
        most = doubles_max(most, excess(edge_gap(h, v, i, j), axis, t->bound, margin_sq));
    }
    return most;
}

// The squares need a smaller range: extents and margin in 2^-80 .. 2^80, so that squares of heights
// are below 2^490. A certain gap is a multiple of the last place of the bound, above 2^-340, so its
// square is far above any underflow on the other side. A smaller margin is rounded up, which proves
// less. The factor 1 + 2^-44 covers the roundings of the squares and of this product.
static inline uint32_t within_lanes(const abut__triangle_batch* batch, int first, uint32_t valid,
                                    const double margins[16]) {
    const pairs t = load_pairs(batch, first);
    const doubles margin = doubles_load(margins + first);
    const doubles zero = doubles_splat(0.0);
    const doubles raised = doubles_max(margin, doubles_splat(0x1p-80));
    const doubles margin_sq = raised * raised * (1.0 + 0x1p-44);
    // one axis alone is exact, because rounding is monotonic
    uint32_t apart = doubles_lt(margin, greatest(t.gap[0], t.gap[1], t.gap[2]));
    vector g;
    for (int k = 0; k < 3; ++k) {
        g.x[k] = doubles_max(t.gap[k], zero);
    }
    const uint32_t good = doubles_lt(margin, doubles_splat(0x1p80)) & in_range(&t, 0x1p-80, 0x1p80);
    apart |= doubles_lt(margin_sq, dot(g, g)) & good;
    const heights h = plane_heights(&t);
    doubles most = doubles_max(excess(one_side(h.s), h.n_p, t.bound, margin_sq),
                               excess(one_side(h.r), h.n_q, t.bound, margin_sq));
    apart |= doubles_lt(zero, most) & good;
    if ((valid & good & ~apart) == 0) {
        return apart & valid;
    }
    most = row_excess(&t, &h, 0, margin_sq, most);
    most = row_excess(&t, &h, 1, margin_sq, most);
    most = row_excess(&t, &h, 2, margin_sq, most);
    apart |= doubles_lt(zero, most) & good;
    return apart & valid;
}

// The margins are passed in memory: gcc leaves the upper halves of registers in use at the end of a
// kernel that passes vectors to a function, which slows down the caller.
static uint32_t lanes_beyond(const abut__triangle_batch* batch, uint32_t valid,
                             const double margins[16]) {
    uint32_t apart = 0;
    for (int first = 0; first < 16; first += DOUBLE_LANES) {
        const uint32_t lanes = valid >> first & DOUBLE_BITS;
        if (lanes != 0) {
            apart |= within_lanes(batch, first, lanes, margins) << first;
        }
    }
    return apart;
}

uint32_t ABUT_KERNEL(triangles_beyond)(const abut__triangle_batch* batch, uint32_t valid,
                                       const double margin[16]) {
    return lanes_beyond(batch, valid, margin);
}

// ((r0 x + r1 y) + r2 z) + t, a register of points at a time where there is room for one.
void ABUT_KERNEL(place_points)(const abut_frame* frame, double* const xyz[3], uint32_t count,
                               uint32_t room) {
    uint32_t i = 0;
    for (; i < count && i + DOUBLE_LANES <= room; i += DOUBLE_LANES) {
        const doubles x = doubles_load(xyz[0] + i);
        const doubles y = doubles_load(xyz[1] + i);
        const doubles z = doubles_load(xyz[2] + i);
        for (int d = 0; d < 3; ++d) {
            const double* r = frame->r[d];
            doubles_store(xyz[d] + i, ((r[0] * x + r[1] * y) + r[2] * z) + frame->t[d]);
        }
    }
    for (; i < count; ++i) {
        const double x = xyz[0][i];
        const double y = xyz[1][i];
        const double z = xyz[2][i];
        for (int d = 0; d < 3; ++d) {
            const double* r = frame->r[d];
            xyz[d][i] = ((r[0] * x + r[1] * y) + r[2] * z) + frame->t[d];
        }
    }
}

void ABUT_KERNEL(gather_corners)(const double* const (*places)[16], double (*out)[3][16]) {
    for (int c = 0; c < 3; ++c) {
        for (int k = 0; k < 16; k += 4) {
            f64x4 p[4];
            for (int i = 0; i < 4; ++i) {
                p[i] = f64x4_load4_double(places[c][k + i]);
            }
            f64x4_transpose3(p);
            for (int d = 0; d < 3; ++d) {
                f64x4_store(&out[c][d][k], p[d]);
            }
        }
    }
}

// A number that is not finite makes its sum not finite.
uint32_t ABUT_KERNEL(corners_finite)(const abut__triangle_batch* batch) {
    doubles sum[16 / DOUBLE_LANES] = {{0}};
    for (int c = 0; c < 6; ++c) {
        for (int d = 0; d < 3; ++d) {
            for (int i = 0; i < 16 / DOUBLE_LANES; ++i) {
                sum[i] += doubles_load(&batch->corner[c][d][i * DOUBLE_LANES]);
            }
        }
    }
    uint32_t finite = 0;
    for (int i = 0; i < 16 / DOUBLE_LANES; ++i) {
        finite |= doubles_lt(doubles_abs(sum[i]), doubles_splat(INFINITY)) << i * DOUBLE_LANES;
    }
    return finite;
}
