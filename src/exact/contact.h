// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The intersection of two triangles before rounding: the corners of a convex set. Each is a corner
// of a triangle, or the point where an edge crosses a plane or, within one plane, a line.
#ifndef ABUT_EXACT_CONTACT_H
#define ABUT_EXACT_CONTACT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct abut__contact_point {
    const double* corner;   // the point itself, or NULL if it is the crossing
    const double* edge[2];  // of this edge, strictly between its ends, with
    const double* face[3];  // the plane of these if axis < 0; else, projected along the axis,
    int axis;               // the line of the first two
    uint32_t lines;  // in one plane: the lines of edges p0p1 p1p2 p2p0 q0q1 ... through it, as bits
    uint8_t
        carrier[2];  // of p and of q: the corners, as bits, of the vertex, edge or face that has
                     // the point inside; 0 if that triangle has no area
} abut__contact_point;

typedef struct abut__contact {
    uint32_t count;  // 0: nothing, 1: a point, 2: a segment, 3 to 6: a polygon, in order around it
    int direction;  // of a segment along the cross product of the normals of p and q: 1 or -1; 0 if
                    // the planes do not cross
    abut__contact_point point[6];
} abut__contact;

// The resulting points refer to p and q, which must outlive them.
void abut__triangles_contact(const double p[3][3], const double q[3][3], abut__contact* out);

// Computes the coordinates of a crossing, rounded as stated at abut_intersection.
void abut__crossing_round(const abut__contact_point* x, double out[3]);

// Tells exactly whether a crossing is on the segment from a to b, which may be equal.
bool abut__crossing_on_segment(const abut__contact_point* x, const double a[3], const double b[3]);

#endif
