// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Why deformable chairs cost more than rigid ones in a crash: the contact law, the flexibility of
// the chairs, and the radii of spheres, changed one at a time. Each manner has its own crash; then
// both are measured on the frames of the deformable crash.
#include "bench/paper/paper.h"
#include "dynamics/pile.h"

#include <stdio.h>

typedef struct variant {
    const char* name;
    double stiffness;
    uint32_t rounds;
    double pitch;
    double strain_limit;
} variant;

static const variant variants[] = {
    {"as in the demo", 90, 4, 5, 0.08},           {"contacts twice as stiff", 180, 4, 5, 0.08},
    {"contacts half as stiff", 45, 4, 5, 0.08},   {"16 rounds of the solver", 90, 16, 5, 0.08},
    {"modes 20 times as fast", 90, 4, 100, 0.08}, {"strain limit a hundredth", 90, 4, 5, 0.0008},
};

static pile_def def_of(const variant* v, const bench_options* options) {
    pile_def def = pile_def_default();
    def.bodies = options->quick ? 64 : def.bodies;
    def.seed = options->seed;
    def.context = bench_context_def();
    def.stiffness = v->stiffness;
    def.rounds = v->rounds;
    def.pitch = v->pitch;
    def.strain_limit = v->strain_limit;
    return def;
}

// Simulates a crash; returns its costs.
static swarm_work crash(const pile_def* def, swarm_manner manner, uint32_t steps) {
    pile_def own = *def;
    pile* p = NULL;
    abut_error error = {0};
    own.manner = manner;
    abut_status status = pile_create(&own, &p, &error);
    for (uint32_t i = 0; i < steps && status == ABUT_OK; ++i) {
        status = pile_step(p, &error);
    }
    if (status != ABUT_OK) {
        bench_die("%s", error.message);
    }
    const swarm_work work = pile_swarm(p)->work;
    pile_destroy(p);
    return work;
}

static double collision(const swarm_work* w) {
    return 1e3 * (w->update.processor + w->collide.processor) / w->steps;
}

static double a_step(uint64_t count, const swarm_work* w) {
    return (double)count / w->steps;
}

static void add_own(bench_table* table, const swarm_work* soft, const swarm_work* rigid) {
    const double contacts = (double)soft->contacts / ((double)rigid->contacts + 1e-9);
    const double ratio = collision(soft) / collision(rigid);
    bench_table_cell(table, "%.0f", a_step(soft->contacts, soft));
    bench_table_cell(table, "%.0f", a_step(soft->between, soft));
    bench_table_cell(table, "%.0f", a_step(rigid->contacts, rigid));
    bench_table_cell(table, "%.2f", collision(soft));
    bench_table_cell(table, "%.2f", collision(rigid));
    bench_table_cell(table, "%.2f", ratio);
    bench_table_cell(table, "%.2f", ratio / contacts);
}

static void add_same(bench_table* table, const pile_cost* cost) {
    bench_table_cell(table, "%llu", (unsigned long long)cost->contacts[SWARM_DEFORMABLE]);
    bench_table_cell(table, "%llu", (unsigned long long)cost->at_rest[SWARM_DEFORMABLE]);
    bench_table_cell(table, "%llu", (unsigned long long)cost->contacts[SWARM_RIGID]);
    bench_table_cell(table, "%.2f",
                     cost->proxies_seconds[SWARM_DEFORMABLE] / cost->proxies_seconds[SWARM_RIGID]);
}

void paper_make_crash(const bench_options* options, bench_report* report, const char* name) {
    const uint32_t steps = options->quick ? 300 : 400;
    bench_table* table = bench_report_table(
        report,
        "<variant|contacts deformable|with radii at rest|contacts rigid|collision deformable, "
        "ms|rigid, ms|ratio|ratio per contact|same frames: contacts deformable|with radii at "
        "rest|rigid|ratio of collision",
        name);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; ++i) {
        const pile_def def = def_of(&variants[i], options);
        pile_cost cost;
        abut_error error = {0};
        const swarm_work soft = crash(&def, SWARM_DEFORMABLE, steps);
        const swarm_work rigid = crash(&def, SWARM_RIGID, steps);
        if (pile_measure(&def, steps, 6, 3, &cost, &error) != ABUT_OK) {
            bench_die("%s", error.message);
        }
        bench_table_cell(table, "%s", variants[i].name);
        add_own(table, &soft, &rigid);
        add_same(table, &cost);
    }
}
