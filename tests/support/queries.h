// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Closed bodies of all motions that overlap, and all queries about them by number, for tests that
// loop over all queries.

#ifndef ABUT_TESTS_SUPPORT_QUERIES_H
#define ABUT_TESTS_SUPPORT_QUERIES_H

#include "support/skin.h"

enum { ZOO_FREE, ZOO_MODAL, ZOO_BLEND, ZOO_FLIGHT, ZOO_OTHER_FLIGHT, ZOO_BODIES };
#define ZOO_KEYS 3u

/// The bodies, and what their shapes borrow.
typedef struct zoo {
    world world;
    abut_body_id body[ZOO_BODIES];
    surface rest[ZOO_BODIES];
    surface key[ZOO_BODIES][ZOO_KEYS];  ///< of flight bodies
    field_set fields;
    skin skin;
    test_random random;
} zoo;

/// Makes balls of so many rings and sets two states. Both defs may be NULL.
void zoo_open(zoo* z, uint64_t seed, uint32_t rings, const abut_context_def* context_def,
              const abut_scene_def* scene_def);
void zoo_close(zoo* z);
/// Sets another state of every body; time is in 0 .. 2.
void zoo_move(zoo* z, double time);

/// The results that queries write to.
typedef struct tools {
    abut_context* context;
    abut_collide_result* result;
    abut_sweep_result* swept;
    abut_intervals_result* intervals;
    abut_proxies_result* proxies;
    abut_contains_result* sides;
    abut_nearest_result* nearest;
    abut_within_result* within;
    abut_features_result* features;
    abut_cast_result* cast;
} tools;
bool tools_make(tools* t, abut_context* context);
void tools_free(tools* t);

enum { PAIR_QUERIES = 11, BODY_QUERIES = 9, SCENE_QUERIES = 13 };
enum {
    BODY_PAIRS = ZOO_BODIES * (ZOO_BODIES - 1),
    ALL_QUERIES = PAIR_QUERIES * BODY_PAIRS + BODY_QUERIES * ZOO_BODIES + SCENE_QUERIES
};
/// Runs a query, by its number, about the scene, one body or two bodies. Returns a hash of the
/// answer. It does not use cmocka, so any thread may call it.
uint64_t query_one(const zoo* z, uint32_t query, tools* t);

#endif  // ABUT_TESTS_SUPPORT_QUERIES_H
