// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The tables and figures of papers, computed again: with trees and bounds as in the papers, in
// plain scalar code, and with ours. One file each; those of the second paper are convex_*.c.
//   James, Pai, "BD-Tree: Output-Sensitive Collision Detection for Reduced Deformable Models", 2004
//   Steinemann, Otaduy, Gross, "Efficient Bounds for Point-Based Animations", 2007
//   Weller, Zachmann, "Kinetic Bounding Volume Hierarchies for Deformable Objects", 2006
//   Sud, Govindaraju, Gayle, Kabul, Manocha, "Fast Proximity Computation Among Deformable Models
//   Using Discrete Voronoi Diagrams", 2006: near_*.c
#ifndef BENCH_PAPER_PAPER_H
#define BENCH_PAPER_PAPER_H

#include "bench/bench.h"

typedef void (*paper_fn)(const bench_options* options, bench_report* report, const char* name);

typedef struct paper_table {
    const char* name;
    paper_fn make;
} paper_table;

extern const paper_table paper_tables[];  ///< of the first paper
extern const size_t paper_table_count;
extern const paper_table convex_tables[];  ///< of the second
extern const size_t convex_table_count;
extern const paper_table kinetic_tables[];  ///< of the third
extern const size_t kinetic_table_count;

extern const paper_table near_tables[];  ///< of the fourth
extern const size_t near_table_count;

/// Makes the tables of a list whose names match.
void paper_make_tables(const paper_table* tables, size_t count, const bench_options* options,
                       const regex_t* wanted, bench_report* report);

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
void paper_make_kinds(const bench_options* options, bench_report* report, const char* name);
void paper_make_swing(const bench_options* options, bench_report* report, const char* name);
void paper_make_node_pairs(const bench_options* options, bench_report* report, const char* name);
void paper_make_crash(const bench_options* options, bench_report* report, const char* name);

void convex_make_root(const bench_options* options, bench_report* report, const char* name);
void convex_make_ring(const bench_options* options, bench_report* report, const char* name);
void convex_make_levels(const bench_options* options, bench_report* report, const char* name);
void convex_make_corners(const bench_options* options, bench_report* report, const char* name);
void convex_make_front(const bench_options* options, bench_report* report, const char* name);
void convex_make_crossover(const bench_options* options, bench_report* report, const char* name);

void kinetic_make_events(const bench_options* options, bench_report* report, const char* name);
void kinetic_make_update(const bench_options* options, bench_report* report, const char* name);
void kinetic_make_steps(const bench_options* options, bench_report* report, const char* name);
void kinetic_make_spheres(const bench_options* options, bench_report* report, const char* name);
void kinetic_make_broad(const bench_options* options, bench_report* report, const char* name);
void kinetic_make_total(const bench_options* options, bench_report* report, const char* name);
void kinetic_make_lists(const bench_options* options, bench_report* report, const char* name);
void kinetic_make_costs(const bench_options* options, bench_report* report, const char* name);

void near_make_times(const bench_options* options, bench_report* report, const char* name);
void near_make_stages(const bench_options* options, bench_report* report, const char* name);
void near_make_tests(const bench_options* options, bench_report* report, const char* name);
void near_make_sweep(const bench_options* options, bench_report* report, const char* name);
void near_make_curve(const bench_options* options, bench_report* report, const char* name);

#endif
