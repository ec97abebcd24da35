// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The interface of a motion: five required operations, and optional tables.
//
// Queries are written against these alone. A new motion is a new file in motion/ with one constant
// abut__motion, a line in motions.c, and its public call. Each optional table is there as a whole
// or NULL; the comment above it says what its absence means.
//
// All positions are in the shape's coordinates. The boxes of `bound` are in world axes. Bounds and
// points in float are relative to the state's origin, which is not 0 where positions are so far from
// 0 that floats would be too coarse. A motion with a timeline has one origin for all times.
#ifndef ABUT_MOTION_MOTION_H
#define ABUT_MOTION_MOTION_H

#include <stdatomic.h>

#include "base/packing.h"
#include "bound/ball.h"
#include "bound/certificate.h"
#include "bound/refit.h"
#include "motion/shape_tables.h"
#include "simd/kernels.h"

// A state of a body: data common to all motions, and the motion's own.
typedef struct abut__state {
    bool valid;
    bool bare;            // without bounds, because its body has none: only `vertices` may read it
    bool costly;          // vertices take work to evaluate: worth caching with their blocks
    bool merges;          // boxes above those that were opened in the last state are merged
    bool widens;          // bounds are kept, to be widened for the next state
    bool counts;          // nodes that are bounded: the next state decides by their number
    float extent;         // no coordinate of a finite block, relative to the origin, is greater
    uint32_t bad_vertex;  // the lowest vertex that is not finite, or ABUT__NONE
    void* own;            // data of the motion
} abut__state;

// Boxes and positions that a state has in memory.
typedef struct abut__stored {
    const abut__boxes8* boxes;  // per node: those of its children, in the shape's axes
    abut__source positions;     // of all vertices, with the origin of the state
} abut__stored;

// Counts of what queries did with a body. A motion decides by them what is worth preparing for a
// new state. Decisions depend on these counts alone, never on a clock.
typedef struct abut__usage {
    atomic_uint self_queries;  // since the last state
    atomic_uint proven;        // nodes proven apart since the last state
    atomic_uint bounded;       // nodes whose children were bounded since the last state
    atomic_uint opened;        // blocks evaluated since the last state
    atomic_uint false_opens;   // pairs of blocks opened without a candidate since the last state
    atomic_uint refined;       // comparisons of spheres with children of nodes since the last state
    uint8_t pause;             // states to come without the extra preparation
    uint8_t failures;          // states in a row where the preparation gained nothing
    uint8_t untried;           // states in a row proven by normals without a trial of certificates,
    uint8_t trial_after;       // and after how many there is one
} abut__usage;

// Returns a count and resets it. No query runs while a state is set, so that a locked exchange,
// which takes longer than the rest of a small state, is not needed.
static inline uint32_t abut__usage_take(atomic_uint* count) {
    const uint32_t taken = atomic_load_explicit(count, memory_order_relaxed);
    atomic_store_explicit(count, 0, memory_order_relaxed);
    return taken;
}

// Lengths of the way from one state to the next: from the last one to this, and from the one that a
// bound was computed for.
typedef struct abut__way {
    double step;
    double whole;
} abut__way;

// Boxes and vertices are computed at each call, so that caching them for a state pays.
// Without this table boxes are stored in the state, and nothing is cached.
typedef struct abut__lazy {
    // Vertices of a block in double: at least the wanted ones, one bit each. Returns which.
    uint64_t (*block_vertices)(const abut_shape* shape, const abut__state* state, uint32_t block,
                               uint64_t wanted, abut__block_exact* out);
    bool all_at_once;  // block_vertices always computes all of them
    // The boxes of all nodes' children in the shape's axes, if the state has them in memory; else
    // NULL.
    const abut__boxes8* (*boxes)(const abut__state* state);
    // NULL, or: gives the positions of all vertices in float, if the state has them in memory. Each
    // coordinate is off by at most *radius.
    bool (*points)(const abut__state* state, abut__source* source, float* radius);
    // The following two are called only for states with `widens`.
    // An upper bound of the distance of two states; it may be infinite.
    double (*distance)(const abut_shape* shape, const abut__state* state, const abut__state* last);
    // Widens boxes in the shape's axes that are right for all states from an earlier one up to the
    // last, so that they are right for this one, too. False, and nothing is changed: they would
    // become too wide.
    bool (*widen)(const abut_shape* shape, const abut__state* state, const abut__way* way,
                  uint32_t node, abut__boxes8* boxes);
    // As abut__motion.bound for some children of a node, one bit each; those of other children
    // become anything. The boxes of others are then merged from those below them, where the last
    // queries opened them. NULL: no boxes are merged.
    void (*bound_some)(const abut_shape* shape, const abut__state* state, const abut__turn* turn,
                       uint32_t node, uint32_t wanted, abut__boxes8* out);
} abut__lazy;

// Proofs that are prepared by the first query that wants them. Without this table they need no
// preparation beyond `begin`.
typedef struct abut__proofs {
    // Called by the thread that starts a self query in a state: prepares what is made only once, and
    // stored in the shape.
    void (*expect)(const abut_shape* shape, const abut__state* state);
} abut__proofs;

// Proofs about pairs of blocks or nodes of one body. Without this table `apart` is the only proof.
typedef struct abut__pair_proofs {
    // True only with a proof that no triangle of one block touches one of the other with which it
    // shares no vertex.
    bool (*blocks_certified)(const abut_shape* shape, const abut__state* state, uint32_t block_a,
                             uint32_t block_b);
    // The same for the blocks of links first .. first + count - 1 of the shape, one bit each. All
    // must be of one group of sixteen, that is, first / 16 == (first + count - 1) / 16.
    uint32_t (*links_apart)(const abut_shape* shape, const abut__state* state, uint32_t first,
                            uint32_t count);
    // NULL, or: true only with a proof for all triangles under two nodes, of which neither is above
    // the other.
    bool (*nodes_apart)(const abut_shape* shape, const abut__state* state, uint32_t node_a,
                        uint32_t node_b);
} abut__pair_proofs;

// Certificates (bound/certificate.h), which are made once per shape. motion/certified.h has the proofs
// of a motion with this table.
typedef struct abut__certifying {
    // Makes them, or only a sample of them (ABUT__SAMPLE_EVERY), in slices: see abut__certifier in
    // bound/certificate.h. They begin with an abut__certificate_index.
    void* (*begin)(const abut_shape* shape, const abut__links* links, bool sample);
    abut__certify_status (*work)(void* making, uint64_t units, uint64_t* spent);
    void* (*end)(void* making);
    void (*destroy)(void* certificates);
    // Tests those of a range in a state. Returns a bit for each, 1 if it holds. The results are
    // stored with the state, except those of a sample.
    uint32_t (*test)(const void* certificates, const abut__state* state,
                     abut__certificate_range range, bool sample);
} abut__certifying;

// An interval of time around a state in which every side of every box is linear in time, or at
// least bounded by what is interpolated between the ends.
typedef struct abut__segment {
    double time;  // of the state
    double from;  // from <= time <= to; infinite where nothing moves
    double to;
    const abut__boxes8* boxes[2];  // at both ends, per node those of its children, shape's axes
    float extent;                  // no coordinate is greater in magnitude at either end
    float pad;                     // that the interpolated boxes need
    bool is_curved;   // all vertices also move by a common curve: boxes bound relative motion only
    uint64_t epoch;   // of the shape or the body; boxes of another epoch differ, perhaps times too
    uint64_t change;  // the last time that some boxes changed within the epoch
    const uint64_t* touched;  // per node the last time that its children's did; NULL: none
    const abut__descent*
        descent;  // boxes of the same epoch in the shape before the edit are the same
                  // but for what this lists; NULL: all may differ
    // tighter boxes of a kinetic tree, from the state on until their next event; NULL: none
    const abut__boxes8* lines[2];
    float line_pad;
    uint64_t serial;        // of the state
    const uint64_t* marks;  // a bit per node: its children's differ from those of the serial before
} abut__segment;

// A time at which vertices change velocity between two states.
typedef struct abut__breakpoint {
    double at;     // fraction of the step, in [0, 1]; ascending
    uint32_t key;  // the motion's name for it
} abut__breakpoint;

typedef enum abut__schedule {
    ABUT__SCHEDULE_NONE,   // a single keyframe: vertices rest
    ABUT__SCHEDULE_KEYS,   // keyframes
    ABUT__SCHEDULE_PLANS,  // plans of the body's own
} abut__schedule;

// Motion that is known ahead of the current state.
// Without this table each step is straight, and there are no separation lists or contact intervals.
typedef struct abut__timeline {
    abut__schedule (*schedule)(const abut_shape* shape, const abut__state* state);
    // The segment that a time of the keyframes lies in. NO_MEMORY, or ERR_INVALID_DATA: a keyframe
    // of it is not finite or too large.
    abut_status (*segment_at)(const abut_shape* shape, double time, abut__segment* out);
    // The segment of a state; false: it has none.
    bool (*segment)(const abut_shape* shape, const abut__state* state, abut__segment* out);
    // The first keyframe's time after `time`, or infinity.
    double (*next_break)(const abut_shape* shape, double time);
    // Vertices at a time of the keyframes.
    void (*vertices_at)(const abut_shape* shape, double time, const uint32_t* ids, uint32_t count,
                        double* const out[3]);
    // The breakpoints from one state to another, by ascending indices; false: there are no more.
    // Between breakpoints vertices move straight, at constant velocity.
    bool (*breakpoint)(const abut_shape* shape, const abut__state* before, const abut__state* now,
                       uint32_t index, abut__breakpoint* out);
    // At a breakpoint: the boxes of all nodes' children in the shape's axes, and vertices.
    // ERR_STATE: the body's plans leave it without boxes there; NO_MEMORY.
    abut_status (*break_boxes)(const abut_shape* shape, const abut__state* now, uint32_t key,
                               const abut__refit_boxes** boxes);
    void (*break_vertices)(const abut_shape* shape, const abut__state* now, uint32_t key,
                           const uint32_t* ids, uint32_t count, double* const out[3]);
    // Whether all vertices leave the line between two states by a common curve: at the fraction s
    // of the step by s (s - 1) / 2 of `by`, in the shape's axes.
    bool (*curve_offset)(const abut__state* before, const abut__state* now, double by[3]);
} abut__timeline;

// Bounds of the whole body that are cheaper or tighter than its root's box.
// Without this table the root's box is used, and shapes have no proxies.
typedef struct abut__whole_bounds {
    // The box of all vertices in the shape's axes, padded for all rounding but that of frames.
    // False: there is none that is cheaper than the root's children, or the numbers are too large.
    bool (*box)(const abut_shape* shape, const abut__state* state, double centre[3],
                double half[3]);
    // A sphere around all vertices, padded likewise.
    abut__ball (*sphere)(const abut_shape* shape, const abut__state* state);
    // The spheres of a node of the shape's proxies (bound/proxies.h), and a bound of the error of a
    // proxy's centre and radius together. False: coordinates are too large.
    bool (*proxies)(const abut_shape* shape, const abut__state* state, uint32_t node,
                    abut__balls8* out, float* error);
} abut__whole_bounds;

// Kinds of bounds of a node's children that queries compare.
#define ABUT__BOXES 1u
#define ABUT__SPHERES 2u

// Spheres around the children of nodes.
// Without this table queries compare boxes.
typedef struct abut__node_spheres {
    // The kinds to compare in a state, one or both. Boxes are there in any case.
    uint32_t (*kinds)(const abut_shape* shape, const abut__state* state);
    // The spheres of a node's children in the shape's axes. Returns what their radii must be grown
    // by. Called only for states whose kinds include spheres.
    float (*balls)(const abut_shape* shape, const abut__state* state, uint32_t node,
                   abut__balls8* out);
    // Makes spheres for a state whose kinds do not include them; false: it cannot, or had better
    // not. Any thread may call it.
    bool (*provide)(const abut_shape* shape, const abut__state* state);
    // Widens spheres that were grown: see abut__lazy.
    bool (*widen)(const abut_shape* shape, const abut__state* state, const abut__way* way,
                  uint32_t node, abut__balls8* balls);
} abut__node_spheres;

// Data that the motion keeps in shape->own. Without this table it keeps nothing there.
typedef struct abut__shape_keeping {
    // Before the tree is built (this may replace the mesh). A new shape has a `def`, which is of the
    // motion's own type, and no lineage (NULL); an edited one has a lineage and no `def`.
    abut_status (*prepare)(abut_shape* shape, const void* def, const abut__lineage* lineage,
                           abut_error* error);
    // NULL, or: after the tree is built, when the lineage has its blocks.
    abut_status (*complete)(abut_shape* shape, const abut__lineage* lineage, abut_error* error);
    // Frees shape->own, which may be NULL or incomplete.
    void (*discard)(abut_shape* shape);
} abut__shape_keeping;

// Packs what the motion keeps in shape->own (base/packing.h). Without this table shapes cannot be
// saved if their motion keeps something there.
typedef struct abut__shape_packing {
    // Packs what `prepare` makes, and unpacks it, which fills shape->own and the shape's counts of
    // fields and nodes. The mesh that is packed is the one after `prepare`.
    void (*write)(const abut_shape* shape, abut__packer* writer);
    void (*read)(abut_shape* shape, abut__unpacker* reader);
    // The same for what was made at first use, after `complete`, and takes long to make or decides
    // how much work queries do.
    void (*write_made)(const abut_shape* shape, abut__packer* writer);
    void (*read_made)(abut_shape* shape, abut__unpacker* reader);
    // NULL without certificates, or: packs them, or a sample, and unpacks those of a shape. NULL: the
    // reader has failed.
    void (*write_certificates)(const void* certificates, abut__packer* writer);
    void* (*read_certificates)(const abut_shape* shape, abut__unpacker* reader);
} abut__shape_packing;

// Data that the motion keeps in state->own.
// Without this table it is `state_size` bytes, zero at rest, copied when the body switches shapes.
typedef struct abut__state_keeping {
    // Memory for a state of the shape, without bounds if it is bare; false: there is none.
    bool (*reserve)(const abut_shape* shape, abut__state* state);
    // Frees state->own, which may be NULL.
    void (*release)(const abut_context* context, abut__state* state);
    // Fill a reserved state: with the rest state, or with the state of a body that switches from
    // another shape, which may have fewer vertices.
    void (*rest)(const abut_shape* shape, abut__state* state);
    abut_status (*carry)(const abut_shape* shape, abut__state* state, const abut_shape* before,
                         const abut__state* from, abut_error* error);
} abut__state_keeping;

struct abut__whole;

// Trees that are made when a query first needs them, and bodies that have no bounds until then.
// Without this table a shape is made with its tree, and a body with its bounds.
//
// Any number of threads may make drafts at the same time, while others read `vertices` of the same
// states. One thread moves its draft into the shape or state. It stores only members that
// `vertices` does not read.
typedef struct abut__late {
    // Both NULL, or: fills the draft of a shape with references to what its `complete` needs (false:
    // no memory), and moves into the shape what `complete` made for the draft. Shapes with proxies
    // get their tree while they are created, because any thread may read shape->proxies.
    bool (*draft)(abut_shape* draft, const abut_shape* shape);
    void (*adopt)(abut_shape* shape, abut_shape* draft);
    // Both NULL: `begin` of a bare state leaves nothing to be made. Or: fills a reserved draft with
    // the same state, to be begun, and moves the bounds of the draft into the state.
    void (*draft_state)(const abut_shape* shape, abut__state* draft, const abut__state* state);
    void (*adopt_state)(abut__state* state, abut__state* draft);
    // NULL, or: makes what takes long and `complete` left out for a draft (shape->is_draft). False: no
    // memory.
    bool (*provide)(const abut_shape* shape);
    // Both NULL, or: computes all vertices of a bare state instead, for a self query, which opens most
    // blocks anyway; NULL: `provide` is better, or there is no memory. The second moves them into the
    // state.
    struct abut__whole* (*draft_whole)(const abut_shape* shape, const abut__state* state);
    void (*adopt_whole)(abut__state* state, struct abut__whole* whole);
} abut__late;

typedef struct abut__motion {
    abut_motion id;
    const char* name;
    bool parts_classes;  // vertices at equal rest positions may move apart
    bool keeps_nodes;    // much is stored per node: edits should keep nodes as they are
    bool stores;         // state->own begins with an abut__stored
    bool wears;          // it stores, and a body alone may get another tree of the same triangles
    size_t state_size;   // of state->own, if `states` is NULL

    // ---- the five operations
    // Prepares the bounds of a new state. Called once per state, by the thread that sets it. `last`
    // is the state before, or NULL. Of a bare state it prepares only what `vertices` reads, without
    // the tree.
    void (*begin)(const abut_shape* shape, abut__state* state, const abut__state* last,
                  abut__usage* usage);
    // The boxes of a node's children in world axes, relative to the state's origin: a pointer to
    // stored ones, or `room`, filled. `turn` is NULL if world and shape have the same axes.
    const abut__boxes8* (*bound)(const abut_shape* shape, const abut__state* state,
                                 const abut__turn* turn, uint32_t node, abut__boxes8* room);
    // The block's vertices in float, relative to the state's origin, and a bound of their error; for
    // culling only. False: a vertex is not finite.
    bool (*evaluate)(const abut_shape* shape, const abut__state* state, uint32_t block,
                     abut__block_points* points, float* radius);
    // Vertices in double, about which answers are exact: one kernel, one order of operations.
    // Coordinate d of vertex ids[i] goes to out[d][i].
    void (*vertices)(const abut_shape* shape, const abut__state* state, const uint32_t* ids,
                     uint32_t count, double* const out[3]);
    // True only with a proof that no two triangles under the node, or in the block, touch unless
    // they share a vertex.
    bool (*apart)(const abut_shape* shape, const abut__state* state, abut__ref ref);

    // ---- optional
    // The origin of a state, in the shape's coordinates. NULL: it is 0.
    const float* (*origin)(const abut_shape* shape, const abut__state* state);
    const abut__lazy* lazy;
    const abut__proofs* proofs;
    const abut__pair_proofs* pair_proofs;
    const abut__certifying* certifying;
    const abut__timeline* timeline;
    const abut__whole_bounds* whole_bounds;
    const abut__node_spheres* node_spheres;  // needs whole_bounds
    const abut__late* late;
    const abut__shape_keeping* shapes;
    const abut__shape_packing* packing;
    const abut__state_keeping* states;
} abut__motion;

// Returns the origin of a state: bounds and points in float are relative to it.
static inline const float* abut__state_origin(const abut_shape* shape, const abut__state* state) {
    static const float zero[3] = {0, 0, 0};
    return shape->motion->origin != NULL ? shape->motion->origin(shape, state) : zero;
}

// NULL: nothing is stored.
static inline const abut__stored* abut__state_stored(const abut_shape* shape,
                                                     const abut__state* state) {
    return shape->motion->stores ? state->own : NULL;
}

// Returns the boxes of a node's children, rotated into `room`; `turn` NULL: returns `boxes`.
static inline const abut__boxes8* abut__boxes_turned(const abut_shape* shape,
                                                     const abut__boxes8* boxes,
                                                     const abut__turn* turn, uint32_t node,
                                                     abut__boxes8* room) {
    if (turn == NULL) {
        return boxes;
    }
    shape->context->kernels->turn_boxes(boxes, shape->tree.nodes[node].count, turn, room);
    return room;
}

// Boxes of all nodes' children in the shape's axes; NULL: they are not in memory.
static inline const abut__boxes8* abut__state_boxes(const abut_shape* shape,
                                                    const abut__state* state) {
    const abut__stored* stored = abut__state_stored(shape, state);
    const abut__lazy* lazy = shape->motion->lazy;
    return stored != NULL ? stored->boxes : lazy != NULL ? lazy->boxes(state) : NULL;
}

// The motion of the library with this id; NULL: there is none.
const abut__motion* abut__motion_of(abut_motion id);

// The four calls of abut__state_keeping for a motion with or without that table. Release also makes
// the state invalid.
bool abut__state_reserve(const abut_shape* shape, abut__state* state);
void abut__state_release(const abut_shape* shape, abut__state* state);
void abut__state_rest(const abut_shape* shape, abut__state* state);
abut_status abut__state_carry(const abut_shape* shape, abut__state* state, const abut_shape* before,
                              const abut__state* from, abut_error* error);

// How one public call gives a body a new state. The motion's file has one constant per call.
// Members other than `fill` may be NULL. See abut__body_set() in body/world.h for the order of the
// calls.
typedef struct abut__input {
    const abut__motion* motion;
    const char* what;  // the call's data, for messages: "coordinates"
    bool in_place;     // changes the current state; the previous one becomes invalid
    // Refuses input before anything changes. `now` is the current state.
    abut_status (*check)(const abut_shape* shape, const abut__state* now, void* input,
                         abut_error* error);
    // Fills the next state (in_place: the current one). `now` is the current state (in_place: the
    // previous one). On failure the current state stays, and the previous one is invalid.
    abut_status (*fill)(const abut_shape* shape, abut__state* next, abut__state* now, void* input,
                        abut_error* error);
    // After `begin`, which may have run beside the filling.
    abut_status (*finish)(const abut_shape* shape, abut__state* next, void* input,
                          abut_error* error);
    // After the next state has become the current one, and `last` the previous one.
    void (*settle)(const abut_shape* shape, abut__state* last, const abut__state* now);
} abut__input;

#endif
