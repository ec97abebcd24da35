// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Measures how far two surfaces that touch reach beyond each other. It needs no closed surfaces.
//
// Pairs of triangles that share a triangle form a patch. Edges of one surface that the other one meets
// are cut. The cut edges of a patch divide a surface into parts, which are sets of vertices that uncut
// edges connect. All parts beside the patch but the main one are beyond the other surface. The main one has the
// largest box; of parts with boxes at least half as large it is the one with the largest reach.
// A reach is the largest distance of a vertex of the part from the other surface. The extent of a patch
// is the smaller one of the reaches of both surfaces, of those that are divided. If neither is
// divided, as where two sheets cut into each other from their borders, it is the diagonal of the box
// of what they share. The extent of a contact is that of its worst patch.
//
// A patch cuts through if two of its triangles cross in their insides, or if an edge of one surface lies in
// a triangle of the other one, with its own triangles on both sides of that. Otherwise the surfaces only
// touch, and the extent is 0.
#ifndef CLI_GATE_EXTENT_H
#define CLI_GATE_EXTENT_H

#include "cli/gate/patch.h"
#include "cli/world.h"

typedef struct extent {
    bool touches;     ///< a pair shares a point
    bool cuts;        ///< the surfaces cut through each other
    double length;    ///< how far they reach beyond each other, in the worst patch
    double place[3];  ///< the middle of what they share in that patch
    size_t pairs;     ///< pairs that share a point
} extent;

/// Working memory. Start zeroed.
typedef struct extent_memory {
    abut_closest_result* closest;
} extent_memory;
void extent_memory_free(extent_memory* m);

/// Measures the pairs of two bodies, or of one with itself, in the current state, and appends their
/// patches: those that cut through have KIND_CUTS and the extent as depth, the others KIND_TOUCHES. False
/// after an error message.
bool extent_measure(extent_memory* m, const world* w, const contact* c, extent* out, patches* list);

/// The largest distance of a vertex of a body from the surface of another one.
bool extent_reach(extent_memory* m, const world* w, uint32_t body, uint32_t other, double* reach);

#endif
