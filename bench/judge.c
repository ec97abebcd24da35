// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Decides which answer is right where answers differ: tests the pair in rational arithmetic, which
// shares no code with the measured methods, or without GMP by abut's exact test.
#include "bench/trial.h"

#include <abut/exact.h>

#ifdef BENCH_HAVE_GMP
#include "tests/support/rational_triangles.h"

static bool really_touch(const double p[3][3], const double q[3][3]) {
    rational_set shared;
    rational_set_init(&shared);
    rational_intersection(p, q, &shared);
    const bool touch = shared.count > 0;
    rational_set_clear(&shared);
    return touch;
}
#else
static bool really_touch(const double p[3][3], const double q[3][3]) {
    bool touch = false;
    (void)abut_triangles_touch(p, q, &touch, NULL);
    return touch;
}
#endif

static void judge_pair(const trial* t, const trial_entry* entry, bench_report* report) {
    const abut_pair* pair = &entry->example.first;
    double p[3][3];
    double q[3][3];
    moving_triangle(t->scene, entry->first_wrong, pair->body_a, pair->triangle_a, p);
    moving_triangle(t->scene, entry->first_wrong, pair->body_b, pair->triangle_b, q);
    const bool touch = really_touch((const double(*)[3])p, (const double(*)[3])q);
    const bool ours_right = touch == entry->example.first_is_missing;
    bench_report_note(
        report,
        "%s on %s differs from abut on %u of %u frames: %zu pairs missing, "
        "%zu too many, of %zu. First: frame %u, triangle %u of body %u and %u of body "
        "%u, which %s: %s is right.",
        entry->kind->name, t->setup->name, entry->wrong_frames, t->scene->frame_count,
        entry->missing, entry->extra, t->pairs, entry->first_wrong * t->setup->step,
        pair->triangle_a, pair->body_a, pair->triangle_b, pair->body_b,
        touch ? "touch" : "do not touch", ours_right ? "abut" : entry->kind->name);
    report->ours_wrong = report->ours_wrong || !ours_right;
}

void trial_judge(const trial* t, bench_report* report) {
    for (uint32_t i = 0; i < t->entry_count; ++i) {
        const trial_entry* entry = &t->entries[i];
        if (entry->wrong_frames == 0) {
            continue;
        }
        if (t->setup->question == ASK_COLLIDE || t->setup->question == ASK_SELF) {
            judge_pair(t, entry, report);
        } else {
            bench_report_note(report, "%s on %s has a wrong box on %u of %u frames.",
                              entry->kind->name, t->setup->name, entry->wrong_frames,
                              t->scene->frame_count);
            report->ours_wrong = report->ours_wrong || i == 0;
        }
    }
}
