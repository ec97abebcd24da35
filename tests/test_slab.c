// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Distances of bodies that a direction separates: the closest pair is that of all pairs, also where
// many pairs are equally close, and it takes little work.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/fields.h"
#include "support/near.h"
#include "support/world.h"

static surface random_body(test_random* random) {
    const uint32_t which = random_below(random, 4);
    surface s = which == 0   ? surface_sheet(8, 8, 2)
                : which == 1 ? surface_soup(random, 130, 1, 0.5, 0x1p-8)
                             : surface_ball(8, 10, 1);
    if (which == 3) {  // equal distances are as many as in a sheet
        surface_shake(&s, random, 0.1, 0x1p-8);
    }
    return s;
}

// Bodies apart, touching or in each other, in one frame or in two, near or far, several times.
static void test_closest_pairs(void** state) {
    (void)state;
    static const distance_oracle everything = {.within = INFINITY};
    for (uint64_t seed = 1; seed <= effort(40, 150, 3000); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        motion_def shape = motion_def_default();
        shape.block_triangles = 2 + random_below(&random, 6);
        const uint32_t how = random_below(&random, 4);
        const double far = random_chance(&random, 0.3) ? 0x1p20 : 0;
        const double apart = random_chance(&random, 0.2) ? 0.5 : random_double(&random, 1, 6);
        abut_frame common = how == 1 ? frame_random(&random, 3) : abut_frame_identity();
        abut_body_id body[2];
        for (int i = 0; i < 2; ++i) {
            surface s = random_body(&random);
            surface_scale(&s, i == 0 ? 1 : ldexp(1, random_between(&random, -3, 1)));
            abut_body_def def = abut_body_def_default();
            def.frame = how >= 2 ? frame_random(&random, 0) : common;
            // sheets without a frame are parallel, so that many distances are equal
            surface_shift(&s, far + i * random_unit(&random), far, i * apart);
            for (int d = 0; d < 3 && how >= 2 && i == 1; ++d) {
                def.frame.t[d] = random_double(&random, -3, 3);
            }
            body[i] = world_add(&w, &s, &shape, &def);
            surface_free(&s);
        }
        abut_nearest_result* nearest = NULL;
        REQUIRE_OK(abut_nearest_result_create(w.context, &nearest, NULL));
        for (uint32_t turn = 0; turn < 2; ++turn) {  // the second one starts from the last pair
            distance_list wanted = distances_between(w.scene, body[turn], body[1 - turn],
                                                     &everything);
            REQUIRE_OK(abut_nearest(w.scene, body[turn], body[1 - turn], NULL, nearest, NULL));
            require_distances(w.scene, nearest, &wanted, "two bodies");
            free(wanted.pairs);
            if (how >= 2) {
                world_frame(&w, body[1], frame_random(&random, 4));
            }
        }
        abut_nearest_result_destroy(nearest);
        world_free(&w);
    }
}

// ---- work

static abut_counters cost_of(uint32_t rings, double apart, bool modal) {
    world w = world_make(NULL, NULL);
    test_random random = random_seed(7);
    abut_counters counters = {0};
    abut_body_id body[2];
    surface s = surface_ball(rings, 2 * rings, 1);
    field_set f = make_fields(&random, &s, 0, 1, ABUT_SCALAR_F64, false);
    const motion_def rigid = modal_def(&f);
    for (int i = 0; i < 2; ++i) {
        abut_body_def def = abut_body_def_default();
        def.frame = frame_random(&random, 0);
        for (int d = 0; d < 3; ++d) {
            def.frame.t[d] = i * (2 + apart) / sqrt(3);
        }
        body[i] = world_add(&w, &s, modal ? &rigid : NULL, &def);
    }
    abut_nearest_result* nearest = NULL;
    REQUIRE_OK(abut_nearest_result_create(w.context, &nearest, NULL));
    abut_nearest_def def = abut_nearest_def_default();
    def.head.counters = &counters;
    REQUIRE_OK(abut_nearest(w.scene, body[0], body[1], &def, nearest, NULL));
    abut_nearest_result_destroy(nearest);
    free_fields(&f);
    surface_free(&s);
    world_free(&w);
    return counters;
}

// However far apart bodies are, their pairs of boxes are few: at most 3700 of two balls of 16 000
// triangles in all, where boxes alone take 10 000 to 13 000.
static void test_pairs_of_boxes_are_few(void** state) {
    (void)state;
    for (int modal = 0; modal < 2; ++modal) {
        for (int i = 0; i < 3; ++i) {
            const double apart = ldexp(0.25, 2 * i);
            where("modal %d, apart %g", modal, apart);
            const abut_counters counters = cost_of(64, apart, modal != 0);
            REQUIRE(counters.boxes_tested < 6000);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closest_pairs),
        cmocka_unit_test(test_pairs_of_boxes_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
