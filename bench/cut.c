// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A sheet that a blade cuts: see cut.h.
#include "bench/cut.h"

#include "bench/bench.h"
#include "motion/shape_tables.h"

#include <math.h>
#include <stdlib.h>

enum { CELLS = 128, SIDE = CELLS + 1, VERTICES = SIDE * SIDE, KEYS = 3, CUT_ROW = CELLS / 2 };

struct cut {
    float rest[VERTICES][3];
    float keys[KEYS][VERTICES][3];
    uint32_t triangles[2 * CELLS * CELLS][3];
};

// One way of playing.
typedef struct player {
    abut_context* context;
    abut_scene* scene;
    abut_collide_result* result;
    abut_shape* shape;  // of the sheet
    abut_body_id sheet;
    abut_body_id blade;
} player;

static void need(abut_status status, const abut_error* error) {
    if (status != ABUT_OK) {
        bench_die("the sheet cannot be cut: %s", error->message);
    }
}

static void put_vertex(cut* c, uint32_t i, uint32_t j) {
    const uint32_t v = i * SIDE + j;
    const double x = 2.0 * i / CELLS - 1;
    const double y = 2.0 * j / CELLS - 1;
    c->rest[v][0] = (float)x;
    c->rest[v][1] = (float)y;
    for (uint32_t k = 0; k < KEYS; ++k) {
        c->keys[k][v][0] = (float)x;
        c->keys[k][v][1] = (float)y;
        c->keys[k][v][2] = (float)(0.2 * sin(3 * x + k) * cos(2 * y));
    }
}

cut* cut_create(void) {
    cut* c = bench_alloc(1, sizeof *c);
    for (uint32_t i = 0; i < SIDE; ++i) {
        for (uint32_t j = 0; j < SIDE; ++j) {
            put_vertex(c, i, j);
        }
    }
    for (uint32_t cell = 0; cell < CELLS * CELLS; ++cell) {
        const uint32_t v = cell / CELLS * SIDE + cell % CELLS;
        const uint32_t corners[6] = {v, v + 1, v + SIDE + 1, v, v + SIDE + 1, v + SIDE};
        memcpy(c->triangles[2 * (size_t)cell], corners, sizeof corners);
    }
    return c;
}

void cut_destroy(cut* c) {
    free(c);
}

uint32_t cut_triangles(const cut* c) {
    return sizeof c->triangles / sizeof *c->triangles;
}

static abut_mesh* make_mesh(abut_context* context, abut_positions positions,
                            const uint32_t* triangles, size_t count) {
    abut_error error = {0};
    abut_mesh* mesh = NULL;
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = positions;
    def.triangles = triangles;
    def.triangle_count = count;
    need(abut_mesh_create(context, &def, &mesh, &error), &error);
    return mesh;
}

static void add_sheet(player* p, const cut* c, cut_way way) {
    abut_error error = {0};
    abut_keyframe keys[KEYS];
    for (uint32_t k = 0; k < KEYS; ++k) {
        keys[k] = (abut_keyframe){k, abut_positions_f32(&c->keys[k][0][0], VERTICES)};
    }
    abut_flight_def def = abut_flight_def_default();
    def.keyframes = keys;
    def.keyframe_count = KEYS;
    abut_mesh* mesh = make_mesh(p->context, abut_positions_f32(&c->rest[0][0], VERTICES),
                                &c->triangles[0][0], cut_triangles(c));
    need(abut_shape_create_flight(p->context, mesh, &def, &p->shape, &error), &error);
    abut_mesh_destroy(mesh);
    if (way == CUT_ANEW) {
        p->shape->tree_def.lasting = false;  // edited shapes inherit it
    }
    need(abut_body_create(p->scene, p->shape, NULL, &p->sheet, &error), &error);
}

// a thin box that stands in the row of the cut; its frame moves it along
static void add_blade(player* p) {
    static const uint32_t triangles[12][3] = {{0, 1, 2}, {1, 3, 2}, {4, 6, 5}, {5, 6, 7},
                                              {0, 4, 1}, {1, 4, 5}, {2, 3, 6}, {3, 7, 6},
                                              {0, 2, 4}, {2, 6, 4}, {1, 5, 3}, {3, 5, 7}};
    abut_error error = {0};
    float xyz[8][3];
    for (uint32_t v = 0; v < 8; ++v) {
        xyz[v][0] = (v & 1) != 0 ? 0.01F : 0.005F;
        xyz[v][1] = (v & 2) != 0 ? 0.1F : 0;
        xyz[v][2] = (v & 4) != 0 ? 0.5F : -0.5F;
    }
    abut_shape* shape = NULL;
    abut_mesh* mesh = make_mesh(p->context, abut_positions_f32(&xyz[0][0], 8), &triangles[0][0],
                                12);
    need(abut_shape_create(p->context, mesh, NULL, &shape, &error), &error);
    abut_mesh_destroy(mesh);
    need(abut_body_create(p->scene, shape, NULL, &p->blade, &error), &error);
    abut_shape_destroy(shape);
}

static player start(const cut* c, cut_way way) {
    abut_error error = {0};
    player p = {0};
    need(abut_context_create(bench_context_def(), &p.context, &error), &error);
    need(abut_scene_create(p.context, NULL, &p.scene, &error), &error);
    need(abut_collide_result_create(p.context, &p.result, &error), &error);
    add_sheet(&p, c, way);
    add_blade(&p);
    return p;
}

static void finish(player* p) {
    abut_shape_destroy(p->shape);
    abut_collide_result_destroy(p->result);
    abut_scene_destroy(p->scene);
    abut_context_destroy(p->context);
}

// removes the next triangles of the row
static void cut_on(player* p, uint32_t number) {
    abut_error error = {0};
    abut_shape* edited = NULL;
    uint32_t removed[CUT_TRIANGLES];
    for (uint32_t i = 0; i < CUT_TRIANGLES; ++i) {
        removed[i] = 2 * CUT_ROW * CELLS + CUT_TRIANGLES * number + i;
    }
    abut_shape_edit_def edit = abut_shape_edit_def_default();
    edit.removed_triangles = removed;
    edit.removed_triangle_count = CUT_TRIANGLES;
    need(abut_shape_edit(p->shape, &edit, &edited, NULL, &error), &error);
    need(abut_body_set_shape(p->scene, p->sheet, edited, (abut_positions){0}, &error), &error);
    abut_shape_destroy(p->shape);
    p->shape = edited;
}

static void move_on(player* p, uint32_t frame) {
    abut_error error = {0};
    abut_frame place = abut_frame_identity();
    place.t[1] = 2.0 * CUT_TRIANGLES / 2 * frame / CUT_EVERY / CELLS - 1;
    need(abut_body_set_frame(p->scene, p->blade, &place, &error), &error);
    need(abut_body_set_time(p->scene, p->sheet, (KEYS - 1.0) * frame / CUT_FRAMES, &error), &error);
}

static void query(player* p, cut_question question, abut_counters* counters) {
    abut_collide_def def = abut_collide_def_default();
    def.head.counters = counters;
    const abut_status status = question == CUT_ASK_WITHIN
                                   ? abut_collide_self(p->scene, p->sheet, &def, p->result, NULL)
                                   : abut_collide_all(p->scene, &def, p->result, NULL);
    if (status != ABUT_OK) {
        bench_die("a query about the sheet failed");
    }
}

static uint64_t hash_pairs(uint64_t hash, const player* p) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(p->result, &count);
    const unsigned char* bytes = (const unsigned char*)pairs;
    for (size_t i = 0; i < count * sizeof *pairs; ++i) {
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    }
    return (hash ^ count) * 0x100000001b3;
}

double cut_play(const cut* c, cut_way way, cut_question question, abut_counters* counters,
                uint64_t* hash) {
    player p = start(c, way);
    double ms = 0;
    *hash = 0xcbf29ce484222325;
    for (uint32_t frame = 0; frame < CUT_FRAMES; ++frame) {
        const double begin = bench_now(CLOCK_CPU);
        if (frame % CUT_EVERY == CUT_EVERY - 1) {
            cut_on(&p, frame / CUT_EVERY);
        }
        move_on(&p, frame);
        query(&p, question, counters);
        ms += bench_now(CLOCK_CPU) - begin;
        *hash = hash_pairs(*hash, &p);
    }
    finish(&p);
    return ms;
}
