// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Task hooks on OpenMP: a small library of its own (abut_openmp), so that abut itself needs no
// threads. Link it and put the hooks into the context's settings:
//
//     abut_context_def def = abut_context_def_default();
//     def.tasks = abut_openmp_tasks(0);
//
// This is meant for programs that use OpenMP themselves; others take abut/threads.h. OpenMP's threads
// spin while they wait. On a machine that has other work to do set OMP_WAIT_POLICY=passive in the
// environment: a program cannot change that once it runs.
#ifndef ABUT_OPENMP_H
#define ABUT_OPENMP_H

#include "base.h"

ABUT_EXTERN_C_BEGIN

/// Hooks that run tasks on `workers` OpenMP threads; 0 means as many as OpenMP would use, and
/// more than 1024 means 1024. They hold nothing that must be freed.
ABUT_API abut_tasks abut_openmp_tasks(uint32_t workers);

ABUT_EXTERN_C_END

#endif
