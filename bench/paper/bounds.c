// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Boxes against spheres for rotating bodies: a chair that tumbles over another one.
#include "bench/paper/paper.h"
#include "bench/paper/tree.h"
#include "bench/reduced.h"

void paper_make_bounds(const bench_options* options, bench_report* report, const char* name) {
    enum { WAYS = 6, ROUNDS = 7 };
    static const struct {
        const char* name;
        reduced_way way;
    } ways[WAYS] = {{"boxes", WAY_LAZY},
                    {"spheres, small balls", WAY_SPHERES},
                    {"spheres, means", WAY_SPHERES_MEAN},
                    {"boxes and spheres", WAY_BOTH_ALWAYS},
                    {"boxes, spheres by choice", WAY_BOTH},
                    {"cubes around spheres", WAY_CUBES}};
    scene* s = paper_scene("chair", 17914, 0, options->seed, 10);
    const uint32_t frames = scene_frame_count(s);
    reduced* r[WAYS];
    double ms[WAYS][ROUNDS];
    for (int w = 0; w < WAYS; ++w) {
        r[w] = reduced_create(s, 1, 0, ways[w].way);
    }
    for (int k = -1; k < ROUNDS; ++k) {
        for (int w = 0; w < WAYS; ++w) {
            *reduced_counters(r[w]) = (abut_counters){0};
            const double start = bench_now(CLOCK_CPU);
            for (uint32_t f = 0; f < frames; ++f) {
                reduced_update(r[w], f, 1);
                reduced_collide(r[w]);
            }
            if (k >= 0) {
                ms[w][k] = bench_now(CLOCK_CPU) - start;
            }
        }
    }
    bench_table* table = bench_report_table(
        report, "<bounds|tests a frame|bounded a frame|blocks a frame|pairs a frame|ms a frame",
        name);
    for (int w = 0; w < WAYS; ++w) {
        const abut_counters* c = reduced_counters(r[w]);
        bench_table_cell(table, "%s", ways[w].name);
        bench_table_cell(table, "%.0f", (double)c->boxes_tested / frames);
        bench_table_cell(table, "%.0f", (double)c->boxes_computed / frames);
        bench_table_cell(table, "%.1f", (double)c->blocks_evaluated / frames);
        bench_table_cell(table, "%.1f", (double)c->pairs_found / frames);
        bench_table_cell(table, "%.4f", bench_median(ms[w], ROUNDS) / frames);
        reduced_destroy(r[w]);
    }
    scene_destroy(s);
}
