// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A ball of 24 fish that swim in circles in close formation, sometimes touching. All share one
// surface and its weights. A wave along the body gives the transforms of the nodes, and each fish
// has a frame. After Steinemann, Otaduy, Gross, "Efficient Bounds for Point-Based Animations"
// (2007): 24 fish of 8k vertices (16000 triangles) and 96 nodes each. In `soft_fishes` only the heads
// swim, and the rest of each fish is simulated; there nodes carry all of the motion.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/fish.h"
#include "scenes/soft.h"

#define FISH 24
#define STROKES 5.0  // of the tail, over all frames
#define TURN 1.6     // around the ball, in radians

// ---- swimming

// The spine bends to y = bend(x), and cross-sections stay flat and perpendicular to it: a point
// (x, y, z) moves to (x - y sin a, bend + y cos a, z), where tan a is the slope of the bend.
typedef struct spine {
    double bend;
    double slope;
    double curve;
} spine;

// A wave that runs to the tail and grows towards it.
static spine spine_at(double x, double phase) {
    const double wave = 5.0;
    const double size = 0.02 + 0.10 * (0.5 - x) * (0.5 - x);
    const double size_slope = -0.20 * (0.5 - x);
    const double size_curve = 0.20;
    const double s = sin(wave * x + phase);
    const double c = cos(wave * x + phase);
    return (spine){
        .bend = size * s,
        .slope = size_slope * s + wave * size * c,
        .curve = size_curve * s + 2.0 * wave * size_slope * c - wave * wave * size * s,
    };
}

// Computes the bend near a node: the node's new place, and the gradient there.
static void swim_transform(const double x[3], double phase, double t[12]) {
    const spine at = spine_at(x[0], phase);
    const double turn = at.curve / (1.0 + at.slope * at.slope);  // derivative of the angle along x
    const double c = 1.0 / sqrt(1.0 + at.slope * at.slope);
    const double s = at.slope * c;
    const double place[3] = {x[0] - x[1] * s, at.bend + x[1] * c, x[2]};
    const double rows[3][3] = {
        {1.0 - x[1] * c * turn, -s, 0.0}, {at.slope - x[1] * s * turn, c, 0.0}, {0.0, 0.0, 1.0}};
    for (int d = 0; d < 3; ++d) {
        memcpy(t + 4 * (size_t)d, rows[d], sizeof rows[d]);
        t[4 * d + 3] = place[d] - (rows[d][0] * x[0] + rows[d][1] * x[1] + rows[d][2] * x[2]);
    }
}

// ---- the formation

typedef struct fishes_data {
    meshless body;
    const double* u;  // displacements of all nodes in every frame, of fish that are simulated
    double fine;
    struct {
        double radius;
        double height;
        double angle;
        double phase;
    } fish[FISH];
} fishes_data;

// Four rings, which form a ball.
static void place_fish(fishes_data* data, const scene_wish* wish) {
    static const struct {
        uint32_t count;
        double radius;
        double height;
    } rings[] = {{5, 0.62, -0.54}, {7, 0.96, -0.18}, {7, 0.96, 0.18}, {5, 0.62, 0.54}};
    static const double wide[] = {[SCENE_CONTACT_SMALL] = 1.2,
                                  [SCENE_CONTACT_NONE] = 1.9,
                                  [SCENE_CONTACT_LARGE] = 0.8,
                                  [SCENE_CONTACT_PRESSED] = 0.6};
    uint32_t at = 0;
    for (uint32_t ring = 0; ring < 4; ++ring) {
        for (uint32_t k = 0; k < rings[ring].count; ++k, ++at) {
            const double shift = scene__random_in(wish->seed, 10 + at, -0.03, 0.03);
            const double part = ((double)k + 0.5 * (double)(ring % 2)) / (double)rings[ring].count;
            data->fish[at].radius = wide[wish->contact] * (rings[ring].radius + shift);
            data->fish[at].height = wide[wish->contact] * rings[ring].height;
            data->fish[at].angle = 2.0 * SCENE_PI * part + shift;
            data->fish[at].phase = scene__random_in(wish->seed, 100 + at, 0.0, 2.0 * SCENE_PI);
        }
    }
}

static double phase_at(const fishes_data* data, uint32_t body, double time) {
    return 2.0 * SCENE_PI * STROKES * time + data->fish[body].phase;
}

static void fishes_transforms(const scene* s, uint32_t body, uint32_t frame, double* transforms) {
    const fishes_data* data = s->data;
    const double phase = phase_at(data, body, scene__time(s, frame));
    for (size_t j = 0; j < data->body.node_count; ++j) {
        swim_transform(data->body.place + 3 * j, phase, transforms + 12 * j);
    }
}

// Along the circle, with oscillations in radius and height.
static void frame_at(const fishes_data* data, uint32_t body, double time, double r[3][3],
                     double t[3]) {
    const double phase = data->fish[body].phase;
    const double angle = data->fish[body].angle + TURN * time + 0.10 * sin(6.0 * time + phase);
    const double radius = data->fish[body].radius + 0.05 * sin(8.0 * time + 2.0 * phase);
    scene__rotation((const double[3]){0.0, 0.0, 1.0}, angle + 0.5 * SCENE_PI, r);
    t[0] = radius * cos(angle);
    t[1] = radius * sin(angle);
    t[2] = data->fish[body].height + 0.05 * sin(7.0 * time + 3.0 * phase);
}

static void fishes_frame(const scene* s, uint32_t body, uint32_t frame, double r[3][3],
                         double t[3]) {
    frame_at(s->data, body, scene__time(s, frame), r, t);
}

// ---- the scene

static const solid shape = FISH_SOLID;

static double fish_depth(const void* user, const double p[3]) {
    const fishes_data* data = user;
    return -shape.value(p, data->fine);
}

static bool fish_holds(const void* user, const double p[3]) {
    return fish_depth(user, p) > 0.0;
}

// Makes the surface, its nodes and its weights. False on failure.
static bool make_fish(scene* s, const scene_wish* wish, bool soft, fishes_data* data,
                      scene_mesh* mesh, scene_weights* weights) {
    meshless_region region = {.inside = fish_holds, .user = data};
    memcpy(region.low, shape.low, sizeof region.low);
    memcpy(region.high, shape.high, sizeof region.high);
    if (!scene__solid_surface(s, &shape, wish->triangles, mesh, &data->fine)) {
        return false;
    }
    const uint32_t nodes = soft ? scene__soft_nodes(mesh, wish->nodes, 10) : wish->nodes;
    return scene__meshless(s, &region, mesh, nodes, wish->seed, &data->body) &&
           scene__meshless_weights(s, &data->body, mesh, weights);
}

static void add_fishes(scene* s, fishes_data* data, const scene_mesh* mesh,
                       const scene_weights* weights) {
    s->data = data;
    for (int i = 0; i < FISH; ++i) {
        scene__add_blended(s, "fish", mesh, weights, NULL, true);
    }
}

void scene__make_fishes(scene* s, const scene_wish* wish) {
    fishes_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh mesh;
    scene_weights weights;
    if (data == NULL || !make_fish(s, wish, false, data, &mesh, &weights)) {
        return;
    }
    place_fish(data, wish);
    s->transforms = fishes_transforms;
    s->frame = fishes_frame;
    add_fishes(s, data, &mesh, &weights);
}

// ---- the simulated fish

#define HEAD 0.2  // nodes before are held

static double fish_grip(const void* user, const double x[3]) {
    (void)user;
    return x[0] - HEAD;
}

static void drive_fish(const void* user, uint32_t body, double time, double x[3]) {
    const fishes_data* data = user;
    double m[12];
    double r[3][3];
    double t[3];
    swim_transform(x, phase_at(data, body, time), m);
    frame_at(data, body, time, r, t);
    double bent[3];
    for (size_t d = 0; d < 3; ++d) {
        const double* row = m + 4 * d;
        bent[d] = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3];
    }
    for (size_t d = 0; d < 3; ++d) {
        x[d] = r[d][0] * bent[0] + r[d][1] * bent[1] + r[d][2] * bent[2] + t[d];
    }
}

static void soft_fishes_transforms(const scene* s, uint32_t body, uint32_t frame,
                                   double* transforms) {
    const fishes_data* data = s->data;
    const size_t at = (size_t)frame * FISH + body;
    if (!scene__meshless_transforms(&data->body, data->u + 3 * at * data->body.node_count,
                                    transforms)) {
        abort();  // as in blend_positions(): no result is better than a wrong one
    }
}

// Water carries most of the weight, and slows every motion.
void scene__make_soft_fishes(scene* s, const scene_wish* wish) {
    fishes_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh mesh;
    scene_weights weights;
    if (data == NULL || !make_fish(s, wish, true, data, &mesh, &weights)) {
        return;
    }
    place_fish(data, wish);
    data->u = scene__soft_motion(s, &(soft_def){.body = &data->body,
                                                .material = {.density = 1.0,
                                                             .stretch = 0.2,
                                                             .shear = 0.3,
                                                             .volume = 0.5,
                                                             .damping = 1.5},
                                                .count = FISH,
                                                .duration = 6.0,
                                                .weight = 0.05,
                                                .drag = 1.0,
                                                .push = 0.3,
                                                .depth = fish_depth,
                                                .grip = fish_grip,
                                                .drive = drive_fish,
                                                .user = data});
    s->transforms = soft_fishes_transforms;
    add_fishes(s, data, &mesh, &weights);
}
