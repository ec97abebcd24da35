// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Checks and copies views of the caller's positions, and finds origins for their boxes.
#include <float.h>
#include <math.h>

#include "mesh/mesh.h"
#include "simd/kernels.h"

#define POSITIONS_PER_TASK ((size_t)4096)
#define SAMPLES ((size_t)16)  // positions that an origin is found from
// Exponents of a power of 2. Origins are multiples of a cell: a length that is this much greater
// than the positions' spread, so that they change rarely and bodies nearby have the same one.
#define CELL_OVER_SIZE 8
// At most this much less than the distance from 0, so that origins are exact in float.
#define CELL_UNDER_DISTANCE 20

abut_positions abut_positions_f32(const float* xyz, size_t count) {
    return (abut_positions){xyz, count, 0, ABUT_SCALAR_F32};
}

abut_positions abut_positions_f64(const double* xyz, size_t count) {
    return (abut_positions){xyz, count, 0, ABUT_SCALAR_F64};
}

abut_transforms abut_transforms_f32(const float* rows, size_t count) {
    return (abut_transforms){rows, count, 0, ABUT_SCALAR_F32, ABUT_LAYOUT_ROWS_3X4};
}

abut_transforms abut_transforms_f64(const double* rows, size_t count) {
    return (abut_transforms){rows, count, 0, ABUT_SCALAR_F64, ABUT_LAYOUT_ROWS_3X4};
}

abut_frame abut_frame_identity(void) {
    return (abut_frame){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
}

size_t abut__origin_samples(size_t count) {
    return count < SAMPLES ? count : SAMPLES;
}

size_t abut__origin_sample(size_t count, size_t i) {
    return i == 0 ? 0 : (size_t)((uint64_t)i * (count - 1) / (abut__origin_samples(count) - 1));
}

// the box of some positions, evenly spread over all; false: one is not finite
static bool sample_box(const abut__source* source, size_t count, double lo[3], double hi[3]) {
    const size_t samples = abut__origin_samples(count);
    bool sound = true;
    for (size_t i = 0; i < samples; ++i) {
        double p[3];
        abut__read_position(source->data, source->stride, source->is_double,
                            abut__origin_sample(count, i), p);
        for (int d = 0; d < 3; ++d) {
            sound = sound && fabs(p[d]) <= DBL_MAX;
            lo[d] = i > 0 && lo[d] < p[d] ? lo[d] : p[d];
            hi[d] = i > 0 && hi[d] > p[d] ? hi[d] : p[d];
        }
    }
    return samples > 0 && sound;
}

void abut__origin_choose(const double lo[3], const double hi[3], float origin[3]) {
    origin[0] = origin[1] = origin[2] = 0;
    double size = 0;
    double far = 0;
    for (int d = 0; d < 3; ++d) {
        size = fmax(size, hi[d] - lo[d]);
        far = fmax(far, fmax(fabs(lo[d]), fabs(hi[d])));
    }
    if (!(far > 1e-30 && far < 1e30)) {
        return;
    }
    int of_size = 0;
    int of_distance = 0;
    (void)frexp(size, &of_size);
    (void)frexp(far, &of_distance);
    const int fine = of_distance - CELL_UNDER_DISTANCE;
    const int wide = size > 0 ? of_size + CELL_OVER_SIZE : fine;
    const double cell = ldexp(1, wide > fine ? wide : fine);
    for (int d = 0; d < 3 && far >= 0.5 * cell; ++d) {
        origin[d] = (float)(floor((0.5 * lo[d] + 0.5 * hi[d]) / cell + 0.5) * cell);
    }
}

void abut__source_centre(abut__source* source, size_t count) {
    double lo[3] = {0, 0, 0};
    double hi[3] = {0, 0, 0};
    if (!sample_box(source, count, lo, hi)) {
        lo[0] = lo[1] = lo[2] = hi[0] = hi[1] = hi[2] = 0;
    }
    abut__origin_choose(lo, hi, source->origin);
}

abut_status abut__positions_check(abut_positions positions, const char* what, abut_error* error) {
    if (positions.type != ABUT_SCALAR_F32 && positions.type != ABUT_SCALAR_F64) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "%s: unknown scalar type %d", what, (int)positions.type);
    }
    const size_t scalar = abut__scalar_size(positions.type);
    const size_t stride = abut__positions_stride(positions);
    if (positions.data == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "%s: the data pointer is NULL", what);
    }
    if (stride < 3 * scalar || stride % scalar != 0) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "%s: a stride of %zu bytes cannot hold aligned positions of %zu bytes",
                          what, stride, 3 * scalar);
    }
    if ((uintptr_t)positions.data % scalar != 0) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "%s: the data are not aligned to %zu bytes", what, scalar);
    }
    if (positions.count >= 1u << 30 || positions.count > PTRDIFF_MAX / stride) {
        return abut__fail(error, ABUT_ERR_LIMIT, ABUT_ELEMENT_NONE, 0,
                          "%s: %zu positions are not below 2^30, or more than memory can hold",
                          what, positions.count);
    }
    return ABUT_OK;
}

static bool finite_double(const double p[3]) {
    return fabs(p[0]) <= DBL_MAX && fabs(p[1]) <= DBL_MAX && fabs(p[2]) <= DBL_MAX;
}

static abut_status name_bad_vertex(abut_positions positions, size_t first, const char* what,
                                   abut_error* error) {
    for (size_t i = 0;; ++i) {
        double p[3];
        abut__read_position(positions.data, abut__positions_stride(positions),
                            positions.type == ABUT_SCALAR_F64, i, p);
        if (!finite_double(p)) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, first + i,
                              "%s: vertex %zu is not finite (%g, %g, %g)", what, first + i, p[0],
                              p[1], p[2]);
        }
    }
}

static bool copy_strided(const abut__copying* c, size_t first, size_t count) {
    const bool is_double = c->positions.type == ABUT_SCALAR_F64;
    bool finite = true;
    for (size_t i = first; i < first + count; ++i) {
        double p[3];
        abut__read_position(c->positions.data, c->stride, is_double, i, p);
        memcpy(c->out + i * c->size, (const char*)c->positions.data + i * c->stride, c->size);
        finite &= finite_double(p);
    }
    return finite;
}

void abut__copying_run(void* copying, uint32_t index, uint32_t worker) {
    (void)worker;
    abut__copying* c = copying;
    const size_t first = (size_t)index * POSITIONS_PER_TASK;
    const size_t left = c->positions.count - first;
    const size_t count = left < POSITIONS_PER_TASK ? left : POSITIONS_PER_TASK;
    const bool finite = c->stride == c->size
                            ? c->context->kernels->copy_finite((const char*)c->positions.data +
                                                                   first * c->size,
                                                               c->out + first * c->size, 3 * count,
                                                               c->positions.type == ABUT_SCALAR_F64)
                            : copy_strided(c, first, count);
    if (!finite) {
        atomic_store(&c->finite, false);
    }
}

abut__copying abut__copying_make(const abut_context* context, abut_positions positions, void* out) {
    const size_t tasks = (positions.count + POSITIONS_PER_TASK - 1) / POSITIONS_PER_TASK;
    return (abut__copying){.context = context,
                           .positions = positions,
                           .stride = abut__positions_stride(positions),
                           .size = 3 * abut__scalar_size(positions.type),
                           .out = out,
                           .task_count = (uint32_t)tasks,
                           .finite = true};
}

abut_status abut__copying_end(abut__copying* c, size_t first, const char* what, abut_error* error) {
    return atomic_load(&c->finite) ? ABUT_OK : name_bad_vertex(c->positions, first, what, error);
}

abut_status abut__positions_copy(const abut_context* context, abut_positions positions, void* out,
                                 size_t first, const char* what, abut_error* error) {
    abut__copying c = abut__copying_make(context, positions, out);
    abut__run_tasks(context, c.task_count, abut__copying_run, &c);
    return abut__copying_end(&c, first, what, error);
}
