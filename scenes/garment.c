// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT

#include "scenes/garment.h"

#include <math.h>

// ---- the cloth

garment_tube garment_tube_of(double triangles, double round) {
    const double along = fmax(floor(sqrt(0.5 * triangles / round) + 0.5), 1.0);
    const double around = fmax(floor(0.5 * triangles / along + 0.5), 8.0);
    return (garment_tube){(uint32_t)along + 1, (uint32_t)around};
}

void garment_axes(const garment_cut* cuts, size_t count, double z, double axes[2]) {
    size_t i = 1;
    while (i + 1 < count && z > cuts[i].height) {
        ++i;
    }
    const double t = scene__ease(z, cuts[i - 1].height, cuts[i].height);
    for (size_t d = 0; d < 2; ++d) {
        axes[d] = cuts[i - 1].axes[d] + t * (cuts[i].axes[d] - cuts[i - 1].axes[d]);
    }
}

void garment_draw(garment* data, uint32_t seed) {
    data->phase = scene__random_in(seed, 0, 0.0, 2.0 * SCENE_PI);
    data->wide = scene__random_in(seed, 1, 0.9, 1.1);
    for (uint32_t i = 0; i < 3; ++i) {
        data->warp[i] = scene__random_in(seed, 2 + i, 0.0, 2.0 * SCENE_PI);
    }
}

// ---- the bones

void garment_mix(const double a[3][4], const double b[3][4], double t, double out[3][4]) {
    for (int i = 0; i < 12; ++i) {
        out[i / 4][i % 4] = (1.0 - t) * a[i / 4][i % 4] + t * b[i / 4][i % 4];
    }
}

void garment_apply(const double transform[3][4], const double point[3], double out[3]) {
    for (int d = 0; d < 3; ++d) {
        out[d] = transform[d][0] * point[0] + transform[d][1] * point[1] +
                 transform[d][2] * point[2] + transform[d][3];
    }
}

void garment_follow_trunk(bone_transforms bones, double z, double out[3][4]) {
    static const double heights[] = {0.98, 1.07, 1.16, 1.30};  // middles of PELVIS .. CHEST
    uint32_t above = 1;
    while (above < CHEST && z > heights[above]) {
        ++above;
    }
    const double below = heights[above - 1];
    const double t = fmin(fmax((z - below) / (heights[above] - below), 0.0), 1.0);
    garment_mix((const double(*)[4])bones[above - 1], (const double(*)[4])bones[above], t, out);
}

static walker_pose pose_at(const scene* s, uint32_t frame) {
    const garment* data = s->data;
    const double time = scene__time(s, frame);
    return (walker_pose){
        .step = data->phase + 2.0 * SCENE_PI * time,
        .wide = data->wide,
        .forward = WALKER_STRIDE * (time - 0.5),
    };
}

double garment_bones(const scene* s, uint32_t frame, double lag, bone_transforms now,
                     bone_transforms before) {
    walker_pose pose = pose_at(s, frame);
    const double step = pose.step;
    walker_transforms(&pose, now[0][0]);
    pose.step -= lag;
    walker_transforms(&pose, before[0][0]);
    return step;
}

void garment_rest(bone_transforms still) {
    for (int i = 0; i < 3 * BONES; ++i) {
        for (int k = 0; k < 4; ++k) {
            still[i / 3][i % 3][k] = k == i % 3 ? 1.0 : 0.0;
        }
    }
}

// ---- the scene

static void figure_transforms(const scene* s, uint32_t body, uint32_t frame, double* transforms) {
    const walker_pose pose = pose_at(s, frame);
    (void)body;
    walker_transforms(&pose, transforms);
}

void garment_add(scene* s, const scene_wish* wish, const char* name, const scene_mesh* cloth,
                 void* data) {
    scene_mesh figure;
    scene_weights weights;
    double fine = 0.0;
    if (!scene__solid_surface(s, &walker_flesh, wish->triangles / 4, &figure, &fine) ||
        !scene__skin_weights(s, &walker_skeleton, &figure, &weights)) {
        return;
    }
    s->data = data;
    s->transforms = figure_transforms;
    scene__add_body(s, name, cloth, true, false);
    scene__add_blended(s, "figure", &figure, &weights, NULL, true);
}
