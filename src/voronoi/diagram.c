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
_Static_assert(STRIDE == 16, "kernels read 16 numbers of a site");

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

// Whether a pair has been found by its other site. Gaps of boxes of two sites have the same bits from
// either side.
static inline bool is_found_before(const finding* f, uint32_t other, float gap_sq) {
    const abut__near_sharing* sharing = f->ask->sharing;
    return sharing != NULL && other < f->own && other >= sharing->first &&
           sharing->grouped[other - sharing->first] &&
           gap_sq <= abut__gap_limit(f->v, sharing->reach[other - sharing->first]);
}

// The search for boxes near a box in a range of cells.
static abut__box_search search_of(const abut__voronoi* v, const abut__near_ask* ask, uint32_t body,
                                  const float lo[3], const float hi[3],
                                  const abut__cell_range* range, float reach) {
    abut__box_search search = {
        .limit_sq = abut__gap_limit(v, reach), .body = (int32_t)body, .same = ask->within};
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

// Lists the sites of a body near a box in `hits`, from `count` on; returns their end.
static uint32_t search_runs(const abut_context* context, const abut__voronoi* v,
                            abut__voronoi_worker* w, uint32_t body, const float lo[3],
                            const float hi[3], float reach, uint32_t count) {
    const abut__site_body* b = &v->sites.bodies.data[body];
    const float box[6] = {lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]};
    const uint32_t first = b->first_in_line / ABUT__LINE_RUN;
    const uint32_t runs = (b->count + ABUT__LINE_RUN - 1) / ABUT__LINE_RUN;
    uint32_t* hits = ABUT__AT(w->hits.data, count);
    const abut__boxes_seen seen = context->kernels->run_boxes(&v->line.view, first, first + runs,
                                                              box, abut__gap_limit(v, reach), hits,
                                                              ABUT__AT(w->gaps.data, count));
    w->boxes_tested += seen.tested;
    for (uint32_t i = 0; i < seen.count; ++i) {
        hits[i] += b->first - b->first_in_line;
    }
    return count + seen.count;
}

// Finds the sites of a body near the own one in the line.
static float search_line(void* user, uint32_t body, float gap, float reach) {
    finding* f = user;
    const abut__site* own = &f->v->sites.sites.data[f->own];
    abut__voronoi_worker* w = f->worker;
    (void)gap;
    if ((body == f->body) != f->ask->within) {
        return reach;
    }
    const uint32_t count = search_runs(f->context, f->v, w, body, own->lo, own->hi, f->reach, 0);
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (is_wanted(f, w->hits.data[i])) {
            w->hits.data[wanted] = w->hits.data[i];
            w->gaps.data[wanted++] = w->gaps.data[i];
        }
    }
    take_hits(f, own->lo, own->hi, wanted);
    return reach;
}

// Replaces boxes of the grid in `hits` by their sites, each once; returns their number.
static uint32_t name_sites(const abut__voronoi* v, abut__voronoi_worker* w, uint32_t count) {
    uint32_t made = 0;
    ++w->seen.stamp;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t site = v->grid.site_of.data[w->hits.data[i]];
        if (!v->grid.split || mark(&w->seen, site, made) == made) {
            w->hits.data[made++] = site;
        }
    }
    return made;
}

// The extent of a site along an axis.
static inline void extent_along(const abut__site* site, const float axis[3], float* lo, float* hi) {
    float at[3];
    for (int c = 0; c < 3; ++c) {
        at[c] = axis[0] * site->corner[c][0] + axis[1] * site->corner[c][1] +
                axis[2] * site->corner[c][2];
    }
    *lo = at[0] < at[1] ? at[0] : at[1];
    *hi = at[0] > at[1] ? at[0] : at[1];
    *lo = at[2] < *lo ? at[2] : *lo;
    *hi = at[2] > *hi ? at[2] : *hi;
}

void abut__near_axis(const abut__sites* sites, uint32_t a, uint32_t b, float axis[3]) {
    const abut__site* site[2] = {&sites->sites.data[a], &sites->sites.data[b]};
    float most = -INFINITY;
    memset(axis, 0, 3 * sizeof *axis);
    for (int s = 0; s < 2; ++s) {
        const float(*p)[3] = (const float(*)[3])site[s]->corner;
        float n[3];
        float ends[2][2];
        for (int d = 0; d < 3; ++d) {
            const int e = (d + 1) % 3;
            const int f = (d + 2) % 3;
            n[d] = (p[1][e] - p[0][e]) * (p[2][f] - p[0][f]) -
                   (p[1][f] - p[0][f]) * (p[2][e] - p[0][e]);
        }
        const float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int d = 0; d < 3; ++d) {
            n[d] *= length > 0x1p-30f ? (1 - 0x1p-20f) / length : 0;
        }
        extent_along(site[0], n, &ends[0][0], &ends[0][1]);
        extent_along(site[1], n, &ends[1][0], &ends[1][1]);
        const float above = ends[0][0] - ends[1][1];
        const float below = ends[1][0] - ends[0][1];
        const float gap = above > below ? above : below;
        if (gap > most) {
            most = gap;
            memcpy(axis, n, sizeof n);
        }
    }
}

// The greatest distance along an axis within reach. Extents along it are off by less than 2^-22 of the
// sum of the grid's sides, which is their greatest sum of magnitudes.
static float slab_limit(const abut__sites* sites, float reach) {
    const float sum = (float)(sites->size[0] + sites->size[1] + sites->size[2]);
    return reach + 4 * sites->pad + 0x1p-20f * sum;
}

// Finds the sites near the own one in a group of the line.
static void search_slabs(finding* f, const abut__site* own) {
    abut__voronoi_worker* w = f->worker;
    abut__slab_search search = {.limit_sq = abut__gap_limit(f->v, f->reach),
                                .limit = slab_limit(&f->v->sites, f->reach)};
    memcpy(search.side, own->lo, sizeof own->lo);
    memcpy(search.side + 3, own->hi, sizeof own->hi);
    extent_along(own, w->group.axis, &search.side[6], &search.side[7]);
    const abut__boxes_seen seen = f->context->kernels->slab_boxes(&w->group.slabs, &search,
                                                                  w->hits.data, w->gaps.data);
    w->boxes_tested += seen.tested;
    for (uint32_t i = 0; i < seen.count; ++i) {
        w->hits.data[i] = w->group.site_of.data[w->hits.data[i]];
    }
    take_hits(f, own->lo, own->hi, seen.count);
}

// Copies the sites in `hits` that are within reach of some consecutive sites along the axis to a group
// of the line.
static bool fill_slabs(const abut_context* context, const abut__sites* sites,
                       abut__voronoi_worker* w, uint32_t found, uint32_t first, uint32_t count,
                       float reach) {
    abut__near_group* group = &w->group;
    const size_t stride = found + 16;
    const float limit = slab_limit(sites, reach);
    float* sides = abut__renew(context, &group->sides, 8 * stride);
    uint32_t* site_of = abut__renew(context, &group->site_of, stride);
    float ends[2] = {INFINITY, -INFINITY};
    if (sides == NULL || site_of == NULL) {
        return false;
    }
    for (uint32_t t = first; t < first + count; ++t) {
        float lo;
        float hi;
        extent_along(&sites->sites.data[t], group->axis, &lo, &hi);
        ends[0] = lo < ends[0] ? lo : ends[0];
        ends[1] = hi > ends[1] ? hi : ends[1];
    }
    uint32_t made = 0;
    for (uint32_t i = 0; i < found; ++i) {
        const abut__site* site = &sites->sites.data[w->hits.data[i]];
        float* lo = &sides[6 * stride + made];
        float* hi = &sides[7 * stride + made];
        extent_along(site, group->axis, lo, hi);
        for (size_t d = 0; d < 3; ++d) {
            sides[d * stride + made] = site->lo[d];
            sides[(d + 3) * stride + made] = site->hi[d];
        }
        site_of[made] = w->hits.data[i];
        made += *lo - ends[1] <= limit && ends[0] - *hi <= limit;
    }
    for (size_t i = 0; i < 8 * 16; ++i) {  // read, but not used
        sides[i % 8 * stride + made + i / 8] = 0;
    }
    group->first[0] = 0;
    group->first[1] = group->slabs.count = made;
    for (size_t i = 0; i < 8; ++i) {
        group->slabs.side[i] = sides + i * stride;
    }
    return true;
}

// Copies the boxes of the sites in `hits` to the group.
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
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t site = w->hits.data[i];
        for (int d = 0; d < 3; ++d) {
            sides[(size_t)d * stride + i] = v->sites.sites.data[site].lo[d];
            sides[(size_t)(d + 3) * stride + i] = v->sites.sites.data[site].hi[d];
        }
        body_of[i] = (int32_t)v->sites.places.data[site].body;
        site_of[i] = site;
    }
    for (size_t i = 0; i < 6 * (stride - count); ++i) {  // read, but not used
        sides[i % 6 * stride + count + i / 6] = 0;
        body_of[count + i / 6] = 0;
    }
    group->first[0] = 0;
    group->first[1] = count;
    group->bins = (abut__bins){.body = body_of, .first = group->first, .size = {1, 1, 1}};
    for (int i = 0; i < 6; ++i) {
        group->bins.side[i] = sides + (size_t)i * stride;
    }
    return true;
}

void abut__near_gather(const abut_context* context, const abut__voronoi* v,
                       abut__voronoi_worker* worker, const abut__near_ask* ask, uint32_t first,
                       uint32_t count, float reach) {
    if (v->line.used) {
        worker->group.valid = false;
        return;
    }
    float lo[3];
    float hi[3];
    uint64_t cells = 0;
    abut__sites_bound(&v->sites, first, count, lo, hi);
    const abut__cell_range range = abut__cells_near(&v->grid, lo, hi, reach + 4 * v->sites.pad,
                                                    &cells);
    worker->group.valid = cells <= CELLS_GROUP;
    if (worker->group.valid) {
        const abut__box_search search = search_of(v, ask, v->sites.places.data[first].body, lo, hi,
                                                  &range, reach);
        const abut__boxes_seen seen = context->kernels->near_boxes(
            &v->grid.bins, &search, worker->hits.data, worker->gaps.data);
        worker->boxes_tested += seen.tested;
        worker->group.valid = fill_group(context, v, worker, name_sites(v, worker, seen.count));
    }
}

void abut__near_gather_line(const abut_context* context, const abut__voronoi* v,
                            abut__voronoi_worker* worker, const float axis[3], uint32_t first,
                            uint32_t count, float reach) {
    float lo[3];
    float hi[3];
    uint32_t found = 0;
    abut__sites_bound(&v->sites, first, count, lo, hi);
    for (size_t i = 0; i < worker->narrow.count; ++i) {
        found = search_runs(context, v, worker, worker->narrow.data[i], lo, hi, reach, found);
    }
    memcpy(worker->group.axis, axis, sizeof worker->group.axis);
    worker->group.first[1] = 0;
    worker->group.valid = found == 0 ||
                          fill_slabs(context, &v->sites, worker, found, first, count, reach);
}

// Searches the cells near a site, or bodies where these are fewer.
static void search_grid(finding* f, const abut__site* own, float wide) {
    const abut__voronoi* v = f->v;
    const uint32_t* first = v->grid.site_first.data + f->own;
    uint64_t cells = 0;
    abut__cell_range range = abut__cells_near(&v->grid, own->lo, own->hi, wide, &cells);
    if (cells > CELLS_WORTH && f->ask->within) {
        search_body(f, f->body, 0, f->reach);
    } else if (cells > CELLS_WORTH) {
        abut__intervals_near(&v->sites, &v->intervals, own->lo, own->hi, wide, search_body, f);
    } else if (cells <= CELLS_WHOLE || first[1] - first[0] == 1) {
        search_cells(f, own->lo, own->hi, &range);
    } else {
        f->divided = true;
        ++f->worker->entered.stamp;
        for (uint32_t i = first[0]; i < first[1] && !f->worker->failed; ++i) {
            const abut__piece* piece = &v->grid.pieces.data[i];
            range = abut__cells_near(&v->grid, piece->lo, piece->hi, wide, &cells);
            search_cells(f, piece->lo, piece->hi, &range);
        }
    }
}

static finding finding_make(const abut_context* context, const abut__voronoi* v,
                            abut__voronoi_worker* worker, const abut__near_ask* ask, uint32_t site,
                            float reach) {
    return (finding){.context = context,
                     .v = v,
                     .worker = worker,
                     .ask = ask,
                     .own = site,
                     .body = v->sites.places.data[site].body,
                     .reach = reach};
}

void abut__near_find(const abut_context* context, const abut__voronoi* v,
                     abut__voronoi_worker* worker, const abut__near_ask* ask, uint32_t site,
                     float reach) {
    finding f = finding_make(context, v, worker, ask, site, reach);
    const abut__site* own = &v->sites.sites.data[site];
    const float wide = reach + 4 * v->sites.pad;
    if (worker->group.valid && v->line.used) {
        search_slabs(&f, own);
    } else if (worker->group.valid) {
        search_cells(&f, own->lo, own->hi, NULL);
    } else if (v->line.used && ask->within) {
        search_line(&f, f.body, 0, wide);
    } else if (v->line.used) {
        abut__intervals_near(&v->sites, &v->intervals, own->lo, own->hi, wide, search_line, &f);
    } else {
        search_grid(&f, own, wide);
    }
}

void abut__near_find_in(const abut_context* context, const abut__voronoi* v,
                        abut__voronoi_worker* worker, const abut__near_ask* ask, uint32_t site,
                        float reach, const uint32_t* bodies, size_t count) {
    finding f = finding_make(context, v, worker, ask, site, reach);
    const abut__site* own = &v->sites.sites.data[site];
    const float wide = reach + 4 * v->sites.pad;
    for (size_t i = 0; i < count; ++i) {
        const abut__site_body* other = &v->sites.bodies.data[bodies[i]];
        const float gap = abut__box_gap(own->lo, own->hi, other->lo, other->hi);
        if (gap <= wide) {
            search_line(&f, bodies[i], gap, wide);
        }
    }
}

bool abut__near_later(const abut_context* context, const abut__voronoi* v,
                      abut__voronoi_worker* worker, uint32_t site) {
    const abut__boxes_seen seen = context->kernels->later_boxes(
        &v->line.view, site, worker->hits.data, worker->gaps.data);
    worker->boxes_tested += seen.tested;
    abut__near* found = abut__push(context, &worker->found, seen.count);
    if (found == NULL) {
        worker->failed = worker->failed || seen.count > 0;
        return !worker->failed;
    }
    for (uint32_t i = 0; i < seen.count; ++i) {
        found[i] = (abut__near){worker->gaps.data[i], INFINITY, site, worker->hits.data[i]};
    }
    return true;
}

#define AT_ONCE 64u  // pairs that kernels are called for

// Copies the sites of some pairs; returns the number of pairs, at most AT_ONCE.
static uint32_t list_sites(const abut__near* pairs, size_t count, uint32_t ids[AT_ONCE][2]) {
    const uint32_t some = (uint32_t)(count < AT_ONCE ? count : AT_ONCE);
    for (uint32_t i = 0; i < some; ++i) {
        ids[i][0] = pairs[i].own;
        ids[i][1] = pairs[i].other;
    }
    return some;
}

void abut__near_sample(const abut_context* context, const abut__voronoi* v,
                       abut__voronoi_worker* worker, const float* reach) {
    const float pad = 2 * v->sites.pad;
    abut__near* found = worker->found.data;
    const size_t count = worker->found.count;
    size_t to = 0;
    for (size_t first = 0; first < count; first += AT_ONCE) {
        uint32_t ids[AT_ONCE][2];
        float samples[AT_ONCE];
        float below[AT_ONCE];
        const uint32_t some = list_sites(found + first, count - first, ids);
        context->kernels->sample_pairs(v->sites.sites.data[0].corner[0], (const uint32_t(*)[2])ids,
                                       some, samples, below);
        for (uint32_t i = 0; i < some; ++i) {
            const float box = sqrtf(found[first + i].gap) * (1 - 0x1p-20f);
            const float gap = (below[i] > box ? below[i] : box) - pad;
            found[to] = (abut__near){gap, samples[i], ids[i][0], ids[i][1]};
            to += gap <= reach[ids[i][0]] || gap <= reach[ids[i][1]];
        }
    }
    worker->found.count = to;
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
    for (size_t first = 0; first < count && sites->starts.count == 0; first += AT_ONCE) {
        uint32_t ids[AT_ONCE][2];
        float below[AT_ONCE];
        float above[AT_ONCE];
        const uint32_t some = list_sites(pairs + first, count - first, ids);
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
