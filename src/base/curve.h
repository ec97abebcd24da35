// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The order of points along a Morton curve, which fills space, so that points near each other are
// mostly near each other in the order.
#ifndef ABUT_BASE_CURVE_H
#define ABUT_BASE_CURVE_H

#include <stdint.h>

#include "abut/types.h"

// Spreads ten bits to every third place.
static inline uint64_t abut__curve_spread(uint64_t x) {
    x = (x | x << 16) & 0x30000ff;
    x = (x | x << 8) & 0x300f00f;
    x = (x | x << 4) & 0x30c30c3;
    return (x | x << 2) & 0x9249249;
}

// Returns the number of the cell of a point on a curve through the box: 10 bits an axis.
static inline uint64_t abut__curve_cell(const abut_box* box, const double point[3]) {
    uint64_t cell = 0;
    for (int d = 0; d < 3; ++d) {
        const double part = (point[d] - box->lo[d]) / (box->hi[d] - box->lo[d]);
        const double at = part > 0 ? part < 1 ? part * 1023 : 1023 : 0;  // 0 if it is no number
        cell |= abut__curve_spread((uint64_t)at) << d;
    }
    return cell;
}

#endif
