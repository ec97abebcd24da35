// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A ball sinks into a block; in every step it is pushed out along the shortest way, by half of it.
#include <abut/abut.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RINGS = 16, SECTORS = 24 };

static void check(abut_status status) {
    if (status != ABUT_OK) {
        fprintf(stderr, "status %d\n", (int)status);
        exit(1);
    }
}

static abut_body_id add(abut_context* context, abut_scene* scene, const double* xyz,
                        size_t vertices, const uint32_t* triangles, size_t count) {
    abut_mesh_def def = abut_mesh_def_default();
    abut_mesh* mesh;
    abut_shape* shape;
    abut_body_id body;
    def.positions = abut_positions_f64(xyz, vertices);
    def.triangles = triangles;
    def.triangle_count = count;
    check(abut_mesh_create(context, &def, &mesh, NULL));
    check(abut_shape_create(context, mesh, NULL, &shape, NULL));
    check(abut_body_create(scene, shape, NULL, &body, NULL));
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
    return body;
}

// a ball of radius 0.5 about the origin
static abut_body_id add_ball(abut_context* context, abut_scene* scene) {
    static double xyz[(RINGS - 1) * SECTORS + 2][3];
    static uint32_t triangles[2 * (RINGS - 1) * SECTORS][3];
    const double pi = acos(-1.0);
    const uint32_t south = (RINGS - 1) * SECTORS;
    const uint32_t north = south + 1;
    uint32_t count = 0;
    for (uint32_t r = 0; r + 1 < RINGS; ++r) {
        const double up = pi * ((r + 1.0) / RINGS - 0.5);
        for (uint32_t s = 0; s < SECTORS; ++s) {
            double* p = xyz[r * SECTORS + s];
            p[0] = 0.5 * cos(up) * cos(2 * pi * s / SECTORS);
            p[1] = 0.5 * cos(up) * sin(2 * pi * s / SECTORS);
            p[2] = 0.5 * sin(up);
        }
    }
    xyz[south][2] = -0.5;
    xyz[north][2] = 0.5;
    for (uint32_t r = 0; r < RINGS; ++r) {
        for (uint32_t s = 0; s < SECTORS; ++s) {
            const uint32_t t = (s + 1) % SECTORS;
            const uint32_t a = r > 0 ? (r - 1) * SECTORS + s : south;
            const uint32_t b = r > 0 ? (r - 1) * SECTORS + t : south;
            const uint32_t c = r + 1 < RINGS ? r * SECTORS + t : north;
            const uint32_t d = r + 1 < RINGS ? r * SECTORS + s : north;
            const uint32_t both[2][3] = {{a, b, c}, {a, c, d}};
            for (int k = r == 0 ? 1 : 0; k < (r + 1 < RINGS ? 2 : 1); ++k) {
                for (int i = 0; i < 3; ++i) {
                    triangles[count][i] = both[k][i];
                }
                ++count;
            }
        }
    }
    return add(context, scene, xyz[0], north + 1, triangles[0], count);
}

static abut_body_id add_block(abut_context* context, abut_scene* scene) {
    static const double xyz[8][3] = {{-2, -2, -2}, {2, -2, -2}, {-2, 2, -2}, {2, 2, -2},
                                     {-2, -2, 0},  {2, -2, 0},  {-2, 2, 0},  {2, 2, 0}};
    static const uint32_t triangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                              {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                              {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    return add(context, scene, xyz[0], 8, triangles[0], 12);
}

int main(void) {
    abut_context* context;
    abut_scene* scene;
    abut_depth_result* depths;
    check(abut_context_create(NULL, &context, NULL));
    check(abut_scene_create(context, NULL, &scene, NULL));
    check(abut_depth_result_create(context, &depths, NULL));
    const abut_body_id ball = add_ball(context, scene);
    const abut_body_id block = add_block(context, scene);
    abut_frame frame = abut_frame_identity();
    frame.t[2] = 0.2;  // 0.3 too deep

    for (int step = 0; step < 8; ++step) {
        size_t count;
        check(abut_body_set_frame(scene, ball, &frame, NULL));
        check(abut_depth(scene, ball, block, NULL, depths, NULL));
        const abut_region* region = abut_depth_result_regions(depths, &count);
        if (count == 0) {
            printf("step %d: free\n", step);
            break;
        }
        printf("step %d: region %u, depth %.4f (at least %.4f), out along %+.3f %+.3f %+.3f\n",
               step, region->id, region->depth, region->lower, region->direction[0],
               region->direction[1], region->direction[2]);
        for (int d = 0; d < 3; ++d) {
            frame.t[d] += 0.5 * region->depth * region->direction[d];
        }
    }
    abut_depth_result_destroy(depths);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return 0;
}
