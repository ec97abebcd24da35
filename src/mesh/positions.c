// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Checks and copies views of the caller's positions.
#include <float.h>
#include <math.h>

#include "mesh/mesh.h"
#include "simd/kernels.h"

#define POSITIONS_PER_TASK ((size_t)4096)

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
