// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rounding in the modal motion: sums that stagnate, gaps that close, and coincident vertices that
// are separated. Boxes contain all vertices, and answers stay exact.

#include "test_modal_support.h"
#include "support/motion_def.h"

// Each term is too small to change a float sum, but all of them together are not. The pad must
// account for that. For a ball of size zero, the bounds consist of the pad alone.
static void test_sums_that_stagnate(void** state) {
    (void)state;
    test_random random = random_seed(33);
    for (int round = 0; round < 24; ++round) {
        where("round %d", round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(8, 12, round < 12 ? 0.01 : 0);
        surface_shift(&s, 1.01, 1.01, -1.01);
        field_set f = make_fields(&random, &s, 300, 0, ABUT_SCALAR_F32, false);
        for (size_t i = 0; i < (size_t)300 * 3 * s.vertex_count; ++i) {
            f.u[i] = (double)(f.narrow[i] = (i % 3 == 2 ? -0.99f : 0.99f) * 0x1p-24f);
        }
        motion_def def = modal_def(&f);
        set_bound(&def, round % 3);
        def.block_triangles = 6;
        def.proxy_level = 3;
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        double q[300];
        for (int j = 0; j < 300; ++j) {
            q[j] = 1;
        }
        set_coordinates(&w, body, q, 300);
        if (round % 12 >= 6) {
            world_frame(&w, body, frame_random(&random, 0));
        }
        world_validate(&w, body);
        check_vertices(&w, body, &s, &f, q);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// The same in double: vertices stay in place, but sums in another order do not. The box and the
// sphere of the whole body, which are doubles, must account for that.
static void test_doubles_that_stagnate(void** state) {
    (void)state;
    enum { FIELDS = 1000 };
    test_random random = random_seed(36);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(4, 6, 0);
    surface_shift(&s, 1.01, 1.01, -1.01);
    field_set f = make_fields(&random, &s, FIELDS, 0, ABUT_SCALAR_F64, false);
    for (size_t i = 0; i < (size_t)FIELDS * 3 * s.vertex_count; ++i) {
        f.u[i] = (i % 3 == 2 ? -0.99 : 0.99) * 0x1p-53;
    }
    const abut_body_id body = add_modal(&w, &s, &f, 8);
    double q[FIELDS];
    for (int j = 0; j < FIELDS; ++j) {
        q[j] = 1;
    }
    set_coordinates(&w, body, q, FIELDS);
    check_vertices(&w, body, &s, &f, q);
    abut_box box;
    double centre[3];
    double radius;
    REQUIRE_OK(abut_body_box(w.scene, body, &box, NULL));
    REQUIRE_OK(abut_body_sphere(w.scene, body, centre, &radius, NULL));
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        double p[3];
        REQUIRE_OK(abut_body_world_vertex(w.scene, body, v, p, NULL));
        REQUIRE(p[0] == 1.01);
        for (int d = 0; d < 3; ++d) {
            REQUIRE(p[d] >= box.lo[d] && p[d] <= box.hi[d]);
        }
        REQUIRE(sqrt((p[0] - centre[0]) * (p[0] - centre[0]) +
                     (p[1] - centre[1]) * (p[1] - centre[1]) +
                     (p[2] - centre[2]) * (p[2] - centre[2])) <= radius);
    }
    free_fields(&f);
    surface_free(&s);
    world_free(&w);
}

// A field moves a body so far away that its vertices round to a coarse grid. Parts that are
// separate at rest touch there, and no certificate may claim otherwise.
static void test_rounding_closes_gaps(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface one = surface_sheet(8, 8, 1);
    surface two = surface_copy(&one);
    surface_shift(&two, 0.03125, 0.0625, 0.01);
    surface s = surface_join(&one, &two);
    test_random random = random_seed(34);
    field_set f = make_fields(&random, &s, 1, 0, ABUT_SCALAR_F64, false);
    for (size_t i = 0; i < (size_t)3 * s.vertex_count; ++i) {
        f.u[i] = 1;
    }
    const abut_body_id body = add_modal(&w, &s, &f, 6);
    size_t hits = 0;
    for (int k = 0; k < 60; ++k) {
        where("moved by 2^%d", k);
        const double q = ldexp(1.25, k);
        set_coordinates(&w, body, &q, 1);
        const size_t found = check_self(&w, body, NULL);
        assert_true(k > 40 || found == 0);
        hits += found;
    }
    assert_true(hits > 0);
    free_fields(&f);
    surface_free(&one);
    surface_free(&two);
    surface_free(&s);
    world_free(&w);
}

// Two plates, near or far. One of them rotates, stretches, collapses and flips about its middle.
// Then a certificate of both depends on its bounds of each one.
static void test_one_of_two_plates_moves(void** state) {
    (void)state;
    size_t hits = 0;
    for (uint64_t seed = 1; seed <= effort(24, 100, 2000); ++seed) {
        test_random random = random_seed(seed + 400);
        world w = world_make(NULL, NULL);
        surface still = surface_sheet(4, 4, 1);
        surface moving = surface_copy(&still);
        if (seed % 8 >= 4) {  // a tiny triangle at the nearer edge, which gives no bound of its own
            still.vertex_count = 3;
            still.triangle_count = 1;
            surface_scale(&still, 0.0625);
            surface_shift(&still, seed % 2 == 0 ? 0.984375 : 0, 0.5, 0);
            memcpy(still.triangles, (uint32_t[]){0, 1, 2}, 3 * sizeof(uint32_t));
            still.xyz[7] += 0.015625;
        }
        const double gap = random_between(&random, 1, 3) *
                           ldexp(0.0625, random_between(&random, 0, 5));
        surface_shift(&moving, seed % 2 == 0 ? 1 + gap : -1 - gap, 0, 0);
        surface s = surface_join(&still, &moving);
        field_set f = make_fields(&random, &s, 1, 0, ABUT_SCALAR_F64, false);
        double map[3][3] = {{0}};
        for (int i = 0; i < 9; ++i) {
            map[i / 3][i % 3] = seed % 4 < 2 ? random_double(&random, -1, 1) : i == 0;
        }
        for (uint32_t v = still.vertex_count; v < s.vertex_count; ++v) {
            const double* p = s.xyz + 3 * (size_t)v;
            const double x = p[0] - (seed % 2 == 0 ? 1.5 + gap : -0.5 - gap);
            for (int d = 0; d < 3; ++d) {
                field_at(&f, 0, v)[d] = map[d][0] * x + map[d][1] * (p[1] - 0.5);
            }
        }
        const abut_body_id body = add_modal(&w, &s, &f, 32);
        for (int k = -32; k <= 32; ++k) {
            where("seed %llu, step %d", (unsigned long long)seed, k);
            const double q = k / 8.0;
            set_coordinates(&w, body, &q, 1);
            hits += check_self(&w, body, NULL);
        }
        free_fields(&f);
        surface_free(&still);
        surface_free(&moving);
        surface_free(&s);
        world_free(&w);
    }
    assert_true(hits > 0);
}

// The shared vertices have the same bits, including the sign of 0, whether vertices come from the
// pool's blocks or one by one. Which of them do depends on the threads.
static void test_shared_points_without_a_pool(void** state) {
    (void)state;
    uint64_t first = 0;
    for (int i = 0; i < 3; ++i) {
        abut_scene_def scene_def = abut_scene_def_default();
        scene_def.pool_bytes = i == 0 ? 0 : scene_def.pool_bytes;
        world w = world_make(NULL, &scene_def);
        test_random random = random_seed(31);
        surface s[2] = {surface_sheet(6, 6, 6), surface_sheet(6, 6, 6)};
        const double q[2] = {0, 0};
        abut_body_id body[2];
        for (int k = 0; k < 2; ++k) {
            for (uint32_t v = 0; v < s[k].vertex_count; ++v) {
                double* p = s[k].xyz + 3 * (size_t)v;
                const double given[3] = {p[0], p[1], p[2]};
                for (int d = 0; d < 3; ++d) {  // one sheet lies, the other is upright
                    const double x = given[k == 0 ? d : 2 - d];
                    p[d] = x == 0 ? -0.0 : x;
                }
            }
            field_set f = make_fields(&random, &s[k], 2, 1, ABUT_SCALAR_F32, true);
            body[k] = add_modal(&w, &s[k], &f, i == 1 ? 48 : 5);
            set_coordinates(&w, body[k], q, 2);
            free_fields(&f);
        }
        abut_collide_def def = abut_collide_def_default();
        def.intersections = true;
        REQUIRE_OK(abut_collide(w.scene, body[0], body[1], &def, w.result, NULL));
        size_t count = 0;
        (void)abut_collide_result_pairs(w.result, &count);
        assert_true(count > 0);
        uint64_t negative = 0;
        for (size_t n = 0; n < count; ++n) {
            const abut_intersection* shared = &abut_collide_result_intersections(w.result, NULL)[n];
            for (uint32_t k = 0; k < 3 * shared->count; ++k) {
                negative = 2 * negative % 1000003 + (signbit(shared->points[k / 3][k % 3]) != 0);
            }
        }
        first = i == 0 ? negative : first;
        assert_int_equal(negative, first);
        surface_free(&s[0]);
        surface_free(&s[1]);
        world_free(&w);
    }
}

// classes by definition, where all vertices have one position at rest and a few displacements are
// common
static void test_coincident_vertices_are_separated(void** state) {
    (void)state;
    test_random random = random_seed(29);
    world w = world_make(NULL, NULL);
    const uint32_t vertices = effort(9000, 60000, 300000);  // far too many to compare all pairs
    surface s = surface_make(vertices, vertices / 3);
    field_set f = make_fields(&random, &s, 2, 0, ABUT_SCALAR_F64, false);
    for (uint32_t v = 0; v < vertices; ++v) {
        if (v < 3 * s.triangle_count) {
            s.triangles[v] = v;
        }
        for (int d = 0; d < 3; ++d) {
            s.xyz[3 * (size_t)v + (size_t)d] = random_chance(&random, 0.5) ? 0.0 : -0.0;
            field_at(&f, 0, v)[d] = random_chance(&random, 0.5) ? 0.0 : -0.0;
        }
        field_at(&f, 1, v)[v % 3] = v < vertices / 2 ? (double)random_below(&random, 9) : v;
    }
    motion_def def = modal_def(&f);
    abut_shape* shape = world_shape(&w, &s, &def);
    const uint32_t* classes = abut_mesh_classes(abut_shape_mesh(shape));
    for (uint32_t v = 0; v < vertices; ++v) {
        uint32_t first = v;  // the search ends early in the first half, which has few displacements
        for (uint32_t k = 0; k < v && v < vertices / 2; ++k) {
            const double* u = field_at(&f, 1, v);
            const double* o = field_at(&f, 1, k);
            if (u[0] == o[0] && u[1] == o[1] && u[2] == o[2]) {
                first = k;
                break;
            }
        }
        where("vertex %u", v);
        REQUIRE(classes[v] == first);
    }
    abut_shape_destroy(shape);
    free_fields(&f);
    surface_free(&s);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_that_stagnate),
        cmocka_unit_test(test_doubles_that_stagnate),
        cmocka_unit_test(test_rounding_closes_gaps),
        cmocka_unit_test(test_one_of_two_plates_moves),
        cmocka_unit_test(test_shared_points_without_a_pool),
        cmocka_unit_test(test_coincident_vertices_are_separated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
