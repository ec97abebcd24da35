// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How far fields may go before triangles that are apart at rest could touch: the numbers of a
// certificate (bound/certificate.h has the proof) for all pairs of triangles within a block, or
// between two, that share no class.
#ifndef ABUT_BOUND_SEPARATION_H
#define ABUT_BOUND_SEPARATION_H

#include "bound/affine.h"
#include "mesh/fields.h"
#include "simd/kernels.h"
#include "tree/tree.h"

#define ABUT__SET_VERTICES (2 * ABUT__BLOCK_VERTICES)
#define ABUT__SUBSET 6u  // triangles that are looked at together first
#define ABUT__SUBSETS ((uint32_t)ABUT__BLOCK_TRIANGLES / ABUT__SUBSET)

// The triangles of a block in an order that keeps near ones together.
typedef struct abut__lane_order {
    uint8_t lane[ABUT__BLOCK_TRIANGLES];
} abut__lane_order;

// One block or two, and what is found out about them. Fields are numbered as in the list given;
// arrays over fields have `stride` entries, a multiple of 8.
typedef struct abut__separation {
    const abut_context* context;
    uint32_t room;  // fields that there is memory for
    uint32_t stride;
    uint32_t field_count;
    uint32_t vertex_count;
    uint32_t triangle_count[2];
    uint8_t corner[2][ABUT__BLOCK_TRIANGLES][3];
    uint32_t class_id[ABUT__SET_VERTICES];
    double position[ABUT__SET_VERTICES][3];
    double* residual;  // [vertex][3][stride]
    double* scale;     // at least every residual, and every term in it
    double* subset;    // [2][subsets][4][stride]: middle and radius of the residuals
    double subset_box[2][ABUT__SUBSETS][2][3];
    double* work;  // [4][stride]
    // the answer
    double gap;  // the least width of what keeps a pair apart; 0: none is known; INFINITY: no pair
    double* full;    // per field: see certificate.h
    double* strain;  // per field
} abut__separation;

bool abut__separation_make(const abut_context* context, uint32_t fields, abut__separation* made);
void abut__separation_free(abut__separation* s);

abut__lane_order abut__lane_order_make(const abut_mesh* mesh, const abut__block* block);

// Starts a set of one block, or of two; vertex v of it is at s->position[v]; residuals are the
// caller's to fill in.
void abut__separation_begin(abut__separation* s, const abut_mesh* mesh,
                            const abut__block* const block[2],
                            const abut__lane_order* const order[2], uint32_t field_count);
static inline double* abut__separation_residual(const abut__separation* s, uint32_t vertex) {
    return s->residual + (size_t)vertex * 3 * s->stride;
}
// Finds gap, full and strain.
void abut__separation_measure(abut__separation* s);

// The direction that parts two triangles best, as lower bounds of the distances along it between
// all pairs of corners. False: none was found, they may touch.
bool abut__separate(const double s[3][3], const double t[3][3], double distance[9]);

#endif
