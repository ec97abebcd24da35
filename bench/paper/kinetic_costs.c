// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The costs by which the library chooses between the rules that bound flight bodies
// (src/bound/choose.c): what a segment between two keyframes takes with each, in units of a refit.
#include "bench/keyed.h"
#include "bench/paper/paper.h"

enum { ROUNDS = 9, STEPS = 30 };

static const struct {
    const char* scene;
    uint32_t triangles;
} films[] = {{"tablecloth", 16200},
             {"tablecloth", 64082},
             {"dress", 64000},
             {"dress", 580000},
             {"shirt", 32000}};

static const keyed_way ways[] = {KEYED_LINEAR, KEYED_KINETIC, KEYED_BOXTREE};
enum { WAYS = sizeof ways / sizeof *ways };

// Returns the milliseconds of a refit: a body gets the positions of keyframe after keyframe.
static double time_refit(const keyframes* keys) {
    keyed* k = keyed_create(keys, KEYED_LERP);
    const uint32_t count = keyframes_count(keys) - 1;
    keyed_update(k, 0, 0, 1);
    const double begin = bench_now(CLOCK_CPU);
    for (uint32_t key = 1; key <= count; ++key) {
        keyed_update(k, key, 0, 1);
    }
    const double ms = bench_now(CLOCK_CPU) - begin;
    keyed_destroy(k);
    return ms / count;
}

// Returns the milliseconds of a segment.
static double time_segment(const keyframes* keys, keyed_way way) {
    keyed* k = keyed_create(keys, way);
    const uint32_t count = keyframes_count(keys) - 1;
    const double begin = bench_now(CLOCK_CPU);
    for (uint32_t key = 0; key < count; ++key) {
        for (uint32_t step = 0; step < STEPS; ++step) {
            keyed_update(k, key, step, STEPS);
        }
    }
    const double ms = bench_now(CLOCK_CPU) - begin;
    keyed_destroy(k);
    return ms / count;
}

void kinetic_make_costs(const bench_options* options, bench_report* report, const char* name) {
    bench_table* table = bench_report_table(
        report, "<scene|triangles|ms of a refit|linear boxes|kinetic AABB|kinetic BoxTree", name);
    for (size_t i = 0; i < sizeof films / sizeof *films; ++i) {
        double refit[ROUNDS];
        double ms[WAYS][ROUNDS];
        const int rounds = options->quick ? 3 : ROUNDS;
        scene* s = scene_create(films[i].scene, films[i].triangles, 0, options->seed);
        if (s == NULL) {
            bench_die("the scene '%s' cannot be made", films[i].scene);
        }
        keyframes* keys = keyframes_create(s, 0, scene_frame_count(s), true);
        for (int r = 0; r < rounds; ++r) {
            refit[r] = time_refit(keys);
            for (int w = 0; w < WAYS; ++w) {
                ms[w][r] = time_segment(keys, ways[w]);
            }
        }
        const double unit = bench_median(refit, (size_t)rounds);
        bench_table_cell(table, "%s", films[i].scene);
        bench_table_cell(table, "%u", scene_get_body(s, 0)->triangle_count);
        bench_table_cell(table, "%.4f", unit);
        for (int w = 0; w < WAYS; ++w) {
            bench_table_cell(table, "%.1f", bench_median(ms[w], (size_t)rounds) / unit);
        }
        keyframes_destroy(keys);
        scene_destroy(s);
    }
}
