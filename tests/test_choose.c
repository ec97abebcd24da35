// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The choice between the rules that bound flight bodies. It depends on counts, changes slowly and
// has no effect on answers.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bound/choose.h"
#include "support/everywhere.h"
#include "support/random.h"
#include "support/world.h"
#include "body/kinetic_stats.h"

// ---- the rule by its counts

// Plays one segment: its number of states, and the false opens in each if boxes are linear.
static abut__rule segment(abut__choice* choice, uint32_t blocks, uint32_t states,
                          uint32_t false_opens) {
    for (uint32_t s = 0; s < states; ++s) {
        const bool loose = choice->rule == ABUT__RULE_LINEAR || choice->rule == ABUT__RULE_BOXTREE;
        abut__choice_count(choice, false_opens, loose ? false_opens : 0);
    }
    return abut__choice_next(choice, blocks);
}

static void test_counts_decide(void** state) {
    (void)state;
    static const struct {
        uint32_t states;
        uint32_t false_opens;
        abut__rule rule;
    } cases[] = {
        {1, 0, ABUT__RULE_LINEAR},     // tight linear boxes are always cheapest
        {100, 0, ABUT__RULE_LINEAR},   //
        {10, 3, ABUT__RULE_LINEAR},    // a few false opens cost less than a kinetic tree
        {30, 9, ABUT__RULE_LINEAR},    // with 30 states it costs as much as 8 false opens in each,
        {30, 16, ABUT__RULE_KINETIC},  // and must be clearly cheaper
        {100, 100, ABUT__RULE_KINETIC},  // many cost more, if the segment is long
        {3, 1000, ABUT__RULE_REFIT},  // in a short segment, tight boxes are computed for each state
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        abut__choice choice = {0};
        where("case %zu", i);
        for (int k = 0; k < 5; ++k) {
            const abut__rule rule = segment(&choice, 400, cases[i].states, cases[i].false_opens);
            REQUIRE(rule == cases[i].rule);
        }
    }
}

// for any counts, a new rule would have cost clearly less than the old one
static void test_a_change_reduces_the_cost(void** state) {
    (void)state;
    test_random random = random_seed(101);
    uint32_t changes = 0;
    for (uint32_t round = 0; round < effort(2000, 20000, 2000000); ++round) {
        abut__choice choice = {0};
        const uint32_t blocks = 1 + random_below(&random, 5000);
        for (int k = 0; k < 20; ++k) {
            where("round %u, segment %d", round, k);
            const uint32_t states = 1 + random_below(&random, 200);
            const uint32_t false_opens = random_chance(&random, 0.3)
                                             ? 0
                                             : random_below(&random, blocks);
            const abut__rule before = choice.rule;
            for (uint32_t s = 0; s < states; ++s) {
                abut__choice_count(&choice, false_opens,
                                   before == ABUT__RULE_LINEAR ? false_opens : 0);
            }
            abut__choice as_was = choice;
            const abut__rule after = abut__choice_next(&choice, blocks);
            as_was.loose = choice.loose;
            as_was.tight = choice.tight;
            if (after != before && choice.segments < 16) {
                ++changes;
                REQUIRE(abut__choice_cost(&as_was, after, blocks) <
                        0.71 * abut__choice_cost(&as_was, before, blocks));
            }
            // looser than linear boxes, and more expensive: used only on request
            REQUIRE(after != ABUT__RULE_BOXTREE);
            REQUIRE(choice.segments <= 16);
        }
    }
    assert_true(changes > 100);
}

// counts that vary around the point of equal cost cause no changes
static void test_small_variations_cause_no_change(void** state) {
    (void)state;
    abut__choice choice = {0};
    const uint32_t blocks = 400;
    const abut__choice none = {.states = 50};
    // false opens, each of which costs as much as ten refits of a block, that make the costs equal
    const uint32_t even = (uint32_t)((abut__choice_cost(&none, ABUT__RULE_KINETIC, blocks) -
                                      abut__choice_cost(&none, ABUT__RULE_LINEAR, blocks)) /
                                     10);
    uint32_t changes = 0;
    for (int k = 0; k < 200; ++k) {
        const abut__rule before = choice.rule;
        changes += segment(&choice, blocks, 50, even + (k % 2 == 0 ? 1 : (uint32_t)-1)) != before;
    }
    assert_int_equal(changes, 0);
    for (int k = 0; k < 160; ++k) {  // far from there it changes, and tries again now and then
        const abut__rule before = choice.rule;
        changes += segment(&choice, blocks, 50, 10 * even) != before;
    }
    assert_in_range(changes, 10, 24);
}

// tight boxes that save nothing are dropped after a trial, and tried again only much later
static void test_useless_trials_are_rare(void** state) {
    (void)state;
    abut__choice choice = {0};
    uint32_t kinetic = 0;
    for (int k = 0; k < 200; ++k) {
        for (uint32_t s = 0; s < 50; ++s) {
            abut__choice_count(&choice, 300, 300);  // the same for all boxes
        }
        kinetic += abut__choice_next(&choice, 400) != ABUT__RULE_LINEAR;
    }
    assert_in_range(kinetic, 4, 8);
}

// ---- bodies

// A ball turns inside out from keyframe to keyframe. Linear boxes keep their size even where all
// vertices come together.
static void make_keys(const surface* s, double** xyz, abut_keyframe* keys, uint32_t count) {
    for (uint32_t k = 0; k < count; ++k) {
        xyz[k] = test_alloc(3 * (size_t)s->vertex_count, sizeof(double));
        for (size_t i = 0; i < 3 * (size_t)s->vertex_count; ++i) {
            xyz[k][i] = (k % 2 == 0 ? 1 : -1) * s->xyz[i];
        }
        keys[k] = (abut_keyframe){k, abut_positions_f64(xyz[k], s->vertex_count)};
    }
}

enum { KEYS = 6, STEPS = 60, FRAMES = STEPS * (KEYS - 1) + 1 };

// Stores the rule that bounds the body in every frame of an animation, and the counters of queries.
// With `brute` the answers are compared with all pairs.
static void play(const abut_context_def* context, bool brute, int bounds[FRAMES],
                 abut_counters* counters) {
    world w = world_make(context, NULL);
    surface ball = surface_ball(40, 60, 1);
    surface sheet = surface_sheet(40, 40, 2.5);
    double* xyz[KEYS];
    abut_keyframe keys[KEYS];
    make_keys(&ball, xyz, keys, KEYS);
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.keyframes = keys;
    def.keyframe_count = KEYS;
    const abut_body_id a = world_add(&w, &ball, &def, NULL);
    world_add(&w, &sheet, NULL, NULL);
    abut_collide_def query = abut_collide_def_default();
    query.head.counters = counters;
    abut_collide_result* result = NULL;
    REQUIRE_OK(abut_collide_result_create(w.context, &result, NULL));
    for (uint32_t step = 0; step < FRAMES; ++step) {
        where("step %u", step);
        abut__kinetic_stats stats;
        REQUIRE_OK(abut_body_set_time(w.scene, a, (double)step / STEPS, NULL));
        REQUIRE_OK(abut__body_kinetic_stats(w.scene, a, &stats, NULL));
        bounds[step] = (int)stats.bound;
        REQUIRE_OK(abut_collide_all(w.scene, &query, result, NULL));
        if (brute && step % 7 == 0) {
            world_validate(&w, a);
            check_collide_all(&w, NULL);
        }
    }
    abut_collide_result_destroy(result);
    world_free(&w);
    surface_free(&ball);
    surface_free(&sheet);
    for (uint32_t k = 0; k < KEYS; ++k) {
        free(xyz[k]);
    }
}

static void test_loose_bodies_get_kinetic_trees(void** state) {
    (void)state;
    int bounds[FRAMES];
    abut_counters counters = {0};
    uint32_t tight = 0;
    play(NULL, true, bounds, &counters);
    for (uint32_t step = 0; step < FRAMES; ++step) {
        tight += bounds[step] == ABUT_FLIGHT_BOUND_KINETIC;
    }
    assert_true(bounds[1] == ABUT_FLIGHT_BOUND_LINEAR);
    assert_true(tight > STEPS);
}

// threads make the same choices and do the same work, in any order of tasks
static void test_threads_choose_alike(void** state) {
    (void)state;
    reference choices = {0};
    reference work = {0};
    for (uint32_t seed = 1; seed <= effort(2, 4, 100); ++seed) {
        const uint32_t workers[] = {2 + seed % 3, 0};
        everywhere at = everywhere_each(workers, seed);
        while (everywhere_next(&at) && at.same_set) {
            int bounds[FRAMES];
            abut_counters counters = {0};
            where("seed %u, %s", seed, at.text);
            play(&at.def, false, bounds, &counters);
            REQUIRE(reference_same(&choices, bounds, sizeof bounds));
            REQUIRE(reference_same(&work, &counters, sizeof counters));
        }
    }
    reference_free(&choices);
    reference_free(&work);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_decide),
        cmocka_unit_test(test_a_change_reduces_the_cost),
        cmocka_unit_test(test_small_variations_cause_no_change),
        cmocka_unit_test(test_useless_trials_are_rare),
        cmocka_unit_test(test_loose_bodies_get_kinetic_trees),
        cmocka_unit_test(test_threads_choose_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
