// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Internals of proximity queries. A seeker finds the closest pairs of triangles of two bodies, or
// within one, by branch and bound. It stores the best pair so far in slots (one for a pair of
// bodies, or one for each triangle of a block), descends where boxes may be nearer than that, and
// measures pairs of triangles whose boxes may be, sixteen at a time.
//
//   corners.c          exact vertices of a block
//   measure.c          from pairs of triangles to slots
//   block_gaps.c       proves triangles of blocks farther apart than the best pair
//   best.c             descends pairs of nodes, or a block against nodes
//   nearest_voronoi.c  fills the same slots by Voronoi culling
//   nearest.c          the calls
//   nearest_result.c   the caller's object
//   within.c           all pairs
#ifndef ABUT_QUERY_NEAREST_H
#define ABUT_QUERY_NEAREST_H

#include "abut/within.h"
#include "exact/distance.h"
#include "query/corners.h"
#include "query/near_bodies.h"
#include "query/query.h"

struct abut__voronoi_best;

// The closest pair so far. Bodies are in ascending order, and so are triangles within one.
typedef struct abut__slot {
    double gap;       // distance less thickness; nothing with a greater one is wanted
    double distance;  // of the surfaces
    bool found;       // there is a pair with that gap:
    bool whole;       // `closest` does not tell the points: the pair must be measured again
    uint32_t body[2];
    uint32_t triangle[2];
    uint32_t other;  // index of the one that the query is not about
    abut__closest closest;
} abut__slot;

#define ABUT__NO_SLOT 0xffu
// Pairs of triangles to be measured: of job `a` and `b`, in the order of measuring.
typedef struct abut__pairs16 {
    uint32_t count;
    uint8_t slot[ABUT__BATCH];
    uint8_t other[ABUT__BATCH];  // as in slots
    uint8_t both[ABUT__BATCH];   // the other triangle's slot, if it has one, or ABUT__NO_SLOT
    uint32_t triangle[2][ABUT__BATCH];
    double thick[ABUT__BATCH];  // of both triangles together
    abut__triangle_batch lanes;
} abut__pairs16;

// Two nodes or blocks, and a lower bound of their distance.
typedef struct abut__near_entry {
    abut__ref a;
    abut__ref b;
    float least_sq;
} abut__near_entry;
typedef ABUT__VECTOR(abut__near_entry) abut__near_entries;
#define ABUT__NEAR_OPEN_MOST 64u  // entries that one level of a descent adds

typedef struct abut__seeker {
    const abut_scene* scene;
    const abut__kernels* kernels;
    const abut__settings* def;
    abut__job job;      // the current one
    double thick;       // of the thickest triangles of both bodies together
    bool first_is_b;    // body b has the lower index; the query is about a
    bool tagged;        // tags may exclude pairs
    bool neighbours;    // pairs of the current blocks may share a vertex
    bool same_block;    // a block meets itself: a pair counts for both triangles
    bool found;         // any pair
    abut__slot* slots;  // one, or one for each of these lanes of a block of a:
    uint64_t lanes;
    float limits[ABUT__BLOCK_TRIANGLES];  // per lane: squares of distances, rounded up
    abut__corners corners[2];
    abut__lane_corners near_b;  // of the current block of b, for a first test
    abut__pairs16 doubtful;     // pairs whose boxes are near enough
    abut__pairs16 likely;       // those of them that no axis separates by more
    abut__block_boxes room[2];
    abut__near_entries stack;
    bool seeded;                    // since the slots were set
    uint64_t meetings;              // of blocks since the job began
    struct abut__block_gaps* gaps;  // made at first use
    const abut__needs* needs;       // NULL: nothing is counted
    abut_counters counters;
    abut_counters touched;  // blocks evaluated for the first time in their states
    uint64_t bad_vertex;    // body << 32 | vertex that was not finite; UINT64_MAX: none
    abut_status status;
} abut__seeker;

// A pair that was closest in the last query.
typedef struct abut__near_memory {
    uint32_t body[2];
    uint32_t triangle[2];
} abut__near_memory;

// Rows of distance pairs, and the memory of proximity queries.
typedef struct abut__proximity {
    abut__workspace work;
    ABUT__VECTOR(abut_distance_pair) list;
    // memory that queries work in
    ABUT__VECTOR(abut__near_memory) last;  // the last list, in its order
    ABUT__VECTOR(abut__slot) slots;
    abut__uint32s places;  // the slot of a triangle
    abut__near_bodies among;
    double thickest;                  // of these
    ABUT__VECTOR(abut__keyed) order;  // two entries per body for each worker
    abut__seeker* seekers;            // one per worker
    abut__needs needs;
    ABUT__VECTOR(struct abut__voronoi_best) best;
    struct abut__voronoi* voronoi;  // made at first use
} abut__proximity;

struct abut_nearest_result {
    abut__proximity near;
};
struct abut_within_result {
    abut__proximity near;
};

// ---- nearest_result.c
// Creates a result of `size` bytes that begins with a proximity, and stores its address at `place`,
// a pointer to a pointer to its type.
abut_status abut__near_create(abut_context* context, size_t size, void* place, abut_error* error);
// Frees a result of abut__near_create(); NULL is fine.
void abut__near_destroy(void* result, size_t size);
// Removes all rows.
void abut__near_empty(abut__proximity* near);
// Starts a query: stores the last list, empties it, and resets the seekers.
abut_status abut__near_begin(const abut_scene* scene, const abut__settings* def,
                             abut__proximity* near);
// Ends a query: collects status and counters of all seekers. After a failure empties the rows and
// fills `error`.
abut_status abut__near_end(const abut_scene* scene, const abut__settings* def,
                           abut__proximity* near, abut_status status, abut_error* error);
// Returns the last pair of a body, or of one of its triangles; NULL: none.
const abut__near_memory* abut__near_recall(const abut__proximity* near, uint32_t body,
                                           uint32_t triangle);
#define ABUT__ANY_TRIANGLE UINT32_MAX

// Returns the boxes of a block, and counts it as needed.
const abut__block_boxes* abut__seeker_boxes(abut__seeker* seeker, abut__body* body, uint32_t block,
                                            abut__block_boxes* room);

// ---- corners.c
// Returns the corners of one triangle; false: one is not finite, which is recorded.
bool abut__corners_of(abut__seeker* seeker, const abut__body* body, uint32_t triangle, bool placed,
                      double out[3][3]);
// Whether the body's frame must be applied.
bool abut__corners_placed(bool in_shape, const abut__body* body);

// ---- measure.c
// Returns the greatest distance at which a pair so thick, or less, can have a gap up to `gap`. Below 0:
// no pair can. A computed gap is the rounded difference of a distance and a rounded sum, so the exact
// one is off by less than 2^-51 of both.
double abut__gap_reach(double gap, double thick);
// Empties slots: no gap greater than `within` is wanted.
void abut__slots_empty(abut__slot* slots, uint32_t count, double within);
// Sets the slots to fill: one for each lane, or, without lanes, one for all. The thickness of the
// current job counts.
void abut__seeker_aim(abut__seeker* seeker, abut__slot* slots, uint64_t lanes);
// Sets how thick the thickest triangles of the job are together.
void abut__seeker_thicken(abut__seeker* seeker, double thick);
// Adds a pair of lanes of the blocks whose corners were fetched.
void abut__seeker_add(abut__seeker* seeker, uint32_t block_a, uint32_t lane_a, uint32_t block_b,
                      uint32_t lane_b);
// Adds a pair of triangles of the job's bodies, without a first test.
void abut__seeker_try(abut__seeker* seeker, uint32_t slot, uint32_t triangle_a,
                      uint32_t triangle_b);
// Measures all pairs that are left.
void abut__seeker_flush(abut__seeker* seeker);
// Whether the answer is final, or the query has failed.
bool abut__seeker_is_done(const abut__seeker* seeker);
// Returns the distance pair of a slot, with the one that the query is about first.
void abut__slot_pair(abut__seeker* seeker, const abut__slot* slot, abut_distance_pair* pair);

// ---- nearest_voronoi.c
// Fill the slots by Voronoi culling: of two bodies, of all of near->bodies, or of all triangles of
// a body.
abut_status abut__nearest_voronoi_two(const abut_scene* scene, abut__body* a, abut__body* b,
                                      const abut__settings* def, abut__proximity* near);
abut_status abut__nearest_voronoi_all(const abut_scene* scene, const abut__settings* def,
                                      abut__proximity* near);
abut_status abut__nearest_voronoi_triangles(const abut_scene* scene, abut__body* body, bool self,
                                            const abut__settings* def, abut__proximity* near);

// ---- block_gaps.c
// Forgets the vertices of blocks, which belong to the last job or state.
void abut__block_gaps_begin(abut__seeker* seeker);
// Removes lanes of a block of a and of one of b that are proven farther from the other block than
// the best pair so far. The first few calls of a job remove none: the proof pays where many blocks
// are about equally near.
void abut__blocks_narrow(abut__seeker* seeker, const uint32_t block[2], uint64_t lanes[2]);
// If one of the seekers has a store of vertices, gives one to each, as far as there is memory. Threads
// decide which seeker needs one first, and queries after the first ones must not allocate.
void abut__block_gaps_share(const abut_context* context, abut__seeker* seekers, uint32_t count);
void abut__block_gaps_free(const abut_context* context, abut__seeker* seeker);

// ---- slab.c
// Finds the closest triangles of two bodies if a direction across the closest pair so far leaves
// few pairs of blocks. False: it does not; the search must go on.
bool abut__seek_slab(abut__seeker* seeker);

// ---- best.c
// Measures the pairs of two blocks of the job that are near enough.
void abut__seeker_meet_blocks(abut__seeker* seeker, uint32_t block_a, uint32_t block_b);
// Prepares a job of two bodies, or of one with itself; false: no memory.
bool abut__seeker_meet(abut__seeker* seeker, abut__body* a, abut__body* b);
// Finds the closest triangles of the bodies.
void abut__seek_pair(abut__seeker* seeker);
// Finds for each triangle of a block of a the closest one of b.
void abut__seek_block(abut__seeker* seeker, uint32_t block);

#endif
