// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A crowd of skinned figures that march in rows, and a ray that moves over it, as the pointer of a
// viewer would. All figures share one mesh and its weights; each has a pose of its own in every frame.
#ifndef ABUT_SCENES_PARADE_H
#define ABUT_SCENES_PARADE_H

#include "scenes/scenes.h"

/// Wishes; 0 means the default.
typedef struct parade_def {
    uint32_t figures;    ///< [1000]
    uint32_t triangles;  ///< of a figure, about [3000]
    uint32_t frames;     ///< [60]
    uint32_t seed;
} parade_def;
enum { PARADE_FIGURES = 1000, PARADE_TRIANGLES = 3000, PARADE_FRAMES = 60, PARADE_NODES = 22 };

typedef struct parade {
    parade_def def;            ///< with all defaults filled in
    scene* source;             ///< owns the figure
    const scene_body* figure;  ///< blended, with fields
    uint32_t columns;          ///< figures in a row
} parade;

/// False if memory runs out. End with parade_end() in both cases.
bool parade_begin(parade* p, const parade_def* def);
void parade_end(parade* p);

/// Writes the pose of a figure: a coordinate for each field, three rows of four for each node, and
/// where it stands. A frame is a thirtieth of a second.
void parade_pose(const parade* p, uint32_t figure, uint32_t frame, double* coordinates,
                 double* transforms, double place[3]);

/// Writes where the ray of a frame begins, and a point that it goes through.
void parade_ray(const parade* p, uint32_t frame, double from[3], double through[3]);

#endif  // ABUT_SCENES_PARADE_H
