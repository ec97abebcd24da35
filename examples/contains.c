// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Containment: which points are inside a closed surface, and whether a whole body is. The answer is
// exact: a point on the surface is said to be on it. A surface that is open has no inside.
#include <math.h>

#include "grid.h"

// a closed tetrahedron with its normals outwards
static abut_shape* make_tetrahedron(abut_context* context, double size) {
    const double xyz[4][3] = {{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {0, 0, size}};
    static const uint32_t triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    abut_error error;
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(&xyz[0][0], 4);
    def.triangles = &triangles[0][0];
    def.triangle_count = 4;
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    need(abut_mesh_create(context, &def, &mesh, &error), &error);
    need(abut_shape_create(context, mesh, NULL, &shape, &error), &error);
    abut_mesh_destroy(mesh);
    return shape;
}

static abut_body_id add(abut_scene* scene, abut_shape* shape, double at) {
    abut_error error;
    abut_body_id body;
    abut_body_def place = abut_body_def_default();
    place.frame.t[0] = place.frame.t[1] = place.frame.t[2] = at;
    need(abut_body_create(scene, shape, &place, &body, &error), &error);
    abut_shape_destroy(shape);
    return body;
}

int main(void) {
    static const char* const names[] = {"outside", "inside", "on the surface", "partly inside",
                                        "undefined"};
    abut_error error;
    abut_context* context = NULL;
    abut_scene* scene = NULL;
    abut_contains_result* result = NULL;
    need(abut_context_create(NULL, &context, &error), &error);
    need(abut_scene_create(context, NULL, &scene, &error), &error);
    need(abut_contains_result_create(context, &result, &error), &error);
    const abut_body_id outer = add(scene, make_tetrahedron(context, 1), 0);
    const abut_body_id inner = add(scene, make_tetrahedron(context, 0.25), 0.125);

    const double points[3][3] = {{0.25, 0.25, 0.25}, {1, 1, 1}, {0.5, 0.25, 0.25}};
    need(abut_contains_points(scene, outer, abut_positions_f64(&points[0][0], 3), NULL, result,
                              &error),
         &error);
    size_t count = 0;
    bool right = true;
    const abut_side* sides = abut_contains_result_sides(result, &count);
    const int32_t* windings = abut_contains_result_windings(result, NULL);
    for (size_t i = 0; i < count; ++i) {
        const double sum = points[i][0] + points[i][1] + points[i][2];
        printf("(%g, %g, %g) is %s, winding number %d\n", points[i][0], points[i][1], points[i][2],
               names[sides[i]], (int)windings[i]);
        right = right && sides[i] == (sum < 1   ? ABUT_SIDE_INSIDE
                                      : sum > 1 ? ABUT_SIDE_OUTSIDE
                                                : ABUT_SIDE_SURFACE);
    }
    need(abut_contains_body(scene, outer, inner, NULL, result, &error), &error);
    const abut_side side = abut_contains_result_sides(result, NULL)[0];
    printf("the small body is %s\n", names[side]);
    abut_contains_result_destroy(result);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return right && count == 3 && side == ABUT_SIDE_INSIDE ? EXIT_SUCCESS : EXIT_FAILURE;
}
