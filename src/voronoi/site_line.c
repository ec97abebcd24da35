// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The triangles of each body in runs of sixteen. Consecutive triangles are mostly near each other. So
// among small bodies a grid costs more than it saves: a search compares the boxes of the runs of
// bodies that are near enough, and then those of the triangles in them.
#include <math.h>

#include "voronoi/voronoi.h"

#define RUN ABUT__LINE_RUN

// Up to so many triangles a body is small.
#define SMALL 8192u

bool abut__line_fits(const abut__voronoi* v, const abut__voronoi_ask* ask) {
    bool small = ask->cells == 0;
    for (size_t b = 0; b < v->sites.bodies.count && small; ++b) {
        small = v->sites.bodies.data[b].count <= SMALL;
    }
    return small;
}

// Sets a box, or, without a site, one that is infinitely far away.
static void put_box(float* sides, size_t stride, size_t at, const abut__site* site) {
    for (size_t d = 0; d < 3; ++d) {
        sides[d * stride + at] = site != NULL ? site->lo[d] : INFINITY;
        sides[(d + 3) * stride + at] = site != NULL ? site->hi[d] : INFINITY;
    }
}

// Puts a body into the line: its boxes, those of its runs, and its corners.
static void put_body(const abut__voronoi* v, const abut__site_body* body, size_t stride,
                     size_t runs) {
    const abut__site* site = v->sites.sites.data + body->first;
    float* sides = v->line.sides.data;
    for (uint32_t first = 0; first < body->count; first += RUN) {
        abut__site all = site[first];
        for (uint32_t t = first; t < first + RUN; ++t) {
            const bool there = t < body->count;
            put_box(sides, stride, body->first_in_line + t, there ? &site[t] : NULL);
            for (int d = 0; d < 3 && there; ++d) {
                all.lo[d] = site[t].lo[d] < all.lo[d] ? site[t].lo[d] : all.lo[d];
                all.hi[d] = site[t].hi[d] > all.hi[d] ? site[t].hi[d] : all.hi[d];
            }
        }
        put_box(sides + 6 * stride, runs, (body->first_in_line + first) / RUN, &all);
    }
}

typedef struct line_making {
    abut__voronoi* v;
    size_t stride;
    size_t runs;
} line_making;

static void put_task(void* argument, uint32_t body, uint32_t worker) {
    const line_making* m = argument;
    (void)worker;
    put_body(m->v, &m->v->sites.bodies.data[body], m->stride, m->runs);
}

// Places bodies in the line; returns its length.
static size_t place_bodies(abut__sites* sites) {
    size_t length = 0;
    for (size_t b = 0; b < sites->bodies.count; ++b) {
        sites->bodies.data[b].first_in_line = (uint32_t)length;
        length += ((size_t)sites->bodies.data[b].count + RUN - 1) / RUN * RUN;
    }
    return length;
}

bool abut__line_make(const abut_context* context, abut__voronoi* v) {
    abut__voronoi_line* line = &v->line;
    const size_t stride = place_bodies(&v->sites);
    const size_t runs = stride / RUN + 16;
    float* sides = abut__renew(context, &line->sides, 6 * (stride + runs));
    if (sides == NULL) {
        return false;
    }
    line_making m = {v, stride, runs};
    abut__run_tasks(context, (uint32_t)v->sites.bodies.count, put_task, &m);
    for (size_t r = stride / RUN; r < runs; ++r) {
        put_box(sides + 6 * stride, runs, r, NULL);
    }
    line->view = (abut__site_line){.run_count = (uint32_t)(stride / RUN)};
    for (size_t i = 0; i < 6; ++i) {
        line->view.side[i] = sides + i * stride;
        line->view.run_side[i] = sides + 6 * stride + i * runs;
    }
    return true;
}

bool abut__line_make_corners(const abut_context* context, abut__voronoi* v) {
    abut__voronoi_line* line = &v->line;
    const abut__site_place* places = v->sites.places.data;
    const size_t count = v->sites.places.count;
    const size_t stride = (size_t)line->view.run_count * RUN;
    int32_t* corners = abut__renew(context, &line->corners, 3 * stride);
    float* limits = abut__renew(context, &line->limits, stride + line->view.run_count + 16);
    if (corners == NULL || limits == NULL) {
        return false;
    }
    for (size_t c = 0; c < 3; ++c) {
        for (size_t t = 0; t < stride; ++t) {
            corners[c * stride + t] = t < count ? (int32_t)places[t].corner[c] : -1;
        }
        line->view.corner[c] = corners + c * stride;
    }
    line->view.limit = limits;
    line->view.run_limit = limits + stride;
    return true;
}

void abut__line_aim(abut__voronoi* v, const float* reach) {
    const size_t count = v->sites.places.count;
    const size_t stride = (size_t)v->line.view.run_count * RUN;
    float* limits = v->line.limits.data;
    memset(limits, 0, v->line.limits.count * sizeof *limits);
    for (size_t t = 0; t < count; ++t) {
        float* most = &limits[stride + t / RUN];
        limits[t] = abut__gap_limit(v, reach[t]);
        *most = limits[t] > *most ? limits[t] : *most;
    }
}

void abut__line_free(const abut_context* context, abut__voronoi_line* line) {
    abut__drop(context, &line->sides);
    abut__drop(context, &line->limits);
    abut__drop(context, &line->corners);
}
