// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds for every body its nearest other one. Stage I gives an upper bound, and with it the
// potential neighbours of the body. A walk from triangle to nearest triangle lowers it. The diagram
// names for each triangle of the body that is near one of these the nearest triangle; the distances
// of these pairs are upper bounds, too, and the best is measured. What remains of the potential
// neighbours of triangles is bounded, sorted and measured, the nearest first, until the next pair
// cannot be nearer.
#include "voronoi/voronoi.h"

#include <math.h>

#define LABELS 8u  // pairs of the diagram whose distances are bounded: the nearest ones

typedef struct bodies_run {
    const abut_context* context;
    abut__voronoi* v;
    const abut__voronoi_ask* ask;
    abut__voronoi_best* best;
    atomic_ullong objects;
    atomic_ullong kept;
    atomic_ullong pairs;
    atomic_ullong candidates;
    atomic_ullong measured;
} bodies_run;

static void measure_batch(bodies_run* r, uint32_t worker, const abut__near* pairs, uint32_t count,
                          abut__voronoi_best* best) {
    abut__measured measured[16];
    r->measured += r->ask->measure(r->ask->user, worker, pairs, count, measured);
    for (uint32_t k = 0; k < count; ++k) {
        abut__best_take(&r->v->sites, best, &pairs[k], &measured[k]);
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
    for (size_t i = 0; i < count && found[i].gap <= abut__cells_above(sites, best->distance); ++i) {
        if (abut__best_allows(sites, best, &found[i])) {
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

// Returns the bound that the upper bounds of pairs give, if it is below `reach`.
static float lower_reach(const abut__sites* sites, const abut__near* pairs, size_t count,
                         float reach) {
    float least = INFINITY;
    for (size_t i = 0; i < count; ++i) {
        least = pairs[i].above < least ? pairs[i].above : least;
    }
    const float bound = abut__reach_of(sites, least);
    return bound < reach ? bound : reach;
}

// Measures a pair of a body with another one, and lowers the bound by it. The pair may begin with
// either.
static float measure_one(bodies_run* r, uint32_t worker, uint32_t index, const abut__near* pair,
                         float reach) {
    const bool turned = r->v->sites.places.data[pair->own].body != index;
    const abut__near own = {pair->gap, pair->above, turned ? pair->other : pair->own,
                            turned ? pair->own : pair->other};
    measure_batch(r, worker, &own, 1, &r->best[index]);
    const float bound = abut__cells_above(&r->v->sites, r->best[index].distance);
    return bound < reach ? bound : reach;
}

// The labels of the diagram that are nearest to their samples, in ascending order.
typedef struct label_list {
    uint32_t count;
    abut__near labels[LABELS];
} label_list;

static void add_label(label_list* list, const abut__near* label) {
    if (list->count == LABELS && list->labels[LABELS - 1].above <= label->above) {
        return;
    }
    uint32_t at = list->count < LABELS ? list->count++ : LABELS - 1;
    for (; at > 0 && label->above < list->labels[at - 1].above; --at) {
        list->labels[at] = list->labels[at - 1];
    }
    list->labels[at] = *label;
}

#define STEPS 4u  // of a walk

// Finds the potential neighbours of a triangle of a body in other bodies, or of another body's in the
// body.
static void find_step(const bodies_run* r, abut__voronoi_worker* w, uint32_t index, uint32_t at,
                      float reach) {
    const abut__near_ask ask = {.meet = r->ask->meet, .sampled = true};
    if (!r->v->line.used) {
        abut__near_find(r->context, r->v, w, &ask, at, reach);
    } else if (r->v->sites.places.data[at].body == index) {
        abut__near_find_in(r->context, r->v, w, &ask, at, reach, w->objects.data, w->objects.count);
    } else {
        abut__near_find_in(r->context, r->v, w, &ask, at, reach, &index, 1);
    }
}

// Walks from the triangle that stage I names to the nearest one of another body, from there to the
// nearest one of the body, and so on. Returns the bound that this gives.
static float walk(bodies_run* r, uint32_t worker, uint32_t index, float reach) {
    abut__voronoi* v = r->v;
    abut__voronoi_worker* w = &v->workers[worker];
    const abut__site_place* places = v->sites.places.data;
    uint32_t at = v->intervals.named.data[index];
    abut__near best = {.above = INFINITY, .own = ABUT__NONE};
    for (uint32_t step = 0; step < STEPS && !w->failed; ++step) {
        w->found.count = 0;
        label_list list;
        list.count = 0;
        find_step(r, w, index, at, reach);
        for (size_t i = 0; i < w->found.count; ++i) {
            const abut__near* pair = &w->found.data[i];
            if (places[pair->own].body == index || places[pair->other].body == index) {
                add_label(&list, pair);
            }
        }
        abut__near_bound(r->context, v, list.labels, list.count, reach);
        const abut__near* next = &best;
        for (uint32_t i = 0; i < list.count; ++i) {
            next = list.labels[i].above < next->above ? &list.labels[i] : next;
        }
        if (next == &best) {
            break;
        }
        best = *next;
        at = best.other;
        reach = lower_reach(&v->sites, &best, 1, reach);
    }
    return best.own != ABUT__NONE ? measure_one(r, worker, index, &best, reach) : reach;
}

// Bounds the labels and measures the best. Returns the bound that this gives.
static float measure_labels(bodies_run* r, uint32_t worker, uint32_t index, label_list* list,
                            float reach) {
    if (list->count == 0) {
        return reach;
    }
    abut__near_bound(r->context, r->v, list->labels, list->count, reach);
    uint32_t best = 0;
    for (uint32_t i = 1; i < list->count; ++i) {
        best = list->labels[i].above < list->labels[best].above ? i : best;
    }
    reach = lower_reach(&r->v->sites, &list->labels[best], 1, reach);
    return measure_one(r, worker, index, &list->labels[best], reach);
}

// The search of a body, which labels of the diagram narrow on the way.
typedef struct narrowing {
    float reach;
    float tried;    // distance from its sample of the last label that was bounded
    float axis[3];  // see abut__near_gather_line
} narrowing;

// Lowers the reach by a label, if it is likely to be much nearer than what is known.
static void narrow_reach(const bodies_run* r, const abut__near* label, narrowing* n) {
    if (label->above < 0.9f * n->reach && label->above < 0.75f * n->tried) {
        abut__near pair = *label;
        n->tried = label->above;
        abut__near_bound(r->context, r->v, &pair, 1, n->reach);
        n->reach = lower_reach(&r->v->sites, &pair, 1, n->reach);
        abut__near_axis(&r->v->sites, pair.own, pair.other, n->axis);
    }
}

// Gathers what is near some triangles of a body. Returns whether there is a body near them.
static bool gather_near(const bodies_run* r, abut__voronoi_worker* w, const abut__near_ask* ask,
                        const narrowing* n, uint32_t first, uint32_t count) {
    if (!abut__objects_narrow(r->context, r->v, w, first, count, n->reach)) {
        return false;
    }
    if (r->v->line.used) {
        abut__near_gather_line(r->context, r->v, w, n->axis, first, count, n->reach);
    } else {
        abut__near_gather(r->context, r->v, w, ask, first, count, n->reach);
    }
    return true;
}

// Finds the potential neighbours of some triangles of a body. Returns the number of triangles that are
// near another body.
static uint64_t find_group(const bodies_run* r, abut__voronoi_worker* w, narrowing* n,
                           label_list* list, uint32_t first, uint32_t count) {
    const abut__near_ask ask = {.meet = r->ask->meet, .sampled = true};
    uint64_t kept = 0;
    if (!gather_near(r, w, &ask, n, first, count) || abut__near_nothing(w)) {
        return 0;
    }
    for (uint32_t t = first; t < first + count && !w->failed; ++t) {
        const size_t begin = w->found.count;
        if (!abut__objects_near(r->v, w, t, n->reach)) {
            continue;
        }
        abut__near_find(r->context, r->v, w, &ask, t, n->reach);
        ++kept;
        if (w->found.count > begin && !r->ask->filtered) {
            const abut__near* label = &w->found.data[abut__near_label(w, begin, w->found.count)];
            add_label(list, label);
            narrow_reach(r, label, n);
        }
    }
    return kept;
}

// Finds the potential neighbours of the body's triangles, beginning with those at the nearest pair so
// far; returns the bound, which the labels of the diagram lower.
static float find_pairs(bodies_run* r, uint32_t worker, uint32_t index, float reach) {
    abut__voronoi* v = r->v;
    abut__voronoi_worker* w = &v->workers[worker];
    const abut__site_body* body = &v->sites.bodies.data[index];
    const abut__voronoi_best* best = &r->best[index];
    const uint32_t groups = (body->count + ABUT__NEAR_GROUP - 1) / ABUT__NEAR_GROUP;
    narrowing n = {.reach = reach, .tried = INFINITY};
    label_list list;
    list.count = 0;
    uint64_t kept = 0;
    uint32_t group = 0;
    w->found.count = 0;
    if (best->other != ABUT__NONE) {
        abut__near_axis(&v->sites, best->own, best->other, n.axis);
        group = (best->own - body->first) / ABUT__NEAR_GROUP;
    }
    for (uint32_t i = 0; i < groups && !w->failed; ++i) {
        const uint32_t first = group * ABUT__NEAR_GROUP;
        const uint32_t left = body->count - first;
        kept += find_group(r, w, &n, &list, body->first + first,
                           left < ABUT__NEAR_GROUP ? left : ABUT__NEAR_GROUP);
        group = group + 1 < groups ? group + 1 : 0;
    }
    w->group.valid = false;
    r->kept += kept;
    return measure_labels(r, worker, index, &list, n.reach);
}

// Measures what is within reach of a body. Returns whether that decides the answer.
static bool search_within(bodies_run* r, uint32_t worker, uint32_t index, float reach) {
    abut__voronoi* v = r->v;
    abut__voronoi_worker* w = &v->workers[worker];
    abut__voronoi_best* best = &r->best[index];
    if (!abut__objects_find(r->context, v, w, r->ask->meet, index, reach)) {
        return true;
    }
    float bound = r->ask->filtered ? reach : walk(r, worker, index, reach);
    abut__objects_keep(v, w, index, bound);
    bound = find_pairs(r, worker, index, bound);
    w->found.count = abut__near_keep(w, 0, w->found.count, bound, 0);
    r->pairs += w->found.count;
    abut__near_bound(r->context, v, w->found.data, w->found.count, bound);
    bound = r->ask->filtered ? bound : lower_reach(&v->sites, w->found.data, w->found.count, bound);
    w->found.count = abut__near_keep(w, 0, w->found.count, bound, 0);
    r->candidates += w->found.count;
    if (w->failed || !abut__near_sort(r->context, w, 0, w->found.count)) {
        return true;
    }
    measure_found(r, worker, best);
    return best->other != ABUT__NONE && abut__cells_above(&v->sites, best->distance) <= reach;
}

static void search_body(void* argument, uint32_t index, uint32_t worker) {
    bodies_run* r = argument;
    const abut__voronoi* v = r->v;
    const float most = abut__cells_above(&v->sites, r->best[index].distance);
    const float far = 2 * (float)(v->sites.size[0] + v->sites.size[1] + v->sites.size[2]);
    const float end = most < far ? most : far;
    float reach = v->intervals.reach.data[index];
    if (reach == INFINITY) {
        return;  // there is no other body
    }
    reach = abut__reach_of(&v->sites, reach);
    reach = reach < end ? reach : end;
    while (!search_within(r, worker, index, reach) && reach < end) {
        reach = 4 * reach + 1 < end ? 4 * reach + 1 : end;
    }
    abut__voronoi_worker* w = &r->v->workers[worker];
    if (!w->failed && r->best[index].other != ABUT__NONE) {
        abut__objects_keep(v, w, index, abut__cells_above(&v->sites, r->best[index].distance));
        r->objects += w->objects.count;
    }
}

bool abut__voronoi_bodies(const abut_context* context, abut__voronoi* v,
                          const abut__voronoi_ask* ask, abut__voronoi_best* best) {
    if (abut__site_count(&v->sites) == 0) {
        return true;
    }
    if (!(abut__line_fits(v, ask) ? abut__voronoi_prepare_line
                                  : abut__voronoi_prepare)(context, v, ask, true)) {
        return false;
    }
    bodies_run r = {.context = context, .v = v, .ask = ask, .best = best};
    abut__run_tasks(context, (uint32_t)v->sites.bodies.count, search_body, &r);
    v->counts.objects = r.objects;
    v->counts.kept = r.kept;
    v->counts.pairs = r.pairs;
    v->counts.candidates = r.candidates;
    v->counts.measured = r.measured;
    return abut__voronoi_done(v);
}
