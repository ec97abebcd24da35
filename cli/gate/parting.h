// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Divides a surface along cut edges into parts: vertices that uncut edges connect. See extent.h.
#ifndef CLI_GATE_PARTING_H
#define CLI_GATE_PARTING_H

#include "cli/world.h"

/// An edge that another surface meets, in a pair of triangles.
typedef struct cut_edge {
    uint64_t key;  ///< of its classes of vertices
    uint32_t pair;
} cut_edge;

/// A part beside a patch: an end of an edge that the patch cuts.
typedef struct part_beside {
    uint32_t patch;
    uint32_t part;
} part_beside;

/// A surface in its current state. Start with parting_open().
typedef struct parting {
    double* positions;  ///< in world coordinates
    size_t vertex_count;
    const uint32_t* corners;  ///< of the triangles, as the mesh has them
    size_t triangle_count;
    const uint32_t* classes;
    cut_edge* cuts;
    size_t cut_count;
    size_t cut_room;
    uint32_t* part_of;  ///< by class: the part, or UINT32_MAX if it is beside no patch
    abut_box* boxes;    ///< of the parts
    double* reaches;    ///< of the parts; NAN: not yet computed
    size_t part_count;
    uint32_t* members;    ///< vertices of the parts, one of each class, by part
    size_t* member_ends;  ///< of the parts, in `members`
    part_beside* beside;  ///< ascending by patch, then part
    size_t beside_count;
} parting;

void parting_open(parting* s, const world* w, uint32_t body);
void parting_close(parting* s);

/// The key of the edge between two vertices.
uint64_t parting_edge(const parting* s, uint32_t x, uint32_t y);
/// Notes that a pair of triangles cuts the edge between two vertices.
void parting_cut(parting* s, uint32_t x, uint32_t y, uint32_t pair);
/// Divides the surface; `patches` has the patch of every pair.
void parting_divide(parting* s, const uint32_t* patches);

/// The parts beside a patch: their number, and the place of the first in `beside`.
size_t parting_beside(const parting* s, uint32_t patch, size_t* first);
/// The part beside a patch with the largest box; UINT32_MAX if there is none.
uint32_t parting_largest(const parting* s, uint32_t patch);
/// Whether the box of a part is at least half as large as that of the largest one.
bool parting_rivals(const parting* s, uint32_t part, uint32_t largest);
/// Whether a triangle has a vertex of a part.
bool parting_has(const parting* s, uint32_t part, uint32_t triangle);
/// The positions of the vertices of a part, which the caller frees.
double* parting_points(const parting* s, uint32_t part, size_t* count);

#endif
