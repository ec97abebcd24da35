// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How far fields may go before triangles that are apart at rest could touch: the numbers of a
// certificate (bound/certificate.h has the proof) for all pairs of triangles within a block, or
// between two, that share no class. Units are those of bound/cluster.h.
#ifndef ABUT_BOUND_SEPARATION_H
#define ABUT_BOUND_SEPARATION_H

#include "bound/cluster.h"
#include "simd/kernels.h"

#define ABUT__SET_VERTICES (2 * ABUT__BLOCK_VERTICES)
#define ABUT__SUBSET 6u  // triangles that are looked at together first
#define ABUT__SUBSETS ((uint32_t)ABUT__BLOCK_TRIANGLES / ABUT__SUBSET)
static inline uint32_t abut__subset_count(const abut__block* block) {
    return (block->triangle_count + ABUT__SUBSET - 1) / ABUT__SUBSET;
}

// The triangles of a block in an order that keeps near ones together: subsets are runs of it.
typedef struct abut__lane_order {
    uint8_t lane[ABUT__BLOCK_TRIANGLES];
} abut__lane_order;
abut__lane_order abut__lane_order_make(const abut_mesh* mesh, const abut__block* block);

// A block, and what is known of its subsets.
typedef struct abut__set_block {
    const abut__block* block;
    const abut__lane_order* order;
    const abut__sketch* subsets;
} abut__set_block;

// The vertices of a subset.
typedef struct abut__hull {
    uint32_t count;
    uint8_t vertex[ABUT__HULL];
} abut__hull;

// One block or two, and what is found out about them.
typedef struct abut__separation {
    const abut_context* context;
    uint32_t room;          // fields that there is memory for
    float* floats;          // all arrays of floats below
    double* residual_size;  // [2][stride]: of residuals, and of the terms in them
    const abut__units* units;
    const abut__cluster* cluster;
    const float* map;  // its maps, as in its sketch
    uint32_t stride;
    uint32_t vertex_count;
    uint32_t triangle_count[2];
    uint8_t corner[2][ABUT__BLOCK_TRIANGLES][3];
    uint32_t vertex[ABUT__SET_VERTICES];
    uint32_t class_id[ABUT__SET_VERTICES];
    double position[ABUT__SET_VERTICES][3];  // as they are
    double radius;
    double unit;      // from true lengths to those of the set
    float* residual;  // [vertex][3][stride], in units of `factor` and `radius`
    float* factor;
    abut__hull hull[2][ABUT__SUBSETS];
    const abut__place* place[2][ABUT__SUBSETS];
    const float* rows[2][ABUT__SUBSETS];
    float* room_rows;
    // the answer
    double gap;  // the least width of what keeps a pair apart, in true units; 0: none is known;
                 // INFINITY: there is no pair
    abut__limits limits;
} abut__separation;

bool abut__separation_make(const abut_context* context, uint32_t fields, abut__separation* made);
void abut__separation_free(abut__separation* s);

// Limits of nothing, in memory for four strides of fields. Good enough from the start is what lets
// all fields together move the shape by a good part of its size. Weights have no limits of
// strain.
abut__limits abut__limits_start(float* memory, const abut__cluster* cluster, float slack_full,
                                float slack_strain);

// Starts a set of one block, or of two, whose vertices the cluster sums up.
void abut__separation_begin(abut__separation* s, const abut__units* units,
                            const abut__cluster* cluster, const float* map,
                            const abut__set_block block[2], double (*displacement)[3]);
// Finds gap and limits.
void abut__separation_measure(abut__separation* s);

// The direction that parts two triangles best, as lower bounds of the distances along it between
// all pairs of corners. False: none was found, they may touch.
bool abut__separate(const double s[3][3], const double t[3][3], double distance[9]);

#endif
