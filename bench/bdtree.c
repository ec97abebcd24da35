// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The suite "bdtree": reduced deformation, as in James, Pai, "BD-Tree: Output-Sensitive Collision
// Detection for Reduced Deformable Models", 2004. The rival is what a user could write: deform all
// vertices with all the registers there are, refit, and ask the same query.
#include "bench/bench.h"
#include "bench/reduced.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row_spec {
    const char* name;
    double at_least;
    double aim;
    const char* paper;
    const char* scene;
    uint32_t triangles;
    uint32_t fields;
    uint32_t copies;  // 0: those of `crowds`, the worst is shown
    bool self;
    bool bounces;  // the ball turns back where it touches, as a ball does
    double swing;
} row_spec;

static const row_spec specs[] = {
    {"curtain 12k M=12", 25, 50, "2250x", "curtain", 12012, 12, 1, false, true, 1},
    {"curtain 196k M=12", 150, 250, "", "curtain", 196000, 12, 1, false, true, 1},
    {"curtain 196k M=30", 200, 400, "", "curtain", 196000, 30, 1, false, true, 1},
    {"curtain 1 ball to 256 balls worst", 0.9, 1, "", "curtain", 12012, 12, 0, false, false, 1},
    {"self curtain", 2, 5, "", "curtain", 12012, 12, 1, true, false, 1},

    // further rows: nothing is demanded of them
    {"curtain 12k M=12, ball goes through", 0, 0, "", "curtain", 12012, 12, 1, false, false, 1},
    {"curtain 196k M=12, ball goes through", 0, 0, "", "curtain", 196000, 12, 1, false, false, 1},
};
enum { SPECS = sizeof specs / sizeof *specs };
static const uint32_t crowds[] = {1, 4, 16, 64, 256};

static bool is_wanted(const char* name, const regex_t* wanted) {
    return wanted == NULL || regexec(wanted, name, 0, NULL, 0) == 0;
}

static void list(void (*fn)(void* user, const char* name, double at_least, double aim),
                 void* user) {
    for (size_t i = 0; i < SPECS; ++i) {
        fn(user, specs[i].name, specs[i].at_least, specs[i].aim);
    }
}

static void ask(reduced* r, const row_spec* spec) {
    if (spec->self) {
        reduced_self(r);
    } else {
        reduced_collide(r);
    }
}

// all frames, one after the other
static double run_once(reduced* r, const row_spec* spec, uint32_t frames) {
    *reduced_counters(r) = (abut_counters){0};
    const double begin = bench_now(CLOCK_CPU);
    for (uint32_t f = 0; f < frames; ++f) {
        reduced_update(r, f, spec->swing);
        ask(r, spec);
    }
    return bench_now(CLOCK_CPU) - begin;
}

// the same pairs on every frame as the reference has
static bool same_answers(const scene* s, const row_spec* spec, uint32_t copies, uint32_t turn_back,
                         reduced* ours) {
    reduced* exact = reduced_create(s, copies, turn_back, WAY_EXACT);
    bool same = true;
    for (uint32_t f = 0; f < scene_frame_count(s) && same; f += copies > 16 ? 10 : 1) {
        size_t count[2];
        reduced_update(ours, f, spec->swing);
        reduced_update(exact, f, spec->swing);
        ask(ours, spec);
        ask(exact, spec);
        const abut_pair* a = reduced_pairs(ours, &count[0]);
        const abut_pair* b = reduced_pairs(exact, &count[1]);
        same = count[0] == count[1] && (count[0] == 0 || memcmp(a, b, count[0] * sizeof *a) == 0);
    }
    reduced_destroy(exact);
    return same;
}

static void measure(const scene* s, const row_spec* spec, uint32_t copies, bool quick,
                    bench_row* row) {
    enum { MOST = 15 };
    double ms[2][MOST];
    const uint32_t frames = scene_frame_count(s);
    const int repetitions = quick ? 5 : MOST;
    const uint32_t turn_back = spec->bounces ? reduced_first_contact(s) : 0;
    reduced* ours = reduced_create(s, copies, turn_back, WAY_MODAL);
    reduced* other = reduced_create(s, copies, turn_back, WAY_DEFORM);
    row->same_answer = same_answers(s, spec, copies, turn_back, ours);
    for (int k = -1; k < repetitions; ++k) {  // once to warm up
        const double other_ms = run_once(other, spec, frames);
        const double ours_ms = run_once(ours, spec, frames);
        if (k >= 0) {
            ms[0][k] = ours_ms;
            ms[1][k] = other_ms;
        }
    }
    row->has_counters = true;
    row->counters = *reduced_counters(ours);
    row->ours_ms = bench_median(ms[0], (size_t)repetitions) / frames;
    row->other_ms = bench_median(ms[1], (size_t)repetitions) / frames;
    row->ratio = row->other_ms / row->ours_ms;
    reduced_destroy(ours);
    reduced_destroy(other);
}

static void run_row(const row_spec* spec, const bench_options* options, bench_report* report) {
    scene* s = scene_create_modal(spec->scene, spec->triangles, 0, options->seed, spec->fields);
    if (s == NULL) {
        bench_die("the scene '%s' cannot be made", spec->scene);
    }
    bench_row worst = {.ratio = INFINITY};
    bench_progress(spec->name);
    if (spec->copies > 0) {
        measure(s, spec, spec->copies, options->quick, &worst);
    }
    for (size_t i = 0; spec->copies == 0 && i < sizeof crowds / sizeof *crowds; ++i) {
        bench_row row = {0};
        measure(s, spec, crowds[i], options->quick, &row);
        bench_report_note(report, "%u balls: %.4f ms against %.4f ms: %.2f; %.0f blocks a frame.",
                          crowds[i], row.ours_ms, row.other_ms, row.ratio,
                          (double)row.counters.blocks_evaluated / scene_frame_count(s));
        if (row.ratio < worst.ratio) {
            worst = row;
        }
    }
    snprintf(worst.name, sizeof worst.name, "%s", spec->name);
    snprintf(worst.other, sizeof worst.other, "deform+refit");
    worst.at_least = spec->at_least;
    worst.aim = spec->aim;
    bench_report_add(report, &worst);
    scene_destroy(s);
}

static void run(const bench_options* options, const regex_t* wanted, bench_report* report) {
    for (size_t i = 0; i < SPECS; ++i) {
        if (is_wanted(specs[i].name, wanted)) {
            run_row(&specs[i], options, report);
        }
    }
    bench_progress(NULL);
}

extern const bench_suite bench_bdtree;
const bench_suite bench_bdtree = {
    .name = "bdtree",
    .about = "reduced deformation (modes, morph targets) against deforming everything",
    .list = list,
    .run = run,
};
