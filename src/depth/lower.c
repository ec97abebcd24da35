// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What no translation can stay below. A point of one surface that is inside the other body stays there as long
// as the body is moved by less than the point's distance from that surface. Any such point gives
// a bound; those amid the overlap give good ones.
#include <math.h>

#include "depth/clearance.h"
#include "depth/depth.h"
#include "query/contains.h"

enum { CANDIDATES = 2 };  // points of each body that are tried
#define GOOD 0.92         // of the depth: no further point is tried

// A point of one body that is well inside the other: no shift shorter than its clearance gets it out.
static void raise_lower(abut__attempt* a, int s, const double point[3]) {
    const abut__regions* r = &a->depths->regions;
    int32_t winding;
    if (abut__side_of(r->side[1 - s].body, point, &winding, r->counters) == ABUT_SIDE_INSIDE) {
        double to[3];
        const double clear = abut__clearance(r->side[1 - s].body, point, a->region->depth,
                                             r->counters, to);
        if (clear > a->region->lower) {
            a->region->lower = clear;
            for (int d = 0; d < 3; ++d) {
                a->nearest[d] = s == 0 ? to[d] : -to[d];
            }
        }
    }
}

static void add_to(abut__depth_middle* m, const double p[3]) {
    for (int d = 0; d < 3; ++d) {
        m->sum[d] += p[d];
    }
    ++m->count;
}

static abut__depth_middle* find_middles(const abut__attempt* a, int s) {
    abut_depths* depths = a->depths;
    const abut__depth_side* side = &depths->regions.side[s];
    const abut_pair* pairs = abut_result_pairs(depths->result, NULL);
    const abut_intersection* shared = abut__depths_shared(depths);
    abut__depth_middle* m = abut__renew(depths->context, &depths->middles, side->triangles.count);
    if (m == NULL) {
        return NULL;
    }
    memset(m, 0, side->triangles.count * sizeof *m);
    for (size_t i = 0; i < depths->regions.pair_of.count; ++i) {
        const uint32_t id = s == 0 ? pairs[i].triangle_a : pairs[i].triangle_b;
        const uint32_t t = side->triangle_place.data[id].number;
        for (uint32_t k = 0;
             k < shared[i].count && depths->regions.pair_of.data[i] == a->trial.region; ++k) {
            add_to(&m[t], shared[i].point[k]);
        }
    }
    for (size_t t = 0; t < side->triangles.count; ++t) {
        for (int c = 0; c < 3 && m[t].count > 0; ++c) {
            const uint32_t corner = side->triangles.data[t].corner[c];
            const abut__depth_vertex* v = &side->vertices.data[corner];
            if (v->inside) {
                add_to(&m[t], v->p);
            }
        }
    }
    return m;
}

// The mean of the points in the other body.
static void centre_of(const abut__escape* e, int s, double out[3]) {
    const double(*p)[3] = e->points[s].data;
    const double count = (double)e->points[s].count;
    out[0] = out[1] = out[2] = 0;
    for (size_t i = 0; i < e->points[s].count; ++i) {
        for (int d = 0; d < 3; ++d) {
            out[d] += p[i][d] / count;
        }
    }
}

// how promising a point is: deep along the direction, and amid the others across it
static double promise(const double p[3], const double centre[3], const double direction[3],
                      double sign) {
    const double from[3] = {p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]};
    const double along = (from[0] * direction[0] + from[1] * direction[1]) + from[2] * direction[2];
    const double all = (from[0] * from[0] + from[1] * from[1]) + from[2] * from[2];
    const double beside = all - along * along;
    return sign * along - 0.5 * sqrt(beside > 0 ? beside : 0);
}

typedef struct candidates {
    double point[CANDIDATES][3];
    double promise[CANDIDATES];
    int count;
} candidates;

static void propose(candidates* best, const double p[3], double promise) {
    int place = best->count;
    while (place > 0 && best->promise[place - 1] < promise) {
        --place;
    }
    const int end = best->count < CANDIDATES ? best->count : CANDIDATES - 1;
    if (place >= CANDIDATES) {
        return;
    }
    memmove(best->point[place + 1], best->point[place],
            (size_t)(end - place) * sizeof *best->point);
    memmove(&best->promise[place + 1], &best->promise[place],
            (size_t)(end - place) * sizeof *best->promise);
    memcpy(best->point[place], p, sizeof *best->point);
    best->promise[place] = promise;
    best->count = end + 1;
}

// by vertices that are inside, and by the middles of triangles that are so in part
static bool raise_side(abut__attempt* a, int s) {
    const abut__escape* e = &a->depths->escape;
    const abut__depth_middle* m = find_middles(a, s);
    const double sign = s == 0 ? -1 : 1;
    candidates best = {.count = 0};
    double centre[3];
    centre_of(e, s, centre);
    for (size_t i = 0; i < e->vertex_count[s]; ++i) {
        const double* p = e->points[s].data[i];
        propose(&best, p, promise(p, centre, a->region->direction, sign));
    }
    for (size_t t = 0; t < a->depths->middles.count && m != NULL; ++t) {
        if (m[t].count > 0) {
            const double n = m[t].count;
            const double p[3] = {m[t].sum[0] / n, m[t].sum[1] / n, m[t].sum[2] / n};
            propose(&best, p, promise(p, centre, a->region->direction, sign));
        }
    }
    for (int i = 0; i < best.count && a->region->lower < GOOD * a->region->depth; ++i) {
        raise_lower(a, s, best.point[i]);
    }
    return m != NULL || a->depths->regions.side[s].triangles.count == 0;
}

abut_status abut__attempt_lower(abut__attempt* a) {
    const abut__escape* e = &a->depths->escape;
    bool room = true;
    for (int s = 0; s < 2 && room; ++s) {
        // what of the body around a piece is inside the other one is so elsewhere
        room = (e->contained && !abut__escape_has_piece(e, s)) || raise_side(a, s);
    }
    return room ? ABUT_OK : ABUT_ERR_NO_MEMORY;
}
