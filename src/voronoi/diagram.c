// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The second-order Voronoi diagram on surfaces, and sets of potential neighbours: see voronoi.h.
#include <math.h>

#include "base/offset.h"
#include "voronoi/grid_gaps.h"
#include "voronoi/prisms.h"
#include "voronoi/voronoi.h"

// With more cells than this, a search goes through bodies instead.
#define CELLS_WORTH 4096u

// With up to so many cells around it, a site is sampled once, even if it has several pieces.
#define CELLS_WHOLE 256u

// Sites are searched for together with up to so many cells around them.
#define CELLS_GROUP 1024u

#define STRIDE (sizeof(abut__site) / sizeof(float))

// ---- potential neighbours of a site

typedef struct finding {
    const abut_context* context;
    const abut__voronoi* v;
    abut__voronoi_worker* worker;
    const abut__near_ask* ask;
    uint32_t own;
    uint32_t body;  // of `own`
    float reach;
    bool divided;  // the search goes piece by piece
} finding;

// Whether a site of the right bodies counts.
static inline bool is_wanted(const finding* f, uint32_t other) {
    const abut__sites* sites = &f->v->sites;
    if (other == f->own || (f->ask->later && other < f->own)) {
        return false;
    }
    if (f->ask->within) {
        return f->ask->neighbours || !abut__sites_adjacent(sites, f->own, other);
    }
    return f->ask->meet(sites->bodies.data[f->body].body,
                        sites->bodies.data[sites->places.data[other].body].body);
}

// Marks a site as the next one of a list of `count`. Returns its place, which is another one if it
// is in the list already.
static uint32_t mark(abut__site_marks* marks, uint32_t site, uint32_t count) {
    if (marks->stamps.data[site] != marks->stamp) {
        marks->stamps.data[site] = marks->stamp;
        marks->at.data[site] = count;
    }
    return marks->at.data[site];
}

// Returns the pair of the own site and another one in the list, which has room for it: a new one, or
// one that was found before by another piece.
static inline abut__near* enter(finding* f, uint32_t other) {
    abut__voronoi_worker* w = f->worker;
    if (f->divided) {
        const uint32_t at = mark(&w->entered, other, (uint32_t)w->found.count);
        if (at < w->found.count) {
            return &w->found.data[at];
        }
    }
    abut__near* near = &w->found.data[w->found.count++];
    *near = (abut__near){INFINITY, INFINITY, f->own, other};
    return near;
}

// Whether a pair beyond the own reach is within that of the other site, which shares it.
static inline bool is_wanted_there(const finding* f, uint32_t other, float gap) {
    const abut__near_sharing* sharing = f->ask->sharing;
    return abut__near_shared(sharing, f->own, other) &&
           gap <= sharing->reach[other - sharing->first];
}

// Enters sites near a box: `hits`, each once, with the squares of their gaps.
static void take_hits(finding* f, const float lo[3], const float hi[3], uint32_t count) {
    abut__voronoi_worker* w = f->worker;
    uint32_t* others = w->hits.data;
    float* gaps = w->gaps.data;
    float* samples = gaps + w->gaps.count / 3;
    float* below = samples + w->gaps.count / 3;
    const float pad = 2 * f->v->sites.pad;
    const bool sampled = f->ask->sampled && count > 0;
    if (!abut__reserve(f->context, &w->found, w->found.count + count)) {
        w->failed = true;
        return;
    }
    if (sampled) {
        const float middle[3] = {0.5f * (lo[0] + hi[0]), 0.5f * (lo[1] + hi[1]),
                                 0.5f * (lo[2] + hi[2])};
        f->context->kernels->sample_distances(middle, f->own, f->v->sites.sites.data[0].corner[0],
                                              STRIDE, others, count, samples, below);
    }
    for (uint32_t i = 0; i < count; ++i) {
        float gap = sqrtf(gaps[i]) * (1 - 0x1p-20f);
        gap = (sampled && below[i] > gap ? below[i] : gap) - pad;
        if (gap > f->reach && !is_wanted_there(f, others[i], gap)) {
            continue;
        }
        abut__near* near = enter(f, others[i]);
        near->gap = gap < near->gap ? gap : near->gap;
        near->above = sampled && samples[i] < near->above ? samples[i] : near->above;
    }
}

// The greatest square of a gap within reach.
static inline float limit_of(const abut__voronoi* v, float reach) {
    const float wide = reach + 4 * v->sites.pad;
    return wide * wide * (1 + 0x1p-18f);
}

// Whether a pair has been found by its other site. Gaps of boxes of two sites have the same bits from
// either side.
static inline bool is_found_before(const finding* f, uint32_t other, float gap_sq) {
    const abut__near_sharing* sharing = f->ask->sharing;
    return sharing != NULL && other < f->own && other >= sharing->first &&
           sharing->grouped[other - sharing->first] &&
           gap_sq <= limit_of(f->v, sharing->reach[other - sharing->first]);
}

// The search for boxes near a box in a range of cells.
static abut__box_search search_of(const abut__voronoi* v, const abut__near_ask* ask, uint32_t body,
                                  const float lo[3], const float hi[3],
                                  const abut__cell_range* range, float reach) {
    const float wide = reach + 4 * v->sites.pad;
    abut__box_search search = {
        .limit_sq = wide * wide * (1 + 0x1p-18f), .body = (int32_t)body, .same = ask->within};
    memcpy(search.box, lo, 3 * sizeof *lo);
    memcpy(search.box + 3, hi, 3 * sizeof *hi);
    memcpy(search.lo, range->lo, sizeof search.lo);
    memcpy(search.hi, range->hi, sizeof search.hi);
    return search;
}

// Finds the boxes near a box through the cells around it, or in the group.
static void search_cells(finding* f, const float lo[3], const float hi[3],
                         const abut__cell_range* range) {
    abut__voronoi_worker* w = f->worker;
    const bool grouped = w->group.valid;
    const abut__cell_range all = {{0, 0, 0}, {0, 0, 0}};
    const abut__box_search search = search_of(f->v, f->ask, f->body, lo, hi, grouped ? &all : range,
                                              f->reach);
    const abut__boxes_seen seen = f->context->kernels->near_boxes(
        grouped ? &w->group.bins : &f->v->grid.bins, &search, w->hits.data, w->gaps.data);
    const uint32_t* site_of = grouped ? w->group.site_of.data : f->v->grid.site_of.data;
    const bool split = f->v->grid.split && !grouped;
    uint32_t count = 0;
    w->boxes_tested += seen.tested;
    ++w->seen.stamp;
    for (uint32_t i = 0; i < seen.count; ++i) {
        const uint32_t other = site_of[w->hits.data[i]];
        const float gap = w->gaps.data[i];
        if ((grouped && is_found_before(f, other, gap)) || !is_wanted(f, other)) {
            continue;
        }
        const uint32_t at = split ? mark(&w->seen, other, count) : count;
        w->gaps.data[at] = at < count && w->gaps.data[at] < gap ? w->gaps.data[at] : gap;
        w->hits.data[at] = other;
        count += at == count;
    }
    take_hits(f, lo, hi, count);
}

// Finds the sites of a body near the own one, run by run.
static float search_body(void* user, uint32_t body, float gap, float reach) {
    finding* f = user;
    const abut__sites* sites = &f->v->sites;
    const abut__site* own = &sites->sites.data[f->own];
    const abut__site_body* b = &sites->bodies.data[body];
    const abut__site_run* runs = sites->runs.data + b->first_run;
    const float wide = f->reach + 4 * sites->pad;
    abut__voronoi_worker* w = f->worker;
    uint32_t count = 0;
    (void)gap;
    (void)reach;
    for (uint32_t first = 0, r = 0; first < b->count && (body == f->body) == f->ask->within;
         first += ABUT__SITE_RUN, ++r) {
        const uint32_t end = b->count - first < ABUT__SITE_RUN ? b->count : first + ABUT__SITE_RUN;
        const bool near = abut__box_gap(own->lo, own->hi, runs[r].lo, runs[r].hi) <= wide;
        ++w->boxes_tested;
        for (uint32_t t = b->first + first; near && t < b->first + end; ++t) {
            const abut__site* other = &sites->sites.data[t];
            const float apart = abut__box_gap(own->lo, own->hi, other->lo, other->hi);
            ++w->boxes_tested;
            if (apart <= wide && is_wanted(f, t)) {
                w->gaps.data[count] = apart * apart;
                w->hits.data[count++] = t;
            }
        }
    }
    take_hits(f, own->lo, own->hi, count);
    return wide;
}

// Copies the boxes of sites in `hits` to the group, each site once with its own box.
static bool fill_group(const abut_context* context, const abut__voronoi* v, abut__voronoi_worker* w,
                       uint32_t count) {
    abut__near_group* group = &w->group;
    const size_t stride = count + 16;
    float* sides = abut__renew(context, &group->sides, 6 * stride);
    uint32_t* site_of = abut__renew(context, &group->site_of, stride);
    int32_t* body_of = abut__renew(context, &group->body_of, stride);
    if (sides == NULL || site_of == NULL || body_of == NULL) {
        return false;
    }
    uint32_t made = 0;
    ++w->seen.stamp;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t site = v->grid.site_of.data[w->hits.data[i]];
        if (v->grid.split && mark(&w->seen, site, made) < made) {
            continue;
        }
        for (int d = 0; d < 3; ++d) {
            sides[(size_t)d * stride + made] = v->sites.sites.data[site].lo[d];
            sides[(size_t)(d + 3) * stride + made] = v->sites.sites.data[site].hi[d];
        }
        body_of[made] = (int32_t)v->sites.places.data[site].body;
        site_of[made++] = site;
    }
    for (size_t i = 0; i < 6 * (stride - made); ++i) {  // read, but not used
        sides[i % 6 * stride + made + i / 6] = 0;
        body_of[made + i / 6] = 0;
    }
    group->first[0] = 0;
    group->first[1] = made;
    group->bins = (abut__bins){.body = body_of, .first = group->first, .size = {1, 1, 1}};
    for (int i = 0; i < 6; ++i) {
        group->bins.side[i] = sides + (size_t)i * stride;
    }
    return true;
}

void abut__near_gather(const abut_context* context, const abut__voronoi* v,
                       abut__voronoi_worker* worker, const abut__near_ask* ask, uint32_t first,
                       uint32_t count, float reach) {
    float lo[3] = {INFINITY, INFINITY, INFINITY};
    float hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t t = first; t < first + count; ++t) {
        const abut__site* site = &v->sites.sites.data[t];
        for (int d = 0; d < 3; ++d) {
            lo[d] = site->lo[d] < lo[d] ? site->lo[d] : lo[d];
            hi[d] = site->hi[d] > hi[d] ? site->hi[d] : hi[d];
        }
    }
    uint64_t cells = 0;
    const abut__cell_range range = abut__cells_near(&v->grid, lo, hi, reach + 4 * v->sites.pad,
                                                    &cells);
    worker->group.valid = cells <= CELLS_GROUP;
    if (worker->group.valid) {
        const abut__box_search search = search_of(v, ask, v->sites.places.data[first].body, lo, hi,
                                                  &range, reach);
        const abut__boxes_seen seen = context->kernels->near_boxes(
            &v->grid.bins, &search, worker->hits.data, worker->gaps.data);
        worker->boxes_tested += seen.tested;
        worker->group.valid = fill_group(context, v, worker, seen.count);
    }
}

void abut__near_find(const abut_context* context, const abut__voronoi* v,
                     abut__voronoi_worker* worker, const abut__near_ask* ask, uint32_t site,
                     float reach) {
    finding f = {.context = context,
                 .v = v,
                 .worker = worker,
                 .ask = ask,
                 .own = site,
                 .body = v->sites.places.data[site].body,
                 .reach = reach};
    const abut__site* own = &v->sites.sites.data[site];
    const float wide = reach + 4 * v->sites.pad;
    const uint32_t* first = v->grid.site_first.data + site;
    uint64_t cells = 0;
    abut__cell_range range;
    if (worker->group.valid) {
        search_cells(&f, own->lo, own->hi, NULL);
        return;
    }
    range = abut__cells_near(&v->grid, own->lo, own->hi, wide, &cells);
    if (cells > CELLS_WORTH && ask->within) {
        search_body(&f, f.body, 0, reach);
    } else if (cells > CELLS_WORTH) {
        abut__intervals_near(&v->sites, &v->intervals, own->lo, own->hi, wide, search_body, &f);
    } else if (cells <= CELLS_WHOLE || first[1] - first[0] == 1) {
        search_cells(&f, own->lo, own->hi, &range);
    } else {
        f.divided = true;
        ++worker->entered.stamp;
        for (uint32_t i = first[0]; i < first[1] && !worker->failed; ++i) {
            const abut__piece* piece = &v->grid.pieces.data[i];
            range = abut__cells_near(&v->grid, piece->lo, piece->hi, wide, &cells);
            search_cells(&f, piece->lo, piece->hi, &range);
        }
    }
}

// ---- lists of pairs

size_t abut__near_label(const abut__voronoi_worker* worker, size_t first, size_t end) {
    const abut__near* found = worker->found.data;
    size_t label = first;
    for (size_t i = first + 1; i < end; ++i) {
        label = found[i].above < found[label].above ? i : label;
    }
    return label;
}

void abut__near_bound(const abut_context* context, const abut__voronoi* v, abut__near* pairs,
                      size_t count, float reach) {
    const abut__sites* sites = &v->sites;
    for (size_t i = 0; i < count && sites->starts.count > 0; ++i) {
        const float below = abut__prism_bound(sites, pairs[i].own, pairs[i].other, reach);
        pairs[i].gap = below > pairs[i].gap ? below : pairs[i].gap;
        pairs[i].above = INFINITY;
    }
    for (size_t first = 0; first < count && sites->starts.count == 0; first += 64) {
        const uint32_t some = (uint32_t)(count - first < 64 ? count - first : 64);
        uint32_t ids[64][2];
        float below[64];
        float above[64];
        for (uint32_t i = 0; i < some; ++i) {
            ids[i][0] = pairs[first + i].own;
            ids[i][1] = pairs[first + i].other;
        }
        context->kernels->bound_pairs(sites->sites.data[0].corner[0], STRIDE,
                                      (const uint32_t(*)[2])ids, some, 2 * sites->pad, below,
                                      above);
        for (uint32_t i = 0; i < some; ++i) {
            abut__near* pair = &pairs[first + i];
            pair->gap = below[i] > pair->gap ? below[i] : pair->gap;
            pair->above = above[i];
        }
    }
}

size_t abut__near_keep(abut__voronoi_worker* worker, size_t first, size_t end, float reach,
                       size_t to) {
    abut__near* found = worker->found.data;
    for (size_t i = first; i < end; ++i) {
        found[to] = found[i];
        to += found[i].gap <= reach;
    }
    return to;
}

#define INSERTED 24u  // up to so many are sorted by insertion

bool abut__near_sort(const abut_context* context, abut__voronoi_worker* worker, size_t first,
                     size_t end) {
    const size_t count = end - first;
    abut__near* found = ABUT__AT(worker->found.data, first);
    if (count <= INSERTED) {
        for (size_t i = 1; i < count; ++i) {
            const abut__near pair = found[i];
            size_t at = i;
            for (; at > 0 && pair.gap < found[at - 1].gap; --at) {
                found[at] = found[at - 1];
            }
            found[at] = pair;
        }
        return true;
    }
    abut__keyed* keys = abut__renew(context, &worker->keys, 2 * count);
    abut__near* sorted = abut__renew(context, &worker->sorted, count);
    if (keys == NULL || sorted == NULL) {
        worker->failed = true;
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        keys[i] = (abut__keyed){abut__key_of_double((double)found[i].gap), i};
    }
    abut__sort_keyed(keys, ABUT__AT(keys, count), count);
    for (size_t i = 0; i < count; ++i) {
        sorted[i] = found[keys[i].value];
    }
    memcpy(found, sorted, count * sizeof *found);
    return true;
}

// ---- potential neighbours of a body

typedef struct object_search {
    const abut_context* context;
    const abut__voronoi* v;
    abut__voronoi_worker* worker;
    abut__meet_fn meet;
    uint32_t own;
} object_search;

static float take_object(void* user, uint32_t body, float gap, float reach) {
    object_search* s = user;
    const abut__site_body* bodies = s->v->sites.bodies.data;
    (void)gap;
    if (body != s->own && s->meet(bodies[s->own].body, bodies[body].body)) {
        uint32_t* object = abut__push(s->context, &s->worker->objects, 1);
        if (object == NULL) {
            s->worker->failed = true;
        } else {
            *object = body;
        }
    }
    return reach;
}

bool abut__objects_find(const abut_context* context, const abut__voronoi* v,
                        abut__voronoi_worker* worker, abut__meet_fn meet, uint32_t body,
                        float reach) {
    const abut__site_body* own = &v->sites.bodies.data[body];
    object_search s = {context, v, worker, meet, body};
    worker->objects.count = 0;
    abut__intervals_near(&v->sites, &v->intervals, own->lo, own->hi, reach + 4 * v->sites.pad,
                         take_object, &s);
    return !worker->failed;
}

bool abut__objects_near(const abut__voronoi* v, const abut__voronoi_worker* worker, uint32_t site,
                        float reach) {
    const abut__site* own = &v->sites.sites.data[site];
    const float wide = reach + 4 * v->sites.pad;
    for (size_t i = 0; i < worker->objects.count; ++i) {
        const abut__site_body* other = &v->sites.bodies.data[worker->objects.data[i]];
        if (abut__box_gap(own->lo, own->hi, other->lo, other->hi) <= wide) {
            return true;
        }
    }
    return false;
}
