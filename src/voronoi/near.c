// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds the triangles within reach of a triangle, through the cells around it, or through the boxes
// of bodies where there would be too many cells. Also handles rings of neighbours within a body.
#include "base/offset.h"
#include "voronoi/grid_gaps.h"
#include "voronoi/prisms.h"
#include "voronoi/voronoi.h"

// With more cells than this, the search goes through bodies instead.
#define CELLS_WORTH 4096u

bool abut__sites_adjacent(const abut__sites* sites, uint32_t a, uint32_t b) {
    const uint32_t* x = sites->places.data[a].corner;
    const uint32_t* y = sites->places.data[b].corner;
    bool shared = false;
    for (int i = 0; i < 3; ++i) {
        shared |= (x[i] == y[0]) | (x[i] == y[1]) | (x[i] == y[2]);
    }
    return shared;
}

// ---- finding

typedef struct finding {
    const abut_context* context;
    const abut__voronoi* v;
    abut__voronoi_worker* worker;
    const abut__near_ask* ask;
    const float* below;  // lower bounds of all sites; NULL: unknown
    uint32_t own;
    uint32_t body;  // of `own`
    float reach;
} finding;

static bool is_wanted(const finding* f, uint32_t other) {
    const abut__sites* sites = &f->v->sites;
    const abut__site_body* bodies = sites->bodies.data;
    if (f->ask->within) {
        return f->ask->neighbours || !abut__sites_adjacent(sites, f->own, other);
    }
    return f->ask->meet(bodies[f->body].body, bodies[sites->places.data[other].body].body);
}

// Tests one pair. The cheapest tests that may reject it come first.
static void test_pair(finding* f, uint32_t other) {
    const abut__sites* sites = &f->v->sites;
    const uint32_t body = sites->places.data[other].body;
    if ((body == f->body) != f->ask->within || other == f->own ||
        (f->ask->later && other < f->own) || (f->below != NULL && f->below[other] > f->reach)) {
        return;
    }
    const abut__site* a = &sites->sites.data[f->own];
    const abut__site* b = &sites->sites.data[other];
    ++f->worker->boxes_tested;
    const float gap = abut__box_gap(a->lo, a->hi, b->lo, b->hi);
    if (gap - 2 * sites->pad > f->reach || !is_wanted(f, other)) {
        return;
    }
    const abut__site_bounds bounds = sites->starts.count > 0
                                         ? abut__prism_bound(sites, f->own, other, gap, f->reach)
                                         : abut__site_bound(sites, a, b, gap, f->reach);
    if (bounds.below > f->reach) {
        return;
    }
    abut__near* near = abut__push(f->context, &f->worker->found, 1);
    if (near == NULL) {
        f->worker->failed = true;
        return;
    }
    *near = (abut__near){bounds.below, f->own, other};
    if (f->ask->shrink) {
        f->reach = bounds.above < f->reach ? bounds.above : f->reach;
    }
}

static uint32_t cell_at(float x, uint32_t size) {
    return x <= 0 ? 0 : x < (float)size ? (uint32_t)x : size - 1;
}

// Tests every triangle in a range of cells, once.
static void search_cells(finding* f, const uint32_t lo[3], const uint32_t hi[3]) {
    const abut__grid_cells* grid = &f->v->grid;
    const uint32_t* first = grid->cell_first.data;
    const uint32_t* in_cell = grid->in_cell.data;
    uint32_t* stamps = f->worker->stamps.data;
    const uint32_t stamp = ++f->worker->stamp;
    for (uint32_t z = lo[2]; z <= hi[2]; ++z) {
        for (uint32_t y = lo[1]; y <= hi[1]; ++y) {
            const uint32_t row = (z * grid->size[1] + y) * grid->size[0];
            // Cells of a row are consecutive.
            for (uint32_t i = first[row + lo[0]]; i < first[row + hi[0] + 1]; ++i) {
                if (stamps[in_cell[i]] != stamp) {
                    stamps[in_cell[i]] = stamp;
                    test_pair(f, in_cell[i]);
                }
            }
        }
    }
}

// Tests the triangles of a body, run by run.
static float search_body(void* user, uint32_t body, float gap, float reach) {
    finding* f = user;
    const abut__sites* sites = &f->v->sites;
    const abut__site* own = &sites->sites.data[f->own];
    const abut__site_body* b = &sites->bodies.data[body];
    const abut__site_run* runs = sites->runs.data + b->first_run;
    (void)gap;
    (void)reach;
    if ((body == f->body) != f->ask->within) {
        return f->reach + 2 * sites->pad;
    }
    for (uint32_t first = 0, r = 0; first < b->count; first += ABUT__SITE_RUN, ++r) {
        const uint32_t end = b->count - first < ABUT__SITE_RUN ? b->count : first + ABUT__SITE_RUN;
        const float apart = abut__box_gap(own->lo, own->hi, runs[r].lo, runs[r].hi);
        ++f->worker->boxes_tested;
        for (uint32_t t = first; t < end && apart - 2 * sites->pad <= f->reach; ++t) {
            test_pair(f, b->first + t);
        }
    }
    return f->reach + 2 * sites->pad;
}

float abut__near_find(const abut_context* context, const abut__voronoi* v,
                      abut__voronoi_worker* worker, const abut__near_ask* ask, uint32_t site,
                      float reach) {
    finding f = {.context = context, .v = v, .worker = worker, .ask = ask, .own = site};
    f.below = v->below.count > 0 ? v->below.data : NULL;
    f.body = v->sites.places.data[site].body;
    f.reach = reach;
    const abut__site* own = &v->sites.sites.data[site];
    uint32_t lo[3];
    uint32_t hi[3];
    uint64_t cells = 1;
    for (int d = 0; d < 3; ++d) {
        const float grow = reach + 4 * v->sites.pad;
        lo[d] = cell_at(own->lo[d] - grow, v->grid.size[d]);
        hi[d] = cell_at(own->hi[d] + grow, v->grid.size[d]);
        cells *= hi[d] - lo[d] + 1;
    }
    if (cells <= CELLS_WORTH) {
        search_cells(&f, lo, hi);
    } else if (ask->within) {
        search_body(&f, v->sites.places.data[site].body, 0, reach);
    } else {
        abut__intervals_near(&v->sites, &v->intervals, own->lo, own->hi, reach + 2 * v->sites.pad,
                             search_body, &f);
    }
    return f.reach;
}

bool abut__near_sort(const abut_context* context, abut__voronoi_worker* worker, size_t first) {
    const size_t count = worker->found.count - first;
    abut__near* found = ABUT__AT(worker->found.data, first);
    abut__keyed* keys = abut__renew(context, &worker->keys, 2 * count);
    abut__near* sorted = abut__renew(context, &worker->sorted, count);
    if (count > 0 && (keys == NULL || sorted == NULL)) {
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
    if (count > 0) {
        memcpy(found, sorted, count * sizeof *found);
    }
    return true;
}

// ---- rings

bool abut__rings_make(const abut_context* context, abut__voronoi* v) {
    const abut__sites* sites = &v->sites;
    const uint32_t count = abut__site_count(sites);
    const abut__site_place* places = sites->places.data;
    v->ring_first.count = 0;
    uint32_t* offset = abut__renew(context, &v->ring_offset, sites->bodies.count);
    uint32_t* ring = abut__renew(context, &v->ring, 3 * (size_t)count);
    size_t classes = 0;
    for (size_t b = 0; b < sites->bodies.count && offset != NULL; ++b) {
        offset[b] = (uint32_t)classes;
        classes += sites->bodies.data[b].body->shape->mesh->vertex_count;
    }
    uint32_t* first = abut__push(context, &v->ring_first, classes + 1);
    if (offset == NULL || ring == NULL || first == NULL) {
        return false;
    }
    memset(first, 0, (classes + 1) * sizeof *first);
    for (int turn = 0; turn < 2; ++turn) {
        for (uint32_t t = count; t-- > 0;) {
            for (int c = 0; c < 3; ++c) {
                uint32_t* at = &first[offset[places[t].body] + places[t].corner[c]];
                if (turn == 0) {
                    ++*at;
                } else {
                    ring[--*at] = t;
                }
            }
        }
        uint32_t sum = 0;
        for (size_t k = 0; k <= classes && turn == 0; ++k) {
            sum += first[k];
            first[k] = sum;  // the end of the range, which is filled backwards
        }
    }
    return true;
}

// Returns whether a triangle at a class of vertices shares no vertex with the site.
static bool has_free(const abut__voronoi* v, const uint32_t* first, uint32_t class_at,
                     uint32_t site) {
    const uint32_t* ring = v->ring.data;
    for (uint32_t i = first[class_at]; i < first[class_at + 1]; ++i) {
        if (!abut__sites_adjacent(&v->sites, site, ring[i])) {
            return true;
        }
    }
    return false;
}

// Neighbours' corners that are not the site's own are corners of the ring beyond them.
float abut__ring_above(const abut__voronoi* v, uint32_t site) {
    const abut__sites* sites = &v->sites;
    const abut__site_place* places = sites->places.data;
    const abut__site* own = &sites->sites.data[site];
    const uint32_t* corner = places[site].corner;
    const uint32_t* first = v->ring_first.data + v->ring_offset.data[places[site].body];
    const uint32_t* ring = v->ring.data;
    float least = INFINITY;
    for (int c = 0; c < 3; ++c) {
        for (uint32_t i = first[corner[c]]; i < first[corner[c] + 1]; ++i) {
            for (int k = 0; k < 3; ++k) {
                const uint32_t at = places[ring[i]].corner[k];
                if (at == corner[0] || at == corner[1] || at == corner[2]) {
                    continue;
                }
                const float* beyond = sites->sites.data[ring[i]].corner[k];
                float nearest[3];
                abut__site_nearest(own, beyond, nearest);
                const float above = abut__point_gap(nearest, beyond);
                if (above < least && has_free(v, first, at, site)) {
                    least = above;
                }
            }
        }
    }
    return least * (1 + 0x1p-16f) + 2 * sites->pad;
}
