// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two closed bodies with positions in double: whether they touch, how deep they are inside each
// other, whether a translation separates them, and what the depth costs.
#ifndef BENCH_COUPLE_H
#define BENCH_COUPLE_H

#include "bench/bench.h"
#include "peers/vector.h"

#include <abut/abut.h>

typedef struct couple {
    abut_context* context;
    abut_scene* scene;
    abut_collide_result* result;
    abut_contains_result* sides;
    abut_depth_result* depths;
    abut_body_id body[2];
    vector_mesh mesh[2];  ///< with positions that the couple owns
    double* xyz[2];       ///< the same positions
} couple;

/// Makes two bodies. Positions are copied; triangles must outlive the couple.
void couple_open(couple* c, const vector_mesh mesh[2]);
void couple_close(couple* c);

bool couple_touches(couple* c);
/// Moves the first and returns whether the two are separated: neither touching nor inside.
bool couple_separates(couple* c, const double translation[3]);

/// What a comparison of costs found beside the row.
typedef struct couple_cost {
    size_t pairs;
    size_t regions;
    double depth;     ///< of the first region; 0: there is none
    double lower;     ///< bound of it
    double first_ms;  ///< the first depth, which starts from nothing
} couple_cost;

/// Fills the times, the ratio, the counters and the answer of a row: finding the pairs over the
/// depth. The answer is right if the translation separates the two; with several regions it is not
/// tried.
couple_cost couple_measure(couple* c, bool quick, bench_row* row);

/// Ends the process if a call of the library failed.
void couple_need(abut_status status);

#endif
