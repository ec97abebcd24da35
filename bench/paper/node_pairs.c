// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What certificates of pairs of nodes gain in self queries: the same frames with and without them,
// alternately.
#include "bench/paper/paper.h"
#include "bench/paper/tree.h"
#include "bench/reduced.h"
#include "bound/certificate_index.h"
#include "motion/certified.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 9, WITH = 0, WITHOUT = 1 };

typedef struct trial {
    const char* scene;
    uint32_t triangles;
    uint32_t fields;
    double swings[4];  // factors of the scene's coordinates
} trial;

static const trial trials[] = {
    {"bridge", 60000, 10, {0.05, 0.2, 0.5, 2}},
    {"curtain", 48000, 12, {0.05, 0.2, 0.5, 1}},
    {"chair", 36000, 10, {0.5, 1, 2, 4}},
    {"fish", 50000, 3, {0.5, 1, 2, 4}},
};

typedef struct outcome {
    double ms[2][ROUNDS];
    abut_counters work[2];
    bool same;
} outcome;

static abut__certificate_index* index_of(const reduced* r) {
    abut__certificate_index* index = abut__certified_made(
        abut_body_shape(reduced_scene(r), reduced_body(r, 0)));
    if (index == NULL) {
        bench_die("there are no certificates");
    }
    return index;
}

// Plays all frames; adds up the pairs found in `sum`, in an order-dependent way.
static double play(reduced* r, uint32_t frames, double swing, uint64_t* sum) {
    double spent = 0;
    *reduced_counters(r) = (abut_counters){0};
    for (uint32_t f = 0; f < frames; ++f) {
        const double begin = bench_now(CLOCK_CPU);
        reduced_update(r, f, swing);
        reduced_self(r);
        spent += bench_now(CLOCK_CPU) - begin;
        size_t count;
        const abut_pair* pairs = reduced_pairs(r, &count);
        for (size_t i = 0; i < count; ++i) {
            *sum = 31 * *sum + pairs[i].triangle_a;
            *sum = 31 * *sum + pairs[i].triangle_b;
        }
    }
    return spent / frames;
}

static outcome compare(const scene* s, reduced* r, double swing, uint32_t rounds) {
    outcome out = {.same = true};
    uint64_t sum[2] = {0, 0};
    abut__certificate_index* index = index_of(r);
    const uint32_t pairs = index->node_pair_count;
    for (uint32_t k = 0; k < 2 * (rounds + 1); ++k) {  // the first round is a warm-up
        const uint32_t way = k % 2;
        index->node_pair_count = way == WITH ? pairs : 0;
        const double ms = play(r, scene_frame_count(s), swing, &sum[way]);
        out.ms[way][k / 2 > 0 ? k / 2 - 1 : 0] = ms;
        out.work[way] = *reduced_counters(r);
    }
    index->node_pair_count = pairs;
    out.same = sum[0] == sum[1];
    return out;
}

static void add_row(bench_table* table, const trial* t, double swing, double frames,
                    uint32_t rounds, outcome* out) {
    const double with = bench_median(out->ms[WITH], rounds);
    const double without = bench_median(out->ms[WITHOUT], rounds);
    const abut_counters* work = out->work;
    bench_table_cell(table, "%s", t->scene);
    bench_table_cell(table, "%.0f %%", 100 * swing);
    bench_table_cell(table, "%.4f", with);
    bench_table_cell(table, "%.4f", without);
    bench_table_cell(table, "%.2f", without / with);
    bench_table_cell(table, "%.0f", (double)work[WITH].node_pairs_certified / frames);
    bench_table_cell(table, "%.0f", (double)work[WITH].boxes_tested / frames);
    bench_table_cell(table, "%.0f", (double)work[WITHOUT].boxes_tested / frames);
    bench_table_cell(table, "%.0f", (double)work[WITH].blocks_certified / frames);
    bench_table_cell(table, "%.0f", (double)work[WITHOUT].blocks_certified / frames);
    bench_table_cell(table, "%.0f", (double)work[WITH].blocks_evaluated / frames);
    bench_table_cell(table, "%s", out->same ? "yes" : "no");
}

void paper_make_node_pairs(const bench_options* options, bench_report* report, const char* name) {
    const uint32_t rounds = options->quick ? 3 : ROUNDS;
    bench_table* table = bench_report_table(
        report,
        "<scene|coordinates|with, ms|without, ms|ratio|pairs of nodes skipped a frame|boxes "
        "tested, "
        "with|without|blocks and pairs proven apart, with|without|blocks evaluated|same",
        name);
    for (size_t i = 0; i < sizeof trials / sizeof *trials; ++i) {
        const trial* t = &trials[i];
        scene* s = paper_scene(t->scene, options->quick ? t->triangles / 4 : t->triangles,
                               options->quick ? 5 : 15, options->seed, t->fields);
        reduced* r = reduced_create(s, 1, 0, WAY_LAZY);
        reduced_certify(r);
        for (size_t k = 0; k < sizeof t->swings / sizeof *t->swings; ++k) {
            outcome out = compare(s, r, t->swings[k], rounds);
            add_row(table, t, t->swings[k], scene_frame_count(s), rounds, &out);
        }
        reduced_destroy(r);
        scene_destroy(s);
    }
}
