// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Figures 4 and 6: radii of layered and of bounded spheres, each relative to the radius of the
// wrapped one at rest, on the bridge, at rest and at its largest deformation.
#include "bench/paper/paper.h"
#include "bench/paper/tree.h"
#include "bench/reduced.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 11, MOST_ROWS = 65 };

typedef struct spread {
    double sum;
    double most;
    uint32_t count;
} spread;

static void add(spread* s, double ratio) {
    s->sum += ratio;
    s->most = fmax(s->most, ratio);
    ++s->count;
}

static void show(bench_table* table, const spread* s) {
    bench_table_cell(table, "%.2f", s->sum / s->count);
    bench_table_cell(table, "%.2f", s->most);
}

static double length(const double* q, uint32_t count) {
    double sum = 0;
    for (uint32_t j = 0; j < count; ++j) {
        sum += q[j] * q[j];
    }
    return sqrt(sum);
}

static void find_largest(const scene* s, double* q) {
    const uint32_t fields = scene_get_body(s, 0)->field_count;
    double now[MOST_ROWS];
    for (uint32_t f = 0; f < scene_frame_count(s); ++f) {
        scene_coordinates(s, 0, f, now);
        if (f == 0 || length(now, fields) > length(q, fields)) {
            memcpy(q, now, fields * sizeof *q);
        }
    }
}

void paper_make_bridge(const bench_options* options, bench_report* report, const char* name) {
    scene* s = paper_scene("bridge", options->quick ? 60000 : 240316, 0, options->seed, 10);
    paper_tree* tree = paper_tree_make(scene_get_body(s, 0));
    const uint32_t fields = tree->body->field_count;
    double q[MOST_ROWS];
    double* xyz = bench_alloc(3 * (size_t)tree->body->vertex_count, sizeof *xyz);
    abut__ball* rest = bench_alloc(tree->node_count, sizeof *rest);
    abut__ball* bent = bench_alloc(tree->node_count, sizeof *bent);
    paper_layer(tree, tree->body->rest, rest);
    find_largest(s, q);
    paper_deform(tree->body, q, xyz);
    paper_layer(tree, xyz, bent);
    bench_table* table = bench_report_table(report,
                                            "<level|layered at rest|most|layered bent|most|BD-Tree "
                                            "bent|most|small balls bent|most",
                                            name);
    static const char* const paper[] = {"6, paper", "1.31", "1.77", "1.31", "1.79",
                                        "1.25",     "1.56", "",     ""};
    for (size_t i = 0; i < sizeof paper / sizeof *paper; ++i) {
        bench_table_cell(table, "%s", paper[i]);
    }
    for (uint32_t level = 0, node = 0; level < LEVELS && level < tree->level_count; ++level) {
        spread all[4] = {{0}};
        for (; node < tree->node_count && tree->nodes[node].level == level; ++node) {
            abut__ball rows[2][MOST_ROWS];
            const uint32_t count = paper_tree_vertices(tree, node);
            paper_wrap(tree, count, ABUT__CENTRE_MEAN, rows[0]);
            paper_wrap(tree, count, ABUT__CENTRE_MINIMAL, rows[1]);
            // Wrapped at rest: the smaller of both, since means are poor centres at rest.
            const double own = rows[1][0].r;
            add(&all[0], rest[node].r / own);
            add(&all[1], bent[node].r / own);
            rows[0][0] = rows[1][0];  // the paper's centre at rest is not the mean either
            add(&all[2], paper_update(rows[0], fields, q).r / own);
            add(&all[3], paper_update(rows[1], fields, q).r / own);
        }
        bench_table_cell(table, "%u", level);
        for (int k = 0; k < 4; ++k) {
            show(table, &all[k]);
        }
    }
    free(xyz);
    free(rest);
    free(bent);
    paper_tree_free(tree);
    scene_destroy(s);
}
