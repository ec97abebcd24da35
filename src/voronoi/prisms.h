// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Prisms: a triangle whose corners move on segments stays in the convex hull of where they are at the
// start and at the end.
#ifndef ABUT_VORONOI_PRISMS_H
#define ABUT_VORONOI_PRISMS_H

#include "voronoi/grid_gaps.h"

// Bounds from below, in cells, on the distance of the prisms of two sites whose boxes are `least`
// apart; there is none from above. Ends as soon as they are known to be farther apart than `reach`.
abut__site_bounds abut__prism_bound(const abut__sites* sites, uint32_t own, uint32_t other,
                                    float least, float reach);
// No less than the longest diagonal of a box around a triangle at both ends of the step, in the world.
double abut__prisms_widest(const abut__sites* sites);

#endif
