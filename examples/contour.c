// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Along which lines do two surfaces intersect? A flat sheet cuts a waving one. In every step the
// pairs of triangles that touch are chained to contours, and the lengths of these are summed up.
#include <math.h>

#include "grid.h"

static void set_wave(grid* sheet, int step) {
    for (int v = 0; v < GRID_VERTICES; ++v) {
        sheet->xyz[v][2] = 0.3 * sin(3 * sheet->xyz[v][0] + 0.3 * step + 0.1);
    }
}

static double length_of(const abut_contour* contour, const abut_contour_point* points) {
    double length = 0;
    for (uint32_t i = 0; i < contour->segment_count; ++i) {
        const double* p = points[contour->first_point + i].position;
        const double* q = points[contour->first_point + (i + 1) % contour->point_count].position;
        length += sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                       (p[2] - q[2]) * (p[2] - q[2]));
    }
    return length;
}

int main(void) {
    abut_error error;
    abut_context* context = NULL;
    abut_scene* scene = NULL;
    abut_collide_result* touching = NULL;
    abut_contour_result* result = NULL;
    abut_body_id flat;
    abut_body_id waving;
    static grid sheet;
    need(abut_context_create(NULL, &context, &error), &error);
    need(abut_scene_create(context, NULL, &scene, &error), &error);
    need(abut_collide_result_create(context, &touching, &error), &error);
    need(abut_contour_result_create(context, &result, &error), &error);
    grid_make(&sheet, 2, 0);
    abut_shape* shape = grid_shape(context, &sheet);
    need(abut_body_create(scene, shape, NULL, &flat, &error), &error);
    need(abut_body_create(scene, shape, NULL, &waving, &error), &error);
    abut_shape_destroy(shape);

    bool right = true;
    for (int step = 0; step < 5; ++step) {
        size_t pair_count = 0;
        size_t count = 0;
        double length = 0;
        set_wave(&sheet, step);
        need(abut_body_set_positions(scene, waving, grid_positions(&sheet), &error), &error);
        need(abut_collide(scene, flat, waving, NULL, touching, &error), &error);
        const abut_pair* pairs = abut_collide_result_pairs(touching, &pair_count);
        need(abut_contour_trace(scene, pairs, pair_count, NULL, result, &error), &error);
        const abut_contour* contours = abut_contour_result_contours(result, &count);
        const abut_contour_point* points = abut_contour_result_points(result, NULL);
        for (size_t i = 0; i < count; ++i) {
            length += length_of(&contours[i], points);
            right = right && contours[i].ends[0] == ABUT_CONTOUR_END_BORDER_A;
        }
        printf("step %d: %zu pairs, %zu contours, %.6f long\n", step, pair_count, count, length);
        right = right && count > 0;
    }

    abut_contour_result_destroy(result);
    abut_collide_result_destroy(touching);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
