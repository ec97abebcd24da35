// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two bodies: a sheet that waves above a flat one and dips through it. In every step the new
// positions are set and all pairs of touching triangles are asked for, with the segments that
// they share.
#include <math.h>

#include "grid.h"

int main(void) {
    abut_error error;
    abut_context* context = NULL;
    abut_scene* scene = NULL;
    abut_collide_result* result = NULL;
    need(abut_context_create(NULL, &context, &error), &error);
    need(abut_scene_create(context, NULL, &scene, &error), &error);
    need(abut_collide_result_create(context, &result, &error), &error);

    static grid sheet;
    grid_make(&sheet, 2, 0);
    abut_shape* shape = grid_shape(context, &sheet);  // one shape, two bodies
    abut_body_id ground;
    abut_body_id wave;
    need(abut_body_create(scene, shape, NULL, &ground, &error), &error);
    need(abut_body_create(scene, shape, NULL, &wave, &error), &error);
    abut_shape_destroy(shape);

    abut_collide_def query = abut_collide_def_default();
    query.intersections = true;
    size_t most = 0;
    for (int step = 0; step < 20; ++step) {
        for (int v = 0; v < GRID_VERTICES; ++v) {
            sheet.xyz[v][2] = 0.35 + 0.4 * sin(3 * sheet.xyz[v][0] + 0.3 * step);
        }
        need(abut_body_set_positions(scene, wave, grid_positions(&sheet), &error), &error);
        need(abut_collide(scene, ground, wave, &query, result, &error), &error);

        size_t count = 0;
        const abut_pair* pairs = abut_collide_result_pairs(result, &count);
        const abut_intersection* shared = abut_collide_result_intersections(result, NULL);
        most = count > most ? count : most;
        if (count > 0) {
            printf("step %2d: %3zu pairs; the first: triangles %u and %u near (%.2f, %.2f, %.2f)\n",
                   step, count, pairs[0].triangle_a, pairs[0].triangle_b, shared[0].points[0][0],
                   shared[0].points[0][1], shared[0].points[0][2]);
        } else {
            printf("step %2d: nothing touches\n", step);
        }
    }
    abut_collide_result_destroy(result);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return most > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
