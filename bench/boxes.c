// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two boxes, moved by frames: see boxes.h.
#include "bench/boxes.h"

#include "bench/near.h"

#include <abut/abut.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char boxes_row_name[] = "two boxes vs FCL";

#ifdef BENCH_HAVE_FCL

enum { FRAMES = 1000, ROUNDS = 15 };

static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                      {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                      {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

typedef struct boxes {
    double rest[24];
    near_mesh meshes[2];
    double frames[FRAMES][2][12];
    void* fcl;
    abut_context* context;
    abut_scene* scene;
    abut_nearest_result* gaps;
    abut_body_id bodies[2];
} boxes;

static void require(abut_status status) {
    if (status != ABUT_OK) {
        bench_die("abut: %s", abut_status_text(status));
    }
}

// Rotated about two axes, and passing each other.
static void place(double frame[12], double angle, double x, double y) {
    const double c = cos(angle);
    const double s = sin(angle);
    const double d = cos(0.7 * angle);
    const double e = sin(0.7 * angle);
    const double rows[12] = {c, -s * d, s * e, x, s, c * d, -c * e, y, 0, e, d, 0.1 * x};
    memcpy(frame, rows, sizeof rows);
}

static void make_abut(boxes* b) {
    abut_mesh_def def = abut_mesh_def_default();
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    def.positions = abut_positions_f64(b->rest, 8);
    def.triangles = &faces[0][0];
    def.triangle_count = 12;
    require(abut_context_create(bench_context_def(), &b->context, NULL));
    require(abut_scene_create(b->context, NULL, &b->scene, NULL));
    require(abut_nearest_result_create(b->context, &b->gaps, NULL));
    require(abut_mesh_create(b->context, &def, &mesh, NULL));
    require(abut_shape_create_modal(b->context, mesh, NULL, &shape, NULL));
    for (int i = 0; i < 2; ++i) {
        require(abut_body_create(b->scene, shape, NULL, &b->bodies[i], NULL));
    }
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
}

static boxes* boxes_make(void) {
    boxes* b = bench_alloc(1, sizeof *b);
    for (int v = 0; v < 8; ++v) {
        b->rest[3 * v] = (v & 1) != 0 ? 0.5 : -0.5;
        b->rest[3 * v + 1] = (v & 2) != 0 ? 0.4 : -0.4;
        b->rest[3 * v + 2] = (v & 4) != 0 ? 0.3 : -0.3;
    }
    for (int i = 0; i < 2; ++i) {
        b->meshes[i] = (near_mesh){8, 12, &faces[0][0], b->rest, true};
    }
    for (int f = 0; f < FRAMES; ++f) {
        const double time = (double)f / FRAMES;
        place(b->frames[f][0], 5 * time, -1.5 + 3 * time, 0.75);
        place(b->frames[f][1], 2 - 7 * time, 1.5 - 3 * time, -0.75);
    }
    b->fcl = near_fcl_rigid_create(b->meshes);
    make_abut(b);
    return b;
}

static void boxes_free(boxes* b) {
    near_fcl_rigid_destroy(b->fcl);
    abut_nearest_result_destroy(b->gaps);
    abut_scene_destroy(b->scene);
    abut_context_destroy(b->context);
    free(b);
}

static double ask_abut(boxes* b, int f) {
    for (int i = 0; i < 2; ++i) {
        abut_frame frame;
        for (int r = 0; r < 3; ++r) {
            memcpy(frame.r[r], b->frames[f][i] + 4 * r, sizeof frame.r[r]);
            frame.t[r] = b->frames[f][i][4 * r + 3];
        }
        require(abut_body_set_frame(b->scene, b->bodies[i], &frame, NULL));
    }
    require(abut_nearest(b->scene, b->bodies[0], b->bodies[1], NULL, b->gaps, NULL));
    return abut_nearest_result_pairs(b->gaps, NULL)->distance;
}

void boxes_run(const bench_options* options, bench_report* report) {
    double ms[2][ROUNDS];
    boxes* b = boxes_make();
    bench_row row = {.at_least = 1, .aim = 3, .same_answer = true};
    (void)options;
    for (int f = 0; f < FRAMES; ++f) {
        const double error = ask_abut(b, f) - near_fcl_rigid_ask(b->fcl, b->frames[f]);
        row.same_answer = row.same_answer && fabs(error) < 1e-9;
    }
    for (int round = 0; round < ROUNDS; ++round) {
        const double start = bench_now(CLOCK_CPU);
        for (int f = 0; f < FRAMES; ++f) {
            ask_abut(b, f);
        }
        const double middle = bench_now(CLOCK_CPU);
        for (int f = 0; f < FRAMES; ++f) {
            near_fcl_rigid_ask(b->fcl, b->frames[f]);
        }
        ms[0][round] = (middle - start) / FRAMES;
        ms[1][round] = (bench_now(CLOCK_CPU) - middle) / FRAMES;
    }
    row.ours_ms = bench_median(ms[0], ROUNDS);
    row.other_ms = bench_median(ms[1], ROUNDS);
    row.ratio = row.other_ms / row.ours_ms;
    snprintf(row.name, sizeof row.name, "%s", boxes_row_name);
    snprintf(row.other, sizeof row.other, "FCL RSS");
    bench_report_add(report, &row);
    boxes_free(b);
}

#else

void boxes_run(const bench_options* options, bench_report* report) {
    (void)options;
    bench_report_note(report, "%s: left out, FCL is not built in.", boxes_row_name);
}

#endif
