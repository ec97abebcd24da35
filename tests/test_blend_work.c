// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The work of blend bodies: lazy where no other body is near, all vertices at once in heavy
// contact, and unchanged by edits.

#include "test_blend_support.h"
#include "support/motion_def.h"

// ---- work

static bool moves_all(const world* w, abut_body_id id) {
    return abut__whole_is_here(
        abut__blend_state_of(abut__body_state(abut__scene_body(w->scene, id), 1))->whole);
}

// Vertices without a query are not evaluated: a query that ends at the root evaluates no block.
static void test_work_is_lazy(void** state) {
    (void)state;
    test_random random = random_seed(34);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(40, 60, 1);
    skin k = skin_make(&random, &s, 30, 4, ABUT_SCALAR_F32);
    const motion_def shape_def = blend_def(&k, NULL);
    abut_shape* shape = world_shape(&w, &s, &shape_def);
    abut_body_id a;
    abut_body_id b;
    REQUIRE_OK(abut_body_create(w.scene, shape, NULL, &a, NULL));
    REQUIRE_OK(abut_body_create(w.scene, shape, NULL, &b, NULL));
    abut_shape_destroy(shape);
    abut_collide_def def = abut_collide_def_default();
    abut_counters counters = {0};
    def.head.counters = &counters;
    double t[NODES_MOST][12];
    abut_frame frame = abut_frame_identity();
    frame.t[0] = 3;
    world_frame(&w, b, frame);
    for (int step = 0; step < 3; ++step) {
        gentle_transforms(&random, t, 30, 0.01);
        set_transforms(&w, a, t, 30, NULL, 0);
        assert_int_equal(check_between(&w, a, b, &def), 0);
        assert_int_equal(counters.blocks_evaluated, 0);
        assert_int_equal(counters.vertices_evaluated, 0);
        assert_false(moves_all(&w, a));
        assert_null(atomic_load(&abut__scene_body(w.scene, a)->touches));
    }
    frame.t[0] = 1.97;
    world_frame(&w, b, frame);
    assert_true(check_between(&w, a, b, &def) > 0);
    assert_in_range(counters.blocks_evaluated, 1, 40);
    assert_in_range(counters.vertices_evaluated, 1, 40 * 64);
    skin_free(&k);
    surface_free(&s);
    world_free(&w);
}

// Where queries need most blocks, all vertices are moved at once, and block by block again
// afterwards. Answers are the same.
static void test_heavy_contact_moves_all(void** state) {
    (void)state;
    test_random random = random_seed(35);
    for (uint32_t round = 0; round < effort(4, 8, 100); ++round) {
        world w = next_world(round / 4);
        surface s = round % 2 == 0 ? surface_ball(10, 14, 1) : surface_ball(40, 60, 1);
        const uint32_t nodes = 2 + random_below(&random, 20);
        skin k = skin_make(&random, &s, nodes, 2,
                           round % 2 == 0 ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64);
        field_set f = make_fields(&random, &s, round % 3, 0.1, ABUT_SCALAR_F32, false);
        motion_def def = blend_def(&k, &f);
        def.block_triangles = round % 2 == 0 ? 6 : 48;
        const abut_body_id a = world_add(&w, &s, &def, NULL);
        const abut_body_id b = world_add(&w, &s, NULL, NULL);
        uint32_t whole = 0;
        for (int n = 0; n < 9; ++n) {
            where("round %u, state %d", round, n);
            abut_frame frame = abut_frame_identity();
            frame.t[0] = n < 5 ? 0.01 * n : 5;
            world_frame(&w, b, frame);
            double t[NODES_MOST][12];
            double q[2];
            gentle_transforms(&random, t, nodes, 0.05);
            random_coordinates(&random, q, f.count, 0.3);
            set_transforms(&w, a, t, nodes, q, f.count);
            assert_true(n > 0 || !moves_all(&w, a));
            assert_true(n != 3 || moves_all(&w, a));
            assert_true(n != 8 || !moves_all(&w, a));
            whole += moves_all(&w, a);
            check_vertices(&w, a, &s, &k, &f, q, t);
            world_validate(&w, a);
            (void)check_between(&w, a, b, NULL);
            if (n < 5 && round % 2 == 0) {
                (void)check_self(&w, a, NULL);
            }
        }
        assert_in_range(whole, 2, 7);
        free_fields(&f);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
}

// two equal blended balls, which touch everywhere
typedef struct twins {
    world w;
    surface s;
    skin k;
    abut_body_id a;
    abut_body_id b;
} twins;

enum { TWIN_NODES = 5 };

static twins twins_make(test_random* random, abut_scalar scalar, uint32_t block_triangles) {
    twins g = {.w = world_make(NULL, NULL), .s = surface_ball(8, 12, 1)};
    g.k = skin_make(random, &g.s, TWIN_NODES, 2, scalar);
    motion_def def = blend_def(&g.k, NULL);
    def.block_triangles = block_triangles;
    g.a = world_add(&g.w, &g.s, &def, NULL);
    g.b = world_add(&g.w, &g.s, &def, NULL);
    return g;
}

static void twins_set(twins* g, double t[][12]) {
    set_transforms(&g->w, g->a, t, TWIN_NODES, NULL, 0);
    set_transforms(&g->w, g->b, t, TWIN_NODES, NULL, 0);
}

static void twins_free(twins* g) {
    skin_free(&g->k);
    surface_free(&g->s);
    world_free(&g->w);
}

// Far away and rotated, while all vertices are moved at once: the boxes of rotated triangles have
// only the extent as a bound.
static void test_all_at_once_far_and_rotated(void** state) {
    (void)state;
    test_random random = random_seed(40);
    twins g = twins_make(&random, ABUT_SCALAR_F64, 1);
    uint32_t whole = 0;
    for (int n = 0; n < 12; ++n) {
        where("state %d", n);
        double t[NODES_MOST][12];
        gentle_transforms(&random, t, TWIN_NODES, 0.01);
        for (uint32_t j = 0; j < TWIN_NODES; ++j) {
            for (int d = 0; d < 3; ++d) {
                t[j][4 * d + 3] += 1e4 * (d + 1);
            }
        }
        const abut_frame frame = frame_random(&random, 1);
        twins_set(&g, t);
        world_frame(&g.w, g.a, frame);
        world_frame(&g.w, g.b, frame);
        whole += moves_all(&g.w, g.a);
        world_validate(&g.w, g.a);
        REQUIRE(check_between(&g.w, g.a, g.b, NULL) > 0);
    }
    assert_in_range(whole, 6, 11);
    twins_free(&g);
}

// a state too large for floats, while all vertices are moved at once
static void test_all_at_once_beyond_floats(void** state) {
    (void)state;
    test_random random = random_seed(36);
    twins g = twins_make(&random, ABUT_SCALAR_F32, 6);
    uint32_t whole = 0;
    for (int n = 0; n < 8; ++n) {
        where("state %d", n);
        double t[NODES_MOST][12];
        gentle_transforms(&random, t, TWIN_NODES, 0.05);
        for (uint32_t j = 0; j < TWIN_NODES && n % 2 != 0; ++j) {
            for (int e = 0; e < 12; ++e) {
                t[j][e] *= 1e60;
            }
        }
        twins_set(&g, t);
        whole += moves_all(&g.w, g.a);
        check_vertices(&g.w, g.a, &g.s, &g.k, NULL, NULL, t);
        world_validate(&g.w, g.a);
        REQUIRE(check_between(&g.w, g.a, g.b, NULL) > 0);
        (void)check_self(&g.w, g.a, NULL);
    }
    assert_in_range(whole, 4, 7);
    twins_free(&g);
}

// static bodies never meet each other, but they meet other bodies
static void test_static_bodies(void** state) {
    (void)state;
    test_random random = random_seed(37);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(8, 12, 1);
    skin k = skin_make(&random, &s, 5, 2, ABUT_SCALAR_F32);
    const motion_def def = blend_def(&k, NULL);
    abut_body_def fixed = abut_body_def_default();
    fixed.is_static = true;
    const abut_body_id a = world_add(&w, &s, &def, &fixed);
    const abut_body_id b = world_add(&w, &s, &def, &fixed);
    double t[NODES_MOST][12];
    gentle_transforms(&random, t, 5, 0.2);
    set_transforms(&w, a, t, 5, NULL, 0);
    assert_true(check_between(&w, a, b, NULL) > 0);
    REQUIRE_OK(abut_collide_all(w.scene, NULL, w.result, NULL));
    assert_false(abut_collide_result_found(w.result));
    (void)world_add(&w, &s, &def, NULL);
    REQUIRE_OK(abut_collide_all(w.scene, NULL, w.result, NULL));
    assert_true(abut_collide_result_found(w.result));
    skin_free(&k);
    surface_free(&s);
    world_free(&w);
}

// ---- edits

// a body keeps its transforms when triangles are removed, down to the last one, or its tree is
// rebuilt
static void test_edits_keep_transforms(void** state) {
    (void)state;
    test_random random = random_seed(38);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(8, 12, 1);
    skin k = skin_make(&random, &s, 9, 3, ABUT_SCALAR_F32);
    field_set f = make_fields(&random, &s, 2, 0.2, ABUT_SCALAR_F32, true);
    motion_def def = blend_def(&k, &f);
    def.block_triangles = 6;
    const abut_body_id body = world_add(&w, &s, &def, NULL);
    double t[NODES_MOST][12];
    const double q[2] = {0.7, -0.4};
    gentle_transforms(&random, t, 9, 0.3);
    set_transforms(&w, body, t, 9, q, 2);
    uint32_t order[512];
    random_permutation(&random, order, s.triangle_count);
    for (uint32_t gone = 0; gone + 1 < s.triangle_count;) {
        where("%u triangles removed", gone);
        const uint32_t left = s.triangle_count - 1 - gone;
        const uint32_t number = left < 23 ? left : 23;
        motion_edit_def edit = motion_edit_def_default();
        edit.removed_triangles = order + gone;
        edit.removed_triangle_count = number;
        edit.rebuild = random_chance(&random, 0.2);
        abut_shape* edited = NULL;
        abut_edit_work work;
        REQUIRE_OK(motion_edit(abut_body_shape(w.scene, body), &edit, &edited, &work, NULL));
        REQUIRE_OK(abut_shape_validate(edited, NULL));
        REQUIRE_OK(abut_body_set_shape(w.scene, body, edited, (abut_positions){0}, NULL));
        abut_shape_destroy(edited);
        check_vertices(&w, body, &s, &k, &f, q, t);
        world_validate(&w, body);
        (void)check_self(&w, body, NULL);
        abut_tree_info stats;
        REQUIRE_OK(abut_body_inspect(w.scene, body, &stats, NULL));
        REQUIRE_OK(abut_body_rebuild_tree(w.scene, body, 1, &work, NULL));
        check_vertices(&w, body, &s, &k, &f, q, t);
        world_validate(&w, body);
        (void)check_self(&w, body, NULL);
        gone += number;
    }
    free_fields(&f);
    skin_free(&k);
    surface_free(&s);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_is_lazy),
        cmocka_unit_test(test_heavy_contact_moves_all),
        cmocka_unit_test(test_all_at_once_far_and_rotated),
        cmocka_unit_test(test_all_at_once_beyond_floats),
        cmocka_unit_test(test_static_bodies),
        cmocka_unit_test(test_edits_keep_transforms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
