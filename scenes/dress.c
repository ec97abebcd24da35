// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A figure that walks in a dress, as keyframes: a pair of steps, in few frames, between which
// vertices should move on straight lines. Over the trunk the dress follows the bones. Below, it
// hangs as a cone that the legs push out. It lags a little behind them, so that the fastest thigh
// or shin penetrates the cloth.

#include <math.h>

#include "scenes/garment.h"

#define TOP 1.20
#define HEM 0.40
#define FOLDS 15.0
#define LAG 0.22         // of the cloth behind the legs, in the phase of the gait
#define CLEARANCE 0.008  // between cloth and leg, without the lag
#define ROUND 0.03       // radius of the cloth's bend where a leg pushes it

typedef struct dress_data {
    garment common;
    garment_tube tube;  // from the hem up
} dress_data;

// ---- the rest shape

static const garment_cut cuts[] = {
    {HEM, {0.300, 0.270}},  {0.80, {0.235, 0.185}}, {0.92, {0.215, 0.165}},
    {1.00, {0.180, 0.150}}, {1.09, {0.142, 0.142}}, {TOP, {0.146, 0.146}},
};
enum { CUTS = sizeof cuts / sizeof cuts[0] };

// 0 on the trunk, 1 where the cloth hangs free
static double freedom(double z) {
    return 1.0 - scene__ease(z, 0.80, 0.98);
}

// ---- the legs

typedef struct disc {
    double x;
    double y;
    double radius;
} disc;

// Computes the section of a leg at a height, relative to `centre`.
static disc cut_leg(bone_transforms bones, uint32_t side, const double centre[3]) {
    static const uint32_t joints[] = {THIGH, SHIN, FOOT};
    double at[3][3];
    for (int i = 0; i < 3; ++i) {
        garment_apply((const double(*)[4])bones[side + joints[i]],
                      walker_bones[side + joints[i]].from, at[i]);
    }
    const int part = centre[2] >= at[1][2] ? 0 : 1;
    const double* from = at[part];
    const double* to = at[part + 1];
    const double drop = fmax(from[2] - to[2], 0.1);
    const double t = fmin(fmax((from[2] - centre[2]) / drop, 0.0), 1.0);
    const double* thick = walker_bones[side + joints[part]].thick;
    const double slant = hypot(hypot(to[0] - from[0], to[1] - from[1]), drop) / drop;
    return (disc){from[0] + t * (to[0] - from[0]) - centre[0],
                  from[1] + t * (to[1] - from[1]) - centre[1],
                  slant * (thick[0] + t * (thick[1] - thick[0]))};
}

// Returns how far a leg pushes the cloth in a direction: the support of its section.
static double push(const disc* leg, double c, double s) {
    return leg->x * c + leg->y * s + leg->radius + CLEARANCE;
}

// ---- the cloth

// The common data of all vertices of one height.
typedef struct dress_ring {
    double rest_height;
    double axes[2];
    double free;
    double trunk[3][4];
    double centre[3];
    disc legs[2];
} dress_ring;

static void make_ring(bone_transforms now, bone_transforms before, double z, dress_ring* ring) {
    const double middle[3] = {0.0, 0.0, z};
    ring->rest_height = z;
    ring->free = freedom(z);
    garment_axes(cuts, CUTS, z, ring->axes);
    garment_follow_trunk(now, z, ring->trunk);
    garment_apply((const double(*)[4])ring->trunk, middle, ring->centre);
    ring->legs[0] = cut_leg(before, LEFT_SIDE, ring->centre);
    ring->legs[1] = cut_leg(before, RIGHT_SIDE, ring->centre);
}

static double fold(const dress_data* data, const dress_ring* ring, double angle, double step) {
    const double psi = FOLDS * angle + 0.8 * sin(2.0 * angle + data->common.warp[0]) +
                       0.6 * sin(3.0 * angle + data->common.warp[1]) +
                       0.3 * sin(step + 5.0 * ring->rest_height + data->common.warp[2]);
    const double down = (TOP - ring->rest_height) / (TOP - HEM);
    return 0.03 * ring->free * down * (0.5 + 0.5 * cos(psi));  // outward only
}

static void place(const dress_data* data, const dress_ring* ring, double angle, double step,
                  double out[3]) {
    const double rest[3] = {ring->axes[0] * cos(angle), ring->axes[1] * sin(angle),
                            ring->rest_height};
    garment_apply((const double(*)[4])ring->trunk, rest, out);
    const double x = out[0] - ring->centre[0];
    const double y = out[1] - ring->centre[1];
    const double radius = hypot(x, y);
    double wide = radius;
    for (int i = 0; i < 2; ++i) {  // the greater of both, smoothed
        wide = -solid_join(-wide, -push(&ring->legs[i], x / radius, y / radius), ROUND);
    }
    const double to = radius + ring->free * (wide - radius) + fold(data, ring, angle, step);
    out[0] = ring->centre[0] + to * x / radius;
    out[1] = ring->centre[1] + to * y / radius;
}

// ---- the scene

static void place_all(const dress_data* data, bone_transforms now, bone_transforms before,
                      double step, double* xyz) {
    for (uint32_t i = 0; i < data->tube.rings; ++i) {
        dress_ring ring;
        make_ring(now, before, HEM + (TOP - HEM) * (double)i / (double)(data->tube.rings - 1),
                  &ring);
        for (uint32_t k = 0; k < data->tube.segments; ++k, xyz += 3) {
            place(data, &ring, 2.0 * SCENE_PI * (double)k / (double)data->tube.segments, step, xyz);
        }
    }
}

static void dress_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    bone_transforms now;
    bone_transforms before;
    (void)body;
    const double step = garment_bones(s, frame, LAG, now, before);
    place_all(s->data, now, before, step, xyz);
}

// Makes a tube of about square cells, and places it around the figure at rest.
static bool make_dress(scene* s, dress_data* data, uint32_t triangles, scene_mesh* mesh) {
    data->tube = garment_tube_of((double)triangles, 1.6);
    double(*profile)[2] = scene__alloc(s, data->tube.rings, sizeof *profile);
    for (uint32_t i = 0; i < data->tube.rings && profile != NULL; ++i) {
        profile[i][0] = 1.0;
        profile[i][1] = (double)i;
    }
    if (profile == NULL || !scene__turned(s, mesh, (const double(*)[2])profile, data->tube.rings,
                                          data->tube.segments, false)) {
        return false;
    }
    bone_transforms still;
    garment_rest(still);
    place_all(data, still, still, 0.0, mesh->rest);
    return true;
}

void scene__make_dress(scene* s, const scene_wish* wish) {
    dress_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh dress;
    if (data == NULL) {
        return;
    }
    garment_draw(&data->common, wish->seed);
    if (make_dress(s, data, wish->triangles, &dress)) {
        s->positions = dress_positions;
        garment_add(s, wish, "dress", &dress, data);
    }
}
