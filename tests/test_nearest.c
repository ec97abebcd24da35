// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Queries of proximity against all pairs: between two bodies, for every body, for every triangle;
// surfaces of all kinds, frames, filters, masks, limits; from scratch and from the last step.

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/near.h"

static const near_oracle everything = {.within = INFINITY};

static void check_pair(const world* w, abut_body_id a, abut_body_id b, const abut_nearest_def* def,
                       const near_oracle* o, abut_gaps* gaps) {
    gap_list wanted = near_between(w->scene, a, b, o);
    REQUIRE_OK(abut_nearest(w->scene, a, b, def, gaps));
    require_gaps(w->scene, gaps, &wanted, "two bodies");
    free(wanted.gaps);
}

static void check_all(const world* w, const abut_nearest_def* def, const near_oracle* o,
                      abut_gaps* gaps) {
    gap_list wanted = near_all(w->scene, o);
    REQUIRE_OK(abut_nearest_all(w->scene, def, gaps));
    require_gaps(w->scene, gaps, &wanted, "every body");
    free(wanted.gaps);
}

static void check_triangles(const world* w, abut_body_id a, const abut_nearest_def* def,
                            const near_oracle* o, abut_gaps* gaps) {
    gap_list wanted = near_triangles(w->scene, a, o);
    REQUIRE_OK(abut_nearest_triangles(w->scene, a, def, gaps));
    require_gaps(w->scene, gaps, &wanted, "every triangle");
    free(wanted.gaps);
}

static void check_self_gaps(const world* w, abut_body_id a, const abut_nearest_def* def,
                            const near_oracle* o, abut_gaps* gaps) {
    gap_list wanted = near_self(w->scene, a, o);
    REQUIRE_OK(abut_nearest_self(w->scene, a, def, gaps));
    require_gaps(w->scene, gaps, &wanted, "every triangle of one body");
    free(wanted.gaps);
}

// what every question keeps from step to step is its own
typedef struct questions {
    abut_gaps* pair;
    abut_gaps* all;
    abut_gaps* triangles;
    abut_gaps* self;
} questions;

static questions questions_make(abut_context* context) {
    questions q = {NULL, NULL, NULL, NULL};
    REQUIRE_OK(abut_gaps_create(context, &q.pair, NULL));
    REQUIRE_OK(abut_gaps_create(context, &q.all, NULL));
    REQUIRE_OK(abut_gaps_create(context, &q.triangles, NULL));
    REQUIRE_OK(abut_gaps_create(context, &q.self, NULL));
    return q;
}

static void questions_free(questions* q) {
    abut_gaps_destroy(q->pair);
    abut_gaps_destroy(q->all);
    abut_gaps_destroy(q->triangles);
    abut_gaps_destroy(q->self);
}

static surface any_surface(test_random* random, uint32_t kind, double step) {
    surface s = kind == 0   ? surface_sheet(5, 5, 1)
                : kind == 1 ? surface_ball(6, 8, 0.6)
                : kind == 2 ? surface_soup(random, 40, 0.8, 0.3, step)
                            : surface_soup(random, 3, 0.8, 0.5, step);
    if (kind < 2) {
        surface_shake(&s, random, 0.05, step);
    }
    return s;
}

// bodies of all kinds, near and touching, in frames and without, moved a few times
static void check_crowd(uint64_t seed) {
    test_random random = random_seed(seed);
    const double step = random_below(&random, 2) == 0 ? 0x1p-40 : 0x1p-4;
    const bool framed = random_below(&random, 2) == 0;
    const double spread = random_below(&random, 2) == 0 ? 0.5 : 2.5;
    world w = world_make(NULL, NULL);
    questions q = questions_make(w.context);
    surface surfaces[4];
    abut_body_id bodies[4];
    for (uint32_t b = 0; b < 4; ++b) {
        surfaces[b] = any_surface(&random, b == 3 ? random_below(&random, 4) : b, step);
        surface_shift(&surfaces[b], spread * b, 0, 0.25 * b);
        abut_shape_def def = abut_shape_def_default();
        def.block_triangles = 1 + random_below(&random, 48);
        def.fan_out = 2 + random_below(&random, 7);
        bodies[b] = world_add(&w, &surfaces[b], &def, NULL);
    }
    for (uint32_t n = 0; n < 3; ++n) {
        where("seed %llu, step %u", (unsigned long long)seed, n);
        for (uint32_t b = 0; b < 4; ++b) {
            if (framed) {
                world_frame(&w, bodies[b], frame_random(&random, 1));
            }
            surface_shake(&surfaces[b], &random, 0.02, step);
            world_move(&w, bodies[b], surfaces[b].xyz);
        }
        for (uint32_t b = 0; b < 4; ++b) {
            check_pair(&w, bodies[b], bodies[(b + 1) % 4], NULL, &everything, q.pair);
            check_triangles(&w, bodies[b], NULL, &everything, q.triangles);
            check_self_gaps(&w, bodies[b], NULL, &everything, q.self);
        }
        check_all(&w, NULL, &everything, q.all);
    }
    for (uint32_t b = 0; b < 4; ++b) {
        surface_free(&surfaces[b]);
    }
    questions_free(&q);
    world_free(&w);
}

static void test_all_kinds_match_all_pairs(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 12, 200); ++seed) {
        check_crowd(seed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kinds_match_all_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
