// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A scene whose frames are used as keyframes, with any number of frames between two of them, in one
// of several ways: as flight bodies, or as free ones that get all their positions.
#ifndef BENCH_KEYED_H
#define BENCH_KEYED_H

#include "bench/bench.h"
#include "bench/leaves.h"
#include "body/kinetic_stats.h"
#include "scenes/scenes.h"

#include <abut/abut.h>

/// Keyframes of the bodies that move, in float: key k is at time k.
typedef struct keyframes keyframes;

typedef enum keyed_way {
    KEYED_FLIGHT,          ///< only the time is set; the library chooses the bounds
    KEYED_LINEAR,          ///< the same with interpolated boxes of keyframes,
    KEYED_KINETIC,         ///< with a kinetic AABB tree,
    KEYED_BOXTREE,         ///< or with a kinetic BoxTree
    KEYED_LERP,            ///< all vertices are interpolated in float, fast, and borrowed
    KEYED_EXACT,           ///< all vertices by the documented formula in double: the reference
    KEYED_LISTED,          ///< only the time is set, and queries use a front
    KEYED_KINETIC_LISTED,  ///< the same with a kinetic AABB tree, on whose boxes the lists are
    KEYED_SINGLE,          ///< a kinetic AABB tree of the first body, event by event; no queries
    KEYED_BINARY,  ///< the same as published, with two children a node and one triangle a leaf
} keyed_way;

typedef struct keyed keyed;

/// Takes frames `first` .. `first` + `count` - 1 of a scene, which must outlive them. `alone`: only
/// the first body.
keyframes* keyframes_create(const scene* s, uint32_t first, uint32_t count, bool alone);
void keyframes_destroy(keyframes* keys);
uint32_t keyframes_count(const keyframes* keys);

/// Makes bodies without any cached data, at the first key. The keyframes must outlive them.
keyed* keyed_create(const keyframes* keys, keyed_way way);
void keyed_destroy(keyed* k);

/// Sets the states of all bodies to part `step` / `steps` of the segment from key `key` to the
/// next.
void keyed_update(keyed* k, uint32_t key, uint32_t step, uint32_t steps);
/// Computes the boxes of all tree nodes of the first body, which queries compute on demand. Free
/// bodies have them all already.
void keyed_bound(const keyed* k);
/// Finds all pairs between bodies.
void keyed_collide(keyed* k);
/// The same without the exact tests, which a filter skips: the cost of trees and boxes.
void keyed_approach(keyed* k);

/// Finds the pairs of blocks whose boxes overlap, and nothing else: by kinetic lists (`listed`)
/// where only the time is set, by traversals from the roots otherwise.
void keyed_leaves(keyed* k, bool listed);
/// Returns whether both have the same pairs of blocks, except for pairs that do not overlap in the
/// reference.
bool keyed_leaves_agree(const keyed* ours, const keyed* exact);
leaves_counts keyed_leaves_counted(const keyed* k);

const abut_pair* keyed_pairs(const keyed* k, size_t* count);
/// Returns whether the boxes of all bodies contain their vertices.
bool keyed_is_sound(const keyed* k);
/// Returns the kind of bound of the first body, which is not free, and its statistics.
void keyed_stats(const keyed* k, abut__kinetic_stats* stats);
/// The counts of all queries so far; may be zeroed.
abut_counters* keyed_counters(keyed* k);

#endif
