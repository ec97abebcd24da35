// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The claims of bodies that nothing under a node, or between two blocks, touches, and the check
// that they are true.

#ifndef ABUT_TESTS_SUPPORT_CLAIMS_H
#define ABUT_TESTS_SUPPORT_CLAIMS_H

#include "scene/scene.h"
#include "support/memory.h"
#include "support/world.h"

/// Whether certificates claim it, or the motion, if it has no certificates.
bool apart(const world* w, abut_body_id id, abut__ref ref);
/// Whether the motion claims it, by certificates or by normals.
bool proven_apart(const world* w, abut_body_id id, abut__ref ref);
bool blocks_certified(const world* w, abut_body_id id, uint32_t a, uint32_t b);
/// Whether certificates claim that nothing under one node touches what is under another.
bool nodes_certified(const world* w, abut_body_id id, uint32_t a, uint32_t b);
/// The block of each triangle.
uint32_t* blocks_of_triangles(const abut_shape* shape);
bool is_above(const abut__tree* tree, uint32_t node, uint32_t block);
/// Makes the certificates. Fails if a claim covers a pair that brute force finds, or if the query
/// misses one. Returns the number of pairs.
size_t check_claims(const world* w, abut_body_id id);
/// Makes certificates while allocation `call` fails; they are missing exactly if it was needed.
/// True if it was.
bool certificates_lack_memory(const world* w, abut_body_id id, test_memory* memory, size_t call);
/// The counters of a self query whose answer is checked.
abut_counters counters_of(const world* w, abut_body_id body);

/// Two parallel sheets of 2 n^2 triangles, slightly shifted against each other.
surface two_sheets(uint32_t n, double gap);
/// A ball, a sheet or a soup, by `which`.
surface random_surface(test_random* random, uint32_t which);

#endif  // ABUT_TESTS_SUPPORT_CLAIMS_H
