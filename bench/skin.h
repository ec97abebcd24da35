// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Skins all vertices by a plain loop, as a user would write it who lets the compiler find vectors.
#ifndef BENCH_SKIN_H
#define BENCH_SKIN_H

#include "scenes/scenes.h"

/// Computes the positions of a blended body without fields: three floats a vertex, from twelve
/// floats a node.
void skin_plainly(const scene_body* body, const float* rest, const float* transforms, float* out);

#endif
