// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Fourteen blocks fall on each other and break into 25 pieces: a block vanishes, and two pieces
// with surfaces of their own appear in its place. The block with the hardest impact breaks next.
// After benchmark 5 of Sud, Govindaraju, Gayle, Kabul, Manocha, "Fast Proximity Computation Among
// Deformable Models Using Discrete Voronoi Diagrams" (2006): 14 to 25 bodies of 5.5k triangles.

#include <math.h>
#include <string.h>

#include "scenes/cells.h"
#include "scenes/matter.h"

#define BLOCKS 14
#define BREAKS 11
#define MOST_BODIES (BLOCKS + 2 * BREAKS)
#define STEPS 6  // time steps per frame
#define SECONDS 1.6

typedef struct breaking_data {
    uint32_t count;  // of all bodies, blocks and pieces
    uint32_t first[MOST_BODIES];
    uint32_t last[MOST_BODIES];  // frames in which a body is present
    matter_pose* poses;          // by frame, then by body
} breaking_data;

static void breaking_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const breaking_data* data = s->data;
    const scene_body* b = &s->bodies[body];
    scene__matter_move(&data->poses[(size_t)frame * data->count + body], b->rest, b->vertex_count,
                       xyz);
}

static bool breaking_present(const scene* s, uint32_t body, uint32_t frame) {
    const breaking_data* data = s->data;
    return body >= data->count || (frame >= data->first[body] && frame <= data->last[body]);
}

// ---- fixed objects

#define GROUND 1.7

// A dish with a cone in its middle, on which the blocks fall.
static const double stage_profile[][2] = {
    {0.0, -0.12}, {0.75, -0.12}, {GROUND, 0.60}, {GROUND, 0.72}, {1.2, 0.32},
    {0.9, 0.10},  {0.6, 0.0},    {0.35, 0.08},   {0.1, 0.27},    {0.0, 0.29},
};
#define STAGE_POINTS (sizeof stage_profile / sizeof stage_profile[0])

// Returns the distance above the stage, perpendicular to its slope.
static double stage_distance(const void* user, const double p[3], double away[3]) {
    (void)user;
    const double radius = sqrt(p[0] * p[0] + p[1] * p[1]);
    double height = stage_profile[3][1];
    double slope = 0.0;
    for (size_t i = 3; i + 1 < STAGE_POINTS; ++i) {
        const double* a = stage_profile[i];
        const double* b = stage_profile[i + 1];
        if (radius <= a[0] && radius >= b[0]) {
            slope = (b[1] - a[1]) / (b[0] - a[0]);
            height = a[1] + slope * (radius - a[0]);
        }
    }
    const double length = sqrt(1.0 + slope * slope);
    const double outward = radius > 0.0 ? -slope / length / radius : 0.0;
    away[0] = outward * p[0];
    away[1] = outward * p[1];
    away[2] = 1.0 / length;
    return (p[2] - height) / length;
}

// ---- blocks and pieces

typedef struct block_maker {
    scene* s;
    matter m;
    double cell;
    uint32_t seed;
    cell_body whole[BLOCKS];
    cell_body piece[BLOCKS][2];
    double* places;
} block_maker;

static bool make_cells(block_maker* k, uint32_t i, uint32_t size) {
    const uint32_t n[3] = {size + i % 3, size + (i / 3) % 2, 2 * size / 3 + (i / 2) % 2};
    double normal[3];
    scene__random_direction(k->seed, 1000 + 2 * i, normal);
    for (int p = -1; p < 2; ++p) {
        cell_body* body = p < 0 ? &k->whole[i] : &k->piece[i][p];
        if (!scene__cells_alloc(k->s, body, n[0], n[1], n[2])) {
            return false;
        }
        // A plane cuts the block: cells of a half-space never share only an edge.
        for (uint32_t c = 0; c < n[0] * n[1] * n[2]; ++c) {
            const double at[3] = {(double)(c % n[0]), (double)(c / n[0] % n[1]),
                                  (double)(c / n[0] / n[1])};
            double side = 0.0;
            for (int d = 0; d < 3; ++d) {
                side += normal[d] * (at[d] - 0.5 * (double)(n[d] - 1) - 0.21);
            }
            body->filled[c] = p < 0 || (side < 0.0) == (p == 0);
        }
    }
    return true;
}

// Roughens a block: shifts lattice corners as a function of their position, so that pieces fit
// together.
static void roughen(const block_maker* k, uint32_t block, scene_mesh* mesh) {
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        double* p = mesh->rest + 3 * i;
        uint32_t index = 5000 * (block + 1);
        double square = 0.0;
        for (int d = 0; d < 3; ++d) {
            index = index * 31 + (uint32_t)(int32_t)lrint(2.0 * p[d] / k->cell);
            square += p[d] * p[d] / (k->cell * k->cell);
        }
        for (uint32_t d = 0; d < 3; ++d) {
            const double shift = scene__random_in(k->seed, 3 * index + d, -0.12, 0.12);
            p[d] = p[d] * (1.06 - 0.006 * square) + shift * k->cell;
        }
    }
}

static void add_part(block_maker* k, uint32_t block, const cell_body* cells, const char* name,
                     const matter_pose* pose, bool present) {
    scene_mesh mesh;
    if (!k->s->failed && scene__cells_surface(k->s, cells, k->cell, &mesh)) {
        roughen(k, block, &mesh);
        scene__cells_middles(cells, k->cell, k->places);
        scene__matter_add(&k->m, k->places, scene__cells_count(cells), pose, present);
        scene__add_body(k->s, name, &mesh, true, true);
    }
}

// Two blocks per level, around the middle.
static void place_block(const block_maker* k, uint32_t i, uint32_t size, matter_pose* pose) {
    double axis[3];
    const double angle = 2.1 * (double)(i / 2) + SCENE_PI * (double)(i % 2);
    const double room = k->cell * (double)size;
    scene__random_direction(k->seed, 20 * i, axis);
    scene__rotation(axis, scene__random_in(k->seed, 20 * i + 3, 0.0, 3.0), pose->m);
    pose->t[0] = 0.85 * room * cos(angle);
    pose->t[1] = 0.85 * room * sin(angle);
    pose->t[2] = 0.6 + room * (0.8 + 1.35 * (double)(i / 2));
}

// ---- breaking

// Breaks the block with the hardest impact among those that are whole. Pieces come after all
// blocks.
static void break_one(block_maker* k, breaking_data* data, uint32_t frame) {
    uint32_t hardest = BLOCKS;
    for (uint32_t i = 0; i < BLOCKS; ++i) {
        if (k->m.bodies[i].present &&
            (hardest == BLOCKS || k->m.bodies[i].impact > k->m.bodies[hardest].impact)) {
            hardest = i;
        }
    }
    const uint32_t next = k->m.body_count;
    const matter_pose pose = k->m.bodies[hardest].pose;
    add_part(k, hardest, &k->piece[hardest][0], "piece", &pose, false);
    add_part(k, hardest, &k->piece[hardest][1], "piece", &pose, false);
    if (k->s->failed) {
        return;
    }
    for (uint32_t p = next; p < next + 2; ++p) {
        scene__matter_replace(&k->m, hardest, p);
        data->first[p] = frame;
        data->last[p] = k->s->frame_count - 1;
    }
    data->last[hardest] = frame - 1;
}

// Breaks are spread over the frames after the first blocks have landed.
static uint32_t breaks_until(const scene* s, uint32_t frame) {
    const double time = scene__time(s, frame);
    const double part = (time - 0.2) / 0.7;
    const double count = floor(fmin(fmax(part, 0.0), 1.0) * (double)BREAKS + 1e-9);
    return frame == 0 ? 0 : (uint32_t)count;
}

static void record(block_maker* k, breaking_data* data) {
    const scene* s = k->s;
    const double step = SECONDS / (double)(STEPS * (s->frame_count > 1 ? s->frame_count - 1 : 1));
    const uint32_t parts = (uint32_t)ceil(step / 0.012);
    uint32_t broken = 0;
    for (uint32_t f = 0; f < s->frame_count && !s->failed; ++f) {
        for (uint32_t n = 0; n < STEPS * parts && f > 0; ++n) {
            scene__matter_step(&k->m, step / (double)parts);
        }
        for (; broken < breaks_until(s, f) && !s->failed; ++broken) {
            break_one(k, data, f);
        }
        for (uint32_t i = 0; i < k->m.body_count; ++i) {
            data->poses[(size_t)f * data->count + i] = k->m.bodies[i].pose;
            k->m.bodies[i].impact *= 0.5;
        }
    }
    // Before pieces appear, they already have their first pose.
    for (uint32_t i = 0; i < k->m.body_count && !s->failed; ++i) {
        for (uint32_t f = 0; f < data->first[i]; ++f) {
            data->poses[(size_t)f * data->count + i] =
                data->poses[(size_t)data->first[i] * data->count + i];
        }
    }
}

void scene__make_breaking(scene* s, const scene_wish* wish) {
    block_maker k = {.s = s, .seed = wish->seed};
    breaking_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh stage;
    // a block of n x n x 2n/3 cells has about 28/3 n^2 triangles
    const double wanted = (double)wish->triangles / BLOCKS * 0.75;
    const double side = floor(sqrt(wanted * 3.0 / 28.0));
    const uint32_t size = side < 3.0 ? 3 : (uint32_t)side;
    k.cell = 1.7 / (double)(size * 3);
    k.m = (matter){.radius = 0.6 * k.cell, .gravity = 9.81, .softness = 0.4};
    k.m.wall = stage_distance;
    const uint32_t most = (size + 2) * (size + 1) * (2 * size / 3 + 1);
    k.places = scene__alloc(s, most, 3 * sizeof *k.places);
    if (data == NULL || !scene__matter_alloc(s, &k.m, MOST_BODIES, 2 * BLOCKS * most)) {
        return;
    }
    for (uint32_t i = 0; i < BLOCKS; ++i) {
        matter_pose pose;
        place_block(&k, i, size, &pose);
        if (!make_cells(&k, i, size)) {
            return;
        }
        add_part(&k, i, &k.whole[i], "block", &pose, true);
        data->last[i] = s->frame_count - 1;
    }
    data->count = BLOCKS + 2 * breaks_until(s, s->frame_count - 1);
    data->poses = scene__alloc(s, (size_t)s->frame_count * data->count, sizeof *data->poses);
    record(&k, data);
    s->data = data;
    s->positions = breaking_positions;
    s->present = breaking_present;
    if (scene__turned(s, &stage, stage_profile, STAGE_POINTS, 32, false)) {
        scene__add_body(s, "stage", &stage, false, true);
    }
}
