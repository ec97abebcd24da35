// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The checks of test_exact on millions of pairs, and on all pairs of triangles with corners at the
// corners of a cube. Usage: test_exact_long [pairs [seed]], 3000000 pairs by default.
#include <stdlib.h>

#include "test_exact_checks.h"

static uint64_t pair_count = 3000000;
static uint64_t first_seed = 1;

static void check_batch(const test_pair batch[16], rational_set* shared, kernel_counts* counts) {
    uint32_t touching = 0;
    for (int lane = 0; lane < 16; ++lane) {
        const test_pair* t = &batch[lane];
        rational_intersection(t->pair.p, t->pair.q, shared);
        touching |= (uint32_t)(shared->count > 0) << lane;
        check_touch(t, shared->count > 0);
        check_intersection(t, shared);
        check_beyond(t, shared);
    }
    check_filter_kernels(batch, touching, 0xffff, counts);
}

static void test_shared_points_match_oracle(void** state) {
    (void)state;
    static test_pair batch[16];
    rational_set shared;
    kernel_counts counts = {0, 0, 0};
    print_message("seed %llu, %llu pairs\n", (unsigned long long)first_seed,
                  (unsigned long long)pair_count);
    rational_set_init(&shared);
    for (uint64_t i = 0; i < pair_count; i += 16) {
        for (int lane = 0; lane < 16; ++lane) {
            batch[lane] = pair_make(first_seed, i + (uint64_t)lane);
        }
        check_batch(batch, &shared, &counts);
    }
    rational_set_clear(&shared);
}

// 8^6 pairs, almost all degenerate or touching; the index alone defines the pair
static void test_all_triangles_on_a_cube(void** state) {
    (void)state;
    static test_pair batch[16];
    rational_set shared;
    kernel_counts counts = {0, 0, 0};
    rational_set_init(&shared);
    for (uint64_t i = 0; i < UINT64_C(1) << 18; i += 16) {
        for (int lane = 0; lane < 16; ++lane) {
            test_pair* t = &batch[lane];
            t->index = i + (uint64_t)lane;
            t->family = 1;
            for (int v = 0; v < 6; ++v) {
                for (int k = 0; k < 3; ++k) {
                    case_corner(&t->pair, v)[k] = (double)(t->index >> (3 * v + k) & 1);
                }
            }
        }
        check_batch(batch, &shared, &counts);
    }
    rational_set_clear(&shared);
}

static void test_within_matches_oracle(void** state) {
    (void)state;
    within_counts counts = {0, 0, 0, 0};
    mpq_t distance_sq;
    mpq_init(distance_sq);
    for (uint64_t i = 0; i < pair_count / 15; ++i) {
        const test_pair t = pair_make(first_seed + 1, i);
        rational_distance_sq(t.pair.p, t.pair.q, distance_sq);
        check_within(&t, distance_sq, &counts);
    }
    mpq_clear(distance_sq);
    print_message("filter: no %llu, yes %llu; exact %llu; exact ties %llu\n",
                  (unsigned long long)counts.filter_no, (unsigned long long)counts.filter_yes,
                  (unsigned long long)counts.exact, (unsigned long long)counts.ties);
}

static void test_every_stage_gives_the_same_sign(void** state) {
    (void)state;
    stage_counts solid = {{0}, {0}};
    stage_counts planar = {{0}, {0}};
    for (uint64_t i = 0; i < pair_count; ++i) {
        const test_pair t = pair_make(first_seed + 2, i);
        check_orientations(&t, &solid, &planar);
    }
    for (int s = 0; s < STAGES; ++s) {
        print_message("stage %d decides first: %llu in 3-D, %llu in 2-D\n", s,
                      (unsigned long long)solid.first[s], (unsigned long long)planar.first[s]);
    }
}

int main(int argc, char** argv) {
    pair_count = argc > 1 ? strtoull(argv[1], NULL, 10) : pair_count;
    first_seed = argc > 2 ? strtoull(argv[2], NULL, 10) : first_seed;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_triangles_on_a_cube),
        cmocka_unit_test(test_shared_points_match_oracle),
        cmocka_unit_test(test_within_matches_oracle),
        cmocka_unit_test(test_every_stage_gives_the_same_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
