// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds the owners of vertices and edges by sorting.
#include "mesh/features.h"

#include "base/sort.h"

// Gives each feature to its first entry. Entries with equal keys are in the order of their
// triangles.
static void give_to_first(const abut__keyed* items, size_t count, int first_bit, uint8_t* owned) {
    for (size_t i = 0; i < count; ++i) {
        if (i == 0 || items[i].key != items[i - 1].key) {
            owned[items[i].value >> 2] |= (uint8_t)(1u << (first_bit + (int)(items[i].value & 3)));
        }
    }
}

static size_t list_corners(const abut_mesh* mesh, abut__keyed* items) {
    size_t count = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        for (uint32_t c = 0; c < 3 && abut__mesh_alive(mesh, t); ++c) {
            items[count++] = (abut__keyed){mesh->triangles[3 * (size_t)t + c],
                                           (uint64_t)t << 2 | c};
        }
    }
    return count;
}

static size_t list_edges(const abut_mesh* mesh, abut__keyed* items) {
    size_t count = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t* corner = mesh->triangles + 3 * (size_t)t;
        for (uint32_t c = 0; c < 3 && abut__mesh_alive(mesh, t); ++c) {
            const uint64_t a = corner[c];
            const uint64_t b = corner[(c + 1) % 3];
            items[count] = (abut__keyed){a < b ? a << 32 | b : b << 32 | a, (uint64_t)t << 2 | c};
            count += a != b;
        }
    }
    return count;
}

uint8_t* abut__features_make(const abut_mesh* mesh) {
    const abut_context* context = mesh->context;
    const size_t room = 3 * (size_t)mesh->triangle_count;
    uint8_t* owned = abut__alloc_zero(context, mesh->triangle_count, 1);
    abut__keyed* items = abut__alloc(context, 2 * room, sizeof *items);
    if (owned == NULL || items == NULL) {
        abut__free(context, owned, mesh->triangle_count, 1);
        owned = NULL;
    } else {
        size_t count = list_corners(mesh, items);
        abut__sort_keyed(items, items + room, count);
        give_to_first(items, count, 0, owned);
        count = list_edges(mesh, items);
        abut__sort_keyed(items, items + room, count);
        give_to_first(items, count, 3, owned);
    }
    abut__free(context, items, 2 * room, sizeof *items);
    return owned;
}
