// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT

#include "support/grid.h"

#include <string.h>

void grid_triangles(uint32_t side, uint32_t* triangles) {
    for (uint32_t y = 0; y + 1 < side; ++y) {
        for (uint32_t x = 0; x + 1 < side; ++x) {
            const uint32_t v = y * side + x;
            const uint32_t corner[6] = {v, v + 1, v + side, v + 1, v + side + 1, v + side};
            memcpy(triangles, corner, sizeof corner);
            triangles += 6;
        }
    }
}
