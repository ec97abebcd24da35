// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The sides of many points. They are sorted along a curve, so that neighbours in the order are near
// each other. If no triangle comes near the box of a run of points, they share the side of one of
// them. Otherwise each half is tried; the last few points have a ray each.
#include <math.h>

#include "base/curve.h"
#include "query/contains.h"

#define POINTS_PER_TASK 512u
#define RUN_LEAST 3u  // fewer points have rays of their own

typedef struct sides_run {
    const abut_scene* scene;
    const abut__body* body;
    abut__box3 whole;
    abut__source source;
    size_t count;
    abut_contains_result* result;
} sides_run;

// The points of a task, in their order, so that they are read from one place.
typedef struct portion {
    const sides_run* run;
    size_t first;  // the number of the first one
    double points[POINTS_PER_TASK][3];
} portion;

static void read_point(const sides_run* run, size_t i, double point[3]) {
    abut__read_position(run->source.data, run->source.stride, run->source.is_double, i, point);
}

static size_t place_of(const sides_run* run, size_t i) {
    return (size_t)run->result->order.data[i].value;
}

static void send_ray(const portion* p, size_t i, abut_counters* counters) {
    const sides_run* run = p->run;
    const size_t place = place_of(run, p->first + i);
    run->result->sides.data[place] = abut__side_within(run->scene, run->body, &run->whole,
                                                       p->points[i],
                                                       &run->result->windings.data[place],
                                                       counters);
}

static const abut_box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static inline void grow(abut_box* box, const double p[3]) {
    for (int d = 0; d < 3; ++d) {
        box->lo[d] = p[d] < box->lo[d] ? p[d] : box->lo[d];
        box->hi[d] = p[d] > box->hi[d] ? p[d] : box->hi[d];
    }
}

// Runs are halved, so that the depth of the recursion is that of a task's points.
static void find_run(const portion* p, size_t first, size_t end, abut_counters* counters) {
    const sides_run* run = p->run;
    if (end - first < RUN_LEAST) {
        for (size_t i = first; i < end; ++i) {
            send_ray(p, i, counters);
        }
        return;
    }
    abut_box box = nothing;
    for (size_t i = first; i < end; ++i) {
        grow(&box, p->points[i]);
    }
    if (!abut__points_free(run->scene, run->body, &box, counters)) {
        const size_t middle = first + (end - first) / 2;
        find_run(p, first, middle, counters);
        find_run(p, middle, end, counters);
        return;
    }
    send_ray(p, first, counters);
    const size_t known = place_of(run, p->first + first);
    for (size_t i = first + 1; i < end; ++i) {
        const size_t place = place_of(run, p->first + i);
        run->result->sides.data[place] = run->result->sides.data[known];
        run->result->windings.data[place] = run->result->windings.data[known];
    }
}

static void find_task(void* argument, uint32_t index, uint32_t worker) {
    const sides_run* run = argument;
    portion p;
    p.run = run;
    p.first = (size_t)index * POINTS_PER_TASK;
    const size_t left = run->count - p.first;
    const size_t count = left < POINTS_PER_TASK ? left : POINTS_PER_TASK;
    for (size_t i = 0; i < count; ++i) {
        read_point(run, place_of(run, p.first + i), p.points[i]);
    }
    find_run(&p, 0, count, &run->result->work.workers[worker].reader.counters);
}

// sorts by the cells of a grid over the points
static bool sort_points(const sides_run* run) {
    const size_t count = run->count;
    abut_contains_result* result = run->result;
    abut__keyed* order = abut__renew(result->work.context, &result->order, 2 * count);
    if (order == NULL) {
        return false;
    }
    abut_box box = nothing;
    double p[3];
    for (size_t i = 0; i < count; ++i) {
        read_point(run, i, p);
        grow(&box, p);
    }
    for (size_t i = 0; i < count; ++i) {
        read_point(run, i, p);
        order[i] = (abut__keyed){abut__curve_cell(&box, p), i};
    }
    abut__sort_keyed(order, order + count, count);
    return true;
}

abut_status abut__contains_sides(const abut_scene* scene, const abut__body* body,
                                 abut_positions points, abut_counters* counters,
                                 abut_contains_result* result) {
    sides_run run = {.scene = scene,
                     .body = body,
                     .whole = abut__body_ref_box(body, 0, 1),
                     .source = abut__source_of(points),
                     .count = points.count,
                     .result = result};
    if (!sort_points(&run)) {
        return ABUT_ERR_NO_MEMORY;
    }
    abut__run_tasks(scene->context,
                    (uint32_t)((points.count + POINTS_PER_TASK - 1) / POINTS_PER_TASK), find_task,
                    &run);
    for (uint32_t w = 0; w < result->work.worker_count && counters != NULL; ++w) {
        abut__counters_add(counters, &result->work.workers[w].reader.counters);
    }
    return ABUT_OK;
}
