// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Point-based bodies that are simulated together, and the scenes of them: held nodes go where they
// are driven, weight and push act, any stiffness gives finite numbers, figures stay near the ring,
// and the scenes have the requested contact.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenes/scenes.h"
#include "scenes/soft.h"
#include "support/scenery.h"
#include "support/world.h"

// --- two balls -------------------------------------------------------------------------------------

#define FRAMES 9

static double ball_depth(const void* user, const double x[3]) {
    (void)user;
    return 1.0 - sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static bool in_ball(const void* user, const double x[3]) {
    return ball_depth(user, x) > 0.0;
}

// on top
static double ball_grip(const void* user, const double x[3]) {
    (void)user;
    return x[2] - 0.6;
}

// towards each other, and deep into each other in the end
static void drive_ball(const void* user, uint32_t body, double time, double x[3]) {
    (void)user;
    x[0] += (body == 0 ? -1.0 : 1.0) * (1.4 - time);
    x[1] += 0.1 * time * (double)body;
}

static soft_def ball_def(const meshless* m) {
    return (soft_def){
        .body = m,
        .material = {.density = 1.0, .stretch = 0.3, .shear = 0.5, .volume = 0.8, .damping = 1.0},
        .count = 2,
        .duration = 6.0,
        .drag = 0.2,
        .depth = ball_depth,
        .grip = ball_grip,
        .drive = drive_ball};
}

typedef struct balls {
    scene s;
    meshless m;
    const double* u;
    size_t numbers;  // of one ball in one frame
} balls;

static void make_balls(balls* b, double weight, double push) {
    const meshless_region region = {in_ball, NULL, {-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
    scene_mesh mesh;
    *b = (balls){.s = {.frame_count = FRAMES}};
    assert_true(scene__sphere(&b->s, &mesh, 5));
    assert_true(scene__meshless(&b->s, &region, &mesh, 60, 1, &b->m));
    soft_def def = ball_def(&b->m);
    def.weight = weight;
    def.push = push;
    b->u = scene__soft_motion(&b->s, &def);
    assert_non_null(b->u);
    b->numbers = 3 * (size_t)b->m.node_count;
}

static double at(const balls* b, uint32_t frame, uint32_t body, size_t i) {
    return b->m.place[i] + b->u[(frame * 2 + body) * b->numbers + i];
}

static void test_held_nodes_go_where_they_are_driven(void** state) {
    (void)state;
    balls b;
    make_balls(&b, 0.1, 0.3);
    uint32_t held = 0;
    for (uint32_t f = 0; f < FRAMES; ++f) {
        for (size_t i = 0; i < 2 * b.numbers; i += 3) {
            const uint32_t body = i >= b.numbers ? 1 : 0;
            const size_t node = i - body * b.numbers;
            double x[3];
            double off = 0.0;
            memcpy(x, b.m.place + node, sizeof x);
            const bool grip = x[2] > 0.6;
            drive_ball(NULL, body, (double)f / (FRAMES - 1), x);
            for (size_t d = 0; d < 3; ++d) {
                off = fmax(off, fabs(at(&b, f, body, node + d) - x[d]));
            }
            where("frame %u, ball %u, node %zu", f, body, node / 3);
            REQUIRE(off < 1e-12 || (!grip && f > 0));
            held += grip ? 1 : 0;
        }
    }
    assert_in_range(held, 2 * FRAMES * 3, 2 * FRAMES * 30);
    scene__free_all(&b.s);
}

static double lowest_at(const balls* b, uint32_t frame) {
    double lowest = 10.0;
    for (size_t i = 2; i < b->numbers; i += 3) {
        lowest = fmin(lowest, at(b, frame, 0, i));
    }
    return lowest;
}

static void test_weight_pulls_down(void** state) {
    (void)state;
    balls light;
    balls heavy;
    make_balls(&light, 0.0, 0.0);
    make_balls(&heavy, 0.3, 0.0);
    assert_true(lowest_at(&light, 0) == lowest_at(&heavy, 0));
    assert_true(lowest_at(&heavy, FRAMES - 1) < lowest_at(&light, FRAMES - 1) - 0.05);
    scene__free_all(&light.s);
    scene__free_all(&heavy.s);
}

// the mean distance along x, without held nodes
static double gap_of(const balls* b) {
    double sum = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < b->numbers; i += 3) {
        if (b->m.place[i + 2] < 0.0) {
            sum += at(b, FRAMES - 1, 1, i) - at(b, FRAMES - 1, 0, i);
            ++count;
        }
    }
    return sum / (double)count;
}

static void test_balls_push_each_other_apart(void** state) {
    (void)state;
    balls free_ones;
    balls pushed;
    make_balls(&free_ones, 0.0, 0.0);
    make_balls(&pushed, 0.0, 1.0);
    assert_true(gap_of(&free_ones) < 1.5);
    assert_true(gap_of(&pushed) > gap_of(&free_ones) + 0.08);
    scene__free_all(&free_ones.s);
    scene__free_all(&pushed.s);
}

// much too stiff for the step: speeds are limited, so nothing overflows
static void test_any_push_gives_finite_numbers(void** state) {
    (void)state;
    balls b;
    make_balls(&b, 0.0, 1e9);
    for (size_t i = 0; i < 2 * FRAMES * b.numbers; ++i) {
        assert_true(fabs(b.u[i]) < 1000.0);
    }
    scene__free_all(&b.s);
}

static void test_few_vertices_get_few_nodes(void** state) {
    (void)state;
    assert_int_equal(scene__soft_nodes(&(scene_mesh){.vertex_count = 1000}, 115, 5), 115);
    assert_int_equal(scene__soft_nodes(&(scene_mesh){.vertex_count = 1000}, 550, 5), 200);
    assert_int_equal(scene__soft_nodes(&(scene_mesh){.vertex_count = 10}, 550, 5), 8);
    assert_int_equal(scene__soft_nodes(&(scene_mesh){.vertex_count = 1000}, 1, 5), 8);
}

// --- the scenes --------------------------------------------------------------------------------------

// the tips of hats stay on a circle at height 1.2, and the rest hangs below
static void check_figure(const scene_body* b, const double* xyz, double radius) {
    double centre[3] = {0.0, 0.0, 0.0};
    uint32_t tips = 0;
    for (uint32_t v = 0; v < b->vertex_count; ++v) {
        const double* p = xyz + 3 * (size_t)v;
        for (size_t d = 0; d < 3; ++d) {
            centre[d] += p[d] / (double)b->vertex_count;
            REQUIRE(fabs(p[d]) < 3.0);
        }
        if (b->rest[3 * (size_t)v + 2] > 1.2) {
            REQUIRE(fabs(hypot(p[0], p[1]) - radius) < 0.15 && fabs(p[2] - 1.22) < 0.1);
            ++tips;
        }
    }
    REQUIRE(tips > 3);
    REQUIRE(fabs(hypot(centre[0], centre[1]) - radius) < 0.5);
    REQUIRE(centre[2] > 0.2 && centre[2] < 0.9);
}

static void test_figures_hang_on_the_ring(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= effort(1, 4, 4); ++seed) {
        scene* s = scene_create_with(
            "soft_ring",
            &(scene_options){.triangles = 1500, .frames = 20, .seed = seed, .nodes = 60});
        assert_non_null(s);
        assert_int_equal(scene_body_count(s), 6);
        const scene_body* b = scene_get_body(s, 0);
        double* xyz = test_alloc(3 * (size_t)b->vertex_count, sizeof *xyz);
        for (uint32_t f = 0; f < 20; ++f) {
            for (uint32_t body = 0; body < 6; ++body) {
                where("seed %u, frame %u, figure %u", seed, f, body);
                scene_positions(s, body, f, xyz);
                check_figure(b, xyz, 0.66);
            }
        }
        free(xyz);
        scene_destroy(s);
    }
}

// stretched or compressed in places, but nowhere torn
static void test_figures_are_deformed(void** state) {
    (void)state;
    const scene_options wishes = {.triangles = 800, .frames = 9, .seed = 1, .nodes = 40};
    scene* s = scene_create_with("soft_ring", &wishes);
    assert_non_null(s);
    const scene_body* b = scene_get_body(s, 0);
    double* t = test_alloc(12 * (size_t)b->node_count, sizeof *t);
    double stretched = 0.0;
    scene_transforms(s, 0, 5, t);
    for (size_t i = 0; i < b->node_count; ++i) {
        double square = 0.0;
        for (size_t k = 0; k < 9; ++k) {
            square += t[12 * i + 4 * (k / 3) + k % 3] * t[12 * i + 4 * (k / 3) + k % 3];
        }
        stretched = fmax(stretched, fabs(square - 3.0));
        REQUIRE(square > 1.0 && square < 9.0);
    }
    assert_true(stretched > 0.02);
    free(t);
    scene_destroy(s);
}

static size_t contact_of(const char* name, scene_contact contact, uint32_t seed) {
    scenery s = scenery_make(scene_create_with(name, &(scene_options){.triangles = 800,
                                                                      .frames = 15,
                                                                      .seed = seed,
                                                                      .contact = contact}),
                             NULL);
    size_t all = 0;
    for (uint32_t f = 0; f < 15; ++f) {
        size_t count = 0;
        scenery_set_frame(&s, f);
        REQUIRE_OK(abut_collide_all(s.world.scene, NULL, s.world.result, NULL));
        (void)abut_collide_result_pairs(s.world.result, &count);
        all += count;
        REQUIRE(contact != SCENE_CONTACT_PRESSED || count > 100);
    }
    scenery_free(&s);
    return all;
}

static void test_scenes_have_the_requested_contact(void** state) {
    (void)state;
    static const char* const names[2] = {"soft_ring", "soft_fishes"};
    for (uint32_t seed = 1; seed <= effort(1, 4, 4); ++seed) {
        for (int k = 0; k < 2; ++k) {
            const size_t none = contact_of(names[k], SCENE_CONTACT_NONE, seed);
            const size_t small = contact_of(names[k], SCENE_CONTACT_SMALL, seed);
            const size_t large = contact_of(names[k], SCENE_CONTACT_LARGE, seed);
            const size_t pressed = contact_of(names[k], SCENE_CONTACT_PRESSED, seed);
            where("%s, seed %u: %zu %zu %zu %zu pairs", names[k], seed, none, small, large,
                  pressed);
            REQUIRE(none == 0 && small > 100);
            REQUIRE(large > 2 * small && pressed > 3 * large / 2);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_held_nodes_go_where_they_are_driven),
        cmocka_unit_test(test_weight_pulls_down),
        cmocka_unit_test(test_balls_push_each_other_apart),
        cmocka_unit_test(test_any_push_gives_finite_numbers),
        cmocka_unit_test(test_few_vertices_get_few_nodes),
        cmocka_unit_test(test_figures_hang_on_the_ring),
        cmocka_unit_test(test_figures_are_deformed),
        cmocka_unit_test(test_scenes_have_the_requested_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
