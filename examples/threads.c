// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// More than one thread: a pool runs the tasks of a context, and the answer is the same as on one
// thread. Link abut::threads besides abut::abut.
#include <abut/threads.h>

#include "grid.h"

// counts the pairs of a sheet that crosses another
static size_t count_pairs(const abut_context_def* def) {
    abut_error error;
    abut_context* context = NULL;
    abut_scene* scene = NULL;
    abut_collide_result* result = NULL;
    need(abut_context_create(def, &context, &error), &error);
    need(abut_scene_create(context, NULL, &scene, &error), &error);
    need(abut_collide_result_create(context, &result, &error), &error);
    abut_body_id bodies[2];
    for (int i = 0; i < 2; ++i) {
        static grid sheet;
        grid_make(&sheet, 1, 0);
        abut_shape* shape = grid_shape(context, &sheet);
        abut_body_def body = abut_body_def_default();
        if (i == 1) {  // turned about the x axis by a right angle
            body.frame = (abut_frame){{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}, {0, 0.01, 0}};
        }
        need(abut_body_create(scene, shape, &body, &bodies[i], &error), &error);
        abut_shape_destroy(shape);
    }
    need(abut_collide(scene, bodies[0], bodies[1], NULL, result, &error), &error);
    size_t pairs = 0;
    (void)abut_collide_result_pairs(result, &pairs);
    abut_collide_result_destroy(result);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return pairs;
}

int main(void) {
    abut_error error;
    abut_threads* threads = NULL;
    need(abut_threads_create(0, &threads, &error), &error);
    abut_context_def def = abut_context_def_default();
    def.tasks = abut_threads_tasks(threads);

    const size_t alone = count_pairs(NULL);
    const size_t together = count_pairs(&def);
    printf("%zu pairs on one thread, %zu on %u\n", alone, together, def.tasks.workers);
    abut_threads_destroy(threads);  // after the context
    return alone > 0 && alone == together ? 0 : 1;
}
