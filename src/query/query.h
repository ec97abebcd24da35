// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How queries work inside. A query is a list of jobs (two bodies, or one with itself); a job is
// descended from entries (pairs of nodes and blocks) to pairs of blocks, whose leaf action finds
// candidates (pairs of triangles with overlapping boxes); candidates are decided exactly, in
// batches; hits are gathered and sorted.
//
//   descend.c  descending entries: the same for every query
//   cones.c    bounds of nodes that are all about one vertex
//   candidates.c  from pairs of blocks to candidates
//   front.c    entries kept from one call to the next
//   separation_list.c  entries of bodies that say how they go on, with the times until which they hold
//   collide.c  leaf action between bodies            self.c   leaf actions within one
//   thin.c     candidates that floats prove apart    decide.c from candidates to hits
//   run.c      tasks, waves, gathering
//   collide_voronoi.c  candidates by Voronoi culling instead of descending; sweep_voronoi.c  of sweeps
//   collide_proxies.c  contacts of proxies, by a driver of its own
//   sweep.c    calls of sweeps, sorting              swept.c  boxes and vertices of a whole step
//   parts.c    sweeps of bodies that turn on the way  sweep_decide.c  from candidates to contacts
//   contact_intervals.c  when triangles touch in an animation
//   interval_pair.c      two of them in one segment of it
//   swept_times.c   when boxes that move meet, and what cannot be the earliest contact
//   swept_proofs.c  proofs that nothing within a piece of a body touches in a step
//   needs.c    which blocks a query needs
//   result.c   the caller's result, sorted           changes.c  begun, continued, ended
//
// Work is cut into tasks by the tree and the jobs, never by the number of workers.
#ifndef ABUT_QUERY_QUERY_H
#define ABUT_QUERY_QUERY_H

#include "abut/query.h"
#include "query/needs.h"
#include "scene/broad.h"

struct abut__cone;
struct abut__front_job;
struct abut__front_spare;
struct abut__list;
struct abut__part;
struct abut__voronoi;

// Two bodies to be tested, or one with itself (a == b).
typedef struct abut__job {
    abut__body* a;
    abut__body* b;
    const abut__links* links;  // of a's blocks, if it is one with itself
    bool self;
    bool in_shape;   // decided in shape coordinates: within a body, or in one and the same frame
    bool unbounded;  // float boxes are of no use: everything overlaps
    bool suspect;    // a vertex may be not finite
    bool b_first;    // blocks of b are better evaluated before those of a
    bool round[2];   // which of them has a sphere that says more than its boxes:
    bool swept;      // about the whole step, not the current state
    bool listed;  // its pairs of blocks come from a kinetic list, which tighter bounds do not help
    const abut_frame*
        decided_in;  // NULL, or: a's vertices are decided about in this frame, b's in none
    const struct abut__cone* cones;  // of nodes with hubs, if they help: see cones.h
    const struct abut__part* part;   // of the step, that the job is about; NULL: all of it
    const struct abut__swept_proofs*
        proofs;                // what nodes can be proven apart by over the step, or NULL
    abut__shift shift;         // from a's boxes to b's, with the pad for margin and rounding
    abut__shift corner_shift;  // the same for corners of sweeps, which are rounded otherwise
    abut__sphere3 sphere[2];   // of a and b, relative to b's origin, grown for the same
    atomic_ullong* needed[2];  // blocks of a and b that the query has needed; NULL: nobody counts
} abut__job;

// Where a body is at an instant of a step: at one of its knots, or between two. Knots are both of
// its states, and what it passes in between where its vertices turn: keys.
#define ABUT__KNOT_START (UINT32_MAX - 1)
#define ABUT__KNOT_END UINT32_MAX
typedef struct abut__instant {
    uint32_t knot[2];  // a key, or one of the above; both the same: it is there
    double at[2];      // when it is there, of the step
    double part;       // of the way from one knot to the other
} abut__instant;

// A body in a part of a step.
typedef struct abut__part_side {
    abut__instant end[2];
    uint64_t placed;  // vertices are worked out in the world, not in the shape's coordinates
} abut__part_side;

// A part of a step, in which both bodies move on straight lines. See parts.c.
typedef struct abut__part {
    abut__job job;
    double from;
    double to;
    bool first;  // it begins with the step
    bool exact;  // both are at knots at both ends
    bool done;
    const abut__boxes8* start[2];  // at the start, where motions have no boxes; NULL: they have
    double extent[2];  // no coordinate is greater in magnitude, relative to the origin in the end
    abut__part_side side[2];
} abut__part;

// A pair of nodes or blocks of a job. b == ABUT__LINKS means the links listed at node a.
typedef struct abut__entry {
    uint32_t job;
    abut__ref a;
    abut__ref b;
    uint32_t flags;
} abut__entry;
typedef ABUT__VECTOR(abut__entry) abut__entries;
#define ABUT__LINKS UINT32_MAX
#define ABUT__ENTRY_STOPPED 1u  // known to end here: boxes apart, or the node proven apart
#define ABUT__ENTRY_TEST 2u     // not known: compare the boxes first
#define ABUT__ENTRY_PENDING 4u  // left over when the budget ran out
#define ABUT__ENTRY_LEAF 8u     // a leaf action that was carried out
#define ABUT__ENTRY_LISTED 16u  // a leaf action from a kinetic list, which keeps it

// Two triangles whose boxes overlap.
typedef struct abut__candidate {
    uint32_t job;
    uint32_t block[2];
    uint8_t lane[2];
    uint16_t task;
} abut__candidate;

#define ABUT__BATCH 16u
#define ABUT__TASKS_MOST 256u
// candidates that make a worker decide; one pair of blocks may add as many as it has pairs of lanes
#define ABUT__DECIDE_AT 256u
#define ABUT__CANDIDATES_MOST (ABUT__DECIDE_AT + ABUT__BLOCK_TRIANGLES * ABUT__BLOCK_TRIANGLES)

// Vertices and faces, or pairs of edges, that await a decision.
typedef struct abut__sweep_lane {
    const abut__job* job;
    struct abut__task* task;
    abut_sweep_kind kind;
    uint32_t triangle[2];
    uint32_t vertex[4];
} abut__sweep_lane;
typedef struct abut__sweep_lanes {
    uint32_t count;
    double from[ABUT__SWEEP_LANES][4][3];
    double to[ABUT__SWEEP_LANES][4][3];
    abut__sweep_lane lane[ABUT__SWEEP_LANES];
} abut__sweep_lanes;

// A block over a whole step, worked out at first touch in a query.
typedef struct abut__swept_block {
    _Alignas(64) atomic_ullong boxes_of;                     // claim, of the query
    atomic_ullong vertices_of;                               // likewise
    abut__block_boxes boxes;                                 // around both ends
    double vertices[2][ABUT__BLOCK_VERTICES][3];             // at both, in the shape's coordinates
    abut__moving_triangle triangles[ABUT__BLOCK_TRIANGLES];  // corners are as boxes are
    uint32_t bad_vertex;  // one that is not finite, or ABUT__NONE
    double reach;         // in parts of a step: no coordinate at the knots is greater
} abut__swept_block;
// What nodes of a body are proven apart by over a step.
typedef struct abut__swept_proofs {
    uint32_t node_count;
    uint32_t vertex_count;
    abut__boxes8* normals;      // per node, of its children
    double (*positions[2])[3];  // at both ends, where they are not at hand
    abut__source source[2];
} abut__swept_proofs;
typedef struct abut__swept_body {
    abut__once blocks;  // abut__swept_block
    uint32_t count;
    abut__swept_proofs proofs;
    uint64_t round;  // the last query with a part of a step of the body, and that part
    const abut__part_side* part;
    uint64_t start_query;  // the last one that needed boxes of the start that its motion has not,
    abut__refit_boxes start;  // in the shape's axes
    double (*start_points)[3];
    uint32_t start_vertices;
    uint32_t start_nodes;
} abut__swept_body;
typedef struct abut__swept {
    ABUT__VECTOR(abut__swept_body) bodies;  // by their indices
    uint64_t query;                         // the last one
} abut__swept;

// Lanes of blocks that meet the other body's sphere, of one job: where trees are of unlike depths a
// block comes up again and again. Places go by the block's number, the last one there is known.
#define ABUT__ROUND_BLOCKS 32u
typedef struct abut__round_lanes {
    const abut__job* job;  // NULL: nothing is known
    uint32_t block[ABUT__ROUND_BLOCKS];
    uint64_t lanes[ABUT__ROUND_BLOCKS];
} abut__round_lanes;

// What one worker needs, kept in the result from query to query.
typedef struct abut__worker {
    abut_status status;
    uint64_t bad_vertex;  // body << 32 | vertex that was not finite; UINT64_MAX: none
    bool found;
    uint64_t spent;  // box tests of the present task, against the budget
    uint64_t spent_in_all;
    abut_counters counters;
    struct abut__task* task;  // the present one
    abut__entries stack;
    ABUT__VECTOR(abut__candidate) candidates;
    size_t thinned;                // so many of them were looked at in float
    abut_counters touched;         // blocks that were evaluated for the first time in their states
    abut__body* opened[2];         // whose blocks were evaluated last, as a and as b of jobs,
    uint32_t opened_count[2];      // how many that the bodies have not been told of,
    uint32_t false_open_count[2];  // and pairs of them that came to nothing
    abut__round_lanes round;
    abut__block_boxes room[2];
    abut__lane_pairs lanes;
    double before;                // contacts of sweeps after this time are of no use
    abut__sweep_lanes sweeps[2];  // vertices and faces, edges
    abut__swept_block swept_room[2];
} abut__worker;

// One call.
typedef struct abut__run {
    const abut_scene* scene;
    const abut_context* context;
    const abut__kernels* kernels;
    const abut_query_def* def;
    const abut__job* jobs;
    const abut__entry* seeds;
    abut__swept* swept;            // NULL: no sweep
    const abut__candidate* given;  // not NULL: tasks are ranges of these, and nothing is descended
    bool keep;                     // entries are kept for a front
    bool first;                    // only the earliest contacts of a sweep are wanted:
    double before;                 // none after this time, from what earlier waves have found
    uint64_t task_budget;          // box tests a task may spend; UINT64_MAX: no end
    struct abut__task* tasks;
    uint32_t wave_first;  // the first task of the present wave
    uint32_t wave_count;
    abut__worker* workers;
    atomic_bool stop;  // `any` has found something
} abut__run;

// A part of a step, in [0, 1].
typedef struct abut__interval {
    double from;
    double to;
} abut__interval;
typedef ABUT__VECTOR(abut__interval) abut__interval_list;

// A range of seeds, and what was found under them. Tasks are cut in the same way in every run, so
// their memory stops growing when the answers do, whichever worker runs them.
typedef struct abut__task {
    uint32_t first_seed;
    uint32_t seed_count;
    ABUT__VECTOR(abut_pair) pairs;
    ABUT__VECTOR(abut_intersection) shared;
    abut__entries kept;  // for the front
    ABUT__VECTOR(abut_proxy_contact) contacts;
    ABUT__VECTOR(abut_swept_pair) sweeps;
} abut__task;

struct abut_result {
    const abut_context* context;
    bool touching;
    bool stopped;
    bool wants_shared;
    abut_body_id bad_body;
    uint32_t bad_vertex;
    ABUT__VECTOR(abut_pair) pairs;
    ABUT__VECTOR(abut_intersection) shared;
    ABUT__VECTOR(abut_proxy_contact) contacts;
    ABUT__VECTOR(abut_swept_pair) sweeps;
    ABUT__VECTOR(abut_spell) spells;
    // memory that queries work in
    abut__worker* workers;
    uint32_t worker_count;
    abut__task* tasks;  // ABUT__TASKS_MOST
    ABUT__VECTOR(abut__job) jobs;
    abut__entries seeds;
    abut__entries seeds2;
    ABUT__VECTOR(abut__keyed) keys;
    ABUT__VECTOR(abut_pair) sorted;
    ABUT__VECTOR(abut_intersection) moved;
    ABUT__VECTOR(abut__candidate) given;
    ABUT__VECTOR(struct abut__cone) cones;
    abut__broad broad;
    abut__entries met;
    abut__interval_list intervals;
    ABUT__VECTOR(abut__part) parts;
    ABUT__VECTOR(abut_swept_pair) swept_order;
    abut__swept swept;
    abut__needs needs;
    struct abut__voronoi* voronoi;  // made when first asked for
};

struct abut_front {
    const abut_context* context;
    ABUT__VECTOR(struct abut__front_job) jobs;     // by (body a, body b)
    abut__entries entries;                         // `job` is unused
    ABUT__VECTOR(struct abut__list*) lists;        // per job of the query at work, or NULL
    ABUT__VECTOR(struct abut__front_spare) spare;  // lists that nobody needs now, for their memory
    size_t pending;
    uint64_t scene;  // serial of the scene that the bodies are in
    // the question that left entries pending
    double margin;
    bool neighbours;
    abut_filter_fn filter;
    void* filter_user;
};

// Proofs say that nothing touches: nothing about distances, and nothing about neighbours.
static inline bool abut__proofs_help(const abut_query_def* def) {
    return def->margin == 0 && !def->neighbours;
}

// ---- descend.c
// Whether two nodes or blocks of a job within a body need no look because of their hubs: nothing but
// neighbours is below them, or their cones say so. Only where links have hubs.
bool abut__hubs_skip(const abut__run* run, const abut__job* job, abut__ref a, abut__ref b);
static inline bool abut__may_skip(const abut__job* job) {
    return job->self && job->links->common[0] != NULL;
}

// ---- run.c
// Runs the jobs; `swept` says that they are sweeps.
abut_status abut__query_run(const abut_scene* scene, const abut_query_def* def, abut_result* result,
                            bool swept);
// Adds a job to result->jobs.
abut_status abut__query_add_job(abut_result* result, abut__body* a, abut__body* b,
                                const abut_query_def* def, bool swept);

void abut__counters_add(abut_counters* sum, const abut_counters* part);

// Decides result->given, candidates of result->jobs that were found in another way.
abut_status abut__query_decide(const abut_scene* scene, const abut_query_def* def,
                               abut_result* result, bool swept);

// Sets shift and `unbounded` of a job whose other fields are set.
void abut__job_set_shift(abut__job* job, double margin);
// The same where the bodies' states are not asked about; `extents` is the sum of both.
void abut__job_shift_for(abut__job* job, double extents, double margin);

// ---- descend.c
// The entry above; false for a root. Entries under one father are neighbours in every list.
bool abut__entry_father(const abut__job* job, const abut__entry* entry, abut__entry* father);
// Distance from the root entry.
uint32_t abut__entry_level(const abut__job* job, const abut__entry* entry);
// Whether a traversal ends at the entry without looking further: boxes apart, or node apart.
bool abut__entry_stops(const abut__run* run, abut__worker* worker, const abut__entry* entry);
// Whether the entry is a leaf action rather than a pair of nodes to open.
bool abut__entry_is_leaf(const abut__entry* entry);
// Appends the entry's children that overlap; with run->keep also the others, as stopped. Room
// for ABUT__OPEN_MOST entries must be there.
#define ABUT__OPEN_MOST 64u
void abut__entry_open(const abut__run* run, abut__worker* worker, const abut__entry* entry,
                      abut__entries* out);
// Room for descending any task of the run, in every worker.
bool abut__descend_reserve(const abut__run* run, abut_result* result);
// One task: descends its seeds.
void abut__descend(const abut__run* run, abut__worker* worker, abut__task* task);

// ---- collide.c, self.c: leaf actions
void abut__collide_blocks(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t a,
                          uint32_t b);
void abut__self_block(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t block);
void abut__self_blocks(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t a,
                       uint32_t b);
void abut__self_links(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t node);

// ---- candidates.c
// Makes candidates of the lanes of two blocks whose boxes overlap; neighbours known from a link
// (NULL: none) are left out.
void abut__candidates_between(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t a,
                              uint32_t b, const abut__link* link);
// The same inside one block.
void abut__candidates_inside(const abut__run* run, abut__worker* worker, uint32_t job,
                             uint32_t block);

// Whether a descent would have made a candidate of it: its boxes overlap.
bool abut__candidate_meets(const abut__run* run, abut__worker* worker, const abut__candidate* c);

// Lets bodies know how many of their blocks the worker has evaluated.
void abut__blocks_tell(abut__worker* worker, int side);

static inline bool abut__same_blocks(const abut__candidate* x, const abut__candidate* y) {
    return x->job == y->job && x->block[0] == y->block[0] && x->block[1] == y->block[1];
}

// ---- thin.c
// Leaves out those of a worker's candidates that are apart by points in float.
void abut__candidates_thin(const abut__run* run, abut__worker* worker);

// ---- decide.c
// Decides a worker's candidates: all of them, or only as many as fill batches. The rest may wait for
// those of its next task.
void abut__candidates_decide(const abut__run* run, abut__worker* worker, bool all);
// One task of candidates that were given.
void abut__candidates_take(const abut__run* run, abut__worker* worker, abut__task* task);
// Corners of the triangles that share a class: bit c for corner c of the first, bit 3 + c for corner
// c of the second; 0: none.
#define ABUT__SAME_CORNERS 63u  // all of them: the triangles coincide
uint32_t abut__shared_corners(const abut_mesh* mesh, uint32_t triangle_a, uint32_t triangle_b);

// Whether tags or the caller's filter leave a pair of triangles of a job out.
bool abut__pair_filtered(const abut__run* run, const abut__job* job, uint32_t triangle_a,
                         uint32_t triangle_b);

// ---- swept.c
// Boxes around the whole step, relative to where the body is in the end: of a node's children, of a
// node or block, of a block's triangles.
const abut__boxes8* abut__swept_bound(const abut__body* body, uint32_t node, abut__boxes8* room);
abut__box3 abut__swept_ref_box(const abut__body* body, abut__ref ref);
// That of a node or block at one end, relative to the same.
abut__box3 abut__swept_end_box(const abut__body* body, abut__ref ref, int end);
const abut__block_boxes* abut__swept_boxes(const abut__run* run, abut__worker* worker,
                                           const abut__body* body, uint32_t block, int side);
// The vertices of a block at both ends, in the shape's coordinates; NULL: one is not finite, and
// the worker knows.
const abut__swept_block* abut__swept_vertices(const abut__run* run, abut__worker* worker,
                                              const abut__body* body, uint32_t block, int side);
// What is known of a block's triangles by themselves, corners being at `places` at both ends.
void abut__swept_fill_triangles(const abut_shape* shape, const abut__block* fixed,
                                float places[2][ABUT__BLOCK_VERTICES][3], abut__swept_block* out);
// The world box of a body over the whole step; false: it has no previous state.
bool abut__swept_world_box(const abut__body* body, abut_box* box);
// How far a body's boxes over the step may reach from its origin.
double abut__swept_extent(const abut__body* body);
// The table of a body; NULL: no memory.
abut__swept_body* abut__swept_place(abut_result* result, const abut__body* body);
void abut__swept_release_start(const abut_context* context, abut__swept_body* place);
// Where the vertices of a block are: NULL if there is no memory, which the worker then knows. Unless
// they are ready they are to be filled; if another thread does that, this is the worker's own room.
abut__swept_block* abut__swept_take(const abut__run* run, abut__worker* worker,
                                    const abut__body* body, uint32_t block, int side,
                                    abut__claim* claim);
// Makes tables for all bodies of the jobs, and what proofs within them need; false: no memory.
bool abut__swept_begin(abut_result* result, const abut_query_def* def);
void abut__swept_free(const abut_context* context, abut__swept* swept);

// ---- parts.c
// If a body of the last job turns on the way: makes parts of the job, and takes it away. False: no
// memory.
bool abut__parts_split(abut_result* result);
// Makes jobs of parts that can be looked at together, none of which is later than `before`. False:
// there are no more, or no memory, which `status` then says.
bool abut__parts_next(abut_result* result, const abut_query_def* def, double before,
                      abut_status* status);
// As abut__swept_bound() and so on, in the part of the step that the job is about.
const abut__boxes8* abut__part_bound(const abut__job* job, const abut__body* body, uint32_t node,
                                     abut__boxes8* room);
abut__box3 abut__part_ref_box(const abut__job* job, const abut__body* body, abut__ref ref);
const abut__block_boxes* abut__part_boxes(const abut__run* run, abut__worker* worker,
                                          const abut__job* job, uint32_t block, int side);
const abut__swept_block* abut__part_vertices(const abut__run* run, abut__worker* worker,
                                             const abut__job* job, uint32_t block, int side);
// Vertices of the body at an end of the part that a job within it is about, where answers see them.
void abut__part_place(const abut__job* job, int end, const uint32_t* ids, uint32_t count,
                      double (*out)[3]);
// Whether two bodies can be swept against each other. ABUT_ERR_STATE: `refused` leaves the lines of the
// step, or turns where its motion has no boxes. ABUT_ERR_NO_MEMORY: there was none for boxes.
abut_status abut__parts_check(const abut__body* a, const abut__body* b, const abut__body** refused);
// The box of a body at the start of the step, if its motion has none; false: it has.
bool abut__parts_start_box(const abut__body* body, abut_box* box);
// Grows a world box of a body over a step to hold where it turns, and what leaves the lines.
void abut__parts_grow_box(const abut__body* body, abut_box* box);
// What rounding may add to the distance of what is asked about in a part that is not exact.
double abut__part_pad(const abut__swept_block* a, const abut__swept_block* b);
// A time in a part as one of the step, never later.
double abut__part_time(const abut__part* part, double time);

// ---- interval_pair.c
// Appends the intervals in [0, 1] in which two triangles that move from one place to another are not
// proven apart, in order, no two of which meet. False: no memory.
bool abut__spells_of_pair(const abut_context* context, const double from[6][3],
                          const double to[6][3], double tolerance, abut__interval_list* intervals);

// ---- swept_times.c
// The time before which two boxes that move do not meet, by what they are at both ends, the first one
// shifted: in [0, 1], or infinite if they never do.
double abut__boxes_enter(const abut__box3 a[2], const abut__box3 b[2], const abut__shift* shift);
// The same for nodes and blocks of a job, and for a pair of features of two triangles, the bit of
// ABUT__FEATURE_PAIRS.
double abut__swept_enter(const abut__job* job, abut__ref a, abut__ref b);
double abut__features_enter(const abut__job* job, const abut__moving_triangle* a,
                            const abut__moving_triangle* b, uint32_t pair);
// Whether that is worth knowing: what is within one body mostly moves together.
static inline bool abut__swept_is_timed(const abut__run* run, const abut__worker* worker,
                                        uint32_t job) {
    return run->swept != NULL && (!run->jobs[job].self || worker->before < 1);
}
// Sorts the seeds of a run by that time; false: no memory.
bool abut__first_seeds(const abut__run* run, abut_result* result);
// ---- swept_proofs.c
// Fills in what proofs within the job's body need; false: there is nothing to prove by.
bool abut__swept_prove(const abut_context* context, const abut__job* job,
                       abut__swept_proofs* proofs);
// True only with a proof that no vertex and face, and no two edges, under the node that share no
// vertex touch in the course of the step.
bool abut__swept_apart(const abut_context* context, const abut__job* job, abut__ref ref);
void abut__swept_proofs_free(const abut_context* context, abut__swept_proofs* proofs);

// ---- sweep_decide.c
// Decides a worker's candidates of a sweep: `all` of what they lead to, or only as much as fills
// batches.
void abut__sweep_candidates(const abut__run* run, abut__worker* worker, bool all);

// ---- result.c
extern const abut_query_def abut__query_defaults;
abut_status abut__result_begin(abut_result* result, const abut_query_def* def);
// Sorts the pairs of the result, and what they share.
abut_status abut__result_sort(abut_result* result);

// ---- front.c
// Fills result->seeds from the front, or with the roots of the jobs.
abut_status abut__front_seeds(abut__run* run, abut_result* result);
// Keeps the entries that the tasks have left.
abut_status abut__front_keep(abut__run* run, abut_result* result, uint32_t task_count);

#endif
