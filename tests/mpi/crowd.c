// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Random crowds: see crowd.h.
#include "crowd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KIND_FREE, KIND_MODAL, KIND_BLEND, KIND_FLIGHT, KIND_RIGID };

static void must(abut_status status, const abut_error* error) {
    if (status != ABUT_OK) {
        fprintf(stderr, "crowd: %s: %s\n", abut_status_text(status), error->message);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

uint32_t crowd_draw(crowd* c, uint32_t below) {
    c->random = c->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((c->random >> 33) % below);
}

double crowd_number(crowd* c, double from, double to) {
    return from + (to - from) * crowd_draw(c, 1u << 20) / (double)(1u << 20);
}

// ---- shapes: wavy patches of a size that differs by kind

static void make_mesh(crowd* c, uint32_t kind) {
    const bool cloth = kind == KIND_FREE && c->cloth > 0;
    const uint32_t side = cloth ? c->cloth : 5 + kind * 2;
    const double size = cloth ? 3 : 1;
    const uint32_t vertices = side * side;
    const uint32_t triangles = 2 * (side - 1) * (side - 1);
    uint32_t* indices = malloc(3 * triangles * sizeof *indices);
    c->vertices[kind] = vertices;
    c->rest[kind] = malloc(vertices * sizeof *c->rest[kind]);
    for (uint32_t i = 0; i < vertices; ++i) {
        const double u = (double)(i % side) / (side - 1) - 0.5;
        const double v = (double)(i / side) / (side - 1) - 0.5;
        c->rest[kind][i][0] = size * u;
        c->rest[kind][i][1] = size * v;
        c->rest[kind][i][2] = 0.2 * sin(7 * u) * cos(5 * v + kind);
    }
    uint32_t at = 0;
    for (uint32_t y = 0; y + 1 < side; ++y) {
        for (uint32_t x = 0; x + 1 < side; ++x) {
            const uint32_t i = y * side + x;
            const uint32_t quad[6] = {i, i + 1, i + side, i + 1, i + side + 1, i + side};
            memcpy(indices + at, quad, sizeof quad);
            at += 6;
        }
    }
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(c->rest[kind][0], vertices);
    def.triangles = indices;
    def.triangle_count = triangles;
    abut_error error;
    must(abut_mesh_create(c->context, &def, &c->meshes[kind], &error), &error);
    free(indices);
}

static void fill_fields(const crowd* c, uint32_t kind, float* values) {
    for (uint32_t f = 0; f < CROWD_FIELDS; ++f) {
        for (uint32_t i = 0; i < c->vertices[kind]; ++i) {
            float* value = values + 3 * ((size_t)f * c->vertices[kind] + i);
            value[0] = 0.1F * (float)(i % 3);
            value[1] = f == 0 ? 0.05F : -0.1F;
            value[2] = (float)(0.5 * sin(3 * c->rest[kind][i][0] + f));
        }
    }
}

static abut_shape* make_modal(crowd* c, uint32_t kind, uint32_t fields) {
    float* values = malloc(3 * sizeof *values * CROWD_FIELDS * c->vertices[kind]);
    abut_field list[CROWD_FIELDS];
    fill_fields(c, kind, values);
    for (uint32_t f = 0; f < CROWD_FIELDS; ++f) {
        list[f] = (abut_field){abut_positions_f32(values + (size_t)3 * f * c->vertices[kind],
                                                  c->vertices[kind]),
                               NULL};
    }
    abut_modal_def def = abut_modal_def_default();
    def.fields = list;
    def.field_count = fields;
    def.shape.certify_on_request = true;
    def.proxy_level = kind == KIND_MODAL ? 3 : 2;
    abut_shape* shape = NULL;
    abut_error error;
    must(abut_shape_create_modal(c->context, c->meshes[kind], &def, &shape, &error), &error);
    free(values);
    return shape;
}

static abut_shape* make_blend(crowd* c) {
    uint32_t nodes[2 * CROWD_VERTICES];
    double values[2 * CROWD_VERTICES];
    for (uint32_t i = 0; i < c->vertices[KIND_BLEND]; ++i) {
        const double u = c->rest[KIND_BLEND][i][0] + 0.5;
        nodes[2 * i] = u < 0.5 ? 0u : 1u;
        nodes[2 * i + 1] = nodes[2 * i] + 1;
        values[2 * i + 1] = u < 0.5 ? 2 * u : 2 * u - 1;
        values[2 * i] = 1 - values[2 * i + 1];
    }
    abut_blend_def def = abut_blend_def_default();
    def.weights = (abut_weights){.node_count = CROWD_NODES,
                                 .per_vertex = 2,
                                 .nodes = nodes,
                                 .values = values,
                                 .type = ABUT_SCALAR_F64};
    def.shape.certify_on_request = true;
    abut_shape* shape = NULL;
    abut_error error;
    must(abut_shape_create_blend(c->context, c->meshes[KIND_BLEND], &def, &shape, &error), &error);
    return shape;
}

static abut_shape* make_flight(crowd* c) {
    const uint32_t vertices = c->vertices[KIND_FLIGHT];
    abut_keyframe keys[2];
    for (int k = 0; k < 2; ++k) {
        c->keys[k] = malloc(3 * sizeof(float) * vertices);
        for (uint32_t i = 0; i < vertices; ++i) {
            for (int d = 0; d < 3; ++d) {
                c->keys[k][3 * i + (uint32_t)d] = (float)(c->rest[KIND_FLIGHT][i][d] *
                                                          (k == 0 ? 1 : 1.5 - 0.4 * d));
            }
        }
        keys[k] = (abut_keyframe){k, abut_positions_f32(c->keys[k], vertices)};
    }
    abut_flight_def def = abut_flight_def_default();
    def.keyframes = keys;
    def.keyframe_count = 2;
    def.bound = ABUT_FLIGHT_BOUND_LINEAR;  // others depend on earlier states, and so do counts
    abut_shape* shape = NULL;
    abut_error error;
    must(abut_shape_create_flight(c->context, c->meshes[KIND_FLIGHT], &def, &shape, &error),
         &error);
    return shape;
}

static abut_shape* make_shape(crowd* c, uint32_t kind) {
    abut_shape* shape = NULL;
    abut_error error;
    switch (kind) {
        case KIND_FREE:
            must(abut_shape_create(c->context, c->meshes[kind], NULL, &shape, &error), &error);
            return shape;
        case KIND_MODAL: return make_modal(c, kind, CROWD_FIELDS);
        case KIND_BLEND: return make_blend(c);
        case KIND_FLIGHT: return make_flight(c);
        default: return make_modal(c, kind, 0);
    }
}

static void make_shapes(crowd* c, bool lone) {
    abut_error error;
    for (uint32_t kind = 0; kind < CROWD_KINDS; ++kind) {
        make_mesh(c, kind);
        c->shapes[kind] = make_shape(c, kind);
        if (!lone || c->rank == 0) {
            // shapes borrow the positions of keyframes, so those of both live to the end
            if (kind == KIND_FLIGHT) {
                c->second_keys[0] = c->keys[0];
                c->second_keys[1] = c->keys[1];
            }
            abut_shape* second = make_shape(c, kind);
            must(abut_world_add_shape(c->world, second, &c->names[kind], &error), &error);
        }
    }
}

// ---- bodies

static void make_body(crowd* c, uint32_t i, bool lone) {
    abut_error error;
    abut_body_def def = abut_body_def_default();
    c->kind[i] = crowd_draw(c, CROWD_KINDS);
    if (c->cloth > 0 && crowd_draw(c, 2) == 0) {
        c->kind[i] = KIND_FREE;
    }
    c->is_static[i] = crowd_draw(c, 8) == 0;
    c->groups[i] = crowd_draw(c, 4) == 0 ? 1 + crowd_draw(c, 3) : 1;
    const uint32_t owner = lone ? 0 : crowd_draw(c, 1u << 16) % (uint32_t)c->ranks;
    for (int d = 0; d < 3; ++d) {
        c->place[i][d] = crowd_number(c, -c->spread, c->spread);
        def.frame.t[d] = c->place[i][d];
    }
    def.is_static = c->is_static[i];
    def.groups = c->groups[i];
    if (crowd_draw(c, 6) == 0) {
        def.mask = 1;
    }
    if (owner == (uint32_t)c->rank) {
        must(abut_world_add_body(c->world, i, c->names[c->kind[i]], &def, &error), &error);
    }
    def.keeps_tree = true;
    must(abut_body_create(c->scene, c->shapes[c->kind[i]], &def, &c->bodies[i], &error), &error);
    must(abut_body_set_steady(c->scene, c->bodies[i], true, &error), &error);
    if (crowd_draw(c, 5) == 0) {
        const double thickness = crowd_number(c, 0, 0.1);
        must(abut_body_set_thickness(c->scene, c->bodies[i], thickness, &error), &error);
        if (crowd_owns(c, i)) {
            must(abut_world_set_thickness(c->world, i, thickness, &error), &error);
        }
    }
}

void crowd_open(crowd* c, MPI_Comm comm, uint64_t seed, bool lone, uint32_t cloth,
                const abut_world_def* def, const abut_allocator* memory) {
    abut_context_def settings = abut_context_def_default();
    abut_error error;
    memset(c, 0, sizeof *c);
    if (memory != NULL) {
        settings.allocator = *memory;
    }
    MPI_Comm_rank(comm, &c->rank);
    MPI_Comm_size(comm, &c->ranks);
    c->random = seed * 7919 + 17;
    c->cloth = cloth;
    c->count = cloth > 0 ? 4 + crowd_draw(c, 8) : 2 + crowd_draw(c, 60);
    c->spread = (cloth > 0 ? 1.3 : 0.45) * cbrt((double)c->count);
    must(abut_context_create(&settings, &c->context, &error), &error);
    must(abut_world_create(comm, c->context, def, &c->world, &error), &error);
    must(abut_scene_create(c->context, NULL, &c->scene, &error), &error);
    make_shapes(c, lone);
    for (uint32_t i = 0; i < c->count; ++i) {
        make_body(c, i, lone);
    }
}

void crowd_close(crowd* c) {
    abut_world_destroy(c->world);
    abut_scene_destroy(c->scene);
    for (uint32_t kind = 0; kind < CROWD_KINDS; ++kind) {
        abut_shape_destroy(c->shapes[kind]);
        abut_mesh_destroy(c->meshes[kind]);
        free(c->rest[kind]);
    }
    for (int k = 0; k < 2; ++k) {
        free(c->keys[k]);
        free(c->second_keys[k]);
    }
    abut_context_destroy(c->context);
}

bool crowd_owns(crowd* c, uint32_t body) {
    size_t count = 0;
    const uint32_t* ids = abut_world_bodies(c->world, &count);
    for (size_t i = 0; i < count; ++i) {
        if (ids[i] == body) {
            return true;
        }
    }
    return false;
}

// ---- moving

static void move_free(crowd* c, uint32_t i, bool own) {
    static double positions[CROWD_VERTICES][3];
    static float rounded[CROWD_VERTICES][3];
    const double wave = crowd_number(c, 0, c->cloth > 0 ? 0.2 : 0.4);
    const double often = c->cloth > 0 ? 4 : 11;
    const bool floats = crowd_draw(c, 2) == 0;
    const uint32_t n = c->vertices[KIND_FREE];
    abut_error error;
    for (uint32_t v = 0; v < n; ++v) {
        for (int d = 0; d < 3; ++d) {
            positions[v][d] = c->rest[KIND_FREE][v][d] +
                              wave * sin(often * c->rest[KIND_FREE][v][(d + 1) % 3] + i);
            rounded[v][d] = (float)positions[v][d];
        }
    }
    const abut_positions view = floats ? abut_positions_f32(rounded[0], n)
                                       : abut_positions_f64(positions[0], n);
    must(abut_body_set_positions(c->scene, c->bodies[i], view, &error), &error);
    if (own) {
        must(abut_world_set_positions(c->world, i, view, &error), &error);
    }
}

static void move_modal(crowd* c, uint32_t i, bool own) {
    abut_error error;
    const size_t count = c->kind[i] == KIND_MODAL ? CROWD_FIELDS : 0;
    const double q[CROWD_FIELDS] = {crowd_number(c, -1, 1), crowd_number(c, -1, 1)};
    must(abut_body_set_coordinates(c->scene, c->bodies[i], q, count, &error), &error);
    if (own) {
        must(abut_world_set_coordinates(c->world, i, q, count, &error), &error);
    }
}

static void move_blend(crowd* c, uint32_t i, bool own) {
    float columns[CROWD_NODES][16];
    double rows[CROWD_NODES][12];
    const bool floats = crowd_draw(c, 2) == 0;
    abut_error error;
    for (int n = 0; n < CROWD_NODES; ++n) {
        for (int k = 0; k < 12; ++k) {
            rows[n][k] = (k % 5 == 0 ? 1 : 0) + crowd_number(c, -0.3, 0.3);
            columns[n][k % 4 * 4 + k / 4] = (float)rows[n][k];
        }
        for (int k = 0; k < 4; ++k) {
            columns[n][4 * k + 3] = k == 3 ? 1 : 0;
        }
    }
    const abut_transforms view = floats
                                     ? (abut_transforms){columns, CROWD_NODES, 0, ABUT_SCALAR_F32,
                                                         ABUT_LAYOUT_COLUMNS_4X4}
                                     : abut_transforms_f64(rows[0], CROWD_NODES);
    must(abut_body_set_transforms(c->scene, c->bodies[i], view, NULL, 0, &error), &error);
    if (own) {
        must(abut_world_set_transforms(c->world, i, view, NULL, 0, &error), &error);
    }
}

// Plans for all vertices, for some, or none. Positions are given, or are where vertices are so far.
static void plan_flight(crowd* c, uint32_t i, bool own) {
    static double positions[CROWD_VERTICES][3];
    static float velocities[CROWD_VERTICES][3];
    static uint32_t vertices[CROWD_VERTICES];
    const uint32_t kind = crowd_draw(c, 6);
    const bool here = crowd_draw(c, 3) > 0;
    const uint32_t first = crowd_draw(c, 20);
    const uint32_t count = kind < 2 ? c->vertices[KIND_FLIGHT] : 5 + crowd_draw(c, 9);
    abut_plans_def def = abut_plans_def_default();
    abut_error error;
    for (uint32_t v = 0; v < count; ++v) {
        vertices[v] = kind < 2 ? v : first + 2 * v;
        for (int d = 0; d < 3; ++d) {
            positions[v][d] = c->rest[KIND_FLIGHT][vertices[v]][d] + crowd_number(c, -0.05, 0.05);
            velocities[v][d] = (float)crowd_number(c, -0.2, 0.2);
        }
    }
    def.time = c->time[i];
    def.vertices = kind < 2 ? NULL : vertices;
    def.vertex_count = kind < 2 ? 0 : count;
    def.positions = here ? abut_positions_f64(positions[0], count) : def.positions;
    def.velocities = abut_positions_f32(velocities[0], count);
    const abut_plans_def* plans = kind == 5 ? NULL : &def;
    must(abut_body_set_plans(c->scene, c->bodies[i], plans, &error), &error);
    if (own) {
        must(abut_world_set_plans(c->world, i, plans, &error), &error);
    }
    c->planned[i] = true;
}

static void set_time(crowd* c, uint32_t i, bool own) {
    abut_error error;
    c->planned[i] = false;
    c->time[i] += crowd_number(c, 0, 0.4);
    must(abut_body_set_time(c->scene, c->bodies[i], c->time[i], &error), &error);
    if (own) {
        must(abut_world_set_time(c->world, i, c->time[i], &error), &error);
    }
}

static void move_flight(crowd* c, uint32_t i, bool own) {
    if (c->plans && crowd_draw(c, 2) == 0) {
        plan_flight(c, i, own);
        if (crowd_draw(c, 3) == 0) {
            return;  // without a previous state: not for sweeps
        }
    }
    set_time(c, i, own);
}

void crowd_plan(crowd* c) {
    for (uint32_t i = 0; i < c->count; ++i) {
        if (c->kind[i] == KIND_FLIGHT) {
            const bool own = crowd_owns(c, i);
            plan_flight(c, i, own);
            set_time(c, i, own);
        }
    }
}

static void set_state(crowd* c, uint32_t i, bool own) {
    switch (c->kind[i]) {
        case KIND_FREE: move_free(c, i, own); break;
        case KIND_BLEND: move_blend(c, i, own); break;
        case KIND_FLIGHT: move_flight(c, i, own); break;
        default: move_modal(c, i, own);
    }
}

// turns about z and moves
static abut_frame draw_frame(crowd* c, uint32_t i) {
    abut_frame frame = abut_frame_identity();
    const double angle = crowd_number(c, 0, 1);
    frame.r[0][0] = frame.r[1][1] = cos(angle);
    frame.r[1][0] = sin(angle);
    frame.r[0][1] = -sin(angle);
    for (int d = 0; d < 3; ++d) {
        c->place[i][d] += crowd_number(c, -0.3, 0.3);
        frame.t[d] = c->place[i][d];
    }
    return frame;
}

static void set_frame(crowd* c, uint32_t i, bool own, bool step) {
    abut_error error;
    const abut_frame from = abut_body_frame(c->scene, c->bodies[i]);
    const abut_frame to = draw_frame(c, i);
    must(step ? abut_body_set_frame_step(c->scene, c->bodies[i], &from, &to, &error)
              : abut_body_set_frame(c->scene, c->bodies[i], &to, &error),
         &error);
    if (own) {
        must(step ? abut_world_set_frame_step(c->world, i, &from, &to, &error)
                  : abut_world_set_frame(c->world, i, &to, &error),
             &error);
    }
}

void crowd_step(crowd* c) {
    abut_error error;
    for (uint32_t i = 0; i < c->count; ++i) {
        const bool own = crowd_owns(c, i);
        const uint32_t what = crowd_draw(c, 8);
        if (what <= 3) {
            set_state(c, i, own);
        }
        if (what == 3) {
            set_state(c, i, own);  // two states in one step
        }
        if (what == 2 || what == 4 || what == 5) {
            set_frame(c, i, own, what == 4);
        }
        if (what == 6) {
            must(abut_body_end_step(c->scene, c->bodies[i], &error), &error);
            if (own) {
                must(abut_world_end_step(c->world, i, &error), &error);
            }
        }
    }
}
