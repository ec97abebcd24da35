// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The distance of two boxes in cells.
#ifndef ABUT_VORONOI_GRID_GAPS_H
#define ABUT_VORONOI_GRID_GAPS_H

#include <math.h>
#include <string.h>

#include "voronoi/sites.h"

// Returns the distance of two boxes.
static inline float abut__box_gap(const float lo_a[3], const float hi_a[3], const float lo_b[3],
                                  const float hi_b[3]) {
    float square = 0;
    for (int d = 0; d < 3; ++d) {
        const float below = lo_b[d] - hi_a[d];
        const float above = lo_a[d] - hi_b[d];
        const float gap = below > above ? below : above;
        square += gap > 0 ? gap * gap : 0;
    }
    return sqrtf(square);
}

#endif
