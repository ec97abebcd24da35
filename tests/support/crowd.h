// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A crowd: two crumpled sheets, a ball and a soup that overlap each other, with trees of many small
// blocks of random sizes. All bodies touch each other and themselves, often in a single point.

#ifndef ABUT_TESTS_SUPPORT_CROWD_H
#define ABUT_TESTS_SUPPORT_CROWD_H

#include "support/world.h"

#define CROWD_BODIES 4

typedef struct crowd {
    world world;
    surface surface[CROWD_BODIES];
    abut_body_id body[CROWD_BODIES];
    abut_front* front;  ///< for tests that need one
} crowd;

/// `size` squared is about the number of quads of a sheet.
crowd crowd_make(uint64_t seed, uint32_t size);
void crowd_free(crowd* c);

/// All queries over the crowd's bodies, compared with the oracle; returns the number of pairs.
size_t crowd_check(const crowd* c, const abut_collide_def* def);

#endif  // ABUT_TESTS_SUPPORT_CROWD_H
