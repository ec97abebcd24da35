// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A curtain and a ball that is thrown through it.
//
// The curtain hangs in the plane y = 0 from a rail at z = 2. A pleat is a trochoid (see cloth.c):
// gathered tightly at the rail, where its loops cross, and open at the hem. The ball pushes a bulge
// ahead of itself that is too shallow to stop it; the bulge then swings back. The rest pose is the
// curtain hanging still.

#include <math.h>

#include "scenes/scenes_internal.h"

#define WIDTH 2.4
#define HEIGHT 2.0
#define PLEATS 8.0
#define BALL_RADIUS 0.26
#define BALL_FREQUENCY 10  // 2000 triangles
#define HIT 0.34           // time at which the ball reaches the curtain

typedef struct curtain_data {
    double warp[3];
    double depth[2];
    double aim;  // x at which the ball crosses
    double spin;
    uint32_t columns;
    uint32_t rows;
} curtain_data;

static void ball_centre(const curtain_data* data, double time, double out[3]) {
    const double flight = (time - HIT) / 0.62;
    out[0] = data->aim + 0.35 * flight;
    out[1] = 1.9 * flight;
    out[2] = 1.05 + 0.25 * flight - 0.9 * flight * flight;
}

// how far the bulge stands out: grows while the ball pushes, then swings and dies away
static double bulge_depth(double time) {
    const double push = scene__ease(time, HIT - 0.06, HIT + 0.14);
    const double after = fmax(time - (HIT + 0.14), 0.0);
    return 0.42 * push * cos(13.0 * after) * exp(-4.5 * after);
}

// `moving` is 0 for the rest pose
static void place_curtain(const curtain_data* data, double u, double v, double time, double moving,
                          double out[3]) {
    const double* warp = data->warp;
    const double psi = 2.0 * SCENE_PI * PLEATS * u + 0.5 * sin(7.0 * u + warp[0]) +
                       0.4 * sin(12.0 * u + warp[1]) + 0.35 * (1.0 - v) * sin(5.0 * u + warp[2]);
    const double vary = 1.0 + 0.18 * sin(9.0 * u + data->depth[0]) +
                        0.12 * sin(21.0 * u + data->depth[1]);
    const double gather = scene__ease(v, 0.55, 1.0);
    const double x = WIDTH * (u - 0.5);
    const double z = HEIGHT * v;

    // the bulge: wide below, nothing at the rail
    double hit[3];
    ball_centre(data, HIT, hit);
    const double loose = moving * (1.0 - v * v * v);
    const double dx = (x - hit[0]) / 0.45;
    const double dz = (z - hit[2]) / 0.60;
    const double near = exp(-(dx * dx + dz * dz));
    const double depth = bulge_depth(time);
    const double sway = 0.03 * sin(9.0 * time + 3.0 * u) * (1.0 - v);

    // pleats are squeezed sideways beside the bulge and flattened on it
    const double squeeze = 1.1 * loose * fabs(depth) * near * dx * dx;
    const double forward = vary * (0.45 + 0.75 * gather) + squeeze;
    const double flatten = 1.0 - 0.9 * loose * fabs(depth) * near;
    const double outward = vary * (0.105 - 0.055 * gather) * flatten;

    out[0] = x - forward * (WIDTH / (2.0 * SCENE_PI * PLEATS)) * sin(psi);
    out[1] = outward * cos(psi) + loose * (depth * near + sway);
    // the slight lean keeps rows of different folds out of common planes, where all would be ties
    out[2] = z + 0.008 * sin(psi + 1.0) + loose * 0.25 * depth * depth * near;
}

static void place_ball(const curtain_data* data, double time, const double rest[3], double out[3]) {
    double centre[3];
    ball_centre(data, time, centre);
    const double angle = data->spin * time;
    const double c = cos(angle);
    const double s = sin(angle);
    // flattened a little while it pushes
    const double flat = 1.0 - 0.12 * exp(-pow((time - HIT) / 0.06, 2.0));
    const double y = c * rest[1] - s * rest[2];
    const double z = s * rest[1] + c * rest[2];
    out[0] = centre[0] + rest[0] / sqrt(flat);
    out[1] = centre[1] + y * flat;
    out[2] = centre[2] + z / sqrt(flat);
}

static void curtain_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const curtain_data* data = s->data;
    const scene_body* b = &s->bodies[body];
    const double time = scene__time(s, frame);
    if (body == 1) {
        for (size_t i = 0; i < b->vertex_count; ++i) {
            place_ball(data, time, b->rest + 3 * i, xyz + 3 * i);
        }
        return;
    }
    for (uint32_t j = 0; j <= data->rows; ++j) {
        for (uint32_t i = 0; i <= data->columns; ++i) {
            const double u = (double)i / (double)data->columns;
            const double v = (double)j / (double)data->rows;
            place_curtain(data, u, v, time, 1.0, xyz);
            xyz += 3;
        }
    }
}

void scene__make_curtain(scene* s, const scene_wish* wish) {
    curtain_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh curtain;
    scene_mesh ball;
    if (data == NULL) {
        return;
    }
    // one column more than rows: 78 x 77 cells are 12012 triangles
    const double side = floor(0.5 * (1.0 + sqrt(1.0 + 2.0 * (double)wish->triangles)) + 0.5);
    data->columns = side < 2.0 ? 2 : (uint32_t)side;
    data->rows = data->columns - 1;
    if (!scene__grid(s, &curtain, data->columns, data->rows, GRID_ALTERNATE) ||
        !scene__sphere(s, &ball, BALL_FREQUENCY)) {
        return;
    }
    for (uint32_t i = 0; i < 3; ++i) {
        data->warp[i] = scene__random_in(wish->seed, i, 0.0, 2.0 * SCENE_PI);
    }
    data->depth[0] = scene__random_in(wish->seed, 10, 0.0, 2.0 * SCENE_PI);
    data->depth[1] = scene__random_in(wish->seed, 11, 0.0, 2.0 * SCENE_PI);
    data->aim = scene__random_in(wish->seed, 12, -0.4, 0.4);
    data->spin = scene__random_in(wish->seed, 13, 4.0, 9.0);
    for (size_t i = 0; i < curtain.vertex_count; ++i) {
        double* p = curtain.rest + 3 * i;
        place_curtain(data, p[0], p[1], 0.0, 0.0, p);
    }
    for (size_t i = 0; i < 3 * (size_t)ball.vertex_count; ++i) {
        ball.rest[i] *= BALL_RADIUS;
    }
    s->data = data;
    s->positions = curtain_positions;
    scene__add_body(s, "curtain", &curtain, true, false);
    scene__add_body(s, "ball", &ball, true, true);
}
