// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Measures how large coordinates may grow before triangles that are apart at rest could touch: the
// numbers of a certificate (proof in bound/certificate.h) for all pairs of triangles within a
// block, or between two, that share no class. Units are those of bound/cluster.h.
#ifndef ABUT_BOUND_SEPARATION_H
#define ABUT_BOUND_SEPARATION_H

#include "bound/cluster.h"
#include "simd/kernels.h"

#define ABUT__SET_VERTICES (2 * ABUT__BLOCK_VERTICES)
#define ABUT__SUBSET 6u  // triangles in a subset, compared together first
#define ABUT__SUBSETS ((uint32_t)ABUT__BLOCK_TRIANGLES / ABUT__SUBSET)
static inline uint32_t abut__subset_count(const abut__block* block) {
    return (block->triangle_count + ABUT__SUBSET - 1) / ABUT__SUBSET;
}

// An order of the triangles of a block that keeps near ones together: subsets are runs of it.
typedef struct abut__lane_order {
    uint8_t lane[ABUT__BLOCK_TRIANGLES];
} abut__lane_order;
abut__lane_order abut__lane_order_make(const abut_mesh* mesh, const abut__block* block);

// A block with the sketches of its subsets.
typedef struct abut__set_block {
    const abut__block* block;
    const abut__lane_order* order;
    const abut__sketch* subsets;
    const double (*displacements)[3];  // of its vertices by the set's fields, or NULL: not known
} abut__set_block;

// The vertices of a subset.
typedef struct abut__hull {
    uint32_t count;
    uint8_t vertex[ABUT__HULL];
} abut__hull;

// One block or two, with the results of the measurement.
typedef struct abut__separation {
    const abut_context* context;
    uint32_t room;          // number of fields with memory
    float* floats;          // all float arrays below
    double* residual_size;  // [5][stride]: greatest residuals, greatest terms in them, and room
    const abut__units* units;
    const abut__cluster* cluster;
    const float* map;  // maps of the cluster, as in its sketch
    uint32_t stride;
    uint32_t vertex_count;
    uint32_t triangle_count[2];
    uint8_t corner[2][ABUT__BLOCK_TRIANGLES][3];
    uint32_t vertex[ABUT__SET_VERTICES];
    uint32_t class_id[ABUT__SET_VERTICES];
    double position[ABUT__SET_VERTICES][3];  // in true units
    double radius;
    double unit;      // factor from true lengths to units of the set
    float* residual;  // [vertex][3][stride], in units of `factor` and `radius`
    float* factor;
    abut__hull hull[2][ABUT__SUBSETS];
    const abut__place* place[2][ABUT__SUBSETS];
    float* boxes;  // of the residuals of subsets: see residual_boxes
    abut__eight_triangles triangles[2][ABUT__SUBSETS];
    // The results:
    double gap;  // least separation of a pair, in true units; 0: unknown; INFINITY: there is no
                 // pair
    abut__limits limits;
} abut__separation;

bool abut__separation_make(const abut_context* context, uint32_t fields, abut__separation* made);
void abut__separation_free(abut__separation* s);

// Starts with limits of 0, in memory for four strides of fields. Limits are good enough from the
// start if they let all fields together move the shape by a good part of its size. Weights have no
// limits of strain.
abut__limits abut__limits_start(float* memory, const abut__cluster* cluster, float slack_full,
                                float slack_strain);

// Starts a set of one block or two, whose vertices the cluster sums up.
void abut__separation_begin(abut__separation* s, const abut__units* units,
                            const abut__cluster* cluster, const float* map,
                            const abut__set_block block[2], double (*displacement)[3]);
// Computes `gap` and `limits`.
void abut__separation_measure(abut__separation* s);

// Finds a direction that separates two triangles well, and lower bounds of the distances along it
// between all pairs of corners. False: it found none, they may touch.
bool abut__separate(const double s[3][3], const double t[3][3], double distance[9]);

#endif
