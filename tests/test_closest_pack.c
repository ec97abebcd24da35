// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Closest points that are searched in packs, against brute force over all triangles: clusters of points
// at all distances, on all motions, from state to state; points so far apart that packs are split or
// given up; ties; threads and instruction sets.
#include "test_closest_support.h"

#include "support/everywhere.h"
#include "support/motions.h"
#include "support/queries.h"

enum { POINTS = 40 };

// Points in clusters beside the surface, on it, and around its centre.
static void draw_points(test_random* random, const facets* f, double (*points)[3]) {
    double centre[3] = {0, 0, 0};
    double spread = 0;
    double size = 0;
    for (int k = 0; k < 9; ++k) {
        size = fmax(size, fabs(f->all[0].t[k / 3][k % 3] - f->all[f->count / 2].t[0][k % 3]));
    }
    for (int i = 0; i < POINTS; ++i) {
        const facet* own = &f->all[random_below(random, (uint32_t)f->count)];
        if (i % 10 == 0) {
            const double beside = size * (random_chance(random, 0.5) ? 0.02 : 1);
            for (int d = 0; d < 3; ++d) {
                centre[d] = own->t[0][d] + beside * random_double(random, -1, 1);
            }
            spread = size * (random_chance(random, 0.5) ? 0.05 : 0.5);
        }
        for (int d = 0; d < 3; ++d) {
            points[i][d] = i % 10 == 9 ? own->t[i % 3][d]  // the same distance from several
                                       : centre[d] + spread * random_double(random, -1, 1);
        }
    }
}

static bool are_finite(const facets* f) {
    double sum = 0;
    for (size_t i = 0; i < 9 * f->count; ++i) {
        sum += 0 * f->all[i / 9].t[i % 9 / 3][i % 3];
    }
    return sum == 0;
}

static void check_motion(const motion_row* row, uint64_t seed) {
    test_random random = random_seed(seed);
    const uint32_t rings = 5 + (uint32_t)seed % 5;
    mover m = mover_make(row, (uint32_t)seed % row->variants, surface_ball(rings, rings + 4, 1),
                         &random);
    world w = world_make(NULL, NULL);
    motion_def def = mover_def(&m);
    def.block_triangles = (uint32_t)(2 + seed % 9);
    const abut_body_id body = world_add(&w, &m.surface, &def, NULL);
    abut_closest_result* result = NULL;
    REQUIRE_OK(abut_closest_result_create(w.context, &result, NULL));
    for (int step = 0; step < 4; ++step) {
        where("%s, seed %llu, step %d", row->name, (unsigned long long)seed, step);
        if (step > 0) {
            mover_draw(&m, &random, random_state_kind(&random));
            REQUIRE_OK(mover_set(&m, w.scene, body));
        }
        if (random_chance(&random, 0.4)) {
            world_frame(&w, body, frame_random(&random, 2));
        }
        facets f = {NULL, 0};
        double points[POINTS][3];
        facets_add(&f, w.scene, body);
        if (are_finite(&f)) {
            abut_closest_def query = abut_closest_def_default();
            query.max_distance = step == 2 ? 0.3 : (double)INFINITY;
            draw_points(&random, &f, points);
            REQUIRE_OK(abut_closest(w.scene, body, abut_positions_f64(points[0], POINTS), &query,
                                    result, NULL));
            check_rows(&f, (const double(*)[3])points, POINTS, &query, result);
        }
        free(f.all);
    }
    abut_closest_result_destroy(result);
    world_free(&w);
    mover_free(&m);
}

static void test_motions(void** state) {
    (void)state;
    const motion_row* rows[4] = {&motion_free, &motion_modal, &motion_blend, &motion_flight};
    for (uint32_t seed = 0; seed < effort(6, 40, 400); ++seed) {
        for (int i = 0; i < 4; ++i) {
            check_motion(rows[i], seed);
        }
    }
}

// Points in a cluster open few nodes together. Points all over a body of many blocks cannot be listed
// together, and each finds its own.
static void test_near_and_far_apart(void** state) {
    (void)state;
    test_random random = random_seed(5);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(24, 26, 1);
    motion_def shape = motion_def_default();
    shape.block_triangles = 2;
    const abut_body_id body = world_add(&w, &s, &shape, NULL);
    abut_closest_result* result = NULL;
    facets f = {NULL, 0};
    facets_add(&f, w.scene, body);
    REQUIRE_OK(abut_closest_result_create(w.context, &result, NULL));
    for (int round = 0; round < 6; ++round) {
        double points[POINTS][3];
        const double spread[3] = {0.02, 0.2, 1.5};
        const double at = round < 3 ? 1.4 : 0;  // beside the ball, and at its centre
        for (int i = 0; i < 3 * POINTS; ++i) {
            points[i / 3][i % 3] = (i % 3 == 0) * at +
                                   spread[round % 3] * random_double(&random, -1, 1);
        }
        uint64_t boxes[2];
        for (uint32_t k = 0; k < 2; ++k) {  // together, then one by one
            abut_counters counters = {0};
            abut_closest_def def = abut_closest_def_default();
            def.head.counters = &counters;
            for (size_t i = 0; i < (k == 0 ? 1 : POINTS); ++i) {
                abut_closest_result_clear(result);
                REQUIRE_OK(abut_closest(w.scene, body,
                                        abut_positions_f64(points[i], k == 0 ? POINTS : 1), &def,
                                        result, NULL));
                if (k == 0) {
                    where("round %d", round);
                    check_rows(&f, (const double(*)[3])points, POINTS, &def, result);
                }
            }
            boxes[k] = counters.boxes_computed;
        }
        REQUIRE(round != 0 || boxes[0] < boxes[1] / 3);
    }
    abut_closest_result_destroy(result);
    free(f.all);
    surface_free(&s);
    world_free(&w);
}

static void test_everywhere(void** state) {
    (void)state;
    enum { MANY = 600 };
    const uint32_t workers[] = {2, 5, 0};
    reference same_rows = {0};
    reference same_work = {0};
    for (everywhere e = everywhere_cross(workers, 7); everywhere_next(&e);) {
        test_random random = random_seed(8);
        mover m = mover_make(&motion_modal, 0, surface_ball(16, 20, 1), &random);
        world w = world_make(&e.def, NULL);
        const motion_def def = mover_def(&m);
        const abut_body_id body = world_add(&w, &m.surface, &def, NULL);
        abut_closest_result* result = NULL;
        REQUIRE_OK(abut_closest_result_create(w.context, &result, NULL));
        uint64_t hash = 0;
        uint64_t work = 0;
        double(*points)[3] = test_alloc(MANY, sizeof *points);
        for (int i = 0; i < 3 * MANY; ++i) {
            points[i / 3][i % 3] = random_double(&random, -2, 2);
        }
        for (int step = 0; step < 3; ++step) {
            abut_counters counters = {0};
            abut_closest_def query = abut_closest_def_default();
            query.head.counters = &counters;
            mover_draw(&m, &random, 0);
            REQUIRE_OK(mover_set(&m, w.scene, body));
            REQUIRE_OK(abut_closest(w.scene, body, abut_positions_f64(points[0], MANY), &query,
                                    result, NULL));
            size_t count = 0;
            const abut_closest_point* rows = abut_closest_result_points(result, &count);
            where("%s, step %d", e.text, step);
            REQUIRE(count == MANY);
            for (size_t i = 0; i < count; ++i) {
                hash_bytes(&hash, &rows[i].triangle, sizeof rows[i].triangle);
                hash_bytes(&hash, &rows[i].distance, sizeof rows[i].distance);
            }
            hash_bytes(&work, &counters, sizeof counters);
        }
        REQUIRE(reference_same(&same_rows, &hash, sizeof hash));
        REQUIRE(reference_same(&same_work, &work, sizeof work));
        free(points);
        abut_closest_result_destroy(result);
        world_free(&w);
        mover_free(&m);
    }
    reference_free(&same_rows);
    reference_free(&same_work);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motions),
        cmocka_unit_test(test_near_and_far_apart),
        cmocka_unit_test(test_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
