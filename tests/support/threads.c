// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// One run at a time. The caller publishes a job under the lock and wakes all workers. All workers,
// the caller included, take the next index from one counter until none is left. A run ends when
// every worker has reported its end, so that no thread can take the next job with the argument of
// the last.

#include "support/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/random.h"

#define MOST_WORKERS 64
#define MOST_YIELDS 32  // of a worker, in all runs together

typedef struct test_worker {
    test_threads* pool;
    uint32_t number;
    pthread_t thread;
    uint64_t done;       // written by this worker inside a run, read between runs
    test_random random;  // of this worker alone
    uint32_t yields;     // how often it may still yield the processor
} test_worker;

struct test_threads {
    pthread_mutex_t one_run;  // held for the whole of a run
    pthread_mutex_t lock;     // of everything below but `next`
    pthread_cond_t wake;
    pthread_cond_t idle;
    uint64_t job;      // number of the job; a new number wakes the workers
    uint32_t working;  // threads that still work on the job
    bool quit;

    uint32_t count;
    abut_task_fn task;
    void* argument;
    atomic_uint next;

    bool shuffle;
    test_random random;
    uint32_t* order;  // the order of a shuffled run
    uint32_t order_capacity;

    uint32_t worker_count;
    test_worker workers[MOST_WORKERS];
};

// the pool whose task this thread is running
static _Thread_local const test_threads* inside;

static void die(const char* message) {
    fprintf(stderr, "threads: %s\n", message);
    abort();
}

// Mostly spins for a moment. Yielding the processor costs a whole time slice of every other program
// on a busy machine: tests that yielded before each task took minutes instead of seconds.
static void pause_sometimes(test_worker* worker) {
    const uint32_t pauses = random_below(&worker->random, 8);
    if (pauses < 5) {
        return;
    }
    if (worker->yields > 0 && random_below(&worker->random, 16) == 0) {
        --worker->yields;
        sched_yield();
        return;
    }
    for (volatile uint32_t spin = random_below(&worker->random, 256); spin > 0; spin -= 1) {
    }
}

static void work(test_worker* worker) {
    test_threads* pool = worker->pool;
    inside = pool;
    for (;;) {
        if (pool->shuffle) {
            pause_sometimes(worker);
        }
        const uint32_t slot = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (slot >= pool->count) {
            break;
        }
        const uint32_t index = pool->shuffle ? pool->order[slot] : slot;
        pool->task(pool->argument, index, worker->number);
        worker->done += 1;
    }
    inside = NULL;
}

static void* thread_main(void* argument) {
    test_worker* worker = argument;
    test_threads* pool = worker->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->job == seen && !pool->quit) {
            pthread_cond_wait(&pool->wake, &pool->lock);
        }
        if (pool->quit) {
            break;
        }
        seen = pool->job;
        pthread_mutex_unlock(&pool->lock);
        work(worker);
        pthread_mutex_lock(&pool->lock);
        if (--pool->working == 0) {
            pthread_cond_signal(&pool->idle);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void make_order(test_threads* pool, uint32_t count) {
    if (count > pool->order_capacity) {
        free(pool->order);
        pool->order = malloc(count * sizeof *pool->order);
        pool->order_capacity = count;
        if (pool->order == NULL) {
            die("out of memory");
        }
    }
    random_permutation(&pool->random, pool->order, count);
}

static void run(void* user, uint32_t count, abut_task_fn task, void* argument) {
    test_threads* pool = user;
    if (inside == pool) {
        die("a task called run of the pool that runs it");
    }
    // `next` is a 32-bit counter and every worker takes one index too many
    if (count > UINT32_MAX - MOST_WORKERS) {
        die("too many tasks");
    }
    const test_threads* outer = inside;  // the task of another pool may call this one
    pthread_mutex_lock(&pool->one_run);
    if (pool->shuffle) {
        make_order(pool, count);
    }
    pthread_mutex_lock(&pool->lock);
    pool->count = count;
    pool->task = task;
    pool->argument = argument;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    pool->working = pool->worker_count - 1;
    pool->job += 1;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);

    work(&pool->workers[0]);

    pthread_mutex_lock(&pool->lock);
    while (pool->working > 0) {
        pthread_cond_wait(&pool->idle, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    pthread_mutex_unlock(&pool->one_run);
    inside = outer;
}

test_threads* threads_create(uint32_t workers, uint64_t shuffle) {
    if (workers == 0 || workers > MOST_WORKERS) {
        die("1 to 64 workers");
    }
    test_threads* pool = calloc(1, sizeof *pool);
    if (pool == NULL) {
        die("out of memory");
        return NULL;
    }
    pthread_mutex_init(&pool->one_run, NULL);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->idle, NULL);
    atomic_init(&pool->next, 0);
    pool->shuffle = shuffle != 0;
    pool->random = random_seed(shuffle);
    pool->worker_count = workers;
    for (uint32_t i = 0; i < workers; ++i) {
        test_worker* worker = &pool->workers[i];
        worker->pool = pool;
        worker->number = i;
        worker->random = random_seed(random_bits(&pool->random));
        worker->yields = MOST_YIELDS;
    }
    for (uint32_t i = 1; i < workers; ++i) {
        if (pthread_create(&pool->workers[i].thread, NULL, thread_main, &pool->workers[i]) != 0) {
            die("cannot start a thread");
        }
    }
    return pool;
}

void threads_destroy(test_threads* threads) {
    if (threads == NULL) {
        return;
    }
    pthread_mutex_lock(&threads->lock);
    threads->quit = true;
    pthread_cond_broadcast(&threads->wake);
    pthread_mutex_unlock(&threads->lock);
    for (uint32_t i = 1; i < threads->worker_count; ++i) {
        pthread_join(threads->workers[i].thread, NULL);
    }
    pthread_cond_destroy(&threads->idle);
    pthread_cond_destroy(&threads->wake);
    pthread_mutex_destroy(&threads->lock);
    pthread_mutex_destroy(&threads->one_run);
    free(threads->order);
    free(threads);
}

abut_tasks threads_tasks(test_threads* threads) {
    return (abut_tasks){.workers = threads->worker_count, .run = run, .user = threads};
}

abut_context_def threads_context_def(test_threads* threads) {
    abut_context_def def = abut_context_def_default();
    if (threads != NULL) {
        def.tasks = threads_tasks(threads);
    }
    return def;
}

uint64_t threads_done(const test_threads* threads, uint32_t worker) {
    return worker < threads->worker_count ? threads->workers[worker].done : 0;
}
