// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Curves as bodies: strands of hair above a sheet. Gravity pulls them down; a sweep finds when the
// first of them would pass through the sheet. A segment is a triangle with two equal corners, so all
// queries take it.
#include <math.h>

#include "grid.h"

#define STRANDS 50
#define POINTS 12  // of a strand
#define SEGMENTS (POINTS - 1)

static double strand[STRANDS * POINTS][3];
static uint32_t segments[STRANDS * SEGMENTS][2];

// strands that stand at random places on the level z = 0.5, each a helix
static void make_strands(void) {
    for (uint32_t s = 0; s < STRANDS; ++s) {
        for (uint32_t k = 0; k < POINTS; ++k) {
            double* p = strand[s * POINTS + k];
            p[0] = 0.4 * sin(2.4 * s) + 0.03 * cos(k);
            p[1] = 0.4 * cos(1.7 * s) + 0.03 * sin(k);
            p[2] = 0.5 + 0.02 * k;
            if (k > 0) {
                segments[s * SEGMENTS + k - 1][0] = s * POINTS + k - 1;
                segments[s * SEGMENTS + k - 1][1] = s * POINTS + k;
            }
        }
    }
}

static abut_positions strand_positions(void) {
    return abut_positions_f64(&strand[0][0], STRANDS * POINTS);
}

static abut_shape* strand_shape(abut_context* context) {
    abut_error error;
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = strand_positions();
    def.segments = &segments[0][0];
    def.segment_count = STRANDS * SEGMENTS;
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    need(abut_mesh_create(context, &def, &mesh, &error), &error);
    need(abut_shape_create(context, mesh, NULL, &shape, &error), &error);
    abut_mesh_destroy(mesh);
    return shape;
}

int main(void) {
    abut_error error;
    abut_context* context = NULL;
    abut_scene* scene = NULL;
    abut_sweep_result* swept = NULL;
    need(abut_context_create(NULL, &context, &error), &error);
    need(abut_scene_create(context, NULL, &scene, &error), &error);
    need(abut_sweep_result_create(context, &swept, &error), &error);

    static grid sheet;
    grid_make(&sheet, 1, 0);
    make_strands();
    abut_shape* shapes[2] = {strand_shape(context), grid_shape(context, &sheet)};
    abut_body_id bodies[2];
    for (int i = 0; i < 2; ++i) {
        need(abut_body_create(scene, shapes[i], NULL, &bodies[i], &error), &error);
        abut_shape_destroy(shapes[i]);
    }
    need(abut_body_set_positions(scene, bodies[0], strand_positions(), &error), &error);
    for (int v = 0; v < STRANDS * POINTS; ++v) {
        strand[v][2] -= 1;
    }
    need(abut_body_set_positions(scene, bodies[0], strand_positions(), &error), &error);
    need(abut_sweep(scene, bodies[0], bodies[1], NULL, swept, &error), &error);
    size_t count = 0;
    (void)abut_sweep_result_pairs(swept, &count);
    const double time = abut_sweep_result_time_of_impact(swept);
    printf("%d strands fall by 1: %zu contacts with the sheet, the first at time %.3f\n", STRANDS,
           count, time);
    abut_sweep_result_destroy(swept);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return time > 0.49 && time <= 0.5 ? EXIT_SUCCESS : EXIT_FAILURE;
}
