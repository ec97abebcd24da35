// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Many small soft bodies fall through a funnel. Each falls at a constant fraction of the funnel's
// inner radius, so where the funnel is narrow the bodies crowd, overlap each other and touch its
// wall. They tumble and wobble on the way.

#include <math.h>

#include "scenes/scenes_internal.h"

#define FUNNEL_SEGMENTS 48
#define BODY_TRIANGLES 180

// Radius and height: up the outside, over the lip and down the inside, 24 bands of 96 triangles.
static const double funnel_profile[][2] = {
    {0.340, -0.90}, {0.340, -0.60}, {0.340, -0.30}, {0.345, -0.10}, {0.370, 0.02},  {0.460, 0.16},
    {0.600, 0.32},  {0.740, 0.48},  {0.880, 0.64},  {1.020, 0.80},  {1.080, 0.92},  {1.085, 1.00},
    {1.060, 1.02},  {1.040, 1.00},  {1.035, 0.93},  {0.975, 0.82},  {0.835, 0.66},  {0.695, 0.50},
    {0.555, 0.34},  {0.415, 0.18},  {0.325, 0.05},  {0.305, -0.08}, {0.300, -0.30}, {0.300, -0.90},
};
#define FUNNEL_POINTS (sizeof funnel_profile / sizeof funnel_profile[0])
#define FUNNEL_INNER_FIRST 13  // the inner wall from here on, downwards

typedef struct faller {
    double start[3];  // height at time 0, fraction of the inner radius, angle
    double axis[3];   // of tumbling
    double spin;
    double wobble;  // phase
} faller;

typedef struct funnel_data {
    double size;  // radius of a body
    uint32_t count;
    faller* fallers;
} funnel_data;

// Returns the inner radius at a height; above the funnel, the width of the lip.
static double inner_radius(double z) {
    const uint32_t last = FUNNEL_POINTS - 1;
    if (z >= funnel_profile[FUNNEL_INNER_FIRST][1]) {
        return funnel_profile[FUNNEL_INNER_FIRST][0];
    }
    for (uint32_t i = FUNNEL_INNER_FIRST; i < last; ++i) {
        const double* high = funnel_profile[i];
        const double* low = funnel_profile[i + 1];
        if (z >= low[1]) {
            return low[0] + (high[0] - low[0]) * (z - low[1]) / (high[1] - low[1]);
        }
    }
    return funnel_profile[last][0];
}

static void centre_of(const funnel_data* data, const faller* f, double time, double out[3]) {
    const double fall = f->start[0] - 1.9 * time - 0.5 * time * time;
    // Faster where it is narrow, like a stream; otherwise all bodies would end in one lump.
    const double narrow = fmax(0.7 - fall, 0.0);
    const double z = fall - 1.1 * narrow * narrow;
    // The bodies get slightly more space than there is, so that the outermost touch the wall.
    const double room = inner_radius(z) - 0.75 * data->size;
    const double swirl = f->start[2] + 1.2 * time + 0.4 / (0.3 + fmax(z, 0.0));
    out[0] = f->start[1] * room * cos(swirl);
    out[1] = f->start[1] * room * sin(swirl);
    out[2] = z;
}

// Rodrigues' rotation of p about the unit vector `axis`
static void rotate(const double axis[3], double angle, const double p[3], double out[3]) {
    const double c = cos(angle);
    const double s = sin(angle);
    const double along = (axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2]) * (1.0 - c);
    out[0] = c * p[0] + s * (axis[1] * p[2] - axis[2] * p[1]) + along * axis[0];
    out[1] = c * p[1] + s * (axis[2] * p[0] - axis[0] * p[2]) + along * axis[1];
    out[2] = c * p[2] + s * (axis[0] * p[1] - axis[1] * p[0]) + along * axis[2];
}

static void funnel_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const funnel_data* data = s->data;
    const scene_body* b = &s->bodies[body];
    const faller* f = &data->fallers[body];
    const double time = scene__time(s, frame);
    double centre[3];
    centre_of(data, f, time, centre);
    // Squeezed along one of its axes and wider across, so that the volume stays about the same.
    const double squeeze = 1.0 + 0.15 * sin(14.0 * time + f->wobble);
    const double wide = 1.0 / sqrt(squeeze);
    for (size_t i = 0; i < b->vertex_count; ++i) {
        const double* rest = b->rest + 3 * i;
        const double bend = 0.15 * rest[2] * rest[2] / data->size * sin(9.0 * time + f->wobble);
        const double p[3] = {wide * rest[0] + bend, wide * rest[1], squeeze * rest[2]};
        double turned[3];
        rotate(f->axis, f->spin * time, p, turned);
        for (size_t d = 0; d < 3; ++d) {
            xyz[3 * i + d] = centre[d] + turned[d];
        }
    }
}

// Heights in layers, fractions and angles in rings of each layer, all randomized: even but not
// regular.
static void place_faller(funnel_data* data, uint32_t i, uint32_t seed) {
    faller* f = &data->fallers[i];
    const uint32_t at = 16 * i;
    const double order = ((double)i + 0.5) / (double)data->count;
    f->start[0] = 1.0 + 1.4 * data->size + 1.9 * order;
    f->start[1] = sqrt(scene__random(seed, at));
    f->start[2] = 2.39996322972865332 * (double)i + scene__random_in(seed, at + 1, -0.4, 0.4);
    const double up = scene__random_in(seed, at + 2, -1.0, 1.0);
    const double around = scene__random_in(seed, at + 3, 0.0, 2.0 * SCENE_PI);
    f->axis[0] = sqrt(1.0 - up * up) * cos(around);
    f->axis[1] = sqrt(1.0 - up * up) * sin(around);
    f->axis[2] = up;
    f->spin = scene__random_in(seed, at + 4, -9.0, 9.0);
    f->wobble = scene__random_in(seed, at + 5, 0.0, 2.0 * SCENE_PI);
}

// Maps the unit sphere to a rounded cube of about the same volume.
static void round_cube(scene_mesh* mesh) {
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        double* p = mesh->rest + 3 * i;
        double sum = 0.0;
        for (size_t d = 0; d < 3; ++d) {
            const double square = p[d] * p[d];
            sum += square * square * square;
        }
        const double scale = 0.85 / pow(sum, 1.0 / 6.0);  // the unit ball of the 6-norm
        for (size_t d = 0; d < 3; ++d) {
            p[d] *= scale;
        }
    }
}

// Balls, rings and dice in turn, of 180 triangles each.
static bool make_shape(scene* s, scene_mesh* mesh, uint32_t i, double size) {
    const bool ring = i % 3 == 1;
    if (!(ring ? scene__torus(s, mesh, 0.8, 0.36, 10, 9) : scene__sphere(s, mesh, 3))) {
        return false;
    }
    if (i % 3 == 2) {
        round_cube(mesh);
    }
    for (size_t k = 0; k < 3 * (size_t)mesh->vertex_count; ++k) {
        mesh->rest[k] *= size;
    }
    return true;
}

void scene__make_funnel(scene* s, const scene_wish* wish) {
    funnel_data* data = scene__alloc(s, 1, sizeof *data);
    if (data == NULL) {
        return;
    }
    data->count = (wish->triangles + BODY_TRIANGLES / 2) / BODY_TRIANGLES;
    data->count = data->count == 0 ? 1 : data->count;
    data->size = 0.115 * cbrt(200.0 / (double)data->count);  // the same volume for any count
    data->fallers = scene__alloc(s, data->count, sizeof *data->fallers);
    static const char* const names[3] = {"ball", "ring", "die"};
    for (uint32_t i = 0; i < data->count && !s->failed; ++i) {
        scene_mesh mesh;
        if (make_shape(s, &mesh, i, data->size)) {
            place_faller(data, i, wish->seed);
            scene__add_body(s, names[i % 3], &mesh, true, true);
        }
    }
    scene_mesh funnel;
    if (scene__turned(s, &funnel, funnel_profile, FUNNEL_POINTS, FUNNEL_SEGMENTS, true)) {
        scene__add_body(s, "funnel", &funnel, false, true);
    }
    s->data = data;
    s->positions = funnel_positions;
}
