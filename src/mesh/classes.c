// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Classes by equal rest positions: an open-addressing hash table of the vertices seen so far.
// Equal means equal as numbers: -0 and +0 are one position.
#include "mesh/mesh.h"

typedef struct key3 {
    uint64_t x, y, z;
} key3;

static uint64_t bits_of(double value) {
    const double plus = value + 0.0;  // -0 becomes +0
    uint64_t bits;
    memcpy(&bits, &plus, sizeof bits);
    return bits;
}

static key3 key_of(const abut_mesh* mesh, uint32_t vertex) {
    double p[3];
    abut__read_position(mesh->positions, 3 * abut__scalar_size(mesh->scalar),
                        mesh->scalar == ABUT_FLOAT64, vertex, p);
    return (key3){bits_of(p[0]), bits_of(p[1]), bits_of(p[2])};
}

static uint64_t mixed(uint64_t h) {
    h = (h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static uint64_t hash_of(key3 key) {
    return mixed(mixed(mixed(key.x) ^ key.y) ^ key.z);
}

// the place of the vertex's position in the table: empty, or holding a vertex equal to it
static size_t place_of(const abut_mesh* mesh, const uint32_t* table, size_t size, uint32_t vertex) {
    const key3 key = key_of(mesh, vertex);
    size_t place = (size_t)hash_of(key) & (size - 1);
    while (table[place] != UINT32_MAX) {
        const key3 other = key_of(mesh, table[place]);
        if (other.x == key.x && other.y == key.y && other.z == key.z) {
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
