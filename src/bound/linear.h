// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Boxes of vertices that move on straight lines between keyframes. The interpolation of the boxes
// at both ends contains every vertex at every instant between, because interpolation is monotonic.
// There are no events, and vertices are read once per keyframe, for a refit, whatever the number of
// frames. This is the cheap alternative to the kinetic AABB tree of Weller, Zachmann, "Kinetic
// Bounding Volume Hierarchies for Deformable Objects", 2006. It is looser only where different
// vertices are extreme at both ends.
#ifndef ABUT_BOUND_LINEAR_H
#define ABUT_BOUND_LINEAR_H

#include "base/once.h"
#include "bound/refit.h"

// The boxes of one keyframe; immutable once published.
typedef struct abut__key_boxes {
    abut__refit_boxes refit;
    uint32_t node_count;
    uint32_t block_count;
    uint32_t looks;     // number of nodes and blocks that were read to make them
    bool is_descended;  // copied from the shape before, except for what its descent changed
} abut__key_boxes;

// The boxes of all keyframes, each made at first use.
typedef struct abut__linear {
    const abut_context* context;
    uint32_t count;
    bool placed;       // find the extreme vertices of blocks, too, where stretches suit
    abut__once* keys;  // abut__key_boxes, per keyframe
} abut__linear;

bool abut__linear_init(abut__linear* linear, const abut_context* context, uint32_t count,
                       bool placed);
void abut__linear_free(abut__linear* linear);
// Returns NULL if the boxes are not made yet.
static inline const abut__key_boxes* abut__linear_find(const abut__linear* linear, uint32_t key) {
    return abut__once_peek(&linear->keys[key]);
}
// Returns the boxes of a keyframe, and makes them if needed. NULL: no memory.
const abut__key_boxes* abut__linear_key(abut__linear* linear, const abut__tree* tree,
                                        const abut__stretches* stretches, abut__source positions,
                                        uint32_t key);
// Makes the boxes of a keyframe from those of the shape before, whose vertices must be where they
// were. Does nothing if one of them is not finite or if memory runs out: abut__linear_key() then
// makes the boxes at first use.
void abut__linear_descend(abut__linear* linear, const abut__tree* tree,
                          const abut__descent* descent, abut__source positions, uint32_t key,
                          const abut__key_boxes* before);

#endif
