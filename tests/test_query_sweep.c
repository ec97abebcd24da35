// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sweeps against all pairs: every vertex with every face and every two edges, asked one by one
// (what is asked then is checked by test_sweep_exact). The corners are snapshots of the public
// positions, before and after the step.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/skin.h"
#include "support/threads.h"
#include "support/world.h"

// ---- all pairs

typedef struct swept_list {
    abut_swept_pair* pairs;
    size_t count;
    size_t room;
} swept_list;

// a body at both ends of a step
typedef struct snapshot {
    abut_body_id body;
    const surface* s;
    double* xyz[2];
    uint32_t (*edges)[2];
    uint32_t* edge_triangle;
    uint32_t* vertex_triangle;
    uint32_t edge_count;
} snapshot;

static void snapshot_take(const world* w, snapshot* p, int end, bool in_world) {
    p->xyz[end] = p->xyz[end] != NULL ? p->xyz[end]
                                      : test_alloc(3 * (size_t)p->s->vertex_count, sizeof(double));
    for (uint32_t v = 0; v < p->s->vertex_count; ++v) {
        REQUIRE_OK((in_world ? abut_body_world_vertex : abut_body_vertex)(
            w->scene, p->body, v, p->xyz[end] + 3 * (size_t)v));
    }
}

// edges by looking at all that were found so far: slow and plain
static snapshot snapshot_make(abut_body_id body, const surface* s) {
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
            if (e == p.edge_count) {
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

static void snapshot_free(snapshot* p) {
    free(p->xyz[0]);
    free(p->xyz[1]);
    free(p->edges);
    free(p->edge_triangle);
    free(p->vertex_triangle);
}

static void load(const snapshot* p, uint32_t vertex, uint32_t point, double x[2][4][3]) {
    for (int end = 0; end < 2; ++end) {
        memcpy(x[end][point], p->xyz[end] + 3 * (size_t)vertex, 3 * sizeof(double));
    }
}

static void add(swept_list* list, const abut_swept_pair* pair) {
    if (list->count == list->room) {
        list->room = 2 * list->room + 64;
        list->pairs = realloc(list->pairs, list->room * sizeof *list->pairs);
        assert_non_null(list->pairs);
    }
    list->pairs[list->count++] = *pair;
}

static abut_swept_pair blank(const snapshot* a, const snapshot* b, abut_sweep_kind kind,
                             const abut_sweep_contact* c) {
    abut_swept_pair pair;
    memset(&pair, 0, sizeof pair);
    memset(pair.vertex_a, 0xff, sizeof pair.vertex_a);
    memset(pair.vertex_b, 0xff, sizeof pair.vertex_b);
    pair.body_a = a->body.index;
    pair.body_b = b->body.index;
    pair.kind = kind;
    pair.undecided = c->verdict == ABUT_SWEEP_UNDECIDED;
    pair.time = c->time;
    return pair;
}

// vertices of v against faces of f; swapped: f is body a
static void vertices_and_faces(const snapshot* v, const snapshot* f, bool swapped, double margin,
                               swept_list* out) {
    for (uint32_t i = 0; i < v->s->vertex_count; ++i) {
        for (uint32_t t = 0; t < f->s->triangle_count; ++t) {
            const uint32_t* corner = f->s->triangles + 3 * (size_t)t;
            if (v == f && (corner[0] == i || corner[1] == i || corner[2] == i)) {
                continue;
            }
            double x[2][4][3];
            abut_sweep_contact c;
            load(v, i, 0, x);
            for (uint32_t k = 0; k < 3; ++k) {
                load(f, corner[k], 1 + k, x);
            }
            REQUIRE_OK(abut_sweep_vertex_face(NULL, 1, (const double(*)[4][3])x[0],
                                              (const double(*)[4][3])x[1], ABUT_SWEEP_TOLERANCE,
                                              margin, &c));
            if (c.verdict == ABUT_SWEEP_NONE || v->vertex_triangle[i] == UINT32_MAX) {
                continue;
            }
            abut_swept_pair pair = blank(swapped ? f : v, swapped ? v : f,
                                         swapped ? ABUT_SWEEP_FACE_VERTEX : ABUT_SWEEP_VERTEX_FACE,
                                         &c);
            (swapped ? pair.vertex_b : pair.vertex_a)[0] = i;
            *(swapped ? &pair.triangle_b : &pair.triangle_a) = v->vertex_triangle[i];
            *(swapped ? &pair.triangle_a : &pair.triangle_b) = t;
            memcpy(swapped ? pair.vertex_a : pair.vertex_b, corner, 3 * sizeof *corner);
            (swapped ? pair.weight_b : pair.weight_a)[0] = c.weight[0];
            for (int k = 0; k < 3; ++k) {
                (swapped ? pair.weight_a : pair.weight_b)[k] = c.weight[1 + k];
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
            if (a == b && (edge_key(a, i) >= edge_key(a, j) || e[0] == f[0] || e[0] == f[1] ||
                           e[1] == f[0] || e[1] == f[1])) {
                continue;
            }
            double x[2][4][3];
            abut_sweep_contact c;
            for (uint32_t k = 0; k < 2; ++k) {
                load(a, e[k], k, x);
                load(b, f[k], 2 + k, x);
            }
            REQUIRE_OK(abut_sweep_edge_edge(NULL, 1, (const double(*)[4][3])x[0],
                                            (const double(*)[4][3])x[1], ABUT_SWEEP_TOLERANCE,
                                            margin, &c));
            if (c.verdict != ABUT_SWEEP_NONE) {
                abut_swept_pair pair = blank(a, b, ABUT_SWEEP_EDGE_EDGE, &c);
                pair.triangle_a = a->edge_triangle[i];
                pair.triangle_b = b->edge_triangle[j];
                for (int k = 0; k < 2; ++k) {
                    pair.vertex_a[k] = e[k];
                    pair.vertex_b[k] = f[k];
                    pair.weight_a[k] = c.weight[k];
                    pair.weight_b[k] = c.weight[2 + k];
                }
                memcpy(pair.normal, c.normal, sizeof pair.normal);
                add(out, &pair);
            }
        }
    }
}

static swept_list all_pairs(const snapshot* a, const snapshot* b, double margin) {
    swept_list list = {0};
    vertices_and_faces(a, b, false, margin, &list);
    if (a != b) {
        vertices_and_faces(b, a, true, margin, &list);
    }
    edges_and_edges(a, b, margin, &list);
    return list;
}

static uint64_t feature(const abut_swept_pair* p, bool a) {
    const bool face = p->kind == (a ? ABUT_SWEEP_FACE_VERTEX : ABUT_SWEEP_VERTEX_FACE);
    const uint32_t* v = a ? p->vertex_a : p->vertex_b;
    return face ? (a ? p->triangle_a : p->triangle_b) : (uint64_t)v[0] << 32 | v[1];
}

static int compare(const void* x, const void* y) {
    const abut_swept_pair* p = x;
    const abut_swept_pair* q = y;
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

static void require_swept(const abut_result* result, swept_list* wanted) {
    size_t count = 0;
    const abut_swept_pair* got = abut_result_sweeps(result, &count);
    double first = INFINITY;
    if (wanted->count > 1) {
        qsort(wanted->pairs, wanted->count, sizeof *wanted->pairs, compare);
    }
    for (size_t i = 0; i < count || i < wanted->count; ++i) {
        const int order = i >= count           ? 1
                          : i >= wanted->count ? -1
                                               : compare(&got[i], &wanted->pairs[i]);
        if (order != 0) {
            const abut_swept_pair* p = order < 0 ? &got[i] : &wanted->pairs[i];
            fail_msg("%s: %zu contacts, not %zu; %s: kind %d, triangles %u %u at %g", where_text(),
                     count, wanted->count, order < 0 ? "too many" : "missing", (int)p->kind,
                     p->triangle_a, p->triangle_b, p->time);
        }
        REQUIRE(memcmp(&got[i], &wanted->pairs[i], sizeof *got) == 0);
        first = fmin(first, got[i].time);
    }
    REQUIRE(abut_result_sweep_time(result) == first);
    REQUIRE(abut_result_touching(result) == (count > 0));
}

static size_t check_pair(const world* w, const snapshot* a, const snapshot* b,
                         const abut_query_def* def) {
    swept_list wanted = all_pairs(a, b, def != NULL ? def->margin : 0);
    REQUIRE_OK(a == b ? abut_sweep_self(w->scene, a->body, def, w->result)
                      : abut_sweep(w->scene, a->body, b->body, def, w->result));
    require_swept(w->result, &wanted);
    const size_t count = wanted.count;
    free(wanted.pairs);
    return count;
}

// ---- free bodies

static void test_self_matches_all_pairs(void** state) {
    (void)state;
    size_t contacts = 0;
    for (uint32_t seed = 1; seed <= effort(2, 6, 20); ++seed) {
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        surface s = surface_sheet(9, 7, 1);
        const abut_body_id body = world_add(&w, &s, NULL, NULL);
        snapshot p = snapshot_make(body, &s);
        for (int step = 0; step < 3; ++step) {
            where("seed %u, step %d", seed, step);
            surface_shake(&s, &random, 0.15, seed % 2 == 0 ? 0x1p-5 : 0x1p-30);
            world_move(&w, body, s.xyz);
            snapshot_take(&w, &p, 0, false);
            surface_shake(&s, &random, 0.1, seed % 2 == 0 ? 0x1p-5 : 0x1p-30);
            world_move(&w, body, s.xyz);
            snapshot_take(&w, &p, 1, false);
            abut_query_def def = abut_query_def_default();
            contacts += check_pair(&w, &p, &p, &def);
            def.margin = 0.01;
            check_pair(&w, &p, &p, &def);
        }
        snapshot_free(&p);
        surface_free(&s);
        world_free(&w);
    }
    print_message("%zu contacts\n", contacts);
    assert_true(contacts > 100);
}

// frames that stand still, shift and turn
static void test_between_matches_all_pairs(void** state) {
    (void)state;
    size_t contacts = 0;
    for (uint32_t seed = 1; seed <= effort(3, 9, 30); ++seed) {
        test_random random = random_seed(seed + 100);
        world w = world_make(NULL, NULL);
        surface s = surface_sheet(6, 7, 1);
        surface ball = surface_ball(7, 8, 0.4);
        surface_shift(&ball, 0.5, 0.5, 0.3);
        const abut_body_id bodies[2] = {world_add(&w, &s, NULL, NULL),
                                        world_add(&w, &ball, NULL, NULL)};
        snapshot p[2] = {snapshot_make(bodies[0], &s), snapshot_make(bodies[1], &ball)};
        where("seed %u", seed);
        surface* surfaces[2] = {&s, &ball};
        for (int i = 0; i < 2; ++i) {
            abut_frame frame = frame_random(&random, 0.05);
            abut_frame next = seed % 3 == 2 ? frame_random(&random, 0.2) : frame;
            frame = seed % 3 == 0 ? abut_frame_identity() : frame;
            next = seed % 3 == 0 ? frame : next;
            surface_shake(surfaces[i], &random, 0.02, 0x1p-30);
            world_move(&w, bodies[i], surfaces[i]->xyz);
            world_frame(&w, bodies[i], frame);
            snapshot_take(&w, &p[i], 0, true);
            surface_shake(surfaces[i], &random, 0.1, 0x1p-30);
            surface_shift(surfaces[i], 0, 0, i == 0 ? 0.1 : -0.1);
            world_move(&w, bodies[i], surfaces[i]->xyz);
            REQUIRE_OK(abut_body_set_frames(w.scene, bodies[i], &frame, &next, NULL));
            snapshot_take(&w, &p[i], 1, true);
        }
        contacts += check_pair(&w, &p[0], &p[1], NULL);
        contacts += check_pair(&w, &p[1], &p[0], NULL);
        if (seed % 3 == 2) {  // frames that move: decided in the world
            check_pair(&w, &p[0], &p[0], NULL);
        }
        swept_list wanted = all_pairs(&p[0], &p[1], 0);
        REQUIRE_OK(abut_sweep_all(w.scene, NULL, w.result));
        require_swept(w.result, &wanted);
        free(wanted.pairs);
        for (int i = 0; i < 2; ++i) {
            snapshot_free(&p[i]);
            surface_free(surfaces[i]);
        }
        world_free(&w);
    }
    print_message("%zu contacts\n", contacts);
    assert_true(contacts > 100);
}

// ---- smooth surfaces

// a sheet that is bent, rolled or folded by waves
static void bend(const surface* flat, test_random* random, double size, double roll, double fall,
                 surface* out) {
    const double a = random_double(random, -size, size);
    const double b = random_double(random, -size, size);
    const double p = random_double(random, 0, 6);
    for (uint32_t v = 0; v < flat->vertex_count; ++v) {
        const double x = flat->xyz[3 * v] - 0.5;
        const double y = flat->xyz[3 * v + 1] - 0.5;
        const double angle = roll * x;
        out->xyz[3 * v] = (fabs(roll) > 0.01 ? sin(angle) / roll : x) + 0.05 * a * sin(9 * y + p);
        out->xyz[3 * v + 1] = y + 0.02 * b * sin(7 * x);
        out->xyz[3 * v + 2] = fall + (fabs(roll) > 0.01 ? (1 - cos(angle)) / roll : 0) +
                              a * sin(5 * x + p) + b * sin(4 * y - p);
    }
}

// Proofs over the step are of no use with a margin, so one of next to nothing switches them off.
// Returns the number of contacts.
static size_t check_proofs(const world* w, abut_body_id body, uint64_t* proven) {
    abut_counters counters = {0};
    abut_query_def def = abut_query_def_default();
    def.counters = &counters;
    REQUIRE_OK(abut_sweep_self(w->scene, body, &def, w->result));
    *proven += counters.nodes_apart;
    size_t count[2];
    const abut_swept_pair* got = abut_result_sweeps(w->result, &count[0]);
    abut_swept_pair* kept = test_alloc(count[0] + 1, sizeof *kept);
    if (count[0] > 0) {
        memcpy(kept, got, count[0] * sizeof *kept);
    }
    def.margin = 1e-300;
    REQUIRE_OK(abut_sweep_self(w->scene, body, &def, w->result));
    got = abut_result_sweeps(w->result, &count[1]);
    REQUIRE(count[0] == count[1]);
    for (size_t i = 0; i < count[0]; ++i) {
        REQUIRE(compare(&kept[i], &got[i]) == 0);
    }
    free(kept);
    return count[0];
}

// A ribbon that winds a little more than once around: all its normals look up, all the time. Its end
// moves across its beginning, and sinks through it: then the contour, and nothing else, tells.
static void test_contour_that_crosses(void** state) {
    (void)state;
    enum { STEPS = 160 };
    size_t contacts = 0;
    uint64_t proven = 0;
    surface flat = surface_sheet(200, 6, 1);
    surface s = surface_copy(&flat);
    world w = world_make(NULL, NULL);
    const abut_body_id body = world_add(&w, &flat, NULL, NULL);
    for (int step = 0; step <= STEPS; ++step) {
        where("step %d", step);
        const double side = 1 - 2.0 * step / STEPS;
        for (uint32_t v = 0; v < flat.vertex_count; ++v) {
            const double along = flat.xyz[3 * v];
            const double end = fmin(1, fmax(0, (along - 0.6) / 0.3));
            const double radius = 1 + 0.2 * (flat.xyz[3 * v + 1] - 0.5) + 0.35 * side * end;
            const double angle = 1.1 * 6.28318530718 * along;
            s.xyz[3 * v] = radius * cos(angle);
            s.xyz[3 * v + 1] = radius * sin(angle);
            s.xyz[3 * v + 2] = 0.1 * side * along;
        }
        world_move(&w, body, s.xyz);
        contacts += step > 0 ? check_proofs(&w, body, &proven) : 0;
    }
    print_message("%zu contacts, %llu nodes proven apart\n", contacts, (unsigned long long)proven);
    assert_true(contacts > 10 && proven > 10);
    world_free(&w);
    surface_free(&flat);
    surface_free(&s);
}

static void test_proofs_lose_nothing(void** state) {
    (void)state;
    size_t contacts = 0;
    uint64_t proven = 0;
    surface flat = surface_sheet(48, 48, 1);
    surface s = surface_copy(&flat);
    for (uint32_t seed = 1; seed <= effort(20, 60, 400); ++seed) {
        test_random random = random_seed(seed + 700);
        where("seed %u", seed);
        world w = world_make(NULL, NULL);
        const abut_body_id body = world_add(&w, &flat, NULL, NULL);
        const double roll = seed % 3 == 0 ? 0 : random_double(&random, 0, 9);
        const double size = seed % 4 == 0 ? 0.3 : 0.05;
        const uint64_t waves = random_bits(&random);
        for (int end = 0; end < 2; ++end) {
            test_random same = random_seed(waves);
            bend(&flat, seed % 5 == 4 ? &random : &same, size,
                 roll + (end == 1 ? random_double(&random, -0.4, 0.4) : 0), -0.1 * end, &s);
            world_move(&w, body, s.xyz);
        }
        contacts += check_proofs(&w, body, &proven);
        world_free(&w);
    }
    print_message("%zu contacts, %llu nodes proven apart\n", contacts, (unsigned long long)proven);
    assert_true(contacts > 100 && proven > 50);
    surface_free(&flat);
    surface_free(&s);
}

// a smooth sheet that falls costs next to nothing
static void test_free_fall_costs_little(void** state) {
    (void)state;
    test_random random = random_seed(800);
    surface flat = surface_sheet(60, 60, 1);
    surface s = surface_copy(&flat);
    world w = world_make(NULL, NULL);
    const abut_body_id body = world_add(&w, &flat, NULL, NULL);
    bend(&flat, &random, 0.05, 0, 0, &s);
    world_move(&w, body, s.xyz);
    surface_shift(&s, 0.01, 0.02, -0.5);
    world_move(&w, body, s.xyz);
    abut_counters counters = {0};
    abut_query_def def = abut_query_def_default();
    def.counters = &counters;
    REQUIRE_OK(abut_sweep_self(w.scene, body, &def, w.result));
    REQUIRE(counters.exact_tests == 0 && counters.blocks_evaluated == 0 &&
            counters.nodes_apart == 1);
    world_free(&w);
    surface_free(&flat);
    surface_free(&s);
}

// ---- other motions

static void test_modal_matches_all_pairs(void** state) {
    (void)state;
    size_t contacts = 0;
    for (uint32_t seed = 1; seed <= effort(2, 4, 12); ++seed) {
        test_random random = random_seed(seed + 200);
        world w = world_make(NULL, NULL);
        surface s = surface_sheet(8, 8, 1);
        field_set f = make_fields(&random, &s, 5, 0.3, ABUT_FLOAT64, false);
        const abut_body_id body = add_modal(&w, &s, &f, 16);
        snapshot p = snapshot_make(body, &s);
        double q[5];
        for (int step = 0; step < 3; ++step) {
            where("seed %u, step %d", seed, step);
            random_coordinates(&random, q, 5, step == 0 ? 0.02 : 2);
            set_coordinates(&w, body, q, 5);
            snapshot_take(&w, &p, 0, false);
            random_coordinates(&random, q, 5, step == 0 ? 0.02 : 2);
            set_coordinates(&w, body, q, 5);
            snapshot_take(&w, &p, 1, false);
            contacts += check_pair(&w, &p, &p, NULL);
        }
        snapshot_free(&p);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
    print_message("%zu contacts\n", contacts);
    assert_true(contacts > 10);
}

static void test_blend_matches_all_pairs(void** state) {
    (void)state;
    enum { NODES = 6 };
    size_t contacts = 0;
    for (uint32_t seed = 1; seed <= effort(2, 4, 12); ++seed) {
        test_random random = random_seed(seed + 300);
        world w = world_make(NULL, NULL);
        surface s = surface_sheet(8, 8, 1);
        surface ball = surface_ball(6, 7, 0.3);
        surface_shift(&ball, 0.5, 0.5, 0.35);
        skin k = skin_make(&random, &s, NODES, 3, ABUT_FLOAT64);
        abut_shape_def def = blend_def(&k, NULL);
        def.block_triangles = 16;
        const abut_body_id bodies[2] = {world_add(&w, &s, &def, NULL),
                                        world_add(&w, &ball, NULL, NULL)};
        snapshot p[2] = {snapshot_make(bodies[0], &s), snapshot_make(bodies[1], &ball)};
        where("seed %u", seed);
        double t[NODES][12];
        for (int end = 0; end < 2; ++end) {
            gentle_transforms(&random, t, NODES, 0.2);
            set_transforms(&w, bodies[0], t, NODES, NULL, 0);
            surface_shift(&ball, 0, 0, -0.1 * end);
            world_move(&w, bodies[1], ball.xyz);
            snapshot_take(&w, &p[0], end, true);
            snapshot_take(&w, &p[1], end, true);
        }
        contacts += check_pair(&w, &p[0], &p[1], NULL);
        check_pair(&w, &p[0], &p[0], NULL);
        skin_free(&k);
        for (int i = 0; i < 2; ++i) {
            snapshot_free(&p[i]);
        }
        surface_free(&s);
        surface_free(&ball);
        world_free(&w);
    }
    print_message("%zu contacts\n", contacts);
    assert_true(contacts > 10);
}

static void test_flight_matches_all_pairs(void** state) {
    (void)state;
    size_t contacts = 0;
    for (uint32_t seed = 1; seed <= effort(2, 4, 12); ++seed) {
        test_random random = random_seed(seed + 400);
        world w = world_make(NULL, NULL);
        surface s = surface_sheet(7, 7, 1);
        surface frames[3] = {surface_copy(&s), surface_copy(&s), surface_copy(&s)};
        abut_key keys[3];
        for (int i = 0; i < 3; ++i) {
            surface_shake(&frames[i], &random, 0.15, 0x1p-30);
            keys[i] = (abut_key){i, abut_positions_f64(frames[i].xyz, s.vertex_count)};
        }
        abut_shape_def def = abut_shape_def_default();
        def.motion = ABUT_MOTION_FLIGHT;
        def.keys = keys;
        def.key_count = 3;
        def.bound = seed % 2 == 0 ? ABUT_BOUND_KINETIC : ABUT_BOUND_AUTO;
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        snapshot p = snapshot_make(body, &s);
        static const double times[] = {0, 0.5, 1, 1.75};
        for (int i = 0; i < 4; ++i) {
            where("seed %u, time %g", seed, times[i]);
            if (i > 0) {
                snapshot_take(&w, &p, 0, false);
            }
            REQUIRE_OK(abut_body_set_time(w.scene, body, times[i], NULL));
            snapshot_take(&w, &p, i > 0 ? 1 : 0, false);
            contacts += i > 0 ? check_pair(&w, &p, &p, NULL) : 0;
        }
        snapshot_free(&p);
        world_free(&w);
        for (int i = 0; i < 3; ++i) {
            surface_free(&frames[i]);
        }
        surface_free(&s);
    }
    print_message("%zu contacts\n", contacts);
    assert_true(contacts > 10);
}

// a rigid body is moved by frames alone
static void test_frames_alone(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(4, 4, 1);
    surface ball = surface_ball(5, 6, 0.2);
    const abut_body_id bodies[2] = {world_add(&w, &s, NULL, NULL),
                                    world_add(&w, &ball, NULL, NULL)};
    snapshot p[2] = {snapshot_make(bodies[0], &s), snapshot_make(bodies[1], &ball)};
    abut_frame from = abut_frame_identity();
    abut_frame to = from;
    from.t[0] = from.t[1] = to.t[0] = to.t[1] = 0.45;
    from.t[2] = 0.5;
    to.t[2] = -0.5;
    world_frame(&w, bodies[1], from);
    for (int i = 0; i < 2; ++i) {
        snapshot_take(&w, &p[i], 0, true);
    }
    where("frames");
    REQUIRE_OK(abut_body_set_frames(w.scene, bodies[1], &from, &to, NULL));
    for (int i = 0; i < 2; ++i) {
        snapshot_take(&w, &p[i], 1, true);
    }
    REQUIRE(check_pair(&w, &p[0], &p[1], NULL) > 10);
    REQUIRE(fabs(abut_result_sweep_time(w.result) - 0.3) < 1e-6);
    for (int i = 0; i < 2; ++i) {
        snapshot_free(&p[i]);
    }
    surface_free(&s);
    surface_free(&ball);
    world_free(&w);
}

// ---- settings

static bool odd_pairs(void* user, uint32_t body_a, uint32_t a, uint32_t body_b, uint32_t b) {
    (void)user;
    (void)body_a;
    (void)body_b;
    return (a + b) % 2 == 1;
}

static void test_settings(void** state) {
    (void)state;
    test_random random = random_seed(500);
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(10, 10, 1);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    snapshot p = snapshot_make(body, &s);
    for (int end = 0; end < 2; ++end) {
        surface_shake(&s, &random, 0.1, 0x1p-30);
        world_move(&w, body, s.xyz);
        snapshot_take(&w, &p, end, false);
    }
    swept_list all = all_pairs(&p, &p, 0);
    assert_true(all.count > 20);
    double first = INFINITY;
    for (size_t i = 0; i < all.count; ++i) {
        first = fmin(first, all.pairs[i].time);
    }
    abut_counters counters = {0};
    abut_query_def def = abut_query_def_default();
    def.any = true;
    def.counters = &counters;
    REQUIRE_OK(abut_sweep_self(w.scene, body, &def, w.result));
    REQUIRE(abut_result_touching(w.result) && abut_result_sweeps(w.result, NULL) == NULL);
    def.any = false;
    memset(&counters, 0, sizeof counters);
    REQUIRE_OK(abut_sweep_self_all(w.scene, &def, w.result));
    require_swept(w.result, &all);
    REQUIRE(counters.hits == all.count && counters.exact_tests > counters.exact_ties &&
            counters.exact_ties >= counters.hits && counters.blocks_evaluated > 0);
    def.first = true;
    REQUIRE_OK(abut_sweep_self(w.scene, body, &def, w.result));
    size_t count = 0;
    const abut_swept_pair* got = abut_result_sweeps(w.result, &count);
    REQUIRE(count >= 1 && count < all.count && got[0].time == first);
    def.first = false;
    def.filter = odd_pairs;
    size_t kept = 0;
    for (size_t i = 0; i < all.count; ++i) {
        if (odd_pairs(NULL, 0, all.pairs[i].triangle_a, 0, all.pairs[i].triangle_b)) {
            all.pairs[kept++] = all.pairs[i];
        }
    }
    all.count = kept;
    memset(&counters, 0, sizeof counters);
    REQUIRE_OK(abut_sweep_self(w.scene, body, &def, w.result));
    require_swept(w.result, &all);
    REQUIRE(counters.pairs_filtered > 0);
    free(all.pairs);
    snapshot_free(&p);
    surface_free(&s);
    world_free(&w);
}

static void test_errors_say_what_to_do(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(3, 3, 1);
    const abut_body_id a = world_add(&w, &s, NULL, NULL);
    abut_body_def fixed = abut_body_def_default();
    fixed.is_static = true;
    const abut_body_id b = world_add(&w, &s, NULL, &fixed);
    abut_body_id bad;
    uint32_t vertex;
    REQUIRE_OK(abut_sweep(w.scene, b, a, NULL, w.result));  // they are as they were created
    REQUIRE(abut_result_sweep_time(w.result) == 0);
    REQUIRE_OK(
        abut_body_set_shape(w.scene, a, abut_body_shape(w.scene, a), (abut_positions){0}, NULL));
    REQUIRE_STATUS(abut_sweep(w.scene, b, a, NULL, w.result), ABUT_ERR_STATE);
    abut_result_bad_vertex(w.result, &bad, &vertex);
    REQUIRE(bad.index == a.index);
    REQUIRE_STATUS(abut_sweep_all(w.scene, NULL, w.result), ABUT_ERR_STATE);
    world_move(&w, a, s.xyz);  // a static body with one state stands still
    REQUIRE_OK(abut_sweep(w.scene, a, b, NULL, w.result));
    REQUIRE(abut_result_sweep_time(w.result) == 0);
    REQUIRE_OK(abut_sweep_all(w.scene, NULL, w.result));
    REQUIRE(abut_result_sweep_time(w.result) == 0);

    const abut_positions positions = abut_positions_f64(s.xyz, s.vertex_count);
    REQUIRE_OK(abut_body_borrow_positions(w.scene, a, positions, NULL));
    REQUIRE_OK(abut_sweep_self(w.scene, a, NULL, w.result));  // what was there before was a copy
    REQUIRE_OK(abut_body_borrow_positions(w.scene, a, positions, NULL));
    REQUIRE_STATUS(abut_sweep_self(w.scene, a, NULL, w.result), ABUT_ERR_STATE);
    REQUIRE_OK(abut_body_borrow_step(w.scene, a, positions, positions, NULL));
    REQUIRE_OK(abut_sweep_self(w.scene, a, NULL, w.result));
    REQUIRE(abut_result_sweep_time(w.result) == INFINITY);

    surface bent = surface_copy(&s);
    bent.xyz[4] = NAN;
    REQUIRE_OK(abut_body_borrow_step(w.scene, a, positions,
                                     abut_positions_f64(bent.xyz, s.vertex_count), NULL));
    REQUIRE_STATUS(abut_sweep_self(w.scene, a, NULL, w.result), ABUT_ERR_INVALID_DATA);
    abut_result_bad_vertex(w.result, &bad, &vertex);
    REQUIRE(bad.index == a.index && vertex == 1);
    abut_query_def def = abut_query_def_default();
    def.tolerance = 1e-9;
    REQUIRE_STATUS(abut_sweep_self(w.scene, a, &def, w.result), ABUT_ERR_INVALID_ARGUMENT);
    def = abut_query_def_default();
    def.neighbours = true;
    REQUIRE_STATUS(abut_sweep_self(w.scene, a, &def, w.result), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_sweep(w.scene, a, a, NULL, w.result), ABUT_ERR_INVALID_ARGUMENT);
    surface_free(&bent);
    world_free(&w);
    surface_free(&s);
}

// any number of threads, any instruction set: the same bits and the same work
static void test_same_answers_everywhere(void** state) {
    (void)state;
    surface s = surface_sheet(40, 40, 1);
    test_random random = random_seed(600);
    surface next = surface_copy(&s);
    surface_shake(&s, &random, 0.02, 0x1p-30);
    surface_shake(&next, &random, 0.03, 0x1p-30);
    abut_swept_pair* reference = NULL;
    size_t reference_count = 0;
    abut_counters work = {0};
    for (uint32_t workers = 1; workers <= 4; workers += 1) {
        for (abut_isa isa = ABUT_ISA_SCALAR; isa <= ABUT_ISA_AVX512; ++isa) {
            test_threads* threads = threads_create(workers, workers > 1 ? workers : 0);
            abut_context_def def = abut_context_def_default();
            def.tasks = threads_tasks(threads);
            def.isa = isa;
            abut_context* probe = NULL;
            if (abut_context_create(&def, &probe, NULL) != ABUT_OK) {
                threads_destroy(threads);
                continue;
            }
            abut_context_destroy(probe);
            where("%u workers, instruction set %d", workers, (int)isa);
            world w = world_make(&def, NULL);
            const abut_body_id body = world_add(&w, &s, NULL, NULL);
            world_move(&w, body, s.xyz);
            world_move(&w, body, next.xyz);
            abut_counters counters = {0};
            abut_query_def query = abut_query_def_default();
            query.counters = &counters;
            for (int round = 0; round < 2; ++round) {
                memset(&counters, 0, sizeof counters);
                REQUIRE_OK(abut_sweep_self(w.scene, body, &query, w.result));
                size_t count = 0;
                const abut_swept_pair* got = abut_result_sweeps(w.result, &count);
                if (reference == NULL) {
                    reference = test_alloc(count, sizeof *reference);
                    memcpy(reference, got, count * sizeof *reference);
                    reference_count = count;
                    work = counters;
                    REQUIRE(count > 100);
                }
                REQUIRE(count == reference_count &&
                        memcmp(got, reference, count * sizeof *reference) == 0);
                REQUIRE(memcmp(&counters, &work, sizeof work) == 0);
            }
            world_free(&w);
            threads_destroy(threads);
        }
    }
    free(reference);
    surface_free(&s);
    surface_free(&next);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_self_matches_all_pairs),
        cmocka_unit_test(test_between_matches_all_pairs),
        cmocka_unit_test(test_proofs_lose_nothing),
        cmocka_unit_test(test_contour_that_crosses),
        cmocka_unit_test(test_free_fall_costs_little),
        cmocka_unit_test(test_modal_matches_all_pairs),
        cmocka_unit_test(test_blend_matches_all_pairs),
        cmocka_unit_test(test_flight_matches_all_pairs),
        cmocka_unit_test(test_frames_alone),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_errors_say_what_to_do),
        cmocka_unit_test(test_same_answers_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
