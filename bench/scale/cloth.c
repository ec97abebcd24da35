// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// One cloth of `abut bench scale`: a square sheet, folded like a fan into layers that touch here and there
// and move in every step. As a world each rank has a strip across the folds.
#include <math.h>
#include <stdlib.h>

#include "bench/scale/scale.h"

#define LAYERS 12.0
#define SURFACE 0u  // its id

// A part of the sheet: rows first to first + rows - 1 of vertices, and the quads between them.
typedef struct strip {
    uint32_t side;  // vertices of the sheet along an edge
    uint32_t first;
    uint32_t rows;
    float* positions;
    uint32_t* vertex_ids;
    uint32_t* triangles;
    uint32_t* triangle_ids;
} strip;

static size_t vertices_of(const strip* s) {
    return (size_t)s->rows * s->side;
}

static size_t triangles_of(const strip* s) {
    return s->rows > 0 ? (size_t)2 * (s->rows - 1) * (s->side - 1) : 0;
}

// Layers are as far apart as the ripples are high, so that crests touch. u runs across the folds.
static void place(const strip* s, uint32_t step, uint32_t row, uint32_t column, float out[3]) {
    const double u = LAYERS * column / (s->side - 1);
    const double v = (double)row / (s->side - 1);
    const double layer = floor(u);
    const double along = fmod(layer, 2) > 0.5 ? 1 - (u - layer) : u - layer;
    const double thick = 0.02;
    const double ripple = sin(40 * v + 1.7 * layer + 0.05 * step) *
                          sin(23 * along + 0.9 * layer - 0.03 * step) * sin(3.14159 * along);
    out[0] = (float)along;
    out[1] = (float)(4 * v);
    out[2] = (float)(thick * (u + 0.52 * ripple));
}

static void move_strip(strip* s, uint32_t step) {
    for (uint32_t r = 0; r < s->rows; ++r) {
        for (uint32_t c = 0; c < s->side; ++c) {
            place(s, step, s->first + r, c, s->positions + 3 * ((size_t)r * s->side + c));
        }
    }
}

static void fill_triangles(strip* s) {
    size_t at = 0;
    for (uint32_t r = 0; r + 1 < s->rows; ++r) {
        for (uint32_t c = 0; c + 1 < s->side; ++c) {
            const uint32_t i = r * s->side + c;
            const uint32_t quad[6] = {i, i + 1, i + s->side, i + 1, i + s->side + 1, i + s->side};
            for (uint32_t k = 0; k < 6; ++k) {
                s->triangles[3 * at + k] = quad[k];
            }
            for (uint32_t k = 0; k < 2; ++k) {
                s->triangle_ids[at++] = 2 * ((s->first + r) * (s->side - 1) + c) + k;
            }
        }
    }
}

// part `rank` of `ranks` of a sheet of about so many triangles
static strip make_strip(uint32_t triangles, uint32_t rank, uint32_t ranks) {
    strip s = {.side = (uint32_t)(sqrt(triangles / 2.0) + 1.5)};
    const uint32_t quads = s.side - 1;
    s.first = (uint32_t)((uint64_t)quads * rank / ranks);
    s.rows = (uint32_t)((uint64_t)quads * (rank + 1) / ranks) - s.first + 1;
    s.positions = malloc(3 * vertices_of(&s) * sizeof *s.positions);
    s.vertex_ids = malloc(vertices_of(&s) * sizeof *s.vertex_ids);
    s.triangles = malloc(3 * triangles_of(&s) * sizeof *s.triangles);
    s.triangle_ids = malloc(triangles_of(&s) * sizeof *s.triangle_ids);
    for (uint32_t i = 0; i < vertices_of(&s); ++i) {
        s.vertex_ids[i] = s.first * s.side + i;
    }
    fill_triangles(&s);
    move_strip(&s, 0);
    return s;
}

static void free_strip(strip* s) {
    free(s->positions);
    free(s->vertex_ids);
    free(s->triangles);
    free(s->triangle_ids);
}

static abut_positions positions_of(const strip* s) {
    return abut_positions_f32(s->positions, (uint32_t)vertices_of(s));
}

void cloth_run(uint32_t triangles, uint32_t steps) {
    static tally memory;
    int rank;
    int ranks;
    abut_error error;
    abut_world* world = NULL;
    abut_world_answer* answer = NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    strip s = make_strip(triangles, (uint32_t)rank, (uint32_t)ranks);
    abut_context* context = tally_context(&memory);
    abut_world_def def = abut_world_def_default();
    def.allocator = tally_allocator(&memory);
    must(abut_world_create(MPI_COMM_WORLD, context, &def, &world, &error), &error);
    must(abut_world_answer_create(world, &answer, &error), &error);
    abut_surface_def surface = abut_surface_def_default();
    surface.positions = positions_of(&s);
    surface.vertex_ids = s.vertex_ids;
    surface.triangles = s.triangles;
    surface.triangle_ids = s.triangle_ids;
    surface.triangle_count = triangles_of(&s);
    must(abut_world_add_surface(world, SURFACE, &surface, &error), &error);
    scale_run run = {"cloth", triangles, steps, 0};
    abut_world_query_def query = abut_world_query_def_default();
    query.placement = ABUT_WORLD_DISTRIBUTED;
    for (uint32_t step = 0; step < WARM_UP + steps; ++step) {
        size_t count = 0;
        if (step == WARM_UP) {
            abut_world_stats_clear(world);
        }
        move_strip(&s, step);
        must(abut_world_set_surface_positions(world, SURFACE, positions_of(&s), &error), &error);
        must(abut_world_collide_surface(world, SURFACE, NULL, &query, answer, &error), &error);
        abut_world_answer_pairs(answer, &count);
        run.rows += step < WARM_UP ? 0 : count;
    }
    scale_print(&run, world, &memory);
    abut_world_answer_destroy(answer);
    abut_world_destroy(world);
    abut_context_destroy(context);
    free_strip(&s);
}

void cloth_run_plain(uint32_t triangles, uint32_t steps) {
    static tally memory;
    abut_error error;
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    abut_scene* scene = NULL;
    abut_collide_result* result = NULL;
    abut_body_id body;
    strip s = make_strip(triangles, 0, 1);
    abut_context* context = tally_context(&memory);
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = positions_of(&s);
    def.triangles = s.triangles;
    def.triangle_count = triangles_of(&s);
    must(abut_mesh_create(context, &def, &mesh, &error), &error);
    must(abut_shape_create(context, mesh, NULL, &shape, &error), &error);
    must(abut_scene_create(context, NULL, &scene, &error), &error);
    must(abut_collide_result_create(context, &result, &error), &error);
    must(abut_body_create(scene, shape, NULL, &body, &error), &error);
    scale_run run = {"cloth", triangles, steps, 0};
    abut_counters work = {0};
    for (uint32_t step = 0; step < WARM_UP + steps; ++step) {
        abut_collide_def ask = abut_collide_def_default();
        size_t count = 0;
        ask.head.counters = step < WARM_UP ? NULL : &work;
        move_strip(&s, step);
        must(abut_body_set_positions(scene, body, positions_of(&s), &error), &error);
        must(abut_collide_self(scene, body, &ask, result, &error), &error);
        abut_collide_result_pairs(result, &count);
        run.rows += step < WARM_UP ? 0 : count;
    }
    scale_print_plain(&run, &work, &memory, (uint32_t)triangles_of(&s), (uint32_t)vertices_of(&s));
    abut_collide_result_destroy(result);
    abut_scene_destroy(scene);
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
    abut_context_destroy(context);
    free_strip(&s);
}
