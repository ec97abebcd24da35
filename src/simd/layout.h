// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The layouts that kernels work on: blocks of triangles as lanes, boxes of nodes and of blocks.
#ifndef ABUT_SIMD_LAYOUT_H
#define ABUT_SIMD_LAYOUT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ABUT__BLOCK_TRIANGLES 48
#define ABUT__BLOCK_VERTICES 64
#define ABUT__GROUP 16
#define ABUT__FAN 8

// The constant data of a block. It refers to no other block and to no node, so trees can share it.
// A refit reads only the counts and the vertices, so they come first; 640 bytes in all.
typedef struct abut__block {
    _Alignas(64) uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t has_last;     // uses the mesh's last vertex: nothing beyond it may be read
    uint32_t group_count;  // groups of 16 lanes in use
    uint32_t vertex[ABUT__BLOCK_VERTICES];     // ids; padded with the first one
    uint64_t valid;                            // lanes in use: the first triangle_count
    uint8_t corner[3][ABUT__BLOCK_TRIANGLES];  // indices in `vertex`; padded with lane 0
    uint32_t triangle[ABUT__BLOCK_TRIANGLES];  // ids in the mesh
} abut__block;

// The index of a node, or of a block if the top bit is set.
typedef uint32_t abut__ref;
#define ABUT__REF_BLOCK 0x80000000u
#define ABUT__NONE UINT32_MAX
static inline bool abut__is_block(abut__ref ref) {
    return (ref & ABUT__REF_BLOCK) != 0;
}
static inline uint32_t abut__block_of(abut__ref ref) {
    return ref & ~ABUT__REF_BLOCK;
}

typedef struct abut__node {
    abut__ref child[ABUT__FAN];
    uint32_t parent;  // ABUT__NONE for the root, which is node 0
    uint16_t depth;   // 0 for the root
    uint8_t slot;     // index among the parent's children
    uint8_t count;    // number of children
} abut__node;

// Consecutive positions of a block in an array of packed floats: a vector of 16 numbers from
// `first` on, without the last `spare`. So it has at most five positions. It is one word, because
// the loads take the time.
typedef uint64_t abut__stretch;
#define ABUT__STRETCH_MOST 5
#define ABUT__STRETCH_AHEAD 160  // this many entries beyond the last must be readable
static inline abut__stretch abut__stretch_make(uint32_t first, uint32_t spare) {
    return first | (uint64_t)spare << 32;
}
static inline uint32_t abut__stretch_first(abut__stretch stretch) {
    return (uint32_t)stretch;
}
static inline uint32_t abut__stretch_spare(abut__stretch stretch) {
    return (uint32_t)(stretch >> 32);
}

// Where the extreme vertices of a block are, one byte for each side, lower ones first: 8 x the
// number of the stretch + the position in it, or the index in `vertex` of a block without
// stretches. Of equal vertices it is always the same one. The last bytes are 0.
typedef struct abut__side_places {
    uint8_t of[8];
} abut__side_places;

typedef struct abut__box3 {
    float lo[3];
    float hi[3];
} abut__box3;

// The boxes of a node's children; unused lanes hold an empty box.
typedef struct abut__boxes8 {
    float lo[3][ABUT__FAN];
    float hi[3][ABUT__FAN];
} abut__boxes8;

// The boxes of a block's triangles; unused lanes hold an empty box.
typedef struct abut__block_boxes {
    _Alignas(64) float lo[3][ABUT__BLOCK_TRIANGLES];
    float hi[3][ABUT__BLOCK_TRIANGLES];
    abut__box3 all;  // around all vertices: tighter than the bound of the block
    uint64_t valid;  // the block's lanes in use, here because they are needed together with `all`
} abut__block_boxes;

// The positions of a block's vertices in the order of abut__block.vertex, all 64 filled.
typedef struct abut__block_points {
    float xyz[3][ABUT__BLOCK_VERTICES];
} abut__block_points;

// The same, and a bound of the error of each coordinate, without the rounding of exact ones to
// float. INFINITY: the points are undefined.
typedef struct abut__cached_points {
    _Alignas(64) abut__block_points at;
    float radius;
} abut__cached_points;

// The same in double, exactly as in results, vertex by vertex, since corners are picked singly.
// Only the first vertex_count are defined.
typedef struct abut__block_exact {
    double xyz[ABUT__BLOCK_VERTICES][3];
    double beyond;  // may be read with the last position
} abut__block_exact;

// Corners of a block's triangles as lanes, relative to a point nearby, and unit normals; for
// culling.
typedef struct abut__lane_corners {
    float corner[3][3][ABUT__BLOCK_TRIANGLES];  // corner, axis, lane
    float normal[3][ABUT__BLOCK_TRIANGLES];
} abut__lane_corners;

// A disc around each of a block's triangles: centre, unit normal (0: a ball), radius, and the greatest
// height of a corner above or below its plane, which is not 0 only because of rounding.
typedef struct abut__discs {
    float centre[3][ABUT__BLOCK_TRIANGLES];
    float normal[3][ABUT__BLOCK_TRIANGLES];
    float radius[ABUT__BLOCK_TRIANGLES];
    float height[ABUT__BLOCK_TRIANGLES];
} abut__discs;

// The same around all points of a block, with the greatest height of a point.
typedef struct abut__disc {
    float centre[3];
    float normal[3];
    float radius;
    float height;
} abut__disc;

// Sixteen points, and the squares of distances up to which something is near them: gaps of boxes, and
// gaps of discs. Those of lanes that nothing is near are below 0.
typedef struct abut__near_points {
    _Alignas(64) float at[3][16];
    float limit_sq[16];
    float disc_limit_sq[16];
} abut__near_points;

// Sixteen boxes around packs of points, likewise.
typedef struct abut__near_packs {
    _Alignas(64) float lo[3][16];
    float hi[3][16];
    float limit_sq[16];
} abut__near_packs;

// A box as two vectors; the fourth numbers are 0.
typedef struct abut__box4 {
    _Alignas(16) float lo[4];
    float hi[4];
} abut__box4;

static inline void abut__box4_grow(abut__box4* box, const abut__box4* other) {
    for (int d = 0; d < 4; ++d) {
        box->lo[d] = other->lo[d] < box->lo[d] ? other->lo[d] : box->lo[d];
        box->hi[d] = other->hi[d] > box->hi[d] ? other->hi[d] : box->hi[d];
    }
}

// Pairs of features of two triangles, a bit each: corner i of the first with the second, bit i; the
// first with corner i of the second, bit 3 + i; edge i of the first (from corner i to the next)
// with edge j of the second, bit 6 + 3 i + j.
#define ABUT__FEATURE_PAIRS 0x7fffu
// One more bit: both triangles as a whole.
#define ABUT__FACE_PAIR 0x8000u

// A triangle over a step. The fourth numbers are unused.
typedef struct abut__moving_triangle {
    _Alignas(64) float x[2][3][4];  // both ends, axes, corners
    uint32_t classes[4];            // of the corners
    uint32_t owned[2];  // feature pairs to test by ownership: as the first, as the second
} abut__moving_triangle;

// The triangles of a block at rest: their vertices, or those of them that are in use. A row is (x, y,
// z, 0, -x, -y, -z, 0) if the block is the first of two, and (-x, -y, -z, 0, x, y, z, 0) if it is the
// second.
typedef struct abut__feature_block {
    _Alignas(64) double rows[ABUT__BLOCK_VERTICES][8];
    uint32_t classes[ABUT__BLOCK_VERTICES];
    const abut__block* fixed;
    uint8_t owned[ABUT__BLOCK_TRIANGLES];  // as in mesh/features.h
} abut__feature_block;

// The grid of Morton codes, for twice the centres: its lowest corner, and cells per length.
typedef struct abut__grid {
    float low[4];
    float scale;
} abut__grid;
#define ABUT__GRID_CELLS 1024  // along each axis

// Per side of a box, lower sides first: the extreme line, as its positions at both ends of a
// segment of time; the part of the segment until which it stays extreme (infinity: to the end); and
// its index among the lines.
#define ABUT__SIDES 6
typedef struct abut__extremes {
    float before[ABUT__SIDES];
    float after[ABUT__SIDES];
    float next[ABUT__SIDES];
    uint8_t which[ABUT__SIDES];
} abut__extremes;

// Sets and gets one box of eight; computes the box around the first `count` of them.
static inline void abut__boxes_put(abut__boxes8* boxes, uint32_t k, const abut__box3* box) {
    for (int d = 0; d < 3; ++d) {
        boxes->lo[d][k] = box->lo[d];
        boxes->hi[d][k] = box->hi[d];
    }
}
static inline abut__box3 abut__boxes_get(const abut__boxes8* boxes, uint32_t k) {
    return (abut__box3){{boxes->lo[0][k], boxes->lo[1][k], boxes->lo[2][k]},
                        {boxes->hi[0][k], boxes->hi[1][k], boxes->hi[2][k]}};
}
static inline abut__box3 abut__boxes_around(const abut__boxes8* boxes, uint32_t count) {
    abut__box3 box = abut__boxes_get(boxes, 0);
    for (uint32_t k = 1; k < count; ++k) {
        for (int d = 0; d < 3; ++d) {
            box.lo[d] = boxes->lo[d][k] < box.lo[d] ? boxes->lo[d][k] : box.lo[d];
            box.hi[d] = boxes->hi[d][k] > box.hi[d] ? boxes->hi[d][k] : box.hi[d];
        }
    }
    return box;
}

// Makes the first `count` boxes unbounded and the others empty.
static inline void abut__boxes_infinite(abut__boxes8* boxes, uint32_t count) {
    for (int d = 0; d < 3; ++d) {
        for (uint32_t k = 0; k < ABUT__FAN; ++k) {
            boxes->lo[d][k] = k < count ? -INFINITY : INFINITY;
            boxes->hi[d][k] = k < count ? INFINITY : -INFINITY;
        }
    }
}

// The memory layout of positions. Boxes and points in float are relative to the origin: it is
// subtracted before a position is rounded to float, once, which preserves order. What reads
// positions in double ignores it.
typedef struct abut__source {
    const char* data;
    size_t stride;
    bool is_double;
    float origin[3];
} abut__source;
static inline abut__source abut__source_make(const void* data, size_t stride, bool is_double) {
    return (abut__source){.data = data, .stride = stride, .is_double = is_double};
}

// Added to box a before the test with box b: the shift of a's frame, minus and plus the pad.
typedef struct abut__shift {
    float lo[3];
    float hi[3];
} abut__shift;

// A box that depends linearly on coordinates: for the rest state and then for every field, centre x
// y z and half extents x y z.
#define ABUT__MODAL_BOX 8  // numbers; the last two are 0

// The rows of eight numbers in a row of a node, without slopes and with them: see bound/bdtree.h.
#define ABUT__NODE_ROWS 6
#define ABUT__SLOPED_ROWS 9

// The length of a row that holds x, y, z of `vertex_count` vertices.
static inline uint32_t abut__modal_row(uint32_t vertex_count) {
    return (3 * vertex_count + ABUT__GROUP - 1) / ABUT__GROUP * ABUT__GROUP;
}
// Numbers that depend linearly on coordinates, as lanes: `data` holds rows for the rest state, and
// then as many for each of the fields (indices of coordinates) that contribute.
typedef struct abut__modal_lanes {
    const float* data;
    const uint32_t* fields;
    uint32_t field_count;
} abut__modal_lanes;

// An affine transform as four columns, the last the translation; fourth numbers are 0.
typedef struct abut__columns {
    _Alignas(64) float c[4][4];
} abut__columns;

// The greatest magnitudes of the twelve numbers over some transforms.
typedef struct abut__transforms_most {
    double number[12];
    bool finite;  // all of them are finite
} abut__transforms_most;

// The influences under one child of a node: rows of eight numbers (ABUT__CONVEX_ROW) and their
// nodes, from `first` on, and 1 minus the sum of the least weights. See bound/convex.h.
typedef struct abut__convex_part {
    uint32_t first;
    uint32_t count;
    float rest;
} abut__convex_part;
#define ABUT__CONVEX_ROW 8  // centre x y z, least weight, half x y z, greatest minus least weight
typedef struct abut__convex_lanes {
    const abut__convex_part* parts;
    uint32_t count;
    const float* rows;
    const uint32_t* nodes;
} abut__convex_lanes;

// The influences on the vertices of a block, sixteen vertices at a time: group g has those from
// first[g] to first[g + 1] - 1, each with a node and sixteen weights.
#define ABUT__BLOCK_GROUPS (ABUT__BLOCK_VERTICES / ABUT__GROUP)
typedef struct abut__blend_lanes {
    uint32_t vertex_count;
    uint32_t first[ABUT__BLOCK_GROUPS + 1];
    const uint32_t* nodes;
    const float* weights;
} abut__blend_lanes;

// The weights of vertices in order: influences first[i] .. first[i + 1] - 1 of vertex i.
typedef struct abut__influences {
    const size_t* first;
    const uint32_t* nodes;
    const void* values;
    bool is_double;
} abut__influences;

// The same in float, for vertices in any order. Those with equally many influences are consecutive,
// and a run tells how many these are.
typedef struct abut__blend_run {
    uint32_t influences;  // of each vertex
    uint32_t vertices;
} abut__blend_run;
typedef struct abut__blend_influence {
    uint32_t node;
    float weight;
} abut__blend_influence;
typedef struct abut__blend_order {
    const abut__blend_run* runs;
    uint32_t run_count;
    const uint32_t* vertices;  // ids
    const abut__blend_influence* influences;
} abut__blend_order;

// Rest positions of a blend shape, and displacements by fields, each times a coordinate.
#define ABUT__BLEND_MOVES_MOST 8u
typedef struct abut__blend_moves {
    const float* rest;
    const float* by[ABUT__BLEND_MOVES_MOST];
    float q[ABUT__BLEND_MOVES_MOST];
    uint32_t count;
} abut__blend_moves;

// Rows of certificates of the blend motion, a cache line each: see bound/blend_certificate.h.
typedef struct abut__weight_row {
    float map[9];       // H_b
    float slope[3];     // h_b
    float limit;        // L_b
    float slope_limit;  // l_b
    uint16_t node;
    int16_t origin[3];  // from the centre of the shape, in steps
} abut__weight_row;
typedef struct abut__move_row {
    float map[9];  // H_f
    float norm;    // |H_f|
    float limit;   // L_f
    float most;    // |U_f|
    uint32_t field;
    uint32_t unused[3];
} abut__move_row;
typedef union abut__blend_row {
    abut__weight_row weight;
    abut__move_row move;
} abut__blend_row;

#define ABUT__WEIGHT_ROWS 32  // of a certificate, at most

// The common data of all certificates of a shape's weights.
typedef struct abut__weight_frame {
    const uint16_t* parent;  // of a node: D_b = T_b - T_parent
    double middle[3];        // origins are relative to it
    double step;
    double steepest[2];  // upper bounds of |H_b| and |h_b|
} abut__weight_frame;

// The input of a certificate test. B starts as the linear part of `reference`, times 1 + G.
typedef struct abut__weight_question {
    const abut__weight_frame* frame;
    const abut__blend_row* rows;
    uint32_t count;
    const double (*transforms)[12];
    const double* reference;         // T_m
    float norms[ABUT__WEIGHT_ROWS];  // per row: upper bound of |D_b'|
    double slack;                    // required of sigma(B) in addition
    bool moved;                      // the following are not 0
    double map[3][3];                // G
    double limit;                    // g
    double moves[2];                 // L_b grows by the first, and by the second times |h_b| + l_b
} abut__weight_question;

// Sixteen consecutive certificates, as lanes of rows for all nodes and fields of any of them: see
// bound/blend_groups.h. A certificate without a node or field has 0 there.
typedef struct abut__weight_lanes {
    double origin[3];
    uint32_t node;
    uint32_t lanes;  // lanes that have a row of this node
    float map_step;  // quantisation step of `map`; the next two likewise
    float slope_step;
    float offset_step;
    float steep;     // upper bound of all |H_b|
    float steepest;  // upper bound of all |h_b| + l_b
    float spread;    // upper bound of all |o_b - origin|
    uint32_t unused[2];
    float limit[ABUT__GROUP];        // L_b
    float slope_limit[ABUT__GROUP];  // l_b
    int16_t map[9][ABUT__GROUP];     // H_b, in steps
    int16_t slope[3][ABUT__GROUP];   // h_b
    int16_t offset[3][ABUT__GROUP];  // o_b - `origin`
    int16_t none[ABUT__GROUP];       // padding to whole cache lines
} abut__weight_lanes;
typedef struct abut__move_lanes {
    uint32_t field;
    float map_step;
    uint32_t unused[6];
    int16_t map[9][ABUT__GROUP];  // H_f, in steps
    float norm[ABUT__GROUP];      // |H_f|
    float limit[ABUT__GROUP];     // L_f
    float most[ABUT__GROUP];      // |U_f|
} abut__move_lanes;
// A node on the path from the group's T_m to those of some lanes.
typedef struct abut__weight_step {
    uint32_t node;
    uint32_t lanes;
} abut__weight_step;

// The input of a test of sixteen certificates.
typedef struct abut__weight_questions {
    const abut__weight_frame* frame;
    const abut__weight_lanes* rows;
    const abut__move_lanes* moves;
    const abut__weight_step* steps;
    uint32_t row_count;
    uint32_t move_count;
    uint32_t step_count;
    const double (*transforms)[12];
    const double* reference;  // T_m of all lanes, before the steps
    const double* coordinates;
    const float* inverse_gap;        // per lane, rounded up
    float rounding;                  // 4 e, rounded up
    float norms[ABUT__WEIGHT_ROWS];  // per row: upper bound of |D_b'|
} abut__weight_questions;

// A row of a certificate: see bound/certificate.h.
#define ABUT__CERTIFICATE_ROW 12
// Lanes that are proven to hold, and lanes that count as failed. The others need the scalar test.
typedef struct abut__certificate_verdict {
    uint32_t yes;
    uint32_t no;
} abut__certificate_verdict;
// Eight balls; unused ones have radius -INFINITY.
typedef struct abut__balls8 {
    float c[3][ABUT__FAN];
    float r[ABUT__FAN];
} abut__balls8;

typedef struct abut__ball4 {
    float c[3];
    float r;
} abut__ball4;

// The greatest bounds so far over fields, and the bounds that are good enough and need not be
// tighter.
typedef struct abut__limits {
    float slack_full;  // good enough, relative to the greatest bound
    float slack_strain;
    float* full;
    float* strain;
    float* enough_full;
    float* enough_strain;
} abut__limits;

// Two clusters of vertices: the vector from the mean of the second to that of the first, and the
// inverse of the least distance between two of their vertices along some direction.
typedef struct abut__far_geometry {
    float c[3];
    float distance;
    float inverse_sq;
    float radius[2];
    float inverse_gap;
} abut__far_geometry;

// Two triangles: their corners as row indices, relative to their mean; the inverses of the nine
// distances along some direction, and the greatest of them.
typedef struct abut__near_geometry {
    uint8_t vertex[6];
    float x[6][3];
    float inverse[9];
    float inverse_most;
    bool fits;  // the members below, for fitting an affine map, are set
    float reach;
    float spread_inverse[3][3];
    float blank[3][3];
} abut__near_geometry;

#define ABUT__HULL 18  // vertices in a set, at most

// Two sets of a few vertices: row indices, and how far they are along some direction, with at least
// the error that this has; all of the first are beyond all of the second. The distances of lanes
// beyond the last vertex are anything.
typedef struct abut__hull_geometry {
    uint32_t count[2];
    uint8_t vertex[2][ABUT__HULL];
    float along[2][32];
    float inverse_most;  // the inverse of the least distance
} abut__hull_geometry;

// Corners of eight triangles, by corner and axis.
typedef struct abut__eight_triangles {
    double corner[3][3][8];
} abut__eight_triangles;

// The nine distances of a triangle's corners to those of eight others: upper bounds of their inverses,
// in other units, and the least.
typedef struct abut__eight_distances {
    double inverse[9][8];
    double least[8];
} abut__eight_distances;

// The same in world coordinates.
typedef struct abut__world_balls {
    double c[3][ABUT__FAN];
    double r[ABUT__FAN];
} abut__world_balls;

// From shape to world coordinates, and the greatest factor by which this lengthens a vector.
typedef struct abut__placing {
    double r[3][3];
    double t[3];
    double stretch;
} abut__placing;

// A rotation in float and the pad that covers its rounding: ABUT__TURN_PAD times the extent of the
// turned object, and ABUT__TINY for underflow; see body/body.h.
#define ABUT__TURN_PAD 0x1p-18f
#define ABUT__TINY 0x1p-140f
typedef struct abut__turn {
    float r[3][3];
    float pad;
} abut__turn;

// The triangles of a block as rows: x, y and z of a corner and one more number, three times. The
// first of these is a bound of the error of each coordinate, with the rounding of exact ones to
// float; the second is that bound and 2^-19 of the greatest coordinate in the block. INFINITY: some
// coordinate is not finite, or too large. The third is nothing.
#define ABUT__ROW 12
typedef struct abut__corner_rows {
    _Alignas(64) float row[ABUT__BLOCK_TRIANGLES][ABUT__ROW];
} abut__corner_rows;

// Pairs of triangles by their rows, and what is known of them afterwards: the numbers of those that
// certainly touch, and of those that are open, in ascending order. The others are certainly apart.
// Deciding a list uses up its rows, of which there is room for a register more.
#define ABUT__ROW_PAIRS 128u
typedef struct abut__row_pairs {
    uint32_t count;
    uint32_t touch_count;
    uint32_t open_count;
    uint8_t touch[ABUT__ROW_PAIRS];
    uint8_t open[ABUT__ROW_PAIRS];
    const float* row[2][ABUT__ROW_PAIRS + 16];
} abut__row_pairs;

// A sphere: centre, and the square of its radius.
typedef struct abut__sphere3 {
    float c[3];
    float square;
} abut__sphere3;

// A ray against float boxes. Along each axis: the side of a box where the ray enters and the one
// where it leaves (0 .. 2 lower, 3 .. 5 upper sides), the origin moved by a pad towards the outside of
// each, and the inverse of the direction, which is finite.
typedef struct abut__ray_lanes {
    float near_o[3];
    float far_o[3];
    float inverse[3];
    uint32_t near_side[3];
    uint32_t far_side[3];
} abut__ray_lanes;

// Rays that go the same way: abut__ray_lanes as lanes, with the limit of each; the limit of one that is
// left out is below 0. And bounds that hold for all of them: of origins, the one that gives the least
// parameter at which a ray enters, and the greatest at which it leaves; of inverses, both.
#define ABUT__PACK 32
typedef struct abut__ray_pack {
    _Alignas(64) float near_o[3][ABUT__PACK];
    float far_o[3][ABUT__PACK];
    float inverse[3][ABUT__PACK];
    float limit[ABUT__PACK];
    uint32_t near_side[3];
    uint32_t far_side[3];
    float first_o[3];
    float last_o[3];
    float least[3];
    float most[3];
} abut__ray_pack;

// A body that rays are aimed at: its box and origin in the world, and numbers that bound the errors. See
// query/cast_aim.c.
typedef struct abut__aim_body {
    double lo[3];
    double hi[3];
    double origin[3];
    double extent;
    double far;
    double limit;  // no greater ray is usual
} abut__aim_body;

// Rays to be aimed, as lanes, and what follows for them: the members of abut__ray_lanes and
// abut__ray_shear, and sets of rays, a bit each.
typedef struct abut__aim_rays {
    _Alignas(64) double o[3][ABUT__PACK];
    double d[3][ABUT__PACK];
    double from[ABUT__PACK];
    double to[ABUT__PACK];
    // results
    double scale[ABUT__PACK];  // of parameters
    double start[ABUT__PACK];  // where rays begin anew, and how far they go from there
    float limit[ABUT__PACK];
    float near_o[3][ABUT__PACK];
    float far_o[3][ABUT__PACK];
    float inverse[3][ABUT__PACK];
    float shear_o[3][ABUT__PACK];
    float slope[2][ABUT__PACK];
    float error[ABUT__PACK];
    uint32_t back[3];  // rays with a negative direction along an axis
    uint32_t second;   // that go faster along the second axis than along the first,
    uint32_t third;    // and along the third than along both
    uint32_t meets;    // the body's box
    uint32_t usual;    // for others, nothing else here holds
} abut__aim_rays;

// A ray of a wave, and how far it goes.
typedef struct abut__wave_ray {
    _Alignas(64) abut__ray_lanes lanes;
    float limit;
} abut__wave_ray;

// Nodes or blocks to visit, each by one ray, which enters its box at `near`. Kernels may write as many
// entries beyond the last as a node has children.
#define ABUT__WAVE 2048u
typedef struct abut__ray_visits {
    uint32_t count;
    uint32_t ray[ABUT__WAVE + ABUT__FAN];
    uint32_t ref[ABUT__WAVE + ABUT__FAN];
    float near[ABUT__WAVE + ABUT__FAN];
} abut__ray_visits;

// A ray as the third axis of sheared coordinates: axes in the order x, y, z of these, the origin, the
// slopes of x and y, and a bound of the errors of sheared coordinates.
typedef struct abut__ray_shear {
    uint32_t axis[3];
    float o[3];
    float slope[2];
    float error;
} abut__ray_shear;

// Triangles as lanes: corner, axis in the order of a shear, lane.
typedef struct abut__ray_corners {
    _Alignas(64) float corner[3][3][16];
} abut__ray_corners;

// The same for all triangles of a block, with axes in their own order.
typedef struct abut__block_corners {
    _Alignas(64) float corner[3][3][ABUT__BLOCK_TRIANGLES];
} abut__block_corners;

// Pairs of lanes with overlapping boxes, and the number of neighbours that were omitted.
typedef struct abut__lane_pairs {
    uint64_t near_count;
    uint8_t lane[ABUT__BLOCK_TRIANGLES * ABUT__BLOCK_TRIANGLES][2];
} abut__lane_pairs;

// Boxes sorted by the cells of a grid, see voronoi/voronoi_grid.h. Cells are numbered along x, then
// y, then z.
typedef struct abut__bins {
    const float* side[6];   // lo, then hi; 16 more numbers are readable
    const int32_t* body;    // which each box is of; likewise
    const uint32_t* first;  // by cell: its first box, and the end
    uint32_t size[3];
} abut__bins;
// A search among them.
typedef struct abut__box_search {
    float box[6];    // lo, then hi
    uint32_t lo[3];  // range of cells, ends included
    uint32_t hi[3];
    float limit_sq;  // greatest squared distance
    int32_t body;
    bool same;  // boxes of that body only; otherwise only of others
} abut__box_search;
typedef struct abut__boxes_seen {
    uint32_t count;   // near enough
    uint32_t tested;  // in all
} abut__boxes_seen;
// Boxes, and their extents along an axis; 16 more numbers of each side are readable.
typedef struct abut__slabs {
    const float* side[8];  // lo, hi, then the low and the high end along the axis
    uint32_t count;
} abut__slabs;
typedef struct abut__slab_search {
    float side[8];   // likewise
    float limit_sq;  // greatest squared distance of boxes
    float limit;     // greatest distance along the axis
} abut__slab_search;
// Sites in runs of sixteen, see voronoi/site_line.c. Runs that are not full are filled up with boxes
// that are infinitely far away; so are the runs, with 16 more that are readable.
typedef struct abut__site_line {
    const float* side[6];      // boxes: lo, then hi
    const float* run_side[6];  // boxes around the sites of runs
    const int32_t* corner[3];  // classes of vertices
    const float* limit;        // greatest squared distance of a search
    const float* run_limit;    // the greatest one of each run
    uint32_t run_count;
} abut__site_line;

#endif
