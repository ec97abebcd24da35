// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The common part of all Voronoi queries: see voronoi.h.
#include "voronoi/voronoi.h"

#include <math.h>

bool abut__voronoi_begin(const abut_context* context, abut__voronoi* v) {
    if (v->workers == NULL) {
        v->worker_count = abut__worker_count(context);
        v->workers = abut__alloc_zero(context, v->worker_count, sizeof *v->workers);
    }
    abut__sites_clear(&v->sites);
    v->counts = (abut__voronoi_counts){0};
    return v->workers != NULL;
}

static void drop_marks(const abut_context* context, abut__site_marks* marks) {
    abut__drop(context, &marks->stamps);
    abut__drop(context, &marks->at);
}

void abut__voronoi_free(const abut_context* context, abut__voronoi* v) {
    for (uint32_t w = 0; w < v->worker_count && v->workers != NULL; ++w) {
        abut__voronoi_worker* worker = &v->workers[w];
        drop_marks(context, &worker->entered);
        drop_marks(context, &worker->seen);
        abut__drop(context, &worker->hits);
        abut__drop(context, &worker->gaps);
        abut__drop(context, &worker->found);
        abut__drop(context, &worker->keys);
        abut__drop(context, &worker->sorted);
        abut__drop(context, &worker->objects);
        abut__drop(context, &worker->narrow);
        abut__drop(context, &worker->corners);
        abut__drop(context, &worker->group.sides);
        abut__drop(context, &worker->group.site_of);
        abut__drop(context, &worker->group.body_of);
    }
    abut__free(context, v->workers, v->worker_count, sizeof *v->workers);
    abut__sites_free(context, &v->sites);
    abut__grid_free(context, &v->grid);
    abut__intervals_free(context, &v->intervals);
    abut__line_free(context, &v->line);
    abut__drop(context, &v->ring_first);
    abut__drop(context, &v->ring);
    abut__drop(context, &v->ring_points);
    abut__drop(context, &v->ring_offset);
    *v = (abut__voronoi){0};
}

uint64_t abut__voronoi_boxes_tested(const abut__voronoi* v) {
    uint64_t sum = 0;
    for (uint32_t w = 0; w < v->worker_count; ++w) {
        sum += v->workers[w].boxes_tested;
    }
    return sum;
}

static bool reset_marks(const abut_context* context, abut__site_marks* marks, uint32_t sites) {
    uint32_t* stamps = abut__renew(context, &marks->stamps, sites);
    if (stamps == NULL || abut__renew(context, &marks->at, sites) == NULL) {
        return false;
    }
    memset(stamps, 0, sites * sizeof *stamps);
    marks->stamp = 0;
    return true;
}

// Gives every worker room for all boxes, pieces or sites, that one search can find.
static bool reset_workers(const abut_context* context, abut__voronoi* v) {
    const uint32_t sites = abut__site_count(&v->sites);
    const size_t boxes = v->grid.pieces.count > sites ? v->grid.pieces.count : sites;
    for (uint32_t w = 0; w < v->worker_count; ++w) {
        abut__voronoi_worker* worker = &v->workers[w];
        worker->found.count = 0;
        worker->failed = false;
        worker->boxes_tested = 0;
        worker->group.valid = false;
        if (!reset_marks(context, &worker->entered, sites) ||
            !reset_marks(context, &worker->seen, sites) ||
            abut__renew(context, &worker->hits, boxes) == NULL ||
            abut__renew(context, &worker->gaps, 3 * boxes) == NULL) {
            return false;
        }
    }
    return true;
}

// Whether a pair precedes another one at the same distance.
static bool precedes(const abut__sites* sites, uint32_t own, uint32_t other,
                     const abut__voronoi_best* than) {
    if (than->other == ABUT__NONE) {
        return true;
    }
    const abut__site_place* places = sites->places.data;
    const uint32_t pair[2][2] = {{own, other}, {than->own, than->other}};
    uint32_t key[2][3];
    for (int i = 0; i < 2; ++i) {
        const abut__site_place* a = &places[pair[i][0]];
        const abut__site_place* b = &places[pair[i][1]];
        const uint32_t index_a = sites->bodies.data[a->body].body->index;
        const uint32_t index_b = sites->bodies.data[b->body].body->index;
        const bool b_first = index_a == index_b ? b->triangle < a->triangle : index_b < index_a;
        key[i][0] = index_b;
        key[i][1] = b_first ? b->triangle : a->triangle;
        key[i][2] = b_first ? a->triangle : b->triangle;
    }
    int k = 0;
    while (k < 2 && key[0][k] == key[1][k]) {
        ++k;
    }
    return key[0][k] < key[1][k];
}

void abut__best_take(const abut__sites* sites, abut__voronoi_best* best, const abut__near* pair,
                     const abut__measured* measured) {
    const double distance = measured->distance;
    if (distance < best->distance || (distance == best->distance && distance < INFINITY &&
                                      precedes(sites, pair->own, pair->other, best))) {
        *best = (abut__voronoi_best){distance, pair->own, pair->other, measured->whole,
                                     measured->closest};
    }
}

bool abut__best_allows(const abut__sites* sites, const abut__voronoi_best* best,
                       const abut__near* pair) {
    return pair->gap <= abut__cells_above(sites, best->distance) &&
           (best->distance > 0 || precedes(sites, pair->own, pair->other, best));
}

bool abut__voronoi_prepare(const abut_context* context, abut__voronoi* v,
                           const abut__voronoi_ask* ask, bool sampled) {
    v->line.used = false;
    if (!abut__sites_place(context, &v->sites, ask->cells) ||
        !abut__intervals_sort(context, &v->sites, &v->intervals) ||
        !abut__grid_fill(context, &v->sites, &v->grid) || !reset_workers(context, v)) {
        return false;
    }
    memcpy(v->counts.size, v->grid.size, sizeof v->counts.size);
    v->counts.pieces = v->grid.pieces.count;
    if (sampled) {
        abut__intervals_sample(context, &v->sites, ask->meet, &v->intervals);
    }
    return true;
}

#define LINE_CELLS 64u  // along the longest side: a unit of length without a grid

bool abut__voronoi_prepare_line(const abut_context* context, abut__voronoi* v,
                                const abut__voronoi_ask* ask, bool sampled) {
    v->line.used = true;
    v->grid.pieces.count = 0;
    if (!abut__sites_place(context, &v->sites, LINE_CELLS) || !abut__line_make(context, v) ||
        !abut__intervals_sort(context, &v->sites, &v->intervals) || !reset_workers(context, v)) {
        return false;
    }
    v->counts.pieces = abut__site_count(&v->sites);
    if (sampled) {
        abut__intervals_sample(context, &v->sites, ask->meet, &v->intervals);
    }
    return true;
}
