// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Closed surfaces for tests, and the winding number of a surface about a point.

#ifndef ABUT_TESTS_SUPPORT_SOLIDS_H
#define ABUT_TESTS_SUPPORT_SOLIDS_H

#include "support/world.h"

/// An axis-aligned cube of 12 triangles; (x, y, z) is its lowest corner.
surface cube_surface(double x, double y, double z, double size);

/// The winding number of a surface about a point, up to rounding: the sum of solid angles, which
/// shares no code with the library.
double winding_number(const surface* s, const double p[3]);

#endif  // ABUT_TESTS_SUPPORT_SOLIDS_H
