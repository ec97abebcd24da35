// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Queries of worlds about contact proxies: the spheres of a crowd's dynamics.
#include "mpi/world.h"

static bool decide(abut_world* world, const abut__duty* duty, abut_proxies_def* def,
                   abut_counters* counters, abut_world_answer* answer) {
    abut_counters work = {0};
    abut_error error;
    def->head.counters = &work;
    const abut_status status = abut_proxies(world->scene, duty->local[0], duty->local[1], def,
                                            answer->proxies, &error);
    if (!abut__duty_done(world, duty, status, &error, &work, counters)) {
        return false;
    }
    size_t count = 0;
    const abut_proxy_pair* pairs = abut_proxies_result_pairs(answer->proxies, &count);
    return abut__rows_add(answer, duty, pairs, count);
}

abut_status abut_world_proxies_all(abut_world* world, const abut_proxies_def* def,
                                   const abut_world_query_def* query, abut_world_answer* answer,
                                   abut_error* error) {
    const abut_proxies_def defaults = abut_proxies_def_default();
    abut_proxies_def own = def != NULL ? *def : defaults;
    abut_status status = abut__query_begin(
        world, &query, answer, NULL, abut__hash_bytes(&own.margin, sizeof own.margin, 8), error);
    if (status != ABUT_OK) {
        return status;
    }
    abut_counters* counters = own.head.counters;
    const abut__reach reach = {.margin = own.margin, .proxies = true};
    status = abut__meet(world, &reach, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__rows_begin(answer, sizeof(abut_proxy_pair));
    for (size_t i = 0; i < world->duties.count; ++i) {
        if (!decide(world, &world->duties.data[i], &own, counters, answer)) {
            break;
        }
    }
    return abut__rows_end(answer, query, error);
}
