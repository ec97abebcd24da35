// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Views of steps: tables that cache their blocks for one call, parts of steps, and the cutting of a
// step of two bodies into parts.
#ifndef ABUT_VIEW_STEP_H
#define ABUT_VIEW_STEP_H

#include "view/view.h"

// ---- view_step.c: tables

// Data that proves nodes of a body apart during the window.
typedef struct abut__step_proofs {
    uint32_t node_count;
    uint32_t vertex_count;
    abut__boxes8* normals;      // per node: those of its children
    double (*positions[2])[3];  // at both ends, if the motion does not store them
    abut__source source[2];     // positions at both ends
} abut__step_proofs;

// The table of one body: its caches in a call that is about steps.
typedef struct abut__step_body {
    abut__once blocks;  // abut__moving_block
    uint32_t count;
    abut__step_proofs proofs;
    uint64_t round;                      // the last call that ran a part of the body's step,
    const struct abut__part_side* part;  // and that part
    uint64_t start_call;      // the last call that made boxes of the start, if the motion has none:
    abut__refit_boxes start;  // those boxes, in the shape's axes
    double (*start_points)[3];
    uint32_t start_vertices;
    uint32_t start_nodes;
} abut__step_body;

typedef struct abut__step_tables {
    ABUT__VECTOR(abut__step_body) bodies;  // by index of the body
    uint64_t call;                         // the number of the current one
} abut__step_tables;

// Returns the table of a body, which is made if needed; NULL: no memory.
abut__step_body* abut__step_place(const abut_context* context, abut__step_tables* tables,
                                  const abut__body* body);
// Frees the blocks in the existing table of a body if their number in the shape has changed.
void abut__step_prepare(const abut_context* context, abut__step_tables* tables,
                        const abut__body* body);
// Lets a view of a step or a part use the table of its body in this call. No table may be made
// afterwards, because that may move the others.
void abut__step_open(abut__step_tables* tables, abut__view* view);
void abut__step_tables_free(const abut_context* context, abut__step_tables* tables);

// Gets the world box of a body over its whole step; false: it has no previous state.
bool abut__step_world_box(const abut__body* body, abut_box* box);
// Fills in the triangles of a moving block from its vertices at both ends. `owned` is that of
// abut__shape_owned(); NULL: all triangles own all their features, and pairs of faces are tested, too.
void abut__step_fill_triangles(const abut_shape* shape, const uint8_t* owned,
                               const abut__block* fixed, float places[2][ABUT__BLOCK_VERTICES][3],
                               abut__moving_block* out);
// Returns the place of a block of an open view: in the cache, or in the reader while another thread
// fills the cached one. The caller fills it in unless `claim` is ABUT__READY. NULL: no memory,
// which the reader notes.
abut__moving_block* abut__step_take(const abut__view* view, uint32_t block, int side,
                                    abut__reader* reader, abut__claim* claim);
// Returns the block of an open view whose boxes and vertices are filled in together: from the cache,
// or filled in by `fill`. NULL: no memory, which the reader notes.
typedef void (*abut__step_filler)(const abut__view* view, uint32_t block, abut__moving_block* out);
abut__moving_block* abut__step_fill(abut__step_filler fill, const abut__view* view, uint32_t block,
                                    int side, abut__reader* reader);
// Returns the boxes of the block that abut__step_fill() returns. Where that is NULL, the reader has them.
const abut__block_boxes* abut__step_filled_boxes(abut__step_filler fill, const abut__view* view,
                                                 uint32_t block, int side, abut__reader* reader);
// Returns the block, or NULL if one of its vertices is not finite, which the reader notes.
const abut__moving_block* abut__step_finite(const abut__view* view, const abut__moving_block* block,
                                            abut__reader* reader);

// ---- step_proofs.c
// Prepares proofs about a view of one body within itself. False: the shape has too few blocks or no
// contours, or there is no memory.
bool abut__step_prove(const abut_context* context, const abut__view* view,
                      abut__step_proofs* proofs);
// `apart` of views of steps and parts; false for blocks.
bool abut__step_apart(const abut__view* view, abut__ref ref);
void abut__step_proofs_free(const abut_context* context, abut__step_proofs* proofs);

// ---- view_part.c

// The position of a body at an instant of a step: at one of its knots, or between two. Knots are
// both of its states and the breakpoints between them.
#define ABUT__KNOT_START (UINT32_MAX - 1)
#define ABUT__KNOT_END UINT32_MAX
typedef struct abut__instant {
    uint32_t knot[2];  // the key of a breakpoint, or one of the above; equal: the body is at it
    double at[2];      // times of the knots, as fractions of the step
    double part;       // fraction of the way from one knot to the other
} abut__instant;

// A body in a part of a step. Compared by memcmp(), so it has no padding between members.
typedef struct abut__part_side {
    abut__instant end[2];
    const abut__boxes8* start;  // boxes at the start of the step; NULL: the motion has them
    double extent;              // no coordinate relative to the origin at the end is greater
    uint64_t placed;  // 1: vertices are computed in the world, 0: in the shape's coordinates
} abut__part_side;

abut__view abut__view_part(abut__body* body, const abut__part_side* side);
// Fills in the triangles and boxes of a block from its vertices at both ends, which are in the world
// (`placed`) or in the shape's coordinates. Boxes are grown by `pad`. For `owned` see
// abut__step_fill_triangles().
void abut__part_fill_boxes(const abut__view* view, bool placed, double pad, const uint8_t* owned,
                           const abut__block* fixed, abut__moving_block* out);

// ---- cut.c

// A part of a step as an interval of its time. A whole step is {0, 1, true, true}.
typedef struct abut__span {
    double from;
    double to;
    bool first;  // it begins with the step
    bool exact;  // at both ends both bodies are at knots, or do not move at all
} abut__span;

// A part of the step of two bodies in which both move straight.
typedef struct abut__cut {
    abut__span span;
    abut__part_side side[2];
} abut__cut;
typedef ABUT__VECTOR(abut__cut) abut__cuts;

// Cuts the step of two bodies at the breakpoints of both: appends the parts, in the order of time.
// Appends nothing if there is no breakpoint and the motions have boxes at the start. False: no
// memory.
bool abut__step_cut(const abut_context* context, abut__step_tables* tables,
                    abut__body* const body[2], bool in_shape, abut__cuts* cuts);
// Checks that two bodies can be swept against each other, and makes boxes at their breakpoints.
// ABUT_ERR_STATE: `refused` moves on curves, or its motion has no boxes at a breakpoint; `reason`
// says so in words. ABUT_ERR_NO_MEMORY.
abut_status abut__step_check(const abut__body* a, const abut__body* b, const abut__body** refused,
                             const char** reason);
// Returns a bound of the error of distances between two blocks in a part that is not exact.
double abut__part_pad(const abut__moving_block* a, const abut__moving_block* b);
// Converts a time of a part to a time of the step, rounded down.
double abut__span_time(const abut__span* span, double time);

// ---- of one body, for the files above
// Frees the boxes of the start in the table of a body.
void abut__step_release_start(const abut_context* context, abut__step_body* place);
// Gets the breakpoint of the step with this index; false: there are no more.
bool abut__breakpoint_of(const abut__body* body, uint32_t index, abut__breakpoint* out);
// Returns the boxes at a breakpoint; NULL: there are none.
const abut__refit_boxes* abut__boxes_at_break(const abut__body* body, uint32_t key);
// Computes the world box of a body at the start of the step; false: its motion has one.
bool abut__step_start_box(const abut__body* body, abut_box* box);
// Grows a world box of a body over a step by the curve offset of its motion.
void abut__step_grow_by_curve(const abut__body* body, abut_box* box);
// Grows a world box of a body over a step by the curve offset, and to hold its breakpoints.
void abut__step_grow_box(const abut__body* body, abut_box* box);

#endif
