// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds the connected components of a mesh by union-find over its vertices.
#include "cli/parts.h"

#include "cli/message.h"

#include <stdlib.h>
#include <string.h>

static uint32_t root_of(uint32_t* parent, uint32_t v) {
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

static void join(uint32_t* parent, uint32_t a, uint32_t b) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

typedef struct place {
    double xyz[3];
    uint32_t vertex;
} place;

static int by_place(const void* left, const void* right) {
    const place* l = left;
    const place* r = right;
    for (int d = 0; d < 3; ++d) {
        if (l->xyz[d] != r->xyz[d]) {
            return l->xyz[d] < r->xyz[d] ? -1 : 1;
        }
    }
    return 0;
}

static void join_places(const io_mesh* mesh, uint32_t* parent) {
    place* places = allocate(mesh->vertex_count, sizeof *places);
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        memcpy(places[v].xyz, mesh->positions + 3 * v, sizeof places[v].xyz);
        places[v].vertex = (uint32_t)v;
    }
    qsort(places, mesh->vertex_count, sizeof *places, by_place);
    for (size_t v = 1; v < mesh->vertex_count; ++v) {
        if (by_place(&places[v - 1], &places[v]) == 0) {
            join(parent, places[v - 1].vertex, places[v].vertex);
        }
    }
    free(places);
}

uint32_t mesh_parts(const io_mesh* mesh, uint32_t** part_of) {
    uint32_t* parent = allocate(mesh->vertex_count, sizeof *parent);
    uint32_t* number = allocate(mesh->vertex_count, sizeof *number);
    *part_of = allocate(mesh->triangle_count, sizeof **part_of);
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        parent[v] = (uint32_t)v;
        number[v] = UINT32_MAX;
    }
    join_places(mesh, parent);
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t* corner = mesh->triangles + 3 * t;
        join(parent, corner[0], corner[1]);
        join(parent, corner[1], corner[2]);
    }
    uint32_t count = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t root = root_of(parent, mesh->triangles[3 * t]);
        number[root] = number[root] == UINT32_MAX ? count++ : number[root];
        (*part_of)[t] = number[root];
    }
    free(parent);
    free(number);
    return count;
}
