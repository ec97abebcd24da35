// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Creates contexts, reports errors, and runs tasks.
#include "base/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(_WIN32)
#include <malloc.h>
#endif

#include "simd/kernels.h"

static void* default_alloc(void* user, size_t size, size_t alignment) {
    (void)user;
#if defined(_WIN32)
    return _aligned_malloc(size > 0 ? size : 1, alignment);
#else
    // aligned_alloc requires a multiple of the alignment
    const size_t rounded = (size + alignment - 1) & ~(alignment - 1);
    return rounded < size ? NULL : aligned_alloc(alignment, rounded);
#endif
}

static void default_free(void* user, void* memory, size_t size, size_t alignment) {
    (void)user;
    (void)size;
    (void)alignment;
#if defined(_WIN32)
    _aligned_free(memory);
#else
    free(memory);
#endif
}

abut_context_def abut_context_def_default(void) {
    abut_context_def def;
    memset(&def, 0, sizeof def);
    def.cookie = ABUT__COOKIE;
    return def;
}

static abut_status check_def(const abut_context_def* def, abut_error* error) {
    const abut_status status = abut__check_cookie(def->cookie, "context", error);
    if (status != ABUT_OK) {
        return status;
    }
    if ((def->allocator.alloc == NULL) != (def->allocator.free == NULL)) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "an allocator needs both alloc and free");
    }
    if (def->tasks.run != NULL && (def->tasks.workers == 0 || def->tasks.workers > 1024)) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "tasks.workers is %u, not in 1..1024", def->tasks.workers);
    }
    return ABUT_OK;
}

abut_status abut_context_create(const abut_context_def* def, abut_context** context,
                                abut_error* error) {
    const abut_context_def defaults = abut_context_def_default();
    def = def != NULL ? def : &defaults;
    if (context == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "no place to store the context");
    }
    abut_status status = check_def(def, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut_allocator allocator = def->allocator;
    if (allocator.alloc == NULL) {
        allocator = (abut_allocator){default_alloc, default_free, NULL};
    }
    abut_isa isa = def->isa;
    const abut__kernels* kernels = abut__kernels_choose(&isa);
    if (kernels == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "this processor or build has no instruction set '%s'",
                          abut_isa_name(def->isa));
    }
    abut_context* made = allocator.alloc(allocator.user, sizeof *made, 64);
    if (made == NULL) {
        return abut__fail_memory(error);
    }
    *made = (abut_context){allocator, def->tasks, isa, kernels, 0};
    *context = made;
    return ABUT_OK;
}

void abut_context_destroy(abut_context* context) {
    if (context != NULL) {
        const abut_allocator allocator = context->allocator;
        allocator.free(allocator.user, context, sizeof *context, 64);
    }
}

abut_isa abut_context_isa(const abut_context* context) {
    return context->isa;
}

const char* abut_isa_name(abut_isa isa) {
    switch (isa) {
        case ABUT_ISA_BEST: return "best";
        case ABUT_ISA_SCALAR: return "scalar";
        case ABUT_ISA_AVX2: return "avx2";
        case ABUT_ISA_AVX512: return "avx512";
        case ABUT_ISA_SIMD128: return "simd128";
    }
    return "unknown";
}

const char* abut_status_text(abut_status status) {
    switch (status) {
        case ABUT_OK: return "ok";
        case ABUT_INCOMPLETE: return "incomplete: the budget ran out";
        case ABUT_ERR_INVALID_ARGUMENT: return "invalid argument";
        case ABUT_ERR_INVALID_DATA: return "invalid data";
        case ABUT_ERR_NO_MEMORY: return "out of memory";
        case ABUT_ERR_LIMIT: return "limit exceeded";
        case ABUT_ERR_STATE: return "call does not fit the object's state";
        case ABUT_ERR_VERSION: return "unknown version of saved bytes";
    }
    return "unknown status";
}

abut_status abut__fail(abut_error* error, abut_status status, abut_element element, uint64_t index,
                       const char* format, ...) {
    if (error != NULL) {
        error->status = status;
        error->element = element;
        error->index = index;
        error->body = (abut_body_id){0, 0};
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

abut_status abut__fail_memory(abut_error* error) {
    return abut__fail(error, ABUT_ERR_NO_MEMORY, ABUT_ELEMENT_NONE, 0,
                      "the allocator returned no memory");
}

abut_status abut__blame_body(abut_error* error, abut_body_id body, abut_status status) {
    if (error != NULL && status > ABUT_INCOMPLETE && status != ABUT_ERR_NO_MEMORY) {
        error->body = body;
    }
    return status;
}

abut_status abut__check_cookie(uint32_t cookie, const char* what, abut_error* error) {
    return abut__check_kind(cookie, 0, what, error);
}

abut_status abut__check_kind(uint32_t cookie, uint32_t kind, const char* what, abut_error* error) {
    if (cookie == ABUT__COOKIE + kind) {
        return ABUT_OK;
    }
    return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                      "the %s settings were not made by their default-maker", what);
}

void abut__run_tasks(const abut_context* context, uint32_t count, abut_task_fn task,
                     void* argument) {
    if (context->tasks.run != NULL && count > 1) {
        context->tasks.run(context->tasks.user, count, task, argument);
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        task(argument, i, 0);
    }
}

uint32_t abut__worker_count(const abut_context* context) {
    return context->tasks.run != NULL ? context->tasks.workers : 1;
}
