// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tests the steps of query/interval_decide.c that prove pairs apart in lanes. The oracle is
// abut__intervals_of_pair() without hints, which decides each pair by searches in time alone.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "query/query.h"
#include "support/everywhere.h"
#include "support/hubs.h"
#include "support/world.h"

enum { LANES = 16, KINDS = 7 };

typedef double pair[2][6][3];  // ends, corners, axes

static double on_grid(test_random* random, double range, double step) {
    return step * nearbyint(random_double(random, -range, range) / step);
}

// Two triangles that move: at random; by little; on a coarse grid, so that they touch for an instant
// or along features; in one plane; a triangle and a point; one of them still; far away.
static void make_pair(test_random* random, uint32_t kind, pair x) {
    const double step = kind == 2 || kind == 3 ? 0.25 : 0x1p-40;
    const double motion = kind == 1 ? 0.05 : 1;
    for (int i = 0; i < 18; ++i) {
        const bool flat = kind == 3 && i % 3 == 2;
        double* const from = &x[0][i / 3][i % 3];
        double* const to = &x[1][i / 3][i % 3];
        *from = flat ? 0 : on_grid(random, 1, step);
        *to = flat ? 0 : *from + on_grid(random, motion, step);
        *to = kind == 5 && i < 9 ? *from : *to;
        *from += kind == 6 ? 1e7 : 0;
        *to += kind == 6 ? 1e7 : 0;
    }
    for (int end = 0; end < 2 && kind == 4; ++end) {
        memcpy(x[end][4], x[end][3], sizeof x[end][4]);
        memcpy(x[end][5], x[end][3], sizeof x[end][5]);
    }
    const double apart = random_double(random, -1, 2.5);  // moves the second one away
    for (int i = 0; i < 6; ++i) {
        x[i / 3][3 + i % 3][i / 3 == 0 ? 0 : 1] += kind == 2 || kind == 3 ? nearbyint(apart)
                                                                          : apart;
    }
}

static void intervals_of(const abut_context* context, const pair x,
                         const abut__interval_hints* hints, abut__interval_list* out) {
    out->count = 0;
    REQUIRE(abut__intervals_of_pair(context, (const double(*)[3])x[0], (const double(*)[3])x[1],
                                    ABUT_TOLERANCE_DEFAULT, hints, out));
}

static double reach_of(const pair x) {
    double most = 0;
    for (int i = 0; i < 36; ++i) {
        most = fmax(most, fabs(x[i / 18][i / 3 % 6][i % 3]));
    }
    return most;
}

// Pairs that directions prove apart have no interval, and all instruction sets prove the same ones.
static void test_directions_prove_only_pairs_without_contact(void** state) {
    (void)state;
    const abut__interval_hints none = {.open = ABUT__FEATURE_PAIRS};
    world w = world_make(NULL, NULL);
    abut__interval_list found = {0};
    size_t proven[KINDS] = {0};
    size_t contacts[KINDS] = {0};
    for (uint32_t seed = 1; seed <= effort(70, 700, 7000); ++seed) {
        test_random random = random_seed(seed);
        const uint32_t kind = seed % KINDS;
        pair pairs[LANES];
        abut__path_batch batch;
        where("seed %u", seed);
        for (uint32_t k = 0; k < LANES; ++k) {
            make_pair(&random, kind, pairs[k]);
            for (int i = 0; i < 36; ++i) {
                batch.corner[i / 18][i / 3 % 6][i % 3][k] = pairs[k][i / 18][i / 3 % 6][i % 3];
            }
            batch.distance[k] = 0x1p-47 * reach_of((const double(*)[6][3])pairs[k]);
            batch.relative[k] = 8 * (ABUT_TOLERANCE_DEFAULT + ABUT_TOLERANCE_MIN);
        }
        const uint32_t valid = seed % 3 == 0 ? 0xfff7u : 0xffffu;
        const uint32_t apart = kernels_of(0)->paths_apart(&batch, valid);
        REQUIRE((apart & ~valid) == 0);
        FOR_EACH_KERNELS(set, kernels) {
            REQUIRE(kernels->paths_apart(&batch, valid) == apart);
        }
        for (uint32_t k = 0; k < LANES; ++k) {
            intervals_of(w.context, (const double(*)[6][3])pairs[k], &none, &found);
            contacts[kind] += found.count > 0;
            proven[kind] += apart >> k & 1;
            REQUIRE((apart >> k & 1) == 0 || found.count == 0);
        }
    }
    for (uint32_t kind = 0; kind < KINDS; ++kind) {
        print_message("kind %u: %zu proven apart, %zu with contact\n", kind, proven[kind],
                      contacts[kind]);
        assert_true(proven[kind] > 10 && contacts[kind] > 5);
    }
    abut__drop(w.context, &found);
    world_free(&w);
}

// The distance that is required counts: a plane gap is proven up to that distance, and no further.
static void test_directions_require_the_distance(void** state) {
    (void)state;
    abut__path_batch batch;
    memset(&batch, 0, sizeof batch);
    for (uint32_t k = 0; k < LANES; ++k) {
        for (int end = 0; end < 2; ++end) {
            for (int c = 0; c < 6; ++c) {  // two triangles above each other that move sideways
                batch.corner[end][c][0][k] = c % 3 == 1 ? 1 : 0.25 * end;
                batch.corner[end][c][1][k] = c % 3 == 2 ? 1 : 0;
                batch.corner[end][c][2][k] = c < 3 ? 0 : 0x1p-10;
            }
        }
        batch.distance[k] = 0x1p-10 * (k < 8 ? 0.5 : 2);
    }
    FOR_EACH_KERNELS(set, kernels) {
        REQUIRE(kernels->paths_apart(&batch, 0xffffu) == 0xffu);
    }
    for (uint32_t k = 0; k < LANES; ++k) {
        batch.distance[k] = 0;
        batch.relative[k] = k < 8 ? 0x1p-12 : 0x1p-9;
        for (int i = 0; i < 6; ++i) {  // touching ones are not proven, whatever is required
            batch.corner[i / 3][3 + i % 3][2][k] = k % 2 == 0 ? 0 : 0x1p-10;
        }
    }
    FOR_EACH_KERNELS(set, kernels) {
        REQUIRE(kernels->paths_apart(&batch, 0xffffu) == 0xaau);
    }
}

// ---- whole queries

// a body of triangles that moves from one place to another
typedef struct flyer {
    surface s;
    double* xyz[2];
    abut_keyframe keys[2];
} flyer;

static flyer flyer_make(const double (*triangles)[3][3], uint32_t count, const double by[3]) {
    flyer f = {.s = {.vertex_count = 3 * count, .triangle_count = count}};
    f.s.xyz = test_alloc(9 * (size_t)count, sizeof(double));
    f.s.triangles = test_alloc(3 * (size_t)count, sizeof(uint32_t));
    f.xyz[0] = test_alloc(9 * (size_t)count, sizeof(double));
    f.xyz[1] = test_alloc(9 * (size_t)count, sizeof(double));
    for (uint32_t i = 0; i < 9 * count; ++i) {
        f.s.xyz[i] = f.xyz[0][i] = (&triangles[0][0][0])[i];
        f.xyz[1][i] = f.xyz[0][i] + by[i % 3];
        f.s.triangles[i / 3] = i / 3;
    }
    for (int k = 0; k < 2; ++k) {
        f.keys[k] = (abut_keyframe){k, abut_positions_f64(f.xyz[k], f.s.vertex_count)};
    }
    return f;
}

static void flyer_free(flyer* f) {
    surface_free(&f->s);
    free(f->xyz[0]);
    free(f->xyz[1]);
}

static abut_body_id flyer_add(world* w, const flyer* f) {
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.keyframes = f->keys;
    def.keyframe_count = 2;
    return world_add(w, &f->s, &def, NULL);
}

// A small triangle pierces a flat one, and both move together. No pair of features ever comes near
// another, not even their boxes, so that only the test at half time tells that they touch.
static void test_contact_without_any_event(void** state) {
    (void)state;
    static const double flat[1][3][3] = {{{-4, -4, 0}, {4, -4, 0}, {0, 4, 0}}};
    static const double small[1][3][3] = {{{-0.1, 0, 1}, {0.1, 0, 1}, {0, 0.1, -1}}};
    for (int gap = 0; gap < 2; ++gap) {
        const double by[3] = {0.5, 0.25, 0};
        world w = world_make(NULL, NULL);
        flyer flyers[2] = {flyer_make(flat, 1, by), flyer_make(small, 1, by)};
        for (uint32_t v = 0; v < 3 && gap == 1; ++v) {  // now it is beside the flat one
            flyers[1].xyz[0][3 * v] += 3.5;
            flyers[1].xyz[1][3 * v] += 3.5;
        }
        const abut_body_id a = flyer_add(&w, &flyers[0]);
        const abut_body_id b = flyer_add(&w, &flyers[1]);
        REQUIRE_OK(abut_intervals(w.scene, a, b, 0.25, 0.75, NULL, w.intervals, NULL));
        size_t count = 0;
        const abut_contact_interval* got = abut_intervals_result_intervals(w.intervals, &count);
        REQUIRE(count == (gap == 0 ? 1 : 0));
        REQUIRE(gap == 1 || (got[0].start == 0.25 && got[0].stop == 0.75));
        world_free(&w);
        flyer_free(&flyers[0]);
        flyer_free(&flyers[1]);
    }
}

// Triangles of several batches, each of which meets one of the other body at a known time.
static void test_many_pairs_at_known_times(void** state) {
    (void)state;
    enum { COUNT = 100 };
    double lower[COUNT][3][3];
    double upper[COUNT][3][3];
    for (int i = 0; i < COUNT; ++i) {  // no two of the lower ones are near each other
        for (int c = 0; c < 3; ++c) {
            lower[i][c][0] = 4 * (i % 10) + (c == 1 ? 1 : 0);
            lower[i][c][1] = 4 * (int)(i / 10) + (c == 2 ? 1 : 0);
            lower[i][c][2] = 0.01 * i;
            upper[i][c][0] = lower[i][c][0] + 0.1;
            upper[i][c][1] = lower[i][c][1] + 0.1;
            upper[i][c][2] = lower[i][c][2] + 1 + (c == 0 ? 0 : 1);
        }
    }
    const double still[3] = {0, 0, 0};
    const double down[3] = {0, 0, -4};
    world w = world_make(NULL, NULL);
    flyer flyers[2] = {flyer_make((const double(*)[3][3])lower, COUNT, still),
                       flyer_make((const double(*)[3][3])upper, COUNT, down)};
    const abut_body_id a = flyer_add(&w, &flyers[0]);
    const abut_body_id b = flyer_add(&w, &flyers[1]);
    REQUIRE_OK(abut_intervals(w.scene, a, b, 0, 1, NULL, w.intervals, NULL));
    size_t count = 0;
    const abut_contact_interval* got = abut_intervals_result_intervals(w.intervals, &count);
    REQUIRE(count == COUNT);
    for (
        uint32_t i = 0; i < COUNT;
        ++i) {  // the first corner is 1 above, the others 2; the line where they cross leaves at 0.8 of the way
        REQUIRE(got[i].triangle_a == i && got[i].triangle_b == i);
        REQUIRE(got[i].start <= 0.25 && got[i].start > 0.25 - 1e-6);
        REQUIRE(got[i].stop > 0.45 - 1e-6 && got[i].stop < 0.45 + 1e-6);
    }
    world_free(&w);
    flyer_free(&flyers[0]);
    flyer_free(&flyers[1]);
}

static bool share(const uint32_t* a, const uint32_t* b) {
    bool shared = false;
    for (int i = 0; i < 9; ++i) {
        shared = shared || a[i / 3] == b[i % 3];
    }
    return shared;
}

// Neighbours over a hub are not reported, although the lists of neighbours lack many of them.
static void test_neighbours_over_hubs_are_left_out(void** state) {
    (void)state;
    static const hub_kind kinds[] = {HUB_TWO, HUB_FAN};
    for (uint32_t i = 0; i < 2; ++i) {
        test_random random = random_seed(i + 1);
        surface s = hub_surface(kinds[i], 2600);
        surface moved = surface_copy(&s);
        surface_shake(&moved, &random, 1e-3, 0x1p-40);
        const abut_keyframe keys[2] = {{0, abut_positions_f64(s.xyz, s.vertex_count)},
                                       {1, abut_positions_f64(moved.xyz, s.vertex_count)}};
        motion_def def = motion_def_default();
        def.motion = ABUT_MOTION_FLIGHT;
        def.keyframes = keys;
        def.keyframe_count = 2;
        world w = world_make(NULL, NULL);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        where("%s", hub_name(kinds[i]));
        REQUIRE_OK(abut_intervals_self(w.scene, body, 0, 1, NULL, w.intervals, NULL));
        size_t count = 0;
        const abut_contact_interval* got = abut_intervals_result_intervals(w.intervals, &count);
        for (size_t k = 0; k < count; ++k) {
            REQUIRE(!share(s.triangles + 3 * (size_t)got[k].triangle_a,
                           s.triangles + 3 * (size_t)got[k].triangle_b));
        }
        world_free(&w);
        surface_free(&moved);
        surface_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_directions_prove_only_pairs_without_contact),
        cmocka_unit_test(test_directions_require_the_distance),
        cmocka_unit_test(test_contact_without_any_event),
        cmocka_unit_test(test_many_pairs_at_known_times),
        cmocka_unit_test(test_neighbours_over_hubs_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
