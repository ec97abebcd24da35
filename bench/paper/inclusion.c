// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The inclusion-based root finder, as published: F(t, u, v) is the difference of a point of one
// primitive and a point of the other. Boxes of (t, u, v) are halved, breadth first, those with the
// earliest times first. A box remains as long as the box around F at its eight corners, grown by
// the rounding error, contains the origin. F is linear in each of t, u, v, so that box contains F
// on the whole domain. The search ends at the first box of its level that is small, in the domain
// or in space.
//
// Based on: Wang, Ferguson, Schneider, Jiang, Attene, Panozzo, "A Large Scale Benchmark and an
// Inclusion-Based Algorithm for Continuous Collision Detection", ACM Transactions on Graphics 40
// (2021); Snyder, "Interval Analysis for Computer Graphics", SIGGRAPH 1992.
#include "bench/paper/inclusion.h"

#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>

enum { BOXES_MOST = 1000000 };

// A box: [k, k + 1] / 2^level for each of t, u, v.
typedef struct {
    double low[3];
    double high[3];
    uint32_t level;
} domain;

typedef struct {
    domain* all;  // a heap: least level first, then least time
    size_t count;
    size_t room;
} queue;

static bool comes_before(const domain* a, const domain* b) {
    return a->level != b->level ? a->level < b->level : a->low[0] < b->low[0];
}

static void queue_push(queue* q, const domain* d) {
    if (q->count == q->room) {
        q->room = 2 * q->room + 256;
        q->all = realloc(q->all, q->room * sizeof *q->all);
        if (q->all == NULL) {
            bench_die("out of memory");
        }
    }
    size_t at = q->count++;
    while (at > 0 && comes_before(d, &q->all[(at - 1) / 2])) {
        q->all[at] = q->all[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    q->all[at] = *d;
}

static domain queue_pop(queue* q) {
    const domain top = q->all[0];
    const domain last = q->all[--q->count];
    size_t at = 0;
    for (size_t child = 1; child < q->count; child = 2 * at + 1) {
        child += child + 1 < q->count && comes_before(&q->all[child + 1], &q->all[child]);
        if (!comes_before(&q->all[child], &last)) {
            break;
        }
        q->all[at] = q->all[child];
        at = child;
    }
    q->all[at] = last;
    return top;
}

static double difference(const double from[4][3], const double to[4][3], bool edges, double t,
                         double u, double v, int k) {
    double x[4];
    for (int i = 0; i < 4; ++i) {
        x[i] = (to[i][k] - from[i][k]) * t + from[i][k];
    }
    if (edges) {
        return ((x[1] - x[0]) * u + x[0]) - ((x[3] - x[2]) * v + x[2]);
    }
    return x[0] - ((x[2] - x[1]) * u + (x[3] - x[1]) * v + x[1]);
}

// Returns the width of the box of F over a domain, grown by `error`, if it contains the origin;
// else -1.
static double width_around_origin(const double from[4][3], const double to[4][3], bool edges,
                                  const domain* d, const double error[3], bool* inside) {
    double width = 0;
    *inside = true;
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY;
        double high = -INFINITY;
        for (int corner = 0; corner < 8; ++corner) {
            const double f = difference(from, to, edges, (corner & 1) != 0 ? d->high[0] : d->low[0],
                                        (corner & 2) != 0 ? d->high[1] : d->low[1],
                                        (corner & 4) != 0 ? d->high[2] : d->low[2], k);
            low = f < low ? f : low;
            high = f > high ? f : high;
        }
        if (low - error[k] > 0 || high + error[k] < 0) {
            return -1;
        }
        *inside = *inside && low >= -error[k] && high <= error[k];
        width = high - low > width ? high - low : width;
    }
    return width;
}

// Computes the widths of t, u, v below which F moves by less than the tolerance.
static void domain_tolerances(const double from[4][3], const double to[4][3], bool edges,
                              double tolerance, double out[3]) {
    double most[3] = {0, 0, 0};
    for (int corner = 0; corner < 8; ++corner) {
        const double at[3] = {(corner & 1) != 0 ? 1 : 0, (corner & 2) != 0 ? 1 : 0,
                              (corner & 4) != 0 ? 1 : 0};
        for (int axis = 0; axis < 3; ++axis) {
            double other[3] = {at[0], at[1], at[2]};
            other[axis] = 1 - other[axis];
            for (int k = 0; k < 3; ++k) {
                const double change = fabs(
                    difference(from, to, edges, at[0], at[1], at[2], k) -
                    difference(from, to, edges, other[0], other[1], other[2], k));
                most[axis] = change > most[axis] ? change : most[axis];
            }
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        out[axis] = tolerance / (3 * most[axis]);
    }
}

// Bounds the rounding errors of F, by the greatest coordinates.
static void rounding_errors(const double from[4][3], const double to[4][3], bool edges,
                            double out[3]) {
    const double factor = edges ? 6.217248937900877e-15 : 6.661338147750939e-15;
    for (int k = 0; k < 3; ++k) {
        double most = 1;
        for (int i = 0; i < 4; ++i) {
            most = fmax(most, fmax(fabs(from[i][k]), fabs(to[i][k])));
        }
        out[k] = factor * most * most * most;
    }
}

// Returns the axis to halve: the one farthest above its tolerance.
static int widest(const domain* d, const double tolerances[3]) {
    int best = 0;
    for (int axis = 1; axis < 3; ++axis) {
        if ((d->high[axis] - d->low[axis]) * tolerances[best] >
            (d->high[best] - d->low[best]) * tolerances[axis]) {
            best = axis;
        }
    }
    return best;
}

static bool search(const double from[4][3], const double to[4][3], bool edges, double tolerance,
                   queue* q, double* time) {
    double tolerances[3];
    double error[3];
    domain_tolerances(from, to, edges, tolerance, tolerances);
    rounding_errors(from, to, edges, error);
    const domain all = {{0, 0, 0}, {1, 1, 1}, 0};
    queue_push(q, &all);
    uint32_t level = UINT32_MAX;
    double earliest = 0;
    for (size_t boxes = 0; q->count > 0; ++boxes) {
        const domain d = queue_pop(q);
        bool inside;
        const double width = width_around_origin(from, to, edges, &d, error, &inside);
        if (width < 0) {
            continue;
        }
        const bool first = d.level != level;  // the earliest of its level that remains
        level = d.level;
        earliest = first ? d.low[0] : earliest;
        bool tiny = true;
        for (int axis = 0; axis < 3; ++axis) {
            tiny = tiny && d.high[axis] - d.low[axis] <= tolerances[axis];
        }
        if ((first && (tiny || inside || width <= tolerance)) || boxes > BOXES_MOST) {
            *time = earliest;
            return true;
        }
        const int axis = widest(&d, tolerances);
        const double middle = 0.5 * (d.low[axis] + d.high[axis]);
        domain half[2] = {d, d};
        half[0].high[axis] = half[1].low[axis] = middle;
        for (int i = 0; i < 2; ++i) {
            half[i].level = d.level + 1;
            if (edges || half[i].low[1] + half[i].low[2] <= 1) {  // inside the face
                queue_push(q, &half[i]);
            }
        }
    }
    return false;
}

bool inclusion_contact(const double from[4][3], const double to[4][3], bool edges, double tolerance,
                       double* time) {
    static queue q;  // reused, so that allocation is not measured
    q.count = 0;
    return search(from, to, edges, tolerance, &q, time);
}
