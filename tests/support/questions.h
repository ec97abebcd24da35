// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Closed bodies of all motions that overlap, and every query about them by a number: for tests that loop
// over all queries.

#ifndef ABUT_TESTS_SUPPORT_QUESTIONS_H
#define ABUT_TESTS_SUPPORT_QUESTIONS_H

#include "support/skin.h"

enum { ZOO_FREE, ZOO_MODAL, ZOO_BLEND, ZOO_FLIGHT, ZOO_OTHER_FLIGHT, ZOO_BODIES };
#define ZOO_KEYS 3u

/// The bodies, and what their shapes borrow.
typedef struct zoo {
    world world;
    abut_body_id body[ZOO_BODIES];
    surface rest[ZOO_BODIES];
    surface key[ZOO_BODIES][ZOO_KEYS];  ///< of those in flight
    field_set fields;
    skin skin;
    test_random random;
} zoo;

/// Balls of so many rings; two states are set. Both defs may be NULL.
void zoo_open(zoo* z, uint64_t seed, uint32_t rings, const abut_context_def* context_def,
              const abut_scene_def* scene_def);
void zoo_close(zoo* z);
/// Sets another state of every body; time is in 0 .. 2.
void zoo_move(zoo* z, double time);

/// What queries write to.
typedef struct tools {
    abut_context* context;
    abut_collide_result* result;
    abut_sweep_result* swept;
    abut_intervals_result* intervals;
    abut_proxies_result* proxies;
    abut_contains_result* sides;
    abut_nearest_result* nearest;
    abut_within_result* within;
} tools;
bool tools_make(tools* t, abut_context* context);
void tools_free(tools* t);

enum { PAIR_QUESTIONS = 10, BODY_QUESTIONS = 7, SCENE_QUESTIONS = 10 };
enum {
    BODY_PAIRS = ZOO_BODIES * (ZOO_BODIES - 1),
    QUESTIONS = PAIR_QUESTIONS * BODY_PAIRS + BODY_QUESTIONS * ZOO_BODIES + SCENE_QUESTIONS
};
/// Asks one of all questions, about the scene, a body or two; returns a number for the answer. Uses
/// nothing of cmocka, so any thread may call it.
uint64_t ask_one(const zoo* z, uint32_t question, tools* t);

#endif  // ABUT_TESTS_SUPPORT_QUESTIONS_H
