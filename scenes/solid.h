// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Solids given by a function, and their surfaces: closed, without self-contact where the solid is
// thicker than the grid, and all of one fineness.

#ifndef ABUT_SCENES_SOLID_H
#define ABUT_SCENES_SOLID_H

#include "scenes/scenes_internal.h"

/// How much faster than the distance the value of a solid may change.
#define SOLID_STEEPEST 2.0

typedef struct solid {
    /// Negative inside, and about the distance from the surface. `fine` is the spacing of the grid
    /// that asks: what is thinner would be lost between its points, so make it thicker.
    double (*value)(const double p[3], double fine);
    double low[3];  ///< a box around the solid
    double high[3];
} solid;

/// Makes the surface of a solid with about so many triangles. `fine` receives the spacing of the
/// grid it came to. False on failure.
bool scene__solid_surface(scene* s, const solid* body, uint32_t triangles, scene_mesh* mesh,
                          double* fine);

// What solids are made of. `thin` is half of what is just thick enough for a spacing.
static inline double solid_thin(double half, double fine) {
    return half > 0.8 * fine ? half : 0.8 * fine;
}
/// A bar with round ends from a to b, its radius going from ra to rb.
double solid_bar(const double p[3], const double a[3], const double b[3], double ra, double rb);
/// A box with rounded edges. `half` is half of its size.
double solid_box(const double p[3], const double centre[3], const double half[3], double round);
/// Both together, with a fillet of about this size between them.
double solid_join(double a, double b, double fillet);

#endif  // ABUT_SCENES_SOLID_H
