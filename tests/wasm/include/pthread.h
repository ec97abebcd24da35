// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Threads where there is only one: a thread runs to its end when it is created, and locks do nothing. Tests whose threads
// wait for each other are not built for WebAssembly.
#ifndef ABUT_TESTS_WASM_PTHREAD_H
#define ABUT_TESTS_WASM_PTHREAD_H

#include <stddef.h>

typedef int pthread_t;
typedef int pthread_mutex_t;
#define PTHREAD_MUTEX_INITIALIZER 0

static inline int pthread_create(pthread_t* thread, const void* attributes, void* (*run)(void*),
                                 void* argument) {
    (void)attributes;
    *thread = 1;
    (void)run(argument);
    return 0;
}
static inline int pthread_join(pthread_t thread, void** result) {
    (void)thread;
    (void)result;
    return 0;
}
static inline int pthread_mutex_init(pthread_mutex_t* lock, const void* attributes) {
    (void)attributes;
    *lock = 0;
    return 0;
}
static inline int pthread_mutex_lock(pthread_mutex_t* lock) {
    (void)lock;
    return 0;
}
static inline int pthread_mutex_unlock(pthread_mutex_t* lock) {
    (void)lock;
    return 0;
}
static inline int pthread_mutex_destroy(pthread_mutex_t* lock) {
    (void)lock;
    return 0;
}

#endif
