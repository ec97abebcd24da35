// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How ranks learn of a failure of one of them. The earliest failure of a call is blamed, and of those in
// one exchange that of the lowest rank: later ones may follow from it.
#include <stdarg.h>
#include <stdio.h>

#include "mpi/world.h"

static void fill(abut_error* error, abut_status status, uint32_t body, const char* format,
                 va_list arguments) {
    memset(error, 0, sizeof *error);
    error->status = status;
    error->element = ABUT_ELEMENT_NONE;
    if (body != ABUT__ABSENT) {
        error->body = (abut_body_id){body, 1};
    }
    vsnprintf(error->message, sizeof error->message, format, arguments);
}

abut_status abut__fail_world(abut_error* error, abut_status status, uint32_t body,
                             const char* format, ...) {
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        fill(error, status, body, format, arguments);
        va_end(arguments);
    }
    return status;
}

abut_status abut__trouble(abut_world* world, abut_status status, uint32_t body, const char* format,
                          ...) {
    if (world->trouble.status == ABUT_OK) {
        va_list arguments;
        va_start(arguments, format);
        fill(&world->trouble, status, body, format, arguments);
        va_end(arguments);
        world->trouble_step = world->exchanges;
    }
    return status;
}

abut_status abut__trouble_from(abut_world* world, const abut_error* error, uint32_t body) {
    if (world->trouble.status == ABUT_OK) {
        world->trouble = *error;
        world->trouble.body = (abut_body_id){0, 0};
        if (body != ABUT__ABSENT) {
            world->trouble.body = (abut_body_id){body, 1};
        }
        world->trouble_step = world->exchanges;
    }
    return error->status;
}

// counts a collective operation
static void count_rounds(abut_world* world, size_t bytes) {
    for (int n = 1; n < world->ranks; n *= 2) {
        ++world->stats.messages_sent;
        world->stats.bytes_sent += bytes;
    }
}

bool abut__sum_over_ranks(abut_world* world, uint64_t* numbers, int count) {
    count_rounds(world, (size_t)count * sizeof *numbers);
    MPI_Request request;
    return MPI_Iallreduce(MPI_IN_PLACE, numbers, count, MPI_UINT64_T, MPI_SUM, world->comm,
                          &request) == MPI_SUCCESS &&
           abut__wait(&request);
}

bool abut__least_over_ranks(abut_world* world, double* numbers, int count) {
    count_rounds(world, (size_t)count * sizeof *numbers);
    MPI_Request request;
    return MPI_Iallreduce(MPI_IN_PLACE, numbers, count, MPI_DOUBLE, MPI_MIN, world->comm,
                          &request) == MPI_SUCCESS &&
           abut__wait(&request);
}

// gives all ranks the error of the blamed one
static abut_status spread(abut_world* world, int blamed, abut_error* error) {
    abut_error shared = world->trouble;
    MPI_Request request;
    if (MPI_Ibcast(&shared, (int)sizeof shared, MPI_BYTE, blamed, world->comm, &request) !=
            MPI_SUCCESS ||
        !abut__wait(&request)) {
        return abut__fail_world(error, ABUT_ERR_STATE, ABUT__ABSENT,
                                "MPI cannot send to all ranks");
    }
    shared.message[sizeof shared.message - 1] = '\0';
    world->blamed = blamed;
    if (error != NULL) {
        *error = shared;
        snprintf(error->message, sizeof error->message, "rank %d: %.170s", blamed, shared.message);
    }
    return shared.status;
}

// The least of these words over all ranks.
enum { WORD_BLAME, WORD_SETTINGS, WORD_SETTINGS_NOT, WORD_ANY, WORDS };

static abut_status agree(abut_world* world, uint64_t settings, bool* any, abut_error* error) {
    const bool failed = world->trouble.status != ABUT_OK;
    uint64_t words[WORDS] = {
        [WORD_BLAME] = failed ? (uint64_t)world->trouble_step << 32 | (uint32_t)world->rank
                              : UINT64_MAX,
        [WORD_SETTINGS] = settings,
        [WORD_SETTINGS_NOT] = ~settings,
        [WORD_ANY] = any != NULL && *any ? 0 : 1,
    };
    count_rounds(world, sizeof words);
    MPI_Request request;
    if (MPI_Iallreduce(MPI_IN_PLACE, words, WORDS, MPI_UINT64_T, MPI_MIN, world->comm, &request) !=
            MPI_SUCCESS ||
        !abut__wait(&request)) {
        return abut__fail_world(error, ABUT_ERR_STATE, ABUT__ABSENT, "MPI cannot reach all ranks");
    }
    if (words[WORD_BLAME] != UINT64_MAX) {
        return spread(world, (int)(uint32_t)words[WORD_BLAME], error);
    }
    if (words[WORD_SETTINGS] != ~words[WORD_SETTINGS_NOT]) {
        world->blamed = -1;
        return abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, ABUT__ABSENT,
                                "ranks made different calls, or with different settings");
    }
    if (any != NULL) {
        *any = words[WORD_ANY] == 0;
    }
    return ABUT_OK;
}

abut_status abut__agree(abut_world* world, bool* any, abut_error* error) {
    const abut_status status = agree(world, 0, any, error);
    if (status != ABUT_OK) {
        abut__ghosts_forget(world);
    }
    return status;
}

abut_status abut__call_begin(abut_world* world, uint64_t settings, bool* any, abut_error* error) {
    const abut_status status = agree(world, settings, any, error);
    world->exchanges = 0;
    world->trouble.status = ABUT_OK;
    return status;
}
