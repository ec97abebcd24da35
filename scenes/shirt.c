// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A figure that walks in a shirt, as keyframes, like the dress: a pair of steps in few frames. The
// shirt is a tube about the trunk and one about each arm. They follow the bones, wrinkle where
// these bend, and the hem swings behind the hips. The arms come close to the trunk.

#include <math.h>

#include "scenes/walker.h"

#define HEM 0.86
#define COLLAR_HEIGHT 1.42
#define LAG 0.3          // of the hem behind the hips, in the phase of the gait
#define CUFF 0.75        // where the sleeve ends, along the forearm
#define CLEARANCE 0.012  // between cloth and flesh
#define TRUNK_SHARE 0.5  // of all cells

typedef double bone_transforms[BONES][3][4];

// A tube: rings of vertices along it, each with so many segments.
typedef struct tube {
    uint32_t rings;
    uint32_t segments;
} tube;

enum { TUBES = 3 };  // trunk, left sleeve, right sleeve

typedef struct shirt_data {
    double phase;
    double wide;
    double warp[3];  // phases of the wrinkles
    tube tubes[TUBES];
} shirt_data;

static void apply(const double t[3][4], const double p[3], double out[3]) {
    for (int d = 0; d < 3; ++d) {
        out[d] = t[d][0] * p[0] + t[d][1] * p[1] + t[d][2] * p[2] + t[d][3];
    }
}

static void mix(const double a[3][4], const double b[3][4], double t, double out[3][4]) {
    for (int i = 0; i < 12; ++i) {
        out[i / 4][i % 4] = (1.0 - t) * a[i / 4][i % 4] + t * b[i / 4][i % 4];
    }
}

// ---- the trunk

// Height, and half axes across and along the walking direction, from the hem up.
static const double cut[][3] = {
    {HEM, 0.205, 0.175},  {0.98, 0.190, 0.165}, {1.12, 0.165, 0.150},
    {1.26, 0.175, 0.155}, {1.36, 0.150, 0.135}, {COLLAR_HEIGHT, 0.085, 0.085},
};
enum { CUTS = sizeof cut / sizeof cut[0] };

static void cut_at(double z, double axes[2]) {
    size_t i = 1;
    while (i + 1 < CUTS && z > cut[i][0]) {
        ++i;
    }
    const double t = scene__ease(z, cut[i - 1][0], cut[i][0]);
    for (size_t d = 0; d < 2; ++d) {
        axes[d] = cut[i - 1][d + 1] + t * (cut[i][d + 1] - cut[i - 1][d + 1]);
    }
}

// Computes the trunk's motion at a height at rest, between the bones below and above it.
static void follow_trunk(bone_transforms bones, double z, double out[3][4]) {
    static const double heights[] = {0.98, 1.07, 1.16, 1.30};  // middles of PELVIS .. CHEST
    uint32_t above = 1;
    while (above < CHEST && z > heights[above]) {
        ++above;
    }
    const double below = heights[above - 1];
    const double t = fmin(fmax((z - below) / (heights[above] - below), 0.0), 1.0);
    mix((const double(*)[4])bones[above - 1], (const double(*)[4])bones[above], t, out);
}

static void place_trunk(const shirt_data* data, bone_transforms now, bone_transforms before,
                        double step, double along, double angle, double out[3]) {
    const double z = HEM + along * (COLLAR_HEIGHT - HEM);
    const double hang = 1.0 - scene__ease(z, HEM, 1.05);
    const double wave = 0.006 * sin(7.0 * angle + 18.0 * along + data->warp[0] + sin(step)) +
                        0.010 * hang * cos(11.0 * angle + data->warp[1] + 0.5 * sin(step));
    double axes[2];
    double trunk[3][4];
    double late[3][4];
    double mixed[3][4];
    cut_at(z, axes);
    follow_trunk(now, z, trunk);
    follow_trunk(before, z, late);
    mix((const double(*)[4])trunk, (const double(*)[4])late, hang, mixed);
    const double rest[3] = {(axes[0] + wave) * cos(angle), (axes[1] + wave) * sin(angle), z};
    apply((const double(*)[4])mixed, rest, out);
}

// ---- the sleeves

// Computes a point about a bone at rest: `t` of its length, `wide` times its thickness.
static void place_about(const skeleton_bone* bone, double t, double radius, double angle,
                        double out[3]) {
    double axis[3];
    double length = 0.0;
    for (int d = 0; d < 3; ++d) {
        axis[d] = bone->to[d] - bone->from[d];
        length += axis[d] * axis[d];
    }
    length = sqrt(length);
    double side[3] = {axis[1], -axis[0], 0.0};  // across the bone, which is not upright
    double flat = hypot(side[0], side[1]);
    if (flat < 1e-6 * length) {
        side[0] = flat = 1.0;
        side[1] = 0.0;
    }
    for (int d = 0; d < 3; ++d) {
        axis[d] /= length;
        side[d] /= flat;
    }
    const double other[3] = {axis[1] * side[2] - axis[2] * side[1],
                             axis[2] * side[0] - axis[0] * side[2],
                             axis[0] * side[1] - axis[1] * side[0]};
    for (int d = 0; d < 3; ++d) {
        out[d] = bone->from[d] + t * length * axis[d] +
                 radius * (cos(angle) * side[d] + sin(angle) * other[d]);
    }
}

static void place_sleeve(const shirt_data* data, bone_transforms now, uint32_t first, double step,
                         double along, double angle, double out[3]) {
    const double at = along * (1.0 + CUFF);  // 0 .. 1 on the upper arm, then on the forearm
    const uint32_t bone = first + (at < 1.0 ? UPPER_ARM : FOREARM);
    const double t = at < 1.0 ? at : at - 1.0;
    const double* thick = walker_bones[bone].thick;
    const double bend = exp(-40.0 * (at - 1.0) * (at - 1.0));  // wrinkles at the elbow
    const double wave = (0.003 + 0.006 * bend) *
                        sin(60.0 * at + 2.0 * sin(angle) + data->warp[2] + sin(step));
    const double radius = thick[0] + t * (thick[1] - thick[0]) + CLEARANCE + 0.01 * at + wave;
    double rest[3];
    double mixed[3][4];
    place_about(&walker_bones[bone], t, radius, angle, rest);
    mix((const double(*)[4])now[first + UPPER_ARM], (const double(*)[4])now[first + FOREARM],
        scene__ease(at, 0.6, 1.4), mixed);
    apply((const double(*)[4])mixed, rest, out);
}

// ---- the scene

static void place_all(const shirt_data* data, bone_transforms now, bone_transforms before,
                      double step, double* xyz) {
    for (uint32_t i = 0; i < TUBES; ++i) {
        const tube* of = &data->tubes[i];
        for (uint32_t r = 0; r < of->rings; ++r) {
            const double along = (double)r / (double)(of->rings - 1);
            for (uint32_t k = 0; k < of->segments; ++k, xyz += 3) {
                const double angle = 2.0 * SCENE_PI * (double)k / (double)of->segments;
                if (i == 0) {
                    place_trunk(data, now, before, step, along, angle, xyz);
                } else {
                    place_sleeve(data, now, i == 1 ? LEFT_SIDE : RIGHT_SIDE, step, along, angle,
                                 xyz);
                }
            }
        }
    }
}

static walker_pose pose_at(const scene* s, uint32_t frame) {
    const shirt_data* data = s->data;
    const double time = scene__time(s, frame);
    return (walker_pose){
        .step = data->phase + 2.0 * SCENE_PI * time,
        .wide = data->wide,
        .forward = WALKER_STRIDE * (time - 0.5),
    };
}

static void shirt_transforms(const scene* s, uint32_t body, uint32_t frame, double* transforms) {
    const walker_pose pose = pose_at(s, frame);
    (void)body;
    walker_transforms(&pose, transforms);
}

static void shirt_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    walker_pose pose = pose_at(s, frame);
    bone_transforms now;
    bone_transforms before;
    const double step = pose.step;
    (void)body;
    walker_transforms(&pose, now[0][0]);
    pose.step -= LAG;
    walker_transforms(&pose, before[0][0]);
    place_all(s->data, now, before, step, xyz);
}

// Chooses the cells of a tube: `round` around per cell along.
static tube tube_of(double triangles, double round) {
    const double along = fmax(floor(sqrt(0.5 * triangles / round) + 0.5), 1.0);
    const double around = fmax(floor(0.5 * triangles / along + 0.5), 8.0);
    return (tube){(uint32_t)along + 1, (uint32_t)around};
}

static uint32_t* add_tube(const tube* of, uint32_t first, uint32_t* out) {
    for (uint32_t r = 0; r + 1 < of->rings; ++r) {
        for (uint32_t k = 0; k < of->segments; ++k) {
            const uint32_t next = (k + 1) % of->segments;
            const uint32_t a = first + r * of->segments + k;
            const uint32_t b = first + r * of->segments + next;
            const uint32_t corners[6] = {
                a, b, b + of->segments, a, b + of->segments, a + of->segments};
            for (int c = 0; c < 6; ++c) {
                *out++ = corners[c];
            }
        }
    }
    return out;
}

static bool make_shirt(scene* s, shirt_data* data, uint32_t triangles, scene_mesh* mesh) {
    *mesh = (scene_mesh){0};
    for (uint32_t i = 0; i < TUBES; ++i) {
        tube* of = &data->tubes[i];
        *of = tube_of((i == 0 ? TRUNK_SHARE : 0.5 * (1.0 - TRUNK_SHARE)) * triangles,
                      i == 0 ? 1.8 : 0.7);
        mesh->vertex_count += of->rings * of->segments;
        mesh->triangle_count += 2 * (of->rings - 1) * of->segments;
    }
    mesh->triangles = scene__alloc(s, 3 * (size_t)mesh->triangle_count, sizeof *mesh->triangles);
    mesh->rest = scene__alloc(s, 3 * (size_t)mesh->vertex_count, sizeof *mesh->rest);
    if (mesh->triangles == NULL || mesh->rest == NULL) {
        return false;
    }
    uint32_t first = 0;
    uint32_t* out = mesh->triangles;
    for (uint32_t i = 0; i < TUBES; ++i) {
        out = add_tube(&data->tubes[i], first, out);
        first += data->tubes[i].rings * data->tubes[i].segments;
    }
    bone_transforms still = {0};
    for (int i = 0; i < 3 * BONES; ++i) {
        still[i / 3][i % 3][i % 3] = 1.0;
    }
    place_all(data, still, still, 0.0, mesh->rest);
    return true;
}

void scene__make_shirt(scene* s, const scene_wish* wish) {
    shirt_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh shirt;
    scene_mesh figure;
    scene_weights weights;
    double fine = 0.0;
    if (data == NULL) {
        return;
    }
    data->phase = scene__random_in(wish->seed, 0, 0.0, 2.0 * SCENE_PI);
    data->wide = scene__random_in(wish->seed, 1, 0.9, 1.1);
    for (uint32_t i = 0; i < 3; ++i) {
        data->warp[i] = scene__random_in(wish->seed, 2 + i, 0.0, 2.0 * SCENE_PI);
    }
    // The figure is coarser, because the shirt hides much of it.
    if (!make_shirt(s, data, wish->triangles, &shirt) ||
        !scene__solid_surface(s, &walker_flesh, wish->triangles / 4, &figure, &fine) ||
        !scene__skin_weights(s, &walker_skeleton, &figure, &weights)) {
        return;
    }
    s->data = data;
    s->positions = shirt_positions;
    s->transforms = shirt_transforms;
    scene__add_body(s, "shirt", &shirt, true, false);
    scene__add_blended(s, "figure", &figure, &weights, NULL, true);
}
