// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sorted intervals of bodies, and the first upper bounds: see intervals.h.
#include "voronoi/intervals.h"

#include "voronoi/grid_gaps.h"

#define SAMPLED 3u  // number of nearest boxes whose bodies are sampled
#define ROUNDS 2    // of alternating between the two bodies

// ---- sorting

// Returns the axis along which boxes overlap least.
static int choose_axis(const abut__sites* sites) {
    int best = 0;
    double least = INFINITY;
    for (int d = 0; d < 3; ++d) {
        double sum = 0;
        for (size_t b = 0; b < sites->bodies.count; ++b) {
            const abut__site_body* body = &sites->bodies.data[b];
            sum += (double)(body->hi[d] - body->lo[d]);
        }
        sum /= (double)sites->size[d];
        best = sum < least ? d : best;
        least = sum < least ? sum : least;
    }
    return best;
}

bool abut__intervals_sort(const abut_context* context, const abut__sites* sites,
                          abut__intervals* intervals) {
    const size_t count = sites->bodies.count;
    const abut__site_body* bodies = sites->bodies.data;
    abut__keyed* order = abut__renew(context, &intervals->order, 2 * count);
    float* ends = abut__renew(context, &intervals->ends, count);
    float* reach = abut__renew(context, &intervals->reach, count);
    uint32_t* named = abut__renew(context, &intervals->named, count);
    if (order == NULL || ends == NULL || reach == NULL || named == NULL) {
        return false;
    }
    const int d = intervals->axis = choose_axis(sites);
    for (size_t b = 0; b < count; ++b) {
        order[b] = (abut__keyed){abut__key_of_double((double)bodies[b].lo[d]), b};
        reach[b] = INFINITY;
        named[b] = bodies[b].first;
    }
    abut__sort_keyed(order, order + count, count);
    float end = -INFINITY;
    for (size_t i = 0; i < count; ++i) {
        const float high = bodies[order[i].value].hi[d];
        end = high > end ? high : end;
        ends[i] = end;
    }
    return true;
}

void abut__intervals_near(const abut__sites* sites, const abut__intervals* intervals,
                          const float lo[3], const float hi[3], float reach, abut__interval_fn fn,
                          void* user) {
    const abut__keyed* order = intervals->order.data;
    const float* ends = intervals->ends.data;
    const abut__site_body* bodies = sites->bodies.data;
    const int d = intervals->axis;
    const size_t count = sites->bodies.count;
    // Finds the first box that begins above the low end.
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const bool above = bodies[order[middle].value].lo[d] > lo[d];
        high = above ? middle : high;
        low = above ? low : middle + 1;
    }
    for (size_t i = high; i < count; ++i) {
        const abut__site_body* body = &bodies[order[i].value];
        if (body->lo[d] - hi[d] > reach) {
            break;
        }
        const float gap = abut__box_gap(lo, hi, body->lo, body->hi);
        reach = gap <= reach ? fn(user, (uint32_t)order[i].value, gap, reach) : reach;
    }
    for (size_t i = high; i-- > 0 && lo[d] - ends[i] <= reach;) {
        const abut__site_body* body = &bodies[order[i].value];
        const float gap = abut__box_gap(lo, hi, body->lo, body->hi);
        reach = gap <= reach ? fn(user, (uint32_t)order[i].value, gap, reach) : reach;
    }
}

// ---- sampling

// Returns the run of a body that is about nearest to a point: that with the nearest box. The middles
// of boxes count little; they decide between boxes that contain the point.
static uint32_t nearest_run(const abut__sites* sites, const abut__site_body* body,
                            const float p[3]) {
    const uint32_t count = (body->count + ABUT__SITE_RUN - 1) / ABUT__SITE_RUN;
    float least = INFINITY;
    uint32_t best = 0;
    for (uint32_t r = 0; r < count; ++r) {
        const abut__site_run* run = &sites->runs.data[body->first_run + r];
        float square = 0;
        for (int d = 0; d < 3; ++d) {
            const float below = run->lo[d] - p[d];
            const float above = p[d] - run->hi[d];
            const float gap = below > above ? below : above;
            square += (gap > 0 ? gap * gap : 0) + 0x1p-6f * (below - above) * (below - above);
        }
        best = square < least ? r : best;
        least = square < least ? square : least;
    }
    return best;
}

// Returns a triangle of a body whose first corner is near a point: the nearest one of a run.
static uint32_t nearest_corner(const abut__sites* sites, const abut__site_body* body,
                               const float p[3]) {
    const abut__site* site = sites->sites.data + body->first;
    const uint32_t first = nearest_run(sites, body, p) * ABUT__SITE_RUN;
    const uint32_t end = body->count - first < ABUT__SITE_RUN ? body->count
                                                              : first + ABUT__SITE_RUN;
    float least = INFINITY;
    uint32_t best = first;
    for (uint32_t t = first; t < end; ++t) {
        const float* q = site[t].corner[0];
        const float x = q[0] - p[0];
        const float y = q[1] - p[1];
        const float z = q[2] - p[2];
        const float square = x * x + y * y + z * z;
        best = square < least ? t : best;
        least = square < least ? square : least;
    }
    return body->first + best;
}

// Returns the distance of two corners that are near each other, found by alternating searches. The
// farthest corners of boxes would be a bound, too, but a very loose one. `named` receives the
// triangle of the first body.
static float sample(const abut__sites* sites, const abut__site_body* a, const abut__site_body* b,
                    uint32_t* named) {
    float at[3];
    for (int d = 0; d < 3; ++d) {
        at[d] = 0.5f * (b->lo[d] + b->hi[d]);
    }
    const float* p = at;
    const float* q = at;
    for (int round = 0; round < ROUNDS; ++round) {
        *named = nearest_corner(sites, a, q);
        p = sites->sites.data[*named].corner[0];
        q = sites->sites.data[nearest_corner(sites, b, p)].corner[0];
    }
    float square = 0;
    for (int d = 0; d < 3; ++d) {
        square += (p[d] - q[d]) * (p[d] - q[d]);
    }
    return sqrtf(square) * (1 + 0x1p-18f) + 2 * sites->pad;
}

typedef struct nearest_boxes {
    const abut__site_body* own;
    const abut__site_body* bodies;
    abut__meet_fn meet;
    uint32_t count;
    float gap[SAMPLED];
    uint32_t body[SAMPLED];
} nearest_boxes;

// Returns the key of a box. The distance of middles counts little; it decides between overlapping
// boxes.
static float gap_of(const abut__site_body* a, const abut__site_body* b, float gap) {
    float square = 0;
    for (int d = 0; d < 3; ++d) {
        const float step = a->lo[d] + a->hi[d] - b->lo[d] - b->hi[d];
        square += step * step;
    }
    return gap + 0x1p-10f * sqrtf(square);
}

static float take_box(void* user, uint32_t body, float gap, float reach) {
    nearest_boxes* n = user;
    const abut__site_body* other = &n->bodies[body];
    if (other == n->own || !n->meet(n->own->body, other->body)) {
        return reach;
    }
    const float cost = gap_of(n->own, other, gap);
    uint32_t at = n->count < SAMPLED ? n->count++ : SAMPLED;
    while (at > 0 && cost < n->gap[at - 1]) {
        if (at < SAMPLED) {
            n->gap[at] = n->gap[at - 1];
            n->body[at] = n->body[at - 1];
        }
        --at;
    }
    if (at < SAMPLED) {
        n->gap[at] = cost;
        n->body[at] = body;
    }
    return n->count < SAMPLED ? reach : n->gap[SAMPLED - 1];
}

typedef struct sampling {
    const abut__sites* sites;
    const abut__intervals* intervals;
    abut__meet_fn meet;
} sampling;

static void sample_body(void* argument, uint32_t b, uint32_t worker) {
    const sampling* s = argument;
    const abut__site_body* bodies = s->sites->bodies.data;
    nearest_boxes near = {.own = &bodies[b], .bodies = bodies, .meet = s->meet};
    float least = INFINITY;
    (void)worker;
    abut__intervals_near(s->sites, s->intervals, bodies[b].lo, bodies[b].hi, INFINITY, take_box,
                         &near);
    for (uint32_t i = 0; i < near.count; ++i) {
        uint32_t named = 0;
        const float distance = sample(s->sites, &bodies[b], &bodies[near.body[i]], &named);
        s->intervals->named.data[b] = distance < least ? named : s->intervals->named.data[b];
        least = distance < least ? distance : least;
    }
    s->intervals->reach.data[b] = least;
}

void abut__intervals_sample(const abut_context* context, const abut__sites* sites,
                            abut__meet_fn meet, abut__intervals* intervals) {
    sampling s = {sites, intervals, meet};
    abut__run_tasks(context, (uint32_t)sites->bodies.count, sample_body, &s);
}

void abut__intervals_free(const abut_context* context, abut__intervals* intervals) {
    abut__drop(context, &intervals->order);
    abut__drop(context, &intervals->reach);
    abut__drop(context, &intervals->ends);
    abut__drop(context, &intervals->named);
}
