// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Flight bodies far from the origin, where floats are coarser than their triangles. Answers agree with
// all pairs at every distance, and the same bodies far away cost what they cost at the origin.
// Coordinates are multiples of a power of two, so that keyframes are the same to the last bit.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/world.h"

enum { KEYS = 3 };
#define GRID 0x1p-20

// a body that moves through keyframes around a place
typedef struct film {
    surface s;
    double* xyz[KEYS];
    abut_keyframe keys[KEYS];
} film;

static film film_make(test_random* random, double range, const double at[3]) {
    film f = {.s = surface_ball(6, 8, 1)};
    for (uint32_t i = 0; i < 3 * f.s.vertex_count; ++i) {
        f.s.xyz[i] = GRID * nearbyint(f.s.xyz[i] / GRID);
    }
    for (uint32_t k = 0; k < KEYS; ++k) {
        surface moved = surface_copy(&f.s);
        surface_shake(&moved, random, range, GRID);
        surface_shift(&moved, at[0] + 0.25 * k, at[1], at[2]);
        f.xyz[k] = moved.xyz;
        free(moved.triangles);
        f.keys[k] = (abut_keyframe){k, abut_positions_f64(f.xyz[k], f.s.vertex_count)};
    }
    surface_shift(&f.s, at[0], at[1], at[2]);
    return f;
}

static void film_free(film* f) {
    for (uint32_t k = 0; k < KEYS; ++k) {
        free(f->xyz[k]);
    }
    surface_free(&f->s);
}

static abut_body_id film_add(world* w, const film* f, abut_flight_bound bound) {
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.keyframes = f->keys;
    def.keyframe_count = KEYS;
    def.block_triangles = 6;
    def.bound = (int)bound;
    return world_add(w, &f->s, &def, NULL);
}

typedef struct scenery {
    world w;
    film films[2];
    abut_body_id body[2];
} scenery;

static scenery scenery_make(uint64_t seed, const double at[3], abut_flight_bound bound) {
    test_random random = random_seed(seed);
    scenery s = {.w = world_make(NULL, NULL)};
    for (int i = 0; i < 2; ++i) {
        const double there[3] = {at[0], at[1] + 1.5 * i, at[2]};
        s.films[i] = film_make(&random, 0.25, there);
        s.body[i] = film_add(&s.w, &s.films[i], bound);
    }
    return s;
}

static void scenery_free(scenery* s) {
    world_free(&s->w);
    film_free(&s->films[0]);
    film_free(&s->films[1]);
}

static void set_time(const scenery* s, double time) {
    REQUIRE_OK(abut_body_set_time(s->w.scene, s->body[0], time, NULL));
    REQUIRE_OK(abut_body_set_time(s->w.scene, s->body[1], time, NULL));
    world_validate(&s->w, s->body[0]);
    world_validate(&s->w, s->body[1]);
}

static const abut_flight_bound bounds[] = {ABUT_FLIGHT_BOUND_AUTO, ABUT_FLIGHT_BOUND_LINEAR,
                                           ABUT_FLIGHT_BOUND_KINETIC};

// Pairs between two bodies and within one are those of all pairs, at 0, 1e6, 1e7 and beyond, at
// keyframes and between them. Boxes contain all vertices.
static void test_pairs_at_any_distance(void** state) {
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 1; seed <= effort(4, 16, 200); ++seed) {
        static const double places[4] = {0, 1e6, 1e7, 0x1p40};
        const double at[3] = {places[seed % 4], seed % 3 == 0 ? 0 : -places[(seed + 1) % 4], 3};
        scenery s = scenery_make(seed, at, bounds[seed % 3]);
        for (uint32_t step = 0; step <= 8; ++step) {
            where("seed %llu, step %u", (unsigned long long)seed, step);
            set_time(&s, 0.25 * step);
            found += check_collide_all(&s.w, NULL);
            found += check_self_all(&s.w, NULL);
        }
        scenery_free(&s);
    }
    REQUIRE(found > 100);
}

typedef struct costs {
    abut_counters between;
    abut_counters swept;
    size_t intervals;
    double sum;  // of their times
} costs;

static costs measure(uint64_t seed, const double at[3]) {
    scenery s = scenery_make(seed, at, ABUT_FLIGHT_BOUND_AUTO);
    costs c = {.intervals = 0};
    abut_collide_def collide = abut_collide_def_default();
    abut_sweep_def sweep = abut_sweep_def_default();
    collide.head.counters = &c.between;
    sweep.head.counters = &c.swept;
    set_time(&s, 0);
    for (uint32_t step = 1; step <= 4; ++step) {
        set_time(&s, 0.5 * step);
        REQUIRE_OK(abut_collide(s.w.scene, s.body[0], s.body[1], &collide, s.w.result, NULL));
        REQUIRE_OK(abut_sweep(s.w.scene, s.body[0], s.body[1], &sweep, s.w.swept, NULL));
    }
    REQUIRE_OK(abut_intervals(s.w.scene, s.body[0], s.body[1], 0, 2, NULL, s.w.intervals, NULL));
    const abut_contact_interval* all = abut_intervals_result_intervals(s.w.intervals, &c.intervals);
    for (size_t i = 0; i < c.intervals; ++i) {
        c.sum += all[i].start + all[i].stop;
    }
    scenery_free(&s);
    return c;
}

static void require_work(const abut_counters* got, const abut_counters* wanted) {
    REQUIRE(wanted->pairs_found > 0 && got->pairs_found == wanted->pairs_found);
    REQUIRE(got->boxes_tested <= wanted->boxes_tested + wanted->boxes_tested / 20 + 4);
    REQUIRE(got->blocks_evaluated <= wanted->blocks_evaluated + wanted->blocks_evaluated / 20 + 4);
    REQUIRE(got->exact_tests <= wanted->exact_tests + wanted->exact_tests / 20 + 4);
}

// Half times are exact on the grid, far away, too: the same pairs for the same work.
static void test_work_is_that_at_the_origin(void** state) {
    (void)state;
    static const double nowhere[3] = {0, 0, 0};
    static const double far_away[3] = {0x1p23, -0x1p22, 0x1p21};
    for (uint64_t seed = 1; seed <= effort(2, 4, 40); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        const costs wanted = measure(seed, nowhere);
        const costs got = measure(seed, far_away);
        require_work(&got.between, &wanted.between);
        require_work(&got.swept, &wanted.swept);
        REQUIRE(wanted.intervals > 10 && got.intervals == wanted.intervals);
        REQUIRE(fabs(got.sum - wanted.sum) < 1e-4 * (double)wanted.intervals);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_at_any_distance),
        cmocka_unit_test(test_work_is_that_at_the_origin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
