// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sweeps over keyframes: settings and scenes, times that are rounded down, the same answers
// everywhere, and lack of memory.

#include "test_sweep_flight_support.h"

// The body passes through the floor and returns within the step. The contact is found, and only
// blocks near the body are evaluated.
static void test_settings_and_scene(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface floor = surface_sheet(20, 20, 20);
    surface small = surface_sheet(1, 1, 1);
    surface_shift(&small, 3.3, 3.4, 1);
    test_random random = random_seed(7);
    animation a = animation_make(&small, &random, 5, 0, 1);
    for (uint32_t k = 0; k < 5; ++k) {
        for (uint32_t v = 0; v < small.vertex_count; ++v) {
            a.xyz[k][3 * v + 2] = k % 2 == 0 ? 1 : -1;
        }
    }
    const abut_body_id body = animation_add(&w, &a, MOTION_BOUND_AUTO);
    const abut_body_id ground = world_add(&w, &floor, NULL, NULL);
    REQUIRE_OK(abut_body_set_time(w.scene, body, 0, NULL));
    REQUIRE_OK(abut_body_set_time(w.scene, body, 4, NULL));  // the initial position
    abut_counters counters = {0};
    abut_sweep_def def = abut_sweep_def_default();
    def.head.counters = &counters;
    REQUIRE_OK(abut_sweep(w.scene, ground, body, &def, w.swept, NULL));
    size_t count = 0;
    const abut_sweep_pair* got = abut_sweep_result_pairs(w.swept, &count);
    REQUIRE(count > 0 && counters.pairs_found == count && counters.blocks_evaluated < 40);
    for (size_t i = 0; i < count; ++i) {  // half the time to the first of four keyframes
        REQUIRE(got[i].time <= 0.125 && got[i].time > 0.125 - 1e-6);
    }
    const size_t all = count;
    REQUIRE_OK(abut_sweep_all(w.scene, NULL, w.swept, NULL));
    abut_sweep_result_pairs(w.swept, &count);
    REQUIRE(count == all);
    REQUIRE_OK(abut_sweep_self_all(w.scene, NULL, w.swept, NULL));
    REQUIRE(!abut_sweep_result_found(w.swept));
    def.any = true;
    REQUIRE_OK(abut_sweep(w.scene, body, ground, &def, w.swept, NULL));
    REQUIRE(abut_sweep_result_found(w.swept));
    def.any = false;
    def.earliest_only = true;
    REQUIRE_OK(abut_sweep(w.scene, body, ground, &def, w.swept, NULL));
    REQUIRE(fabs(abut_sweep_result_time_of_impact(w.swept) - 0.125) < 1e-6);
    // back, but not entirely: up to contact
    REQUIRE_OK(abut_body_set_time(w.scene, body, 3.5, NULL));
    REQUIRE_OK(abut_sweep(w.scene, body, ground, NULL, w.swept, NULL));
    REQUIRE(fabs(abut_sweep_result_time_of_impact(w.swept) - 1) < 1e-6);
    REQUIRE_OK(abut_body_set_time(w.scene, body, 4, NULL));
    REQUIRE_OK(abut_sweep(w.scene, body, ground, NULL, w.swept, NULL));
    REQUIRE(abut_sweep_result_time_of_impact(w.swept) == 0);
    a.xyz[1][4] = NAN;  // only a sweep over that keyframe reads it
    REQUIRE_OK(abut_body_set_time(w.scene, body, 0, NULL));
    REQUIRE_OK(abut_body_set_time(w.scene, body, 2, NULL));
    abut_error error = {0};
    REQUIRE_STATUS(abut_sweep(w.scene, body, ground, NULL, w.swept, &error), ABUT_ERR_INVALID_DATA);
    REQUIRE(error.body.index == body.index && error.index == 1);
    animation_free(&a);
    surface_free(&small);
    surface_free(&floor);
    world_free(&w);
}

// Keyframes so close that the step has them at the same time, or one just after the other. The
// earliest contacts are all contacts at the earliest time, from any part of the step.
static void test_first_at_coincident_keyframes(void** state) {
    (void)state;
    size_t contacts = 0;
    for (uint32_t seed = 1; seed <= effort(60, 200, 2000); ++seed) {
        test_random random = random_seed(seed + 800);
        surface sheet = surface_sheet(3, 2, 1);
        animation one = animation_make(&sheet, &random, 6, 0.4, 0x1p-25);
        animation two = animation_make(&sheet, &random, 3, 0.4, 0x1p-25);
        for (uint32_t i = 2; i < 3 * sheet.vertex_count; i += 3) {
            one.xyz[0][i] += 3;
            one.xyz[1][i] += 3;  // then it jumps
        }
        one.time[2] = one.keys[2].time = nextafter(1, 2);
        one.time[3] = one.keys[3].time = nextafter(one.time[2], 2);
        one.time[4] = one.keys[4].time = 1 + 1e-14;
        world w = world_make(NULL, NULL);
        const abut_body_id ids[2] = {animation_add(&w, &one, MOTION_BOUND_AUTO),
                                     animation_add(&w, &two, MOTION_BOUND_AUTO)};
        const double from[2] = {random_double(&random, 0, 0.99), random_double(&random, 0, 0.99)};
        const double to = random_double(&random, 1.1, 5);
        for (int b = 0; b < 2; ++b) {
            REQUIRE_OK(abut_body_set_time(w.scene, ids[b], from[b], NULL));
            REQUIRE_OK(abut_body_set_time(w.scene, ids[b], to, NULL));
        }
        where("seed %u", seed);
        REQUIRE_OK(abut_sweep(w.scene, ids[0], ids[1], NULL, w.swept, NULL));
        size_t count = 0;
        const abut_sweep_pair* got = abut_sweep_result_pairs(w.swept, &count);
        const double time = abut_sweep_result_time_of_impact(w.swept);
        abut_sweep_pair* wanted = test_alloc(count + 1, sizeof *wanted);
        size_t wanted_count = 0;
        for (size_t i = 0; i < count; ++i) {
            if (got[i].time == time) {
                wanted[wanted_count++] = got[i];
            }
        }
        abut_sweep_def def = abut_sweep_def_default();
        def.earliest_only = true;
        REQUIRE_OK(abut_sweep(w.scene, ids[0], ids[1], &def, w.swept, NULL));
        got = abut_sweep_result_pairs(w.swept, &count);
        REQUIRE(count == wanted_count);
        REQUIRE(count == 0 || memcmp(got, wanted, count * sizeof *got) == 0);
        contacts += count;
        free(wanted);
        world_free(&w);
        animation_free(&one);
        animation_free(&two);
        surface_free(&sheet);
    }
    print_message("%zu first contacts\n", contacts);
    assert_true(contacts > effort(60, 200, 2000));
}

static void run_everywhere(const abut_context_def* def, reference* pairs, reference* work) {
    test_random random = random_seed(11);
    surface sheet = surface_sheet(16, 16, 2);
    animation one = animation_make(&sheet, &random, 5, 0.1, 0x1p-30);
    animation two = animation_make(&sheet, &random, 4, 0.1, 0x1p-30);
    world w = world_make(def, NULL);
    const abut_body_id bodies[3] = {animation_add(&w, &one, MOTION_BOUND_AUTO),
                                    animation_add(&w, &two, MOTION_BOUND_AUTO),
                                    world_add(&w, &sheet, NULL, NULL)};
    for (int end = 0; end < 2; ++end) {
        REQUIRE_OK(abut_body_set_time(w.scene, bodies[0], end == 0 ? 0.3 : 3.7, NULL));
        REQUIRE_OK(abut_body_set_time(w.scene, bodies[1], end == 0 ? 2.2 : 0.1, NULL));
        surface_shift(&sheet, 0.01, 0, 0.02);
        world_move(&w, bodies[2], sheet.xyz);
    }
    require_same_sweep(&w, abut_sweep_def_default(), 100, pairs, work);
    world_free(&w);
    animation_free(&one);
    animation_free(&two);
    surface_free(&sheet);
}

static void test_same_answers_everywhere(void** state) {
    (void)state;
    reference pairs = {0};
    reference work = {0};
    everywhere at = everywhere_cross((const uint32_t[]){1, 2, 3, 4, 0}, 3);
    while (everywhere_next(&at)) {
        where("%s", at.text);
        run_everywhere(&at.def, &pairs, &work);
    }
    reference_free(&pairs);
    reference_free(&work);
}

// ---- times

// A random number between two others, of any size, and often a neighbour of one.
static double between(test_random* random, double low, double high) {
    const double at = random_chance(random, 0.3)
                          ? random_double(random, 0, 1)
                          : ldexp(random_double(random, 0.5, 1), -(int)random_below(random, 60));
    double x = low + at * (high - low);
    x = random_chance(random, 0.1) ? low : random_chance(random, 0.1) ? high : x;
    return fmin(fmax(x, low), high);
}

// Times within parts become times of the step. They are below the exact ones, because nothing may
// touch before them, but not by much. Only contacts at the start of the step have time 0.
static void test_times_are_rounded_down(void** state) {
    (void)state;
    mpq_t sum;
    mpq_t from;
    mpq_t got;
    mpq_inits(sum, from, got, NULL);
    for (uint32_t i = 0; i < effort(20000, 100000, 2000000); ++i) {
        test_random random = random_seed(i);
        const double scale = random_chance(&random, 0.1) ? 0x1p-1040 : 1;
        abut__span part = {.first = random_chance(&random, 0.3)};
        part.from = part.first ? 0 : scale * between(&random, 0, 1);
        part.to = random_chance(&random, 0.1) ? 1 : scale * between(&random, part.from / scale, 1);
        const double time = between(&random, 0, 1);
        where("case %u: %a of %a to %a", i, time, part.from, part.to);
        mpq_set_d(sum, part.to);
        mpq_set_d(from, part.from);
        mpq_sub(sum, sum, from);
        mpq_set_d(got, time);
        mpq_mul(sum, sum, got);
        mpq_add(sum, sum, from);
        const double time_of_step = abut__span_time(&part, time);
        mpq_set_d(got, time_of_step);
        const int order = mpq_cmp(got, sum);
        const double exact = mpq_get_d(sum);  // rounded towards 0
        REQUIRE((time_of_step == 0) == (part.first && time == 0));
        REQUIRE(part.first && part.to == 1 ? order == 0 : order < 0 || time_of_step <= 0x1p-1074);
        REQUIRE(time_of_step >= exact * (exact < 0x1p-899 ? 0.49 : 1 - 0x1p-49));
    }
    mpq_clears(sum, from, got, NULL);
}

// ---- memory

// Every allocation of a step over keyframes fails once. The call reports it, and the same objects
// answer the next query.
static void test_no_memory_is_reported(void** state) {
    (void)state;
    test_memory memory;
    abut_context_def def = memory_context_def(&memory);
    test_random random = random_seed(3);
    surface sheet = surface_sheet(5, 4, 2);
    animation one = animation_make(&sheet, &random, 5, 0.3, 0x1p-30);
    animation two = animation_make(&sheet, &random, 5, 0.3, 0x1p-30);
    size_t contacts = 0;
    size_t calls = 0;
    for (size_t call = 0; call <= calls; ++call) {
        world w = world_make(&def, NULL);
        const abut_body_id a = animation_add(&w, &one, MOTION_BOUND_AUTO);
        const abut_body_id b = animation_add(&w, &two, MOTION_BOUND_AUTO);
        for (int end = 0; end < 2; ++end) {
            REQUIRE_OK(abut_body_set_time(w.scene, a, 4 * end, NULL));
            REQUIRE_OK(abut_body_set_time(w.scene, b, 3.5 * end, NULL));
        }
        where("allocation %zu of %zu refused", call, calls);
        memory_fail(&memory, call, false);
        abut_status status = abut_sweep(w.scene, a, b, NULL, w.swept, NULL);
        const bool failed = status != ABUT_OK;
        status = failed ? status : abut_sweep_self(w.scene, a, NULL, w.swept, NULL);
        calls = call > 0 ? calls : memory.calls;
        memory_fail(&memory, 0, false);
        size_t count = 0;
        (void)abut_sweep_result_pairs(w.swept, &count);
        REQUIRE(status == ABUT_OK ? count > 0 : status == ABUT_ERR_NO_MEMORY && count == 0);
        REQUIRE_OK(abut_sweep(w.scene, a, b, NULL, w.swept, NULL));
        (void)abut_sweep_result_pairs(w.swept, &count);
        contacts = call > 0 ? contacts : count;
        REQUIRE(count == contacts && count > 0);
        world_free(&w);
        REQUIRE(memory_clean(&memory));
    }
    print_message("%zu allocations, %zu contacts\n", calls, contacts);
    assert_true(calls > 20);
    memory_destroy(&memory);
    animation_free(&one);
    animation_free(&two);
    surface_free(&sheet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings_and_scene),
        cmocka_unit_test(test_first_at_coincident_keyframes),
        cmocka_unit_test(test_same_answers_everywhere),
        cmocka_unit_test(test_times_are_rounded_down),
        cmocka_unit_test(test_no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
