// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Measures the contact of a frame: see meter.h.
#include "cli/gate/meter.h"

#include "cli/gate/extent.h"
#include "cli/gate/spans.h"
#include "cli/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// depths below this share of the bodies' boxes are those of surfaces that merely touch
static const double TINY = 1e-6;

struct meter {
    world* w;
    measure* list;
    size_t count;
    size_t room;
    abut_depth_result* depths;
    abut_nearest_result* nearest;
    abut_within_result* within;
    extent_memory memory;
    spans spans;
    bool failed;  // after an error message
    const question* q;
    abut_counters* work;
};

const char* contact_kind_name(contact_kind kind) {
    static const char* const names[KINDS] = {"near", "touches", "between", "inside", "cuts"};
    return names[kind];
}

const char* contact_kind_text(contact_kind kind) {
    static const char* const texts[KINDS] = {"within the clearance", "only touches",
                                             "between frames", "inside", "cuts through"};
    return texts[kind];
}

static measure* append(meter* m, uint32_t a, uint32_t b, contact_kind kind) {
    if (m->count == m->room) {
        m->room = 2 * m->room + 16;
        m->list = reallocate(m->list, m->room, sizeof *m->list);
    }
    m->list[m->count] = (measure){.a = a < b ? a : b, .b = a < b ? b : a, .kind = kind};
    return &m->list[m->count++];
}

static bool fail(meter* m, abut_status status, uint32_t a, uint32_t b) {
    if (status != ABUT_OK) {
        world_complain(m->w, status, a, b);
        m->failed = true;
    }
    return status != ABUT_OK;
}

// ---- depth

// whether a pair of a region counts; one without pairs is a piece wholly inside
static bool region_counts(const meter* m, uint32_t a, uint32_t b, const abut_region* r) {
    const abut_filter* filter = &m->w->aside.counts;
    const abut_pair* pairs = abut_depth_result_pairs(m->depths, NULL);
    bool counts = filter->fn == NULL || r->pair_count == 0;
    for (size_t i = 0; i < r->pair_count && !counts; ++i) {
        const abut_pair* p = &pairs[r->first_pair + i];
        counts = filter->fn(filter->user, m->w->bodies[a].index, p->triangle_a,
                            m->w->bodies[b].index, p->triangle_b);
    }
    return counts;
}

static double box_size(const world* w, uint32_t body) {
    abut_box box;
    double sum = 0;
    if (abut_body_box(w->scene, w->bodies[body], &box, NULL) != ABUT_OK) {
        return 0;
    }
    for (int d = 0; d < 3; ++d) {
        sum += (box.hi[d] - box.lo[d]) * (box.hi[d] - box.lo[d]);
    }
    return sqrt(sum);
}

// Sets the depth of the deepest region that counts. False if depth is undefined, or no region has one.
static bool take_depth(meter* m, measure* at) {
    world* w = m->w;
    abut_depth_def def = abut_depth_def_default();
    def.shortest = true;
    def.head.counters = m->work;
    abut_status status = m->depths != NULL ? ABUT_OK
                                           : abut_depth_result_create(w->context, &m->depths, NULL);
    if (world_no_inside(w, at->a) != NULL || world_no_inside(w, at->b) != NULL) {
        return false;
    }
    if (status == ABUT_OK) {
        abut_depth_result_clear(m->depths);  // the frame before must not matter
        status = at->a == at->b ? abut_depth_self(w->scene, w->bodies[at->a], &def, m->depths, NULL)
                                : abut_depth(w->scene, w->bodies[at->a], w->bodies[at->b], &def,
                                             m->depths, NULL);
    }
    if (fail(m, status, at->a, at->b) || !abut_depth_result_defined(m->depths)) {
        return false;
    }
    size_t count = 0;
    const abut_region* regions = abut_depth_result_regions(m->depths, &count);
    const abut_region* deepest = NULL;
    for (size_t i = 0; i < count; ++i) {
        if (isfinite(regions[i].depth) && region_counts(m, at->a, at->b, &regions[i]) &&
            (deepest == NULL || regions[i].depth > deepest->depth)) {
            deepest = &regions[i];
        }
    }
    if (deepest != NULL) {
        at->depth = deepest->depth;
        memcpy(at->place, deepest->point_a, sizeof at->place);
    }
    return deepest != NULL;
}

// ---- pairs of triangles

// the distance of two bodies, or of one with itself, that are within the margin
static void take_distance(meter* m, measure* at) {
    world* w = m->w;
    size_t count = 0;
    const abut_distance_pair* pairs = NULL;
    abut_status status = ABUT_OK;
    if (at->a != at->b) {
        abut_nearest_def def = abut_nearest_def_default();
        def.filter = w->aside.counts;
        status = m->nearest != NULL ? ABUT_OK
                                    : abut_nearest_result_create(w->context, &m->nearest, NULL);
        if (status == ABUT_OK) {
            status = abut_nearest(w->scene, w->bodies[at->a], w->bodies[at->b], &def, m->nearest,
                                  NULL);
        }
        pairs = abut_nearest_result_pairs(m->nearest, &count);
    } else {
        abut_within_def def = abut_within_def_default();
        def.distance = m->q->margin;
        def.filter = w->aside.counts;
        status = m->within != NULL ? ABUT_OK
                                   : abut_within_result_create(w->context, &m->within, NULL);
        if (status == ABUT_OK) {
            status = abut_within_self(w->scene, w->bodies[at->a], &def, m->within, NULL);
        }
        pairs = abut_within_result_pairs(m->within, &count);
    }
    if (fail(m, status, at->a, at->b)) {
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        if (i == 0 || pairs[i].distance < at->distance) {
            at->distance = pairs[i].distance;
            memcpy(at->place, pairs[i].a.point, sizeof at->place);
        }
    }
}

static void measure_contact(void* user, const contact* c) {
    meter* m = user;
    extent e;
    if (m->failed || !extent_measure(&m->memory, m->w, c, &e)) {
        m->failed = true;
        return;
    }
    measure* at = append(m, c->a, c->b, KIND_TOUCHES);
    at->pairs = c->count;
    if (!e.touches && m->q->margin > 0) {
        at->kind = KIND_NEAR;
        take_distance(m, at);
        return;
    }
    at->pairs = e.touches ? e.pairs : c->count;
    memcpy(at->place, e.place, sizeof at->place);
    const bool closed = take_depth(m, at);
    const double least = TINY * fmin(box_size(m->w, c->a), box_size(m->w, c->b));
    if (e.cuts || (closed && at->depth > least)) {
        at->kind = KIND_CUTS;
        at->is_extent = !closed;
        at->depth = closed ? at->depth : e.length;
    } else {
        at->depth = 0;
        memcpy(at->place, e.place, sizeof at->place);
    }
}

static void measure_answer(void* user, const abut_collide_result* answer) {
    meter* m = user;
    world_each_contact(m->w, answer, measure_contact, m);
}

// ---- bodies inside others, distances, sweeps

static void measure_inside(meter* m, const inside_entry* e) {
    measure* at = append(m, e->inner, e->outer, KIND_INSIDE);
    (void)abut_body_world_vertex(m->w->scene, m->w->bodies[e->inner], 0, at->place, NULL);
    if (!take_depth(m, at) && !m->failed) {
        at->is_extent = true;
        m->failed = !extent_reach(&m->memory, m->w, e->inner, e->outer, &at->depth);
    }
}

static void measure_gap(meter* m, const abut_distance_pair* g) {
    if (gap_counts(g, m->q) && g->distance > 0 && gap_has_points(g)) {
        measure* at = append(m, m->w->number_of[g->body_a], m->w->number_of[g->body_b], KIND_NEAR);
        at->distance = g->distance;
        memcpy(at->place, g->a.point, sizeof at->place);
    }
}

// features within the distance; those of two bodies have a distance of the bodies, too
static void measure_features(void* user, const feature_list* list) {
    meter* m = user;
    const abut_feature_pair* least = &list->rows[0];
    double other[3];
    for (size_t i = 1; i < list->count; ++i) {
        least = list->rows[i].distance_sq < least->distance_sq ? &list->rows[i] : least;
    }
    measure* at = append(m, list->a, list->b, least->distance_sq > 0 ? KIND_NEAR : KIND_TOUCHES);
    at->distance = sqrt(least->distance_sq);
    (void)world_feature_points(m->w, least, at->place, other);
}

static void measure_swept(meter* m, const abut_sweep_result* answer) {
    size_t count = 0;
    const abut_sweep_pair* pairs = abut_sweep_result_pairs(answer, &count);
    for (size_t i = 0, end; i < count; i = end) {
        const abut_sweep_pair* p = &pairs[i];
        double other[3];
        for (end = i;
             end < count && pairs[end].body_a == p->body_a && pairs[end].body_b == p->body_b;
             ++end) {
        }
        measure* at = append(m, m->w->number_of[p->body_a], m->w->number_of[p->body_b],
                             KIND_BETWEEN);
        at->swept = end - i;
        at->stop = -1;
        for (size_t k = i; k < end; ++k) {
            at->start = fmin(at->start, pairs[k].time - 1);
            at->stop = fmax(at->stop, pairs[k].time - 1);
        }
        (void)world_swept_points(m->w, p, at->place, other);
    }
}

// ---- one measure for two bodies

static int compare(const void* x, const void* y) {
    const measure* p = x;
    const measure* q = y;
    return p->a != q->a           ? (p->a < q->a ? -1 : 1)
           : p->b != q->b         ? (p->b < q->b ? -1 : 1)
           : p->kind != q->kind   ? (p->kind > q->kind ? -1 : 1)
           : p->depth != q->depth ? (p->depth > q->depth ? -1 : 1)
                                  : (p->distance > q->distance) - (p->distance < q->distance);
}

// the worst kind stays; counts are added
static void merge(meter* m) {
    size_t kept = 0;
    if (m->count > 1) {
        qsort(m->list, m->count, sizeof *m->list, compare);
    }
    for (size_t i = 0; i < m->count; ++i) {
        measure* last = kept > 0 ? &m->list[kept - 1] : NULL;
        if (last != NULL && last->a == m->list[i].a && last->b == m->list[i].b) {
            last->pairs += m->list[i].pairs;
            last->swept += m->list[i].swept;
            last->start = fmin(last->start, m->list[i].start);
            last->stop = fmax(last->stop, m->list[i].stop);
        } else {
            m->list[kept++] = m->list[i];
        }
    }
    m->count = kept;
}

bool meter_ask(meter* m, const question* q, size_t frame, abut_counters* work) {
    world* w = m->w;
    m->count = 0;
    m->failed = false;
    m->q = q;
    m->work = work;
    world_each_answer(w, q, measure_answer, m);
    for (size_t i = 0; i < w->inside_count && q->inside && !m->failed; ++i) {
        measure_inside(m, &w->insides[i]);
    }
    for (size_t i = 0; i < w->gap_count && q->nearest; ++i) {
        measure_gap(m, &w->gaps[i]);
    }
    world_each_feature_list(w, q, measure_features, m);
    if (q->sweep && w->stepped && q->between) {
        measure_swept(m, w->swept_between);
    }
    if (q->sweep && w->stepped && q->self) {
        measure_swept(m, w->swept_self);
    }
    merge(m);
    return !m->failed && (!q->intervals || spans_take(&m->spans, w, q, frame, m->list, m->count));
}

const measure* meter_list(const meter* m, size_t* count) {
    *count = m->count;
    return m->list;
}

meter* meter_open(world* w, const object_list* objects) {
    meter* m = allocate(1, sizeof *m);
    m->w = w;
    m->spans.objects = objects;
    return m;
}

void meter_close(meter* m) {
    if (m != NULL) {
        abut_depth_result_destroy(m->depths);
        abut_nearest_result_destroy(m->nearest);
        abut_within_result_destroy(m->within);
        extent_memory_free(&m->memory);
        spans_free(&m->spans);
        free(m->list);
        free(m);
    }
}
