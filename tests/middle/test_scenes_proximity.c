// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The scenes for proximity queries: many triangles near each other with few contacts, the published
// sizes, and bodies that break. Exact margins measure the distances.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/scenery.h"

static uint32_t all_triangles(const scene* s, uint32_t frame) {
    uint32_t sum = 0;
    for (uint32_t b = 0; b < scene_body_count(s); ++b) {
        sum += scene_present(s, b, frame) ? scene_get_body(s, b)->triangle_count : 0;
    }
    return sum;
}

static uint32_t all_bodies(const scene* s, uint32_t frame) {
    uint32_t sum = 0;
    for (uint32_t b = 0; b < scene_body_count(s); ++b) {
        sum += scene_present(s, b, frame) ? 1 : 0;
    }
    return sum;
}

static void test_sizes_are_those_published(void** state) {
    (void)state;
    static const struct {
        const char* name;
        uint32_t bodies;
        uint32_t triangles;
    } published[] = {{"skirt", 1, 12000},     {"cloth_ball", 2, 16500}, {"bowl", 11, 4500},
                     {"letters", 204, 38500}, {"breaking", 15, 5500},   {"crowd", 2000, 400000}};
    for (size_t i = 0; i < sizeof published / sizeof *published; ++i) {
        scene* s = scene_create(published[i].name, 0, 2, 1);
        assert_non_null(s);
        assert_int_equal(all_bodies(s, 0), published[i].bodies);
        const double ratio = (double)all_triangles(s, 1) / published[i].triangles;
        if (!(ratio > 0.9 && ratio < 1.15)) {
            fail_msg("%s: %u triangles", published[i].name, all_triangles(s, 1));
        }
        scene_destroy(s);
    }
}

// all existing bodies as free ones in a world
static world make_world(const scene* s, uint32_t frame) {
    world w = world_make(NULL, NULL);
    scenery_add(&w, s, frame, NULL);
    return w;
}

typedef struct closeness {
    size_t touching;  // pairs of triangles
    size_t bodies;    // bodies with another one near
    size_t folds;     // pairs of near triangles within bodies
} closeness;

static closeness measure(const scene* s, uint32_t frame, double margin) {
    world w = make_world(s, frame);
    abut_collide_def def = abut_collide_def_default();
    size_t count = 0;
    closeness c = {0};
    bool* near = calloc(abut_scene_body_limit(w.scene), sizeof *near);
    assert_non_null(near);
    REQUIRE_OK(abut_collide_all(w.scene, &def, w.result, NULL));
    abut_collide_result_pairs(w.result, &c.touching);
    def.margin = margin;
    REQUIRE_OK(abut_collide_all(w.scene, &def, w.result, NULL));
    const abut_pair* pairs = abut_collide_result_pairs(w.result, &count);
    for (size_t i = 0; i < count; ++i) {
        near[pairs[i].body_a] = near[pairs[i].body_b] = true;
    }
    for (uint32_t b = 0; b < abut_scene_body_limit(w.scene); ++b) {
        c.bodies += near[b] ? 1 : 0;
    }
    REQUIRE_OK(abut_collide_self_all(w.scene, &def, w.result, NULL));
    abut_collide_result_pairs(w.result, &c.folds);
    free(near);
    world_free(&w);
    return c;
}

static void test_letters_are_near_each_other(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= effort(1, 2, 2); ++seed) {
        scene* s = scene_create("letters", 0, 12, seed);
        assert_non_null(s);
        for (uint32_t f = 0; f < 12; f += 4) {
            const closeness c = measure(s, f, 0.03);
            where("seed %u, frame %u: %zu near, %zu pairs touch", seed, f, c.bodies, c.touching);
            REQUIRE(c.bodies >= 150);
            REQUIRE(c.touching <= 1000);
        }
        scene_destroy(s);
    }
}

static void test_letters_pile_up_in_the_bowl(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 2; ++seed) {
        scene* s = scene_create("bowl", 0, 30, seed);
        assert_non_null(s);
        const closeness c = measure(s, 29, 0.05);
        where("seed %u: %zu near, %zu pairs touch", seed, c.bodies, c.touching);
        REQUIRE(c.bodies == 11);
        REQUIRE(measure(s, 0, 0.0).touching == 0);
        scene_destroy(s);
    }
}

static void test_folds_come_near_each_other(void** state) {
    (void)state;
    static const char* const names[] = {"skirt", "cloth_ball"};
    for (size_t i = 0; i < 2; ++i) {
        scene* s = scene_create(names[i], 5000, 8, 1);
        assert_non_null(s);
        // within a tenth of a fold, with far more pairs than the second neighbours alone
        const closeness open = measure(s, 0, 0.012);
        const closeness folded = measure(s, 7, 0.012);
        where("%s: %zu and %zu pairs", names[i], open.folds, folded.folds);
        REQUIRE(folded.folds > open.folds + 500);
        scene_destroy(s);
    }
}

static void test_crowd_never_touches(void** state) {
    (void)state;
    scene* s = scene_create("crowd", 25000, 5, 3);
    assert_non_null(s);
    for (uint32_t f = 0; f < 5; f += effort(2, 1, 1)) {
        const closeness c = measure(s, f, 0.25);
        where("frame %u: %zu near, %zu pairs touch", f, c.bodies, c.touching);
        REQUIRE(c.touching == 0);
        REQUIRE(c.bodies >= 100);
    }
    scene_destroy(s);
}

// from 14 to 25 pieces, one at a time; two pieces replace each body that breaks
static void test_blocks_break(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 3; ++seed) {
        scene* s = scene_create("breaking", 1400, 60, seed);
        assert_non_null(s);
        uint32_t before = all_bodies(s, 0);
        assert_int_equal(before, 15);
        for (uint32_t f = 1; f < 60; ++f) {
            uint32_t gone = 0;
            uint32_t come = 0;
            for (uint32_t b = 0; b < scene_body_count(s); ++b) {
                gone += scene_present(s, b, f - 1) && !scene_present(s, b, f) ? 1 : 0;
                come += !scene_present(s, b, f - 1) && scene_present(s, b, f) ? 1 : 0;
            }
            assert_int_equal(come, 2 * gone);
            assert_int_equal(all_bodies(s, f), before + gone);
            before += gone;
        }
        assert_int_equal(before, 26);
        scene_destroy(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_are_those_published),
        cmocka_unit_test(test_letters_are_near_each_other),
        cmocka_unit_test(test_letters_pile_up_in_the_bowl),
        cmocka_unit_test(test_folds_come_near_each_other),
        cmocka_unit_test(test_crowd_never_touches),
        cmocka_unit_test(test_blocks_break),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
