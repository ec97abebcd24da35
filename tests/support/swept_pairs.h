// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The oracle of sweeps: every vertex with every face and every two edges, one pair at a time
// (test_sweep_exact tests the function for one pair). The corners are snapshots of the public
// positions, before and after the step.
#ifndef ABUT_TESTS_SUPPORT_SWEPT_PAIRS_H
#define ABUT_TESTS_SUPPORT_SWEPT_PAIRS_H

#include "support/everywhere.h"
#include "support/world.h"

typedef struct swept_list {
    abut_sweep_pair* pairs;
    size_t count;
    size_t room;
} swept_list;

// a body at both ends of a step
typedef struct snapshot {
    abut_body_id body;
    const surface* s;
    double* xyz[2];
    const uint32_t* classes;  // of vertices; equal ones are the same vertex
    uint32_t (*edges)[2];
    uint32_t* edge_triangle;
    uint32_t* vertex_triangle;
    uint32_t edge_count;
    const double* thick;  // of each vertex; NULL: 0
} snapshot;

/// The body with its edges, and its positions at one end of the step.
snapshot snapshot_make(abut_body_id body, const surface* s);
void snapshot_take(const world* w, snapshot* p, int end, bool in_world);
void snapshot_free(snapshot* p);
/// The thickness of what some vertices span.
double snapshot_thickness(const snapshot* p, const uint32_t* vertices, uint32_t count);
/// All contacts, at the margin plus both thicknesses; the caller frees `pairs`.
swept_list all_pairs(const snapshot* a, const snapshot* b, double margin);
/// Requires that the result has these contacts with the same bits. Sorts `wanted`.
void require_swept(const abut_sweep_result* result, swept_list* wanted);
/// Runs abut_sweep_all() and requires more than `least` contacts, and the contacts and counters of
/// the first run.
void require_same_sweep(const world* w, abut_sweep_def def, size_t least, reference* pairs,
                        reference* work);
/// Runs the query, compares it with all pairs and returns the number of contacts.
size_t check_pair(const world* w, const snapshot* a, const snapshot* b, const abut_sweep_def* def);

#endif  // ABUT_TESTS_SUPPORT_SWEPT_PAIRS_H
