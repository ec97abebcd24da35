// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Plays a scene with one motion in one context, runs all queries in every frame and hashes the
// answers.

#ifndef ABUT_TESTS_ANSWERS_PLAYER_H
#define ABUT_TESTS_ANSWERS_PLAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abut/abut.h"
#include "scenes/scenes.h"
#include "support/motion_def.h"

/// The answers of one query in all frames.
typedef struct take {
    const char* name;
    uint64_t answer;
    uint64_t counters;
    size_t count;
    size_t refused;
} take;

#define PLAYER_TAKES 64

typedef struct player {
    const char* scene_name;
    const char* motion_name;
    take takes[PLAYER_TAKES];
    size_t take_count;
} player;

/// True if the bodies of the scene can have this motion.
bool player_knows(const scene* s, abut_motion motion);
/// Plays all frames. Ends the process if an object cannot be created.
void play(player* p, const scene* s, const char* scene_name, abut_motion motion,
          const abut_context_def* def);

#endif  // ABUT_TESTS_ANSWERS_PLAYER_H
