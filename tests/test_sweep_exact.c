// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Moving primitives against exact integers, and hand-made hard cases.
#include "test_sweep_checks.h"

#include "exact/moving_features.h"
#include "simd/kernels.h"
#include "support/everywhere.h"

enum { SEED = 20261116 };

static void test_nothing_is_missed(void** state) {
    (void)state;
    const uint64_t queries = effort(10000, 100000, 100000);
    const sweep_counts counts = sweep_check_many(SEED, 0, queries);
    assert_true(counts.contacts > queries / 5 && counts.near > 0);
    assert_true(counts.undecided <= queries / 500);
}

static abut_sweep_contact query_one(const sweep_case* c, double tolerance, double margin) {
    abut_sweep_contact got;
    const abut_status status = (c->edges ? abut_edge_edge_sweep : abut_vertex_face_sweep)(
        NULL, 1, &c->x[0], &c->x[1], tolerance, margin, &got);
    assert_int_equal(status, ABUT_OK);
    return got;
}

// each of these made some method fail or take hundreds of steps
static void test_hard_cases(void** state) {
    (void)state;
    static const struct {
        sweep_case c;
        bool contact;
        double first;
        double early;  // most by which the answer may be early
    } cases[] = {
        // flat within an ulp, but never in one plane
        {{{{{0, -2.0 / 7, 0},
            {4.0 / 3, 2.0 / 7, 4.0 / 3},
            {2.0 / 3, -6.0 / 7, 0.66666666666666674},
            {5.0 / 3, 2.0 / 7, 5.0 / 3}},
           {{0, 0.11428571428571432, 0},
            {4.0 / 3, -0.41428571428571426, 4.0 / 3},
            {2.0 / 3, -6.0 / 7, 0.66666666666666674},
            {5.0 / 3, 2.0 / 7, 5.0 / 3}}},
          true,
          0},
         false,
         2,
         0},
        // an edge that shrinks to a point while all four are coplanar: rounding alone gives it a
        // direction
        {{{{{0x1.8p-19, 2, 0x1p-12},
            {-0x1p-20, 2, 0x1p-12},
            {-0x1.8p-19, 6, 0x1.8p-11},
            {0x1.8p-19, 0, -0x1.8p-11}},
           {{0, 0, -0x1p-11}, {0x1p-19, 0, -0x1p-11}, {0x1.8p-19, -2, 0x1p-11}, {0, 4, -0x1p-11}}},
          true,
          0},
         false,
         2,
         0},
        // edges that end parallel: the closest points give no usable direction
        {{{{{-1, 1, 2}, {-2, -1, 2}, {-1, 0, 2}, {0, 2, 2}},
           {{-2, 0, -1}, {0, -2, 1}, {0, -2, 1}, {-2, 0, -1}}},
          true,
          0},
         true,
         1,
         1e-6},
        // a triple root
        {{{{{1, 1, 0}, {0, 1, -1}, {-1, 0, 0}, {-1, 1, 0}},
           {{-1, 0, 1}, {-1, -1, 1}, {1, 0, 1}, {-1, 0, 1}}},
          true,
          0},
         true,
         1,
         1e-2},
        // coplanar throughout: the cubic is 0
        {{{{{2, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
           {{-1, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
          false,
          0},
         true,
         5.0 / 12,
         1e-6},
        // contact almost at once, but not at the start
        {{{{{0.25, 0.25, 1e-20}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
           {{0.25, 0.25, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
          false,
          0},
         true,
         1e-20,
         1e-22},
        // contact exactly in the middle
        {{{{{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
           {{0.25, 0.25, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
          false,
          0},
         true,
         0.5,
         1e-12},
        // a fixed point on a fixed edge
        {{{{{0.5, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
           {{0.5, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
          false,
          0},
         true,
         0,
         0},
    };
    swept_oracle* exact = swept_oracle_create();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const abut_sweep_contact got = query_one(&cases[i].c, ABUT_TOLERANCE_DEFAULT, 0);
        sweep_counts counts = {0, 0, 0, 0};
        sweep_check(exact, &cases[i].c, 0, i, ABUT_TOLERANCE_DEFAULT, &got, &counts);
        assert_int_equal(got.verdict != ABUT_SWEEP_VERDICT_NONE, cases[i].contact);
        if (cases[i].contact && !(got.time >= cases[i].first - cases[i].early)) {
            fail_msg("case %zu: %g, not %g", i, got.time, cases[i].first);
        }
    }
    swept_oracle_destroy(exact);
}

// True if the normal points from one point named by the weights to the other. Where these are so
// close that rounding decides the direction between them, any normal is accepted.
static bool normal_holds(const sweep_case* c, const abut_sweep_contact* got) {
    const long double time = (long double)got->time;
    long double along = 0;
    long double sum = 0;
    long double extent = 0;
    for (int k = 0; k < 3; ++k) {
        long double between = 0;
        for (int i = 0; i < 4; ++i) {
            const long double first = (long double)c->x[0][i][k] - (long double)c->x[0][0][k];
            const long double last = (long double)c->x[1][i][k] - (long double)c->x[0][0][k];
            const bool minuend = i < (c->edges ? 2 : 1);
            between += (long double)(minuend ? got->weights[i] : -got->weights[i]) *
                       (first + time * (last - first));
            extent = fmaxl(extent, fmaxl(fabsl(first), fabsl(last)));
        }
        along += between * (long double)got->normal[k];
        sum += between * between;
    }
    const long double length = sqrtl(sum);
    return length < 1e-9L * extent || along > length * (1 - 1e-4L);
}

// A triangle becomes a sliver beside whose corner a vertex lies: almost only the direction
// perpendicular to its long edge separates them.
static void test_normal_near_a_sliver(void** state) {
    (void)state;
    const sweep_case c = {
        {{{0, -0x1.fffffff8065bdp-1, 0x1.1198f03d36fd1p-30}, {0, -1, 1}, {-1, -1, 1}, {1, 1, 0}},
         {{-1, 0, -1}, {0x1.fffffffdb231dp-1, 1, 1}, {-1, 0, 1}, {-1, 0, -1}}},
        false,
        0};
    const abut_sweep_contact got = query_one(&c, 1e-5, 0x1.19799812dea11p-40);
    assert_int_equal(got.verdict, ABUT_SWEEP_VERDICT_CONTACT);
    assert_true(got.time > 0 && normal_holds(&c, &got));
}

// The distance at many times shows when they are closer than the margin. A contact must not be
// later, and not much earlier.
static double distance_at(const sweep_case* c, double t) {
    double from[4][3];
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            from[i][k] = (1 - t) * c->x[0][i][k] + t * c->x[1][i][k];
        }
    }
    double p[3][3];
    double q[3][3];
    for (int k = 0; k < 3; ++k) {
        p[0][k] = from[0][k];
        p[1][k] = p[2][k] = from[c->edges ? 1 : 0][k];
        q[0][k] = from[c->edges ? 2 : 1][k];
        q[1][k] = from[c->edges ? 3 : 2][k];
        q[2][k] = from[3][k];
    }
    double low = 0;  // the exact query, by bisection
    double high = 64;
    for (int i = 0; i < 50; ++i) {
        const double middle = 0.5 * (low + high);
        bool within = false;
        assert_int_equal(abut_triangles_within(p, q, middle, &within), ABUT_OK);
        *(within ? &high : &low) = middle;
    }
    return high;
}

static void test_margin(void** state) {
    (void)state;
    enum { SAMPLES = 50 };
    static const int families[] = {SWEEP_RANDOM, SWEEP_GRID,     SWEEP_TOUCH,
                                   SWEEP_PLANAR, SWEEP_PARALLEL, SWEEP_PARALLEL_NEAR};
    const uint64_t queries = effort(200, 2000, 10000);
    uint64_t contacts = 0;
    for (uint64_t i = 0; i < queries; ++i) {
        const sweep_case c = sweep_case_make(SEED + 1,
                                             (i / 6) * SWEEP_FAMILIES + (uint64_t)families[i % 6]);
        const double margin = i % 3 == 0 ? 1 : i % 3 == 1 ? 0.25 : 1e-3;
        const abut_sweep_contact got = query_one(&c, ABUT_TOLERANCE_DEFAULT, margin);
        const bool contact = got.verdict != ABUT_SWEEP_VERDICT_NONE;
        contacts += contact;
        for (int s = 0; s <= SAMPLES; ++s) {
            const double t = s / (double)SAMPLES;
            if (t < got.time || !contact) {
                const double distance = distance_at(&c, t);
                if (!(distance > margin * (1 - 1e-12))) {
                    fail_msg("seed %d, query %llu: %g apart at %g, but %s %g", SEED + 1,
                             (unsigned long long)i, distance, t,
                             contact ? "contact at" : "no contact", got.time);
                }
            }
        }
        if (got.verdict == ABUT_SWEEP_VERDICT_CONTACT) {
            const double distance = distance_at(&c, got.time);
            if (!(distance <= margin + 1.01 * sweep_allowed(&c, ABUT_TOLERANCE_DEFAULT))) {
                fail_msg("seed %d, query %llu: contact at %g, %g apart", SEED + 1,
                         (unsigned long long)i, got.time, distance);
            }
            if (got.time > 0 && !normal_holds(&c, &got)) {
                fail_msg("seed %d, query %llu: a normal that leads elsewhere", SEED + 1,
                         (unsigned long long)i);
            }
            const double at_start = distance_at(&c, 0);
            if (fabs(at_start - margin) > 1e-12) {
                assert_int_equal(got.time == 0, at_start < margin);
            }
        }
    }
    print_message("%llu of %llu in contact\n", (unsigned long long)contacts,
                  (unsigned long long)queries);
    assert_true(contacts > queries / 4 && contacts < queries);
}

// Lanes are rejected exactly where the search for a single pair rejects at once, in every
// instruction set, and contacts have the same bits.
static void test_batches_decide_as_one(void** state) {
    (void)state;
    const uint64_t batches = effort(1000, 8000, 40000);
    static double from[ABUT__SWEEP_LANES][4][3];
    static double to[ABUT__SWEEP_LANES][4][3];
    uint64_t rejected = 0;
    for (uint64_t i = 0; i < batches; ++i) {
        const bool edges = i % 2 == 1;
        double margin[ABUT__SWEEP_LANES];
        const uint32_t count = i % 7 == 0 ? 1 + (uint32_t)(i % 8) : ABUT__SWEEP_LANES;
        uint32_t expected = 0;
        for (uint32_t lane = 0; lane < count; ++lane) {
            const sweep_case c = sweep_case_make(SEED + 2, i * ABUT__SWEEP_LANES + lane);
            memcpy(from[lane], c.x[0], sizeof from[lane]);
            memcpy(to[lane], c.x[1], sizeof to[lane]);
            // none, one for all, or one each
            margin[lane] = i % 5 == 0 ? 0.125 : i % 5 == 1 ? 0.0625 * (double)(lane % 3) : 0;
            abut__hull hull;
            const abut__sweep_question question = {from[lane], to[lane], edges, 1e-6, margin[lane]};
            expected |= (uint32_t)!abut__hull_make(&question, &hull) << lane;
        }
        FOR_EACH_KERNELS(set, kernels) {
            const uint32_t got = kernels->sweep_filter(from, to, count, edges, margin);
            if (got != expected) {
                fail_msg("seed %d, batch %llu: %x, not %x", SEED + 2, (unsigned long long)i, got,
                         expected);
            }
        }
        rejected += (uint64_t)__builtin_popcount(expected);
    }
    assert_true(rejected > batches && rejected < 7 * batches);
}

static void test_bad_arguments_are_refused(void** state) {
    (void)state;
    sweep_case c = sweep_case_make(SEED, 0);
    abut_sweep_contact got = {.time = 7};
    const double(*from)[4][3] = &c.x[0];
    const double(*to)[4][3] = &c.x[1];
    assert_int_equal(abut_edge_edge_sweep(NULL, 0, NULL, NULL, 1e-6, 0, NULL), ABUT_OK);
    assert_int_equal(abut_vertex_face_sweep(NULL, 1, from, to, 0.9e-8, 0, &got),
                     ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_vertex_face_sweep(NULL, 1, from, to, NAN, 0, &got),
                     ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_vertex_face_sweep(NULL, 1, from, to, 2, 0, &got),
                     ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_vertex_face_sweep(NULL, 1, from, to, 1e-6, -1, &got),
                     ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_vertex_face_sweep(NULL, 1, from, NULL, 1e-6, 0, &got),
                     ABUT_ERR_INVALID_ARGUMENT);
    c.x[1][2][1] = INFINITY;
    assert_int_equal(abut_edge_edge_sweep(NULL, 1, from, to, 1e-6, 0, &got),
                     ABUT_ERR_INVALID_ARGUMENT);
    c.x[1][2][1] = NAN;
    assert_int_equal(abut_edge_edge_sweep(NULL, 1, from, to, 1e-6, 0, &got),
                     ABUT_ERR_INVALID_ARGUMENT);
    assert_true(got.time == 7);
    for (int i = 0; i < 24; ++i) {  // the whole range of doubles is fine
        *sweep_number(&c, i) = i % 2 == 0 ? 1.7e308 : -1.7e308;
    }
    assert_int_equal(abut_edge_edge_sweep(NULL, 1, from, to, 1e-6, 1e308, &got), ABUT_OK);
    assert_true(got.verdict == ABUT_SWEEP_VERDICT_CONTACT && got.time == 0);
}

// Two corners slide on a line through the origin, one on either side, and the directions are
// exactly perpendicular to it: heights are 0 at every time, and only rounding makes them positive.
// No pair may be cleared.
static void test_directions_clear_nothing_by_rounding(void** state) {
    (void)state;
    static const double lines[3][2] = {{3, 4}, {5, 12}, {8, 15}};
    for (uint32_t i = 0; i < effort(20000, 20000, 1000000); ++i) {
        test_random random = random_seed(7000 + i);
        const double* line = lines[i % 3];
        double x[2][4][3] = {{{0}}};
        for (int end = 0; end < 2; ++end) {
            for (int corner = 0; corner < 3; ++corner) {
                // 48 bits make products with the line's coordinates exact; the vertex, much smaller
                // than the others, makes differences longer than a double
                const double size = ldexp(floor(ldexp(random_double(&random, 0.5, 1), 48)), -48);
                const double signs[3] = {random_chance(&random, 0.5) ? 0x1p-53 : -0x1p-53, -1, 1};
                x[end][corner][0] = signs[corner] * size * line[0];
                x[end][corner][1] = signs[corner] * size * line[1];
            }
            x[end][3][0] = line[1];
            x[end][3][1] = -line[0];
        }
        const abut__sweep_question question = {(const double(*)[3])x[0], (const double(*)[3])x[1],
                                               false, ABUT_TOLERANCE_DEFAULT, 0};
        const double g[2][3] = {{line[1], -line[0], 0},
                                {ldexp(line[1], -2), ldexp(-line[0], -2), 0}};
        const double a = random_double(&random, 0, 0.9);
        const double b = random_double(&random, a, 1);
        abut__hull hull;
        abut__fine_hull fine;
        where("case %u", i);
        REQUIRE(abut__hull_make(&question, &hull));
        abut__fine_make(&question, &hull, &fine);
        REQUIRE(!abut__direction_clears(&hull, a, b, g[0], g[1]));
        REQUIRE(!abut__fine_direction_clears(&hull, &fine, a, b, g[0], g[1]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hard_cases),
        cmocka_unit_test(test_normal_near_a_sliver),
        cmocka_unit_test(test_bad_arguments_are_refused),
        cmocka_unit_test(test_batches_decide_as_one),
        cmocka_unit_test(test_margin),
        cmocka_unit_test(test_directions_clear_nothing_by_rounding),
        cmocka_unit_test(test_nothing_is_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
