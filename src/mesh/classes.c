// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds classes by equal rest positions with an open-addressing hash table of vertices. Positions
// are compared as numbers: -0 equals +0.
#include "mesh/mesh.h"

static void rest_of(const abut_mesh* mesh, uint32_t vertex, double out[3]) {
    abut__mesh_rest(mesh, vertex, out);
}

static uint64_t hash_of(const double p[3]) {
    return abut__hash_double(abut__hash_double(abut__hash_double(0, p[0]), p[1]), p[2]);
}

// Returns the slot of the vertex's position in the table: empty, or holding an equal vertex.
static size_t place_of(const abut_mesh* mesh, const uint32_t* table, size_t size, uint32_t vertex) {
    double p[3];
    rest_of(mesh, vertex, p);
    size_t place = (size_t)hash_of(p) & (size - 1);
    while (table[place] != UINT32_MAX) {
        double other[3];
        rest_of(mesh, table[place], other);
        if (other[0] == p[0] && other[1] == p[1] && other[2] == p[2]) {
            break;
        }
        place = (place + 1) & (size - 1);
    }
    return place;
}

abut_status abut__mesh_find_classes(abut_mesh* mesh, uint32_t first, abut_error* error) {
    size_t size = 16;
    while (size < 2 * (size_t)mesh->vertex_count) {
        size *= 2;
    }
    uint32_t* table = abut__alloc(mesh->context, size, sizeof *table);
    if (table == NULL) {
        return abut__fail_memory(error);
    }
    memset(table, 0xff, size * sizeof *table);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const size_t place = place_of(mesh, table, size, v);
        if (table[place] == UINT32_MAX) {
            table[place] = v;
        }
        if (v >= first) {
            mesh->classes[v] = table[place] < first ? mesh->classes[table[place]] : table[place];
        }
    }
    abut__free(mesh->context, table, size, sizeof *table);
    return ABUT_OK;
}
