// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How queries of proximity work inside. A seeker looks for the closest pairs of triangles of two
// bodies, or within one, by branch and bound: it keeps the best pair so far in slots (one for a pair
// of bodies, or one for each triangle of a block), descends where boxes may be nearer than that, and
// measures pairs of triangles whose boxes may be, sixteen at a time.
//
//   corners.c   a block's vertices as answers see them
//   measure.c   from pairs of triangles to slots
//   best.c      descending pairs of nodes, or a block against nodes
//   nearest_voronoi.c   the same slots by Voronoi culling
//   nearest.c   the calls           nearest_result.c   the caller's object           within.c   all pairs
#ifndef ABUT_QUERY_NEAREST_H
#define ABUT_QUERY_NEAREST_H

#include "abut/nearest.h"
#include "exact/distance.h"
#include "query/query.h"

struct abut__voronoi_best;

// The closest pair so far. Bodies are in ascending order, and so are triangles within one.
typedef struct abut__slot {
    double distance;  // nothing farther is wanted
    bool found;       // there is a pair at that distance:
    bool whole;       // `closest` is not enough to say where: it must be measured again
    uint32_t body[2];
    uint32_t triangle[2];
    uint32_t other;  // which of the two is not the one asked about
    abut__closest closest;
} abut__slot;

// Vertices of a block in double, in the coordinates that a job is decided in; those that were asked
// for.
typedef struct abut__corners {
    const abut__body* body;
    uint32_t block;
    bool placed;    // in world coordinates
    uint64_t here;  // one bit a vertex
    uint64_t bad;   // not finite
    double xyz[ABUT__BLOCK_VERTICES][3];
} abut__corners;

#define ABUT__NO_SLOT 0xffu
// Pairs of triangles on their way: of job `a` and `b` in the order that they are measured in.
typedef struct abut__pairs16 {
    uint32_t count;
    uint8_t slot[ABUT__BATCH];
    uint8_t other[ABUT__BATCH];  // as in slots
    uint8_t both[ABUT__BATCH];   // the other triangle's slot, if it has one, or ABUT__NO_SLOT
    uint32_t triangle[2][ABUT__BATCH];
    abut__triangle_batch lanes;
} abut__pairs16;

// Two nodes or blocks, and how near they may be.
typedef struct abut__near_entry {
    abut__ref a;
    abut__ref b;
    float least_sq;
} abut__near_entry;
typedef ABUT__VECTOR(abut__near_entry) abut__near_entries;
#define ABUT__NEAR_OPEN_MOST 64u  // entries that a level of a descent leaves behind

typedef struct abut__seeker {
    const abut_scene* scene;
    const abut__kernels* kernels;
    const abut_nearest_def* def;
    abut__job job;      // the present one
    bool first_is_b;    // body b has the lower index; a is the one asked about
    bool tagged;        // tags may rule pairs out
    bool neighbours;    // pairs of the present blocks may share a vertex
    bool same_block;    // a block meets itself: pairs are of use to both triangles
    bool found;         // anything at all
    abut__slot* slots;  // one, or one for each of these lanes of a block of a:
    uint64_t lanes;
    float limits[ABUT__BLOCK_TRIANGLES];  // of every lane: squares of distances, rounded up
    abut__corners corners[2];
    abut__lane_corners near_b;  // of the present block of b, for a first look
    abut__pairs16 doubtful;     // boxes are near enough
    abut__pairs16 likely;       // and no axis was found that separates them by more
    abut__block_boxes room[2];
    abut__near_entries stack;
    const abut__needs* needs;  // NULL: nobody counts
    abut_counters counters;
    abut_counters touched;  // blocks that were evaluated for the first time in their states
    uint64_t bad_vertex;    // body << 32 | vertex that was not finite; UINT64_MAX: none
    abut_status status;
} abut__seeker;

// A body as others see it from afar.
typedef struct abut__near_body {
    abut__body* body;
    abut_box box;
} abut__near_body;

// A pair that was closest when it was last asked for.
typedef struct abut__near_memory {
    uint32_t body[2];
    uint32_t triangle[2];
} abut__near_memory;

struct abut_gaps {
    const abut_context* context;
    bool found;
    abut_body_id bad_body;
    uint32_t bad_vertex;
    ABUT__VECTOR(abut_gap) list;
    // memory that queries work in
    ABUT__VECTOR(abut__near_memory) last;  // what the list was, in its order
    ABUT__VECTOR(abut__slot) slots;
    abut__uint32s places;  // the slot of a triangle
    ABUT__VECTOR(abut__near_body) bodies;
    ABUT__VECTOR(abut__keyed) order;  // for each worker two for every body
    abut__seeker* seekers;            // one a worker
    abut__needs needs;
    uint32_t worker_count;
    abut_result* result;
    ABUT__VECTOR(struct abut__voronoi_best) best;
    struct abut__voronoi* voronoi;  // made when first asked for
};

// ---- nearest_result.c
// Checks what every query takes; false: it makes no sense.
bool abut__gaps_are_valid(const abut_scene* scene, const abut_nearest_def* def,
                          const abut_gaps* gaps);
// Starts a query: remembers the list, empties it, and lets seekers start anew.
abut_status abut__gaps_begin(const abut_scene* scene, const abut_nearest_def* def, abut_gaps* gaps);
// What all seekers have to say, and the counters; empties the list if it is not good.
abut_status abut__gaps_end(const abut_scene* scene, const abut_nearest_def* def, abut_gaps* gaps,
                           abut_status status);
// The pair remembered for a body, or for a triangle of it; NULL: none.
const abut__near_memory* abut__gaps_recall(const abut_gaps* gaps, uint32_t body, uint32_t triangle);
#define ABUT__ANY_TRIANGLE UINT32_MAX

// The boxes of a block, which is needed.
const abut__block_boxes* abut__seeker_boxes(abut__seeker* seeker, abut__body* body, uint32_t block,
                                            abut__block_boxes* room);

// ---- corners.c
// Sees to it that the wanted vertices of a block, one bit each, are there.
void abut__corners_fetch(const abut__seeker* seeker, abut__corners* corners, const abut__body* body,
                         uint32_t block, bool placed, uint64_t wanted);
// The corners of one triangle, likewise; false: one is not finite, which is noted.
bool abut__corners_of(abut__seeker* seeker, const abut__body* body, uint32_t triangle, bool placed,
                      double out[3][3]);
// Whether the body's frame is to be applied.
bool abut__corners_placed(bool in_shape, const abut__body* body);

// ---- measure.c
// Forgets all pairs: nothing farther than `within` is wanted.
void abut__slots_empty(abut__slot* slots, uint32_t count, double within);
// Takes slots over: one for each lane, or, with no lanes, one for all.
void abut__seeker_aim(abut__seeker* seeker, abut__slot* slots, uint64_t lanes);
// A pair of lanes of the blocks whose corners were fetched.
void abut__seeker_add(abut__seeker* seeker, uint32_t block_a, uint32_t lane_a, uint32_t block_b,
                      uint32_t lane_b);
// A pair of triangles, measured at once; bodies are those of the job.
void abut__seeker_try(abut__seeker* seeker, uint32_t slot, uint32_t triangle_a,
                      uint32_t triangle_b);
// Measures what is left over.
void abut__seeker_flush(abut__seeker* seeker);
// Whether the answer cannot change any more, or must not be waited for.
bool abut__seeker_is_done(const abut__seeker* seeker);
// The gap of a slot, the one asked about first.
void abut__slot_gap(abut__seeker* seeker, const abut__slot* slot, abut_gap* gap);

// ---- nearest_voronoi.c
// Fills the slots by Voronoi culling: of two bodies, of all that gaps->bodies has, or of the triangles
// of a body, by block and lane.
abut_status abut__nearest_voronoi_two(const abut_scene* scene, abut__body* a, abut__body* b,
                                      const abut_nearest_def* def, abut_gaps* gaps);
abut_status abut__nearest_voronoi_all(const abut_scene* scene, const abut_nearest_def* def,
                                      abut_gaps* gaps);
abut_status abut__nearest_voronoi_triangles(const abut_scene* scene, abut__body* body, bool self,
                                            const abut_nearest_def* def, abut_gaps* gaps);

// ---- best.c
// Prepares two bodies, or one with itself; false: no memory.
bool abut__seeker_meet(abut__seeker* seeker, abut__body* a, abut__body* b);
// The closest triangles of the bodies.
void abut__seek_pair(abut__seeker* seeker);
// For the triangles of a block of a the closest ones of b.
void abut__seek_block(abut__seeker* seeker, uint32_t block);

#endif
