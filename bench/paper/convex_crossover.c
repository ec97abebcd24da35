// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Where lazy evaluation of blend bodies is slower than skinning everything: as a function of
// vertices, influences per vertex, and contact. On the ring, with 550 nodes per figure.
#include "bench/duel.h"
#include "bench/paper/paper.h"
#include "bench/paper/tree.h"

#include <stdio.h>

// Every second one if time is short.
static const uint32_t vertices[] = {1000, 2857, 5000, 10000, 20000, 50000};
static const uint32_t influences[] = {4, 8, 16, 32};
static const struct {
    const char* name;
    scene_contact contact;
} contacts[] = {{"none", SCENE_CONTACT_NONE},
                {"small", SCENE_CONTACT_SMALL},
                {"large", SCENE_CONTACT_LARGE},
                {"pressed", SCENE_CONTACT_PRESSED}};
enum {
    SIZES = sizeof vertices / sizeof *vertices,
    LISTS = sizeof influences / sizeof *influences,
    CONTACTS = sizeof contacts / sizeof *contacts,
};

typedef struct point {
    const char* sweep;
    uint32_t vertices;
    uint32_t influences;  // 0: as in the scene
    size_t contact;
    double share;  // fraction of blocks that are evaluated per frame
    double ratio;
} point;

static void measure(const bench_options* options, point* p, bench_table* table) {
    scene* s = paper_scene_with("ring", &(scene_options){.triangles = 2 * p->vertices,
                                                         .nodes = 550,
                                                         .frames = options->quick ? 10 : 60,
                                                         .seed = options->seed,
                                                         .influences = p->influences,
                                                         .contact = contacts[p->contact].contact});
    const scene_body* b = scene_get_body(s, 0);
    const duel d = {.copies = 1, .swing = 1, .budget_ms = options->quick ? 0 : 600};
    const duel_outcome out = duel_run(s, &d, options->quick);
    p->vertices = b->vertex_count;
    p->share = (double)out.counters.blocks_evaluated /
               ((double)out.blocks * scene_body_count(s) * scene_frame_count(s));
    p->ratio = out.other_ms / out.ours_ms;
    bench_table_cell(table, "%s", p->sweep);
    bench_table_cell(table, "%u", b->vertex_count);
    bench_table_cell(table, "%.1f", (double)b->weight_first[b->vertex_count] / b->vertex_count);
    bench_table_cell(table, "%s", contacts[p->contact].name);
    bench_table_cell(table, "%.1f %%", 100 * p->share);
    bench_table_cell(table, "%.4f", out.ours_ms);
    bench_table_cell(table, "%.4f", out.other_ms);
    bench_table_cell(table, "%.2f", p->ratio);
    bench_table_cell(table, "%s", p->ratio < 1 ? "skin+refit" : "lazy");
    scene_destroy(s);
}

static bench_figure* add_figure(bench_report* report, const char* name, const char* title,
                                const char* x_label) {
    bench_figure what = {.log_x = true, .log_y = true, .y_label = "time of skin+refit / abut"};
    snprintf(what.name, sizeof what.name, "%s", name);
    snprintf(what.title, sizeof what.title, "%s", title);
    snprintf(what.x_label, sizeof what.x_label, "%s", x_label);
    return bench_report_figure(report, &what);
}

void convex_make_crossover(const bench_options* options, bench_report* report, const char* name) {
    bench_table* table = bench_report_table(
        report,
        "<sweep|vertices|influences|<contact|blocks evaluated|abut ms|skin+refit ms|ratio|<wins",
        name);
    bench_figure* size = add_figure(report, "size", "Ring: sizes at which lazy evaluation loses",
                                    "vertices of a figure");
    bench_figure* share = add_figure(report, "crossover",
                                     "Ring: blocks at which lazy evaluation loses",
                                     "share of blocks evaluated in a frame");
    bench_figure* list = add_figure(report, "influences",
                                    "Ring: influences, at one number of vertices",
                                    "influences of a vertex");
    const size_t step = options->quick ? 2 : 1;
    for (size_t c = 0; c < CONTACTS; ++c) {
        for (size_t i = 0; i < SIZES; i += step) {
            point p = {.sweep = "vertices", .vertices = vertices[i], .contact = c};
            measure(options, &p, table);
            bench_figure_point(size, contacts[c].name, p.vertices, p.ratio);
            bench_figure_point(share, contacts[c].name, p.share, p.ratio);
        }
    }
    for (size_t c = 0; c < CONTACTS; c += step) {
        for (size_t i = 0; i < LISTS; i += step) {
            point p = {.sweep = "influences",
                       .vertices = options->quick ? 5000 : 20000,
                       .influences = influences[i],
                       .contact = c};
            measure(options, &p, table);
            bench_figure_point(list, contacts[c].name, influences[i], p.ratio);
        }
    }
}
