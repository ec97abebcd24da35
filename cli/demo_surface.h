// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bodies of built-in scenes as the surfaces of a world.
#ifndef CLI_DEMO_SURFACE_H
#define CLI_DEMO_SURFACE_H

#include "cli/world.h"
#include "scenes/scenes.h"

/// The surface of a body, with these positions. It borrows all arrays.
surface surface_of(const scene_body* b, const double* positions);

#endif
