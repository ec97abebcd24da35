// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Table 1: the models, the paper's trees over them, and ours.
#include "bench/paper/paper.h"
#include "bench/paper/tree.h"
#include "bench/reduced.h"

#include <stdlib.h>

typedef struct model {
    const char* name;
    uint32_t vertices;  // in the paper
    uint32_t faces;
    uint32_t fields;
    uint32_t spheres;
    uint32_t levels;
} model;

static const model models[] = {
    {"chair", 9421, 17914, 10, 35827, 19},
    {"bridge", 135304, 240316, 10, 480631, 26},
    {"fish", 12531, 24776, 3, 49551, 18},
    {"curtain", 6184, 12020, 12, 24039, 17},
};

static void* counting_alloc(void* user, size_t size, size_t alignment) {
    *(size_t*)user += size;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
static void counting_free(void* user, void* memory, size_t size, size_t alignment) {
    (void)alignment;
    *(size_t*)user -= size;
    free(memory);
}

static void add_ours(bench_table* table, const scene_body* body) {
    size_t bytes = 0;
    abut_context* context = NULL;
    abut_context_def context_def = *bench_context_def();
    context_def.allocator = (abut_allocator){counting_alloc, counting_free, &bytes};
    reduced_need(abut_context_create(&context_def, &context, NULL), NULL);
    const reduced_def def = reduced_def_default(ABUT_MOTION_MODAL);
    const size_t before = bytes;
    double ms[3];
    abut_shape* shape = NULL;
    for (int k = 0; k < 3; ++k) {
        abut_shape_destroy(shape);
        const double start = bench_now(CLOCK_CPU);
        shape = reduced_make_shape(context, body, &def);
        ms[k] = bench_now(CLOCK_CPU) - start;
    }
    abut_tree_info stats;
    reduced_need(abut_shape_inspect(shape, &stats, NULL), NULL);
    bench_table_cell(table, "%u", stats.nodes);
    bench_table_cell(table, "%u", stats.blocks);
    bench_table_cell(table, "%u", stats.depth + 1);
    bench_table_cell(table, "%.1f", bench_median(ms, 3));
    bench_table_cell(table, "%.2f", 1e-6 * (double)(bytes - before));
    abut_shape_destroy(shape);
    abut_context_destroy(context);
}

void paper_make_models(const bench_options* options, bench_report* report, const char* name) {
    bench_table* table = bench_report_table(
        report, "<model|vertices|faces|M|spheres|levels|our nodes|blocks|levels|build ms|MB", name);
    for (size_t i = 0; i < sizeof models / sizeof *models; ++i) {
        const model* m = &models[i];
        scene* s = paper_scene(m->name, m->faces, 0, options->seed, m->fields);
        const scene_body* body = scene_get_body(s, 0);
        paper_tree* tree = paper_tree_make(body);
        bench_table_cell(table, "%s, paper", m->name);
        bench_table_cell(table, "%u", m->vertices);
        bench_table_cell(table, "%u", m->faces);
        bench_table_cell(table, "%u", m->fields);
        bench_table_cell(table, "%u", m->spheres);
        bench_table_cell(table, "%u", m->levels);
        for (int k = 0; k < 5; ++k) {
            bench_table_cell(table, "%s", "");
        }
        bench_table_cell(table, "%s", m->name);
        bench_table_cell(table, "%u", body->vertex_count);
        bench_table_cell(table, "%u", body->triangle_count);
        bench_table_cell(table, "%u", body->field_count);
        bench_table_cell(table, "%u", tree->node_count);
        bench_table_cell(table, "%u", tree->level_count);
        add_ours(table, body);
        paper_tree_free(tree);
        scene_destroy(s);
    }
}
