// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds slopes: see slopes.h.
#include "bound/slopes.h"

#include <math.h>

#define GAIN_LEAST 0.25    // part of a half width that the slope must take over
#define LOSS_MOST 1.05     // of the half width, where the slope makes it greater
#define STRAIN_LEAST 0.25  // slope times the extent of the shape, relative to the field's greatest
#define SIZE_LEAST 0.05    // half width of a field that matters, relative to the greatest

static double half_of(const abut__range* range, int d) {
    return 0.5 * (range->hi[d] - range->lo[d]);
}

// the slope of least squares
static double fitted(const abut__slope_task* task, size_t row, int d) {
    const abut__moments* p = &task->moments[0];
    const abut__moments* u = &task->moments[row];
    const double spread = p->pu[d] - p->u[d] * p->u[d] / task->count;
    return (u->pu[d] - p->u[d] * u->u[d] / task->count) / spread;
}

// Lists slopes that may gain. Numbers that are not finite are not listed.
static size_t list(const abut__slope_task* task, abut__slope* out) {
    double most[3] = {0, 0, 0};
    size_t count = 0;
    for (uint32_t f = 0; f < task->fields->count; ++f) {
        for (int d = 0; d < 3; ++d) {
            most[d] = fmax(most[d], half_of(&task->ranges[1 + f], d));
        }
    }
    for (uint32_t f = 0; f < task->fields->count; ++f) {
        for (int d = 0; d < 3; ++d) {
            const double half = half_of(&task->ranges[1 + f], d);
            if (!(half > SIZE_LEAST * most[d])) {
                continue;
            }
            const double slope = fitted(task, 1 + (size_t)f, d);
            if (fabs(slope) < 1e30 &&
                fabs(slope) * task->extent >= STRAIN_LEAST * task->fields->most[f] &&
                fabs(slope) * task->half[d] >= GAIN_LEAST * half) {
                out[count++] = (abut__slope){f, d, (float)slope, INFINITY, -INFINITY};
            }
        }
    }
    return count;
}

static void leave(abut__slope* slope, double displacement, double y) {
    const double left = displacement - (double)slope->slope * y;
    slope->lo = left < slope->lo ? left : slope->lo;
    slope->hi = left > slope->hi ? left : slope->hi;
}

// fields of a vertex and slopes are both in order
static void read_vertex(const abut__slope_task* task, uint32_t vertex, abut__slope* slopes,
                        size_t count) {
    const abut__field_list own = abut__fields_of(task->fields, vertex);
    double p[3];
    abut__mesh_rest_near(task->mesh, vertex, p);
    uint32_t next = 0;
    for (size_t i = 0; i < count; ++i) {
        abut__slope* slope = &slopes[i];
        while (next < own.count && task->fields->ids[own.first + next] < slope->field) {
            ++next;
        }
        double u[3] = {0, 0, 0};
        if (next < own.count && task->fields->ids[own.first + next] == slope->field) {
            abut__fields_value(task->fields, vertex, next, u);
        }
        leave(slope, u[slope->axis], p[slope->axis] - task->centre[slope->axis]);
    }
}

static void read_below(const abut__slope_task* task, abut__ref ref, abut__slope* slopes,
                       size_t count) {
    if (abut__is_block(ref)) {
        const abut__block* block = task->tree->blocks[abut__block_of(ref)];
        for (uint32_t v = 0; v < block->vertex_count; ++v) {
            read_vertex(task, block->vertex[v], slopes, count);
        }
        return;
    }
    for (uint32_t k = 0; k < task->tree->nodes[ref].count; ++k) {
        read_below(task, task->tree->nodes[ref].child[k], slopes, count);
    }
}

static bool gains(const abut__slope_task* task, const abut__slope* slope) {
    const double half = half_of(&task->ranges[1 + slope->field], slope->axis);
    const double left = 0.5 * (slope->hi - slope->lo);
    const double moved = fabs((double)slope->slope) * task->half[slope->axis];
    return left <= (1 - GAIN_LEAST) * half && moved + left <= LOSS_MOST * half;
}

size_t abut__slopes_find(const abut__slope_task* task, abut__slope* out) {
    const size_t count = list(task, out);
    size_t kept = 0;
    if (count > 0) {
        read_below(task, task->ref, out, count);
    }
    for (size_t i = 0; i < count; ++i) {
        if (gains(task, &out[i])) {
            out[kept++] = out[i];
        }
    }
    return kept;
}
