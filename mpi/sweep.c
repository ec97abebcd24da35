// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sweeps of worlds.
#include "mpi/world.h"

const char* abut__sweep_refusal(const abut_sweep_def* def) {
    return def->any || def->earliest_only           ? "`any` and `earliest_only` are not for worlds"
           : def->culling.kind != ABUT_CULLING_TREE ? "Voronoi culling is not for worlds"
                                                    : NULL;
}

static uint64_t hash_of(const abut_sweep_def* def, uint64_t call) {
    const double numbers[2] = {def->margin, def->tolerance};
    return abut__hash_bytes(numbers, sizeof numbers, call);
}

// decides one pair of bodies, or one body with itself, and adds its rows
static bool decide(abut_world* world, const abut__duty* duty, abut_sweep_def* def,
                   abut_counters* counters, abut_world_answer* answer) {
    abut_counters work = {0};
    abut_error error;
    def->head.counters = &work;
    const abut_status status =
        duty->id[0] == duty->id[1]
            ? abut_sweep_self(world->scene, duty->local[0], def, answer->sweep, &error)
            : abut_sweep(world->scene, duty->local[0], duty->local[1], def, answer->sweep, &error);
    if (!abut__duty_done(world, duty, status, &error, &work, counters)) {
        return false;
    }
    size_t count = 0;
    const abut_sweep_pair* pairs = abut_sweep_result_pairs(answer->sweep, &count);
    return abut__rows_add(answer, duty, pairs, count);
}

abut_status abut_world_sweep_all(abut_world* world, const abut_sweep_def* def,
                                 const abut_world_query_def* query, abut_world_answer* answer,
                                 abut_error* error) {
    const abut_sweep_def defaults = abut_sweep_def_default();
    abut_sweep_def own = def != NULL ? *def : defaults;
    abut_status status = abut__query_begin(world, &query, answer, abut__sweep_refusal(&own),
                                           hash_of(&own, 3), error);
    if (status != ABUT_OK) {
        return status;
    }
    abut_counters* counters = own.head.counters;
    abut__global_filter filter = {world, own.filter};
    own.filter = abut__filter_globally(&filter);
    const abut__reach reach = {.margin = own.margin, .thick = true, .step = true, .parts = true};
    status = abut__meet(world, &reach, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__rows_begin(answer, sizeof(abut_sweep_pair));
    for (size_t i = 0; i < world->duties.count; ++i) {
        if (!decide(world, &world->duties.data[i], &own, counters, answer)) {
            break;
        }
    }
    return abut__rows_end(answer, query, error);
}

abut_status abut_world_sweep_self_all(abut_world* world, const abut_sweep_def* def,
                                      const abut_world_query_def* query, abut_world_answer* answer,
                                      abut_error* error) {
    const abut_sweep_def defaults = abut_sweep_def_default();
    abut_sweep_def own = def != NULL ? *def : defaults;
    const abut_status status = abut__query_begin(world, &query, answer, abut__sweep_refusal(&own),
                                                 hash_of(&own, 4), error);
    if (status != ABUT_OK) {
        return status;
    }
    abut_counters* counters = own.head.counters;
    abut__global_filter filter = {world, own.filter};
    own.filter = abut__filter_globally(&filter);
    abut__rows_begin(answer, sizeof(abut_sweep_pair));
    for (size_t i = 0; i < world->owned.count; ++i) {
        const abut__duty duty = abut__self_duty(world, i);
        if (!world->owned.data[i].def.is_static && !decide(world, &duty, &own, counters, answer)) {
            break;
        }
    }
    return abut__rows_end(answer, query, error);
}
