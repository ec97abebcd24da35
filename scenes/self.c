// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Surfaces that touch themselves: a strip that folds, coils and twists, and four small meshes on
// which a self-collision test that relies on normals, contours or connectivity alone fails.

#include <math.h>

#include "scenes/scenes_internal.h"

// ---- coil

#define COIL_LENGTH 5.0
#define COIL_WIDTH 0.625  // an eighth of the length: cells are square
#define COIL_TURNS 2.6
#define COIL_FOLDS 11.0

typedef struct coil_data {
    uint32_t columns;  // along the strip
    uint32_t rows;
    double phase[6];
} coil_data;

// The progress of each of the three motions.
typedef struct coil_stage {
    double fold;
    double coil;
    double twist;
} coil_stage;

static coil_stage stage_at(double time) {
    return (coil_stage){
        .fold = scene__ease(time, 0.00, 0.40),
        .coil = scene__ease(time, 0.25, 0.80),
        .twist = scene__ease(time, 0.50, 1.00),
    };
}

// Places the point at s along the strip and w across it, both relative to its middle.
static void place_coil(const coil_data* data, coil_stage stage, double s, double w, double out[3]) {
    const double* phase = data->phase;
    const double along = 2.0 * SCENE_PI * s / COIL_LENGTH;

    // Folds: trochoids as in cloth.c, each of its own depth, slanted across the strip.
    const double psi = COIL_FOLDS * along + 0.8 * sin(3.0 * along + phase[0]) +
                       1.6 * w * sin(2.0 * along + phase[1]);
    const double depth = 0.6 + 0.4 * sin(4.0 * along + phase[2]);
    const double step = COIL_LENGTH / (2.0 * SCENE_PI * COIL_FOLDS);
    const double forward = -1.25 * stage.fold * depth * step * sin(psi);
    const double outward = 0.9 * stage.fold * (1.2 - depth) * step * cos(psi);

    // The strip shortens as it folds, then bends to a circle that it winds around more than once.
    const double travel = (1.0 - 0.25 * stage.fold) * s + forward;
    const double curl = stage.coil * 2.0 * SCENE_PI * COIL_TURNS / COIL_LENGTH;
    const double angle = curl * travel;
    // (sin x) / x and (1 - cos x) / x, also for the straight strip.
    const double half = 0.5 * angle;
    const double sinc = fabs(half) > 1e-9 ? sin(half) / half : 1.0;
    const double x = travel * sinc * cos(half);
    const double z = travel * sinc * sin(half);
    const double breathe = 0.22 * stage.coil * sin(1.7 * along + phase[3]);

    // Width: rotated about the strip's direction, more towards the ends.
    const double turn = stage.twist * (2.2 * sin(1.5 * along + phase[4]) + 0.8 * along);
    const double lean = outward + w * sin(turn) + breathe;
    out[0] = x - lean * sin(angle);
    out[1] = w * cos(turn) + 0.3 * stage.coil * s / COIL_LENGTH +
             0.05 * stage.twist * sin(5.0 * along + phase[5]);
    out[2] = z + lean * cos(angle);
}

static void coil_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const scene_body* strip = &s->bodies[body];
    const coil_stage stage = stage_at(scene__time(s, frame));
    for (size_t i = 0; i < strip->vertex_count; ++i) {
        const double* rest = strip->rest + 3 * i;
        place_coil(s->data, stage, rest[0], rest[1], xyz + 3 * i);
    }
}

void scene__make_coil(scene* s, const scene_wish* wish) {
    coil_data* data = scene__alloc(s, 1, sizeof *data);
    if (data == NULL) {
        return;
    }
    const double across = floor(sqrt((double)wish->triangles / 16.0) + 0.5);
    data->rows = across < 1.0 ? 1 : (uint32_t)across;
    data->columns = 8 * data->rows;
    scene_mesh strip;
    if (!scene__grid(s, &strip, data->columns, data->rows, GRID_ALTERNATE)) {
        return;
    }
    for (uint32_t i = 0; i < 6; ++i) {
        data->phase[i] = scene__random_in(wish->seed, i, 0.0, 2.0 * SCENE_PI);
    }
    for (size_t i = 0; i < strip.vertex_count; ++i) {
        strip.rest[3 * i] = COIL_LENGTH * (strip.rest[3 * i] - 0.5);
        strip.rest[3 * i + 1] = COIL_WIDTH * (strip.rest[3 * i + 1] - 0.5);
    }
    s->data = data;
    s->positions = coil_positions;
    scene__add_body(s, "strip", &strip, true, false);
}

// ---- counterexamples
//
// Each is one body with a known number of pairs. Frame f scales z by a power of two. That rounds
// nothing and changes no contact, but it changes the cone of normals that a test would see.

typedef struct counterexample {
    uint32_t pairs;
} counterexample;

static void stretched_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    static const double stretch[4] = {1.0, 2.0, 0.5, 0.25};
    const scene_body* b = &s->bodies[body];
    for (size_t i = 0; i < b->vertex_count; ++i) {
        xyz[3 * i] = b->rest[3 * i];
        xyz[3 * i + 1] = b->rest[3 * i + 1];
        xyz[3 * i + 2] = b->rest[3 * i + 2] * stretch[frame % 4];
    }
}

static bool counterexample_expected(const scene* s, uint32_t frame, uint32_t* pairs) {
    (void)frame;
    *pairs = ((const counterexample*)s->data)->pairs;
    return true;
}

static void add_counterexample(scene* s, const char* name, const scene_mesh* mesh, uint32_t pairs) {
    counterexample* data = scene__alloc(s, 1, sizeof *data);
    if (data == NULL) {
        return;
    }
    data->pairs = pairs;
    s->data = data;
    s->positions = stretched_positions;
    s->expected = counterexample_expected;
    scene__add_body(s, name, mesh, true, false);
}

// A flat ring that closes 0.6 radians too late, its ends crossing in height where they overlap: all
// normals are near +z, and the projected outline overlaps itself. The ends cross about the ray
// theta = 0.3. Going outwards, it leaves one triangle of the first cell for the other after 0.96 of
// the width, and in the last cell after 0.04: three of the four pairs overlap. The 79 pairs of the
// fine ring are counted by exact tests.
void scene__make_washer(scene* s, const scene_wish* wish) {
    const bool fine = wish->triangles >= 4400;
    const uint32_t across = fine ? 20 : 1;
    const uint32_t around = fine ? 220 : 22;
    scene_mesh mesh;
    if (!scene__grid(s, &mesh, across, around, GRID_SAME)) {
        return;
    }
    for (size_t i = 0; i < mesh.vertex_count; ++i) {
        double* p = mesh.rest + 3 * i;
        const double r = 0.6 + 0.8 * p[0];
        const double theta = (2.0 * SCENE_PI + 0.6) * p[1];
        const double from_middle = theta - SCENE_PI - 0.3;
        p[0] = r * cos(theta);
        p[1] = r * sin(theta);
        p[2] = 0.02 * from_middle * from_middle;
    }
    add_counterexample(s, "washer", &mesh, fine ? 79 : 3);
}

// A disc whose two rings of 12 points wind twice about the apex. Every normal is near +z, and every
// point of the outline sees its neighbours in the right order. The second turn repeats x and y of
// the first bit by bit and has the opposite z, so both cross z = 0 in the same points of one
// sector. The crossing runs through an inner triangle, which shares the apex with its twin, and
// then outer triangles a and b. Crossing: a and a', b and b'. Touching in a common point of their
// edges: inner and a', a and inner', a and b', b and a'. Hence 6 pairs, 4 of them ties that
// rounding would break.
void scene__make_double_cone(scene* s, const scene_wish* wish) {
    (void)wish;
    const uint32_t turn = 6;  // points of a ring in one turn
    const uint32_t points = 2 * turn;
    scene_mesh mesh;
    if (!scene__mesh_alloc(s, &mesh, 1 + 2 * points, 3 * points)) {
        return;
    }
    uint32_t* out = mesh.triangles;
    for (uint32_t i = 0; i < points; ++i) {
        const uint32_t next = (i + 1) % points;
        const double theta = 2.0 * SCENE_PI * ((double)(i % turn) + 0.25) / (double)turn;
        const double side = i < turn ? 1.0 : -1.0;  // cos(theta / 2) in the second turn
        for (uint32_t ring = 0; ring < 2; ++ring) {
            const double r = 0.5 + 0.5 * (double)ring;
            double* p = mesh.rest + 3 * (size_t)(1 + ring * points + i);
            p[0] = r * cos(theta);
            p[1] = r * sin(theta);
            p[2] = side * (0.1 * r * cos(0.5 * theta));
        }
        const uint32_t quad[4] = {1 + i, 1 + points + i, 1 + points + next, 1 + next};
        const uint32_t corners[9] = {0,       quad[0], quad[3], quad[0], quad[1],
                                     quad[2], quad[0], quad[2], quad[3]};
        for (uint32_t k = 0; k < 9; ++k) {
            *out++ = corners[k];
        }
    }
    add_counterexample(s, "double cone", &mesh, 6);
}

// Two unconnected sheets in one mesh, each with a simple outline and the outlines apart, but the
// smaller sheet passes through the larger. It crosses z = 0 along x = -0.05, inside the middle
// columns of both. In y, rounded, its six triangles there end at
//     -.200  -.183  -.067  -.050  .067  .083  .200
// and those of the larger one at
//     -.383  -.167  -.050  .167  .283
// so that they overlap 1, 2, 1, 1, 1 and 2 of them. At -.050 both sheets have their diagonals
// x = y, which meet exactly: two more pairs, 10 in all.
void scene__make_nested_sheets(scene* s, const scene_wish* wish) {
    (void)wish;
    const uint32_t side = 3;
    scene_mesh one;
    scene_mesh both;
    if (!scene__grid(s, &one, side, side, GRID_SAME) ||
        !scene__mesh_alloc(s, &both, 2 * one.vertex_count, 2 * one.triangle_count)) {
        return;
    }
    for (size_t i = 0; i < one.vertex_count; ++i) {
        double* large = both.rest + 3 * i;
        double* small = both.rest + 3 * (i + one.vertex_count);
        large[0] = one.rest[3 * i] - 0.5;
        large[1] = one.rest[3 * i + 1] - 0.5;
        small[0] = 0.4 * large[0];
        small[1] = 0.4 * large[1];
        small[2] = 0.2 * small[0] + 0.01;
    }
    for (size_t i = 0; i < 3 * (size_t)one.triangle_count; ++i) {
        both.triangles[i] = one.triangles[i];
        both.triangles[i + 3 * (size_t)one.triangle_count] = one.triangles[i] + one.vertex_count;
    }
    add_counterexample(s, "nested sheets", &both, 10);
}

// A tapering strip folded back at x = 1, two cells wide, the winding of the folded half reversed:
// the normals by index all point up and the outline in projection is simple, yet the folded half
// dips through the other. It crosses z = 0 along x = 5/16, |y| <= 3/8. There the lower half has one
// triangle for y in [0, 35/64] and one for [-15/32, 0]; the folded half has four, cut at -1/4, 0
// and 1/8. The outer two touch one each, the inner two both, since they meet y = 0: 6 pairs.
void scene__make_flipped_fold(scene* s, const scene_wish* wish) {
    (void)wish;
    // x, z and half the width
    static const double rows[5][3] = {
        {0.0, 0.0, 1.25},   {0.5, 0.0, 0.875},      {1.0, 0.0, 0.75},
        {0.5, 0.0625, 0.5}, {0.125, -0.0625, 0.25},
    };
    scene_mesh mesh;
    if (!scene__grid(s, &mesh, 4, 2, GRID_SAME)) {
        return;
    }
    for (size_t i = 0; i < mesh.vertex_count; ++i) {
        const double* row = rows[i % 5];
        double* p = mesh.rest + 3 * i;
        p[0] = row[0];
        p[1] = row[2] * (2.0 * p[1] - 1.0);
        p[2] = row[1];
    }
    for (size_t t = 0; t < mesh.triangle_count; ++t) {
        const bool folded = t / 2 % 4 >= 2;  // two triangles a cell, four cells along the strip
        if (folded) {
            const uint32_t corner = mesh.triangles[3 * t + 1];
            mesh.triangles[3 * t + 1] = mesh.triangles[3 * t + 2];
            mesh.triangles[3 * t + 2] = corner;
        }
    }
    add_counterexample(s, "flipped fold", &mesh, 6);
}
