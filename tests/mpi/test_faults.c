// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Failures in worlds: one rank fails at each exchange, has no memory at each allocation, sends damaged
// messages, or is called in another way than the others. Every call must return the same status on all
// ranks, and the world must answer as a plain scene afterwards. An alarm ends a rank that waits for ever.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crowd.h"
#include "sabotage.h"

static int rank;
static int ranks;
static int failures;
static unsigned long calls;
static unsigned long refused;
static int parts;  // of cloths that were sent

#define EXPECT(condition, ...)                      \
    do {                                            \
        if (!(condition)) {                         \
            ++failures;                             \
            fprintf(stderr, "rank %d: ", rank);     \
            fprintf(stderr, __VA_ARGS__);           \
            fprintf(stderr, " (%s)\n", #condition); \
        }                                           \
    } while (0)

// ---- calls

enum {
    CALL_COLLIDE,
    CALL_SWEEP,
    CALL_WITHIN,
    CALL_NEAREST,
    CALL_SELF,
    CALL_PROXIES,
    CALL_BALANCE,
    CALLS
};

static abut_status call(crowd* c, abut_world_answer* answer, int which, abut_error* error) {
    abut_world_query_def query = abut_world_query_def_default();
    query.placement = which % 2 == 0 ? ABUT_WORLD_GATHERED : ABUT_WORLD_DISTRIBUTED;
    ++calls;
    switch (which) {
        case CALL_COLLIDE: return abut_world_collide_all(c->world, NULL, &query, answer, error);
        case CALL_SWEEP: return abut_world_sweep_all(c->world, NULL, &query, answer, error);
        case CALL_WITHIN: return abut_world_within_all(c->world, NULL, &query, answer, error);
        case CALL_NEAREST: return abut_world_nearest_all(c->world, NULL, &query, answer, error);
        case CALL_PROXIES: return abut_world_proxies_all(c->world, NULL, &query, answer, error);
        case CALL_SELF: return abut_world_collide_self_all(c->world, NULL, &query, answer, error);
        default: return abut_world_balance(c->world, error);
    }
}

// counts refusals
static bool all_agree(const crowd* c, abut_status status, const abut_error* error) {
    refused += status != ABUT_OK;
    return ranks_agree(c->world, status, error);
}

// the world answers as the plain scene does
static void check_answer(crowd* c, abut_world_answer* answer, const char* after) {
    abut_error error;
    const abut_status status = abut_world_collide_all(c->world, NULL, NULL, answer, &error);
    EXPECT(status == ABUT_OK, "after %s: %s", after, status == ABUT_OK ? "" : error.message);
    if (rank != 0 || status != ABUT_OK) {
        return;
    }
    abut_collide_result* result = NULL;
    abut_collide_result_create(c->context, &result, NULL);
    EXPECT(abut_collide_all(c->scene, NULL, result, &error) == ABUT_OK, "plain scene");
    size_t count = 0;
    size_t own = 0;
    const abut_pair* plain = abut_collide_result_pairs(result, &count);
    const abut_pair* rows = abut_world_answer_pairs(answer, &own);
    EXPECT(count == own && (count == 0 || memcmp(plain, rows, count * sizeof *rows) == 0),
           "after %s: %zu rows, %zu in the plain scene", after, own, count);
    abut_collide_result_destroy(result);
}

// ---- tests

static void fail_exchanges(crowd* c, abut_world_answer* answer, sabotage* s, int culprit) {
    for (int which = 0; which < CALLS; ++which) {
        bool reached = true;
        for (uint32_t e = 0; e < 24 && reached; ++e) {
            abut_error error;
            *s = (sabotage){.exchange = e, .fail = rank == culprit};
            crowd_step(c);
            const abut_status status = call(c, answer, which, &error);
            *s = (sabotage){0};
            EXPECT(all_agree(c, status, &error), "call %d, exchange %u fails", which, e);
            EXPECT(status == ABUT_OK || abut_world_blamed(c->world) == culprit,
                   "call %d, exchange %u: the wrong rank is blamed", which, e);
            reached = status != ABUT_OK;
        }
        check_answer(c, answer, "failing exchanges");
    }
}

static void damage_messages(crowd* c, abut_world_answer* answer, sabotage* s, int culprit,
                            bool wire, uint32_t bytes) {
    // a body that moves with a wrong state has that state, so balancing is left out of the second kind
    for (int which = 0; which < (wire ? CALLS : CALL_BALANCE); ++which) {
        for (uint32_t e = 0; e < 7; ++e) {
            for (uint32_t byte = 0; byte < bytes; ++byte) {
                abut_error error;
                const bool mine = rank == culprit;
                *s = (sabotage){.exchange = e,
                                .byte = byte * 5,
                                .payload = mine && !wire,
                                .wire = mine && wire};
                crowd_step(c);
                const abut_status status = call(c, answer, which, &error);
                int done = s->done ? 1 : 0;
                MPI_Bcast(&done, 1, MPI_INT, culprit, MPI_COMM_WORLD);
                EXPECT(all_agree(c, status, &error), "call %d, exchange %u, byte %u", which, e,
                       byte);
                EXPECT(!wire || !done || status != ABUT_OK,
                       "call %d, exchange %u, byte %u: damage was not found", which, e, byte);
                // a wrong state that is a valid one may be here now: a failure lets ranks forget it
                *s = (sabotage){.exchange = 0, .fail = mine};
                (void)call(c, answer, CALL_COLLIDE, &error);
                *s = (sabotage){0};
            }
        }
        check_answer(c, answer, wire ? "damaged pieces" : "damaged messages");
    }
}

static void run_dry(crowd* c, abut_world_answer* answer, limited_memory* memory, int culprit,
                    long step) {
    for (int which = 0; which < CALLS; ++which) {
        bool failed = true;
        for (long n = 0; failed && n < 4000; n += step) {
            abut_error error;
            crowd_step(c);
            memory->left = rank == culprit ? n : -1;
            const abut_status status = call(c, answer, which, &error);
            memory->left = -1;
            EXPECT(all_agree(c, status, &error), "call %d, allocation %ld fails", which, n);
            EXPECT(status == ABUT_OK || status == ABUT_ERR_NO_MEMORY, "call %d: %s", which,
                   abut_status_text(status));
            failed = status != ABUT_OK;
        }
        check_answer(c, answer, "failing allocations");
    }
}

static void call_wrongly(crowd* c, abut_world_answer* answer, int culprit, bool lone) {
    abut_error error;
    abut_collide_def def = abut_collide_def_default();
    def.margin = rank == culprit ? 0.25 : 0.5;
    abut_status status = abut_world_collide_all(c->world, &def, NULL, answer, &error);
    EXPECT(ranks == 1 || status == ABUT_ERR_INVALID_ARGUMENT, "margins that differ");
    status = rank == culprit ? abut_world_collide_self_all(c->world, NULL, NULL, answer, &error)
                             : abut_world_collide_all(c->world, NULL, NULL, answer, &error);
    EXPECT(ranks == 1 || status == ABUT_ERR_INVALID_ARGUMENT, "calls that differ");
    status = abut_world_collide_all(c->world, NULL, NULL, rank == culprit ? NULL : answer, &error);
    EXPECT(status == ABUT_ERR_INVALID_ARGUMENT && abut_world_blamed(c->world) == culprit,
           "an answer is missing");
    def = abut_collide_def_default();
    def.any = true;
    EXPECT(abut_world_collide_all(c->world, &def, NULL, answer, &error) ==
               ABUT_ERR_INVALID_ARGUMENT,
           "any");
    check_answer(c, answer, "wrong calls");
    // two ranks add the same body, if both have its shape
    if (lone) {
        return;
    }
    const uint32_t id = 1000000;
    const bool adds = rank == 0 || rank == ranks - 1;
    if (adds) {
        EXPECT(abut_world_add_body(c->world, id, c->names[0], NULL, &error) == ABUT_OK, "add");
    }
    status = abut_world_collide_all(c->world, NULL, NULL, answer, &error);
    EXPECT(ranks == 1 || (status == ABUT_ERR_INVALID_ARGUMENT && error.body.index == id &&
                          all_agree(c, status, &error)),
           "an id of two ranks");
    if (adds) {
        EXPECT(abut_world_remove_body(c->world, id, &error) == ABUT_OK, "remove");
    }
    check_answer(c, answer, "an id of two ranks");
}

// a state that is refused leaves the body, and what sweeps see of it
static void refuse_states(crowd* c, abut_world_answer* answer) {
    abut_error error;
    abut_plans_def plans = abut_plans_def_default();
    plans.time = INFINITY;
    for (uint32_t i = 0; i < c->count; ++i) {
        const double bad[CROWD_FIELDS] = {0, (double)1e308 * 10};
        if (c->kind[i] == 1 && crowd_owns(c, i)) {
            EXPECT(abut_world_set_coordinates(c->world, i, bad, CROWD_FIELDS, &error) != ABUT_OK &&
                       error.body.index == i,
                   "an infinite coordinate");
        }
        if (crowd_owns(c, i)) {
            EXPECT(abut_world_set_plans(c->world, i, &plans, &error) != ABUT_OK &&
                       error.body.index == i,
                   "plans at an infinite time, or of a body that has none");
        }
    }
    EXPECT(abut_world_sweep_all(c->world, NULL, NULL, answer, &error) == ABUT_OK, "sweep: %s",
           error.message);
    check_answer(c, answer, "refused states");
}

static void run_seed(uint64_t seed, uint32_t bytes, long step) {
    limited_memory memory = {-1, getenv("ABUT_TEST_ZEROS") != NULL};
    sabotage s = {0};
    const abut_allocator limited = limited_hooks(&memory);
    abut_world_def def = abut_world_def_default();
    def.allocator = limited;
    crowd c;
    crowd_open(&c, MPI_COMM_WORLD, seed, seed % 2 == 0, seed % 3 == 2 ? 17 : 0, &def, &limited);
    abut_world_answer* answer = NULL;
    abut_world_answer_create(c.world, &answer, NULL);
    crowd_step(&c);
    crowd_step(&c);
    crowd_plan(&c);
    c.world->saboteur = sabotage_hooks(&s);
    const int culprit = (int)(seed % (uint64_t)ranks);
    check_answer(&c, answer, "the beginning");
    call_wrongly(&c, answer, culprit, seed % 2 == 0);
    refuse_states(&c, answer);
    fail_exchanges(&c, answer, &s, culprit);
    damage_messages(&c, answer, &s, culprit, true, bytes / 4 + 1);
    damage_messages(&c, answer, &s, culprit, false, bytes);
    run_dry(&c, answer, &memory, culprit, step);
    parts += (int)abut_world_stats_get(c.world).parts_sent;
    abut_world_answer_destroy(answer);
    crowd_close(&c);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    alarm(400);
    const char* effort = getenv("ABUT_TEST_EFFORT");
    const bool quick = effort != NULL && strcmp(effort, "quick") == 0;
    const bool whole = effort != NULL && strcmp(effort, "long") == 0;
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : whole ? 6 : quick ? 1 : 2;
    for (uint64_t seed = first; seed < first + seeds; ++seed) {
        const int before = failures;
        run_seed(seed, whole ? 12 : quick ? 1 : 4, whole ? 1 : quick ? 15 : 5);
        if (failures != before) {
            fprintf(stderr, "rank %d: seed %llu failed\n", rank, (unsigned long long)seed);
        }
    }
    int all = failures;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &parts, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%lu calls, %lu refused, %d parts of cloths, %d differences\n", calls, refused,
               parts, all);
    }
    MPI_Finalize();
    return all == 0 ? 0 : 1;
}
