// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The planes of a kinetic BoxTree: the vertex that each holds, and when which other one overtakes
// it.
//
// A half of a split has some children of one node, so the boxes of the node's children at both ends
// of a segment bound it. If the held vertex is extreme at both ends, it is extreme throughout, and
// the plane has no event: this takes a comparison with at most eight boxes at each end. Otherwise
// its rivals are the vertices that end above it. Boxes that end below it have none; for the others,
// a line through both boxes overtakes before any vertex in them does. So a search that descends
// where this happens first finds the next event, and looks at few blocks.
//
// Each plane has a certificate against all vertices below it, whatever other planes hold. So the
// planes can be computed in any order, each from what it held before. It terminates: an event
// replaces a vertex by one that ends farther out, by more than the tolerance.
#ifndef ABUT_BOUND_KINETIC_PLANES_H
#define ABUT_BOUND_KINETIC_PLANES_H

#include "bound/kinetic/boxtree.h"

static inline abut__plane* abut__plane_of(const abut__boxtree* boxtree, uint32_t plane) {
    return &boxtree->splits[plane / 2].plane[plane % 2];
}

// Planes wait in the heap from the last to the first, so that of simultaneous events the lowest in
// the tree comes first. Returns a plane's number there, and back.
static inline uint32_t abut__plane_turn(const abut__boxtree* boxtree, uint32_t plane) {
    return 2 * boxtree->split_count - 1 - plane;
}

// Certifies a plane for the present segment and time. What it holds is a guess.
void abut__plane_certify(abut__boxtree* boxtree, uint32_t plane);
// Handles the first event of a plane, and of the planes above that hold the same vertex.
void abut__plane_handle(abut__boxtree* boxtree, uint32_t plane);

#endif
