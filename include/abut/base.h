// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What all headers share: version, status, errors, and the context with its hooks for memory and
// tasks. The library has no global state, prints nothing and never ends the process.
//
// Rules for all calls. The destroyers accept NULL. Other pointers must not be NULL unless the
// comment says so. A call that returns a status fails with ABUT_ERR_INVALID_ARGUMENT if one is
// NULL. All other calls need their object: they may crash without it, unless the comment says what
// they return then.
#ifndef ABUT_BASE_H
#define ABUT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// the only place where the version is written; build files read it from here
#define ABUT_VERSION_MAJOR 0
#define ABUT_VERSION_MINOR 9
#define ABUT_VERSION_PATCH 0
#define ABUT_VERSION_STRING "0.9.0"

#if defined(_WIN32) && defined(ABUT_BUILDING) && defined(ABUT_SHARED)
#define ABUT_API __declspec(dllexport)
#elif defined(__GNUC__)
#define ABUT_API __attribute__((visibility("default")))
#else
#define ABUT_API
#endif

// Marks calls that may change before they are stable. A program that defines ABUT_NO_EXPERIMENTAL
// before it includes a header of abut does not see them. Structs are the same with and without it.
#define ABUT_EXPERIMENTAL

#ifdef __cplusplus
#define ABUT_EXTERN_C_BEGIN extern "C" {
#define ABUT_EXTERN_C_END }
#else
#define ABUT_EXTERN_C_BEGIN
#define ABUT_EXTERN_C_END
#endif

/// Bytes of stack that are enough for every call of the library, on the thread that makes it and on those
/// that run its tasks.
#define ABUT_STACK_BYTES 131072

ABUT_EXTERN_C_BEGIN

/// The outcome of a call. Zero is success. A call that fails leaves its outputs as they were unless
/// its comment says otherwise.
typedef enum abut_status {
    ABUT_OK = 0,
    ABUT_INCOMPLETE,            ///< the budget ran out: call again for the rest
    ABUT_ERR_INVALID_ARGUMENT,  ///< an argument, an option or an index is outside its contract
    ABUT_ERR_INVALID_DATA,      ///< NaN, infinity or a bad index inside the caller's arrays
    ABUT_ERR_NO_MEMORY,         ///< the allocator returned NULL, or a size does not fit size_t
    ABUT_ERR_LIMIT,             ///< more elements than a 32-bit index or a table can number
    ABUT_ERR_STATE,             ///< the call does not fit the state of the object
    ABUT_ERR_VERSION,           ///< saved bytes have a version of their format that is not known
} abut_status;

/// Returns the status as a short English phrase. Never NULL.
ABUT_API const char* abut_status_text(abut_status status);

/// What an error's index counts.
typedef enum abut_element {
    ABUT_ELEMENT_NONE = 0,
    ABUT_ELEMENT_VERTEX,
    ABUT_ELEMENT_TRIANGLE,
    ABUT_ELEMENT_BODY,
    ABUT_ELEMENT_NODE,
    ABUT_ELEMENT_ENTRY,  ///< an entry of the array that the message names
} abut_element;

/// A body of a scene. Zero is no body. Results name bodies by `index`; `generation` tells a body
/// from an earlier one that had the same index.
typedef struct abut_body_id {
    uint32_t index;
    uint32_t generation;
} abut_body_id;

/// Why a call failed. Filled only on failure, so it need not be initialised; any call that takes
/// one accepts NULL.
typedef struct abut_error {
    abut_status status;
    abut_element element;  ///< kind of the element to blame
    uint64_t index;        ///< its number, if `element` is not ABUT_ELEMENT_NONE
    abut_body_id body;     ///< the body to blame; zero: none
    char message[192];     ///< one sentence
} abut_error;

/// Memory hooks. `alloc` returns memory of at least `size` bytes aligned to `alignment` (a power
/// of two, at most 64), or NULL. `free` gets the size and alignment that `alloc` got.
/// Both may be called from any thread that runs one of the library's calls or tasks.
typedef struct abut_allocator {
    void* (*alloc)(void* user, size_t size, size_t alignment);
    void (*free)(void* user, void* memory, size_t size, size_t alignment);
    void* user;
} abut_allocator;

/// Runs one unit of work: number `index`, on worker `worker`, which is below abut_tasks.workers.
typedef void (*abut_task_fn)(void* argument, uint32_t index, uint32_t worker);

/// Task hooks. `run` calls task(argument, i, worker) exactly once for each i < count, in any order,
/// on any threads, and returns when all calls have returned. Concurrent calls get different
/// workers. The data alone decides how work is split, so answers do not depend on `workers`.
typedef struct abut_tasks {
    uint32_t workers;  ///< number of distinct `worker` values, 1..1024
    void (*run)(void* user, uint32_t count, abut_task_fn task, void* argument);
    void* user;
} abut_tasks;

/// Instruction sets of the inner loops. Answers are the same, bit for bit, on all of them.
typedef enum abut_isa {
    ABUT_ISA_BEST = 0,  ///< the best that this processor has
    ABUT_ISA_SCALAR,    ///< what every processor of this architecture has: SSE2, NEON
    ABUT_ISA_AVX2,
    ABUT_ISA_AVX512,
    ABUT_ISA_SIMD128,  ///< of WebAssembly, in libraries that were built with it
} abut_isa;

/// Settings of abut_context_create. Start from abut_context_def_default(), then change fields.
typedef struct abut_context_def {
    abut_allocator allocator;  ///< both functions, or both NULL for the C library's [NULL]
    abut_tasks tasks;          ///< run == NULL: everything on the calling thread [NULL]
    abut_isa isa;              ///< one that the processor lacks is an error [ABUT_ISA_BEST]
    uint32_t cookie;           ///< set by the default-maker; do not touch
} abut_context_def;
ABUT_API abut_context_def abut_context_def_default(void);

/// Owns the hooks. Every other object is created in a context and is destroyed before it.
typedef struct abut_context abut_context;

/// Creates a context. `def` may be NULL for the defaults.
ABUT_API abut_status abut_context_create(const abut_context_def* def, abut_context** context,
                                         abut_error* error);
/// Destroys a context; NULL is fine.
ABUT_API void abut_context_destroy(abut_context* context);
/// Returns the instruction set in use: never ABUT_ISA_BEST. NULL is not allowed.
ABUT_API abut_isa abut_context_isa(const abut_context* context);
/// Returns the name of an instruction set in lower case, such as "avx512". Never NULL.
ABUT_API const char* abut_isa_name(abut_isa isa);

ABUT_EXTERN_C_END

#endif
