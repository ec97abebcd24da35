// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Skeletons: bones with flesh around them, the weights by which skin follows the bones, and the
// transforms of a pose.

#ifndef ABUT_SCENES_SKELETON_H
#define ABUT_SCENES_SKELETON_H

#include "scenes/solid.h"

/// The greatest number of influences of a vertex.
#define SKIN_INFLUENCES 4

typedef struct skeleton_bone {
    uint32_t parent;  ///< an earlier one in the list; the first bone has none
    double from[3];   ///< at rest; the bone rotates about this end
    double to[3];
    double thick[2];  ///< radius of the flesh at both ends
} skeleton_bone;

typedef struct skeleton {
    uint32_t count;
    const skeleton_bone* bones;
    double blend;  ///< skin follows the nearest bone and all bones at most so much farther away
} skeleton;

/// Returns the flesh of one bone as a solid: approximately the distance from its surface.
double skeleton_flesh(const skeleton_bone* bone, const double p[3], double fine);

/// Computes weights of the vertices of a skin, which vary continuously over it. False on failure.
bool scene__skin_weights(scene* s, const skeleton* body, const scene_mesh* mesh,
                         scene_weights* weights);

/// Forward kinematics: every bone, with all bones that depend on it, is rotated about its end
/// `from` by its own rotation, and the whole is translated. A transform maps rest positions to
/// those in the pose: it is the bone's matrix in the pose times the inverse of that at rest.
void skeleton_transforms(const skeleton* body, const double (*turns)[3][3], const double shift[3],
                         double* transforms);

#endif  // ABUT_SCENES_SKELETON_H
