// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The boxes of all tree nodes of a body, which queries compute on demand.
#ifndef BENCH_NODES_H
#define BENCH_NODES_H

#include <abut/body.h>

/// Computes the boxes of the body's current state. Free bodies have them all already.
void nodes_bound(const abut_scene* scene, abut_body_id body);

/// Makes the table of runs of vertices that a shape otherwise makes at its first refit.
void nodes_prepare(const abut_scene* scene, abut_body_id body);

#endif
