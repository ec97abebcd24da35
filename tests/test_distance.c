// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Distances of pairs of triangles against rational arithmetic, and the batched kernels against the
// function for one pair.
#include "test_exact_checks.h"

#include <float.h>
#include <stdlib.h>

#include "abut/exact.h"
#include "base/context.h"
#include "exact/distance.h"
#include "simd/kernels.h"
#include "support/everywhere.h"
#include "support/world.h"

enum { SEED = 20261116 };

static double extent_of(const exact_case* pair) {
    exact_case c = *pair;
    double extent = 0;
    for (int k = 0; k < 3; ++k) {
        double lo = c.p[0][k];
        double hi = lo;
        for (int i = 1; i < 6; ++i) {
            lo = fmin(lo, case_corner(&c, i)[k]);
            hi = fmax(hi, case_corner(&c, i)[k]);
        }
        extent = fmax(extent, hi - lo);
    }
    return fmin(extent, DBL_MAX);
}

// (a - b)^2 <= square <= (a + b)^2; a negative lower end is no limit
static bool square_within(const mpq_t square, double a, const mpq_t b) {
    mpq_t end;
    mpq_init(end);
    mpq_set_d(end, a);
    mpq_add(end, end, b);
    mpq_mul(end, end, end);
    bool within = mpq_cmp(square, end) <= 0;
    mpq_set_d(end, a);
    mpq_sub(end, end, b);
    if (mpq_sgn(end) > 0) {
        mpq_mul(end, end, end);
        within = within && mpq_cmp(square, end) >= 0;
    }
    mpq_clear(end);
    return within;
}

// x 2^-bits; x may be beyond the range of doubles
static void set_part(mpq_t out, double x, mp_bitcnt_t bits) {
    mpq_set_d(out, isfinite(x) ? x : DBL_MAX);
    mpq_div_2exp(out, out, bits);
}

static void check_value(const test_pair* t, const abut_distance* got, const mpq_t distance_sq) {
    const double extent = extent_of(&t->pair);
    if ((got->distance == 0) != (mpq_sgn(distance_sq) == 0)) {
        pair_fail(t, "a distance of 0", got->distance, sqrt(mpq_get_d(distance_sq)));
    }
    if (!isfinite(got->distance)) {
        mpq_t most;
        mpq_init(most);
        mpq_set_d(most, DBL_MAX);
        mpq_mul(most, most, most);
        assert_true(mpq_cmp(distance_sq, most) >= 0);
        mpq_clear(most);
        return;
    }
    // the last place of a denormal adds 2^-1075
    const double tiny = got->distance < DBL_MIN ? 0x1p-1074 : 0;
    mpq_t error;
    mpq_t more;
    mpq_inits(error, more, NULL);
    mpq_set_d(more, tiny);
    set_part(error, extent, 45);
    mpq_add(error, error, more);
    if (!square_within(distance_sq, got->distance, error)) {
        pair_fail(t, "distance, by its extent", got->distance, sqrt(mpq_get_d(distance_sq)));
    }
    set_part(error, got->distance, got->distance < ldexp(extent, -20) ? 50 : 25);
    mpq_add(error, error, more);
    if (!square_within(distance_sq, got->distance, error)) {
        pair_fail(t, "distance, by itself", got->distance, sqrt(mpq_get_d(distance_sq)));
    }
    mpq_clears(error, more, NULL);
}

// the weighted sum of corners
static void weighted(const double t[3][3], const double weight[3], mpq_t out[3]) {
    mpq_t x;
    mpq_t w;
    mpq_inits(x, w, NULL);
    for (int k = 0; k < 3; ++k) {
        mpq_set_si(out[k], 0, 1);
        for (int i = 0; i < 3; ++i) {
            mpq_set_d(x, t[i][k]);
            mpq_set_d(w, weight[i]);
            mpq_mul(x, x, w);
            mpq_add(out[k], out[k], x);
        }
    }
    mpq_clears(x, w, NULL);
}

static void check_feature(const test_pair* t, const double triangle[3][3], const abut_witness* w,
                          double distance) {
    uint32_t mask = 0;
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        if (!(w->weights[i] >= 0 && w->weights[i] <= 1)) {
            pair_fail(t, "weight", w->weights[i], 0);
        }
        mask |= (uint32_t)(w->weights[i] != 0) << i;
        sum += w->weights[i];
    }
    if (fabs(sum - 1) > 0x1p-50) {
        pair_fail(t, "sum of weights", sum, 1);
    }
    const uint32_t named = w->feature == ABUT_FEATURE_VERTEX ? 1u << w->index
                           : w->feature == ABUT_FEATURE_EDGE
                               ? 1u << w->index | 1u << (w->index + 1) % 3
                               : 7u;
    if (named != mask || w->index > 2 || (mask == 7 && w->index != 0)) {
        pair_fail(t, "feature", named, mask);
    }
    if (w->feature == ABUT_FEATURE_VERTEX && distance > 0) {
        assert_memory_equal(w->point, triangle[w->index], sizeof w->point);
    }
}

// the point is that of the weights, and in the box of the triangle
static void check_point(const test_pair* t, const double triangle[3][3], const abut_witness* w,
                        const mpq_t at[3]) {
    mpq_t error;
    mpq_t allowed;
    mpq_t ulp;
    mpq_inits(error, allowed, ulp, NULL);
    for (int k = 0; k < 3; ++k) {
        const double lo = fmin(fmin(triangle[0][k], triangle[1][k]), triangle[2][k]);
        const double hi = fmax(fmax(triangle[0][k], triangle[1][k]), triangle[2][k]);
        if (!(w->point[k] >= lo && w->point[k] <= hi)) {
            pair_fail(t, "point outside its box", w->point[k], lo);
        }
        mpq_set_d(error, w->point[k]);
        mpq_sub(error, error, at[k]);
        mpq_abs(error, error);
        set_part(allowed, extent_of(&t->pair), 48);
        const double last = nextafter(fabs(w->point[k]), INFINITY) - fabs(w->point[k]);
        mpq_set_d(ulp, isfinite(last) ? 2 * last : 0x1p972);
        mpq_add(allowed, allowed, ulp);
        if (mpq_cmp(error, allowed) > 0) {
            pair_fail(t, "point is not where its weights say", w->point[k], mpq_get_d(at[k]));
        }
    }
    mpq_clears(error, allowed, ulp, NULL);
}

static void check_witnesses(const test_pair* t, const abut_distance* got) {
    const exact_case* c = &t->pair;
    check_feature(t, c->p, &got->p, got->distance);
    check_feature(t, c->q, &got->q, got->distance);
    if (got->distance == 0) {
        assert_memory_equal(got->p.point, got->q.point, sizeof got->p.point);
        return;
    }
    mpq_t p[3];
    mpq_t q[3];
    mpq_t square;
    mpq_t error;
    for (int k = 0; k < 3; ++k) {
        mpq_inits(p[k], q[k], NULL);
    }
    mpq_inits(square, error, NULL);
    weighted(c->p, got->p.weights, p);
    weighted(c->q, got->q.weights, q);
    check_point(t, c->p, &got->p, (const mpq_t*)p);
    check_point(t, c->q, &got->q, (const mpq_t*)q);
    for (int k = 0; k < 3; ++k) {
        mpq_sub(p[k], p[k], q[k]);
        mpq_mul(p[k], p[k], p[k]);
        mpq_add(square, square, p[k]);
    }
    // weights that do not sum to 1 move a point by 2^-50 of its coordinates
    double most = 0;
    for (int i = 0; i < 9; ++i) {
        most = fmax(most, fmax(fabs(c->p[i / 3][i % 3]), fabs(c->q[i / 3][i % 3])));
    }
    set_part(error, fmax(extent_of(c), most), 45);
    if (got->distance < DBL_MIN) {
        mpq_set_d(error, fmax(ldexp(most, -45), 0x1p-1074));
    }
    if (isfinite(got->distance) && !square_within(square, got->distance, error)) {
        pair_fail(t, "distance of the points", got->distance, sqrt(mpq_get_d(square)));
    }
    for (int k = 0; k < 3; ++k) {
        mpq_clears(p[k], q[k], NULL);
    }
    mpq_clears(square, error, NULL);
}

static void fill(abut__triangle_batch* batch, const test_pair* pairs) {
    for (int lane = 0; lane < 16; ++lane) {
        exact_case c = pairs[lane].pair;
        for (int i = 0; i < 6; ++i) {
            for (int k = 0; k < 3; ++k) {
                batch->corner[i][k][lane] = case_corner(&c, i)[k];
            }
        }
    }
}

// each instruction set gives the bits of the function, or leaves the pair open
static uint32_t check_kernels(const test_pair* pairs, const abut_distance* wanted) {
    static abut__triangle_batch batch;
    fill(&batch, pairs);
    uint32_t open = 0;
    FOR_EACH_KERNELS(s, kernels) {
        abut__distances got;
        kernels->triangles_distance(&batch, 0xffff, &got);
        assert_true(s == 0 || got.open == open);
        open = got.open;
        for (int lane = 0; lane < 16; ++lane) {
            if ((open >> lane & 1) == 0 && got.distance[lane] != wanted[lane].distance) {
                pair_fail(&pairs[lane], "kernel", got.distance[lane], wanted[lane].distance);
            }
            if ((open >> lane & 1) == 0) {
                const exact_case* c = &pairs[lane].pair;
                const abut__closest at = {got.s[lane], got.t[lane], got.feature[lane]};
                abut_distance whole;
                abut__distance_complete(c->p, c->q, got.distance[lane], &at, &whole);
                assert_memory_equal(&whole, &wanted[lane], sizeof whole);
            }
        }
        kernels->triangles_distance(&batch, 0x5aa5, &got);
        assert_int_equal(got.open, open & 0x5aa5);
    }
    return open;
}

static void test_distances_match_oracle(void** state) {
    (void)state;
    const uint64_t pairs = effort(600, 9600, 96000) / 16 * 16;
    print_message("seed %d, %llu pairs\n", SEED, (unsigned long long)pairs);
    mpq_t distance_sq;
    mpq_init(distance_sq);
    uint64_t zeros = 0;
    uint64_t open = 0;
    for (uint64_t i = 0; i < pairs; i += 16) {
        static test_pair batch[16];
        abut_distance got[16];
        for (int lane = 0; lane < 16; ++lane) {
            batch[lane] = pair_make(SEED, i + (uint64_t)lane);
            const exact_case* c = &batch[lane].pair;
            abut__triangles_distance(c->p, c->q, &got[lane]);
            rational_distance_sq(c->p, c->q, distance_sq);
            check_value(&batch[lane], &got[lane], distance_sq);
            check_witnesses(&batch[lane], &got[lane]);
            zeros += got[lane].distance == 0;
        }
        open += (uint64_t)__builtin_popcount(check_kernels(batch, got));
    }
    mpq_clear(distance_sq);
    print_message("0: %llu, left open by kernels: %llu\n", (unsigned long long)zeros,
                  (unsigned long long)open);
    assert_true(zeros > pairs / 20 && open < pairs && pairs - open > pairs / 8);
}

// moves q towards p until this fraction of their distance is left
static void leave(exact_case* c, const abut_distance* now, double part) {
    for (int k = 0; k < 3 && now->distance > 0; ++k) {
        const double shift = (1 - part) * (now->p.point[k] - now->q.point[k]);
        for (int v = 0; v < 3; ++v) {
            c->q[v][k] += shift;
        }
    }
}

// two triangles of random shape, a small distance apart that the oracle knows as a rational
static void test_near_pairs_match_oracle(void** state) {
    (void)state;
    const uint64_t pairs = effort(300, 3000, 30000);
    uint64_t rng = SEED + 1;
    mpq_t distance_sq;
    mpq_init(distance_sq);
    for (uint64_t i = 0; i < pairs; ++i) {
        test_pair t = {SEED + 1, i, 0, {{{0}}, {{0}}}};
        exact_case* c = &t.pair;
        case_random(&rng, c);
        abut_distance got;
        abut__triangles_distance(c->p, c->q, &got);
        // almost the whole distance
        leave(c, &got, ldexp(1 + fabs(next_unit(&rng)), -next_int(&rng, 1, 50)));
        abut__triangles_distance(c->p, c->q, &got);
        rational_distance_sq(c->p, c->q, distance_sq);
        check_value(&t, &got, distance_sq);
        check_witnesses(&t, &got);
    }
    mpq_clear(distance_sq);
}

// distances of 2^-22 to 2^-18 of the extent: about where wide integers take over, and the promised
// error changes
static void test_pairs_around_the_switch_match_oracle(void** state) {
    (void)state;
    const uint64_t pairs = effort(600, 6000, 60000);
    uint64_t rng = SEED + 4;
    uint64_t below = 0;
    mpq_t distance_sq;
    mpq_init(distance_sq);
    for (uint64_t i = 0; i < pairs; ++i) {
        test_pair t = {SEED + 4, i, 0, {{{0}}, {{0}}}};
        exact_case* c = &t.pair;
        abut_distance got;
        case_random(&rng, c);
        const double part = exp2(-20 + 2 * next_unit(&rng) * fabs(next_unit(&rng)));
        // the extent changes as they come closer
        for (int k = 0; k < 3; ++k) {
            abut__triangles_distance(c->p, c->q, &got);
            leave(c, &got, got.distance > 0 ? part * extent_of(c) / got.distance : 1);
        }
        abut__triangles_distance(c->p, c->q, &got);
        rational_distance_sq(c->p, c->q, distance_sq);
        check_value(&t, &got, distance_sq);
        below += got.distance > ldexp(extent_of(c), -21) && got.distance < ldexp(extent_of(c), -20);
    }
    mpq_clear(distance_sq);
    print_message("%llu of %llu between 2^-21 and 2^-20 of the extent\n", (unsigned long long)below,
                  (unsigned long long)pairs);
    assert_true(below > pairs / 8);
}

// the search in doubles suffices for pairs as in meshes
static void test_wide_integers_are_rare(void** state) {
    (void)state;
    uint64_t rng = SEED + 2;
    uint32_t open = 0;
    uint32_t apart = 0;
    for (int n = 0; n < 4000; ++n) {
        test_pair pairs[16];
        abut_distance wanted[16];
        for (int lane = 0; lane < 16; ++lane) {
            pairs[lane] = (test_pair){SEED + 2, (uint64_t)n, 0, {{{0}}, {{0}}}};
            exact_case* c = &pairs[lane].pair;
            case_random(&rng, c);
            if (lane % 4 == 0) {  // flat and parallel, up to rounding to float
                for (int v = 0; v < 6; ++v) {
                    for (int k = 0; k < 3; ++k) {
                        double* x = &case_corner(c, v)[k];
                        *x = (double)(float)(k == 2 ? 1e-3 * (v / 3) + 1e-8 * *x : *x);
                    }
                }
            }
            abut__triangles_distance(c->p, c->q, &wanted[lane]);
        }
        const uint32_t left = check_kernels(pairs, wanted);
        for (int lane = 0; lane < 16; ++lane) {
            apart += wanted[lane].distance > 0;
            open += wanted[lane].distance > 0 && (left >> lane & 1) != 0;
        }
    }
    print_message("%u of %u pairs that are apart\n", open, apart);
    assert_true(apart > 20000 && open * 1000 < apart);
}

// true if scaling by a power of two may make a coordinate denormal, or one is denormal
static bool is_near_denormal(exact_case c) {
    bool near = false;
    for (int i = 0; i < 18; ++i) {
        const double x = fabs(case_corner(&c, i / 3)[i % 3]);
        near = near || (x > 0 && x < 0x1p-300);
    }
    return near;
}

static void test_scaling_by_powers_of_two_keeps_the_bits(void** state) {
    (void)state;
    static const int powers[] = {1, -1, 40, -300, 600, -700};
    uint32_t compared = 0;
    for (uint64_t i = 0; i < 3000; ++i) {
        uint64_t rng = SEED + 3 + i * 77;
        exact_case c;
        case_family(&rng, (int)(i % 8), &c);  // all families but the mixture
        abut_distance first;
        abut__triangles_distance(c.p, c.q, &first);
        for (int n = 0; n < 6 && first.distance > 0 && !is_near_denormal(c); ++n) {
            exact_case scaled;
            abut_distance second;
            for (int v = 0; v < 6; ++v) {
                for (int k = 0; k < 3; ++k) {
                    case_corner(&scaled, v)[k] = ldexp(case_corner(&c, v)[k], powers[n]);
                }
            }
            abut__triangles_distance(scaled.p, scaled.q, &second);
            second.distance = ldexp(second.distance, -powers[n]);
            for (int k = 0; k < 3; ++k) {
                second.p.point[k] = ldexp(second.p.point[k], -powers[n]);
                second.q.point[k] = ldexp(second.q.point[k], -powers[n]);
            }
            if (memcmp(&first, &second, sizeof first) != 0) {
                const test_pair t = {SEED + 3, i, (int)(i % 8), c};
                pair_fail(&t, "scaled distance", second.distance, first.distance);
            }
            ++compared;
        }
    }
    print_message("%u pairs compared\n", compared);
    assert_true(compared > 3000);
}

// parallel faces, crossed edges, corners above a face and above each other, at any distance
static void test_closed_forms(void** state) {
    (void)state;
    static const double flat[3][3] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
    for (int power = -12; power <= 6; ++power) {
        const double gap = pow(10, power);
        const double parallel[3][3] = {{-1, -1, gap}, {0, 1, gap}, {1, -1, gap}};
        const double corner[3][3] = {{0, 0, gap}, {0.5, 0, 3 + gap}, {0, 0.5, 2 + gap}};
        const double edge[3][3] = {{0, -3, gap}, {0, 3, gap}, {0, 0, 2 + gap}};
        const double beside[3][3] = {{-1, -1, 0}, {1, -1, 0}, {0, -1 - gap, 0}};
        const double point[3][3] = {{0, 1 + gap, 0}, {0, 1 + gap, 0}, {0, 1 + gap, 0}};
        const double segment[3][3] = {{5, 0, -gap}, {5, 0, -gap}, {-5, 0, -gap}};
        const double(*others[])[3] = {parallel, corner, edge, point, segment};
        for (int i = 0; i < 5; ++i) {
            const double exact = i == 3 ? (1 + gap) - 1 : gap;
            abut_distance d;
            assert_int_equal(abut_triangles_distance(flat, others[i], &d), ABUT_OK);
            const double error = exact < 0x1p-19 ? 0x1p-50 * exact : 0x1p-45 * fmax(2, gap);
            if (fabs(d.distance - exact) > error) {
                fail_msg("gap %g, case %d: %.17g", gap, i, d.distance);
            }
            assert_int_equal(abut_triangles_distance(others[i], flat, &d), ABUT_OK);
            if (fabs(d.distance - exact) > error) {
                fail_msg("gap %g, case %d, swapped: %.17g", gap, i, d.distance);
            }
        }
        abut_distance d;
        assert_int_equal(abut_triangles_distance(flat, beside, &d), ABUT_OK);
        assert_true(d.distance == 0);  // they share an edge
        assert_int_equal(abut_triangles_distance(flat, corner, &d), ABUT_OK);
        assert_int_equal(d.p.feature, ABUT_FEATURE_FACE);
        assert_int_equal(d.q.feature, ABUT_FEATURE_VERTEX);
        assert_int_equal(d.q.index, 0);
        assert_int_equal(abut_triangles_distance(edge, point, &d), ABUT_OK);
        assert_int_equal(d.p.feature, gap <= 2 ? ABUT_FEATURE_EDGE : ABUT_FEATURE_VERTEX);
    }
}

// the fifteen pairs of features of triangles that pierce each other are all apart
static void test_piercing_triangles_are_at_distance_0(void** state) {
    (void)state;
    static const double p[3][3] = {{-4, -4, 0}, {4, -4, 0}, {0, 4, 0}};
    static const double q[3][3] = {{0, 0, -3}, {0, 0.5, 3}, {0.5, 0, 3}};
    abut_distance d;
    assert_int_equal(abut_triangles_distance(p, q, &d), ABUT_OK);
    assert_true(d.distance == 0);
    assert_true(d.p.point[2] == 0);
    assert_int_equal(d.p.feature, ABUT_FEATURE_FACE);
    assert_int_equal(d.q.feature, ABUT_FEATURE_EDGE);
}

static void test_public_call_checks_its_arguments(void** state) {
    (void)state;
    double p[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const double q[3][3] = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
    abut_distance d;
    memset(&d, 0x55, sizeof d);
    const abut_distance before = d;
    assert_int_equal(abut_triangles_distance(NULL, q, &d), ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_triangles_distance(p, NULL, &d), ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_triangles_distance(p, q, NULL), ABUT_ERR_INVALID_ARGUMENT);
    for (int i = 0; i < 9; ++i) {
        const double kept = p[i / 3][i % 3];
        p[i / 3][i % 3] = i % 2 ? NAN : INFINITY;
        assert_int_equal(abut_triangles_distance(p, q, &d), ABUT_ERR_INVALID_ARGUMENT);
        assert_int_equal(abut_triangles_distance(q, p, &d), ABUT_ERR_INVALID_ARGUMENT);
        p[i / 3][i % 3] = kept;
    }
    assert_memory_equal(&d, &before, sizeof d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances_match_oracle),
        cmocka_unit_test(test_near_pairs_match_oracle),
        cmocka_unit_test(test_pairs_around_the_switch_match_oracle),
        cmocka_unit_test(test_wide_integers_are_rare),
        cmocka_unit_test(test_scaling_by_powers_of_two_keeps_the_bits),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_piercing_triangles_are_at_distance_0),
        cmocka_unit_test(test_public_call_checks_its_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
