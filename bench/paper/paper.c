// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The list of tables and figures: see paper.h.
#include "bench/paper/paper.h"

const paper_table paper_tables[] = {
    {"table 1: models", paper_make_models},
    {"table 2: curtain and ball, 110 frames", paper_make_curtain},
    {"table: nanoseconds to update one bound, by fields", paper_make_update},
    {"table: size over the best of its kind by level, curtain", paper_make_tightness},
    {"table: radius over that at rest, bridge (figures 4 and 6)", paper_make_bridge},
    {"table: growth of radii by level, chair, and appendix A", paper_make_decay},
    {"table: bound of small changes after frames, by level", paper_make_temporal},
    {"table: where lazy loses", paper_make_crossover},
    {"table: self query of the bridge by size of the coordinates", paper_make_swing},
    {"table: certificates of pairs of nodes in self queries", paper_make_node_pairs},
    {"table: crash of chairs, deformable against rigid", paper_make_crash},
    {"table: fixed costs", paper_make_fixed},
    {"table: boxes against spheres on tumbling chairs", paper_make_bounds},
    {"table: boxes, spheres and both by one descent", paper_make_kinds},
};
const size_t paper_table_count = sizeof paper_tables / sizeof *paper_tables;

const paper_table convex_tables[] = {
    {"table 1: microseconds for the root box of the brain", convex_make_root},
    {"table 2: milliseconds of a frame, ring and fishes", convex_make_ring},
    {"figure 5: radius over the best one by level, brain", convex_make_levels},
    {"table: eq. 11 against the corners of the weights (appendix B)", convex_make_corners},
    {"table: front tracking (section 3.4) against lazy from the root", convex_make_front},
    {"table: where lazy loses", convex_make_crossover},
};
const size_t convex_table_count = sizeof convex_tables / sizeof *convex_tables;

const paper_table kinetic_tables[] = {
    {"table: events and updates a frame, fig. 18 and 19", kinetic_make_events},
    {"table: update time by triangles, fig. 18, 19 and 21", kinetic_make_update},
    {"table: update time by frames a keyframe, fig. 21", kinetic_make_steps},
    {"table: update time of bouncing spheres, fig. 19", kinetic_make_spheres},
    {"table: update and broad phase, fig. 22", kinetic_make_broad},
    {"table: total time, fig. 22", kinetic_make_total},
    {"table: separation lists on linear and kinetic boxes", kinetic_make_lists},
    {"table: costs of a segment, in refits", kinetic_make_costs},
};
const size_t kinetic_table_count = sizeof kinetic_tables / sizeof *kinetic_tables;

const paper_table near_tables[] = {
    {"table 1: milliseconds of a frame, five scenes", near_make_times},
    {"figure 12: milliseconds of the stages", near_make_stages},
    {"figure 13: exact tests of a frame", near_make_tests},
    {"figure 14: resolution of the grid, letters", near_make_sweep},
    {"figure 15: milliseconds over frames, letters", near_make_curve},
};
const size_t near_table_count = sizeof near_tables / sizeof *near_tables;

void paper_make_tables(const paper_table* tables, size_t count, const bench_options* options,
                       const regex_t* wanted, bench_report* report) {
    for (size_t i = 0; i < count && options->tables; ++i) {
        if (bench_is_wanted(tables[i].name, wanted)) {
            bench_progress(tables[i].name);
            tables[i].make(options, report, tables[i].name);
        }
    }
}
