// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds for every triangle its nearest one, of other bodies or within its own. Within a body the
// ring of triangles beyond its neighbours gives the first upper bound; between bodies the search
// begins with a cell, and widens until it finds something. The diagram names the nearest triangle
// from its samples, which lowers the bound. What remains of the potential neighbours is bounded and
// measured, the nearest first. Triangles of a chunk share the pairs between them within a body.
#include <math.h>

#include "voronoi/voronoi.h"

#define CHUNK ABUT__NEAR_SHARING  // triangles per task

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

// The triangles of a chunk. All arrays go by triangle, from the first on.
typedef struct chunk_state {
    abut__near_sharing sharing;  // with the reach of each search
    bool shares;                 // pairs count for both triangles
    uint32_t left;               // triangles that are still searched for
    uint32_t list[CHUNK];
    float bound[CHUNK];       // upper bound that the search found, at most its reach
    abut__near label[CHUNK];  // of the diagram; other == ABUT__NONE: none
} chunk_state;

// Returns the greatest reach that makes sense.
static float end_of(const triangles_run* r, uint32_t site) {
    const uint32_t* size = r->v->sites.size;
    const float most = abut__cells_above(&r->v->sites, r->best[site].distance);
    const float far = 2 * (float)(size[0] + size[1] + size[2]);
    return most < far ? most : far;
}

// Sets the reach of the first search of each triangle of a chunk.
static void aim_chunk(const triangles_run* r, abut__voronoi_worker* w, chunk_state* c) {
    const bool rings = r->within && !r->ask->filtered;
    float* reach = c->sharing.reach;
    if (rings) {
        abut__rings_above(r->context, r->v, w, c->sharing.first, c->sharing.count, reach);
    }
    for (uint32_t t = 0; t < c->sharing.count; ++t) {
        const float end = end_of(r, c->sharing.first + t);
        const float above = rings ? abut__reach_of(&r->v->sites, reach[t]) : INFINITY;
        reach[t] = above < INFINITY ? above : 1;
        reach[t] = reach[t] < end ? reach[t] : end;
    }
}

// Gathers what is near the next triangles of the list, if they are consecutive and of one body.
static void gather_group(const triangles_run* r, abut__voronoi_worker* w, const chunk_state* c,
                         uint32_t k, const abut__near_ask* ask) {
    const abut__site_place* places = r->v->sites.places.data + c->sharing.first;
    const uint32_t count = c->left - k < ABUT__NEAR_GROUP ? c->left - k : ABUT__NEAR_GROUP;
    bool together = true;
    float reach = 0;
    for (uint32_t i = k; i < k + count; ++i) {
        const uint32_t t = c->list[i];
        reach = c->sharing.reach[t] > reach ? c->sharing.reach[t] : reach;
        together = together && t == c->list[k] + (i - k) &&
                   places[t].body == places[c->list[k]].body;
    }
    w->group.valid = false;
    if (together) {
        abut__near_gather(r->context, r->v, w, ask, c->sharing.first + c->list[k], count, reach);
    }
}

// The place of a pair's other triangle in the chunk, if the pair counts for it, too; else that of its
// own one.
static uint32_t second_of(const chunk_state* c, const abut__near* pair) {
    return c->shares && abut__near_shared(&c->sharing, pair->own, pair->other)
               ? pair->other - c->sharing.first
               : pair->own - c->sharing.first;
}

static void take_label(chunk_state* c, uint32_t t, const abut__near* pair) {
    if (c->label[t].other == ABUT__NONE || pair->above < c->label[t].above) {
        c->label[t] = *pair;
    }
}

static void lower_bound(const triangles_run* r, chunk_state* c, uint32_t t, float above) {
    const float bound = abut__reach_of(&r->v->sites, above);
    c->bound[t] = bound < c->bound[t] ? bound : c->bound[t];
}

// Lowers the bounds by the labels of the diagram.
static void use_labels(const triangles_run* r, chunk_state* c) {
    abut__near labels[CHUNK];
    uint32_t of[CHUNK];
    uint32_t count = 0;
    for (uint32_t k = 0; k < c->left; ++k) {
        const uint32_t t = c->list[k];
        if (c->label[t].other != ABUT__NONE) {
            labels[count] = c->label[t];
            of[count++] = t;
        }
    }
    abut__near_bound(r->context, r->v, labels, count, INFINITY);
    for (uint32_t i = 0; i < count; ++i) {
        lower_bound(r, c, of[i], labels[i].above);
    }
}

// Finds the potential neighbours of each triangle of the list, and lowers their bounds by the labels
// of the diagram.
static void find_pairs(const triangles_run* r, abut__voronoi_worker* w, chunk_state* c) {
    const abut__near_ask ask = {.meet = r->ask->meet,
                                .within = r->within,
                                .sampled = true,
                                .sharing = c->shares ? &c->sharing : NULL};
    const bool in_line = r->v->line.used && c->shares;
    w->found.count = 0;
    if (in_line) {
        abut__line_aim(r->v, c->sharing.reach);
    }
    for (uint32_t k = 0; k < c->left && !w->failed; ++k) {
        const uint32_t t = c->list[k];
        if (k % ABUT__NEAR_GROUP == 0 && !in_line) {
            gather_group(r, w, c, k, &ask);
        }
        c->bound[t] = c->sharing.reach[t];
        c->label[t].other = ABUT__NONE;
        c->sharing.grouped[t] = in_line || w->group.valid;
        if (in_line) {
            abut__near_later(r->context, r->v, w, t);
        } else {
            abut__near_find(r->context, r->v, w, &ask, c->sharing.first + t, c->sharing.reach[t]);
        }
    }
    w->group.valid = false;
    if (w->failed) {
        return;  // some triangles have no label yet
    }
    if (in_line) {
        abut__near_sample(r->context, r->v, w, c->sharing.reach);
    }
    for (size_t i = 0; i < w->found.count && !r->ask->filtered; ++i) {
        take_label(c, w->found.data[i].own - c->sharing.first, &w->found.data[i]);
        take_label(c, second_of(c, &w->found.data[i]), &w->found.data[i]);
    }
    if (!r->ask->filtered) {
        use_labels(r, c);
    }
}

// Keeps the pairs within the bound of one of their triangles. Returns the number of entries in the
// sets of all triangles: a pair within the bounds of both counts twice.
static uint64_t keep_pairs(abut__voronoi_worker* w, const chunk_state* c) {
    abut__near* found = w->found.data;
    uint64_t entries = 0;
    size_t to = 0;
    for (size_t i = 0; i < w->found.count; ++i) {
        const uint32_t own = found[i].own - c->sharing.first;
        const uint32_t second = second_of(c, &found[i]);
        const uint32_t sets = (uint32_t)(found[i].gap <= c->bound[own]) +
                              (uint32_t)(second != own && found[i].gap <= c->bound[second]);
        found[to] = found[i];
        to += sets > 0;
        entries += sets;
    }
    w->found.count = to;
    return entries;
}

// Finds the pairs of the triangles of the list that may be nearest, by lower bounds.
static bool find_chunk(triangles_run* r, abut__voronoi_worker* w, chunk_state* c) {
    find_pairs(r, w, c);
    if (w->failed) {
        return false;
    }
    r->pairs += keep_pairs(w, c);
    abut__near_bound(r->context, r->v, w->found.data, w->found.count, INFINITY);
    for (size_t i = 0; i < w->found.count && !r->ask->filtered; ++i) {
        lower_bound(r, c, w->found.data[i].own - c->sharing.first, w->found.data[i].above);
        lower_bound(r, c, second_of(c, &w->found.data[i]), w->found.data[i].above);
    }
    keep_pairs(w, c);
    r->candidates += w->found.count;
    // With little more than one pair for each triangle, their order hardly matters.
    return w->found.count <= 2 * (size_t)c->left ||
           abut__near_sort(r->context, w, 0, w->found.count);
}

static abut__near turned(const abut__near* pair) {
    return (abut__near){pair->gap, pair->above, pair->other, pair->own};
}

static void measure_batch(triangles_run* r, uint32_t worker, const chunk_state* c,
                          const abut__near* pairs, uint32_t count) {
    abut__measured measured[16];
    r->measured += r->ask->measure(r->ask->user, worker, pairs, count, measured);
    for (uint32_t i = 0; i < count; ++i) {
        const abut__near back = turned(&pairs[i]);
        abut__best_take(&r->v->sites, &r->best[pairs[i].own], &pairs[i], &measured[i]);
        if (c->shares && abut__near_shared(&c->sharing, pairs[i].own, pairs[i].other)) {
            abut__best_take(&r->v->sites, &r->best[pairs[i].other], &back, &measured[i]);
        }
    }
}

// Measures the pairs that may still change a result, the nearest first. Once a pair touches, only
// pairs that precede it can.
static void measure_chunk(triangles_run* r, uint32_t worker, const chunk_state* c) {
    const abut__sites* sites = &r->v->sites;
    const abut__voronoi_worker* w = &r->v->workers[worker];
    abut__near pairs[16];
    uint32_t count = 0;
    for (size_t i = 0; i < w->found.count; ++i) {
        const abut__near* pair = &w->found.data[i];
        const abut__near back = turned(pair);
        if (abut__best_allows(sites, &r->best[pair->own], pair) ||
            (c->shares && abut__near_shared(&c->sharing, pair->own, pair->other) &&
             abut__best_allows(sites, &r->best[pair->other], &back))) {
            pairs[count++] = *pair;
        }
        if (count == 16) {
            measure_batch(r, worker, c, pairs, count);
            count = 0;
        }
    }
    if (count > 0) {
        measure_batch(r, worker, c, pairs, count);
    }
}

// Keeps the triangles whose answer may be beyond the reach of their search, and widens it. They no
// longer share pairs.
static void widen(const triangles_run* r, chunk_state* c) {
    uint32_t left = 0;
    for (uint32_t k = 0; k < c->left; ++k) {
        const uint32_t t = c->list[k];
        const float end = end_of(r, c->sharing.first + t);  // with an answer, as far as it matters
        if (c->sharing.reach[t] < end) {
            const float wide = 4 * c->sharing.reach[t] + 1;
            c->list[left++] = t;
            c->sharing.reach[t] = wide < end ? wide : end;
        }
    }
    c->left = left;
    c->shares = false;
}

static void search_chunk(void* argument, uint32_t index, uint32_t worker) {
    triangles_run* r = argument;
    abut__voronoi_worker* w = &r->v->workers[worker];
    chunk_state c;
    c.sharing.first = r->first + index * CHUNK;
    c.sharing.count = r->end - c.sharing.first < CHUNK ? r->end - c.sharing.first : CHUNK;
    c.left = c.sharing.count;
    c.shares = r->within && !r->ask->filtered;
    for (uint32_t t = 0; t < c.left; ++t) {
        c.list[t] = t;
    }
    aim_chunk(r, w, &c);
    while (c.left > 0 && find_chunk(r, w, &c)) {
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
    // Within a body all pairs are shared if it is one chunk. Otherwise the grid is faster.
    const bool in_line = within && v->sites.bodies.count == 1 && sites <= CHUNK &&
                         abut__line_fits(v, ask) && !ask->filtered;
    if (!(in_line ? abut__voronoi_prepare_line : abut__voronoi_prepare)(context, v, ask, false) ||
        (in_line && !abut__line_make_corners(context, v)) ||
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
