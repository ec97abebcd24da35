// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A plastic chair falls and tumbles over another one and the ground; both chairs vibrate in their
// modes. After the chairs of James, Pai, "BD-Tree" (2004): about 18,000 triangles, ten modes.

#include "scenes/chair.h"

#include <math.h>

#include "scenes/modes.h"

#define SEAT 0.45    // height of the seat
#define SECONDS 3.0  // duration of the scene

// ---- the chair

// Legs and posts of one side, x > 0: splayed, with the post leaning back.
static double chair_legs(const double p[3], double fine) {
    static const double joint[4][3] = {
        {0.175, 0.175, SEAT}, {0.205, 0.215, 0.02}, {0.175, -0.175, SEAT}, {0.200, -0.235, 0.02}};
    static const double top[3] = {0.180, -0.265, 0.90};
    const double thick = solid_thin(0.022, fine);
    const double slim = solid_thin(0.016, fine);
    const double front = solid_bar(p, joint[0], joint[1], thick, slim);
    const double back = solid_bar(p, joint[2], joint[3], thick, slim);
    const double post = solid_bar(p, joint[2], top, thick, slim);
    return fmin(solid_join(back, post, 0.02), front);
}

// Bars between the legs: one along each side, one across.
static double chair_stretchers(const double p[3], double fine) {
    static const double side[2][3] = {{0.191, 0.198, 0.22}, {0.190, -0.206, 0.22}};
    static const double across[2][3] = {{-0.1905, 0.0, 0.22}, {0.1905, 0.0, 0.22}};
    const double thick = solid_thin(0.013, fine);
    return solid_join(solid_bar(p, side[0], side[1], thick, thick),
                      solid_bar(p, across[0], across[1], thick, thick), 0.015);
}

static double chair_seat(const double p[3], double fine) {
    const double half[3] = {0.215, 0.215, solid_thin(0.018, fine)};
    // A shallow dish, rounded at the front.
    const double dish = 0.012 * (1.0 - (p[0] * p[0] + p[1] * p[1]) / 0.06);
    const double at[3] = {p[0], p[1], p[2] + fmax(dish, -0.006)};
    return solid_box(at, (const double[3]){0.0, 0.0, SEAT}, half, 0.016);
}

// Slats between the posts, bent backwards in the middle, in coordinates without the lean.
static double chair_slats(const double p[3], double fine) {
    const double lean = -0.175 - 0.2 * (p[2] - SEAT);
    const double at[3] = {p[0], p[1] - lean + 0.035 * (1.0 - p[0] * p[0] / 0.031), p[2]};
    const double thin = solid_thin(0.010, fine);
    double value = 1.0;
    for (int i = 0; i < 3; ++i) {
        const double high = i == 2 ? 0.040 : 0.026;
        const double half[3] = {0.172, thin, solid_thin(high, fine)};
        const double centre[3] = {0.0, 0.0, 0.60 + 0.125 * (double)i};
        value = fmin(value, solid_box(at, centre, half, 0.009));
    }
    return value;
}

static double chair_value(const double p[3], double fine) {
    const double side[3] = {fabs(p[0]), p[1], p[2]};
    const double seat = solid_join(chair_seat(side, fine), chair_legs(side, fine), 0.03);
    const double slats = solid_join(seat, chair_slats(side, fine), 0.02);
    return solid_join(slats, chair_stretchers(side, fine), 0.02);
}

static const modal_solid chair = {
    .body = {chair_value, {-0.24, -0.30, 0.0}, {0.24, 0.24, 0.93}},
    .cell = 0.045,
    .mass = 3.0,
    .frequency = 18.0,  // soft plastic, slow enough to be visible
    .reach = 0.06,
};

bool scene__chair(scene* s, uint32_t triangles, uint32_t fields, chair_model* model) {
    const bool done = scene__modal_solid(s, &chair, triangles, fields, &model->mesh,
                                         &model->fields);
    model->height = 0.0;
    for (size_t i = 0; i < model->mesh.vertex_count && done; ++i) {
        model->height = fmax(model->height, -model->mesh.rest[3 * i + 2]);
    }
    return done;
}

// ---- the scene

typedef struct chair_data {
    uint32_t seed;
    double axis[3];
    double start;  // angles
    double turns;
    double drift;  // sideways
    double height;
    scene_fields fields;
} chair_data;

static void chair_coordinates(const scene* s, uint32_t body, uint32_t frame, double* q) {
    const chair_data* data = s->data;
    const vibration v = {data->seed + body, body == 0 ? 0.8 : 0.1};
    scene__vibrate(data->fields.dynamics, data->fields.count, &v, SECONDS * scene__time(s, frame),
                   q);
}

// The first chair falls, bounces and falls again; the second one stands.
static void chair_frame(const scene* s, uint32_t body, uint32_t frame, double r[3][3],
                        double t[3]) {
    const chair_data* data = s->data;
    const double time = scene__time(s, frame);
    if (body == 1) {
        scene__rotation((const double[3]){0.0, 0.0, 1.0}, 0.7 + data->start, r);
        t[0] = 0.35;
        t[1] = 0.0;
        t[2] = data->height + 0.01;  // so that its vibration does not touch the ground
        return;
    }
    scene__rotation(data->axis, data->start + data->turns * time, r);
    t[0] = -1.3 + 2.6 * time;
    t[1] = data->drift * (time - 0.6);
    t[2] = 0.29 + 1.15 * fabs(cos(2.0 * SCENE_PI * (0.94 * time - 0.05)));
}

static bool make_ground(scene* s, scene_mesh* ground) {
    static const double profile[4][2] = {{0.0, -0.06}, {2.2, -0.06}, {2.2, 0.0}, {0.0, 0.0}};
    return scene__turned(s, ground, profile, 4, 40, false);
}

void scene__make_chair(scene* s, const scene_wish* wish) {
    chair_data* data = scene__alloc(s, 1, sizeof *data);
    chair_model model;
    scene_mesh ground;
    if (data == NULL || !scene__chair(s, wish->triangles, wish->fields, &model) ||
        !make_ground(s, &ground)) {
        return;
    }
    const double tilt = scene__random_in(wish->seed, 0, -0.5, 0.5);
    data->seed = wish->seed;
    data->axis[0] = sin(tilt);
    data->axis[1] = cos(tilt) * 0.8;
    data->axis[2] = cos(tilt) * 0.6;
    data->start = scene__random_in(wish->seed, 1, 0.0, 2.0 * SCENE_PI);
    data->turns = scene__random_in(wish->seed, 2, 7.0, 11.0);
    data->drift = scene__random_in(wish->seed, 3, -0.5, 0.5);
    data->height = model.height;
    data->fields = model.fields;
    s->data = data;
    s->coordinates = chair_coordinates;
    s->frame = chair_frame;
    scene__add_reduced(s, "falling chair", &model.mesh, &model.fields, true);
    scene__add_reduced(s, "standing chair", &model.mesh, &model.fields, true);
    scene__add_body(s, "ground", &ground, false, true);
}
