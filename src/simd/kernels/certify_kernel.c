// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kernels that make certificates: bounds over fields, sixteen at a time, of how much two sets of
// vertices move against each other, relative to their distance. Compiled once per instruction set.
// bound/separation.c and bound/certify_nodes.c have the proofs.
#include <float.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

#define STEPS (ABUT__GROUP / FLOAT_LANES)  // vectors of sixteen numbers

// Sums of up to a hundred operations have a smaller error than this, relative to their greatest
// number. All numbers here are of the order of 1: see the units in bound/cluster.h.
#define SLACK 0x1p-18f

static inline floats dot(const floats a[3], const floats b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline floats square_of(const floats m[9]) {
    return dot(m, m) + dot(m + 3, m + 3) + dot(m + 6, m + 6);
}

// Returns an upper bound of the magnitudes of the eigenvalues of a symmetric matrix:
// abut__eigenvalue_range.
static inline floats eigenvalue_most(floats xx, floats yy, floats zz, floats off_sq) {
    const floats mean = (xx + yy + zz) * (1.0f / 3);
    const floats a = xx - mean;
    const floats b = yy - mean;
    const floats c = zz - mean;
    const floats squares = a * a + b * b + c * c + off_sq + off_sq;
    return floats_abs(mean) + floats_sqrt(squares * (2.0f / 3));
}

// Upper bounds of the norm of a matrix, and of the norm of its symmetric part.
static inline floats norm_of(const floats m[9]) {
    const floats ab = dot(m, m + 3);
    const floats ac = dot(m, m + 6);
    const floats bc = dot(m + 3, m + 6);
    return floats_sqrt(eigenvalue_most(dot(m, m), dot(m + 3, m + 3), dot(m + 6, m + 6),
                                       ab * ab + ac * ac + bc * bc));
}
static inline floats norm_symmetric(const floats m[9]) {
    const floats xy = m[1] + m[3];
    const floats xz = m[2] + m[6];
    const floats yz = m[5] + m[7];
    return eigenvalue_most(m[0], m[4], m[8], (xy * xy + xz * xz + yz * yz) * 0.25f);
}

// Rows of FLOAT_LANES fields of two clusters, and of their common data.
typedef struct far_rows {
    floats x[9];
    floats y[9];
    floats map[9];
    floats apart[3];  // of the means
    floats error;
} far_rows;

// Computes the bounds if E starts as `e`: see bound/certify.c. The slack is relative to all terms
// of a residual.
static inline void far_bounds(const far_rows* r, const abut__far_geometry* g, floats e[9],
                              floats* full, floats* strain) {
    const float* c = g->c;
    floats own[9];
    floats rest[3];
    floats across[3];
    for (int i = 0; i < 9; ++i) {
        own[i] = r->map[i] + e[i];
    }
    for (int d = 0; d < 3; ++d) {
        rest[d] = r->apart[d] - (own[3 * d] * c[0] + own[3 * d + 1] * c[1] + own[3 * d + 2] * c[2]);
    }
    const floats along = (rest[0] * c[0] + rest[1] * c[1] + rest[2] * c[2]) * g->inverse_sq;
    for (int d = 0; d < 3; ++d) {
        across[d] = (rest[d] - along * c[d]) * g->inverse_sq;
        rest[d] *= g->inverse_sq;
    }
    floats turn_x[9];
    floats turn_y[9];
    for (int i = 0; i < 9; ++i) {
        e[i] += rest[i / 3] * c[i % 3] - across[i % 3] * c[i / 3];
        own[i] = r->map[i] + e[i];
        turn_x[i] = r->x[i] - own[i];
        turn_y[i] = r->y[i] - own[i];
    }
    const floats apart = floats_sqrt(dot(r->apart, r->apart));
    const floats across_x = floats_sqrt(square_of(turn_x)) * g->radius[0];
    const floats across_y = floats_sqrt(square_of(turn_y)) * g->radius[1];
    const floats size = floats_sqrt(square_of(own)) * (g->distance + g->radius[0] + g->radius[1]);
    const floats residual = across_x + across_y + r->error + (apart + size + size) * SLACK;
    const floats ratio = residual * g->inverse_gap;
    *full = (norm_of(e) + ratio) * (1 + SLACK);
    *strain = (norm_symmetric(e) + ratio) * (1 + SLACK);
}

static inline far_rows load_far(const float* x, const float* y, const float* map, size_t stride) {
    far_rows r;
    for (size_t i = 0; i < 9; ++i) {
        r.x[i] = floats_load(x + i * stride);
        r.y[i] = floats_load(y + i * stride);
        r.map[i] = floats_load(map + i * stride);
    }
    for (size_t d = 0; d < 3; ++d) {
        r.apart[d] = floats_load(x + (9 + d) * stride) - floats_load(y + (9 + d) * stride);
    }
    r.error = floats_load(x + 12 * stride) + floats_load(y + 12 * stride);
    return r;
}

// The bounds of sixteen fields. They are made tighter or refused together, so that limits do not
// depend on FLOAT_LANES.
typedef struct field_bounds {
    floats full[STEPS];
    floats strain[STEPS];
} field_bounds;

static inline void raise(float* limit, floats bound) {
    floats_store(limit, floats_max(bound, floats_load(limit)));
}
static inline void raise_limits(const abut__limits* limits, size_t first, const field_bounds* b,
                                bool enough) {
    for (size_t s = 0; s < STEPS; ++s) {
        const size_t at = first + s * FLOAT_LANES;
        raise(limits->full + at, b->full[s]);
        raise(limits->strain + at, b->strain[s]);
        if (enough) {
            raise(limits->enough_full + at, b->full[s] * limits->slack_full);
            raise(limits->enough_strain + at, b->strain[s] * limits->slack_strain);
        }
    }
}

// Tells whether the bounds of a step are good enough.
static inline bool are_enough(const field_bounds* b, size_t s, const abut__limits* limits,
                              size_t first) {
    const floats full = floats_load(limits->enough_full + first);
    const floats strain = floats_load(limits->enough_strain + first);
    return (floats_le(b->full[s], full) & floats_le(b->strain[s], strain)) == FLOAT_BITS;
}

// Computes bounds of sixteen fields with half of both maps. Returns whether they are good enough.
static inline bool far_halves(const float* x, const float* y, const float* map, size_t stride,
                              const abut__far_geometry* geometry, const abut__limits* limits,
                              size_t first, field_bounds* out) {
    bool enough = true;
    for (size_t s = 0; s < STEPS; ++s) {
        const size_t at = first + s * FLOAT_LANES;
        const far_rows r = load_far(x + at, y + at, map + at, stride);
        floats e[9];
        for (size_t i = 0; i < 9; ++i) {
            e[i] = (r.x[i] + r.y[i]) * 0.5f - r.map[i];
        }
        far_bounds(&r, geometry, e, &out->full[s], &out->strain[s]);
        enough &= are_enough(out, s, limits, at);
    }
    return enough;
}

// Makes bounds tighter by those without a map. Returns false at once if they must be good enough
// and are not.
static inline bool far_none(const float* x, const float* y, const float* map, size_t stride,
                            const abut__far_geometry* geometry, bool last,
                            const abut__limits* limits, size_t first, field_bounds* out) {
    for (size_t s = 0; s < STEPS; ++s) {
        const size_t at = first + s * FLOAT_LANES;
        const far_rows r = load_far(x + at, y + at, map + at, stride);
        floats e[9] = {{0}};
        floats full;
        floats strain;
        far_bounds(&r, geometry, e, &full, &strain);
        out->full[s] = floats_min(out->full[s], full);
        out->strain[s] = floats_min(out->strain[s], strain);
        if (!last && !are_enough(out, s, limits, at)) {
            return false;
        }
    }
    return true;
}

bool ABUT_KERNEL(modal_far)(const float* x, const float* y, const float* map, size_t stride,
                            const abut__far_geometry* geometry, bool last,
                            const abut__limits* limits) {
    for (size_t first = 0; first < stride; first += ABUT__GROUP) {
        field_bounds b;
        if (!far_halves(x, y, map, stride, geometry, limits, first, &b) &&
            !far_none(x, y, map, stride, geometry, last, limits, first, &b)) {
            return false;
        }
        raise_limits(limits, first, &b, last);
    }
    return true;
}

// Returns the greatest ratio of a difference of residuals to its distance.
static inline __attribute__((always_inline)) floats greatest_ratio(const floats (*r)[3],
                                                                   const float* inverse) {
    floats most = {0};
    LANES_UNROLL
    for (uint32_t k = 0; k < 9; ++k) {
        floats delta[3];
        LANES_UNROLL
        for (int d = 0; d < 3; ++d) {
            delta[d] = r[k / 3][d] - r[3 + k % 3][d];
        }
        most = floats_max(most, dot(delta, delta) * (inverse[k] * inverse[k]));
    }
    return floats_sqrt(most);
}

// Computes the best-fitting map, as abut__fit() does (bound/affine.c).
static inline void fit_map(const floats (*r)[3], const abut__near_geometry* g, floats out[9]) {
    floats cross[9] = {{0}};
    floats known[9];
    floats turned[9];
    for (uint32_t k = 0; k < 6; ++k) {
        for (int i = 0; i < 9; ++i) {
            cross[i] += r[k][i / 3] * g->x[k][i % 3];
        }
    }
    for (int i = 0; i < 9; ++i) {
        const floats* row = cross + i / 3 * 3;
        known[i] = row[0] * g->spread_inverse[0][i % 3] + row[1] * g->spread_inverse[1][i % 3] +
                   row[2] * g->spread_inverse[2][i % 3];
    }
    for (int i = 0; i < 9; ++i) {
        turned[i] = known[i / 3] * g->blank[0][i % 3] + known[3 + i / 3] * g->blank[1][i % 3] +
                    known[6 + i / 3] * g->blank[2][i % 3];
    }
    for (int i = 0; i < 9; ++i) {
        const float* blank = g->blank[i / 3];
        out[i] = known[i] - turned[i] + turned[i % 3] * blank[0] + turned[3 + i % 3] * blank[1] +
                 turned[6 + i % 3] * blank[2];
    }
}

// Subtracts the map from the residuals. Bounds the norms; returns the added rounding error.
static inline floats subtract_map(floats (*r)[3], const abut__near_geometry* g, floats* full,
                                  floats* strain) {
    floats e[9];
    fit_map((const floats(*)[3])r, g, e);
    for (uint32_t i = 0; i < 6; ++i) {
        const float* x = g->x[i];
        for (int d = 0; d < 3; ++d) {
            r[i][d] -= e[3 * d] * x[0] + e[3 * d + 1] * x[1] + e[3 * d + 2] * x[2];
        }
    }
    *full = norm_of(e);
    *strain = norm_symmetric(e);
    return floats_sqrt(square_of(e)) * g->reach;
}

typedef floats residuals[6][3];
static inline void load_near(const float* residual, size_t stride, const abut__near_geometry* g,
                             residuals r) {
    for (uint32_t i = 0; i < 6; ++i) {
        for (size_t d = 0; d < 3; ++d) {
            r[i][d] = floats_load(residual + (3 * (size_t)g->vertex[i] + d) * stride);
        }
    }
}

// Computes bounds of sixteen fields with the common map. Returns whether they are good enough.
static inline bool near_common(const float* residual, size_t stride, const abut__near_geometry* g,
                               const float* factor, const abut__limits* limits, size_t first,
                               field_bounds* out) {
    bool enough = true;
    for (size_t s = 0; s < STEPS; ++s) {
        const size_t at = first + s * FLOAT_LANES;
        residuals r;
        load_near(residual + at, stride, g, r);
        const floats unit = floats_load(factor + at) * (1 + SLACK);
        const floats ratio = greatest_ratio((const floats(*)[3])r, g->inverse) +
                             g->inverse_most * SLACK;
        out->full[s] = out->strain[s] = ratio * unit;
        enough &= are_enough(out, s, limits, at);
    }
    return enough;
}

// Makes bounds tighter by a map of their own.
static inline void near_own(const float* residual, size_t stride, const abut__near_geometry* g,
                            const float* factor, size_t first, field_bounds* out) {
    for (size_t s = 0; s < STEPS; ++s) {
        const size_t at = first + s * FLOAT_LANES;
        residuals r;
        load_near(residual + at, stride, g, r);
        floats full;
        floats strain;
        const floats unit = floats_load(factor + at) * (1 + SLACK);
        const floats size = subtract_map(r, g, &full, &strain) + 1;
        const floats ratio = greatest_ratio((const floats(*)[3])r, g->inverse) +
                             size * (g->inverse_most * SLACK);
        // the second argument wins if the first is NaN
        out->full[s] = floats_min((full + ratio) * unit, out->full[s]);
        out->strain[s] = floats_min((strain + ratio) * unit, out->strain[s]);
    }
}

bool ABUT_KERNEL(modal_near)(const float* residual, size_t stride,
                             const abut__near_geometry* geometry, const float* factor,
                             const abut__limits* limits) {
    for (size_t first = 0; first < stride; first += ABUT__GROUP) {
        field_bounds b;
        const bool common = near_common(residual, stride, geometry, factor, limits, first, &b);
        if (!common && !geometry->fits) {
            return false;
        }
        if (!common) {
            near_own(residual, stride, geometry, factor, first, &b);
        }
        raise_limits(limits, first, &b, !common);
    }
    return true;
}

// ---- sets of vertices that are far from each other

// Raises the limits by bounds with the common map, if they are good enough.
static inline bool accept(const float* factor, const floats ratio[STEPS], float inverse_most,
                          const abut__limits* limits, size_t first) {
    field_bounds b;
    bool enough = true;
    for (size_t s = 0; s < STEPS; ++s) {
        const size_t at = first + s * FLOAT_LANES;
        const floats unit = floats_load(factor + at) * (1 + SLACK);
        b.full[s] = b.strain[s] = (ratio[s] + inverse_most * SLACK) * unit;
        enough &= are_enough(&b, s, limits, at);
    }
    if (enough) {
        raise_limits(limits, first, &b, false);
    }
    return enough;
}

void ABUT_KERNEL(residual_boxes)(const float* residual, size_t stride, const uint8_t* vertices,
                                 uint32_t count, float* box) {
    for (size_t at = 0; at < 3 * stride; at += FLOAT_LANES) {
        floats lo = floats_load(residual + 3 * vertices[0] * stride + at);
        floats hi = lo;
        for (uint32_t v = 1; v < count; ++v) {
            const floats r = floats_load(residual + 3 * vertices[v] * stride + at);
            lo = floats_min(lo, r);
            hi = floats_max(hi, r);
        }
        floats_store(box + at, lo);
        floats_store(box + 3 * stride + at, hi);
    }
}

bool ABUT_KERNEL(modal_boxes_far)(const float* x, const float* y, size_t stride, float inverse,
                                  const float* factor, const abut__limits* limits) {
    for (size_t first = 0; first < stride; first += ABUT__GROUP) {
        floats ratio[STEPS];
        for (size_t s = 0; s < STEPS; ++s) {
            floats across[3];
            for (size_t d = 0; d < 3; ++d) {
                const size_t lo = d * stride + first + s * FLOAT_LANES;
                const size_t hi = lo + 3 * stride;
                across[d] = floats_max(floats_load(x + hi) - floats_load(y + lo),
                                       floats_load(y + hi) - floats_load(x + lo));
            }
            ratio[s] = floats_sqrt(dot(across, across)) * inverse;
        }
        if (!accept(factor, ratio, inverse, limits, first)) {
            return false;
        }
    }
    return true;
}

#define HULL_ROOM 32u  // floats for one row of inverse distances: two vectors at most are read

// Computes the squares of the inverse distances of a vertex of one set to those of the other.
static inline void invert_row(float from, const abut__hull_geometry* g, float out[HULL_ROOM]) {
    for (uint32_t k = 0; k < g->count[1]; k += FLOAT_LANES) {
        const floats distance = from - floats_load(g->along[1] + k);
        const floats inverse = 1.0f / distance * (1 + 0x1p-21f);
        floats_store(out + k, inverse * inverse);
    }
}

static inline floats hull_ratio(const float* residual, size_t stride, const abut__hull_geometry* g,
                                const float inverse_sq[ABUT__HULL][HULL_ROOM]) {
    floats other[ABUT__HULL][3];
    for (uint32_t k = 0; k < g->count[1]; ++k) {
        for (size_t d = 0; d < 3; ++d) {
            other[k][d] = floats_load(residual + (3 * (size_t)g->vertex[1][k] + d) * stride);
        }
    }
    floats most = {0};
    for (uint32_t i = 0; i < g->count[0]; ++i) {
        const float* row = residual + 3 * (size_t)g->vertex[0][i] * stride;
        const floats own[3] = {floats_load(row), floats_load(row + stride),
                               floats_load(row + 2 * stride)};
        for (uint32_t k = 0; k < g->count[1]; ++k) {
            const floats delta[3] = {own[0] - other[k][0], own[1] - other[k][1],
                                     own[2] - other[k][2]};
            most = floats_max(most, dot(delta, delta) * inverse_sq[i][k]);
        }
    }
    return floats_sqrt(most);
}

bool ABUT_KERNEL(modal_hulls)(const float* residual, size_t stride, const abut__hull_geometry* g,
                              const float* factor, const abut__limits* limits) {
    float inverse_sq[ABUT__HULL][HULL_ROOM];
    for (uint32_t i = 0; i < g->count[0]; ++i) {
        invert_row(g->along[0][i], g, inverse_sq[i]);
    }
    for (size_t first = 0; first < stride; first += ABUT__GROUP) {
        floats ratio[STEPS];
        for (size_t s = 0; s < STEPS; ++s) {
            ratio[s] = hull_ratio(residual + first + s * FLOAT_LANES, stride, g,
                                  (const float(*)[HULL_ROOM])inverse_sq);
        }
        if (!accept(factor, ratio, g->inverse_most, limits, first)) {
            return false;
        }
    }
    return true;
}

// ---- a direction for a triangle and eight others

#define GOOD_MARGIN 0.6  // a direction with this margin needs no search
#define FAIR_MARGIN 0.2  // one with this margin may do
#define TINY_SQ 1e-280   // smaller squares may have lost digits by underflow

static inline doubles dot_doubles(const doubles a[3], const doubles b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

// Tries the line of the middles, which suits most pairs. Comparing squares needs only one root.
static inline uint32_t try_middles(const double t[3][3], const abut__eight_triangles* others,
                                   double unit, uint32_t at, abut__eight_distances* out) {
    doubles delta[9][3];
    doubles n[3] = {{0}, {0}, {0}};
    for (int k = 0; k < 9; ++k) {
        for (int d = 0; d < 3; ++d) {
            delta[k][d] = t[k / 3][d] - doubles_load(others->corner[k % 3][d] + at);
            n[d] += delta[k][d];
        }
    }
    const doubles square = dot_doubles(n, n);
    const doubles inverse = 1 / doubles_sqrt(square);
    uint32_t bad = doubles_le(square, doubles_splat(TINY_SQ));
    uint32_t poor = bad;
    doubles least = doubles_splat(DBL_MAX);
    for (int k = 0; k < 9; ++k) {
        const doubles along = dot_doubles(delta[k], n) * inverse;
        const doubles along_sq = along * along;
        const doubles tiny = doubles_splat(TINY_SQ);
        const doubles square_k = dot_doubles(delta[k], delta[k]);
        poor |= doubles_le(along, (doubles){0}) |
                doubles_le(along_sq, doubles_max(square_k * (FAIR_MARGIN * FAIR_MARGIN), tiny)) |
                (~doubles_le(along_sq, doubles_splat(DBL_MAX)) & DOUBLE_BITS);
        bad |= doubles_le(along_sq, doubles_max(square_k * (GOOD_MARGIN * GOOD_MARGIN), tiny));
        // Rounding is relative to lengths, which are not much greater.
        const doubles distance = along * (1 - 0x1p-44);
        least = doubles_min(least, distance);
        doubles_store(out->inverse[k] + at, 1 / (distance * unit) * (1 + 0x1p-22));
    }
    doubles_store(out->least + at, least);
    bad |= poor;
    return (~bad & DOUBLE_BITS) | (~poor & DOUBLE_BITS) << 8;
}

uint32_t ABUT_KERNEL(separate_middles)(const double t[3][3], const abut__eight_triangles* others,
                                       double unit, abut__eight_distances* out) {
    uint32_t lanes = 0;
    for (uint32_t at = 0; at < 8; at += DOUBLE_LANES) {
        lanes |= try_middles(t, others, unit, at, out) << at;
    }
    return lanes;
}

// ---- residuals

void ABUT_KERNEL(residuals)(const float* map, size_t stride, const double* displacement,
                            const double offset[3], double* size, double* scale, float* out) {
    for (size_t k = 0; k < stride; k += DOUBLE_LANES) {
        doubles terms = {0};
        doubles most = doubles_load(size + k);
        for (size_t d = 0; d < 3; ++d) {
            const doubles change = doubles_load(displacement + d * stride + k) -
                                   doubles_load_float(map + (9 + d) * stride + k);
            doubles steep = {0};
            doubles sum = {0};
            doubles sizes = doubles_abs(change);
            for (size_t c = 0; c < 3; ++c) {
                const doubles entry = doubles_load_float(map + (3 * d + c) * stride + k);
                const doubles product = entry * offset[c];
                steep += doubles_abs(entry);
                sizes += doubles_abs(product);
                sum += product;
            }
            const doubles r = change - sum;
            // Positions are off by 2^-52, which is not relative to the offset.
            terms += steep * 0x1p-5 + sizes;
            most = doubles_max(most, doubles_abs(r));
            doubles_store_float(out + d * stride + k, r);
        }
        doubles_store(size + k, most);
        doubles_store(scale + k, doubles_max(doubles_load(scale + k), terms));
    }
}

void ABUT_KERNEL(scale_residuals)(const float* factor, size_t stride, uint32_t rows,
                                  float* residual) {
    for (uint32_t row = 0; row < rows; ++row, residual += stride) {
        for (size_t k = 0; k < stride; k += FLOAT_LANES) {
            floats_store(residual + k, floats_load(residual + k) * floats_load(factor + k));
        }
    }
}
