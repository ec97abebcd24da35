// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The shortest way out of a region: directions that are worth trying, and how far each needs.
#ifndef ABUT_DEPTH_ESCAPE_H
#define ABUT_DEPTH_ESCAPE_H

#include "base/memory.h"
#include "depth/passage.h"

struct abut__shadow;

typedef ABUT__VECTOR(double[3]) abut__escape_points;

// A point of a connected piece that is wholly inside the other body: where it is, all of the piece is.
typedef struct abut__escape_piece {
    int side;
    double point[3];
} abut__escape_piece;

// A region as numbers. Of each body the triangles, and the points that are in the other one: inside vertices
// and points where the surfaces cross.
typedef struct abut__escape {
    const abut_context* context;
    ABUT__VECTOR(double[3][3]) triangles[2];
    abut__escape_points points[2];            // vertices first
    size_t vertex_count[2];                   // of the points
    ABUT__VECTOR(abut__escape_piece) pieces;  // of those that are wholly inside
    bool all[2];                              // triangles and points are those of the whole body
    bool contained;                           // there is nothing but such pieces: nothing crosses
    double grain;                             // what shifts may be off by
    ABUT__VECTOR(abut__passage) passages;
    ABUT__VECTOR(struct abut__shadow) shadows;  // the extents of triangles
} abut__escape;

typedef struct abut__way {
    double direction[3];
    double width;  // of what overlaps, along the direction
} abut__way;

enum { ABUT__WAYS = 6 };

// Whether a piece of a side is wholly inside.
static inline bool abut__escape_has_piece(const abut__escape* e, int side) {
    bool found = false;
    for (size_t i = 0; i < e->pieces.count && !found; ++i) {
        found = e->pieces.data[i].side == side;
    }
    return found;
}

// The way that the surfaces themselves point out, turned until it is narrowest: for most regions that is the
// best one. False: they point nowhere.
bool abut__escape_first(const abut__escape* e, abut__way* way);
// The width of what overlaps along a direction; INFINITY: it leads through rather than out.
double abut__escape_width(const abut__escape* e, const double direction[3]);
// A way that was found in the last call, or (`turn`) one near it that is narrower now.
void abut__escape_follow(const abut__escape* e, const double last[3], bool turn, abut__way* way);
// Where the surfaces of both point, away from b and into a; `outward` is 1 if normals point out, or -1.
void abut__escape_out(const abut__escape* e, int outward, double out[3]);
// The best ways by the width of what overlaps, narrowest first. Returns their number.
uint32_t abut__escape_ways(const abut__escape* e, abut__way ways[ABUT__WAYS]);

// Whether what is inside is out after a shift along a direction, and not farther in.
typedef bool (*abut__escape_test)(const void* user, const double direction[3], double shift);
// The same for regions in several places, where the width of all says nothing: the shortest ways by
// what triangles need (see abut__escape_shift) that pass the test. False: no memory.
bool abut__escape_gaps(abut__escape* e, abut__escape_test is_out, const void* user,
                       abut__way ways[ABUT__WAYS], uint32_t* count);

// The shortest shift of a along a direction with which no triangle of a touches one of b any more, as far as
// plain doubles tell; INFINITY if it is above `limit`. False: no memory.
bool abut__escape_shift(abut__escape* e, const double direction[3], double limit, double* shift);
// The shift with which a plane across the direction parts all triangles.
double abut__escape_apart(const abut__escape* e, const double direction[3]);
// The point of a body that is farthest along a direction, of those in the other one.
void abut__escape_deepest(const abut__escape* e, int side, const double direction[3],
                          double out[3]);

void abut__escape_free(abut__escape* e);

#endif
