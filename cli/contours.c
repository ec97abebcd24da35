// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Contours of the answers of a frame: see contours.h.
#include "cli/contours.h"

#include "cli/json.h"
#include "cli/message.h"
#include "io/vtk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct tracer {
    const world* w;
    abut_contour_result* result;
    contour_fn fn;
    void* user;
} tracer;

static void trace(const tracer* t, const abut_pair* pairs, size_t count) {
    abut_error error;
    if (abut_contour_trace(t->w->scene, pairs, count, NULL, t->result, &error) != ABUT_OK) {
        return;  // memory; the pairs are those of the scene
    }
    size_t contour_count = 0;
    const abut_contour* contours = abut_contour_result_contours(t->result, &contour_count);
    const abut_contour_segment* segments = abut_contour_result_segments(t->result, NULL);
    const abut_contour_point* points = abut_contour_result_points(t->result, NULL);
    for (size_t i = 0; i < contour_count; ++i) {
        t->fn(t->user, &contours[i], segments + contours[i].first_segment,
              points + contours[i].first_point);
    }
}

static void trace_answer(void* user, const abut_collide_result* answer) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(answer, &count);
    trace(user, pairs, count);
}

static int compare_pairs(const void* x, const void* y) {
    const abut_pair* a = x;
    const abut_pair* b = y;
    if (a->triangle_a != b->triangle_a) {
        return a->triangle_a < b->triangle_a ? -1 : 1;
    }
    return a->triangle_b == b->triangle_b ? 0 : a->triangle_b < b->triangle_b ? -1 : 1;
}

// Those of regions, unless the query for pairs has them. They are in the order of the regions.
static void trace_regions(const tracer* t, const depth_entry* d) {
    size_t count = 0;
    const abut_pair* pairs = abut_depth_result_pairs(d->depths, &count);
    abut_pair* sorted = allocate(count, sizeof *sorted);
    for (size_t i = 0; i < count; ++i) {
        const abut_pair* p = &pairs[i];
        const bool turned = p->body_a == p->body_b && p->triangle_a > p->triangle_b;
        sorted[i] = (abut_pair){p->body_a, p->body_b, turned ? p->triangle_b : p->triangle_a,
                                turned ? p->triangle_a : p->triangle_b};
    }
    qsort(sorted, count, sizeof *sorted, compare_pairs);
    trace(t, sorted, count);
    free(sorted);
}

void contours_each(const world* w, const question* q, contour_fn fn, void* user) {
    tracer t = {.w = w, .fn = fn, .user = user};
    abut_error error;
    if (abut_contour_result_create(w->context, &t.result, &error) != ABUT_OK) {
        return;
    }
    world_each_answer(w, q, trace_answer, &t);
    for (size_t i = 0; i < w->depth_count && q->depth; ++i) {
        const depth_entry* d = &w->depths[i];
        if (!(d->a == d->b ? q->self : q->between)) {
            trace_regions(&t, d);
        }
    }
    abut_contour_result_destroy(t.result);
}

static double distance(const double* p, const double* q) {
    return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                (p[2] - q[2]) * (p[2] - q[2]));
}

double contour_length(const abut_contour* c, const abut_contour_point* points) {
    double length = 0;
    for (uint32_t k = 0; k < c->segment_count; ++k) {
        length += distance(points[k].position, points[(k + 1) % c->point_count].position);
    }
    return length;
}

// ---- JSON

const char* contour_end_name(abut_contour_end end) {
    switch (end) {
        case ABUT_CONTOUR_END_NONE: return "closed";
        case ABUT_CONTOUR_END_BORDER_A: return "border of a";
        case ABUT_CONTOUR_END_BORDER_B: return "border of b";
        case ABUT_CONTOUR_END_BRANCH: return "branch";
        case ABUT_CONTOUR_END_AREA: return "area";
        case ABUT_CONTOUR_END_VERTEX: return "vertex";
        case ABUT_CONTOUR_END_NEIGHBOURS: return "neighbours";
        case ABUT_CONTOUR_END_DEGENERATE: return "degenerate";
        case ABUT_CONTOUR_END_TOUCH: return "touch";
        case ABUT_CONTOUR_END_MISSING: return "missing";
    }
    return "unknown";
}

typedef struct json_taker {
    const world* w;
    json_t* list;
} json_taker;

static void take_json(void* user, const abut_contour* c, const abut_contour_segment* segments,
                      const abut_contour_point* points) {
    const json_taker* t = user;
    json_t* entry = json_object();
    json_t* places = json_array();
    json_t* triangles = json_array();
    for (uint32_t k = 0; k < c->point_count; ++k) {
        json_array_append_new(places, json_vector(points[k].position));
    }
    for (uint32_t k = 0; k < c->segment_count; ++k) {
        json_array_append_new(triangles, json_pack("[I, I]", (json_int_t)segments[k].triangle_a,
                                                   (json_int_t)segments[k].triangle_b));
    }
    json_object_set_new(entry, "a", json_count(t->w->number_of[c->body_a]));
    json_object_set_new(entry, "b", json_count(t->w->number_of[c->body_b]));
    json_object_set_new(entry, "closed", json_boolean(c->ends[0] == ABUT_CONTOUR_END_NONE));
    json_object_set_new(entry, "ends",
                        json_pack("[s, s]", contour_end_name(c->ends[0]),
                                  contour_end_name(c->ends[1])));
    json_object_set_new(entry, "points", places);
    json_object_set_new(entry, "triangles", triangles);
    json_array_append_new(t->list, entry);
}

json_t* contours_json(const world* w, const question* q) {
    json_taker t = {w, json_array()};
    contours_each(w, q, take_json, &t);
    return t.list;
}

// ---- VTK

enum { BODY_A, BODY_B, CLOSED, FIRST_END, LAST_END, NUMBERS };

typedef struct polylines {
    const world* w;
    double* points;
    size_t point_count;
    size_t* ends;  // of each cell in `corners`
    uint32_t* numbers[NUMBERS];
    double* lengths;
    size_t count;
    uint32_t* corners;
    size_t corner_count;
} polylines;

static void grow(polylines* l, size_t cells, size_t points) {
    l->points = reallocate(l->points, l->point_count + points + 1, 3 * sizeof *l->points);
    l->corners = reallocate(l->corners, l->corner_count + points + cells + 1, sizeof *l->corners);
    l->ends = reallocate(l->ends, l->count + cells + 1, sizeof *l->ends);
    l->lengths = reallocate(l->lengths, l->count + cells + 1, sizeof *l->lengths);
    for (int i = 0; i < NUMBERS; ++i) {
        l->numbers[i] = reallocate(l->numbers[i], l->count + cells + 1, sizeof *l->numbers[i]);
    }
}

static void take_line(polylines* l, const abut_contour* c, const abut_contour_point* points) {
    const bool closed = c->ends[0] == ABUT_CONTOUR_END_NONE;
    const uint32_t first = (uint32_t)l->point_count;
    for (uint32_t k = 0; k < c->point_count; ++k) {
        memcpy(l->points + 3 * l->point_count, points[k].position, 3 * sizeof *l->points);
        l->corners[l->corner_count++] = (uint32_t)l->point_count++;
    }
    if (closed) {
        l->corners[l->corner_count++] = first;
    }
    const uint32_t numbers[NUMBERS] = {l->w->number_of[c->body_a], l->w->number_of[c->body_b],
                                       closed, c->ends[0], c->ends[1]};
    for (int i = 0; i < NUMBERS; ++i) {
        l->numbers[i][l->count] = numbers[i];
    }
    l->lengths[l->count] = contour_length(c, points);
    l->ends[l->count++] = l->corner_count;
}

static void take_lines(void* user, const abut_contour* c, const abut_contour_segment* segments,
                       const abut_contour_point* points) {
    polylines* l = user;
    (void)segments;
    grow(l, 1, c->point_count);
    take_line(l, c, points);
}

bool contours_write(const world* w, const question* q, const char* path, io_error* error) {
    static const char* const names[NUMBERS] = {"body_a", "body_b", "closed", "first_end",
                                               "last_end"};
    polylines l = {.w = w};
    io_vtk_column columns[NUMBERS + 1] = {{0}};
    grow(&l, 0, 0);
    contours_each(w, q, take_lines, &l);
    for (int i = 0; i < NUMBERS; ++i) {
        columns[i] = (io_vtk_column){.name = names[i], .values = l.numbers[i]};
    }
    columns[NUMBERS] = (io_vtk_column){.name = "length", .kind = IO_VTK_REALS, .reals = l.lengths};
    const io_vtk_cells cells = {.points = l.points,
                                .point_count = l.point_count,
                                .corners = l.corners,
                                .corner_count = 2,
                                .ends = l.ends,
                                .cell_count = l.count,
                                .columns = columns,
                                .column_count = NUMBERS + 1};
    const bool done = io_write_vtp(path, &cells, error);
    free(l.points);
    free(l.ends);
    free(l.lengths);
    free(l.corners);
    for (int i = 0; i < NUMBERS; ++i) {
        free(l.numbers[i]);
    }
    return done;
}
