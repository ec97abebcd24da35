// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Prisms: a triangle whose corners move on segments stays in the convex hull of its positions at
// the start and at the end.
#ifndef ABUT_VORONOI_PRISMS_H
#define ABUT_VORONOI_PRISMS_H

#include "voronoi/grid_gaps.h"

// Returns a lower bound, in cells, of the distance of the prisms of two sites. Ends as soon as it
// exceeds `reach`.
float abut__prism_bound(const abut__sites* sites, uint32_t own, uint32_t other, float reach);
// Returns an upper bound of the diagonals of boxes around triangles at both ends of the step, in
// the world.
double abut__prisms_widest(const abut__sites* sites);

#endif
