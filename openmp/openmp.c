// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Implements the task hooks of a context with OpenMP.
#include "abut/openmp.h"

#include <omp.h>

#define WORKERS_MOST 1024

// the user pointer holds the number of workers, so that nothing need be allocated
static void run(void* user, uint32_t count, abut_task_fn task, void* argument) {
    const int workers = (int)(uintptr_t)user;
#pragma omp parallel for schedule(dynamic, 1) num_threads(workers)
    for (uint32_t i = 0; i < count; ++i) {
        task(argument, i, (uint32_t)omp_get_thread_num());
    }
}

abut_tasks abut_openmp_tasks(uint32_t workers) {
    const int most = omp_get_max_threads();
    uint32_t chosen = workers > 0 ? workers : (uint32_t)(most > 0 ? most : 1);
    chosen = chosen < WORKERS_MOST ? chosen : WORKERS_MOST;
    return (abut_tasks){chosen, run, (void*)(uintptr_t)chosen};
}
