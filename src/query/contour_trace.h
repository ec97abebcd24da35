// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Internals of contours. Pairs of triangles give pieces, each between two nodes. A node is a place
// where a simplex of one surface meets a simplex of the other, and it is known by these two. A
// simplex is a vertex, an edge or a face that has the place inside. So pieces of neighbouring pairs
// meet in a node without a look at coordinates. Chains of pieces through nodes with two pieces each
// are contours.
//
//   contour_trace.c  the calls; from pairs to pieces
//   contour_chain.c  from pieces to contours
//   contour_ends.c   why a contour ends
#ifndef ABUT_QUERY_CONTOUR_TRACE_H
#define ABUT_QUERY_CONTOUR_TRACE_H

#include "abut/contour.h"
#include "base/sort.h"
#include "query/query.h"

// The end of a piece; also a place where triangles in one plane overlap, which belongs to no piece.
typedef struct abut__contour_place {
    uint64_t simplex[2];  // in the order of the pair; within a body in ascending order
    uint32_t piece;       // ABUT__NONE: of an overlap
    uint32_t end;
} abut__contour_place;

typedef struct abut__contour_piece {
    uint32_t pair;  // its number among the caller's pairs
    uint32_t node[2];
    uint8_t carrier[2][2];  // [end][side]: see exact/contact.h
    bool turned[2];         // the node of this end has the simplices in the opposite order
    int8_t direction;       // from end 0 to 1 along the cross product of normals: 1, -1; 0: none
    bool skip;              // an equal one comes before it, or it is in a contour already
    double position[2][3];
} abut__contour_piece;

typedef struct abut__contour_node {
    uint32_t first;  // its piece ends in `ends`
    uint32_t degree;
    uint32_t piece;  // gives the coordinates, by its end
    uint32_t end;
    bool in_area;
    bool pinched;  // within a body: both sheets have this vertex
} abut__contour_node;

// A step along a contour: a piece from end `from` to the other end.
typedef struct abut__contour_step {
    uint32_t piece;
    uint8_t from;
    bool swapped;  // sheet a of the contour is side b of the pair
} abut__contour_step;

struct abut_contour_result {
    const abut_context* context;
    ABUT__VECTOR(abut_contour) contours;
    ABUT__VECTOR(abut_contour_segment) segments;
    ABUT__VECTOR(abut_contour_point) points;
    // working memory, of two bodies at a time
    ABUT__VECTOR(abut__contour_place) places;
    ABUT__VECTOR(abut__contour_piece) pieces;
    ABUT__VECTOR(abut__contour_node) nodes;
    ABUT__VECTOR(uint32_t) ends;  // by node: 2 piece + end
    ABUT__VECTOR(abut__contour_step) steps;
    ABUT__VECTOR(abut__keyed) keys;
};

// Two bodies, or one with itself, and their pairs.
typedef struct abut__contour_run {
    const abut__body* body[2];
    bool self;
    bool in_shape;  // pairs are decided in the coordinates of the shapes
    const abut_pair* pairs;
    uint32_t pair_count;
    abut_contour_result* result;
} abut__contour_run;

// The corners of a simplex as one number: classes of vertices and edges, the number of a face.
uint64_t abut__contour_simplex(const abut_mesh* mesh, uint32_t triangle, uint32_t carrier);

// Chains result->pieces, whose ends are in result->places, and appends the contours.
abut_status abut__contour_chain(const abut__contour_run* run);

// Says why a contour ends at an end of a piece. False: no memory.
bool abut__contour_end_of(const abut__contour_run* run, abut__contour_step step, uint32_t end,
                          abut_contour_end* why);

#endif
