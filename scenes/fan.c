// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A fan: all triangles have one vertex in common, and the rim waves. No two triangles that share no
// vertex touch, because there are none.

#include <math.h>

#include "scenes/scenes_internal.h"

typedef struct fan_data {
    uint32_t count;
    double phase;
} fan_data;

static void fan_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const fan_data* data = s->data;
    const double time = scene__time(s, frame);
    (void)body;
    xyz[0] = xyz[1] = 0.0;
    xyz[2] = 0.3 * time;
    for (uint32_t i = 0; i < data->count; ++i) {
        const double angle = 2.0 * SCENE_PI * i / data->count;
        double* p = xyz + 3 * ((size_t)i + 1);
        p[0] = cos(angle);
        p[1] = sin(angle);
        p[2] = 0.2 * sin(7.0 * angle + data->phase + 5.0 * time);
    }
}

void scene__make_fan(scene* s, const scene_wish* wish) {
    fan_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh mesh;
    if (data == NULL) {
        return;
    }
    data->count = wish->triangles > 3 ? wish->triangles : 3;
    data->phase = scene__random_in(wish->seed, 0, 0.0, 2.0 * SCENE_PI);
    if (!scene__mesh_alloc(s, &mesh, data->count + 1, data->count)) {
        return;
    }
    for (uint32_t i = 0; i < data->count; ++i) {
        mesh.triangles[3 * (size_t)i] = 0;
        mesh.triangles[3 * (size_t)i + 1] = i + 1;
        mesh.triangles[3 * (size_t)i + 2] = (i + 1) % data->count + 1;
    }
    s->data = data;
    s->positions = fan_positions;
    fan_positions(s, 0, 0, mesh.rest);
    scene__add_body(s, "fan", &mesh, true, false);
}
