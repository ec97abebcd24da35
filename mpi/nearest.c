// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The closest other body of every body. All bodies ask within a radius; those that find nothing ask
// again, within a larger one. Radii follow from the boxes of all bodies, so that the work does not depend
// on ranks. A plain scene searches in another order: its rows are the same, its work is not.
#include <math.h>

#include "mpi/world.h"

#define GROWTH 4.0

// Whether a row is better than another one of the same body. Of equal gaps the lowest other body
// counts; of one body, abut_nearest() has chosen.
static bool is_better(const abut_distance_pair* x, const abut_distance_pair* y) {
    return x->gap != y->gap ? x->gap < y->gap : x->body_b < y->body_b;
}

static abut_distance_pair turned(const abut_distance_pair* pair) {
    abut_distance_pair other = *pair;
    other.body_a = pair->body_b;
    other.body_b = pair->body_a;
    other.triangle_a = pair->triangle_b;
    other.triangle_b = pair->triangle_a;
    other.a = pair->b;
    other.b = pair->a;
    return other;
}

typedef ABUT__LIST(abut_distance_pair) row_list;

// a row for a body of this rank
static void offer(abut_world* world, row_list* best, const abut_distance_pair* row) {
    const uint32_t place = abut__table_find(&world->owned_by_id, row->body_a);
    if (place == ABUT__ABSENT || place >= best->count || !world->owned.data[place].asks ||
        !(row->distance >= 0)) {
        abut__trouble(world, ABUT_ERR_INVALID_DATA, row->body_a,
                      "a distance came for body %u, which does not ask", row->body_a);
    } else if (best->data[place].body_a == ABUT__ABSENT || is_better(row, &best->data[place])) {
        best->data[place] = *row;
    }
}

// passes a row to the owner of the body that asks
static void pass(abut_world* world, row_list* best, const abut_distance_pair* row) {
    const uint32_t ghost = abut__table_find(&world->ghost_by_id, row->body_a);
    if (ghost == ABUT__ABSENT) {
        offer(world, best, row);
    } else {
        abut__mail_value(world, &world->mail, world->ghosts.data[ghost].owner, *row);
    }
}

static bool decide(abut_world* world, const abut__duty* duty, abut_nearest_def* def,
                   abut_counters* counters, abut_world_answer* answer, row_list* best) {
    abut_counters work = {0};
    abut_error error;
    def->head.counters = &work;
    abut_nearest_result_clear(answer->nearest);
    const abut_status status = abut_nearest(world->scene, duty->local[0], duty->local[1], def,
                                            answer->nearest, &error);
    if (!abut__duty_done(world, duty, status, &error, &work, counters)) {
        return false;
    }
    size_t count = 0;
    const abut_distance_pair* pair = abut_nearest_result_pairs(answer->nearest, &count);
    for (int k = 0; k < 2 && count > 0; ++k) {
        abut_distance_pair row = *pair;
        row.body_a = duty->id[0];
        row.body_b = duty->id[1];
        row = k == 0 ? row : turned(&row);
        if (duty->asks[k]) {
            pass(world, best, &row);
        }
    }
    return world->trouble.status == ABUT_OK;
}

static void take_offers(abut_world* world, row_list* best) {
    for (int r = 0; r < world->ranks; ++r) {
        abut__reading in = abut__reading_of(&world->mail.in[r]);
        while (in.at != in.end && world->trouble.status == ABUT_OK) {
            abut_distance_pair row;
            abut__read_value(&in, &row);
            if (in.bad) {
                abut__trouble(world, ABUT_ERR_INVALID_DATA, ABUT__ABSENT,
                              "distances of rank %d are damaged", r);
            } else {
                offer(world, best, &row);
            }
        }
    }
}

// Finds the first radius and one that reaches all bodies from each. Collective.
static void find_radii(abut_world* world, double* first, double* last) {
    double least[7] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, 0};
    for (size_t i = 0; i < world->owned.count; ++i) {
        const abut__reach reach = {0};
        float box[6];
        double size = 0;
        if (!abut__owned_box(world, &world->owned.data[i], &reach, box)) {
            break;
        }
        for (int d = 0; d < 3; ++d) {
            least[d] = fmin(least[d], (double)box[d]);
            least[3 + d] = fmin(least[3 + d], -(double)box[3 + d]);
            size = fmax(size, (double)box[3 + d] - (double)box[d]);
        }
        least[6] = fmin(least[6], -size);
    }
    abut__least_over_ranks(world, least, 7);
    *last = 0;
    for (int d = 0; d < 3; ++d) {
        *last += fmax(0, -least[3 + d] - least[d]);
    }
    *first = fmax(-least[6] / GROWTH, 0x1p-20 * *last);
    *first = *first > 0 ? *first : 1;
}

// One round: bodies that ask get the closest one within the radius.
static abut_status ask(abut_world* world, abut_nearest_def* def, abut_counters* counters,
                       abut_world_answer* answer, row_list* best, abut_error* error) {
    const abut__reach reach = {.thick = true,
                               .ask = def->max_distance > 0 ? def->max_distance : 0x1p-1000};
    const abut_status status = abut__meet(world, &reach, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__mail_begin(world, &world->mail);
    for (size_t i = 0; i < world->duties.count; ++i) {
        if (!decide(world, &world->duties.data[i], def, counters, answer, best)) {
            break;
        }
    }
    abut__mail_exchange(world, &world->mail);
    take_offers(world, best);
    for (size_t i = 0; i < best->count; ++i) {
        world->owned.data[i].asks = best->data[i].body_a == ABUT__ABSENT;
    }
    return ABUT_OK;
}

static void begin_asking(abut_world* world, row_list* best) {
    abut_distance_pair* rows = abut__append(&world->memory, best, world->owned.count);
    if (rows == NULL) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, ABUT__ABSENT, "no memory for distances");
    }
    for (size_t i = 0; i < best->count; ++i) {
        rows[i].body_a = ABUT__ABSENT;
        world->owned.data[i].asks = true;
    }
}

static abut_status ask_all(abut_world* world, abut_nearest_def* def, abut_world_answer* answer,
                           row_list* best, abut_error* error) {
    abut_counters* counters = def->head.counters;
    const double most = def->max_distance;
    double radius = 0;
    double last = 0;
    find_radii(world, &radius, &last);
    abut_status status = ABUT_OK;
    for (bool any = true; any && status == ABUT_OK; radius *= GROWTH) {
        def->max_distance = fmin(radius, most);
        status = ask(world, def, counters, answer, best, error);
        any = false;
        for (size_t i = 0; i < best->count && radius < most && radius <= last; ++i) {
            any = any || world->owned.data[i].asks;
        }
        status = status == ABUT_OK ? abut__agree(world, &any, error) : status;
    }
    return status;
}

abut_status abut_world_nearest_all(abut_world* world, const abut_nearest_def* def,
                                   const abut_world_query_def* query, abut_world_answer* answer,
                                   abut_error* error) {
    const abut_nearest_def defaults = abut_nearest_def_default();
    abut_nearest_def own = def != NULL ? *def : defaults;
    const char* refusal = own.any ? "`any` is not for worlds"
                          : own.culling.kind != ABUT_CULLING_TREE
                              ? "Voronoi culling is not for worlds"
                          : !(own.max_distance >= 0) ? "max_distance must be at least 0"
                                                     : NULL;
    abut_status status = abut__query_begin(
        world, &query, answer, refusal,
        abut__hash_bytes(&own.max_distance, sizeof own.max_distance, 6), error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__global_filter filter = {world, own.filter};
    own.filter = abut__filter_globally(&filter);
    row_list best = {0};
    abut__rows_begin(answer, sizeof(abut_distance_pair));
    begin_asking(world, &best);
    status = ask_all(world, &own, answer, &best, error);
    for (size_t i = 0; i < best.count && status == ABUT_OK; ++i) {
        const abut__duty duty = {.id = {best.data[i].body_a, best.data[i].body_b}};
        if (best.data[i].body_a != ABUT__ABSENT &&
            !abut__rows_add(answer, &duty, &best.data[i], 1)) {
            break;
        }
    }
    for (size_t i = 0; i < world->owned.count; ++i) {
        world->owned.data[i].asks = false;
    }
    abut__discard(&world->memory, &best);
    return status == ABUT_OK ? abut__rows_end(answer, query, error) : status;
}
