// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Point-based motion: a sheet that follows 25 nodes. A simulation gives the displacements of the
// nodes; moving least squares turn them into one transform a node, and the sheet blends these
// (blend motion). The middle of the sheet is pushed down until it touches the floor.
#include <math.h>

#include "grid.h"

#define SIDE 5  // nodes along a side
#define NODES (SIDE * SIDE)

static void make_nodes(double nodes[NODES][3]) {
    for (int n = 0; n < NODES; ++n) {
        nodes[n][0] = n % SIDE / (SIDE - 1.0) - 0.5;
        nodes[n][1] = n / SIDE / (SIDE - 1.0) - 0.5;
        nodes[n][2] = 0;
    }
}

// the sheet as a shape that follows the nodes
static abut_shape* make_shape(abut_context* context, const grid* sheet, const abut_mls* mls) {
    abut_error error;
    abut_mls_weights* weights = NULL;
    abut_shape* shape = NULL;
    abut_mesh* mesh = grid_mesh(context, sheet);
    need(abut_mls_weights_create(mls, grid_positions(sheet), &weights, &error), &error);
    abut_blend_def def = abut_blend_def_default();
    def.weights = abut_mls_weights_view(weights);  // copied
    need(abut_shape_create_blend(context, mesh, &def, &shape, &error), &error);
    abut_mls_weights_destroy(weights);
    abut_mesh_destroy(mesh);
    return shape;
}

int main(void) {
    abut_error error;
    abut_context* context = NULL;
    abut_scene* scene = NULL;
    abut_collide_result* result = NULL;
    need(abut_context_create(NULL, &context, &error), &error);
    need(abut_scene_create(context, NULL, &scene, &error), &error);
    need(abut_collide_result_create(context, &result, &error), &error);

    double nodes[NODES][3];
    make_nodes(nodes);
    abut_mls* mls = NULL;
    abut_mls_def cloud = abut_mls_def_default();
    cloud.nodes = abut_positions_f64(&nodes[0][0], NODES);
    cloud.flat = ABUT_MLS_FLAT_ROTATE;  // the nodes lie in a plane
    need(abut_mls_create(context, &cloud, &mls, &error), &error);

    static grid sheet;
    static grid floor;
    grid_make(&sheet, 1, 0);
    grid_make(&floor, 2, -0.3);
    abut_body_id body;
    abut_body_id ground;
    abut_shape* shape = make_shape(context, &sheet, mls);
    need(abut_body_create(scene, shape, NULL, &body, &error), &error);
    abut_shape_destroy(shape);
    shape = grid_shape(context, &floor);
    need(abut_body_create(scene, shape, NULL, &ground, &error), &error);
    abut_shape_destroy(shape);

    size_t first = 0;
    size_t last = 0;
    for (int step = 0; step <= 8; ++step) {
        double displacements[NODES][3] = {{0}};
        double transforms[12 * NODES];
        for (int n = 0; n < NODES; ++n) {
            const double r = hypot(nodes[n][0], nodes[n][1]);
            displacements[n][2] = -0.05 * step * exp(-8 * r * r);
        }
        need(abut_mls_transforms(mls, abut_positions_f64(&displacements[0][0], NODES), transforms,
                                 &error),
             &error);
        need(abut_body_set_transforms(scene, body, abut_transforms_f64(transforms, NODES), NULL, 0,
                                      &error),
             &error);
        need(abut_collide(scene, body, ground, NULL, result, &error), &error);
        (void)abut_collide_result_pairs(result, &last);
        first = step == 0 ? last : first;
        printf("pushed by %.2f: %zu pairs of triangles touch\n", 0.05 * step, last);
    }
    abut_mls_destroy(mls);
    abut_collide_result_destroy(result);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return first == 0 && last > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
