// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Table 1 and figures 12 to 15 of Sud and others, "Fast Proximity Computation Among Deformable
// Models Using Discrete Voronoi Diagrams" (2006), on similar scenes. Within the skirt and the cloth
// every triangle is queried, elsewhere every body, and every triangle within all bodies that move.
// Every time includes making bodies that appear.
#include "bench/near_trial.h"
#include "bench/paper/paper.h"

#include <stdio.h>

static const struct paper_scene {
    const char* name;
    near_setup setup;
    const char* triangles;  // in the paper
    const char* grid;
    const char* aabb;  // seconds
    const char* voronoi;
} scenes[] = {
    {"skirt", {NEAR_WITHIN, "skirt", 0, 60, 20, 0, 0}, "12K", "200x175x45", "1.8", "0.53"},
    {"cloth on ball",
     {NEAR_WITHIN, "cloth_ball", 0, 60, 20, 0, 0},
     "15K",
     "190x200x60",
     "3.8",
     "0.70"},
    {"bowl", {NEAR_BOTH, "bowl", 0, 60, 10, 0, 0}, "4.5K", "150x100x30", "1.1", "0.07"},
    {"ramps", {NEAR_BOTH, "letters", 0, 60, 15, 0, 0}, "38K", "45x300x40", "13.5", "1.10"},
    {"breaking", {NEAR_BOTH, "breaking", 0, 60, 5, 0, 0}, "5.5K", "100x100x60", "2.6", "0.12"},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static const near_kind* const all_kinds[] = {
    &near_abut,        &near_abut_cold, &near_abut_voronoi, &near_aabb,
#ifdef BENCH_HAVE_FCL
    &near_fcl_rebuild, &near_fcl_refit,
#endif
};
enum { KINDS = sizeof all_kinds / sizeof *all_kinds };

static uint32_t triangles_of(const scene* s) {
    uint32_t sum = 0;
    for (uint32_t b = 0; b < scene_body_count(s); ++b) {
        sum += scene_present(s, b, 0) ? scene_get_body(s, b)->triangle_count : 0;
    }
    return sum;
}

static bench_options quick(const bench_options* options) {
    bench_options other = *options;
    other.quick = true;
    return other;
}

void near_make_times(const bench_options* options, bench_report* report, const char* name) {
    bench_table* table = bench_report_table(
        report,
        "<scene|triangles|paper: triangles|grid|AABB, s|Voronoi, s|ours: trees, warm|cold|Voronoi|"
        "AABB hierarchy|FCL rebuild|FCL refit",
        name);
    const bench_options fast = quick(options);
    for (size_t i = 0; i < SCENES; ++i) {
        near_trial* t = near_trial_run(&scenes[i].setup, all_kinds, KINDS, 0, &fast);
        bench_table_cell(table, "%s", scenes[i].name);
        bench_table_cell(table, "%u", triangles_of(t->scene));
        bench_table_cell(table, "%s", scenes[i].triangles);
        bench_table_cell(table, "%s", scenes[i].grid);
        bench_table_cell(table, "%s", scenes[i].aabb);
        bench_table_cell(table, "%s", scenes[i].voronoi);
        for (uint32_t k = 0; k < 6; ++k) {
            if (k >= t->entry_count) {
                bench_table_cell(table, "-");
            } else {
                bench_table_cell(table, t->entries[k].wrong_frames > 0 ? "%.2f (wrong)" : "%.2f",
                                 near_trial_ms(t, &t->entries[k]));
            }
        }
        near_trial_destroy(t);
    }
}

void near_make_tests(const bench_options* options, bench_report* report, const char* name) {
    static const near_kind* const kinds[] = {&near_abut, &near_abut_cold, &near_abut_voronoi,
                                             &near_aabb};
    bench_table* table = bench_report_table(
        report,
        "<scene|trees, warm|cold|Voronoi: in the PNS|after bounds|measured|AABB hierarchy|AABB / "
        "PNS|AABB / measured|paper",
        name);
    const bench_options fast = quick(options);
    for (size_t i = 0; i < SCENES; ++i) {
        near_trial* t = near_trial_run(&scenes[i].setup, kinds, 4, 0, &fast);
        const double frames = t->frame_count;
        const near_entry* voronoi = &t->entries[2];
        double tests[4];
        for (uint32_t k = 0; k < 4; ++k) {
            tests[k] = (double)near_trial_tests(t, &t->entries[k]) / frames;
        }
        bench_table_cell(table, "%s", scenes[i].name);
        bench_table_cell(table, "%.0f", tests[0]);
        bench_table_cell(table, "%.0f", tests[1]);
        bench_table_cell(table, "%.0f", (double)voronoi->pairs / frames);
        bench_table_cell(table, "%.0f", (double)voronoi->bounded / frames);
        bench_table_cell(table, "%.0f", tests[2]);
        bench_table_cell(table, "%.0f", tests[3]);
        bench_table_cell(table, "%.1f", tests[3] * frames / (double)voronoi->pairs);
        bench_table_cell(table, "%.1f", tests[3] / tests[2]);
        bench_table_cell(table, "5 to 100");
        near_trial_destroy(t);
    }
}

void near_make_sweep(const bench_options* options, bench_report* report, const char* name) {
    static const near_kind* const kinds[] = {&near_abut_voronoi};
    static const uint32_t cells[] = {0, 16, 32, 64, 96, 128, 192, 256, 300, 384, 512};
    const near_setup setup = {NEAR_BODIES, "letters", 0, 60, 25, 0, 0};
    bench_table* table = bench_report_table(report, "cells|ms|exact tests|paper", name);
    bench_figure* figure = bench_report_figure(
        report, &(bench_figure){.name = "resolution",
                                .title = "200 letters: time by resolution of the grid",
                                .x_label = "cells along the longest side",
                                .y_label = "ms",
                                .log_x = true,
                                .log_y = true});
    const bench_options fast = quick(options);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; ++i) {
        near_trial* t = near_trial_run(&setup, kinds, 1, cells[i], &fast);
        const double ms = near_trial_ms(t, &t->entries[0]);
        bench_table_cell(table, cells[i] == 0 ? "chosen" : "%u", cells[i]);
        bench_table_cell(table, "%.2f", ms);
        bench_table_cell(table, "%.0f",
                         (double)near_trial_tests(t, &t->entries[0]) / t->frame_count);
        bench_table_cell(table, cells[i] == 300 ? "1100 ms, least" : "");
        bench_figure_point(figure, "Voronoi culling", cells[i], ms);
        near_trial_destroy(t);
    }
}

void near_make_curve(const bench_options* options, bench_report* report, const char* name) {
    static const near_kind* const kinds[] = {&near_abut, &near_abut_cold, &near_abut_voronoi,
                                             &near_aabb};
    const near_setup setup = {NEAR_BODIES, "letters", 0, 60, 4, 0, 0};
    bench_table* table = bench_report_table(
        report, "frame|trees, warm|cold|Voronoi|AABB hierarchy|AABB / Voronoi|paper", name);
    bench_figure* figure = bench_report_figure(
        report, &(bench_figure){.name = "frames",
                                .title = "200 letters: nearest body of every body",
                                .x_label = "frame",
                                .y_label = "ms",
                                .log_y = true});
    const bench_options fast = quick(options);
    near_trial* t = near_trial_run(&setup, kinds, 4, 0, &fast);
    for (uint32_t f = 0; f < t->frame_count; ++f) {
        bench_table_cell(table, "%u", t->frames[f]);
        double ms[4];
        for (uint32_t k = 0; k < 4; ++k) {
            ms[k] = t->entries[k].update_ms[f] + t->entries[k].ask_ms[f];
            bench_table_cell(table, "%.2f", ms[k]);
            bench_figure_point(figure, t->entries[k].kind->name, t->frames[f], ms[k]);
        }
        bench_table_cell(table, "%.1f", ms[3] / ms[2]);
        bench_table_cell(table, "about 10");
    }
    near_trial_destroy(t);
}
