// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The broad part of a query: which blocks of two bodies overlap, found from the roots, or kept by
// kinetic separation lists.
#ifndef BENCH_LEAVES_H
#define BENCH_LEAVES_H

#include <abut/abut.h>

#include <stdbool.h>
#include <stddef.h>

/// All pairs of bodies of a scene that are not both static.
typedef struct leaves leaves;

typedef struct leaves_counts {
    double entries;  ///< where the traversals end, summed over the times asked
    double pairs;    ///< of blocks that overlap, likewise
    double events;
    double looked;  ///< opened pairs of nodes that were looked at
} leaves_counts;

/// With `listed` there is a kinetic list for each pair of bodies.
leaves* leaves_create(abut_scene* scene, bool listed);
void leaves_destroy(leaves* l);
/// Brings them to the present; the pairs of blocks are known then.
void leaves_update(leaves* l);
leaves_counts leaves_counted(const leaves* l);

/// Whether both have the same pairs of blocks, but for those of ours whose boxes do not overlap in the
/// exact scene, whose bodies are the same at the same time.
bool leaves_agree(const leaves* ours, const leaves* exact);

#endif
