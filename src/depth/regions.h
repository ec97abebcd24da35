// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Where two closed surfaces are in each other: from pairs of triangles that touch to regions, by a walk
// over what is inside. Based on: Sud, Govindaraju, Gayle, Kabul, Manocha, "Fast Proximity Computation
// Among Deformable Models Using Discrete Voronoi Diagrams", 2006, section 3.4.
#ifndef ABUT_DEPTH_REGIONS_H
#define ABUT_DEPTH_REGIONS_H

#include "abut/depth.h"
#include "query/query.h"

// What is known of a connected piece of a body.
typedef enum abut__depth_piece {
    ABUT__PIECE_APART,    // it touches nothing, and is outside
    ABUT__PIECE_TOUCHES,  // a triangle of it touches the other surface
    ABUT__PIECE_WHOLE,    // it touches nothing, and is wholly inside
} abut__depth_piece;

typedef struct abut__depth_place {
    uint32_t stamp;
    uint32_t number;
} abut__depth_place;

typedef struct abut__depth_triangle {
    uint32_t id;
    uint32_t corner[3];  // numbers of vertices
    uint32_t region;
    bool cut;         // it touches the other surface; otherwise it is wholly inside
    bool whole;       // so is its whole piece: the region has all of the other body, too
    uint8_t crossed;  // bit c: the edge from corner c on touches the other surface
} abut__depth_triangle;

typedef struct abut__depth_vertex {
    uint32_t id;
    double p[3];  // in the world
    bool inside;  // or on the surface
} abut__depth_vertex;

// One of the two bodies: what of it is in play, numbered in the order it was found.
typedef struct abut__depth_side {
    const abut__body* body;
    const abut__topology* topology;
    // by triangle, and by class: number + 1 in the lists below, if the stamp is the present one
    ABUT__VECTOR(abut__depth_place) triangle_place;
    ABUT__VECTOR(abut__depth_place) vertex_place;
    ABUT__VECTOR(abut__depth_piece) pieces;  // by piece; empty: no piece is inside
    ABUT__VECTOR(abut__depth_triangle) triangles;
    ABUT__VECTOR(abut__depth_vertex) vertices;
} abut__depth_side;

typedef ABUT__VECTOR(abut_region_kind) abut__region_kinds;

typedef struct abut__regions {
    const abut_context* context;
    abut__depth_side side[2];
    uint32_t stamp;
    abut__uint32s parent;  // union-find over triangles, those of a first
    abut__uint32s stack;
    abut__uint32s pair_of;  // the region of every pair
    ABUT__VECTOR(abut_intersection)
    shared;  // where the triangles of every pair meet, in plain doubles
    uint32_t count;
    bool within;  // both sides are of one body
    int outward;  // then: 1 if its normals point out, or -1
    abut_counters* counters;
} abut__regions;

// Finds regions from pairs (body a's triangle first), and then those of pieces of one body that touch nothing and are
// inside the other, each by itself, those of a first. With `together` all are one. `kinds` receives what they are.
abut_status abut__regions_find(abut__regions* regions, const abut_pair* pairs, size_t count,
                               bool together, abut__region_kinds* kinds);
// Finds what of one body is in itself, from pairs of its triangles, and puts it on side 0: triangles that touch
// others, and those that are wholly inside. A region here is a patch: what hangs together on the surface.
abut_status abut__patches_find(abut__regions* regions, const abut_pair* pairs, size_t count);
void abut__regions_free(abut__regions* regions);

// Begins anew, with no triangle.
abut_status abut__regions_begin(abut__regions* regions);
// Adds a triangle to a side if it is new; `inside`: known to be wholly so, otherwise its vertices are to be
// asked. False: no memory.
bool abut__regions_add(abut__regions* regions, int side, uint32_t id, bool cut, bool inside,
                       uint32_t* number);

static inline uint32_t abut__depth_number(const abut__depth_side* side, uint32_t triangle) {
    return side->triangle_place.data[triangle].number;
}

#endif
