// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two fish that swim past each other through a hoop, bending in their lowest modes. After the fish
// of James, Pai, "BD-Tree" (2004): 25,000 triangles, three modes.

#include <math.h>

#include "scenes/fish.h"
#include "scenes/modes.h"

#define SECONDS 3.0
#define STROKE 9.0  // angular frequency of swimming

// ---- the fish

// Half the height and width of the body, which ends in a thin stalk.
static double along_body(double x) {
    return fmin(fmax(0.5 - x, 0.0), 0.88) / 0.88;
}

static double body_height(double x) {
    const double t = along_body(x);
    return 0.034 * sqrt(t) + 0.118 * pow(t, 0.6) * pow(1.0 - t, 0.9) / 0.38;
}

static double body_width(double x) {
    const double t = along_body(x);
    return 0.024 * sqrt(t) + 0.050 * pow(t, 0.6) * (1.0 - t) / 0.37;
}

static double fish_body(const double p[3], double fine) {
    const double x = fmin(fmax(p[0], -0.36), 0.485);
    const double beyond = (p[0] - x) / 0.02;
    const double high = solid_thin(body_height(x), fine);
    const double wide = solid_thin(body_width(x), fine);
    const double round = sqrt(p[1] * p[1] / (wide * wide) + p[2] * p[2] / (high * high) +
                              beyond * beyond);
    return (round - 1.0) * wide;
}

// A plate in the plane of x and z; `outline` is negative inside.
static double fin(double outline, double y, double fine) {
    const double thin = solid_thin(0.009, fine);
    const double out = fmax(outline + thin, 0.0);
    return sqrt(out * out + y * y) - thin;
}

// Forked: between two slanting lines in front and behind.
static double fish_tail(const double p[3], double fine) {
    const double z = fabs(p[2]);
    const double front = (p[0] + 0.30 + 0.75 * z) * 0.8;
    const double behind = (-0.42 - 0.35 * z - p[0]) * 0.94;
    return fin(fmax(fmax(front, behind), z - 0.17), p[1], fine);
}

static double fish_back_fin(const double p[3], double fine) {
    const double front = (p[0] - 0.16 + 0.9 * (p[2] - 0.10)) * 0.74;
    const double behind = (-0.16 + 0.4 * (p[2] - 0.10) - p[0]) * 0.93;
    const double top = p[2] - 0.205 - 0.25 * (p[0] - 0.05);
    return fin(fmax(fmax(front, behind), fmax(top, 0.03 - p[2])), p[1], fine);
}

static double fish_belly_fin(const double p[3], double fine) {
    const double front = (p[0] + 0.06 - 0.6 * (p[2] + 0.08)) * 0.86;
    const double behind = (-0.20 - 0.2 * (p[2] + 0.08) - p[0]) * 0.98;
    return fin(fmax(fmax(front, behind), fmax(-0.15 - p[2], p[2] + 0.02)), p[1], fine);
}

// One on each side, stretched out sideways and backwards.
static double fish_side_fin(const double p[3], double fine) {
    const double along = 0.8 * (fabs(p[1]) - 0.05) - 0.6 * (p[2] + 0.03);
    const double across = 0.6 * (fabs(p[1]) - 0.05) + 0.8 * (p[2] + 0.03);
    const double front = (p[0] - 0.20 + 0.8 * along) * 0.78;
    const double behind = (0.10 - 0.5 * along - p[0]) * 0.89;
    return fin(fmax(fmax(front, behind), fmax(along - 0.13, -0.03 - along)), across, fine);
}

double scene__fish_value(const double p[3], double fine) {
    double value = solid_join(fish_body(p, fine), fish_tail(p, fine), 0.02);
    value = solid_join(value, fish_back_fin(p, fine), 0.02);
    value = solid_join(value, fish_belly_fin(p, fine), 0.02);
    return solid_join(value, fish_side_fin(p, fine), 0.015);
}

static const modal_solid fish = {
    .body = FISH_SOLID,
    .cell = 0.04,
    .mass = 2.0,
    .frequency = STROKE,
    .reach = 0.12,
};

// ---- the scene

typedef struct fish_data {
    double phase[2];
    double depth[2];  // of their paths
    uint32_t field_count;
} fish_data;

// A wave along the body: each mode follows the previous one by a quarter period.
static void fish_coordinates(const scene* s, uint32_t body, uint32_t frame, double* q) {
    const fish_data* data = s->data;
    const double angle = STROKE * SECONDS * scene__time(s, frame) + data->phase[body];
    for (uint32_t j = 0; j < data->field_count; ++j) {
        q[j] = (j == 0 ? 1.0 : 0.6) * sin((double)(1 + j / 2) * angle - 0.5 * SCENE_PI * (double)j);
    }
}

// The fish swim towards +x and towards -x, side by side, rolling a little.
static void fish_frame(const scene* s, uint32_t body, uint32_t frame, double r[3][3], double t[3]) {
    const fish_data* data = s->data;
    const double time = scene__time(s, frame);
    const double side = body == 0 ? 1.0 : -1.0;
    const double roll = 0.25 * sin(4.0 * time + data->phase[body]);
    scene__rotation((const double[3]){0.0, 0.0, 1.0}, body == 0 ? 0.0 : SCENE_PI, r);
    const double c = cos(roll);
    const double n = sin(roll);
    for (int d = 0; d < 3; ++d) {  // first rotated about its own axis
        const double y = r[d][1];
        const double z = r[d][2];
        r[d][1] = c * y + n * z;
        r[d][2] = c * z - n * y;
    }
    t[0] = side * (2.4 * time - 1.2);
    t[1] = side * 0.09;
    t[2] = data->depth[body];
}

void scene__make_fish(scene* s, const scene_wish* wish) {
    fish_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh mesh;
    scene_mesh hoop;
    scene_fields fields;
    if (data == NULL ||
        !scene__modal_solid(s, &fish, wish->triangles, wish->fields, &mesh, &fields) ||
        !scene__torus(s, &hoop, 0.30, 0.03, 64, 16)) {
        return;
    }
    for (uint32_t i = 0; i < 2; ++i) {
        data->phase[i] = scene__random_in(wish->seed, i, 0.0, 2.0 * SCENE_PI);
        data->depth[i] = scene__random_in(wish->seed, 10 + i, -0.04, 0.04);
    }
    for (size_t i = 0; i < hoop.vertex_count; ++i) {
        double* p = hoop.rest + 3 * i;  // rotated upright: x to y to z to x
        const double x = p[0];
        p[0] = p[2] + 0.15;
        p[2] = p[1];
        p[1] = x;
    }
    data->field_count = fields.count;
    s->data = data;
    s->coordinates = fish_coordinates;
    s->frame = fish_frame;
    scene__add_reduced(s, "fish", &mesh, &fields, true);
    scene__add_reduced(s, "other fish", &mesh, &fields, true);
    scene__add_body(s, "hoop", &hoop, false, true);
}
