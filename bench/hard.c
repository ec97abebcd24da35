// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The suite "hard": cases in which trees and proofs help least. Most rows compare with Embree in the
// faster of two ways: refit and Morton rebuild. Others compare with FCL, or two times of abut. Sizes
// count the triangles of both bodies together, except that 20k loose quads are 40k triangles.
#include "bench/hard.h"

#include "bench/trial_rows.h"

#include <stdio.h>

enum { LOOSE_QUADS, LOOSE_PATCHES, CROSSING, SLIVERS, BOXES, TRIALS };

static const trial_setup setups[TRIALS] = {
    [LOOSE_QUADS] = {"loose quads 20k", "loose_quads", 20000, 30, 3, ASK_COLLIDE, CLOCK_CPU},
    [LOOSE_PATCHES] = {"loose patches 20k", "loose_patches", 10000, 30, 3, ASK_COLLIDE, CLOCK_CPU},
    [CROSSING] = {"crossing sheets 20k", "crossing", 10000, 30, 3, ASK_COLLIDE, CLOCK_CPU},
    [SLIVERS] = {"slivers 20k", "slivers", 10000, 30, 3, ASK_COLLIDE, CLOCK_CPU},
    [BOXES] = {"1000 boxes", "boxes", 12000, 30, 3, ASK_COLLIDE, CLOCK_CPU},
};

#define BEST "Embree refit", "Embree Morton"

static const trial_row trials[] = {
    {"loose quads 20k vs Embree rebuild",
     1,
     3,
     LOOSE_QUADS,
     FRAME_MEDIAN,
     "abut",
     {"Embree Morton"}},
    {"loose patches 20k vs Embree best", 1.2, 3, LOOSE_PATCHES, FRAME_MEDIAN, "abut", {BEST}},
    {"crossing sheets 20k vs Embree best", 2, 4, CROSSING, FRAME_MEDIAN, "abut", {BEST}},
    {"slivers 20k vs Embree best", 2, 4, SLIVERS, FRAME_MEDIAN, "abut", {BEST}},
    // also all boxes in one tree: a tree each is the slower way with so many of them
    {"1000 boxes vs Embree best",
     2,
     5,
     BOXES,
     FRAME_MEDIAN,
     "abut",
     {BEST, "Embree refit, joined", "Embree Morton, joined"}},
};

static const trial_rows all = {setups, TRIALS, trials, sizeof trials / sizeof *trials};

typedef struct row_spec {
    const char* name;
    double at_least;
    double aim;
    bool (*measure)(const bench_options* options, bench_row* row, bench_report* report);
    bool ours_alone;  // a wrong answer is one of abut
} row_spec;

static const row_spec specs[] = {
    {"rigid distance 20k worst frame vs FCL OBBRSS", 1, 3, hard_rigid_20k, false},
    {"rigid distance 160k worst frame vs FCL OBBRSS", 1, 3, hard_rigid_160k, false},
    {"rigid collide 20k worst frame vs FCL OBBRSS", 1, 3, hard_rigid_collide_20k, false},
    {"rigid collide 160k worst frame vs FCL OBBRSS", 1, 3, hard_rigid_collide_160k, false},
    {"fan 10k, triangles of a cloth over fan (time a triangle)", 0.1, 0.5, hard_fan, true},
    {"far 1e7, at the origin over far", 0.7, 0.95, hard_far, true},
    {"far 1e7 flight worst frame, at the origin over far", 0.7, 0.95, hard_far_flight, true},
    {"concentric balls 317k, Embree point query of each vertex over nearest", 1, 10,
     hard_concentric, false},
    {"collide over depth, balls 2 x 40k, centres 0.6 radii apart", 0.1, 0.3, hard_deep, true},
    {"collide over depth, ball 78k wholly inside", 0.005, 0.05, hard_inside, true},
    {"first self query modal 239k M=10, deform + first free over it", 0.7, 1, hard_first, true},
    {"certificates modal 239k M=10, self queries until paid below 250 (250 / seen)", 1, 4,
     hard_certificates, true},
    {"static 1M in the command, PLY time over STL time", 0.6, 0.9, hard_command, true},
};
enum { SPECS = sizeof specs / sizeof *specs };

static void list(void (*fn)(void* user, const char* name, double at_least, double aim),
                 void* user) {
    trial_rows_list(&all, fn, user);
    for (size_t i = 0; i < SPECS; ++i) {
        fn(user, specs[i].name, specs[i].at_least, specs[i].aim);
    }
}

static void run_row(const row_spec* spec, const bench_options* options, bench_report* report) {
    bench_row row = {.at_least = spec->at_least, .aim = spec->aim};
    snprintf(row.name, sizeof row.name, "%s", spec->name);
    bench_progress(spec->name);
    if (spec->measure(options, &row, report)) {
        bench_report_add(report, &row);
        report->ours_wrong = report->ours_wrong || (spec->ours_alone && !row.same_answer);
    }
}

static void run(const bench_options* options, const regex_t* wanted, bench_report* report) {
    bench_note_isa(report);
    trial_rows_run(&all, options, wanted, report);
    for (size_t i = 0; i < SPECS; ++i) {
        if (bench_is_wanted(specs[i].name, wanted)) {
            run_row(&specs[i], options, report);
        }
    }
    bench_progress(NULL);
}

extern const bench_suite bench_hard;
const bench_suite bench_hard = {
    .name = "hard",
    .about = "cases in which trees and proofs help least",
    .list = list,
    .run = run,
};
