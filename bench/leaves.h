// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The broad phase of a query: the pairs of blocks of two bodies that overlap, found by traversals
// from the roots, or by kinetic separation lists.
#ifndef BENCH_LEAVES_H
#define BENCH_LEAVES_H

#include <abut/abut.h>

#include <stdbool.h>
#include <stddef.h>

/// All pairs of bodies of a scene that are not both static.
typedef struct leaves leaves;

typedef struct leaves_counts {
    double entries;  ///< ends of traversals, summed over the updates
    double pairs;    ///< of blocks that overlap, likewise
    double events;
    double looked;   ///< opened pairs of nodes that were visited,
    double changed;  ///< and those visited because a kinetic tree changed boxes
} leaves_counts;

/// `listed`: uses a kinetic list for each pair of bodies.
leaves* leaves_create(abut_scene* scene, bool listed);
void leaves_destroy(leaves* l);
/// Updates to the current state; then the pairs of blocks are available.
void leaves_update(leaves* l);
leaves_counts leaves_counted(const leaves* l);

/// Returns whether both have the same pairs of blocks, except for pairs of ours whose boxes do not
/// overlap in the exact scene. Its bodies must be the same at the same time.
bool leaves_agree(const leaves* ours, const leaves* exact);

#endif
