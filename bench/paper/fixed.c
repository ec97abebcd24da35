// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The cost of a step without contacts: new coordinates, and a query that ends at the roots.
#include "bench/paper/paper.h"
#include "bench/paper/tree.h"
#include "bench/reduced.h"

enum { ROUNDS = 11, STEPS = 20000 };

typedef enum step { STEP_STATE, STEP_FRAME, STEP_COLLIDE, STEP_COLLIDE_ALL, STEPS_KINDS } step;

typedef struct world {
    abut_scene* scene;
    abut_collide_result* result;
    abut_body_id curtain;
    abut_body_id ball;
    double q[2][64];
    uint32_t fields;
} world;

static void take(world* w, step what, uint32_t k) {
    abut_frame far = abut_frame_identity();
    far.t[1] = 100 + k % 2;
    reduced_need(abut_body_set_coordinates(w->scene, w->curtain, w->q[k % 2], w->fields, NULL),
                 NULL);
    if (what >= STEP_FRAME) {
        reduced_need(abut_body_set_frame(w->scene, w->ball, &far, NULL), NULL);
    }
    if (what == STEP_COLLIDE) {
        reduced_need(abut_collide(w->scene, w->curtain, w->ball, NULL, w->result, NULL), NULL);
    } else if (what == STEP_COLLIDE_ALL) {
        reduced_need(abut_collide_all(w->scene, NULL, w->result, NULL), NULL);
    }
}

static double time_of(world* w, step what) {
    double ms[ROUNDS];
    for (int r = 0; r < ROUNDS; ++r) {
        const double start = bench_now(CLOCK_CPU);
        for (uint32_t k = 0; k < STEPS; ++k) {
            take(w, what, k);
        }
        ms[r] = bench_now(CLOCK_CPU) - start;
    }
    return 1e6 * bench_median(ms, ROUNDS) / STEPS;
}

void paper_make_fixed(const bench_options* options, bench_report* report, const char* name) {
    static const char* const names[STEPS_KINDS] = {"set 12 coordinates", "and a frame",
                                                   "and collide, far apart",
                                                   "and collide all, far apart"};
    scene* s = paper_scene("curtain", 12020, 0, options->seed, 12);
    world w = {.fields = scene_get_body(s, 0)->field_count};
    abut_context* context = NULL;
    const reduced_def def = reduced_def_default(ABUT_MOTION_MODAL);
    reduced_need(abut_context_create(bench_context_def(), &context, NULL), NULL);
    reduced_need(abut_scene_create(context, NULL, &w.scene, NULL), NULL);
    reduced_need(abut_collide_result_create(context, &w.result, NULL), NULL);
    abut_shape* curtain = reduced_make_shape(context, scene_get_body(s, 0), &def);
    abut_shape* ball = reduced_make_shape(context, scene_get_body(s, 1), &def);
    reduced_need(abut_body_create(w.scene, curtain, NULL, &w.curtain, NULL), NULL);
    reduced_need(abut_body_create(w.scene, ball, NULL, &w.ball, NULL), NULL);
    scene_coordinates(s, 0, 10, w.q[0]);
    scene_coordinates(s, 0, 11, w.q[1]);
    bench_table* table = bench_report_table(report, "<step|ns", name);
    for (int k = 0; k < STEPS_KINDS; ++k) {
        bench_table_cell(table, "%s", names[k]);
        bench_table_cell(table, "%.0f", time_of(&w, (step)k));
    }
    abut_shape_destroy(curtain);
    abut_shape_destroy(ball);
    abut_collide_result_destroy(w.result);
    abut_scene_destroy(w.scene);
    abut_context_destroy(context);
    scene_destroy(s);
}
