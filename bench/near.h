// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Peers of proximity queries: bodies of triangles, new positions each frame, bodies that appear and
// vanish, and three queries whose answers are distances. All numbers are double.
#ifndef BENCH_NEAR_H
#define BENCH_NEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One body. The arrays outlive the peer.
typedef struct near_mesh {
    uint32_t vertex_count;
    uint32_t triangle_count;
    const uint32_t* triangles;  ///< 3 vertex indices per triangle; triangles that share one are
                                ///< neighbours
    const double* rest;
    bool moves;
} near_mesh;

typedef enum near_question {
    NEAR_PAIR,    ///< the distance of bodies 0 and 1: one number
    NEAR_BODIES,  ///< for every body, the distance of its nearest other one; infinite if it is
                  ///< absent
    NEAR_WITHIN,  ///< for every triangle of body 0, that of the nearest one that shares no vertex
                  ///< with it
    NEAR_BOTH,    ///< NEAR_BODIES, then NEAR_WITHIN for every body that moves; infinite if it is
                  ///< absent
} near_question;

/// A library in one way of use. NULL functions are not supported.
typedef struct near_kind {
    const char* name;
    void* (*create)(const near_mesh* meshes, uint32_t count);
    void (*destroy)(void* peer);
    /// Takes positions of all bodies (xyz[body]; NULL: absent, or present but not moving), and
    /// makes and drops bodies: `there` says which are present.
    void (*update)(void* peer, const double* const* xyz, const bool* there);
    bool (*can)(near_question question);
    void (*ask)(void* peer, near_question question, double* distances);
    uint64_t (*tests)(void* peer);  ///< pairs of triangles measured in the last query
    /// Pairs of triangles that culling left, and those of them that the bounds of pairs left.
    uint64_t (*pairs)(void* peer);
    uint64_t (*bounded)(void* peer);
    /// Bodies made so far, and those of them for which a tree was built.
    void (*made)(void* peer, uint64_t* bodies, uint64_t* trees);
} near_kind;

/// Returns the number of distances that a question asks for.
static inline size_t near_answers(near_question question, const near_mesh* meshes, uint32_t count) {
    size_t answers = question == NEAR_PAIR     ? 1
                     : question == NEAR_WITHIN ? meshes[0].triangle_count
                                               : count;
    for (uint32_t i = 0; i < count && question == NEAR_BOTH; ++i) {
        answers += meshes[i].moves ? meshes[i].triangle_count : 0;
    }
    return answers;
}

extern const near_kind near_abut;          ///< trees, starting from the answer of the last step
extern const near_kind near_abut_cold;     ///< trees, starting from nothing
extern const near_kind near_abut_voronoi;  ///< Voronoi culling
extern const near_kind near_aabb;          ///< a binary tree of boxes, as published
#ifdef BENCH_HAVE_FCL
extern const near_kind near_fcl_boxes;
extern const near_kind near_fcl_rebuild;
extern const near_kind near_fcl_refit;
extern const near_kind near_fcl_default;
#endif

/// The volumes of FCL's trees for rigid meshes.
typedef enum near_volume { NEAR_RSS, NEAR_OBBRSS } near_volume;

#ifdef BENCH_HAVE_FCL
/// FCL on two rigid meshes, with a frame each: three rows of four numbers.
void* near_fcl_rigid_create(const near_mesh* meshes, near_volume volume);
double near_fcl_rigid_ask(void* rigid, const double frames[2][12]);
/// Finds all pairs of triangles that touch; returns their number.
size_t near_fcl_rigid_collide(void* rigid, const double frames[2][12]);
/// Writes the triangles of the pairs that were found last, in any order.
void near_fcl_rigid_pairs(const void* rigid, uint32_t (*pairs)[2]);
void near_fcl_rigid_destroy(void* rigid);
#endif

/// Sets the cells along the longest side of the grid for near_abut_voronoi; 0: automatic.
void near_set_cells(void* voronoi_peer, uint32_t cells);
#ifdef __cplusplus
}
#endif

#endif
