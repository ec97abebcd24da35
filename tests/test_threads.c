// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The pool of threads of abut/threads.h: each task runs once, on one worker at a time, whatever
// else uses the pool; and helpers join where they pay.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abut/threads.h"
#include "support/world.h"
#include "threads/helping.h"

// ---- runs

typedef struct job {
    atomic_uint* runs;  // per task
    atomic_uint* busy;  // per worker: tasks that it runs now
    uint32_t workers;
    uint64_t seed;
    uint32_t longest;  // turns of a loop that a task takes at most
    atomic_uint faults;
    const abut_tasks* inner;  // NULL, or hooks that tasks use themselves
} job;

static void spin(uint32_t turns) {
    for (volatile uint32_t i = 0; i < turns; ++i) {
    }
}

static void count_inner(void* argument, uint32_t index, uint32_t worker) {
    (void)index;
    (void)worker;
    atomic_fetch_add((atomic_uint*)argument, 1);
}

static void do_task(void* argument, uint32_t index, uint32_t worker) {
    job* j = argument;
    if (worker >= j->workers || atomic_fetch_add(&j->busy[worker], 1) != 0) {
        atomic_fetch_add(&j->faults, 1);
        return;
    }
    test_random random = random_seed(j->seed + index);
    spin(j->longest > 0 ? random_below(&random, j->longest) : 0);
    atomic_fetch_add(&j->runs[index], 1);
    if (j->inner != NULL && index % 7 == 0) {
        atomic_uint inner = 0;
        j->inner->run(j->inner->user, 5, count_inner, &inner);
        atomic_fetch_add(&j->faults, inner != 5);
    }
    atomic_fetch_sub(&j->busy[worker], 1);
}

// runs tasks, and requires that each ran once
static void run_once(const abut_tasks* tasks, uint64_t seed, uint32_t count, uint32_t longest,
                     bool nested) {
    job j = {.workers = tasks->workers, .seed = seed, .longest = longest};
    j.runs = calloc(count + 1, sizeof *j.runs);
    j.busy = calloc(tasks->workers, sizeof *j.busy);
    j.inner = nested ? tasks : NULL;
    REQUIRE(j.runs != NULL && j.busy != NULL);
    tasks->run(tasks->user, count, do_task, &j);
    REQUIRE(j.faults == 0);
    for (uint32_t i = 0; i < count; ++i) {
        REQUIRE(j.runs[i] == 1);
    }
    free(j.runs);
    free(j.busy);
}

static void run_many(const abut_tasks* tasks, uint64_t seed) {
    test_random random = random_seed(seed);
    for (uint32_t round = 0; round < effort(200, 2000, 20000); ++round) {
        const uint32_t count = random_below(&random, random_chance(&random, 0.1) ? 500 : 20);
        const uint32_t longest = random_chance(&random, 0.2) ? 100000 : 1000;
        run_once(tasks, random_bits(&random), count, longest, random_chance(&random, 0.1));
    }
}

static void test_each_task_runs_once(void** state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 5; ++workers) {
        abut_threads* threads;
        REQUIRE_OK(abut_threads_create(workers, &threads, NULL));
        const abut_tasks tasks = abut_threads_tasks(threads);
        REQUIRE(tasks.workers == workers);
        where("seed %u", 7100 + workers);
        run_many(&tasks, 7100 + workers);
        abut_threads_destroy(threads);
    }
}

typedef struct caller {
    pthread_t thread;
    const abut_tasks* tasks;
    uint64_t seed;
} caller;

static void* call(void* argument) {
    const caller* c = argument;
    run_many(c->tasks, c->seed);
    return NULL;
}

static void test_callers_share_a_pool(void** state) {
    (void)state;
    enum { CALLERS = 4 };
    abut_threads* threads;
    caller callers[CALLERS];
    REQUIRE_OK(abut_threads_create(3, &threads, NULL));
    const abut_tasks tasks = abut_threads_tasks(threads);
    for (uint32_t i = 0; i < CALLERS; ++i) {
        callers[i] = (caller){.tasks = &tasks, .seed = 7200 + i};
        REQUIRE(pthread_create(&callers[i].thread, NULL, call, &callers[i]) == 0);
    }
    for (uint32_t i = 0; i < CALLERS; ++i) {
        REQUIRE(pthread_join(callers[i].thread, NULL) == 0);
    }
    abut_threads_destroy(threads);
}

static void test_pools_come_and_go(void** state) {
    (void)state;
    for (uint32_t round = 0; round < effort(50, 500, 5000); ++round) {
        abut_threads* threads;
        REQUIRE_OK(abut_threads_create(1 + round % 4, &threads, NULL));
        const abut_tasks tasks = abut_threads_tasks(threads);
        if (round % 3 != 0) {
            run_once(&tasks, round, 40, round % 2 == 0 ? 50000 : 100, false);
        }
        abut_threads_destroy(threads);
    }
    abut_threads_destroy(NULL);
}

static void note_helper(void* argument, uint32_t index, uint32_t worker) {
    (void)index;
    spin(100000);
    if (worker != 0) {
        atomic_store((atomic_bool*)argument, true);
    }
}

// On a busy machine helpers seldom gain anything, and a pool tries them less and less: so pools are new.
static void test_helpers_join_long_runs(void** state) {
    (void)state;
    atomic_bool joined = false;
    for (uint32_t round = 0; round < 100 && !joined; ++round) {
        abut_threads* threads;
        REQUIRE_OK(abut_threads_create(2, &threads, NULL));
        const abut_tasks tasks = abut_threads_tasks(threads);
        for (uint32_t i = 0; i < HELPING_RATES && !joined; ++i) {
            tasks.run(tasks.user, 100, note_helper, &joined);
        }
        abut_threads_destroy(threads);
    }
    REQUIRE(joined);
}

static void test_bad_arguments(void** state) {
    (void)state;
    abut_error error;
    abut_threads* threads;
    REQUIRE(abut_threads_create(2, NULL, &error) == ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE(error.status == ABUT_ERR_INVALID_ARGUMENT && strlen(error.message) > 0);
    REQUIRE_OK(abut_threads_create(0, &threads, NULL));
    REQUIRE(abut_threads_tasks(threads).workers >= 1);
    abut_threads_destroy(threads);
}

// ---- whether helpers join

static void task_a(void* argument, uint32_t index, uint32_t worker) {
    (void)argument;
    (void)index;
    (void)worker;
}

static void task_b(void* argument, uint32_t index, uint32_t worker) {
    task_a(argument, index + 1, worker);
}

// Tells of so many runs of 1 ms by the clock, each with this much processor time per second. There is
// some time between them, so that each is a series of its own.
static void learn_runs(helping* h, uint32_t runs, bool helped, double rate) {
    for (uint32_t i = 0; i < runs; ++i) {
        const helping_run run = {100, helped, true, 1e-3, 1e-3 * rate};
        (void)helping_begin(h, task_a, 100, h->ended + 1);
        helping_learn(h, &run);
        helping_end(h, h->ended + 1.001);
    }
}

// a run of so many tasks on the calling thread, `after` seconds after the last one
static helping_plan run_alone(helping* h, abut_task_fn task, uint32_t count, double seconds,
                              double after) {
    const double now = h->ended + after;
    const helping_plan plan = helping_begin(h, task, count, now);
    helping_learn_short(h, count, seconds);
    helping_end(h, now + seconds);
    return plan;
}

static void test_short_runs_stay_alone(void** state) {
    (void)state;
    helping h = {0};
    REQUIRE(run_alone(&h, task_a, 100, 10e-6, 1) == HELPING_ALONE);  // nothing is known yet
    REQUIRE(run_alone(&h, task_a, 100, 10e-6, 1) == HELPING_ALONE);
    REQUIRE(run_alone(&h, task_b, 100, 50e-6, 1) == HELPING_ALONE);
    REQUIRE(run_alone(&h, task_b, 100, 50e-6, 1) == HELPING_JOIN);
    REQUIRE(run_alone(&h, task_b, 1000, 5e-3, 1) == HELPING_ALONE);  // not known in this size
    REQUIRE(run_alone(&h, task_b, 1000, 5e-3, 1) == HELPING_WAKE);
    REQUIRE(run_alone(&h, task_b, 100, 50e-6, 1) == HELPING_JOIN);
}

// A short run wakes helpers if a long series of runs begins with it, and within such a series.
static void test_series_wake_helpers(void** state) {
    (void)state;
    helping h = {0};
    const double soon = 0.2 * HELPING_AWAKE;
    const double late = 2 * HELPING_AWAKE;
    (void)run_alone(&h, task_a, 100, 50e-6, late);
    for (uint32_t round = 0; round < 20; ++round) {  // each by itself
        REQUIRE(run_alone(&h, task_a, 100, 50e-6, late) == HELPING_JOIN);
    }
    for (uint32_t round = 0; round < 20; ++round) {  // three more follow each
        const helping_plan first = run_alone(&h, task_a, 100, 50e-6, late);
        REQUIRE(first == (round < 2 ? HELPING_JOIN : HELPING_WAKE) || round < 6);
        for (uint32_t i = 0; i < 3; ++i) {
            const helping_plan next = run_alone(&h, task_b, 10, 80e-6, soon);
            REQUIRE(next == HELPING_JOIN || (round == 0 && i == 0) || i == 2);
        }
    }
    REQUIRE(run_alone(&h, task_b, 10, 80e-6, late) == HELPING_JOIN);
    for (uint32_t i = 1; i < 50; ++i) {  // a series that does not end
        const helping_plan plan = run_alone(&h, task_b, 10, 80e-6, soon);
        REQUIRE(plan == (80e-6 * i < HELPING_WAKE_LEAST ? HELPING_JOIN : HELPING_WAKE));
    }
}

// Returns the number of runs alone until helpers are tried again. Only the last ones are measured.
static uint32_t wait_for_trial(helping* h, double alone) {
    uint32_t runs = 0;
    uint32_t measured = 0;
    for (; !helping_pays(h); ++runs) {
        measured += helping_measures(h);
        learn_runs(h, 1, false, alone);
        REQUIRE(runs < 10000);
    }
    REQUIRE(measured <= HELPING_RATES);
    return runs;
}

// returns the number of runs with helpers until there are none
static uint32_t wait_for_pause(helping* h, double together) {
    uint32_t runs = 0;
    for (; helping_pays(h); ++runs) {
        learn_runs(h, 1, true, together);
        REQUIRE(runs < 10000);
    }
    return runs;
}

static void test_helpers_that_do_not_pay_pause(void** state) {
    (void)state;
    helping h = {0};
    REQUIRE(helping_pays(&h));
    learn_runs(&h, 100, true, 1.8);
    REQUIRE(helping_pays(&h));
    REQUIRE(wait_for_pause(&h, 0.4) < 20);
    uint32_t last = 0;
    uint32_t runs = 0;
    uint32_t tried = 0;
    for (uint32_t trial = 0; trial < 8; ++trial) {
        const uint32_t waited = wait_for_trial(&h, 0.9);
        REQUIRE(waited > last || waited >= 4096);
        last = waited;
        runs += waited;
        tried += wait_for_pause(&h, 0.4);
    }
    REQUIRE(100 * tried < runs);  // trials are few
    (void)wait_for_trial(&h, 0.9);
    learn_runs(&h, 400, true, 1.8);  // the other programs have ended
    REQUIRE(helping_pays(&h));
    REQUIRE(wait_for_pause(&h, 0.4) < 20);
    REQUIRE(wait_for_trial(&h, 0.9) < last);  // pauses begin anew
}

// A few runs that stall are no reason for a pause. If many stall so long that all take more time
// than alone, helpers do not pay, whatever the others gain.
static void test_stalls_count_by_their_time(void** state) {
    (void)state;
    helping h = {0};
    for (uint32_t i = 0; i < 200; ++i) {
        learn_runs(&h, 1, true, i % 50 == 49 ? 0.1 : 1.9);
        REQUIRE(helping_pays(&h));
    }
    for (uint32_t i = 0; i < 200 && helping_pays(&h); ++i) {
        const helping_run stalled = {100, true, true, 10e-3, 1e-3};
        learn_runs(&h, 2, true, 1.9);
        (void)helping_begin(&h, task_a, 100, h.ended + 1);
        helping_learn(&h, &stalled);
        helping_end(&h, h.ended + 1);
    }
    REQUIRE(!helping_pays(&h));
}

// Where a run alone gets two thirds of a processor, helpers pay if they bring it to a whole one.
static void test_helpers_are_compared_with_a_run_alone(void** state) {
    (void)state;
    helping h = {0};
    learn_runs(&h, HELPING_RATES, true, 1.0);
    REQUIRE(!helping_pays(&h));  // no better than a processor for itself
    (void)wait_for_trial(&h, 0.66);
    learn_runs(&h, 50, true, 1.0);
    REQUIRE(helping_pays(&h));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_task_runs_once),
        cmocka_unit_test(test_callers_share_a_pool),
        cmocka_unit_test(test_pools_come_and_go),
        cmocka_unit_test(test_helpers_join_long_runs),
        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_short_runs_stay_alone),
        cmocka_unit_test(test_series_wake_helpers),
        cmocka_unit_test(test_helpers_that_do_not_pay_pause),
        cmocka_unit_test(test_stalls_count_by_their_time),
        cmocka_unit_test(test_helpers_are_compared_with_a_run_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
