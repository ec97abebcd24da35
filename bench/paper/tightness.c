// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The tightness of the bounds, level by level: the size of each relative to the best one of its
// kind around the deformed vertices. Spheres by radius, boxes by the sum of their sides.
#include "bench/paper/paper.h"
#include "bench/paper/tree.h"
#include "bench/reduced.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 4, NODES = 200, KINDS = 5, MOST_ROWS = 65 };
static const char* const kinds[KINDS] = {"sphere, mean", "sphere, small ball", "box, mean",
                                         "box, middle", "layered sphere"};

typedef struct frames {
    double q[FRAMES][MOST_ROWS];
    double* xyz[FRAMES];
    abut__ball* layered[FRAMES];
} frames;

// Centre and half width of an interval, of the rest state or of a field.
typedef struct span {
    double mean;
    double lo;
    double hi;
} span;

static span find_span(const paper_tree* tree, uint32_t count, uint32_t row, size_t d) {
    const scene_body* b = tree->body;
    span s = {0, INFINITY, -INFINITY};
    for (uint32_t i = 0; i < count; ++i) {
        const size_t at = 3 * (size_t)tree->ids[i] + d;
        const double x = row == 0 ? b->rest[at]
                                  : (double)b->fields[3 * (size_t)b->vertex_count * (row - 1) + at];
        s.mean += x / count;
        s.lo = fmin(s.lo, x);
        s.hi = fmax(s.hi, x);
    }
    return s;
}

// Sums half extents over the axes, around means and around middles, per frame.
static void add_boxes(const paper_tree* tree, uint32_t count, const frames* f,
                      double half[FRAMES][2]) {
    for (uint32_t row = 0; row <= tree->body->field_count; ++row) {
        for (size_t d = 0; d < 3; ++d) {
            const span s = find_span(tree, count, row, d);
            for (int k = 0; k < FRAMES; ++k) {
                const double q = row == 0 ? 1 : fabs(f->q[k][row - 1]);
                half[k][0] += q * fmax(s.hi - s.mean, s.mean - s.lo);
                half[k][1] += q * 0.5 * (s.hi - s.lo);
            }
        }
    }
}

static double best_box(const paper_tree* tree, uint32_t count, const double* xyz) {
    double half = 0;
    for (size_t d = 0; d < 3; ++d) {
        double lo = INFINITY;
        double hi = -INFINITY;
        for (uint32_t i = 0; i < count; ++i) {
            lo = fmin(lo, xyz[3 * (size_t)tree->ids[i] + d]);
            hi = fmax(hi, xyz[3 * (size_t)tree->ids[i] + d]);
        }
        half += 0.5 * (hi - lo);
    }
    return half;
}

// Adds the ratios of a node, one of each kind per frame.
static void add_node(paper_tree* tree, uint32_t node, const frames* f, double sum[KINDS]) {
    const uint32_t fields = tree->body->field_count;
    abut__ball rows[2][MOST_ROWS];
    double half[FRAMES][2] = {{0}};
    const uint32_t count = paper_tree_vertices(tree, node);
    paper_wrap(tree, count, ABUT__CENTRE_MEAN, rows[0]);
    paper_wrap(tree, count, ABUT__CENTRE_MINIMAL, rows[1]);
    add_boxes(tree, count, f, half);
    for (int k = 0; k < FRAMES; ++k) {
        const double ball = paper_best(tree, count, f->xyz[k]).r;
        const double box = best_box(tree, count, f->xyz[k]);
        sum[0] += paper_update(rows[0], fields, f->q[k]).r / ball;
        sum[1] += paper_update(rows[1], fields, f->q[k]).r / ball;
        sum[2] += half[k][0] / box;
        sum[3] += half[k][1] / box;
        sum[4] += f->layered[k][node].r / ball;
    }
}

static void prepare(const scene* s, paper_tree* tree, frames* f) {
    const uint32_t last = scene_frame_count(s) - 1;
    for (uint32_t k = 0; k < FRAMES; ++k) {
        scene_coordinates(s, 0, last * (k + 1) / FRAMES, f->q[k]);
        f->xyz[k] = bench_alloc(3 * (size_t)tree->body->vertex_count, sizeof(double));
        f->layered[k] = bench_alloc(tree->node_count, sizeof(abut__ball));
        paper_deform(tree->body, f->q[k], f->xyz[k]);
        paper_layer(tree, f->xyz[k], f->layered[k]);
    }
}

void paper_make_tightness(const bench_options* options, bench_report* report, const char* name) {
    scene* s = paper_scene("curtain", 12020, 0, options->seed, 12);
    paper_tree* tree = paper_tree_make(scene_get_body(s, 0));
    frames f;
    prepare(s, tree, &f);
    char heads[256] = "level";
    for (int k = 0; k < KINDS; ++k) {
        const size_t used = strlen(heads);
        snprintf(heads + used, sizeof heads - used, "|%s", kinds[k]);
    }
    bench_table* table = bench_report_table(report, heads, name);
    bench_figure* figure = bench_report_figure(
        report, &(bench_figure){.name = "tightness",
                                .title = "Curtain: size of bounds over the best of their kind",
                                .x_label = "level",
                                .y_label = "mean ratio"});
    for (uint32_t level = 0, node = 0; level < tree->level_count; ++level) {
        const uint32_t stride = paper_stride(tree, level, options->quick ? NODES / 4 : NODES);
        double sum[KINDS] = {0};
        double count = 0;
        for (uint32_t i = 0; node < tree->node_count && tree->nodes[node].level == level;
             ++i, ++node) {
            if (i % stride == 0) {
                add_node(tree, node, &f, sum);
                count += FRAMES;
            }
        }
        bench_table_cell(table, "%u", level);
        for (int k = 0; k < KINDS; ++k) {
            bench_table_cell(table, "%.2f", sum[k] / count);
            bench_figure_point(figure, kinds[k], level, sum[k] / count);
        }
    }
    for (int k = 0; k < FRAMES; ++k) {
        free(f.xyz[k]);
        free(f.layered[k]);
    }
    paper_tree_free(tree);
    scene_destroy(s);
}
