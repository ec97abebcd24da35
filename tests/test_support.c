// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tests of the test support: brute force against a plain double loop, classes against all pairs of
// vertices, the checks of the allocator, the thread pool and the random numbers.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abut/abut.h"
#include "support/brute.h"
#include "support/judge.h"
#include "support/memory.h"
#include "support/random.h"
#include "support/rounded.h"
#include "support/threads.h"
#include "support/world.h"

#define VERTICES 40u
#define TRIANGLES 60u

static double margin_now;  // brute_touch takes no user pointer

static bool touch(const double p[3][3], const double q[3][3]) {
    bool answer = false;
    assert_int_equal(abut_triangles_touch(p, q, &answer, NULL), ABUT_OK);
    return answer;
}

static bool within(const double p[3][3], const double q[3][3]) {
    bool answer = false;
    assert_int_equal(abut_triangles_within(p, q, margin_now, &answer), ABUT_OK);
    return answer;
}

typedef struct soup {
    double xyz[3 * VERTICES];
    uint32_t triangles[3 * TRIANGLES];
} soup;

static void random_soup(test_random* random, soup* s) {
    const bool lattice = random_chance(random, 0.5);
    for (size_t i = 0; i < 3 * (size_t)VERTICES; ++i) {
        s->xyz[i] = lattice ? random_dyadic(random, 4, 1) : random_double(random, -1, 1);
    }
    for (size_t i = 0; i < 3 * (size_t)TRIANGLES; ++i) {
        s->triangles[i] = random_below(random, VERTICES);
    }
}

static void corners(const soup* s, uint32_t triangle, double out[3][3]) {
    for (size_t c = 0; c < 3; ++c) {
        memcpy(out[c], s->xyz + 3 * (size_t)s->triangles[3 * (size_t)triangle + c],
               3 * sizeof(double));
    }
}

static bool share(const soup* s, const uint32_t* classes, uint32_t a, uint32_t b) {
    for (size_t i = 0; i < 9; ++i) {
        const uint32_t v = s->triangles[3 * (size_t)a + i / 3];
        const uint32_t w = s->triangles[3 * (size_t)b + i % 3];
        if (classes == NULL ? v == w : classes[v] == classes[w]) {
            return true;
        }
    }
    return false;
}

static void compare(uint64_t seed, const char* what, brute_pair* found, size_t count,
                    const brute_pair* wanted, size_t wanted_count) {
    if (!brute_pairs_equal(found, count, wanted, wanted_count)) {
        fail_msg("seed %llu, %s: %zu pairs, not %zu, or others", (unsigned long long)seed, what,
                 count, wanted_count);
    }
    free(found);
}

static void test_brute_collide(void** state) {
    (void)state;
    static brute_pair wanted[TRIANGLES * TRIANGLES];
    soup a;
    soup b;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        test_random random = random_seed(seed);
        random_soup(&random, &a);
        random_soup(&random, &b);
        margin_now = seed % 3 == 0 ? 0.25 : 0;
        size_t count = 0;
        for (uint32_t i = 0; i < TRIANGLES; ++i) {
            for (uint32_t k = 0; k < TRIANGLES; ++k) {
                double p[3][3];
                double q[3][3];
                corners(&a, i, p);
                corners(&b, k, q);
                if (within((const double(*)[3])p, (const double(*)[3])q)) {
                    wanted[count++] = (brute_pair){i, k};
                }
            }
        }
        brute_pair* found = NULL;
        const brute_touch test = margin_now > 0 ? within : touch;
        const size_t n = brute_collide(a.xyz, a.triangles, TRIANGLES, b.xyz, b.triangles, TRIANGLES,
                                       margin_now, test, &found);
        assert_int_equal(brute_collide(a.xyz, a.triangles, TRIANGLES, b.xyz, b.triangles, TRIANGLES,
                                       margin_now, test, NULL),
                         n);
        compare(seed, "collide", found, n, wanted, count);
    }
}

static void test_brute_self(void** state) {
    (void)state;
    static brute_pair wanted[TRIANGLES * TRIANGLES];
    uint32_t classes[VERTICES];
    soup a;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        test_random random = random_seed(seed);
        random_soup(&random, &a);
        margin_now = seed % 3 == 0 ? 0.25 : 0;
        brute_classes(a.xyz, VERTICES, classes);
        const uint32_t* used = seed % 2 == 0 ? classes : NULL;
        size_t count = 0;
        for (uint32_t i = 0; i < TRIANGLES; ++i) {
            for (uint32_t k = i + 1; k < TRIANGLES; ++k) {
                double p[3][3];
                double q[3][3];
                corners(&a, i, p);
                corners(&a, k, q);
                if (!share(&a, used, i, k) &&
                    within((const double(*)[3])p, (const double(*)[3])q)) {
                    wanted[count++] = (brute_pair){i, k};
                }
            }
        }
        brute_pair* found = NULL;
        const size_t n = brute_self(a.xyz, a.triangles, TRIANGLES, used, margin_now,
                                    margin_now > 0 ? within : touch, &found);
        compare(seed, "self", found, n, wanted, count);
    }
}

static void test_brute_classes(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 100; ++seed) {
        test_random random = random_seed(seed);
        double xyz[3 * VERTICES];
        uint32_t classes[VERTICES];
        for (size_t i = 0; i < 3 * (size_t)VERTICES; ++i) {
            xyz[i] = random_between(&random, -1, 1) * (random_chance(&random, 0.5) ? 1.0 : -1.0);
        }
        brute_classes(xyz, VERTICES, classes);
        for (uint32_t v = 0; v < VERTICES; ++v) {
            uint32_t first = v;
            for (uint32_t u = v; u-- > 0;) {
                const double* p = xyz + 3 * (size_t)u;
                const double* q = xyz + 3 * (size_t)v;
                first = p[0] == q[0] && p[1] == q[1] && p[2] == q[2] ? u : first;
            }
            assert_int_equal(classes[v], first);
        }
    }
}

// ---- the allocator reports violations

static void test_memory_reports_violations(void** state) {
    (void)state;
    for (int crime = 0; crime < 7; ++crime) {
        test_memory memory;
        memory_init(&memory);
        const abut_allocator hook = memory_allocator(&memory);
        unsigned char* block = hook.alloc(hook.user, 100, 32);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 32, 0);
        switch (crime) {
            case 0: break;  // none
            case 1: block[100] = 1; break;
            case 2: block[-1] = 1; break;
            default: break;
        }
        if (crime < 6) {
            hook.free(hook.user, block, crime == 3 ? 99 : 100, crime == 4 ? 64 : 32);
        }
        if (crime == 5) {
            (void)hook.alloc(hook.user, 8, 24);  // no power of two
        }
        const size_t faults = crime == 0 || crime == 6 ? 0 : 1;
        assert_int_equal(memory_check(&memory), faults);
        assert_int_equal(memory.live_blocks, crime == 6 ? 1 : 0);
        memory_destroy(&memory);
    }
}

static void test_memory_fails_on_request(void** state) {
    (void)state;
    test_memory memory;
    memory_init(&memory);
    const abut_allocator hook = memory_allocator(&memory);
    memory_fail(&memory, 2, false);
    void* first = hook.alloc(hook.user, 10, 8);
    assert_non_null(first);
    assert_null(hook.alloc(hook.user, 10, 8));
    void* third = hook.alloc(hook.user, 10, 8);
    assert_non_null(third);
    assert_int_equal(memory.refused, 1);
    memory_fail(&memory, 2, true);
    void* fourth = hook.alloc(hook.user, 10, 8);
    assert_non_null(fourth);
    assert_null(hook.alloc(hook.user, 10, 8));
    assert_null(hook.alloc(hook.user, 10, 8));
    memory_fail(&memory, 0, false);
    memory.limit_bytes = 40;
    assert_null(hook.alloc(hook.user, 11, 8));
    void* fifth = hook.alloc(hook.user, 10, 8);
    assert_non_null(fifth);
    assert_int_equal(memory.live_bytes, 40);
    hook.free(hook.user, first, 10, 8);
    hook.free(hook.user, third, 10, 8);
    hook.free(hook.user, fourth, 10, 8);
    hook.free(hook.user, fifth, 10, 8);
    assert_int_equal(memory.peak_bytes, 40);
    memory_require_clean(&memory);
}

// ---- threads

#define TASKS 1000u

typedef struct ledger {
    atomic_uint done[TASKS];
    atomic_uint busy[64];  // by worker: two tasks at once must not have the same worker
    atomic_uint clashes;
    uint32_t workers;
} ledger;

static void enter(void* argument, uint32_t index, uint32_t worker) {
    ledger* l = argument;
    if (worker >= l->workers || atomic_fetch_add(&l->busy[worker], 1) != 0) {
        atomic_fetch_add(&l->clashes, 1);
    }
    atomic_fetch_add(&l->done[index], 1);
    if (worker < l->workers) {
        atomic_fetch_sub(&l->busy[worker], 1);
    }
}

static void test_threads_run_each_once(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 4, 16, 64};
    ledger* l = malloc(sizeof *l);
    assert_non_null(l);
    for (int i = 0; i < 5; ++i) {
        for (uint64_t shuffle = 0; shuffle < 3; ++shuffle) {
            test_threads* threads = threads_create(workers[i], shuffle);
            const abut_tasks hook = threads_tasks(threads);
            assert_int_equal(hook.workers, workers[i]);
            memset(l, 0, sizeof *l);
            l->workers = workers[i];
            for (uint32_t count = 0; count < TASKS; count += 1 + count) {
                hook.run(hook.user, count, enter, l);
                for (uint32_t t = 0; t < TASKS; ++t) {
                    assert_int_equal(atomic_exchange(&l->done[t], 0), t < count ? 1 : 0);
                }
            }
            assert_int_equal(atomic_load(&l->clashes), 0);
            uint64_t total = 0;
            for (uint32_t w = 0; w < workers[i]; ++w) {
                total += threads_done(threads, w);
            }
            assert_int_equal(total, 1023 - 10);  // 1 + 3 + 7 + ... + 511
            threads_destroy(threads);
        }
    }
    free(l);
}

// ---- random numbers

static void test_random_numbers(void** state) {
    (void)state;
    test_random a = random_seed(7);
    test_random b = random_seed(7);
    test_random c = random_seed(8);
    uint32_t same = 0;
    for (int i = 0; i < 1000; ++i) {
        const uint64_t x = random_bits(&a);
        assert_true(x == random_bits(&b));
        same += x == random_bits(&c);
    }
    assert_int_equal(same, 0);
    uint32_t seen[7] = {0};
    for (int i = 0; i < 7000; ++i) {
        ++seen[random_below(&a, 7)];
        const double unit = random_unit(&a);
        assert_true(unit >= 0 && unit < 1);
        const int32_t between = random_between(&a, -3, 3);
        assert_in_range(between + 3, 0, 6);
        assert_true(isfinite(random_finite(&a)));
        const double dyadic = random_dyadic(&a, 2, 0.25);
        assert_true(fabs(dyadic) <= 2 && dyadic * 4 == floor(dyadic * 4));
    }
    for (int i = 0; i < 7; ++i) {
        assert_in_range(seen[i], 850, 1150);
    }
    uint32_t order[100];
    bool found[100] = {false};
    random_permutation(&a, order, 100);
    for (int i = 0; i < 100; ++i) {
        assert_true(order[i] < 100 && !found[order[i]]);
        found[order[i]] = true;
    }
}

// ---- operations that are rounded one by one

static bool same_number(double a, double b) {
    return a == b;  // -0 equals 0
}

static void test_rounded_operations(void** state) {
    (void)state;
    test_random random = random_seed(17);
    for (int i = 0; i < 20000; ++i) {
        const bool any = i % 2 == 0;
        const double a = any ? random_finite(&random) : random_dyadic(&random, 4, 0x1p-40);
        const double b = any ? random_finite(&random)
                             : ldexp(random_dyadic(&random, 4, 0x1p-40), (int)(i % 128) - 64);
        volatile double sum = a + b;
        volatile double difference = a - b;
        volatile double product = a * b;
        volatile double quotient = b != 0 ? a / b : 0;
        assert_true(same_number(rounded_sum(a, b), sum));
        assert_true(same_number(rounded_difference(a, b), difference));
        assert_true(same_number(rounded_product(a, b), product));
        assert_true(b == 0 || same_number(rounded_quotient(a, b), quotient));
    }
    assert_true(same_number(rounded_sum(0x1.fffffffffffffp1023, 0x1p970), INFINITY));
    assert_true(same_number(rounded_product(5e-324, 0.5), 0));
    assert_true(same_number(rounded_product(5e-324, 1.5), 1e-323));
}

// ---- the judge of comparisons

static void test_rationals_judge_one_in_ten(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface ball = surface_ball(4, 6, 1);
    const abut_body_id a = world_add(&w, &ball, NULL, NULL);
    surface_shift(&ball, 0.5, 0.25, 0.125);
    const abut_body_id b = world_add(&w, &ball, NULL, NULL);
    const size_t asked = judge_asked();
    const size_t judged = judge_judged();
    for (int i = 0; i < 100; ++i) {
        REQUIRE(check_between(&w, a, b, NULL) > 0);
    }
    assert_int_equal(judge_asked() - asked, 100);
    assert_in_range(judge_judged() - judged, 9, 11);
    surface_free(&ball);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brute_collide),
        cmocka_unit_test(test_brute_self),
        cmocka_unit_test(test_brute_classes),
        cmocka_unit_test(test_memory_reports_violations),
        cmocka_unit_test(test_memory_fails_on_request),
        cmocka_unit_test(test_threads_run_each_once),
        cmocka_unit_test(test_random_numbers),
        cmocka_unit_test(test_rounded_operations),
        cmocka_unit_test(test_rationals_judge_one_in_ten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
