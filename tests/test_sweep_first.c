// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The earliest contacts of sweeps: those contacts that have the least time, bit for bit. They take
// less work, and are the same everywhere.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/everywhere.h"
#include "support/skin.h"
#include "support/swept_pairs.h"
#include "support/world.h"

typedef enum sweep_kind { QUERY_TWO, QUERY_WITHIN, QUERY_ALL } sweep_kind;

static abut_status query_sweep(const world* w, sweep_kind what, const abut_sweep_def* def) {
    const abut_body_id a = abut_scene_body_at(w->scene, 0);
    return what == QUERY_WITHIN ? abut_sweep_self(w->scene, a, def, w->swept, NULL)
           : what == QUERY_ALL
               ? abut_sweep_all(w->scene, def, w->swept, NULL)
               : abut_sweep(w->scene, a, abut_scene_body_at(w->scene, 1), def, w->swept, NULL);
}

// sums of the work of all contacts and of the earliest ones
typedef struct sums {
    abut_counters all;
    abut_counters first;
    size_t contacts;
    size_t earliest;
} sums;

static void check_first(const world* w, sweep_kind what, double margin, sums* out) {
    abut_sweep_def def = abut_sweep_def_default();
    def.margin = margin;
    def.head.counters = &out->all;
    REQUIRE_OK(query_sweep(w, what, &def));
    const double time = abut_sweep_result_time_of_impact(w->swept);
    size_t count;
    const abut_sweep_pair* pairs = abut_sweep_result_pairs(w->swept, &count);
    abut_sweep_pair* wanted = test_alloc(count + 1, sizeof *wanted);
    size_t wanted_count = 0;
    for (size_t i = 0; i < count; ++i) {
        if (pairs[i].time == time) {
            wanted[wanted_count++] = pairs[i];
        }
    }
    out->contacts += count;
    def.earliest_only = true;
    def.head.counters = &out->first;
    REQUIRE_OK(query_sweep(w, what, &def));
    REQUIRE(abut_sweep_result_time_of_impact(w->swept) == time);
    pairs = abut_sweep_result_pairs(w->swept, &count);
    REQUIRE(count == wanted_count);
    REQUIRE(count == 0 || memcmp(pairs, wanted, count * sizeof *wanted) == 0);
    out->earliest += count;
    free(wanted);
}

static void report(const sums* s) {
    print_message(
        "%zu contacts, %zu earliest; exact tests %llu and %llu, refinements %llu and %llu\n",
        s->contacts, s->earliest, (unsigned long long)s->all.exact_tests,
        (unsigned long long)s->first.exact_tests, (unsigned long long)s->all.exact_fallbacks,
        (unsigned long long)s->first.exact_fallbacks);
}

static void require_less_work(const sums* s, uint64_t factor) {
    report(s);
    assert_true(s->contacts > 100 && s->earliest > 0 && s->earliest < s->contacts);
    assert_true(factor * s->first.exact_tests < s->all.exact_tests);
    assert_true(factor * s->first.exact_fallbacks < s->all.exact_fallbacks);
}

// a ball passes through a sheet, in some cases with frames that move
static void test_between_two(void** state) {
    (void)state;
    sums total = {0};
    for (uint32_t seed = 1; seed <= effort(12, 40, 300); ++seed) {
        test_random random = random_seed(seed);
        where("seed %u", seed);
        world w = world_make(NULL, NULL);
        surface s = surface_sheet(20, 20, 1);
        surface ball = surface_ball(16, 18, 0.3);
        motion_def shape = motion_def_default();
        shape.block_triangles = 16;
        const abut_body_id sheet = world_add(&w, &s, &shape, NULL);
        const abut_body_id other = world_add(&w, &ball, &shape, NULL);
        surface_shake(&s, &random, 0.02, 0x1p-30);
        surface_shift(&ball, 0.5, 0.5, random_double(&random, 0.4, 0.8));
        world_move(&w, sheet, s.xyz);
        world_move(&w, other, ball.xyz);
        surface_shake(&s, &random, 0.02, 0x1p-30);
        surface_shift(&ball, random_double(&random, -0.3, 0.3), random_double(&random, -0.3, 0.3),
                      random_double(&random, -2, -0.2));
        world_move(&w, sheet, s.xyz);
        world_move(&w, other, ball.xyz);
        if (seed % 3 == 0) {
            const abut_frame from = abut_frame_identity();
            abut_frame to = from;
            to.t[2] = random_double(&random, -0.5, 0.5);
            REQUIRE_OK(abut_body_set_frame_step(w.scene, sheet, &from, &to, NULL));
        }
        check_first(&w, QUERY_TWO, seed % 4 == 3 ? 0.01 : 0, &total);
        surface_free(&s);
        surface_free(&ball);
        world_free(&w);
    }
    require_less_work(&total, 2);
}

// a sheet that is crumpled, as a free and as a modal body
static void test_within_one(void** state) {
    (void)state;
    sums total = {0};
    for (uint32_t seed = 1; seed <= effort(8, 30, 200); ++seed) {
        test_random random = random_seed(seed + 100);
        where("seed %u", seed);
        world w = world_make(NULL, NULL);
        surface s = surface_sheet(24, 24, 1);
        field_set f = make_fields(&random, &s, 4, 0.05, ABUT_SCALAR_F64, false);
        const bool modal = seed % 2 == 0;
        const abut_body_id body = modal ? add_modal(&w, &s, &f, 16) : world_add(&w, &s, NULL, NULL);
        for (int end = 0; end < 2; ++end) {
            double q[4];
            random_coordinates(&random, q, 4, end == 0 ? 0.2 : 1);
            surface_shake(&s, &random, end == 0 ? 0.004 : 0.04, 0x1p-30);
            if (modal) {
                set_coordinates(&w, body, q, 4);
            } else {
                world_move(&w, body, s.xyz);
            }
        }
        check_first(&w, QUERY_WITHIN, 0, &total);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
    require_less_work(&total, 2);
}

// balls that move at random
static void fill_crowd(world* w, test_random* random, const surface* ball) {
    enum { BALLS = 14 };
    for (int i = 0; i < BALLS; ++i) {
        const abut_body_id body = world_add(w, ball, NULL, NULL);
        abut_frame from = frame_random(random, 1.2);
        abut_frame to = from;
        for (int d = 0; d < 3; ++d) {
            to.t[d] = random_double(random, -1.2, 1.2);
        }
        REQUIRE_OK(abut_body_set_frame_step(w->scene, body, &from, &to, NULL));
    }
}

static void test_in_a_crowd(void** state) {
    (void)state;
    sums total = {0};
    for (uint32_t seed = 1; seed <= effort(4, 12, 100); ++seed) {
        test_random random = random_seed(seed + 200);
        where("seed %u", seed);
        world w = world_make(NULL, NULL);
        surface ball = surface_ball(12, 14, 0.12);
        fill_crowd(&w, &random, &ball);
        check_first(&w, QUERY_ALL, 0, &total);
        surface_free(&ball);
        world_free(&w);
    }
    require_less_work(&total, 2);
}

// the same bits and the same work for any number of threads and instruction set
static void test_same_everywhere(void** state) {
    (void)state;
    surface ball = surface_ball(20, 22, 0.2);
    reference pairs = {0};
    reference work = {0};
    everywhere at = everywhere_cross((const uint32_t[]){1, 2, 3, 4, 0}, 3);
    while (everywhere_next(&at)) {
        where("%s", at.text);
        test_random random = random_seed(300);
        world w = world_make(&at.def, NULL);
        fill_crowd(&w, &random, &ball);
        abut_sweep_def query = abut_sweep_def_default();
        query.earliest_only = true;
        require_same_sweep(&w, query, 0, &pairs, &work);
        world_free(&w);
    }
    reference_free(&pairs);
    reference_free(&work);
    surface_free(&ball);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_between_two),
        cmocka_unit_test(test_within_one),
        cmocka_unit_test(test_in_a_crowd),
        cmocka_unit_test(test_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
