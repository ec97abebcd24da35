// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Making blocks: which vertices, and which corners.
#include "tree/tree.h"

// a small hash set of up to 144 numbers that gives each its place in order of arrival
#define TABLE 512
typedef struct places {
    uint16_t slot[TABLE];  // place + 1, or 0
    uint32_t number[3 * ABUT__BLOCK_TRIANGLES];
    uint32_t count;
} places;

static uint32_t place_of(places* set, uint32_t number) {
    uint32_t at = (number * 0x9e3779b1u) >> 23;
    while (set->slot[at] != 0) {
        const uint32_t place = set->slot[at] - 1u;
        if (set->number[place] == number) {
            return place;
        }
        at = (at + 1) & (TABLE - 1);
    }
    set->slot[at] = (uint16_t)(set->count + 1);
    set->number[set->count] = number;
    return set->count++;
}

bool abut__block_make(const abut_mesh* mesh, const uint32_t* triangles, uint32_t count,
                      abut__block* block) {
    ABUT_ASSERT(count > 0 && count <= ABUT__BLOCK_TRIANGLES);
    places vertices;
    memset(vertices.slot, 0, sizeof vertices.slot);
    vertices.count = 0;
    uint8_t corner[3][ABUT__BLOCK_TRIANGLES] = {{0}};
    for (uint32_t k = 0; k < count; ++k) {
        for (size_t c = 0; c < 3; ++c) {
            const uint32_t vertex = mesh->triangles[3 * (size_t)triangles[k] + c];
            corner[c][k] = (uint8_t)place_of(&vertices, vertex);
        }
    }
    if (vertices.count > ABUT__BLOCK_VERTICES) {
        return false;
    }
    memset(block, 0, sizeof *block);
    for (size_t c = 0; c < 3; ++c) {
        for (uint32_t k = 0; k < ABUT__BLOCK_TRIANGLES; ++k) {
            block->corner[c][k] = corner[c][k < count ? k : 0];
        }
    }
    for (uint32_t v = 0; v < ABUT__BLOCK_VERTICES; ++v) {
        block->vertex[v] = vertices.number[v < vertices.count ? v : 0];
        block->has_last |= block->vertex[v] + 1 == mesh->vertex_count;
    }
    for (uint32_t k = 0; k < ABUT__BLOCK_TRIANGLES; ++k) {
        block->triangle[k] = k < count ? triangles[k] : ABUT__NONE;
    }
    block->valid = (UINT64_C(1) << count) - 1;
    block->vertex_count = vertices.count;
    block->triangle_count = count;
    block->group_count = (count + ABUT__GROUP - 1) / ABUT__GROUP;
    return true;
}
