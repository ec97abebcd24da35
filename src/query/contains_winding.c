// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Generalized winding numbers of many points. Few points evaluate only the vertices that they need;
// for many all vertices are evaluated once.
#include <math.h>

#include "query/contains.h"
#include "query/winding.h"

#define POINTS_PER_TASK 16u
#define MANY_POINTS 8u

typedef struct numbers_run {
    abut__winding winding;
    abut__source source;
    size_t count;
    size_t room;  // of a worker's stack
    abut_contains_result* result;
} numbers_run;

static void run_task(void* argument, uint32_t index, uint32_t worker) {
    const numbers_run* run = argument;
    abut_contains_result* result = run->result;
    const size_t end = (index + (size_t)1) * POINTS_PER_TASK;
    for (size_t i = index * (size_t)POINTS_PER_TASK; i < end && i < run->count; ++i) {
        double p[3];
        abut__read_position(run->source.data, run->source.stride, run->source.is_double, i, p);
        result->numbers.data[i] = abut__winding_at(&run->winding, p,
                                                   result->stacks.data + worker * run->room,
                                                   &result->work.workers[worker].reader.counters);
    }
}

// Evaluates all vertices; false: no memory.
static bool place_vertices(numbers_run* run) {
    const abut__view* view = &run->winding.view;
    const uint32_t count = view->shape->mesh->vertex_count;
    double* out = abut__renew(run->result->work.context, &run->result->positions,
                              3 * (size_t)count);
    if (out == NULL) {
        return false;
    }
    for (uint32_t first = 0; first < count; first += ABUT__BLOCK_VERTICES) {
        uint32_t ids[ABUT__BLOCK_VERTICES];
        const uint32_t left = count - first;
        const uint32_t some = left < ABUT__BLOCK_VERTICES ? left : ABUT__BLOCK_VERTICES;
        for (uint32_t i = 0; i < some; ++i) {
            ids[i] = first + i;
        }
        view->kind->vertices(view, 1, ids, some, (double(*)[3])(out + 3 * (size_t)first));
    }
    run->winding.positions = (const double(*)[3])out;
    return true;
}

abut_status abut__contains_numbers(const abut_scene* scene, abut__body* body, abut_positions points,
                                   abut_counters* counters, abut_contains_result* result) {
    const abut_context* context = result->work.context;
    numbers_run run = {.source = abut__source_of(points),
                       .count = points.count,
                       .room = (body->shape->tree.depth + (size_t)1) * ABUT__FAN,
                       .result = result};
    if (points.count == 0) {
        return ABUT_OK;
    }
    if (abut__renew(context, &result->numbers, points.count) == NULL ||
        abut__renew(context, &result->stacks, run.room * result->work.worker_count) == NULL ||
        !abut__winding_begin(body, &run.winding) ||
        (points.count >= MANY_POINTS && !place_vertices(&run))) {
        result->numbers.count = 0;
        return ABUT_ERR_NO_MEMORY;
    }
    abut__run_tasks(scene->context,
                    (uint32_t)((points.count + POINTS_PER_TASK - 1) / POINTS_PER_TASK), run_task,
                    &run);
    for (uint32_t w = 0; w < result->work.worker_count && counters != NULL; ++w) {
        abut__counters_add(counters, &result->work.workers[w].reader.counters);
    }
    for (size_t i = 0; i < points.count; ++i) {
        if (isnan(result->numbers.data[i])) {  // a vertex in the world overflows
            result->numbers.count = 0;
            result->work.blame = abut__blame_on(body, ABUT__NONE, "a vertex is not finite");
            return ABUT_ERR_INVALID_DATA;
        }
    }
    return ABUT_OK;
}
