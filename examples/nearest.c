// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How far is it? A waving sheet sinks towards a flat one, with a third one far above. In every step the
// distance of the two lower ones is asked for, with the points where they are closest; then, once, the
// closest other sheet of each, and whether anything is nearer than a given distance.
#include <math.h>

#include "grid.h"

static void set_wave(grid* sheet, int step) {
    for (int v = 0; v < GRID_VERTICES; ++v) {
        sheet->xyz[v][2] = 1.05 - 0.05 * step + 0.3 * sin(3 * sheet->xyz[v][0] + 0.3 * step);
    }
}

static void print_pair(const abut_distance_pair* pair) {
    printf("sheets %u and %u: %.6f apart, at (%.2f, %.2f, %.2f) and (%.2f, %.2f, %.2f)\n",
           pair->body_a, pair->body_b, pair->distance, pair->a.point[0], pair->a.point[1],
           pair->a.point[2], pair->b.point[0], pair->b.point[1], pair->b.point[2]);
}

int main(void) {
    abut_error error;
    abut_context* context = NULL;
    abut_scene* scene = NULL;
    abut_nearest_result* nearest = NULL;  // remembers what was closest: the next step starts there
    abut_nearest_result* all = NULL;      // another question, another result
    abut_within_result* within = NULL;
    need(abut_context_create(NULL, &context, &error), &error);
    need(abut_scene_create(context, NULL, &scene, &error), &error);
    need(abut_nearest_result_create(context, &nearest, &error), &error);
    need(abut_nearest_result_create(context, &all, &error), &error);
    need(abut_within_result_create(context, &within, &error), &error);

    static grid sheet;
    grid_make(&sheet, 2, 0);
    abut_shape* shape = grid_shape(context, &sheet);
    abut_body_id body[3];
    abut_body_def place = abut_body_def_default();
    for (int b = 0; b < 3; ++b) {
        place.frame.t[2] = b == 2 ? 5 : 0;
        need(abut_body_create(scene, shape, &place, &body[b], &error), &error);
    }
    abut_shape_destroy(shape);

    double least = INFINITY;
    for (int step = 0; step < 20; ++step) {
        set_wave(&sheet, step);
        need(abut_body_set_positions(scene, body[1], grid_positions(&sheet), &error), &error);
        need(abut_nearest(scene, body[0], body[1], NULL, nearest, &error), &error);
        const abut_distance_pair* pair = abut_nearest_result_pairs(nearest, NULL);
        least = pair->distance < least ? pair->distance : least;
        printf("step %2d: ", step);
        print_pair(pair);
    }
    size_t count = 0;
    need(abut_nearest_all(scene, NULL, all, &error), &error);
    const abut_distance_pair* list = abut_nearest_result_pairs(all, &count);
    printf("the closest other sheet of each:\n");
    for (size_t i = 0; i < count; ++i) {
        print_pair(&list[i]);
    }
    abut_nearest_def near = abut_nearest_def_default();
    near.max_distance = 0.5;
    near.any = true;
    need(abut_nearest(scene, body[1], body[2], &near, nearest, &error), &error);
    printf("anything within 0.5 of the upper sheet: %s\n",
           abut_nearest_result_found(nearest) ? "yes" : "no");

    abut_within_def limit = abut_within_def_default();
    limit.distance = 0.01;
    size_t near_count = 0;
    need(abut_within(scene, body[0], body[1], &limit, within, &error), &error);
    (void)abut_within_result_pairs(within, &near_count);
    printf("%zu pairs of triangles of the lower sheets are within 0.01 of each other\n",
           near_count);

    abut_nearest_result_destroy(nearest);
    abut_within_result_destroy(within);
    abut_nearest_result_destroy(all);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return least == 0 && count == 3 && near_count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
