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
    double left[2];
    if (abut__sweep_next(&back, 1 - to, left)) {
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
    g->first = g->out->count;
    while (from < 1 && g->room && abut__sweep_next(&question, from, open)) {
        add(g, open[0], open[1]);
        from = open[1];
        if (++seen >= PATIENCE && from < 1) {
            from = stride(g, &question, from);
        }
    }
}

// gathers the intervals of each vertex with the other face, and of each two edges
static void gather_features(gatherer* g, const double from[6][3], const double to[6][3],
                            double tolerance) {
    for (uint32_t i = 0; i < 15 && g->room; ++i) {
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

static bool apart_at(const double from[6][3], const double to[6][3], double time) {
    double x[6][3];
    double most = 0;
    for (int i = 0; i < 6; ++i) {
        for (int d = 0; d < 3; ++d) {
            x[i][d] = (1 - time) * from[i][d] + time * to[i][d];
            most = fmax(most, fmax(fabs(from[i][d]), fabs(to[i][d])));
        }
    }
    return !abut__triangles_within((const double(*)[3])x, (const double(*)[3])(x + 3),
                                   0x1p-48 * most + 0x1p-1060);
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
static size_t join(abut__interval* all, size_t count, const double from[6][3],
                   const double to[6][3]) {
    size_t kept = 0;
    double end = 0;
    bool touching = !apart_at(from, to, count > 0 ? 0.5 * all[0].from : 0.5);
    abut__interval now = {0, 0};
    bool open = touching;
    for (size_t i = 0; i < count; ++i) {
        const abut__interval one = all[i];
        if (i > 0 && one.from > end) {
            touching = !apart_at(from, to, end + 0.5 * (one.from - end));
        } else if (i > 0) {
            touching = true;
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
        now.to = end < 1 && !apart_at(from, to, end + 0.5 * (1 - end)) ? 1 : end;
        all[kept++] = now;
    }
    return kept;
}

bool abut__intervals_of_pair(const abut_context* context, const double from[6][3],
                             const double to[6][3], double tolerance,
                             abut__interval_list* intervals) {
    const size_t before = intervals->count;
    gatherer g = {context, intervals, before, true};
    gather_features(&g, from, to, tolerance);
    // one more for contact without any event
    if (!g.room || !abut__reserve(context, intervals, intervals->count + 1)) {
        return false;
    }
    abut__interval* all = ABUT__AT(intervals->data, before);
    sort(all, intervals->count - before);
    intervals->count = before + join(all, intervals->count - before, from, to);
    return true;
}
