// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Voronoi culling finds the same contacts as trees: between and within bodies, with margins,
// neighbours, filters and callbacks, on any number of threads, and while bodies break.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/scenery.h"

static bool odd_only(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                     uint32_t triangle_b) {
    (void)user;
    return ((body_a + triangle_a + body_b + triangle_b) & 1) != 0;
}

// runs the same query with trees and with the diagram
static size_t compare(const world* w, query_kind kind, abut_body_id a, abut_body_id b,
                      abut_collide_def def) {
    abut_counters work = {0};
    pair_list wanted = {0};
    def.culling.kind = ABUT_CULLING_TREE;
    REQUIRE_OK(run_query(w->scene, kind, a, b, &def, w->result));
    pairs_append(&wanted, w->result);
    def.culling.kind = ABUT_CULLING_VORONOI;
    def.head.counters = &work;
    REQUIRE_OK(run_query(w->scene, kind, a, b, &def, w->result));
    require_pairs(w->result, &wanted, "Voronoi culling");
    REQUIRE(work.pairs_found == wanted.count);
    const size_t count = wanted.count;
    pairs_free(&wanted);
    return count;
}

static size_t compare_all_kinds(const world* w, abut_body_id a, abut_body_id b,
                                abut_collide_def def) {
    size_t count = 0;
    for (int kind = 0; kind < QUERY_KINDS; ++kind) {
        count += compare(w, (query_kind)kind, a, b, def);
    }
    return count;
}

static void test_soups_have_the_contacts_that_trees_find(void** state) {
    (void)state;
    size_t found = 0;
    for (uint32_t seed = 1; seed <= effort(20, 60, 400); ++seed) {
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        abut_body_id ids[4];
        for (uint32_t b = 0; b < 4; ++b) {
            surface soup = surface_soup(&random, 60, 2.0, 1.0, seed % 2 ? 0.25 : 0x1p-12);
            abut_body_def def = abut_body_def_default();
            def.is_static = b == 3 || (b == 2 && seed % 3 == 0);
            def.mask = seed % 4 == 0 && b == 1 ? 2 : UINT64_MAX;
            ids[b] = world_add(&w, &soup, NULL, &def);
            if (seed % 5 == 0) {
                world_frame(&w, ids[b], frame_random(&random, 1.0));
            }
            surface_free(&soup);
        }
        abut_collide_def def = abut_collide_def_default();
        def.culling.grid_cells = seed % 7;
        def.filter.fn = seed % 3 == 1 ? odd_only : NULL;
        for (int margin = 0; margin < 3; ++margin) {
            where("seed %u, margin %d", seed, margin);
            def.margin = margin == 0 ? 0 : margin == 1 ? 0.25 : 3.0;
            def.include_neighbours = margin == 0 && seed % 2 == 0;
            found += compare_all_kinds(&w, ids[0], ids[1], def);
        }
        world_free(&w);
    }
    assert_true(found > 1000);
}

static void test_scenes_have_the_contacts_that_trees_find(void** state) {
    (void)state;
    static const struct {
        const char* name;
        uint32_t triangles;
    } scenes[] = {{"tablecloth", 2000}, {"skirt", 3000},   {"cloth_ball", 3000},
                  {"bowl", 1740},       {"letters", 6000}, {"funnel", 6000},
                  {"crowd", 6000},      {"degenerate", 0}, {"coil", 2000}};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        scene* from = scene_create(scenes[i].name, scenes[i].triangles, 5, 1);
        assert_non_null(from);
        world w = world_make(NULL, NULL);
        scenery_add(&w, from, 3, NULL);
        const abut_body_id first = abut_scene_body_at(w.scene, 0);
        abut_collide_def def = abut_collide_def_default();
        for (int margin = 0; margin < 2; ++margin) {
            where("%s, margin %d", scenes[i].name, margin);
            def.margin = margin == 0 ? 0 : 0.01;
            compare(&w, QUERY_COLLIDE_ALL, first, first, def);
            compare(&w, QUERY_SELF_ALL, first, first, def);
            compare(&w, QUERY_SELF, first, first, def);
        }
        world_free(&w);
        scene_destroy(from);
    }
}

// bodies are created and destroyed in every step; no data of the last step remains
static void test_breaking_bodies_are_followed(void** state) {
    (void)state;
    scene* from = scene_create("breaking", 1400, 12, 2);
    assert_non_null(from);
    const uint32_t bodies = scene_body_count(from);
    world w = world_make(NULL, NULL);
    abut_body_id* ids = calloc(bodies, sizeof *ids);
    assert_non_null(ids);
    size_t found = 0;
    for (uint32_t frame = 0; frame < 12; ++frame) {
        scenery_add(&w, from, frame, ids);
        where("frame %u", frame);
        found += compare(&w, QUERY_COLLIDE_ALL, ids[0], ids[0], abut_collide_def_default());
    }
    assert_true(found > 0);
    free(ids);
    world_free(&w);
    scene_destroy(from);
}

static bool count_pairs(void* user, const abut_pair* pairs, const abut_intersection* shared,
                        size_t count) {
    (void)pairs;
    (void)shared;
    *(size_t*)user += count;
    return true;
}

static void test_callbacks_any_and_shared_work(void** state) {
    (void)state;
    test_random random = random_seed(3);
    world w = world_make(NULL, NULL);
    for (uint32_t b = 0; b < 3; ++b) {
        surface soup = surface_soup(&random, 80, 2.0, 1.0, 0x1p-12);
        world_add(&w, &soup, NULL, NULL);
        surface_free(&soup);
    }
    abut_collide_def def = abut_collide_def_default();
    size_t wanted = 0;
    size_t got = 0;
    def.culling.kind = ABUT_CULLING_VORONOI;
    def.intersections = true;
    REQUIRE_OK(abut_collide_all(w.scene, &def, w.result, NULL));
    abut_collide_result_pairs(w.result, &wanted);
    REQUIRE(wanted > 0 && abut_collide_result_intersections(w.result, NULL)->count > 0);
    def.callback.fn = count_pairs;
    def.callback.user = &got;
    REQUIRE_OK(abut_collide_all(w.scene, &def, w.result, NULL));
    REQUIRE(got == wanted);
    def.callback.fn = NULL;
    def.any = true;
    REQUIRE_OK(abut_collide_all(w.scene, &def, w.result, NULL));
    REQUIRE(abut_collide_result_found(w.result));
    world_free(&w);
}

static void test_invalid_settings_are_refused(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    abut_front* front = NULL;
    abut_collide_def def = abut_collide_def_default();
    REQUIRE_OK(abut_front_create(w.context, &front, NULL));
    def.culling.kind = ABUT_CULLING_VORONOI;
    def.front = front;
    REQUIRE_STATUS(abut_collide_all(w.scene, &def, w.result, NULL), ABUT_ERR_INVALID_ARGUMENT);
    def.front = NULL;
    def.culling.grid_cells = 513;
    REQUIRE_STATUS(abut_collide_all(w.scene, &def, w.result, NULL), ABUT_ERR_INVALID_ARGUMENT);
    def.culling.grid_cells = 512;
    REQUIRE_OK(abut_collide_all(w.scene, &def, w.result, NULL));
    def.culling.kind = (abut_culling_kind)7;
    REQUIRE_STATUS(abut_collide_all(w.scene, &def, w.result, NULL), ABUT_ERR_INVALID_ARGUMENT);
    abut_front_destroy(front);
    world_free(&w);
}

// the error names a borrowed position that is not finite
static void test_bad_vertices_are_named(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface ball = surface_ball(4, 6, 1.0);
    const abut_body_id a = world_add(&w, &ball, NULL, NULL);
    world_add(&w, &ball, NULL, NULL);
    ball.xyz[3 * 5 + 1] = NAN;
    REQUIRE_OK(abut_body_borrow_positions(w.scene, a,
                                          abut_positions_f64(ball.xyz, ball.vertex_count), NULL));
    abut_collide_def def = abut_collide_def_default();
    def.culling.kind = ABUT_CULLING_VORONOI;
    abut_error error = {0};
    REQUIRE_STATUS(abut_collide_all(w.scene, &def, w.result, &error), ABUT_ERR_INVALID_DATA);
    REQUIRE(error.body.index == a.index && error.index == 5);
    surface_free(&ball);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soups_have_the_contacts_that_trees_find),
        cmocka_unit_test(test_scenes_have_the_contacts_that_trees_find),
        cmocka_unit_test(test_breaking_bodies_are_followed),
        cmocka_unit_test(test_callbacks_any_and_shared_work),
        cmocka_unit_test(test_invalid_settings_are_refused),
        cmocka_unit_test(test_bad_vertices_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
