// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kernels of the modal motion: sums of rows of numbers, weighted by coordinates. Compiled once per
// instruction set. Rounding is covered by the pad of the state (motion/modal.c). A coordinate that
// is 0 costs nothing.
#include "simd/kernels.h"
#include "simd/lanes.h"

void ABUT_KERNEL(modal_boxes)(const abut__modal_lanes* lanes, const float* coordinates, float pad,
                              abut__boxes8* out);
void ABUT_KERNEL(modal_points)(const abut__modal_lanes* lanes, uint32_t vertex_count,
                               const float* coordinates, abut__block_points* out);
void ABUT_KERNEL(modal_exact)(const abut__modal_lanes* lanes, uint32_t vertex_count,
                              const double* coordinates, abut__block_exact* out);
void ABUT_KERNEL(modal_balls)(const abut__modal_lanes* lanes, const float* coordinates,
                              abut__balls8* out);

void ABUT_KERNEL(modal_vertices)(const void* values, bool is_double, const uint32_t* fields,
                                 uint32_t field_count, const double* coordinates,
                                 size_t vertex_count, double (*out)[3]);

#define BOX_ROWS 3u  // of sixteen numbers: centre x and y, centre z and half x, half y and z

#define BALL_ROWS 2u  // centre x and y, centre z and radius

static const i32x16 upper_magnitude = {-1,        -1,        -1,        -1,
                                       -1,        -1,        -1,        -1,
                                       INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX,
                                       INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};

// q in the lower half, |q| in the upper one
static inline f32x16 half_magnitude(f32x16 plain) {
    return (f32x16)((i32x16)plain & upper_magnitude);
}

// centre + sum of fields' centres x q, half extents + sum of fields' half extents x |q|
void ABUT_KERNEL(modal_boxes)(const abut__modal_lanes* lanes, const float* coordinates, float pad,
                              abut__boxes8* out) {
    const float* row = lanes->data;
    f32x16 sum[BOX_ROWS];
    for (uint32_t r = 0; r < BOX_ROWS; ++r) {
        sum[r] = f32x16_load(row + 16 * r);
    }
    for (uint32_t k = 0; k < lanes->field_count; ++k) {
        row += 16 * BOX_ROWS;
        const float q = coordinates[lanes->fields[k]];
        if (q == 0) {
            continue;
        }
        const f32x16 plain = f32x16_splat(q);
        sum[0] += f32x16_load(row) * plain;
        sum[1] += f32x16_load(row + 16) * half_magnitude(plain);
        sum[2] += f32x16_load(row + 32) * f32x16_abs(plain);
    }
    float c[3][ABUT__FAN];
    float h[3][ABUT__FAN];
    f32x16 rows[BOX_ROWS] = {sum[0], sum[1], sum[2]};
    memcpy(c, rows, sizeof c);
    memcpy(h, (const char*)rows + sizeof c, sizeof h);
    for (int d = 0; d < 3; ++d) {
        const f32x8 centre = f32x8_load(c[d]);
        const f32x8 half = f32x8_load(h[d]) + f32x8_splat(pad);
        f32x8_store(out->lo[d], centre - half);
        f32x8_store(out->hi[d], centre + half);
    }
}

// sums of a row of `width` numbers, a multiple of sixteen: four vectors at a time, that their
// additions may overlap, and then one by one
static void sum_rows(const abut__modal_lanes* lanes, uint32_t width, const float* coordinates,
                     float* out) {
    uint32_t at = 0;
    for (; at + 64 <= width; at += 64) {
        const float* row = lanes->data + at;
        f32x16 sum[4] = {f32x16_load(row), f32x16_load(row + 16), f32x16_load(row + 32),
                         f32x16_load(row + 48)};
        for (uint32_t k = 0; k < lanes->field_count; ++k) {
            row += width;
            const float q = coordinates[lanes->fields[k]];
            if (q == 0) {  // a number too large for float is infinite here
                continue;
            }
            const f32x16 weight = f32x16_splat(q);
            sum[0] += f32x16_load(row) * weight;
            sum[1] += f32x16_load(row + 16) * weight;
            sum[2] += f32x16_load(row + 32) * weight;
            sum[3] += f32x16_load(row + 48) * weight;
        }
        for (uint32_t r = 0; r < 4; ++r) {
            f32x16_store(out + at + (size_t)16 * r, sum[r]);
        }
    }
    for (; at < width; at += 16) {
        const float* row = lanes->data + at;
        f32x16 sum = f32x16_load(row);
        for (uint32_t k = 0; k < lanes->field_count; ++k) {
            row += width;
            const float q = coordinates[lanes->fields[k]];
            if (q != 0) {
                sum += f32x16_load(row) * f32x16_splat(q);
            }
        }
        f32x16_store(out + at, sum);
    }
}

// lanes beyond the last vertex repeat the first, as its id does
void ABUT_KERNEL(modal_points)(const abut__modal_lanes* lanes, uint32_t vertex_count,
                               const float* coordinates, abut__block_points* out) {
    float sums[3 * ABUT__BLOCK_VERTICES + ABUT__GROUP];
    sum_rows(lanes, abut__modal_row(vertex_count), coordinates, sums);
    const uint32_t end = (vertex_count + 15) & ~15u;
    for (uint32_t d = 0; d < 3; ++d) {
        const float* from = sums + (size_t)d * vertex_count;
        for (uint32_t v = 0; v < end; v += 16) {
            f32x16_store(out->xyz[d] + v, f32x16_load(from + v));
        }
        for (uint32_t v = vertex_count; v < end; ++v) {
            out->xyz[d][v] = from[0];
        }
    }
}

// a field that does not move a vertex adds nothing to it
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

// `many` vertices side by side, so that their sums overlap; the fourth lane is of no use
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

void ABUT_KERNEL(modal_certificate)(const abut__modal_lanes* lanes, const float* weights,
                                    float out[ABUT__CERTIFICATE_ROW]);
void ABUT_KERNEL(modal_ratios)(const double* const corner[6], size_t stride,
                               const double inverse[9], double* out);
void ABUT_KERNEL(modal_ratios_fitted)(const double* const corner[6], size_t stride,
                                      const double inverse[9], const double x[6][3],
                                      const double spread_inverse[3][3], const double blank[3][3],
                                      double* full, double* strain, double* size);

// nine numbers go by the weight, the rest by its magnitude; the last four lanes are the next row's
void ABUT_KERNEL(modal_certificate)(const abut__modal_lanes* lanes, const float* weights,
                                    float out[ABUT__CERTIFICATE_ROW]) {
    static const i32x16 magnitude = {-1,        -1,        -1,        -1,
                                     -1,        -1,        -1,        -1,
                                     -1,        INT32_MAX, INT32_MAX, INT32_MAX,
                                     INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    f32x16 sum = {0};
    for (uint32_t k = 0; k < lanes->field_count; ++k) {
        const float w = weights[lanes->fields[k]];
        if (w != 0) {
            const f32x16 row = f32x16_load(lanes->data + (size_t)ABUT__CERTIFICATE_ROW * k);
            sum += row * (f32x16)((i32x16)f32x16_splat(w) & magnitude);
        }
    }
    float all[16];
    f32x16_store(all, sum);
    memcpy(out, all, ABUT__CERTIFICATE_ROW * sizeof *out);
}

// the greatest of nine ratios, squared
static inline f64x8 greatest_ratio_sq(const f64x8 r[6][3], const double inverse[9]) {
    f64x8 most = {0};
    for (int k = 0; k < 9; ++k) {
        const f64x8 x = r[k / 3][0] - r[3 + k % 3][0];
        const f64x8 y = r[k / 3][1] - r[3 + k % 3][1];
        const f64x8 z = r[k / 3][2] - r[3 + k % 3][2];
        most = f64x8_max(most, (x * x + y * y + z * z) * (inverse[k] * inverse[k]));
    }
    return most;
}

static inline void load_corners(const double* const corner[6], size_t stride, size_t first,
                                f64x8 out[6][3]) {
    for (int i = 0; i < 6; ++i) {
        for (size_t d = 0; d < 3; ++d) {
            out[i][d] = f64x8_load(corner[i] + d * stride + first);
        }
    }
}

void ABUT_KERNEL(modal_ratios)(const double* const corner[6], size_t stride,
                               const double inverse[9], double* out) {
    for (size_t first = 0; first < stride; first += 8) {
        f64x8 r[6][3];
        load_corners(corner, stride, first, r);
        f64x8_store(out + first, f64x8_sqrt(greatest_ratio_sq((const f64x8(*)[3])r, inverse)));
    }
}

// the map that fits the corners best, as abut__fit() makes it (bound/affine.c)
static inline void fit_map(const f64x8 r[6][3], const double x[6][3],
                           const double spread_inverse[3][3], const double blank[3][3],
                           f64x8 out[3][3]) {
    f64x8 cross[3][3];
    f64x8 known[3][3];
    f64x8 turned[3][3];
    for (int d = 0; d < 3; ++d) {
        for (int c = 0; c < 3; ++c) {
            f64x8 sum = r[0][d] * x[0][c];
            for (int i = 1; i < 6; ++i) {
                sum += r[i][d] * x[i][c];
            }
            cross[d][c] = sum;
        }
    }
    for (int d = 0; d < 3; ++d) {
        for (int c = 0; c < 3; ++c) {
            known[d][c] = cross[d][0] * spread_inverse[0][c] + cross[d][1] * spread_inverse[1][c] +
                          cross[d][2] * spread_inverse[2][c];
        }
    }
    for (int d = 0; d < 3; ++d) {
        for (int c = 0; c < 3; ++c) {
            turned[d][c] = known[0][d] * blank[0][c] + known[1][d] * blank[1][c] +
                           known[2][d] * blank[2][c];
        }
    }
    for (int d = 0; d < 3; ++d) {
        for (int c = 0; c < 3; ++c) {
            out[d][c] = known[d][c] - turned[d][c] + blank[d][0] * turned[0][c] +
                        blank[d][1] * turned[1][c] + blank[d][2] * turned[2][c];
        }
    }
}

// the greatest magnitude that an eigenvalue of a symmetric matrix can have: abut__eigenvalue_range
static inline f64x8 eigenvalue_most(f64x8 xx, f64x8 yy, f64x8 zz, f64x8 off_sq) {
    const f64x8 mean = (xx + yy + zz) * (1.0 / 3);
    const f64x8 a = xx - mean;
    const f64x8 b = yy - mean;
    const f64x8 c = zz - mean;
    const f64x8 squares = a * a + b * b + c * c + off_sq + off_sq;
    return f64x8_abs(mean) + f64x8_sqrt(squares * (2.0 / 3));
}

static inline f64x8 product(const f64x8 a[3], const f64x8 b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void ABUT_KERNEL(modal_ratios_fitted)(const double* const corner[6], size_t stride,
                                      const double inverse[9], const double x[6][3],
                                      const double spread_inverse[3][3], const double blank[3][3],
                                      double* full, double* strain, double* size) {
    double reach = 0;
    for (int i = 0; i < 6; ++i) {
        const double own = x[i][0] * x[i][0] + x[i][1] * x[i][1] + x[i][2] * x[i][2];
        reach = own > reach ? own : reach;
    }
    reach = __builtin_sqrt(reach);
    for (size_t first = 0; first < stride; first += 8) {
        f64x8 r[6][3];
        f64x8 e[3][3];
        load_corners(corner, stride, first, r);
        fit_map((const f64x8(*)[3])r, x, spread_inverse, blank, e);
        for (int i = 0; i < 6; ++i) {
            for (int d = 0; d < 3; ++d) {
                r[i][d] -= e[d][0] * x[i][0] + e[d][1] * x[i][1] + e[d][2] * x[i][2];
            }
        }
        const f64x8 ratio = f64x8_sqrt(greatest_ratio_sq((const f64x8(*)[3])r, inverse));
        const f64x8 xy = e[0][1] + e[1][0];
        const f64x8 xz = e[0][2] + e[2][0];
        const f64x8 yz = e[1][2] + e[2][1];
        const f64x8 stretch = eigenvalue_most(e[0][0], e[1][1], e[2][2],
                                              (xy * xy + xz * xz + yz * yz) * 0.25);
        const f64x8 a = product(e[0], e[0]);
        const f64x8 b = product(e[1], e[1]);
        const f64x8 c = product(e[2], e[2]);
        const f64x8 ab = product(e[0], e[1]);
        const f64x8 ac = product(e[0], e[2]);
        const f64x8 bc = product(e[1], e[2]);
        const f64x8 norm = f64x8_sqrt(eigenvalue_most(a, b, c, ab * ab + ac * ac + bc * bc));
        f64x8_store(full + first, ratio + norm);
        f64x8_store(strain + first, ratio + stretch);
        f64x8_store(size + first, f64x8_sqrt(a + b + c) * reach);
    }
}

// centre + sum of fields' centres x q, radius + sum of fields' radii x |q|; two variables, since an
// array of sums goes through memory at the end
void ABUT_KERNEL(modal_balls)(const abut__modal_lanes* lanes, const float* coordinates,
                              abut__balls8* out) {
    const float* row = lanes->data;
    const float* const end = row + (size_t)16 * BALL_ROWS * lanes->field_count;
    const uint32_t* field = lanes->fields;
    f32x16 lower = f32x16_load(row);
    f32x16 upper = f32x16_load(row + 16);
    while (row != end) {
        row += 16 * BALL_ROWS;
        const float q = coordinates[*field++];
        if (q != 0) {
            const f32x16 plain = f32x16_splat(q);
            lower += f32x16_load(row) * plain;
            upper += f32x16_load(row + 16) * half_magnitude(plain);
        }
    }
    memcpy(out, &lower, sizeof lower);
    memcpy((char*)out + sizeof lower, &upper, sizeof upper);
}
