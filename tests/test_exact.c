// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Exact predicates and intersections of pairs of triangles against rational arithmetic.
#include "test_exact_checks.h"

#include "abut/exact.h"
#include "support/world.h"

enum { SEED = 20261115 };

// a sixteenth of the pairs under sanitizers, which slow each pair down; always whole batches
static uint64_t scaled(uint32_t pairs) {
    return effort(pairs / 16, pairs, pairs) / 16 * 16;
}

// all that follows from the shared points: touch, intersection, beyond and the batched filter
static void test_shared_points_match_oracle(void** state) {
    (void)state;
    const uint64_t pairs = scaled(19200 * 16);
    static test_pair batch[16];
    rational_set shared;
    kernel_counts counts = {0, 0, 0};
    uint64_t by_count[7] = {0};
    print_message("seed %d, %llu pairs\n", SEED, (unsigned long long)pairs);
    rational_set_init(&shared);
    for (uint64_t i = 0; i < pairs; i += 16) {
        uint32_t touching = 0;
        for (int lane = 0; lane < 16; ++lane) {
            const test_pair t = pair_make(SEED, i + (uint64_t)lane);
            batch[lane] = t;
            rational_intersection(t.pair.p, t.pair.q, &shared);
            touching |= (uint32_t)(shared.count > 0) << lane;
            ++by_count[shared.count];
            check_touch(&t, shared.count > 0);
            check_intersection(&t, &shared);
            check_beyond(&t, &shared);
        }
        check_filter_kernels(batch, touching, i % 64 == 0 ? 0x5aa5 : 0xffff, &counts);
    }
    rational_set_clear(&shared);
    for (int n = 0; n <= 6; ++n) {
        print_message("%d shared points: %llu pairs\n", n, (unsigned long long)by_count[n]);
        assert_true(by_count[n] > 0);
    }
    print_message("kernels: apart %llu, touch %llu, left open %llu\n",
                  (unsigned long long)counts.apart, (unsigned long long)counts.touch,
                  (unsigned long long)counts.open);
    assert_true(counts.apart > pairs / 8 && counts.touch > pairs / 100 && counts.open > 0);
}

static void test_within_matches_oracle(void** state) {
    (void)state;
    const uint64_t pairs = scaled(600 * 16);
    static test_pair batch[16];
    static mpq_t distance_sq[16];
    within_counts counts = {0, 0, 0, 0};
    kernel_counts kernel = {0, 0, 0};
    for (int lane = 0; lane < 16; ++lane) {
        mpq_init(distance_sq[lane]);
    }
    for (uint64_t i = 0; i < pairs; i += 16) {
        double margins[4] = {0.0, 0x1p-4, 0x1p-30, 0.0};
        for (int lane = 0; lane < 16; ++lane) {
            batch[lane] = pair_make(SEED + 1, i + (uint64_t)lane);
            const exact_case* c = &batch[lane].pair;
            rational_distance_sq(c->p, c->q, distance_sq[lane]);
            check_within(&batch[lane], distance_sq[lane], &counts);
            const double distance = sqrt(mpq_get_d(distance_sq[lane]));
            margins[3] = lane == (int)(i / 16 % 16) && isfinite(distance) ? distance : margins[3];
        }
        for (int m = 0; m < 4; ++m) {
            bool within[16];
            for (int lane = 0; lane < 16; ++lane) {
                const exact_case* c = &batch[lane].pair;
                within[lane] = abut__triangles_within(c->p, c->q, margins[m]);
            }
            check_within_kernels(batch, within, margins[m], &kernel);
        }
    }
    for (int lane = 0; lane < 16; ++lane) {
        mpq_clear(distance_sq[lane]);
    }
    print_message(
        "filter: no %llu, yes %llu; exact %llu; exact ties %llu; kernel apart %llu, open %llu\n",
        (unsigned long long)counts.filter_no, (unsigned long long)counts.filter_yes,
        (unsigned long long)counts.exact, (unsigned long long)counts.ties,
        (unsigned long long)kernel.apart, (unsigned long long)kernel.open);
    assert_true(counts.filter_no > pairs / 8 && counts.filter_yes > pairs / 8);
    assert_true(counts.exact > pairs / 8 && counts.ties > pairs / 8);
    assert_true(kernel.apart > pairs / 8);
}

static void print_stages(const char* name, const stage_counts* c) {
    print_message(
        "%s answered/first: filter %llu/%llu, residue %llu/%llu, expansion %llu/%llu, "
        "wide %llu/%llu\n",
        name, (unsigned long long)c->answered[0], (unsigned long long)c->first[0],
        (unsigned long long)c->answered[1], (unsigned long long)c->first[1],
        (unsigned long long)c->answered[2], (unsigned long long)c->first[2],
        (unsigned long long)c->answered[3], (unsigned long long)c->first[3]);
}

// each stage alone gives the sign of the oracle, and each stage decides some cases
static void test_every_stage_gives_the_same_sign(void** state) {
    (void)state;
    const uint64_t pairs = scaled(150000);
    stage_counts solid = {{0}, {0}};
    stage_counts planar = {{0}, {0}};
    for (uint64_t i = 0; i < pairs; ++i) {
        const test_pair t = pair_make(SEED + 2, i);
        check_orientations(&t, &solid, &planar);
    }
    print_stages("3-D", &solid);
    print_stages("2-D", &planar);
    for (int s = 0; s < STAGES; ++s) {
        assert_true(solid.first[s] > pairs / 1000);
        assert_true(planar.first[s] > pairs / 1000);
    }
}

// Crossings whose rounding needs the exact path agree with those that do not: sizes near 1, and the
// same pair scaled beyond the range of double-double.
static void test_crossings_do_not_depend_on_scale(void** state) {
    (void)state;
    uint64_t rng = SEED + 3;
    for (uint64_t i = 0; i < 20000; ++i) {
        exact_case c;
        exact_case scaled;
        case_random(&rng, &c);
        for (int v = 0; v < 6; ++v) {
            for (int k = 0; k < 3; ++k) {
                case_corner(&scaled, v)[k] = ldexp(case_corner(&c, v)[k], 600);
            }
        }
        abut__intersection x;
        abut__intersection y;
        abut__triangles_intersection(c.p, c.q, &x);
        abut__triangles_intersection(scaled.p, scaled.q, &y);
        assert_int_equal(x.count, y.count);
        for (uint32_t n = 0; n < x.count; ++n) {
            for (int k = 0; k < 3; ++k) {
                assert_true(fabs(x.points[n][k] - ldexp(y.points[n][k], -600)) <= 0x1p-48);
            }
        }
    }
}

// 1/49 in doubles times 49 is not 1: a computed crossing would miss the corner
static void test_a_segment_through_a_corner_gives_the_corner(void** state) {
    (void)state;
    const double p[3][3] = {{0, 0, 0}, {1, -1, 0}, {2, -1, 1}};
    const double q[3][3] = {{-1, -1, -1}, {48, 48, 48}, {3, 3, 3}};
    abut__intersection x;
    abut__triangles_intersection(p, q, &x);
    assert_int_equal(x.count, 1);
    assert_true(abut__same_point(x.points[0], p[0]));
    abut__triangles_intersection(q, p, &x);
    assert_int_equal(x.count, 1);
    assert_true(abut__same_point(x.points[0], p[0]));
}

// neighbours in a mesh: the usual masks, where corners of q equal those of p
static void test_neighbours_overlap_beyond_what_they_share(void** state) {
    (void)state;
    const double p[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const double fold[3][3] = {{1, 0, 0}, {0, 0, 0}, {1, 1, 0}};     // same side of edge 0 1
    const double flat[3][3] = {{1, 0, 0}, {0, 0, 0}, {0, -1, 0}};    // other side of it
    const double bent[3][3] = {{1, 0, 0}, {0, 0, 0}, {0, 0, 1}};     // in another plane
    const double fan[3][3] = {{0, 0, 0}, {-1, 0, 1}, {0, -1, 1}};    // corner 0 only
    const double pierce[3][3] = {{0, 0, 0}, {1, 1, 1}, {1, 1, -1}};  // corner 0 and a segment
    assert_true(abut__triangles_overlap_beyond(p, fold, 3));
    assert_false(abut__triangles_overlap_beyond(p, flat, 3));
    assert_false(abut__triangles_overlap_beyond(p, bent, 3));
    assert_true(abut__triangles_overlap_beyond(p, bent, 1));  // because corner 1 is shared as well
    assert_false(abut__triangles_overlap_beyond(p, fan, 1));
    assert_true(abut__triangles_overlap_beyond(p, fan, 2));
    assert_true(abut__triangles_overlap_beyond(p, pierce, 1));
    assert_true(abut__triangles_overlap_beyond(p, p, 3));
    assert_false(abut__triangles_overlap_beyond(p, p, 7));
}

// ascending and descending over the whole range, where no product of three values is finite
static void test_extreme_magnitudes(void** state) {
    (void)state;
    const double big = 0x1.fffffffffffffp1023;
    const double tiny = 0x1p-1074;
    const double p[3][3] = {{-big, -big, 0}, {big, -big, 0}, {0, big, 0}};
    const double above[3][3] = {{0, 0, tiny}, {big, 0, big}, {0, tiny, big}};
    const double through[3][3] = {{0, 0, -tiny}, {big, 0, big}, {0, tiny, big}};
    assert_false(abut__triangles_touch(p, above));
    assert_true(abut__triangles_touch(p, through));
    assert_true(abut__triangles_within(p, above, tiny));
    const double level[3][3] = {{0, 0, 2 * tiny}, {tiny, 0, 2 * tiny}, {0, tiny, 2 * tiny}};
    assert_false(abut__triangles_within(p, level, tiny));
    assert_true(abut__triangles_within(p, level, 2 * tiny));
    assert_true(abut__triangles_within(p, level, big));
}

static void test_public_calls_check_their_arguments(void** state) {
    (void)state;
    double p[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const double q[3][3] = {{0.25, 0.25, -1}, {0.25, 0.25, 1}, {2, 2, 1}};
    bool answer = false;
    abut_intersection shared = {99, {{0}}};
    assert_int_equal(abut_triangles_touch(p, q, &answer, &shared), ABUT_OK);
    assert_true(answer);
    assert_int_equal(shared.count, 2);
    assert_int_equal(abut_triangles_touch(p, q, &answer, NULL), ABUT_OK);
    assert_true(answer);
    assert_int_equal(abut_triangles_within(p, q, 0.0, &answer), ABUT_OK);
    assert_true(answer);
    shared.count = 99;
    answer = false;
    assert_int_equal(abut_triangles_touch(NULL, q, &answer, &shared), ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_triangles_touch(p, NULL, &answer, &shared), ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_triangles_touch(p, q, NULL, &shared), ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_triangles_within(p, q, -1.0, &answer), ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_triangles_within(p, q, NAN, &answer), ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_triangles_within(p, q, INFINITY, &answer), ABUT_ERR_INVALID_ARGUMENT);
    for (int i = 0; i < 9; ++i) {
        const double kept = p[i / 3][i % 3];
        p[i / 3][i % 3] = i % 2 ? NAN : -INFINITY;
        assert_int_equal(abut_triangles_touch(p, q, &answer, &shared), ABUT_ERR_INVALID_ARGUMENT);
        assert_int_equal(abut_triangles_touch(q, p, &answer, &shared), ABUT_ERR_INVALID_ARGUMENT);
        assert_int_equal(abut_triangles_within(p, q, 1.0, &answer), ABUT_ERR_INVALID_ARGUMENT);
        assert_int_equal(abut_triangles_within(q, p, 1.0, &answer), ABUT_ERR_INVALID_ARGUMENT);
        p[i / 3][i % 3] = kept;
    }
    assert_false(answer);
    assert_int_equal(shared.count, 99);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_points_match_oracle),
        cmocka_unit_test(test_within_matches_oracle),
        cmocka_unit_test(test_every_stage_gives_the_same_sign),
        cmocka_unit_test(test_crossings_do_not_depend_on_scale),
        cmocka_unit_test(test_a_segment_through_a_corner_gives_the_corner),
        cmocka_unit_test(test_neighbours_overlap_beyond_what_they_share),
        cmocka_unit_test(test_extreme_magnitudes),
        cmocka_unit_test(test_public_calls_check_their_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
