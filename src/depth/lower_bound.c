// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Lower bound of the depth of two bodies. A point of one surface that is inside the other body
// stays inside while the body moves by less than the point's distance from the other surface. Each
// such point gives a bound; points in the middle of the overlap give good ones.
//
// A second bound is that of the bodies as a whole. Around a point inside both, each has a ball that
// its surface does not enter: all of it is inside. After a translation that is shorter than the sum
// of the radii the balls overlap, so the bodies do, too. For balls in each other this is the depth.
// Of a region with triangles that touch it says nothing, because other triangles may touch then. A
// piece that is wholly inside (P, translated by t) and the body around it (B), each in one piece,
// remain so: a point is inside both. If P + t touches B, the region is not separated. If not, P + t is inside
// B, or B inside P + t. The first is not separated. The second is impossible: P was inside B, so that
// P reaches less far against t than B does, and P + t even less.
#include <float.h>
#include <math.h>

#include "depth/clearance.h"
#include "depth/depth.h"
#include "query/contains.h"

enum { CANDIDATES = 2 };  // points of each body that are tried
#define ROUGH 0.93        // part of the distance that is enough for balls
#define MORE 1.001        // factor of what is enough
#define GOOD 0.92         // part of the depth: with such a bound no further point is tried

// Raises the bound by a point of one body inside the other: a translation shorter than its
// clearance leaves it inside.
static void raise_lower(abut__attempt* a, int s, const double point[3]) {
    const abut__regions* r = &a->depths->regions;
    int32_t winding;
    if (abut__side_of(r->side[1 - s].body, point, &winding, r->counters) == ABUT_SIDE_INSIDE) {
        double to[3];
        const double clear = abut__clearance(r->side[1 - s].body, point, a->region->depth, 1,
                                             r->counters, to);
        if (clear > a->region->lower) {
            a->region->lower = clear;
            for (int d = 0; d < 3; ++d) {
                a->nearest[d] = s == 0 ? to[d] : -to[d];
            }
        }
    }
}

static void add_to(abut__depth_mean* m, const double p[3]) {
    for (int d = 0; d < 3; ++d) {
        m->sum[d] += p[d];
    }
    ++m->count;
}

// Returns the triangles of one side of the region that touch something: they precede all others.
static const uint32_t* cut_triangles(const abut__attempt* a, int s, size_t* count) {
    const abut__depth_triangle* t = a->depths->regions.side[s].triangles.data;
    const uint32_t* first = a->depths->first[s].data + a->trial.region;
    *count = 0;
    if (first[0] == first[1]) {
        return NULL;
    }
    const uint32_t* order = a->depths->order[s].data + first[0];
    for (; *count < first[1] - first[0] && t[order[*count]].cut; ++*count) {
    }
    return order;
}

// Returns the means of triangles, by their numbers; only those of cut_triangles() are defined.
static abut__depth_mean* find_means(const abut__attempt* a, int s, const uint32_t* cut,
                                    size_t cut_count) {
    abut_depth_result* depths = a->depths;
    const abut__depth_side* side = &depths->regions.side[s];
    const abut_pair* pairs = abut__contents(&depths->work.pairs, NULL);
    const abut_intersection* shared = abut__depths_shared(depths);
    abut__depth_mean* m = abut__renew(depths->context, &depths->means, side->triangles.count);
    if (m == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < cut_count; ++i) {
        m[cut[i]] = (abut__depth_mean){{0, 0, 0}, 0};
    }
    size_t count;
    const uint32_t* numbers = abut__depths_pairs_of(depths, a->trial.region, &count);
    for (size_t i = 0; i < count; ++i) {
        const abut_pair* pair = &pairs[numbers[i]];
        const uint32_t t = abut__depth_number(side, s == 0 ? pair->triangle_a : pair->triangle_b);
        for (uint32_t k = 0; k < shared[numbers[i]].count; ++k) {
            add_to(&m[t], shared[numbers[i]].points[k]);
        }
    }
    for (size_t i = 0; i < cut_count; ++i) {
        for (int c = 0; c < 3 && m[cut[i]].count > 0; ++c) {
            const uint32_t corner = side->triangles.data[cut[i]].corner[c];
            const abut__depth_vertex* v = &side->vertices.data[corner];
            if (v->inside) {
                add_to(&m[cut[i]], v->p);
            }
        }
    }
    return m;
}

// Returns the mean of a side's points in the other body, or the middle of a whole body. It is
// computed once for a region.
static const double* centre_of(abut__overlap* o, int s) {
    const double(*p)[3] = o->points[s].data;
    const double count = (double)o->points[s].count;
    double* out = o->centre[s];
    if (o->has_centre[s]) {
        return out;
    }
    o->has_centre[s] = true;
    if (o->body[s] != NULL) {
        const abut_box box = abut__body_world_box(o->body[s], 1);
        for (int d = 0; d < 3; ++d) {
            out[d] = 0.5 * box.lo[d] + 0.5 * box.hi[d];
        }
        return out;
    }
    out[0] = out[1] = out[2] = 0;
    for (size_t i = 0; i < o->points[s].count; ++i) {
        for (int d = 0; d < 3; ++d) {
            out[d] += p[i][d] / count;
        }
    }
    return out;
}

// scores a point: deep along the direction, and central across it
static double score_of(const double p[3], const double centre[3], const double direction[3],
                       double sign) {
    const double from[3] = {p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]};
    const double along = (from[0] * direction[0] + from[1] * direction[1]) + from[2] * direction[2];
    const double all = (from[0] * from[0] + from[1] * from[1]) + from[2] * from[2];
    const double beside = all - along * along;
    return sign * along - 0.5 * sqrt(beside > 0 ? beside : 0);
}

typedef struct candidates {
    double point[CANDIDATES][3];
    double score[CANDIDATES];
    int count;
} candidates;

static void insert_candidate(candidates* best, const double p[3], double score) {
    int place = best->count;
    while (place > 0 && best->score[place - 1] < score) {
        --place;
    }
    const int end = best->count < CANDIDATES ? best->count : CANDIDATES - 1;
    if (place >= CANDIDATES) {
        return;
    }
    memmove(best->point[place + 1], best->point[place],
            (size_t)(end - place) * sizeof *best->point);
    memmove(&best->score[place + 1], &best->score[place],
            (size_t)(end - place) * sizeof *best->score);
    memcpy(best->point[place], p, sizeof *best->point);
    best->score[place] = score;
    best->count = end + 1;
}

// raises the bound by inside vertices, and by the means of triangles that are partly inside
static bool raise_side(abut__attempt* a, int s) {
    abut__overlap* o = &a->depths->overlap;
    size_t cut_count;
    const uint32_t* cut = cut_triangles(a, s, &cut_count);
    const abut__depth_mean* m = find_means(a, s, cut, cut_count);
    const double sign = s == 0 ? -1 : 1;
    candidates best = {.count = 0};
    const double* centre = centre_of(o, s);
    for (size_t i = 0; i < o->vertex_count[s]; ++i) {
        const double* p = o->points[s].data[i];
        insert_candidate(&best, p, score_of(p, centre, a->region->direction, sign));
    }
    for (size_t i = 0; i < cut_count && m != NULL; ++i) {
        const abut__depth_mean* mean = &m[cut[i]];
        if (mean->count > 0) {
            const double n = mean->count;
            const double p[3] = {mean->sum[0] / n, mean->sum[1] / n, mean->sum[2] / n};
            insert_candidate(&best, p, score_of(p, centre, a->region->direction, sign));
        }
    }
    for (int i = 0; i < best.count && a->region->lower < GOOD * a->region->depth; ++i) {
        raise_lower(a, s, best.point[i]);
    }
    return m != NULL || a->depths->regions.side[s].triangles.count == 0;
}

// the same by the deepest vertex of a body that is wholly inside
static void raise_body(abut__attempt* a, int s) {
    double p[2][3];
    abut__attempt_deepest(a, a->region->direction, p[0], p[1]);
    raise_lower(a, s, p[s]);
}

abut_status abut__attempt_raise_lower(abut__attempt* a) {
    const abut__overlap* o = &a->depths->overlap;
    bool ok = true;
    for (int s = 0; s < 2 && ok; ++s) {
        // inside points of the body around the pieces belong to other regions
        if (o->contained && !abut__overlap_has_piece(o, s)) {
            continue;
        }
        if (o->body[s] != NULL) {
            raise_body(a, s);
        } else {
            ok = raise_side(a, s);
        }
    }
    return ok ? ABUT_OK : ABUT_ERR_NO_MEMORY;
}

static bool is_inside_both(const abut__regions* r, const double point[3]) {
    int32_t winding;
    return abut__side_of(r->side[0].body, point, &winding, r->counters) == ABUT_SIDE_INSIDE &&
           abut__side_of(r->side[1].body, point, &winding, r->counters) == ABUT_SIDE_INSIDE;
}

// returns the side of the piece that is wholly inside
static int inner_side(const abut__overlap* o) {
    return abut__overlap_has_piece(o, 0) ? 0 : 1;
}

// Returns the sum of the radii of two balls around a point, one inside each body, or hardly more
// than `enough`; 0: there are none. The second is of what is wholly inside: of a ball all of the
// surface is equally far from its middle, and a limit spares looking at it.
static double balls_around(const abut__attempt* a, const double point[3], double enough) {
    const abut__regions* r = &a->depths->regions;
    const int inner = inner_side(&a->depths->overlap);
    double to[3];
    if (!is_inside_both(r, point)) {
        return 0;
    }
    const double first = abut__clearance(r->side[1 - inner].body, point, a->region->depth, ROUGH,
                                         r->counters, to);
    return first > enough
               ? first
               : first + abut__clearance(r->side[inner].body, point,
                                         MORE * (enough - first) / ROUGH, ROUGH, r->counters, to);
}

// Lists points about which balls are tried: the middle of what is wholly inside, or else the middle
// between the deepest points; then the middles of the points of each side.
static void list_middles(const abut__attempt* a, double middle[3][3]) {
    abut__overlap* o = &a->depths->overlap;
    double p[3];
    double q[3];
    abut__attempt_deepest(a, a->region->direction, p, q);
    const int inner = inner_side(o);
    for (int d = 0; d < 3; ++d) {
        middle[0][d] = o->contained ? centre_of(o, inner)[d] : 0.5 * (p[d] + q[d]);
        middle[1][d] = centre_of(o, 1 - inner)[d];
        middle[2][d] = o->contained ? 0.5 * (p[d] + q[d]) : centre_of(o, inner)[d];
    }
}

double abut__attempt_least_clean(abut__attempt* a, double enough) {
    const abut__overlap* o = &a->depths->overlap;
    double least = 0;
    double middle[3][3];
    list_middles(a, middle);
    for (int k = 0; k < 3 && least < enough; ++k) {
        const double sum = balls_around(a, middle[k], enough);
        least = sum > least ? sum : least;
    }
    const abut__depth_side* side = a->depths->regions.side;
    if (o->contained && side[0].topology->piece_count == 1 && side[1].topology->piece_count == 1) {
        a->region->lower = least > a->region->lower ? least : a->region->lower;
    }
    return least;
}

bool abut__attempt_nearest_surface(const abut__attempt* a, double to[3]) {
    const abut__regions* r = &a->depths->regions;
    const int inner = inner_side(&a->depths->overlap);
    const double* middle = centre_of(&a->depths->overlap, inner);
    if (!is_inside_both(r, middle)) {
        return false;
    }
    abut__clearance(r->side[1 - inner].body, middle, DBL_MAX, ROUGH, r->counters, to);
    for (int d = 0; d < 3; ++d) {
        to[d] = inner == 0 ? to[d] : -to[d];
    }
    return true;
}
