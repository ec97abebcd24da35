// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Boxes of vertices that move on straight lines between keyframes: the interpolation of the boxes at
// both ends holds every vertex at every instant between, for an interpolation of two numbers lies
// below that of two that are not less. No event, no vertex: one refit a keyframe, for the whole
// animation, however many frames are drawn. The cheap alternative to the kinetic AABB tree of Weller,
// Zachmann, "Kinetic Bounding Volume Hierarchies for Deformable Objects", 2006; looser only where
// different vertices are extreme at both ends.
#ifndef ABUT_BOUND_LINEAR_H
#define ABUT_BOUND_LINEAR_H

#include "base/once.h"
#include "bound/refit.h"

// The boxes of one keyframe: immutable once it is there.
typedef struct abut__key_boxes {
    abut__refit_boxes refit;
    uint32_t node_count;
    uint32_t looks;     // nodes and blocks that were looked at to make them
    bool is_descended;  // they are those of the shape before, but for what its descent says
} abut__key_boxes;

// The boxes of all keyframes, each made at first use.
typedef struct abut__linear {
    const abut_context* context;
    uint32_t count;
    abut__once* keys;  // abut__key_boxes, per keyframe
} abut__linear;

bool abut__linear_init(abut__linear* linear, const abut_context* context, uint32_t count);
void abut__linear_free(abut__linear* linear);
// NULL: not made yet
static inline const abut__key_boxes* abut__linear_find(const abut__linear* linear, uint32_t key) {
    return abut__once_peek(&linear->keys[key]);
}
// NULL: no memory
const abut__key_boxes* abut__linear_key(abut__linear* linear, const abut__tree* tree,
                                        const abut__stretches* stretches, abut__source positions,
                                        uint32_t key);
// The same from the boxes that the shape before has, if its vertices are where they were. Boxes with a
// vertex that is not finite are not taken, nor any where there is no memory: then they are made when
// they are needed.
void abut__linear_descend(abut__linear* linear, const abut__tree* tree,
                          const abut__descent* descent, abut__source positions, uint32_t key,
                          const abut__key_boxes* before);

#endif
