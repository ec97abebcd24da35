// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Soft letters that fall into a bowl. After benchmark 3 of Sud, Govindaraju, Gayle, Kabul, Manocha,
// "Fast Proximity Computation Among Deformable Models Using Discrete Voronoi Diagrams" (2006): ten
// letters, 4.5k triangles with the bowl.

#include <math.h>

#include "scenes/cells.h"
#include "scenes/matter.h"

#define STEPS 6  // time steps per frame

typedef struct bowl_data {
    uint32_t count;
    double cell;
    matter_pose* poses;  // by frame, then by letter
} bowl_data;

// ---- fixed objects

// Radius and height, from below over the lip to the middle inside.
static const double bowl_profile[][2] = {
    {0.000, -0.10}, {0.150, -0.10}, {0.300, -0.09}, {0.310, -0.06}, {0.400, -0.03}, {0.520, 0.04},
    {0.640, 0.13},  {0.750, 0.24},  {0.850, 0.36},  {0.930, 0.49},  {0.990, 0.63},  {1.030, 0.78},
    {1.045, 0.86},  {1.040, 0.89},  {1.020, 0.90},  {1.005, 0.88},  {0.985, 0.80},  {0.945, 0.66},
    {0.890, 0.52},  {0.815, 0.40},  {0.730, 0.29},  {0.630, 0.19},  {0.520, 0.11},  {0.400, 0.05},
    {0.280, 0.02},  {0.150, 0.004}, {0.000, 0.00},
};
#define BOWL_POINTS (sizeof bowl_profile / sizeof bowl_profile[0])

// Returns the distance from the profile of revolution, whose outside is on the right along it.
static double bowl_distance(const void* user, const double p[3], double away[3]) {
    (void)user;
    const double radius = sqrt(p[0] * p[0] + p[1] * p[1]);
    double best = 1e300;
    double to[2] = {0.0, 1.0};
    double side = 1.0;
    for (uint32_t i = 0; i + 1 < BOWL_POINTS; ++i) {
        const double* a = bowl_profile[i];
        const double* b = bowl_profile[i + 1];
        const double over = fmax(p[2] - fmax(a[1], b[1]), fmin(a[1], b[1]) - p[2]);
        if (over > 0.0 && over * over > best) {
            continue;
        }
        const double e[2] = {b[0] - a[0], b[1] - a[1]};
        const double f[2] = {radius - a[0], p[2] - a[1]};
        const double part = (e[0] * f[0] + e[1] * f[1]) / (e[0] * e[0] + e[1] * e[1]);
        const double at = fmin(fmax(part, 0.0), 1.0);
        const double off[2] = {f[0] - at * e[0], f[1] - at * e[1]};
        const double square = off[0] * off[0] + off[1] * off[1];
        if (square < best) {
            best = square;
            to[0] = off[0];
            to[1] = off[1];
            side = e[1] * f[0] - e[0] * f[1] < 0.0 ? -1.0 : 1.0;
        }
    }
    const double length = sqrt(best) + 1e-300;
    const double outward = side * to[0] / length;
    away[0] = outward * p[0] / (radius + 1e-300);
    away[1] = outward * p[1] / (radius + 1e-300);
    away[2] = side * to[1] / length;
    return side * length;
}

// ---- letters

static void bowl_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const bowl_data* data = s->data;
    const scene_body* b = &s->bodies[body];
    scene__matter_move(&data->poses[(size_t)frame * data->count + body], b->rest, b->vertex_count,
                       xyz);
}

// Places layers of letters above each other, each randomly rotated.
static void place_letter(const bowl_data* data, uint32_t i, uint32_t seed, double width, double low,
                         matter_pose* pose) {
    double axis[3];
    const double room = 11.0 * data->cell;
    const uint32_t across = width < room ? 1 : (uint32_t)(width / room);
    const uint32_t layer = i / (across * across);
    const uint32_t slot = i % (across * across);
    const double step = width / (double)across;
    scene__random_direction(seed, 10 * i, axis);
    // Lying, so that layers are thin, with a small tilt.
    scene__rotation((const double[3]){0.0, 0.0, 1.0}, scene__random_in(seed, 10 * i + 2, 0.0, 6.28),
                    pose->m);
    double tilt[3][3];
    double both[3][3];
    scene__rotation(axis, 0.25, tilt);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            both[r][c] = tilt[r][0] * pose->m[0][c] + tilt[r][1] * pose->m[1][c] +
                         tilt[r][2] * pose->m[2][c];
        }
    }
    for (int k = 0; k < 9; ++k) {
        (&pose->m[0][0])[k] = (&both[0][0])[k];
    }
    pose->t[0] = step * ((double)(slot % across) + 0.5) - 0.5 * width;
    pose->t[1] = step * ((double)(slot / across) + 0.5) - 0.5 * width;
    pose->t[2] = low + 4.5 * data->cell * (double)layer + 2.0 * data->cell;
}

// Simulates the fall and records the pose of every letter in every frame.
static void record(scene* s, bowl_data* data, matter* m, double seconds) {
    data->poses = scene__alloc(s, (size_t)s->frame_count * data->count, sizeof *data->poses);
    const double step = seconds / (double)(STEPS * (s->frame_count > 1 ? s->frame_count - 1 : 1));
    // Frames that are far apart need more steps, so that steps stay short.
    const uint32_t parts = (uint32_t)ceil(step / 0.012);
    for (uint32_t f = 0; f < s->frame_count && !s->failed; ++f) {
        for (uint32_t k = 0; k < STEPS * parts && f > 0; ++k) {
            scene__matter_step(m, step / (double)parts);
        }
        for (uint32_t i = 0; i < data->count; ++i) {
            data->poses[(size_t)f * data->count + i] = m->bodies[i].pose;
        }
    }
}

typedef struct letter_fall {
    double width;  // of the layers
    double low;    // height of the lowest one
    double seconds;
} letter_fall;

// Letters of one kind share their surface.
static void make_letters(scene* s, bowl_data* data, uint32_t seed, const letter_fall* how) {
    cell_body cells[LETTER_KINDS];
    scene_mesh meshes[LETTER_KINDS];
    uint32_t balls = 0;
    matter m = {.radius = 0.62 * data->cell, .gravity = 9.81, .softness = 0.35};
    m.wall = bowl_distance;
    for (uint32_t k = 0; k < LETTER_KINDS; ++k) {
        if (!scene__letter(s, k, &cells[k]) ||
            !scene__cells_surface(s, &cells[k], data->cell, &meshes[k])) {
            return;
        }
    }
    for (uint32_t i = 0; i < data->count; ++i) {
        balls += scene__cells_count(&cells[i % LETTER_KINDS]);
    }
    if (!scene__matter_alloc(s, &m, data->count, balls)) {
        return;
    }
    for (uint32_t i = 0; i < data->count; ++i) {
        const uint32_t kind = i % LETTER_KINDS;
        double places[3 * 64];
        matter_pose pose;
        place_letter(data, i, seed, how->width, how->low, &pose);
        scene__cells_middles(&cells[kind], data->cell, places);
        scene__matter_add(&m, places, scene__cells_count(&cells[kind]), &pose, true);
        scene__add_body(s, scene__letter_name(kind), &meshes[kind], true, true);
    }
    record(s, data, &m, how->seconds);
    s->data = data;
    s->positions = bowl_positions;
}

void scene__make_bowl(scene* s, const scene_wish* wish) {
    bowl_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh bowl;
    if (data == NULL) {
        return;
    }
    *data = (bowl_data){.count = scene__letters_for(wish->triangles)};
    data->cell = 0.075 * cbrt(10.0 / (double)data->count);
    make_letters(s, data, wish->seed, &(letter_fall){1.1, 0.7, 1.6});
    if (scene__turned(s, &bowl, bowl_profile, BOWL_POINTS, 54, false)) {
        scene__add_body(s, "bowl", &bowl, false, true);
    }
}
