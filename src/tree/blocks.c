// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes a block: lists its vertices and, per triangle, the indices of its corners among them.
#include "tree/tree.h"

void abut__block_make(const abut_mesh* mesh, const uint32_t* triangles, const uint8_t* corners,
                      uint32_t count, abut__block* block) {
    ABUT_ASSERT(count > 0 && count <= ABUT__BLOCK_TRIANGLES);
    uint32_t most = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t* vertex = mesh->triangles + 3 * (size_t)triangles[k];
        for (size_t c = 0; c < 3; ++c) {
            const uint8_t place = corners[3 * (size_t)k + c];
            block->corner[c][k] = place;
            block->vertex[place] = vertex[c];
            most = place > most ? place : most;
        }
        block->triangle[k] = triangles[k];
    }
    block->has_last = 0;
    for (uint32_t v = 0; v <= most; ++v) {
        block->has_last |= block->vertex[v] + 1 == mesh->vertex_count;
    }
    for (uint32_t v = most + 1; v < ABUT__BLOCK_VERTICES; ++v) {
        block->vertex[v] = block->vertex[0];
    }
    for (uint32_t k = count; k < ABUT__BLOCK_TRIANGLES; ++k) {
        for (size_t c = 0; c < 3; ++c) {
            block->corner[c][k] = block->corner[c][0];
        }
        block->triangle[k] = ABUT__NONE;
    }
    block->valid = (UINT64_C(1) << count) - 1;
    block->vertex_count = most + 1;
    block->triangle_count = count;
    block->group_count = (count + ABUT__GROUP - 1) / ABUT__GROUP;
}
