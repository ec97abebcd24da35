// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Potential neighbours of a body: other bodies whose boxes are within reach, of the whole body or of
// some of its triangles.
#include "voronoi/grid_gaps.h"
#include "voronoi/voronoi.h"

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

void abut__objects_keep(const abut__voronoi* v, abut__voronoi_worker* worker, uint32_t body,
                        float reach) {
    const abut__site_body* own = &v->sites.bodies.data[body];
    const float wide = reach + 4 * v->sites.pad;
    size_t to = 0;
    for (size_t i = 0; i < worker->objects.count; ++i) {
        const uint32_t object = worker->objects.data[i];
        const abut__site_body* other = &v->sites.bodies.data[object];
        worker->objects.data[to] = object;
        to += abut__box_gap(own->lo, own->hi, other->lo, other->hi) <= wide;
    }
    worker->objects.count = to;
}

bool abut__objects_narrow(const abut_context* context, const abut__voronoi* v,
                          abut__voronoi_worker* worker, uint32_t first, uint32_t count,
                          float reach) {
    const float wide = reach + 4 * v->sites.pad;
    uint32_t* narrow = abut__renew(context, &worker->narrow, worker->objects.count);
    float lo[3];
    float hi[3];
    if (narrow == NULL) {
        worker->failed = worker->failed || worker->objects.count > 0;
        return false;
    }
    abut__sites_bound(&v->sites, first, count, lo, hi);
    worker->narrow.count = 0;
    for (size_t i = 0; i < worker->objects.count; ++i) {
        const abut__site_body* other = &v->sites.bodies.data[worker->objects.data[i]];
        if (abut__box_gap(lo, hi, other->lo, other->hi) <= wide) {
            narrow[worker->narrow.count++] = worker->objects.data[i];
        }
    }
    return worker->narrow.count > 0;
}

bool abut__objects_near(const abut__voronoi* v, const abut__voronoi_worker* worker, uint32_t site,
                        float reach) {
    const abut__site* own = &v->sites.sites.data[site];
    const float wide = reach + 4 * v->sites.pad;
    for (size_t i = 0; i < worker->narrow.count; ++i) {
        const abut__site_body* other = &v->sites.bodies.data[worker->narrow.data[i]];
        if (abut__box_gap(own->lo, own->hi, other->lo, other->hi) <= wide) {
            return true;
        }
    }
    return false;
}
