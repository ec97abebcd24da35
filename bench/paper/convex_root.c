// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Table 1: the time for one root box of the brain, by vertices and nodes, and for the best box.
#include "bench/paper/paper.h"
#include "bench/root.h"

typedef struct model {
    const char* vertices;
    uint32_t triangles;
    const char* paper[4];  // for 65, 225 and 509 nodes, and for the best box
} model;

static const model models[] = {
    {"3.5k", 7000, {"15", "35", "90", "2.0e3"}},
    {"30k", 60000, {"18", "48", "100", "17.2e3"}},
    {"145k", 290000, {"18", "46", "100", "82.5e3"}},
};
static const uint32_t nodes[] = {65, 225, 509};

void convex_make_root(const bench_options* options, bench_report* report, const char* name) {
    bench_table* table = bench_report_table(
        report,
        "vertices|n=65|paper|n=225|paper|n=509|paper|set state n=509|skin all + box|paper|ratio",
        name);
    for (size_t i = 0; i < sizeof models / sizeof *models; ++i) {
        root_outcome out = {0};
        bench_table_cell(table, "%s", models[i].vertices);
        for (size_t k = 0; k < sizeof nodes / sizeof *nodes; ++k) {
            out = root_measure(models[i].triangles, nodes[k], options);
            report->ours_wrong = report->ours_wrong || !out.holds;
            bench_table_cell(table, "%.2f", out.ours_us);
            bench_table_cell(table, "%s", models[i].paper[k]);
        }
        bench_table_cell(table, "%.2f", out.set_us);
        bench_table_cell(table, "%.0f", out.optimal_us);
        bench_table_cell(table, "%s", models[i].paper[3]);
        bench_table_cell(table, "%.0f", out.optimal_us / out.ours_us);
    }
}
