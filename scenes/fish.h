// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The solid of a fish, for all scenes with fish. It lies along x, from the nose at 0.5 to the tail
// at -0.5, and is symmetric in y.

#ifndef ABUT_SCENES_FISH_H
#define ABUT_SCENES_FISH_H

#include "scenes/solid.h"

double scene__fish_value(const double p[3], double fine);

/// An initializer for a solid.
#define FISH_SOLID                                  \
    {                                               \
        scene__fish_value, {-0.53, -0.20, -0.24}, { \
            0.52, 0.20, 0.26                        \
        }                                           \
    }

#endif  // ABUT_SCENES_FISH_H
