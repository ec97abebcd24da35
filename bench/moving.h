// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A scene prepared for measurements: all frames are computed beforehand, in float, which all peers
// but FCL and CGAL use directly.
#ifndef BENCH_MOVING_H
#define BENCH_MOVING_H

#include "peers/peer.h"

typedef struct moving {
    peer_mesh* meshes;
    uint32_t body_count;
    uint32_t frame_count;
    float** frames;     // [frame * body_count + body]; NULL for bodies that do not move
    float** buffer[2];  // [body]: the output buffers of a simulation, used alternately
    uint32_t turn;
} moving;

/// Takes every `step`-th of the `frames` frames (0: its own number) of a scene of the catalogue.
moving* moving_create(const char* name, uint32_t triangles, uint32_t frames, uint32_t step,
                      uint32_t seed);
void moving_destroy(moving* m);

/// Writes a frame's positions to an output buffer, as a simulation would: they are in the cache.
/// Valid until the call after the next.
const float* const* moving_frame(moving* m, uint32_t frame);

/// Returns a frame's positions in their store, outside all caches: the same cost for any number of
/// threads. NULL for bodies that do not move.
const float* const* moving_stored(const moving* m, uint32_t frame);

/// The corners of a triangle in a frame.
void moving_triangle(const moving* m, uint32_t frame, uint32_t body, uint32_t triangle,
                     double corner[3][3]);

#endif
