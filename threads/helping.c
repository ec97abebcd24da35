// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Decides whether helpers join a run of tasks: see helping.h.
#include "threads/helping.h"

#define KEPT 0.75        // part of an average that a new value leaves
#define KEPT_RATE 0.97   // the same for rates, which stalls of single runs shall not spoil
#define GAIN_LEAST 1.25  // the typical rate with helpers over that without
#define PAUSE_LEAST 64u  // runs
#define PAUSE_MOST 4096u
#define PAID_MOST 256u  // runs with helpers until pauses are forgotten

static double average(double before, double now) {
    return before > 0 ? KEPT * before + (1 - KEPT) * now : now;
}

static uint32_t size_of(uint32_t count) {
    return count > 0 ? 32 - (uint32_t)__builtin_clz(count) : 0;
}

// Returns the entry of such runs, emptied if others had it.
static helping_kind* kind_of(helping* h, abut_task_fn task, uint32_t count) {
    const uintptr_t number = (uintptr_t)task;
    const uint32_t size = size_of(count);
    helping_kind* kind = &h->kinds[((number >> 4 ^ number >> 10) + 7 * size) % HELPING_KINDS];
    if (kind->task != task || kind->size != size) {
        *kind = (helping_kind){.task = task, .size = size};
    }
    return kind;
}

helping_plan helping_begin(helping* h, abut_task_fn task, uint32_t count, double now) {
    helping_kind* kind = h->current = kind_of(h, task, count);
    const bool begins = h->first == NULL || now - h->ended > HELPING_AWAKE;
    if (begins) {
        if (h->first != NULL) {
            h->first->series = average(h->first->series, h->series);
        }
        h->first = kind;
        h->series = 0;
    }
    const double run = count * kind->seconds;
    const double series = begins ? kind->series : h->series;
    return run >= HELPING_WAKE_LEAST || series >= HELPING_WAKE_LEAST ? HELPING_WAKE
           : run >= HELPING_LEAST                                    ? HELPING_JOIN
                                                                     : HELPING_ALONE;
}

void helping_end(helping* h, double now) {
    h->ended = now;
}

bool helping_pays(const helping* h) {
    return h->pause == 0;
}

bool helping_measures(const helping* h) {
    return h->pause <= HELPING_RATES;
}

static void note_rate(helping_rates* r, const helping_run* run) {
    r->last[r->count++ % HELPING_RATES] = run->seconds > 0 ? run->processor / run->seconds : 1;
    r->processor = KEPT_RATE * r->processor + run->processor;
    r->seconds = KEPT_RATE * r->seconds + run->seconds;
}

// Returns the median of the last rates; 1: too few are known.
static double typical_rate(const helping_rates* r) {
    double sorted[HELPING_RATES];
    for (uint32_t i = 0; i < HELPING_RATES; ++i) {
        uint32_t k = i;
        for (; k > 0 && sorted[k - 1] > r->last[i]; --k) {
            sorted[k] = sorted[k - 1];
        }
        sorted[k] = r->last[i];
    }
    return r->count >= HELPING_RATES ? sorted[HELPING_RATES / 2] : 1;
}

// Returns the rate of many runs together.
static double total_rate(const helping_rates* r) {
    return r->count >= HELPING_RATES && r->seconds > 0 ? r->processor / r->seconds : 1;
}

// Begins a pause if helpers do not pay. Helpers that have slept get a processor at once, for a while.
// So pauses become longer until helpers have paid for long.
static void judge(helping* h) {
    if (h->together.count < HELPING_RATES) {
        return;
    }
    if (typical_rate(&h->together) >= GAIN_LEAST * typical_rate(&h->alone) &&
        total_rate(&h->together) >= total_rate(&h->alone)) {
        h->last_pause = h->together.count < PAID_MOST ? h->last_pause : 0;
        return;
    }
    const uint32_t longer = h->last_pause > 0 ? 2 * h->last_pause : PAUSE_LEAST;
    h->pause = h->last_pause = longer < PAUSE_MOST ? longer : PAUSE_MOST;
    h->together = (helping_rates){.count = 0};
}

void helping_learn_short(helping* h, uint32_t count, double seconds) {
    h->current->seconds = average(h->current->seconds, seconds / count);
    h->series += seconds;
}

void helping_learn(helping* h, const helping_run* run) {
    helping_learn_short(h, run->count, run->measured ? run->processor : run->seconds);
    if (run->measured) {
        note_rate(run->helped ? &h->together : &h->alone, run);
    }
    if (run->helped) {
        judge(h);
    } else {
        h->pause -= h->pause > 0;
    }
}
