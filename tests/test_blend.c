// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The blend motion: vertices by the documented formula, boxes that hold them whatever the transforms
// are, and queries that find what brute force finds.

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/skin.h"

#define NODES_MOST 64

static void check_vertices(const world* w, abut_body_id body, const surface* s, const skin* k,
                           const field_set* f, const double* q, double (*t)[12]) {
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        double wanted[3];
        double got[3];
        blend_formula(s, k, f, q, t, v, wanted);
        REQUIRE_OK(abut_body_vertex(w->scene, body, v, got));
        REQUIRE(got[0] == wanted[0] && got[1] == wanted[1] && got[2] == wanted[2]);
    }
}

static void test_vertices_are_the_formula(void** state) {
    (void)state;
    static const uint32_t influences[] = {1, 4, 8, 32};
    test_random random = random_seed(21);
    for (uint32_t round = 0; round < effort(16, 40, 400); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(8, 12, 1);
        const uint32_t nodes = influences[round % 4] + random_below(&random, 20);
        skin k = skin_make(&random, &s, nodes, influences[round % 4],
                           random_chance(&random, 0.5) ? ABUT_FLOAT32 : ABUT_FLOAT64);
        const uint32_t fields = round % 3 == 0 ? 0 : 1 + random_below(&random, 9);
        field_set f = make_fields(&random, &s, fields, 0.3, ABUT_FLOAT32, round % 2 == 0);
        abut_shape_def def = blend_def(&k, &f);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        double t[NODES_MOST][12];
        double q[16];
        for (int step = 0; step < 3; ++step) {
            wild_transforms(&random, t, nodes, step);
            random_coordinates(&random, q, fields, 3);
            set_transforms(&w, body, t, nodes, q, fields);
            check_vertices(&w, body, &s, &k, &f, q, t);
        }
        free_fields(&f);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
}

// every vertex in every box above it: all bounds, near and far, turned or not
static void test_boxes_hold_vertices(void** state) {
    (void)state;
    static const abut_bound bounds[] = {ABUT_BOUND_AUTO, ABUT_BOUND_CONVEX_EXACT,
                                        ABUT_BOUND_CONVEX_PLAIN, ABUT_BOUND_BOXES};
    test_random random = random_seed(22);
    for (uint32_t round = 0; round < effort(60, 200, 6000); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(6, 9, 1);
        const double size = ldexp(1, random_between(&random, -40, 40));
        surface_scale(&s, random_chance(&random, 0.3) ? 1 : size);
        if (random_chance(&random, 0.3)) {
            surface_shift(&s, 1e6 * size, -3e5 * size, 7e4 * size);
        }
        const uint32_t nodes = 1 + random_below(&random, 40);
        skin k = skin_make(&random, &s, nodes, 1 + random_below(&random, nodes),
                           random_chance(&random, 0.5) ? ABUT_FLOAT32 : ABUT_FLOAT64);
        const uint32_t fields = random_chance(&random, 0.4) ? 1 + random_below(&random, 9) : 0;
        field_set f = make_fields(&random, &s, fields, size, ABUT_FLOAT64, false);
        abut_shape_def def = blend_def(&k, &f);
        def.bound = bounds[round % 4];
        def.block_triangles = 1 + random_below(&random, 48);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        for (int step = 0; step < 6; ++step) {
            double t[NODES_MOST][12];
            double q[16];
            const double offset = random_chance(&random, 0.5)
                                      ? 0
                                      : ldexp(1, random_between(&random, -20, 40));
            if (random_chance(&random, 0.5)) {
                wild_transforms(&random, t, nodes, offset);
            } else {
                gentle_transforms(&random, t, nodes, 0.3);
            }
            random_coordinates(&random, q, fields, ldexp(1, random_between(&random, -17, 17)));
            set_transforms(&w, body, t, nodes, q, fields);
            if (random_chance(&random, 0.5)) {
                world_frame(&w, body, frame_random(&random, 1e9));
            }
            world_validate(&w, body);
        }
        free_fields(&f);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
}

static void test_queries_equal_all_pairs(void** state) {
    (void)state;
    test_random random = random_seed(23);
    size_t hits[3] = {0, 0, 0};
    for (uint32_t round = 0; round < effort(12, 40, 1000); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        surface ball = surface_ball(8, 12, 1);
        surface sheet = surface_sheet(9, 9, 3);
        const uint32_t nodes = 1 + random_below(&random, 30);
        skin k = skin_make(&random, &ball, nodes, 1 + random_below(&random, nodes), ABUT_FLOAT32);
        skin l = skin_make(&random, &sheet, 9, 4, ABUT_FLOAT64);
        field_set f = make_fields(&random, &ball, random_below(&random, 4), 0.3, ABUT_FLOAT32,
                                  false);
        field_set g = make_fields(&random, &sheet, 3, 0.3, ABUT_FLOAT32, false);
        abut_shape_def def = blend_def(&k, &f);
        def.block_triangles = 1 + random_below(&random, 48);
        const abut_body_id a = world_add(&w, &ball, &def, NULL);
        def = blend_def(&l, NULL);
        const abut_body_id b = world_add(&w, &sheet, &def, NULL);
        const abut_body_id c = world_add(&w, &ball, NULL, NULL);
        const abut_body_id d = add_modal(&w, &sheet, &g, 48);
        for (int step = 0; step < 4; ++step) {
            double t[NODES_MOST][12];
            double q[16];
            gentle_transforms(&random, t, nodes, 0.5);
            random_coordinates(&random, q, f.count, 1);
            set_transforms(&w, a, t, nodes, q, f.count);
            gentle_transforms(&random, t, 9, 0.5);
            set_transforms(&w, b, t, 9, NULL, 0);
            random_coordinates(&random, q, 3, 1);
            set_coordinates(&w, d, q, 3);
            if (random_chance(&random, 0.5)) {
                world_frame(&w, a, frame_random(&random, 0.5));
            }
            world_frame(&w, c, frame_random(&random, 0.5));
            abut_query_def query = abut_query_def_default();
            query.margin = random_chance(&random, 0.2) ? 0.05 : 0;
            hits[0] += check_between(&w, a, b, &query);
            hits[1] += check_collide_all(&w, &query);
            hits[2] += check_self(&w, a, &query);
        }
        free_fields(&f);
        free_fields(&g);
        skin_free(&k);
        skin_free(&l);
        surface_free(&ball);
        surface_free(&sheet);
        world_free(&w);
    }
    assert_true(hits[0] > 0 && hits[1] > 0 && hits[2] > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vertices_are_the_formula),
        cmocka_unit_test(test_boxes_hold_vertices),
        cmocka_unit_test(test_queries_equal_all_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
