// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Interlocking solids: two combs, and a peg in a hole. All are rigid. First they are inserted
// without touching. Then they are shifted and rotated until they penetrate at many places at once,
// with gaps between.
#include <math.h>

#include "scenes/cells.h"

enum { TEETH = 6 };
#define PITCH 1.0  // from tooth to tooth
#define TOOTH 0.4  // width
#define REACH 1.6  // length of a tooth
#define SPINE 0.6  // height of the part that holds the teeth
#define THICK 0.5
#define OFF (0.5 * PITCH)  // offset of the second comb: its teeth begin in the gaps of the first

typedef struct solid {
    uint32_t fine;  // cells per unit of 0.1
    double vary;    // factor of the motion, by the seed; about 1
} solid;

// Converts a length to a number of cells.
static uint32_t cells_of(const solid* c, double length) {
    return (uint32_t)(length * 10 + 0.5) * c->fine;
}

// Makes a set of the cells for which `filled` returns true.
static bool fill(scene* s, cell_body* body, const solid* c, const double size[3],
                 bool (*filled)(const solid* c, const uint32_t cell[3])) {
    uint32_t cell[3];
    if (!scene__cells_alloc(s, body, cells_of(c, size[0]), cells_of(c, size[1]),
                            cells_of(c, size[2]))) {
        return false;
    }
    uint8_t* at = body->filled;
    for (cell[2] = 0; cell[2] < body->size[2]; ++cell[2]) {
        for (cell[1] = 0; cell[1] < body->size[1]; ++cell[1]) {
            for (cell[0] = 0; cell[0] < body->size[0]; ++cell[0]) {
                *at++ = filled(c, cell);
            }
        }
    }
    return true;
}

static bool comb_filled(const solid* c, const uint32_t cell[3]) {
    const bool in_spine = cell[2] < cells_of(c, SPINE);
    return in_spine || cell[0] % cells_of(c, PITCH) < cells_of(c, TOOTH);
}

// It stands on the plane z = 0, teeth up.
static bool make_comb(scene* s, scene_mesh* mesh, const solid* c) {
    const double size[3] = {(TEETH - 1) * PITCH + TOOTH, THICK, SPINE + REACH};
    cell_body cells;
    if (!fill(s, &cells, c, size, comb_filled) ||
        !scene__cells_surface(s, &cells, 0.1 / c->fine, mesh)) {
        return false;
    }
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        mesh->rest[3 * v + 2] += 0.5 * size[2];
    }
    return true;
}

// The second comb comes from above, teeth down, then moves sideways and tilts.
static void combs_frame(const scene* s, uint32_t body, uint32_t frame, double r[3][3],
                        double t[3]) {
    const solid* c = s->data;
    const double time = scene__time(s, frame);
    const double in = scene__ease(time, 0.0, 0.4);
    const double aside = c->vary * scene__ease(time, 0.35, 0.7);
    const double lean = c->vary * scene__ease(time, 0.65, 1.0);
    const double axis[3] = {0, 1, 0};
    (void)body;  // the other one is fixed
    scene__rotation(axis, SCENE_PI + 0.05 * lean, r);
    t[0] = OFF + 0.2 * aside;
    t[1] = 0.04 * aside;
    t[2] = 2 * (SPINE + REACH) + 0.2 - (REACH - 0.1) * in;
}

void scene__make_combs(scene* s, const scene_wish* wish) {
    solid* c = scene__alloc(s, 1, sizeof *c);
    scene_mesh mesh;
    const scene_fields none = {0};
    if (c == NULL) {
        return;
    }
    // A comb of the coarsest cells has about 4500 triangles.
    c->fine = (uint32_t)fmax(1, floor(sqrt(wish->triangles / 4500.0) + 0.5));
    c->vary = scene__random_in(wish->seed, 0, 0.9, 1.1);
    if (make_comb(s, &mesh, c)) {
        s->data = c;
        s->frame = combs_frame;
        scene__add_body(s, "comb", &mesh, false, true);
        scene__add_reduced(s, "other comb", &mesh, &none, true);
    }
}

// ---- a peg in a hole

static bool plate_filled(const solid* c, const uint32_t cell[3]) {
    const uint32_t from = cells_of(c, 1.0);
    const uint32_t to = cells_of(c, 2.0);
    return cell[0] < from || cell[0] >= to || cell[1] < from || cell[1] >= to;
}

static bool peg_filled(const solid* c, const uint32_t cell[3]) {
    (void)c;
    (void)cell;
    return true;
}

// The peg goes in, rotates a little, and is pressed into a wall of the hole.
static void peg_frame(const scene* s, uint32_t body, uint32_t frame, double r[3][3], double t[3]) {
    const solid* c = s->data;
    const double time = scene__time(s, frame);
    const double turn = scene__ease(time, 0.35, 0.65) - 0.5 * scene__ease(time, 0.75, 1.0);
    const double axis[3] = {0.3, 0.1, 0.95};
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    const double unit[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
    (void)body;  // the plate is fixed
    scene__rotation(unit, 0.25 * c->vary * turn, r);
    t[0] = 0.12 * c->vary * scene__ease(time, 0.6, 0.9);
    t[1] = 0;
    t[2] = 2.2 * (1 - scene__ease(time, 0.0, 0.4));
}

void scene__make_peg(scene* s, const scene_wish* wish) {
    solid* c = scene__alloc(s, 1, sizeof *c);
    const scene_fields none = {0};
    scene_mesh plate;
    scene_mesh peg;
    if (c == NULL) {
        return;
    }
    c->fine = (uint32_t)fmax(1, floor(sqrt(wish->triangles / 1600.0) + 0.5));
    c->vary = scene__random_in(wish->seed, 0, 0.9, 1.1);
    const double around[3] = {3, 3, 0.6};
    const double inner[3] = {0.9, 0.9, 2};
    cell_body cells[2];
    if (fill(s, &cells[0], c, around, plate_filled) && fill(s, &cells[1], c, inner, peg_filled) &&
        scene__cells_surface(s, &cells[0], 0.1 / c->fine, &plate) &&
        scene__cells_surface(s, &cells[1], 0.1 / c->fine, &peg)) {
        s->data = c;
        s->frame = peg_frame;
        scene__add_body(s, "plate", &plate, false, true);
        scene__add_reduced(s, "peg", &peg, &none, true);
    }
}
