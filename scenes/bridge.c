// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// An arch bridge that sways strongly in its modes while a boulder rolls over it: deck, railings,
// two arches with hangers, pillars. It is fixed at the pillars' feet and at both ends of the deck.
// After the bridge of James, Pai, "BD-Tree" (2004): 240,000 triangles there, ten modes.

#include <math.h>

#include "scenes/modes.h"

#define SECONDS 6.0
#define HALF_LENGTH 6.0
#define HALF_WIDTH 0.8
#define SPAN 4.2  // half of the arches' span
#define RISE 1.7  // of the arches
#define FLOOR (-2.2)
#define BOULDER 0.35
#define BOULDER_FREQUENCY 8  // 1280 triangles

// ---- the bridge
//
// The solid is symmetric in x and y, so its parts are defined where both are positive. Parts that
// repeat along the bridge are defined once, in a periodic coordinate.

static double arch_height(double x) {
    return RISE * (1.0 - x * x / (SPAN * SPAN));
}

// Returns the distance of x from the nearest of `count` places, the first at `start`.
static double repeat(double x, double start, double step, double count) {
    const double k = fmin(fmax(floor((x - start) / step + 0.5), 0.0), count - 1.0);
    return x - start - k * step;
}

static double bridge_deck(const double p[3], double fine) {
    const double plate = solid_box(
        p, (const double[3]){0.0, 0.0, 0.0},
        (const double[3]){HALF_LENGTH, HALF_WIDTH, solid_thin(0.06, fine)}, 0.03);
    const double girder = solid_box(p, (const double[3]){0.0, 0.55, -0.12},
                                    (const double[3]){HALF_LENGTH, solid_thin(0.06, fine), 0.12},
                                    0.03);
    return solid_join(plate, girder, 0.05);
}

static double bridge_railing(const double p[3], double fine) {
    const double thin = solid_thin(0.022, fine);
    const double y = HALF_WIDTH - 0.1;
    const double post[3] = {repeat(p[0], 0.2, 0.4, 15.0), p[1], p[2]};
    double value = solid_bar(post, (const double[3]){0.0, y, 0.0}, (const double[3]){0.0, y, 0.36},
                             thin, thin);
    for (int i = 1; i <= 2; ++i) {
        const double z = 0.18 * (double)i;
        value = fmin(value, solid_bar(p, (const double[3]){0.0, y, z},
                                      (const double[3]){HALF_LENGTH - 0.1, y, z}, thin, thin));
    }
    return value;
}

// A box that follows the parabola; its distance is measured perpendicular to the slope.
static double bridge_arch(const double p[3], double fine) {
    const double slope = 2.0 * RISE * p[0] / (SPAN * SPAN);
    const double off = (p[2] - arch_height(p[0])) / sqrt(1.0 + slope * slope);
    const double at[3] = {fmin(p[0], SPAN), p[1], off};
    const double size = solid_thin(0.08, fine);
    const double arch = solid_box(at, (const double[3]){0.0, HALF_WIDTH + 0.06, 0.0},
                                  (const double[3]){SPAN + 1.0, size, 1.3 * size}, 0.03);
    const double end = fmax(p[0] - SPAN, -0.15 - p[2]);  // in the deck's edge
    return fmax(arch, end);
}

static double bridge_hangers(const double p[3], double fine) {
    const double thin = solid_thin(0.025, fine);
    const double step = 0.6;
    const double x = repeat(p[0], 0.3, step, 6.0);
    const double at[3] = {x, p[1], p[2]};
    const double y = HALF_WIDTH + 0.05;
    return solid_bar(at, (const double[3]){0.0, y, 0.0},
                     (const double[3]){0.0, y, fmax(arch_height(p[0] - x), 0.1)}, thin, thin);
}

// Bars between the arches overhead.
static double bridge_braces(const double p[3], double fine) {
    const double thin = solid_thin(0.04, fine);
    const double x = repeat(p[0], 0.0, 0.9, 3.0);
    const double z = arch_height(p[0] - x);
    const double at[3] = {x, p[1], p[2]};
    return solid_bar(at, (const double[3]){0.0, 0.0, z},
                     (const double[3]){0.0, HALF_WIDTH + 0.06, z}, thin, thin);
}

static double bridge_pillar(const double p[3], double fine) {
    const double leg = solid_bar(p, (const double[3]){SPAN, 0.6, 0.0},
                                 (const double[3]){SPAN + 0.15, 0.75, FLOOR},
                                 solid_thin(0.13, fine), solid_thin(0.18, fine));
    const double beam = solid_box(p, (const double[3]){SPAN, 0.0, -0.3},
                                  (const double[3]){0.16, HALF_WIDTH, 0.10}, 0.04);
    const double tie = solid_bar(p, (const double[3]){SPAN + 0.08, 0.0, -1.3},
                                 (const double[3]){SPAN + 0.08, 0.68, -1.3}, solid_thin(0.08, fine),
                                 solid_thin(0.08, fine));
    return solid_join(solid_join(leg, tie, 0.06), beam, 0.06);
}

static double bridge_value(const double p[3], double fine) {
    const double at[3] = {fabs(p[0]), fabs(p[1]), p[2]};
    double value = solid_join(bridge_deck(at, fine), bridge_pillar(at, fine), 0.06);
    value = fmin(value, bridge_railing(at, fine));
    value = solid_join(value, bridge_arch(at, fine), 0.04);
    value = solid_join(value, bridge_hangers(at, fine), 0.03);
    return solid_join(value, bridge_braces(at, fine), 0.04);
}

static bool bridge_held(const double p[3]) {
    return p[2] < FLOOR + 0.1 || fabs(p[0]) > HALF_LENGTH - 0.1;
}

static const modal_solid bridge = {
    .body = {bridge_value,
             {-HALF_LENGTH, -HALF_WIDTH - 0.2, FLOOR - 0.2},
             {HALF_LENGTH, HALF_WIDTH + 0.2, RISE + 0.15}},
    .cell = 0.3,
    .mass = 60000.0,
    .held = bridge_held,
    .frequency = 4.0,
    .reach = 0.7,
};

// ---- the scene

typedef struct bridge_data {
    uint32_t seed;
    double lane;  // y of the boulder
    scene_fields fields;
} bridge_data;

static void bridge_coordinates(const scene* s, uint32_t body, uint32_t frame, double* q) {
    const bridge_data* data = s->data;
    const double time = scene__time(s, frame);
    const vibration v = {data->seed, 1.0};
    if (body == 0) {
        scene__vibrate(data->fields.dynamics, data->fields.count, &v, SECONDS * time, q);
        for (uint32_t j = 0; j < data->fields.count; ++j) {
            q[j] *= scene__ease(time, -0.2, 0.5);  // the amplitude grows
        }
    }
}

// The boulder rolls along the deck's rest position.
static void bridge_frame(const scene* s, uint32_t body, uint32_t frame, double r[3][3],
                         double t[3]) {
    const bridge_data* data = s->data;
    if (body == 1) {
        t[0] = -HALF_LENGTH + 0.5 + (2.0 * HALF_LENGTH - 1.0) * scene__time(s, frame);
        t[1] = data->lane;
        t[2] = BOULDER + 0.07;
        scene__rotation((const double[3]){0.0, 1.0, 0.0}, t[0] / BOULDER, r);
    }
}

static bool make_boulder(scene* s, uint32_t seed, scene_mesh* mesh) {
    if (!scene__sphere(s, mesh, BOULDER_FREQUENCY)) {
        return false;
    }
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        double* p = mesh->rest + 3 * i;
        const double rough = BOULDER * scene__random_in(seed, 100 + (uint32_t)i, 0.96, 1.02);
        p[0] *= rough;
        p[1] *= rough;
        p[2] *= rough;
    }
    return true;
}

void scene__make_bridge(scene* s, const scene_wish* wish) {
    bridge_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh mesh;
    scene_mesh boulder;
    if (data == NULL ||
        !scene__modal_solid(s, &bridge, wish->triangles, wish->fields, &mesh, &data->fields) ||
        !make_boulder(s, wish->seed, &boulder)) {
        return;
    }
    data->seed = wish->seed;
    data->lane = scene__random_in(wish->seed, 0, -0.25, 0.25);
    s->data = data;
    s->coordinates = bridge_coordinates;
    s->frame = bridge_frame;
    scene__add_reduced(s, "bridge", &mesh, &data->fields, true);
    scene__add_reduced(s, "boulder", &boulder, &(scene_fields){0}, true);
}
