// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The boxes of a tree by level, as figures show them: on each level they contain the body together,
// and they get smaller.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/fields.h"
#include "support/random.h"
#include "support/world.h"

enum { MOST = 4096 };

static bool contains(const abut_box* box, const double p[3]) {
    bool inside = true;
    for (int d = 0; d < 3; ++d) {
        inside = inside && p[d] >= box->lo[d] && p[d] <= box->hi[d];
    }
    return inside;
}

static double volume(const abut_box* box) {
    return (box->hi[0] - box->lo[0]) * (box->hi[1] - box->lo[1]) * (box->hi[2] - box->lo[2]);
}

static double check_level(const world* w, abut_body_id body, uint32_t vertices, uint32_t level) {
    static abut_box boxes[MOST];
    size_t count = 0;
    double sum = 0;
    REQUIRE_OK(abut_body_level_boxes(w->scene, body, level, boxes, MOST, &count, NULL));
    assert_in_range(count, 1, MOST);
    for (uint32_t v = 0; v < vertices; ++v) {
        double p[3];
        bool inside = false;
        REQUIRE_OK(abut_body_world_vertex(w->scene, body, v, p, NULL));
        for (size_t i = 0; i < count && !inside; ++i) {
            inside = contains(&boxes[i], p);
        }
        assert_true(inside);
    }
    for (size_t i = 0; i < count; ++i) {
        sum += volume(&boxes[i]);
    }
    return sum;
}

static void test_levels_contain_the_body(void** state) {
    (void)state;
    test_random random = random_seed(71);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(40, 60, 1);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    for (int step = 0; step < 4; ++step) {
        const double whole = check_level(&w, body, s.vertex_count, 0);
        for (uint32_t level = 1; level < 8; ++level) {
            // siblings overlap, but the total volume of the boxes shrinks
            const double sum = check_level(&w, body, s.vertex_count, level);
            assert_true(sum < (step > 0 || level < 3 ? 3 : 0.8) * whole);
        }
        world_frame(&w, body, frame_random(&random, 100));
    }
    surface_free(&s);
    world_free(&w);
}

// the boxes of a body in one state are the same by themselves and after other states and queries
static void test_boxes_follow_from_the_state(void** state) {
    (void)state;
    test_random random = random_seed(72);
    surface s = surface_ball(20, 30, 1);
    field_set f = make_fields(&random, &s, 3, 0.8, ABUT_SCALAR_F32, true);
    const motion_def def = modal_def(&f);
    world fresh = world_make(NULL, NULL);
    world used = world_make(NULL, NULL);
    const abut_body_id a = world_add(&fresh, &s, &def, NULL);
    const abut_body_id b = world_add(&used, &s, &def, NULL);
    for (int step = 0; step < 6; ++step) {
        static abut_box boxes[2][MOST];
        size_t counts[2] = {0, 0};
        const double q[3] = {0.1 * step, -0.2, 0.05 * step};
        set_coordinates(&used, b, q, 3);
        // after a query of the whole body, all of it moves at once
        (void)check_self(&used, b, NULL);
        if (step < 5) {
            continue;
        }
        set_coordinates(&fresh, a, q, 3);
        for (uint32_t level = 0; level < 6; ++level) {
            REQUIRE_OK(
                abut_body_level_boxes(fresh.scene, a, level, boxes[0], MOST, &counts[0], NULL));
            REQUIRE_OK(
                abut_body_level_boxes(used.scene, b, level, boxes[1], MOST, &counts[1], NULL));
            assert_int_equal(counts[0], counts[1]);
            assert_memory_equal(boxes[0], boxes[1], counts[0] * sizeof *boxes[0]);
        }
    }
    free_fields(&f);
    surface_free(&s);
    world_free(&fresh);
    world_free(&used);
}

static void test_room_and_errors(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_ball(40, 60, 1);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    abut_box boxes[3] = {{{0}, {0}}};
    abut_box whole;
    size_t count = 0;
    REQUIRE_OK(abut_body_level_boxes(w.scene, body, 0, NULL, 0, &count, NULL));
    assert_int_equal(count, 1);
    REQUIRE_OK(abut_body_level_boxes(w.scene, body, 0, &whole, 1, &count, NULL));
    REQUIRE_OK(abut_body_level_boxes(w.scene, body, 2, boxes, 2, &count, NULL));
    assert_true(count > 8);
    assert_true(volume(&boxes[1]) > 0 && volume(&boxes[1]) < volume(&whole));
    assert_true(volume(&boxes[2]) == 0);  // beyond the room
    const abut_body_id none = {0};
    assert_int_equal(abut_body_level_boxes(w.scene, none, 0, boxes, 3, &count, NULL),
                     ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_body_level_boxes(w.scene, body, 0, NULL, 3, &count, NULL),
                     ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_body_level_boxes(w.scene, body, 0, boxes, 3, NULL, NULL),
                     ABUT_ERR_INVALID_ARGUMENT);
    surface_free(&s);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels_contain_the_body),
        cmocka_unit_test(test_boxes_follow_from_the_state),
        cmocka_unit_test(test_room_and_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
