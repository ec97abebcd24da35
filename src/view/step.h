// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Views of steps: the tables that cache their blocks for one call, parts of steps, and how a step of
// two bodies is cut into parts.
#ifndef ABUT_VIEW_STEP_H
#define ABUT_VIEW_STEP_H

#include "view/view.h"

// ---- view_step.c: tables

// What nodes of a body are proven apart by during the window.
typedef struct abut__step_proofs {
    uint32_t node_count;
    uint32_t vertex_count;
    abut__boxes8* normals;      // per node, of its children
    double (*positions[2])[3];  // at both ends, where the motion has not stored them
    abut__source source[2];
} abut__step_proofs;

// What one body needs in a call that is about steps.
typedef struct abut__step_body {
    abut__once blocks;  // abut__moving_block
    uint32_t count;
    abut__step_proofs proofs;
    uint64_t round;  // the last call in which a part of the body's step took part, and that part
    const struct abut__part_side* part;
    uint64_t start_call;  // the last call that needed boxes of the start that the motion has not:
    abut__refit_boxes start;  // these, in the shape's axes
    double (*start_points)[3];
    uint32_t start_vertices;
    uint32_t start_nodes;
} abut__step_body;

typedef struct abut__step_tables {
    ABUT__VECTOR(abut__step_body) bodies;  // by their indices
    uint64_t call;                         // the last one
} abut__step_tables;

// The table of a body; NULL: no memory.
abut__step_body* abut__step_place(const abut_context* context, abut__step_tables* tables,
                                  const abut__body* body);
// Room for the blocks of a body that has a place.
void abut__step_prepare(const abut_context* context, abut__step_tables* tables,
                        const abut__body* body);
// Lets a view of a step or a part use the table of its body in this call. No place may be made
// afterwards.
void abut__step_open(abut__step_tables* tables, abut__view* view);
void abut__step_tables_free(const abut_context* context, abut__step_tables* tables);

// The world box of a body over its whole step; false: it has no previous state.
bool abut__step_world_box(const abut__body* body, abut_box* box);
// Fills in the triangles of a moving block, whose vertices are at `places` at both ends.
void abut__step_fill_triangles(const abut_shape* shape, const abut__block* fixed,
                               float places[2][ABUT__BLOCK_VERTICES][3], abut__moving_block* out);
// Where the vertices of a block of an open view are cached; NULL: no memory, which the reader notes.
// Unless they are ready they are to be filled in. If another thread does that, this is the reader's.
abut__moving_block* abut__step_take(const abut__view* view, uint32_t block, int side,
                                    abut__reader* reader, abut__claim* claim);
// The block, unless one of its vertices is not finite, which the reader notes.
const abut__moving_block* abut__step_finite(const abut__view* view, const abut__moving_block* block,
                                            abut__reader* reader);

// ---- step_proofs.c
// Prepares proofs for a view of one body within itself. False: there is nothing to prove by.
bool abut__step_prove(const abut_context* context, const abut__view* view,
                      abut__step_proofs* proofs);
bool abut__step_apart(const abut__view* view, abut__ref ref);
void abut__step_proofs_free(const abut_context* context, abut__step_proofs* proofs);

// ---- view_part.c

// Where a body is at an instant of a step: at one of its knots, or between two. Knots are both of its
// states and the breakpoints between them.
#define ABUT__KNOT_START (UINT32_MAX - 1)
#define ABUT__KNOT_END UINT32_MAX
typedef struct abut__instant {
    uint32_t knot[2];  // a breakpoint, or one of the above; both the same: it is there
    double at[2];      // when it is there, as a fraction of the step
    double part;       // fraction of the way from one knot to the other
} abut__instant;

// A body in a part of a step.
typedef struct abut__part_side {
    abut__instant end[2];
    const abut__boxes8* start;  // boxes at the start, where the motion has none; NULL: it has
    double extent;              // no coordinate relative to the origin at the end is greater
    uint64_t placed;  // vertices are computed in the world, not in the shape's coordinates
} abut__part_side;

abut__view abut__view_part(abut__body* body, const abut__part_side* side);

// ---- cut.c

// A part of a step as an interval of its time. A whole step is {0, 1, true, true}.
typedef struct abut__span {
    double from;
    double to;
    bool first;  // it begins with the step
    bool exact;  // both bodies are at knots at both ends
} abut__span;

// A part of the step of two bodies in which both move straight.
typedef struct abut__cut {
    abut__span span;
    abut__part_side side[2];
} abut__cut;
typedef ABUT__VECTOR(abut__cut) abut__cuts;

// Cuts the step of two bodies where either turns: appends the parts, in the order of time. Nothing is
// appended if neither turns. False: no memory.
bool abut__step_cut(const abut_context* context, abut__step_tables* tables,
                    abut__body* const body[2], bool in_shape, abut__cuts* cuts);
// Whether two bodies can be swept against each other. ABUT_ERR_STATE: `refused` leaves the straight
// lines of the step, or turns where its motion has no boxes. ABUT_ERR_NO_MEMORY.
abut_status abut__step_check(const abut__body* a, const abut__body* b, const abut__body** refused);
// Bounds of the rounding error of what is asked in a part that is not exact.
double abut__part_pad(const abut__moving_block* a, const abut__moving_block* b);
// A time in a part as one of the step, never later.
double abut__span_time(const abut__span* span, double time);

// ---- of one body, for the files above
// Frees the boxes of the start.
void abut__step_release_start(const abut_context* context, abut__step_body* place);
bool abut__breakpoint_of(const abut__body* body, uint32_t index, abut__breakpoint* out);
// NULL: there are none.
const abut__refit_boxes* abut__boxes_at_break(const abut__body* body, uint32_t key);
// The box of a body at the start of the step, if its motion has none; false: it has.
bool abut__step_start_box(const abut__body* body, abut_box* box);
// Grows a world box of a body over a step by what it leaves the straight lines of the step.
void abut__step_grow_by_curve(const abut__body* body, abut_box* box);
// Grows a world box of a body over a step to hold its breakpoints, and what leaves the lines.
void abut__step_grow_box(const abut__body* body, abut_box* box);

#endif
