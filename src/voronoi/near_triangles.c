// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds for every triangle its nearest one, of other bodies or within its own. Within a body the
// ring of triangles beyond its neighbours gives the first upper bound; between bodies the search
// begins with a cell, and widens until it finds something. The diagram names the nearest triangle
// from its samples, which lowers the bound. What remains of the potential neighbours is bounded and
// measured in rounds, the next pair of each triangle, and only for that triangle: the bounds leave
// little more than one pair each, too few to be worth sharing.
#include <math.h>

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
    atomic_ullong pairs;
    atomic_ullong candidates;
    atomic_ullong measured;
} triangles_run;

// The triangles of a chunk that are still searched for, and their places in the worker's list.
typedef struct chunk_state {
    uint32_t count;
    uint32_t site[CHUNK];
    float reach[CHUNK];  // of the search
    float bound[CHUNK];  // upper bound that it found, at most that
    size_t next[CHUNK];
    size_t end[CHUNK];
} chunk_state;

// Returns the greatest reach that makes sense.
static float end_of(const triangles_run* r, uint32_t site) {
    const uint32_t* size = r->v->sites.size;
    const float most = abut__cells_above(&r->v->sites, r->best[site].distance);
    const float far = 2 * (float)(size[0] + size[1] + size[2]);
    return most < far ? most : far;
}

static float first_reach(const triangles_run* r, abut__voronoi_worker* w, uint32_t site) {
    const float end = end_of(r, site);
    float reach = INFINITY;
    if (r->within && !r->ask->filtered) {
        reach = abut__reach_of(&r->v->sites, abut__ring_above(r->context, r->v, w, site));
    }
    reach = reach < INFINITY ? reach : 1;
    return reach < end ? reach : end;
}

// Gathers what is near the next triangles of a chunk, if they are consecutive and of one body.
static void gather_group(const triangles_run* r, abut__voronoi_worker* w, const chunk_state* c,
                         uint32_t k, const abut__near_ask* ask) {
    const abut__site_place* places = r->v->sites.places.data;
    const uint32_t left = c->count - k;
    const uint32_t count = left < ABUT__NEAR_GROUP ? left : ABUT__NEAR_GROUP;
    bool together = true;
    float reach = 0;
    for (uint32_t i = k; i < k + count; ++i) {
        reach = c->reach[i] > reach ? c->reach[i] : reach;
        together = together && c->site[i] == c->site[k] + (i - k) &&
                   places[c->site[i]].body == places[c->site[k]].body;
    }
    w->group.valid = false;
    if (together) {
        abut__near_gather(r->context, r->v, w, ask, c->site[k], count, reach);
    }
}

// Finds the potential neighbours of each triangle of a chunk, and lowers their bounds by the labels
// of the diagram.
static void find_pairs(const triangles_run* r, abut__voronoi_worker* w, chunk_state* c) {
    const abut__near_ask ask = {.meet = r->ask->meet, .within = r->within, .sampled = true};
    abut__near labels[CHUNK];
    uint32_t of[CHUNK];
    uint32_t count = 0;
    w->found.count = 0;
    for (uint32_t k = 0; k < c->count && !w->failed; ++k) {
        if (k % ABUT__NEAR_GROUP == 0) {
            gather_group(r, w, c, k, &ask);
        }
        c->next[k] = w->found.count;
        c->bound[k] = c->reach[k];
        abut__near_find(r->context, r->v, w, &ask, c->site[k], c->reach[k]);
        c->end[k] = w->found.count;
        if (c->end[k] > c->next[k] && !r->ask->filtered) {
            labels[count] = w->found.data[abut__near_label(w, c->next[k], c->end[k])];
            of[count++] = k;
        }
    }
    w->group.valid = false;
    abut__near_bound(r->context, r->v, labels, count, INFINITY);
    for (uint32_t i = 0; i < count; ++i) {
        const float bound = abut__reach_of(&r->v->sites, labels[i].above);
        c->bound[of[i]] = bound < c->bound[of[i]] ? bound : c->bound[of[i]];
    }
}

// Keeps the pairs within the bounds.
static void keep_pairs(abut__voronoi_worker* w, chunk_state* c) {
    size_t to = 0;
    for (uint32_t k = 0; k < c->count; ++k) {
        const size_t first = to;
        to = abut__near_keep(w, c->next[k], c->end[k], c->bound[k], to);
        c->next[k] = first;
        c->end[k] = to;
    }
    w->found.count = to;
}

// Finds the pairs of each triangle of a chunk that may be nearest, by lower bounds.
static bool find_chunk(triangles_run* r, abut__voronoi_worker* w, chunk_state* c) {
    find_pairs(r, w, c);
    if (w->failed) {
        return false;
    }
    keep_pairs(w, c);
    r->pairs += w->found.count;
    abut__near_bound(r->context, r->v, w->found.data, w->found.count, INFINITY);
    for (uint32_t k = 0; k < c->count && !r->ask->filtered; ++k) {
        for (size_t i = c->next[k]; i < c->end[k]; ++i) {
            const float bound = abut__reach_of(&r->v->sites, w->found.data[i].above);
            c->bound[k] = bound < c->bound[k] ? bound : c->bound[k];
        }
    }
    keep_pairs(w, c);
    r->candidates += w->found.count;
    bool done = true;
    for (uint32_t k = 0; k < c->count && done; ++k) {
        done = abut__near_sort(r->context, w, c->next[k], c->end[k]);
    }
    return done;
}

// Finds the next pair of a triangle that may change the result. Once a pair touches, only pairs
// that precede it can.
static bool next_pair(const triangles_run* r, const abut__near* found, chunk_state* c, uint32_t k,
                      abut__near* pair) {
    const abut__voronoi_best* best = &r->best[c->site[k]];
    const float reach = abut__cells_above(&r->v->sites, best->distance);
    while (c->next[k] < c->end[k] && found[c->next[k]].gap <= reach) {
        *pair = found[c->next[k]++];
        if (abut__best_allows(&r->v->sites, best, pair)) {
            return true;
        }
    }
    c->next[k] = c->end[k];
    return false;
}

static void measure_batch(triangles_run* r, uint32_t worker, const abut__near* pairs,
                          uint32_t count) {
    abut__measured measured[16];
    r->measured += r->ask->measure(r->ask->user, worker, pairs, count, measured);
    for (uint32_t i = 0; i < count; ++i) {
        abut__best_take(&r->v->sites, &r->best[pairs[i].own], &pairs[i], &measured[i]);
    }
}

static void measure_chunk(triangles_run* r, uint32_t worker, chunk_state* c) {
    const abut__near* found = r->v->workers[worker].found.data;
    for (bool any = true; any;) {
        abut__near pairs[16];
        uint32_t count = 0;
        any = false;
        for (uint32_t k = 0; k < c->count; ++k) {
            if (next_pair(r, found, c, k, &pairs[count])) {
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

// Keeps the triangles whose answer may be beyond the reach of their search, and widens it.
static void widen(const triangles_run* r, chunk_state* c) {
    uint32_t left = 0;
    for (uint32_t k = 0; k < c->count; ++k) {
        const uint32_t site = c->site[k];
        const float end = end_of(r, site);  // with an answer, that is as far as it matters
        if (c->reach[k] < end) {
            const float wide = 4 * c->reach[k] + 1;
            c->site[left] = site;
            c->reach[left++] = wide < end ? wide : end;
        }
    }
    c->count = left;
}

static void search_chunk(void* argument, uint32_t index, uint32_t worker) {
    triangles_run* r = argument;
    abut__voronoi_worker* w = &r->v->workers[worker];
    const uint32_t first = r->first + index * CHUNK;
    chunk_state c;
    c.count = r->end - first < CHUNK ? r->end - first : CHUNK;
    for (uint32_t k = 0; k < c.count; ++k) {
        c.site[k] = first + k;
        c.reach[k] = first_reach(r, w, first + k);
    }
    while (c.count > 0 && find_chunk(r, w, &c)) {
        measure_chunk(r, worker, &c);
        widen(r, &c);
    }
}

bool abut__voronoi_triangles(const abut_context* context, abut__voronoi* v,
                             const abut__voronoi_ask* ask, bool within, abut__voronoi_best* best) {
    const uint32_t sites = abut__site_count(&v->sites);
    if (sites == 0) {
        return true;
    }
    if (!abut__voronoi_prepare(context, v, ask, false) ||
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
    v->counts.pairs = r.pairs;
    v->counts.candidates = r.candidates;
    v->counts.measured = r.measured;
    return abut__voronoi_done(v);
}
