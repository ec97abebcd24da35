// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Closest points on all motions against brute force over all triangles: one, several, all within a
// distance; points on the surface, far away, at ties; signs against containment; threads,
// instruction sets and earlier queries, which must not matter.
#include "test_closest_support.h"

#include "support/everywhere.h"
#include "support/memory.h"
#include "support/motions.h"
#include "support/queries.h"
#include "support/solids.h"

enum { POINTS = 24 };

// a point near a surface in one of several ways
static void draw_point(test_random* random, const facets* f, double x[3]) {
    const facet* own = &f->all[random_below(random, (uint32_t)f->count)];
    const uint32_t kind = random_below(random, 8);
    const double size = 1e-30 + fabs(own->t[0][0]) + fabs(own->t[1][1]) + fabs(own->t[2][2]);
    const double far[4] = {4, 100, 1e5, 1e12};
    const double reach = kind == 7 ? far[random_below(random, 4)] : 1.5;
    for (int d = 0; d < 3; ++d) {
        const double a = own->t[0][d];
        switch (kind) {
            case 0: x[d] = a; break;
            case 1: x[d] = 0.5 * a + 0.5 * own->t[1][d]; break;
            case 2: x[d] = (a + own->t[1][d] + own->t[2][d]) / 3; break;
            case 3: x[d] = a + size * random_double(random, -1, 1) * 0x1p-30; break;
            case 4: x[d] = a + size * random_double(random, -1, 1) * 0.1; break;
            default: x[d] = size * reach * random_double(random, -1, 1); break;
        }
        x[d] = isfinite(x[d]) ? x[d] : 0;
    }
}

static bool keeps_even(void* user, uint32_t body, uint32_t triangle) {
    (void)user;
    (void)body;
    return triangle % 2 == 0;
}

static abut_closest_def random_def(test_random* random, double size) {
    static const uint32_t most[6] = {1, 1, 1, 3, 7, 0};
    abut_closest_def def = abut_closest_def_default();
    def.most = most[random_below(random, 6)];
    if (def.most == 0 || random_chance(random, 0.2)) {
        def.max_distance = random_chance(random, 0.2) ? 0 : size * random_double(random, 0, 0.5);
    }
    def.filter.fn = random_chance(random, 0.2) ? keeps_even : NULL;
    return def;
}

// rationals confirm the distances, and that none is less
static void judge_row(const facets* f, const double x[3], const abut_closest_point* row) {
    const double q[3][3] = {{x[0], x[1], x[2]}, {x[0], x[1], x[2]}, {x[0], x[1], x[2]}};
    const size_t step = judge_spend(JUDGE_DISTANCE * f->count);
    for (size_t i = 0; i < f->count; i += step) {
        double distance;
        abut_witness unused;
        abut__point_distance((const double(*)[3])f->all[i].t, x, &distance, &unused);
        judge_distance((const double(*)[3])f->all[i].t, q, distance);
        REQUIRE(distance >= fabs(row->distance));
    }
}

static void ask_and_check(const world* w, const abut_body_id* body, test_random* random,
                          abut_closest_result* result) {
    double points[POINTS][3];
    facets f = {NULL, 0};
    facets_add(&f, w->scene, *body);
    for (int i = 0; i < POINTS; ++i) {
        draw_point(random, &f, points[i]);
    }
    const double size = fabs(f.all[0].t[0][0]) + fabs(f.all[0].t[0][1]) + fabs(f.all[0].t[0][2]);
    const abut_closest_def def = random_def(random, isfinite(size) ? size : 1);
    abut_error error = {0};
    const abut_status status = abut_closest(w->scene, *body, abut_positions_f64(points[0], POINTS),
                                            &def, result, &error);
    bool finite = true;
    for (size_t i = 0; i < f.count; ++i) {
        for (int k = 0; k < 9; ++k) {
            finite = finite && isfinite(f.all[i].t[k / 3][k % 3]);
        }
    }
    if (finite) {
        REQUIRE_OK(status);
        check_rows(&f, (const double(*)[3])points, POINTS, &def, result);
        size_t count = 0;
        const abut_closest_point* rows = abut_closest_result_points(result, &count);
        if (count > 0 && def.filter.fn == NULL && judge_is_due()) {
            judge_row(&f, points[rows[0].point], &rows[0]);
        }
    } else {
        REQUIRE_STATUS(status, ABUT_ERR_INVALID_DATA);
    }
    free(f.all);
}

static void check_motion(const motion_row* row, uint64_t seed) {
    test_random random = random_seed(seed);
    const uint32_t rings = 3 + (uint32_t)seed % 6;
    mover m = mover_make(row, (uint32_t)seed % row->variants,
                         seed % 3 == 0 ? surface_soup(&random, 60, 1, 0.4, 0.125)
                                       : surface_ball(rings, rings + 3, 1),
                         &random);
    world w = world_make(NULL, NULL);
    motion_def def = mover_def(&m);
    def.block_triangles = (uint32_t)(2 + seed % 12);
    abut_shape* shape = world_shape(&w, &m.surface, &def);
    abut_body_id body;
    abut_closest_result* result = NULL;
    REQUIRE_OK(abut_closest_result_create(w.context, &result, NULL));
    REQUIRE_OK(abut_body_create(w.scene, shape, NULL, &body, NULL));
    for (int step = 0; step < 6; ++step) {
        where("%s, seed %llu, step %d", row->name, (unsigned long long)seed, step);
        if (step > 0) {
            mover_draw(&m, &random, random_state_kind(&random));
            REQUIRE_OK(mover_set(&m, w.scene, body));
        }
        if (random_chance(&random, 0.4)) {
            world_frame(&w, body, frame_random(&random, random_chance(&random, 0.3) ? 1e6 : 2));
        }
        ask_and_check(&w, &body, &random, result);
    }
    abut_closest_result_destroy(result);
    abut_shape_destroy(shape);
    world_free(&w);
    mover_free(&m);
}

static void test_motions(void** state) {
    (void)state;
    const motion_row* rows[4] = {&motion_free, &motion_modal, &motion_blend, &motion_flight};
    for (uint32_t seed = 0; seed < effort(12, 60, 600); ++seed) {
        for (int i = 0; i < 4; ++i) {
            check_motion(rows[i], seed);
        }
    }
}

// ---- a scene of bodies of all motions

static void zoo_facets(const zoo* z, const abut_closest_def* def, facets* f) {
    *f = (facets){NULL, 0};
    for (int i = 0; i < ZOO_BODIES; ++i) {
        if ((def->mask >> i & 1) != 0) {
            facets_add(f, z->world.scene, z->body[i]);
        }
    }
}

static void test_scene(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < effort(6, 30, 300); ++seed) {
        zoo z;
        zoo_open(&z, seed, 4 + seed % 5, NULL, NULL);
        abut_closest_result* result = NULL;
        REQUIRE_OK(abut_closest_result_create(z.world.context, &result, NULL));
        for (int i = 0; i < ZOO_BODIES; ++i) {
            REQUIRE_OK(
                abut_body_set_groups(z.world.scene, z.body[i], UINT64_C(1) << i, UINT64_MAX, NULL));
        }
        for (int step = 0; step < 3; ++step) {
            facets f;
            double points[POINTS][3];
            abut_closest_def def = random_def(&z.random, 5);
            def.mask = step == 1 ? 0x15 : UINT64_MAX;
            zoo_facets(&z, &def, &f);
            for (int i = 0; i < POINTS; ++i) {
                draw_point(&z.random, &f, points[i]);
            }
            where("seed %u, step %d", seed, step);
            REQUIRE_OK(abut_closest_all(z.world.scene, abut_positions_f64(points[0], POINTS), &def,
                                        result, NULL));
            check_rows(&f, (const double(*)[3])points, POINTS, &def, result);
            free(f.all);
            zoo_move(&z, random_double(&z.random, 0, 2));
        }
        abut_closest_result_destroy(result);
        zoo_close(&z);
    }
}

// many bodies, so that the tree over them has several levels
static void test_many_bodies(void** state) {
    (void)state;
    enum { MANY = 150 };
    test_random random = random_seed(3);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(3, 4, 1);
    abut_shape* shape = world_shape(&w, &s, NULL);
    facets f = {NULL, 0};
    abut_body_id body[MANY];
    for (int i = 0; i < MANY; ++i) {
        abut_body_def def = abut_body_def_default();
        def.frame = frame_random(&random, 20);
        REQUIRE_OK(abut_body_create(w.scene, shape, &def, &body[i], NULL));
    }
    for (int i = 0; i < MANY; ++i) {
        if (i % 7 == 3) {
            REQUIRE_OK(abut_body_destroy(w.scene, body[i], NULL));
        } else {
            facets_add(&f, w.scene, body[i]);
        }
    }
    double points[POINTS][3];
    for (int i = 0; i < 3 * POINTS; ++i) {
        points[i / 3][i % 3] = random_double(&random, -25, 25);
    }
    abut_closest_result* result = NULL;
    REQUIRE_OK(abut_closest_result_create(w.context, &result, NULL));
    abut_counters counters = {0};
    abut_closest_def def = abut_closest_def_default();
    def.head.counters = &counters;
    REQUIRE_OK(
        abut_closest_all(w.scene, abut_positions_f64(points[0], POINTS), &def, result, NULL));
    check_rows(&f, (const double(*)[3])points, POINTS, &def, result);
    REQUIRE(counters.exact_tests < 20 * POINTS && counters.pairs_found == POINTS);
    abut_closest_result_destroy(result);
    free(f.all);
    abut_shape_destroy(shape);
    surface_free(&s);
    world_free(&w);
}

// ---- signs

static void test_signs(void** state) {
    (void)state;
    enum { MANY = 400 };
    for (uint32_t seed = 0; seed < effort(6, 30, 300); ++seed) {
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        surface ball = surface_ball(6, 9, 1);
        surface_shake(&ball, &random, 0.1, 0x1p-20);
        surface shifted = surface_copy(&ball);
        surface_shift(&shifted, 0.7, 0.1, 0);
        surface s = surface_join(&ball, &shifted);  // it cuts itself
        const abut_body_id body = world_add(&w, &s, NULL, NULL);
        facets f = {NULL, 0};
        facets_add(&f, w.scene, body);
        double(*points)[3] = test_alloc(MANY, sizeof *points);
        for (int i = 0; i < MANY; ++i) {
            draw_point(&random, &f, points[i]);
        }
        abut_closest_result* result = NULL;
        REQUIRE_OK(abut_closest_result_create(w.context, &result, NULL));
        abut_closest_def def = abut_closest_def_default();
        def.sign = true;
        def.most = seed % 3 == 2 ? 2 : 1;
        where("seed %u", seed);
        REQUIRE_OK(
            abut_closest(w.scene, body, abut_positions_f64(points[0], MANY), &def, result, NULL));
        check_rows(&f, (const double(*)[3])points, MANY, &def, result);
        size_t count = 0;
        const abut_closest_point* rows = abut_closest_result_points(result, &count);
        for (size_t i = 0; i < count; ++i) {
            const double* p = points[rows[i].point];
            int32_t winding;
            where("seed %u, row %zu", seed, i);
            const abut_side side = world_point_side(&w, body, p, &winding);
            REQUIRE(rows[i].side == side);
            REQUIRE(signbit(rows[i].distance) == (side == ABUT_SIDE_INSIDE));
            const bool first = i == 0 || rows[i - 1].point != rows[i].point;
            if (first && fabs(rows[i].distance) > 1e-6) {  // the sum of angles is not exact
                REQUIRE((fabs(winding_number(&s, p)) > 0.5) == (side == ABUT_SIDE_INSIDE));
            }
        }
        abut_closest_result_destroy(result);
        free(points);
        free(f.all);
        surface_free(&ball);
        surface_free(&shifted);
        surface_free(&s);
        world_free(&w);
    }
}

// ---- the same everywhere

static void test_everywhere(void** state) {
    (void)state;
    enum { MANY = 700 };
    const uint32_t workers[] = {1, 2, 5, 0};
    reference same_rows = {0};
    reference same_work = {0};
    for (everywhere e = everywhere_cross(workers, 7); everywhere_next(&e);) {
        zoo z;
        zoo_open(&z, 11, 9, &e.def, NULL);
        abut_closest_result* result[2] = {NULL, NULL};
        double(*points)[3] = test_alloc(MANY, sizeof *points);
        for (int i = 0; i < 3 * MANY; ++i) {
            points[i / 3][i % 3] = random_double(&z.random, -4, 14);
        }
        abut_counters counters[2] = {{0}, {0}};
        for (int k = 0; k < 2; ++k) {
            abut_closest_def def = abut_closest_def_default();
            def.head.counters = &counters[k];
            def.most = k == 0 ? 1 : 4;
            def.sign = true;
            REQUIRE_OK(abut_closest_result_create(z.world.context, &result[k], NULL));
            for (int round = 0; round < 2; ++round) {
                // the second time it starts from the last answer
                REQUIRE_OK(abut_closest_all(z.world.scene, abut_positions_f64(points[0], MANY),
                                            &def, result[k], NULL));
                size_t count = 0;
                const abut_closest_point* rows = abut_closest_result_points(result[k], &count);
                REQUIRE(count == MANY * (size_t)def.most);
                where("%s, round %d", e.text, round);
                if (k == 0) {
                    REQUIRE(reference_same(&same_rows, rows, count * sizeof *rows));
                }
            }
            abut_closest_result_destroy(result[k]);
        }
        REQUIRE(reference_same(&same_work, counters, sizeof counters));
        free(points);
        zoo_close(&z);
    }
    reference_free(&same_rows);
    reference_free(&same_work);
}

// ---- memory, errors

static abut_status ask_twice(zoo* z, abut_closest_result** result) {
    double points[POINTS][3];
    test_random random = random_seed(5);
    abut_closest_def def = abut_closest_def_default();
    abut_counters counters = {0};
    def.head.counters = &counters;
    for (int i = 0; i < 3 * POINTS; ++i) {
        points[i / 3][i % 3] = random_double(&random, -4, 14);
    }
    abut_status status = *result == NULL
                             ? abut_closest_result_create(z->world.context, result, NULL)
                             : ABUT_OK;
    for (int k = 0; k < 2 && status == ABUT_OK; ++k) {
        def.most = k == 0 ? 1 : 5;
        def.sign = true;
        status = abut_closest_all(z->world.scene, abut_positions_f64(points[0], POINTS), &def,
                                  *result, NULL);
    }
    return status;
}

// each allocation of a query fails once, and the query succeeds at the next try
static void test_refused_memory(void** state) {
    (void)state;
    for (size_t fail = 1; fail < 1000; ++fail) {
        test_memory memory;
        abut_context_def context_def = memory_context_def(&memory);
        zoo z;
        zoo_open(&z, 2, 4, &context_def, NULL);
        abut_closest_result* result = NULL;
        memory_fail(&memory, fail, false);
        const size_t refused = memory.refused;
        const abut_status status = ask_twice(&z, &result);
        const bool reached = memory.refused > refused;
        memory_fail(&memory, 0, false);
        where("allocation %zu", fail);
        REQUIRE(status == ABUT_OK || (reached && status == ABUT_ERR_NO_MEMORY));
        REQUIRE_OK(ask_twice(&z, &result));
        abut_closest_result_destroy(result);
        zoo_close(&z);
        memory_require_clean(&memory);
        if (!reached) {
            REQUIRE(fail > 10);
            return;
        }
    }
    REQUIRE(false);
}

static void test_quiet(void** state) {
    (void)state;
    test_memory memory;
    abut_context_def context_def = memory_context_def(&memory);
    zoo z;
    zoo_open(&z, 2, 6, &context_def, NULL);
    abut_closest_result* result = NULL;
    size_t before = 0;
    for (int round = 0; round < 8; ++round) {
        before = memory.calls;
        REQUIRE_OK(ask_twice(&z, &result));
    }
    REQUIRE(memory.calls == before);
    abut_closest_result_destroy(result);
    zoo_close(&z);
    memory_require_clean(&memory);
}

static void test_errors(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_ball(4, 5, 1);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    abut_closest_result* result = NULL;
    abut_error error;
    REQUIRE_OK(abut_closest_result_create(w.context, &result, NULL));
    double points[6] = {0, 0, 0, 1, NAN, 0};
    const abut_positions both = abut_positions_f64(points, 2);
    const abut_positions one = abut_positions_f64(points, 1);
    size_t count = 7;
    REQUIRE_OK(abut_closest(w.scene, body, one, NULL, result, NULL));
    (void)abut_closest_result_points(result, &count);
    REQUIRE(count == 1);
    REQUIRE_STATUS(abut_closest(w.scene, body, both, NULL, result, &error), ABUT_ERR_INVALID_DATA);
    REQUIRE(error.index == 1);
    REQUIRE(abut_closest_result_points(result, &count) == NULL && count == 0);
    abut_closest_def def = abut_closest_def_default();
    def.max_distance = -1;
    REQUIRE_STATUS(abut_closest(w.scene, body, one, &def, result, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    def.max_distance = INFINITY;
    def.most = 0;
    REQUIRE_STATUS(abut_closest_all(w.scene, one, &def, result, &error), ABUT_ERR_INVALID_ARGUMENT);
    def.most = UINT32_MAX;
    REQUIRE_OK(abut_closest_all(w.scene, one, &def, result, &error));
    (void)abut_closest_result_points(result, &count);
    REQUIRE(count == s.triangle_count);
    def.head.cookie = 0;
    REQUIRE_STATUS(abut_closest(w.scene, body, one, &def, result, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_closest(NULL, body, one, NULL, result, &error), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_closest(w.scene, body, one, NULL, NULL, &error), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_closest_result_create(NULL, &result, &error), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_OK(abut_closest_all(w.scene, abut_positions_f64(NULL, 0), NULL, result, &error));
    REQUIRE_OK(abut_body_destroy(w.scene, body, NULL));
    REQUIRE(abut_closest(w.scene, body, one, NULL, result, &error) != ABUT_OK);
    REQUIRE_OK(abut_closest_all(w.scene, one, NULL, result, &error));
    REQUIRE(abut_closest_result_points(result, NULL) == NULL);
    abut_closest_result_clear(result);
    abut_closest_result_destroy(result);
    abut_closest_result_destroy(NULL);
    surface_free(&s);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motions),     cmocka_unit_test(test_scene),
        cmocka_unit_test(test_many_bodies), cmocka_unit_test(test_signs),
        cmocka_unit_test(test_everywhere),  cmocka_unit_test(test_refused_memory),
        cmocka_unit_test(test_quiet),       cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
