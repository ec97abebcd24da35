// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What every motion gives the tree: five operations. Queries are written against these alone;
// adding a motion means one file in motion/, one in bound/ and a line in motion.c. Beside the five
// there is the housekeeping of what a motion keeps in shapes and in states.
//
// Everything is in the shape's coordinates, but for boxes; the body chooses the state: its current
// one, or the previous one.
#ifndef ABUT_MOTION_MOTION_H
#define ABUT_MOTION_MOTION_H

#include <stdatomic.h>

#include "bound/ball.h"
#include "bound/refit.h"
#include "motion/shape_tables.h"
#include "simd/kernels.h"

// A state of a body: what every motion says of it, and the motion's own.
typedef struct abut__state {
    bool valid;
    float extent;         // no coordinate of a finite block is greater in magnitude
    uint32_t bad_vertex;  // the lowest vertex that is not finite, or ABUT__NONE
    bool costly;          // vertices cost something: worth keeping with their blocks
    bool widens;          // bounds of the state before may be widened for this one
    double path;          // how far the body's coordinates have come, if the motion has such
    union {
        struct abut__free_state* free;
        struct abut__modal_state* modal;
        struct abut__blend_state* blend;
        struct abut__flight_state* flight;
    };
} abut__state;

// What is asked of a body, counted by queries, and what a motion concludes from it about what is
// worth making for a new state. Choices go by these counts, never by a clock.
typedef struct abut__habits {
    atomic_uint asked;   // self queries since the last state
    atomic_uint apart;   // nodes proven apart since the last state
    atomic_uint opened;  // blocks evaluated since the last state
    atomic_uint vain;    // pairs of blocks since then that were opened, and came to nothing
    uint16_t pause;      // states to come without the extra work
    uint16_t failures;   // states in a row where it gained nothing
} abut__habits;

// A stretch of time around a state during which every side of every box is linear in time, or at
// least bounded by what is interpolated between the ends.
typedef struct abut__segment {
    double time;  // of the state
    double from;  // from <= time <= to; infinite where nothing moves
    double to;
    const abut__boxes8*
        boxes[2];  // at both ends, per node those of its children, in the shape's axes
    float extent;  // no coordinate is greater in magnitude at either end
    float pad;     // that the interpolated boxes need
    bool swerves;  // vertices also move alike in a way that is not linear: only what is within the
                   // body can rely on the boxes
    uint64_t epoch;   // of the shape or the body: another one means other boxes, and perhaps ends
    uint64_t change;  // the last time that some boxes changed within the epoch,
    const uint64_t*
        touched;  // and per node the last time that those of its children did; NULL: none
    const abut__descent*
        descent;  // boxes of the same epoch in the shape before are the same at both
                  // ends but for what this says; NULL: nothing is known of them
} abut__segment;

// A time at which vertices turn on the way from one state to another.
typedef struct abut__bend {
    double at;     // part of the way, in [0, 1]; never less than that of the bend before
    uint32_t key;  // the motion's name for it
} abut__bend;

typedef struct abut__motion_ops {
    const char* name;
    bool lazy;  // boxes and vertices are worked out anew at every call: worth keeping for a state
    bool keeps_nodes;  // states keep much of nodes: edits are to leave these as they are

    // Once per new state, by the writer: whatever bounds need. `last` is the state before, or NULL.
    void (*begin)(const abut_shape* shape, abut__state* state, const abut__state* last,
                  abut__habits* habits);
    // The boxes of a node's children in world axes, relative to the body's origin: a pointer to
    // stored ones, or `room`, filled. `turn` is NULL if world and shape have the same axes.
    const abut__boxes8* (*bound)(const abut_shape* shape, const abut__state* state,
                                 const abut__turn* turn, uint32_t node, abut__boxes8* room);
    // NULL, or: the box of all vertices in the shape's axes, for all rounding but that of frames:
    // wider perhaps than the children's of the root, at a fraction of the cost. False: it is not at
    // hand, or too large to tell.
    bool (*box)(const abut_shape* shape, const abut__state* state, double centre[3],
                double half[3]);
    // NULL, or: lets boxes that were right for an earlier state, and since then widened up to `last`,
    // hold for this one, too, instead of bounding the node anew. `since` is the path of that earlier
    // state. False, and nothing changed: that would make them too wide.
    bool (*widen)(const abut_shape* shape, const abut__state* state, const abut__state* last,
                  double since, uint32_t node, abut__boxes8* boxes);
    // NULL, or: until when boxes go on as they do, and how. False: there is nothing to be said beyond
    // the present.
    bool (*segment)(const abut_shape* shape, const abut__state* state, abut__segment* out);
    // The block's vertices in float and the radius that their error stays below; for culling
    // only. False: one of them is not finite.
    bool (*evaluate)(const abut_shape* shape, const abut__state* state, uint32_t block,
                     abut__block_points* points, float* radius);
    // The doubles that answers are exact about: one kernel, one order of operations. Coordinate d
    // of vertex ids[i] goes to out[d][i].
    void (*vertices)(const abut_shape* shape, const abut__state* state, const uint32_t* ids,
                     uint32_t count, double* const out[3]);
    // Vertices of a block at once, the same doubles: at least those wanted, one bit each; says which.
    // NULL unless lazy.
    bool whole_blocks;  // all of them, whatever is wanted
    uint64_t (*block_vertices)(const abut_shape* shape, const abut__state* state, uint32_t block,
                               uint64_t wanted, abut__block_exact* out);
    // True only with a proof that no two triangles under the node, or in the block, that share no
    // vertex touch.
    bool (*apart)(const abut_shape* shape, const abut__state* state, abut__ref ref);
    // The same for a triangle of one block and one of another.
    bool (*blocks_apart)(const abut_shape* shape, const abut__state* state, uint32_t block_a,
                         uint32_t block_b);
    // NULL, or: the same for the blocks of links first .. first + count - 1 of the shape, a bit each;
    // all must be of one group of sixteen, as numbers divide by it.
    uint32_t (*links_apart)(const abut_shape* shape, const abut__state* state, uint32_t first,
                            uint32_t count);

    // NULL, or: where the positions of a state lie, if they are at hand.
    abut__source (*positions)(const abut__state* state);

    // NULL, or: the bends on the way from one state to another, by ascending indices; false: there are
    // no more. Between bends vertices go on straight lines, at constant speeds.
    bool (*bend)(const abut_shape* shape, const abut__state* before, const abut__state* now,
                 uint32_t index, abut__bend* out);
    // At a bend: the boxes of all nodes' children in the shape's axes (NULL: they are not at hand, or no
    // memory), and vertices.
    const abut__refit_boxes* (*bend_boxes)(const abut_shape* shape, const abut__state* now,
                                           uint32_t key);
    void (*bend_vertices)(const abut_shape* shape, const abut__state* now, uint32_t key,
                          const uint32_t* ids, uint32_t count, double* const out[3]);
    // NULL, or: whether all vertices alike leave the line between two states on the way: after the part
    // s of it by s (s - 1) / 2 of what is returned, in the shape's axes.
    bool (*swerve)(const abut__state* before, const abut__state* now, double by[3]);

    // Called before such proofs are asked for, by the thread that asks the query: whatever they
    // need that is made only once.
    void (*expect)(const abut_shape* shape);

    // A sphere around all vertices, for all rounding but that of frames. NULL: the motion has none
    // that is better than the root's box.
    abut__ball (*sphere)(const abut_shape* shape, const abut__state* state);

    // The spheres of a node of the shape's proxies (bound/proxies.h), and what a proxy's centre and
    // radius may be off by together. False: coordinates are too large to tell. NULL: shapes of this
    // motion have no proxies.
    bool (*proxies)(const abut_shape* shape, const abut__state* state, uint32_t node,
                    abut__balls8* out, float* error);

    // What the motion keeps in a shape: before its tree is built (this may change its mesh), and
    // after, when the lineage knows about blocks. A new shape has a `def` and no lineage (NULL), an
    // edited one has a lineage and no `def`.
    abut_status (*prepare)(abut_shape* shape, const abut_shape_def* def,
                           const abut__lineage* lineage, abut_error* error);
    abut_status (*complete)(abut_shape* shape, const abut__lineage* lineage, abut_error* error);
    // NULL, or: the blocks whose bounds were taken over when the shape was made.
    uint32_t (*bounds_taken)(const abut_shape* shape);
    void (*discard)(abut_shape* shape);
    // Memory for a state of the shape; false: there is none.
    bool (*reserve)(const abut_shape* shape, abut__state* state);
    void (*release)(const abut_context* context, abut__state* state);
    // Fills a reserved state: with the rest state, or with one of another shape, which has perhaps
    // fewer vertices.
    void (*rest)(const abut_shape* shape, abut__state* state);
    abut_status (*carry)(const abut_shape* shape, abut__state* state, const abut_shape* before,
                         const abut__state* from, abut_error* error);
} abut__motion_ops;

// NULL if the motion is unknown
const abut__motion_ops* abut__motion_ops_of(abut_motion motion);

extern const abut__motion_ops abut__free_ops;
extern const abut__motion_ops abut__modal_ops;
extern const abut__motion_ops abut__blend_ops;
extern const abut__motion_ops abut__flight_ops;

#endif
