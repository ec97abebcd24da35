// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Worlds against plain scenes: random crowds move, some ranks own what others need, owners change, and
// all queries give the bytes and the exact tests of a scene in one process. Run by mpirun with any number
// of ranks. The seed of each crowd is printed if it fails.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crowd.h"

#define STEPS 6

static int failures;

static void must(abut_status status, const abut_error* error, const char* what) {
    if (status != ABUT_OK) {
        fprintf(stderr, "%s: %s: %s\n", what, abut_status_text(status), error->message);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

// One answer: the rows of this rank's part or of the whole.
typedef struct rows {
    const void* data;
    size_t count;
} rows;

// Brings the parts of a distributed list to rank 0, in the order of ranks.
static rows join_parts(rows part, size_t size) {
    int ranks;
    int rank;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int* counts = calloc((size_t)ranks, sizeof *counts);
    int* places = calloc((size_t)ranks, sizeof *places);
    const int own = (int)(part.count * size);
    int total = 0;
    MPI_Gather(&own, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; ++r) {
        places[r] = total;
        total += counts[r];
    }
    static void* all;
    all = realloc(all, (size_t)total + 1);
    MPI_Gatherv(part.data, own, MPI_BYTE, all, counts, places, MPI_BYTE, 0, MPI_COMM_WORLD);
    free(counts);
    free(places);
    return (rows){all, (size_t)total / size};
}

// names the first row that differs
static void show_first(rows plain, rows world, size_t size, const crowd* c) {
    for (size_t i = 0; i < plain.count && i < world.count; ++i) {
        const uint32_t* x = (const void*)((const char*)plain.data + i * size);
        const uint32_t* y = (const void*)((const char*)world.data + i * size);
        if (memcmp(x, y, size) != 0) {
            size_t at = 0;
            while (((const char*)x)[at] == ((const char*)y)[at]) {
                ++at;
            }
            fprintf(stderr,
                    "  row %zu: %u %u %u %u, not %u %u %u %u; byte %zu differs; kinds %u %u\n", i,
                    y[0], y[1], y[2], y[3], x[0], x[1], x[2], x[3], at, c->kind[x[0]],
                    c->kind[x[1]]);
            return;
        }
    }
}

static void check(const char* what, uint64_t seed, int step, rows plain, rows world, size_t size,
                  uint64_t plain_tests, uint64_t own_tests, const crowd* c, bool tests) {
    uint64_t sum = own_tests;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (c->rank != 0) {
        return;
    }
    const bool same = plain.count == world.count &&
                      (plain.count == 0 || memcmp(plain.data, world.data, plain.count * size) == 0);
    if (!same || (tests && sum != plain_tests)) {
        ++failures;
        fprintf(
            stderr,
            "seed %llu, step %d, %s: %zu rows, %zu in the plain scene%s; %llu exact tests, %llu "
            "in the plain scene\n",
            (unsigned long long)seed, step, what, world.count, plain.count,
            same ? "" : ", which differ", (unsigned long long)sum, (unsigned long long)plain_tests);
        show_first(plain, world, size, c);
    }
}

// All results of a run.
typedef struct results {
    abut_collide_result* collide;
    abut_sweep_result* sweep;
    abut_within_result* within;
    abut_nearest_result* nearest;
    abut_proxies_result* proxies;
    abut_world_answer* answer;
} results;

static bool pick(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                 uint32_t triangle_b) {
    (void)user;
    return (body_a + triangle_a + 3 * body_b + triangle_b) % 3 != 0;
}

static uint64_t found;  // rows in all

static void finish(crowd* c, const char* what, uint64_t seed, int step, rows plain, rows world,
                   size_t size, const abut_counters* one, const abut_counters* own,
                   const abut_world_query_def* query) {
    if (query->placement == ABUT_WORLD_DISTRIBUTED) {
        world = join_parts(world, size);
    }
    found += plain.count;
    // proofs of self queries of cloths depend on earlier ones, and a body may change its owner
    const bool self = strstr(what, "self") != NULL;
    check(what, seed, step, plain, world, size, one->exact_tests, own->exact_tests, c,
          c->cloth == 0 || !self);
}

static void ask_collide(crowd* c, results* r, uint64_t seed, int step, bool self, bool margin,
                        bool filtered, const abut_world_query_def* query) {
    abut_error error;
    abut_counters one = {0};
    abut_counters own = {0};
    abut_collide_def def = abut_collide_def_default();
    def.margin = margin ? 0.05 : 0;
    def.filter.fn = filtered ? pick : NULL;
    def.include_neighbours = self && filtered;
    def.head.counters = &one;
    rows plain = {0};
    if (c->rank == 0) {
        must((self ? abut_collide_self_all : abut_collide_all)(c->scene, &def, r->collide, &error),
             &error, "collide");
        plain.data = abut_collide_result_pairs(r->collide, &plain.count);
    }
    def.head.counters = &own;
    must((self ? abut_world_collide_self_all : abut_world_collide_all)(c->world, &def, query,
                                                                       r->answer, &error),
         &error, "world collide");
    rows world = {0};
    world.data = abut_world_answer_pairs(r->answer, &world.count);
    finish(c, self ? "self" : "collide", seed, step, plain, world, sizeof(abut_pair), &one, &own,
           query);
}

static void ask_sweep(crowd* c, results* r, uint64_t seed, int step, bool self, bool margin,
                      const abut_world_query_def* query) {
    for (uint32_t i = 0; i < c->count; ++i) {
        if (c->planned[i]) {
            return;  // a body without a previous state
        }
    }
    abut_error error;
    abut_counters one = {0};
    abut_counters own = {0};
    abut_sweep_def def = abut_sweep_def_default();
    def.margin = margin ? 0.03 : 0;
    def.head.counters = &one;
    rows plain = {0};
    if (c->rank == 0) {
        must((self ? abut_sweep_self_all : abut_sweep_all)(c->scene, &def, r->sweep, &error),
             &error, "sweep");
        plain.data = abut_sweep_result_pairs(r->sweep, &plain.count);
    }
    def.head.counters = &own;
    must((self ? abut_world_sweep_self_all : abut_world_sweep_all)(c->world, &def, query, r->answer,
                                                                   &error),
         &error, "world sweep");
    rows world = {0};
    world.data = abut_world_answer_sweeps(r->answer, &world.count);
    finish(c, self ? "sweep self" : "sweep", seed, step, plain, world, sizeof(abut_sweep_pair),
           &one, &own, query);
}

static void ask_within(crowd* c, results* r, uint64_t seed, int step,
                       const abut_world_query_def* query) {
    abut_error error;
    abut_counters one = {0};
    abut_counters own = {0};
    abut_within_def def = abut_within_def_default();
    def.distance = 0.04;
    def.head.counters = &one;
    rows plain = {0};
    if (c->rank == 0) {
        must(abut_within_all(c->scene, &def, r->within, &error), &error, "within");
        plain.data = abut_within_result_pairs(r->within, &plain.count);
    }
    def.head.counters = &own;
    must(abut_world_within_all(c->world, &def, query, r->answer, &error), &error, "world within");
    rows world = {0};
    world.data = abut_world_answer_distances(r->answer, &world.count);
    finish(c, "within", seed, step, plain, world, sizeof(abut_distance_pair), &one, &own, query);
}

static void ask_nearest(crowd* c, results* r, uint64_t seed, int step, bool limited,
                        const abut_world_query_def* query) {
    abut_error error;
    abut_nearest_def def = abut_nearest_def_default();
    def.max_distance = limited ? 0.1 : def.max_distance;
    rows plain = {0};
    if (c->rank == 0) {
        must(abut_nearest_all(c->scene, &def, r->nearest, &error), &error, "nearest");
        plain.data = abut_nearest_result_pairs(r->nearest, &plain.count);
    }
    must(abut_world_nearest_all(c->world, &def, query, r->answer, &error), &error, "world nearest");
    rows world = {0};
    world.data = abut_world_answer_distances(r->answer, &world.count);
    // the plain scene searches in another order: only rows are compared
    const abut_counters none = {0};
    finish(c, "nearest", seed, step, plain, world, sizeof(abut_distance_pair), &none, &none, query);
}

static void ask_proxies(crowd* c, results* r, uint64_t seed, int step, bool margin,
                        const abut_world_query_def* query) {
    abut_error error;
    abut_counters one = {0};
    abut_counters own = {0};
    abut_proxies_def def = abut_proxies_def_default();
    def.margin = margin ? 0.2 : 0;
    def.head.counters = &one;
    rows plain = {0};
    if (c->rank == 0) {
        must(abut_proxies_all(c->scene, &def, r->proxies, &error), &error, "proxies");
        plain.data = abut_proxies_result_pairs(r->proxies, &plain.count);
    }
    def.head.counters = &own;
    must(abut_world_proxies_all(c->world, &def, query, r->answer, &error), &error, "world proxies");
    rows world = {0};
    world.data = abut_world_answer_proxies(r->answer, &world.count);
    // compared are tests of spheres
    one.exact_tests = one.boxes_tested;
    own.exact_tests = own.boxes_tested;
    finish(c, "proxies", seed, step, plain, world, sizeof(abut_proxy_pair), &one, &own, query);
}

// Memory of zeros for the library, if ABUT_TEST_ZEROS is set: valgrind takes lanes that a mask replaces for
// uninitialised. Memory of worlds, whose bytes are sent, stays as it is.
static void* zeros_alloc(void* user, size_t size, size_t alignment) {
    (void)user;
    const size_t rounded = (size + alignment - 1) / alignment * alignment;
    void* memory = aligned_alloc(alignment, rounded);
    return memory != NULL ? memset(memory, 0, rounded) : NULL;
}

static void zeros_free(void* user, void* memory, size_t size, size_t alignment) {
    (void)user;
    (void)size;
    (void)alignment;
    free(memory);
}

static uint64_t parts;  // that were sent

static void run_crowd(uint64_t seed, uint32_t cloth) {
    crowd c;
    results r = {0};
    abut_error error;
    const bool plans = seed % 2 == 0;
    const abut_allocator zeros = {zeros_alloc, zeros_free, NULL};
    crowd_open(&c, MPI_COMM_WORLD, seed, seed % 3 == 0, cloth, NULL,
               getenv("ABUT_TEST_ZEROS") != NULL ? &zeros : NULL);
    c.plans = plans;
    must(abut_collide_result_create(c.context, &r.collide, &error), &error, "result");
    must(abut_sweep_result_create(c.context, &r.sweep, &error), &error, "result");
    must(abut_within_result_create(c.context, &r.within, &error), &error, "result");
    must(abut_nearest_result_create(c.context, &r.nearest, &error), &error, "result");
    must(abut_proxies_result_create(c.context, &r.proxies, &error), &error, "result");
    must(abut_world_answer_create(c.world, &r.answer, &error), &error, "answer");
    for (int step = 0; step < STEPS; ++step) {
        abut_world_query_def query = abut_world_query_def_default();
        query.placement = crowd_draw(&c, 2) == 0 ? ABUT_WORLD_GATHERED : ABUT_WORLD_DISTRIBUTED;
        const bool margin = crowd_draw(&c, 3) == 0;
        const bool filtered = crowd_draw(&c, 4) == 0;
        if (crowd_draw(&c, 3) == 0) {
            must(abut_world_balance(c.world, &error), &error, "balance");
        }
        if (crowd_draw(&c, 4) != 0) {
            ask_collide(&c, &r, seed, step, false, margin, filtered, &query);
        }
        switch (crowd_draw(&c, 6)) {
            case 0: ask_sweep(&c, &r, seed, step, false, margin, &query); break;
            case 1: ask_within(&c, &r, seed, step, &query); break;
            case 2: ask_collide(&c, &r, seed, step, true, margin, filtered, &query); break;
            case 3: ask_sweep(&c, &r, seed, step, true, margin, &query); break;
            case 4: ask_nearest(&c, &r, seed, step, margin, &query); break;
            default: break;
        }
        ask_proxies(&c, &r, seed, step, margin, &query);
        crowd_step(&c);
    }
    parts += abut_world_stats_get(c.world).parts_sent;
    abut_world_answer_destroy(r.answer);
    abut_collide_result_destroy(r.collide);
    abut_sweep_result_destroy(r.sweep);
    abut_within_result_destroy(r.within);
    abut_nearest_result_destroy(r.nearest);
    abut_proxies_result_destroy(r.proxies);
    crowd_close(&c);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    alarm(240);  // a rank that waits for ever ends all of them
    const char* effort = getenv("ABUT_TEST_EFFORT");
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 13;
    const uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10)
                           : effort != NULL && strcmp(effort, "quick") == 0 ? 4
                           : effort != NULL && strcmp(effort, "long") == 0  ? 100
                                                                            : 12;
    const uint64_t cloths = argc > 3 ? strtoull(argv[3], NULL, 10) : (seeds + 3) / 4;
    for (uint64_t seed = first; seed < first + seeds; ++seed) {
        run_crowd(seed, 0);
    }
    // the same with cloths, of which other ranks need parts
    for (uint64_t seed = first + 1; seed <= first + cloths; ++seed) {
        run_crowd(seed, seed % 4 == 0 ? 33 : 21);
    }
    MPI_Allreduce(MPI_IN_PLACE, &parts, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%llu crowds, %llu rows, %llu parts of cloths, %d differences\n",
               (unsigned long long)(seeds + cloths), (unsigned long long)found,
               (unsigned long long)parts, failures);
    }
    MPI_Bcast(&failures, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return failures == 0 ? 0 : 1;
}
