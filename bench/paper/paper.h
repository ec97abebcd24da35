// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The tables and figures of James, Pai, "BD-Tree: Output-Sensitive Collision Detection for Reduced
// Deformable Models", 2004, made anew: with trees as the paper has them, in plain scalar code, and
// with ours. One file each.
#ifndef BENCH_PAPER_PAPER_H
#define BENCH_PAPER_PAPER_H

#include "bench/bench.h"

typedef void (*paper_fn)(const bench_options* options, bench_report* report, const char* name);

typedef struct paper_table {
    const char* name;
    paper_fn make;
} paper_table;

extern const paper_table paper_tables[];
extern const size_t paper_table_count;

void paper_make_models(const bench_options* options, bench_report* report, const char* name);
void paper_make_curtain(const bench_options* options, bench_report* report, const char* name);
void paper_make_update(const bench_options* options, bench_report* report, const char* name);
void paper_make_tightness(const bench_options* options, bench_report* report, const char* name);
void paper_make_bridge(const bench_options* options, bench_report* report, const char* name);
void paper_make_decay(const bench_options* options, bench_report* report, const char* name);
void paper_make_temporal(const bench_options* options, bench_report* report, const char* name);
void paper_make_crossover(const bench_options* options, bench_report* report, const char* name);
void paper_make_fixed(const bench_options* options, bench_report* report, const char* name);
void paper_make_bounds(const bench_options* options, bench_report* report, const char* name);
void paper_make_swing(const bench_options* options, bench_report* report, const char* name);

#endif
