// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two large sheets of two ranks that come near each other at a corner. Other ranks get only the parts of
// them that can be reached: a small share of the bytes of whole sheets, and nothing for a query that
// needs no more than the one before. Rows and exact tests are those of a plain scene.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sabotage.h"

#define SIDE 81
#define VERTICES (SIDE * SIDE)
#define TRIANGLES (2 * (SIDE - 1) * (SIDE - 1))

static int rank;
static int ranks;
static int failures;

#define EXPECT(condition, ...)                      \
    do {                                            \
        if (!(condition)) {                         \
            ++failures;                             \
            fprintf(stderr, "rank %d: ", rank);     \
            fprintf(stderr, __VA_ARGS__);           \
            fprintf(stderr, " (%s)\n", #condition); \
        }                                           \
    } while (0)

static void must(abut_status status, const abut_error* error) {
    if (status != ABUT_OK) {
        fprintf(stderr, "%s: %s\n", abut_status_text(status), error->message);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

// The sheets in a world and in a plain scene, and the answers of both.
typedef struct sheets {
    abut_context* context;
    abut_world* world;
    abut_scene* scene;
    abut_body_id bodies[2];
    abut_world_answer* answer;
    abut_collide_result* collide;
    abut_within_result* within;
    abut_sweep_result* sweep;
    abut_nearest_result* nearest;
    double lift;  // of the second sheet
} sheets;

static abut_shape* make_shape(const sheets* s) {
    static double rest[VERTICES][3];
    static uint32_t triangles[TRIANGLES][3];
    uint32_t at = 0;
    for (uint32_t i = 0; i < VERTICES; ++i) {
        rest[i][0] = (double)(i % SIDE) / (SIDE - 1);
        rest[i][1] = (double)(i / SIDE) / (SIDE - 1);
    }
    for (uint32_t i = 0; i < (SIDE - 1) * SIDE; ++i) {
        if (i % SIDE + 1 < SIDE) {
            memcpy(triangles[at++], (uint32_t[3]){i, i + 1, i + SIDE}, sizeof *triangles);
            memcpy(triangles[at++], (uint32_t[3]){i + 1, i + SIDE + 1, i + SIDE},
                   sizeof *triangles);
        }
    }
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(rest[0], VERTICES);
    def.triangles = triangles[0];
    def.triangle_count = TRIANGLES;
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    abut_error error;
    must(abut_mesh_create(s->context, &def, &mesh, &error), &error);
    must(abut_shape_create(s->context, mesh, NULL, &shape, &error), &error);
    abut_mesh_destroy(mesh);
    return shape;
}

static bool owns(const sheets* s, uint32_t id) {
    size_t count = 0;
    const uint32_t* ids = abut_world_bodies(s->world, &count);
    bool found = false;
    for (size_t i = 0; i < count; ++i) {
        found = found || ids[i] == id;
    }
    return found;
}

// the second sheet is above a corner of the first, in another phase of the same waves
static void move_sheet(sheets* s, uint32_t id, double time) {
    static float positions[VERTICES][3];
    abut_error error;
    for (uint32_t i = 0; i < VERTICES; ++i) {
        const double x = (double)(i % SIDE) / (SIDE - 1);
        const double y = (double)(i / SIDE) / (SIDE - 1);
        positions[i][0] = (float)(x + (id == 1 ? 0.96 : 0));
        positions[i][1] = (float)(y + (id == 1 ? 0.96 : 0));
        positions[i][2] = (float)(0.0005 * sin(9 * x + time) + (id == 1 ? s->lift : 0));
    }
    const abut_positions view = abut_positions_f32(positions[0], VERTICES);
    must(abut_body_set_positions(s->scene, s->bodies[id], view, &error), &error);
    if (owns(s, id)) {
        must(abut_world_set_positions(s->world, id, view, &error), &error);
    }
}

static void open_sheets(sheets* s, int first_owner, int second_owner, double lift,
                        const double thickness[2]) {
    const int owners[2] = {first_owner, second_owner};
    abut_error error;
    abut_shape_name name;
    memset(s, 0, sizeof *s);
    s->lift = lift;
    must(abut_context_create(NULL, &s->context, &error), &error);
    must(abut_world_create(MPI_COMM_WORLD, s->context, NULL, &s->world, &error), &error);
    must(abut_scene_create(s->context, NULL, &s->scene, &error), &error);
    must(abut_world_add_shape(s->world, make_shape(s), &name, &error), &error);
    abut_body_def def = abut_body_def_default();
    def.keeps_tree = true;
    for (uint32_t id = 0; id < 2; ++id) {
        if (owners[id] == rank) {
            must(abut_world_add_body(s->world, id, name, NULL, &error), &error);
            must(abut_world_set_thickness(s->world, id, thickness[id], &error), &error);
        }
        must(abut_body_create(s->scene, abut_world_shape(s->world, name), &def, &s->bodies[id],
                              &error),
             &error);
        must(abut_body_set_steady(s->scene, s->bodies[id], true, &error), &error);
        must(abut_body_set_thickness(s->scene, s->bodies[id], thickness[id], &error), &error);
        move_sheet(s, id, 0);
    }
    must(abut_world_answer_create(s->world, &s->answer, &error), &error);
    must(abut_collide_result_create(s->context, &s->collide, &error), &error);
    must(abut_within_result_create(s->context, &s->within, &error), &error);
    must(abut_sweep_result_create(s->context, &s->sweep, &error), &error);
    must(abut_nearest_result_create(s->context, &s->nearest, &error), &error);
}

static void close_sheets(sheets* s) {
    abut_world_answer_destroy(s->answer);
    abut_collide_result_destroy(s->collide);
    abut_within_result_destroy(s->within);
    abut_sweep_result_destroy(s->sweep);
    abut_nearest_result_destroy(s->nearest);
    abut_scene_destroy(s->scene);
    abut_world_destroy(s->world);
    abut_context_destroy(s->context);
}

// ---- queries

typedef enum query { COLLIDE, WITHIN, SWEEP, NEAREST } query;

static const void* ask_plain(sheets* s, query which, double margin, abut_counters* work,
                             size_t* count) {
    abut_collide_def collide = abut_collide_def_default();
    abut_within_def within = abut_within_def_default();
    abut_sweep_def sweep = abut_sweep_def_default();
    abut_error error;
    collide.margin = within.distance = sweep.margin = margin;
    collide.head.counters = within.head.counters = sweep.head.counters = work;
    switch (which) {
        case COLLIDE:
            must(abut_collide_all(s->scene, &collide, s->collide, &error), &error);
            return abut_collide_result_pairs(s->collide, count);
        case WITHIN:
            must(abut_within_all(s->scene, &within, s->within, &error), &error);
            return abut_within_result_pairs(s->within, count);
        case SWEEP:
            must(abut_sweep_all(s->scene, &sweep, s->sweep, &error), &error);
            return abut_sweep_result_pairs(s->sweep, count);
        default:
            must(abut_nearest_all(s->scene, NULL, s->nearest, &error), &error);
            return abut_nearest_result_pairs(s->nearest, count);
    }
}

static const void* ask_world(sheets* s, query which, double margin, abut_counters* work,
                             size_t* count) {
    abut_collide_def collide = abut_collide_def_default();
    abut_within_def within = abut_within_def_default();
    abut_sweep_def sweep = abut_sweep_def_default();
    abut_error error;
    collide.margin = within.distance = sweep.margin = margin;
    collide.head.counters = within.head.counters = sweep.head.counters = work;
    switch (which) {
        case COLLIDE:
            must(abut_world_collide_all(s->world, &collide, NULL, s->answer, &error), &error);
            return abut_world_answer_pairs(s->answer, count);
        case WITHIN:
            must(abut_world_within_all(s->world, &within, NULL, s->answer, &error), &error);
            return abut_world_answer_distances(s->answer, count);
        case SWEEP:
            must(abut_world_sweep_all(s->world, &sweep, NULL, s->answer, &error), &error);
            return abut_world_answer_sweeps(s->answer, count);
        default:
            must(abut_world_nearest_all(s->world, NULL, NULL, s->answer, &error), &error);
            return abut_world_answer_distances(s->answer, count);
    }
}

// Compares an answer with that of the plain scene. Returns the number of rows.
static size_t ask(sheets* s, query which, double margin) {
    static const size_t sizes[4] = {sizeof(abut_pair), sizeof(abut_distance_pair),
                                    sizeof(abut_sweep_pair), sizeof(abut_distance_pair)};
    abut_counters plain = {0};
    abut_counters own = {0};
    size_t wanted = 0;
    size_t count = 0;
    const void* rows = rank == 0 ? ask_plain(s, which, margin, &plain, &wanted) : NULL;
    const void* found = ask_world(s, which, margin, &own, &count);
    uint64_t tests = own.exact_tests;
    uint64_t total = wanted;
    MPI_Allreduce(MPI_IN_PLACE, &tests, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(&total, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    EXPECT(rank != 0 || which == NEAREST || tests == plain.exact_tests,
           "query %d, margin %g, lift %g: %llu exact tests, %llu in the plain scene", (int)which,
           margin, s->lift, (unsigned long long)tests, (unsigned long long)plain.exact_tests);
    EXPECT(rank != 0 ||
               (count == wanted && (count == 0 || memcmp(rows, found, count * sizes[which]) == 0)),
           "query %d, margin %g, lift %g: %zu rows, %zu in the plain scene", (int)which, margin,
           s->lift, count, wanted);
    return total;
}

// ---- tests

static uint64_t sum_of(uint64_t number) {
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return number;
}

static uint64_t states_sent(const sheets* s) {
    return sum_of(abut_world_stats_get(s->world).states_sent);
}

// every step moves both sheets: parts take few of the bytes of whole sheets
static void test_bytes(query which, int first, int second) {
    sheets s;
    uint64_t rows = 0;
    open_sheets(&s, first, second, 0.001, (double[2]){0, 0});
    for (int step = 0; step < 6; ++step) {
        move_sheet(&s, 0, 0.3 * step);
        move_sheet(&s, 1, 1 - 0.2 * step);
        rows += ask(&s, which, 0.002);
    }
    const abut_world_stats stats = abut_world_stats_get(s.world);
    const uint64_t whole = (which == SWEEP ? 2 : 1) * sum_of(stats.ghost_vertices);
    const uint64_t sent = whole - sum_of(stats.vertices_spared);
    const uint64_t parts = sum_of(stats.parts_sent);
    EXPECT(rows > 0, "query %d finds nothing", (int)which);
    if (first != second) {
        EXPECT(parts == 6 && 4 * sent < whole, "query %d: %llu vertices sent, %llu of whole sheets",
               (int)which, (unsigned long long)sent, (unsigned long long)whole);
    }
    if (rank == 0 && first != second) {
        printf("query %d: %llu parts, whole sheets over what was sent: %.1f\n", (int)which,
               (unsigned long long)parts, (double)whole / (double)sent);
    }
    close_sheets(&s);
}

// what a rank has is sent again only if it changed, or if a query needs more of it
static void test_once(int first, int second) {
    sheets s;
    open_sheets(&s, first, second, 0.001, (double[2]){0, 0});
    (void)ask(&s, WITHIN, 0.01);
    const uint64_t before = states_sent(&s);
    (void)ask(&s, WITHIN, 0.01);
    (void)ask(&s, WITHIN, 0.005);
    (void)ask(&s, COLLIDE, 0);
    EXPECT(states_sent(&s) == before, "a state was sent again");
    (void)ask(&s, COLLIDE, 0.1);
    EXPECT(first == second || states_sent(&s) == before + 1, "more was needed");
    (void)ask(&s, WITHIN, 0.01);
    EXPECT(first == second || states_sent(&s) == before + 1, "less was needed");
    (void)ask(&s, NEAREST, 0);
    EXPECT(first == second || states_sent(&s) == before + 2, "all was needed");
    (void)ask(&s, COLLIDE, 0.1);
    EXPECT(first == second || states_sent(&s) == before + 2, "all was there");
    close_sheets(&s);
}

// sheets that only the margin or the thickness of one of them brings together
static void test_gaps(int first, int second) {
    for (int thick = 0; thick < 4; ++thick) {
        sheets s;
        const double gap = 0.006;
        const double more = thick == 0 ? gap : 0.001;
        const double thickness[2] = {(thick & 1) != 0 ? gap : 0, (thick & 2) != 0 ? gap : 0};
        open_sheets(&s, first, second, gap, thickness);
        move_sheet(&s, 0, 0.1);
        EXPECT(ask(&s, WITHIN, more) > 0, "no distance, thick %d", thick);
        (void)ask(&s, COLLIDE, gap);
        (void)ask(&s, COLLIDE, 0);
        close_sheets(&s);
    }
}

// the queries of a step in all orders, with states that change, end their step, or stay
static void test_orders(int first, int second) {
    sheets s;
    abut_error error;
    open_sheets(&s, first, second, 0.0005, (double[2]){0, 0});
    for (uint32_t order = 0; order < 24; ++order) {
        const uint32_t seed = order * 2654435761u;
        const uint32_t changed = seed >> 30;
        if (changed < 2) {
            move_sheet(&s, changed, 0.1 * order);
        }
        if (changed == 2) {
            const uint32_t id = seed >> 20 & 1;
            must(abut_body_end_step(s.scene, s.bodies[id], &error), &error);
            if (owns(&s, id)) {
                must(abut_world_end_step(s.world, id, &error), &error);
            }
        }
        for (int k = 0; k < 2; ++k) {
            const query which = (query)(seed >> (24 - 2 * k) & 3);
            (void)ask(&s, which, which == SWEEP || k == 1 ? 0 : order % 5 == 0 ? 0.01 : 0.001);
        }
    }
    close_sheets(&s);
}

static abut_shape* make_small(const sheets* s) {
    const double rest[3][3] = {{0, 0, -0.01}, {0.01, 0, 0.01}, {0, 0.01, 0.01}};
    const uint32_t triangle[3] = {0, 1, 2};
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(rest[0], 3);
    def.triangles = triangle;
    def.triangle_count = 1;
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    abut_error error;
    must(abut_mesh_create(s->context, &def, &mesh, &error), &error);
    must(abut_shape_create(s->context, mesh, NULL, &shape, &error), &error);
    abut_mesh_destroy(mesh);
    return shape;
}

// more small bodies stick in a corner of a sheet than boxes are sent for it
static void test_many(int first, int second) {
    sheets s;
    abut_error error;
    abut_shape_name name;
    open_sheets(&s, first, first, 1, (double[2]){0, 0});
    must(abut_world_add_shape(s.world, make_small(&s), &name, &error), &error);
    for (uint32_t i = 0; i < 81; ++i) {
        abut_body_def def = abut_body_def_default();
        abut_body_id made;
        def.keeps_tree = true;
        def.frame.t[0] = 0.04 * (i % 9);
        def.frame.t[1] = 0.05 * i / 9;
        if (rank == second) {
            must(abut_world_add_body(s.world, 2 + i, name, &def, &error), &error);
        }
        must(abut_body_create(s.scene, abut_world_shape(s.world, name), &def, &made, &error),
             &error);
        must(abut_body_set_steady(s.scene, made, true, &error), &error);
    }
    for (int step = 0; step < 4; ++step) {
        move_sheet(&s, 0, 0.3 * step);
        EXPECT(ask(&s, COLLIDE, 0) > 80, "few small bodies meet the sheet");
    }
    close_sheets(&s);
}

// Damages a byte of each message about bodies, counted from its end.
typedef struct damage {
    size_t byte;
    bool here;
    bool done;
} damage;

static void damage_end(void* user, uint32_t exchange, int to, uint8_t* bytes, size_t count) {
    damage* d = user;
    (void)to;
    if (d->here && exchange == 2) {
        bytes[count - 1 - d->byte % count] ^= (uint8_t)(1u << d->byte % 8);
        d->done = true;
    }
}

static bool fail_first(void* user, uint32_t exchange) {
    (void)user;
    return exchange == 0;
}

// a damaged part is refused by all ranks alike, or is another part; the world works further
static void test_damage(int first, int second) {
    sheets s;
    int done = 0;
    unsigned refused = 0;
    open_sheets(&s, first, second, 0.001, (double[2]){0, 0});
    (void)ask(&s, COLLIDE, 0.002);
    for (size_t byte = 0; byte < 400; byte += byte < 100 ? 9 : 67) {
        damage d = {.byte = byte, .here = rank == first || rank == second};
        abut_error error;
        move_sheet(&s, 0, 0.1 * (double)byte);
        move_sheet(&s, 1, 0.2 * (double)byte);
        s.world->saboteur = (abut__saboteur){.payload = damage_end, .user = &d};
        const abut_status status = abut_world_collide_all(s.world, NULL, NULL, s.answer, &error);
        EXPECT(ranks_agree(s.world, status, &error), "byte %zu from the end", byte);
        refused += status != ABUT_OK;
        done += d.done;
        // a part that is wrong but valid may be there: a failure lets ranks forget it
        s.world->saboteur = (abut__saboteur){.fails = rank == 0 ? fail_first : NULL};
        (void)abut_world_collide_all(s.world, NULL, NULL, s.answer, &error);
        s.world->saboteur = (abut__saboteur){0};
        (void)ask(&s, COLLIDE, 0.002);
    }
    EXPECT(first == second || (sum_of((uint64_t)done) > 0 && refused > 0), "nothing was refused");
    close_sheets(&s);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    alarm(60);
    for (int turn = 0; turn < 2; ++turn) {
        const int first = turn == 0 ? 0 : ranks - 1;
        const int second = turn == 0 ? ranks - 1 : 0;
        test_bytes(COLLIDE, first, second);
        test_bytes(WITHIN, first, second);
        test_bytes(SWEEP, first, second);
        test_once(first, second);
        test_gaps(first, second);
        test_orders(first, second);
        test_many(first, second);
        test_damage(first, second);
    }
    int all = failures;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d differences\n", all);
    }
    MPI_Finalize();
    return all == 0 ? 0 : 1;
}
