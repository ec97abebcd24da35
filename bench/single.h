// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic AABB tree as published: one event after the other, from a heap, with events that are
// searched over the following keyframes.
#ifndef BENCH_SINGLE_H
#define BENCH_SINGLE_H

#include "body/kinetic_stats.h"

#include <abut/abut.h>

typedef struct single single;

/// Starts at the first keyframe. The body, and the positions of the keyframes, packed floats, must
/// outlive it. Keyframe k is at time k.
single* single_create(abut_scene* scene, abut_body_id body, float* const* keys, uint32_t count);
void single_destroy(single* s);
/// Handles all events up to a time.
void single_go(single* s, double time);
/// Returns whether the boxes of all blocks contain their vertices at the present time.
bool single_is_sound(const single* s);
/// Counts events and updates.
void single_stats(const single* s, abut__kinetic_stats* stats);

#endif
