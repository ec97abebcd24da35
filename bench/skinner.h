// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The baseline for lazy evaluation of bodies that follow nodes: skins all vertices, as fast as a
// user could write it. Float throughout, full width of the instruction set in use.
#ifndef BENCH_SKINNER_H
#define BENCH_SKINNER_H

#include "scenes/scenes.h"

typedef struct skinner skinner;

/// `body` is blended (scenes.h) and must outlive the skinner.
skinner* skinner_create(const scene_body* body);
void skinner_destroy(skinner* s);

/// Computes all positions for these transforms (three rows of four for each node) and coordinates
/// (NULL without fields): tightly packed, owned by the skinner, with room to read a little beyond
/// the last.
const float* skinner_run(skinner* s, const float* transforms, const double* q);
/// Returns the box of the last run's positions.
void skinner_box(const skinner* s, float lo[3], float hi[3]);

#endif
