// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Small enclosing balls: see ball.h.
#include "bound/ball.h"

#include <math.h>
#include <string.h>

#include "base/rounding.h"

#define CORE_MOST 10u       // greatest size of the core-set
#define STEPS 60u           // of the centre towards the farthest item of the core-set
#define CLOSE_ENOUGH 1.005  // ratio of the farthest item to the farthest of the core-set

double abut__distance_up(const double a[3], const double b[3]) {
    const double d[3] = {fabs(a[0] - b[0]), fabs(a[1] - b[1]), fabs(a[2] - b[2])};
    const double most = fmax(d[0], fmax(d[1], d[2]));
    if (!(most > 0x1p-400 && most < 0x1p+400)) {
        return 2 * most;  // 2 > sqrt(3); 0 stays 0
    }
    // The relative rounding error of differences, squares, sums and root is below 6 x 2^-53.
    return sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]) * (1 + 0x1p-49);
}

// Returns the greatest distance from a centre to the far side of an item; `which` gets that item.
static double farthest(const abut__ball* items, size_t count, const double c[3], size_t* which) {
    double most = -1;
    for (size_t i = 0; i < count; ++i) {
        const double reach = abut__distance_up(items[i].c, c) + items[i].r;
        if (reach > most) {
            most = reach;
            *which = i;
        }
    }
    return most;
}

// The same among the items of the core-set.
static double farthest_of_core(const abut__ball* items, const size_t* core, size_t count,
                               const double c[3], size_t* which) {
    double most = -1;
    for (size_t i = 0; i < count; ++i) {
        const double reach = abut__distance_up(items[core[i]].c, c) + items[core[i]].r;
        if (reach > most) {
            most = reach;
            *which = core[i];
        }
    }
    return most;
}

// Moves the centre towards the farthest item of the core-set, by ever smaller steps, and keeps the
// best place; returns its greatest distance to the far side of an item. Steps go towards an item's
// centre: its farthest point would lead out of the box of the centres.
static double improve_centre(const abut__ball* items, const size_t* core, size_t count,
                             double c[3]) {
    double place[3];
    double best = INFINITY;
    memcpy(place, items[core[0]].c, sizeof place);
    for (unsigned i = 0; i < STEPS; ++i) {
        size_t far = core[0];
        const double reach = farthest_of_core(items, core, count, place, &far);
        if (reach < best) {
            best = reach;
            memcpy(c, place, sizeof place);
        }
        for (int d = 0; d < 3; ++d) {
            place[d] += (items[far].c[d] - place[d]) / (i + 2);
        }
    }
    return best;
}

static void minimal_centre(const abut__ball* items, size_t count, double c[3]) {
    size_t core[CORE_MOST];
    double reached = -1;
    memcpy(c, items[0].c, 3 * sizeof *c);
    for (unsigned n = 0; n < CORE_MOST; ++n) {
        core[n] = 0;
        if (farthest(items, count, c, &core[n]) <= CLOSE_ENOUGH * reached) {
            return;
        }
        if (n > 0) {
            reached = improve_centre(items, core, n + 1, c);
        } else {
            memcpy(c, items[core[0]].c, 3 * sizeof *c);
        }
    }
}

static void mean_centre(const abut__ball* items, size_t count, double c[3]) {
    const double share = 1 / (double)count;
    c[0] = c[1] = c[2] = 0;
    for (size_t i = 0; i < count; ++i) {
        for (int d = 0; d < 3; ++d) {
            c[d] += share * items[i].c[d];
        }
    }
}

abut__ball abut__ball_around(const abut__ball* items, size_t count, abut__centre_rule rule) {
    abut__ball ball;
    if (rule == ABUT__CENTRE_MEAN) {
        mean_centre(items, count, ball.c);
    } else {
        minimal_centre(items, count, ball.c);
    }
    for (int d = 0; d < 3; ++d) {
        const float rounded = (float)ball.c[d];
        ball.c[d] = isfinite(rounded) ? (double)rounded : 0;
    }
    size_t which = 0;
    const double reach = farthest(items, count, ball.c, &which);
    ball.r = (double)abut__round_up(reach * (1 + 0x1p-50));  // covers the rounding of the sum
    return ball;
}
