// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Within queries of worlds: pairs of triangles that are near, with their distances.
#include "mpi/world.h"

const char* abut__within_refusal(const abut_within_def* def) {
    return def->any                                 ? "`any` is not for worlds"
           : def->culling.kind != ABUT_CULLING_TREE ? "Voronoi culling is not for worlds"
                                                    : NULL;
}

static bool decide(abut_world* world, const abut__duty* duty, abut_within_def* def,
                   abut_counters* counters, abut_world_answer* answer) {
    abut_counters work = {0};
    abut_error error;
    def->head.counters = &work;
    const abut_status status = abut_within(world->scene, duty->local[0], duty->local[1], def,
                                           answer->within, &error);
    if (!abut__duty_done(world, duty, status, &error, &work, counters)) {
        return false;
    }
    size_t count = 0;
    const abut_distance_pair* pairs = abut_within_result_pairs(answer->within, &count);
    return abut__rows_add(answer, duty, pairs, count);
}

abut_status abut_world_within_all(abut_world* world, const abut_within_def* def,
                                  const abut_world_query_def* query, abut_world_answer* answer,
                                  abut_error* error) {
    const abut_within_def defaults = abut_within_def_default();
    abut_within_def own = def != NULL ? *def : defaults;
    abut_status status = abut__query_begin(world, &query, answer, abut__within_refusal(&own),
                                           abut__hash_bytes(&own.distance, sizeof own.distance, 5),
                                           error);
    if (status != ABUT_OK) {
        return status;
    }
    abut_counters* counters = own.head.counters;
    abut__global_filter filter = {world, own.filter};
    own.filter = abut__filter_globally(&filter);
    const abut__reach reach = {.margin = own.distance, .thick = true, .parts = true};
    status = abut__meet(world, &reach, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__rows_begin(answer, sizeof(abut_distance_pair));
    for (size_t i = 0; i < world->duties.count; ++i) {
        if (!decide(world, &world->duties.data[i], &own, counters, answer)) {
            break;
        }
    }
    return abut__rows_end(answer, query, error);
}
