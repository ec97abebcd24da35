// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A crowd: two thousand wobbling rings, pills and stones in layers that slide past each other. They
// come close but never touch. After the scale that Sud and others (2006) leave open: hundreds of
// thousands of triangles in bodies of 200.

#include <math.h>

#include "scenes/scenes_internal.h"

#define BODY_TRIANGLES 200
#define KINDS 3
#define PROFILE 12

typedef struct crowd_data {
    uint32_t side;  // bodies along each axis
    uint32_t seed;
    double room;  // space of each body
} crowd_data;

static void crowd_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const crowd_data* data = s->data;
    const scene_body* b = &s->bodies[body];
    const double time = scene__time(s, frame);
    const uint32_t slot[3] = {body % data->side, body / data->side % data->side,
                              body / data->side / data->side};
    const double phase = scene__random_in(data->seed, 3 * body + 2, 0.0, 2.0 * SCENE_PI);
    const double wobble = 1.0 + 0.03 * sin(9.0 * time + phase);
    double axis[3];
    double r[3][3];
    scene__random_direction(data->seed, 3 * body, axis);
    scene__rotation(axis, phase + 4.0 * time, r);
    // Layers move alternately one way and the other, and rows within them drift.
    const double along = (slot[2] % 2 == 0 ? 1.0 : -1.0) * 1.5 * sin(2.0 * time + 0.3);
    const double drift = (slot[1] % 2 == 0 ? 1.0 : -1.0) * 0.5 * sin(3.0 * time);
    const double t[3] = {data->room * ((double)slot[0] + along + drift),
                         data->room * (double)slot[1], data->room * (double)slot[2]};
    for (size_t i = 0; i < b->vertex_count; ++i) {
        const double* rest = b->rest + 3 * i;
        const double p[3] = {wobble * rest[0], rest[1] / wobble, rest[2]};
        for (int d = 0; d < 3; ++d) {
            xyz[3 * i + (size_t)d] = r[d][0] * p[0] + r[d][1] * p[1] + r[d][2] * p[2] + t[d];
        }
    }
}

// A pill, long or flat, from pole to pole.
static bool make_pill(scene* s, scene_mesh* mesh, double size, bool flat) {
    double profile[PROFILE][2];
    for (int i = 0; i < PROFILE; ++i) {
        const double angle = SCENE_PI * ((double)i / (PROFILE - 1) - 0.5);
        profile[i][0] = i == 0 || i == PROFILE - 1 ? 0.0 : size * (flat ? 0.97 : 0.6) * cos(angle);
        profile[i][1] = size * (flat ? 0.45 : 0.97) * sin(angle);
    }
    return scene__turned(s, mesh, (const double(*)[2])profile, PROFILE, 10, false);
}

void scene__make_crowd(scene* s, const scene_wish* wish) {
    static const char* const names[KINDS] = {"ring", "pill", "stone"};
    crowd_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh mesh[KINDS];
    const uint32_t wanted = (wish->triangles + BODY_TRIANGLES / 2) / BODY_TRIANGLES;
    const uint32_t count = wanted == 0 ? 1 : wanted;
    if (data == NULL) {
        return;
    }
    data->seed = wish->seed;
    data->side = (uint32_t)ceil(cbrt((double)count) - 1e-9);
    data->room = 4.0 / (double)data->side;
    const double size = 0.46 * data->room;
    if (!scene__torus(s, &mesh[0], 0.66 * size, 0.30 * size, 10, 10) ||
        !make_pill(s, &mesh[1], size, false) || !make_pill(s, &mesh[2], size, true)) {
        return;
    }
    s->data = data;
    s->positions = crowd_positions;
    for (uint32_t i = 0; i < count; ++i) {
        scene__add_body(s, names[i % KINDS], &mesh[i % KINDS], true, true);
    }
}
