// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kernels of the modal motion: sums of rows of numbers, weighted by coordinates. Compiled once per
// instruction set. The pad of the state (motion/modal.h) covers rounding, fused or not. A
// coordinate that is 0 costs nothing.
#include <float.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

#define BOX_ROWS 3u  // of sixteen numbers: centre x and y, centre z and half x, half y and z

#define BALL_ROWS 2u  // centre x and y, centre z and radius

static const i32x16 upper_magnitude = {-1,        -1,        -1,        -1,
                                       -1,        -1,        -1,        -1,
                                       INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX,
                                       INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};

// q in the lower half, |q| in the upper one.
static inline f32x16 half_magnitude(f32x16 plain) {
    return (f32x16)((i32x16)plain & upper_magnitude);
}

typedef struct box_sums {
    f32x16 first;
    f32x16 second;
    f32x16 third;
} box_sums;

static inline box_sums add_box_rows(box_sums sums, const float* row, float q) {
    const f32x16 plain = f32x16_splat(q);
    sums.first = f32x16_multiply_add(f32x16_load(row), plain, sums.first);
    sums.second = f32x16_multiply_add(f32x16_load(row + 16), half_magnitude(plain), sums.second);
    sums.third = f32x16_multiply_add(f32x16_load(row + 32), f32x16_abs(plain), sums.third);
    return sums;
}

// Computes centre + sum of fields' centres x q, half extents + sum of fields' half extents x |q|.
// Two alternating sums shorten the chain of dependent additions.
void ABUT_KERNEL(modal_boxes)(const abut__modal_lanes* lanes, const double* coordinates, float pad,
                              abut__boxes8* out) {
    const float* row = lanes->data;
    box_sums even = {f32x16_load(row), f32x16_load(row + 16), f32x16_load(row + 32)};
    box_sums odd = {{0}, {0}, {0}};
    for (uint32_t k = 0; k < lanes->field_count; ++k) {
        row += 16 * BOX_ROWS;
        const float q = (float)coordinates[lanes->fields[k]];
        if (q == 0) {
            continue;
        }
        if (k % 2 == 0) {
            even = add_box_rows(even, row, q);
        } else {
            odd = add_box_rows(odd, row, q);
        }
    }
    float c[3][ABUT__FAN];
    float h[3][ABUT__FAN];
    const f32x16 rows[BOX_ROWS] = {even.first + odd.first, even.second + odd.second,
                                   even.third + odd.third};
    memcpy(c, rows, sizeof c);
    memcpy(h, (const char*)rows + sizeof c, sizeof h);
    for (int d = 0; d < 3; ++d) {
        const f32x8 centre = f32x8_load(c[d]);
        const f32x8 half = f32x8_load(h[d]) + f32x8_splat(pad);
        f32x8_store(out->lo[d], centre - half);
        f32x8_store(out->hi[d], centre + half);
    }
}

// q for the centre, |q| for the half extents.
static const i64x8 halves_magnitude = {-1, -1, -1, INT64_MAX, INT64_MAX, INT64_MAX, 0, 0};

// Two alternating sums shorten the chain of dependent additions.
void ABUT_KERNEL(modal_box)(const double* rows, const double* coordinates, uint32_t count,
                            double* out) {
    f64x8 even = f64x8_load(rows);
    f64x8 odd = {0};
    uint32_t k = 0;
    for (; k + 2 <= count; k += 2) {
        const f64x8 first = (f64x8)((i64x8)f64x8_splat(coordinates[k]) & halves_magnitude);
        const f64x8 second = (f64x8)((i64x8)f64x8_splat(coordinates[k + 1]) & halves_magnitude);
        rows += ABUT__MODAL_BOX;
        even += f64x8_load(rows) * first;
        rows += ABUT__MODAL_BOX;
        odd += f64x8_load(rows) * second;
    }
    if (k < count) {
        const f64x8 last = (f64x8)((i64x8)f64x8_splat(coordinates[k]) & halves_magnitude);
        even += f64x8_load(rows + ABUT__MODAL_BOX) * last;
    }
    f64x8_store(out, even + odd);
}

// The number of vectors of a row that are summed side by side, so that their additions overlap.
#if defined(__AVX512F__)
#define SIDE_BY_SIDE 8u
#else
#define SIDE_BY_SIDE 4u
#endif

static inline __attribute__((always_inline)) void sum_some(const abut__modal_lanes* lanes,
                                                           uint32_t width, uint32_t at,
                                                           const double* coordinates,
                                                           const uint32_t many, float* out) {
    const float* row = lanes->data + at;
    f32x16 sum[SIDE_BY_SIDE];
    for (uint32_t r = 0; r < many; ++r) {
        sum[r] = f32x16_load(row + (size_t)16 * r);
    }
    for (uint32_t k = 0; k < lanes->field_count; ++k) {
        row += width;
        const float q = (float)coordinates[lanes->fields[k]];
        if (q == 0) {  // numbers beyond float are infinite: 0 x infinity is NaN
            continue;
        }
        const f32x16 weight = f32x16_splat(q);
        for (uint32_t r = 0; r < many; ++r) {
            sum[r] = f32x16_multiply_add(f32x16_load(row + (size_t)16 * r), weight, sum[r]);
        }
    }
    for (uint32_t r = 0; r < many; ++r) {
        f32x16_store(out + at + (size_t)16 * r, sum[r]);
    }
}

// Sums rows of `width` numbers, a multiple of sixteen.
static void sum_rows(const abut__modal_lanes* lanes, uint32_t width, const double* coordinates,
                     float* out) {
    uint32_t at = 0;
    for (; at + 16 * SIDE_BY_SIDE <= width; at += 16 * SIDE_BY_SIDE) {
        sum_some(lanes, width, at, coordinates, SIDE_BY_SIDE, out);
    }
    switch ((width - at) / 16) {
#if defined(__AVX512F__)
        case 7: sum_some(lanes, width, at, coordinates, 7, out); break;
        case 6: sum_some(lanes, width, at, coordinates, 6, out); break;
        case 5: sum_some(lanes, width, at, coordinates, 5, out); break;
        case 4: sum_some(lanes, width, at, coordinates, 4, out); break;
#endif
        case 3: sum_some(lanes, width, at, coordinates, 3, out); break;
        case 2: sum_some(lanes, width, at, coordinates, 2, out); break;
        case 1: sum_some(lanes, width, at, coordinates, 1, out); break;
        default: break;
    }
}

// Lanes beyond the last vertex repeat the first, as its id does.
void ABUT_KERNEL(modal_points)(const abut__modal_lanes* lanes, uint32_t vertex_count,
                               const double* coordinates, abut__block_points* out) {
    float sums[3 * ABUT__BLOCK_VERTICES + ABUT__GROUP];
    sum_rows(lanes, abut__modal_row(vertex_count), coordinates, sums);
    const uint32_t end = (vertex_count + 15) & ~15u;
    for (uint32_t d = 0; d < 3; ++d) {
        const float* from = sums + (size_t)d * vertex_count;
        for (uint32_t v = 0; v < end; v += 16) {
            f32x16_store(out->xyz[d] + v, f32x16_load(from + v));
        }
        for (uint32_t v = vertex_count; v < end; ++v) {
            out->xyz[d][v] = from[0];  // NOLINT(*.Assign): a block has vertices
        }
    }
}

// A field that does not move a vertex adds nothing to it.
void ABUT_KERNEL(modal_exact)(const abut__modal_lanes* lanes, uint32_t vertex_count,
                              const double* coordinates, abut__block_exact* out) {
    const uint32_t width = abut__modal_row(vertex_count);
    double sums[3 * ABUT__BLOCK_VERTICES + ABUT__GROUP] = {0};
    for (uint32_t v = 0; v < vertex_count; ++v) {
        for (uint32_t d = 0; d < 3; ++d) {
            sums[d * vertex_count + v] = out->xyz[v][d];
        }
    }
    for (uint32_t at = 0; at < width; at += 16) {
        const float* row = lanes->data + at;
        f64x8 low = f64x8_load(sums + at);
        f64x8 high = f64x8_load(sums + at + 8);
        for (uint32_t k = 0; k < lanes->field_count; ++k) {
            row += width;
            const f64x8 weight = f64x8_splat(coordinates[lanes->fields[k]]);
            low += f64x8_widen(f32x8_load(row)) * weight;
            high += f64x8_widen(f32x8_load(row + 8)) * weight;
        }
        f64x8_store(sums + at, low);
        f64x8_store(sums + at + 8, high);
    }
    for (uint32_t v = 0; v < vertex_count; ++v) {
        for (uint32_t d = 0; d < 3; ++d) {
            out->xyz[v][d] = sums[d * vertex_count + v];
        }
    }
}

// Values are consecutive, but four streams at a time are hard to prefetch for processors.
#define AHEAD 2048

// Sums `many` vertices side by side, so that their additions overlap; the fourth lane is unused.
#define DEFINE_VERTICES(name, scalar, load)                                                \
    static inline __attribute__((always_inline)) void name##_some(                         \
        const scalar* value, const uint32_t* fields, uint32_t field_count,                 \
        const double* coordinates, const uint32_t many, double(*out)[3]) {                 \
        const size_t stride = (size_t)3 * field_count;                                     \
        f64x4 sum[4] = {{0}};                                                              \
        for (uint32_t v = 0; v < many; ++v) {                                              \
            sum[v] = (f64x4){out[v][0], out[v][1], out[v][2], 0};                          \
        }                                                                                  \
        for (uint32_t k = 0; k < field_count; ++k, value += 3) {                           \
            const double q = coordinates[fields[k]];                                       \
            const f64x4 weight = {q, q, q, q};                                             \
            for (uint32_t v = 0; v < many; ++v) {                                          \
                sum[v] += load(value + v * stride) * weight;                               \
            }                                                                              \
        }                                                                                  \
        for (uint32_t v = 0; v < many; ++v) {                                              \
            out[v][0] = sum[v][0];                                                         \
            out[v][1] = sum[v][1];                                                         \
            out[v][2] = sum[v][2];                                                         \
        }                                                                                  \
    }                                                                                      \
    static void name(const scalar* value, const uint32_t* fields, uint32_t field_count,    \
                     const double* coordinates, size_t vertex_count, double(*out)[3]) {    \
        const size_t stride = (size_t)3 * field_count;                                     \
        size_t v = 0;                                                                      \
        for (; v + 4 <= vertex_count; v += 4) {                                            \
            const char* ahead = (const char*)(value + v * stride) + AHEAD;                 \
            for (size_t line = 0; line < 4 * stride * sizeof *value; line += 64) {         \
                __builtin_prefetch(ahead + line);                                          \
            }                                                                              \
            name##_some(value + v * stride, fields, field_count, coordinates, 4, out + v); \
        }                                                                                  \
        for (; v < vertex_count; ++v) {                                                    \
            name##_some(value + v * stride, fields, field_count, coordinates, 1, out + v); \
        }                                                                                  \
    }
DEFINE_VERTICES(vertices_float, float, f64x4_load4_float)
DEFINE_VERTICES(vertices_double, double, f64x4_load4_double)

void ABUT_KERNEL(modal_vertices)(const void* values, bool is_double, const uint32_t* fields,
                                 uint32_t field_count, const double* coordinates,
                                 size_t vertex_count, double (*out)[3]) {
    if (is_double) {
        vertices_double(values, fields, field_count, coordinates, vertex_count, out);
    } else {
        vertices_float(values, fields, field_count, coordinates, vertex_count, out);
    }
}

// ---- certificates

// Converts to float, never smaller in magnitude, and less than 3 x 2^-23 greater, or 2^-125 for
// denormals: a rounded number is off by 2^-24, and so is each of the two operations.
static inline float away_from_zero(double x) {
    return (float)x * (1 + 0x1p-22f) + (x > 0 ? 0x1p-126f : -0x1p-126f);
}

// Adds the rounding error of m terms, and the error of the vertices relative to the gaps. All terms
// are positive, so a last factor covers the rounding of these operations, too.
static inline f32x16 raised(f32x16 sum, f32x16 size, uint32_t field_count, const float* inverse_gap,
                            double rounding) {
    const float terms = ((float)field_count + (12 + 32)) * 0x1p-23f;
    const float most = rounding > 0 ? away_from_zero(rounding) : 0;
    const f32x16 lost = f32x16_load(inverse_gap) * f32x16_splat(most);
    return (sum * (1 + terms) + (terms + terms * size) + lost) * (1 + 0x1p-20f);
}

// Adds one number a field, times the magnitude of its coordinate. A coordinate of 0 skips infinite
// numbers.
static inline f32x16 add_number(f32x16 sum, const abut__modal_lanes* lanes, uint32_t k,
                                const double* coordinates) {
    const double q = coordinates[lanes->fields[k]];
    const f32x16 weight = f32x16_abs(f32x16_splat(away_from_zero(q)));
    return q != 0 ? sum + f32x16_load(lanes->data + (size_t)ABUT__GROUP * k) * weight : sum;
}

// Two alternating sums shorten the chain of dependent additions.
uint32_t ABUT_KERNEL(modal_certified)(const abut__modal_lanes* lanes, const double* coordinates,
                                      const float* inverse_gap, double rounding) {
    f32x16 even = {0};
    f32x16 odd = {0};
    uint32_t k = 0;
    for (; k + 2 <= lanes->field_count; k += 2) {
        even = add_number(even, lanes, k, coordinates);
        odd = add_number(odd, lanes, k + 1, coordinates);
    }
    if (k < lanes->field_count) {
        even = add_number(even, lanes, k, coordinates);
    }
    const f32x16 needed = raised(even + odd, f32x16_splat(0.0f), lanes->field_count, inverse_gap,
                                 rounding);
    return f32x16_le(needed, f32x16_splat(0.999999f));
}

typedef struct strain_range {
    f32x16 low;   // lower bound of the eigenvalues of the symmetric part of 1 + H
    f32x16 most;  // upper bound of the least of them
} strain_range;

// Uses Gershgorin's discs, and the bounds of abut__eigenvalue_range.
static inline strain_range range_of_strain(const f32x16 h[9]) {
    const f32x16 one = f32x16_splat(1.0f);
    const f32x16 half = f32x16_splat(0.5f);
    const f32x16 xy = half * f32x16_abs(h[1] + h[3]);
    const f32x16 xz = half * f32x16_abs(h[2] + h[6]);
    const f32x16 yz = half * f32x16_abs(h[5] + h[7]);
    const f32x16 x = one + h[0];
    const f32x16 y = one + h[4];
    const f32x16 z = one + h[8];
    const f32x16 discs = f32x16_min(f32x16_min(x - (xy + xz), y - (xy + yz)), z - (xz + yz));
    const f32x16 mean = (x + y + z) * (1.0f / 3);
    const f32x16 off = xy * xy + xz * xz + yz * yz;
    const f32x16 squares = (x - mean) * (x - mean) + (y - mean) * (y - mean) +
                           (z - mean) * (z - mean) + (off + off);
    const f32x16 round = mean - f32x16_sqrt(squares * (2.0f / 3));
    return (strain_range){f32x16_max(discs, round), f32x16_min(f32x16_min(x, y), z)};
}

// Returns a lower bound of the square of the least singular value of 1 + H.
static inline f32x16 least_column(const f32x16 h[9]) {
    const f32x16 one = f32x16_splat(1.0f);
    const f32x16 x = (one + h[0]) * (one + h[0]) + h[3] * h[3] + h[6] * h[6];
    const f32x16 y = h[1] * h[1] + (one + h[4]) * (one + h[4]) + h[7] * h[7];
    const f32x16 z = h[2] * h[2] + h[5] * h[5] + (one + h[8]) * (one + h[8]);
    return f32x16_min(f32x16_min(x, y), z);
}

// Sums four of the numbers of a row: the first times the coordinate, rounded away from 0, the
// others likewise or times its magnitude. A coordinate of 0 skips infinite numbers.
static inline void sum_four(const abut__modal_lanes* lanes, const double* coordinates,
                            uint32_t first, bool magnitudes, f32x16* out) {
    f32x16 a = {0};
    f32x16 b = {0};
    f32x16 c = {0};
    f32x16 d = {0};
    const float* row = lanes->data + (size_t)ABUT__GROUP * first;
    for (uint32_t k = 0; k < lanes->field_count;
         ++k, row += (size_t)ABUT__CERTIFICATE_ROW * ABUT__GROUP) {
        const double q = coordinates[lanes->fields[k]];
        if (q == 0) {
            continue;
        }
        const f32x16 weight = f32x16_splat(away_from_zero(q));
        const f32x16 other = magnitudes ? f32x16_abs(weight) : weight;
        a += f32x16_load(row) * weight;
        b += f32x16_load(row + ABUT__GROUP) * other;
        c += f32x16_load(row + (size_t)2 * ABUT__GROUP) * other;
        d += f32x16_load(row + (size_t)3 * ABUT__GROUP) * other;
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
}

// Lanes with NaN stay undecided.
abut__certificate_verdict ABUT_KERNEL(modal_certificates)(const abut__modal_lanes* lanes,
                                                          const double* coordinates,
                                                          const float* inverse_gap, double rounding,
                                                          float (*out)[ABUT__GROUP]) {
    f32x16 sum[ABUT__CERTIFICATE_ROW];
    sum_four(lanes, coordinates, 0, false, sum);
    sum_four(lanes, coordinates, 4, false, sum + 4);
    sum_four(lanes, coordinates, 8, true, sum + 8);
    for (uint32_t i = 0; i < ABUT__CERTIFICATE_ROW; ++i) {
        f32x16_store(out[i], sum[i]);
    }
    const f32x16 strain = raised(sum[10], sum[11], lanes->field_count, inverse_gap, rounding);
    const strain_range range = range_of_strain(sum);
    const f32x16 most = f32x16_splat(FLT_MAX);
    abut__certificate_verdict verdict;
    verdict.yes = ~f32x16_le(range.low, strain) & f32x16_le(strain, most) &
                  f32x16_le(f32x16_abs(range.low), most) & 0xffff;
    verdict.no = f32x16_le(range.most, sum[10]) & f32x16_le(least_column(sum), sum[9] * sum[9]);
    return verdict;
}

// Sums of up to a hundred operations have a smaller error than this, relative to their greatest
// number. All numbers here are of the order of 1: see the units in bound/cluster.h.
#define SLACK 0x1p-18f

static inline f32x16 dot(const f32x16 a[3], const f32x16 b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline f32x16 square_of(const f32x16 m[9]) {
    return dot(m, m) + dot(m + 3, m + 3) + dot(m + 6, m + 6);
}

// Returns an upper bound of the magnitudes of the eigenvalues of a symmetric matrix:
// abut__eigenvalue_range.
static inline f32x16 eigenvalue_most(f32x16 xx, f32x16 yy, f32x16 zz, f32x16 off_sq) {
    const f32x16 mean = (xx + yy + zz) * (1.0f / 3);
    const f32x16 a = xx - mean;
    const f32x16 b = yy - mean;
    const f32x16 c = zz - mean;
    const f32x16 squares = a * a + b * b + c * c + off_sq + off_sq;
    return f32x16_abs(mean) + f32x16_sqrt(squares * (2.0f / 3));
}

// Upper bounds of the norm of a matrix, and of the norm of its symmetric part.
static inline f32x16 norm_of(const f32x16 m[9]) {
    const f32x16 ab = dot(m, m + 3);
    const f32x16 ac = dot(m, m + 6);
    const f32x16 bc = dot(m + 3, m + 6);
    return f32x16_sqrt(eigenvalue_most(dot(m, m), dot(m + 3, m + 3), dot(m + 6, m + 6),
                                       ab * ab + ac * ac + bc * bc));
}
static inline f32x16 norm_symmetric(const f32x16 m[9]) {
    const f32x16 xy = m[1] + m[3];
    const f32x16 xz = m[2] + m[6];
    const f32x16 yz = m[5] + m[7];
    return eigenvalue_most(m[0], m[4], m[8], (xy * xy + xz * xz + yz * yz) * 0.25f);
}

static inline void raise_limits(const abut__limits* limits, size_t first, f32x16 full,
                                f32x16 strain, bool enough) {
    f32x16_store(limits->full + first, f32x16_max(full, f32x16_load(limits->full + first)));
    f32x16_store(limits->strain + first, f32x16_max(strain, f32x16_load(limits->strain + first)));
    if (enough) {
        f32x16_store(limits->enough_full + first,
                     f32x16_max(full * limits->slack_full,
                                f32x16_load(limits->enough_full + first)));
        f32x16_store(limits->enough_strain + first,
                     f32x16_max(strain * limits->slack_strain,
                                f32x16_load(limits->enough_strain + first)));
    }
}

// Rows of sixteen fields of two clusters, and of their common data.
typedef struct far_rows {
    f32x16 x[9];
    f32x16 y[9];
    f32x16 map[9];
    f32x16 apart[3];  // of the means
    f32x16 error;
} far_rows;

// Computes the bounds if E starts as `e`: see bound/certify.c. The slack is relative to all terms
// of a residual.
static inline void far_bounds(const far_rows* r, const abut__far_geometry* g, f32x16 e[9],
                              f32x16* full, f32x16* strain) {
    const float* c = g->c;
    f32x16 own[9];
    f32x16 rest[3];
    f32x16 across[3];
    for (int i = 0; i < 9; ++i) {
        own[i] = r->map[i] + e[i];
    }
    for (int d = 0; d < 3; ++d) {
        rest[d] = r->apart[d] - (own[3 * d] * c[0] + own[3 * d + 1] * c[1] + own[3 * d + 2] * c[2]);
    }
    const f32x16 along = (rest[0] * c[0] + rest[1] * c[1] + rest[2] * c[2]) * g->inverse_sq;
    for (int d = 0; d < 3; ++d) {
        across[d] = (rest[d] - along * c[d]) * g->inverse_sq;
        rest[d] *= g->inverse_sq;
    }
    f32x16 turn_x[9];
    f32x16 turn_y[9];
    for (int i = 0; i < 9; ++i) {
        e[i] += rest[i / 3] * c[i % 3] - across[i % 3] * c[i / 3];
        own[i] = r->map[i] + e[i];
        turn_x[i] = r->x[i] - own[i];
        turn_y[i] = r->y[i] - own[i];
    }
    const f32x16 apart = f32x16_sqrt(dot(r->apart, r->apart));
    const f32x16 across_x = f32x16_sqrt(square_of(turn_x)) * g->radius[0];
    const f32x16 across_y = f32x16_sqrt(square_of(turn_y)) * g->radius[1];
    const f32x16 size = f32x16_sqrt(square_of(own)) * (g->distance + g->radius[0] + g->radius[1]);
    const f32x16 residual = across_x + across_y + r->error + (apart + size + size) * SLACK;
    const f32x16 ratio = residual * g->inverse_gap;
    *full = (norm_of(e) + ratio) * (1 + SLACK);
    *strain = (norm_symmetric(e) + ratio) * (1 + SLACK);
}

bool ABUT_KERNEL(modal_far)(const float* x, const float* y, const float* map, size_t stride,
                            const abut__far_geometry* geometry, bool last,
                            const abut__limits* limits) {
    for (size_t first = 0; first < stride; first += 16) {
        far_rows r;
        f32x16 e[9];
        for (size_t i = 0; i < 9; ++i) {
            r.x[i] = f32x16_load(x + i * stride + first);
            r.y[i] = f32x16_load(y + i * stride + first);
            r.map[i] = f32x16_load(map + i * stride + first);
            e[i] = (r.x[i] + r.y[i]) * 0.5f - r.map[i];
        }
        for (size_t d = 0; d < 3; ++d) {
            r.apart[d] = f32x16_load(x + (9 + d) * stride + first) -
                         f32x16_load(y + (9 + d) * stride + first);
        }
        r.error = f32x16_load(x + 12 * stride + first) + f32x16_load(y + 12 * stride + first);
        f32x16 full;
        f32x16 strain;
        far_bounds(&r, geometry, e, &full, &strain);
        const f32x16 enough_full = f32x16_load(limits->enough_full + first);
        const f32x16 enough_strain = f32x16_load(limits->enough_strain + first);
        if ((f32x16_le(full, enough_full) & f32x16_le(strain, enough_strain)) != 0xffff) {
            f32x16 other_full;
            f32x16 other_strain;
            memset(e, 0, sizeof e);
            far_bounds(&r, geometry, e, &other_full, &other_strain);
            full = f32x16_min(full, other_full);
            strain = f32x16_min(strain, other_strain);
            const uint32_t good = f32x16_le(full, enough_full) & f32x16_le(strain, enough_strain);
            if (!last && good != 0xffff) {
                return false;
            }
        }
        raise_limits(limits, first, full, strain, last);
    }
    return true;
}

// Returns the greatest ratio of a difference of residuals to its distance.
static inline f32x16 greatest_ratio(const f32x16 (*r)[3], const abut__near_geometry* g) {
    const f32x16(*other)[3] = r + g->count[0];
    const float* inverse = g->inverse;
    f32x16 most = {0};
    for (uint32_t i = 0; i < g->count[0]; ++i) {
        for (uint32_t k = 0; k < g->count[1]; ++k, ++inverse) {
            f32x16 delta[3];
            for (int d = 0; d < 3; ++d) {
                delta[d] = r[i][d] - other[k][d];
            }
            most = f32x16_max(most, dot(delta, delta) * (*inverse * *inverse));
        }
    }
    return f32x16_sqrt(most);
}

// Computes the best-fitting map, as abut__fit() does (bound/affine.c).
static inline void fit_map(const f32x16 (*r)[3], const abut__near_geometry* g, f32x16 out[9]) {
    f32x16 cross[9] = {{0}};
    f32x16 known[9];
    f32x16 turned[9];
    for (uint32_t k = 0; k < g->count[0] + g->count[1]; ++k) {
        for (int i = 0; i < 9; ++i) {
            cross[i] += r[k][i / 3] * g->x[k][i % 3];
        }
    }
    for (int i = 0; i < 9; ++i) {
        const f32x16* row = cross + i / 3 * 3;
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
static inline f32x16 subtract_map(f32x16 (*r)[3], const abut__near_geometry* g, f32x16* full,
                                  f32x16* strain) {
    f32x16 e[9];
    fit_map((const f32x16(*)[3])r, g, e);
    for (uint32_t i = 0; i < g->count[0] + g->count[1]; ++i) {
        const float* x = g->x[i];
        for (int d = 0; d < 3; ++d) {
            r[i][d] -= e[3 * d] * x[0] + e[3 * d + 1] * x[1] + e[3 * d + 2] * x[2];
        }
    }
    *full = norm_of(e);
    *strain = norm_symmetric(e);
    return f32x16_sqrt(square_of(e)) * g->reach;
}

// Uses the common map, or a map of their own.
bool ABUT_KERNEL(modal_near)(const float* residual, size_t stride,
                             const abut__near_geometry* geometry, bool last, const float* factor,
                             const abut__limits* limits) {
    const abut__near_geometry* g = geometry;
    for (size_t first = 0; first < stride; first += 16) {
        f32x16 r[2 * ABUT__HULL][3];
        for (uint32_t i = 0; i < g->count[0] + g->count[1]; ++i) {
            for (size_t d = 0; d < 3; ++d) {
                r[i][d] = f32x16_load(residual + (3 * (size_t)g->vertex[i] + d) * stride + first);
            }
        }
        const f32x16 unit = f32x16_load(factor + first) * (1 + SLACK);
        const f32x16 plain = (greatest_ratio((const f32x16(*)[3])r, g) + g->inverse_most * SLACK) *
                             unit;
        const f32x16 enough_full = f32x16_load(limits->enough_full + first);
        const f32x16 enough_strain = f32x16_load(limits->enough_strain + first);
        if ((f32x16_le(plain, enough_full) & f32x16_le(plain, enough_strain)) == 0xffff) {
            raise_limits(limits, first, plain, plain, false);
            continue;
        }
        if (!g->fits) {
            return false;
        }
        f32x16 full;
        f32x16 strain;
        const f32x16 size = subtract_map(r, g, &full, &strain) + 1;
        const f32x16 ratio = greatest_ratio((const f32x16(*)[3])r, g) +
                             size * (g->inverse_most * SLACK);
        // the second argument wins if the first is NaN
        full = f32x16_min((full + ratio) * unit, plain);
        strain = f32x16_min((strain + ratio) * unit, plain);
        if (!last && (f32x16_le(full, enough_full) & f32x16_le(strain, enough_strain)) != 0xffff) {
            return false;
        }
        raise_limits(limits, first, full, strain, last);
    }
    return true;
}

// Computes centre + sum of fields' centres x q, radius + sum of fields' radii x |q|. Uses two
// variables, because an array of sums would go through memory at the end.
void ABUT_KERNEL(modal_balls)(const abut__modal_lanes* lanes, const double* coordinates,
                              abut__balls8* out) {
    const float* row = lanes->data;
    const float* const end = row + (size_t)16 * BALL_ROWS * lanes->field_count;
    const uint32_t* field = lanes->fields;
    f32x16 lower = f32x16_load(row);
    f32x16 upper = f32x16_load(row + 16);
    while (row != end) {
        row += 16 * BALL_ROWS;
        const float q = (float)coordinates[*field++];
        if (q != 0) {
            const f32x16 plain = f32x16_splat(q);
            lower += f32x16_load(row) * plain;
            upper += f32x16_load(row + 16) * half_magnitude(plain);
        }
    }
    memcpy(out, &lower, sizeof lower);
    memcpy((char*)out + sizeof lower, &upper, sizeof upper);
}
