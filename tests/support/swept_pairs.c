// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT

#include "support/swept_pairs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/judge.h"
#include "support/swept_oracle.h"

void snapshot_take(const world* w, snapshot* p, int end, bool in_world) {
    p->xyz[end] = p->xyz[end] != NULL ? p->xyz[end]
                                      : test_alloc(3 * (size_t)p->s->vertex_count, sizeof(double));
    p->classes = abut_mesh_classes(abut_shape_mesh(abut_body_shape(w->scene, p->body)));
    for (uint32_t v = 0; v < p->s->vertex_count; ++v) {
        REQUIRE_OK((in_world ? abut_body_world_vertex : abut_body_vertex)(
            w->scene, p->body, v, p->xyz[end] + 3 * (size_t)v, NULL));
    }
}

// finds edges by a search through all edges so far: slow but simple
snapshot snapshot_make(abut_body_id body, const surface* s) {
    snapshot p = {.body = body, .s = s};
    p.edges = test_alloc(3 * (size_t)s->triangle_count, sizeof *p.edges);
    p.edge_triangle = test_alloc(3 * (size_t)s->triangle_count, sizeof *p.edge_triangle);
    p.vertex_triangle = test_alloc(s->vertex_count, sizeof *p.vertex_triangle);
    memset(p.vertex_triangle, 0xff, s->vertex_count * sizeof *p.vertex_triangle);
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        for (uint32_t c = 0; c < 3; ++c) {
            const uint32_t a = s->triangles[3 * t + c];
            const uint32_t b = s->triangles[3 * t + (c + 1) % 3];
            const uint32_t low = a < b ? a : b;
            const uint32_t high = a < b ? b : a;
            uint32_t e = 0;
            while (e < p.edge_count && !(p.edges[e][0] == low && p.edges[e][1] == high)) {
                ++e;
            }
            if (e == p.edge_count && low != high) {
                p.edges[e][0] = low;
                p.edges[e][1] = high;
                p.edge_triangle[p.edge_count++] = t;
            }
            if (p.vertex_triangle[a] == UINT32_MAX) {
                p.vertex_triangle[a] = t;
            }
        }
    }
    return p;
}

void snapshot_free(snapshot* p) {
    free(p->xyz[0]);
    free(p->xyz[1]);
    free(p->edges);
    free(p->edge_triangle);
    free(p->vertex_triangle);
}

double snapshot_thickness(const snapshot* p, const uint32_t* vertices, uint32_t count) {
    double most = 0;
    for (uint32_t i = 0; i < count && p->thick != NULL; ++i) {
        most = fmax(most, p->thick[vertices[i]]);
    }
    return most;
}

static void load(const snapshot* p, uint32_t vertex, uint32_t point, double x[2][4][3]) {
    for (int end = 0; end < 2; ++end) {
        memcpy(x[end][point], p->xyz[end] + 3 * (size_t)vertex, 3 * sizeof(double));
    }
}

static void add(swept_list* list, const abut_sweep_pair* pair) {
    if (list->count == list->room) {
        list->room = 2 * list->room + 64;
        list->pairs = realloc(list->pairs, list->room * sizeof *list->pairs);
        assert_non_null(list->pairs);
    }
    list->pairs[list->count++] = *pair;
}

// true if the boxes of the two features over the step have a point in common
static bool boxes_meet(double x[2][4][3], uint32_t first) {
    for (int d = 0; d < 3; ++d) {
        double lo[2] = {INFINITY, INFINITY};
        double hi[2] = {-INFINITY, -INFINITY};
        for (uint32_t k = 0; k < 8; ++k) {
            const int side = k % 4 < first ? 0 : 1;
            lo[side] = fmin(lo[side], x[k / 4][k % 4][d]);
            hi[side] = fmax(hi[side], x[k / 4][k % 4][d]);
        }
        if (lo[0] > hi[1] || lo[1] > hi[0]) {
            return false;
        }
    }
    return true;
}

// the exact oracle of this comparison, or NULL; and how many pairs it still judges
static swept_oracle* judging;
static size_t left_to_judge;

// Requires that no contact is missed, that none is reported too early, and that a pair has time 0
// exactly if it touches at the start.
static void judge(double x[2][4][3], bool edges, const abut_sweep_contact* c) {
    if (judging == NULL || left_to_judge == 0 || !boxes_meet(x, edges ? 2 : 1)) {
        return;
    }
    --left_to_judge;
    const swept_truth truth = swept_oracle_ask(judging, (const double(*)[3])x[0],
                                               (const double(*)[3])x[1], edges, c->time);
    REQUIRE(!truth.contact || c->verdict != ABUT_SWEEP_VERDICT_NONE);
    REQUIRE(c->verdict == ABUT_SWEEP_VERDICT_NONE || !truth.before);
    REQUIRE(c->verdict == ABUT_SWEEP_VERDICT_NONE || truth.at_start == (c->time == 0));
}

// the exact oracle has no margin
static void judge_begin(double margin) {
    if (margin == 0 && judge_is_due()) {
        (void)judge_spend(effort(150, 4000, 40000) * JUDGE_SWEEP);
        judging = swept_oracle_create();
        left_to_judge = effort(150, 4000, 40000);
    }
}

static void judge_end(void) {
    if (judging != NULL) {
        swept_oracle_destroy(judging);
        judging = NULL;
    }
}

static abut_sweep_pair blank(const snapshot* a, const snapshot* b, abut_contact_kind kind,
                             const abut_sweep_contact* c) {
    abut_sweep_pair pair;
    memset(&pair, 0, sizeof pair);
    memset(pair.vertices_a, 0xff, sizeof pair.vertices_a);
    memset(pair.vertices_b, 0xff, sizeof pair.vertices_b);
    pair.body_a = a->body.index;
    pair.body_b = b->body.index;
    pair.kind = kind;
    pair.undecided = c->verdict == ABUT_SWEEP_VERDICT_UNDECIDED;
    pair.time = c->time;
    return pair;
}

static bool shares_vertex(const snapshot* p, const uint32_t* a, uint32_t a_count, const uint32_t* b,
                          uint32_t b_count) {
    bool shared = false;
    for (uint32_t i = 0; i < a_count * b_count; ++i) {
        shared = shared || p->classes[a[i / b_count]] == p->classes[b[i % b_count]];
    }
    return shared;
}

static bool is_point(const snapshot* p, uint32_t triangle) {
    const uint32_t* corner = p->s->triangles + 3 * (size_t)triangle;
    return corner[0] == corner[1] && corner[1] == corner[2];
}

// Whether a vertex and a point of f, as its face, are a pair: sweep.h has the rule.
static bool counts_for_point(const snapshot* v, uint32_t vertex, const snapshot* f,
                             uint32_t triangle, bool swapped) {
    const uint32_t owner = v->vertex_triangle[vertex];
    return owner != UINT32_MAX && is_point(v, owner) && !swapped &&
           (v != f || vertex < f->s->triangles[3 * (size_t)triangle]);
}

// vertices of v against faces of f; swapped: f is body a
static void vertices_and_faces(const snapshot* v, const snapshot* f, bool swapped, double margin,
                               swept_list* out) {
    for (uint32_t i = 0; i < v->s->vertex_count; ++i) {
        for (uint32_t t = 0; t < f->s->triangle_count; ++t) {
            const uint32_t* corner = f->s->triangles + 3 * (size_t)t;
            if (v == f && shares_vertex(v, &i, 1, corner, 3)) {
                continue;
            }
            if (is_point(f, t) && !counts_for_point(v, i, f, t, swapped)) {
                continue;
            }
            double x[2][4][3];
            abut_sweep_contact c;
            load(v, i, 0, x);
            for (uint32_t k = 0; k < 3; ++k) {
                load(f, corner[k], 1 + k, x);
            }
            REQUIRE_OK(abut_vertex_face_sweep(
                NULL, 1, (const double(*)[4][3])x[0], (const double(*)[4][3])x[1],
                ABUT_TOLERANCE_DEFAULT,
                margin + (snapshot_thickness(v, &i, 1) + snapshot_thickness(f, corner, 3)), &c));
            judge(x, false, &c);
            if (c.verdict == ABUT_SWEEP_VERDICT_NONE || v->vertex_triangle[i] == UINT32_MAX) {
                continue;
            }
            abut_sweep_pair pair = blank(
                swapped ? f : v, swapped ? v : f,
                swapped ? ABUT_CONTACT_FACE_VERTEX : ABUT_CONTACT_VERTEX_FACE, &c);
            (swapped ? pair.vertices_b : pair.vertices_a)[0] = i;
            *(swapped ? &pair.triangle_b : &pair.triangle_a) = v->vertex_triangle[i];
            *(swapped ? &pair.triangle_a : &pair.triangle_b) = t;
            memcpy(swapped ? pair.vertices_a : pair.vertices_b, corner, 3 * sizeof *corner);
            (swapped ? pair.weights_b : pair.weights_a)[0] = c.weights[0];
            for (int k = 0; k < 3; ++k) {
                (swapped ? pair.weights_a : pair.weights_b)[k] = c.weights[1 + k];
                pair.normal[k] = swapped ? -c.normal[k] : c.normal[k];
            }
            add(out, &pair);
        }
    }
}

static uint64_t edge_key(const snapshot* p, uint32_t e) {
    return (uint64_t)p->edges[e][0] << 32 | p->edges[e][1];
}

static void edges_and_edges(const snapshot* a, const snapshot* b, double margin, swept_list* out) {
    for (uint32_t i = 0; i < a->edge_count; ++i) {
        for (uint32_t j = 0; j < b->edge_count; ++j) {
            const uint32_t* e = a->edges[i];
            const uint32_t* f = b->edges[j];
            if (a == b && (edge_key(a, i) >= edge_key(a, j) || shares_vertex(a, e, 2, f, 2))) {
                continue;
            }
            double x[2][4][3];
            abut_sweep_contact c;
            for (uint32_t k = 0; k < 2; ++k) {
                load(a, e[k], k, x);
                load(b, f[k], 2 + k, x);
            }
            REQUIRE_OK(abut_edge_edge_sweep(
                NULL, 1, (const double(*)[4][3])x[0], (const double(*)[4][3])x[1],
                ABUT_TOLERANCE_DEFAULT,
                margin + (snapshot_thickness(a, e, 2) + snapshot_thickness(b, f, 2)), &c));
            judge(x, true, &c);
            if (c.verdict != ABUT_SWEEP_VERDICT_NONE) {
                abut_sweep_pair pair = blank(a, b, ABUT_CONTACT_EDGE_EDGE, &c);
                pair.triangle_a = a->edge_triangle[i];
                pair.triangle_b = b->edge_triangle[j];
                for (int k = 0; k < 2; ++k) {
                    pair.vertices_a[k] = e[k];
                    pair.vertices_b[k] = f[k];
                    pair.weights_a[k] = c.weights[k];
                    pair.weights_b[k] = c.weights[2 + k];
                }
                memcpy(pair.normal, c.normal, sizeof pair.normal);
                add(out, &pair);
            }
        }
    }
}

swept_list all_pairs(const snapshot* a, const snapshot* b, double margin) {
    swept_list list = {0};
    judge_begin(a->thick == NULL && b->thick == NULL ? margin : 1);
    vertices_and_faces(a, b, false, margin, &list);
    if (a != b) {
        vertices_and_faces(b, a, true, margin, &list);
    }
    left_to_judge = judging != NULL ? effort(150, 4000, 40000) : 0;  // the same number for edges
    edges_and_edges(a, b, margin, &list);
    judge_end();
    return list;
}

static uint64_t feature(const abut_sweep_pair* p, bool a) {
    const bool face = p->kind == (a ? ABUT_CONTACT_FACE_VERTEX : ABUT_CONTACT_VERTEX_FACE);
    const uint32_t* v = a ? p->vertices_a : p->vertices_b;
    return face ? (a ? p->triangle_a : p->triangle_b) : (uint64_t)v[0] << 32 | v[1];
}

static int compare(const void* x, const void* y) {
    const abut_sweep_pair* p = x;
    const abut_sweep_pair* q = y;
    const uint64_t keys[4][2] = {{p->body_a, q->body_a},
                                 {p->body_b, q->body_b},
                                 {(uint64_t)p->kind, (uint64_t)q->kind},
                                 {feature(p, true), feature(q, true)}};
    for (int i = 0; i < 4; ++i) {
        if (keys[i][0] != keys[i][1]) {
            return keys[i][0] < keys[i][1] ? -1 : 1;
        }
    }
    const uint64_t b = feature(p, false);
    const uint64_t d = feature(q, false);
    return b < d ? -1 : b > d;
}

void require_swept(const abut_sweep_result* result, swept_list* wanted) {
    size_t count = 0;
    const abut_sweep_pair* got = abut_sweep_result_pairs(result, &count);
    double first = INFINITY;
    if (wanted->count > 1) {
        qsort(wanted->pairs, wanted->count, sizeof *wanted->pairs, compare);
    }
    for (size_t i = 0; i < count || i < wanted->count; ++i) {
        const int order = i >= count           ? 1
                          : i >= wanted->count ? -1
                                               : compare(&got[i], &wanted->pairs[i]);
        if (order != 0) {
            const abut_sweep_pair* p = order < 0 ? &got[i] : &wanted->pairs[i];
            fail_msg("%s: %zu contacts, not %zu; %s: kind %d, triangles %u %u at %g", where_text(),
                     count, wanted->count, order < 0 ? "too many" : "missing", (int)p->kind,
                     p->triangle_a, p->triangle_b, p->time);
        }
        REQUIRE(memcmp(&got[i], &wanted->pairs[i], sizeof *got) == 0);
        first = fmin(first, got[i].time);
    }
    REQUIRE(abut_sweep_result_time_of_impact(result) == first);
    REQUIRE(abut_sweep_result_found(result) == (count > 0));
}

void require_same_sweep(const world* w, abut_sweep_def def, size_t least, reference* pairs,
                        reference* work) {
    abut_counters counters = {0};
    def.head.counters = &counters;
    REQUIRE_OK(abut_sweep_all(w->scene, &def, w->swept, NULL));
    size_t count = 0;
    const abut_sweep_pair* got = abut_sweep_result_pairs(w->swept, &count);
    REQUIRE(count > least && counters.pairs_found == count);
    REQUIRE(reference_same(pairs, got, count * sizeof *got));
    REQUIRE(reference_same(work, &counters, sizeof counters));
}

size_t check_pair(const world* w, const snapshot* a, const snapshot* b, const abut_sweep_def* def) {
    swept_list wanted = all_pairs(a, b, def != NULL ? def->margin : 0);
    REQUIRE_OK(a == b ? abut_sweep_self(w->scene, a->body, def, w->swept, NULL)
                      : abut_sweep(w->scene, a->body, b->body, def, w->swept, NULL));
    require_swept(w->swept, &wanted);
    const size_t count = wanted.count;
    free(wanted.pairs);
    return count;
}
