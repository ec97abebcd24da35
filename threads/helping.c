// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Decides whether helpers join a run of tasks: see helping.h.
#include "threads/helping.h"

#define KEPT 0.75        // part of an average that a new value leaves
#define GAIN_LEAST 1.1   // processor time per second with helpers over that without
#define TRIAL 4u         // runs with helpers until they are judged
#define PAUSE_LEAST 16u  // long runs
#define PAUSE_MOST 4096u

static uint32_t kind_of(abut_task_fn task) {
    const uintptr_t number = (uintptr_t)task;
    return (uint32_t)((number >> 4 ^ number >> 9) % HELPING_KINDS);
}

bool helping_expects_long(const helping* h, abut_task_fn task, uint32_t count) {
    const helping_kind* kind = &h->kinds[kind_of(task)];
    return kind->task == task && count * kind->seconds >= HELPING_LEAST;
}

bool helping_pays(const helping* h) {
    return h->pause == 0;
}

static double average(double before, double now) {
    return before > 0 ? KEPT * before + (1 - KEPT) * now : now;
}

// Begins a pause if helpers do not pay.
static void judge(helping* h) {
    const double alone = h->alone > 0 ? h->alone : 1;
    if (h->measured < TRIAL) {
        return;
    }
    if (h->together >= GAIN_LEAST * alone) {
        h->last_pause = 0;
        return;
    }
    const uint32_t longer = h->last_pause > 0 ? 2 * h->last_pause : PAUSE_LEAST;
    h->pause = h->last_pause = longer < PAUSE_MOST ? longer : PAUSE_MOST;
    h->together = 0;
    h->measured = 0;
}

void helping_learn_short(helping* h, abut_task_fn task, uint32_t count, double seconds) {
    helping_kind* kind = &h->kinds[kind_of(task)];
    if (kind->task != task) {
        *kind = (helping_kind){task, 0};
    }
    kind->seconds = average(kind->seconds, seconds / count);
}

void helping_learn(helping* h, const helping_run* run) {
    helping_learn_short(h, run->task, run->count, run->processor);
    const double rate = run->seconds > 0 ? run->processor / run->seconds : 1;
    if (run->helped) {
        h->together = average(h->together, rate);
        ++h->measured;
        judge(h);
    } else {
        h->alone = average(h->alone, rate);
        h->pause -= h->pause > 0;
    }
}
