// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the examples share: a square grid of triangles, and giving up with a sentence.
#ifndef EXAMPLE_GRID_H
#define EXAMPLE_GRID_H

#include <stdio.h>
#include <stdlib.h>

#include "abut/abut.h"

#ifndef GRID
#define GRID 40  // quads along a side
#endif
#define GRID_VERTICES ((GRID + 1) * (GRID + 1))
#define GRID_TRIANGLES (2 * GRID * GRID)

typedef struct grid {
    double xyz[GRID_VERTICES][3];
    uint32_t triangles[GRID_TRIANGLES][3];
} grid;

// a flat sheet of the given side, centred above the origin at height z
static inline void grid_make(grid* g, double side, double z) {
    for (uint32_t v = 0; v < GRID_VERTICES; ++v) {
        g->xyz[v][0] = side * (v % (GRID + 1) / (double)GRID - 0.5);
        g->xyz[v][1] = side * (v / (GRID + 1) / (double)GRID - 0.5);
        g->xyz[v][2] = z;
    }
    for (uint32_t q = 0; q < GRID * GRID; ++q) {
        const uint32_t v = q / GRID * (GRID + 1) + q % GRID;
        const uint32_t two[2][3] = {{v, v + 1, v + GRID + 2}, {v, v + GRID + 2, v + GRID + 1}};
        for (uint32_t t = 0; t < 2; ++t) {
            for (uint32_t c = 0; c < 3; ++c) {
                g->triangles[2 * q + t][c] = two[t][c];
            }
        }
    }
}

static inline abut_positions grid_positions(const grid* g) {
    return abut_positions_f64(&g->xyz[0][0], GRID_VERTICES);
}

// a status that is not OK ends the example
static inline void need(abut_status status, const abut_error* error) {
    if (status != ABUT_OK) {
        fprintf(stderr, "%s: %s\n", abut_status_text(status), error != NULL ? error->message : "");
        exit(EXIT_FAILURE);
    }
}

// the grid as a mesh, to be destroyed once there is a shape of it
static inline abut_mesh* grid_mesh(abut_context* context, const grid* g) {
    abut_error error;
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = grid_positions(g);
    def.triangles = &g->triangles[0][0];
    def.triangle_count = GRID_TRIANGLES;
    abut_mesh* mesh = NULL;
    need(abut_mesh_create(context, &def, &mesh, &error), &error);
    return mesh;
}

// a shape of free motion; it keeps the mesh alive
static inline abut_shape* grid_shape(abut_context* context, const grid* g) {
    abut_error error;
    abut_mesh* mesh = grid_mesh(context, g);
    abut_shape* shape = NULL;
    need(abut_shape_create(context, mesh, NULL, &shape, &error), &error);
    abut_mesh_destroy(mesh);
    return shape;
}

#endif
