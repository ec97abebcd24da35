// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Internals of closest-point queries. Points are sorted along a curve that fills space, and chunks
// of them are tasks. For each point a searcher descends the trees of the bodies, nearest boxes
// first. Points of blocks in float bound the distances of triangles from above and from below. What
// may be among the closest is measured in double, sixteen pairs at a time.
//
//   closest_search.c   from a point to triangles that may be the closest
//   closest_pack.c     the same for neighbouring points together
//   closest_measure.c  from pairs to rows
//   closest.c          the calls, tasks, gathering
//   body_tree.c        a tree over the boxes of bodies
//
// Bounds. A point p and a body with frame (R, t), extent s: float boxes and points of the body are
// relative to t. Let c be p - t, rounded to float. `pad` covers, in each coordinate, the rounding of
// c and of the boxes (as in contains.c); for points of a block twice their radius and the pad of
// the rotation come on top. A displacement by these is at most sqrt(3) times as long. Bounds of
// distances in float (kernels/closest_kernel.c) are off by 2^-20 of the greatest distance of a
// corner, which is at most sqrt(3) (|c| + s); bounds by discs are off by less. A computed distance may be too small or too large by
// 2^-25 of itself: a triangle is dropped only if it is farther by 2^-23.
//   Packs use less wide bounds of distances in float, since their width decides how many triangles are
// measured. Rounding moves each coordinate of c by 2^-24 |c|, and of a vertex by 2^-24 s; radius and
// rotation come on top, and sqrt(3) is for the length. The bounds themselves are off by 2^-20 of the
// greatest distance of a corner, which is at most the upper bound and the triangle's diameter.
#ifndef ABUT_QUERY_CLOSEST_H
#define ABUT_QUERY_CLOSEST_H

#include "abut/closest.h"
#include "query/body_tree.h"
#include "query/query.h"
#include "query/winding.h"

// A body that is asked.
typedef struct abut__asked {
    abut__view view;
    abut__turn turn;        // if the body is turned
    double size;            // twice the extent
    bool placed;            // its frame is not the identity
    bool closed;            // its surface has an inside; only set if sides are wanted
    abut__winding winding;  // only set if sides of open surfaces are wanted
} abut__asked;

// Boxes and points of a block, in world axes, relative to the body's origin.
typedef struct abut__near_block {
    uint64_t query;  // for which it was filled; 0: none
    uint32_t asked;
    uint32_t block;
    double radius;                     // of the points, all pads of the block included
    const abut__block_boxes* boxes;    // in the pool or in `box_room`
    const abut__block_points* points;  // likewise
    abut__block_boxes box_room;
    abut__cached_points point_room;
    double error;       // length by which points may be off, without rounding to float
    abut__discs discs;  // only if the query makes use of them
    // only if points are in packs
    double lane_error;  // of gaps of discs, besides that of the point
    abut__disc disc;    // wider by its errors
} abut__near_block;
#define ABUT__NEAR_BLOCKS 1024u  // that a worker keeps, a power of two

// A triangle that may be among the closest.
typedef struct abut__near_triangle {
    uint32_t asked;
    uint32_t block;
    uint32_t lane;
    float lower;  // bound of its distance, rounded down
    uint32_t of;  // which point of a pack
} abut__near_triangle;

// A pair of a point and a triangle.
typedef struct abut__near_pair {
    uint32_t asked;
    uint32_t triangle;
    uint32_t block;
    uint32_t lane;
    uint32_t of;       // which point of a pack
    const double* at;  // the point that is asked
    float feature;     // as in point_search.h; -1: undecided there
    double distance;
    double s, t;
    double corner[3][3];
    double point[3];
} abut__near_pair;

typedef struct abut__near_gap {
    double gap_sq;
    abut__ref ref;
} abut__near_gap;

// Where a point was close last.
typedef struct abut__near_last {
    uint32_t body;  // index; ABUT__NONE: nowhere
    uint32_t block;
    uint32_t lane;
} abut__near_last;
typedef ABUT__VECTOR(abut__near_last) abut__near_lasts;

// Vertices of a block in double, of which those of `here` are known to be there.
typedef struct abut__near_exact {
    uint64_t query;  // 0: none
    uint64_t here;
    const abut__block_exact* vertices;
    uint32_t asked;
    uint32_t block;
} abut__near_exact;
#define ABUT__NEAR_EXACT 64u  // that a worker keeps, a power of two

// A point of a pack, which is that of a searcher.
typedef struct abut__pack_point {
    double at[3];
    float point[3];
    double pad;
    double error;          // of bounds of distances, without that of blocks
    double disc_error;     // the same of discs
    double reach;          // nothing farther is wanted
    abut__near_last last;  // where the closest may be, or is by what is known so far
    uint32_t first;        // the block that was looked at first
    float lane_error;      // the greatest error of gaps of discs
    uint64_t first_lanes;  // of it, that may be the closest
    bool loose;            // the distance of the triangle at `last` was not bounded yet
    const abut__near_pair* best;
} abut__pack_point;

// Neighbouring points.
#define ABUT__PACK_POINTS 16u
typedef struct abut__point_pack {
    uint32_t count;
    bool together;  // false: they must be searched one by one
    abut__pack_point points[ABUT__PACK_POINTS];
    abut__near_points near;
} abut__point_pack;

// A block that may be near some packs, a bit each.
typedef struct abut__near_entry {
    uint32_t block;
    uint32_t packs;
    bool known;  // `box` is the block's own, which is tighter than that of the tree
    abut__box3 box;
    abut__disc disc;  // likewise, only if known
} abut__near_entry;

// A lane of a block whose disc is near a point of a pack.
typedef struct abut__near_lane {
    float gap_sq;
    uint32_t block;
    uint8_t lane;
    uint8_t of;
} abut__near_lane;

// Neighbouring packs, and the blocks that may be near them.
#define ABUT__GROUP_PACKS 8u  // at most 16
#define ABUT__NEAR_ENTRIES 512u
#define ABUT__NEAR_LANES 1024u  // more than ABUT__BLOCK_TRIANGLES
typedef struct abut__point_group {
    uint32_t count;
    uint32_t entry_count;
    uint32_t lane_count;
    bool listed;  // several packs together
    abut__point_pack packs[ABUT__GROUP_PACKS];
    abut__near_packs near;
    abut__near_entry entries[ABUT__NEAR_ENTRIES];
    abut__near_lane lanes[ABUT__NEAR_LANES];
} abut__point_group;

typedef struct abut__closest_run abut__closest_run;

typedef struct abut__searcher {
    const abut__closest_run* run;
    // the current point
    double at[3];
    double reach;          // nothing farther is wanted
    uint32_t first_asked;  // the block that was searched first
    uint32_t first_block;
    // the same relative to the current body
    uint32_t asked;
    double offset[3];
    float point[3];
    double pad;
    double scale;     // of squared gaps
    double limit_sq;  // of squared gaps: no box beyond it is opened
    bool careful;     // floats may overflow, underflow or lose too much
    ABUT__VECTOR(abut__near_gap) stack;
    ABUT__VECTOR(abut__ref) refs;  // a stack for winding numbers
    ABUT__VECTOR(abut__body_gap) bodies;
    ABUT__VECTOR(abut__near_triangle) triangles;
    ABUT__VECTOR(double) uppers;  // a heap of the least upper bounds, if several rows are wanted
    ABUT__VECTOR(abut__near_pair) pairs;
    ABUT__VECTOR(abut__keyed) order;
    abut__near_block* blocks;
    abut__near_exact* exact;
    abut__point_group* group;
    abut_counters counters;
    abut_counters touched;
    uint64_t bad_vertex;  // body << 32 | vertex that was not finite; UINT64_MAX: none
    abut_status status;
} abut__searcher;

// The rows of a task: those of its points, in the order of these.
typedef struct abut__closest_task {
    ABUT__VECTOR(abut_closest_point) rows;
} abut__closest_task;

struct abut_closest_result {
    abut__workspace work;
    ABUT__VECTOR(abut_closest_point) list;
    size_t answered;                  // points, from the first on
    ABUT__VECTOR(abut__asked) asked;  // ascending by index of the body
    ABUT__VECTOR(abut_box) boxes;     // of these, in queries over a scene
    abut__body_tree tree;
    abut__near_lasts last;  // per point, of the last query that succeeded
    abut__near_lasts next;  // of this one
    ABUT__VECTOR(abut__keyed) order;
    ABUT__VECTOR(size_t) first;  // per point: the number of its rows, then where they begin
    ABUT__VECTOR(abut__closest_task) tasks;
    abut__searcher* searchers;  // one per worker
    abut__needs needs;
    uint64_t query;
    bool sparse;  // the last query evaluated so many blocks that few points share one
};

struct abut__closest_run {
    const abut_scene* scene;
    const abut__kernels* kernels;
    const abut_closest_def* def;
    abut_closest_result* result;
    abut__source source;
    size_t point_count;
    size_t first_task;  // of the portion that runs
    bool whole_scene;
    bool uses_discs;  // there are so many points that making them pays
    bool packs;       // points are searched together
};

// ---- closest_search.c
// Returns the body with this index among those asked; NULL: it is none of them.
const abut__asked* abut__closest_asked(const abut_closest_result* result, uint32_t body);
// Finds the triangles that may be among the closest of searcher->at, near which `last` may be.
void abut__closest_search(abut__searcher* searcher, const abut__near_last* last);
// Sets the point relative to a body, of which it gets the number among those asked.
void abut__closest_turn_to(abut__searcher* searcher, uint32_t number);
// Gets a block of that body.
const abut__near_block* abut__closest_block(abut__searcher* searcher, uint32_t block);

// ---- closest_pack.c
// Begins the packs of a group, of whose points `at` and `last` are set, on the only body.
void abut__closest_begin(abut__searcher* searcher);
// Lists the blocks near packs first .. end - 1, and returns the end.
uint32_t abut__closest_list(abut__searcher* searcher, uint32_t first);
// Finds the triangles that may be the closest of a pack's points; clears `together` if it cannot.
void abut__closest_pack(abut__searcher* searcher, abut__point_pack* pack);

// ---- closest_measure.c
// Measures the searcher's triangles and appends the rows of a point. False: no memory.
bool abut__closest_rows(abut__searcher* searcher, uint32_t point, abut__closest_task* task,
                        abut__near_last* last);
// Measures the triangles of a pack. False: no memory.
bool abut__closest_measure_pack(abut__searcher* searcher, abut__point_pack* pack);
// Appends the row of a point of it, if there is one.
bool abut__closest_pack_row(abut__searcher* searcher, const abut__pack_point* own, uint32_t point,
                            abut__closest_task* task, abut__near_last* last);
// Reads the corners of a lane of a block in world coordinates; false: one is not finite, which is noted.
bool abut__closest_corners(abut__searcher* searcher, uint32_t asked, uint32_t block, uint32_t lane,
                           double corner[3][3]);

#endif
