// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Groups pairs of triangles that touch, and what lies inside, into regions: two closed surfaces, or
// one with itself. Based on: Sud, Govindaraju, Gayle, Kabul, Manocha, "Fast Proximity Computation
// Among Deformable Models Using Discrete Voronoi Diagrams", 2006, section 3.4.
#ifndef ABUT_DEPTH_REGIONS_H
#define ABUT_DEPTH_REGIONS_H

#include "abut/depth.h"
#include "query/query.h"

// The state of a connected piece of a body.
typedef enum abut__depth_piece {
    ABUT__PIECE_OUTSIDE,  // touches nothing, and is outside
    ABUT__PIECE_TOUCHES,  // has a triangle that touches the other surface
    ABUT__PIECE_INSIDE,   // touches nothing, and is wholly inside
} abut__depth_piece;

typedef struct abut__depth_place {
    uint32_t stamp;
    uint32_t number;
} abut__depth_place;

typedef struct abut__depth_triangle {
    uint32_t id;
    uint32_t corner[3];  // numbers of vertices
    uint32_t region;
    bool cut;           // touches the other surface; otherwise it is wholly inside
    bool piece_inside;  // its piece touches nothing: the region has all of the other body, too
    uint8_t crossed;    // bit c: the edge that begins at corner c touches the other surface
} abut__depth_triangle;

typedef struct abut__depth_vertex {
    uint32_t id;
    double p[3];  // in the world
    bool inside;  // or on the surface
} abut__depth_vertex;

// One of the two bodies: its triangles and vertices in regions, numbered in the order of discovery.
typedef struct abut__depth_side {
    const abut__body* body;
    const abut__topology* topology;
    // by triangle, and by vertex class: the number in the lists below, if the stamp is current
    ABUT__VECTOR(abut__depth_place) triangle_place;
    ABUT__VECTOR(abut__depth_place) vertex_place;
    ABUT__VECTOR(abut__depth_piece) pieces;  // by piece; empty: none is wholly inside
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
    abut__uint32s pair_of;  // the region of each pair
    ABUT__VECTOR(abut_intersection)
    shared;  // where the triangles of each pair intersect, in plain doubles
    uint32_t count;
    bool alone;     // all regions are of pieces that are wholly inside,
    bool together;  // and this was asked for
    bool kept;      // the last search found the same regions, of the same triangles
    bool within;    // both sides are of one body
    int outward;    // if `within`: 1 if its normals point out, or -1
    abut_counters* counters;
} abut__regions;

// Finds the regions of pairs (body a's triangle first). Then finds a region for each piece of one
// body that touches nothing and is inside the other, those of a first. With `together` all are one
// region. `kinds` receives the kind of each. Where nothing touches and the same pieces are wholly
// inside as in the last search, all lists are kept and vertices get their new positions; set `alone` to
// false if the bodies or their shapes are others.
abut_status abut__regions_find(abut__regions* regions, const abut_pair* pairs, size_t count,
                               bool together, abut__region_kinds* kinds);
// Finds the parts of one body that are inside itself, from pairs of its triangles, and puts them on
// side 0: triangles that touch others, and those that are wholly inside. A region here is a patch:
// a connected part of the surface.
abut_status abut__patches_find(abut__regions* regions, const abut_pair* pairs, size_t count);
void abut__regions_free(abut__regions* regions);

// Starts a new search, without triangles.
abut_status abut__regions_begin(abut__regions* regions);
// Adds a triangle to a side if it is new. `inside`: it is known to be wholly inside; otherwise its
// vertices are still to be classified. False: no memory.
bool abut__regions_add(abut__regions* regions, int side, uint32_t id, bool cut, bool inside,
                       uint32_t* number);

static inline uint32_t abut__depth_number(const abut__depth_side* side, uint32_t triangle) {
    return side->triangle_place.data[triangle].number;
}

#endif
