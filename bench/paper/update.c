// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The cost of updating one bound, by the number of fields: as in the paper, one sphere at a time in
// scalar code, and eight at a time by the library's kernels. Numbers are in the second-level cache.
#include "bench/paper/paper.h"
#include "bench/paper/tree.h"
#include "bench/reduced.h"
#include "motion/modal.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 11, MOST_FIELDS = 100, BYTES = 400000 };

typedef struct stuff {
    const abut__kernels* kernels;
    uint32_t fields;
    uint32_t groups;
    float* data;
    abut__ball* rows;
    uint32_t list[MOST_FIELDS];
    double q[MOST_FIELDS];
    double rounded[MOST_FIELDS];
    volatile double sink;
} stuff;

static void update_scalar(stuff* s) {
    for (uint32_t i = 0; i < 8 * s->groups; ++i) {
        s->sink = paper_update(s->rows + (size_t)i * (s->fields + 1), s->fields, s->q).r;
    }
}

static void update_spheres(stuff* s) {
    abut__balls8 out;
    for (uint32_t g = 0; g < s->groups; ++g) {
        const abut__modal_lanes lanes = {s->data + (size_t)32 * (s->fields + 1) * g, s->list,
                                         s->fields};
        s->kernels->modal_balls(&lanes, s->rounded, &out);
    }
    s->sink = (double)out.r[0];
}

static void update_boxes(stuff* s) {
    abut__boxes8 out;
    for (uint32_t g = 0; g < s->groups; ++g) {
        const abut__modal_lanes lanes = {s->data + (size_t)48 * (s->fields + 1) * g, s->list,
                                         s->fields};
        s->kernels->modal_boxes(&lanes, s->rounded, 0, &out);
    }
    s->sink = (double)out.lo[0][0];
}

// Returns the nanoseconds per bound.
static double time_of(void (*update)(stuff* s), stuff* s) {
    double ms[ROUNDS];
    const uint32_t passes = 4000000 / (s->groups * 8 * (s->fields + 1)) + 1;
    for (int k = 0; k < ROUNDS; ++k) {
        const double start = bench_now(CLOCK_CPU);
        for (uint32_t p = 0; p < passes; ++p) {
            update(s);
        }
        ms[k] = bench_now(CLOCK_CPU) - start;
    }
    return 1e6 * bench_median(ms, ROUNDS) / passes / (8.0 * s->groups);
}

static void fill(stuff* s) {
    uint32_t state = 1;
    for (size_t i = 0; i < (size_t)48 * (s->fields + 1) * s->groups; ++i) {
        state = 1664525 * state + 1013904223;
        s->data[i] = (float)(state >> 8) * 0x1p-24f;
    }
    for (size_t i = 0; i < (size_t)8 * (s->fields + 1) * s->groups; ++i) {
        s->rows[i] = (abut__ball){{1, 2, 3}, 0.5};
    }
    for (uint32_t j = 0; j < s->fields; ++j) {
        s->list[j] = j;
        s->q[j] = j % 2 == 0 ? 0.25 : -0.125;
        s->rounded[j] = s->q[j];
    }
}

void paper_make_update(const bench_options* options, bench_report* report, const char* name) {
    static const uint32_t sizes[] = {3, 10, 12, 30, 100};
    (void)options;
    bench_table* table = bench_report_table(
        report, "fields|paper: sphere|scalar sphere|abut: sphere|abut: box", name);
    abut_context* context = NULL;
    reduced_need(abut_context_create(bench_context_def(), &context, NULL), NULL);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        stuff s = {.kernels = context->kernels, .fields = sizes[i]};
        s.groups = BYTES / (32 * 4 * (s.fields + 1));
        s.data = aligned_alloc(64, ((size_t)48 * (s.fields + 1) * s.groups * 4 + 63) / 64 * 64);
        s.rows = bench_alloc((size_t)8 * (s.fields + 1) * s.groups, sizeof *s.rows);
        if (s.data == NULL) {
            bench_die("out of memory");
        }
        fill(&s);
        bench_table_cell(table, "%u", s.fields);
        bench_table_cell(table, "%s", s.fields == 10 ? "750" : "");
        bench_table_cell(table, "%.1f", time_of(update_scalar, &s));
        bench_table_cell(table, "%.2f", time_of(update_spheres, &s));
        bench_table_cell(table, "%.2f", time_of(update_boxes, &s));
        free(s.data);
        free(s.rows);
    }
    abut_context_destroy(context);
}
