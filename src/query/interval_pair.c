// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds when two triangles touch while their corners move on segments. Contact can begin or end
// only when a vertex touches a face or two edges touch. So the times at which one of these 15 pairs
// of features is not proven apart (exact/moving_features.h) are left open, each a very short
// interval about a root. In between the triangles touch all the time or not at all, which one test
// in the middle decides. Only times proven apart are left out: the result contains each time of
// contact.
//
// The test is on rounded corners, off by 3 u M in each coordinate (u = 2^-53, M the greatest one):
// triangles that are 2^-48 M apart there are apart.
//
// Features that slide along each other leave all intervals open, one after the other. After some of
// them the search takes longer strides. Where a stride ends apart, it searches backwards in time
// for the time at which contact ended.
#include <math.h>

#include "exact/moving_features.h"
#include "exact/triangles.h"
#include "query/query.h"

#define PATIENCE 16  // open intervals before strides; three roots make only a few
#define STRIDES 64.0

typedef struct features {
    double x[2][4][3];  // end, point, axis
    bool edges;
} features;

typedef struct gatherer {
    const abut_context* context;
    abut__interval_list* out;
    size_t first;  // of the current pair of features
    bool room;
} gatherer;

// adds an interval; those of one pair of features come in order
static void add(gatherer* g, double from, double to) {
    abut__interval* all = g->out->data;
    if (g->out->count > g->first && all[g->out->count - 1].to >= from) {
        all[g->out->count - 1].to = fmax(all[g->out->count - 1].to, to);
        return;
    }
    abut__interval* next = abut__push(g->context, g->out, 1);
    g->room = g->room && next != NULL;
    if (next != NULL) {
        *next = (abut__interval){from, to};
    }
}

// adds the contact from a stride's begin to its end, or to where it ended; returns the stride's end
static double stride(gatherer* g, const abut__sweep_question* question, double from) {
    const double to = fmin((floor(from * STRIDES) + 1) / STRIDES, 1);
    const abut__sweep_question back = {question->to, question->from, question->edges,
                                       question->tolerance, 0};
    abut__hull hull;
    double left[2];
    if (abut__sweep_open(&back, &hull) && abut__sweep_next(&back, &hull, 1 - to, left)) {
        const double last = left[0] == 1 - to ? to : (1 - left[0]) * (1 + 0x1p-51);
        add(g, from, fmin(fmax(last, from), to));
    }
    return to;
}

static void gather(gatherer* g, const features* f, double tolerance) {
    const abut__sweep_question question = {(const double(*)[3])f->x[0], (const double(*)[3])f->x[1],
                                           f->edges, tolerance, 0};
    double from = 0;
    uint32_t seen = 0;
    double open[2];
    abut__hull hull;
    g->first = g->out->count;
    if (!abut__sweep_open(&question, &hull)) {
        return;
    }
    while (from < 1 && g->room && abut__sweep_next(&question, &hull, from, open)) {
        add(g, open[0], open[1]);
        from = open[1];
        if (++seen >= PATIENCE && from < 1) {
            from = stride(g, &question, from);
        }
    }
}

// gathers the intervals of each vertex with the other face, and of each two edges, among those that
// are open
static void gather_features(gatherer* g, const double from[6][3], const double to[6][3],
                            double tolerance, uint32_t open) {
    for (uint32_t left = open; left != 0 && g->room; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        const uint32_t first = i < 6 ? i : (i - 6) / 3;
        const uint32_t other = i < 3 ? 3 : 0;
        const uint32_t edge = (i - 6) % 3;
        const uint32_t vertices[4] = {first, other, other + 1, other + 2};
        const uint32_t edges[4] = {first, (first + 1) % 3, 3 + edge, 3 + (edge + 1) % 3};
        features f = {.edges = i >= 6};
        for (uint32_t k = 0; k < 4; ++k) {
            const uint32_t corner = f.edges ? edges[k] : vertices[k];
            memcpy(f.x[0][k], from[corner], sizeof f.x[0][k]);
            memcpy(f.x[1][k], to[corner], sizeof f.x[1][k]);
        }
        gather(g, &f, tolerance);
    }
}

// ---- whether the triangles touch between events

// Two triangles, and what lanes tell about the times in the first gaps between their events.
typedef struct probes {
    const double (*from)[3];
    const double (*to)[3];
    double margin;
    uint32_t near;    // the gaps in which they are certainly within the margin, a bit each,
    uint32_t beyond;  // and those in which they are certainly not
} probes;

static bool touch_in_gap(const probes* p, size_t gap, double time) {
    if (gap < ABUT__BATCH && ((p->near | p->beyond) >> gap & 1) != 0) {
        return (p->near >> gap & 1) != 0;
    }
    double x[6][3];
    for (int i = 0; i < 18; ++i) {
        x[i / 3][i % 3] = (1 - time) * p->from[i / 3][i % 3] + time * p->to[i / 3][i % 3];
    }
    return abut__triangles_within((const double(*)[3])x, (const double(*)[3])(x + 3), p->margin);
}

static void probe_times(const abut__kernels* kernels, const double time[ABUT__BATCH],
                        uint32_t count, probes* p) {
    abut__triangle_batch lanes;
    double margin[ABUT__BATCH];
    for (int i = 0; i < 18; ++i) {
        const double from = p->from[i / 3][i % 3];
        const double to = p->to[i / 3][i % 3];
        for (uint32_t k = 0; k < ABUT__BATCH; ++k) {
            lanes.corner[i / 3][i % 3][k] = (1 - time[k]) * from + time[k] * to;
        }
    }
    for (uint32_t k = 0; k < ABUT__BATCH; ++k) {
        margin[k] = p->margin;
    }
    const uint32_t all = (1u << count) - 1;
    p->near = kernels->triangles_filter(&lanes, all).touch & all;
    p->beyond = kernels->triangles_beyond(&lanes, all & ~p->near, margin);
}

// returns the middle of the gap before an interval that begins at `next`
static double middle(double end, double next) {
    return end + 0.5 * (next - end);
}

// decides gaps in lanes: before each interval, and after the last one
static void probe_gaps(const abut__kernels* kernels, const abut__interval* all, size_t count,
                       probes* p) {
    double time[ABUT__BATCH] = {0};
    double end = 0;
    uint32_t gaps = 0;
    for (; gaps <= count && gaps < ABUT__BATCH; ++gaps) {
        time[gaps] = fmin(middle(end, gaps < count ? all[gaps].from : 1), 1);
        end = gaps < count ? fmax(end, all[gaps].to) : end;
    }
    probe_times(kernels, time, gaps, p);
}

static double margin_of(const double from[6][3], const double to[6][3]) {
    double most = 0;
    for (int i = 0; i < 18; ++i) {
        const double x = fabs(from[i / 3][i % 3]);
        const double y = fabs(to[i / 3][i % 3]);
        most = x > most ? x : most;
        most = y > most ? y : most;
    }
    return 0x1p-48 * most + 0x1p-1060;
}

static void sort(abut__interval* all, size_t count) {
    for (size_t i = 1; i < count; ++i) {
        const abut__interval one = all[i];
        size_t k = i;
        for (; k > 0 && all[k - 1].from > one.from; --k) {
            all[k] = all[k - 1];
        }
        all[k] = one;
    }
}

// joins intervals that meet, or between which the triangles touch; in place
static size_t join(abut__interval* all, size_t count, const probes* p) {
    size_t kept = 0;
    double end = 0;
    bool touching = touch_in_gap(p, 0, count > 0 ? middle(0, all[0].from) : 0.5);
    abut__interval now = {0, 0};
    bool open = touching;
    for (size_t i = 0; i < count; ++i) {
        const abut__interval one = all[i];
        if (i > 0) {
            touching = !(one.from > end) || touch_in_gap(p, i, middle(end, one.from));
        }
        if (!touching || !open) {
            if (open) {
                now.to = end;
                all[kept++] = now;
            }
            now.from = one.from;
            open = true;
        }
        end = fmax(end, one.to);
    }
    if (open) {
        now.to = end < 1 && touch_in_gap(p, count, middle(end, 1)) ? 1 : end;
        all[kept++] = now;
    }
    return kept;
}

bool abut__intervals_of_pair(const abut_context* context, const double from[6][3],
                             const double to[6][3], double tolerance,
                             const abut__interval_hints* hints, abut__interval_list* intervals) {
    const size_t before = intervals->count;
    gatherer g = {context, intervals, before, true};
    gather_features(&g, from, to, tolerance, hints->open);
    // one more for contact without any event
    if (!g.room || !abut__reserve(context, intervals, intervals->count + 1)) {
        return false;
    }
    abut__interval* all = ABUT__AT(intervals->data, before);
    const size_t count = intervals->count - before;
    intervals->count = before;
    if (count == 0 && hints->apart_half) {
        return true;
    }
    sort(all, count);
    probes p = {from, to, margin_of(from, to), 0, 0};
    probe_gaps(context->kernels, all, count, &p);
    intervals->count += join(all, count, &p);
    return true;
}
