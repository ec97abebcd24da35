// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the headers promise about calls that fail: the result is empty, also in what it says about
// the bodies; the sentence of the error is true; the next valid query answers as a new result does.
// And about what is allowed at the edge: no points, unknown changes, borrowed positions in sweeps.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/memory.h"
#include "support/world.h"

// two balls that cut into each other
typedef struct balls {
    test_memory memory;
    world w;
    surface surface;
    abut_body_id a;
    abut_body_id b;
    abut_depth_result* depth;
} balls;

static void balls_make(balls* s) {
    const abut_context_def def = memory_context_def(&s->memory);
    s->w = world_make(&def, NULL);
    s->surface = surface_ball(4, 6, 1);
    abut_body_def place = abut_body_def_default();
    place.frame.t[0] = 1.75;
    s->a = world_add(&s->w, &s->surface, NULL, NULL);
    s->b = world_add(&s->w, &s->surface, NULL, &place);
    REQUIRE_OK(abut_depth_result_create(s->w.context, &s->depth, NULL));
}

static void balls_free(balls* s) {
    abut_depth_result_destroy(s->depth);
    world_free(&s->w);
    surface_free(&s->surface);
    memory_require_clean(&s->memory);
}

static abut_positions positions_of(const surface* s) {
    return abut_positions_f64(s->xyz, s->vertex_count);
}

static void require_depth(const balls* s) {
    size_t count = 0;
    REQUIRE_OK(abut_depth(s->w.scene, s->a, s->b, NULL, s->depth, NULL));
    REQUIRE(abut_depth_result_defined(s->depth));
    REQUIRE(abut_depth_result_regions(s->depth, &count) != NULL && count == 1);
}

static void require_no_depth(const balls* s) {
    size_t count = 1;
    REQUIRE(!abut_depth_result_defined(s->depth));
    REQUIRE(abut_depth_result_regions(s->depth, &count) == NULL && count == 0);
    count = 1;
    REQUIRE(abut_depth_result_pairs(s->depth, &count) == NULL && count == 0);
    count = 1;
    REQUIRE(abut_depth_result_inside(s->depth, &count) == NULL && count == 0);
}

static void test_refused_depth_is_empty(void** state) {
    (void)state;
    balls s;
    balls_make(&s);
    abut_depth_def foreign = abut_depth_def_default();
    foreign.head.cookie = abut_collide_def_default().head.cookie;
    abut_depth_def one_region = abut_depth_def_default();
    one_region.one_region = true;
    for (int k = 0; k < 5; ++k) {
        where("refusal %d", k);
        require_depth(&s);
        const abut_region first = *abut_depth_result_regions(s.depth, NULL);
        const abut_scene* scene = k == 0 ? NULL : s.w.scene;
        const abut_body_id gone = {s.b.index, s.b.generation + 1};
        const abut_status status = k < 4 ? abut_depth(scene, s.a,
                                                      k == 1   ? s.a
                                                      : k == 2 ? gone
                                                               : s.b,
                                                      k == 3 ? &foreign : NULL, s.depth, NULL)
                                         : abut_depth_self(scene, s.a, &one_region, s.depth, NULL);
        REQUIRE_STATUS(status, ABUT_ERR_INVALID_ARGUMENT);
        require_no_depth(&s);
        require_depth(&s);  // the region goes on
        const abut_region next = *abut_depth_result_regions(s.depth, NULL);
        REQUIRE(next.id == first.id && !next.is_new && next.depth == first.depth);
    }
    balls_free(&s);
}

static void test_failed_depth_is_empty(void** state) {
    (void)state;
    balls s;
    balls_make(&s);
    require_depth(&s);
    const abut_region first = *abut_depth_result_regions(s.depth, NULL);
    surface bad = surface_copy(&s.surface);
    bad.xyz[3 * 7 + 1] = NAN;
    abut_error error;
    REQUIRE_OK(abut_body_borrow_positions(s.w.scene, s.b, positions_of(&bad), NULL));
    REQUIRE_STATUS(abut_depth(s.w.scene, s.a, s.b, NULL, s.depth, &error), ABUT_ERR_INVALID_DATA);
    REQUIRE(error.body.index == s.b.index && error.body.generation == s.b.generation);
    REQUIRE(error.element == ABUT_ELEMENT_VERTEX && error.index == 7);
    require_no_depth(&s);
    world_move(&s.w, s.b, s.surface.xyz);
    require_depth(&s);
    REQUIRE(abut_depth_result_regions(s.depth, NULL)->depth == first.depth);
    // an allocator that refuses one call after the other
    for (size_t call = 1; call < 1000; ++call) {
        where("allocation %zu", call);
        abut_depth_result_destroy(s.depth);
        REQUIRE_OK(abut_depth_result_create(s.w.context, &s.depth, NULL));
        memory_fail(&s.memory, call, false);
        const abut_status status = abut_depth(s.w.scene, s.a, s.b, NULL, s.depth, NULL);
        const bool all = s.memory.calls < call;
        memory_fail(&s.memory, 0, false);
        if (status != ABUT_OK) {
            REQUIRE(status == ABUT_ERR_NO_MEMORY);
            require_no_depth(&s);
        }
        require_depth(&s);
        REQUIRE(abut_depth_result_regions(s.depth, NULL)->depth == first.depth);
        if (all) {
            break;
        }
    }
    surface_free(&bad);
    balls_free(&s);
}

// fails unless the call was refused with this sentence
static void require_sentence(abut_status status, abut_error* error, const char* sentence) {
    REQUIRE_STATUS(status, ABUT_ERR_INVALID_ARGUMENT);
    where("%s", error->message);
    REQUIRE(error->status == status && strstr(error->message, sentence) != NULL);
    memset(error, 0, sizeof *error);
}

static void test_sentences_are_true(void** state) {
    (void)state;
    balls s;
    balls_make(&s);
    abut_error error = {0};
    const abut_positions positions = positions_of(&s.surface);
    require_sentence(abut_body_set_positions(NULL, s.a, positions, &error), &error,
                     "the scene is NULL");
    require_sentence(abut_body_destroy(NULL, s.a, &error), &error, "the scene is NULL");
    require_sentence(abut_body_rebuild_tree(s.w.scene, s.a, NAN, NULL, &error), &error,
                     "the limit is nan, but must be at least 1");
    abut_sweep_def sweep = abut_sweep_def_default();
    sweep.tolerance = 1.0000001;
    require_sentence(abut_sweep(s.w.scene, s.a, s.b, &sweep, s.w.swept, &error), &error,
                     "the tolerance is 1.0000001");
    const abut_status twice = abut_contains_body(s.w.scene, s.a, s.a, NULL, s.w.sides, &error);
    REQUIRE(error.body.generation == s.a.generation && error.body.index == s.a.index);
    require_sentence(twice, &error, "both bodies are the same: name two");
    balls_free(&s);
}

static void test_no_points(void** state) {
    (void)state;
    balls s;
    balls_make(&s);
    const double origin[3] = {0, 0, 0};
    REQUIRE(world_point_side(&s.w, s.a, origin, NULL) == ABUT_SIDE_INSIDE);
    size_t count = 1;
    REQUIRE_OK(
        abut_contains_points(s.w.scene, s.a, abut_positions_f64(NULL, 0), NULL, s.w.sides, NULL));
    REQUIRE(abut_contains_result_sides(s.w.sides, &count) == NULL && count == 0);
    count = 1;
    REQUIRE(abut_contains_result_windings(s.w.sides, &count) == NULL && count == 0);
    balls_free(&s);
}

static void test_unknown_change(void** state) {
    (void)state;
    balls s;
    balls_make(&s);
    abut_changes* changes;
    REQUIRE_OK(abut_changes_create(s.w.context, &changes, NULL));
    REQUIRE_OK(abut_collide(s.w.scene, s.a, s.b, NULL, s.w.result, NULL));
    REQUIRE_OK(abut_changes_update(changes, s.w.result, NULL));
    size_t count = 0;
    REQUIRE(abut_changes_pairs(changes, ABUT_CHANGE_BEGUN, &count) != NULL && count > 0);
    static const int unknown[] = {3, 1000, -1};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; ++i) {
        count = 1;
        REQUIRE(abut_changes_pairs(changes, (abut_change)unknown[i], &count) == NULL && count == 0);
        REQUIRE(abut_changes_body_pairs(changes, (abut_change)unknown[i], NULL) == NULL);
    }
    abut_changes_destroy(changes);
    balls_free(&s);
}

// positions that are borrowed after copied ones end a step; they begin none
static void test_borrowed_positions_in_sweeps(void** state) {
    (void)state;
    balls s;
    balls_make(&s);
    const abut_positions positions = positions_of(&s.surface);
    world_move(&s.w, s.a, s.surface.xyz);
    REQUIRE_OK(abut_body_borrow_positions(s.w.scene, s.a, positions, NULL));
    REQUIRE_OK(abut_sweep(s.w.scene, s.a, s.b, NULL, s.w.swept, NULL));
    REQUIRE_OK(abut_body_borrow_positions(s.w.scene, s.a, positions, NULL));
    abut_error error;
    REQUIRE_STATUS(abut_sweep(s.w.scene, s.a, s.b, NULL, s.w.swept, &error), ABUT_ERR_STATE);
    REQUIRE(error.body.index == s.a.index && error.body.generation == s.a.generation);
    REQUIRE(abut_sweep_result_time_of_impact(s.w.swept) == INFINITY);
    // after `any` there are no rows, and no time
    abut_sweep_def def = abut_sweep_def_default();
    def.any = true;
    REQUIRE_OK(abut_body_borrow_step(s.w.scene, s.a, positions, positions, NULL));
    REQUIRE_OK(abut_sweep(s.w.scene, s.a, s.b, &def, s.w.swept, NULL));
    REQUIRE(abut_sweep_result_found(s.w.swept));
    REQUIRE(abut_sweep_result_time_of_impact(s.w.swept) == INFINITY);
    balls_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused_depth_is_empty),
        cmocka_unit_test(test_failed_depth_is_empty),
        cmocka_unit_test(test_sentences_are_true),
        cmocka_unit_test(test_no_points),
        cmocka_unit_test(test_unknown_change),
        cmocka_unit_test(test_borrowed_positions_in_sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
