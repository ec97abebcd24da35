// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A thread pool: see processor.h. A run is open while tasks are left. Threads that wake up in time
// join it; the calling thread waits for those that joined, but not for those still asleep.
#define _POSIX_C_SOURCE 200809L
#include "cli/message.h"
#include "cli/processor.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct helper {
    threads* pool;
    pthread_t thread;
    uint32_t worker;
} helper;

struct threads {
    pthread_mutex_t lock;  // protects all members but `next`
    pthread_cond_t wake;   // a run was opened, or the pool is stopping
    pthread_cond_t idle;   // the last helper left the run
    helper* helpers;
    uint32_t helper_count;
    uint64_t run;     // number of the latest run
    bool open;        // the run may be joined
    uint32_t inside;  // helpers that joined it
    bool ending;
    abut_task_fn task;
    void* argument;
    uint32_t count;
    atomic_uint next;  // the first task not yet taken
};

static void work(threads* pool, uint32_t worker) {
    for (;;) {
        const uint32_t index = atomic_fetch_add(&pool->next, 1);
        if (index >= pool->count) {
            return;
        }
        pool->task(pool->argument, index, worker);
    }
}

static void* help(void* user) {
    const helper* self = user;
    threads* pool = self->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->ending && !(pool->open && pool->run != seen)) {
            pthread_cond_wait(&pool->wake, &pool->lock);
        }
        if (pool->ending) {
            break;
        }
        seen = pool->run;
        ++pool->inside;
        pthread_mutex_unlock(&pool->lock);
        work(pool, self->worker);
        pthread_mutex_lock(&pool->lock);
        if (--pool->inside == 0) {
            pthread_cond_signal(&pool->idle);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void run(void* user, uint32_t count, abut_task_fn task, void* argument) {
    threads* pool = user;
    pthread_mutex_lock(&pool->lock);
    pool->task = task;
    pool->argument = argument;
    pool->count = count;
    atomic_store(&pool->next, 0);
    pool->open = true;
    ++pool->run;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);

    work(pool, 0);

    pthread_mutex_lock(&pool->lock);
    pool->open = false;
    while (pool->inside != 0) {
        pthread_cond_wait(&pool->idle, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
}

threads* threads_start(uint32_t workers) {
    threads* pool = allocate(1, sizeof *pool);
    pool->helpers = allocate(workers, sizeof *pool->helpers);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->idle, NULL);
    while (pool->helper_count + 1 < workers) {
        helper* h = &pool->helpers[pool->helper_count];
        *h = (helper){.pool = pool, .worker = pool->helper_count + 1};
        if (pthread_create(&h->thread, NULL, help, h) != 0) {
            break;  // run with fewer threads
        }
        ++pool->helper_count;
    }
    return pool;
}

void threads_stop(threads* pool) {
    if (pool == NULL) {
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->ending = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->helper_count; ++i) {
        pthread_join(pool->helpers[i].thread, NULL);
    }
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    free(pool->helpers);
    free(pool);
}

abut_tasks threads_tasks(threads* pool) {
    return (abut_tasks){pool->helper_count + 1, run, pool};
}
