// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The suite "rays": see rays.h.
#include "bench/rays.h"

#include <stdio.h>

static const rays_spec* const groups[] = {rays_static_rows, rays_moving_rows, rays_points_rows,
                                          rays_features_rows};
enum { GROUPS = sizeof groups / sizeof *groups };

static void list(void (*fn)(void* user, const char* name, double at_least, double aim),
                 void* user) {
    for (size_t g = 0; g < GROUPS; ++g) {
        for (const rays_spec* spec = groups[g]; spec->name != NULL; ++spec) {
            fn(user, spec->name, spec->at_least, spec->aim);
        }
    }
}

static void run_row(const rays_spec* spec, const bench_options* options, bench_report* report) {
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
    for (size_t g = 0; g < GROUPS; ++g) {
        for (const rays_spec* spec = groups[g]; spec->name != NULL; ++spec) {
            if (bench_is_wanted(spec->name, wanted)) {
                run_row(spec, options, report);
            }
        }
    }
    bench_progress(NULL);
}

extern const bench_suite bench_rays;
const bench_suite bench_rays = {
    .name = "rays",
    .about = "rays, closest points, sides and features, on static and deforming bodies",
    .list = list,
    .run = run,
};
