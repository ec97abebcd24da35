// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Table 2: a ball thrown at the curtain. The paper's two methods, with the ball as one sphere:
// wrapped spheres that are updated when first visited, and layered ones that are all updated
// bottom-up. And our method, including triangles.
#include "bench/paper/paper.h"
#include "bench/paper/tree.h"
#include "bench/reduced.h"

#include <math.h>
#include <stdlib.h>

typedef struct chase {
    paper_tree* tree;
    uint32_t frames;
    double* q;               // per frame
    abut__ball* ball;        // per frame
    const abut__ball* rows;  // wrapped; NULL: layered
    abut__ball* spheres;     // after the update
    double* xyz;
    uint32_t* stack;
    uint64_t tests;
    uint64_t leaves;
    double growth;  // sum over tested spheres of the radius relative to that at rest
} chase;

static bool meet(const abut__ball* a, const abut__ball* b) {
    const double d[3] = {a->c[0] - b->c[0], a->c[1] - b->c[1], a->c[2] - b->c[2]};
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= (a->r + b->r) * (a->r + b->r);
}

static void traverse(chase* c, uint32_t frame) {
    const uint32_t fields = c->tree->body->field_count;
    const double* q = c->q + (size_t)frame * fields;
    uint32_t height = 0;
    c->stack[height++] = 0;
    while (height > 0) {
        const uint32_t i = c->stack[--height];
        if (c->rows != NULL) {
            const abut__ball* rows = c->rows + (size_t)i * (fields + 1);
            c->spheres[i] = paper_update(rows, fields, q);
            c->growth += c->spheres[i].r / rows->r;
        }
        ++c->tests;
        if (!meet(&c->spheres[i], &c->ball[frame])) {
            continue;
        }
        const paper_node* node = &c->tree->nodes[i];
        c->leaves += node->child[0] == PAPER_NONE;
        for (int k = 0; k < 2; ++k) {
            if (node->child[k] != PAPER_NONE) {
                c->stack[height++] = node->child[k];
            }
        }
    }
}

static double run_chase(chase* c) {
    c->tests = c->leaves = 0;
    c->growth = 0;
    const double start = bench_now(CLOCK_CPU);
    for (uint32_t f = 0; f < c->frames; ++f) {
        if (c->rows == NULL) {
            paper_deform(c->tree->body, c->q + (size_t)f * c->tree->body->field_count, c->xyz);
            paper_layer(c->tree, c->xyz, c->spheres);
        }
        traverse(c, f);
    }
    return bench_now(CLOCK_CPU) - start;
}

// Computes the ball's positions: it reverses where it touches.
static void throw_ball(const scene* s, uint32_t turn_back, chase* c) {
    const scene_body* body = scene_get_body(s, scene_body_count(s) - 1);
    abut__ball* items = bench_alloc(body->vertex_count, sizeof *items);
    for (size_t i = 0; i < 3 * (size_t)body->vertex_count; ++i) {
        items[i / 3].c[i % 3] = body->rest[i];
    }
    const abut__ball rest = abut__ball_around(items, body->vertex_count, ABUT__CENTRE_MINIMAL);
    for (uint32_t f = 0; f < c->frames; ++f) {
        double r[3][3];
        double t[3];
        const uint32_t back = f <= 2 * turn_back ? 2 * turn_back - f : 0;
        scene_frame(s, scene_body_count(s) - 1, f <= turn_back ? f : back, r, t);
        for (int d = 0; d < 3; ++d) {
            c->ball[f].c[d] = r[d][0] * rest.c[0] + r[d][1] * rest.c[1] + r[d][2] * rest.c[2] +
                              t[d];
        }
        c->ball[f].r = rest.r;
    }
    free(items);
}

static void add_row(bench_table* table, const char* what, double tests, double ms, uint32_t frames,
                    double growth) {
    bench_table_cell(table, "%s", what);
    bench_table_cell(table, "%.0f", tests);
    bench_table_cell(table, "%.1f", tests / frames);
    bench_table_cell(table, "%.3f", ms);
    bench_table_cell(table, "%.5f", ms / frames);
    bench_table_cell(table, growth > 0 ? "%.2f" : "", growth);
}

static void add_chase(bench_table* table, const char* what, chase* c, const abut__ball* rows) {
    enum { ROUNDS = 5 };
    double ms[ROUNDS];
    c->rows = rows;
    for (int k = 0; k < ROUNDS; ++k) {
        ms[k] = run_chase(c);
    }
    add_row(table, what, (double)c->tests, bench_median(ms, ROUNDS), c->frames,
            c->growth / (double)c->tests);
}

static void add_ours(bench_table* table, const char* what, const scene* s, uint32_t turn_back,
                     reduced_way way) {
    enum { ROUNDS = 7 };
    double ms[ROUNDS];
    const uint32_t frames = scene_frame_count(s);
    reduced* r = reduced_create(s, 1, turn_back, way);
    for (int k = 0; k < ROUNDS; ++k) {
        *reduced_counters(r) = (abut_counters){0};
        const double start = bench_now(CLOCK_CPU);
        for (uint32_t f = 0; f < frames; ++f) {
            reduced_update(r, f, 1);
            reduced_collide(r);
        }
        ms[k] = bench_now(CLOCK_CPU) - start;
    }
    add_row(table, what, (double)reduced_counters(r)->boxes_tested, bench_median(ms, ROUNDS),
            frames, 0);
    reduced_destroy(r);
}

void paper_make_curtain(const bench_options* options, bench_report* report, const char* name) {
    scene* s = paper_scene("curtain", 12020, 0, options->seed, 12);
    const scene_body* body = scene_get_body(s, 0);
    const uint32_t turn_back = reduced_first_contact(s);
    chase c = {.tree = paper_tree_make(body), .frames = scene_frame_count(s)};
    c.q = bench_alloc((size_t)c.frames * body->field_count, sizeof *c.q);
    c.ball = bench_alloc(c.frames, sizeof *c.ball);
    c.spheres = bench_alloc(c.tree->node_count, sizeof *c.spheres);
    c.stack = bench_alloc(c.tree->node_count, sizeof *c.stack);
    c.xyz = bench_alloc(3 * (size_t)body->vertex_count, sizeof *c.xyz);
    for (uint32_t f = 0; f < c.frames; ++f) {
        scene_coordinates(s, 0, f, c.q + (size_t)f * body->field_count);
    }
    throw_ball(s, turn_back, &c);
    abut__ball* mean = paper_wrap_all(c.tree, ABUT__CENTRE_MEAN);
    abut__ball* small = paper_wrap_all(c.tree, ABUT__CENTRE_MINIMAL);
    bench_table* table = bench_report_table(
        report, "<way|tests|tests a frame|ms in all|ms a frame|mean R'/R", name);
    add_row(table, "paper: BD-Tree", 3890, 2.4, 110, 1.51);
    add_row(table, "paper: layered, bottom-up", 2150, 5400, 110, 0);
    add_chase(table, "BD-Tree, means, scalar", &c, mean);
    add_chase(table, "BD-Tree, small balls, scalar", &c, small);
    add_chase(table, "layered, bottom-up, scalar", &c, NULL);
    add_ours(table, "abut, boxes, exact contact", s, turn_back, WAY_LAZY);
    add_ours(table, "abut, spheres, exact contact", s, turn_back, WAY_SPHERES);
    add_ours(table, "abut, both, exact contact", s, turn_back, WAY_BOTH);
    add_ours(table, "abut, cubes, exact contact", s, turn_back, WAY_CUBES);
    free(mean);
    free(small);
    free(c.q);
    free(c.ball);
    free(c.spheres);
    free(c.stack);
    free(c.xyz);
    paper_tree_free(c.tree);
    scene_destroy(s);
}
