// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Ranks of MPI that share a swarm: see spread_ranks.h. Each has an equal stretch of the bodies, which are
// layers of a pile or a rain. Contacts come from a query of the world, gathered on rank 0. The bodies
// that touch something travel there for the solver, and back with new velocities.
#define _POSIX_C_SOURCE 200809L
#include "cli/spread_ranks.h"

#include <abut/mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/message.h"

#define MOST_SHAPES 4

// What the solver changes of a body.
typedef struct pushed {
    double velocity[3];
    double spin[3];
    double rate[MODAL_MOST];
} pushed;

typedef struct mpi_ranks {
    swarm_ranks call;
    int rank;
    int ranks;
    uint32_t count;  // of bodies in the swarm
    abut_world* world;
    abut_world_answer* answer;
    const abut_shape* shapes[MOST_SHAPES];
    abut_shape_name names[MOST_SHAPES];
    size_t shape_count;
    // Bodies that the leading rank has borrowed: those of all other ranks, in the order of ranks. On another
    // rank: its own bodies that are lent.
    uint32_t* lent;
    size_t lent_count;
    int* counts;  // of each rank, on the leading one
    int* places;
} mpi_ranks;

static mpi_ranks* of(const swarm_ranks* ranks) {
    return (mpi_ranks*)ranks;
}

// Waits for the end of an operation, asleep after some trials: ranks may share a processor.
static void finish(MPI_Request request) {
    const struct timespec moment = {.tv_nsec = 50000};
    int done = 0;
    for (unsigned trials = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done;
         ++trials) {
        if (trials >= 100) {
            nanosleep(&moment, NULL);
        }
    }
}

// combines `count` values of all ranks
static void reduce(void* values, int count, MPI_Datatype type, MPI_Op operation) {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values, count, type, operation, MPI_COMM_WORLD, &request);
    // NOLINTNEXTLINE(clang-analyzer-*): finish() waits
    finish(request);
}

static bool all_good(swarm_ranks* ranks, bool good) {
    int worst = good ? 0 : 1;
    (void)ranks;
    reduce(&worst, 1, MPI_INT, MPI_MAX);
    return worst == 0;
}

// ---- the world

static void close_world(swarm_ranks* ranks) {
    mpi_ranks* m = of(ranks);
    abut_world_answer_destroy(m->answer);
    abut_world_destroy(m->world);
    m->answer = NULL;
    m->world = NULL;
    m->shape_count = 0;
}

static abut_status open_world(swarm_ranks* ranks, abut_context* context,
                              const abut_allocator* memory, abut_error* error) {
    mpi_ranks* m = of(ranks);
    abut_world_def def = abut_world_def_default();
    def.allocator = *memory;
    abut_status status = abut_world_create(MPI_COMM_WORLD, context, &def, &m->world, error);
    if (status != ABUT_OK) {
        return status;
    }
    status = abut_world_answer_create(m->world, &m->answer, error);
    if (!all_good(ranks, status == ABUT_OK)) {
        close_world(ranks);
        return status != ABUT_OK ? status : ABUT_ERR_NO_MEMORY;
    }
    return ABUT_OK;
}

// the first body of a rank
static uint32_t first_of(const mpi_ranks* m, int rank) {
    return (uint32_t)((uint64_t)m->count * (uint32_t)rank / (uint32_t)m->ranks);
}

static void share(const swarm_ranks* ranks, uint32_t count, uint32_t* first, uint32_t* end) {
    mpi_ranks* m = of(ranks);
    m->count = count;
    *first = first_of(m, m->rank);
    *end = first_of(m, m->rank + 1);
}

static abut_status give(swarm_ranks* ranks, abut_shape* shape, abut_error* error) {
    mpi_ranks* m = of(ranks);
    if (m->shape_count == MOST_SHAPES) {
        return ABUT_ERR_LIMIT;
    }
    const abut_status status = abut_world_add_shape(m->world, shape, &m->names[m->shape_count],
                                                    error);
    if (status == ABUT_OK) {
        m->shapes[m->shape_count++] = shape;
    }
    return status;
}

static abut_status add(swarm_ranks* ranks, uint32_t body, const abut_shape* shape,
                       const abut_frame* frame, abut_error* error) {
    mpi_ranks* m = of(ranks);
    abut_body_def def = abut_body_def_default();
    size_t k = 0;
    def.frame = *frame;
    while (k < m->shape_count && m->shapes[k] != shape) {
        ++k;
    }
    return k < m->shape_count ? abut_world_add_body(m->world, body, m->names[k], &def, error)
                              : ABUT_ERR_INVALID_ARGUMENT;
}

static abut_status set(swarm_ranks* ranks, uint32_t body, const abut_frame* frame, const double* q,
                       size_t count, abut_error* error) {
    abut_world* world = of(ranks)->world;
    const abut_status status = frame != NULL ? abut_world_set_frame(world, body, frame, error)
                                             : ABUT_OK;
    return status == ABUT_OK && count > 0 ? abut_world_set_coordinates(world, body, q, count, error)
                                          : status;
}

static abut_status collide(swarm_ranks* ranks, abut_counters* counters,
                           const abut_proxy_pair** found, size_t* count, abut_error* error) {
    mpi_ranks* m = of(ranks);
    abut_proxies_def def = abut_proxies_def_default();
    abut_counters own = {0};
    def.head.counters = &own;
    const abut_status status = abut_world_proxies_all(m->world, &def, NULL, m->answer, error);
    uint64_t work[3] = {own.boxes_tested, own.boxes_computed, own.pairs_found};
    reduce(work, 3, MPI_UINT64_T, MPI_SUM);
    counters->boxes_tested += work[0];
    counters->boxes_computed += work[1];
    counters->pairs_found += work[2];
    *found = abut_world_answer_proxies(m->answer, count);
    return status;
}

// ---- contacts of other ranks

// Fills `counts` and `places` with the numbers of all ranks times `size`; returns their sum, on the leading
// rank.
static size_t gather_counts(mpi_ranks* m, size_t own, size_t size) {
    MPI_Request request;
    const int bytes = (int)(own * size);
    size_t sum = 0;
    MPI_Igather(&bytes, 1, MPI_INT, m->counts, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    // NOLINTNEXTLINE(clang-analyzer-*): finish() waits
    finish(request);
    for (int r = 0; r < m->ranks && m->rank == 0; ++r) {
        m->places[r] = (int)sum;
        sum += (size_t)m->counts[r];
    }
    return sum / size;
}

static void gather_contacts(mpi_ranks* m, modal_contact** contacts, size_t* count,
                            size_t* capacity) {
    MPI_Request request;
    const size_t own = m->rank == 0 ? 0 : *count;
    const size_t more = gather_counts(m, own, sizeof **contacts);
    if (m->rank == 0 && *count + more >= *capacity) {
        *capacity = 2 * (*count + more) + 1;
        modal_contact* moved = allocate(*capacity, sizeof *moved);
        if (*count > 0) {
            memcpy(moved, *contacts, *count * sizeof *moved);
        }
        free(*contacts);
        *contacts = moved;
    }
    MPI_Igatherv(*contacts, (int)(own * sizeof **contacts), MPI_BYTE,
                 m->rank == 0 ? *contacts + *count : NULL, m->counts, m->places, MPI_BYTE, 0,
                 MPI_COMM_WORLD, &request);
    finish(request);
    *count += m->rank == 0 ? more : 0;
}

// ---- bodies of other ranks

static int compare_ids(const void* a, const void* b) {
    const uint32_t x = *(const uint32_t*)a;
    const uint32_t y = *(const uint32_t*)b;
    return (x > y) - (x < y);
}

// lists the bodies of contacts that other ranks have, each once
static void list_borrowed(mpi_ranks* m, const modal_contact* contacts, size_t count) {
    const uint32_t end = first_of(m, 1);
    size_t listed = 0;
    m->lent = allocate(2 * count + 1, sizeof *m->lent);
    for (size_t i = 0; i < 2 * count; ++i) {
        const uint32_t body = contacts[i / 2].body[i % 2];
        if (body != CONTACT_FIXED && body >= end) {
            m->lent[listed++] = body;
        }
    }
    if (listed > 0) {
        qsort(m->lent, listed, sizeof *m->lent, compare_ids);
    }
    m->lent_count = 0;
    for (size_t i = 0; i < listed; ++i) {
        if (i == 0 || m->lent[i] != m->lent[i - 1]) {
            m->lent[m->lent_count++] = m->lent[i];
        }
    }
}

// the leading rank tells each rank which of its bodies it needs
static void tell_borrowed(mpi_ranks* m) {
    MPI_Request request;
    int own = 0;
    if (m->rank == 0) {
        size_t at = 0;
        for (int r = 0; r < m->ranks; ++r) {
            m->places[r] = (int)at;
            while (at < m->lent_count && m->lent[at] < first_of(m, r + 1)) {
                ++at;
            }
            m->counts[r] = (int)at - m->places[r];
        }
    }
    MPI_Iscatter(m->counts, 1, MPI_INT, &own, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    finish(request);
    if (m->rank != 0) {
        m->lent = allocate((size_t)own + 1, sizeof *m->lent);
        m->lent_count = (size_t)own;
    }
    MPI_Iscatterv(m->lent, m->counts, m->places, MPI_UINT32_T,
                  m->rank == 0 ? MPI_IN_PLACE : m->lent, own, MPI_UINT32_T, 0, MPI_COMM_WORLD,
                  &request);
    // NOLINTNEXTLINE(clang-analyzer-*): finish() waits
    finish(request);
}

// multiplies the counts and places of bodies
static void scale_counts(mpi_ranks* m, int factor) {
    for (int r = 0; r < m->ranks; ++r) {
        m->counts[r] *= factor;
        m->places[r] *= factor;
    }
}

static void bring_bodies(mpi_ranks* m, modal_body* bodies) {
    MPI_Request request;
    modal_body* moved = allocate(m->lent_count + 1, sizeof *moved);
    const int size = (int)sizeof *moved;
    for (size_t i = 0; i < m->lent_count && m->rank != 0; ++i) {
        moved[i] = bodies[m->lent[i]];
    }
    scale_counts(m, size);
    MPI_Igatherv(m->rank == 0 ? MPI_IN_PLACE : (void*)moved, (int)m->lent_count * size, MPI_BYTE,
                 moved, m->counts, m->places, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    finish(request);
    for (size_t i = 0; i < m->lent_count && m->rank == 0; ++i) {
        bodies[m->lent[i]] = moved[i];
    }
    for (int r = 0; r < m->ranks; ++r) {  // back to bodies, for give_back()
        m->counts[r] /= size;
        m->places[r] /= size;
    }
    free(moved);
}

static bool lend(swarm_ranks* ranks, modal_contact** contacts, size_t* count, size_t* capacity,
                 modal_body* bodies) {
    mpi_ranks* m = of(ranks);
    gather_contacts(m, contacts, count, capacity);
    if (m->rank == 0) {
        list_borrowed(m, *contacts, *count);
    }
    tell_borrowed(m);
    bring_bodies(m, bodies);
    return true;
}

static void give_back(swarm_ranks* ranks, modal_body* bodies) {
    MPI_Request request;
    mpi_ranks* m = of(ranks);
    pushed* moved = allocate(m->lent_count + 1, sizeof *moved);
    for (size_t i = 0; i < m->lent_count && m->rank == 0; ++i) {
        const modal_body* body = &bodies[m->lent[i]];
        memcpy(moved[i].velocity, body->velocity, sizeof body->velocity);
        memcpy(moved[i].spin, body->spin, sizeof body->spin);
        memcpy(moved[i].rate, body->rate, sizeof body->rate);
    }
    scale_counts(m, (int)sizeof *moved);
    MPI_Iscatterv(moved, m->counts, m->places, MPI_BYTE, m->rank == 0 ? MPI_IN_PLACE : (void*)moved,
                  (int)(m->lent_count * sizeof *moved), MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    finish(request);
    for (size_t i = 0; i < m->lent_count && m->rank != 0; ++i) {
        modal_body* body = &bodies[m->lent[i]];
        memcpy(body->velocity, moved[i].velocity, sizeof body->velocity);
        memcpy(body->spin, moved[i].spin, sizeof body->spin);
        memcpy(body->rate, moved[i].rate, sizeof body->rate);
    }
    free(moved);
    free(m->lent);
    m->lent = NULL;
}

// ---- sums

static double sum_bodies(swarm_ranks* ranks, const double* own, uint32_t count) {
    MPI_Request request;
    mpi_ranks* m = of(ranks);
    const size_t all = m->rank == 0 ? m->count : 0;
    for (int r = 0; r < m->ranks; ++r) {
        m->places[r] = (int)first_of(m, r);
        m->counts[r] = (int)(first_of(m, r + 1) - first_of(m, r));
    }
    double* numbers = allocate(all + 1, sizeof *numbers);
    double sum = 0;
    MPI_Igatherv(own, (int)count, MPI_DOUBLE, numbers, m->counts, m->places, MPI_DOUBLE, 0,
                 MPI_COMM_WORLD, &request);
    finish(request);
    for (size_t i = 0; i < all; ++i) {
        sum += numbers[i];
    }
    free(numbers);
    return sum;
}

static uint64_t sum_ranks(swarm_ranks* ranks, uint64_t own) {
    (void)ranks;
    reduce(&own, 1, MPI_UINT64_T, MPI_SUM);
    return own;
}

static double greatest(swarm_ranks* ranks, double own) {
    (void)ranks;
    reduce(&own, 1, MPI_DOUBLE, MPI_MAX);
    return own;
}

// ---- all of it

swarm_ranks* spread_ranks_make(void) {
    mpi_ranks* m = allocate(1, sizeof *m);
    *m = (mpi_ranks){.call = {.all = all_good,
                              .open = open_world,
                              .close = close_world,
                              .share = share,
                              .give = give,
                              .add = add,
                              .set = set,
                              .collide = collide,
                              .lend = lend,
                              .give_back = give_back,
                              .sum_bodies = sum_bodies,
                              .sum = sum_ranks,
                              .greatest = greatest}};
    MPI_Comm_rank(MPI_COMM_WORLD, &m->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m->ranks);
    m->call.leads = m->rank == 0;
    m->counts = allocate((size_t)m->ranks, sizeof *m->counts);
    m->places = allocate((size_t)m->ranks, sizeof *m->places);
    memset(m->counts, 0, (size_t)m->ranks * sizeof *m->counts);
    memset(m->places, 0, (size_t)m->ranks * sizeof *m->places);
    return &m->call;
}

void spread_ranks_free(swarm_ranks* ranks) {
    mpi_ranks* m = of(ranks);
    free(m->counts);
    free(m->places);
    free(m);
}
