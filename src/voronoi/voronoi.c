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

void abut__voronoi_free(const abut_context* context, abut__voronoi* v) {
    for (uint32_t w = 0; w < v->worker_count && v->workers != NULL; ++w) {
        abut__voronoi_worker* worker = &v->workers[w];
        abut__drop(context, &worker->stamps);
        abut__drop(context, &worker->found);
        abut__drop(context, &worker->keys);
        abut__drop(context, &worker->sorted);
    }
    abut__free(context, v->workers, v->worker_count, sizeof *v->workers);
    abut__sites_free(context, &v->sites);
    abut__grid_free(context, &v->grid);
    abut__intervals_free(context, &v->intervals);
    abut__field_free(context, &v->field);
    abut__drop(context, &v->below);
    abut__drop(context, &v->named);
    abut__drop(context, &v->ring_first);
    abut__drop(context, &v->ring);
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

static bool reset_workers(const abut_context* context, abut__voronoi* v) {
    const uint32_t count = abut__site_count(&v->sites);
    for (uint32_t w = 0; w < v->worker_count; ++w) {
        abut__voronoi_worker* worker = &v->workers[w];
        worker->found.count = 0;
        worker->failed = false;
        worker->boxes_tested = worker->stamp = 0;
        uint32_t* stamps = abut__renew(context, &worker->stamps, count);
        if (stamps == NULL) {
            return false;
        }
        memset(stamps, 0, count * sizeof *stamps);
    }
    return true;
}

bool abut__pair_before(const abut__sites* sites, uint32_t own, uint32_t other,
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

// Returns the lower bound of one triangle, and updates the nearest pair of its body in the diagram.
static float read_labels(const abut__voronoi* v, uint32_t site, abut__near* named) {
    const uint32_t* first = v->grid.site_first.data;
    const uint32_t* cells = v->grid.of_site.data;
    const uint32_t body = v->sites.places.data[site].body;
    abut__label least = {.distance_sq = ABUT__LABEL_FAR, .site = -1};
    for (uint32_t i = first[site]; i < first[site + 1]; ++i) {
        const abut__label label = abut__field_other(&v->field, cells[i], body);
        least = label.distance_sq < least.distance_sq ? label : least;
    }
    const float below = abut__label_below(&v->field, least.distance_sq) - 2 * v->sites.pad;
    if (least.site >= 0 && below < named->gap) {
        *named = (abut__near){below, site, (uint32_t)least.site};
    }
    return below;
}

static void read_body(void* argument, uint32_t index, uint32_t worker) {
    const abut__voronoi* v = argument;
    const abut__site_body* body = &v->sites.bodies.data[index];
    abut__near* named = v->named.data + index;
    float* below = v->below.data;
    (void)worker;
    *named = (abut__near){INFINITY, ABUT__NONE, ABUT__NONE};
    for (uint32_t t = body->first; t < body->first + body->count; ++t) {
        below[t] = read_labels(v, t, named);
    }
}

// Chooses the band so that it covers the bounds of all bodies, up to a limit. What the band does
// not reach is still found, with the bound of stage I.
static uint32_t choose_band(const abut__voronoi* v, float least) {
    const float* reach = v->intervals.reach.data;
    float most = least < (float)ABUT__BAND_MOST ? least : (float)ABUT__BAND_MOST;
    for (size_t b = 0; b < v->sites.bodies.count; ++b) {
        most = reach[b] < (float)ABUT__BAND_MOST && reach[b] > most ? reach[b] : most;
    }
    const float band = ceilf(most) + 2;
    return band < (float)ABUT__BAND_MOST ? (uint32_t)band : ABUT__BAND_MOST;
}

bool abut__voronoi_prepare(const abut_context* context, abut__voronoi* v,
                           const abut__voronoi_ask* ask, abut__voronoi_depth depth,
                           double distance) {
    const size_t bodies = v->sites.bodies.count;
    v->below.count = v->named.count = 0;
    if (!abut__sites_place(context, &v->sites, ask->cells) || !reset_workers(context, v) ||
        !abut__intervals_sort(context, &v->sites, &v->intervals) ||
        !abut__grid_fill(context, &v->sites, &v->grid)) {
        return false;
    }
    memcpy(v->counts.size, v->grid.size, sizeof v->counts.size);
    if (depth == ABUT__VORONOI_GRID) {
        return true;
    }
    if (depth == ABUT__VORONOI_SAMPLED) {
        abut__intervals_sample(context, &v->sites, ask->meet, &v->intervals);
    }
    v->counts.band = choose_band(v, abut__cells_above(&v->sites, distance));
    if (!abut__field_make(context, &v->sites, &v->grid, v->counts.band, &v->field) ||
        abut__push(context, &v->below, abut__site_count(&v->sites)) == NULL ||
        abut__push(context, &v->named, bodies) == NULL) {
        return false;
    }
    abut__run_tasks(context, (uint32_t)bodies, read_body, v);
    return true;
}
