// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A skirt that swirls, and a cloth on a ball that rotates below it: surfaces with deep folds close
// to each other. Both are rings of cloth in polar coordinates whose circumference exceeds the
// available length. The excess goes into folds like the letter omega, which come near their
// neighbours and touch where they are deepest. After benchmarks 1 and 2 of Sud, Govindaraju, Gayle,
// Kabul, Manocha, "Fast Proximity Computation Among Deformable Models Using Discrete Voronoi
// Diagrams" (2006): a skirt of 12k triangles and a cloth of 15k.

#include <math.h>

#include "scenes/scenes_internal.h"

// A fold runs forward psi - c sin(2 psi) and outward sin(psi): its lobes are pi / 2 + 2 c wide, of
// a period of 2 pi, so they meet at this c.
#define LOBES_MEET (0.75 * SCENE_PI)

typedef struct fold_data {
    double phase[6];
    double turn;     // rotation of the body below, over all frames
    double spacing;  // of the ball's cloth above it
} fold_data;

// One point of a ring: its mean position, and the folds there.
typedef struct ring_point {
    double phi;     // angle in the material
    double radius;  // of the ring
    double height;
    double slope;   // of the cloth below the horizontal
    double depth;   // of the folds, outward
    double closed;  // 0: no lobes, 1: lobes that meet
    double folds;   // around the ring
    double out;     // 0: folds go both ways, 1: outward only
    double twist;   // rotation angle of the whole ring
} ring_point;

static void place_on_ring(const fold_data* data, const ring_point* at, double time, double out[3]) {
    const double* phase = data->phase;
    const double wander = 0.5 * sin(2.0 * at->phi + phase[0]) +
                          0.4 * sin(3.0 * at->phi + phase[1]) +
                          0.3 * sin(6.0 * at->height + 2.0 * time + phase[2]);
    const double psi = at->folds * at->phi + wander;
    const double uneven = 0.88 + 0.08 * sin(3.0 * at->phi + 3.0 * time + phase[3]) +
                          0.06 * sin(5.0 * at->phi - 2.0 * time + phase[4]);
    const double c = LOBES_MEET * at->closed * uneven;
    const double angle = at->twist + at->phi - c * sin(2.0 * psi) / at->folds;
    const double lift = at->depth * (sin(psi) + at->out) * (0.9 + 0.1 * uneven);
    const double radius = at->radius + lift * sin(at->slope);
    out[0] = radius * cos(angle);
    out[1] = radius * sin(angle);
    out[2] = at->height + lift * cos(at->slope);
}

static void random_phases(fold_data* data, uint32_t seed) {
    for (uint32_t i = 0; i < 6; ++i) {
        data->phase[i] = scene__random_in(seed, i, 0.0, 2.0 * SCENE_PI);
    }
}

// ---- skirt

#define WAIST 0.16
#define SKIRT_LENGTH 0.9
#define SKIRT_ROWS_MOST 512

static void skirt_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const fold_data* data = s->data;
    const scene_body* skirt = &s->bodies[body];
    const double time = scene__time(s, frame);
    // Rotates one way, stops, and swings back: the hem follows the waist.
    for (size_t i = 0; i < skirt->vertex_count; ++i) {
        const double* rest = skirt->rest + 3 * i;
        const double part = (1.0 - rest[2]) / SKIRT_LENGTH;
        const double late = time - 0.16 * part;
        const double spin = sin(2.0 * SCENE_PI * late + 0.4 * data->phase[5]);
        const double flare = 0.22 + 0.16 * spin * spin;
        const double tight = 0.55 + 0.45 * scene__ease(time, 0.0, 0.25);
        const ring_point at = {
            .phi = atan2(rest[1], rest[0]),
            .radius = WAIST + flare * part + 0.05 * part * part,
            .height = 1.0 - SKIRT_LENGTH * part * (1.0 - 0.12 * flare),
            .slope = 1.45 - 0.6 * flare,
            .depth = 0.10 * part * scene__ease(part, 0.0, 0.4),
            .closed = scene__ease(part, 0.05, 0.6) * tight,
            .folds = 12.0,
            .twist = data->turn * sin(2.0 * SCENE_PI * late) + 0.7 * part * cos(5.0 * late),
        };
        place_on_ring(data, &at, time, xyz + 3 * i);
    }
}

void scene__make_skirt(scene* s, const scene_wish* wish) {
    fold_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh skirt;
    double profile[SKIRT_ROWS_MOST + 1][2];
    // Two and a half times as many around as down, since folds need them.
    const double down = floor(sqrt((double)wish->triangles / 5.0));
    const uint32_t rows = (uint32_t)fmin(fmax(down, 1.0), SKIRT_ROWS_MOST);
    const double round = floor((double)wish->triangles / (2.0 * (double)rows) + 0.5);
    const uint32_t columns = round < 3.0 ? 3 : (uint32_t)round;
    for (uint32_t i = 0; i <= rows; ++i) {
        const double part = (double)i / (double)rows;
        profile[i][0] = WAIST + 0.6 * part;
        profile[i][1] = 1.0 - SKIRT_LENGTH * part;
    }
    if (data == NULL ||
        !scene__turned(s, &skirt, (const double(*)[2])profile, rows + 1, columns, false)) {
        return;
    }
    random_phases(data, wish->seed);
    data->turn = scene__random_in(wish->seed, 7, 1.0, 1.4);
    s->data = data;
    s->positions = skirt_positions;
    scene__add_body(s, "skirt", &skirt, true, false);
}

// ---- cloth on a ball

#define BALL 0.42
#define LEAVES 1.75  // angle from the top at which the cloth leaves the ball

// The cloth lies on the ball down to where it hangs free, and winds up as the ball rotates.
static void cloth_point(const fold_data* data, double r, double time, ring_point* at) {
    const double land = scene__ease(time, 0.0, 0.3);
    const double wind = scene__ease(time, 0.2, 1.0);
    const double size = BALL + data->spacing;
    const double lies = fmin(r / size, LEAVES) * land;
    const double beyond = fmax(r - size * LEAVES, 0.0);
    // Between flat and draped: an arc that closes on the ball.
    const double bend = fmax(lies, 1e-6);
    const double reach = fmin(r, size * LEAVES);
    at->radius = land > 0.0 && r > 0.0 ? reach * sin(bend) / bend : reach;
    at->height = -(land > 0.0 && r > 0.0 ? reach * (1.0 - cos(bend)) / bend : 0.0);
    const double fall = LEAVES * land;
    const double inward = 0.35 * wind * beyond;
    at->radius += beyond * cos(fall) - inward;
    at->height -= beyond * sin(fall);
    at->slope = lies;
    const double excess = fmax(r / fmax(at->radius, 0.05) - 1.0, 0.0);
    const double free_part = scene__ease(r, 0.75 * size * LEAVES, 1.2 * size * LEAVES);
    at->depth = 0.085 * fmin(excess, 1.2) * free_part * land;
    at->closed = fmin(excess, 1.0) * free_part * (0.6 + 0.4 * wind);
    at->folds = 10.0;
    at->out = 1.0;
    at->twist = data->turn * wind * (1.0 - 0.55 * scene__ease(r, 0.5 * size, 1.4));
    at->height += size + 0.5 * (1.0 - land);
}

static void cloth_ball_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const fold_data* data = s->data;
    const scene_body* b = &s->bodies[body];
    const double time = scene__time(s, frame);
    double turned[3][3];
    scene__rotation((const double[3]){0.0, 0.0, 1.0}, data->turn * scene__ease(time, 0.2, 1.0),
                    turned);
    for (size_t i = 0; i < b->vertex_count; ++i) {
        const double* rest = b->rest + 3 * i;
        double* out = xyz + 3 * i;
        if (body == 1) {
            for (int d = 0; d < 3; ++d) {
                out[d] = turned[d][0] * rest[0] + turned[d][1] * rest[1] + turned[d][2] * rest[2];
            }
            continue;
        }
        ring_point at = {.phi = atan2(rest[1], rest[0])};
        cloth_point(data, sqrt(rest[0] * rest[0] + rest[1] * rest[1]), time, &at);
        place_on_ring(data, &at, time, out);
        out[2] += 0.02 * (1.0 - scene__ease(time, 0.1, 0.4)) *
                  sin(9.0 * rest[0] + 3.0 * rest[1] + 4.0 * time + data->phase[5]);
    }
}

void scene__make_cloth_ball(scene* s, const scene_wish* wish) {
    fold_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh cloth;
    scene_mesh ball;
    const uint32_t side = scene__square_side(wish->triangles);
    if (data == NULL || !scene__grid(s, &cloth, side, side, GRID_ALTERNATE) ||
        !scene__sphere(s, &ball, 9)) {
        return;
    }
    random_phases(data, wish->seed);
    data->turn = scene__random_in(wish->seed, 7, 3.2, 3.8);
    data->spacing = 0.012;
    for (size_t i = 0; i < cloth.vertex_count; ++i) {
        cloth.rest[3 * i] = 2.0 * cloth.rest[3 * i] - 1.0;
        cloth.rest[3 * i + 1] = 2.0 * cloth.rest[3 * i + 1] - 1.0;
        cloth.rest[3 * i + 2] = BALL + 0.5;
    }
    for (size_t i = 0; i < 3 * (size_t)ball.vertex_count; ++i) {
        ball.rest[i] *= BALL;
    }
    s->data = data;
    s->positions = cloth_ball_positions;
    scene__add_body(s, "cloth", &cloth, true, false);
    scene__add_body(s, "ball", &ball, true, true);
}
