// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rings within a body: the triangles at each vertex, and the first upper bound of a triangle's
// distance, which the ring of triangles beyond its neighbours gives.
#include <math.h>

#include "voronoi/voronoi.h"

typedef struct ring_making {
    abut__voronoi* v;
    size_t classes;
    uint32_t parts;
    bool entering;  // the second turn
} ring_making;

// Counts the triangles at each class of a part of all classes or, in the second turn, enters them
// from the end of their ranges on. So triangles are in ascending order for any number of parts.
static void fill_part(void* argument, uint32_t part, uint32_t worker) {
    const ring_making* m = argument;
    const abut__sites* sites = &m->v->sites;
    const abut__site_place* places = sites->places.data;
    uint32_t* first = m->v->ring_first.data;
    const uint32_t begin = (uint32_t)(m->classes * part / m->parts);
    const uint32_t count = (uint32_t)(m->classes * (part + 1) / m->parts) - begin;
    (void)worker;
    for (uint32_t t = abut__site_count(sites); t-- > 0;) {
        const uint32_t offset = m->v->ring_offset.data[places[t].body];
        for (uint32_t c = 0; c < 3; ++c) {
            const uint32_t at = offset + places[t].corner[c];
            if (at - begin >= count) {
                continue;
            }
            if (!m->entering) {
                ++first[at];
            } else {
                m->v->ring.data[--first[at]] = (abut__ring_entry){t, places[t].corner[(c + 1) % 3]};
                memcpy(m->v->ring_points.data[at], sites->sites.data[t].corner[c],
                       sizeof(float[3]));
            }
        }
    }
}

#define PART_SITES 4096u  // with fewer sites there is one part

static void fill_rings(const abut_context* context, abut__voronoi* v, size_t classes) {
    const bool few = abut__site_count(&v->sites) < PART_SITES;
    ring_making m = {.v = v, .classes = classes, .parts = few ? 1 : v->worker_count};
    uint32_t* first = v->ring_first.data;
    memset(first, 0, (classes + 1) * sizeof *first);
    abut__run_tasks(context, m.parts, fill_part, &m);
    uint32_t sum = 0;
    for (size_t k = 0; k <= classes; ++k) {
        sum += first[k];
        first[k] = sum;  // the end of the range, which is filled backwards
    }
    m.entering = true;
    abut__run_tasks(context, m.parts, fill_part, &m);
}

bool abut__rings_make(const abut_context* context, abut__voronoi* v) {
    const abut__sites* sites = &v->sites;
    uint32_t* offset = abut__renew(context, &v->ring_offset, sites->bodies.count);
    size_t classes = 0;
    for (size_t b = 0; b < sites->bodies.count && offset != NULL; ++b) {
        offset[b] = (uint32_t)classes;
        classes += sites->bodies.data[b].body->shape->mesh->vertex_count;
    }
    if (offset == NULL ||
        abut__renew(context, &v->ring, 3 * (size_t)abut__site_count(sites)) == NULL ||
        abut__renew(context, &v->ring_first, classes + 1) == NULL ||
        abut__renew(context, &v->ring_points, classes) == NULL) {
        return false;
    }
    for (uint32_t w = 0; w < v->worker_count; ++w) {
        uint32_t* corners = abut__renew(context, &v->workers[w].corners, classes + 1);
        if (corners == NULL) {
            return false;
        }
        memset(corners, 0, (classes + 1) * sizeof *corners);
    }
    fill_rings(context, v, classes);
    return true;
}

// A triangle and the corners around it: marks of classes of vertices, by body.
typedef struct ring_search {
    const abut__voronoi* v;
    const uint32_t* first;  // of its body
    const float (*point)[4];
    uint32_t* seen;
    uint32_t site;
    uint32_t own;  // the mark of its own corners; those of others have the next one
} ring_search;

// Returns whether a triangle at a class of vertices shares no vertex with the site.
static bool has_free(const ring_search* s, uint32_t class_at) {
    const abut__ring_entry* ring = s->v->ring.data;
    for (uint32_t i = s->first[class_at]; i < s->first[class_at + 1]; ++i) {
        const uint32_t* corner = s->v->sites.places.data[ring[i].site].corner;
        if (s->seen[corner[0]] != s->own && s->seen[corner[1]] != s->own &&
            s->seen[corner[2]] != s->own) {
            return true;
        }
    }
    return false;
}

// Corners of neighbours that are not the site's own, up to sixteen.
typedef struct outer_corners {
    uint32_t count;
    uint32_t corner[16];  // classes of vertices
    float at[3][16];
} outer_corners;

static void add_corner(outer_corners* outer, uint32_t corner, const float at[3]) {
    outer->corner[outer->count] = corner;
    for (int d = 0; d < 3; ++d) {
        outer->at[d][outer->count] = at[d];
    }
    ++outer->count;
}

// Improves a bound by outer corners, and removes them. A corner counts if a triangle of the ring
// beyond has it.
static float lower(const abut_context* context, const ring_search* s, outer_corners* outer,
                   float least) {
    float above[16];
    for (uint32_t i = outer->count; i < 16; ++i) {  // read, but not used
        outer->at[0][i] = outer->at[1][i] = outer->at[2][i] = 0;
    }
    context->kernels->corner_distances(s->v->sites.sites.data[s->site].corner[0],
                                       (const float(*)[16])outer->at, outer->count, above);
    for (uint32_t left = outer->count; left > 0; --left) {
        uint32_t nearest = 0;
        for (uint32_t i = 1; i < outer->count; ++i) {
            nearest = above[i] < above[nearest] ? i : nearest;
        }
        if (above[nearest] >= least) {
            break;
        }
        least = has_free(s, outer->corner[nearest]) ? above[nearest] : least;
        above[nearest] = INFINITY;
    }
    outer->count = 0;
    return least;
}

// The corners around a triangle are those that follow its own ones in the triangles at these. Where
// surfaces end or are turned over some are missing, which loosens the bound.
float abut__ring_above(const abut_context* context, const abut__voronoi* v,
                       abut__voronoi_worker* worker, uint32_t site) {
    const abut__site_place* place = &v->sites.places.data[site];
    const uint32_t offset = v->ring_offset.data[place->body];
    const ring_search s = {.v = v,
                           .first = v->ring_first.data + offset,
                           .point = (const float(*)[4])v->ring_points.data + offset,
                           .seen = worker->corners.data + offset,
                           .site = site,
                           .own = 2 * site + 1};
    outer_corners outer;
    outer.count = 0;
    float least = INFINITY;
    for (int c = 0; c < 3; ++c) {
        s.seen[place->corner[c]] = s.own;
    }
    for (int c = 0; c < 3; ++c) {
        for (uint32_t i = s.first[place->corner[c]]; i < s.first[place->corner[c] + 1]; ++i) {
            const uint32_t at = v->ring.data[i].next;
            if (s.seen[at] - s.own <= 1) {
                continue;
            }
            s.seen[at] = s.own + 1;
            add_corner(&outer, at, s.point[at]);
            if (outer.count == 16) {
                least = lower(context, &s, &outer, least);
            }
        }
    }
    least = outer.count > 0 ? lower(context, &s, &outer, least) : least;
    return least * (1 + 0x1p-16f) + 4 * v->sites.pad;
}

// ---- bounds of many triangles

#define TOGETHER 32u  // triangles that are bounded at once

// The corners beyond the edges of some triangles.
typedef struct beyond_edges {
    uint32_t count;
    uint32_t first[TOGETHER + 1];  // by triangle: its first one
    uint32_t site[3 * TOGETHER];
    uint32_t corner[3 * TOGETHER];  // classes of vertices
    float at[3][3 * TOGETHER + 16];
} beyond_edges;

// Adds the corner of the triangle beyond an edge, if there is one, by the classes at its ends.
static void add_beyond(const abut__voronoi* v, uint32_t site, uint32_t offset, uint32_t from,
                       uint32_t to, beyond_edges* out) {
    const uint32_t* own = v->sites.places.data[site].corner;
    const uint32_t end = v->ring_first.data[offset + to + 1];
    uint32_t i = v->ring_first.data[offset + to];
    while (i < end && v->ring.data[i].next != from) {
        ++i;
    }
    if (i == end) {
        return;
    }
    const uint32_t* other = v->sites.places.data[v->ring.data[i].site].corner;
    const uint32_t corner = other[0] ^ other[1] ^ other[2] ^ from ^ to;  // the third one
    if (corner == own[0] || corner == own[1] || corner == own[2]) {
        return;
    }
    out->site[out->count] = site;
    out->corner[out->count] = corner;
    for (int d = 0; d < 3; ++d) {
        out->at[d][out->count] = v->ring_points.data[offset + corner][d];
    }
    ++out->count;
}

// Returns the least of the distances to some corners that some triangle beyond the neighbours has;
// infinite if there is none.
static float least_free(const abut__voronoi* v, abut__voronoi_worker* worker, uint32_t site,
                        const uint32_t* corner, float* above, uint32_t count) {
    const abut__site_place* place = &v->sites.places.data[site];
    const uint32_t offset = v->ring_offset.data[place->body];
    const ring_search s = {.v = v,
                           .first = v->ring_first.data + offset,
                           .seen = worker->corners.data + offset,
                           .own = 2 * site + 1};
    for (int c = 0; c < 3; ++c) {
        s.seen[place->corner[c]] = s.own;
    }
    for (uint32_t left = count; left > 0; --left) {
        uint32_t nearest = 0;
        for (uint32_t i = 1; i < count; ++i) {
            nearest = above[i] < above[nearest] ? i : nearest;
        }
        if (above[nearest] < INFINITY && has_free(&s, corner[nearest])) {
            return above[nearest];
        }
        above[nearest] = INFINITY;
    }
    return INFINITY;
}

static void bound_together(const abut_context* context, const abut__voronoi* v,
                           abut__voronoi_worker* worker, uint32_t first, uint32_t count,
                           float* above) {
    const abut__sites* sites = &v->sites;
    beyond_edges beyond;
    float distance[3 * TOGETHER + 16];
    beyond.count = 0;
    for (uint32_t t = 0; t < count; ++t) {
        const abut__site_place* place = &sites->places.data[first + t];
        const uint32_t offset = v->ring_offset.data[place->body];
        beyond.first[t] = beyond.count;
        for (int c = 0; c < 3; ++c) {
            add_beyond(v, first + t, offset, place->corner[c], place->corner[(c + 1) % 3], &beyond);
        }
    }
    beyond.first[count] = beyond.count;
    for (uint32_t i = beyond.count; i < beyond.count + 16; ++i) {  // read, but not used
        beyond.at[0][i] = beyond.at[1][i] = beyond.at[2][i] = 0;
    }
    const float* const points[3] = {beyond.at[0], beyond.at[1], beyond.at[2]};
    context->kernels->point_distances(sites->sites.data[0].corner[0],
                                      sizeof(abut__site) / sizeof(float), beyond.site, points,
                                      beyond.count, distance);
    for (uint32_t t = 0; t < count; ++t) {
        const uint32_t at = beyond.first[t];
        const float least = least_free(v, worker, first + t, beyond.corner + at, distance + at,
                                       beyond.first[t + 1] - at);
        above[t] = least < INFINITY ? least * (1 + 0x1p-16f) + 4 * sites->pad
                                    : abut__ring_above(context, v, worker, first + t);
    }
}

void abut__rings_above(const abut_context* context, const abut__voronoi* v,
                       abut__voronoi_worker* worker, uint32_t first, uint32_t count, float* above) {
    for (uint32_t t = 0; t < count; t += TOGETHER) {
        bound_together(context, v, worker, first + t, count - t < TOGETHER ? count - t : TOGETHER,
                       above + t);
    }
}
