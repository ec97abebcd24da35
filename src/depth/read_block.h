// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Positions of a block's vertices.
#ifndef ABUT_DEPTH_READ_BLOCK_H
#define ABUT_DEPTH_READ_BLOCK_H

#include "body/body.h"

enum { ABUT__BLOCK_POINTS = 64 };  // vertices of a block at most

// Reads the positions of all vertices of a block, in the world.
static inline void abut__read_block(const abut__body* body, const abut__block* block,
                                    double out[ABUT__BLOCK_POINTS][3]) {
    double xyz[3][ABUT__BLOCK_POINTS];
    double* const rows[3] = {xyz[0], xyz[1], xyz[2]};
    body->shape->motion->vertices(body->shape, abut__body_state(body, 1), block->vertex,
                                  block->vertex_count, rows);
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        for (int d = 0; d < 3; ++d) {
            out[v][d] = xyz[d][v];
        }
        abut__frame_apply(&body->frame, out[v]);
    }
}

#endif
