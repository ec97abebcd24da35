// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The program behind `abut bench scale`. Started without mpirun it starts itself by mpirun with 1, 2, 4
// and 8 ranks for each scene, and prints the rows. Started by mpirun (`run SCENE BODIES STEPS`) it moves a
// crowd as a world and prints counts, which do not depend on the machine. `plain SCENE BODIES STEPS` is the
// same in one scene without MPI.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abut/mpi.h"
#include "scenes/scenes.h"

#define FIELDS_MOST 16
#define NODES_MOST 128
#define WARM_UP 2  // steps before counting, with a balance after each

// ---- memory, counted

typedef struct tally {
    size_t now;
    size_t most;
} tally;

static void* counted_alloc(void* user, size_t size, size_t alignment) {
    tally* t = user;
    t->now += size;
    t->most = t->now > t->most ? t->now : t->most;
    return aligned_alloc(alignment, (size + alignment) / alignment * alignment);
}

static void counted_free(void* user, void* memory, size_t size, size_t alignment) {
    (void)alignment;
    ((tally*)user)->now -= size;
    free(memory);
}

static void must(abut_status status, const abut_error* error) {
    if (status != ABUT_OK) {
        fprintf(stderr, "abut_scale: %s\n", error->message);
        exit(1);
    }
}

// ---- crowds

typedef struct kind {
    const char* name;
    const char* scene;
    uint32_t triangles;
    double spacing;  // in lengths of a body
} kind;

static const kind kinds[] = {
    {"fish", "fish", 24776, 1.0},
    {"chairs", "chair", 2000, 0.9},
    {"characters", "walk", 20000, 0.8},
};

typedef struct crowd {
    const kind* of;
    uint32_t count;
    scene* from;
    const scene_body* model;
    double length;
    abut_context* context;
    abut_shape* shape;
} crowd;

static abut_shape* make_shape(crowd* c) {
    const scene_body* b = c->model;
    abut_error error;
    abut_mesh* mesh = NULL;
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(b->rest, b->vertex_count);
    def.triangles = b->triangles;
    def.triangle_count = b->triangle_count;
    must(abut_mesh_create(c->context, &def, &mesh, &error), &error);
    abut_field fields[FIELDS_MOST];
    for (uint32_t f = 0; f < b->field_count && f < FIELDS_MOST; ++f) {
        fields[f] = (abut_field){
            abut_positions_f32(b->fields + (size_t)3 * f * b->vertex_count, b->vertex_count), NULL};
    }
    abut_shape* shape = NULL;
    if (b->node_count > 0) {
        abut_blend_def blend = abut_blend_def_default();
        blend.weights = (abut_weights){.node_count = b->node_count,
                                       .first = b->weight_first,
                                       .nodes = b->weight_nodes,
                                       .values = b->weights,
                                       .type = ABUT_SCALAR_F32,
                                       .normalise = true};
        blend.fields = fields;
        blend.field_count = b->field_count;
        must(abut_shape_create_blend(c->context, mesh, &blend, &shape, &error), &error);
    } else {
        abut_modal_def modal = abut_modal_def_default();
        modal.fields = fields;
        modal.field_count = b->field_count;
        must(abut_shape_create_modal(c->context, mesh, &modal, &shape, &error), &error);
    }
    abut_mesh_destroy(mesh);
    return shape;
}

static void open_crowd(crowd* c, const char* name, uint32_t count, tally* memory) {
    abut_error error;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        c->of = strcmp(kinds[k].name, name) == 0 ? &kinds[k] : c->of;
    }
    c->count = count;
    c->from = scene_create_with(
        c->of->scene, &(scene_options){.triangles = c->of->triangles, .fields = 3, .nodes = 32});
    if (c->from == NULL) {
        fprintf(stderr, "abut_scale: no scene %s\n", c->of->scene);
        exit(1);
    }
    for (uint32_t i = 0; i < scene_body_count(c->from) && c->model == NULL; ++i) {
        const scene_body* b = scene_get_body(c->from, i);
        c->model = b->reduced ? b : NULL;
    }
    double lo = INFINITY;
    double hi = -INFINITY;
    for (uint32_t v = 0; v < 3 * c->model->vertex_count; ++v) {
        lo = fmin(lo, c->model->rest[v]);
        hi = fmax(hi, c->model->rest[v]);
    }
    c->length = hi - lo;
    abut_context_def def = abut_context_def_default();
    def.allocator = (abut_allocator){counted_alloc, counted_free, memory};
    must(abut_context_create(&def, &c->context, &error), &error);
    c->shape = make_shape(c);
}

// a number in 0 .. 1 that follows from two others
static double noise(uint32_t i, uint32_t k) {
    uint64_t x = ((uint64_t)i << 32 | k) * 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 31) * 0xBF58476D1CE4E5B9u;
    return (double)((x ^ x >> 29) >> 11) * 0x1p-53;
}

// A school that is four times as long as high: bodies on a grid, each moved and turned a little.
static abut_frame frame_of(const crowd* c, uint32_t i, uint32_t step) {
    abut_frame frame = abut_frame_identity();
    const uint32_t high = (uint32_t)ceil(cbrt(c->count / 8.0));
    const uint32_t wide = 2 * high;
    const double spacing = c->of->spacing * c->length;
    const double angle = 6.3 * noise(i, 1) + 0.05 * step;
    frame.r[0][0] = frame.r[1][1] = cos(angle);
    frame.r[1][0] = sin(angle);
    frame.r[0][1] = -sin(angle);
    const uint32_t cell[3] = {i / (high * wide), i / high % wide, i % high};
    for (uint32_t d = 0; d < 3; ++d) {
        frame.t[d] = spacing * (cell[d] + 0.6 * noise(i, 2 + d) +
                                0.1 * sin(0.2 * step + 6.3 * noise(i, 5 + d)));
    }
    return frame;
}

// The state of a body at a step, of any motion of the scenes.
typedef struct state {
    double q[FIELDS_MOST];
    double transforms[12 * NODES_MOST];
    float rounded[12 * NODES_MOST];
} state;

static void state_of(const crowd* c, uint32_t i, uint32_t step, state* s) {
    const uint32_t frames = scene_frame_count(c->from);
    const uint32_t at = ((uint32_t)(frames * noise(i, 9)) + step) % frames;
    const uint32_t body = (uint32_t)(c->model == scene_get_body(c->from, 0) ? 0 : 1);
    if (c->model->field_count > 0) {
        scene_coordinates(c->from, body, at, s->q);
    }
    if (c->model->node_count > 0) {
        scene_transforms(c->from, body, at, s->transforms);
        for (uint32_t k = 0; k < 12 * c->model->node_count; ++k) {
            s->rounded[k] = (float)s->transforms[k];
        }
    }
}

// ---- a world

static void set_world(crowd* c, abut_world* world, uint32_t step) {
    static state s;
    abut_error error;
    size_t count = 0;
    const uint32_t* ids = abut_world_bodies(world, &count);
    for (size_t i = 0; i < count; ++i) {
        const abut_frame frame = frame_of(c, ids[i], step);
        state_of(c, ids[i], step, &s);
        if (c->model->node_count > 0) {
            must(abut_world_set_transforms(world, ids[i],
                                           abut_transforms_f32(s.rounded, c->model->node_count),
                                           s.q, c->model->field_count, &error),
                 &error);
        } else {
            must(abut_world_set_coordinates(world, ids[i], s.q, c->model->field_count, &error),
                 &error);
        }
        must(abut_world_set_frame(world, ids[i], &frame, &error), &error);
    }
}

static void print_run(const crowd* c, abut_world* world, uint32_t steps, const tally* memory,
                      uint64_t pairs) {
    int rank;
    int ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const abut_world_stats s = abut_world_stats_get(world);
    enum {
        BOXES,
        EXACT,
        BYTES,
        MESSAGES,
        GHOSTS,
        VERTICES,
        NEIGHBOURS,
        WORK,
        MEMORY,
        OWNED,
        SHAPES,
        STATES,
        NUMBERS
    };
    uint64_t own[NUMBERS] = {[BOXES] = s.box_tests + s.counters.boxes_tested,
                             [EXACT] = s.counters.exact_tests,
                             [BYTES] = s.bytes_sent,
                             [MESSAGES] = s.messages_sent,
                             [GHOSTS] = s.ghosts,
                             [VERTICES] = s.ghost_vertices,
                             [NEIGHBOURS] = s.neighbours,
                             [WORK] = s.box_tests + s.counters.boxes_tested +
                                      s.counters.exact_tests,
                             [MEMORY] = memory->most,
                             [OWNED] = s.owned,
                             [SHAPES] = s.shape_bytes,
                             [STATES] = s.states_sent};
    uint64_t sum[NUMBERS];
    uint64_t most[NUMBERS];
    MPI_Reduce(own, sum, NUMBERS, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(own, most, NUMBERS, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        const double n = (double)ranks * steps;
        printf(
            "ranks %d scene %s bodies %u steps %u rows %llu box_tests %.0f exact_tests %llu "
            "bytes %.0f messages %.1f ghosts %.1f states %.1f whole_bytes %llu sent_bytes %llu "
            "neighbours %.2f balance %.3f memory %llu owned_most %llu\n",
            ranks, c->of->name, c->count, steps, (unsigned long long)pairs, (double)sum[BOXES] / n,
            (unsigned long long)sum[EXACT], (double)sum[BYTES] / n, (double)sum[MESSAGES] / n,
            (double)sum[GHOSTS] / n, (double)sum[STATES] / n,
            (unsigned long long)(12 * sum[VERTICES]), (unsigned long long)sum[BYTES],
            (double)sum[NEIGHBOURS] / ranks,
            most[WORK] > 0 ? (double)sum[WORK] / ranks / (double)most[WORK] : 1,
            (unsigned long long)most[MEMORY], (unsigned long long)most[OWNED]);
    }
}

static void run_world(const char* name, uint32_t bodies, uint32_t steps) {
    static tally memory;
    abut_error error;
    crowd c = {0};
    int rank;
    int ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    open_crowd(&c, name, bodies, &memory);
    abut_world_def def = abut_world_def_default();
    def.allocator = (abut_allocator){counted_alloc, counted_free, &memory};
    abut_world* world = NULL;
    abut_world_answer* answer = NULL;
    must(abut_world_create(MPI_COMM_WORLD, c.context, &def, &world, &error), &error);
    must(abut_world_answer_create(world, &answer, &error), &error);
    abut_shape_name shape;
    must(abut_world_add_shape(world, c.shape, &shape, &error), &error);
    const uint32_t first = (uint32_t)((uint64_t)bodies * (uint32_t)rank / (uint32_t)ranks);
    const uint32_t end = (uint32_t)((uint64_t)bodies * ((uint32_t)rank + 1) / (uint32_t)ranks);
    for (uint32_t i = first; i < end; ++i) {
        must(abut_world_add_body(world, i, shape, NULL, &error), &error);
    }
    uint64_t pairs = 0;
    abut_world_query_def query = abut_world_query_def_default();
    query.placement = ABUT_WORLD_DISTRIBUTED;
    for (uint32_t step = 0; step < WARM_UP + steps; ++step) {
        set_world(&c, world, step);
        if (step < WARM_UP) {
            must(abut_world_balance(world, &error), &error);
        }
        must(abut_world_collide_all(world, NULL, &query, answer, &error), &error);
        if (step < WARM_UP) {
            must(abut_world_balance(world, &error), &error);
            abut_world_stats_clear(world);
        } else {
            size_t count = 0;
            abut_world_answer_pairs(answer, &count);
            pairs += count;
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &pairs, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    print_run(&c, world, steps, &memory, pairs);
    abut_world_answer_destroy(answer);
    abut_world_destroy(world);
    abut_context_destroy(c.context);
    scene_destroy(c.from);
}

// ---- one scene

static void run_plain(const char* name, uint32_t bodies, uint32_t steps) {
    static tally memory;
    static state s;
    abut_error error;
    crowd c = {0};
    open_crowd(&c, name, bodies, &memory);
    abut_scene* all = NULL;
    abut_collide_result* result = NULL;
    must(abut_scene_create(c.context, NULL, &all, &error), &error);
    must(abut_collide_result_create(c.context, &result, &error), &error);
    abut_body_id* ids = malloc(bodies * sizeof *ids);
    abut_body_def body = abut_body_def_default();
    body.keeps_tree = true;
    for (uint32_t i = 0; i < bodies; ++i) {
        must(abut_body_create(all, c.shape, &body, &ids[i], &error), &error);
        must(abut_body_set_steady(all, ids[i], true, &error), &error);
    }
    abut_counters work = {0};
    uint64_t pairs = 0;
    for (uint32_t step = 0; step < WARM_UP + steps; ++step) {
        for (uint32_t i = 0; i < bodies; ++i) {
            const abut_frame frame = frame_of(&c, i, step);
            state_of(&c, i, step, &s);
            must(c.model->node_count > 0
                     ? abut_body_set_transforms(all, ids[i],
                                                abut_transforms_f32(s.rounded, c.model->node_count),
                                                s.q, c.model->field_count, &error)
                     : abut_body_set_coordinates(all, ids[i], s.q, c.model->field_count, &error),
                 &error);
            must(abut_body_set_frame(all, ids[i], &frame, &error), &error);
        }
        abut_collide_def def = abut_collide_def_default();
        def.head.counters = step < WARM_UP ? NULL : &work;
        must(abut_collide_all(all, &def, result, &error), &error);
        size_t count = 0;
        abut_collide_result_pairs(result, &count);
        pairs += step < WARM_UP ? 0 : count;
    }
    printf(
        "ranks 0 scene %s bodies %u steps %u rows %llu box_tests %.0f exact_tests %llu memory "
        "%llu triangles %u vertices %u\n",
        name, bodies, steps, (unsigned long long)pairs, (double)work.boxes_tested / steps,
        (unsigned long long)work.exact_tests, (unsigned long long)memory.most,
        c.model->triangle_count, c.model->vertex_count);
    free(ids);
    abut_collide_result_destroy(result);
    abut_scene_destroy(all);
    abut_shape_destroy(c.shape);
    abut_context_destroy(c.context);
    scene_destroy(c.from);
}

// ---- all rows

// One run, as its line of output says.
typedef struct outcome {
    double exact_tests;
    double whole_bytes;
    double sent_bytes;
    double neighbours;
    double balance;
    double memory;
    double rows;
} outcome;

static double value_of(const char* line, const char* name) {
    char key[64];
    snprintf(key, sizeof key, " %s ", name);
    const char* at = strstr(line, key);
    return at != NULL ? strtod(at + strlen(key), NULL) : 0;
}

// runs this program, prints its line and reads it
static outcome run_child(const char* self, int ranks, const char* name, uint32_t bodies,
                         uint32_t steps) {
    char command[1024];
    char line[1024] = "";
    if (ranks == 0) {
        snprintf(command, sizeof command, "'%s' plain %s %u %u", self, name, bodies, steps);
    } else {
        snprintf(command, sizeof command,
                 "mpirun --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 0 -n %d "
                 "'%s' run %s %u %u",
                 ranks, self, name, bodies, steps);
    }
    FILE* child = popen(command, "r");
    if (child != NULL) {
        if (fgets(line, sizeof line, child) != NULL) {
            printf("%s", line);
            fflush(stdout);
        }
        pclose(child);
    }
    return (outcome){value_of(line, "exact_tests"), value_of(line, "whole_bytes"),
                     value_of(line, "sent_bytes"),  value_of(line, "neighbours"),
                     value_of(line, "balance"),     value_of(line, "memory"),
                     value_of(line, "rows")};
}

static void print_row(const char* name, double value, double least, double aim) {
    printf("row %-58s %10.3g   at least %-5.3g aim %-5.3g %s\n", name, value, least, aim,
           value >= aim     ? "reached"
           : value >= least ? "enough"
                            : "short");
}

static const int rank_counts[] = {1, 2, 4, 8};

// all numbers of ranks for one crowd; the last is that of 8 ranks
static outcome run_all(const char* self, const char* name, uint32_t bodies, uint32_t steps,
                       outcome* plain, double* exact) {
    outcome last = {0};
    *plain = run_child(self, 0, name, bodies, steps);
    *exact = 1;
    for (size_t k = 0; k < sizeof rank_counts / sizeof *rank_counts; ++k) {
        last = run_child(self, rank_counts[k], name, bodies, steps);
        if (last.exact_tests != plain->exact_tests || last.rows != plain->rows) {
            *exact = last.exact_tests > 0 ? plain->exact_tests / last.exact_tests : 0;
        }
    }
    return last;
}

static void run_rows(const char* self, bool quick) {
    const uint32_t part = quick ? 20 : 1;
    const uint32_t steps = quick ? 2 : 3;
    outcome plain;
    double exact[5];
    const outcome shoal = run_all(self, "fish", 12000 / part, steps, &plain, &exact[0]);
    print_row("whole meshes over bytes sent, 12 000 fish", shoal.whole_bytes / shoal.sent_bytes, 50,
              300);
    const outcome people = run_all(self, "characters", 1000 / part, steps, &plain, &exact[1]);
    print_row("whole meshes over bytes sent, 1000 characters",
              people.whole_bytes / people.sent_bytes, 20, 100);
    run_all(self, "chairs", 3601 / part, steps, &plain, &exact[2]);
    run_all(self, "chairs", 30000 / part, steps, &plain, &exact[3]);
    const outcome sea = run_all(self, "fish", 100000 / part, steps, &plain, &exact[4]);
    print_row("balance, 8 ranks, 100 000 fish: mean over largest", sea.balance, 0.7, 0.9);
    double least = 1;
    for (int k = 0; k < 5; ++k) {
        least = fmin(least, fmin(exact[k], 1 / exact[k]));
    }
    print_row("exact tests, one process over sum of ranks", least, 1, 1);
    print_row("memory, one process over largest of 8 ranks, 100 000 fish",
              plain.memory / sea.memory, 4, 7);
    print_row("neighbours, all over talked to, 8 ranks, 100 000 fish", 7 / sea.neighbours, 1.3, 2);
}

static uint32_t count_of(const char* text) {
    return (uint32_t)strtoul(text, NULL, 10);
}

int main(int argc, char** argv) {
    const bool run = argc == 5 && strcmp(argv[1], "run") == 0;
    const bool plain = argc == 5 && strcmp(argv[1], "plain") == 0;
    if (run) {
        MPI_Init(&argc, &argv);
        run_world(argv[2], count_of(argv[3]), count_of(argv[4]));
        MPI_Finalize();
    } else if (plain) {
        run_plain(argv[2], count_of(argv[3]), count_of(argv[4]));
    } else {
        run_rows(argv[0], argc > 1 && strcmp(argv[1], "--quick") == 0);
    }
    return 0;
}
