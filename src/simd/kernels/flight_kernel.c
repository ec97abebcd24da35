// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kernels of the flight motion: interpolation of boxes and vertices, and plans. Compiled once per
// instruction set. The pad of the state (motion/flight.h) covers rounding.
#include <string.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

// Lanes without a child stay empty: infinities of one sign.
void ABUT_KERNEL(flight_boxes)(const abut__boxes8* before, const abut__boxes8* after, float part,
                               float pad, abut__boxes8* out) {
    const f32x8 grow = f32x8_splat(pad);
    if (part <= 0) {
        for (int d = 0; d < 3; ++d) {
            f32x8_store(out->lo[d], f32x8_load(before->lo[d]) - grow);
            f32x8_store(out->hi[d], f32x8_load(before->hi[d]) + grow);
        }
        return;
    }
    const f32x8 s = f32x8_splat(part);
    const f32x8 r = f32x8_splat(1 - part);
    for (int d = 0; d < 3 && part < 1; ++d) {
        const f32x8 lo = f32x8_load(before->lo[d]) * r + f32x8_load(after->lo[d]) * s;
        const f32x8 hi = f32x8_load(before->hi[d]) * r + f32x8_load(after->hi[d]) * s;
        f32x8_store(out->lo[d], lo - grow);
        f32x8_store(out->hi[d], hi + grow);
    }
    for (int d = 0; d < 3 && part >= 1; ++d) {
        f32x8_store(out->lo[d], f32x8_load(after->lo[d]) - grow);
        f32x8_store(out->hi[d], f32x8_load(after->hi[d]) + grow);
    }
}

static inline const float* floats_of(abut__source source, uint32_t id) {
    return (const float*)(const void*)(source.data + id * source.stride);
}

// Reads and writes a fourth number where another vertex follows, which overwrites it.
void ABUT_KERNEL(flight_exact)(const abut__block* block, const abut__source source[2], double part,
                               double (*out)[3]) {
    const double rest = 1 - part;
    const f64x4 s = f64x4_splat(part);
    const f64x4 r = f64x4_splat(rest);
    const uint32_t long_reads = block->has_last != 0 ? 0 : block->vertex_count - 1;
    for (uint32_t v = 0; v < long_reads; ++v) {
        const f64x4 a = f64x4_load4_float(floats_of(source[0], block->vertex[v]));
        const f64x4 b = f64x4_load4_float(floats_of(source[1], block->vertex[v]));
        f64x4_store(out[v], r * a + s * b);
    }
    for (uint32_t v = long_reads; v < block->vertex_count; ++v) {
        const float* a = floats_of(source[0], block->vertex[v]);
        const float* b = floats_of(source[1], block->vertex[v]);
        for (int d = 0; d < 3; ++d) {
            out[v][d] = rest * (double)a[d] + part * (double)b[d];
        }
    }
}

// Without their sign, numbers are ordered like their bits, and those that are not finite come last.
double ABUT_KERNEL(flight_most)(const void* values, size_t count, bool is_double) {
    if (is_double) {
        int64_t most = 0;
        for (size_t i = 0; i < count; ++i) {
            int64_t bits;
            memcpy(&bits, (const double*)values + i, sizeof bits);
            bits &= INT64_MAX;
            most = bits > most ? bits : most;
        }
        double result;
        memcpy(&result, &most, sizeof result);
        return result;
    }
    int32_t most = 0;
    for (size_t i = 0; i < count; ++i) {
        int32_t bits;
        memcpy(&bits, (const float*)values + i, sizeof bits);
        bits &= INT32_MAX;
        most = bits > most ? bits : most;
    }
    float result;
    memcpy(&result, &most, sizeof result);
    return (double)result;
}

void ABUT_KERNEL(flight_fly)(const double* p, const double* u, double past, size_t count,
                             float* out) {
    for (size_t i = 0; i < count; ++i) {
        out[i] = (float)(p[i] + past * u[i]);
    }
}

// Handles a group at a time: the elapsed time of each, repeated for its three numbers.
void ABUT_KERNEL(flight_fly_each)(const double* p, const double* u, const double* since,
                                  double time, size_t count, float* out) {
    double past[3 * ABUT__GROUP];
    for (size_t first = 0; first < count; first += ABUT__GROUP) {
        const size_t few = count - first < ABUT__GROUP ? count - first : ABUT__GROUP;
        for (size_t k = 0; k < few; ++k) {
            past[3 * k] = past[3 * k + 1] = past[3 * k + 2] = time - since[first + k];
        }
        for (size_t i = 0; i < 3 * few; ++i) {
            out[3 * first + i] = (float)(p[3 * first + i] + past[i] * u[3 * first + i]);
        }
    }
}
