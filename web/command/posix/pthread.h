// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Threads for the command in WebAssembly: there is one. Locks are free, and no thread can be made; the command then
// does the work itself.
#ifndef WEB_COMMAND_PTHREAD_H
#define WEB_COMMAND_PTHREAD_H

#include <errno.h>
#include <sys/types.h>

#define PTHREAD_MUTEX_INITIALIZER \
    { 0 }

static inline int pthread_mutex_lock(pthread_mutex_t* lock) {
    (void)lock;
    return 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t* lock) {
    (void)lock;
    return 0;
}

static inline int pthread_create(pthread_t* thread, const void* attributes, void* (*run)(void*),
                                 void* argument) {
    (void)thread, (void)attributes, (void)run, (void)argument;
    return EAGAIN;
}

static inline int pthread_join(pthread_t thread, void** result) {
    (void)thread, (void)result;
    return EINVAL;
}

#endif
