// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The chairs: the cost of collision processing (setting states and finding contacts) of rigid ones
// relative to deformable ones, on the same frames of a falling pile. At best deformable ones are as
// cheap as rigid ones; the paper reports about a half.
#include "bench/chairs.h"

#include "dynamics/pile.h"

#include <stdio.h>

// Rigid chairs that are updated like deformable ones must find the same triangles as rigid ones.
// (Their spheres are a little larger, because rounding adds up over fields.)
static bool same_answers(const pile_cost* cost) {
    return cost->pairs[SWARM_RIGID] == cost->pairs[SWARM_REDUNDANT];
}

static void add_row(bench_report* report, const char* name, const char* other,
                    const pile_cost* cost, double rigid, double deformable) {
    bench_row row = {.ours_ms = 1e3 * deformable,
                     .other_ms = 1e3 * rigid,
                     .ratio = rigid / deformable,
                     .same_answer = same_answers(cost)};
    snprintf(row.name, sizeof row.name, "%s", name);
    snprintf(row.other, sizeof row.other, "%s", other);
    bench_report_add(report, &row);
}

void bench_chairs(const bench_options* options, bench_report* report, double at_least, double aim) {
    pile_def def = pile_def_default();
    pile_cost cost;
    abut_error error;
    def.seed = options->seed;
    def.context = bench_context_def();
    bench_progress(BENCH_CHAIRS_NAME);
    if (pile_measure(&def, 300, options->quick ? 5 : 12, options->quick ? 5 : 11, &cost, &error) !=
        ABUT_OK) {
        bench_die("%s", error.message);
    }
    add_row(report, BENCH_CHAIRS_NAME, "rigid chairs", &cost, cost.proxies_seconds[SWARM_RIGID],
            cost.proxies_seconds[SWARM_DEFORMABLE]);
    bench_row* row = &report->rows[report->row_count - 1];
    row->at_least = at_least;
    row->aim = aim;
    snprintf(row->paper, sizeof row->paper, "0.5");
    add_row(report, BENCH_CHAIRS_NAME ", exact query", "rigid chairs", &cost,
            cost.exact_seconds[SWARM_RIGID], cost.exact_seconds[SWARM_DEFORMABLE]);
    add_row(report, BENCH_CHAIRS_NAME ", redundant updates", "rigid, redundant", &cost,
            cost.proxies_seconds[SWARM_REDUNDANT], cost.proxies_seconds[SWARM_DEFORMABLE]);
    bench_report_note(
        report, "%u chairs, proxies of level %u: %llu contacts deformable, %llu rigid a step.",
        def.bodies, def.level, (unsigned long long)cost.contacts[SWARM_DEFORMABLE],
        (unsigned long long)cost.contacts[SWARM_RIGID]);
}
