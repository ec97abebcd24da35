// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// One body: a sheet that rolls up until it meets itself. Triangles that share a vertex are
// neighbours and never reported; everything else that touches is. The counters show how few of
// the five million pairs of triangles were looked at.
#include <math.h>

#include "grid.h"

// rolls the sheet into a spiral whose radius shrinks by `tightness`
static void roll(const grid* flat, double tightness, grid* out) {
    for (int v = 0; v < GRID_VERTICES; ++v) {
        const double along = flat->xyz[v][0] + 1;  // 0..2
        const double angle = tightness * along * 4;
        const double radius = 0.4 - 0.12 * angle / 6.28;
        out->xyz[v][0] = radius * cos(angle);
        out->xyz[v][1] = flat->xyz[v][1];
        // a little askew, so that the windings cross
        out->xyz[v][2] = radius * sin(angle) + 0.08 * flat->xyz[v][1] * angle;
    }
}

int main(void) {
    abut_error error;
    abut_context* context = NULL;
    abut_scene* scene = NULL;
    abut_collide_result* result = NULL;
    need(abut_context_create(NULL, &context, &error), &error);
    need(abut_scene_create(context, NULL, &scene, &error), &error);
    need(abut_collide_result_create(context, &result, &error), &error);

    static grid flat;
    static grid rolled;
    grid_make(&flat, 2, 0);
    abut_shape* shape = grid_shape(context, &flat);
    abut_body_id sheet;
    need(abut_body_create(scene, shape, NULL, &sheet, &error), &error);
    abut_shape_destroy(shape);

    size_t count = 0;
    for (int step = 1; step <= 8; ++step) {
        roll(&flat, 0.2 * step, &rolled);
        need(abut_body_set_positions(scene, sheet, grid_positions(&rolled), &error), &error);
        abut_counters work = {0};
        abut_collide_def query = abut_collide_def_default();
        query.head.counters = &work;
        need(abut_collide_self(scene, sheet, &query, result, &error), &error);
        (void)abut_collide_result_pairs(result, &count);
        printf("step %d: %4zu pairs touch; %5llu exact tests, %5llu neighbours left out\n", step,
               count, (unsigned long long)work.exact_tests,
               (unsigned long long)work.pairs_adjacent);
    }
    abut_collide_result_destroy(result);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
