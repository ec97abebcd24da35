// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Solids defined by a function, and their surfaces: closed, of uniform fineness, and without
// self-contact where the solid is thicker than the grid spacing.

#ifndef ABUT_SCENES_SOLID_H
#define ABUT_SCENES_SOLID_H

#include "scenes/scenes_internal.h"

/// Greatest slope of the value of a solid.
#define SOLID_STEEPEST 2.0

typedef struct solid {
    /// Negative inside, and approximately the distance from the surface. `fine` is the grid
    /// spacing: thinner parts would be lost between grid points, so the function must thicken them.
    double (*value)(const double p[3], double fine);
    double low[3];  ///< a box around the solid
    double high[3];
} solid;

/// Makes the surface of a solid with about so many triangles. `fine` receives the resulting grid
/// spacing. False on failure.
bool scene__solid_surface(scene* s, const solid* body, uint32_t triangles, scene_mesh* mesh,
                          double* fine);

// Parts of solids. solid_thin() returns at least half of the least thickness for a spacing.
static inline double solid_thin(double half, double fine) {
    return half > 0.8 * fine ? half : 0.8 * fine;
}
/// A bar with round ends from a to b, whose radius varies from ra to rb.
double solid_bar(const double p[3], const double a[3], const double b[3], double ra, double rb);
/// A box with rounded edges. `half` is half of its size.
double solid_box(const double p[3], const double centre[3], const double half[3], double round);
/// The union of both, with a fillet of about this size between them.
double solid_join(double a, double b, double fillet);

#endif  // ABUT_SCENES_SOLID_H
