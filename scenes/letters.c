// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// 200 soft letters in a funnel and on two ramps. They leave the funnel in layers of nine, and slide
// down the ramps three abreast and three on top of each other, with tiny gaps. After benchmark 4 of
// Sud, Govindaraju, Gayle, Kabul, Manocha, "Fast Proximity Computation Among Deformable Models
// Using Discrete Voronoi Diagrams" (2006): 200 letters, 38k triangles.

#include <math.h>

#include "scenes/cells.h"

#define LANES 3        // in both directions
#define LANE 11.0      // width of a lane, in cells
#define LAYER 1.75     // cells from layer to layer, in the funnel and on a ramp
#define SPREAD 6.6     // ratio of sliding speed to falling speed
#define LEAN 0.05      // slope of a letter relative to its layer
#define CLEARANCE 0.5  // cells above a ramp
#define CORNER 0.13    // half the path length of a turn between ramps

// The path of a letter: straight pieces, each with its direction in the plane y = 0.
#define PIECES 4
static const double corner_at[PIECES + 1][2] = {
    {0.0, 3.0}, {0.0, -0.62}, {1.25, -1.35}, {-1.20, -2.45}, {-3.6, -2.45}};

typedef struct letters_data {
    uint32_t count;
    uint32_t seed;
    double cell;
    double length[PIECES];
    double layers;
} letters_data;

// ---- the path

// Returns the rotation about the y axis that lays a letter on a piece. On the first piece it falls
// lying flat.
static double piece_slope(uint32_t piece) {
    const double x = corner_at[piece + 1][0] - corner_at[piece][0];
    const double z = corner_at[piece + 1][1] - corner_at[piece][1];
    return piece == 0 ? 0.0 : atan2(x < 0.0 ? z : -z, fabs(x));
}

typedef struct way_point {
    double place[2];  // x and z
    double slope;
    double on_ramp;  // 0 in the funnel, 1 on a ramp
} way_point;

static way_point way_at(const letters_data* data, double u) {
    way_point at;
    uint32_t piece = 0;
    double begin = 0.0;
    while (piece + 1 < PIECES && u > begin + data->length[piece]) {
        begin += data->length[piece++];
    }
    const double part = (u - begin) / data->length[piece];
    for (int d = 0; d < 2; ++d) {
        at.place[d] = corner_at[piece][d] + part * (corner_at[piece + 1][d] - corner_at[piece][d]);
    }
    // Slopes change smoothly around the corners.
    at.slope = piece_slope(0);
    double corner = 0.0;
    for (uint32_t i = 1; i < PIECES; ++i) {
        corner += data->length[i - 1];
        at.slope += (piece_slope(i) - piece_slope(i - 1)) *
                    scene__ease(u, corner - CORNER, corner + CORNER);
    }
    at.on_ramp = scene__ease(u, data->length[0] - 2.0 * CORNER, data->length[0] + CORNER);
    return at;
}

// Returns how far a layer has come: slowly down the funnel, then accelerating, then at constant
// speed.
static double way_of(const letters_data* data, uint32_t layer, double time) {
    const double step = LAYER * data->cell;
    const double neck = data->length[0] - 0.70;
    const double since = time * (data->layers + 6.0) - (double)layer;  // in layers
    if (since < 0.0) {
        return neck + step * since;
    }
    const double gain = 0.5;  // of speed, per layer
    const double until = (SPREAD - 1.0) / gain;
    const double fast = fmin(since, until);
    return neck + step * (since + 0.5 * gain * fast * fast + (SPREAD - 1.0) * (since - fast));
}

static void letters_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const letters_data* data = s->data;
    const scene_body* b = &s->bodies[body];
    const double time = scene__time(s, frame);
    const uint32_t layer = body / (LANES * LANES);
    const double a = (double)(body % LANES) - 1.0;
    const double c = (double)(body / LANES % LANES) - 1.0;
    const way_point at = way_at(data, way_of(data, layer, time));
    const uint32_t number = 5 * body;
    const double phase = scene__random_in(data->seed, number, 0.0, 2.0 * SCENE_PI);
    const double lean[2] = {scene__random_in(data->seed, number + 2, -LEAN, LEAN),
                            scene__random_in(data->seed, number + 3, -LEAN, LEAN)};
    const double float_up = data->cell * scene__random_in(data->seed, number + 4, -0.1, 0.1);
    const double turn = scene__random_in(data->seed, number + 1, -0.1, 0.1) +
                        0.04 * sin(11.0 * time + phase) + 0.5 * SCENE_PI * (double)(body % 4);
    const double wobble = 1.0 + 0.02 * sin(17.0 * time + phase);
    const double above = data->cell * (0.5 + CLEARANCE + (c + 1.0) * LAYER) * at.on_ramp;
    const double across = data->cell * LANE * c * (1.0 - at.on_ramp);
    const double cs = cos(at.slope);
    const double sn = sin(at.slope);
    for (size_t i = 0; i < b->vertex_count; ++i) {
        const double* p = b->rest + 3 * i;
        // Bent a little about its middle, and rotated within its plane.
        const double bend = 0.1 * sin(13.0 * time + phase) / (9.0 * data->cell);
        const double x = wobble * p[0] * cos(turn) - p[1] / wobble * sin(turn) + across;
        const double y = wobble * p[0] * sin(turn) + p[1] / wobble * cos(turn);
        const double z = p[2] + bend * p[0] * p[1] + lean[0] * p[0] + lean[1] * p[1] + float_up +
                         above;
        xyz[3 * i] = at.place[0] + cs * x + sn * z;
        xyz[3 * i + 1] = y + data->cell * LANE * a;
        xyz[3 * i + 2] = at.place[1] - sn * x + cs * z;
    }
}

// ---- fixed objects

// Radius and height: up the outside, over the lip and down the inside.
static const double funnel_profile[][2] = {
    {0.630, 0.00}, {0.630, 0.07}, {0.640, 0.13}, {0.660, 0.19}, {0.690, 0.26}, {0.750, 0.38},
    {0.820, 0.51}, {0.900, 0.64}, {1.020, 0.80}, {1.080, 0.92}, {1.085, 1.00}, {1.060, 1.02},
    {1.040, 1.00}, {1.035, 0.93}, {0.975, 0.82}, {0.865, 0.66}, {0.790, 0.53}, {0.720, 0.40},
    {0.660, 0.28}, {0.625, 0.20}, {0.610, 0.13}, {0.600, 0.07}, {0.600, 0.00},
};
#define FUNNEL_POINTS (sizeof funnel_profile / sizeof funnel_profile[0])

// Adds a board under a piece of the path, a little longer than it.
static void add_board(scene* s, const letters_data* data, uint32_t piece) {
    cell_body cells;
    scene_mesh mesh;
    const uint32_t nx = 12;
    const uint32_t ny = 6;
    const double thick = 0.05;
    const double size[3] = {data->length[piece] + 0.5, LANE * (LANES + 0.6) * data->cell, thick};
    if (!scene__cells_alloc(s, &cells, nx, ny, 1)) {
        return;
    }
    for (uint32_t i = 0; i < nx * ny; ++i) {
        cells.filled[i] = 1;
    }
    if (!scene__cells_surface(s, &cells, 1.0, &mesh)) {
        return;
    }
    const double slope = piece_slope(piece);
    for (size_t i = 0; i < mesh.vertex_count; ++i) {
        double* p = mesh.rest + 3 * i;
        const double x = p[0] * size[0] / (double)nx;
        const double z = (p[2] - 0.5) * thick;
        p[1] *= size[1] / (double)ny;
        p[0] = 0.5 * (corner_at[piece][0] + corner_at[piece + 1][0]) + cos(slope) * x +
               sin(slope) * z;
        p[2] = 0.5 * (corner_at[piece][1] + corner_at[piece + 1][1]) - sin(slope) * x +
               cos(slope) * z;
    }
    scene__add_body(s, piece + 1 < PIECES ? "ramp" : "floor", &mesh, false, true);
}

void scene__make_letters(scene* s, const scene_wish* wish) {
    letters_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh meshes[LETTER_KINDS];
    scene_mesh funnel;
    if (data == NULL) {
        return;
    }
    data->count = scene__letters_for(wish->triangles);
    data->seed = wish->seed;
    data->cell = 0.026;
    data->layers = ceil((double)data->count / (LANES * LANES));
    for (uint32_t i = 0; i < PIECES; ++i) {
        data->length[i] = hypot(corner_at[i + 1][0] - corner_at[i][0],
                                corner_at[i + 1][1] - corner_at[i][1]);
    }
    for (uint32_t k = 0; k < LETTER_KINDS; ++k) {
        cell_body cells;
        if (!scene__letter(s, k, &cells) ||
            !scene__cells_surface(s, &cells, data->cell, &meshes[k])) {
            return;
        }
    }
    s->data = data;
    s->positions = letters_positions;
    for (uint32_t i = 0; i < data->count; ++i) {
        // In turn, with different letters in a column.
        const uint32_t kind = (i + i / (LANES * LANES)) % LETTER_KINDS;
        scene__add_body(s, scene__letter_name(kind), &meshes[kind], true, true);
    }
    if (scene__turned(s, &funnel, funnel_profile, FUNNEL_POINTS, 48, true)) {
        scene__add_body(s, "funnel", &funnel, false, true);
    }
    for (uint32_t piece = 1; piece < PIECES; ++piece) {
        add_board(s, data, piece);
    }
}
