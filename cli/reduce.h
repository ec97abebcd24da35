// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Compresses an animation to a few displacement fields by principal component analysis, as James
// and Pai did with the curtain of "BD-Tree: Output-Sensitive Collision Detection for Reduced
// Deformable Models" (2004).
#ifndef CLI_REDUCE_H
#define CLI_REDUCE_H

#include <stddef.h>
#include <stdint.h>

/// Rest positions, fields in order of importance, and the coordinates of every frame, of magnitude
/// 1 at most. All are floats, as in files.
typedef struct reduced {
    float* rest;
    size_t field_count;  ///< at most the number requested and the rank of the motion
    float* fields;       ///< field after field
    float* coordinates;  ///< frame after frame
    double distance;     ///< largest distance of a vertex from its original
    size_t worst_frame;
} reduced;

/// Reduces an animation; `frames` has x y z of every vertex, frame after frame.
void reduce(const double* frames, size_t frame_count, size_t vertex_count, size_t most_fields,
            reduced* out);
void reduced_free(reduced* r);

#endif
