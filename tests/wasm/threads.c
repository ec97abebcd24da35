// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// tests/support/threads.h where there is one thread: tasks run one after the other, in a random order if that is
// wanted, and are given to the workers in turn. So answers are still tested for any number of workers.
#include "support/threads.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/random.h"

#define MOST_WORKERS 64

struct test_threads {
    uint32_t workers;
    bool shuffle;
    bool running;
    test_random random;
    uint64_t done[MOST_WORKERS];
};

test_threads* threads_create(uint32_t workers, uint64_t shuffle) {
    test_threads* threads = calloc(1, sizeof *threads);
    if (threads == NULL || workers < 1 || workers > MOST_WORKERS) {
        abort();
    }
    threads->workers = workers;
    threads->shuffle = shuffle != 0;
    threads->random = random_seed(shuffle);
    return threads;
}

void threads_destroy(test_threads* threads) {
    free(threads);
}

static void run(void* user, uint32_t count, abut_task_fn task, void* argument) {
    test_threads* threads = user;
    uint32_t* order = malloc((count + 1) * sizeof *order);
    if (threads->running || order == NULL) {
        fputs("threads: a task called run of its own pool\n", stderr);
        abort();
    }
    threads->running = true;
    for (uint32_t i = 0; i < count; ++i) {
        order[i] = i;
    }
    for (uint32_t i = count; threads->shuffle && i > 1; --i) {
        const uint32_t k = random_below(&threads->random, i);
        const uint32_t last = order[i - 1];
        order[i - 1] = order[k];
        order[k] = last;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t worker = i % threads->workers;
        task(argument, order[i], worker);
        ++threads->done[worker];
    }
    threads->running = false;
    free(order);
}

abut_tasks threads_tasks(test_threads* threads) {
    return (abut_tasks){threads->workers, run, threads};
}

abut_context_def threads_context_def(test_threads* threads) {
    abut_context_def def = abut_context_def_default();
    if (threads != NULL) {
        def.tasks = threads_tasks(threads);
    }
    return def;
}

uint64_t threads_done(const test_threads* threads, uint32_t worker) {
    return threads->done[worker];
}
