// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Decides whether helpers join a run of tasks. Two things are measured. The time that tasks took
// tells how long a run will be. Helpers that are awake join all but the shortest runs. To wake them
// costs time, so that needs a long run, or a short one with which a long series of runs begins: the
// update of a body and its queries follow each other at once, and helpers stay awake between them.
// The processor time that a run got per second tells whether helpers pay: where other programs use
// the processors, a helper may lose its processor in the middle of a task, and the run waits for it.
// Then runs go on alone, and helpers are tried again after a pause, which grows with each trial that
// fails.
//
// Only the order of tasks follows from this. Answers do not depend on it.
#ifndef ABUT_THREADS_HELPING_H
#define ABUT_THREADS_HELPING_H

#include <stdbool.h>
#include <stdint.h>

#include "abut/base.h"

#define HELPING_KINDS 64u

typedef struct helping_kind {
    abut_task_fn task;
    uint32_t size;   // bits of the number of tasks
    double seconds;  // processor time of one task, on average
    double series;   // and of a series that such a run begins
} helping_kind;

#define HELPING_RATES 8u

// Processor time that runs got per second of the clock.
typedef struct helping_rates {
    double last[HELPING_RATES];
    uint32_t count;
    double processor;  // sums, of which the oldest runs fade
    double seconds;
} helping_rates;

typedef struct helping {
    helping_kind kinds[HELPING_KINDS];  // by task function and size
    helping_kind* current;
    helping_kind* first;     // kind of the first run in the series; NULL: there is none yet
    double series;           // processor time of the series so far
    double ended;            // when its last run ended
    helping_rates alone;     // of runs without helpers
    helping_rates together;  // and with them, since the last pause
    uint32_t pause;          // runs until helpers are tried again; 0: they help
    uint32_t last_pause;
} helping;

#define HELPING_LEAST 20e-6        // processor time of a run that helpers join
#define HELPING_WAKE_LEAST 200e-6  // and of one, or a series, that they are woken for
#define HELPING_AWAKE 50e-6        // time after a run in which helpers look for the next one

typedef enum helping_plan {
    HELPING_ALONE,  // a run that is short, or not known
    HELPING_JOIN,   // for helpers that are awake
    HELPING_WAKE,   // for all
} helping_plan;

// Begins a run, at the given time. Each is followed by helping_end().
helping_plan helping_begin(helping* h, abut_task_fn task, uint32_t count, double now);
void helping_end(helping* h, double now);
// Whether helpers are to join runs now, and if not, whether the time of runs is to be measured: to
// ask for processor time lets other programs in early, so it is done shortly before a trial only.
bool helping_pays(const helping* h);
bool helping_measures(const helping* h);

// What a run, or the rest of one, took.
typedef struct helping_run {
    uint32_t count;    // of tasks
    bool helped;       // helpers joined, or were woken for it
    bool measured;     // processor time, too
    double seconds;    // by the clock
    double processor;  // time of all threads in it, in seconds
} helping_run;

// Learns from a long run, or from the begin of one on the calling thread.
void helping_learn(helping* h, const helping_run* run);
void helping_learn_short(helping* h, uint32_t count, double seconds);

#endif
