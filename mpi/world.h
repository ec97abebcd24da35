// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the files of worlds share. One query runs as follows (meet.c): owners send the boxes of their
// bodies to the ranks of the regions that the boxes reach; the rank of a region finds pairs in it and
// says for each pair which of the two owners decides it; the other owner sends its body's state there,
// or the part of it that can be reached (parts.c), unless that rank has it; the rank decides the pair in its own scene, where the other body is a ghost.
// Rows are gathered or distributed at the end (rows.c).
//
// Failures: a rank that fails takes part in all exchanges of the call that follow, with empty messages,
// and all ranks learn of it when they next agree (agree.c). So no rank ever waits for one that left.
#ifndef ABUT_MPI_WORLD_H
#define ABUT_MPI_WORLD_H

#include "abut/mpi.h"
#include "mpi/curve.h"
#include "mpi/lists.h"
#include "mpi/mail.h"

// A shape of this rank, by its name.
typedef struct abut__known_shape {
    abut_shape_name name;
    abut_shape* shape;
    uint32_t vertices;
} abut__known_shape;

// Vertices of a body, a bit each.
typedef ABUT__LIST(uint64_t) abut__marks;

// What another rank holds of a body of this one.
typedef struct abut__holder {
    int rank;
    uint32_t used;   // the last query that needed it there
    uint32_t now;    // number of the state there, as abut__owned has it
    uint32_t step;   // number of the step there
    uint32_t place;  // number of the frames there
    uint32_t plan;   // number of the plans there
    abut__marks
        marks;  // of the vertices there, if not all of them came; the state before the step, if
                // it is there, has these or more
} abut__holder;

// A body of this rank. States are kept as bytes (states.c), because other ranks may need them.
typedef struct abut__owned {
    uint32_t id;
    uint32_t shape;  // in world->shapes
    abut_body_id local;
    abut_body_def def;
    double thickness;
    abut_frame before;     // the frame before the step; def.frame has the one after it
    abut__bytes state[2];  // before the step and now; empty: that of the creation
    bool ended;            // no state was set since abut_world_end_step()
    bool leaves;           // to another rank, in a balance that is under way
    bool comes;            // from another rank, likewise
    bool asks;             // for the closest body, in a query that is under way
    uint32_t now;          // changes with the state
    uint32_t step;         // changes with the state and with the end of a step
    uint32_t place;        // changes with frames, groups and thickness
    uint32_t plan;         // changes with plans
    abut__bytes plans;     // the calls that made them (plans.c), after the state before the step,
    bool plans_now;        // or after the state now
    uint64_t work;         // since the last balance
    ABUT__LIST(abut__holder) holders;
} abut__owned;

// A body of another rank that this one holds.
typedef struct abut__ghost {
    uint32_t id;
    uint32_t used;  // the last query that needed it
    int owner;
    uint32_t shape;
    abut_body_id local;
    bool counted;  // in the statistics of this query
    bool part;     // only a part of its state came
} abut__ghost;

// A pair of bodies that this rank decides: ids, and the bodies in its scene.
typedef struct abut__duty {
    uint32_t id[2];
    abut_body_id local[2];
    uint32_t owned[2];  // in world->owned, or ABUT__ABSENT
    bool asks[2];
} abut__duty;

// Rows of one pair of bodies, for sorting.
typedef struct abut__run_of_rows {
    uint32_t id[2];
    uint32_t count;
    size_t first;        // byte of the first row, or where it is in a message,
    const uint8_t* end;  // and where the run ends there
} abut__rows_run;

// Working memory of parts.c.
typedef struct abut__parts {
    ABUT__LIST(abut_box) boxes;  // that a rank needs a body for
    abut__marks marks;           // the vertices that matter there,
    size_t count;                // how many they are,
    abut__bytes runs;            // and as bytes
    abut__ids stand_ins;
    abut__bytes positions;
} abut__parts;

// For tests: may change a message before it is sent, or fail a step.
typedef struct abut__saboteur {
    void (*payload)(void* user, uint32_t exchange, int to, uint8_t* bytes, size_t count);
    void (*wire)(void* user, uint32_t exchange, int to, uint8_t* bytes, size_t count);
    bool (*fails)(void* user, uint32_t exchange);
    void* user;
} abut__saboteur;

struct abut_world {
    abut_context* context;
    abut_scene* scene;
    abut_scene_def scene_def;
    abut_allocator memory;
    MPI_Comm comm;
    int rank;
    int ranks;
    uint32_t keep_steps;
    uint32_t query;  // number of the current query
    abut_world_stats stats;
    ABUT__LIST(abut__known_shape) shapes;
    ABUT__LIST(abut__owned) owned;
    abut__table owned_by_id;
    ABUT__LIST(abut__ghost) ghosts;
    abut__table ghost_by_id;
    abut__ids own_ids;          // for abut_world_bodies()
    bool added;                 // bodies were added or removed since the last query
    abut__table body_by_local;  // index in the scene to global id, for filters and rows
    abut__bytes fresh;          // a new state, and an aligned copy of one
    abut__bytes aligned;
    abut__parts parts;
    // regions
    abut__regions regions;
    uint64_t load;               // of this rank in the last query
    ABUT__LIST(uint64_t) loads;  // of the ranks whose boxes came, in this query
    // messages
    abut__mail mail;
    abut__mail shape_mail;
    uint8_t* talked;  // ranks to which messages were sent
    // the current call
    abut_error trouble;     // of this rank: status ABUT_OK if there is none
    uint32_t trouble_step;  // the exchange in which it came
    uint32_t exchanges;     // of this call so far
    int blamed;
    ABUT__LIST(abut__duty) duties;
    ABUT__LIST(struct abut__surface*) surfaces;
    // working memory of meet.c, join.c and rows.c
    struct abut__work* work;
    abut__saboteur saboteur;
};

struct abut_world_answer {
    abut_world* world;
    size_t row_size;
    ABUT__LIST(abut__rows_run) runs;
    abut__bytes rows;    // found here
    abut__bytes sorted;  // the answer of this rank
    abut_collide_result* collide;
    abut_sweep_result* sweep;
    abut_within_result* within;
    abut_nearest_result* nearest;
    abut_proxies_result* proxies;
};

// ---- agree.c

// Notes a failure of this rank, unless there is one already. `body`: its global id, or ABUT__ABSENT.
abut_status abut__trouble(abut_world* world, abut_status status, uint32_t body, const char* format,
                          ...) __attribute__((format(printf, 4, 5)));
// Notes a failure that a call of the library reported; the body is named as `body`.
abut_status abut__trouble_from(abut_world* world, const abut_error* error, uint32_t body);
// Begins a collective call: all ranks must make the same one, with settings of the same hash.
// `any` as in abut__agree().
abut_status abut__call_begin(abut_world* world, uint64_t settings, bool* any, abut_error* error);
// All ranks learn whether one of them failed in this call so far; returns the same status on all. `any`
// (may be NULL) becomes true on all if it is so on one.
abut_status abut__agree(abut_world* world, bool* any, abut_error* error);
// Adds up or finds the greatest of `count` numbers of all ranks; false: MPI failed.
bool abut__sum_over_ranks(abut_world* world, uint64_t* numbers, int count);
bool abut__least_over_ranks(abut_world* world, double* numbers, int count);

// ---- shapes.c

uint32_t abut__shape_find(const abut_world* world, abut_shape_name name);
// Fetches the shapes that `missing` names, each from a rank that has it. Collective. Returns false if
// this rank failed.
typedef struct abut__missing {
    abut_shape_name name;
    int from;
} abut__missing;
typedef ABUT__LIST(abut__missing) abut__missing_list;
void abut__shapes_fetch(abut_world* world, const abut__missing_list* missing);
void abut__shapes_free(abut_world* world);

// ---- bodies.c

// Returns the place in world->owned of a body of this rank, or fails.
abut_status abut__own(abut_world* world, uint32_t id, uint32_t* place, abut_error* error);
abut_status abut__fail_world(abut_error* error, abut_status status, uint32_t body,
                             const char* format, ...) __attribute__((format(printf, 4, 5)));
// Makes and removes the body of a record in the scene of this rank.
abut_status abut__owned_add(abut_world* world, const abut__owned* body, abut_error* error);
void abut__owned_forget(abut_world* world, uint32_t place);
// The global id of a body of the scene.
uint32_t abut__id_of_local(const abut_world* world, uint32_t local);

// ---- states.c

// Sets the state that the bytes hold. Empty bytes: nothing is done.
abut_status abut__state_apply(abut_world* world, abut_body_id local, const abut_shape* shape,
                              const uint8_t* bytes, size_t count, abut_error* error);

// Makes a body with the state, frames and thickness of the record in the scene of this rank.
abut_status abut__body_build(abut_world* world, const abut__owned* body, abut_body_id* local,
                             abut_error* error);

// ---- plans.c

// The plans of a body that were made after its state k (0: before the step, 1: now); may be empty.
const abut__bytes* abut__plans_after(const abut__owned* body, int k);
// Repeats the calls that the bytes hold, which are aligned.
abut_status abut__plans_apply(abut_world* world, abut_body_id local, const abut_shape* shape,
                              const uint8_t* log, size_t size, abut_error* error);
// Takes plans out of the states of a body that came; false: no memory.
bool abut__plans_split(abut_world* world, abut__owned* body);

// ---- meet.c

// How far boxes of a query reach.
typedef struct abut__reach {
    double margin;  // boxes grow by half of it
    bool step;      // over the whole step
    bool thick;     // and by the thickness of their bodies
    bool proxies;   // boxes of contact proxies; bodies that have none are left out
    bool parts;     // free bodies may be sent in part
    double ask;     // and by this, if the body asks; if > 0, one body of each pair asks
} abut__reach;
// Finds the pairs of bodies whose boxes overlap, and brings all bodies that this rank needs to decide
// its share: world->duties, sorted by ids. Collective; failures are noted, the caller agrees.
abut_status abut__meet(abut_world* world, const abut__reach* reach, abut_error* error);
// How much the box of a body grows in a query, without its slack.
double abut__owned_grows(const abut__owned* body, const abut__reach* reach);
// The box of a body, grown; false: trouble was noted
bool abut__owned_box(abut_world* world, const abut__owned* body, const abut__reach* reach,
                     float box[6]);
// Grows a box and rounds it outwards.
void abut__box_grow(const abut_box* from, double grow, float box[6]);
double abut__box_centre(const float box[6], int axis);
bool abut__work_open(abut_world* world);
void abut__work_free(abut_world* world);

// ---- ghosts.c

// A body whose state a rank needs.
typedef struct abut__need {
    uint32_t id;
    int to;
    bool boxed;    // only what may touch a body in this box
    float box[6];  // as it is grown for the query
} abut__need;
typedef ABUT__LIST(abut__need) abut__needs_list;
// Sends the states of bodies of this rank, and receives those that it needs. Collective.
abut_status abut__ghosts_bring(abut_world* world, abut__needs_list* needs, const abut__reach* reach,
                               abut_error* error);
// Forgets all that other ranks hold of a body.
void abut__holders_forget(abut_world* world, abut__owned* body);
// Forgets all ghosts and all holders: after a failure, and when owners change.
void abut__ghosts_forget(abut_world* world);
// One body of a message. Pointers lead into the message.
typedef struct abut__body_message {
    uint32_t id;
    uint8_t parts;
    bool whole;  // it has all that a new owner needs
    bool ended;
    bool framed;
    uint8_t is_static;
    abut_shape_name shape;
    const uint8_t* state[2];
    uint32_t size[2];
    abut_frame frame[2];
    double thickness;
    uint64_t groups;
    uint64_t mask;
} abut__body_message;

// Writes a whole body for another rank: what a new owner needs.
bool abut__body_write(abut_world* world, const abut__owned* body, abut__bytes* to);
// Reads one body; false: the message is damaged.
bool abut__body_read(abut__reading* in, abut__body_message* message);
// Lists the shapes that messages about bodies name and this rank lacks.
void abut__bodies_list_missing(abut_world* world, abut__missing_list* missing);

// ---- parts.c

// Whether a state of a body may be sent in part.
bool abut__part_may(const abut_world* world, const abut__owned* body);
// Marks the vertices that matter near world->parts.boxes; false: trouble was noted.
bool abut__part_mark(abut_world* world, const abut__owned* body, bool step);
// Whether the marked vertices take fewer bytes than all of them.
bool abut__part_pays(abut_world* world, const abut__owned* body);
// Writes the marked vertices of state k, after abut__part_pays().
bool abut__part_write(abut_world* world, const abut__owned* body, int k, abut__bytes* to);
// Whether a state in a message is a part of one.
bool abut__part_is(const abut_shape* shape, const uint8_t* state, size_t count);
// Makes positions for all vertices from a part, which is aligned. They stay until the next call.
abut_status abut__part_read(abut_world* world, const abut_shape* shape, const uint8_t* state,
                            size_t bytes, const uint8_t** positions, abut_error* error);
// Whether marks have all others; adds others to them; copies them (false: no memory).
bool abut__marks_have(const abut__marks* marks, const abut__marks* others);
void abut__marks_join(abut__marks* marks, const abut__marks* others);
bool abut__marks_copy(abut_world* world, const abut__marks* from, abut__marks* to);
void abut__parts_free(abut_world* world);

// ---- rows.c

void abut__rows_begin(abut_world_answer* answer, size_t row_size);
// Adds rows of two bodies, which begin with the ids of both in the scene.
bool abut__rows_add(abut_world_answer* answer, const abut__duty* duty, const void* rows,
                    size_t count);
// Brings rows to where they belong, sorted, and ends the call. Collective.
abut_status abut__rows_end(abut_world_answer* answer, const abut_world_query_def* query,
                           abut_error* error);

// The first keys of the parts of a distributed list, of all ranks but rank 0, from samples of the keys of
// each rank, each of which stands for some rows. Collective; false: some rank has no memory.
#define ABUT__SAMPLES 32
typedef struct abut__sample {
    uint64_t key;
    uint64_t rows;
} abut__sample;
typedef ABUT__LIST(uint64_t) abut__cuts;
bool abut__rows_cut(abut_world* world, const abut__sample own[ABUT__SAMPLES], abut__cuts* cuts);
int abut__rows_rank_of(const abut_world* world, const abut__cuts* cuts, uint64_t key);

// ---- surfaces.c

void abut__surfaces_free(abut_world* world);
// Forgets what other ranks hold of pieces of this one, and what it holds: after a failure.
void abut__surfaces_forget(abut_world* world);

// ---- world.c

// Begins a collective call that is not a query; finds ids that two ranks have.
abut_status abut__call_open(abut_world* world, uint64_t settings, abut_error* error);
// Checks the arguments that all queries share, and begins the call. `refusal` (may be NULL) says why the
// settings cannot be used.
abut_status abut__query_begin(abut_world* world, const abut_world_query_def** query,
                              abut_world_answer* answer, const char* refusal, uint64_t settings,
                              abut_error* error);
// A filter that translates bodies of the scene to global ids.
typedef struct abut__global_filter {
    const abut_world* world;
    abut_filter filter;
} abut__global_filter;
abut_filter abut__filter_globally(abut__global_filter* filter);
// Why settings cannot be used in a world; NULL: they can.
const char* abut__collide_refusal(const abut_collide_def* def);
const char* abut__sweep_refusal(const abut_sweep_def* def);
const char* abut__within_refusal(const abut_within_def* def);
// An owned body with itself.
abut__duty abut__self_duty(const abut_world* world, size_t owned);
// Ends a query about one pair or body: adds its work to counters, stats and the bodies, and notes a
// failure with the body to blame. False: it failed.
bool abut__duty_done(abut_world* world, const abut__duty* duty, abut_status status,
                     const abut_error* error, const abut_counters* work, abut_counters* counters);
void abut__counters_sum(abut_counters* to, const abut_counters* from);

#endif
