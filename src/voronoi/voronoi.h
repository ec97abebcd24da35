// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Voronoi culling: another way than trees to find pairs of triangles that are near each other, with
// nothing prepared. Based on: Sud, Govindaraju, Gayle, Kabul, Manocha, "Fast Proximity Computation
// Among Deformable Models Using Discrete Voronoi Diagrams" (2006).
//
//   sites.c      all triangles in units of cells         voronoi_grid.c   which cells they are in
//   intervals.c  stage I: boxes of bodies, first bounds
//   field.c      stage II: the second-order Voronoi diagram
//   near.c       triangles within reach of a triangle, and bounds within a body
//   voronoi_bodies.c  for every body its nearest other one
//   near_triangles.c  the same for triangles
//   near_pairs.c all pairs within a distance              prisms.c     triangles over a step
//
// Stage III, measuring or deciding pairs exactly, belongs to the caller. Bounds are in cells, from
// below and from above, for all rounding (sites.h, grid_gaps.h, field.h), so culling changes no answer.
#ifndef ABUT_VORONOI_VORONOI_H
#define ABUT_VORONOI_VORONOI_H

#include "voronoi/field.h"
#include "voronoi/intervals.h"

// A triangle near another one.
typedef struct abut__near {
    float gap;  // from below, in cells
    uint32_t own;
    uint32_t other;
} abut__near;

// What one worker needs.
typedef struct abut__voronoi_worker {
    abut__uint32s stamps;  // by site: when it was last seen
    uint32_t stamp;
    ABUT__VECTOR(abut__near) found;
    ABUT__VECTOR(abut__keyed) keys;  // twice as many
    ABUT__VECTOR(abut__near) sorted;
    bool failed;  // out of memory
    uint64_t boxes_tested;
} abut__voronoi_worker;

// How the work was spent, and on what.
typedef struct abut__voronoi_counts {
    uint32_t size[3];  // of the grid
    uint32_t band;
    uint64_t kept;        // triangles that the diagram left
    uint64_t candidates;  // pairs of them
    uint64_t measured;    // pairs measured
} abut__voronoi_counts;

// The memory it works in, kept from query to query.
typedef struct abut__voronoi {
    abut__sites sites;
    abut__grid_cells grid;
    abut__intervals intervals;
    abut__field field;
    ABUT__VECTOR(float) below;       // by site: what its nearest other body is beyond, in cells
    ABUT__VECTOR(abut__near) named;  // by body: its nearest pair in the diagram
    abut__uint32s ring_first;        // triangles at a class of vertices, of all bodies
    abut__uint32s ring;
    abut__uint32s ring_offset;  // by body: where its classes begin
    abut__voronoi_worker* workers;
    uint32_t worker_count;
    abut__voronoi_counts counts;
} abut__voronoi;

// Measures up to 16 pairs of sites. A pair that does not count is infinitely far. Returns how many were
// measured.
typedef uint32_t (*abut__measure_fn)(void* user, uint32_t worker, const abut__near* pairs,
                                     uint32_t count, double* distances);

// The nearest pair so far; other == ABUT__NONE: there is none.
typedef struct abut__voronoi_best {
    double distance;
    uint32_t own;
    uint32_t other;
} abut__voronoi_best;

typedef struct abut__voronoi_ask {
    abut__meet_fn meet;  // which bodies count
    uint32_t cells;      // along the longest side of the grid; 0: chosen
    uint32_t only;       // body (among the sites) whose triangles are asked about; ABUT__NONE: all
    bool filtered;       // pairs may turn out not to count: only what was measured is a bound
    abut__measure_fn measure;
    void* user;
} abut__voronoi_ask;

// ---- setting up: clear, add bodies (abut__sites_add), then one of the questions below
bool abut__voronoi_begin(const abut_context* context, abut__voronoi* v);
void abut__voronoi_free(const abut_context* context, abut__voronoi* v);
// Pairs of boxes that all workers compared in the last question.
uint64_t abut__voronoi_boxes_tested(const abut__voronoi* v);

// ---- questions; false: no memory
// For every body its nearest other one: `best` has room for all bodies and says how far to look at
// most (own and other are ABUT__NONE).
bool abut__voronoi_bodies(const abut_context* context, abut__voronoi* v,
                          const abut__voronoi_ask* ask, abut__voronoi_best* best);
// For every triangle (of one body, or of all) the nearest one of another body, or, `within`, of its own body that shares no
// vertex with it. `best` has room for all sites; it is as above.
bool abut__voronoi_triangles(const abut_context* context, abut__voronoi* v,
                             const abut__voronoi_ask* ask, bool within, abut__voronoi_best* best);
// All pairs own < other of sites that may be at most `distance` apart, in chunks, in an order that
// does not depend on the number of threads: of different bodies, or of the same one. Neighbours are
// among the latter only if they are wanted.
typedef struct abut__voronoi_all {
    double distance;
    bool within;
    bool neighbours;
} abut__voronoi_all;
typedef bool (*abut__pairs_fn)(void* user, const abut__near* pairs, size_t count);
bool abut__voronoi_pairs(const abut_context* context, abut__voronoi* v,
                         const abut__voronoi_ask* ask, const abut__voronoi_all* all,
                         abut__pairs_fn fn, void* user);

// ---- shared by the questions
// Whether a pair comes before another one at the same distance: the other one's body, then the triangle
// of the body with the lower index, or the lower one within a body, then the second triangle decide.
bool abut__pair_before(const abut__sites* sites, uint32_t own, uint32_t other,
                       const abut__voronoi_best* than);
// How far to go before pairs are looked for.
typedef enum abut__voronoi_depth {
    ABUT__VORONOI_GRID,     // only the grid
    ABUT__VORONOI_SAMPLED,  // also stage I, and a diagram as wide as its bounds ask for
    ABUT__VORONOI_BANDED,   // also a diagram of a given width
} abut__voronoi_depth;
// Lays the grid and works out what is asked for: of diagrams also bounds from below for all sites.
// They reach at least as far as `distance`, within reason.
bool abut__voronoi_prepare(const abut_context* context, abut__voronoi* v,
                           const abut__voronoi_ask* ask, abut__voronoi_depth depth,
                           double distance);
// Whether two sites of one body share a vertex.
bool abut__sites_adjacent(const abut__sites* sites, uint32_t a, uint32_t b);
// Links triangles at their vertices, body by body. False: no memory.
bool abut__rings_make(const abut_context* context, abut__voronoi* v);
// A distance that some triangle which shares no vertex with this one, but with a neighbour, is
// within, in cells; infinite if there is none.
float abut__ring_above(const abut__voronoi* v, uint32_t site);

// Which triangles abut__near_find() looks for.
typedef struct abut__near_ask {
    abut__meet_fn meet;
    bool within;      // of the same body, else of others
    bool neighbours;  // within: those that share a vertex, too
    bool later;       // only sites above the own one
    bool shrink;      // the nearest is wanted: reach shrinks to what is found to be within
} abut__near_ask;
// Appends all sites within reach of a site to the worker's `found`; returns the reach.
float abut__near_find(const abut_context* context, const abut__voronoi* v,
                      abut__voronoi_worker* worker, const abut__near_ask* ask, uint32_t site,
                      float reach);
// Sorts found[first ..] by their gaps.
bool abut__near_sort(const abut_context* context, abut__voronoi_worker* worker, size_t first);

#endif
