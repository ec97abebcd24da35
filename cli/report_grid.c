// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Quantises points: see report_grid.h.
#include "cli/report_grid.h"

#include "cli/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LAST = 65535;   // the largest number
static const double SLACK = 0.125;  // on each side, as a fraction of the extent

typedef struct extent {
    double low[3];
    double high[3];
    double most;  // the longest side
} extent;

static extent extent_of(const double* points, size_t count) {
    extent e = {.most = 0};
    for (size_t i = 0; i < count; ++i) {
        for (int d = 0; d < 3; ++d) {
            const double x = points[3 * i + (size_t)d];
            e.low[d] = i == 0 || x < e.low[d] ? x : e.low[d];
            e.high[d] = i == 0 || x > e.high[d] ? x : e.high[d];
        }
    }
    for (int d = 0; d < 3; ++d) {
        e.most = fmax(e.most, e.high[d] - e.low[d]);
    }
    return e;
}

// One step for all axes, so that a flat body may leave its plane. Near the end of the range of
// doubles there is no slack, and numbers are divided before they are subtracted.
static grid grid_around(const extent* e) {
    grid g = {.step = 0};
    const double slack = SLACK * e->most < 1e300 ? SLACK * e->most : 0;
    for (int d = 0; d < 3; ++d) {
        g.low[d] = e->low[d] - slack;
        g.step = fmax(g.step, (e->high[d] + slack) / LAST - g.low[d] / LAST);
    }
    return g;
}

static bool fits(const extent* e, const grid* g) {
    const double room = LAST * g->step;
    bool good = e->most <= room && (2 * e->most >= room || room == 0);
    for (int d = 0; d < 3; ++d) {
        good = good && e->low[d] >= g->low[d] && (e->high[d] - g->low[d]) <= room;
    }
    return good;
}

static uint16_t on_grid(const grid* g, int d, double x) {
    const double place = g->step > 0 ? (x - g->low[d]) / g->step + 0.5 : 0;
    return place >= LAST ? 65535 : place > 0 ? (uint16_t)place : 0;
}

cloud cloud_make(const double* points, size_t count, const cloud* last) {
    const extent e = extent_of(points, count);
    const bool keep = last != NULL && last->count > 0 && fits(&e, &last->g);
    cloud c = {.g = keep ? last->g : grid_around(&e), .count = count};
    c.words = allocate(3 * count + 1, sizeof *c.words);
    for (int d = 0; d < 3; ++d) {
        for (size_t i = 0; i < count; ++i) {
            c.words[(size_t)d * count + i] = on_grid(&c.g, d, points[3 * i + (size_t)d]);
        }
    }
    return c;
}

void cloud_free(cloud* c) {
    free(c->words);
    *c = (cloud){.count = 0};
}

bool cloud_shares_grid(const cloud* a, const cloud* b) {
    return memcmp(&a->g, &b->g, sizeof a->g) == 0;
}

bool cloud_equal(const cloud* a, const cloud* b) {
    return a->count == b->count && cloud_shares_grid(a, b) &&
           memcmp(a->words, b->words, 3 * a->count * sizeof *a->words) == 0;
}

void cloud_pack(pack* out, const cloud* c, const cloud* last) {
    uint16_t* steps = allocate(3 * c->count + 1, sizeof *steps);
    for (size_t i = 0; i < 3 * c->count; ++i) {
        const uint16_t before = last != NULL        ? last->words[i]
                                : i % c->count == 0 ? (uint16_t)0
                                                    : c->words[i - 1];
        steps[i] = (uint16_t)(c->words[i] - before);
    }
    pack_u16(out, steps, 3 * c->count);
    free(steps);
}

void cloud_pack_grid(pack* out, const cloud* c) {
    const double values[4] = {c->g.low[0], c->g.low[1], c->g.low[2], c->g.step};
    pack_f64(out, values, 4);
}
