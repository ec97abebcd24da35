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

static void test_helpers_join_long_runs(void** state) {
    (void)state;
    abut_threads* threads;
    atomic_bool joined = false;
    REQUIRE_OK(abut_threads_create(2, &threads, NULL));
    const abut_tasks tasks = abut_threads_tasks(threads);
    for (uint32_t round = 0; round < 300 && !joined; ++round) {
        tasks.run(tasks.user, 100, note_helper, &joined);
    }
    REQUIRE(joined);
    abut_threads_destroy(threads);
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

// tells of so many runs of 1 ms, each with this much processor time per second
static void learn_runs(helping* h, uint32_t runs, bool helped, double rate) {
    for (uint32_t i = 0; i < runs; ++i) {
        const helping_run run = {task_a, 100, helped, 1e-3, 1e-3 * rate};
        helping_learn(h, &run);
    }
}

static void test_short_runs_stay_alone(void** state) {
    (void)state;
    helping h = {0};
    REQUIRE(!helping_expects_long(&h, task_a, 1000000));  // nothing is known yet
    helping_learn_short(&h, task_a, 10, 1e-6 * 10);
    REQUIRE(!helping_expects_long(&h, task_a, 100));
    REQUIRE(helping_expects_long(&h, task_a, 1000));
    learn_runs(&h, 20, true, 1.9);  // tasks of 19 us
    REQUIRE(helping_expects_long(&h, task_a, 15) && !helping_expects_long(&h, task_a, 5));
}

// returns the number of runs alone until helpers are tried again
static uint32_t wait_for_trial(helping* h, double alone) {
    uint32_t runs = 0;
    for (; !helping_pays(h); ++runs) {
        learn_runs(h, 1, false, alone);
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
    uint32_t last = 0;
    for (uint32_t trial = 0; trial < 5; ++trial) {
        for (uint32_t runs = 0; helping_pays(&h); ++runs) {
            learn_runs(&h, 1, true, 0.4);
            REQUIRE(runs < 20);
        }
        const uint32_t waited = wait_for_trial(&h, 0.9);
        REQUIRE(waited > last);
        last = waited;
    }
    learn_runs(&h, 20, true, 1.8);  // the other programs have ended
    REQUIRE(helping_pays(&h));
    for (uint32_t runs = 0; helping_pays(&h); ++runs) {
        learn_runs(&h, 1, true, 0.4);
        REQUIRE(runs < 20);
    }
    REQUIRE(wait_for_trial(&h, 0.9) < last);  // pauses begin anew
}

// Where a run alone gets two thirds of a processor, helpers pay if they bring it to a whole one.
static void test_helpers_are_compared_with_a_run_alone(void** state) {
    (void)state;
    helping h = {0};
    learn_runs(&h, 10, true, 1.0);
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
        cmocka_unit_test(test_helpers_that_do_not_pay_pause),
        cmocka_unit_test(test_helpers_are_compared_with_a_run_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
