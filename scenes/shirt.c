// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A figure that walks in a shirt, as keyframes, like the dress: a pair of steps in few frames. The
// shirt is a tube about the trunk and one about each arm. They follow the bones, wrinkle where
// these bend, and the hem swings behind the hips. The arms come close to the trunk.

#include <math.h>

#include "scenes/garment.h"

#define HEM 0.86
#define COLLAR_HEIGHT 1.42
#define LAG 0.3          // of the hem behind the hips, in the phase of the gait
#define CUFF 0.75        // where the sleeve ends, along the forearm
#define CLEARANCE 0.012  // between cloth and flesh
#define TRUNK_SHARE 0.5  // of all cells

enum { TUBES = 3 };  // trunk, left sleeve, right sleeve

typedef struct shirt_data {
    garment common;
    garment_tube tubes[TUBES];
} shirt_data;

// ---- the trunk

static const garment_cut cuts[] = {
    {HEM, {0.205, 0.175}},  {0.98, {0.190, 0.165}}, {1.12, {0.165, 0.150}},
    {1.26, {0.175, 0.155}}, {1.36, {0.150, 0.135}}, {COLLAR_HEIGHT, {0.085, 0.085}},
};
enum { CUTS = sizeof cuts / sizeof cuts[0] };

static void place_trunk(const shirt_data* data, bone_transforms now, bone_transforms before,
                        double step, double along, double angle, double out[3]) {
    const double z = HEM + along * (COLLAR_HEIGHT - HEM);
    const double hang = 1.0 - scene__ease(z, HEM, 1.05);
    const double wave = 0.006 * sin(7.0 * angle + 18.0 * along + data->common.warp[0] + sin(step)) +
                        0.010 * hang * cos(11.0 * angle + data->common.warp[1] + 0.5 * sin(step));
    double axes[2];
    double trunk[3][4];
    double late[3][4];
    double mixed[3][4];
    garment_axes(cuts, CUTS, z, axes);
    garment_follow_trunk(now, z, trunk);
    garment_follow_trunk(before, z, late);
    garment_mix((const double(*)[4])trunk, (const double(*)[4])late, hang, mixed);
    const double rest[3] = {(axes[0] + wave) * cos(angle), (axes[1] + wave) * sin(angle), z};
    garment_apply((const double(*)[4])mixed, rest, out);
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
                        sin(60.0 * at + 2.0 * sin(angle) + data->common.warp[2] + sin(step));
    const double radius = thick[0] + t * (thick[1] - thick[0]) + CLEARANCE + 0.01 * at + wave;
    double rest[3];
    double mixed[3][4];
    place_about(&walker_bones[bone], t, radius, angle, rest);
    garment_mix((const double(*)[4])now[first + UPPER_ARM],
                (const double(*)[4])now[first + FOREARM], scene__ease(at, 0.6, 1.4), mixed);
    garment_apply((const double(*)[4])mixed, rest, out);
}

// ---- the scene

static void place_all(const shirt_data* data, bone_transforms now, bone_transforms before,
                      double step, double* xyz) {
    for (uint32_t i = 0; i < TUBES; ++i) {
        const garment_tube* of = &data->tubes[i];
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

static void shirt_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    bone_transforms now;
    bone_transforms before;
    (void)body;
    const double step = garment_bones(s, frame, LAG, now, before);
    place_all(s->data, now, before, step, xyz);
}

static uint32_t* add_tube(const garment_tube* of, uint32_t first, uint32_t* out) {
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
        garment_tube* of = &data->tubes[i];
        *of = garment_tube_of((i == 0 ? TRUNK_SHARE : 0.5 * (1.0 - TRUNK_SHARE)) * triangles,
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
    bone_transforms still;
    garment_rest(still);
    place_all(data, still, still, 0.0, mesh->rest);
    return true;
}

void scene__make_shirt(scene* s, const scene_wish* wish) {
    shirt_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh shirt;
    if (data == NULL) {
        return;
    }
    garment_draw(&data->common, wish->seed);
    if (make_shirt(s, data, wish->triangles, &shirt)) {
        s->positions = shirt_positions;
        garment_add(s, wish, "shirt", &shirt, data);
    }
}
