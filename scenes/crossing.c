// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two sheets with short waves that cross each other all over: nearly every cell of one cuts one of
// the other.

#include <math.h>

#include "scenes/scenes_internal.h"

#define WAVE 5.0    // its length in cells
#define HEIGHT 1.0  // of the waves, in cells
#define TURN 0.3    // of the second sheet, so that no edges are above each other

typedef struct crossing_data {
    uint32_t side;  // cells
    double phase[2][2];
} crossing_data;

static void crossing_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const crossing_data* data = s->data;
    const scene_body* b = &s->bodies[body];
    const double time = scene__time(s, frame);
    const double waves = 2.0 * SCENE_PI * data->side / WAVE;
    const double angle = body == 0 ? 0.0 : TURN;
    for (size_t i = 0; i < 3 * (size_t)b->vertex_count; i += 3) {
        const double u = b->rest[i] - 0.5;
        const double v = b->rest[i + 1] - 0.5;
        xyz[i] = cos(angle) * u - sin(angle) * v;
        xyz[i + 1] = sin(angle) * u + cos(angle) * v;
        xyz[i + 2] = HEIGHT / data->side *
                     (sin(waves * u + data->phase[body][0] + 4.0 * time) +
                      sin(waves * v + data->phase[body][1] - 4.0 * time));
    }
}

void scene__make_crossing(scene* s, const scene_wish* wish) {
    crossing_data* data = scene__alloc(s, 1, sizeof *data);
    if (data == NULL) {
        return;
    }
    data->side = scene__square_side(wish->triangles);
    for (uint32_t i = 0; i < 4; ++i) {
        data->phase[i / 2][i % 2] = scene__random_in(wish->seed, i, 0.0, 2.0 * SCENE_PI);
    }
    s->data = data;
    s->positions = crossing_positions;
    for (uint32_t body = 0; body < 2; ++body) {
        scene_mesh mesh;
        if (!scene__grid(s, &mesh, data->side, data->side, GRID_ALTERNATE)) {
            return;
        }
        scene__add_body(s, body == 0 ? "first sheet" : "second sheet", &mesh, true, false);
    }
}
