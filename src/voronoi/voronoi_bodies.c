// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds for every body its nearest other one. The Voronoi diagram gives a pair of triangles for
// each; its distance is an upper bound. Triangles beyond that bound drop out. Pairs of the rest are
// measured, the nearest first, until the next one cannot be nearer.
#include "voronoi/voronoi.h"

#include <math.h>

typedef struct bodies_run {
    const abut_context* context;
    abut__voronoi* v;
    const abut__voronoi_ask* ask;
    abut__voronoi_best* best;
    atomic_ullong kept;
    atomic_ullong candidates;
    atomic_ullong measured;
} bodies_run;

static void take(const abut__sites* sites, abut__voronoi_best* best, double distance, uint32_t own,
                 uint32_t other) {
    if (distance < best->distance || (distance == best->distance && distance < INFINITY &&
                                      abut__pair_before(sites, own, other, best))) {
        *best = (abut__voronoi_best){distance, own, other};
    }
}

// Measures the pairs of the diagram, for all bodies, and uses each for both its bodies.
static void measure_named(bodies_run* r) {
    const abut__near* named = r->v->named.data;
    abut__near pairs[16];
    double distances[16];
    uint32_t count = 0;
    const size_t bodies = r->v->sites.bodies.count;
    const abut__site_place* places = r->v->sites.places.data;
    const abut__site_body* own = r->v->sites.bodies.data;
    for (size_t b = 0; b <= bodies; ++b) {
        if (b < bodies && named[b].other != ABUT__NONE &&
            r->ask->meet(own[b].body, own[places[named[b].other].body].body)) {
            pairs[count++] = named[b];
        }
        if (count == 16 || (b == bodies && count > 0)) {
            r->measured += r->ask->measure(r->ask->user, 0, pairs, count, distances);
            for (uint32_t i = 0; i < count; ++i) {
                take(&r->v->sites, &r->best[places[pairs[i].own].body], distances[i], pairs[i].own,
                     pairs[i].other);
                take(&r->v->sites, &r->best[places[pairs[i].other].body], distances[i],
                     pairs[i].other, pairs[i].own);
            }
            count = 0;
        }
    }
}

static void measure_batch(bodies_run* r, uint32_t worker, const abut__near* pairs, uint32_t count,
                          abut__voronoi_best* best) {
    double distances[16];
    r->measured += r->ask->measure(r->ask->user, worker, pairs, count, distances);
    for (uint32_t k = 0; k < count; ++k) {
        take(&r->v->sites, best, distances[k], pairs[k].own, pairs[k].other);
    }
}

// Measures pairs, the nearest first, in batches of one, two, four, up to sixteen, until the rest
// cannot be nearer: mostly the first one is nearest. Once a pair touches, only pairs that precede
// it can change the result.
static void measure_found(bodies_run* r, uint32_t worker, abut__voronoi_best* best) {
    const abut__sites* sites = &r->v->sites;
    const abut__near* found = r->v->workers[worker].found.data;
    const size_t count = r->v->workers[worker].found.count;
    abut__near pairs[16];
    uint32_t some = 0;
    uint32_t most = 1;
    for (size_t i = 0; i < count; ++i) {
        if (found[i].gap > abut__cells_above(sites, best->distance)) {
            break;
        }
        if (best->distance > 0 || abut__pair_before(sites, found[i].own, found[i].other, best)) {
            pairs[some++] = found[i];
        }
        if (some == most) {
            measure_batch(r, worker, pairs, some, best);
            most = most < 16 ? 2 * most : 16;
            some = 0;
        }
    }
    if (some > 0) {
        measure_batch(r, worker, pairs, some, best);
    }
}

static void search_body(void* argument, uint32_t index, uint32_t worker) {
    bodies_run* r = argument;
    abut__voronoi* v = r->v;
    abut__voronoi_worker* w = &v->workers[worker];
    abut__voronoi_best* best = &r->best[index];
    const abut__site_body* body = &v->sites.bodies.data[index];
    const float* below = v->below.data;
    const abut__near_ask ask = {.meet = r->ask->meet, .shrink = !r->ask->filtered};
    const float* first = v->intervals.reach.data;
    float reach = abut__cells_above(&v->sites, best->distance);
    reach = first[index] < reach && !r->ask->filtered ? first[index] : reach;
    w->found.count = 0;
    uint64_t kept = 0;
    for (uint32_t t = body->first; t < body->first + body->count && !w->failed; ++t) {
        if (below[t] <= reach) {
            reach = abut__near_find(r->context, v, w, &ask, t, reach);
            ++kept;
        }
    }
    r->kept += kept;
    r->candidates += w->found.count;
    if (!w->failed && abut__near_sort(r->context, w, 0)) {
        measure_found(r, worker, best);
    }
}

bool abut__voronoi_bodies(const abut_context* context, abut__voronoi* v,
                          const abut__voronoi_ask* ask, abut__voronoi_best* best) {
    if (abut__site_count(&v->sites) == 0) {
        return true;
    }
    if (!abut__voronoi_prepare(context, v, ask, ABUT__VORONOI_SAMPLED, 0)) {
        return false;
    }
    bodies_run r = {.context = context, .v = v, .ask = ask, .best = best};
    measure_named(&r);
    abut__run_tasks(context, (uint32_t)v->sites.bodies.count, search_body, &r);
    v->counts.kept = r.kept;
    v->counts.candidates = r.candidates;
    v->counts.measured = r.measured;
    return abut__voronoi_done(v);
}
