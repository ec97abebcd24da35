// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Failures with surfaces: one rank fails at each exchange, has no memory at each allocation, sends damaged
// messages, or gives a wrong piece. Every call must return the same status on all ranks, and the surface
// must answer as the whole mesh does afterwards. An alarm ends a rank that waits for ever.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sabotage.h"
#include "sheet.h"

static int rank;
static int failures;
static unsigned long calls;
static unsigned long refused;

#define EXPECT(condition, ...)                      \
    do {                                            \
        if (!(condition)) {                         \
            ++failures;                             \
            fprintf(stderr, "rank %d: ", rank);     \
            fprintf(stderr, __VA_ARGS__);           \
            fprintf(stderr, " (%s)\n", #condition); \
        }                                           \
    } while (0)

enum { CALL_COLLIDE, CALL_SWEEP, CALL_WITHIN, CALL_ADD, CALLS };

static abut_status call(sheet* s, abut_world_answer* answer, int which, abut_error* error) {
    abut_world_query_def query = abut_world_query_def_default();
    query.placement = which % 2 == 0 ? ABUT_WORLD_GATHERED : ABUT_WORLD_DISTRIBUTED;
    ++calls;
    switch (which) {
        case CALL_COLLIDE:
            return abut_world_collide_surface(s->world, SHEET_ID, NULL, &query, answer, error);
        case CALL_SWEEP:
            return abut_world_sweep_surface(s->world, SHEET_ID, NULL, &query, answer, error);
        case CALL_WITHIN:
            return abut_world_within_surface(s->world, SHEET_ID, NULL, &query, answer, error);
        default: return sheet_add(s, error);
    }
}

// counts refusals
static bool all_agree(const sheet* s, abut_status status, const abut_error* error) {
    refused += status != ABUT_OK;
    return ranks_agree(s->world, status, error);
}

// the surface answers as the whole mesh does
static void check_answer(sheet* s, abut_world_answer* answer, const char* after) {
    abut_error error = {0};
    abut_status status = abut_world_sweep_surface(s->world, SHEET_ID, NULL, NULL, answer, &error);
    EXPECT(status == ABUT_OK, "after %s: %s", after, error.message);
    if (rank != 0 || status != ABUT_OK) {
        return;
    }
    abut_sweep_result* result = NULL;
    abut_sweep_result_create(s->context, &result, NULL);
    EXPECT(abut_sweep_self(s->scene, s->body, NULL, result, &error) == ABUT_OK, "plain scene");
    size_t count = 0;
    size_t own = 0;
    const abut_sweep_pair* plain = abut_sweep_result_pairs(result, &count);
    const abut_sweep_pair* rows = abut_world_answer_sweeps(answer, &own);
    const size_t bodies = 2 * sizeof(uint32_t);
    bool same = count == own;
    for (size_t i = 0; i < count && same; ++i) {
        same = memcmp((const char*)&plain[i] + bodies, (const char*)&rows[i] + bodies,
                      sizeof *rows - bodies) == 0;
    }
    EXPECT(same, "after %s: %zu rows, %zu in the plain scene", after, own, count);
    abut_sweep_result_destroy(result);
}

// before adding, the surface is removed; after a failure it is added again
static void before_call(sheet* s, int which) {
    abut_error error = {0};
    sheet_step(s);
    if (which == CALL_ADD) {
        EXPECT(abut_world_remove_surface(s->world, SHEET_ID, &error) == ABUT_OK, "remove: %s",
               error.message);
    }
}

static void after_call(sheet* s, int which, abut_status status, bool renew) {
    abut_error error = {0};
    if (which != CALL_ADD) {
        return;
    }
    if (status == ABUT_OK && renew) {
        abut_world_remove_surface(s->world, SHEET_ID, &error);
    }
    if (status != ABUT_OK || renew) {
        EXPECT(sheet_add(s, &error) == ABUT_OK, "add: %s", error.message);
    }
    EXPECT(sheet_set(s, &error) == ABUT_OK, "set: %s", error.message);
    sheet_step(s);
}

// ---- tests

static void fail_exchanges(sheet* s, abut_world_answer* answer, sabotage* sab, int culprit) {
    for (int which = 0; which < CALLS; ++which) {
        bool reached = true;
        for (uint32_t e = 0; e < 12 && reached; ++e) {
            abut_error error;
            before_call(s, which);
            *sab = (sabotage){.exchange = e, .fail = rank == culprit};
            const abut_status status = call(s, answer, which, &error);
            *sab = (sabotage){0};
            EXPECT(all_agree(s, status, &error), "call %d, exchange %u fails", which, e);
            EXPECT(status == ABUT_OK || abut_world_blamed(s->world) == culprit,
                   "call %d, exchange %u: the wrong rank is blamed", which, e);
            after_call(s, which, status, false);
            reached = status != ABUT_OK;
        }
        check_answer(s, answer, "failing exchanges");
    }
}

static void damage_messages(sheet* s, abut_world_answer* answer, sabotage* sab, int culprit,
                            bool wire, uint32_t bytes) {
    for (int which = 0; which < CALLS; ++which) {
        for (uint32_t e = 0; e < 5; ++e) {
            for (uint32_t byte = 0; byte < bytes; ++byte) {
                abut_error error;
                const bool mine = rank == culprit;
                before_call(s, which);
                *sab = (sabotage){.exchange = e,
                                  .byte = byte * 7,
                                  .payload = mine && !wire,
                                  .wire = mine && wire};
                const abut_status status = call(s, answer, which, &error);
                int done = sab->done ? 1 : 0;
                *sab = (sabotage){0};
                MPI_Bcast(&done, 1, MPI_INT, culprit, MPI_COMM_WORLD);
                EXPECT(all_agree(s, status, &error), "call %d, exchange %u, byte %u", which, e,
                       byte);
                EXPECT(!wire || !done || status != ABUT_OK,
                       "call %d, exchange %u, byte %u: damage was not found", which, e, byte);
                after_call(s, which, status, true);
                // a wrong block that is a valid one may be here now: a failure lets ranks forget it
                *sab = (sabotage){.exchange = 0, .fail = mine};
                (void)call(s, answer, CALL_COLLIDE, &error);
                *sab = (sabotage){0};
            }
        }
        check_answer(s, answer, wire ? "damaged pieces" : "damaged messages");
    }
}

static void run_dry(sheet* s, abut_world_answer* answer, limited_memory* memory, int culprit,
                    long step) {
    for (int which = 0; which < CALLS; ++which) {
        bool failed = true;
        for (long n = 0; failed && n < 4000; n += step) {
            abut_error error;
            before_call(s, which);
            memory->left = rank == culprit ? n : -1;
            const abut_status status = call(s, answer, which, &error);
            memory->left = -1;
            EXPECT(all_agree(s, status, &error), "call %d, allocation %ld fails", which, n);
            EXPECT(status == ABUT_OK || status == ABUT_ERR_NO_MEMORY, "call %d: %s", which,
                   abut_status_text(status));
            after_call(s, which, status, false);
            failed = status != ABUT_OK;
        }
        check_answer(s, answer, "failing allocations");
    }
}

// pieces and positions that do not fit together
static void give_wrongly(sheet* s, abut_world_answer* answer, int culprit) {
    abut_error error;
    EXPECT(sheet_add(s, &error) == ABUT_ERR_INVALID_ARGUMENT, "a surface twice");
    EXPECT(abut_world_remove_surface(s->world, 3, &error) == ABUT_ERR_INVALID_ARGUMENT,
           "a surface that is not there");
    abut_status status = abut_world_collide_surface(s->world, rank == culprit ? SHEET_ID : 3, NULL,
                                                    NULL, answer, &error);
    EXPECT(status == ABUT_ERR_INVALID_ARGUMENT || (s->ranks == 1 && status == ABUT_OK),
           "different surfaces");
    // thicknesses that differ
    EXPECT(abut_world_set_surface_thickness(s->world, SHEET_ID, -1, &error) ==
               ABUT_ERR_INVALID_ARGUMENT,
           "a negative thickness");
    abut_world_set_surface_thickness(s->world, SHEET_ID, rank == culprit ? 0.5 : 0, &error);
    status = call(s, answer, CALL_COLLIDE, &error);
    EXPECT(status == (s->ranks > 1 ? ABUT_ERR_INVALID_ARGUMENT : ABUT_OK), "thicknesses differ");
    abut_world_set_surface_thickness(s->world, SHEET_ID, 0, &error);
    // a triangle of two ranks
    EXPECT(abut_world_remove_surface(s->world, SHEET_ID, &error) == ABUT_OK, "remove");
    const uint32_t triangle = sheet_draw(s, s->triangles);
    const int owner = s->owner[triangle];
    const bool takes = rank == culprit && owner != rank;
    s->owner[triangle] = takes ? rank : owner;
    for (size_t c = 0; c < 3 && takes; ++c) {
        const uint32_t v = s->corners[3 * (size_t)triangle + c];
        bool there = false;
        for (uint32_t i = 0; i < s->count; ++i) {
            there = there || s->own[i] == v;
        }
        if (!there) {
            s->own[s->count++] = v;
        }
    }
    status = sheet_add(s, &error);
    s->owner[triangle] = owner;
    EXPECT(all_agree(s, status, &error), "a triangle of two ranks");
    EXPECT(status == (owner == culprit ? ABUT_OK : ABUT_ERR_INVALID_ARGUMENT),
           "a triangle of two ranks: %s", abut_status_text(status));
    if (status != ABUT_OK) {
        EXPECT(sheet_add(s, &error) == ABUT_OK, "add: %s", error.message);
    }
    sheet_step(s);
    sheet_step(s);
    check_answer(s, answer, "wrong pieces");
    // positions that are refused
    if (s->count > 0) {
        const double before = s->at[s->own[0]][1];
        s->at[s->own[0]][1] = (double)NAN;
        EXPECT(sheet_set(s, &error) == ABUT_ERR_INVALID_DATA && error.index == s->own[0],
               "a position that is not finite");
        s->at[s->own[0]][1] = before;
    }
    check_answer(s, answer, "wrong positions");
}

// one rank moves and the others do not: a query that sees it fails, and the next step is right again
static void move_alone(sheet* s, abut_world_answer* answer, int culprit) {
    abut_error error;
    double(*still)[3] = malloc(s->vertices * sizeof *still);
    memcpy(still, s->at, s->vertices * sizeof *still);
    for (uint32_t i = 0; i < s->vertices && rank == culprit; ++i) {
        s->at[i][0] += 0x1p-9 * s->size;
    }
    EXPECT(sheet_set(s, &error) == ABUT_OK, "set: %s", error.message);
    const abut_status status = call(s, answer, CALL_COLLIDE, &error);
    EXPECT(all_agree(s, status, &error), "a rank that moves alone");
    EXPECT(status == ABUT_OK || status == ABUT_ERR_INVALID_DATA, "a rank that moves alone: %s",
           abut_status_text(status));
    memcpy(s->at, still, s->vertices * sizeof *still);
    free(still);
    sheet_step(s);
    sheet_step(s);
    check_answer(s, answer, "a rank that moved alone");
}

static void run_seed(uint64_t seed, uint32_t bytes, long step) {
    limited_memory memory = {-1, getenv("ABUT_TEST_ZEROS") != NULL};
    sabotage sab = {0};
    const abut_allocator limited = limited_hooks(&memory);
    abut_world_def def = abut_world_def_default();
    def.allocator = limited;
    sheet s;
    sheet_open(&s, MPI_COMM_WORLD, seed, 160, &def, &limited, true);
    abut_world_answer* answer = NULL;
    abut_world_answer_create(s.world, &answer, NULL);
    sheet_step(&s);
    sheet_step(&s);
    s.world->saboteur = sabotage_hooks(&sab);
    const int culprit = (int)(seed % (uint64_t)s.ranks);
    check_answer(&s, answer, "the beginning");
    give_wrongly(&s, answer, culprit);
    move_alone(&s, answer, culprit);
    fail_exchanges(&s, answer, &sab, culprit);
    damage_messages(&s, answer, &sab, culprit, true, bytes / 4 + 1);
    damage_messages(&s, answer, &sab, culprit, false, bytes);
    run_dry(&s, answer, &memory, culprit, step);
    abut_world_answer_destroy(answer);
    sheet_close(&s);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    alarm(400);
    const char* effort = getenv("ABUT_TEST_EFFORT");
    const bool whole = effort != NULL && strcmp(effort, "long") == 0;
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : whole ? 2 : 1;
    for (uint64_t seed = first; seed < first + seeds; ++seed) {
        const int before = failures;
        run_seed(seed, whole ? 20 : 4, whole ? 1 : 7);
        if (failures != before) {
            fprintf(stderr, "rank %d: seed %llu failed\n", rank, (unsigned long long)seed);
        }
    }
    int all = failures;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%lu calls, %lu refused, %d differences\n", calls, refused, all);
    }
    MPI_Finalize();
    return all == 0 ? 0 : 1;
}
