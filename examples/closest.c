// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Which point of a moving sheet is closest? A sheet waves; in every step the closest points of a
// batch of points above it are asked for, each time starting from the last answer. Then, once, the
// three closest triangles of a point, and all triangles within a distance of it.
#include <math.h>

#include "grid.h"

enum { POINTS = 1000 };

static void set_wave(grid* sheet, int step) {
    for (int v = 0; v < GRID_VERTICES; ++v) {
        sheet->xyz[v][2] = 0.3 * sin(3 * sheet->xyz[v][0] + 0.3 * step);
    }
}

int main(void) {
    abut_error error;
    abut_context* context = NULL;
    abut_scene* scene = NULL;
    abut_closest_result* closest = NULL;
    abut_body_id body;
    static grid sheet;
    static double points[POINTS][3];
    need(abut_context_create(NULL, &context, &error), &error);
    need(abut_scene_create(context, NULL, &scene, &error), &error);
    need(abut_closest_result_create(context, &closest, &error), &error);
    grid_make(&sheet, 2, 0);
    abut_shape* shape = grid_shape(context, &sheet);
    need(abut_body_create(scene, shape, NULL, &body, &error), &error);
    abut_shape_destroy(shape);
    for (int i = 0; i < POINTS; ++i) {
        points[i][0] = sin(2.4 * i);
        points[i][1] = cos(5.1 * i);
        points[i][2] = 0.2 + 0.001 * i;
    }
    const abut_positions batch = abut_positions_f64(&points[0][0], POINTS);

    bool right = true;
    for (int step = 0; step < 5; ++step) {
        size_t count = 0;
        double least = INFINITY;
        set_wave(&sheet, step);
        need(abut_body_set_positions(scene, body, grid_positions(&sheet), &error), &error);
        need(abut_closest(scene, body, batch, NULL, closest, &error), &error);
        const abut_closest_point* rows = abut_closest_result_points(closest, &count);
        for (size_t i = 0; i < count; ++i) {
            least = rows[i].distance < least ? rows[i].distance : least;
        }
        printf("step %d: the nearest of %zu points is %.6f away\n", step, count, least);
        right = right && count == POINTS && least < 1;
    }

    size_t count = 0;
    abut_closest_def def = abut_closest_def_default();
    const abut_positions one = abut_positions_f64(points[7], 1);
    def.most = 3;
    need(abut_closest_all(scene, one, &def, closest, &error), &error);
    const abut_closest_point* rows = abut_closest_result_points(closest, &count);
    for (size_t i = 0; i < count; ++i) {
        const double* p = rows[i].nearest.point;
        printf("triangle %u: %.6f away, at (%.3f, %.3f, %.3f)\n", rows[i].triangle,
               rows[i].distance, p[0], p[1], p[2]);
    }
    right = right && count == 3;
    def.most = 0;  // all of them
    def.max_distance = 0.5;
    need(abut_closest_all(scene, one, &def, closest, &error), &error);
    (void)abut_closest_result_points(closest, &count);
    printf("%zu triangles are within 0.5 of the point\n", count);
    right = right && count > 3;

    abut_closest_result_destroy(closest);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
