// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Peers of proximity queries: bodies of triangles, new positions each frame, bodies that come and go,
// and three questions whose answers are distances. Everything is double.
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
    const uint32_t* triangles;  ///< 3 vertex indices a triangle; sharing one makes neighbours
    const double* rest;
    bool moves;
} near_mesh;

typedef enum near_question {
    NEAR_PAIR,    ///< the distance of bodies 0 and 1: one number
    NEAR_BODIES,  ///< for every body that of its nearest other one; infinite where it is not there
    NEAR_WITHIN,  ///< for every triangle of body 0 that of the nearest one it shares no vertex with
} near_question;

/// A library in one way of using it. What is NULL it cannot do.
typedef struct near_kind {
    const char* name;
    void* (*create)(const near_mesh* meshes, uint32_t count);
    void (*destroy)(void* peer);
    /// Takes positions of all bodies (xyz[body]; NULL: it is not there, or it does not move and is
    /// there), and makes and drops what comes and goes: `there` says for every body whether it is.
    void (*update)(void* peer, const double* const* xyz, const bool* there);
    bool (*can)(near_question question);
    void (*ask)(void* peer, near_question question, double* distances);
    uint64_t (*tests)(void* peer);  ///< pairs of triangles measured in the last question
} near_kind;

extern const near_kind near_abut;          ///< trees, starting from the last step's answer
extern const near_kind near_abut_cold;     ///< trees, starting from nothing
extern const near_kind near_abut_voronoi;  ///< Voronoi culling
extern const near_kind near_aabb;          ///< a binary tree of boxes, as published
#ifdef BENCH_HAVE_FCL
extern const near_kind near_fcl_boxes;
extern const near_kind near_fcl_rebuild;
extern const near_kind near_fcl_refit;
extern const near_kind near_fcl_default;
#endif

#ifdef BENCH_HAVE_FCL
/// FCL on two rigid meshes, given a frame each: three rows of four numbers.
void* near_fcl_rigid_create(const near_mesh* meshes);
double near_fcl_rigid_ask(void* rigid, const double frames[2][12]);
void near_fcl_rigid_destroy(void* rigid);
#endif

/// Cells along the longest side of the grid for near_abut_voronoi; 0: chosen.
void near_set_cells(void* voronoi_peer, uint32_t cells);
#ifdef __cplusplus
}
#endif

#endif
