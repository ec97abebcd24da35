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
//   sweep.c    calls of sweeps, sorting              sweep_parts.c  of bodies that turn during the step
//   sweep_decide.c  from candidates to contacts
//   contact_intervals.c  when triangles touch in an animation
//   interval_pair.c      two of them in one segment of it
//   swept_times.c   when boxes that move meet, and what cannot be the earliest contact
//   needs.c    which blocks a query needs
//   result.c   the caller's result, sorted           changes.c  begun, continued, ended
//
// Work is cut into tasks by the tree and the jobs, never by the number of workers.
#ifndef ABUT_QUERY_QUERY_H
#define ABUT_QUERY_QUERY_H

#include "abut/query.h"
#include "query/needs.h"
#include "scene/broad.h"
#include "view/step.h"

struct abut__cone;
struct abut__front_job;
struct abut__front_spare;
struct abut__list;
struct abut__part;
struct abut__voronoi;

// Two bodies to be tested, or one with itself.
typedef struct abut__job {
    abut__view view[2];
    const abut__links* links;  // of the first one's blocks, if it is one with itself
    bool self;
    bool in_shape;   // decided in shape coordinates: within a body, or in one and the same frame
    bool unbounded;  // float boxes are of no use: everything overlaps
    bool suspect;    // a vertex may be not finite
    bool b_first;    // blocks of the second one are better evaluated before those of the first
    bool has_sphere[2];  // which of them has a sphere that says more than its boxes
    bool listed;  // its pairs of blocks come from a kinetic list, which tighter bounds do not help
    const struct abut__cone* cones;  // of nodes with hubs, if they help: see cones.h
    abut__span span;                 // of the step, in sweeps
    abut__shift shift;               // from the first one's boxes to the second one's, padded for
                                     // margin and rounding
    abut__shift corner_shift;        // the same for corners of sweeps, which are rounded otherwise
    abut__sphere3 sphere[2];         // relative to the second one's origin, grown for the same
    atomic_ullong* needed[2];        // blocks that the query has needed; NULL: they are not counted
} abut__job;

// A job about a part of a step, to be run in some round.
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
    abut__reader reader;
    bool found;
    uint64_t spent;  // box tests of the present task, against the budget
    uint64_t spent_in_all;
    struct abut__task* task;  // the present one
    abut__entries stack;
    ABUT__VECTOR(abut__candidate) candidates;
    size_t thinned;                // so many of them were looked at in float
    abut__usage* opened[2];        // of the bodies whose blocks were evaluated last,
    uint32_t opened_count[2];      // how many blocks are not counted there yet,
    uint32_t false_open_count[2];  // and pairs of them without a candidate
    abut__round_lanes round;
    abut__lane_pairs lanes;
    double before;                // contacts of sweeps after this time are of no use
    abut__sweep_lanes sweeps[2];  // vertices and faces, edges
} abut__worker;

// One call.
typedef struct abut__run {
    const abut_scene* scene;
    const abut_context* context;
    const abut__kernels* kernels;
    const abut_query_def* def;
    const abut__job* jobs;
    const abut__entry* seeds;
    bool sweeps;                   // candidates are decided over their windows
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
    ABUT__VECTOR(abut__sweep_part) parts;
    abut__cuts cuts;
    ABUT__VECTOR(abut_swept_pair) swept_order;
    abut__step_tables steps;
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

// ---- descend.c
// Whether two nodes or blocks of a job within a body need no look because of their hubs: nothing but
// neighbours is below them, or their cones say so. Only where links have hubs.
bool abut__hubs_skip(const abut__run* run, const abut__job* job, abut__ref a, abut__ref b);
static inline bool abut__may_skip(const abut__job* job) {
    return job->self && job->links->common[0] != NULL;
}

// ---- run.c
// Runs the jobs; `sweeps` says that their views are decided over their windows.
abut_status abut__query_run(const abut_scene* scene, const abut_query_def* def, abut_result* result,
                            bool sweeps);
// Adds a job to result->jobs: two views, or (`self`) one body with itself, seen twice alike.
abut_status abut__query_add_job(abut_result* result, const abut__view* a, const abut__view* b,
                                bool self, const abut_query_def* def);
// The same for two bodies, or one body twice, in their current states.
abut_status abut__query_add_bodies(abut_result* result, abut__body* a, abut__body* b,
                                   const abut_query_def* def);

void abut__counters_add(abut_counters* sum, const abut_counters* part);

// Decides result->given, candidates of result->jobs that were found in another way.
abut_status abut__query_decide(const abut_scene* scene, const abut_query_def* def,
                               abut_result* result, bool sweeps);

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

// ---- sweep_parts.c
// If a body of the last job turns during the step: replaces the job by its parts. False: no memory.
bool abut__parts_split(abut_result* result);
// Makes jobs of parts that can run together, none of which is later than `before`. False: there are no
// more, or no memory, which `status` then says.
bool abut__parts_next(abut_result* result, const abut_query_def* def, double before,
                      abut_status* status);

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
static inline bool abut__swept_is_timed(const abut__job* job, const abut__worker* worker) {
    return job->view[0].kind->box_at != NULL && (!job->self || worker->before < 1);
}
// Sorts the seeds of a run by that time; false: no memory.
bool abut__first_seeds(const abut__run* run, abut_result* result);
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
