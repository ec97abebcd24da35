// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The paper's bound for small changes, one operation per sphere: a sphere of an earlier frame grows
// by dRho |dq|, where dRho is the greatest norm of a vertex's 3 x M block of displacements. Shows
// how much larger that is than an updated sphere, after one frame and after four.
#include "bench/paper/paper.h"
#include "bench/paper/tree.h"
#include "bench/reduced.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_ROWS = 65, NODES = 200, STARTS = 4 };

// Returns the greatest eigenvalue of the symmetric 3 x 3 matrix U U^T, by repeated squaring.
static double norm_of(const scene_body* b, uint32_t vertex) {
    double m[3][3] = {{0}};
    for (uint32_t j = 0; j < b->field_count; ++j) {
        const float* u = b->fields + 3 * ((size_t)b->vertex_count * j + vertex);
        for (int d = 0; d < 3; ++d) {
            for (int e = 0; e < 3; ++e) {
                m[d][e] += (double)u[d] * (double)u[e];
            }
        }
    }
    double x[3] = {1, 0.7, 0.4};
    double size = 0;
    for (int k = 0; k < 40; ++k) {
        double y[3];
        for (int d = 0; d < 3; ++d) {
            y[d] = m[d][0] * x[0] + m[d][1] * x[1] + m[d][2] * x[2];
        }
        size = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
        for (int d = 0; d < 3 && size > 0; ++d) {
            x[d] = y[d] / size;
        }
    }
    return sqrt(size);
}

static double change(const double* a, const double* b, uint32_t count) {
    double sum = 0;
    for (uint32_t j = 0; j < count; ++j) {
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    }
    return sqrt(sum);
}

// Adds R'' / R' after one frame and after four.
static void add_node(paper_tree* tree, uint32_t node, const scene* s, double sum[2]) {
    static const uint32_t steps[2] = {1, 4};
    const uint32_t fields = tree->body->field_count;
    const uint32_t count = paper_tree_vertices(tree, node);
    abut__ball rows[MOST_ROWS];
    double most = 0;
    paper_wrap(tree, count, ABUT__CENTRE_MEAN, rows);
    for (uint32_t i = 0; i < count; ++i) {
        most = fmax(most, norm_of(tree->body, tree->ids[i]));
    }
    for (uint32_t k = 0; k < STARTS; ++k) {
        double before[MOST_ROWS];
        double after[MOST_ROWS];
        const uint32_t start = (scene_frame_count(s) - 5) * k / STARTS;
        scene_coordinates(s, 0, start, before);
        for (int i = 0; i < 2; ++i) {
            scene_coordinates(s, 0, start + steps[i], after);
            const double grown = paper_update(rows, fields, before).r +
                                 most * change(before, after, fields);
            sum[i] += grown / paper_update(rows, fields, after).r / STARTS;
        }
    }
}

void paper_make_temporal(const bench_options* options, bench_report* report, const char* name) {
    scene* s = paper_scene("curtain", 12020, 0, options->seed, 12);
    paper_tree* tree = paper_tree_make(scene_get_body(s, 0));
    bench_table* table = bench_report_table(report, "level|R''/R' after 1 frame|after 4 frames",
                                            name);
    bench_figure* figure = bench_report_figure(
        report,
        &(bench_figure){.name = "temporal",
                        .title = "Curtain: the bound of small changes over a sphere updated anew",
                        .x_label = "level",
                        .y_label = "mean R''/R'"});
    for (uint32_t level = 0, node = 0; level < tree->level_count; ++level) {
        const uint32_t stride = paper_stride(tree, level, NODES);
        double sum[2] = {0};
        double count = 0;
        for (uint32_t i = 0; node < tree->node_count && tree->nodes[node].level == level;
             ++i, ++node) {
            if (i % stride == 0) {
                add_node(tree, node, s, sum);
                ++count;
            }
        }
        bench_table_cell(table, "%u", level);
        for (int k = 0; k < 2; ++k) {
            bench_table_cell(table, "%.2f", sum[k] / count);
            bench_figure_point(figure, k == 0 ? "1 frame" : "4 frames", level, sum[k] / count);
        }
    }
    paper_tree_free(tree);
    scene_destroy(s);
}
