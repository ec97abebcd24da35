// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sweeps of bodies that turn on the way, against all pairs and every segment: vertices go on polylines
// through knots, which the test knows from keys and public positions. Where all is dyadic each
// segment is decided by exact integers, elsewhere by what is asked one by one.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gmp.h>

#include "query/query.h"
#include "support/memory.h"
#include "support/swept_oracle.h"
#include "support/threads.h"
#include "support/world.h"
#include "test_sweep_cases.h"

enum { KNOTS = 24 };

// a body on its way through a step
typedef struct path {
    abut_body_id body;
    const surface* s;
    uint32_t count;
    double at[KNOTS];
    double* xyz[KNOTS];
    uint32_t (*edges)[2];
    uint32_t edge_count;
} path;

static path path_make(abut_body_id body, const surface* s) {
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

static void path_free(path* p) {
    for (uint32_t k = 0; k < p->count; ++k) {
        free(p->xyz[k]);
    }
    free(p->edges);
}

static void path_clear(path* p) {
    for (uint32_t k = 0; k < p->count; ++k) {
        free(p->xyz[k]);
    }
    p->count = 0;
}

static double* path_add(path* p, double at) {
    REQUIRE(p->count < KNOTS);
    p->at[p->count] = at;
    p->xyz[p->count] = test_alloc(3 * (size_t)p->s->vertex_count, sizeof(double));
    return p->xyz[p->count++];
}

// where the body is now
static void path_look(const world* w, path* p, double at, bool in_world) {
    double* xyz = path_add(p, at);
    for (uint32_t v = 0; v < p->s->vertex_count; ++v) {
        REQUIRE_OK((in_world ? abut_body_world_vertex : abut_body_vertex)(w->scene, p->body, v,
                                                                          xyz + 3 * (size_t)v));
    }
}

static void path_at(const path* p, uint32_t vertex, double at, double out[3]) {
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
    abut_sweep_kind kind;
    uint32_t vertex[4];  // of the first, then of the second
    uint32_t first;      // so many are of the first
} feature_pair;

static void corners_at(const feature_pair* f, double at, double x[4][3]) {
    for (uint32_t i = 0; i < 4; ++i) {
        path_at(f->of[i < f->first ? 0 : 1], f->vertex[i], at, x[i]);
    }
}

static double longest_edge(const feature_pair* f, const double x[4][3]) {
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

static bool boxes_meet(const feature_pair* f, double x[2][4][3], double margin) {
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

// the first contact over all segments; an oracle decides exactly, none: what is asked one by one
static truth truth_of(const feature_pair* f, const double* splits, uint32_t count,
                      swept_oracle* exact, double margin) {
    const bool edges = f->kind == ABUT_SWEEP_EDGE_EDGE;
    for (uint32_t k = 0; k + 1 < count; ++k) {
        double x[2][4][3];
        corners_at(f, splits[k], x[0]);
        corners_at(f, splits[k + 1], x[1]);
        if (f->kind == ABUT_SWEEP_FACE_VERTEX) {  // the vertex comes first
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
        REQUIRE_OK((edges ? abut_sweep_edge_edge : abut_sweep_vertex_face)(
            NULL, 1, (const double(*)[4][3])x[0], (const double(*)[4][3])x[1], ABUT_SWEEP_TOLERANCE,
            margin, &c));
        if (c.verdict != ABUT_SWEEP_NONE) {
            return (truth){true, k == 0 && c.time == 0, splits[k] + c.time * length};
        }
    }
    return (truth){false, false, INFINITY};
}

// ---- what was found

static bool is_of(const abut_swept_pair* p, const feature_pair* f) {
    bool same = p->kind == f->kind && p->body_a == f->of[0]->body.index &&
                p->body_b == f->of[1]->body.index;
    for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t got = i < f->first ? p->vertex_a[i] : p->vertex_b[i - f->first];
        same = same && got == f->vertex[i];
    }
    return same;
}

// how far apart the points are that a contact names, at its time
static double gap_of(const feature_pair* f, const abut_swept_pair* p) {
    double x[4][3];
    double sum = 0;
    corners_at(f, p->time, x);
    for (int d = 0; d < 3; ++d) {
        double gap = 0;
        for (uint32_t i = 0; i < 4; ++i) {
            gap += i < f->first ? p->weight_a[i] * x[i][d] : -p->weight_b[i - f->first] * x[i][d];
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
    const abut_swept_pair* got;
    size_t got_count;
    size_t matched;
    size_t contacts;
    size_t near;
} comparison;

static void compare(comparison* c, const feature_pair* f) {
    const truth t = truth_of(f, c->splits, c->split_count, c->exact, c->margin);
    const abut_swept_pair* found = NULL;
    for (size_t i = 0; i < c->got_count; ++i) {
        if (is_of(&c->got[i], f)) {
            REQUIRE(found == NULL);  // once
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
        // exact truth: nothing is late, but may have come near before; else both are lower bounds
        REQUIRE(c->exact != NULL ? found->time <= t.time * (1 + 1e-14)
                                 : fabs(found->time - t.time) < 1e-3);
        REQUIRE((found->time == 0) == t.at_start);
    }
}

static void compare_vertices(comparison* c, const path* v, const path* f, bool swapped) {
    for (uint32_t i = 0; i < v->s->vertex_count; ++i) {
        for (uint32_t t = 0; t < f->s->triangle_count; ++t) {
            const uint32_t* k = f->s->triangles + 3 * (size_t)t;
            if (v == f && (k[0] == i || k[1] == i || k[2] == i)) {
                continue;
            }
            const feature_pair pair =
                swapped ? (feature_pair){{f, v}, ABUT_SWEEP_FACE_VERTEX, {k[0], k[1], k[2], i}, 3}
                        : (feature_pair){{v, f}, ABUT_SWEEP_VERTEX_FACE, {i, k[0], k[1], k[2]}, 1};
            compare(c, &pair);
        }
    }
}

static void compare_edges(comparison* c, const path* a, const path* b) {
    for (uint32_t i = 0; i < a->edge_count; ++i) {
        for (uint32_t j = 0; j < b->edge_count; ++j) {
            const uint32_t* e = a->edges[i];
            const uint32_t* f = b->edges[j];
            const bool later = e[0] < f[0] || (e[0] == f[0] && e[1] < f[1]);
            if (a == b &&
                (!later || e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1])) {
                continue;
            }
            const feature_pair pair = {{a, b}, ABUT_SWEEP_EDGE_EDGE, {e[0], e[1], f[0], f[1]}, 2};
            compare(c, &pair);
        }
    }
}

static uint32_t merge(const path* a, const path* b, double splits[2 * KNOTS]) {
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

static comparison check(const world* w, const path* a, const path* b, const abut_query_def* def,
                        swept_oracle* exact) {
    double splits[2 * KNOTS];
    comparison c = {.w = w, .splits = splits, .exact = exact};
    c.split_count = merge(a, b, splits);
    c.margin = def != NULL ? def->margin : 0;
    REQUIRE_OK(a == b ? abut_sweep_self(w->scene, a->body, def, w->result)
                      : abut_sweep(w->scene, a->body, b->body, def, w->result));
    c.got = abut_result_sweeps(w->result, &c.got_count);
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
    abut_key keys[KNOTS];
} animation;

static animation animation_make(const surface* s, test_random* random, uint32_t count, double range,
                                double step) {
    animation a = {.s = surface_copy(s), .count = count};
    for (uint32_t k = 0; k < count; ++k) {
        surface moved = surface_copy(s);
        surface_shake(&moved, random, range, step);
        a.time[k] = k;
        a.xyz[k] = moved.xyz;
        free(moved.triangles);
        a.keys[k] = (abut_key){a.time[k], abut_positions_f64(a.xyz[k], s->vertex_count)};
    }
    return a;
}

static void animation_free(animation* a) {
    for (uint32_t k = 0; k < a->count; ++k) {
        free(a->xyz[k]);
    }
    surface_free(&a->s);
}

static abut_body_id animation_add(world* w, const animation* a, abut_bound bound) {
    abut_shape_def def = abut_shape_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.keys = a->keys;
    def.key_count = a->count;
    def.bound = bound;
    return world_add(w, &a->s, &def, NULL);
}

static void apply(const abut_frame* frame, double x[3]) {
    const double p[3] = {x[0], x[1], x[2]};
    for (int d = 0; d < 3; ++d) {
        const double* r = frame->r[d];
        x[d] = ((r[0] * p[0] + r[1] * p[1]) + r[2] * p[2]) + frame->t[d];
    }
}

// a key's positions at a time of the step, in the world
static void path_key(path* p, const animation* a, uint32_t key, double at,
                     const abut_frame frames[2]) {
    double* xyz = path_add(p, at);
    memcpy(xyz, a->xyz[key], 3 * (size_t)a->s.vertex_count * sizeof *xyz);
    for (uint32_t v = 0; v < a->s.vertex_count && frames != NULL; ++v) {
        double from[3];
        memcpy(from, xyz + 3 * v, sizeof from);
        double to[3];
        memcpy(to, xyz + 3 * v, sizeof to);
        apply(&frames[0], from);
        apply(&frames[1], to);
        for (uint32_t d = 0; d < 3; ++d) {
            xyz[3 * v + d] = from[d] == to[d] ? from[d] : (1 - at) * from[d] + at * to[d];
        }
    }
}

// a step of an animated body; frames: NULL, or before and after
static void animation_step(const world* w, const animation* a, double from, double to,
                           const abut_frame frames[2], path* p) {
    path_clear(p);
    if (frames != NULL) {
        REQUIRE_OK(abut_body_set_frame(w->scene, p->body, &frames[0], NULL));
    }
    REQUIRE_OK(abut_body_set_time(w->scene, p->body, from, NULL));
    path_look(w, p, 0, frames != NULL);
    for (uint32_t i = 0; i < a->count && from != to; ++i) {
        const uint32_t key = to > from ? i : a->count - 1 - i;
        const double time = a->time[key];
        if (to > from ? time > from && time < to : time < from && time > to) {
            path_key(p, a, key, (time - from) / (to - from), frames);
        }
    }
    REQUIRE_OK(abut_body_set_time(w->scene, p->body, to, NULL));
    if (frames != NULL) {
        REQUIRE_OK(abut_body_set_frames(w->scene, p->body, &frames[0], &frames[1], NULL));
    }
    path_look(w, p, 1, frames != NULL);
}

// steps over no key, one, several, forwards and backwards, beyond both ends; all of them dyadic
static const double steps[][2] = {{0.25, 0.5}, {0.5, 1.5},  {0.5, 4.5}, {4.25, 0.25}, {-1, 1},
                                  {3, 1},      {-0.5, 7.5}, {6, 5},     {2, 2.5},     {1.5, 1.5}};
enum { STEPS = sizeof steps / sizeof steps[0] };

static void free_step(const world* w, const surface* s, test_random* random, double range,
                      double step, path* p) {
    surface moved = surface_copy(s);
    path_clear(p);
    for (int end = 0; end < 2; ++end) {
        surface_shake(&moved, random, range, step);
        REQUIRE_OK(abut_body_set_positions(w->scene, p->body,
                                           abut_positions_f64(moved.xyz, s->vertex_count), NULL));
        path_look(w, p, end, false);
    }
    surface_free(&moved);
}

// ---- tests

static void test_dyadic_steps_match_integers(void** state) {
    (void)state;
    swept_oracle* exact = swept_oracle_create();
    size_t contacts = 0;
    size_t near = 0;
    for (uint32_t seed = 1; seed <= effort(1, 4, 40); ++seed) {
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        surface sheet = surface_sheet(3, 2, 2);
        surface_shift(&sheet, -1, -1, 0);
        animation one = animation_make(&sheet, &random, 6, 0.75, 0x1p-3);
        animation two = animation_make(&sheet, &random, 4, 0.75, 0x1p-3);
        two.time[1] = two.keys[1].time = 0.75;  // keys of its own
        path p[4] = {path_make(animation_add(&w, &one, ABUT_BOUND_AUTO), &one.s),
                     path_make(animation_add(&w, &two, ABUT_BOUND_AUTO), &two.s),
                     path_make(world_add(&w, &sheet, NULL, NULL), &sheet),
                     path_make(world_add(&w, &sheet, NULL, NULL), &sheet)};
        path_look(&w, &p[3], 0, false);  // it stands
        path_look(&w, &p[3], 1, false);
        for (uint32_t i = 0; i < STEPS; ++i) {
            where("seed %u, step from %g to %g", seed, steps[i][0], steps[i][1]);
            animation_step(&w, &one, steps[i][0], steps[i][1], NULL, &p[0]);
            animation_step(&w, &two, 0.5 * steps[i][0], 0.5 * steps[i][1], NULL, &p[1]);
            free_step(&w, &sheet, &random, 0.75, 0x1p-3, &p[2]);
            const uint32_t pairs[][2] = {{0, 0}, {0, 1}, {1, 0}, {0, 2}, {2, 1}, {3, 0}, {1, 1}};
            for (uint32_t k = 0; k < sizeof pairs / sizeof pairs[0]; ++k) {
                const comparison c = check(&w, &p[pairs[k][0]], &p[pairs[k][1]], NULL, exact);
                contacts += c.contacts;
                near += c.near;
            }
        }
        for (int k = 0; k < 4; ++k) {
            path_free(&p[k]);
        }
        animation_free(&one);
        animation_free(&two);
        surface_free(&sheet);
        world_free(&w);
    }
    swept_oracle_destroy(exact);
    print_message("%zu contacts, %zu near\n", contacts, near);
    assert_true(contacts > 1000);
}

// any times, frames that turn, margins
static void test_steps_match_segments(void** state) {
    (void)state;
    size_t contacts = 0;
    for (uint32_t seed = 1; seed <= effort(2, 6, 60); ++seed) {
        test_random random = random_seed(seed + 50);
        world w = world_make(NULL, NULL);
        surface sheet = surface_sheet(4, 3, 2);
        surface_shift(&sheet, -1, -1, 0);
        animation one = animation_make(&sheet, &random, 5, 0.3, 0x1p-30);
        animation two = animation_make(&sheet, &random, 7, 0.3, 0x1p-30);
        path p[3] = {path_make(animation_add(&w, &one, ABUT_BOUND_AUTO), &one.s),
                     path_make(animation_add(&w, &two, ABUT_BOUND_AUTO), &two.s),
                     path_make(world_add(&w, &sheet, NULL, NULL), &sheet)};
        for (uint32_t i = 0; i < 4; ++i) {
            const double from = random_double(&random, -1, 6);
            const double to = i == 3 ? from + 0.3 : random_double(&random, -1, 6);
            where("seed %u, step from %g to %g", seed, from, to);
            const abut_frame fixed = abut_frame_identity();
            abut_frame frames[2] = {frame_random(&random, 0.2), frame_random(&random, 0.2)};
            if (seed % 3 == 1) {
                frames[0] = frames[1];
            }
            const abut_frame* both = seed % 3 == 0 ? NULL : frames;
            if (both == NULL) {
                REQUIRE_OK(abut_body_set_frame(w.scene, p[0].body, &fixed, NULL));
            }
            animation_step(&w, &one, from, to, both, &p[0]);
            animation_step(&w, &two, 0.3 * from, 0.9 * to, NULL, &p[1]);
            free_step(&w, &sheet, &random, 0.3, 0x1p-30, &p[2]);
            abut_query_def def = abut_query_def_default();
            for (int k = 0; k < 2; ++k) {
                def.margin = k == 0 ? 0 : 0.0137;
                contacts += check(&w, &p[0], &p[1], &def, NULL).contacts;
                contacts += check(&w, &p[2], &p[0], &def, NULL).contacts;
                contacts += check(&w, &p[1], &p[1], &def, NULL).contacts;
                if (seed % 3 == 2) {  // in the world
                    contacts += check(&w, &p[0], &p[0], &def, NULL).contacts;
                }
            }
        }
        for (int k = 0; k < 3; ++k) {
            path_free(&p[k]);
        }
        animation_free(&one);
        animation_free(&two);
        surface_free(&sheet);
        world_free(&w);
    }
    print_message("%zu contacts\n", contacts);
    assert_true(contacts > 1000);
}

// ---- a key on the line

// two triangles with these corners at both ends, the second primitive's by keys
typedef struct duel {
    double xyz[2][2][9];  // primitive, end, corners
    double middle[9];     // of the second at a quarter of the way, exactly
    double far[9];        // beyond the step
} duel;

static duel duel_make(const sweep_case* c) {
    duel d;
    for (uint32_t i = 0; i < 9; ++i) {
        const uint32_t corner = i / 3;
        for (uint32_t end = 0; end < 2; ++end) {
            const double(*x)[3] = c->x[end];
            const uint32_t first = c->edges && corner == 1 ? 1 : 0;
            const uint32_t second = c->edges ? (corner == 0 ? 2 : 3) : 1 + corner;
            d.xyz[0][end][i] = x[first][i % 3];
            d.xyz[1][end][i] = x[second][i % 3];
        }
        d.middle[i] = 0.75 * d.xyz[1][0][i] + 0.25 * d.xyz[1][1][i];
        d.far[i] = d.xyz[1][1][i];
    }
    return d;
}

static bool is_asked(const abut_swept_pair* p, bool edges) {
    return edges ? p->kind == ABUT_SWEEP_EDGE_EDGE && p->vertex_a[0] == 0 && p->vertex_a[1] == 1 &&
                       p->vertex_b[0] == 0 && p->vertex_b[1] == 1
                 : p->kind == ABUT_SWEEP_VERTEX_FACE && p->vertex_a[0] == 0;
}

// The first one's positions at the key are rounded, the second one's are exact and on the line: so the
// truth is that of the whole step.
static bool check_duel(world* w, const sweep_case* c, swept_oracle* exact) {
    surface s = surface_make(3, 1);
    memcpy(s.triangles, (const uint32_t[]){0, 1, 2}, 3 * sizeof(uint32_t));
    const duel d = duel_make(c);
    const abut_key keys[3] = {{0, abut_positions_f64(d.xyz[1][0], 3)},
                              {1, abut_positions_f64(d.middle, 3)},
                              {4, abut_positions_f64(d.far, 3)}};
    abut_shape_def def = abut_shape_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.keys = keys;
    def.key_count = 3;
    memcpy(s.xyz, d.xyz[0][0], sizeof d.xyz[0][0]);
    const abut_body_id a = world_add(w, &s, NULL, NULL);
    const abut_body_id b = world_add(w, &s, &def, NULL);
    for (int end = 0; end < 2; ++end) {
        REQUIRE_OK(
            abut_body_set_positions(w->scene, a, abut_positions_f64(d.xyz[0][end], 3), NULL));
        REQUIRE_OK(abut_body_set_time(w->scene, b, 4 * end, NULL));
    }
    REQUIRE_OK(abut_sweep(w->scene, a, b, NULL, w->result));
    size_t count = 0;
    const abut_swept_pair* got = abut_result_sweeps(w->result, &count);
    const abut_swept_pair* found = NULL;
    for (size_t i = 0; i < count; ++i) {
        found = is_asked(&got[i], c->edges) ? &got[i] : found;
    }
    // nothing touches up to the time, that itself included
    const double until = found != NULL ? nextafter(found->time, 2) : 1;
    const swept_truth t = swept_oracle_ask(exact, c->x[0], c->x[1], c->edges, until);
    REQUIRE(found != NULL || !t.contact);
    REQUIRE(found == NULL || found->time == 0 || found->time == 0x1p-1074 || !t.before);
    REQUIRE(found == NULL || (found->time == 0) == t.at_start);
    REQUIRE_OK(abut_body_destroy(w->scene, a, NULL));
    REQUIRE_OK(abut_body_destroy(w->scene, b, NULL));
    surface_free(&s);
    return t.contact;
}

static void test_rounded_places_lose_nothing(void** state) {
    (void)state;
    swept_oracle* exact = swept_oracle_create();
    world w = world_make(NULL, NULL);
    uint32_t contacts = 0;
    for (uint32_t i = 0; i < effort(4000, 10000, 400000); ++i) {
        test_random random = random_seed(900 + i);
        sweep_case c = {.edges = random_chance(&random, 0.5)};
        sweep_make_touch(&random, &c);
        const uint32_t moved = c.edges ? 6 : 3;  // numbers of the first primitive, at either end
        for (int k = random_between(&random, 1, 4); k > 0; --k) {
            double* x = &c.x[random_below(&random, 2)][0][0] + random_below(&random, moved);
            *x = nextafter(*x, random_chance(&random, 0.5) ? 1e300 : -1e300);
        }
        where("case %u", i);
        contacts += check_duel(&w, &c, exact);
    }
    print_message("%u contacts\n", contacts);
    assert_true(contacts > 1000);
    world_free(&w);
    swept_oracle_destroy(exact);
}

// ---- plans

static void give_plans(const world* w, test_random* random, abut_body_id body, const surface* s,
                       double time, bool all, double acceleration) {
    double* speed = test_alloc(3 * (size_t)s->vertex_count, sizeof *speed);
    uint32_t* ids = test_alloc(s->vertex_count, sizeof *ids);
    uint32_t count = 0;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        if (all || random_chance(random, 0.4)) {
            for (uint32_t d = 0; d < 3; ++d) {
                speed[3 * count + d] = random_double(random, -1, 1);
            }
            ids[count++] = v;
        }
    }
    const abut_plans plans = {.time = time,
                              .vertices = all ? NULL : ids,
                              .vertex_count = all ? 0 : count,
                              .velocities = abut_positions_f64(speed, count),
                              .acceleration = {0, 0, all ? acceleration : 0}};
    if (count > 0) {
        REQUIRE_OK(abut_body_set_plans(w->scene, body, &plans, NULL));
    }
    free(speed);
    free(ids);
}

// steps by plans, within spans and beyond them, new ones in between, and jumps
static void test_plans_match_segments(void** state) {
    (void)state;
    size_t contacts = 0;
    size_t refused = 0;
    size_t steps_swept = 0;
    for (uint32_t seed = 1; seed <= effort(4, 8, 100); ++seed) {
        test_random random = random_seed(seed + 300);
        world w = world_make(NULL, NULL);
        surface sheet = surface_sheet(4, 3, 2);
        surface_shift(&sheet, -1, -1, 0);
        animation keys = animation_make(&sheet, &random, seed % 2 == 0 ? 1 : 4, 0.3, 0x1p-30);
        path p[2] = {path_make(animation_add(&w, &keys,
                                             seed % 2 == 0 ? ABUT_BOUND_AUTO : ABUT_BOUND_KINETIC),
                               &keys.s),
                     path_make(world_add(&w, &sheet, NULL, NULL), &sheet)};
        path_look(&w, &p[1], 0, false);
        path_look(&w, &p[1], 1, false);
        double time = 0;
        const bool mixed = seed % 4 >= 2;  // some go by keys, or rest
        REQUIRE_OK(abut_body_set_time(w.scene, p[0].body, time, NULL));
        give_plans(&w, &random, p[0].body, &sheet, time, !mixed, 0);
        for (uint32_t step = 0; step < 30; ++step) {
            const double jump = random_chance(&random, 0.1) ? random_double(&random, -1, 1) : 0;
            const double last = time;
            time += 0.03 + 0.2 * jump;
            where("seed %u, step %u from %g to %g", seed, step, last, time);
            path_clear(&p[0]);
            path_look(&w, &p[0], 0, false);
            for (uint32_t k = 0; k < keys.count && keys.count > 1 && mixed; ++k) {
                const double at = (k - last) / (time - last);
                if (at > 0 && at < 1) {  // to be seen at that time
                    REQUIRE_OK(abut_body_set_time(w.scene, p[0].body, k, NULL));
                    path_look(&w, &p[0], at, false);
                    REQUIRE_OK(abut_body_set_time(w.scene, p[0].body, last, NULL));
                }
            }
            REQUIRE_OK(abut_body_set_time(w.scene, p[0].body, time, NULL));
            path_look(&w, &p[0], 1, false);
            // back over a key there may be no boxes at it: that is told
            ++steps_swept;
            const bool back = mixed && time < last && p[0].count > 2;
            if (back && abut_sweep_self(w.scene, p[0].body, NULL, w.result) == ABUT_ERR_STATE) {
                ++refused;
            } else {
                contacts += check(&w, &p[0], &p[0], NULL, NULL).contacts;
                contacts += check(&w, &p[0], &p[1], NULL, NULL).contacts;
            }
            if (step % 7 == 6) {
                give_plans(&w, &random, p[0].body, &sheet, time, !mixed, 0);
                REQUIRE_STATUS(abut_sweep_self(w.scene, p[0].body, NULL, w.result), ABUT_ERR_STATE);
            }
        }
        path_free(&p[0]);
        path_free(&p[1]);
        animation_free(&keys);
        surface_free(&sheet);
        world_free(&w);
    }
    print_message("%zu contacts, %zu of %zu steps refused\n", contacts, refused, steps_swept);
    assert_true(contacts > 100 && refused <= steps_swept / 50);
}

// a small body and a large floor: boxes at both ends of a jump matter
static void test_jumps_by_plans(void** state) {
    (void)state;
    test_random random = random_seed(77);
    world w = world_make(NULL, NULL);
    surface floor = surface_sheet(20, 20, 20);
    surface small = surface_sheet(1, 1, 1);
    surface_shift(&small, 3.3, 3.4, 1);
    animation still = animation_make(&small, &random, 1, 0, 1);
    const abut_body_id body = animation_add(&w, &still, ABUT_BOUND_KINETIC);
    const abut_body_id ground = world_add(&w, &floor, NULL, NULL);
    const double down[12] = {0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1};
    const abut_plans plans = {.positions = abut_positions_f64(small.xyz, 4),
                              .velocities = abut_positions_f64(down, 4)};
    double last = 0;
    uint32_t met = 0;
    for (uint32_t step = 0; step < 400; ++step) {
        if (step % 3 == 0) {  // spans begin anew, and with small steps they are short
            REQUIRE_OK(abut_body_set_plans(w.scene, body, &plans, NULL));
            last += 0.01;
            REQUIRE_OK(abut_body_set_time(w.scene, body, last, NULL));
        }
        const double time = random_double(&random, -2, 4);
        where("step %u from %g to %g", step, last, time);
        REQUIRE_OK(abut_body_set_time(w.scene, body, time, NULL));
        for (int all = 0; all < 2; ++all) {
            REQUIRE_OK(all != 0 ? abut_sweep_all(w.scene, NULL, w.result)
                                : abut_sweep(w.scene, body, ground, NULL, w.result));
            const bool meets = fmin(last, time) <= 1 && fmax(last, time) >= 1;  // z = 1 - time
            REQUIRE(abut_result_touching(w.result) == meets);
            met += meets;
            if (meets) {
                const double when = (1 - last) / (time - last);
                const double got = abut_result_sweep_time(w.result);
                REQUIRE(got <= when * (1 + 1e-14) && got > when - 1e-4);
            }
        }
        last = time;
    }
    assert_true(met > 50);
    animation_free(&still);
    surface_free(&small);
    surface_free(&floor);
    world_free(&w);
}

// a common acceleration leaves the lines: within a body, and between two that do so alike, that does not
// matter; else it is refused
static void test_acceleration(void** state) {
    (void)state;
    size_t contacts = 0;
    for (uint32_t seed = 1; seed <= 6; ++seed) {
        test_random random = random_seed(seed + 500);
        world w = world_make(NULL, NULL);
        surface sheet = surface_sheet(4, 3, 2);
        animation keys = animation_make(&sheet, &random, 1, 0.3, 0x1p-30);
        path p[3];
        for (int i = 0; i < 3; ++i) {
            p[i] = path_make(animation_add(&w, &keys,
                                           seed % 2 == 0 ? ABUT_BOUND_AUTO : ABUT_BOUND_KINETIC),
                             &keys.s);
            REQUIRE_OK(abut_body_set_time(w.scene, p[i].body, 0, NULL));
            give_plans(&w, &random, p[i].body, &sheet, 0, true, i < 2 ? -9.75 : 0);
        }
        for (uint32_t step = 0; step < 25; ++step) {
            where("seed %u, step %u", seed, step);
            for (int i = 0; i < 3; ++i) {
                path_clear(&p[i]);
                path_look(&w, &p[i], 0, false);
                REQUIRE_OK(abut_body_set_time(w.scene, p[i].body, 0.02 * (step + 1), NULL));
                path_look(&w, &p[i], 1, false);
            }
            contacts += check(&w, &p[0], &p[0], NULL, NULL).contacts;
            contacts += check(&w, &p[0], &p[1], NULL, NULL).contacts;
            REQUIRE_STATUS(abut_sweep(w.scene, p[2].body, p[1].body, NULL, w.result),
                           ABUT_ERR_STATE);
            abut_body_id bad;
            uint32_t vertex;
            abut_result_bad_vertex(w.result, &bad, &vertex);
            REQUIRE(bad.index == p[1].body.index);
        }
        REQUIRE_OK(abut_sweep_self_all(w.scene, NULL, w.result));
        for (int i = 0; i < 3; ++i) {
            path_free(&p[i]);
        }
        animation_free(&keys);
        surface_free(&sheet);
        world_free(&w);
    }
    print_message("%zu contacts\n", contacts);
    assert_true(contacts > 1000);
}

// ---- proofs

// a cloth that waves, and at one key is folded far over, through itself
static animation cloth_make(const surface* s, test_random* random, bool folded) {
    animation a = animation_make(s, random, 4, 0, 1);
    for (uint32_t k = 0; k < a.count; ++k) {
        for (uint32_t v = 0; v < s->vertex_count; ++v) {
            double* x = a.xyz[k] + 3 * (size_t)v;
            const double at[2] = {x[0], x[1]};
            x[2] = 0.1 * sin(3 * at[0] + k) - 0.3 * k;
            if (folded && k == 2 && at[0] > 1.5 && at[1] > 0.7) {
                x[0] = 3 - at[0];
                x[2] -= 0.4 * (at[0] - 1.5);
            }
        }
    }
    return a;
}

// the same as a free body, part by part; contacts of all parts, each once
static size_t count_by_parts(world* w, const animation* a, const double times[2], double* first) {
    const abut_body_id body = world_add(w, &a->s, NULL, NULL);
    const abut_body_id flight = animation_add(w, a, ABUT_BOUND_AUTO);
    path p = path_make(flight, &a->s);
    animation_step(w, a, times[0], times[1], NULL, &p);
    abut_swept_pair* all = NULL;
    size_t count = 0;
    *first = INFINITY;
    for (uint32_t k = 0; k + 1 < p.count; ++k) {
        REQUIRE_OK(
            abut_body_borrow_step(w->scene, body, abut_positions_f64(p.xyz[k], a->s.vertex_count),
                                  abut_positions_f64(p.xyz[k + 1], a->s.vertex_count), NULL));
        REQUIRE_OK(abut_sweep_self(w->scene, body, NULL, w->result));
        size_t found = 0;
        const abut_swept_pair* got = abut_result_sweeps(w->result, &found);
        for (size_t i = 0; i < found; ++i) {
            bool known = false;
            for (size_t j = 0; j < count && !known; ++j) {
                known = got[i].kind == all[j].kind &&
                        memcmp(got[i].vertex_a, all[j].vertex_a, sizeof got[i].vertex_a) == 0 &&
                        memcmp(got[i].vertex_b, all[j].vertex_b, sizeof got[i].vertex_b) == 0;
            }
            if (!known) {
                all = realloc(all, (count + 1) * sizeof *all);
                assert_non_null(all);
                all[count++] = got[i];
            }
            *first = fmin(*first, p.at[k] + got[i].time * (p.at[k + 1] - p.at[k]));
        }
    }
    free(all);
    path_free(&p);
    REQUIRE_OK(abut_body_destroy(w->scene, body, NULL));
    REQUIRE_OK(abut_body_destroy(w->scene, flight, NULL));
    return count;
}

static void test_proofs_over_keys(void** state) {
    (void)state;
    test_random random = random_seed(3);
    surface sheet = surface_sheet(32, 32, 2);
    for (int folded = 0; folded < 2; ++folded) {
        animation a = cloth_make(&sheet, &random, folded != 0);
        world w = world_make(NULL, NULL);
        const double times[2] = {0.2, 2.9};
        double first = 0;
        where("folded %d", folded);
        const size_t wanted = count_by_parts(&w, &a, times, &first);
        const abut_body_id body = animation_add(&w, &a, ABUT_BOUND_AUTO);
        REQUIRE_OK(abut_body_set_time(w.scene, body, times[0], NULL));
        REQUIRE_OK(abut_body_set_time(w.scene, body, times[1], NULL));
        abut_counters work = {0};
        abut_query_def def = abut_query_def_default();
        def.counters = &work;
        REQUIRE_OK(abut_sweep_self(w.scene, body, &def, w.result));
        size_t count = 0;
        (void)abut_result_sweeps(w.result, &count);
        print_message("%zu contacts, %llu nodes proven apart, %llu asked\n", count,
                      (unsigned long long)work.nodes_apart, (unsigned long long)work.exact_tests);
        REQUIRE(count == wanted && (count > 0) == (folded != 0) && work.nodes_apart > 0);
        REQUIRE(folded == 0 ? work.exact_tests == 0
                            : fabs(abut_result_sweep_time(w.result) - first) < 1e-9);
        world_free(&w);
        animation_free(&a);
    }
    surface_free(&sheet);
}

// what passes through within a key and is back again is found, and only near the body is work done
static void test_settings_and_scene(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface floor = surface_sheet(20, 20, 20);
    surface small = surface_sheet(1, 1, 1);
    surface_shift(&small, 3.3, 3.4, 1);
    test_random random = random_seed(7);
    animation a = animation_make(&small, &random, 5, 0, 1);
    for (uint32_t k = 0; k < 5; ++k) {
        for (uint32_t v = 0; v < small.vertex_count; ++v) {
            a.xyz[k][3 * v + 2] = k % 2 == 0 ? 1 : -1;
        }
    }
    const abut_body_id body = animation_add(&w, &a, ABUT_BOUND_AUTO);
    const abut_body_id ground = world_add(&w, &floor, NULL, NULL);
    REQUIRE_OK(abut_body_set_time(w.scene, body, 0, NULL));
    REQUIRE_OK(abut_body_set_time(w.scene, body, 4, NULL));  // where it began
    abut_counters counters = {0};
    abut_query_def def = abut_query_def_default();
    def.counters = &counters;
    REQUIRE_OK(abut_sweep(w.scene, ground, body, &def, w.result));
    size_t count = 0;
    const abut_swept_pair* got = abut_result_sweeps(w.result, &count);
    REQUIRE(count > 0 && counters.hits == count && counters.blocks_evaluated < 40);
    for (size_t i = 0; i < count; ++i) {  // a quarter of a way of four
        REQUIRE(got[i].time <= 0.125 && got[i].time > 0.125 - 1e-6);
    }
    const size_t all = count;
    REQUIRE_OK(abut_sweep_all(w.scene, NULL, w.result));
    abut_result_sweeps(w.result, &count);
    REQUIRE(count == all);
    REQUIRE_OK(abut_sweep_self_all(w.scene, NULL, w.result));
    REQUIRE(!abut_result_touching(w.result));
    def.any = true;
    REQUIRE_OK(abut_sweep(w.scene, body, ground, &def, w.result));
    REQUIRE(abut_result_touching(w.result));
    def.any = false;
    def.first = true;
    REQUIRE_OK(abut_sweep(w.scene, body, ground, &def, w.result));
    REQUIRE(fabs(abut_result_sweep_time(w.result) - 0.125) < 1e-6);
    REQUIRE_OK(abut_body_set_time(w.scene, body, 3.5, NULL));  // back, not quite: up to contact
    REQUIRE_OK(abut_sweep(w.scene, body, ground, NULL, w.result));
    REQUIRE(fabs(abut_result_sweep_time(w.result) - 1) < 1e-6);
    REQUIRE_OK(abut_body_set_time(w.scene, body, 4, NULL));
    REQUIRE_OK(abut_sweep(w.scene, body, ground, NULL, w.result));
    REQUIRE(abut_result_sweep_time(w.result) == 0);
    a.xyz[1][4] = NAN;  // read by nobody but a sweep over that key
    REQUIRE_OK(abut_body_set_time(w.scene, body, 0, NULL));
    REQUIRE_OK(abut_body_set_time(w.scene, body, 2, NULL));
    REQUIRE_STATUS(abut_sweep(w.scene, body, ground, NULL, w.result), ABUT_ERR_INVALID_DATA);
    abut_body_id bad;
    uint32_t vertex;
    abut_result_bad_vertex(w.result, &bad, &vertex);
    REQUIRE(bad.index == body.index && vertex == 1);
    animation_free(&a);
    surface_free(&small);
    surface_free(&floor);
    world_free(&w);
}

// Keys so close to each other that the step has them at the same time, or just after the other: the
// earliest contacts are all that are found at the earliest time, whichever part finds them.
static void test_first_at_keys_that_coincide(void** state) {
    (void)state;
    size_t contacts = 0;
    for (uint32_t seed = 1; seed <= effort(60, 200, 2000); ++seed) {
        test_random random = random_seed(seed + 800);
        surface sheet = surface_sheet(3, 2, 1);
        animation one = animation_make(&sheet, &random, 6, 0.4, 0x1p-25);
        animation two = animation_make(&sheet, &random, 3, 0.4, 0x1p-25);
        for (uint32_t i = 2; i < 3 * sheet.vertex_count; i += 3) {
            one.xyz[0][i] += 3;
            one.xyz[1][i] += 3;  // and then it jumps
        }
        one.time[2] = one.keys[2].time = nextafter(1, 2);
        one.time[3] = one.keys[3].time = nextafter(one.time[2], 2);
        one.time[4] = one.keys[4].time = 1 + 1e-14;
        world w = world_make(NULL, NULL);
        const abut_body_id ids[2] = {animation_add(&w, &one, ABUT_BOUND_AUTO),
                                     animation_add(&w, &two, ABUT_BOUND_AUTO)};
        const double from[2] = {random_double(&random, 0, 0.99), random_double(&random, 0, 0.99)};
        const double to = random_double(&random, 1.1, 5);
        for (int b = 0; b < 2; ++b) {
            REQUIRE_OK(abut_body_set_time(w.scene, ids[b], from[b], NULL));
            REQUIRE_OK(abut_body_set_time(w.scene, ids[b], to, NULL));
        }
        where("seed %u", seed);
        REQUIRE_OK(abut_sweep(w.scene, ids[0], ids[1], NULL, w.result));
        size_t count = 0;
        const abut_swept_pair* got = abut_result_sweeps(w.result, &count);
        const double time = abut_result_sweep_time(w.result);
        abut_swept_pair* wanted = test_alloc(count + 1, sizeof *wanted);
        size_t kept = 0;
        for (size_t i = 0; i < count; ++i) {
            if (got[i].time == time) {
                wanted[kept++] = got[i];
            }
        }
        abut_query_def def = abut_query_def_default();
        def.first = true;
        REQUIRE_OK(abut_sweep(w.scene, ids[0], ids[1], &def, w.result));
        got = abut_result_sweeps(w.result, &count);
        REQUIRE(count == kept);
        REQUIRE(count == 0 || memcmp(got, wanted, count * sizeof *got) == 0);
        contacts += count;
        free(wanted);
        world_free(&w);
        animation_free(&one);
        animation_free(&two);
        surface_free(&sheet);
    }
    print_message("%zu first contacts\n", contacts);
    assert_true(contacts > effort(60, 200, 2000));
}

static void run_everywhere(const abut_context_def* def, abut_swept_pair** reference,
                           size_t* reference_count, abut_counters* work) {
    test_random random = random_seed(11);
    surface sheet = surface_sheet(16, 16, 2);
    animation one = animation_make(&sheet, &random, 5, 0.1, 0x1p-30);
    animation two = animation_make(&sheet, &random, 4, 0.1, 0x1p-30);
    world w = world_make(def, NULL);
    const abut_body_id bodies[3] = {animation_add(&w, &one, ABUT_BOUND_AUTO),
                                    animation_add(&w, &two, ABUT_BOUND_AUTO),
                                    world_add(&w, &sheet, NULL, NULL)};
    for (int end = 0; end < 2; ++end) {
        REQUIRE_OK(abut_body_set_time(w.scene, bodies[0], end == 0 ? 0.3 : 3.7, NULL));
        REQUIRE_OK(abut_body_set_time(w.scene, bodies[1], end == 0 ? 2.2 : 0.1, NULL));
        surface_shift(&sheet, 0.01, 0, 0.02);
        world_move(&w, bodies[2], sheet.xyz);
    }
    abut_counters counters = {0};
    abut_query_def query = abut_query_def_default();
    query.counters = &counters;
    REQUIRE_OK(abut_sweep_all(w.scene, &query, w.result));
    size_t count = 0;
    const abut_swept_pair* got = abut_result_sweeps(w.result, &count);
    if (*reference == NULL) {
        *reference = test_alloc(count, sizeof **reference);
        memcpy(*reference, got, count * sizeof *got);
        *reference_count = count;
        *work = counters;
        REQUIRE(count > 100 && counters.hits == count);
    }
    REQUIRE(count == *reference_count && memcmp(got, *reference, count * sizeof *got) == 0);
    REQUIRE(memcmp(&counters, work, sizeof counters) == 0);
    world_free(&w);
    animation_free(&one);
    animation_free(&two);
    surface_free(&sheet);
}

static void test_same_answers_everywhere(void** state) {
    (void)state;
    abut_swept_pair* reference = NULL;
    size_t count = 0;
    abut_counters work = {0};
    for (uint32_t workers = 1; workers <= 4; ++workers) {
        for (abut_isa isa = ABUT_ISA_SCALAR; isa <= ABUT_ISA_AVX512; ++isa) {
            test_threads* threads = threads_create(workers, workers > 1 ? workers : 0);
            abut_context_def def = abut_context_def_default();
            def.tasks = threads_tasks(threads);
            def.isa = isa;
            abut_context* probe = NULL;
            where("%u workers, instruction set %d", workers, (int)isa);
            if (abut_context_create(&def, &probe, NULL) == ABUT_OK) {
                abut_context_destroy(probe);
                run_everywhere(&def, &reference, &count, &work);
            }
            threads_destroy(threads);
        }
    }
    free(reference);
}

// ---- times

// A number between two others, at random: of any size, and often their neighbours.
static double between(test_random* random, double low, double high) {
    const double at = random_chance(random, 0.3)
                          ? random_double(random, 0, 1)
                          : ldexp(random_double(random, 0.5, 1), -(int)random_below(random, 60));
    double x = low + at * (high - low);
    x = random_chance(random, 0.1) ? low : random_chance(random, 0.1) ? high : x;
    return fmin(fmax(x, low), high);
}

// Times of parts become times of the step: before the exact ones, as nothing may touch at them, but not
// by much. Only what touches at the start of the step is at 0.
static void test_times_are_rounded_down(void** state) {
    (void)state;
    mpq_t sum;
    mpq_t from;
    mpq_t got;
    mpq_inits(sum, from, got, NULL);
    for (uint32_t i = 0; i < effort(20000, 100000, 2000000); ++i) {
        test_random random = random_seed(i);
        const double scale = random_chance(&random, 0.1) ? 0x1p-1040 : 1;
        abut__span part = {.first = random_chance(&random, 0.3)};
        part.from = part.first ? 0 : scale * between(&random, 0, 1);
        part.to = random_chance(&random, 0.1) ? 1 : scale * between(&random, part.from / scale, 1);
        const double time = between(&random, 0, 1);
        where("case %u: %a of %a to %a", i, time, part.from, part.to);
        mpq_set_d(sum, part.to);
        mpq_set_d(from, part.from);
        mpq_sub(sum, sum, from);
        mpq_set_d(got, time);
        mpq_mul(sum, sum, got);
        mpq_add(sum, sum, from);
        const double time_of_step = abut__span_time(&part, time);
        mpq_set_d(got, time_of_step);
        const int order = mpq_cmp(got, sum);
        const double exact = mpq_get_d(sum);  // towards 0
        REQUIRE((time_of_step == 0) == (part.first && time == 0));
        REQUIRE(part.first && part.to == 1 ? order == 0 : order < 0 || time_of_step <= 0x1p-1074);
        REQUIRE(time_of_step >= exact * (exact < 0x1p-899 ? 0.49 : 1 - 0x1p-49));
    }
    mpq_clears(sum, from, got, NULL);
}

// ---- memory

// Every allocation of a step over keys is refused once: that is told, whatever it was for, and the same
// objects answer when they are asked again.
static void test_no_memory_is_told(void** state) {
    (void)state;
    test_memory memory;
    memory_init(&memory);
    abut_context_def def = abut_context_def_default();
    def.allocator = memory_allocator(&memory);
    test_random random = random_seed(3);
    surface sheet = surface_sheet(5, 4, 2);
    animation one = animation_make(&sheet, &random, 5, 0.3, 0x1p-30);
    animation two = animation_make(&sheet, &random, 5, 0.3, 0x1p-30);
    size_t contacts = 0;
    size_t calls = 0;
    for (size_t call = 0; call <= calls; ++call) {
        world w = world_make(&def, NULL);
        const abut_body_id a = animation_add(&w, &one, ABUT_BOUND_AUTO);
        const abut_body_id b = animation_add(&w, &two, ABUT_BOUND_AUTO);
        for (int end = 0; end < 2; ++end) {
            REQUIRE_OK(abut_body_set_time(w.scene, a, 4 * end, NULL));
            REQUIRE_OK(abut_body_set_time(w.scene, b, 3.5 * end, NULL));
        }
        where("allocation %zu of %zu refused", call, calls);
        memory_fail(&memory, call, false);
        abut_status status = abut_sweep(w.scene, a, b, NULL, w.result);
        const bool told = status != ABUT_OK;
        status = told ? status : abut_sweep_self(w.scene, a, NULL, w.result);
        calls = call > 0 ? calls : memory.calls;
        memory_fail(&memory, 0, false);
        size_t count = 0;
        (void)abut_result_sweeps(w.result, &count);
        REQUIRE(status == ABUT_OK ? count > 0 : status == ABUT_ERR_NO_MEMORY && count == 0);
        REQUIRE_OK(abut_sweep(w.scene, a, b, NULL, w.result));
        (void)abut_result_sweeps(w.result, &count);
        contacts = call > 0 ? contacts : count;
        REQUIRE(count == contacts && count > 0);
        world_free(&w);
        REQUIRE(memory_clean(&memory));
    }
    print_message("%zu allocations, %zu contacts\n", calls, contacts);
    assert_true(calls > 20);
    memory_destroy(&memory);
    animation_free(&one);
    animation_free(&two);
    surface_free(&sheet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dyadic_steps_match_integers),
        cmocka_unit_test(test_steps_match_segments),
        cmocka_unit_test(test_rounded_places_lose_nothing),
        cmocka_unit_test(test_plans_match_segments),
        cmocka_unit_test(test_jumps_by_plans),
        cmocka_unit_test(test_acceleration),
        cmocka_unit_test(test_proofs_over_keys),
        cmocka_unit_test(test_settings_and_scene),
        cmocka_unit_test(test_first_at_keys_that_coincide),
        cmocka_unit_test(test_same_answers_everywhere),
        cmocka_unit_test(test_times_are_rounded_down),
        cmocka_unit_test(test_no_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
