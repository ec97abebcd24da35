// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A query in slices: a budget of box tests a call, and a front that remembers where it stopped.
// The slices together give exactly what one call gives. The same front then serves the next
// step, which starts where the last one ended instead of at the roots.
#include <math.h>

#include "grid.h"

int main(void) {
    abut_error error;
    abut_context* context = NULL;
    abut_scene* scene = NULL;
    abut_collide_result* result = NULL;
    abut_front* front = NULL;
    need(abut_context_create(NULL, &context, &error), &error);
    need(abut_scene_create(context, NULL, &scene, &error), &error);
    need(abut_collide_result_create(context, &result, &error), &error);
    need(abut_front_create(context, &front, &error), &error);

    static grid sheet;
    grid_make(&sheet, 2, 0);
    abut_shape* shape = grid_shape(context, &sheet);
    abut_body_id flat;
    abut_body_id bowl;
    need(abut_body_create(scene, shape, NULL, &flat, &error), &error);
    for (int v = 0; v < GRID_VERTICES; ++v) {
        const double* p = sheet.xyz[v];
        sheet.xyz[v][2] = 0.8 * (p[0] * p[0] + p[1] * p[1]) - 0.3;
    }
    need(abut_body_create(scene, shape, NULL, &bowl, &error), &error);
    need(abut_body_set_positions(scene, bowl, grid_positions(&sheet), &error), &error);
    abut_shape_destroy(shape);

    size_t whole = 0;
    need(abut_collide(scene, flat, bowl, NULL, result, &error), &error);
    (void)abut_collide_result_pairs(result, &whole);

    abut_collide_def query = abut_collide_def_default();
    query.front = front;
    query.budget = 100;
    size_t sum = 0;
    abut_status status = ABUT_INCOMPLETE;
    for (int slice = 1; status == ABUT_INCOMPLETE; ++slice) {
        status = abut_collide(scene, flat, bowl, &query, result, NULL);
        size_t count = 0;
        (void)abut_collide_result_pairs(result, &count);
        sum += count;
        printf("slice %d: %3zu pairs, %zu places left to look at\n", slice, count,
               abut_front_pending(front));
    }
    need(status, NULL);
    printf("%zu pairs in slices, %zu in one go\n", sum, whole);

    // the next step, from the front
    abut_frame frame = abut_frame_identity();
    frame.t[2] = -0.05;
    need(abut_body_set_frame(scene, bowl, &frame, &error), &error);
    query.budget = 0;
    need(abut_collide(scene, flat, bowl, &query, result, &error), &error);
    size_t next = 0;
    (void)abut_collide_result_pairs(result, &next);
    printf("one step later: %zu pairs\n", next);

    abut_front_destroy(front);
    abut_collide_result_destroy(result);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return sum == whole && whole > 0 && next > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
