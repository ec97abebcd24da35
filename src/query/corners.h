// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Vertices of blocks for queries that measure.
#ifndef ABUT_QUERY_CORNERS_H
#define ABUT_QUERY_CORNERS_H

#include "scene/pool.h"

// Vertices of a block in double, in the coordinates in which a job is decided; only those
// requested.
typedef struct abut__corners {
    const abut__body* body;
    uint32_t block;
    bool placed;    // in world coordinates
    uint64_t here;  // one bit per vertex that is present
    uint64_t bad;   // not finite
    double xyz[ABUT__BLOCK_VERTICES][3];
} abut__corners;

// Computes the wanted vertices of a block, one bit each, unless they are present. `placed`: the body's
// frame is applied. `suspect`: some may be not finite.
void abut__corners_fetch(const abut_scene* scene, abut__corners* corners, const abut__body* body,
                         uint32_t block, bool placed, bool suspect, uint64_t wanted);

#endif
