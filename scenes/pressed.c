// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rigid letters that are pressed into a bowl. Since they are flat, their corners cut into its round
// wall, each in several places, while they rotate.

#include <math.h>

#include "scenes/cells.h"

#define CELL 0.04
#define SEGMENTS 48

// A section of the bowl, radius and height, from below over the lip to the middle inside.
static const double profile[][2] = {
    {0.00, -0.12}, {0.30, -0.10}, {0.52, -0.02}, {0.70, 0.12}, {0.88, 0.33},
    {0.98, 0.56},  {1.03, 0.80},  {1.00, 0.84},  {0.96, 0.80}, {0.90, 0.58},
    {0.80, 0.38},  {0.63, 0.20},  {0.46, 0.08},  {0.28, 0.02}, {0.00, 0.00},
};
#define POINTS (sizeof profile / sizeof profile[0])

// Where letters meet the wall, and its slope there.
#define WALL_RADIUS 0.63
#define WALL_HEIGHT 0.20
#define WALL_SLOPE 0.71

typedef struct pressed_data {
    uint32_t letters;
    double vary;  // factor of the letters' motion; about 1
} pressed_data;

// Down from above to the wall, a little into it, then a rotation about the wall's normal.
static void pressed_frame(const scene* s, uint32_t body, uint32_t frame, double r[3][3],
                          double t[3]) {
    const pressed_data* data = s->data;
    const double time = scene__time(s, frame);
    const double place = 2 * SCENE_PI * (double)(body - 1) / (double)data->letters;
    const double lift = 0.8 * (1 - scene__ease(time, 0.0, 0.4));
    const double above = 0.12 - (0.12 - 0.035 / data->vary) * scene__ease(time, 0.35, 0.7);
    const double spin = 0.5 * data->vary * scene__ease(time, 0.6, 1.0);
    double parts[3][3][3];
    double both[3][3];
    scene__rotation((const double[3]){0, 0, 1}, place, parts[0]);
    scene__rotation((const double[3]){0, 1, 0}, -WALL_SLOPE, parts[1]);
    scene__rotation((const double[3]){0, 0, 1}, spin + 0.3 * (double)body, parts[2]);
    for (int i = 0; i < 9; ++i) {
        both[i / 3][i % 3] = 0;
        for (int k = 0; k < 3; ++k) {
            both[i / 3][i % 3] += parts[0][i / 3][k] * parts[1][k][i % 3];
        }
    }
    for (int i = 0; i < 9; ++i) {
        r[i / 3][i % 3] = 0;
        for (int k = 0; k < 3; ++k) {
            r[i / 3][i % 3] += both[i / 3][k] * parts[2][k][i % 3];
        }
    }
    const double radius = WALL_RADIUS - above * sin(WALL_SLOPE);
    t[0] = radius * cos(place);
    t[1] = radius * sin(place);
    t[2] = WALL_HEIGHT + above * cos(WALL_SLOPE) + lift;
}

void scene__make_pressed(scene* s, const scene_wish* wish) {
    pressed_data* data = scene__alloc(s, 1, sizeof *data);
    const scene_fields none = {0};
    scene_mesh mesh;
    if (data == NULL) {
        return;
    }
    // More than this would not fit side by side.
    const uint32_t wanted = scene__letters_for(wish->triangles);
    data->letters = wanted < 6 ? wanted : 6;
    data->vary = scene__random_in(wish->seed, 0, 0.9, 1.1);
    s->data = data;
    s->frame = pressed_frame;
    if (scene__turned(s, &mesh, profile, POINTS, SEGMENTS, false)) {
        scene__add_body(s, "bowl", &mesh, false, true);
    }
    for (uint32_t i = 0; i < data->letters; ++i) {
        cell_body cells;
        if (scene__letter(s, i, &cells) && scene__cells_surface(s, &cells, CELL, &mesh)) {
            scene__add_reduced(s, scene__letter_name(i), &mesh, &none, true);
        }
    }
}
