// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The pool. A run is open while tasks are left. Helpers that are awake in time join it; the calling
// thread waits for those that joined, and not for those still asleep. One run at a time has the
// helpers; a run that begins meanwhile, or within a task, goes on alone.
#define _GNU_SOURCE  // sched_getaffinity()
#include "abut/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(_WIN32)
#include <windows.h>
#endif

#include "threads/helping.h"

#define WORKERS_MOST 1024u
#define LOOKS 64u  // between two looks at the clock

// The gate of runs: the number of helpers inside, whether more may enter, and a number that tells
// runs apart.
#define INSIDE UINT64_C(0xffff)
#define OPEN UINT64_C(0x10000)
#define RUN_SHIFT 17

// Tasks that a worker is to run: the first in the low half, the end in the high half. No two ranges
// share a cache line.
typedef struct range {
    atomic_ullong left;
    char apart[64 - sizeof(atomic_ullong)];
} range;

typedef struct helper {
    struct abut_threads* pool;
    pthread_t thread;
    uint32_t worker;
} helper;

struct abut_threads {
    atomic_bool taken;  // by a run; it owns the members up to `helping`
    abut_task_fn task;
    void* argument;
    uint32_t count;
    helping helping;
    range* ranges;  // of each worker
    atomic_ullong gate;
    atomic_ullong helped;  // nanoseconds of processor time that helpers spent in the run
    pthread_mutex_t lock;  // protects the rest
    pthread_cond_t wake;   // a run was opened, or the pool ends
    pthread_cond_t empty;  // the last helper left a run that was closed
    uint32_t asleep;       // helpers
    bool ending;
    uint32_t helper_count;
    helper helpers[];
};

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double clock_now(void) {
    return seconds_of(CLOCK_MONOTONIC);
}

static double processor_now(void) {
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

// Tells the processor that this thread waits in a loop.
static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// ---- helpers

// Shares out tasks. Neighbours need the same data, so each worker gets them in a row.
static void share(abut_threads* pool, uint32_t first) {
    const uint64_t workers = pool->helper_count + 1u;
    const uint64_t left = pool->count - first;
    for (uint64_t w = 0; w < workers; ++w) {
        const uint64_t begin = first + left * w / workers;
        const uint64_t end = first + left * (w + 1) / workers;
        atomic_store_explicit(&pool->ranges[w].left, end << 32 | begin, memory_order_relaxed);
    }
}

// Takes the first task of a range, or the last.
static bool take_from(range* r, bool last, uint32_t* index) {
    unsigned long long left = atomic_load_explicit(&r->left, memory_order_relaxed);
    for (;;) {
        const uint32_t begin = (uint32_t)left;
        const uint32_t end = (uint32_t)(left >> 32);
        if (begin == end) {
            return false;
        }
        const uint64_t rest = last ? (uint64_t)(end - 1) << 32 | begin
                                   : (uint64_t)end << 32 | (begin + 1);
        if (atomic_compare_exchange_weak_explicit(&r->left, &left, rest, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            *index = last ? end - 1 : begin;
            return true;
        }
    }
}

// Takes the worker's next task, or the last one of another worker.
static bool take(abut_threads* pool, uint32_t worker, uint32_t* index) {
    bool taken = take_from(&pool->ranges[worker], false, index);
    for (uint32_t w = 0; w <= pool->helper_count && !taken; ++w) {
        taken = take_from(&pool->ranges[w], true, index);
    }
    return taken;
}

static void work(abut_threads* pool, uint32_t worker) {
    for (uint32_t index; take(pool, worker, &index);) {
        pool->task(pool->argument, index, worker);
    }
}

static bool is_new(uint64_t gate, uint64_t seen) {
    return (gate & OPEN) != 0 && gate >> RUN_SHIFT != seen;
}

// Enters the gate if a run is open that this helper has not seen yet.
static bool enter(abut_threads* pool, uint64_t* seen) {
    unsigned long long gate = atomic_load_explicit(&pool->gate, memory_order_relaxed);
    while (is_new(gate, *seen)) {
        if (atomic_compare_exchange_weak_explicit(&pool->gate, &gate, gate + 1,
                                                  memory_order_acquire, memory_order_relaxed)) {
            *seen = gate >> RUN_SHIFT;
            return true;
        }
    }
    return false;
}

static void leave(abut_threads* pool) {
    const uint64_t gate = atomic_fetch_sub_explicit(&pool->gate, 1, memory_order_acq_rel);
    if ((gate & (INSIDE | OPEN)) == 1) {  // the last one, after the run was closed
        pthread_mutex_lock(&pool->lock);
        pthread_cond_signal(&pool->empty);
        pthread_mutex_unlock(&pool->lock);
    }
}

// Looks for a new run for a while; true: there is one.
static bool look(abut_threads* pool, uint64_t seen) {
    const double until = clock_now() + HELPING_AWAKE;
    do {
        for (uint32_t i = 0; i < LOOKS; ++i) {
            if (is_new(atomic_load_explicit(&pool->gate, memory_order_relaxed), seen)) {
                return true;
            }
            relax();
        }
    } while (clock_now() < until);
    return false;
}

// Sleeps until there is a new run; false: the pool ends.
static bool sleep_until_run(abut_threads* pool, uint64_t seen) {
    pthread_mutex_lock(&pool->lock);
    ++pool->asleep;
    while (!pool->ending &&
           !is_new(atomic_load_explicit(&pool->gate, memory_order_relaxed), seen)) {
        pthread_cond_wait(&pool->wake, &pool->lock);
    }
    --pool->asleep;
    const bool goes_on = !pool->ending;
    pthread_mutex_unlock(&pool->lock);
    return goes_on;
}

static void* help(void* user) {
    const helper* self = user;
    abut_threads* pool = self->pool;
    uint64_t seen = 0;
    while (look(pool, seen) || sleep_until_run(pool, seen)) {
        if (enter(pool, &seen)) {
            const double begun = processor_now();
            work(pool, self->worker);
            const double spent = processor_now() - begun;
            atomic_fetch_add_explicit(&pool->helped, (unsigned long long)(1e9 * spent),
                                      memory_order_relaxed);
            leave(pool);
        }
    }
    return NULL;
}

// ---- runs

// Lets helpers join the run that are awake. A helper that falls asleep meanwhile misses it.
static void open_gate(abut_threads* pool) {
    const uint64_t gate = atomic_load_explicit(&pool->gate, memory_order_relaxed);
    const uint64_t run = (gate >> RUN_SHIFT) + 1;
    atomic_store_explicit(&pool->gate, run << RUN_SHIFT | OPEN, memory_order_release);
}

// Wakes helpers for the open run, as many as there are tasks. Returns whether one was asleep.
static bool wake(abut_threads* pool, uint32_t tasks) {
    pthread_mutex_lock(&pool->lock);  // each helper now sleeps, or will see the open gate
    const uint32_t asleep = pool->asleep;
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < asleep && i < tasks; ++i) {
        pthread_cond_signal(&pool->wake);
    }
    return asleep > 0;
}

static bool is_empty(abut_threads* pool) {
    return (atomic_load_explicit(&pool->gate, memory_order_acquire) & INSIDE) == 0;
}

// Lets no more helpers join, and waits for those that did.
static void close_gate(abut_threads* pool) {
    atomic_fetch_and_explicit(&pool->gate, ~OPEN, memory_order_acq_rel);
    const double until = clock_now() + HELPING_AWAKE;
    while (!is_empty(pool) && clock_now() < until) {
        for (uint32_t i = 0; i < LOOKS && !is_empty(pool); ++i) {
            relax();
        }
    }
    if (!is_empty(pool)) {
        pthread_mutex_lock(&pool->lock);
        while (!is_empty(pool)) {
            pthread_cond_wait(&pool->empty, &pool->lock);
        }
        pthread_mutex_unlock(&pool->lock);
    }
}

// Runs tasks on the calling thread, until all are begun or the time is over.
static uint32_t run_until(const abut_threads* pool, double end) {
    uint32_t done = 0;
    do {
        pool->task(pool->argument, done++, 0);
    } while (done < pool->count && clock_now() < end);
    return done;
}

// Runs tasks with helpers. Those that are asleep are woken at the given time. Returns whether any was.
static bool run_helped(abut_threads* pool, uint32_t first, double wake_at) {
    bool awake = false;  // all helpers, or about to be
    bool woken = false;
    uint32_t index;
    share(pool, first);
    open_gate(pool);
    do {
        if (!awake && clock_now() >= wake_at) {
            awake = true;
            woken = wake(pool, pool->count - first);
        }
        if (!take(pool, 0, &index)) {
            return woken;
        }
        pool->task(pool->argument, index, 0);
    } while (true);
}

static void run_rest(abut_threads* pool, uint32_t first) {
    for (uint32_t i = first; i < pool->count; ++i) {
        pool->task(pool->argument, i, 0);
    }
}

static double take_help(abut_threads* pool) {
    return 1e-9 * (double)atomic_exchange_explicit(&pool->helped, 0, memory_order_relaxed);
}

// Runs the tasks that are left, with helpers if they pay.
static void run_long(abut_threads* pool, uint32_t first, double wake_at) {
    helping* h = &pool->helping;
    helping_run done = {.count = pool->count - first};
    const bool open = done.count > 1 && helping_pays(h);
    done.measured = open || helping_measures(h);
    const double begun = clock_now();
    const double processor = done.measured ? processor_now() : 0;
    if (open) {
        done.helped = run_helped(pool, first, wake_at);
    } else {
        run_rest(pool, first);
    }
    done.processor = done.measured ? processor_now() - processor : 0;
    if (open) {
        close_gate(pool);
        const double help = take_help(pool);
        done.helped |= help > 0;
        done.processor += help;
    }
    done.seconds = clock_now() - begun;
    helping_learn(h, &done);
}

// Begins alone, unless helpers are expected to pay at once.
static void run_planned(abut_threads* pool) {
    helping* h = &pool->helping;
    const double begun = clock_now();
    const helping_plan plan = helping_begin(h, pool->task, pool->count, begun);
    uint32_t done = 0;
    if (plan == HELPING_ALONE) {
        done = run_until(pool, begun + HELPING_LEAST);
        helping_learn_short(h, done, clock_now() - begun);
    }
    if (done < pool->count) {
        run_long(pool, done, plan == HELPING_WAKE ? begun : begun + HELPING_WAKE_LEAST);
    }
    helping_end(h, clock_now());
}

static void run(void* user, uint32_t count, abut_task_fn task, void* argument) {
    abut_threads* pool = user;
    if (count > 1 && pool->helper_count > 0 &&
        !atomic_exchange_explicit(&pool->taken, true, memory_order_acquire)) {
        pool->task = task;
        pool->argument = argument;
        pool->count = count;
        run_planned(pool);
        atomic_store_explicit(&pool->taken, false, memory_order_release);
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        task(argument, i, 0);
    }
}

// ---- the interface

static uint32_t processor_count(void) {
#if defined(_WIN32)
    const DWORD online = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
#else
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) {
        return (uint32_t)CPU_COUNT(&set);
    }
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return online > 0 ? (uint32_t)online : 1;
}

static abut_status fail(abut_error* error, abut_status status, const char* message) {
    if (error != NULL) {
        memset(error, 0, sizeof *error);
        error->status = status;
        snprintf(error->message, sizeof error->message, "%s", message);
    }
    return status;
}

abut_status abut_threads_create(uint32_t workers, abut_threads** threads, abut_error* error) {
    if (threads == NULL) {
        return fail(error, ABUT_ERR_INVALID_ARGUMENT, "the place for the pool must not be NULL");
    }
    const uint32_t wanted = workers > 0 ? workers : processor_count();
    const uint32_t helpers = (wanted < WORKERS_MOST ? wanted : WORKERS_MOST) - 1;
    abut_threads* pool = calloc(1, sizeof *pool + helpers * sizeof(helper));
    range* ranges = calloc(helpers + 1, sizeof *ranges);
    if (pool == NULL || ranges == NULL) {
        free(pool);
        free(ranges);
        return fail(error, ABUT_ERR_NO_MEMORY, "out of memory");
    }
    pool->ranges = ranges;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->empty, NULL);
    for (uint32_t i = 0; i < helpers; ++i) {
        pool->helpers[i] = (helper){.pool = pool, .worker = i + 1};
        if (pthread_create(&pool->helpers[i].thread, NULL, help, &pool->helpers[i]) != 0) {
            break;
        }
        ++pool->helper_count;
    }
    *threads = pool;
    return ABUT_OK;
}

void abut_threads_destroy(abut_threads* threads) {
    if (threads == NULL) {
        return;
    }
    pthread_mutex_lock(&threads->lock);
    threads->ending = true;
    pthread_cond_broadcast(&threads->wake);
    pthread_mutex_unlock(&threads->lock);
    for (uint32_t i = 0; i < threads->helper_count; ++i) {
        pthread_join(threads->helpers[i].thread, NULL);
    }
    pthread_cond_destroy(&threads->empty);
    pthread_cond_destroy(&threads->wake);
    pthread_mutex_destroy(&threads->lock);
    free(threads->ranges);
    free(threads);
}

abut_tasks abut_threads_tasks(abut_threads* threads) {
    return (abut_tasks){threads->helper_count + 1, run, threads};
}
