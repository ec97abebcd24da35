// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Surfaces that ranks own together against the same mesh in one process: random meshes, cuts, motions and
// queries give the same bytes, and
// the memory of a rank grows with its piece alone. Run by mpirun with any number of ranks. The seed is printed if it fails.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sabotage.h"
#include "sheet.h"

#define STEPS 5

static int failures;
static uint64_t found;

static void must(abut_status status, const abut_error* error, const char* what) {
    if (status != ABUT_OK) {
        fprintf(stderr, "%s: %s: %s\n", what, abut_status_text(status), error->message);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

typedef struct rows {
    const void* data;
    size_t count;
} rows;

// Brings the parts of a distributed list to rank 0, in the order of ranks.
static rows join_parts(const sheet* s, rows part, size_t size) {
    int* counts = calloc((size_t)s->ranks, sizeof *counts);
    int* places = calloc((size_t)s->ranks, sizeof *places);
    const int own = (int)(part.count * size);
    int total = 0;
    MPI_Gather(&own, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; r < s->ranks; ++r) {
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

// compares with the rows of the plain scene, whose body gets the surface's id
static void compare(const sheet* s, const char* what, int step, rows plain, rows world, size_t size,
                    const abut_world_query_def* query) {
    if (query->placement == ABUT_WORLD_DISTRIBUTED) {
        world = join_parts(s, world, size);
    }
    if (s->rank != 0) {
        return;
    }
    found += plain.count;
    size_t same = 0;
    char* row = malloc(size);
    const uint32_t bodies[2] = {SHEET_ID, SHEET_ID};
    for (; same < plain.count && same < world.count; ++same) {
        memcpy(row, (const char*)plain.data + same * size, size);
        memcpy(row, bodies, sizeof bodies);
        if (memcmp(row, (const char*)world.data + same * size, size) != 0) {
            break;
        }
    }
    if (same < plain.count || same < world.count) {
        ++failures;
        fprintf(stderr, "seed %llu, step %d, %s: %zu rows, %zu in the plain scene, %zu equal\n",
                (unsigned long long)s->seed, step, what, world.count, plain.count, same);
        const uint32_t* x = (const void*)((const char*)plain.data + same * size);
        const uint32_t* y = (const void*)((const char*)world.data + same * size);
        if (same < plain.count && same < world.count) {
            fprintf(stderr, "  triangles %u %u, not %u %u\n", y[2], y[3], x[2], x[3]);
        }
    }
    free(row);
}

typedef struct results {
    abut_collide_result* collide;
    abut_sweep_result* sweep;
    abut_within_result* within;
    abut_world_answer* answer;
} results;

static bool pick(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                 uint32_t triangle_b) {
    (void)user;
    return body_a == body_b && triangle_a < triangle_b && (triangle_a + 2 * triangle_b) % 3 != 0;
}

static void ask_collide(sheet* s, results* r, int step, bool margin, bool filtered,
                        const abut_world_query_def* query) {
    abut_error error;
    abut_collide_def def = abut_collide_def_default();
    def.margin = margin ? 0.2 * s->size : 0;
    def.filter.fn = filtered ? pick : NULL;
    def.include_neighbours = sheet_draw(s, 3) == 0;
    rows plain = {0};
    if (s->rank == 0) {
        must(abut_collide_self(s->scene, s->body, &def, r->collide, &error), &error, "collide");
        plain.data = abut_collide_result_pairs(r->collide, &plain.count);
    }
    must(abut_world_collide_surface(s->world, SHEET_ID, &def, query, r->answer, &error), &error,
         "world collide");
    rows world = {0};
    world.data = abut_world_answer_pairs(r->answer, &world.count);
    compare(s, "collide", step, plain, world, sizeof(abut_pair), query);
}

static void ask_within(sheet* s, results* r, int step, bool filtered,
                       const abut_world_query_def* query) {
    abut_error error;
    abut_within_def def = abut_within_def_default();
    def.distance = 0.3 * s->size;
    def.filter.fn = filtered ? pick : NULL;
    rows plain = {0};
    if (s->rank == 0) {
        must(abut_within_self(s->scene, s->body, &def, r->within, &error), &error, "within");
        plain.data = abut_within_result_pairs(r->within, &plain.count);
    }
    must(abut_world_within_surface(s->world, SHEET_ID, &def, query, r->answer, &error), &error,
         "world within");
    rows world = {0};
    world.data = abut_world_answer_distances(r->answer, &world.count);
    compare(s, "within", step, plain, world, sizeof(abut_distance_pair), query);
}

static void ask_sweep(sheet* s, results* r, int step, bool margin, bool filtered,
                      const abut_world_query_def* query) {
    abut_error error;
    abut_sweep_def def = abut_sweep_def_default();
    def.margin = margin ? 0.05 * s->size : 0;
    def.tolerance = sheet_draw(s, 3) == 0 ? 0.01 : def.tolerance;
    def.filter.fn = filtered ? pick : NULL;
    rows plain = {0};
    if (s->rank == 0) {
        must(abut_sweep_self(s->scene, s->body, &def, r->sweep, &error), &error, "sweep");
        plain.data = abut_sweep_result_pairs(r->sweep, &plain.count);
    }
    must(abut_world_sweep_surface(s->world, SHEET_ID, &def, query, r->answer, &error), &error,
         "world sweep");
    rows world = {0};
    world.data = abut_world_answer_sweeps(r->answer, &world.count);
    compare(s, "sweep", step, plain, world, sizeof(abut_sweep_pair), query);
}

static void thicken(sheet* s) {
    abut_error error;
    const double thickness = 0.1 * s->size * sheet_draw(s, 3);
    must(abut_world_set_surface_thickness(s->world, SHEET_ID, thickness, &error), &error,
         "thickness");
    must(abut_body_set_thickness(s->scene, s->body, thickness, &error), &error, "thickness");
}

static void run_sheet(uint64_t seed, uint32_t triangles) {
    sheet s;
    results r = {0};
    abut_error error;
    // valgrind wants memory of zeros
    limited_memory memory = {-1, true};
    const abut_allocator zeros = limited_hooks(&memory);
    sheet_open(&s, MPI_COMM_WORLD, seed, triangles, NULL,
               getenv("ABUT_TEST_ZEROS") != NULL ? &zeros : NULL, true);
    must(abut_collide_result_create(s.context, &r.collide, &error), &error, "result");
    must(abut_sweep_result_create(s.context, &r.sweep, &error), &error, "result");
    must(abut_within_result_create(s.context, &r.within, &error), &error, "result");
    must(abut_world_answer_create(s.world, &r.answer, &error), &error, "answer");
    for (int step = 0; step < STEPS; ++step) {
        abut_world_query_def query = abut_world_query_def_default();
        query.placement = sheet_draw(&s, 2) == 0 ? ABUT_WORLD_GATHERED : ABUT_WORLD_DISTRIBUTED;
        const bool margin = sheet_draw(&s, 3) == 0;
        const bool filtered = sheet_draw(&s, 4) == 0;
        if (sheet_draw(&s, 5) == 0) {
            must(abut_world_balance(s.world, &error), &error, "balance");
        }
        if (sheet_draw(&s, 2) == 0) {
            thicken(&s);
        }
        if (sheet_draw(&s, 3) != 0) {
            ask_collide(&s, &r, step, margin, filtered, &query);
        }
        if (sheet_draw(&s, 2) == 0) {
            ask_sweep(&s, &r, step, margin, filtered, &query);
        }
        if (sheet_draw(&s, 3) == 0) {
            ask_within(&s, &r, step, filtered, &query);
        }
        sheet_step(&s);
    }
    if (seed % 2 == 0) {
        must(abut_world_remove_surface(s.world, SHEET_ID, &error), &error, "remove");
    }
    abut_world_answer_destroy(r.answer);
    abut_collide_result_destroy(r.collide);
    abut_sweep_result_destroy(r.sweep);
    abut_within_result_destroy(r.within);
    sheet_close(&s);
}

// ---- memory

typedef struct tally {
    size_t now;
    size_t most;
} tally;

static void* counted_alloc(void* user, size_t size, size_t alignment) {
    tally* t = user;
    t->now += size;
    t->most = t->now > t->most ? t->now : t->most;
    const size_t whole = (size + alignment) / alignment * alignment;
    return memset(aligned_alloc(alignment, whole), 0, whole);  // of zeros, for valgrind
}

static void counted_free(void* user, void* memory, size_t size, size_t alignment) {
    (void)alignment;
    ((tally*)user)->now -= size;
    free(memory);
}

// a strip of a flat cloth of `columns` quads across and `length` quads along for each rank
static void add_strip(abut_world* world, int rank, uint32_t columns, uint32_t length,
                      abut_error* error) {
    const uint32_t side = columns + 1;
    const uint32_t count = side * (length + 1);
    float(*xyz)[3] = calloc(count, sizeof *xyz);
    uint32_t* ids = calloc(count, sizeof *ids);
    uint32_t* corners = calloc((size_t)6 * columns * length, sizeof *corners);
    uint32_t* triangles = calloc((size_t)2 * columns * length, sizeof *triangles);
    abut_surface_def def = abut_surface_def_default();
    for (uint32_t i = 0; i < count; ++i) {
        ids[i] = (uint32_t)rank * length * side + i;
        xyz[i][0] = (float)(ids[i] % side);
        xyz[i][1] = (float)(ids[i] / side);
    }
    for (uint32_t q = 0; q < columns * length; ++q) {
        const uint32_t at = q / columns * side + q % columns;
        const uint32_t quad[6] = {at, at + 1, at + side, at + side, at + 1, at + side + 1};
        memcpy(corners + (size_t)6 * q, quad, sizeof quad);
        triangles[2 * q] = 2 * ((uint32_t)rank * length * columns + q);
        triangles[2 * q + 1] = triangles[2 * q] + 1;
    }
    def.positions = abut_positions_f32(&xyz[0][0], count);
    def.vertex_ids = ids;
    def.triangles = corners;
    def.triangle_ids = triangles;
    def.triangle_count = (size_t)2 * columns * length;
    must(abut_world_add_surface(world, SHEET_ID, &def, error), error, "surface");
    free(xyz);
    free(ids);
    free(corners);
    free(triangles);
}

// Every rank has a strip of the same size, so its memory must not grow with the number of ranks, beyond what
// it meets: at most two other strips.
static void test_memory(int rank) {
    const uint32_t columns = 60;
    const uint32_t length = 100;
    static tally memory;
    abut_error error;
    abut_context* context = NULL;
    abut_world* world = NULL;
    abut_world_answer* answer = NULL;
    abut_context_def settings = abut_context_def_default();
    abut_world_def def = abut_world_def_default();
    def.allocator = settings.allocator = (abut_allocator){counted_alloc, counted_free, &memory};
    must(abut_context_create(&settings, &context, &error), &error, "context");
    must(abut_world_create(MPI_COMM_WORLD, context, &def, &world, &error), &error, "world");
    must(abut_world_answer_create(world, &answer, &error), &error, "answer");
    add_strip(world, rank, columns, length, &error);
    for (int step = 0; step < 3; ++step) {
        must(abut_world_collide_surface(world, SHEET_ID, NULL, NULL, answer, &error), &error,
             "collide");
        must(abut_world_sweep_surface(world, SHEET_ID, NULL, NULL, answer, &error), &error,
             "sweep");
    }
    const size_t own = (size_t)2 * columns * length;
    // a piece, its border, lists of messages and the scene
    const size_t most = own * 350 + ((size_t)1 << 18);
    if (memory.most > most) {
        fprintf(stderr, "rank %d: %zu bytes for %zu triangles\n", rank, memory.most, own);
        ++failures;
    }
    abut_world_answer_destroy(answer);
    abut_world_destroy(world);
    abut_context_destroy(context);
    if (memory.now != 0) {
        fprintf(stderr, "rank %d: %zu bytes are lost\n", rank, memory.now);
        ++failures;
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    alarm(240);  // a rank that waits for ever ends all of them
    const char* effort = getenv("ABUT_TEST_EFFORT");
    const bool quick = effort != NULL && strcmp(effort, "quick") == 0;
    const bool whole = effort != NULL && strcmp(effort, "long") == 0;
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : quick ? 1 : 18;
    const uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : quick ? 4 : whole ? 100 : 6;
    for (uint64_t seed = first; seed < first + seeds; ++seed) {
        run_sheet(seed, seed % 5 == 0   ? (quick   ? 1500
                                           : whole ? 12000
                                                   : 4000)
                        : seed % 2 == 0 ? 700
                                        : 130);
    }
    test_memory(rank);
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%llu surfaces, %llu rows, %d differences\n", (unsigned long long)seeds,
               (unsigned long long)found, failures);
    }
    MPI_Finalize();
    return failures == 0 ? 0 : 1;
}
