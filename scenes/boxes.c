// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Many boxes of twelve triangles, each a body of its own, that turn in a dense heap and cut into
// their neighbours.

#include <math.h>
#include <string.h>

#include "scenes/scenes_internal.h"

#define BOX_TRIANGLES 12
#define BOX_VERTICES 8
#define NUMBERS 8  // random ones of each box

typedef struct boxes_data {
    uint32_t side;  // boxes along each axis
    uint32_t seed;
    double room;  // space of each box
} boxes_data;

static const uint32_t faces[BOX_TRIANGLES][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                                 {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                                 {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static void boxes_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const boxes_data* data = s->data;
    const double* rest = s->bodies[body].rest;
    const double time = scene__time(s, frame);
    const uint32_t slot[3] = {body % data->side, body / data->side % data->side,
                              body / data->side / data->side};
    const uint32_t first = NUMBERS * body;
    const double angle = scene__random_in(data->seed, first + 2, 0.0, 2.0 * SCENE_PI);
    double axis[3];
    double r[3][3];
    scene__random_direction(data->seed, first, axis);
    scene__rotation(axis, angle + 2.0 * time, r);
    for (size_t i = 0; i < 3 * (size_t)BOX_VERTICES; i += 3) {
        for (size_t d = 0; d < 3; ++d) {
            xyz[i + d] = data->room * ((double)slot[d] + 0.2 * sin(angle + 3.0 * time)) +
                         (r[d][0] * rest[i] + r[d][1] * rest[i + 1] + r[d][2] * rest[i + 2]);
        }
    }
}

static bool make_box(scene* s, const boxes_data* data, uint32_t body, scene_mesh* mesh) {
    if (!scene__mesh_alloc(s, mesh, BOX_VERTICES, BOX_TRIANGLES)) {
        return false;
    }
    memcpy(mesh->triangles, faces, sizeof faces);
    for (uint32_t d = 0; d < 3; ++d) {
        const double half = data->room *
                            scene__random_in(data->seed, NUMBERS * body + 3 + d, 0.25, 0.45);
        for (uint32_t v = 0; v < BOX_VERTICES; ++v) {
            mesh->rest[3 * v + d] = (v >> d & 1) != 0 ? half : -half;
        }
    }
    return true;
}

void scene__make_boxes(scene* s, const scene_wish* wish) {
    boxes_data* data = scene__alloc(s, 1, sizeof *data);
    const uint32_t wanted = wish->triangles / BOX_TRIANGLES;
    const uint32_t count = wanted > 0 ? wanted : 1;
    if (data == NULL) {
        return;
    }
    data->side = (uint32_t)ceil(cbrt((double)count) - 1e-9);
    data->seed = wish->seed;
    data->room = 1.0 / data->side;
    s->data = data;
    s->positions = boxes_positions;
    for (uint32_t body = 0; body < count; ++body) {
        scene_mesh mesh;
        if (!make_box(s, data, body, &mesh)) {
            return;
        }
        scene__add_body(s, "box", &mesh, true, true);
    }
}
