// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Pairs of triangles of two patches that touch after a translation, against all pairs. And the work
// of depth within one body: it grows with the number of regions, not with its square.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "depth/patch_trial.h"
#include "support/inside.h"
#include "support/judge.h"

// ---- all pairs

// the corners of a triangle after a translation of the shape's coordinates
static void corners_of(const surface* s, uint32_t triangle, const double by[3], double out[3][3]) {
    for (uint32_t c = 0; c < 3; ++c) {
        for (uint32_t d = 0; d < 3; ++d) {
            out[c][d] = s->xyz[3 * (size_t)s->triangles[3 * (size_t)triangle + c] + d] + by[d];
        }
    }
}

static bool touch_after(const surface* s, uint32_t a, uint32_t b, const double by[3]) {
    const double none[3] = {0, 0, 0};
    double p[3][3];
    double q[3][3];
    corners_of(s, a, by, p);
    corners_of(s, b, none, q);
    return judge_touch((const double(*)[3])p, (const double(*)[3])q);
}

// vertices of one place are one vertex
static bool share_vertex(const surface* s, uint32_t a, uint32_t b) {
    const double none[3] = {0, 0, 0};
    double p[3][3];
    double q[3][3];
    bool share = false;
    corners_of(s, a, none, p);
    corners_of(s, b, none, q);
    for (int k = 0; k < 9; ++k) {
        const double* v = p[k / 3];
        const double* w = q[k % 3];
        share = share || (v[0] == w[0] && v[1] == w[1] && v[2] == w[2]);
    }
    return share;
}

// makes random triangles the two sides of a region
static void choose_sides(abut__regions* r, test_random* random, uint32_t triangles) {
    assert_int_equal(abut__regions_begin(r), ABUT_OK);
    for (uint32_t k = 0; k < 2 * triangles; ++k) {
        const uint32_t id = (uint32_t)random_between(random, 0, (int32_t)triangles - 1);
        uint32_t number;
        if (random_chance(random, 0.3)) {
            REQUIRE(abut__regions_add(r, (int)(k % 2), id, true, false, &number));
        }
    }
}

static bool is_on(const abut__regions* r, int side, uint32_t triangle) {
    bool on = false;
    for (size_t i = 0; i < r->side[side].triangles.count && !on; ++i) {
        on = r->side[side].triangles.data[i].id == triangle;
    }
    return on;
}

// requires that the pairs found are all that touch, ascending
static void check_pairs(const abut__patch_trial* trial, const abut__regions* r, const surface* s,
                        const double by[3]) {
    size_t next = 0;
    for (uint32_t a = 0; a < s->triangle_count; ++a) {
        for (uint32_t b = 0; b < s->triangle_count && is_on(r, 0, a); ++b) {
            if (!is_on(r, 1, b) || share_vertex(s, a, b) || !touch_after(s, a, b, by)) {
                continue;
            }
            REQUIRE(next < trial->pairs.count);
            REQUIRE(trial->pairs.data[next].triangle_a == a);
            REQUIRE(trial->pairs.data[next].triangle_b == b);
            ++next;
        }
    }
    REQUIRE(next == trial->pairs.count);
}

static void test_same_as_all_pairs(void** state) {
    (void)state;
    size_t found = 0;
    for (uint32_t seed = 0; seed < effort(40, 200, 2000); ++seed) {
        test_random random = random_seed(seed);
        const double step = seed % 3 == 0 ? 0.25 : 0x1p-20;  // a coarse one makes many touch barely
        surface s = surface_soup(&random, 60, 2, 1, step);
        world w = world_make(NULL, NULL);
        const abut_body_id id = world_add(&w, &s, NULL, NULL);
        abut__regions r;
        abut__patch_trial trial;
        memset(&r, 0, sizeof r);
        memset(&trial, 0, sizeof trial);
        r.context = w.context;
        r.side[0].body = r.side[1].body = inside_body(w.scene, id);
        r.within = true;
        choose_sides(&r, &random, s.triangle_count);
        for (int k = 0; k < 4; ++k) {
            const double by[3] = {step * random_between(&random, -4, 4),
                                  step * random_between(&random, -4, 4), 0};
            where("seed %u, translation %d", seed, k);
            REQUIRE(abut__patch_trial_run(&trial, &r, by, false));
            check_pairs(&trial, &r, &s, by);
            const size_t count = trial.pairs.count;
            REQUIRE(abut__patch_trial_run(&trial, &r, by, true));
            REQUIRE(trial.pairs.count == (count > 0 ? 1 : 0));
            found += count;
        }
        abut__patch_trial_free(w.context, &trial);
        abut__regions_free(&r);
        world_free(&w);
        surface_free(&s);
    }
    REQUIRE(found > 100);
}

// ---- work

// pairs of balls that overlap, each pair apart from the others
static surface pairs_of_balls(uint32_t count) {
    surface ball = surface_ball(8, 10, 1);
    surface all = surface_make(2 * count * ball.vertex_count, 2 * count * ball.triangle_count);
    for (uint32_t k = 0; k < 2 * count; ++k) {
        const double place[3] = {4.0 * (k / 2 % 8) + 1.8 * (k % 2), 4.0 * (k / 16), 0.1 * (k % 2)};
        for (size_t i = 0; i < 3 * (size_t)ball.vertex_count; ++i) {
            all.xyz[3 * (size_t)k * ball.vertex_count + i] = ball.xyz[i] + place[i % 3];
        }
        for (size_t i = 0; i < 3 * (size_t)ball.triangle_count; ++i) {
            all.triangles[3 * (size_t)k * ball.triangle_count + i] = ball.triangles[i] +
                                                                     k * ball.vertex_count;
        }
    }
    surface_free(&ball);
    return all;
}

static abut_counters work_of(uint32_t count) {
    surface s = pairs_of_balls(count);
    world w = world_make(NULL, NULL);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    abut_depth_result* depths;
    abut_counters counters;
    memset(&counters, 0, sizeof counters);
    abut_depth_def def = abut_depth_def_default();
    def.head.counters = &counters;
    REQUIRE_OK(abut_depth_result_create(w.context, &depths, NULL));
    REQUIRE_OK(abut_depth_self(w.scene, body, &def, depths, NULL));
    size_t regions;
    abut_depth_result_regions(depths, &regions);
    REQUIRE(regions == count);
    abut_depth_result_destroy(depths);
    world_free(&w);
    surface_free(&s);
    return counters;
}

static void test_work_grows_with_regions(void** state) {
    (void)state;
    const abut_counters few = work_of(8);
    const abut_counters many = work_of(64);
    where("boxes %llu and %llu, exact %llu and %llu", (unsigned long long)few.boxes_tested,
          (unsigned long long)many.boxes_tested, (unsigned long long)few.exact_tests,
          (unsigned long long)many.exact_tests);
    REQUIRE(many.boxes_tested < 2 * 8 * few.boxes_tested);
    REQUIRE(many.exact_tests < 2 * 8 * few.exact_tests);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_all_pairs),
        cmocka_unit_test(test_work_grows_with_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
