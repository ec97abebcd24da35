// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Crowds of `abut bench scale`: fish, chairs and characters that move a little in every step, and fish that
// are free bodies, of which every vertex is given.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/scale/scale.h"
#include "scenes/scenes.h"

#define FIELDS_MOST 16
#define NODES_MOST 128

// ---- crowds

typedef struct kind {
    const char* name;
    const char* scene;
    uint32_t triangles;
    double spacing;  // in lengths of a body
    bool is_free;
} kind;

static const kind kinds[] = {
    {"fish", "fish", 24776, 1.0, false},
    {"chairs", "chair", 2000, 0.9, false},
    {"characters", "walk", 20000, 0.8, false},
    {"free_fish", "fish", 24776, 0.8, true},
};

typedef struct crowd {
    const kind* of;
    uint32_t count;
    scene* from;
    const scene_body* model;
    double length;
    float* positions;  // of a free body
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
    if (c->of->is_free) {
        must(abut_shape_create(c->context, mesh, NULL, &shape, &error), &error);
    } else if (b->node_count > 0) {
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
    c->context = tally_context(memory);
    c->shape = make_shape(c);
    c->positions = malloc(3 * sizeof *c->positions * c->model->vertex_count);
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

// the positions of a free body: waves that run through it
static abut_positions positions_of(const crowd* c, uint32_t i, uint32_t step) {
    const double* rest = c->model->rest;
    for (uint32_t v = 0; v < c->model->vertex_count; ++v) {
        for (uint32_t d = 0; d < 3; ++d) {
            const double along = rest[3 * v + (d + 1) % 3] / c->length;
            const double wave = sin(4 * along + 0.2 * step + 6.3 * noise(i, 8));
            c->positions[3 * v + d] = (float)(rest[3 * v + d] + 0.05 * c->length * wave);
        }
    }
    return abut_positions_f32(c->positions, c->model->vertex_count);
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
        if (c->of->is_free) {
            must(abut_world_set_positions(world, ids[i], positions_of(c, ids[i], step), &error),
                 &error);
        } else if (c->model->node_count > 0) {
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

void crowd_run(const char* name, uint32_t bodies, uint32_t steps) {
    static tally memory;
    abut_error error;
    crowd c = {0};
    int rank;
    int ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    open_crowd(&c, name, bodies, &memory);
    abut_world_def def = abut_world_def_default();
    def.allocator = tally_allocator(&memory);
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
    scale_print(&(scale_run){name, bodies, steps, pairs}, world, &memory);
    abut_world_answer_destroy(answer);
    abut_world_destroy(world);
    abut_context_destroy(c.context);
    scene_destroy(c.from);
    free(c.positions);
}

// ---- one scene

void crowd_run_plain(const char* name, uint32_t bodies, uint32_t steps) {
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
            must(c.of->is_free
                     ? abut_body_set_positions(all, ids[i], positions_of(&c, i, step), &error)
                 : c.model->node_count > 0
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
    scale_print_plain(&(scale_run){name, bodies, steps, pairs}, &work, &memory,
                      c.model->triangle_count, c.model->vertex_count);
    free(ids);
    abut_collide_result_destroy(result);
    abut_scene_destroy(all);
    abut_shape_destroy(c.shape);
    abut_context_destroy(c.context);
    scene_destroy(c.from);
    free(c.positions);
}
