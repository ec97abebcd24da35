// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Plans of flight bodies: positions and velocities of all vertices or of some, set at any time,
// with or without keyframes. Vertices follow the documented formula bit for bit, boxes contain them
// at every time, queries find the pairs of brute force, and refused calls change nothing.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound/refit.h"
#include "shape/shape.h"
#include "support/everywhere.h"
#include "support/flights.h"
#include "support/inside.h"
#include "support/memory.h"
#include "support/world.h"

#define KEYS_MOST 4

// a random one of all bounds
static motion_def model_def(const flight* m, uint32_t block) {
    static const int bounds[] = {ABUT_FLIGHT_BOUND_KINETIC, MOTION_BOUND_AUTO,
                                 ABUT_FLIGHT_BOUND_BOXTREE, ABUT_FLIGHT_BOUND_LINEAR};
    return flight_def(m, bounds[block % 4], block);
}

static void random_time(test_random* random, const world* w, abut_body_id body, flight* m,
                        double far) {
    flight_step(random, m, far);
    REQUIRE_OK(abut_body_set_time(w->scene, body, m->time, NULL));
}

static void test_vertices_are_the_formula_and_boxes_hold_them(void** state) {
    (void)state;
    test_random random = random_seed(41);
    for (uint32_t round = 0; round < effort(40, 150, 3000); ++round) {
        world w = world_make(NULL, NULL);
        double size;
        surface s = surface_any_ball(&random, 7, 11, 60, &size);
        flight m = flight_make(&random, s, size, random_below(&random, KEYS_MOST + 1));
        const motion_def def = model_def(&m, 1 + random_below(&random, 48));
        const abut_body_id body = world_add(&w, &m.s, &def, NULL);
        for (uint32_t step = 0; step < 24; ++step) {
            where("round %u, step %u", round, step);
            if (random_chance(&random, 0.4)) {
                flight_update(&random, &w, body, &m);
            } else {
                random_time(&random, &w, body, &m, random_chance(&random, 0.2) ? 1e6 : 20);
            }
            if (random_chance(&random, 0.2)) {
                world_frame(&w, body, frame_random(&random, 10 * size));
            }
            flight_check(&w, body, &m);
            world_validate(&w, body);
        }
        world_free(&w);
        flight_free(&m);
    }
}

static void test_queries_equal_all_pairs(void** state) {
    (void)state;
    test_random random = random_seed(42);
    size_t hits[2] = {0, 0};
    for (uint32_t round = 0; round < effort(12, 40, 800); ++round) {
        world w = world_make(NULL, NULL);
        flight m[2] = {flight_make(&random, surface_ball(8, 12, 1), 1, random_below(&random, 3)),
                       flight_make(&random, surface_sheet(9, 9, 3), 1, 0)};
        abut_body_id body[2];
        for (int b = 0; b < 2; ++b) {
            const motion_def def = model_def(&m[b], 1 + random_below(&random, 48));
            body[b] = world_add(&w, &m[b].s, &def, NULL);
        }
        for (uint32_t step = 0; step < 8; ++step) {
            where("round %u, step %u", round, step);
            for (int b = 0; b < 2; ++b) {
                if (random_chance(&random, 0.4)) {
                    flight_update(&random, &w, body[b], &m[b]);
                }
                random_time(&random, &w, body[b], &m[b], 3);
            }
            abut_collide_def def = abut_collide_def_default();
            def.margin = random_chance(&random, 0.2) ? 0.05 : 0;
            hits[0] += check_collide_all(&w, &def);
            hits[1] += check_self_all(&w, &def);
        }
        world_free(&w);
        flight_free(&m[0]);
        flight_free(&m[1]);
    }
    assert_true(hits[0] > 0 && hits[1] > 0);
}

// a soup flies apart, each triangle by itself
static void test_soup_flies_apart(void** state) {
    (void)state;
    test_random random = random_seed(43);
    world w = world_make(NULL, NULL);
    flight m = flight_make(&random, surface_soup(&random, 200, 1, 0.5, 0x1p-10), 1, 0);
    const motion_def def = model_def(&m, 16);
    const abut_body_id body = world_add(&w, &m.s, &def, NULL);
    flight_change c = flight_change_make(&random, &m, true);
    c.plans.positions = (abut_positions){0};
    c.plans.velocities = abut_positions_f64(c.uvw, m.s.vertex_count);
    for (uint32_t i = 0; i < 3 * m.s.vertex_count; ++i) {
        c.uvw[i] = m.s.xyz[9 * (i / 9) + i % 3];  // the velocity of the triangle's first corner
    }
    REQUIRE_OK(plans_set(w.scene, body, &c.plans, NULL));
    flight_change_apply(&c, &m);
    size_t count = SIZE_MAX;
    for (int step = 0; step < 40; ++step) {
        where("step %d", step);
        m.time = 0.5 * step;
        REQUIRE_OK(abut_body_set_time(w.scene, body, m.time, NULL));
        flight_check(&w, body, &m);
        world_validate(&w, body);
        count = check_self(&w, body, NULL);
    }
    REQUIRE(count < 20);
    world_free(&w);
    flight_change_free(&c);
    flight_free(&m);
}

// numbers that are too large for boxes make them infinite, and answers stay right
static void test_huge_numbers(void** state) {
    (void)state;
    test_random random = random_seed(44);
    for (uint32_t round = 0; round < effort(20, 60, 500); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(5, 7, 1);
        const double size = pow(10, random_double(&random, 30, 300));
        surface_scale(&s, size);
        flight m = flight_make(&random, s, size, random_below(&random, 3));
        const motion_def def = model_def(&m, 8);
        const abut_body_id body = world_add(&w, &m.s, &def, NULL);
        for (uint32_t step = 0; step < 6; ++step) {
            flight_update(&random, &w, body, &m);
            random_time(&random, &w, body, &m, 3);
            flight_check(&w, body, &m);
            world_validate(&w, body);
            check_self(&w, body, NULL);
        }
        world_free(&w);
        flight_free(&m);
    }
}

// data computed for the end of a span is discarded if plans change before
static void test_plans_change_within_a_span(void** state) {
    (void)state;
    test_random random = random_seed(55);
    world w = world_make(NULL, NULL);
    flight m = flight_make(&random, surface_ball(7, 11, 1), 1, 2);
    m.keys[0].time = 0;
    m.keys[1].time = 1;
    const motion_def def = model_def(&m, 5);
    const abut_body_id body = world_add(&w, &m.s, &def, NULL);
    // With 16 steps ahead, the span of the fifth time is that time alone, and the last time is the
    // end of the span of the fourth: 17 + 16 x 23 = 1 + 16 x 24.
    const double times[] = {0, 1, 2, 25, 1, 25};
    for (int step = 0; step < 6; ++step) {
        where("step %d", step);
        m.time = times[step];
        REQUIRE_OK(abut_body_set_time(w.scene, body, m.time, NULL));
        world_validate(&w, body);
        if (step == 0 || step == 4) {
            flight_change c = flight_change_make(&random, &m, false);
            c.plans.velocities = abut_positions_f64(c.uvw, c.plans.vertex_count);
            REQUIRE_OK(plans_set(w.scene, body, &c.plans, NULL));
            flight_change_apply(&c, &m);
            flight_change_free(&c);
        }
        flight_check(&w, body, &m);
        world_validate(&w, body);
    }
    world_free(&w);
    flight_free(&m);
}

static void test_plans_are_removed(void** state) {
    (void)state;
    test_random random = random_seed(45);
    world w = world_make(NULL, NULL);
    flight m = flight_make(&random, surface_ball(7, 11, 1), 1, 3);
    const motion_def def = model_def(&m, 16);
    const abut_body_id body = world_add(&w, &m.s, &def, NULL);
    for (int step = 0; step < 10; ++step) {
        flight_update(&random, &w, body, &m);
        random_time(&random, &w, body, &m, 5);
        REQUIRE_OK(plans_set(w.scene, body, NULL, NULL));
        memset(m.planned, 0, m.s.vertex_count * sizeof *m.planned);
        m.accelerated = false;
        memset(m.a, 0, sizeof m.a);
        flight_check(&w, body, &m);
        world_validate(&w, body);
    }
    world_free(&w);
    flight_free(&m);
}

// ---- refused plans

static void refuse(const world* w, abut_body_id body, const flight* m, const abut_plans_def* plans,
                   abut_status status, abut_element element, uint64_t index) {
    abut_error error = {0};
    REQUIRE_STATUS(plans_set(w->scene, body, plans, &error), status);
    REQUIRE(error.element == element && error.index == index && error.message[0] != '\0');
    flight_check(w, body, m);
    world_validate(w, body);
}

static void test_bad_plans_are_named_and_change_nothing(void** state) {
    (void)state;
    test_random random = random_seed(46);
    world w = world_make(NULL, NULL);
    flight m = flight_make(&random, surface_ball(7, 11, 1), 1, 2);
    const motion_def def = model_def(&m, 16);
    const abut_body_id body = world_add(&w, &m.s, &def, NULL);
    for (int round = 0; round < 3; ++round) {  // without plans, with some, with an acceleration
        where("round %d", round);
        flight_change c = flight_change_make(&random, &m, round == 2);
        c.plans.acceleration[1] = round == 2 ? -1 : 0;
        if (round > 0) {
            REQUIRE_OK(plans_set(w.scene, body, &c.plans, NULL));
            flight_change_apply(&c, &m);
        }
        uint32_t list[3] = {3, 7, 20};
        double x[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
        double u[9] = {0};
        abut_plans_def good = {.time = m.time, .vertices = list, .vertex_count = 3};
        good.positions = abut_positions_f64(x, 3);
        good.velocities = abut_positions_f64(u, 3);
        abut_plans_def bad = good;
        x[4] = NAN;
        refuse(&w, body, &m, &bad, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, 7);
        x[4] = 4;
        u[8] = INFINITY;
        refuse(&w, body, &m, &bad, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, 20);
        u[8] = 0;
        list[2] = 7;
        refuse(&w, body, &m, &bad, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, 2);
        list[2] = m.s.vertex_count;
        refuse(&w, body, &m, &bad, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, 2);
        list[2] = 20;
        bad.positions.count = 2;
        refuse(&w, body, &m, &bad, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
        bad = good;
        bad.velocities.stride = 8;
        refuse(&w, body, &m, &bad, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
        bad = good;
        bad.vertices = NULL;
        refuse(&w, body, &m, &bad, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
        bad = good;
        bad.time = NAN;
        refuse(&w, body, &m, &bad, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NONE, 0);
        bad = good;
        bad.acceleration[2] = 1;
        refuse(&w, body, &m, &bad, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, 2);
        bad = (abut_plans_def){.time = m.time, .acceleration = {0, NAN, 0}};
        refuse(&w, body, &m, &bad, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, 1);
        bad = good;
        bad.time = m.time - 1e10;
        u[0] = 1e300;
        refuse(&w, body, &m, &bad, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NONE, 0);
        abut_error error = {0};
        REQUIRE_STATUS(abut_body_set_time(w.scene, body, INFINITY, &error), ABUT_ERR_INVALID_DATA);
        flight_check(&w, body, &m);
        flight_change_free(&c);
    }
    abut_error error = {0};
    REQUIRE_STATUS(abut_body_set_time(w.scene, body, 1e200, &error), ABUT_ERR_INVALID_DATA);
    flight_check(&w, body, &m);
    const abut_body_id free_body = world_add(&w, &m.s, NULL, NULL);
    const abut_plans_def still = {0};
    REQUIRE_STATUS(plans_set(w.scene, free_body, &still, &error), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_OK(abut_body_destroy(w.scene, free_body, NULL));
    REQUIRE_STATUS(plans_set(w.scene, free_body, &still, &error), ABUT_ERR_INVALID_ARGUMENT);
    world_free(&w);
    flight_free(&m);
}

// a keyframe that is not finite is noticed as long as a vertex follows it
static void test_bad_keys_beneath_plans(void** state) {
    (void)state;
    test_random random = random_seed(47);
    world w = world_make(NULL, NULL);
    flight m = flight_make(&random, surface_ball(7, 11, 1), 1, 3);
    const motion_def def = model_def(&m, 16);
    const abut_body_id body = world_add(&w, &m.s, &def, NULL);
    m.key_xyz[1][3 * 9 + 1] = NAN;
    m.time = m.keys[0].time + 0.05;
    REQUIRE_OK(abut_body_set_time(w.scene, body, m.time, NULL));
    const uint32_t other = 8;
    abut_plans_def plans = {.time = m.time, .vertices = &other, .vertex_count = 1};
    REQUIRE_OK(plans_set(w.scene, body, &plans, NULL));
    abut_error error = {0};
    REQUIRE_STATUS(abut_body_validate(w.scene, body, &error), ABUT_ERR_INVALID_DATA);
    REQUIRE(error.element == ABUT_ELEMENT_VERTEX && error.index == 9);
    const uint32_t vertex = 9;
    plans.vertices = &vertex;
    REQUIRE_STATUS(plans_set(w.scene, body, &plans, &error), ABUT_ERR_INVALID_DATA);
    REQUIRE(error.element == ABUT_ELEMENT_VERTEX && error.index == 9);
    plans.time = m.keys[0].time;  // where the keyframe is finite
    REQUIRE_OK(plans_set(w.scene, body, &plans, NULL));
    world_validate(&w, body);
    REQUIRE_OK(abut_body_rebuild_tree(w.scene, body, 1, NULL,
                                      &error));  // a check of bad vertices comes first
    world_free(&w);
    flight_free(&m);
}

// ---- updates of some blocks

static void test_marked_refit_is_the_whole_one(void** state) {
    (void)state;
    test_random random = random_seed(48);
    for (uint32_t round = 0; round < effort(30, 100, 1000); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(4 + random_below(&random, 20), 9, 1);
        motion_def def = motion_def_default();
        def.block_triangles = 1 + random_below(&random, 48);
        def.fan_out = 2 + random_below(&random, 7);
        abut_shape* shape = world_shape(&w, &s, &def);
        const abut__tree* tree = &inside_shape(shape)->tree;
        const abut__source source = abut__source_make(s.xyz, 3 * sizeof(double), true);
        abut__refit_boxes boxes[2] = {0};
        memset(boxes, 0, sizeof boxes);
        boxes[0].boxes = test_alloc(tree->node_count, sizeof *boxes[0].boxes);
        boxes[1].boxes = test_alloc(tree->node_count, sizeof *boxes[1].boxes);
        uint64_t* blocks = test_alloc(tree->block_count / 64 + 1, sizeof *blocks);
        uint64_t* nodes = test_alloc(tree->node_count / 64 + 1, sizeof *nodes);
        memset(nodes, 0, (tree->node_count / 64 + 1) * sizeof *nodes);
        abut__refit(w.context, tree, NULL, source, (abut__beside){0}, &boxes[0]);
        for (int step = 0; step < 5; ++step) {
            memset(blocks, 0, (tree->block_count / 64 + 1) * sizeof *blocks);
            for (uint32_t changed = random_below(&random, 6); changed > 0; --changed) {
                const uint32_t vertex = random_below(&random, s.vertex_count);
                s.xyz[3 * (size_t)vertex + random_below(&random, 3)] = random_double(&random, -2,
                                                                                     2);
                for (uint32_t b = 0; b < tree->block_count; ++b) {
                    for (uint32_t v = 0; v < tree->blocks[b]->vertex_count; ++v) {
                        blocks[b / 64] |= (uint64_t)(tree->blocks[b]->vertex[v] == vertex)
                                          << b % 64;
                    }
                }
            }
            abut__refit_marked(w.context, tree, source, blocks, nodes, &boxes[0]);
            abut__refit(w.context, tree, NULL, source, (abut__beside){0}, &boxes[1]);
            REQUIRE(memcmp(boxes[0].boxes, boxes[1].boxes,
                           tree->node_count * sizeof *boxes[0].boxes) == 0);
            REQUIRE(boxes[0].extent == boxes[1].extent);
            REQUIRE(memcmp(&boxes[0].root, &boxes[1].root, sizeof boxes[0].root) == 0);
            for (uint32_t i = 0; i < tree->node_count / 64 + 1; ++i) {
                REQUIRE(nodes[i] == 0);
            }
        }
        free(boxes[0].boxes);
        free(boxes[1].boxes);
        free(blocks);
        free(nodes);
        abut_shape_destroy(shape);
        world_free(&w);
        surface_free(&s);
    }
}

// Vertices oscillate. After any number of updates, boxes are as tight as at first.
static void test_boxes_stay_tight(void** state) {
    (void)state;
    test_random random = random_seed(56);
    world w = world_make(NULL, NULL);
    flight m = flight_make(&random, surface_ball(9, 13, 1), 1, 0);
    const motion_def def = model_def(&m, 16);
    const abut_body_id body = world_add(&w, &m.s, &def, NULL);
    const uint32_t n = m.s.vertex_count;
    flight_change c = flight_change_make(&random, &m, true);
    for (uint32_t step = 0; step < effort(3000, 10000, 100000); ++step) {
        where("step %u", step);
        const bool all = step % 5 == 0;
        for (uint32_t i = 0; i < n; ++i) {
            c.vertices[i] = i;
            for (size_t d = 0; d < 3; ++d) {
                const double x = m.s.xyz[3 * (size_t)i + d];
                c.uvw[3 * (size_t)i + d] = (step % 2 == 0 ? 0x1p-5 : -0x1p-5) * x;
            }
        }
        c.plans = (abut_plans_def){.time = m.time};
        c.plans.vertices = all ? NULL : c.vertices;
        c.plans.vertex_count = all ? 0 : n;
        c.plans.velocities = abut_positions_f64(c.uvw, n);
        REQUIRE_OK(plans_set(w.scene, body, &c.plans, NULL));
        m.time += 0.25;
        REQUIRE_OK(abut_body_set_time(w.scene, body, m.time, NULL));
        abut_box box;
        REQUIRE_OK(abut_body_box(w.scene, body, &box, NULL));
        const double most = step % 2 == 0 ? 1 + 0x1p-7 : 1;  // of the poles, where the box is exact
        REQUIRE(box.hi[2] >= most && box.hi[2] < most + 1e-5);
    }
    world_free(&w);
    flight_change_free(&c);
    flight_free(&m);
}

// ---- edits

// the same flight with two more vertices in all keyframes, and a triangle that uses them
static flight flight_grow(test_random* random, const flight* m) {
    surface s = surface_make(m->s.vertex_count + 2, m->s.triangle_count + 1);
    memcpy(s.xyz, m->s.xyz, 3 * sizeof(double) * (size_t)m->s.vertex_count);
    memcpy(s.triangles, m->s.triangles, 3 * sizeof(uint32_t) * (size_t)m->s.triangle_count);
    for (size_t i = 3 * (size_t)m->s.vertex_count; i < 3 * (size_t)s.vertex_count; ++i) {
        s.xyz[i] = random_double(random, -1, 1);
    }
    uint32_t* last = &s.triangles[3 * (size_t)m->s.triangle_count];
    last[0] = random_below(random, m->s.vertex_count);
    last[1] = m->s.vertex_count;
    last[2] = m->s.vertex_count + 1;
    flight more = flight_make(random, s, m->size, m->key_count);
    for (uint32_t k = 0; k < m->key_count; ++k) {
        more.keys[k].time = m->keys[k].time;
        memcpy(more.key_xyz[k], m->key_xyz[k], 3 * sizeof(double) * (size_t)m->s.vertex_count);
    }
    memcpy(more.planned, m->planned, m->s.vertex_count * sizeof *m->planned);
    memcpy(more.p, m->p, m->s.vertex_count * sizeof *m->p);
    memcpy(more.u, m->u, m->s.vertex_count * sizeof *m->u);
    memcpy(more.since, m->since, m->s.vertex_count * sizeof *m->since);
    memcpy(more.a, m->a, sizeof m->a);
    more.accelerated = m->accelerated;
    more.origin = m->origin;
    more.time = m->time;
    return more;
}

static void test_edits_during_the_motion(void** state) {
    (void)state;
    test_random random = random_seed(49);
    for (uint32_t round = 0; round < effort(30, 100, 1000); ++round) {
        world w = world_make(NULL, NULL);
        flight m = flight_make(&random, surface_ball(8, 12, 1), 1,
                               random_below(&random, KEYS_MOST));
        const motion_def def = model_def(&m, 1 + random_below(&random, 48));
        abut_shape* shape = world_shape(&w, &m.s, &def);
        abut_body_id body;
        REQUIRE_OK(abut_body_create(w.scene, shape, NULL, &body, NULL));
        flight old[4];
        for (uint32_t step = 0; step < 4; ++step) {
            where("round %u, step %u", round, step);
            random_time(&random, &w, body, &m, 3);
            if (random_chance(&random, 0.5)) {
                flight_update(&random, &w, body, &m);
            }
            old[step] = m;
            m = flight_grow(&random, &old[step]);
            const uint32_t removed = step * 7 + 1;
            motion_edit_def edit = motion_edit_def_default();
            edit.removed_triangles = &removed;
            edit.removed_triangle_count = 1;
            edit.added_triangles = &m.s.triangles[3 * (size_t)old[step].s.triangle_count];
            edit.added_triangle_count = 1;
            edit.added_vertices = abut_positions_f64(&m.s.xyz[3 * (size_t)old[step].s.vertex_count],
                                                     2);
            edit.rebuild = random_chance(&random, 0.2);
            abut_shape* edited = NULL;
            abut_error error = {0};
            if (m.key_count > 0) {
                REQUIRE_STATUS(motion_edit(shape, &edit, &edited, NULL, &error),
                               ABUT_ERR_INVALID_ARGUMENT);
                edit.keyframes = m.keys;
                edit.keyframe_count = m.key_count;
            }
            abut_edit_work work = {0};
            REQUIRE_OK(motion_edit(shape, &edit, &edited, &work, &error));
            // one triangle less, one more: all other blocks stay the same
            REQUIRE(edit.rebuild || work.blocks_built <= 2);
            REQUIRE_OK(abut_body_set_shape(w.scene, body, edited, (abut_positions){0}, &error));
            abut_shape_destroy(shape);
            shape = edited;
            flight_check(&w, body, &m);
            world_validate(&w, body);
            check_self(&w, body, NULL);
            flight_update(&random, &w, body, &m);
            random_time(&random, &w, body, &m, 3);
            flight_check(&w, body, &m);
            world_validate(&w, body);
        }
        if (random_chance(&random, 0.5)) {
            REQUIRE_OK(abut_body_rebuild_tree(w.scene, body, 1, NULL, NULL));
            flight_check(&w, body, &m);
            world_validate(&w, body);
            check_self(&w, body, NULL);
        }
        abut_shape_destroy(shape);
        world_free(&w);
        for (uint32_t step = 0; step < 4; ++step) {
            flight_free(&old[step]);
        }
        flight_free(&m);
    }
}

// keyframes that are appended: the end of the animation is not known at first
static void test_keys_may_be_appended(void** state) {
    (void)state;
    test_random random = random_seed(50);
    world w = world_make(NULL, NULL);
    flight m = flight_make(&random, surface_ball(8, 12, 1), 1, KEYS_MOST);
    m.key_count = 1;
    const motion_def def = model_def(&m, 16);
    abut_shape* shape = world_shape(&w, &m.s, &def);
    abut_body_id body;
    REQUIRE_OK(abut_body_create(w.scene, shape, NULL, &body, NULL));
    for (; m.key_count <= KEYS_MOST; ++m.key_count) {
        motion_edit_def edit = motion_edit_def_default();
        edit.keyframes = m.keys;
        edit.keyframe_count = m.key_count;
        abut_shape* edited = NULL;
        abut_edit_work work;
        REQUIRE_OK(motion_edit(shape, &edit, &edited, &work, NULL));
        REQUIRE(work.blocks_built == 0);
        REQUIRE_OK(abut_body_set_shape(w.scene, body, edited, (abut_positions){0}, NULL));
        abut_shape_destroy(shape);
        shape = edited;
        m.time = m.keys[m.key_count - 1].time - 0.05;
        REQUIRE_OK(abut_body_set_time(w.scene, body, m.time, NULL));
        flight_check(&w, body, &m);
        world_validate(&w, body);
    }
    --m.key_count;
    motion_edit_def edit = motion_edit_def_default();
    abut_shape* edited = NULL;
    abut_error error = {0};
    edit.keyframe_count = 2;
    REQUIRE_STATUS(motion_edit(shape, &edit, &edited, NULL, &error), ABUT_ERR_INVALID_ARGUMENT);
    abut_shape_destroy(shape);
    world_free(&w);
    flight_free(&m);
}

// ---- instruction sets, threads, memory

// the pairs of a small animation; only the context varies
static uint64_t film(const abut_context_def* context_def) {
    test_random random = random_seed(51);
    world w = world_make(context_def, NULL);
    flight m = flight_make(&random, surface_ball(30, 40, 1), 1, 0);
    flight n = flight_make(&random, surface_sheet(30, 30, 2), 1, 3);
    const motion_def def_m = model_def(&m, 48);
    const motion_def def_n = model_def(&n, 48);
    const abut_body_id a = world_add(&w, &m.s, &def_m, NULL);
    const abut_body_id b = world_add(&w, &n.s, &def_n, NULL);
    uint64_t sum = 0;
    for (uint32_t step = 0; step < effort(4, 12, 12); ++step) {
        random_time(&random, &w, a, &m, 1);
        random_time(&random, &w, b, &n, 1);
        flight_update(&random, &w, step % 2 == 0 ? a : b, step % 2 == 0 ? &m : &n);
        for (int kind = QUERY_COLLIDE_ALL; kind <= QUERY_SELF_ALL; ++kind) {
            REQUIRE_OK(run_query(w.scene, (query_kind)kind, a, b, NULL, w.result));
            size_t count = 0;
            const abut_pair* pairs = abut_collide_result_pairs(w.result, &count);
            sum = 31 * sum + pairs_hash(pairs, count) + count;
        }
    }
    world_free(&w);
    flight_free(&m);
    flight_free(&n);
    return sum;
}

static void test_same_pairs_everywhere(void** state) {
    (void)state;
    uint64_t wanted = 0;
    everywhere at = everywhere_each((const uint32_t[]){4, 0}, 52);
    while (everywhere_next(&at)) {
        where("%s", at.text);
        const uint64_t got = film(&at.def);
        wanted = at.first ? got : wanted;
        REQUIRE(got == wanted);
    }
}

// A call that may fail for lack of memory. It then changes nothing, and succeeds the next time.
#define RETRY(call)                         \
    do {                                    \
        if ((call) != ABUT_OK) {            \
            REQUIRE(memory->refused > 0);   \
            memory_fail(memory, 0, false);  \
            if (body.generation != 0) {     \
                flight_check(&w, body, &m); \
            }                               \
            REQUIRE_OK(call);               \
        }                                   \
    } while (0)

// runs all functions with plans while one allocation fails; returns the number of allocations
static size_t run_refused(test_memory* memory, size_t refused) {
    test_random random = random_seed(53);
    abut_context_def context_def = abut_context_def_default();
    context_def.allocator = memory_allocator(memory);
    world w = world_make(&context_def, NULL);
    flight m = flight_make(&random, surface_ball(8, 12, 1), 1, refused % 2 == 0 ? 0 : 2);
    const motion_def def = model_def(&m, 5);
    abut_shape* first = world_shape(&w, &m.s, &def);
    abut_shape* shape = NULL;
    motion_edit_def same = motion_edit_def_default();
    abut_body_id body = {0};
    memory_fail(memory, refused, false);
    RETRY(motion_edit(first, &same, &shape, NULL, NULL));
    abut_shape_destroy(first);
    abut_body_id made;
    RETRY(abut_body_create(w.scene, shape, NULL, &made, NULL));
    body = made;
    for (int step = 0; step < 6; ++step) {
        flight_change c = flight_change_make(&random, &m, step == 3);
        RETRY(plans_set(w.scene, body, &c.plans, NULL));
        flight_change_apply(&c, &m);
        flight_change_free(&c);
        m.time += 0.1;
        const double time = m.time;
        m.time -= 0.1;
        RETRY(abut_body_set_time(w.scene, body, time, NULL));
        m.time = time;
        flight_check(&w, body, &m);
        if (step == 4) {
            abut_shape* edited = NULL;
            const uint32_t removed = 3;
            motion_edit_def edit = motion_edit_def_default();
            edit.removed_triangles = &removed;
            edit.removed_triangle_count = 1;
            RETRY(motion_edit(shape, &edit, &edited, NULL, NULL));
            RETRY(abut_body_set_shape(w.scene, body, edited, (abut_positions){0}, NULL));
            abut_shape_destroy(edited);
            flight_check(&w, body, &m);
        }
    }
    const size_t calls = memory->calls;
    memory_fail(memory, 0, false);
    world_validate(&w, body);
    check_self(&w, body, NULL);
    abut_shape_destroy(shape);
    world_free(&w);
    flight_free(&m);
    return calls;
}

static void test_every_allocation_refused(void** state) {
    (void)state;
    size_t calls = SIZE_MAX;
    for (size_t refused = 0; refused <= calls + 1; ++refused) {
        where("allocation %zu", refused);
        test_memory memory;
        memory_init(&memory);
        const size_t made = run_refused(&memory, refused);
        calls = refused == 0 ? made + 8 : calls;
        memory_require_clean(&memory);
    }
    assert_true(calls > 60);
}

static void test_quiet_after_warm_up(void** state) {
    (void)state;
    test_random random = random_seed(54);
    test_memory memory;
    abut_context_def context_def = memory_context_def(&memory);
    world w = world_make(&context_def, NULL);
    flight m = flight_make(&random, surface_ball(20, 30, 1), 1, 0);
    const motion_def def = model_def(&m, 48);
    const abut_body_id body = world_add(&w, &m.s, &def, NULL);
    size_t before = 0;
    for (int step = 0; step < 200; ++step) {
        where("step %d", step);
        before = step == 5 ? memory.calls : before;
        if (step % 20 < 2) {
            flight_change c = flight_change_make(&random, &m, step % 20 == 0);
            REQUIRE_OK(plans_set(w.scene, body, &c.plans, NULL));
            flight_change_free(&c);
        }
        REQUIRE_OK(abut_body_set_time(w.scene, body, 0.01 * step, NULL));
        abut_box box;
        REQUIRE_OK(abut_body_box(w.scene, body, &box, NULL));
    }
    REQUIRE(memory.calls == before);
    world_free(&w);
    memory_require_clean(&memory);
    flight_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vertices_are_the_formula_and_boxes_hold_them),
        cmocka_unit_test(test_queries_equal_all_pairs),
        cmocka_unit_test(test_soup_flies_apart),
        cmocka_unit_test(test_huge_numbers),
        cmocka_unit_test(test_plans_change_within_a_span),
        cmocka_unit_test(test_plans_are_removed),
        cmocka_unit_test(test_bad_plans_are_named_and_change_nothing),
        cmocka_unit_test(test_bad_keys_beneath_plans),
        cmocka_unit_test(test_marked_refit_is_the_whole_one),
        cmocka_unit_test(test_boxes_stay_tight),
        cmocka_unit_test(test_edits_during_the_motion),
        cmocka_unit_test(test_keys_may_be_appended),
        cmocka_unit_test(test_same_pairs_everywhere),
        cmocka_unit_test(test_every_allocation_refused),
        cmocka_unit_test(test_quiet_after_warm_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
