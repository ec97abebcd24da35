// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kernels of the modal motion: sums of rows of numbers, weighted by coordinates. Compiled once per
// instruction set. The pad of the state (motion/modal.h) covers rounding, fused or not. A
// coordinate that is 0 costs nothing.
#include <float.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

#define STEPS (ABUT__GROUP / FLOAT_LANES)  // vectors of sixteen numbers

// The numbers of a node: centres x, y, z of eight children, then half extents or radii.
#define CENTRES (3u * ABUT__FAN)
#define BOX_NUMBERS (6u * ABUT__FAN)
#define BALL_NUMBERS (4u * ABUT__FAN)
#define BALLS_AHEAD (6u * BALL_NUMBERS)  // numbers ahead, to prefetch: two cache lines a row

// Returns q for lanes of centres, |q| for others. The vector starts at a number of the node.
static inline floats weight_at(uint32_t number, floats plain) {
#if defined(__AVX512F__)
    if (number < CENTRES && number + FLOAT_LANES > CENTRES) {
        const ints upper_magnitude = {-1,        -1,        -1,        -1,
                                      -1,        -1,        -1,        -1,
                                      INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX,
                                      INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
        return (floats)((ints)plain & upper_magnitude);
    }
#endif
    return number < CENTRES ? plain : floats_abs(plain);
}

// The vectors of boxes that are summed in one pass: two sums of each fit the registers.
#define BOX_VECTORS (FLOAT_LANES < 8 ? 6u : BOX_NUMBERS / FLOAT_LANES)

static inline __attribute__((always_inline)) void add_boxes(floats* sum, const float* row, double q,
                                                            const uint32_t first) {
    if ((float)q == 0) {
        return;
    }
    const floats plain = floats_splat((float)q);
    LANES_UNROLL
    for (uint32_t v = 0; v < BOX_VECTORS; ++v) {
        const uint32_t at = first + v * FLOAT_LANES;
        sum[v] = floats_multiply_add(floats_load(row + at), weight_at(at, plain), sum[v]);
    }
}

// Two alternating sums shorten the chain of dependent additions.
static inline __attribute__((always_inline)) void sum_boxes(const abut__modal_lanes* lanes,
                                                            const double* coordinates,
                                                            const uint32_t first, float* out) {
    const float* row = lanes->data;
    floats even[BOX_VECTORS];
    floats odd[BOX_VECTORS];
    LANES_UNROLL
    for (uint32_t v = 0; v < BOX_VECTORS; ++v) {
        even[v] = floats_load(row + first + (size_t)v * FLOAT_LANES);
        odd[v] = (floats){0};
    }
    uint32_t k = 0;
    for (; k + 2 <= lanes->field_count; k += 2, row += (size_t)2 * BOX_NUMBERS) {
        add_boxes(even, row + BOX_NUMBERS, coordinates[lanes->fields[k]], first);
        add_boxes(odd, row + (size_t)2 * BOX_NUMBERS, coordinates[lanes->fields[k + 1]], first);
    }
    if (k < lanes->field_count) {
        add_boxes(even, row + BOX_NUMBERS, coordinates[lanes->fields[k]], first);
    }
    LANES_UNROLL
    for (uint32_t v = 0; v < BOX_VECTORS; ++v) {
        floats_store(out + first + (size_t)v * FLOAT_LANES, even[v] + odd[v]);
    }
}

// Computes centre + sum of fields' centres x q, half extents + sum of fields' half extents x |q|.
void ABUT_KERNEL(modal_boxes)(const abut__modal_lanes* lanes, const double* coordinates, float pad,
                              abut__boxes8* out) {
    float sums[BOX_NUMBERS];
    sum_boxes(lanes, coordinates, 0, sums);
    if (BOX_VECTORS * FLOAT_LANES < BOX_NUMBERS) {
        sum_boxes(lanes, coordinates, CENTRES, sums);
    }
    for (uint32_t k = 0; k < ABUT__FAN; k += EIGHT_LANES) {
        for (uint32_t d = 0; d < 3; ++d) {
            const eight centre = EIGHT(load)(sums + (size_t)ABUT__FAN * d + k);
            const eight half = EIGHT(load)(sums + CENTRES + (size_t)ABUT__FAN * d + k) +
                               EIGHT(splat)(pad);
            EIGHT(store)(out->lo[d] + k, centre - half);
            EIGHT(store)(out->hi[d] + k, centre + half);
        }
    }
}

// q for the centre, |q| for the half extents.
static const int64_t halves_magnitude[ABUT__MODAL_BOX] = {-1,        -1,        -1, INT64_MAX,
                                                          INT64_MAX, INT64_MAX, 0,  0};

#define BOX_DOUBLES (ABUT__MODAL_BOX / DOUBLE_LANES)
static inline __attribute__((always_inline)) void add_box(doubles* sum, const double* row,
                                                          double q) {
    LANES_UNROLL
    for (uint32_t v = 0; v < BOX_DOUBLES; ++v) {
        longs kept;
        memcpy(&kept, halves_magnitude + (size_t)v * DOUBLE_LANES, sizeof kept);
        const doubles weight = (doubles)((longs)doubles_splat(q) & kept);
        sum[v] += doubles_load(row + (size_t)v * DOUBLE_LANES) * weight;
    }
}

// Two alternating sums shorten the chain of dependent additions.
void ABUT_KERNEL(modal_box)(const double* rows, const double* coordinates, uint32_t count,
                            double* out) {
    doubles even[BOX_DOUBLES];
    doubles odd[BOX_DOUBLES];
    LANES_UNROLL
    for (uint32_t v = 0; v < BOX_DOUBLES; ++v) {
        even[v] = doubles_load(rows + (size_t)v * DOUBLE_LANES);
        odd[v] = (doubles){0};
    }
    uint32_t k = 0;
    for (; k + 2 <= count; k += 2, rows += (size_t)2 * ABUT__MODAL_BOX) {
        add_box(even, rows + ABUT__MODAL_BOX, coordinates[k]);
        add_box(odd, rows + (size_t)2 * ABUT__MODAL_BOX, coordinates[k + 1]);
    }
    if (k < count) {
        add_box(even, rows + ABUT__MODAL_BOX, coordinates[k]);
    }
    LANES_UNROLL
    for (uint32_t v = 0; v < BOX_DOUBLES; ++v) {
        doubles_store(out + (size_t)v * DOUBLE_LANES, even[v] + odd[v]);
    }
}

// The number of vectors of a row that are summed side by side, so that their additions overlap:
// as many as fit sixteen registers. The same in groups of sixteen numbers.
#define SIDE_BY_SIDE 12u
#define SUM_GROUPS (SIDE_BY_SIDE * FLOAT_LANES / ABUT__GROUP)

static inline __attribute__((always_inline)) void sum_some(const abut__modal_lanes* lanes,
                                                           uint32_t width, uint32_t at,
                                                           const double* coordinates,
                                                           const uint32_t groups, float* out) {
    const float* row = lanes->data + at;
    floats sum[SIDE_BY_SIDE];
    LANES_UNROLL
    for (uint32_t v = 0; v < groups * STEPS; ++v) {
        sum[v] = floats_load(row + (size_t)FLOAT_LANES * v);
    }
    for (uint32_t k = 0; k < lanes->field_count; ++k) {
        row += width;
        const float q = (float)coordinates[lanes->fields[k]];
        if (q == 0) {  // numbers beyond float are infinite: 0 x infinity is NaN
            continue;
        }
        const floats weight = floats_splat(q);
        LANES_UNROLL
        for (uint32_t v = 0; v < groups * STEPS; ++v) {
            sum[v] = floats_multiply_add(floats_load(row + (size_t)FLOAT_LANES * v), weight,
                                         sum[v]);
        }
    }
    LANES_UNROLL
    for (uint32_t v = 0; v < groups * STEPS; ++v) {
        floats_store(out + at + (size_t)FLOAT_LANES * v, sum[v]);
    }
}

// Sums rows of `width` numbers, a multiple of sixteen.
static void sum_rows(const abut__modal_lanes* lanes, uint32_t width, const double* coordinates,
                     float* out) {
    uint32_t at = 0;
    for (; at + 16 * SUM_GROUPS <= width; at += 16 * SUM_GROUPS) {
        sum_some(lanes, width, at, coordinates, SUM_GROUPS, out);
    }
    switch ((width - at) / 16) {
#if FLOAT_LANES >= 16
        case 11: sum_some(lanes, width, at, coordinates, 11, out); break;
        case 10: sum_some(lanes, width, at, coordinates, 10, out); break;
        case 9: sum_some(lanes, width, at, coordinates, 9, out); break;
        case 8: sum_some(lanes, width, at, coordinates, 8, out); break;
        case 7: sum_some(lanes, width, at, coordinates, 7, out); break;
        case 6: sum_some(lanes, width, at, coordinates, 6, out); break;
#endif
#if FLOAT_LANES >= 8
        case 5: sum_some(lanes, width, at, coordinates, 5, out); break;
        case 4: sum_some(lanes, width, at, coordinates, 4, out); break;
        case 3: sum_some(lanes, width, at, coordinates, 3, out); break;
#endif
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
        for (uint32_t v = 0; v < end; v += FLOAT_LANES) {
            floats_store(out->xyz[d] + v, floats_load(from + v));
        }
        for (uint32_t v = vertex_count; v < end; ++v) {
            out->xyz[d][v] = from[0];  // NOLINT(*.Assign): a block has vertices
        }
    }
}

// Adds fields to sixteen numbers.
static inline void add_fields(const abut__modal_lanes* lanes, uint32_t width,
                              const double* coordinates, uint32_t at, double* sums) {
    const float* row = lanes->data + at;
    doubles sum[ABUT__GROUP / DOUBLE_LANES];
    LANES_UNROLL
    for (uint32_t v = 0; v < ABUT__GROUP / DOUBLE_LANES; ++v) {
        sum[v] = doubles_load(sums + at + (size_t)DOUBLE_LANES * v);
    }
    for (uint32_t k = 0; k < lanes->field_count; ++k) {
        row += width;
        const doubles weight = doubles_splat(coordinates[lanes->fields[k]]);
        LANES_UNROLL
        for (uint32_t v = 0; v < ABUT__GROUP / DOUBLE_LANES; ++v) {
            sum[v] += doubles_load_float(row + (size_t)DOUBLE_LANES * v) * weight;
        }
    }
    LANES_UNROLL
    for (uint32_t v = 0; v < ABUT__GROUP / DOUBLE_LANES; ++v) {
        doubles_store(sums + at + (size_t)DOUBLE_LANES * v, sum[v]);
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
    for (uint32_t at = 0; at < width; at += ABUT__GROUP) {
        add_fields(lanes, width, coordinates, at, sums);
    }
    for (uint32_t v = 0; v < vertex_count; ++v) {
        for (uint32_t d = 0; d < 3; ++d) {
            out->xyz[v][d] = sums[d * vertex_count + v];
        }
    }
}

// Values are consecutive, but four streams at a time are hard to prefetch for processors.
#define AHEAD 2048

// x, y, z and an unused lane of a vertex, in one or two registers.
#if DOUBLE_LANES >= 4
#define PARTS 1u
typedef f64x4 part;
static inline void vertex_parts(const double* p, part out[PARTS]) {
    out[0] = (part){p[0], p[1], p[2], 0};
}
#define PART_LOAD_FLOAT f64x4_load4_float
#define PART_LOAD_DOUBLE f64x4_load4_double
#else
#define PARTS 2u
typedef doubles part;
static inline void vertex_parts(const double* p, part out[PARTS]) {
    out[0] = (part){p[0], p[1]};
    out[1] = (part){p[2], 0};
}
#define PART_LOAD_FLOAT doubles_load_float
#define PART_LOAD_DOUBLE doubles_load
#endif
#define PART_LANES (4 / PARTS)

// Sums `many` vertices side by side, so that their additions overlap.
#define DEFINE_VERTICES(name, scalar, load)                                                \
    static inline __attribute__((always_inline)) void name##_some(                         \
        const scalar* value, const uint32_t* fields, uint32_t field_count,                 \
        const double* coordinates, const uint32_t many, double(*out)[3]) {                 \
        const size_t stride = (size_t)3 * field_count;                                     \
        part sum[4][PARTS] = {{{0}}};                                                      \
        LANES_UNROLL                                                                       \
        for (uint32_t v = 0; v < many; ++v) {                                              \
            vertex_parts(out[v], sum[v]);                                                  \
        }                                                                                  \
        for (uint32_t k = 0; k < field_count; ++k, value += 3) {                           \
            const double q = coordinates[fields[k]];                                       \
            LANES_UNROLL                                                                   \
            for (uint32_t i = 0; i < many * PARTS; ++i) {                                  \
                const scalar* from = value + i / PARTS * stride + i % PARTS * PART_LANES;  \
                sum[i / PARTS][i % PARTS] += load(from) * q;                               \
            }                                                                              \
        }                                                                                  \
        LANES_UNROLL                                                                       \
        for (uint32_t i = 0; i < many * 3; ++i) {                                          \
            out[i / 3][i % 3] = sum[i / 3][i % 3 / PART_LANES][i % 3 % PART_LANES];        \
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
DEFINE_VERTICES(vertices_float, float, PART_LOAD_FLOAT)
DEFINE_VERTICES(vertices_double, double, PART_LOAD_DOUBLE)

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
static inline floats raised(floats sum, floats size, uint32_t field_count, const float* inverse_gap,
                            double rounding) {
    const float terms = ((float)field_count + (12 + 32)) * 0x1p-23f;
    const float most = rounding > 0 ? away_from_zero(rounding) : 0;
    const floats lost = floats_load(inverse_gap) * floats_splat(most);
    return (sum * (1 + terms) + (terms + terms * size) + lost) * (1 + 0x1p-20f);
}

// Adds one number a field, times the magnitude of its coordinate. A coordinate of 0 skips infinite
// numbers.
static inline __attribute__((always_inline)) void add_number(floats sum[STEPS],
                                                             const abut__modal_lanes* lanes,
                                                             uint32_t k,
                                                             const double* coordinates) {
    const double q = coordinates[lanes->fields[k]];
    if (q == 0) {
        return;
    }
    const float* row = lanes->data + (size_t)ABUT__GROUP * k;
    const floats weight = floats_abs(floats_splat(away_from_zero(q)));
    LANES_UNROLL
    for (uint32_t s = 0; s < STEPS; ++s) {
        sum[s] += floats_load(row + (size_t)FLOAT_LANES * s) * weight;
    }
}

// Two alternating sums shorten the chain of dependent additions.
uint32_t ABUT_KERNEL(modal_certified)(const abut__modal_lanes* lanes, const double* coordinates,
                                      const float* inverse_gap, double rounding) {
    floats even[STEPS] = {{0}};
    floats odd[STEPS] = {{0}};
    uint32_t k = 0;
    for (; k + 2 <= lanes->field_count; k += 2) {
        add_number(even, lanes, k, coordinates);
        add_number(odd, lanes, k + 1, coordinates);
    }
    if (k < lanes->field_count) {
        add_number(even, lanes, k, coordinates);
    }
    uint32_t holds = 0;
    LANES_UNROLL
    for (uint32_t s = 0; s < STEPS; ++s) {
        const floats needed = raised(even[s] + odd[s], floats_splat(0.0f), lanes->field_count,
                                     inverse_gap + (size_t)FLOAT_LANES * s, rounding);
        holds |= floats_le(needed, floats_splat(0.999999f)) << s * FLOAT_LANES;
    }
    return holds;
}

typedef struct strain_range {
    floats low;   // lower bound of the eigenvalues of the symmetric part of 1 + H
    floats most;  // upper bound of the least of them
} strain_range;

// Uses Gershgorin's discs, and the bounds of abut__eigenvalue_range.
static inline strain_range range_of_strain(const floats h[9]) {
    const floats one = floats_splat(1.0f);
    const floats half = floats_splat(0.5f);
    const floats xy = half * floats_abs(h[1] + h[3]);
    const floats xz = half * floats_abs(h[2] + h[6]);
    const floats yz = half * floats_abs(h[5] + h[7]);
    const floats x = one + h[0];
    const floats y = one + h[4];
    const floats z = one + h[8];
    const floats discs = floats_min(floats_min(x - (xy + xz), y - (xy + yz)), z - (xz + yz));
    const floats mean = (x + y + z) * (1.0f / 3);
    const floats off = xy * xy + xz * xz + yz * yz;
    const floats squares = (x - mean) * (x - mean) + (y - mean) * (y - mean) +
                           (z - mean) * (z - mean) + (off + off);
    const floats round = mean - floats_sqrt(squares * (2.0f / 3));
    return (strain_range){floats_max(discs, round), floats_min(floats_min(x, y), z)};
}

// Returns a lower bound of the square of the least singular value of 1 + H.
static inline floats least_column(const floats h[9]) {
    const floats one = floats_splat(1.0f);
    const floats x = (one + h[0]) * (one + h[0]) + h[3] * h[3] + h[6] * h[6];
    const floats y = h[1] * h[1] + (one + h[4]) * (one + h[4]) + h[7] * h[7];
    const floats z = h[2] * h[2] + h[5] * h[5] + (one + h[8]) * (one + h[8]);
    return floats_min(floats_min(x, y), z);
}

// Sums the numbers of a row for FLOAT_LANES certificates: the first nine times the coordinate,
// rounded away from 0, the last three times its magnitude. A coordinate of 0 skips infinite
// numbers.
static inline __attribute__((always_inline)) void sum_certificates(
    const abut__modal_lanes* lanes, const double* coordinates, uint32_t first,
    floats out[ABUT__CERTIFICATE_ROW]) {
    floats sum[ABUT__CERTIFICATE_ROW] = {{0}};
    const float* row = lanes->data + first;
    for (uint32_t k = 0; k < lanes->field_count;
         ++k, row += (size_t)ABUT__CERTIFICATE_ROW * ABUT__GROUP) {
        const double q = coordinates[lanes->fields[k]];
        if (q == 0) {
            continue;
        }
        const floats weight = floats_splat(away_from_zero(q));
        const floats magnitude = floats_abs(weight);
        LANES_UNROLL
        for (size_t i = 0; i < ABUT__CERTIFICATE_ROW; ++i) {
            sum[i] += floats_load(row + ABUT__GROUP * i) * (i < 9 ? weight : magnitude);
        }
    }
    LANES_UNROLL
    for (size_t i = 0; i < ABUT__CERTIFICATE_ROW; ++i) {
        out[i] = sum[i];
    }
}

// Lanes with NaN stay undecided.
static inline abut__certificate_verdict verdict_of(const floats sum[ABUT__CERTIFICATE_ROW],
                                                   floats strain) {
    const strain_range range = range_of_strain(sum);
    const floats most = floats_splat(FLT_MAX);
    abut__certificate_verdict verdict;
    verdict.yes = ~floats_le(range.low, strain) & floats_le(strain, most) &
                  floats_le(floats_abs(range.low), most) & FLOAT_BITS;
    verdict.no = floats_le(range.most, sum[10]) & floats_le(least_column(sum), sum[9] * sum[9]);
    return verdict;
}

abut__certificate_verdict ABUT_KERNEL(modal_certificates)(const abut__modal_lanes* lanes,
                                                          const double* coordinates,
                                                          const float* inverse_gap, double rounding,
                                                          float (*out)[ABUT__GROUP]) {
    abut__certificate_verdict all = {0, 0};
    for (uint32_t first = 0; first < ABUT__GROUP; first += FLOAT_LANES) {
        floats sum[ABUT__CERTIFICATE_ROW];
        sum_certificates(lanes, coordinates, first, sum);
        LANES_UNROLL
        for (uint32_t i = 0; i < ABUT__CERTIFICATE_ROW; ++i) {
            floats_store(out[i] + first, sum[i]);
        }
        const floats strain = raised(sum[10], sum[11], lanes->field_count, inverse_gap + first,
                                     rounding);
        const abut__certificate_verdict own = verdict_of(sum, strain);
        all.yes |= own.yes << first;
        all.no |= own.no << first;
    }
    return all;
}

// Computes centre + sum of fields' centres x q, radius + sum of fields' radii x |q|.
void ABUT_KERNEL(modal_balls)(const abut__modal_lanes* lanes, const double* coordinates,
                              abut__balls8* out) {
    const float* row = lanes->data;
    floats sum[BALL_NUMBERS / FLOAT_LANES];
    LANES_UNROLL
    for (uint32_t v = 0; v < BALL_NUMBERS / FLOAT_LANES; ++v) {
        sum[v] = floats_load(row + (size_t)FLOAT_LANES * v);
    }
    for (uint32_t k = 0; k < lanes->field_count; ++k) {
        row += BALL_NUMBERS;
        __builtin_prefetch(row + BALLS_AHEAD);
        __builtin_prefetch(row + BALLS_AHEAD + BALL_NUMBERS / 2);
        const float q = (float)coordinates[lanes->fields[k]];
        if (!(fabsf(q) > 0)) {  // one branch, where q == 0 takes two
            continue;
        }
        const floats plain = floats_splat(q);
        LANES_UNROLL
        for (uint32_t v = 0; v < BALL_NUMBERS / FLOAT_LANES; ++v) {
            const uint32_t at = FLOAT_LANES * v;
            sum[v] += floats_load(row + at) * weight_at(at, plain);
        }
    }
    LANES_UNROLL
    for (uint32_t v = 0; v < BALL_NUMBERS / FLOAT_LANES; ++v) {
        floats_store((float*)(void*)out + (size_t)FLOAT_LANES * v, sum[v]);
    }
}
