// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shared by the tests of sweeps over keyframes: animations, and all pairs of features in their
// segments.
#ifndef ABUT_TESTS_TEST_SWEEP_FLIGHT_SUPPORT_H
#define ABUT_TESTS_TEST_SWEEP_FLIGHT_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gmp.h>

#include "query/query.h"
#include "support/everywhere.h"
#include "support/memory.h"
#include "support/swept_oracle.h"
#include "support/swept_pairs.h"
#include "support/world.h"
#include "test_sweep_cases.h"

enum { KNOTS = 24 };

// a body during a step
typedef struct path {
    abut_body_id body;
    const surface* s;
    uint32_t count;
    double at[KNOTS];
    double* xyz[KNOTS];
    uint32_t (*edges)[2];
    uint32_t edge_count;
} path;

static inline path path_make(abut_body_id body, const surface* s) {
    path p = {.body = body, .s = s};
    p.edges = test_alloc(3 * (size_t)s->triangle_count, sizeof *p.edges);
    for (uint32_t i = 0; i < 3 * s->triangle_count; ++i) {
        const uint32_t a = s->triangles[i];
        const uint32_t b = s->triangles[i / 3 * 3 + (i + 1) % 3];
        const uint32_t low = a < b ? a : b;
        const uint32_t high = a < b ? b : a;
        bool known = false;
        for (uint32_t e = 0; e < p.edge_count; ++e) {
            known = known || (p.edges[e][0] == low && p.edges[e][1] == high);
        }
        if (!known) {
            p.edges[p.edge_count][0] = low;
            p.edges[p.edge_count++][1] = high;
        }
    }
    return p;
}

static inline void path_free(path* p) {
    for (uint32_t k = 0; k < p->count; ++k) {
        free(p->xyz[k]);
    }
    free(p->edges);
}

static inline void path_clear(path* p) {
    for (uint32_t k = 0; k < p->count; ++k) {
        free(p->xyz[k]);
    }
    p->count = 0;
}

static inline double* path_add(path* p, double at) {
    REQUIRE(p->count < KNOTS);
    p->at[p->count] = at;
    p->xyz[p->count] = test_alloc(3 * (size_t)p->s->vertex_count, sizeof(double));
    return p->xyz[p->count++];
}

// reads the current positions of the body
static inline void path_look(const world* w, path* p, double at, bool in_world) {
    double* xyz = path_add(p, at);
    for (uint32_t v = 0; v < p->s->vertex_count; ++v) {
        REQUIRE_OK((in_world ? abut_body_world_vertex
                             : abut_body_vertex)(w->scene, p->body, v, xyz + 3 * (size_t)v, NULL));
    }
}

static inline void path_at(const path* p, uint32_t vertex, double at, double out[3]) {
    uint32_t k = 0;
    while (k + 1 < p->count && p->at[k + 1] <= at) {
        ++k;
    }
    for (uint32_t d = 0; d < 3; ++d) {
        const double a = p->xyz[k][3 * vertex + d];
        const bool there = k + 1 == p->count || p->at[k] == at;
        const double b = there ? a : p->xyz[k + 1][3 * vertex + d];
        const double part = there ? 0 : (at - p->at[k]) / (p->at[k + 1] - p->at[k]);
        out[d] = a == b ? a : (1 - part) * a + part * b;
    }
}

// ---- one pair of features

typedef struct feature_pair {
    const path* of[2];
    abut_contact_kind kind;
    uint32_t vertex[4];  // of the first, then of the second
    uint32_t first;      // number of vertices of the first feature
} feature_pair;

static inline void corners_at(const feature_pair* f, double at, double x[4][3]) {
    for (uint32_t i = 0; i < 4; ++i) {
        path_at(f->of[i < f->first ? 0 : 1], f->vertex[i], at, x[i]);
    }
}

static inline double longest_edge(const feature_pair* f, const double x[4][3]) {
    double longest = 0;
    for (uint32_t i = 0; i < 4; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            if ((i < f->first) == (j < f->first)) {
                const double e[3] = {x[i][0] - x[j][0], x[i][1] - x[j][1], x[i][2] - x[j][2]};
                longest = fmax(longest, sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]));
            }
        }
    }
    return longest;
}

static inline bool boxes_meet(const feature_pair* f, double x[2][4][3], double margin) {
    for (int d = 0; d < 3; ++d) {
        double lo[2] = {INFINITY, INFINITY};
        double hi[2] = {-INFINITY, -INFINITY};
        for (uint32_t i = 0; i < 8; ++i) {
            const int side = i / 2 < f->first ? 0 : 1;
            lo[side] = fmin(lo[side], x[i % 2][i / 2][d]);
            hi[side] = fmax(hi[side], x[i % 2][i / 2][d]);
        }
        if (lo[0] > hi[1] + margin || lo[1] > hi[0] + margin) {
            return false;
        }
    }
    return true;
}

typedef struct truth {
    bool contact;
    bool at_start;
    double time;
} truth;

// The first contact over all segments. An oracle decides exactly; without one, the function for one
// pair does.
static inline truth truth_of(const feature_pair* f, const double* splits, uint32_t count,
                             swept_oracle* exact, double margin) {
    const bool edges = f->kind == ABUT_CONTACT_EDGE_EDGE;
    for (uint32_t k = 0; k + 1 < count; ++k) {
        double x[2][4][3];
        corners_at(f, splits[k], x[0]);
        corners_at(f, splits[k + 1], x[1]);
        if (f->kind == ABUT_CONTACT_FACE_VERTEX) {  // the vertex comes first
            for (int end = 0; end < 2; ++end) {
                double vertex[3];
                memcpy(vertex, x[end][3], sizeof vertex);
                memmove(x[end][1], x[end][0], 3 * sizeof vertex);
                memcpy(x[end][0], vertex, sizeof vertex);
            }
        }
        feature_pair order = *f;
        order.first = edges ? 2 : 1;
        if (!boxes_meet(&order, x, margin)) {
            continue;
        }
        const double length = splits[k + 1] - splits[k];
        if (exact != NULL) {
            const swept_truth t = swept_oracle_ask(exact, (const double(*)[3])x[0],
                                                   (const double(*)[3])x[1], edges, 1);
            if (t.contact) {
                return (truth){true, k == 0 && t.at_start, splits[k] + t.first * length};
            }
            continue;
        }
        abut_sweep_contact c;
        REQUIRE_OK((edges ? abut_edge_edge_sweep : abut_vertex_face_sweep)(
            NULL, 1, (const double(*)[4][3])x[0], (const double(*)[4][3])x[1],
            ABUT_TOLERANCE_DEFAULT, margin, &c));
        if (c.verdict != ABUT_SWEEP_VERDICT_NONE) {
            return (truth){true, k == 0 && c.time == 0, splits[k] + c.time * length};
        }
    }
    return (truth){false, false, INFINITY};
}

// ---- contacts

static inline bool is_of(const abut_sweep_pair* p, const feature_pair* f) {
    bool same = p->kind == f->kind && p->body_a == f->of[0]->body.index &&
                p->body_b == f->of[1]->body.index;
    for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t got = i < f->first ? p->vertices_a[i] : p->vertices_b[i - f->first];
        same = same && got == f->vertex[i];
    }
    return same;
}

// the distance of the two points of a contact at its time
static inline double gap_of(const feature_pair* f, const abut_sweep_pair* p) {
    double x[4][3];
    double sum = 0;
    corners_at(f, p->time, x);
    for (int d = 0; d < 3; ++d) {
        double gap = 0;
        for (uint32_t i = 0; i < 4; ++i) {
            gap += i < f->first ? p->weights_a[i] * x[i][d] : -p->weights_b[i - f->first] * x[i][d];
        }
        sum += gap * gap;
    }
    return sqrt(sum);
}

typedef struct comparison {
    const world* w;
    const double* splits;
    uint32_t split_count;
    swept_oracle* exact;
    double margin;
    const abut_sweep_pair* got;
    size_t got_count;
    size_t matched;
    size_t contacts;
    size_t near;
} comparison;

static inline void compare(comparison* c, const feature_pair* f) {
    const truth t = truth_of(f, c->splits, c->split_count, c->exact, c->margin);
    const abut_sweep_pair* found = NULL;
    for (size_t i = 0; i < c->got_count; ++i) {
        if (is_of(&c->got[i], f)) {
            REQUIRE(found == NULL);  // each pair at most once
            found = &c->got[i];
        }
    }
    c->contacts += t.contact;
    if (found == NULL) {
        REQUIRE(!t.contact);
        return;
    }
    ++c->matched;
    c->near += !t.contact;
    double x[4][3];
    corners_at(f, found->time, x);
    double reach = 0;
    for (int i = 0; i < 12; ++i) {
        reach = fmax(reach, fabs(x[i / 3][i % 3]));
    }
    double longest = 0;
    for (uint32_t k = 0; k < c->split_count; ++k) {
        corners_at(f, c->splits[k], x);
        longest = fmax(longest, longest_edge(f, (const double(*)[3])x));
    }
    REQUIRE(found->undecided || gap_of(f, found) <= c->margin + 1e-6 * longest + 1e-12 * reach);
    if (t.contact) {
        // with an exact oracle no time is late, but may be early; otherwise both times are lower
        // bounds
        REQUIRE(c->exact != NULL ? found->time <= t.time * (1 + 1e-14)
                                 : fabs(found->time - t.time) < 1e-3);
        REQUIRE((found->time == 0) == t.at_start);
    }
}

static inline void compare_vertices(comparison* c, const path* v, const path* f, bool swapped) {
    for (uint32_t i = 0; i < v->s->vertex_count; ++i) {
        for (uint32_t t = 0; t < f->s->triangle_count; ++t) {
            const uint32_t* k = f->s->triangles + 3 * (size_t)t;
            if (v == f && (k[0] == i || k[1] == i || k[2] == i)) {
                continue;
            }
            const feature_pair pair =
                swapped
                    ? (feature_pair){{f, v}, ABUT_CONTACT_FACE_VERTEX, {k[0], k[1], k[2], i}, 3}
                    : (feature_pair){{v, f}, ABUT_CONTACT_VERTEX_FACE, {i, k[0], k[1], k[2]}, 1};
            compare(c, &pair);
        }
    }
}

static inline void compare_edges(comparison* c, const path* a, const path* b) {
    for (uint32_t i = 0; i < a->edge_count; ++i) {
        for (uint32_t j = 0; j < b->edge_count; ++j) {
            const uint32_t* e = a->edges[i];
            const uint32_t* f = b->edges[j];
            const bool later = e[0] < f[0] || (e[0] == f[0] && e[1] < f[1]);
            if (a == b &&
                (!later || e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1])) {
                continue;
            }
            const feature_pair pair = {{a, b}, ABUT_CONTACT_EDGE_EDGE, {e[0], e[1], f[0], f[1]}, 2};
            compare(c, &pair);
        }
    }
}

static inline uint32_t merge(const path* a, const path* b, double splits[2 * KNOTS]) {
    uint32_t count = 0;
    for (uint32_t i = 0, j = 0; i < a->count || j < b->count;) {
        const double x = i < a->count ? a->at[i] : INFINITY;
        const double y = j < b->count ? b->at[j] : INFINITY;
        splits[count++] = fmin(x, y);
        i += x <= y;
        j += y <= x;
    }
    return count;
}

static inline comparison check(const world* w, const path* a, const path* b,
                               const abut_sweep_def* def, swept_oracle* exact) {
    double splits[2 * KNOTS];
    comparison c = {.w = w, .splits = splits, .exact = exact};
    c.split_count = merge(a, b, splits);
    c.margin = def != NULL ? def->margin : 0;
    REQUIRE_OK(a == b ? abut_sweep_self(w->scene, a->body, def, w->swept, NULL)
                      : abut_sweep(w->scene, a->body, b->body, def, w->swept, NULL));
    c.got = abut_sweep_result_pairs(w->swept, &c.got_count);
    compare_vertices(&c, a, b, false);
    if (a != b) {
        compare_vertices(&c, b, a, true);
    }
    compare_edges(&c, a, b);
    REQUIRE(c.matched == c.got_count);
    return c;
}

// ---- animations

typedef struct animation {
    surface s;
    uint32_t count;
    double time[KNOTS];
    double* xyz[KNOTS];
    abut_keyframe keys[KNOTS];
} animation;

static inline animation animation_make(const surface* s, test_random* random, uint32_t count,
                                       double range, double step) {
    animation a = {.s = surface_copy(s), .count = count};
    for (uint32_t k = 0; k < count; ++k) {
        surface moved = surface_copy(s);
        surface_shake(&moved, random, range, step);
        a.time[k] = k;
        a.xyz[k] = moved.xyz;
        free(moved.triangles);
        a.keys[k] = (abut_keyframe){a.time[k], abut_positions_f64(a.xyz[k], s->vertex_count)};
    }
    return a;
}

static inline void animation_free(animation* a) {
    for (uint32_t k = 0; k < a->count; ++k) {
        free(a->xyz[k]);
    }
    surface_free(&a->s);
}

static inline abut_body_id animation_add(world* w, const animation* a, int bound) {
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.keyframes = a->keys;
    def.keyframe_count = a->count;
    def.bound = bound;
    return world_add(w, &a->s, &def, NULL);
}

// steps over no keyframe, one or several, forwards and backwards, beyond both ends; all times are
// dyadic
static const double steps[][2] = {{0.25, 0.5}, {0.5, 1.5},  {0.5, 4.5}, {4.25, 0.25}, {-1, 1},
                                  {3, 1},      {-0.5, 7.5}, {6, 5},     {2, 2.5},     {1.5, 1.5}};
enum { STEPS = sizeof steps / sizeof steps[0] };

#endif  // ABUT_TESTS_TEST_SWEEP_FLIGHT_SUPPORT_H
