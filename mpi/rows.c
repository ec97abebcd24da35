// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rows of answers: they travel to one rank, or each to the rank of its part of the sorted list. Rows of
// one pair of bodies come from one rank and stay in their order, so that sorting them is sorting pairs
// of bodies.
#include <stdlib.h>

#include "mpi/world.h"

#define SAMPLES ABUT__SAMPLES
#define PAIR_MOST 10     // bytes of a row of touching pairs as differences
#define BODIES_BYTES 8u  // of a row: its bodies, which are the same in a run

void abut__rows_begin(abut_world_answer* answer, size_t row_size) {
    answer->row_size = row_size;
    answer->runs.count = answer->rows.count = answer->sorted.count = 0;
}

bool abut__rows_add(abut_world_answer* answer, const abut__duty* duty, const void* rows,
                    size_t count) {
    const abut_allocator* memory = &answer->world->memory;
    if (count == 0) {
        return true;
    }
    abut__rows_run* run = count < UINT32_MAX ? abut__append(memory, &answer->runs, 1) : NULL;
    const size_t first = answer->rows.count;
    uint8_t* to = run != NULL ? abut__append(memory, &answer->rows, count * answer->row_size)
                              : NULL;
    if (to == NULL) {
        abut__trouble(answer->world, ABUT_ERR_NO_MEMORY, duty->id[0], "no memory for rows");
        return false;
    }
    *run = (abut__rows_run){{duty->id[0], duty->id[1]}, (uint32_t)count, first, NULL};
    memcpy(to, rows, count * answer->row_size);
    for (size_t i = 0; i < count; ++i) {
        memcpy(to + i * answer->row_size, duty->id, BODIES_BYTES);
    }
    return true;
}

// ---- cuts of a distributed list

static uint64_t key_of(const abut__rows_run* run) {
    return (uint64_t)run->id[0] << 32 | run->id[1];
}

static int compare_runs(const void* a, const void* b) {
    const uint64_t x = key_of(a);
    const uint64_t y = key_of(b);
    return (x > y) - (x < y);
}

typedef abut__sample sample;

static int compare_samples(const void* a, const void* b) {
    const sample* x = a;
    const sample* y = b;
    return (x->key > y->key) - (x->key < y->key);
}

// takes samples at equal distances in the rows of this rank
static void take_samples(const abut_world_answer* answer, sample samples[SAMPLES]) {
    const size_t total = answer->row_size > 0 ? answer->rows.count / answer->row_size : 0;
    size_t passed = 0;
    size_t taken = 0;
    for (size_t i = 0; i < SAMPLES; ++i) {
        samples[i] = (sample){UINT64_MAX, 0};
    }
    for (size_t i = 0; i < answer->runs.count && taken < SAMPLES; ++i) {
        passed += answer->runs.data[i].count;
        while (taken < SAMPLES && passed * SAMPLES >= total * (taken + 1)) {
            samples[taken++] = (sample){key_of(&answer->runs.data[i]),
                                        (total + SAMPLES - 1) / SAMPLES};
        }
    }
}

// Finds the first key of the part of each rank but rank 0. MPI waits for all ranks.
static bool find_cuts(abut_world* world, const sample own[SAMPLES], uint64_t* cuts, sample* all) {
    const size_t ranks = (size_t)world->ranks;
    const size_t bytes = SAMPLES * sizeof *own;
    world->stats.messages_sent += world->rank > 0;
    world->stats.bytes_sent += world->rank > 0 ? bytes : 0;
    MPI_Request request;
    if (MPI_Iallgather(own, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, world->comm,
                       &request) != MPI_SUCCESS ||
        !abut__wait(&request)) {
        return false;
    }
    uint64_t total = 0;
    for (size_t i = 0; i < ranks * SAMPLES; ++i) {
        total += all[i].rows;
    }
    qsort(all, ranks * SAMPLES, sizeof *all, compare_samples);
    uint64_t passed = 0;
    size_t at = 0;
    for (size_t r = 1; r < ranks; ++r) {
        while (at < ranks * SAMPLES && all[at].rows > 0 && passed * ranks < total * r) {
            passed += all[at++].rows;
        }
        cuts[r - 1] = at < ranks * SAMPLES && all[at].rows > 0 ? all[at].key : UINT64_MAX;
    }
    return true;
}

bool abut__rows_cut(abut_world* world, const sample own[SAMPLES], abut__cuts* cuts) {
    const abut_allocator* memory = &world->memory;
    const size_t ranks = (size_t)world->ranks;
    ABUT__LIST(sample) all = {0};
    cuts->count = 0;
    bool done = abut__append(memory, cuts, ranks) != NULL &&
                abut__append(memory, &all, ranks * SAMPLES) != NULL;
    if (!done) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, ABUT__ABSENT, "no memory for rows");
    }
    uint64_t failures = done ? 0 : 1;
    abut__sum_over_ranks(world, &failures, 1);
    done = failures == 0;
    if (done && !find_cuts(world, own, cuts->data, all.data)) {
        abut__trouble(world, ABUT_ERR_STATE, ABUT__ABSENT, "MPI cannot reach all ranks");
    }
    abut__discard(memory, &all);
    return done;
}

int abut__rows_rank_of(const abut_world* world, const abut__cuts* cuts, uint64_t key) {
    int r = 0;
    while (r < world->ranks - 1 && key >= cuts->data[r]) {
        ++r;
    }
    return r;
}

// ---- rows of touching pairs travel as differences: most take two to four bytes instead of eight

// writes a number in as few bytes as hold it, seven bits each
static size_t put_number(uint8_t* to, uint32_t number) {
    size_t count = 0;
    for (; number >= 0x80; number >>= 7) {
        to[count++] = (uint8_t)(number | 0x80);
    }
    to[count++] = (uint8_t)number;
    return count;
}

static uint32_t get_number(abut__reading* in) {
    uint32_t number = 0;
    uint8_t byte = 0x80;
    for (int shift = 0; shift < 35 && (byte & 0x80) != 0; shift += 7) {
        abut__read_value(in, &byte);
        number |= shift < 32 ? (uint32_t)(byte & 0x7F) << shift : 0;
    }
    in->bad = in->bad || (byte & 0x80) != 0;
    return number;
}

// the sign becomes the lowest bit
static uint32_t fold(uint32_t difference) {
    return difference << 1 ^ (0 - (difference >> 31));
}

static uint32_t unfold(uint32_t folded) {
    return folded >> 1 ^ (0 - (folded & 1));
}

static size_t put_pair(uint8_t* to, const abut_pair* pair, const abut_pair* last) {
    const size_t count = put_number(to, fold(pair->triangle_a - last->triangle_a));
    return count + put_number(to + count, fold(pair->triangle_b - last->triangle_b));
}

// reads the next row, from the one before
static void get_pair(abut__reading* in, abut_pair* pair) {
    pair->triangle_a += unfold(get_number(in));
    pair->triangle_b += unfold(get_number(in));
}

static void send_pairs(abut_world_answer* answer, int to, const abut__rows_run* run) {
    abut_world* world = answer->world;
    abut__bytes* out = &world->mail.out[to];
    abut_pair last = {0};
    for (size_t i = 0; i < run->count && world->trouble.status == ABUT_OK; ++i) {
        abut_pair pair;
        uint8_t* place = abut__append(&world->memory, out, PAIR_MOST);
        if (place == NULL) {
            abut__trouble(world, ABUT_ERR_NO_MEMORY, run->id[0], "no memory for rows");
            return;
        }
        memcpy(&pair, answer->rows.data + run->first + i * sizeof pair, sizeof pair);
        out->count -= PAIR_MOST - put_pair(place, &pair, &last);
        last = pair;
    }
}

// ---- sending

static void send_run(abut_world_answer* answer, int to, const abut__rows_run* run) {
    abut_world* world = answer->world;
    const size_t rest = answer->row_size - BODIES_BYTES;
    const uint32_t head[3] = {run->id[0], run->id[1], run->count};
    abut__mail_value(world, &world->mail, to, head);
    if (answer->row_size == sizeof(abut_pair)) {
        send_pairs(answer, to, run);
        return;
    }
    uint8_t* place = world->trouble.status == ABUT_OK
                         ? abut__append(&world->memory, &world->mail.out[to], run->count * rest)
                         : NULL;
    if (place == NULL) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, run->id[0], "no memory for rows");
        return;
    }
    for (size_t i = 0; i < run->count; ++i) {
        memcpy(place + i * rest,
               answer->rows.data + run->first + i * answer->row_size + BODIES_BYTES, rest);
    }
}

static void send_gathered(abut_world_answer* answer, int root) {
    for (size_t i = 0; i < answer->runs.count; ++i) {
        send_run(answer, root, &answer->runs.data[i]);
    }
}

static void send_distributed(abut_world_answer* answer) {
    abut_world* world = answer->world;
    abut__cuts cuts = {0};
    sample own[SAMPLES];
    if (answer->runs.count > 0) {
        qsort(answer->runs.data, answer->runs.count, sizeof *answer->runs.data, compare_runs);
    }
    take_samples(answer, own);
    const bool cut = abut__rows_cut(world, own, &cuts);
    for (size_t i = 0; i < answer->runs.count && cut; ++i) {
        const abut__rows_run* run = &answer->runs.data[i];
        send_run(answer, abut__rows_rank_of(world, &cuts, key_of(run)), run);
    }
    abut__discard(&world->memory, &cuts);
}

// ---- receiving

// reads the runs of one message; rows stay in the message, where run->first counts
static void take_runs(abut_world_answer* answer, int from) {
    abut_world* world = answer->world;
    const size_t rest = answer->row_size - BODIES_BYTES;
    abut__reading in = abut__reading_of(&world->mail.in[from]);
    while (in.at != in.end && world->trouble.status == ABUT_OK) {
        uint32_t head[3];
        abut__read_value(&in, &head);
        const uint8_t* rows = in.at;
        if (answer->row_size == sizeof(abut_pair)) {
            for (uint32_t i = 0; i < head[2] && !in.bad; ++i) {
                get_pair(&in, &(abut_pair){0});
            }
        } else {
            abut__read_bytes(&in, (size_t)head[2] * rest);
        }
        if (in.bad || head[2] == 0) {
            abut__trouble(world, ABUT_ERR_INVALID_DATA, ABUT__ABSENT, "rows of rank %d are damaged",
                          from);
            return;
        }
        abut__rows_run* run = abut__append(&world->memory, &answer->runs, 1);
        if (run == NULL) {
            abut__trouble(world, ABUT_ERR_NO_MEMORY, head[0], "no memory for rows");
            return;
        }
        *run = (abut__rows_run){{head[0], head[1]}, head[2], (size_t)(uintptr_t)rows, in.at};
    }
}

// reads the rows of a run that was read before, so that it is whole
static void read_pairs(const uint8_t* from, const abut__rows_run* run, abut_pair* to) {
    abut__reading in = {from, run->end, false};
    abut_pair pair = {run->id[0], run->id[1], 0, 0};
    for (uint32_t k = 0; k < run->count; ++k) {
        get_pair(&in, &pair);
        to[k] = pair;
    }
}

static void sort_rows(abut_world_answer* answer) {
    const size_t size = answer->row_size;
    size_t count = 0;
    for (size_t i = 0; i < answer->runs.count; ++i) {
        count += answer->runs.data[i].count;
    }
    uint8_t* to = abut__append(&answer->world->memory, &answer->sorted, count * size);
    if (to == NULL) {
        abut__trouble(answer->world, ABUT_ERR_NO_MEMORY, ABUT__ABSENT, "no memory for rows");
        return;
    }
    if (answer->runs.count > 0) {
        qsort(answer->runs.data, answer->runs.count, sizeof *answer->runs.data, compare_runs);
    }
    for (size_t i = 0; i < answer->runs.count; ++i) {
        const abut__rows_run* run = &answer->runs.data[i];
        const uint8_t* from = (const uint8_t*)(uintptr_t)run->first;
        if (size == sizeof(abut_pair)) {
            read_pairs(from, run, (abut_pair*)(void*)to);
            to += run->count * size;
            continue;
        }
        for (uint32_t k = 0; k < run->count; ++k, to += size, from += size - BODIES_BYTES) {
            memcpy(to, run->id, BODIES_BYTES);
            memcpy(to + BODIES_BYTES, from, size - BODIES_BYTES);
        }
    }
}

abut_status abut__rows_end(abut_world_answer* answer, const abut_world_query_def* query,
                           abut_error* error) {
    abut_world* world = answer->world;
    abut__mail_begin(world, &world->mail);
    if (query->placement == ABUT_WORLD_GATHERED) {
        send_gathered(answer, query->root);
    } else {
        send_distributed(answer);
    }
    abut__mail_exchange(world, &world->mail);
    answer->runs.count = 0;
    for (int r = 0; r < world->ranks; ++r) {
        take_runs(answer, r);
    }
    if (world->trouble.status == ABUT_OK) {
        sort_rows(answer);
    }
    const abut_status status = abut__agree(world, NULL, error);
    if (status != ABUT_OK) {
        answer->sorted.count = 0;
    }
    return status;
}

// ---- answers

// answers know their rows by the size
_Static_assert(sizeof(abut_proxy_pair) != sizeof(abut_distance_pair) &&
                   sizeof(abut_proxy_pair) != sizeof(abut_sweep_pair) &&
                   sizeof(abut_distance_pair) != sizeof(abut_sweep_pair),
               "rows have different sizes");

static const void* rows_of(const abut_world_answer* answer, size_t row_size, size_t* count) {
    const size_t rows = answer->row_size == row_size ? answer->sorted.count / row_size : 0;
    if (count != NULL) {
        *count = rows;
    }
    return rows > 0 ? answer->sorted.data : NULL;
}

const abut_pair* abut_world_answer_pairs(const abut_world_answer* answer, size_t* count) {
    return rows_of(answer, sizeof(abut_pair), count);
}

const abut_sweep_pair* abut_world_answer_sweeps(const abut_world_answer* answer, size_t* count) {
    return rows_of(answer, sizeof(abut_sweep_pair), count);
}

const abut_distance_pair* abut_world_answer_distances(const abut_world_answer* answer,
                                                      size_t* count) {
    return rows_of(answer, sizeof(abut_distance_pair), count);
}

const abut_proxy_pair* abut_world_answer_proxies(const abut_world_answer* answer, size_t* count) {
    return rows_of(answer, sizeof(abut_proxy_pair), count);
}

abut_status abut_world_answer_create(abut_world* world, abut_world_answer** answer,
                                     abut_error* error) {
    if (world == NULL || answer == NULL) {
        return abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, ABUT__ABSENT,
                                "world or answer is NULL");
    }
    abut_world_answer* made = world->memory.alloc(world->memory.user, sizeof *made, 16);
    if (made == NULL) {
        return abut__fail_world(error, ABUT_ERR_NO_MEMORY, ABUT__ABSENT, "no memory for an answer");
    }
    memset(made, 0, sizeof *made);
    made->world = world;
    abut_status status = abut_collide_result_create(world->context, &made->collide, error);
    status = status == ABUT_OK ? abut_sweep_result_create(world->context, &made->sweep, error)
                               : status;
    status = status == ABUT_OK ? abut_within_result_create(world->context, &made->within, error)
                               : status;
    status = status == ABUT_OK ? abut_nearest_result_create(world->context, &made->nearest, error)
                               : status;
    status = status == ABUT_OK ? abut_proxies_result_create(world->context, &made->proxies, error)
                               : status;
    if (status != ABUT_OK) {
        abut_world_answer_destroy(made);
        return status;
    }
    *answer = made;
    return ABUT_OK;
}

void abut_world_answer_destroy(abut_world_answer* answer) {
    if (answer != NULL) {
        const abut_allocator memory = answer->world->memory;
        abut_collide_result_destroy(answer->collide);
        abut_sweep_result_destroy(answer->sweep);
        abut_within_result_destroy(answer->within);
        abut_nearest_result_destroy(answer->nearest);
        abut_proxies_result_destroy(answer->proxies);
        abut__discard(&memory, &answer->runs);
        abut__discard(&memory, &answer->rows);
        abut__discard(&memory, &answer->sorted);
        memory.free(memory.user, answer, sizeof *answer, 16);
    }
}
