// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Feature queries on all motions against all pairs of features by rationals: between bodies, within
// one, over scenes; with the margin at a distance that occurs, one unit in its last place above and
// below; in surfaces with hubs; on threads, in all instruction sets, and with filters.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/everywhere.h"
#include "support/feature_oracle.h"
#include "support/hubs.h"
#include "support/memory.h"
#include "support/motions.h"
#include "support/queries.h"

// ---- one comparison

static const uint32_t* classes_of(const world* w, abut_body_id body) {
    return abut_mesh_classes(abut_shape_mesh(abut_body_shape(w->scene, body)));
}

static bool is_finite(const snapshot* p) {
    bool finite = true;
    for (size_t i = 0; i < 3 * (size_t)p->s->vertex_count; ++i) {
        finite = finite && isfinite(p->xyz[1][i]);
    }
    return finite;
}

// whether both bodies have one frame, and then whether it turns
static bool same_frames(const world* w, abut_body_id a, abut_body_id b, bool* turned) {
    const abut_frame f = abut_body_frame(w->scene, a);
    const abut_frame g = abut_body_frame(w->scene, b);
    const abut_frame plain = abut_frame_identity();
    *turned = memcmp(f.r, plain.r, sizeof f.r) != 0;
    return memcmp(&f, &g, sizeof f) == 0;
}

typedef struct question {
    const world* w;
    snapshot a;
    snapshot b;
    bool self;
    near_keeps keeps;
    abut_features_def def;
    abut_features_result* result;
} question;

static size_t ask(question* q, double margin) {
    const abut_scene* scene = q->w->scene;
    bool turned = false;
    const bool in_shape = q->self || same_frames(q->w, q->a.body, q->b.body, &turned);
    if (q->self) {
        (void)same_frames(q->w, q->a.body, q->a.body, &turned);
    }
    snapshot_take(q->w, &q->a, 1, !in_shape);
    snapshot_take(q->w, &q->b, 1, !in_shape);
    q->def.distance = margin;
    const abut_status status = q->self
                                   ? abut_features_self(scene, q->a.body, &q->def, q->result, NULL)
                                   : abut_features(scene, q->a.body, q->b.body, &q->def, q->result,
                                                   NULL);
    if (!is_finite(&q->a) || !is_finite(&q->b)) {
        REQUIRE(status == ABUT_ERR_INVALID_DATA || status == ABUT_OK);
        return 0;
    }
    REQUIRE_OK(status);
    near_list wanted = {.in_place = !in_shape || !turned};
    near_features(&q->a, q->self ? &q->a : &q->b, q->self ? classes_of(q->w, q->a.body) : NULL,
                  margin, q->keeps, &wanted);
    require_features(q->result, &wanted, margin);
    const size_t count = wanted.count;
    free(wanted.all);
    return count;
}

// a distance that occurs: of a random pair of features of the last positions
static double some_distance(const question* q, test_random* random) {
    double best = INFINITY;
    for (int i = 0; i < 6; ++i) {
        const snapshot* p[2] = {&q->a, q->self ? &q->a : &q->b};
        double corner[4][3];
        const bool edges = random_chance(random, 0.5);
        for (int k = 0; k < 4; ++k) {
            const snapshot* of = p[k < (edges ? 2 : 1) ? 0 : 1];
            memcpy(corner[k], of->xyz[1] + 3 * (size_t)random_below(random, of->s->vertex_count),
                   sizeof corner[k]);
        }
        const uint32_t t = random_below(random, p[1]->s->triangle_count);
        for (int k = 0; k < 3 && !edges; ++k) {
            memcpy(corner[1 + k],
                   p[1]->xyz[1] + 3 * (size_t)p[1]->s->triangles[3 * t + (uint32_t)k],
                   sizeof corner[k]);
        }
        for (int k = 0; k < 2 && edges; ++k) {
            const uint32_t e = random_below(random, p[k]->edge_count);
            memcpy(corner[2 * k], p[k]->xyz[1] + 3 * (size_t)p[k]->edges[e][0], sizeof corner[0]);
            memcpy(corner[2 * k + 1], p[k]->xyz[1] + 3 * (size_t)p[k]->edges[e][1],
                   sizeof corner[0]);
        }
        const double distance = feature_distance((const double(*)[3])corner, edges);
        best = distance > 0 && distance < best ? distance : best;
    }
    return isfinite(best) ? best : 0.25;
}

// At that distance and to either side of it. The exact distance is at least `at`, and less than the
// next double.
static void ask_around(question* q, test_random* random) {
    (void)ask(q, 0);
    if (!is_finite(&q->a) || !is_finite(&q->b)) {
        return;
    }
    const double at = some_distance(q, random);
    const double margins[3] = {nextafter(at, 0), at, nextafter(at, INFINITY)};
    for (int i = 0; i < 3; ++i) {
        (void)ask(q, isfinite(margins[i]) ? margins[i] : at);
    }
}

// ---- motions

static surface some_surface(test_random* random, uint64_t seed) {
    const uint32_t rings = 3 + (uint32_t)seed % 2;
    return seed % 3 == 0   ? surface_soup(random, 14, 1, 0.5, 0.125)
           : seed % 3 == 1 ? surface_ball(rings, rings + 1, 1)
                           : surface_sheet(3, 4, 1.5);
}

// a sheet whose coordinates are multiples of 1/8, so that many distances are equal and exact
static abut_body_id add_other(world* w, test_random* random, surface* s) {
    *s = surface_sheet(3, 3, 1.5);
    surface_shake(s, random, 0.25, 0.125);
    surface_shift(s, -0.5, -0.5, 0.125);
    motion_def def = motion_def_default();
    def.block_triangles = 5;
    return world_add(w, s, &def, NULL);
}

static void check_motion(const motion_row* row, uint64_t seed) {
    test_random random = random_seed(seed);
    mover m = mover_make(row, (uint32_t)seed % row->variants, some_surface(&random, seed), &random);
    world w = world_make(NULL, NULL);
    motion_def def = mover_def(&m);
    def.block_triangles = (uint32_t)(2 + seed % 12);
    abut_shape* shape = world_shape(&w, &m.surface, &def);
    abut_body_id body;
    REQUIRE_OK(abut_body_create(w.scene, shape, NULL, &body, NULL));
    surface s;
    const abut_body_id other = add_other(&w, &random, &s);
    question q = {.w = &w,
                  .a = snapshot_make(body, &m.surface),
                  .b = snapshot_make(other, &s),
                  .def = abut_features_def_default()};
    REQUIRE_OK(abut_features_result_create(w.context, &q.result, NULL));
    for (int step = 0; step < 3; ++step) {
        where("%s, seed %llu, step %d", row->name, (unsigned long long)seed, step);
        if (step > 0) {
            mover_draw(&m, &random, random_state_kind(&random));
            REQUIRE_OK(mover_set(&m, w.scene, body));
        }
        if (random_chance(&random, 0.4)) {
            world_frame(&w, body, frame_random(&random, random_chance(&random, 0.2) ? 1e6 : 0.5));
        }
        q.self = false;
        ask_around(&q, &random);
        q.self = true;
        ask_around(&q, &random);
    }
    abut_features_result_destroy(q.result);
    snapshot_free(&q.a);
    snapshot_free(&q.b);
    surface_free(&s);
    abut_shape_destroy(shape);
    world_free(&w);
    mover_free(&m);
}

static void test_motions(void** state) {
    (void)state;
    const motion_row* rows[4] = {&motion_free, &motion_modal, &motion_blend, &motion_flight};
    for (uint32_t seed = 0; seed < effort(3, 24, 240); ++seed) {
        for (int i = 0; i < 4; ++i) {
            check_motion(rows[i], seed);
        }
    }
}

// adds segments and a point, as triangles with equal corners
static surface with_segments(const surface* s) {
    static const uint32_t more[4][3] = {{0, 7, 7}, {3, 3, 3}, {9, 2, 9}, {7, 7, 0}};
    surface out = surface_make(s->vertex_count, s->triangle_count + 4);
    memcpy(out.xyz, s->xyz, 3 * (size_t)s->vertex_count * sizeof *s->xyz);
    memcpy(out.triangles, s->triangles, 3 * (size_t)s->triangle_count * sizeof *s->triangles);
    memcpy(out.triangles + 3 * (size_t)s->triangle_count, more, sizeof more);
    return out;
}

// ---- a cloth: neighbours dominate, and most vertices are owned by a neighbour of the near face

static void test_folded_sheet(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < effort(4, 20, 200); ++seed) {
        test_random random = random_seed(seed);
        surface sheet = surface_sheet(4 + seed % 3, 5, 1);
        uint32_t* order = test_alloc(sheet.triangle_count, sizeof *order);
        surface shuffled = surface_shuffle(&sheet, &random, order);
        surface s = with_segments(&shuffled);
        surface_shake(&s, &random, 0.25, seed % 2 == 0 ? 0.0625 : 0x1p-30);
        world w = world_make(NULL, NULL);
        motion_def def = motion_def_default();
        def.block_triangles = 1 + random_below(&random, 12);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        question q = {.w = &w,
                      .a = snapshot_make(body, &s),
                      .b = snapshot_make(body, &s),
                      .self = true,
                      .def = abut_features_def_default()};
        REQUIRE_OK(abut_features_result_create(w.context, &q.result, NULL));
        for (int i = 0; i < 3; ++i) {
            where("seed %u, margin %d", seed, i);
            REQUIRE(ask(&q, 0.125 * (1 + i)) > 0);
        }
        abut_features_result_destroy(q.result);
        snapshot_free(&q.a);
        snapshot_free(&q.b);
        world_free(&w);
        surface_free(&s);
        surface_free(&shuffled);
        surface_free(&sheet);
        free(order);
    }
}

// fans, books and cones, whose nodes are compared by cones
static void test_hubs(void** state) {
    (void)state;
    for (uint32_t kind = 0; kind < HUB_KINDS; ++kind) {
        for (uint32_t seed = 0; seed < effort(1, 4, 30); ++seed) {
            test_random random = random_seed(seed);
            surface s = hub_surface((hub_kind)kind, effort(24, 40, 60));
            surface_shake(&s, &random, 0.0625, 0x1p-20);
            world w = world_make(NULL, NULL);
            motion_def def = motion_def_default();
            def.fan_out = 2 + random_below(&random, 7);
            def.block_triangles = 1 + random_below(&random, 3);
            const abut_body_id body = world_add(&w, &s, &def, NULL);
            question q = {.w = &w,
                          .a = snapshot_make(body, &s),
                          .b = snapshot_make(body, &s),
                          .self = true,
                          .def = abut_features_def_default()};
            REQUIRE_OK(abut_features_result_create(w.context, &q.result, NULL));
            where("%s, seed %u", hub_name((hub_kind)kind), seed);
            (void)ask(&q, 0);
            (void)ask(&q, 0.03125);
            (void)ask(&q, 0.375);
            abut_features_result_destroy(q.result);
            snapshot_free(&q.a);
            snapshot_free(&q.b);
            world_free(&w);
            surface_free(&s);
        }
    }
}

// ---- scenes

static void zoo_wanted(const zoo* z, bool self, uint32_t groups, double margin, near_list* wanted) {
    snapshot p[ZOO_BODIES];
    for (int i = 0; i < ZOO_BODIES; ++i) {
        p[i] = snapshot_make(z->body[i], &z->rest[i]);
        snapshot_take(&z->world, &p[i], 1, !self);
    }
    for (int i = 0; i < ZOO_BODIES; ++i) {
        if (self) {
            near_features(&p[i], &p[i], classes_of(&z->world, z->body[i]), margin, NULL, wanted);
        }
        for (int k = i + 1; k < ZOO_BODIES && !self; ++k) {
            bool turned = false;
            REQUIRE(!same_frames(&z->world, z->body[i], z->body[k], &turned) || !turned);
            if ((groups >> i & groups >> k & 1) != 0) {
                near_features(&p[i], &p[k], NULL, margin, NULL, wanted);
            }
        }
    }
    for (int i = 0; i < ZOO_BODIES; ++i) {
        snapshot_free(&p[i]);
    }
}

static void test_scene(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < effort(2, 10, 100); ++seed) {
        zoo z;
        zoo_open(&z, seed, 3 + seed % 2, NULL, NULL);
        abut_features_result* result = NULL;
        REQUIRE_OK(abut_features_result_create(z.world.context, &result, NULL));
        for (uint32_t step = 0; step < 2; ++step) {
            const uint32_t groups = step == 0 ? 0x1f : 0x15;
            abut_features_def def = abut_features_def_default();
            def.distance = 0.125 * step;
            for (int i = 0; i < ZOO_BODIES; ++i) {
                REQUIRE_OK(abut_body_set_groups(z.world.scene, z.body[i], groups >> i & 1,
                                                groups >> i & 1, NULL));
            }
            where("seed %u, step %u", seed, step);
            near_list wanted = {.in_place = true};
            REQUIRE_OK(abut_features_all(z.world.scene, &def, result, NULL));
            zoo_wanted(&z, false, groups, def.distance, &wanted);
            require_features(result, &wanted, def.distance);
            wanted.count = 0;
            wanted.in_place = false;
            where("seed %u, step %u, self", seed, step);
            REQUIRE_OK(abut_features_self_all(z.world.scene, &def, result, NULL));
            zoo_wanted(&z, true, groups, def.distance, &wanted);
            require_features(result, &wanted, def.distance);
            free(wanted.all);
            zoo_move(&z, random_double(&z.random, 0, 2));
        }
        abut_features_result_destroy(result);
        zoo_close(&z);
    }
}

// ---- settings

static bool keeps_some(uint32_t a, uint32_t b) {
    return (a * 7 + b * 3) % 4 != 0;
}

static bool filter_some(void* user, uint32_t body_a, uint32_t a, uint32_t body_b, uint32_t b) {
    (void)user;
    return (body_a != body_b || a < b) && keeps_some(a, b);
}

static void test_settings(void** state) {
    (void)state;
    test_random random = random_seed(5);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(4, 5, 1);
    surface_shake(&s, &random, 0.25, 0.125);
    surface t = surface_sheet(4, 4, 1.5);
    const abut_body_id a = world_add(&w, &s, NULL, NULL);
    const abut_body_id b = world_add(&w, &t, NULL, NULL);
    abut_counters counters = {0};
    question q = {.w = &w,
                  .a = snapshot_make(a, &s),
                  .b = snapshot_make(b, &t),
                  .keeps = keeps_some,
                  .def = abut_features_def_default()};
    q.def.filter.fn = filter_some;
    q.def.head.counters = &counters;
    REQUIRE_OK(abut_features_result_create(w.context, &q.result, NULL));
    const size_t between = ask(&q, 0.25);
    REQUIRE(between > 0 && counters.pairs_found == between && counters.pairs_filtered > 0);
    REQUIRE(counters.exact_tests >= between && counters.blocks_evaluated > 0);
    q.self = true;
    REQUIRE(ask(&q, 0.25) > 0);
    // any: no rows
    q.def.any = true;
    REQUIRE_OK(abut_features(w.scene, a, b, &q.def, q.result, NULL));
    size_t count = 1;
    REQUIRE(abut_features_result_pairs(q.result, &count) == NULL && count == 0);
    REQUIRE(abut_features_result_found(q.result));
    surface_shift(&s, 100, 0, 0);
    world_move(&w, a, s.xyz);
    REQUIRE_OK(abut_features(w.scene, a, b, &q.def, q.result, NULL));
    REQUIRE(!abut_features_result_found(q.result));
    abut_features_result_destroy(q.result);
    snapshot_free(&q.a);
    snapshot_free(&q.b);
    surface_free(&s);
    surface_free(&t);
    world_free(&w);
}

// ---- thickness

// the answers of both queries over the zoo, with a thickness for each body
typedef struct thick_answers {
    abut_features_result* features[2];  // with thickness, and without
    abut_within_result* within[2];
    const abut_feature_pair* rows;  // of the first, those that are not compared yet
    const abut_distance_pair* pairs;
    size_t row_count;
    size_t pair_count;
} thick_answers;

static double thickness_of(int body) {
    return 0.03125 * (body % 3);
}

static void ask_thick(const zoo* z, abut_culling_kind culling, thick_answers* t) {
    abut_features_def features = abut_features_def_default();
    abut_within_def within = abut_within_def_default();
    within.culling.kind = culling;
    features.distance = within.distance = 0.0625;
    for (int k = 0; k < 2; ++k) {
        REQUIRE_OK(abut_features_result_create(z->world.context, &t->features[k], NULL));
        REQUIRE_OK(abut_within_result_create(z->world.context, &t->within[k], NULL));
    }
    for (int i = 0; i < ZOO_BODIES; ++i) {
        REQUIRE_OK(abut_body_set_thickness(z->world.scene, z->body[i], thickness_of(i), NULL));
    }
    REQUIRE_OK(abut_features_all(z->world.scene, &features, t->features[0], NULL));
    REQUIRE_OK(abut_within_all(z->world.scene, &within, t->within[0], NULL));
    t->rows = abut_features_result_pairs(t->features[0], &t->row_count);
    t->pairs = abut_within_result_pairs(t->within[0], &t->pair_count);
    for (int i = 0; i < ZOO_BODIES; ++i) {
        REQUIRE_OK(abut_body_set_thickness(z->world.scene, z->body[i], 0, NULL));
    }
}

// the next rows are those of two bodies at the sum of distance and thickness
static void compare_two(const zoo* z, int i, int k, thick_answers* t) {
    size_t count = 0;
    abut_features_def features = abut_features_def_default();
    abut_within_def within = abut_within_def_default();
    features.distance = within.distance = 0.0625 + (thickness_of(i) + thickness_of(k));
    REQUIRE_OK(
        abut_features(z->world.scene, z->body[i], z->body[k], &features, t->features[1], NULL));
    const abut_feature_pair* rows = abut_features_result_pairs(t->features[1], &count);
    REQUIRE(count <= t->row_count &&
            (count == 0 || memcmp(t->rows, rows, count * sizeof *rows) == 0));
    t->rows += count;
    t->row_count -= count;
    REQUIRE_OK(abut_within(z->world.scene, z->body[i], z->body[k], &within, t->within[1], NULL));
    const abut_distance_pair* pairs = abut_within_result_pairs(t->within[1], &count);
    REQUIRE(count <= t->pair_count);
    for (size_t n = 0; n < count; ++n) {  // only gaps differ
        abut_distance_pair plain = t->pairs[n];
        REQUIRE(plain.gap == plain.distance - (thickness_of(i) + thickness_of(k)));
        plain.gap = plain.distance;
        REQUIRE(memcmp(&plain, &pairs[n], sizeof plain) == 0);
    }
    t->pairs += count;
    t->pair_count -= count;
}

// with thickness, a query finds what it finds without, at the sum of distance and thickness
static void test_thickness(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < effort(2, 10, 100); ++seed) {
        zoo z;
        thick_answers t;
        zoo_open(&z, seed, 5, NULL, NULL);
        ask_thick(&z, seed % 2 == 0 ? ABUT_CULLING_TREE : ABUT_CULLING_VORONOI, &t);
        REQUIRE(t.row_count > 0 && t.pair_count > 0);
        for (int i = 0; i < ZOO_BODIES; ++i) {
            for (int k = i + 1; k < ZOO_BODIES; ++k) {
                where("seed %u, bodies %d %d", seed, i, k);
                compare_two(&z, i, k, &t);
            }
        }
        REQUIRE(t.row_count == 0 && t.pair_count == 0);
        for (int k = 0; k < 2; ++k) {
            abut_features_result_destroy(t.features[k]);
            abut_within_result_destroy(t.within[k]);
        }
        zoo_close(&z);
    }
}

// two sheets whose boxes are apart, and that touch by their thickness alone
static void test_thickness_reaches_far(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(2, 2, 1);
    const abut_body_id a = world_add(&w, &s, NULL, NULL);
    surface_shift(&s, 0, 0, 0.75);
    const abut_body_id b = world_add(&w, &s, NULL, NULL);
    abut_features_result* features = NULL;
    abut_within_result* within = NULL;
    REQUIRE_OK(abut_features_result_create(w.context, &features, NULL));
    REQUIRE_OK(abut_within_result_create(w.context, &within, NULL));
    REQUIRE_OK(abut_body_set_thickness(w.scene, a, 0.25, NULL));
    for (int k = 0; k < 3; ++k) {
        REQUIRE_OK(abut_body_set_thickness(w.scene, b, k == 0 ? 0.5 - 0x1p-52 : 0.5, NULL));
        abut_within_def def = abut_within_def_default();
        def.culling.kind = k == 2 ? ABUT_CULLING_VORONOI : ABUT_CULLING_TREE;
        REQUIRE_OK(abut_features_all(w.scene, NULL, features, NULL));
        REQUIRE_OK(abut_within_all(w.scene, &def, within, NULL));
        REQUIRE(abut_features_result_found(features) == (k > 0));
        REQUIRE(abut_within_result_found(within) == (k > 0));
    }
    abut_features_result_destroy(features);
    abut_within_result_destroy(within);
    surface_free(&s);
    world_free(&w);
}

// within one body thickness counts twice; it ends with the body
static void test_thickness_of_one(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(4, 4, 1);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    question q = {.w = &w,
                  .a = snapshot_make(body, &s),
                  .b = snapshot_make(body, &s),
                  .self = true,
                  .def = abut_features_def_default()};
    REQUIRE_OK(abut_features_result_create(w.context, &q.result, NULL));
    const size_t wanted = ask(&q, 0.25);
    REQUIRE(wanted > 0);
    REQUIRE_OK(abut_body_set_thickness(w.scene, body, 0.125, NULL));
    REQUIRE(abut_body_thickness(w.scene, body) == 0.125);
    size_t count = 0;
    REQUIRE_OK(abut_features_self(w.scene, body, NULL, q.result, NULL));
    (void)abut_features_result_pairs(q.result, &count);
    REQUIRE(count == wanted);
    REQUIRE_STATUS(abut_body_set_thickness(w.scene, body, -1, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_body_set_thickness(w.scene, body, INFINITY, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE(abut_body_thickness(w.scene, body) == 0.125);
    REQUIRE_OK(abut_body_destroy(w.scene, body, NULL));
    REQUIRE_STATUS(abut_body_set_thickness(w.scene, body, 1, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE(abut_body_thickness(w.scene, body) == 0);
    const abut_body_id next = world_add(&w, &s, NULL, NULL);
    REQUIRE(next.index == body.index && abut_body_thickness(w.scene, next) == 0);
    abut_features_result_destroy(q.result);
    snapshot_free(&q.a);
    snapshot_free(&q.b);
    surface_free(&s);
    world_free(&w);
}

static void test_refusals(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(2, 2, 1);
    const abut_body_id a = world_add(&w, &s, NULL, NULL);
    const abut_body_id b = world_add(&w, &s, NULL, NULL);
    abut_features_result* result = NULL;
    abut_features_def def = abut_features_def_default();
    abut_features_def other = def;
    REQUIRE_STATUS(abut_features_result_create(NULL, &result, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_OK(abut_features_result_create(w.context, &result, NULL));
    abut_features_result_destroy(NULL);
    for (int i = 0; i < 3; ++i) {
        def.distance = i == 0 ? -1 : i == 1 ? INFINITY : (double)NAN;
        REQUIRE_STATUS(abut_features(w.scene, a, b, &def, result, NULL), ABUT_ERR_INVALID_ARGUMENT);
    }
    other.head.cookie = abut_within_def_default().head.cookie;
    REQUIRE_STATUS(abut_features_all(w.scene, &other, result, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_features(w.scene, a, a, NULL, result, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_features_self(NULL, a, NULL, result, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_features_self_all(w.scene, NULL, NULL, NULL), ABUT_ERR_INVALID_ARGUMENT);
    // a frame that takes vertices beyond the range of doubles
    abut_frame far = abut_frame_identity();
    far.t[0] = 1.7e308;
    surface big = surface_sheet(1, 1, 1e308);
    const abut_body_id c = world_add(&w, &big, NULL, NULL);
    world_frame(&w, c, far);
    abut_error error = {0};
    def = abut_features_def_default();
    def.distance = 1e308;
    REQUIRE_STATUS(abut_features(w.scene, a, c, &def, result, &error), ABUT_ERR_INVALID_DATA);
    REQUIRE(error.body.index == c.index);
    abut_features_result_destroy(result);
    surface_free(&s);
    surface_free(&big);
    world_free(&w);
}

// ---- everywhere the same

static void test_everywhere(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 3, 0};
    reference rows = {0};
    reference work = {0};
    for (everywhere e = everywhere_each(workers, 7); everywhere_next(&e);) {
        where("%s", e.text);
        zoo z;
        zoo_open(&z, 3, 8, &e.def, NULL);
        abut_features_result* result = NULL;
        REQUIRE_OK(abut_features_result_create(z.world.context, &result, NULL));
        abut_counters counters = {0};
        abut_features_def def = abut_features_def_default();
        def.distance = 0.25;
        def.head.counters = &counters;
        uint64_t hash = 0;
        for (int self = 0; self < 2; ++self) {
            size_t count = 0;
            REQUIRE_OK((self ? abut_features_self_all : abut_features_all)(z.world.scene, &def,
                                                                           result, NULL));
            const abut_feature_pair* got = abut_features_result_pairs(result, &count);
            REQUIRE(count > (self ? 0 : 100));
            hash_bytes(&hash, got, count * sizeof *got);
        }
        REQUIRE(reference_same(&rows, &hash, sizeof hash));
        REQUIRE(reference_same(&work, &counters, sizeof counters));
        abut_features_result_destroy(result);
        zoo_close(&z);
    }
    reference_free(&rows);
    reference_free(&work);
}

// ---- memory

// nothing is allocated once the same poses were asked about
static void test_no_allocation(void** state) {
    (void)state;
    test_memory memory;
    const abut_context_def def = memory_context_def(&memory);
    world w = world_make(&def, NULL);
    surface s = surface_sheet(20, 20, 1);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    abut_features_result* result = NULL;
    abut_features_def near = abut_features_def_default();
    near.distance = 0.02;
    REQUIRE_OK(abut_features_result_create(w.context, &result, NULL));
    size_t calls = 0;
    for (uint64_t step = 0; step < 20; ++step) {
        test_random random = random_seed(step % 4);
        surface moved = surface_copy(&s);
        surface_shake(&moved, &random, 0.03125, 0x1p-20);
        REQUIRE_OK(abut_body_set_positions(
            w.scene, body, abut_positions_f64(moved.xyz, moved.vertex_count), NULL));
        REQUIRE_OK(abut_features_self(w.scene, body, &near, result, NULL));
        REQUIRE(abut_features_result_found(result));
        calls = step < 8 ? memory.calls : calls;
        surface_free(&moved);
    }
    REQUIRE(memory.calls == calls);
    abut_features_result_destroy(result);
    surface_free(&s);
    world_free(&w);
    memory_require_clean(&memory);
}

// every allocation fails once: the call says so, and the next one has the whole answer
static void test_failing_allocations(void** state) {
    (void)state;
    test_memory memory;
    const abut_context_def def = memory_context_def(&memory);
    abut_features_def near = abut_features_def_default();
    near.distance = 0.125;
    bool failed = true;
    for (size_t call = 1; failed; ++call) {
        where("call %zu", call);
        world w = world_make(&def, NULL);
        surface s = surface_sheet(4, 4, 1);
        const abut_body_id body = world_add(&w, &s, NULL, NULL);
        const abut_body_id other = world_add(&w, &s, NULL, NULL);
        failed = false;
        memory_fail(&memory, call, false);
        abut_features_result* result = NULL;
        abut_status status = abut_features_result_create(w.context, &result, NULL);
        for (int i = 0; i < 3 && status == ABUT_OK; ++i) {
            status = i == 0   ? abut_features_self(w.scene, body, &near, result, NULL)
                     : i == 1 ? abut_features(w.scene, body, other, &near, result, NULL)
                              : abut_features_all(w.scene, &near, result, NULL);
        }
        if (status != ABUT_OK) {
            failed = true;
            REQUIRE(status == ABUT_ERR_NO_MEMORY && memory.refused > 0);
            REQUIRE(result == NULL || !abut_features_result_found(result));
        }
        memory_fail(&memory, 0, false);
        if (result == NULL) {
            REQUIRE_OK(abut_features_result_create(w.context, &result, NULL));
        }
        REQUIRE_OK(abut_features(w.scene, body, other, &near, result, NULL));
        size_t count = 0;
        (void)abut_features_result_pairs(result, &count);
        REQUIRE(count > 100);
        abut_features_result_destroy(result);
        surface_free(&s);
        world_free(&w);
        memory_check(&memory);
        memory.refused = 0;
    }
    memory_require_clean(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motions),
        cmocka_unit_test(test_folded_sheet),
        cmocka_unit_test(test_hubs),
        cmocka_unit_test(test_scene),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_thickness),
        cmocka_unit_test(test_thickness_reaches_far),
        cmocka_unit_test(test_thickness_of_one),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_everywhere),
        cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
