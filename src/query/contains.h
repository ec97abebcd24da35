// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Internals of containment: the side of a closed surface on which a point is, for other queries, too.
//
//   contains.c         rays, the calls
//   contains_cells.c   a grid over points: cells without surface
//   contains_points.c  many points
//   contains_winding.c generalized winding numbers of points
#ifndef ABUT_QUERY_CONTAINS_H
#define ABUT_QUERY_CONTAINS_H

#include "abut/contains.h"
#include "base/sort.h"
#include "query/query.h"

// Empty cells next to each other in a row of the grid. Those joined through faces are a room.
typedef struct abut__cell_run {
    uint32_t parent;  // another run of the same room; the first one has itself
    uint32_t x;
    uint32_t count;  // of cells
    uint32_t size;   // of the room, in cells; of the first run alone
    int8_t winding;  // likewise
} abut__cell_run;

#define ABUT__CELLS_ALONG 128u   // at most
#define ABUT__CELL_MET INT8_MIN  // a cell that surface may reach

// A grid of as many cells along each axis. The outermost ones go on for ever.
typedef struct abut__cells {
    uint32_t along;  // a multiple of 8; 0: there is no grid
    double last;     // along - 1
    double lo[3];
    double scale[3];
    double middle[3][ABUT__CELLS_ALONG];  // a coordinate in each cell along each axis
    int8_t* winding;  // the winding number around all points of the cell, or ABUT__CELL_MET
} abut__cells;

// Returns the number of the cell of a coordinate along an axis. It never falls if x grows.
static inline uint32_t abut__cell_along(const abut__cells* cells, int axis, double x) {
    double at = (x - cells->lo[axis]) * cells->scale[axis] + 1;
    at = at > 0 ? at : 0;
    at = at < cells->last ? at : cells->last;
    return (uint32_t)(int32_t)at;
}

struct abut_contains_result {
    abut__workspace work;
    ABUT__VECTOR(abut_side) sides;
    ABUT__VECTOR(int32_t) windings;
    ABUT__VECTOR(double) numbers;     // generalized winding numbers
    ABUT__VECTOR(double) positions;   // of all vertices, if there are many points
    ABUT__VECTOR(abut__ref) stacks;   // of all workers
    ABUT__VECTOR(abut__keyed) order;  // of the points in met cells
    ABUT__VECTOR(int8_t) cell_windings;
    ABUT__VECTOR(uint32_t) row_runs;  // the first run of each row of cells
    ABUT__VECTOR(abut__cell_run) runs;
    abut__cells cells;
};

// ---- contains.c

// What is the same for all points that a body is asked about.
typedef struct abut__ray_base {
    const abut_scene* scene;  // whose pool keeps boxes; NULL: they are computed
    const abut__body* body;
    abut__box3 whole;  // the body's box, relative to its origin
    double origin[3];
    double size;  // bounds of coordinates for pads
    double far;
} abut__ray_base;

abut__ray_base abut__ray_base_of(const abut_scene* scene, const abut__body* body);

// `winding` must not be NULL; the surface must be closed and finite.
abut_side abut__side_of(const abut__body* body, const double point[3], int32_t* winding,
                        abut_counters* counters);

abut_side abut__side_in(const abut__ray_base* base, const double point[3], int32_t* winding,
                        abut_counters* counters);
// The same if the winding number is known at another place along an axis, off the surface.
abut_side abut__side_before(const abut__ray_base* base, const double point[3], int axis, double end,
                            int32_t at_end, int32_t* winding, abut_counters* counters);

// The side of the surface itself, at the first corner of one of its triangles (world coordinates,
// in the triangle's order up to a cyclic shift): inside if both of its sides are. `winding`
// receives the winding number of a point next to the triangle, on the side of its normal.
// ABUT_SIDE_SURFACE: another triangle overlaps this one; ABUT_SIDE_UNDEFINED: it has no area.
abut_side abut__side_beside(const abut__body* body, uint32_t triangle, const double corners[3][3],
                            int32_t* winding, abut_counters* counters);

// Finds the box around points; fails if one is not finite.
abut_status abut__check_points_box(abut_positions points, abut_box* box, abut_error* error);
abut_status abut__check_points(abut_positions points, abut_error* error);

// ---- contains_cells.c, contains_points.c, contains_winding.c

// Makes a grid over points in a box, for a body whose surface is closed and finite. There is none for
// few points or extreme coordinates.
abut_status abut__cells_make(const abut__ray_base* base, const abut_box* around, size_t count,
                             abut_contains_result* result, abut_counters* counters);

// Finds the sides of points of a body whose surface is closed and finite, into result->sides and
// result->windings, which have room for them: contains_points.c.
abut_status abut__contains_sides(const abut_scene* scene, const abut__body* body,
                                 abut_positions points, const abut_box* around,
                                 abut_counters* counters, abut_contains_result* result);

// Computes generalized winding numbers into result->numbers: contains_winding.c.
abut_status abut__contains_numbers(const abut_scene* scene, abut__body* body, abut_positions points,
                                   abut_counters* counters, abut_contains_result* result);

#endif
