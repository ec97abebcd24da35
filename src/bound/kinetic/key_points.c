// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads rows of points at first use: see key_points.h.
#include "bound/kinetic/key_points.h"

#include <string.h>

#include "base/rounding.h"

bool abut__key_points_init(abut__key_points* of, const abut_context* context, uint32_t blocks) {
    *of = (abut__key_points){.block_count = blocks, .key = {ABUT__NONE, ABUT__NONE}};
    bool made = true;
    for (int e = 0; e < 2; ++e) {
        of->points[e] = abut__alloc(context, blocks, sizeof *of->points[e]);
        of->stored[e] = abut__alloc_zero(context, blocks, sizeof *of->stored[e]);
        made = made && of->points[e] != NULL && of->stored[e] != NULL;
    }
    return made;
}

void abut__key_points_free(abut__key_points* of, const abut_context* context) {
    for (int e = 0; e < 2; ++e) {
        abut__free(context, of->points[e], of->block_count, sizeof *of->points[e]);
        abut__free(context, of->stored[e], of->block_count, sizeof *of->stored[e]);
    }
}

static void swap_ends(abut__key_points* of) {
    abut__block_points* points = of->points[0];
    uint8_t* stored = of->stored[0];
    const uint32_t key = of->key[0];
    of->points[0] = of->points[1];
    of->stored[0] = of->stored[1];
    of->key[0] = of->key[1];
    of->points[1] = points;
    of->stored[1] = stored;
    of->key[1] = key;
}

uint32_t abut__key_points_take(abut__key_points* of, const uint32_t key[2], bool* swapped) {
    uint32_t same = 0;
    *swapped = of->key[1] == key[0] || of->key[0] == key[1];
    if (*swapped) {
        swap_ends(of);
    }
    for (int e = 0; e < 2; ++e) {
        if (of->key[e] == key[e] && key[e] != ABUT__NONE) {
            same |= 1u << e;
        } else {
            memset(of->stored[e], 0, of->block_count);
        }
        of->key[e] = key[e];
    }
    return same;
}

void abut__key_points_drop(abut__key_points* of, uint32_t block) {
    of->stored[0][block] = of->stored[1][block] = 0;
}

void abut__key_points_copy(abut__key_points* of, uint32_t block, const abut__key_points* from,
                           uint32_t old) {
    for (int e = 0; e < 2; ++e) {
        if (from->stored[e][old] != 0) {
            of->points[e][block] = from->points[e][old];
        }
        of->stored[e][block] = from->stored[e][old];
    }
}

// Reads whole groups, because ids are padded.
void abut__key_points_read(abut__key_points* of, const abut__block* block, uint32_t number, int end,
                           uint32_t axis, const abut__source* source) {
    const uint32_t count = (block->vertex_count + ABUT__GROUP - 1) & ~(ABUT__GROUP - 1u);
    const size_t stride = source->stride;
    float* out = of->points[end][number].xyz[axis];
    if (source->is_double) {
        const char* from = source->data + axis * sizeof(double);
        for (uint32_t v = 0; v < count; ++v) {
            const void* place = from + block->vertex[v] * stride;
            out[v] = (float)abut__as_float(*(const double*)place);
        }
    } else {
        const char* from = source->data + axis * sizeof(float);
        for (uint32_t v = 0; v < count; ++v) {
            const void* place = from + block->vertex[v] * stride;
            out[v] = *(const float*)place;
        }
    }
    of->stored[end][number] |= (uint8_t)(1u << axis);
}
