// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Where lazy evaluation is slower than deforming everything: as a function of triangles, of fields,
// of the blocks that are evaluated, those of balls included, and for self queries of the size of the coordinates.
#include "bench/duel.h"
#include "bench/paper/paper.h"
#include "bench/paper/tree.h"

#include <stdio.h>

typedef struct sweep {
    const char* series;
    uint32_t triangles;
    uint32_t fields;
    uint32_t copies;
    bool bounces;
} sweep;

static const sweep sweeps[] = {
    {"triangles", 1000, 12, 1, true},      {"triangles", 3000, 12, 1, true},
    {"triangles", 12012, 12, 1, true},     {"triangles", 48000, 12, 1, true},
    {"triangles", 196000, 12, 1, true},    {"triangles", 784000, 12, 1, true},
    {"fields", 48000, 3, 1, true},         {"fields", 48000, 6, 1, true},
    {"fields", 48000, 12, 1, true},        {"fields", 48000, 30, 1, true},
    {"fields", 48000, 60, 1, true},        {"contact 12k", 12012, 12, 1, false},
    {"contact 12k", 12012, 12, 4, false},  {"contact 12k", 12012, 12, 16, false},
    {"contact 12k", 12012, 12, 64, false}, {"contact 12k", 12012, 12, 256, false},
    {"contact 48k", 48000, 12, 1, false},  {"contact 48k", 48000, 12, 4, false},
    {"contact 48k", 48000, 12, 16, false}, {"contact 48k", 48000, 12, 64, false},
};

static bench_figure* add_figure(bench_report* report, const char* name, const char* title,
                                const char* x_label) {
    bench_figure what = {.log_x = true, .log_y = true, .y_label = "time of deform+refit / abut"};
    snprintf(what.name, sizeof what.name, "%s", name);
    snprintf(what.title, sizeof what.title, "%s", title);
    snprintf(what.x_label, sizeof what.x_label, "%s", x_label);
    return bench_report_figure(report, &what);
}

void paper_make_crossover(const bench_options* options, bench_report* report, const char* name) {
    bench_table* table = bench_report_table(
        report, "<sweep|triangles|fields|balls|evaluated / curtain|abut ms|deform+refit ms|ratio",
        name);
    bench_figure* contact = add_figure(report, "crossover", "Curtain: where lazy evaluation loses",
                                       "blocks evaluated in a frame, over those of the curtain");
    bench_figure* size = add_figure(report, "size", "Curtain and one ball, M = 12", "triangles");
    bench_figure* fields = add_figure(report, "fields", "Curtain of 48k and one ball", "fields");
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; ++i) {
        const sweep* w = &sweeps[i];
        if (options->quick && w->triangles > 200000) {
            continue;
        }
        scene* s = paper_scene("curtain", w->triangles, w->triangles > 100000 ? 40 : 0,
                               options->seed, w->fields);
        const duel d = {.bounces = w->bounces,
                        .copies = w->copies,
                        .swing = 1,
                        .budget_ms = options->quick ? 50 : 400};
        const duel_outcome out = duel_run(s, &d, options->quick);
        const double share = (double)out.counters.blocks_evaluated /
                             ((double)out.blocks * scene_frame_count(s));
        const double ratio = out.other_ms / out.ours_ms;
        bench_table_cell(table, "%s", w->series);
        bench_table_cell(table, "%u", scene_get_body(s, 0)->triangle_count);
        bench_table_cell(table, "%u", w->fields);
        bench_table_cell(table, "%u", w->copies);
        bench_table_cell(table, "%.2f %%", 100 * share);
        bench_table_cell(table, "%.4f", out.ours_ms);
        bench_table_cell(table, "%.4f", out.other_ms);
        bench_table_cell(table, "%.2f", ratio);
        if (!w->bounces) {
            bench_figure_point(contact, w->series, share, ratio);
        } else if (w->series[0] == 't') {
            bench_figure_point(contact, "one ball bounces, 1k to 784k", share, ratio);
            bench_figure_point(size, "ball bounces", scene_get_body(s, 0)->triangle_count, ratio);
        } else {
            bench_figure_point(fields, "ball bounces", w->fields, ratio);
        }
        scene_destroy(s);
    }
}

void paper_make_swing(const bench_options* options, bench_report* report, const char* name) {
    static const double swings[] = {0.01, 0.05, 0.2, 0.5, 1, 2};
    scene* s = paper_scene("bridge", options->quick ? 30000 : 60000, 15, options->seed, 10);
    bench_table* table = bench_report_table(
        report, "coordinates|abut ms|deform+refit ms|ratio|proven apart a frame|same", name);
    for (size_t i = 0; i < sizeof swings / sizeof *swings; ++i) {
        const duel d = {.self = true,
                        .copies = 1,
                        .swing = swings[i],
                        .check_step = 5,
                        .budget_ms = options->quick ? 100 : 500};
        const duel_outcome out = duel_run(s, &d, options->quick);
        bench_table_cell(table, "%.0f %%", 100 * swings[i]);
        bench_table_cell(table, "%.4f", out.ours_ms);
        bench_table_cell(table, "%.4f", out.other_ms);
        bench_table_cell(table, "%.1f", out.other_ms / out.ours_ms);
        bench_table_cell(table, "%.0f",
                         (double)(out.counters.nodes_certified + out.counters.blocks_certified) /
                             scene_frame_count(s));
        bench_table_cell(table, "%s", out.same_answer ? "yes" : "no");
    }
    scene_destroy(s);
}
