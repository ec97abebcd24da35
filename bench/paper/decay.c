// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How the growth of radii, |dR|_2 over all fields, decreases with the level on the chair, and the
// bound of appendix A: dR_j <= 2 L_j R with the Lipschitz constant L_j of field j on the vertices
// of the sphere, computed here from all pairs of them.
#include "bench/paper/paper.h"
#include "bench/paper/tree.h"
#include "bench/reduced.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_ROWS = 65, PAIRS_MOST = 3000, NODES = 200 };

static const double paper[] = {1,    .684, .575, .399, .252, .167, .110, .080, .057, .041,
                               .030, .022, .017, .016, .015, .013, .007, .004, .003};

static double growth_of(const abut__ball* rows, uint32_t fields) {
    double sum = 0;
    for (uint32_t j = 1; j <= fields; ++j) {
        sum += rows[j].r * rows[j].r;
    }
    return sqrt(sum);
}

// the square of the sum of squares of Lipschitz constants
static double steepest_sq(const paper_tree* tree, uint32_t count, const float* field) {
    double most = 0;
    for (uint32_t a = 0; a < count; ++a) {
        const size_t i = 3 * (size_t)tree->ids[a];
        for (uint32_t b = 0; b < a; ++b) {
            const size_t k = 3 * (size_t)tree->ids[b];
            double up = 0;
            double apart = 0;
            for (size_t d = 0; d < 3; ++d) {
                const double u = (double)field[i + d] - (double)field[k + d];
                const double p = tree->body->rest[i + d] - tree->body->rest[k + d];
                up += u * u;
                apart += p * p;
            }
            most = up > most * apart ? up / apart : most;
        }
    }
    return most;
}

static double bound_of(const paper_tree* tree, uint32_t count, double radius) {
    double sum = 0;
    for (uint32_t j = 0; j < tree->body->field_count; ++j) {
        sum += steepest_sq(tree, count,
                           tree->body->fields + 3 * (size_t)tree->body->vertex_count * j);
    }
    return 2 * radius * sqrt(sum);
}

void paper_make_decay(const bench_options* options, bench_report* report, const char* name) {
    scene* s = paper_scene("chair", 17914, 0, options->seed, 10);
    paper_tree* tree = paper_tree_make(scene_get_body(s, 0));
    bench_table* table = bench_report_table(
        report, "level|paper|means|small balls|bound of appendix A over means", name);
    bench_figure* figure = bench_report_figure(
        report, &(bench_figure){.name = "decay",
                                .title = "Chair: growth of radii |dR| by level, over the root's",
                                .x_label = "level",
                                .y_label = "mean over the root's",
                                .log_y = true});
    double root[2] = {0};
    for (uint32_t level = 0, node = 0; level < tree->level_count; ++level) {
        const uint32_t stride = paper_stride(tree, level, NODES);
        double sum[3] = {0};
        double count = 0;
        double bounded = 0;
        for (uint32_t i = 0; node < tree->node_count && tree->nodes[node].level == level;
             ++i, ++node) {
            abut__ball rows[2][MOST_ROWS];
            if (i % stride != 0) {
                continue;
            }
            const uint32_t vertices = paper_tree_vertices(tree, node);
            paper_wrap(tree, vertices, ABUT__CENTRE_MEAN, rows[0]);
            paper_wrap(tree, vertices, ABUT__CENTRE_MINIMAL, rows[1]);
            sum[0] += growth_of(rows[0], tree->body->field_count);
            sum[1] += growth_of(rows[1], tree->body->field_count);
            ++count;
            if (vertices <= PAIRS_MOST) {  // higher up there are too many pairs
                sum[2] += bound_of(tree, vertices, rows[0][0].r) /
                          growth_of(rows[0], tree->body->field_count);
                ++bounded;
            }
        }
        bench_table_cell(table, "%u", level);
        if (level < sizeof paper / sizeof *paper) {
            bench_table_cell(table, "%.3f", paper[level]);
            bench_figure_point(figure, "paper", level, paper[level]);
        } else {
            bench_table_cell(table, "%s", "");
        }
        for (int k = 0; k < 2; ++k) {
            root[k] = level == 0 ? sum[k] / count : root[k];
            bench_table_cell(table, "%.3f", sum[k] / count / root[k]);
            bench_figure_point(figure, k == 0 ? "means" : "small balls", level,
                               sum[k] / count / root[k]);
        }
        bench_table_cell(table, bounded > 0 ? "%.1f" : "", sum[2] / bounded);
    }
    paper_tree_free(tree);
    scene_destroy(s);
}
