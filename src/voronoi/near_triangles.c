// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds for every triangle its nearest one, of other bodies or within its own. Between bodies the
// Voronoi diagram bounds the search. Within a body, where a triangle's neighbours are nearest but
// do not count, the ring beyond them does. Pairs are measured in rounds, the next one of each
// triangle, and only for that triangle: the bounds leave little more than one pair each, too few to
// be worth sharing.
#include "voronoi/grid_gaps.h"
#include "voronoi/voronoi.h"

#define CHUNK 64u  // triangles per task, measured in rounds

typedef struct triangles_run {
    const abut_context* context;
    abut__voronoi* v;
    const abut__voronoi_ask* ask;
    bool within;
    uint32_t first;  // sites that are queried
    uint32_t end;
    abut__voronoi_best* best;
    atomic_ullong candidates;
    atomic_ullong measured;
} triangles_run;

// The place of each triangle of a chunk in the worker's list.
typedef struct chunk_state {
    uint32_t first;
    uint32_t count;
    size_t next[CHUNK];
    size_t end[CHUNK];
} chunk_state;

// Returns an upper bound of the distance to the nearest triangle, in cells.
static float first_reach(const triangles_run* r, uint32_t site) {
    const abut__voronoi* v = r->v;
    if (r->ask->filtered) {
        return INFINITY;
    }
    if (r->within) {
        return abut__ring_above(v, site);
    }
    const uint32_t* first = v->grid.site_first.data;
    const uint32_t* cells = v->grid.of_site.data;
    const abut__site_place* places = v->sites.places.data;
    const abut__site* sites = v->sites.sites.data;
    const abut__site_body* bodies = v->sites.bodies.data;
    const uint32_t body = places[site].body;
    float least = INFINITY;
    for (uint32_t i = first[site]; i < first[site + 1]; ++i) {
        const abut__label label = abut__field_other(&v->field, cells[i], body);
        if (label.site >= 0 && r->ask->meet(bodies[body].body, bodies[label.body].body)) {
            const float above =
                abut__site_bound(&v->sites, &sites[site], &sites[label.site], 0, INFINITY).above;
            least = above < least ? above : least;
        }
    }
    // Beyond the band: through the nearest pair of the body in the diagram.
    const abut__near* named = v->named.data + body;
    if (least == INFINITY && named->other != ABUT__NONE &&
        r->ask->meet(bodies[body].body, bodies[places[named->other].body].body)) {
        least = abut__site_bound(&v->sites, &sites[site], &sites[named->other], 0, INFINITY).above;
    }
    return least;
}

// Finds the triangles within reach of each triangle of a chunk, nearest first.
static bool find_chunk(triangles_run* r, uint32_t worker, chunk_state* c) {
    abut__voronoi_worker* w = &r->v->workers[worker];
    const abut__near_ask ask = {
        .meet = r->ask->meet, .within = r->within, .shrink = !r->ask->filtered};
    w->found.count = 0;
    for (uint32_t k = 0; k < c->count; ++k) {
        const uint32_t site = c->first + k;
        const size_t before = w->found.count;
        const float within = abut__cells_above(&r->v->sites, r->best[site].distance);
        const float reach = first_reach(r, site);
        abut__near_find(r->context, r->v, w, &ask, site, reach < within ? reach : within);
        if (w->failed || !abut__near_sort(r->context, w, before)) {
            return false;
        }
        c->next[k] = before;
        c->end[k] = w->found.count;
    }
    r->candidates += w->found.count;
    return true;
}

// Finds the next pair of a triangle that may change the result. Once a pair touches, only pairs
// that precede it can.
static bool next_pair(const triangles_run* r, const abut__near* found, chunk_state* c, uint32_t k,
                      abut__near* pair) {
    const abut__voronoi_best* best = &r->best[c->first + k];
    while (c->next[k] < c->end[k] &&
           found[c->next[k]].gap <= abut__cells_above(&r->v->sites, best->distance)) {
        *pair = found[c->next[k]++];
        if (best->distance > 0 || abut__pair_before(&r->v->sites, pair->own, pair->other, best)) {
            return true;
        }
    }
    c->next[k] = c->end[k];
    return false;
}

static void take(const abut__sites* sites, abut__voronoi_best* best, double distance, uint32_t own,
                 uint32_t other) {
    if (distance < best->distance || (distance == best->distance && distance < INFINITY &&
                                      abut__pair_before(sites, own, other, best))) {
        *best = (abut__voronoi_best){distance, own, other};
    }
}

static void measure_batch(triangles_run* r, uint32_t worker, const abut__near* pairs,
                          uint32_t count) {
    double distances[16];
    r->measured += r->ask->measure(r->ask->user, worker, pairs, count, distances);
    for (uint32_t i = 0; i < count; ++i) {
        take(&r->v->sites, &r->best[pairs[i].own], distances[i], pairs[i].own, pairs[i].other);
    }
}

static void search_chunk(void* argument, uint32_t index, uint32_t worker) {
    triangles_run* r = argument;
    chunk_state c = {.first = r->first + index * CHUNK};
    c.count = r->end - c.first < CHUNK ? r->end - c.first : CHUNK;
    if (!find_chunk(r, worker, &c)) {
        return;
    }
    const abut__near* found = r->v->workers[worker].found.data;
    for (bool any = true; any;) {
        abut__near pairs[16];
        uint32_t count = 0;
        any = false;
        for (uint32_t k = 0; k < c.count; ++k) {
            if (next_pair(r, found, &c, k, &pairs[count])) {
                any = true;
                if (++count == 16) {
                    measure_batch(r, worker, pairs, count);
                    count = 0;
                }
            }
        }
        if (count > 0) {
            measure_batch(r, worker, pairs, count);
        }
    }
}

bool abut__voronoi_triangles(const abut_context* context, abut__voronoi* v,
                             const abut__voronoi_ask* ask, bool within, abut__voronoi_best* best) {
    const uint32_t sites = abut__site_count(&v->sites);
    if (sites == 0) {
        return true;
    }
    if (!abut__voronoi_prepare(context, v, ask, within ? ABUT__VORONOI_GRID : ABUT__VORONOI_SAMPLED,
                               0) ||
        (within && !abut__rings_make(context, v))) {
        return false;
    }
    triangles_run r = {.context = context, .v = v, .ask = ask, .within = within, .best = best};
    r.end = sites;
    if (ask->only != ABUT__NONE) {
        const abut__site_body* body = &v->sites.bodies.data[ask->only];
        r.first = body->first;
        r.end = body->first + body->count;
    }
    abut__run_tasks(context, (r.end - r.first + CHUNK - 1) / CHUNK, search_chunk, &r);
    v->counts.kept = r.end - r.first;
    v->counts.candidates = r.candidates;
    v->counts.measured = r.measured;
    return abut__voronoi_done(v);
}
