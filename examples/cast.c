// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What does the mouse point at? Two waving sheets lie above each other. In every step a ray from above
// is cast at both; the first triangle that it meets is picked, and then all of them are listed in
// order. A ray through a vertex meets all triangles around it.
#include <math.h>

#include "grid.h"

static void set_wave(grid* sheet, int step) {
    for (int v = 0; v < GRID_VERTICES; ++v) {
        sheet->xyz[v][2] = 0.3 * sin(3 * sheet->xyz[v][0] + 0.3 * step);
    }
}

static void print_hit(const abut_ray_hit* hit) {
    printf("  triangle %u of sheet %u at t = %.6f, weights %.3f %.3f %.3f, from the %s\n",
           hit->triangle, hit->body, hit->t, hit->weights[0], hit->weights[1], hit->weights[2],
           hit->side == ABUT_RAY_SIDE_FRONT ? "front" : "back");
}

int main(void) {
    abut_error error;
    abut_context* context = NULL;
    abut_scene* scene = NULL;
    abut_cast_result* picked = NULL;  // keeps a tree over the bodies from pick to pick
    need(abut_context_create(NULL, &context, &error), &error);
    need(abut_scene_create(context, NULL, &scene, &error), &error);
    need(abut_cast_result_create(context, &picked, &error), &error);

    static grid sheet;
    grid_make(&sheet, 2, 0);
    abut_shape* shape = grid_shape(context, &sheet);
    abut_body_id body[2];
    abut_body_def place = abut_body_def_default();
    for (int b = 0; b < 2; ++b) {
        place.frame.t[2] = -b;
        need(abut_body_create(scene, shape, &place, &body[b], &error), &error);
    }
    abut_shape_destroy(shape);

    const double eye[3] = {0.1, -0.2, 5};
    const double way[3] = {0.02, 0.05, -1};
    size_t count = 0;
    for (int step = 0; step < 5; ++step) {
        set_wave(&sheet, step);
        need(abut_body_set_positions(scene, body[0], grid_positions(&sheet), &error), &error);
        need(abut_cast_all(scene, abut_rays_f64(eye, way, 1), NULL, picked, &error), &error);
        const abut_ray_hit* hit = abut_cast_result_hits(picked, &count);
        printf("step %d:\n", step);
        if (count > 0) {
            print_hit(hit);
        }
    }

    // straight down through a vertex of both sheets
    const double above[3] = {sheet.xyz[GRID_VERTICES / 2][0], sheet.xyz[GRID_VERTICES / 2][1], 5};
    const double below[3] = {above[0], above[1], -5};
    abut_cast_def def = abut_cast_def_default();
    def.mode = ABUT_CAST_ALL;
    need(abut_cast_all(scene, abut_rays_segments(above, below, 1), &def, picked, &error), &error);
    const abut_ray_hit* hits = abut_cast_result_hits(picked, &count);
    printf("through a vertex:\n");
    for (size_t i = 0; i < count; ++i) {
        print_hit(&hits[i]);
    }

    abut_cast_result_destroy(picked);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return count >= 2 ? 0 : 1;
}
