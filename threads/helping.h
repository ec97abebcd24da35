// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Decides whether helpers join a run of tasks. Two things are measured. The time that tasks took
// tells short runs, which end before a helper would be awake. The processor time that a run got per
// second tells whether helpers pay: where other programs use the processors, a helper may lose its
// processor in the middle of a task, and the run waits for it. Then runs go on alone, and helpers
// are tried again after a pause, which grows with each trial that fails.
//
// Only the order of tasks follows from this. Answers do not depend on it.
#ifndef ABUT_THREADS_HELPING_H
#define ABUT_THREADS_HELPING_H

#include <stdbool.h>
#include <stdint.h>

#include "abut/base.h"

#define HELPING_KINDS 32u

typedef struct helping_kind {
    abut_task_fn task;
    double seconds;  // one task took, on average
} helping_kind;

typedef struct helping {
    helping_kind kinds[HELPING_KINDS];  // by task function
    double alone;       // processor time per second of runs without helpers; 0: not known yet
    double together;    // the same with helpers,
    uint32_t measured;  // in so many runs since the last pause
    uint32_t pause;     // long runs until helpers are tried again; 0: they help
    uint32_t last_pause;
} helping;

// The least time of a run that helpers join.
#define HELPING_LEAST 200e-6

// Whether a run of these tasks is likely to take that time.
bool helping_expects_long(const helping* h, abut_task_fn task, uint32_t count);
// Whether helpers are to join the next long run.
bool helping_pays(const helping* h);

// What a long run, or the rest of one, took.
typedef struct helping_run {
    abut_task_fn task;
    uint32_t count;    // of tasks
    bool helped;       // helpers joined
    double seconds;    // by the clock
    double processor;  // time of all threads in it, in seconds
} helping_run;

// Learns from a run that has ended: a long one, or one on the calling thread alone.
void helping_learn(helping* h, const helping_run* run);
void helping_learn_short(helping* h, abut_task_fn task, uint32_t count, double seconds);

#endif
