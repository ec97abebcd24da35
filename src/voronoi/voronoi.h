// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Voronoi culling finds pairs of triangles that are near each other without trees or any other
// preparation. Based on: Sud, Govindaraju, Gayle, Kabul, Manocha, "Fast Proximity Computation Among
// Deformable Models Using Discrete Voronoi Diagrams" (2006).
//
//   sites.c           all triangles in units of cells, and the grid
//   voronoi_grid.c    their pieces, sorted by cells
//   intervals.c       stage I: boxes of bodies, first bounds
//   rings.c           the same for triangles within a body
//   site_line.c       the triangles of small bodies in runs, which need no grid
//   diagram.c         stage II: the second-order Voronoi diagram on surfaces, and the sets of
//                     potential neighbours that follow from it
//   near_objects.c    the same for bodies
//   voronoi_bodies.c  for every body its nearest other one
//   near_triangles.c  the same for triangles
//   near_pairs.c      all pairs within a distance
//   prisms.c          triangles over a step
//
// Stage III, measuring or deciding pairs exactly, belongs to the caller. Lower and upper bounds are
// in cells and cover all rounding (sites.h, kernels/voronoi_kernel.c), so culling changes no answer.
#ifndef ABUT_VORONOI_VORONOI_H
#define ABUT_VORONOI_VORONOI_H

#include "exact/distance.h"
#include "voronoi/intervals.h"
#include "voronoi/voronoi_grid.h"

// A pair of triangles that are near each other.
typedef struct abut__near {
    float gap;    // lower bound of the distance, in cells
    float above;  // upper bound, or the distance of `other` from the sample
    uint32_t own;
    uint32_t other;
} abut__near;

// Places of sites in a list, which are valid if their stamp is the present one.
typedef struct abut__site_marks {
    abut__uint32s stamps;
    abut__uint32s at;
    uint32_t stamp;
} abut__site_marks;

// Boxes near some sites together, in which each of these is searched for.
typedef struct abut__near_group {
    bool valid;
    ABUT__VECTOR(float) sides;
    abut__uint32s site_of;
    ABUT__VECTOR(int32_t) body_of;
    uint32_t first[2];
    abut__bins bins;
    abut__slabs slabs;  // in the line, instead of `bins`
    float axis[3];      // that of `slabs`
} abut__near_group;

// The memory of one worker.
typedef struct abut__voronoi_worker {
    abut__site_marks entered;  // by site: where it is in `found`, if it was found in this search
    abut__site_marks seen;     // the same for `hits`
    abut__uint32s hits;        // boxes near a box, or their sites; room for all
    abut__near_group group;
    ABUT__VECTOR(float) gaps;
    ABUT__VECTOR(abut__near) found;
    ABUT__VECTOR(abut__keyed) keys;  // twice as many
    ABUT__VECTOR(abut__near) sorted;
    abut__uint32s objects;  // potential neighbours of a body
    abut__uint32s narrow;   // those of them that are near some of its triangles
    abut__uint32s
        corners;  // by class of vertices: a mark of the site whose ring it was last seen in
    bool failed;  // out of memory
    uint64_t boxes_tested;
} abut__voronoi_worker;

// Counts of the last query.
typedef struct abut__voronoi_counts {
    uint32_t size[3];     // of the grid
    uint64_t pieces;      // in it: the samples of the diagram
    uint64_t objects;     // pairs in the sets of potential neighbours of bodies
    uint64_t kept;        // triangles left after culling by these
    uint64_t pairs;       // pairs in the sets of potential neighbours of triangles
    uint64_t candidates;  // those left after the bounds of pairs
    uint64_t measured;    // pairs measured
} abut__voronoi_counts;

// A triangle at a class of vertices, and the class of its next corner.
typedef struct abut__ring_entry {
    uint32_t site;
    uint32_t next;
} abut__ring_entry;

// The sites of small bodies in runs: those of each body one after the other, from a new run on.
#define ABUT__LINE_RUN 16u
typedef struct abut__voronoi_line {
    bool used;                      // in this query, instead of the grid
    ABUT__VECTOR(float) sides;      // of sites, then of runs
    ABUT__VECTOR(float) limits;     // likewise; within a body only
    ABUT__VECTOR(int32_t) corners;  // likewise
    abut__site_line view;
} abut__voronoi_line;

// The memory of Voronoi queries, reused from query to query.
typedef struct abut__voronoi {
    abut__sites sites;
    abut__grid_cells grid;
    abut__voronoi_line line;
    abut__intervals intervals;
    abut__uint32s ring_first;  // triangles at a class of vertices, of all bodies: ranges of `ring`
    ABUT__VECTOR(abut__ring_entry) ring;
    ABUT__VECTOR(float[4])
    ring_points;                // by class: where it is in the grid, and a number of no use
    abut__uint32s ring_offset;  // by body: where its classes begin
    abut__voronoi_worker* workers;
    uint32_t worker_count;
    abut__voronoi_counts counts;
} abut__voronoi;

// A measured pair. An infinite distance: it does not count.
typedef struct abut__measured {
    double distance;
    bool whole;  // `closest` is not known
    abut__closest closest;
} abut__measured;

// Measures up to 16 pairs of sites. Returns the number of pairs measured.
typedef uint32_t (*abut__measure_fn)(void* user, uint32_t worker, const abut__near* pairs,
                                     uint32_t count, abut__measured* out);

// The nearest pair so far; other == ABUT__NONE: there is none.
typedef struct abut__voronoi_best {
    double distance;
    uint32_t own;
    uint32_t other;
    bool whole;  // as above
    abut__closest closest;
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
// Replaces the best pair by a measured one that is nearer, or as near and precedes it. The criteria
// of order are the index of the other body, then the triangle of the body with the lower index
// (within a body: the lower triangle), then the second triangle.
void abut__best_take(const abut__sites* sites, abut__voronoi_best* best, const abut__near* pair,
                     const abut__measured* measured);
// Returns whether a pair may replace the best one, by its lower bound and the order.
bool abut__best_allows(const abut__sites* sites, const abut__voronoi_best* best,
                       const abut__near* pair);
// Whether no worker has run out of memory.
static inline bool abut__voronoi_done(const abut__voronoi* v) {
    bool done = true;
    for (uint32_t w = 0; w < v->worker_count; ++w) {
        done = done && !v->workers[w].failed;
    }
    return done;
}
// Lays the grid and prepares the rest; `sampled`: with the bounds of stage I.
bool abut__voronoi_prepare(const abut_context* context, abut__voronoi* v,
                           const abut__voronoi_ask* ask, bool sampled);
// The same with a line instead of the grid.
bool abut__voronoi_prepare_line(const abut_context* context, abut__voronoi* v,
                                const abut__voronoi_ask* ask, bool sampled);

// ---- site_line.c
// Whether all bodies are small, and the caller wants no grid.
bool abut__line_fits(const abut__voronoi* v, const abut__voronoi_ask* ask);
// Puts all sites into the line. False: no memory.
bool abut__line_make(const abut_context* context, abut__voronoi* v);
// Adds what searches within the only body need. False: no memory.
bool abut__line_make_corners(const abut_context* context, abut__voronoi* v);
// Sets the reach of the search of each site within it.
void abut__line_aim(abut__voronoi* v, const float* reach);
void abut__line_free(const abut_context* context, abut__voronoi_line* line);

// ---- rings.c
// Returns whether two sites of one body share a vertex.
static inline bool abut__sites_adjacent(const abut__sites* sites, uint32_t a, uint32_t b) {
    const uint32_t* x = sites->places.data[a].corner;
    const uint32_t* y = sites->places.data[b].corner;
    bool shared = false;
    for (int i = 0; i < 3; ++i) {
        shared |= (x[i] == y[0]) | (x[i] == y[1]) | (x[i] == y[2]);
    }
    return shared;
}
// Links triangles at their vertices, body by body. False: no memory.
bool abut__rings_make(const abut_context* context, abut__voronoi* v);
// Returns an upper bound, in cells, of the distance to some triangle that shares no vertex with
// this one but shares one with a neighbour; infinite if there is none.
float abut__ring_above(const abut_context* context, const abut__voronoi* v,
                       abut__voronoi_worker* worker, uint32_t site);
// The same for consecutive sites, at once. The corners beyond their edges are tried first: mostly one
// of them is nearest.
void abut__rings_above(const abut_context* context, const abut__voronoi* v,
                       abut__voronoi_worker* worker, uint32_t first, uint32_t count, float* above);

// ---- diagram.c
// The second-order Voronoi diagram, sampled on the surfaces only. The samples are the middles of the
// pieces of sites. At a sample of a site the nearest site is itself; the second nearest is the
// nearest one of those that count: of other bodies, or of the own body without the neighbours. It is
// computed from the distances of the sample to the triangles themselves. So a point of the site is
// at most half a diagonal of the piece from its sample, and with the distance SD of the sample to a
// triangle, the distance of that triangle to the piece is at least SD - half a diagonal. (A label
// that spreads from cell to cell would make it a whole diagonal.)
//
// The set of potential neighbours of a site (PNS) has all sites that may be as near as an upper
// bound of its distance: whose boxes are within the bound, and whose distance to a sample is at most
// the bound and half a diagonal.
typedef struct abut__near_ask {
    abut__meet_fn meet;
    bool within;      // of the same body, else of others
    bool neighbours;  // within: those that share a vertex, too
    bool later;       // only sites with greater numbers
    bool sampled;     // with the distances to samples
    // Sites that are searched for one after the other, and share their pairs: a pair of two of them
    // is found by the lower one alone, if that one is within its reach. NULL: none.
    const struct abut__near_sharing* sharing;
} abut__near_ask;
#define ABUT__NEAR_SHARING 1024u
typedef struct abut__near_sharing {
    uint32_t first;
    uint32_t count;
    float reach[ABUT__NEAR_SHARING];   // by site from the first: that of its search
    bool grouped[ABUT__NEAR_SHARING];  // it was searched for in a group
} abut__near_sharing;
// Whether a pair that was found counts for both its sites.
static inline bool abut__near_shared(const abut__near_sharing* sharing, uint32_t own,
                                     uint32_t other) {
    return sharing != NULL && own < other && other - sharing->first < sharing->count &&
           sharing->grouped[own - sharing->first];
}
// Gathers what is within reach of some consecutive sites, at most ABUT__NEAR_GROUP, for searches with
// that reach or less. They are mostly near each other; otherwise each is searched for in the grid.
#define ABUT__NEAR_GROUP 16u
void abut__near_gather(const abut_context* context, const abut__voronoi* v,
                       abut__voronoi_worker* worker, const abut__near_ask* ask, uint32_t first,
                       uint32_t count, float reach);
// The same in the line, among the bodies in the worker's `narrow`. Searches compare extents along an
// axis, too, which is at most 1 long.
void abut__near_gather_line(const abut_context* context, const abut__voronoi* v,
                            abut__voronoi_worker* worker, const float axis[3], uint32_t first,
                            uint32_t count, float reach);
// Computes an axis along which a pair of sites is far apart: the normal of one of them, or 0.
void abut__near_axis(const abut__sites* sites, uint32_t a, uint32_t b, float axis[3]);
// Whether a group was gathered, and there is nothing near it.
static inline bool abut__near_nothing(const abut__voronoi_worker* worker) {
    return worker->group.valid && worker->group.first[1] == 0;
}
// Appends the potential neighbours of a site for the bound `reach` to the worker's `found`, each
// with its distance from the nearest sample.
void abut__near_find(const abut_context* context, const abut__voronoi* v,
                     abut__voronoi_worker* worker, const abut__near_ask* ask, uint32_t site,
                     float reach);
// The same in the line, among some bodies.
void abut__near_find_in(const abut_context* context, const abut__voronoi* v,
                        abut__voronoi_worker* worker, const abut__near_ask* ask, uint32_t site,
                        float reach, const uint32_t* bodies, size_t count);
// Appends the sites after this one of the line whose boxes are within the reach of either to the
// worker's `found`, with the squares of the gaps of boxes. False: no memory.
bool abut__near_later(const abut_context* context, const abut__voronoi* v,
                      abut__voronoi_worker* worker, uint32_t site);
// Keeps the potential neighbours among them, by the reach of each site, as abut__near_find() does.
void abut__near_sample(const abut_context* context, const abut__voronoi* v,
                       abut__voronoi_worker* worker, const float* reach);
// The greatest square of a gap of boxes within reach.
static inline float abut__gap_limit(const abut__voronoi* v, float reach) {
    const float wide = reach + 4 * v->sites.pad;
    return wide * wide * (1 + 0x1p-18f);
}
// Returns the pair of found[first .. end) whose site is nearest to a sample: the label of the
// diagram. There is at least one.
size_t abut__near_label(const abut__voronoi_worker* worker, size_t first, size_t end);
// Bounds the distances of pairs from below and above. In sweeps there are no bounds from above, and
// those from below are not improved beyond `reach`.
void abut__near_bound(const abut_context* context, const abut__voronoi* v, abut__near* pairs,
                      size_t count, float reach);
// Keeps those of found[first .. end) that may be within reach, at `to`; returns their end.
size_t abut__near_keep(abut__voronoi_worker* worker, size_t first, size_t end, float reach,
                       size_t to);
// Sorts found[first .. end) by their lower bounds. False: no memory.
bool abut__near_sort(const abut_context* context, abut__voronoi_worker* worker, size_t first,
                     size_t end);

// ---- near_objects.c
// Lists the potential neighbours of a body for a bound in `objects`: bodies that meet it and whose
// boxes are within reach. False: no memory.
bool abut__objects_find(const abut_context* context, const abut__voronoi* v,
                        abut__voronoi_worker* worker, abut__meet_fn meet, uint32_t body,
                        float reach);
// Keeps those of them that are within a smaller reach.
void abut__objects_keep(const abut__voronoi* v, abut__voronoi_worker* worker, uint32_t body,
                        float reach);
// Lists those of them in `narrow` that are within reach of some consecutive sites. False: there is
// none, or no memory.
bool abut__objects_narrow(const abut_context* context, const abut__voronoi* v,
                          abut__voronoi_worker* worker, uint32_t first, uint32_t count,
                          float reach);
// Returns whether one of these sites is within reach of the box of one of `narrow`.
bool abut__objects_near(const abut__voronoi* v, const abut__voronoi_worker* worker, uint32_t site,
                        float reach);

#endif
