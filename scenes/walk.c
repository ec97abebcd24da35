// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A skinned figure that walks past a post, first relaxed and then with high knees and bent arms, so
// that its limbs touch themselves and each other. It breathes, and muscles bulge: displacement
// fields move the rest pose, then the skin follows the bones.

#include <math.h>
#include <string.h>

#include "scenes/walker.h"

#define STEPS 3.0  // pairs of steps

// ---- fields

// The muscles that bulge, on both sides: one field each, after the first one, which is breath.
static const uint32_t muscles[] = {UPPER_ARM, SHIN, THIGH, FOREARM, COLLAR};
#define FIELDS_MOST (1 + sizeof muscles / sizeof muscles[0])

// Chest and belly widen, mostly to the front.
static void breathe(const double p[3], double u[3]) {
    const double height = (p[2] - 1.20) / 0.12;
    const double aside = p[0] / 0.14;
    const double near = 0.02 * exp(-0.5 * (height * height + aside * aside * aside * aside));
    u[0] = near * p[0] / 0.12;
    u[1] = near * (0.4 + p[1] / 0.12);
    u[2] = 0.2 * near;
}

// Away from the bone, most in its middle.
static void bulge(const skeleton_bone* bone, const double p[3], double u[3]) {
    double along = 0.0;
    double length_sq = 0.0;
    for (int d = 0; d < 3; ++d) {
        along += (p[d] - bone->from[d]) * (bone->to[d] - bone->from[d]);
        length_sq += (bone->to[d] - bone->from[d]) * (bone->to[d] - bone->from[d]);
    }
    const double t = along / length_sq;
    const double middle = (t - 0.45) / 0.18;
    const double beyond = fmax(skeleton_flesh(bone, p, 0.0), 0.0) / 0.015;
    const double size = 0.016 * exp(-0.5 * (middle * middle + beyond * beyond));
    const double radius = bone->thick[0];
    for (int d = 0; d < 3; ++d) {
        u[d] += size * (p[d] - bone->from[d] - t * (bone->to[d] - bone->from[d])) / radius;
    }
}

static bool make_fields(scene* s, const scene_mesh* mesh, uint32_t count, scene_fields* fields) {
    const size_t numbers = 3 * (size_t)mesh->vertex_count;
    *fields = (scene_fields){.count = count < FIELDS_MOST ? count : FIELDS_MOST};
    fields->values = scene__alloc(s, fields->count * numbers, sizeof *fields->values);
    for (size_t i = 0; i < fields->count * numbers && !s->failed; i += 3) {
        const double* p = mesh->rest + i % numbers;
        double u[3] = {0.0, 0.0, 0.0};
        if (i < numbers) {
            breathe(p, u);
        } else {
            const uint32_t muscle = muscles[i / numbers - 1];
            bulge(&walker_bones[LEFT_SIDE + muscle], p, u);
            bulge(&walker_bones[RIGHT_SIDE + muscle], p, u);
        }
        for (size_t d = 0; d < 3; ++d) {
            fields->values[i + d] = (float)u[d];
        }
    }
    return !s->failed;
}

// ---- the motion

typedef struct walk_data {
    double phase;
    double wide;  // factor of all swings
    uint32_t field_count;
} walk_data;

static double step_of(const walk_data* data, double time) {
    return data->phase + 2.0 * SCENE_PI * STEPS * time;
}

static void walk_transforms(const scene* s, uint32_t body, uint32_t frame, double* transforms) {
    const walk_data* data = s->data;
    const double time = scene__time(s, frame);
    const walker_pose pose = {
        .step = step_of(data, time),
        .effort = scene__ease(time, 0.35, 0.7),
        .wide = data->wide,
        .forward = STEPS * WALKER_STRIDE * (time - 0.5),
    };
    (void)body;
    walker_transforms(&pose, transforms);
}

static void walk_coordinates(const scene* s, uint32_t body, uint32_t frame, double* q) {
    const walk_data* data = s->data;
    const double time = scene__time(s, frame);
    const double step = step_of(data, time);
    (void)body;
    for (uint32_t j = 0; j < data->field_count; ++j) {
        q[j] = j == 0 ? sin(0.5 * step) : 0.5 + 0.5 * sin(2.0 * step + (double)j);
    }
}

// ---- the scene

static bool make_surroundings(scene* s, uint32_t seed, scene_mesh* ground, scene_mesh* post) {
    static const double slab[4][2] = {{0.0, -0.06}, {3.2, -0.06}, {3.2, 0.0}, {0.0, 0.0}};
    static const double pole[6][2] = {{0.0, 0.01},  {0.05, 0.01}, {0.05, 0.95},
                                      {0.07, 1.00}, {0.05, 1.05}, {0.0, 1.07}};
    if (!scene__turned(s, ground, slab, 4, 40, false) ||
        !scene__turned(s, post, pole, 6, 24, false)) {
        return false;
    }
    const double x = scene__random_in(seed, 2, 0.25, 0.27);
    const double y = scene__random_in(seed, 3, -0.2, 0.2);
    for (size_t i = 0; i < post->vertex_count; ++i) {
        post->rest[3 * i] += x;
        post->rest[3 * i + 1] += y;
    }
    return true;
}

void scene__make_walk(scene* s, const scene_wish* wish) {
    walk_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh mesh;
    scene_mesh ground;
    scene_mesh post;
    scene_weights weights;
    scene_fields fields;
    double fine = 0.0;
    if (data == NULL || !scene__solid_surface(s, &walker_flesh, wish->triangles, &mesh, &fine) ||
        !scene__skin_weights(s, &walker_skeleton, &mesh, &weights) ||
        !make_fields(s, &mesh, wish->fields, &fields) ||
        !make_surroundings(s, wish->seed, &ground, &post)) {
        return;
    }
    data->phase = scene__random_in(wish->seed, 0, 0.0, 2.0 * SCENE_PI);
    data->wide = scene__random_in(wish->seed, 1, 0.9, 1.1);
    data->field_count = fields.count;
    s->data = data;
    s->transforms = walk_transforms;
    s->coordinates = walk_coordinates;
    scene__add_blended(s, "walker", &mesh, &weights, &fields, true);
    scene__add_body(s, "ground", &ground, false, true);
    scene__add_body(s, "post", &post, false, true);
}
