// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Decides which findings of a world count. Rules put the others aside, and these are counted.
//
// Queries for pairs of triangles use a filter, so that all outputs see only pairs that count. A second
// query with the opposite filter finds the pairs to be counted; together both test each pair once.
// Regions, distances and bodies inside others are removed from the answers of the world.
#ifndef CLI_GATE_SIEVE_H
#define CLI_GATE_SIEVE_H

#include "cli/gate/baseline.h"
#include "cli/gate/rules.h"
#include "cli/object.h"

typedef struct sieve sieve;

/// What decides. All of it is borrowed, and shared by the sieves of several worlds.
typedef struct sieve_def {
    const rules* rules;
    const rule_sides* sides;     ///< of the bodies
    const object_list* objects;  ///< of the world, with the names of their triangles
    const char* const* labels;   ///< of the bodies
    const char* const* nodes;    ///< of the bodies; empty where there is none
    bool identifies;             ///< there is a baseline, or one is to be written,
    bool by_component;           ///< of components instead of triangles
    const baseline* known;       ///< NULL: nothing is known
} sieve_def;

/// Puts a sieve on a world: its queries for pairs of triangles find only what counts.
sieve* sieve_open(world* w, const sieve_def* def);
/// `s` may be NULL.
void sieve_close(sieve* s);

/// Computes the identities of bodies that are new or have changed. Call it before the queries.
void sieve_prepare(sieve* s);
/// Sets what is known, after sieve_open().
void sieve_learn(sieve* s, const baseline* known);

/// Removes what does not count from the answers of the last queries, and fills `aside` of the world.
/// False after an error message.
bool sieve_ask(sieve* s, const question* q, abut_counters* work);

/// Adds to a baseline what counts in the last answers.
void sieve_keep(const sieve* s, const question* q, baseline* to);
/// The keys of what the baseline has in the last answers.
const uint64_t* sieve_known(const sieve* s, size_t* count);

#endif
