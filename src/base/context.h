// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The library's representation of a context: hooks, the kernels of the chosen instruction set, and
// helpers of every layer: error messages, cookies, running tasks.
#ifndef ABUT_BASE_CONTEXT_H
#define ABUT_BASE_CONTEXT_H

#include <assert.h>
#include <stdatomic.h>

#include "abut/base.h"

// For errors in the library only; a caller's error gives a status.
#define ABUT_ASSERT(condition) assert(condition)

// Every abut_*_def_default() sets it, so that a def made by hand is detected.
#define ABUT__COOKIE 0x61627574u
// Defs that contain another def, or are passed like one, add a kind, so that no def passes for another.
enum {
    ABUT__KIND_MODAL = 1,
    ABUT__KIND_BLEND,
    ABUT__KIND_FLIGHT,
    ABUT__KIND_MODAL_EDIT,
    ABUT__KIND_BLEND_EDIT,
    ABUT__KIND_FLIGHT_EDIT,
    ABUT__KIND_PLANS,
    ABUT__KIND_COLLIDE,
    ABUT__KIND_SWEEP,
    ABUT__KIND_NEAREST,
    ABUT__KIND_WITHIN,
    ABUT__KIND_DEPTH,
    ABUT__KIND_CONTAINS,
    ABUT__KIND_INTERVALS,
    ABUT__KIND_PROXIES,
    ABUT__KIND_SAVE,
    ABUT__KIND_CAST,
    ABUT__KIND_CLOSEST,
    ABUT__KIND_FEATURES,
    ABUT__KIND_CONTOUR,
    ABUT__KIND_SELECT,
};

struct abut__kernels;

struct abut_context {
    abut_allocator allocator;
    abut_tasks tasks;
    abut_isa isa;
    const struct abut__kernels* kernels;
    atomic_ullong serial;  // the last serial number of a shape or scene
};

// Fills `error` (may be NULL) with a formatted sentence and returns `status`.
__attribute__((format(printf, 5, 6))) abut_status abut__fail(abut_error* error, abut_status status,
                                                             abut_element element, uint64_t index,
                                                             const char* format, ...);
abut_status abut__fail_memory(abut_error* error);
// Checks the cookie of a def named `what`.
abut_status abut__check_cookie(uint32_t cookie, const char* what, abut_error* error);
// The same for a def of a kind, whose cookie is ABUT__COOKIE + kind.
abut_status abut__check_kind(uint32_t cookie, uint32_t kind, const char* what, abut_error* error);
// Names the body in the error of a call that failed because of it. Returns `status`.
abut_status abut__blame_body(abut_error* error, abut_body_id body, abut_status status);

// Runs tasks with the context's hooks, or one after the other on this thread.
void abut__run_tasks(const abut_context* context, uint32_t count, abut_task_fn task,
                     void* argument);
// Returns the number of distinct `worker` values that abut__run_tasks() may pass.
uint32_t abut__worker_count(const abut_context* context);

#endif
