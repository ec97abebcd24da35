// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The internals of queries. A query is a list of jobs (two bodies, or one with itself). The descent
// of a job starts at entries (pairs of nodes and blocks) and ends at pairs of blocks, whose leaf
// action finds candidates (pairs of triangles with overlapping boxes). Candidates are decided
// exactly, in batches. Hits are gathered and sorted.
//
//   descend.c          the descent of entries, the same for every query
//   meet.c             compares nodes by spheres, or by spheres and boxes
//   cones.c            bounds of nodes whose triangles all have a common vertex
//   candidates.c       from pairs of blocks to candidates
//   front.c            entries stored from one call to the next
//   separation_list.c  kinetic lists: entries with the times until which they hold
//   collide.c          leaf action between bodies, and the calls
//   self.c             leaf actions within one body
//   thin.c             decides candidates in float
//   decide.c           from candidates to hits
//   hits.c             the memory of hits
//   run.c              tasks, waves, gathering
//   collide_voronoi.c  candidates by Voronoi culling instead of a descent
//   collide_proxies.c  contacts of proxies, by a driver of its own
//   sweep.c            calls of sweeps, sorting
//   sweep_parts.c      sweeps of bodies with breakpoints in the step
//   sweep_decide.c     from candidates to contacts
//   sweep_voronoi.c    candidates of sweeps by Voronoi culling
//   near_features.c    calls of feature queries
//   near_features_decide.c  from candidates to pairs of features
//   feature_pair.h     a pair of features of two triangles
//   feature_order.c    the order of rows about features
//   swept_times.c      earliest times at which moving boxes can meet
//   contact_intervals.c  calls of interval queries: the segments of an animation, joining
//   interval_decide.c  from candidates in a segment to contact intervals
//   interval_pair.c    those of two triangles
//   needs.c            the blocks that a query needs
//   open.c             the preamble of all calls, and what they say when they fail
//   workspace.c        rows and working memory of results
//   changes.c          contacts that began, continued or ended
//
// The tree and the jobs determine the tasks; the number of workers has no influence.
#ifndef ABUT_QUERY_QUERY_H
#define ABUT_QUERY_QUERY_H

#include "abut/collide.h"
#include "abut/proxies.h"
#include "abut/intervals.h"
#include "abut/sweep.h"
#include "abut/within.h"
#include "query/needs.h"
#include "scene/broad.h"
#include "view/step.h"

struct abut__cone;
struct abut__front_job;
struct abut__front_spare;
struct abut__list;
struct abut__part;
struct abut__voronoi;

// The settings of all queries together. Each call fills in those of its def; the others keep their
// defaults.
typedef struct abut__settings {
    double margin;  // pairs at most this far apart count; in nearest queries it may be infinite
    bool any;
    bool include_neighbours;
    bool intersections;
    bool earliest_only;
    bool features;            // candidates become pairs of features,
    bool intervals;           // or contact intervals
    const abut_scene* thick;  // whose bodies' thickness is added to the margin; NULL: it is ignored
    double tolerance;
    abut_filter filter;
    abut_pair_callback callback;
    abut_front* front;
    uint64_t budget;
    abut_culling culling;
    abut_counters* counters;
} abut__settings;

// What a failed query is blamed on: abut_error says it in words.
typedef struct abut__blame {
    abut_body_id body;
    uint32_t vertex;     // that is not finite; ABUT__NONE: none
    const char* reason;  // of ABUT_ERR_STATE and ABUT_ERR_INVALID_ARGUMENT
} abut__blame;

// A pair of bodies to test, or one body with itself.
typedef struct abut__job {
    abut__view view[2];        // first: see abut__job_begin()
    const abut__links* links;  // of the body's blocks if `self`, else NULL
    bool self;
    bool in_shape;   // decided in shape coordinates: one frame that does not move
    bool aligned;    // that, and boxes of both sides are relative to one origin
    bool unbounded;  // coordinates are too large for float boxes: all boxes count as overlapping
    bool suspect;    // a vertex may be not finite
    bool b_first;    // blocks of the second body are evaluated before those of the first
    bool has_sphere[2];        // that body has a bounding sphere to test against
    abut__thickness thick[2];  // of the bodies; 0 if the query ignores it
    bool varies;               // and differs within one of them
    double least_margin;       // of the query
    double margin;             // of the query, and the thickness of both bodies
    bool listed;  // pairs of blocks come from a kinetic list: they are not counted as false opens
    const struct abut__cone* cones;  // of nodes with hubs, if they help: see cones.h
    abut__span span;                 // of the step, in sweeps
    abut__shift shift;  // to add to boxes of the first body before they are compared with those of
                        // the second; padded for margin and rounding
    abut__shift corner_shift;  // the same for corners of sweeps, which have other rounding errors
    abut__sphere3 sphere[2];   // relative to the second body's origin, padded likewise
    bool compares_spheres;     // nodes are compared by spheres, because a body has no boxes: meet.c
    bool refines;              // nodes whose boxes meet are also compared by spheres
    float offset[3];           // to add to centres of spheres of the first body,
    float slack;               // and to the sum of two radii, for margin and rounding,
    float box_slack;           // or to the radius of a sphere that is compared with a box
    abut__ball4 ball[2];       // the same as `sphere`
    atomic_ullong* needed[2];  // blocks that the query has needed; NULL: they are not counted
} abut__job;

// A job about a part of a step, and whether it has run.
typedef struct abut__sweep_part {
    abut__job job;  // about the whole step
    abut__cut cut;
    bool done;
} abut__sweep_part;

// A pair of nodes or blocks of a job. b == ABUT__LINKS means the links listed at node a.
typedef struct abut__entry {
    uint32_t job;
    abut__ref a;
    abut__ref b;
    uint32_t flags;
} abut__entry;
typedef ABUT__VECTOR(abut__entry) abut__entries;
#define ABUT__LINKS UINT32_MAX
#define ABUT__ENTRY_STOPPED 1u  // the descent ends here: boxes apart, or the node proven apart
#define ABUT__ENTRY_TEST 2u     // untested: compare the boxes first
#define ABUT__ENTRY_PENDING 4u  // left over when the budget ran out
#define ABUT__ENTRY_LEAF 8u     // a leaf action that was carried out
#define ABUT__ENTRY_LISTED 16u  // a leaf action from a kinetic list, which stores it

// Two triangles whose boxes overlap.
typedef struct abut__candidate {
    uint32_t job;
    uint32_t block[2];
    uint8_t lane[2];
    uint16_t task;
} abut__candidate;

#define ABUT__BATCH 16u
#define ABUT__TASKS_MOST 256u
// number of candidates at which a worker decides; a pair of blocks may add one per pair of lanes
#define ABUT__DECIDE_AT 256u
#define ABUT__CANDIDATES_MOST (ABUT__DECIDE_AT + ABUT__BLOCK_TRIANGLES * ABUT__BLOCK_TRIANGLES)

// Pairs of a vertex and a face, or of two edges, that await the exact test.
typedef struct abut__feature_lane {
    const abut__job* job;
    struct abut__task* task;
    abut_contact_kind kind;
    uint32_t triangle[2];
    uint32_t vertex[4];
    double margin;
} abut__feature_lane;
typedef struct abut__sweep_lanes {
    uint32_t count;
    double from[ABUT__SWEEP_LANES][4][3];
    double to[ABUT__SWEEP_LANES][4][3];
    abut__feature_lane lane[ABUT__SWEEP_LANES];
} abut__sweep_lanes;

// The same at rest.
typedef struct abut__feature_lanes {
    uint32_t count;
    union {
        abut__point_batch points;  // faces and vertices
        abut__segment_batch segments;
    };
    abut__feature_lane lane[ABUT__BATCH];
} abut__feature_lanes;

// A part of a step, in [0, 1].
typedef struct abut__interval {
    double from;
    double to;
} abut__interval;
typedef ABUT__VECTOR(abut__interval) abut__interval_list;

// A direct-mapped cache: the lanes of a job's blocks that meet the other body's sphere. A block
// recurs often where the trees differ in depth.
#define ABUT__SPHERE_BLOCKS 32u
typedef struct abut__sphere_lanes {
    const abut__job* job;  // NULL: the cache is empty
    uint32_t block[ABUT__SPHERE_BLOCKS];
    uint64_t lanes[ABUT__SPHERE_BLOCKS];
} abut__sphere_lanes;

// A direct-mapped cache of the rows of blocks in the states of bodies with these stamps, for each
// side of a job.
#define ABUT__ROW_BLOCKS 64u
typedef struct abut__row_cache {
    uint64_t stamp[2][ABUT__ROW_BLOCKS];  // 0: empty
    uint32_t block[2][ABUT__ROW_BLOCKS];
    abut__corner_rows rows[2][ABUT__ROW_BLOCKS];
} abut__row_cache;

// The memory and state of one worker, stored in the result from query to query.
// The spheres of a node of a body's proxies in the world.
typedef struct abut__node_balls {
    uint32_t body;  // ABUT__NONE: empty
    uint32_t node;
    abut__world_balls balls;
} abut__node_balls;

typedef struct abut__worker {
    abut__reader reader;
    bool found;
    uint64_t spent;  // box tests of the current task, against the budget
    uint64_t spent_in_all;
    struct abut__task* task;  // the current one
    abut__entries stack;
    ABUT__VECTOR(abut__candidate) candidates;
    size_t thinned;                // the first of these were tested in float
    abut__usage* opened[2];        // of the bodies whose blocks were evaluated last:
    uint32_t opened_count[2];      // blocks that are not counted there yet,
    uint32_t false_open_count[2];  // and pairs of blocks opened without a candidate,
    uint32_t refined_count[2];     // and comparisons of spheres
    abut__sphere_lanes sphere;
    abut__row_cache* rows;  // NULL until a query decides pairs in float
    bool rows_current;      // they are all of the current query
    abut__lane_pairs lanes;
    double before;                         // contacts of sweeps after this time are not wanted
    abut__sweep_lanes sweeps[2];           // vertices and faces, edges
    abut__feature_lanes features[2];       // likewise
    ABUT__VECTOR(abut__node_balls) balls;  // of nodes of proxies that the task came to
    abut__interval_list intervals;         // of one pair of triangles
} abut__worker;

// One run of a list of jobs.
typedef struct abut__run {
    const abut_scene* scene;
    const abut_context* context;
    const abut__kernels* kernels;
    const abut__settings* def;
    const abut__job* jobs;
    const abut__entry* seeds;
    bool sweeps;                   // candidates are decided over their windows
    const abut__candidate* given;  // not NULL: tasks are ranges of these, and nothing is descended
    bool keep;                     // entries are stored in a front
    bool first;                    // only the earliest contacts of a sweep are wanted:
    double before;                 // none after this time, the earliest of previous waves
    uint64_t task_budget;          // box tests a task may spend; UINT64_MAX: no limit
    struct abut__task* tasks;
    struct abut__hit_pool* pool;
    uint32_t wave_first;  // the first task of the current wave
    uint32_t wave_count;
    abut__worker* workers;
    atomic_bool stop;  // the query wants any hit, and one was found
} abut__run;

// A pair of triangles of a job's bodies.
typedef struct abut__hit {
    uint32_t job;
    uint32_t triangle[2];
} abut__hit;

// Memory of hits that all tasks of a run share: see hits.c.
#define ABUT__HITS_A_CHUNK 10u  // two cache lines with the link
typedef struct abut__hit_chunk {
    _Alignas(ABUT__ALIGNMENT) uint32_t next;  // the next chunk of the same task
    abut__hit hits[ABUT__HITS_A_CHUNK];
} abut__hit_chunk;
typedef struct abut__hit_pool {
    ABUT__VECTOR(abut__hit_chunk) chunks;
    atomic_uint used;     // chunks
    uint32_t task_count;  // of the present run; others have no hits
} abut__hit_pool;

// A range of seeds, and what was found under them. The same proofs make the same tasks, whichever
// worker runs them, so their memory stops growing when the answers do.
typedef struct abut__task {
    uint32_t first_seed;
    uint32_t seed_count;
    uint32_t first_chunk;  // of its hits in the pool
    uint32_t last_chunk;
    uint32_t pooled;               // hits in the pool
    ABUT__VECTOR(abut__hit) hits;  // that the pool had no room for
    ABUT__VECTOR(abut_intersection) shared;
    abut__entries kept;  // entries for the front
    ABUT__VECTOR(abut_proxy_pair) contacts;
    ABUT__VECTOR(abut_sweep_pair) sweeps;
    ABUT__VECTOR(abut_feature_pair) features;
    ABUT__VECTOR(abut_contact_interval) intervals;
} abut__task;

// The keys of a row about features, the most significant last: see feature_order.c.
#define ABUT__ROW_KEYS 4
typedef struct abut__row_key {
    uint64_t key[ABUT__ROW_KEYS];
    const void* row;
} abut__row_key;

// Rows and working memory. It is the first member of every result.
typedef struct abut__workspace {
    const abut_context* context;
    bool found;
    bool stopped;
    abut__blame blame;
    ABUT__VECTOR(abut_pair) pairs;
    ABUT__VECTOR(abut_intersection) shared;
    ABUT__VECTOR(abut_proxy_pair) contacts;
    ABUT__VECTOR(abut_sweep_pair) sweeps;
    ABUT__VECTOR(abut_feature_pair) features;
    ABUT__VECTOR(abut_contact_interval) contact_intervals;
    // working memory of queries
    abut__worker* workers;
    uint32_t worker_count;
    abut__task* tasks;  // ABUT__TASKS_MOST
    abut__hit_pool pool;
    ABUT__VECTOR(abut__job) jobs;
    abut__entries seeds;
    abut__entries seeds2;
    ABUT__VECTOR(abut__keyed) keys;
    ABUT__VECTOR(abut_pair) sorted;
    ABUT__VECTOR(abut_intersection) moved;
    ABUT__VECTOR(abut__candidate) given;
    ABUT__VECTOR(struct abut__cone) cones;
    abut__broad broad;
    ABUT__VECTOR(abut__sweep_part) parts;
    abut__cuts cuts;
    ABUT__VECTOR(abut_sweep_pair) swept_order;
    ABUT__VECTOR(abut__row_key) row_keys;
    abut__step_tables steps;
    abut__needs needs;
    struct abut__voronoi* voronoi;  // made at first use
} abut__workspace;

// Results of queries whose rows are all in the workspace.
struct abut_collide_result {
    abut__workspace work;
};
struct abut_sweep_result {
    abut__workspace work;
};
struct abut_features_result {
    abut__workspace work;
};
struct abut_intervals_result {
    abut__workspace work;
};
struct abut_proxies_result {
    abut__workspace work;
};

struct abut_front {
    const abut_context* context;
    ABUT__VECTOR(struct abut__front_job) jobs;     // by (body a, body b)
    abut__entries entries;                         // `job` is unused
    ABUT__VECTOR(struct abut__list*) lists;        // per job of the current query, or NULL
    ABUT__VECTOR(struct abut__front_spare) spare;  // unused lists, for their memory
    size_t pending;
    uint64_t scene;  // serial of the scene that the bodies are in
    // settings of the query that left entries pending
    double margin;
    bool features;
    bool neighbours;
    abut_filter filter;
};

// ---- descend.c
// Whether hubs rule out two nodes or blocks of a job within a body: all triangles below them are
// neighbours, or their cones are apart. Call it only if abut__may_skip().
bool abut__hubs_skip(const abut__run* run, const abut__job* job, abut__ref a, abut__ref b);
static inline bool abut__may_skip(const abut__job* job) {
    return job->self && job->links->common[0] != NULL;
}

// ---- candidates.c
// Counts a comparison of spheres in the usages of both bodies.
void abut__usage_refined(abut__worker* worker, const abut__job* job);

// ---- meet.c
// Sets how spheres are compared, `offset` and slacks of a job, given the pad of its boxes without
// margin.
void abut__job_set_spheres(abut__job* job, double pad, double margin);
// Returns the children of a node of one side whose spheres meet a node or block of the other side:
// its sphere, or else its box. If only the other side has spheres: the children whose boxes do.
uint32_t abut__spheres_meet(const abut__run* run, abut__worker* worker, const abut__job* job,
                            int side, uint32_t node, abut__ref other);
// The same for a job that compares spheres, where the sphere of the whole other body counts, too.
uint32_t abut__children_meet(const abut__run* run, abut__worker* worker, const abut__job* job,
                             int side, uint32_t node, abut__ref other);
// The same for each child of a node of the first side: bit j of rows[i] is child j of b.
void abut__rows_meet(const abut__run* run, abut__worker* worker, const abut__job* job, uint32_t a,
                     uint32_t b, uint8_t rows[ABUT__FAN]);
// Removes pairs of children from rows whose spheres do not meet.
void abut__rows_refine(const abut__run* run, abut__worker* worker, const abut__job* job, uint32_t a,
                       uint32_t b, uint8_t rows[ABUT__FAN]);
// Whether the spheres of two nodes or blocks meet.
bool abut__refs_meet(const abut__run* run, abut__worker* worker, const abut__job* job, abut__ref a,
                     abut__ref b);
// Compute lower bounds of the squared distances of a node's children from a node or block of the
// other side, or from a box in the coordinates of their own side.
void abut__children_gaps(const abut__kernels* kernels, const abut__job* job, int side,
                         uint32_t node, abut__ref other, float least[ABUT__FAN]);
void abut__children_box_gaps(const abut__kernels* kernels, const abut__job* job, int side,
                             uint32_t node, const abut__box3* box, float least[ABUT__FAN]);
// Returns the side of a job whose node is larger.
int abut__larger_side(const abut__job* job, abut__ref a, abut__ref b);

// ---- run.c
// Runs work->jobs. `sweeps`: candidates are decided over the windows of their views.
abut_status abut__query_run(const abut_scene* scene, const abut__settings* def,
                            abut__workspace* work, bool sweeps);
// Empties a job and sets its views to two bodies, or one body twice, in their current states.
void abut__job_begin(abut__job* job, abut__body* a, abut__body* b);
// Sets the thickness and the margins of a job with views.
void abut__job_set_margin(abut__job* job, const abut__settings* def);
// The margin of a pair whose sides are so thick.
static inline double abut__margin_of(const abut__job* job, double thick_a, double thick_b) {
    return abut__add_lengths(job->least_margin, thick_a + thick_b);
}
// The greatest margin of a job: of the query, and the thickness of the thickest bodies.
double abut__greatest_margin(const abut__settings* def);
// Adds a job to work->jobs: two views, or (`self`) one body with itself, as two equal views. Adds
// nothing if bounding spheres prove the bodies apart.
abut_status abut__query_add_job(abut__workspace* work, const abut__view* a, const abut__view* b,
                                bool self, const abut__settings* def);
// The same for two bodies, or one body twice, in their current states.
abut_status abut__query_add_bodies(abut__workspace* work, abut__body* a, abut__body* b,
                                   const abut__settings* def);

void abut__counters_add(abut_counters* sum, const abut_counters* part);

// Decides work->given: candidates of work->jobs that were found without a descent.
abut_status abut__query_decide(const abut_scene* scene, const abut__settings* def,
                               abut__workspace* work, bool sweeps);

// Sets `shift`, `corner_shift` and `unbounded` of a job whose other fields are set.
void abut__job_set_shift(abut__job* job, double margin);
// The same with the sum of both extents given.
void abut__job_shift_for(abut__job* job, double extents, double margin);

// ---- descend.c
// Gets the parent of an entry; false for a root. In every list entries of one parent are adjacent.
bool abut__entry_parent(const abut__job* job, const abut__entry* entry, abut__entry* parent);
// Returns the distance from the root entry.
uint32_t abut__entry_level(const abut__job* job, const abut__entry* entry);
// Whether a descent ends at the entry: its boxes are apart, or it is proven apart.
bool abut__entry_stops(const abut__run* run, abut__worker* worker, const abut__entry* entry);
// Whether the entry is a leaf action rather than a pair of nodes to open.
bool abut__entry_is_leaf(const abut__entry* entry);
// Appends the entry's children that overlap; with run->keep also the others, as stopped. `out` must
// have room for ABUT__OPEN_MOST entries.
#define ABUT__OPEN_MOST 64u
void abut__entry_open(const abut__run* run, abut__worker* worker, const abut__entry* entry,
                      abut__entries* out);
// Reserves memory for any task of the run in every worker; false: no memory.
bool abut__descend_reserve(const abut__run* run, abut__workspace* work);
// Runs one task: descends from its seeds.
void abut__descend(const abut__run* run, abut__worker* worker, abut__task* task);

// ---- collide.c, self.c: leaf actions
void abut__collide_blocks(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t a,
                          uint32_t b);
void abut__self_block(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t block);
void abut__self_blocks(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t a,
                       uint32_t b);
void abut__self_links(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t node);

// ---- candidates.c
// Makes candidates of the pairs of triangles of two blocks whose boxes overlap, except the
// neighbours that a link lists (NULL: none).
void abut__candidates_between(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t a,
                              uint32_t b, const abut__link* link);
// The same inside one block.
void abut__candidates_inside(const abut__run* run, abut__worker* worker, uint32_t job,
                             uint32_t block);

// Whether the boxes of a candidate overlap, so that a descent would have found it.
bool abut__candidate_meets(const abut__run* run, abut__worker* worker, const abut__candidate* c);

// Adds the worker's counts of blocks to the usage of the body on one side.
void abut__usage_flush(abut__worker* worker, int side);

static inline bool abut__same_blocks(const abut__candidate* x, const abut__candidate* y) {
    return x->job == y->job && x->block[0] == y->block[0] && x->block[1] == y->block[1];
}

// ---- thin.c
// Removes those of a worker's candidates that points in float prove apart or touching; the latter
// are hits.
void abut__candidates_thin(const abut__run* run, abut__worker* worker);

// ---- decide.c
// Adds a candidate that touches to the hits, without its intersection.
void abut__candidate_hit(const abut__run* run, abut__worker* worker, const abut__candidate* c);
// Decides a worker's candidates: all of them, or only as many as fill batches. The rest waits for
// those of the worker's next task.
void abut__candidates_decide(const abut__run* run, abut__worker* worker, bool all);
// Runs one task: decides its range of run->given.
void abut__candidates_take(const abut__run* run, abut__worker* worker, abut__task* task);
// Returns the corners of two triangles that share a class: bit c for corner c of the first,
// bit 3 + c for corner c of the second; 0: none.
#define ABUT__SAME_CORNERS 63u  // all of them
uint32_t abut__shared_corners(const abut_mesh* mesh, uint32_t triangle_a, uint32_t triangle_b);

// Whether tags or the caller's filter exclude a pair of triangles of a job.
bool abut__pair_filtered(const abut__run* run, const abut__job* job, uint32_t triangle_a,
                         uint32_t triangle_b);

// ---- sweep_parts.c
// Replaces the last job by its parts if its step is cut (view/step.h). False: no memory.
bool abut__parts_split(abut__workspace* work);
// Makes jobs of parts that can run together and do not begin after `before`. False: there are no
// more, or `status` is an error.
bool abut__parts_next(abut__workspace* work, double before, abut_status* status);

// ---- interval_decide.c
// Decides a worker's candidates of an interval query: all of them, or only as many as fill batches.
void abut__interval_candidates(const abut__run* run, abut__worker* worker, bool all);

// ---- interval_pair.c
// What is known about two triangles that move straight, besides their corners.
typedef struct abut__interval_hints {
    uint32_t open;    // bits of ABUT__FEATURE_PAIRS; axes or the cubic prove all others apart
    bool apart_half;  // they are farther apart at half time than the margin in interval_pair.c
} abut__interval_hints;
// Appends the intervals in [0, 1] in which they are not proven apart. They are sorted and disjoint.
// False: no memory.
bool abut__intervals_of_pair(const abut_context* context, const double from[6][3],
                             const double to[6][3], double tolerance,
                             const abut__interval_hints* hints, abut__interval_list* intervals);

// ---- swept_times.c
// Returns a time before which two moving boxes do not meet, from the boxes at both ends, the first
// one shifted: in [0, 1], or infinite if they never meet.
double abut__boxes_enter(const abut__box3 a[2], const abut__box3 b[2], const abut__shift* shift);
// The same for nodes and blocks of a job, and for a pair of features of two triangles, which is a
// bit number of ABUT__FEATURE_PAIRS. 0 if no time is known.
double abut__swept_enter(const abut__job* job, abut__ref a, abut__ref b);
double abut__features_enter(const abut__job* job, const abut__moving_triangle* a,
                            const abut__moving_triangle* b, uint32_t pair);
// Whether that time is worth computing: parts of one body mostly move together.
static inline bool abut__swept_is_timed(const abut__job* job, const abut__worker* worker) {
    return job->view[0].kind->box_at != NULL && (!job->self || worker->before < 1);
}
// Sorts the seeds of a run by that time, and removes those that never meet; false: no memory.
bool abut__first_seeds(const abut__run* run, abut__workspace* work);

// ---- sweep_decide.c
// Decides a worker's candidates of a sweep: `all` pairs of features, or only as many as fill
// batches.
void abut__sweep_candidates(const abut__run* run, abut__worker* worker, bool all);

// ---- near_features_decide.c
// Decides a worker's candidates of a feature query: `all` pairs of features, or only as many as fill
// batches.
void abut__features_candidates(const abut__run* run, abut__worker* worker, bool all);

// ---- feature_order.c
// Sets the keys of a row, and where it is.
void abut__row_of_sweep(const abut_sweep_pair* pair, abut__row_key* out);
void abut__row_of_features(const abut_feature_pair* pair, abut__row_key* out);
// Rotates the normal of a row to the world, if the job is decided in the shape's coordinates.
void abut__turn_normal(const abut__job* job, double normal[3]);
// Whether two rows are about the same features of the same bodies.
bool abut__rows_alike(const abut__row_key* a, const abut__row_key* b);
// Writes the rows of work->row_keys, of `size` bytes each, to `out` in their order. Rows with equal
// keys keep theirs. False: no memory.
bool abut__sort_rows(abut__workspace* work, size_t size, void* out);

// ---- hits.c
// Empties the pool and so many tasks before a run.
void abut__hits_begin(abut__hit_pool* pool, abut__task* tasks, uint32_t count);
// Returns a place for the next hit of a task; NULL: no memory. Threads may call it for different
// tasks.
abut__hit* abut__hits_add(const abut_context* context, abut__hit_pool* pool, abut__task* task);
// The number of a task's hits, and the pairs that they stand for.
size_t abut__hits_count(const abut__task* task);
void abut__hits_copy(const abut__hit_pool* pool, const abut__task* task, const abut__job* jobs,
                     abut_pair* out);
// Forgets the hits of tasks if the pool had no room for some, and makes room in it for as many in
// ABUT__TASKS_MOST tasks. Without memory the pool stays as it was, and later runs allocate what they
// need.
void abut__hits_reserve(const abut_context* context, abut__hit_pool* pool, abut__task* tasks);

// ---- open.c
extern const abut__settings abut__settings_default;
// Opens every query: empties the workspace (NULL: the caller gave no result), and checks it, the
// scene, and the cookie of a def of this kind and name.
abut_status abut__query_open(const abut_scene* scene, abut__workspace* work,
                             const abut_query_head* head, uint32_t kind, const char* name,
                             abut_error* error);
// Gets a body that the caller names, with bounds: see abut__body_ready().
abut_status abut__query_body(const abut_scene* scene, abut_body_id id, abut__body** body,
                             abut_error* error);
// Gets two different bodies that the caller names, with bounds.
abut_status abut__query_bodies(const abut_scene* scene, abut_body_id a, abut_body_id b,
                               abut__body* bodies[2], abut_error* error);
// The same without bounds, and the bounds of bodies, for queries that may need none.
abut_status abut__query_find(const abut_scene* scene, abut_body_id id, abut__body** body,
                             abut_error* error);
abut_status abut__query_find_two(const abut_scene* scene, abut_body_id a, abut_body_id b,
                                 abut__body* bodies[2], abut_error* error);
abut_status abut__query_ready(abut_body_id id, const abut__body* body, abut_error* error);
abut_status abut__query_all_ready(const abut_scene* scene, abut_error* error);
// Check members of settings.
abut_status abut__check_length(double length, const char* name, abut_error* error);
abut_status abut__check_tolerance(double tolerance, abut_error* error);
abut_status abut__check_culling(abut_culling culling, abut_error* error);
// Says in words why a query failed.
abut_status abut__query_report(const abut__blame* blame, abut_status status, abut_error* error);
// Closes a query: after a failure empties the workspace and fills `error`. Returns `status`.
abut_status abut__query_close(abut__workspace* work, abut_status status, abut_error* error);
// The body, and the vertex of it, that work->blame or another blame names.
static inline abut__blame abut__blame_on(const abut__body* body, uint32_t vertex,
                                         const char* reason) {
    return (abut__blame){{body->index, body->generation}, vertex, reason};
}

// ---- workspace.c
// Creates a result of `size` bytes that begins with a workspace, and stores its address at `place`,
// a pointer to a pointer to its type.
abut_status abut__result_create(abut_context* context, size_t size, void* place, abut_error* error);
// Frees a result of abut__result_create(); NULL is fine.
void abut__result_destroy(void* result, size_t size);
// Prepare and free a workspace that is not the first member of a result. False: no memory.
bool abut__workspace_init(const abut_context* context, abut__workspace* work);
void abut__workspace_free(abut__workspace* work);
// Removes all rows.
void abut__workspace_empty(abut__workspace* work);
// Empties the workspace for a new query.
void abut__workspace_begin(abut__workspace* work);
// Sorts the pairs, with their intersections.
abut_status abut__workspace_sort(abut__workspace* work);

// ---- collide.c
// Finds the pairs of two bodies, of one with itself, or of all pairs of the scene.
abut_status abut__collide_two(const abut_scene* scene, const abut__settings* def, abut__body* a,
                              abut__body* b, abut__workspace* work);
abut_status abut__collide_one(const abut_scene* scene, const abut__settings* def, abut__body* body,
                              abut__workspace* work);
abut_status abut__collide_scene(const abut_scene* scene, const abut__settings* def,
                                abut__workspace* work);

// ---- sweep.c
// Runs work->jobs, which have views of windows with two ends. False members of `def` stay false.
abut_status abut__windows_run(const abut_scene* scene, const abut__settings* def,
                              abut__workspace* work);
// Returns the earliest time of a contact in the workspace; infinite: there is none.
double abut__earliest_contact(const abut__workspace* work);

// ---- front.c
// Returns why a front and a budget do not go with the scene or with each other; NULL: they do.
const char* abut__front_conflict(const abut_scene* scene, const abut_front* front, uint64_t budget);
// Fills work->seeds from the front, or with the roots of the jobs.
abut_status abut__front_seeds(abut__run* run, abut__workspace* work);
// Stores the entries that the tasks left in the front.
abut_status abut__front_keep(abut__run* run, abut__workspace* work, uint32_t task_count);

#endif
