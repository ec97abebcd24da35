// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two spheres that grow until they meet. Every vertex moves along its own radius. Vertices that
// have crossed to the other sphere's side turn back, and move out again from a least radius.
// Velocities change at frames only, so between two frames all vertices move on straight lines.
// Based on the test of velocity changes in Weller, Zachmann, "Kinetic Bounding Volume Hierarchies
// for Deformable Objects" (2006).

#include <math.h>

#include "scenes/scenes_internal.h"

#define APART 1.0   // distance of each centre from the plane between them
#define START 0.8   // radius
#define LEAST 0.69  // radius where a vertex turns outwards
#define MOST 1.31   // radius where it turns inwards if it never reaches the plane
#define SPEED 1.5   // of all radii, over the whole motion

typedef struct spheres_data {
    double axis[3];  // from the first to the second centre
} spheres_data;

// Returns the radius at a frame of a vertex; its distance along the axis is `towards` times the
// radius.
static double radius_at(uint32_t frame, double step, double towards) {
    double radius = START;
    double velocity = step;
    for (uint32_t f = 0; f < frame; ++f) {
        radius += velocity;
        const bool turns_back = radius * towards > APART || radius > MOST;
        if (velocity > 0.0 ? turns_back : radius < LEAST) {
            velocity = -velocity;
        }
    }
    return radius;
}

static void spheres_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const spheres_data* data = s->data;
    const scene_body* mesh = &s->bodies[body];
    const double side = body == 0 ? -1.0 : 1.0;
    const double step = s->frame_count > 1 ? SPEED / (double)(s->frame_count - 1) : 0.0;
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i += 3) {
        double n[3];
        double towards = 0.0;
        for (size_t d = 0; d < 3; ++d) {
            n[d] = (mesh->rest[i + d] - side * APART * data->axis[d]) / START;
            towards -= side * n[d] * data->axis[d];
        }
        const double radius = radius_at(frame, step, towards);
        for (size_t d = 0; d < 3; ++d) {
            xyz[i + d] = side * APART * data->axis[d] + radius * n[d];
        }
    }
}

// Randomly rotated, so that the two are not mirror images.
static bool make_sphere(scene* s, uint32_t frequency, uint32_t seed, uint32_t stream,
                        const double centre[3], scene_mesh* mesh) {
    double about[3];
    double r[3][3];
    scene__random_direction(seed, stream, about);
    scene__rotation(about, scene__random_in(seed, stream + 2, 0.0, 2.0 * SCENE_PI), r);
    if (!scene__sphere(s, mesh, frequency)) {
        return false;
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i += 3) {
        const double p[3] = {mesh->rest[i], mesh->rest[i + 1], mesh->rest[i + 2]};
        for (size_t d = 0; d < 3; ++d) {
            mesh->rest[i + d] = centre[d] +
                                START * (r[d][0] * p[0] + r[d][1] * p[1] + r[d][2] * p[2]);
        }
    }
    return true;
}

void scene__make_spheres(scene* s, const scene_wish* wish) {
    spheres_data* data = scene__alloc(s, 1, sizeof *data);
    const double cut = floor(sqrt((double)wish->triangles / 20.0) + 0.5);
    const uint32_t frequency = cut < 1.0 ? 1 : (uint32_t)cut;
    if (data == NULL) {
        return;
    }
    scene__random_direction(wish->seed, 0, data->axis);
    scene_mesh meshes[2];
    for (uint32_t b = 0; b < 2; ++b) {
        const double side = b == 0 ? -APART : APART;
        const double centre[3] = {side * data->axis[0], side * data->axis[1], side * data->axis[2]};
        if (!make_sphere(s, frequency, wish->seed, 10 + 10 * b, centre, &meshes[b])) {
            return;
        }
    }
    s->data = data;
    s->positions = spheres_positions;
    scene__add_body(s, "first", &meshes[0], true, true);
    scene__add_body(s, "second", &meshes[1], true, true);
}
