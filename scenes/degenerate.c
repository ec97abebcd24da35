// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two sheets in exact special cases, one case per frame. All coordinates are short dyadic numbers
// (or one unit in the last place beside one), so nothing is rounded, and the number of touching
// pairs follows by counting.
//
// Sheet "floor" is the unit square in the plane z = 1, cut into n x n cells with n = 8. A cell is
// cut along its rising diagonal into a *low* triangle (0,0) (1,0) (1,1) and a *high* one (0,0)
// (1,1) (0,1), in units of the cell. Sheet "guest" has the same grid and is placed anew in each
// case. Two facts do most of the counting:
//   - All edges run along x, y or x - y. So two of these triangles in one plane touch exactly if
//     their intervals in x, y and x - y do: (0,1) (0,1) (0,1) for low, (0,1) (0,1) (-1,0) for high.
//   - The line y = q + 1/2 meets high_p in the x-interval [p, p + 1/2] and low_p in
//     [p + 1/2, p + 1] of row q: together 2n intervals of half a cell that touch end to end.
// Intervals are closed throughout.

#include "scenes/scenes_internal.h"

#define N 8
#define CELL (1.0 / N)
#define FLOOR_Z 1.0

typedef struct degenerate_case {
    const char* name;
    uint32_t pairs;
    void (*place)(double u, double v, double out[3]);  // u, v: 0 .. N, integers
} degenerate_case;

static void set(double out[3], double x, double y, double z) {
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

// Triangles of one sheet touch if they share a vertex. With d triangles at a vertex, the sum of d^2
// counts ordered pairs (t, t') once a shared vertex: t = t' three times, neighbours over an edge
// twice. Hence sum d^2 - 2 T - 2 E with T = 2n^2 triangles and E = 3n^2 - 2n inner edges; d is 6
// inside, 3 on the border, and 2, 1, 2, 1 at the corners, so that
// sum d^2 = 36(n-1)^2 + 36(n-1) + 10.
static void place_identical(double u, double v, double out[3]) {
    set(out, u * CELL, v * CELL, FLOOR_Z);
}
#define IDENTICAL_PAIRS (26 * N * N - 32 * N + 10)

// Moved by half a cell in x and y. A guest's cell at offset (i, j) can only touch for i, j in
// {-1, 0}. Where i = j all 4 pairs of the two cells touch; at (0, -1) and (-1, 0) the intervals in
// x - y exclude one. Cells with these offsets: n^2 and (n-1)^2, n(n-1) twice.
static void place_overlap(double u, double v, double out[3]) {
    set(out, (u + 0.5) * CELL, (v + 0.5) * CELL, FLOOR_Z);
}
#define OVERLAP_PAIRS (4 * N * N + 4 * (N - 1) * (N - 1) + 6 * N * (N - 1))

// Side by side along x = 1. On that line the floor has segments [q, q+1] (low) and points q+1
// (high), the guest segments [q, q+1] (high) and points q (low). Segment and segment: 3n-2, segment
// and point 2n-1 twice, point and point n-1.
static void place_beside(double u, double v, double out[3]) {
    set(out, 1.0 + u * CELL, v * CELL, FLOOR_Z);
}
#define BESIDE_PAIRS ((3 * N - 2) + 2 * (2 * N - 1) + (N - 1))

// The corner (1, 1) against the guest's corner (0, 0): two triangles at each.
static void place_corner(double u, double v, double out[3]) {
    set(out, 1.0 + u * CELL, 1.0 + v * CELL, FLOOR_Z);
}
#define CORNER_PAIRS 4

// Standing on the line y = q + 1/2 of the floor, whose intervals are given above. The guest's
// lowest row has segments [p, p+1] (low), each touching 2 intervals inside and those next to its
// ends, 4n-2 in all; and points p (high), each touching the intervals that end there, 2n-1.
static void place_standing(double u, double v, double out[3]) {
    set(out, u * CELL, 3.5 * CELL, FLOOR_Z + v * CELL);
}
#define STANDING_PAIRS ((4 * N - 2) + (2 * N - 1))

// The same line, but half a row deep: now the guest too is cut in 2n halves, the same ones.
static void place_piercing(double u, double v, double out[3]) {
    set(out, u * CELL, 3.5 * CELL, FLOOR_Z + (v - 2.5) * CELL);
}
#define PIERCING_PAIRS (3 * (2 * N) - 2)

// Standing on the corner u = v = 0, where two triangles of the guest meet. The point of the floor
// lies inside a triangle, on an edge (2 triangles) or at a vertex (6).
static void stand_on_corner(double x, double y, double u, double v, double out[3]) {
    set(out, x + (u - v) * (CELL / 8.0), y, FLOOR_Z + (u + v) * CELL);
}
static void place_vertex_face(double u, double v, double out[3]) {
    stand_on_corner(4.75 * CELL, 3.25 * CELL, u, v, out);
}
static void place_vertex_edge(double u, double v, double out[3]) {
    stand_on_corner(4.25 * CELL, 3.25 * CELL, u, v, out);
}
static void place_vertex_vertex(double u, double v, double out[3]) {
    stand_on_corner(4.0 * CELL, 3.0 * CELL, u, v, out);
}
#define VERTEX_FACE_PAIRS 2
#define VERTEX_EDGE_PAIRS 4
#define VERTEX_VERTEX_PAIRS 12

// The least gap above: 2^-52 is the distance of 1 from the next double.
static void place_above(double u, double v, double out[3]) {
    set(out, u * CELL, v * CELL, FLOOR_Z + 0x1p-52);
}

// The least gap beside: only the guest's border column is moved, so that no cell collapses.
static void place_ulp_beside(double u, double v, double out[3]) {
    place_beside(u, v, out);
    out[0] += u == 0.0 ? 0x1p-52 : 0.0;
}

// The least overlap: the guest's border at 1 - 2^-53, the double before 1. In the strip between the
// borders, floor-low q lies below its diagonal, which rises to q+1 at x = 1; floor-high q is the
// rest up to q+1; guest-low q lies below a diagonal that rises from q, guest-high q is the rest.
//   floor-low  q and guest-high q, q-1 (along y = q); not q+1: their diagonals part    2n-1
//   floor-low  q and guest-low  q, q+1 (at x = 1, y = q+1)                               2n-1
//   floor-high q and guest-high q, q+1 (at the guest's border, y = q+1)                  2n-1
//   floor-high q and guest-low  q+1 (along y = q+1)                                      n-1
static void place_ulp_overlap(double u, double v, double out[3]) {
    place_beside(u, v, out);
    out[0] -= u == 0.0 ? 0x1p-53 : 0.0;
}
#define ULP_OVERLAP_PAIRS (3 * (2 * N - 1) + (N - 1))

// Every triangle a point inside one triangle of the floor.
static void place_point(double u, double v, double out[3]) {
    (void)u;
    (void)v;
    set(out, 4.75 * CELL, 3.25 * CELL, FLOOR_Z);
}
#define POINT_PAIRS (2 * N * N)

// Every triangle a segment [p, p+1] of the line y = q + 1/2: 4n-2 for each of 2n rows of triangles.
static void place_segment(double u, double v, double out[3]) {
    (void)v;
    set(out, u * CELL, 3.5 * CELL, FLOOR_Z);
}
#define SEGMENT_PAIRS (2 * N * (4 * N - 2))

// Above by less than a float can tell at 1: float boxes touch, the triangles do not.
static void place_tilted(double u, double v, double out[3]) {
    set(out, u * CELL, v * CELL, FLOOR_Z + 0x1p-40 + u * 0x1p-10);
}

static const degenerate_case cases[] = {
    {"identical sheets", IDENTICAL_PAIRS, place_identical},
    {"coplanar overlap", OVERLAP_PAIRS, place_overlap},
    {"shared border", BESIDE_PAIRS, place_beside},
    {"shared corner", CORNER_PAIRS, place_corner},
    {"standing sheet", STANDING_PAIRS, place_standing},
    {"piercing sheet", PIERCING_PAIRS, place_piercing},
    {"vertex on face", VERTEX_FACE_PAIRS, place_vertex_face},
    {"vertex on edge", VERTEX_EDGE_PAIRS, place_vertex_edge},
    {"vertex on vertex", VERTEX_VERTEX_PAIRS, place_vertex_vertex},
    {"one ulp above", 0, place_above},
    {"one ulp beside", 0, place_ulp_beside},
    {"one ulp of overlap", ULP_OVERLAP_PAIRS, place_ulp_overlap},
    {"collapsed to a point", POINT_PAIRS, place_point},
    {"collapsed to a segment", SEGMENT_PAIRS, place_segment},
    {"tilted and apart", 0, place_tilted},
};
#define CASES (sizeof cases / sizeof cases[0])

static void degenerate_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    (void)s;
    (void)body;
    for (uint32_t j = 0; j <= N; ++j) {
        for (uint32_t i = 0; i <= N; ++i) {
            cases[frame % CASES].place((double)i, (double)j, xyz);
            xyz += 3;
        }
    }
}

static bool degenerate_expected(const scene* s, uint32_t frame, uint32_t* pairs) {
    (void)s;
    *pairs = cases[frame % CASES].pairs;
    return true;
}

static const char* degenerate_name(const scene* s, uint32_t frame) {
    (void)s;
    return cases[frame % CASES].name;
}

void scene__make_degenerate(scene* s, const scene_wish* wish) {
    (void)wish;
    scene_mesh floor_mesh;
    scene_mesh guest;
    if (!scene__grid(s, &floor_mesh, N, N, GRID_SAME) || !scene__grid(s, &guest, N, N, GRID_SAME)) {
        return;
    }
    for (size_t i = 0; i < floor_mesh.vertex_count; ++i) {
        floor_mesh.rest[3 * i + 2] = FLOOR_Z;
        guest.rest[3 * i + 2] = FLOOR_Z + 1.0;
    }
    s->positions = degenerate_positions;
    s->expected = degenerate_expected;
    s->frame_name = degenerate_name;
    scene__add_body(s, "floor", &floor_mesh, false, false);
    scene__add_body(s, "guest", &guest, true, false);
}
