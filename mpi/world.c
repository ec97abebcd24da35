// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Making and destroying worlds, and what all their queries share.
#include "mpi/world.h"

#include <stdlib.h>

#define COOKIE_WORLD 0x57D1u
#define COOKIE_QUERY 0x57D2u

// ---- the allocator of the C library

static void* plain_alloc(void* user, size_t size, size_t alignment) {
    (void)user;
    const size_t rounded = (size + alignment - 1) / alignment * alignment;
    return aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
}

static void plain_free(void* user, void* memory, size_t size, size_t alignment) {
    (void)user;
    (void)size;
    (void)alignment;
    free(memory);
}

// ---- making

abut_world_def abut_world_def_default(void) {
    return (
        abut_world_def){.scene = abut_scene_def_default(), .keep_steps = 4, .cookie = COOKIE_WORLD};
}

abut_world_query_def abut_world_query_def_default(void) {
    return (abut_world_query_def){.cookie = COOKIE_QUERY};
}

static void release(abut_world* world) {
    const abut_allocator memory = world->memory;
    if (world->mail.out != NULL) {
        abut__ghosts_forget(world);
    }
    while (world->owned.count > 0) {
        abut__owned_forget(world, (uint32_t)world->owned.count - 1);
    }
    abut__surfaces_free(world);
    abut_scene_destroy(world->scene);
    abut__shapes_free(world);
    abut__mail_close(world, &world->mail);
    abut__mail_close(world, &world->shape_mail);
    abut__work_free(world);
    abut__table_free(&memory, &world->owned_by_id);
    abut__table_free(&memory, &world->ghost_by_id);
    abut__table_free(&memory, &world->body_by_local);
    abut__discard(&memory, &world->owned);
    abut__discard(&memory, &world->ghosts);
    abut__discard(&memory, &world->own_ids);
    abut__discard(&memory, &world->fresh);
    abut__discard(&memory, &world->aligned);
    abut__parts_free(world);
    abut__discard(&memory, &world->loads);
    abut__discard(&memory, &world->duties);
    abut__discard(&memory, &world->regions.starts);
    if (world->talked != NULL) {
        memory.free(memory.user, world->talked, (size_t)world->ranks, 16);
    }
    memory.free(memory.user, world, sizeof *world, 16);
}

// makes all parts of a world that has its communicator
static abut_status open_parts(abut_world* world, const abut_world_def* def, abut_error* error) {
    const abut_allocator* memory = &world->memory;
    world->shape_mail.of_shapes = true;
    world->talked = memory->alloc(memory->user, (size_t)world->ranks, 16);
    if (world->talked == NULL || !abut__mail_open(world, &world->mail) ||
        !abut__mail_open(world, &world->shape_mail) || !abut__work_open(world) ||
        abut__append(memory, &world->loads, (size_t)world->ranks) == NULL) {
        return abut__fail_world(error, ABUT_ERR_NO_MEMORY, ABUT__ABSENT, "no memory for a world");
    }
    world->scene_def = def->scene;
    memset(world->talked, 0, (size_t)world->ranks);
    memset(world->loads.data, 0, (size_t)world->ranks * sizeof *world->loads.data);
    return abut_scene_create(world->context, &def->scene, &world->scene, error);
}

static abut_status make_world(abut_context* context, const abut_world_def* def, MPI_Comm comm,
                              abut_world** world, abut_error* error) {
    if (context == NULL || def->cookie != COOKIE_WORLD ||
        (def->allocator.alloc == NULL) != (def->allocator.free == NULL)) {
        return abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, ABUT__ABSENT,
                                "context is NULL, or the settings were not made by "
                                "abut_world_def_default()");
    }
    const abut_allocator plain = {plain_alloc, plain_free, NULL};
    const abut_allocator memory = def->allocator.alloc != NULL ? def->allocator : plain;
    abut_world* made = memory.alloc(memory.user, sizeof *made, 16);
    if (made == NULL) {
        return abut__fail_world(error, ABUT_ERR_NO_MEMORY, ABUT__ABSENT, "no memory for a world");
    }
    memset(made, 0, sizeof *made);
    made->context = context;
    made->memory = memory;
    made->comm = comm;
    made->keep_steps = def->keep_steps;
    made->blamed = -1;
    MPI_Comm_rank(comm, &made->rank);
    MPI_Comm_size(comm, &made->ranks);
    const abut_status status = open_parts(made, def, error);
    if (status != ABUT_OK) {
        release(made);
        return status;
    }
    *world = made;
    return ABUT_OK;
}

abut_status abut_world_create(MPI_Comm communicator, abut_context* context,
                              const abut_world_def* def, abut_world** world, abut_error* error) {
    const abut_world_def defaults = abut_world_def_default();
    MPI_Comm comm = MPI_COMM_NULL;
    if (MPI_Comm_dup(communicator, &comm) != MPI_SUCCESS) {
        return abut__fail_world(error, ABUT_ERR_STATE, ABUT__ABSENT,
                                "MPI cannot duplicate the communicator");
    }
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    abut_world* made = NULL;
    abut_error own = {0};
    abut_status status = world != NULL
                             ? make_world(context, def != NULL ? def : &defaults, comm, &made, &own)
                             : abut__fail_world(&own, ABUT_ERR_INVALID_ARGUMENT, ABUT__ABSENT,
                                                "world is NULL");
    // all ranks have one, or none has
    int worst = (int)status;
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, comm);
    if (worst == ABUT_OK) {
        *world = made;
        return ABUT_OK;
    }
    if (made != NULL) {
        release(made);
    }
    MPI_Comm_free(&comm);
    if (status != (abut_status)worst) {
        return abut__fail_world(error, (abut_status)worst, ABUT__ABSENT,
                                "another rank could not make its world");
    }
    if (error != NULL) {
        *error = own;
    }
    return status;
}

void abut_world_destroy(abut_world* world) {
    if (world != NULL) {
        MPI_Comm comm = world->comm;
        release(world);
        MPI_Comm_free(&comm);
    }
}

int abut_world_blamed(const abut_world* world) {
    return world->blamed;
}

// ---- counting

abut_world_stats abut_world_stats_get(const abut_world* world) {
    abut_world_stats stats = world->stats;
    for (int r = 0; r < world->ranks; ++r) {
        stats.neighbours += world->talked[r];
    }
    stats.owned = (uint32_t)world->owned.count;
    stats.held = (uint32_t)world->ghosts.count;
    return stats;
}

void abut_world_stats_clear(abut_world* world) {
    memset(&world->stats, 0, sizeof world->stats);
    memset(world->talked, 0, (size_t)world->ranks);
}

void abut__counters_sum(abut_counters* to, const abut_counters* from) {
    to->boxes_computed += from->boxes_computed;
    to->boxes_tested += from->boxes_tested;
    to->nodes_certified += from->nodes_certified;
    to->blocks_certified += from->blocks_certified;
    to->node_pairs_certified += from->node_pairs_certified;
    to->blocks_evaluated += from->blocks_evaluated;
    to->vertices_evaluated += from->vertices_evaluated;
    to->pairs_adjacent += from->pairs_adjacent;
    to->pairs_filtered += from->pairs_filtered;
    to->exact_tests += from->exact_tests;
    to->exact_fallbacks += from->exact_fallbacks;
    to->pairs_found += from->pairs_found;
    to->pairs_undecided += from->pairs_undecided;
}

// box tests and exact tests, by about what they cost
static uint64_t cost_of(const abut_counters* work) {
    return 16 + work->boxes_tested / 8 + work->exact_tests + 4 * work->blocks_evaluated;
}

static void count_work(abut_world* world, const abut__duty* duty, const abut_counters* work,
                       abut_counters* counters) {
    const uint64_t cost = cost_of(work);
    abut__counters_sum(&world->stats.counters, work);
    ++world->stats.pairs_decided;
    world->load += cost;
    if (counters != NULL) {
        abut__counters_sum(counters, work);
    }
    for (int k = 0; k < 2; ++k) {
        if (duty->owned[k] != ABUT__ABSENT) {
            world->owned.data[duty->owned[k]].work += cost;
        }
    }
}

abut__duty abut__self_duty(const abut_world* world, size_t owned) {
    const abut__owned* body = &world->owned.data[owned];
    return (abut__duty){.id = {body->id, body->id},
                        .local = {body->local, body->local},
                        .owned = {(uint32_t)owned, ABUT__ABSENT}};
}

bool abut__duty_done(abut_world* world, const abut__duty* duty, abut_status status,
                     const abut_error* error, const abut_counters* work, abut_counters* counters) {
    count_work(world, duty, work, counters);
    if (status != ABUT_OK) {
        const bool second = error->body.index == duty->local[1].index;
        abut__trouble_from(world, error, duty->id[second ? 1 : 0]);
    }
    return status == ABUT_OK;
}

// ---- beginning a query

// Two ranks with one id: each id is sent to the rank that it falls to.
static void check_ids(abut_world* world) {
    abut__mail* mail = &world->mail;
    abut__table seen = {0};
    abut__ghosts_forget(world);
    abut__mail_begin(world, mail);
    for (size_t i = 0; i < world->owned.count; ++i) {
        const uint32_t id = world->owned.data[i].id;
        abut__mail_value(world, mail, (int)(id % (uint32_t)world->ranks), id);
    }
    abut__mail_exchange(world, mail);
    for (int r = 0; r < world->ranks; ++r) {
        abut__reading in = abut__reading_of(&mail->in[r]);
        while (in.at != in.end && world->trouble.status == ABUT_OK) {
            uint32_t id = 0;
            abut__read_value(&in, &id);
            const uint32_t other = abut__table_find(&seen, id);
            if (in.bad || id % (uint32_t)world->ranks != (uint32_t)world->rank) {
                abut__trouble(world, ABUT_ERR_INVALID_DATA, ABUT__ABSENT,
                              "ids of rank %d are damaged", r);
            } else if (other != ABUT__ABSENT) {
                abut__trouble(world, ABUT_ERR_INVALID_ARGUMENT, id,
                              "ranks %u and %d both have a body %u", other, r, id);
            } else if (!abut__table_set(&world->memory, &seen, id, (uint32_t)r)) {
                abut__trouble(world, ABUT_ERR_NO_MEMORY, id, "no memory for ids");
            }
        }
    }
    abut__table_free(&world->memory, &seen);
}

abut_status abut__call_open(abut_world* world, uint64_t settings, abut_error* error) {
    bool added = world->added;
    abut_status status = abut__call_begin(world, settings, &added, error);
    if (status == ABUT_OK && added) {
        check_ids(world);
        status = abut__agree(world, NULL, error);
        world->added = status != ABUT_OK;
    }
    return status;
}

abut_status abut__query_begin(abut_world* world, const abut_world_query_def** query,
                              abut_world_answer* answer, const char* refusal, uint64_t settings,
                              abut_error* error) {
    static const abut_world_query_def defaults = {.cookie = COOKIE_QUERY};
    if (world == NULL) {
        return abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, ABUT__ABSENT, "world is NULL");
    }
    world->trouble.status = ABUT_OK;
    world->exchanges = 0;
    world->load = 0;
    *query = *query != NULL ? *query : &defaults;
    if (answer == NULL || answer->world != world) {
        abut__trouble(world, ABUT_ERR_INVALID_ARGUMENT, ABUT__ABSENT,
                      "the answer is NULL or belongs to another world");
    } else if ((*query)->cookie != COOKIE_QUERY || (*query)->root < 0 ||
               (*query)->root >= world->ranks ||
               (unsigned)(*query)->placement > ABUT_WORLD_DISTRIBUTED) {
        abut__trouble(world, ABUT_ERR_INVALID_ARGUMENT, ABUT__ABSENT,
                      "the settings of the query in a world are wrong");
    } else if (refusal != NULL) {
        abut__trouble(world, ABUT_ERR_INVALID_ARGUMENT, ABUT__ABSENT, "%s", refusal);
    }
    if (answer != NULL) {
        answer->sorted.count = 0;
    }
    const uint64_t placed = (uint64_t)(*query)->placement << 32 | (uint32_t)(*query)->root;
    return abut__call_open(world, settings ^ abut__hash_bytes(&placed, sizeof placed, 7), error);
}

// ---- filters

static bool pass_globally(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                          uint32_t triangle_b) {
    const abut__global_filter* filter = user;
    const uint32_t a = abut__id_of_local(filter->world, body_a);
    const uint32_t b = abut__id_of_local(filter->world, body_b);
    if (b < a) {
        return filter->filter.fn(filter->filter.user, b, triangle_b, a, triangle_a);
    }
    return filter->filter.fn(filter->filter.user, a, triangle_a, b, triangle_b);
}

abut_filter abut__filter_globally(abut__global_filter* filter) {
    return filter->filter.fn != NULL ? (abut_filter){pass_globally, filter} : filter->filter;
}
