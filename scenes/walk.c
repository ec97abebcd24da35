// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A figure of skin and bones that walks past a post, first at ease and then with high knees and
// bent arms, so that its limbs come to touch themselves and each other. It breathes, and muscles
// bulge: displacement fields move the rest pose, then the skin follows the bones.

#include <math.h>
#include <string.h>

#include "scenes/skeleton.h"

#define STEPS 3.0    // pairs of them
#define STRIDE 1.45  // metres for each pair
#define SOLE 0.004   // how deep feet sink into the ground

// --- the figure ------------------------------------------------------------------------------------
//
// It stands on z = 0 with its arms held out, looks towards +y, and its left side is that of x > 0.

enum { PELVIS, LOINS, WAIST, CHEST, NECK, HEAD, LEFT_SIDE };
enum { COLLAR, UPPER_ARM, FOREARM, HAND, THIGH, SHIN, FOOT, TOES, SIDE_BONES };
enum { RIGHT_SIDE = LEFT_SIDE + SIDE_BONES, BONES = RIGHT_SIDE + SIDE_BONES };

#define ARM_X 0.64278760968653933  // direction of the arms at rest, 40 degrees from hanging down
#define ARM_Z 0.76604444311897804

#define SIDE(x, base)                                                                            \
    {CHEST, {x * 0.030, 0.00, 1.395}, {x * 0.150, -0.01, 1.405}, {0.080, 0.072}},                \
        {base + COLLAR, {x * 0.180, -0.01, 1.400}, {x * 0.355, -0.01, 1.191}, {0.060, 0.046}},   \
        {base + UPPER_ARM, {x * 0.365, -0.01, 1.180}, {x * 0.520, 0.00, 0.995}, {0.048, 0.033}}, \
        {base + FOREARM, {x * 0.535, 0.00, 0.977}, {x * 0.595, 0.00, 0.905}, {0.036, 0.030}},    \
        {PELVIS, {x * 0.095, 0.00, 0.910}, {x * 0.112, 0.01, 0.530}, {0.094, 0.062}},            \
        {base + THIGH, {x * 0.115, 0.01, 0.490}, {x * 0.130, -0.02, 0.130}, {0.062, 0.042}},     \
        {base + SHIN, {x * 0.130, -0.02, 0.085}, {x * 0.140, 0.09, 0.036}, {0.048, 0.034}}, {    \
        base + FOOT, {x * 0.140, 0.11, 0.030}, {x * 0.145, 0.16, 0.027}, {                       \
            0.030, 0.027                                                                         \
        }                                                                                        \
    }

static const skeleton_bone bones[BONES] = {
    {PELVIS, {0.0, 0.00, 0.95}, {0.0, 0.00, 1.00}, {0.130, 0.125}},
    {PELVIS, {0.0, 0.00, 1.04}, {0.0, 0.01, 1.09}, {0.120, 0.115}},
    {LOINS, {0.0, 0.01, 1.13}, {0.0, 0.01, 1.19}, {0.115, 0.120}},
    {WAIST, {0.0, 0.01, 1.23}, {0.0, 0.00, 1.34}, {0.128, 0.122}},
    {CHEST, {0.0, 0.00, 1.44}, {0.0, 0.01, 1.52}, {0.058, 0.055}},
    {NECK, {0.0, 0.02, 1.57}, {0.0, 0.03, 1.65}, {0.085, 0.095}},
    SIDE(1.0, LEFT_SIDE),
    SIDE(-1.0, RIGHT_SIDE),
};

static const skeleton walker = {BONES, bones, 0.07};

static double walker_value(const double p[3], double fine) {
    const double side[3] = {fabs(p[0]), p[1], p[2]};  // the bones of one side are enough
    double value = skeleton_flesh(&bones[0], side, fine);
    for (uint32_t b = 1; b < RIGHT_SIDE; ++b) {
        value = solid_join(value, skeleton_flesh(&bones[b], side, fine), 0.03);
    }
    static const double nose[2][3] = {{0.0, 0.11, 1.63}, {0.0, 0.13, 1.60}};
    static const double heel[2][3] = {{0.13, -0.035, 0.07}, {0.13, -0.045, 0.045}};
    const double thin = solid_thin(0.015, fine);
    value = solid_join(value, solid_bar(side, nose[0], nose[1], thin, thin), 0.02);
    return solid_join(value, solid_bar(side, heel[0], heel[1], 0.045, 0.043), 0.03);
}

static const solid flesh = {walker_value, {-0.65, -0.17, -0.01}, {0.65, 0.21, 1.77}};

// --- fields ----------------------------------------------------------------------------------------

// what bulges, on both sides: one field each, after the first one, which is breath
static const uint32_t muscles[] = {UPPER_ARM, SHIN, THIGH, FOREARM, COLLAR};
#define FIELDS_MOST (1 + sizeof muscles / sizeof muscles[0])

// chest and belly widen, mostly to the front
static void breathe(const double p[3], double u[3]) {
    const double height = (p[2] - 1.20) / 0.12;
    const double aside = p[0] / 0.14;
    const double near = 0.02 * exp(-0.5 * (height * height + aside * aside * aside * aside));
    u[0] = near * p[0] / 0.12;
    u[1] = near * (0.4 + p[1] / 0.12);
    u[2] = 0.2 * near;
}

// away from the bone, most in its middle
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
            bulge(&bones[LEFT_SIDE + muscle], p, u);
            bulge(&bones[RIGHT_SIDE + muscle], p, u);
        }
        for (size_t d = 0; d < 3; ++d) {
            fields->values[i + d] = (float)u[d];
        }
    }
    return !s->failed;
}

// --- the gait --------------------------------------------------------------------------------------

typedef struct walk_data {
    double phase;
    double wide;  // of all swings
    uint32_t field_count;
} walk_data;

typedef double turns[BONES][3][3];

static const double across[3] = {1.0, 0.0, 0.0};  // a turn about it lifts what hangs to the front
static const double forward[3] = {0.0, 1.0, 0.0};
static const double up[3] = {0.0, 0.0, 1.0};

// from 0 to 1: a bump where the sine is positive
static double bump(double angle) {
    const double s = fmax(sin(angle), 0.0);
    return s * s;
}

// first about `axis`, then about `then`
static void turn_twice(const double axis[3], double angle, const double then[3], double then_angle,
                       double r[3][3]) {
    double first[3][3];
    double second[3][3];
    scene__rotation(axis, angle, first);
    scene__rotation(then, then_angle, second);
    for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 3; ++e) {
            r[d][e] = second[d][0] * first[0][e] + second[d][1] * first[1][e] +
                      second[d][2] * first[2][e];
        }
    }
}

// `step` is the phase of this leg: it swings to the front while the sine rises
static void pose_leg(uint32_t side, double step, double effort, double wide, turns r) {
    const double hip = wide * 0.42 * sin(step) + 0.05 + 0.75 * effort * bump(step + 0.3);
    const double knee = 0.12 + wide * 0.75 * bump(step + 1.3) + 1.75 * effort * bump(step + 0.5);
    const double sole = fmin(fmax(knee - hip, -0.45), 0.5);
    scene__rotation(across, hip, r[side + THIGH]);
    scene__rotation(across, -knee, r[side + SHIN]);
    scene__rotation(across, sole, r[side + FOOT]);
    scene__rotation(across, 0.5 * bump(step + 3.6), r[side + TOES]);
}

// arms are taken down to the sides, then swing against the legs
static void pose_arm(uint32_t side, double step, double effort, double wide, turns r) {
    const double sign = side == LEFT_SIDE ? 1.0 : -1.0;
    const double swing = -wide * (0.40 + 0.25 * effort) * sin(step) - 0.05;
    const double elbow = 0.30 - 0.15 * sin(step) + effort * (1.35 - 0.85 * sin(step));
    const double hinge[3] = {ARM_Z, 0.0, sign * ARM_X};
    turn_twice(forward, sign * (0.56 - 0.06 * effort), across, swing, r[side + UPPER_ARM]);
    scene__rotation(hinge, elbow, r[side + FOREARM]);
    scene__rotation(hinge, 0.2 + 0.1 * sin(step), r[side + HAND]);
    scene__rotation(up, -0.08 * sin(step) * sign, r[side + COLLAR]);
}

static void pose_trunk(double step, double effort, turns r) {
    turn_twice(up, 0.10 * sin(step), forward, 0.04 * cos(step), r[PELVIS]);
    turn_twice(up, -0.08 * sin(step), across, -0.03 - 0.05 * effort, r[LOINS]);
    turn_twice(up, -0.08 * sin(step), forward, -0.04 * cos(step), r[WAIST]);
    turn_twice(up, -0.06 * sin(step), across, -0.02, r[CHEST]);
    scene__rotation(up, 0.06 * sin(step), r[NECK]);
    scene__rotation(across, 0.05 + 0.02 * sin(2.0 * step), r[HEAD]);
}

static double step_of(const walk_data* data, double time) {
    return data->phase + 2.0 * SCENE_PI * STEPS * time;
}

// the lowest point of both soles
static double lowest_sole(const double* transforms) {
    static const double points[3][3] = {
        {0.130, -0.045, 0.002}, {0.140, 0.09, 0.002}, {0.145, 0.16, 0.000}};
    double lowest = INFINITY;
    for (uint32_t i = 0; i < 6; ++i) {
        const double* p = points[i / 2];
        const double x = i % 2 == 0 ? p[0] : -p[0];
        const uint32_t side = i % 2 == 0 ? LEFT_SIDE : RIGHT_SIDE;
        const uint32_t bone = side + (i / 2 == 2 ? TOES : FOOT);
        const double* row = transforms + 12 * (size_t)bone + 8;
        lowest = fmin(lowest, row[0] * x + row[1] * p[1] + row[2] * p[2] + row[3]);
    }
    return lowest;
}

static void walk_transforms(const scene* s, uint32_t body, uint32_t frame, double* transforms) {
    const walk_data* data = s->data;
    const double time = scene__time(s, frame);
    const double effort = scene__ease(time, 0.35, 0.7);
    const double step = step_of(data, time);
    double shift[3] = {0.0, STEPS * STRIDE * (time - 0.5), 0.0};
    turns r;
    (void)body;
    pose_trunk(step, effort, r);
    for (uint32_t i = 0; i < 2; ++i) {
        const uint32_t side = i == 0 ? LEFT_SIDE : RIGHT_SIDE;
        const double own = step + SCENE_PI * (double)i;
        pose_leg(side, own, effort, data->wide, r);
        pose_arm(side, own, effort, data->wide, r);
    }
    skeleton_transforms(&walker, (const double(*)[3][3])r, shift, transforms);
    shift[2] = -SOLE - lowest_sole(transforms);
    for (uint32_t b = 0; b < BONES; ++b) {
        transforms[12 * (size_t)b + 11] += shift[2];
    }
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

// --- the scene -------------------------------------------------------------------------------------

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
    if (data == NULL || !scene__solid_surface(s, &flesh, wish->triangles, &mesh, &fine) ||
        !scene__skin_weights(s, &walker, &mesh, &weights) ||
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
