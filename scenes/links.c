// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two links of a chain, so thick that they cannot hang free of each other, and a fist in a cushion.
#include <math.h>

#include "scenes/scenes_internal.h"

#define LINK_RADIUS 1.0
#define THIN 0.3    // radius of a tube that hangs free in the other
#define THICK 0.58  // radius of one that fills the hole

// A factor of all motions, by the seed; about 1.
typedef struct links_data {
    double vary;
} links_data;

static bool take_data(scene* s, const scene_wish* wish) {
    links_data* data = scene__alloc(s, 1, sizeof *data);
    if (data != NULL) {
        data->vary = scene__random_in(wish->seed, 0, 0.95, 1.05);
        s->data = data;
    }
    return data != NULL;
}

static void links_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const scene_body* mesh = &s->bodies[body];
    const double vary = ((const links_data*)s->data)->vary;
    const double time = scene__time(s, frame);
    const double tube = THIN + vary * (THICK - THIN) * scene__ease(time, 0.3, 1.0);
    const double aside = 0.5 * (1 - scene__ease(time, 0.0, 0.35));
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i += 3) {
        const double* p = mesh->rest + i;
        const double round = sqrt(p[0] * p[0] + p[1] * p[1]);
        const double grow = tube / THIN;
        const double radius = LINK_RADIUS + grow * (round - LINK_RADIUS);
        const double flat[3] = {p[0] / round * radius, p[1] / round * radius, grow * p[2]};
        // The second link is perpendicular to the first and goes through its middle.
        xyz[i] = body == 0 ? flat[0] : flat[0] + LINK_RADIUS + aside;
        xyz[i + 1] = body == 0 ? flat[1] : -flat[2];
        xyz[i + 2] = body == 0 ? flat[2] : flat[1];
    }
}

void scene__make_links(scene* s, const scene_wish* wish) {
    const uint32_t across = (uint32_t)fmax(6, floor(sqrt(wish->triangles / 6.0) + 0.5));
    scene_mesh mesh;
    if (take_data(s, wish) && scene__torus(s, &mesh, LINK_RADIUS, THIN, 3 * across, across)) {
        s->positions = links_positions;
        scene__add_body(s, "link", &mesh, true, true);
        scene__add_body(s, "other link", &mesh, true, true);
    }
}

// ---- a fist in a cushion

#define CUSHION 2.0  // half its width
#define HIGH 0.55
#define FIST 0.6

// Returns the depth of the dent in the cushion's top: slightly too small, so that the fist
// penetrates.
static double dent(double x, double y, double pressed) {
    const double away = (x * x + y * y) / (FIST * FIST);
    return 0.7 * pressed * exp(-0.8 * away);
}

static double fist_bottom(double time) {
    return 0.8 - 1.1 * scene__ease(time, 0.0, 0.65) + 0.3 * scene__ease(time, 0.6, 1.0);
}

static void cushion_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const scene_body* mesh = &s->bodies[body];
    const double vary = ((const links_data*)s->data)->vary;
    const double bottom = fist_bottom(scene__time(s, frame)) + vary - 1;
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i += 3) {
        const double* n = mesh->rest + i;
        if (body == 0) {
            // Square in outline, rounded at the rim.
            const double power = 0.55;
            const double x = CUSHION * copysign(pow(fabs(n[0]), power), n[0]);
            const double y = CUSHION * copysign(pow(fabs(n[1]), power), n[1]);
            xyz[i] = x;
            xyz[i + 1] = y;
            xyz[i + 2] = HIGH * n[2] - (n[2] > 0 ? n[2] * dent(x, y, fmax(HIGH - bottom, 0)) : 0) -
                         HIGH;
        } else {
            // Knuckles.
            const double knuckle = 1 + 0.07 * cos(7 * atan2(n[1], n[0])) * (1 - n[2] * n[2]) -
                                   0.1 * n[2];
            xyz[i] = FIST * knuckle * n[0];
            xyz[i + 1] = 0.85 * FIST * knuckle * n[1];
            xyz[i + 2] = 0.8 * FIST * knuckle * n[2] + bottom + 0.8 * FIST - HIGH;
        }
    }
}

void scene__make_cushion(scene* s, const scene_wish* wish) {
    const double cut = floor(sqrt((double)wish->triangles / 20.0) + 0.5);
    const uint32_t frequency = cut < 3 ? 3 : (uint32_t)cut;
    scene_mesh cushion;
    scene_mesh fist;
    if (take_data(s, wish) && scene__sphere(s, &cushion, frequency) &&
        scene__sphere(s, &fist, frequency / 2 > 2 ? frequency / 2 : 2)) {
        s->positions = cushion_positions;
        scene__add_body(s, "cushion", &cushion, true, true);
        scene__add_body(s, "fist", &fist, true, true);
    }
}
