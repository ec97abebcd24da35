// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The parts of the command that differ in WebAssembly: see platform.h. One thread, no child processes, no signals.
#include <abut/threads.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/interrupt.h"
#include "io/child.h"

// ---- signals: the page ends the worker instead

int sigfillset(sigset_t* set) {
    return *set = 0;
}

int sigprocmask(int how, const sigset_t* set, sigset_t* before) {
    (void)how, (void)set;
    return *before = 0;
}

void interrupt_watch(void) {
}

// ---- files: they have no owners and no links

int fchown(int file, uid_t owner, gid_t group) {
    (void)file, (void)owner, (void)group;
    return 0;
}

int fchmod(int file, mode_t mode) {
    (void)file, (void)mode;
    return 0;
}

int dup3(int from, int to, int flags) {
    (void)from, (void)to, (void)flags;
    errno = ENOSYS;
    return -1;
}

void flockfile(FILE* file) {
    (void)file;
}

void funlockfile(FILE* file) {
    (void)file;
}

char* realpath(const char* path, char* resolved) {
    struct stat info;
    (void)resolved;
    return stat(path, &info) == 0 ? strdup(path) : NULL;
}

// ---- processes and threads

child_end child_run(child_fn work, void* user, const child_limits* limits, char** bytes,
                    size_t* size) {
    (void)work, (void)user, (void)limits;
    *bytes = NULL;
    *size = 0;
    return CHILD_NOT_BEGUN;
}

abut_status abut_threads_create(uint32_t workers, abut_threads** pool, abut_error* error) {
    (void)workers, (void)error;
    *pool = NULL;
    return ABUT_OK;
}

void abut_threads_destroy(abut_threads* pool) {
    (void)pool;
}

abut_tasks abut_threads_tasks(abut_threads* pool) {
    (void)pool;
    return (abut_tasks){0};
}
