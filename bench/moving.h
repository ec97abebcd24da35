// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A scene made ready to be measured: every frame worked out beforehand, in float, which is what all
// peers but FCL and CGAL take as it is.
#ifndef BENCH_MOVING_H
#define BENCH_MOVING_H

#include "peers/peer.h"

typedef struct moving {
    peer_mesh* meshes;
    uint32_t body_count;
    uint32_t frame_count;
    float** frames;     // [frame * body_count + body]; NULL for bodies that do not move
    float** buffer[2];  // [body]: where the simulation would write its positions, by turns
    uint32_t turn;
} moving;

/// Makes a scene of the catalogue, taking every `step`-th of its `frames` frames (0: its own number).
moving* moving_create(const char* name, uint32_t triangles, uint32_t frames, uint32_t step,
                      uint32_t seed);
void moving_destroy(moving* m);

/// Writes a frame's positions where a simulation would have left them: fresh in the cache. Valid
/// until the call after the next.
const float* const* moving_frame(moving* m, uint32_t frame);

/// A frame's positions where they are stored, in no processor's cache: the same to any number of
/// threads. NULL for bodies that do not move.
const float* const* moving_stored(const moving* m, uint32_t frame);

/// The corners of a triangle in a frame.
void moving_triangle(const moving* m, uint32_t frame, uint32_t body, uint32_t triangle,
                     double corner[3][3]);

#endif
