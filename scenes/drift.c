// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A ring that passes a ball. All vertices are shifted by the same vector, exactly: rest positions
// and shifts are multiples of 2^-20 below 8, which even a float represents, sums included.

#include <math.h>

#include "scenes/scenes_internal.h"

typedef struct drift_data {
    double from[3];  // the shift of the first frame
    double to[3];    // and of the last
} drift_data;

static double coarse(double x) {
    return ldexp(rint(ldexp(x, 20)), -20);
}

static void drift_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const drift_data* data = s->data;
    const scene_body* mesh = &s->bodies[body];
    const double time = scene__time(s, frame);
    double shift[3];
    for (int d = 0; d < 3; ++d) {
        shift[d] = coarse(data->from[d] + time * (data->to[d] - data->from[d]));
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; ++i) {
        xyz[i] = mesh->rest[i] + shift[i % 3];
    }
}

void scene__make_drift(scene* s, const scene_wish* wish) {
    drift_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh ring;
    scene_mesh ball;
    const double along = fmax(floor(sqrt(0.125 * (double)wish->triangles) + 0.5), 3.0);
    if (data == NULL || !scene__torus(s, &ring, 0.7, 0.2, 4 * (uint32_t)along, (uint32_t)along) ||
        !scene__sphere(s, &ball, 12)) {
        return;
    }
    for (size_t i = 0; i < 3 * (size_t)ring.vertex_count; ++i) {
        ring.rest[i] = coarse(ring.rest[i]);
    }
    for (size_t i = 0; i < 3 * (size_t)ball.vertex_count; ++i) {
        ball.rest[i] = coarse(0.4 * ball.rest[i]);
    }
    for (uint32_t d = 0; d < 3; ++d) {
        const double aside = scene__random_in(wish->seed, d, 0.1, 0.3);
        data->from[d] = d == 0 ? -2.0 : -aside;
        data->to[d] = d == 0 ? 2.0 : aside;
    }
    s->data = data;
    s->positions = drift_positions;
    scene__add_body(s, "ring", &ring, true, true);
    scene__add_body(s, "ball", &ball, false, true);
}
