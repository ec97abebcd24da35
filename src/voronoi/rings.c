// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rings within a body: the triangles at each vertex, and the first upper bound of a triangle's
// distance, which the ring of triangles beyond its neighbours gives.
#include <math.h>

#include "voronoi/voronoi.h"

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
    for (uint32_t w = 0; w < v->worker_count; ++w) {
        uint32_t* corners = abut__renew(context, &v->workers[w].corners, classes + 1);
        if (corners == NULL) {
            return false;
        }
        memset(corners, 0, (classes + 1) * sizeof *corners);
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
static float lower(const abut_context* context, const abut__voronoi* v, const uint32_t* first,
                   uint32_t site, outer_corners* outer, float least) {
    float above[16];
    for (uint32_t i = outer->count; i < 16; ++i) {  // read, but not used
        outer->at[0][i] = outer->at[1][i] = outer->at[2][i] = 0;
    }
    context->kernels->corner_distances(v->sites.sites.data[site].corner[0],
                                       (const float(*)[16])outer->at, outer->count, above);
    for (uint32_t left = outer->count; left > 0; --left) {
        uint32_t nearest = 0;
        for (uint32_t i = 1; i < outer->count; ++i) {
            nearest = above[i] < above[nearest] ? i : nearest;
        }
        if (above[nearest] >= least) {
            break;
        }
        least = has_free(v, first, outer->corner[nearest], site) ? above[nearest] : least;
        above[nearest] = INFINITY;
    }
    outer->count = 0;
    return least;
}

float abut__ring_above(const abut_context* context, const abut__voronoi* v,
                       abut__voronoi_worker* worker, uint32_t site) {
    const abut__sites* sites = &v->sites;
    const abut__site_place* places = sites->places.data;
    const uint32_t* corner = places[site].corner;
    const uint32_t offset = v->ring_offset.data[places[site].body];
    const uint32_t* first = v->ring_first.data + offset;
    const uint32_t* ring = v->ring.data;
    uint32_t* seen = worker->corners.data + offset;
    outer_corners outer;
    outer.count = 0;
    float least = INFINITY;
    for (int c = 0; c < 3; ++c) {
        seen[corner[c]] = site + 1;  // its own corners do not count
    }
    for (int c = 0; c < 3; ++c) {
        for (uint32_t i = first[corner[c]]; i < first[corner[c] + 1]; ++i) {
            for (int k = 0; k < 3; ++k) {
                const uint32_t at = places[ring[i]].corner[k];
                if (seen[at] == site + 1) {
                    continue;
                }
                seen[at] = site + 1;
                add_corner(&outer, at, sites->sites.data[ring[i]].corner[k]);
                if (outer.count == 16) {
                    least = lower(context, v, first, site, &outer, least);
                }
            }
        }
    }
    least = outer.count > 0 ? lower(context, v, first, site, &outer, least) : least;
    return least * (1 + 0x1p-16f) + 4 * sites->pad;
}
