// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bodies made of cubic cells, and the letters among them: see cells.h.

#include "scenes/cells.h"

#include <string.h>

bool scene__cells_alloc(scene* s, cell_body* body, uint32_t x, uint32_t y, uint32_t z) {
    body->size[0] = x;
    body->size[1] = y;
    body->size[2] = z;
    body->filled = scene__alloc(s, (size_t)x * y * z, 1);
    return body->filled != NULL;
}

static bool is_filled(const cell_body* body, int64_t x, int64_t y, int64_t z) {
    const int64_t at[3] = {x, y, z};
    for (int d = 0; d < 3; ++d) {
        if (at[d] < 0 || at[d] >= (int64_t)body->size[d]) {
            return false;
        }
    }
    return body->filled[(z * body->size[1] + y) * body->size[0] + x] != 0;
}

uint32_t scene__cells_count(const cell_body* body) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < body->size[0] * body->size[1] * body->size[2]; ++i) {
        count += body->filled[i];
    }
    return count;
}

void scene__cells_middles(const cell_body* body, double size, double* middles) {
    const uint32_t* n = body->size;
    for (uint32_t i = 0; i < n[0] * n[1] * n[2]; ++i) {
        if (body->filled[i] != 0) {
            *middles++ = size * ((double)(i % n[0]) + 0.5 - 0.5 * (double)n[0]);
            *middles++ = size * ((double)(i / n[0] % n[1]) + 0.5 - 0.5 * (double)n[1]);
            *middles++ = size * ((double)(i / n[0] / n[1]) + 0.5 - 0.5 * (double)n[2]);
        }
    }
}

// ---- the surface

// Returns whether a side of a cell is free: the side across `axis`, the far one if `far`.
static bool side_is_free(const cell_body* body, const uint32_t at[3], int axis, int far) {
    int64_t next[3] = {at[0], at[1], at[2]};
    next[axis] += far != 0 ? 1 : -1;
    return is_filled(body, at[0], at[1], at[2]) && !is_filled(body, next[0], next[1], next[2]);
}

typedef struct surface_maker {
    const cell_body* body;
    uint32_t* number_of;  // vertex at every corner of the lattice, from 1 on
    uint32_t vertices;
    uint32_t triangles;
    scene_mesh* mesh;  // NULL while counting
    double size;
} surface_maker;

static uint32_t corner_vertex(surface_maker* m, const uint32_t corner[3]) {
    const uint32_t* n = m->body->size;
    uint32_t* number = &m->number_of[(corner[2] * (n[1] + 1) + corner[1]) * (n[0] + 1) + corner[0]];
    if (*number == 0) {
        *number = ++m->vertices;
        for (int d = 0; d < 3 && m->mesh != NULL; ++d) {
            m->mesh->rest[3 * (*number - 1) + (uint32_t)d] = m->size * ((double)corner[d] -
                                                                        0.5 * (double)n[d]);
        }
    }
    return *number - 1;
}

// Adds two triangles, counter-clockwise from outside.
static void add_side(surface_maker* m, const uint32_t at[3], int axis, int far) {
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    uint32_t corner[4];
    for (uint32_t k = 0; k < 4; ++k) {
        uint32_t place[3] = {at[0], at[1], at[2]};
        place[axis] += (uint32_t)far;
        place[u] += k == 1 || k == 2 ? 1 : 0;
        place[v] += k >= 2 ? 1 : 0;
        corner[far != 0 ? k : 3 - k] = corner_vertex(m, place);
    }
    if (m->mesh != NULL) {
        uint32_t* out = m->mesh->triangles + 3 * (size_t)m->triangles;
        const uint32_t order[6] = {0, 1, 2, 0, 2, 3};
        for (int k = 0; k < 6; ++k) {
            out[k] = corner[order[k]];
        }
    }
    m->triangles += 2;
}

static void add_sides(surface_maker* m) {
    const uint32_t* n = m->body->size;
    m->vertices = m->triangles = 0;
    memset(m->number_of, 0, (n[0] + 1) * (n[1] + 1) * (n[2] + 1) * sizeof *m->number_of);
    for (uint32_t i = 0; i < n[0] * n[1] * n[2]; ++i) {
        const uint32_t at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        for (int side = 0; side < 6; ++side) {
            if (side_is_free(m->body, at, side / 2, side % 2)) {
                add_side(m, at, side / 2, side % 2);
            }
        }
    }
}

bool scene__cells_surface(scene* s, const cell_body* body, double size, scene_mesh* mesh) {
    const uint32_t* n = body->size;
    surface_maker m = {.body = body, .size = size};
    m.number_of = scene__alloc(s, (size_t)(n[0] + 1) * (n[1] + 1) * (n[2] + 1),
                               sizeof *m.number_of);
    if (m.number_of == NULL) {
        return false;
    }
    add_sides(&m);
    if (!scene__mesh_alloc(s, mesh, m.vertices, m.triangles)) {
        return false;
    }
    m.mesh = mesh;
    add_sides(&m);
    return true;
}

// ---- letters

#define LETTER_ROWS 10
// About 22 cells each.
static const struct {
    const char* name;
    const char* rows[LETTER_ROWS];  // from the top
} letters[LETTER_KINDS] = {
    {"A", {"######", "#....#", "#....#", "######", "#....#", "#....#", "#....#"}},
    {"B", {"######", "#....#", "######", "#....#", "#....#", "######"}},
    {"U",
     {"#....#", "#....#", "#....#", "#....#", "#....#", "#....#", "#....#", "#....#", "######"}},
    {"T",
     {"#########", "....#....", "....#....", "....#....", "....#....", "....#....", "....#....",
      "....#....", "....#....", "....#...."}},
    {"C",
     {"#######", "#......", "#......", "#......", "#......", "#......", "#......", "#......",
      "#######"}},
    {"E",
     {"######", "#.....", "#.....", "#.....", "#####.", "#.....", "#.....", "#.....", "######"}},
    {"H",
     {"#....#", "#....#", "#....#", "#....#", "######", "#....#", "#....#", "#....#", "#....#"}},
    {"I",
     {"#######", "...#...", "...#...", "...#...", "...#...", "...#...", "...#...", "...#...",
      "...#...", "#######"}},
    {"O", {"######", "#....#", "#....#", "#....#", "#....#", "#....#", "######"}},
    {"S", {"######", "#.....", "#.....", "######", ".....#", ".....#", "######"}},
};

uint32_t scene__letters_for(uint32_t triangles) {
    const uint32_t mean = 174;  // mean number of triangles of a letter
    const uint32_t count = (triangles + mean / 2) / mean;
    return count == 0 ? 1 : count;
}

const char* scene__letter_name(uint32_t kind) {
    return letters[kind].name;
}

bool scene__letter(scene* s, uint32_t kind, cell_body* body) {
    const char* const* rows = letters[kind].rows;
    const uint32_t width = (uint32_t)strlen(rows[0]);
    uint32_t height = 0;
    while (height < LETTER_ROWS && rows[height] != NULL) {
        ++height;
    }
    if (!scene__cells_alloc(s, body, width, height, 1)) {
        return false;
    }
    for (uint32_t y = 0; y < height; ++y) {
        for (uint32_t x = 0; x < width; ++x) {
            body->filled[(height - 1 - y) * width + x] = rows[y][x] == '#';
        }
    }
    return true;
}
