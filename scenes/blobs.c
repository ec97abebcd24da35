// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two blobs that drift into each other. A blob is a sphere displaced along its radii by a few
// smooth modes, p + sum of q_j(t) u_j(p), so it stays star-shaped and never touches itself.

#include <math.h>

#include "scenes/scenes_internal.h"

#define MODES 5

typedef struct blob {
    double axis[MODES][3];
    double phase[MODES];
    double speed[MODES];
    double centre[3];  // at time 0
    double drift[3];   // until time 1
} blob;

typedef struct blob_data {
    blob blobs[2];
} blob_data;

static void make_blob(blob* b, uint32_t seed, uint32_t stream, double side) {
    for (uint32_t j = 0; j < MODES; ++j) {
        const uint32_t at = stream + 8 * j;
        scene__random_direction(seed, at, b->axis[j]);
        b->phase[j] = scene__random_in(seed, at + 2, 0.0, 2.0 * SCENE_PI);
        b->speed[j] = scene__random_in(seed, at + 3, 3.0, 7.0);
    }
    b->centre[0] = side * 1.75;
    b->centre[1] = side * 0.25;
    b->centre[2] = side * scene__random_in(seed, stream + 50, -0.2, 0.2);
    b->drift[0] = -side * 1.15;
    b->drift[1] = -side * 0.1;
    b->drift[2] = -b->centre[2];
}

// Mode j at a point of the unit sphere: waves along an axis, shorter for higher modes.
static double mode(const blob* b, uint32_t j, const double p[3]) {
    const double along = b->axis[j][0] * p[0] + b->axis[j][1] * p[1] + b->axis[j][2] * p[2];
    return sin((1.5 + (double)j) * along + b->phase[j]);
}

static void blob_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const blob* b = &((const blob_data*)s->data)->blobs[body];
    const scene_body* mesh = &s->bodies[body];
    const double time = scene__time(s, frame);
    double weight[MODES];
    for (uint32_t j = 0; j < MODES; ++j) {
        // The sum is at most 0.47, so the radius stays positive.
        weight[j] = 0.16 / (1.0 + 0.5 * (double)j) * sin(b->speed[j] * time + b->phase[j]);
    }
    double centre[3];
    for (int d = 0; d < 3; ++d) {
        centre[d] = b->centre[d] + time * b->drift[d];
    }
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        const double* p = mesh->rest + 3 * i;
        double radius = 1.0;
        for (uint32_t j = 0; j < MODES; ++j) {
            radius += weight[j] * mode(b, j, p);
        }
        for (int d = 0; d < 3; ++d) {
            xyz[3 * i + (size_t)d] = centre[d] + radius * p[d];
        }
    }
}

void scene__make_blobs(scene* s, const scene_wish* wish) {
    blob_data* data = scene__alloc(s, 1, sizeof *data);
    const double cut = floor(sqrt((double)wish->triangles / 20.0) + 0.5);
    const uint32_t frequency = cut < 1.0 ? 1 : (uint32_t)cut;
    scene_mesh left;
    scene_mesh right;
    if (data == NULL || !scene__sphere(s, &left, frequency) ||
        !scene__sphere(s, &right, frequency)) {
        return;
    }
    make_blob(&data->blobs[0], wish->seed, 0, -1.0);
    make_blob(&data->blobs[1], wish->seed, 100, 1.0);
    s->data = data;
    s->positions = blob_positions;
    scene__add_body(s, "left", &left, true, true);
    scene__add_body(s, "right", &right, true, true);
}
