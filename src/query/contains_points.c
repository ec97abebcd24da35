// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The sides of many points. A grid knows those of points in cells without surface. The others are
// sorted along a curve, so that neighbours in the order meet the same triangles. Each has a ray, which
// ends in the next cell without surface.
#include "base/curve.h"
#include "query/contains.h"

#define POINTS_PER_TASK 512u
#define AHEAD 8u       // points are fetched so many before their turn
#define STEPS_MOST 4u  // cells that a ray passes to end in the next one

typedef struct sides_run {
    abut__ray_base base;
    abut__source source;
    size_t count;  // of points, or of those left open
    abut_contains_result* result;
} sides_run;

static void read_point(const sides_run* run, size_t i, double point[3]) {
    abut__read_position(run->source.data, run->source.stride, run->source.is_double, i, point);
}

static inline size_t cell_number(const abut__cells* cells, const uint32_t at[3]) {
    return ((size_t)at[2] * cells->along + at[1]) * cells->along + at[0];
}

// a function, because checkers take int8_t for a character where it is assigned to an int32_t
static inline int32_t winding_at(const int8_t* cell) {
    return *cell;
}

static inline void find_cell(const abut__cells* cells, const double p[3], uint32_t at[3]) {
    at[0] = abut__cell_along(cells, 0, p[0]);
    at[1] = abut__cell_along(cells, 1, p[1]);
    at[2] = abut__cell_along(cells, 2, p[2]);
}

static size_t task_end(const sides_run* run, size_t first) {
    return run->count - first < POINTS_PER_TASK ? run->count : first + POINTS_PER_TASK;
}

// ---- points in cells without surface

// looks up the sides of points; those in met cells are ABUT_SIDE_UNDEFINED
static inline void look_up(const sides_run* run, size_t first, size_t end, bool is_double) {
    const abut__cells* cells = &run->result->cells;
    abut_side* sides = run->result->sides.data;
    int32_t* windings = run->result->windings.data;
    for (size_t i = first; i < end; ++i) {
        double p[3];
        uint32_t at[3];
        abut__read_position(run->source.data, run->source.stride, is_double, i, p);
        find_cell(cells, p, at);
        const int32_t winding = winding_at(cells->winding + cell_number(cells, at));
        windings[i] = winding;
        // arithmetic: a branch would be mispredicted too often
        sides[i] = (abut_side)((winding != 0) * ABUT_SIDE_INSIDE +
                               (winding == ABUT__CELL_MET) *
                                   (ABUT_SIDE_UNDEFINED - ABUT_SIDE_INSIDE));
    }
}

static void look_up_task(void* argument, uint32_t index, uint32_t worker) {
    (void)worker;
    const sides_run* run = argument;
    const size_t first = (size_t)index * POINTS_PER_TASK;
    if (run->source.is_double) {
        look_up(run, first, task_end(run, first), true);
    } else {
        look_up(run, first, task_end(run, first), false);
    }
}

// ---- points in met cells

// finds the next cell without surface along an axis: a coordinate in it, and its winding number
static bool find_end(const abut__cells* cells, const double p[3], int* axis, double* end,
                     int32_t* winding) {
    uint32_t at[3];
    find_cell(cells, p, at);
    const int8_t* here = cells->winding + cell_number(cells, at);
    for (uint32_t step = 1; step <= STEPS_MOST; ++step) {
        ptrdiff_t away = (ptrdiff_t)step;
        for (*axis = 0; *axis < 3; ++*axis) {
            const uint32_t i = at[*axis];
            if (i + step < cells->along && here[away] != ABUT__CELL_MET) {
                *end = cells->middle[*axis][i + step];
                *winding = winding_at(here + away);
                return true;
            }
            if (i >= step && here[-away] != ABUT__CELL_MET) {
                *end = cells->middle[*axis][i - step];
                *winding = winding_at(here - away);
                return true;
            }
            away *= (ptrdiff_t)cells->along;
        }
    }
    return false;
}

static void send_task(void* argument, uint32_t index, uint32_t worker) {
    const sides_run* run = argument;
    abut_contains_result* result = run->result;
    const abut__cells* cells = &result->cells;
    abut_counters* counters = &result->work.workers[worker].reader.counters;
    const size_t first = (size_t)index * POINTS_PER_TASK;
    const size_t last = task_end(run, first);
    for (size_t i = first; i < last; ++i) {
        double p[3];
        int axis;
        double end;
        int32_t at_end;
        const size_t place = (size_t)result->order.data[i].value;
        const size_t soon = (size_t)result->order.data[i + AHEAD < last ? i + AHEAD : i].value;
        __builtin_prefetch(run->source.data + soon * run->source.stride);
        int32_t* winding = &result->windings.data[place];
        read_point(run, place, p);
        result->sides.data[place] = cells->along > 0 && find_end(cells, p, &axis, &end, &at_end)
                                        ? abut__side_before(&run->base, p, axis, end, at_end,
                                                            winding, counters)
                                        : abut__side_in(&run->base, p, winding, counters);
    }
}

// Lists the points that are left open; returns their number. If there is a grid, sorts them by cells
// along a curve.
static size_t sort_open(const sides_run* run) {
    abut_contains_result* result = run->result;
    abut__keyed* order = result->order.data;
    size_t count = 0;
    for (size_t i = 0; i < run->count; ++i) {
        order[count].value = i;
        count += result->sides.data[i] == ABUT_SIDE_UNDEFINED;
    }
    for (size_t k = 0; k < count && result->cells.along > 0; ++k) {
        double p[3];
        uint32_t at[3];
        read_point(run, (size_t)order[k].value, p);
        find_cell(&result->cells, p, at);
        order[k].key = abut__curve_spread(at[0]) | abut__curve_spread(at[1]) << 1 |
                       abut__curve_spread(at[2]) << 2;
    }
    if (result->cells.along > 0) {
        abut__sort_keyed(order, order + count, count);
    }
    return count;
}

static uint32_t task_count(const sides_run* run) {
    return (uint32_t)((run->count + POINTS_PER_TASK - 1) / POINTS_PER_TASK);
}

abut_status abut__contains_sides(const abut_scene* scene, const abut__body* body,
                                 abut_positions points, const abut_box* around,
                                 abut_counters* counters, abut_contains_result* result) {
    sides_run run = {.base = abut__ray_base_of(scene, body),
                     .source = abut__source_of(points),
                     .count = points.count,
                     .result = result};
    abut_counters* own = &result->work.workers[0].reader.counters;
    if (abut__renew(result->work.context, &result->order, 2 * points.count) == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    const abut_status status = abut__cells_make(&run.base, around, points.count, result, own);
    if (status != ABUT_OK) {
        return status;
    }
    if (result->cells.along > 0) {
        abut__run_tasks(scene->context, task_count(&run), look_up_task, &run);
    }
    run.count = sort_open(&run);
    abut__run_tasks(scene->context, task_count(&run), send_task, &run);
    for (uint32_t w = 0; w < result->work.worker_count && counters != NULL; ++w) {
        abut__counters_add(counters, &result->work.workers[w].reader.counters);
    }
    return ABUT_OK;
}
