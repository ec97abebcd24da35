// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Voronoi culling finds pairs of triangles that are near each other without trees or any other
// preparation. Based on: Sud, Govindaraju, Gayle, Kabul, Manocha, "Fast Proximity Computation Among
// Deformable Models Using Discrete Voronoi Diagrams" (2006).
//
//   sites.c           all triangles in units of cells
//   voronoi_grid.c    which cells they are in
//   intervals.c       stage I: boxes of bodies, first bounds
//   field.c           stage II: the second-order Voronoi diagram
//   near.c            triangles within reach of a triangle, and bounds within a body
//   voronoi_bodies.c  for every body its nearest other one
//   near_triangles.c  the same for triangles
//   near_pairs.c      all pairs within a distance
//   prisms.c          triangles over a step
//
// Stage III, measuring or deciding pairs exactly, belongs to the caller. Lower and upper bounds are
// in cells and cover all rounding (sites.h, grid_gaps.h, field.h), so culling changes no answer.
#ifndef ABUT_VORONOI_VORONOI_H
#define ABUT_VORONOI_VORONOI_H

#include "voronoi/field.h"
#include "voronoi/intervals.h"

// A pair of triangles that are near each other.
typedef struct abut__near {
    float gap;  // lower bound of the distance, in cells
    uint32_t own;
    uint32_t other;
} abut__near;

// The memory of one worker.
typedef struct abut__voronoi_worker {
    abut__uint32s stamps;  // by site: when it was last visited
    uint32_t stamp;
    ABUT__VECTOR(abut__near) found;
    ABUT__VECTOR(abut__keyed) keys;  // twice as many
    ABUT__VECTOR(abut__near) sorted;
    bool failed;  // out of memory
    uint64_t boxes_tested;
} abut__voronoi_worker;

// Counts of the last query.
typedef struct abut__voronoi_counts {
    uint32_t size[3];  // of the grid
    uint32_t band;
    uint64_t kept;        // triangles left after culling by the diagram
    uint64_t candidates;  // pairs of them
    uint64_t measured;    // pairs measured
} abut__voronoi_counts;

// The memory of Voronoi queries, reused from query to query.
typedef struct abut__voronoi {
    abut__sites sites;
    abut__grid_cells grid;
    abut__intervals intervals;
    abut__field field;
    ABUT__VECTOR(float)
    below;                           // by site: lower bound of the distance to another body, in
                                     // cells
    ABUT__VECTOR(abut__near) named;  // by body: its nearest pair in the diagram
    abut__uint32s ring_first;        // triangles at a class of vertices, of all bodies:
                                     // ranges of `ring`
    abut__uint32s ring;
    abut__uint32s ring_offset;  // by body: where its classes begin
    abut__voronoi_worker* workers;
    uint32_t worker_count;
    abut__voronoi_counts counts;
} abut__voronoi;

// Measures up to 16 pairs of sites; sets the distance of a pair that does not count to infinity.
// Returns the number of pairs measured.
typedef uint32_t (*abut__measure_fn)(void* user, uint32_t worker, const abut__near* pairs,
                                     uint32_t count, double* distances);

// The nearest pair so far; other == ABUT__NONE: there is none.
typedef struct abut__voronoi_best {
    double distance;
    uint32_t own;
    uint32_t other;
} abut__voronoi_best;

typedef struct abut__voronoi_ask {
    abut__meet_fn meet;  // which pairs of bodies count
    uint32_t cells;      // along the longest side of the grid; 0: automatic
    uint32_t only;       // body (among the sites) whose triangles are queried; ABUT__NONE: all
    bool filtered;       // pairs may turn out not to count: only measured pairs give upper bounds
    abut__measure_fn measure;
    void* user;
} abut__voronoi_ask;

// ---- setting up: clear, add bodies (abut__sites_add), then one of the queries below
bool abut__voronoi_begin(const abut_context* context, abut__voronoi* v);
void abut__voronoi_free(const abut_context* context, abut__voronoi* v);
// Returns the number of pairs of boxes that all workers compared in the last query.
uint64_t abut__voronoi_boxes_tested(const abut__voronoi* v);

// ---- queries; false: no memory
// Finds for every body its nearest other one. `best` has room for all bodies; it enters with the
// greatest distance to search, and with own and other ABUT__NONE.
bool abut__voronoi_bodies(const abut_context* context, abut__voronoi* v,
                          const abut__voronoi_ask* ask, abut__voronoi_best* best);
// Finds for every triangle (of one body or of all) the nearest one of another body or, if `within`,
// the nearest one of its own body that shares no vertex with it. `best` has room for all sites,
// otherwise as above.
bool abut__voronoi_triangles(const abut_context* context, abut__voronoi* v,
                             const abut__voronoi_ask* ask, bool within, abut__voronoi_best* best);
// Finds all pairs own < other of sites that may be at most `distance` apart, of different bodies
// or, if `within`, of the same one. `neighbours` includes pairs that share a vertex. Pairs come in
// chunks, in an order that does not depend on the number of threads.
typedef struct abut__voronoi_all {
    double distance;
    bool within;
    bool neighbours;
} abut__voronoi_all;
typedef bool (*abut__pairs_fn)(void* user, const abut__near* pairs, size_t count);
bool abut__voronoi_pairs(const abut_context* context, abut__voronoi* v,
                         const abut__voronoi_ask* ask, const abut__voronoi_all* all,
                         abut__pairs_fn fn, void* user);

// ---- shared by the queries
// Returns whether a pair precedes another one at the same distance. The criteria are the index of
// the other body, then the triangle of the body with the lower index (within a body: the lower
// triangle), then the second triangle.
bool abut__pair_before(const abut__sites* sites, uint32_t own, uint32_t other,
                       const abut__voronoi_best* than);
// The preparation of a query.
typedef enum abut__voronoi_depth {
    ABUT__VORONOI_GRID,     // only the grid
    ABUT__VORONOI_SAMPLED,  // also stage I, and a diagram as wide as its bounds require
    ABUT__VORONOI_BANDED,   // also a diagram of a given width
} abut__voronoi_depth;
// Whether no worker has run out of memory.
static inline bool abut__voronoi_done(const abut__voronoi* v) {
    bool done = true;
    for (uint32_t w = 0; w < v->worker_count; ++w) {
        done = done && !v->workers[w].failed;
    }
    return done;
}
// Lays the grid and prepares the rest. Diagrams come with lower bounds for all sites, which reach
// at least as far as `distance`, up to a limit.
bool abut__voronoi_prepare(const abut_context* context, abut__voronoi* v,
                           const abut__voronoi_ask* ask, abut__voronoi_depth depth,
                           double distance);
// Returns whether two sites of one body share a vertex.
bool abut__sites_adjacent(const abut__sites* sites, uint32_t a, uint32_t b);
// Links triangles at their vertices, body by body. False: no memory.
bool abut__rings_make(const abut_context* context, abut__voronoi* v);
// Returns an upper bound, in cells, of the distance to some triangle that shares no vertex with
// this one but shares one with a neighbour; infinite if there is none.
float abut__ring_above(const abut__voronoi* v, uint32_t site);

// The triangles that abut__near_find() looks for.
typedef struct abut__near_ask {
    abut__meet_fn meet;
    bool within;      // of the same body, else of others
    bool neighbours;  // within: those that share a vertex, too
    bool later;       // only sites with greater numbers
    bool shrink;      // only the nearest is wanted: the reach shrinks to the upper bounds found
} abut__near_ask;
// Appends all sites within reach of a site to the worker's `found`; returns the reach.
float abut__near_find(const abut_context* context, const abut__voronoi* v,
                      abut__voronoi_worker* worker, const abut__near_ask* ask, uint32_t site,
                      float reach);
// Sorts found[first ..] by their gaps.
bool abut__near_sort(const abut_context* context, abut__voronoi_worker* worker, size_t first);

#endif
