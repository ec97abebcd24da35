// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Duels: see duel.h. Both sides play all frames alternately, after a warm-up round; times are
// medians over the rounds.
#include "bench/duel.h"

#include "bench/reduced.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 15 };

static void run_query(reduced* r, const duel* d) {
    if (d->self) {
        reduced_self(r);
    } else {
        reduced_collide(r);
    }
}

// Plays all frames once.
static double run_once(reduced* r, const duel* d, uint32_t frames) {
    *reduced_counters(r) = (abut_counters){0};
    const double begin = bench_now(CLOCK_CPU);
    for (uint32_t f = 0; f < frames; ++f) {
        reduced_update(r, f, d->swing);
        run_query(r, d);
    }
    return bench_now(CLOCK_CPU) - begin;
}

// Returns whether the pairs are those of the reference.
static bool same_answers(const scene* s, const duel* d, uint32_t turn_back, reduced* ours) {
    reduced* exact = reduced_create(s, d->copies, turn_back, WAY_EXACT);
    bool same = true;
    for (uint32_t f = 0; f < scene_frame_count(s) && same; f += d->check_step) {
        size_t count[2];
        reduced_update(ours, f, d->swing);
        reduced_update(exact, f, d->swing);
        run_query(ours, d);
        run_query(exact, d);
        const abut_pair* a = reduced_pairs(ours, &count[0]);
        const abut_pair* b = reduced_pairs(exact, &count[1]);
        same = count[0] == count[1] && (count[0] == 0 || memcmp(a, b, count[0] * sizeof *a) == 0);
    }
    reduced_destroy(exact);
    return same;
}

// Returns the time of the first query, with that of all that later ones use.
static double first_query(reduced* r, const duel* d) {
    const double begin = bench_now(CLOCK_CPU);
    if (d->self) {
        reduced_certify(r);
    }
    reduced_update(r, 0, d->swing);
    run_query(r, d);
    return bench_now(CLOCK_CPU) - begin;
}

duel_outcome duel_run(const scene* s, const duel* d, bool quick) {
    double ms[2][MOST];
    duel_outcome out = {0};
    const uint32_t frames = scene_frame_count(s);
    const size_t most = quick ? 5 : MOST;
    const uint32_t turn_back = d->bounces ? reduced_first_contact(s) : 0;
    reduced* ours = reduced_create(s, d->copies, turn_back, WAY_LAZY);
    reduced* other = reduced_create(s, d->copies, turn_back, WAY_DEFORM);
    abut_tree_info stats;
    reduced_need(abut_body_inspect(reduced_scene(ours), reduced_body(ours, 0), &stats, NULL), NULL);
    out.blocks = stats.blocks;
    out.first_ms = first_query(ours, d);
    out.same_answer = d->check_step == 0 || same_answers(s, d, turn_back, ours);
    (void)run_once(other, d, frames);
    (void)run_once(ours, d, frames);
    size_t rounds = 0;
    for (double spent = 0; rounds < most && (rounds < 3 || spent < d->budget_ms); ++rounds) {
        ms[1][rounds] = run_once(other, d, frames);
        ms[0][rounds] = run_once(ours, d, frames);
        spent += ms[0][rounds] + ms[1][rounds];
    }
    out.counters = *reduced_counters(ours);
    out.ours_ms = bench_median(ms[0], rounds) / frames;
    out.other_ms = bench_median(ms[1], rounds) / frames;
    reduced_destroy(ours);
    reduced_destroy(other);
    return out;
}

bench_row duel_row(const char* name, const char* other, const duel_outcome* out) {
    bench_row row = {.has_counters = true};
    snprintf(row.name, sizeof row.name, "%s", name);
    snprintf(row.other, sizeof row.other, "%s", other);
    row.ours_ms = out->ours_ms;
    row.other_ms = out->other_ms;
    row.ratio = out->other_ms / out->ours_ms;
    row.same_answer = out->same_answer;
    row.counters = out->counters;
    return row;
}
