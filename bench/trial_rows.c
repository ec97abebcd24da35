// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rows that compare entries of trials: see trial_rows.h.
#include "bench/trial_rows.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct kind_list {
    const peer_kind* kinds[MOST_PEERS];
    uint32_t count;
} kind_list;

void trial_rows_list(const trial_rows* all, bench_list_fn fn, void* user) {
    for (size_t i = 0; i < all->row_count; ++i) {
        fn(user, all->rows[i].name, all->rows[i].at_least, all->rows[i].aim);
    }
}

// Adds a kind if it is built in and not listed yet.
static void add_kind(kind_list* to, const char* name) {
    const peer_kind* kind = name != NULL ? peer_find(name) : NULL;
    if (kind == NULL) {
        return;
    }
    for (uint32_t i = 0; i < to->count; ++i) {
        if (to->kinds[i] == kind) {
            return;
        }
    }
    if (to->count == MOST_PEERS) {
        bench_die("too many peers in one trial");
    }
    to->kinds[to->count++] = kind;
}

// Lists all kinds that the wanted rows of a trial name, the reference first.
static kind_list find_kinds(const trial_rows* all, uint32_t setup, const regex_t* wanted) {
    kind_list kinds = {0};
    for (size_t i = 0; i < all->row_count; ++i) {
        const trial_row* row = &all->rows[i];
        if (row->setup != setup || !bench_is_wanted(row->name, wanted)) {
            continue;
        }
        if (kinds.count == 0) {
            add_kind(&kinds, all->setups[setup].clock == CLOCK_CPU ? "abut" : "abut, 1 thread");
        }
        add_kind(&kinds, row->ours);
        for (int k = 0; k < TRIAL_MOST_OTHERS; ++k) {
            add_kind(&kinds, row->others[k]);
        }
    }
    return kinds;
}

static uint32_t frame_of(const trial* t, trial_frame frame, const trial_entry* e, double* ms) {
    return frame == FRAME_WORST ? trial_worst_frame(t, e, ms) : trial_median_frame(t, e, ms);
}

// Returns the fastest of the others; one with wrong answers only if none is right.
static const trial_entry* find_best(const trial* t, const trial_row* row) {
    const trial_entry* best = NULL;
    double best_ms = 0;
    for (int k = 0; k < TRIAL_MOST_OTHERS && row->others[k] != NULL; ++k) {
        const trial_entry* other = trial_find(t, row->others[k]);
        double ms = 0;
        if (other == NULL) {
            continue;
        }
        (void)frame_of(t, row->frame, other, &ms);
        const bool wrong = other->wrong_frames > 0;
        const bool best_wrong = best != NULL && best->wrong_frames > 0;
        if (best == NULL || (wrong == best_wrong ? ms < best_ms : best_wrong)) {
            best = other;
            best_ms = ms;
        }
    }
    return best;
}

bench_row trial_rows_compare(const trial* t, trial_frame frame, const trial_entry* ours,
                             const trial_entry* other) {
    bench_row row = {.same_answer = other->wrong_frames == 0 && ours->wrong_frames == 0};
    (void)frame_of(t, frame, other, &row.other_ms);
    const uint32_t shown = frame_of(t, frame, ours, &row.ours_ms);
    snprintf(row.other, sizeof row.other, "%s", other->kind->name);
    row.ratio = row.other_ms / row.ours_ms;
    row.has_worst = true;
    row.worst_pairs = t->frame_pairs[trial_worst_frame(t, ours, &row.worst_ms)];
    (void)trial_worst_frame(t, other, &row.other_worst_ms);
    if (t->setup->question == ASK_COLLIDE || t->setup->question == ASK_SELF) {
        row.has_counters = true;
        row.counters = ours->counters[shown];
    }
    return row;
}

static void add_row(const trial* t, const trial_row* from, bench_report* report) {
    const trial_entry* ours = trial_find(t, from->ours);
    const trial_entry* best = find_best(t, from);
    if (ours == NULL || best == NULL) {
        bench_report_note(report, "Not measured: %s. %s is not there.", from->name,
                          ours == NULL ? from->ours : from->others[0]);
        return;
    }
    bench_row row = trial_rows_compare(t, from->frame, ours, best);
    snprintf(row.name, sizeof row.name, "%s", from->name);
    row.at_least = from->at_least;
    row.aim = from->aim;
    bench_report_add(report, &row);
}

// The wall time of two threads shows scaling only if each has a processor of its own.
static void note_load(const trial_setup* setup, bench_report* report) {
    char text[64];
    double load = 0;
    FILE* file = fopen("/proc/loadavg", "r");
    if (file != NULL) {
        load = fgets(text, sizeof text, file) != NULL ? strtod(text, NULL) : 0;
        fclose(file);
    }
    if (setup->clock == CLOCK_WALL && load > 1.5) {
        bench_report_note(
            report,
            "The load was %.1f when %s was measured: without idle processors this tells "
            "nothing about scaling.",
            load, setup->name);
    }
}

void trial_rows_run(const trial_rows* all, const bench_options* options, const regex_t* wanted,
                    bench_report* report) {
    trial** done = bench_alloc(all->setup_count, sizeof(trial*));
    for (uint32_t s = 0; s < all->setup_count; ++s) {
        const kind_list kinds = find_kinds(all, s, wanted);
        if (kinds.count > 0) {
            done[s] = trial_run(&all->setups[s], kinds.kinds, kinds.count, options);
            trial_judge(done[s], report);
            note_load(&all->setups[s], report);
        }
    }
    for (size_t i = 0; i < all->row_count; ++i) {
        if (bench_is_wanted(all->rows[i].name, wanted)) {
            add_row(done[all->rows[i].setup], &all->rows[i], report);
        }
    }
    for (uint32_t s = 0; s < all->setup_count; ++s) {
        trial_destroy(done[s]);
    }
    free(done);
}
