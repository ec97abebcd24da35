// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A view is a body seen through a window of time: now, a whole step, a part of a step, or a segment of
// an animation. It gives
// queries what they need and hides the window: a query that is right for one kind is right for all.
//
//   view.c         makers, and the view of the current state
//   view_step.c    over a whole step: vertices move straight from the previous state to the current one
//   view_part.c    in a part of a step, between two breakpoints
//   view_segment.c  between two breakpoints of an animation
//   cut.c          cuts a step where either of two bodies turns
//   step_proofs.c  proofs that nothing within a piece of a body touches during the window
//
// All boxes are in world axes, relative to the body's origin at the end of the window.
//
// Caches. A cached value carries the number of the state or call for which it was computed, and counts
// only if that is the view's `stamp`. A thread that finds another one at work computes the value in its
// reader instead (base/once.h). A translation of the body changes no cached value, so views that are
// moved share them.
#ifndef ABUT_VIEW_VIEW_H
#define ABUT_VIEW_VIEW_H

#include "abut/query.h"
#include "scene/pool.h"

struct abut__step_body;
struct abut__part_side;
struct abut__segment_window;
typedef struct abut__view abut__view;
typedef struct abut__reader abut__reader;

// A block at both ends of a window.
typedef struct abut__moving_block {
    _Alignas(64) atomic_ullong boxes_of;  // claims, of the call
    atomic_ullong vertices_of;
    abut__block_boxes boxes;                                 // around both ends
    double vertices[2][ABUT__BLOCK_VERTICES][3];             // at both, before `placing`
    abut__moving_triangle triangles[ABUT__BLOCK_TRIANGLES];  // corners are relative as boxes are
    uint32_t bad_vertex;  // one that is not finite, or ABUT__NONE
    double reach;  // in parts of a step: no coordinate at the breakpoints is greater in magnitude
} abut__moving_block;

typedef struct abut__view_kind {
    const char* name;
    bool moves;      // the window has two ends
    bool at_states;  // at both ends the body is in one of its states
    // Boxes of a node's children around the whole window: a pointer to stored ones, or `room`.
    const abut__boxes8* (*bound)(const abut__view* view, uint32_t node, abut__boxes8* room);
    // NULL, or: the box of a node or block at one end.
    abut__box3 (*box_at)(const abut__view* view, abut__ref ref, int end);
    // Boxes of a block's triangles around the whole window.
    const abut__block_boxes* (*block_boxes)(const abut__view* view, uint32_t block, int side,
                                            abut__reader* reader);
    // NULL if the window has one end, or: the block at both ends. Returns NULL if a vertex is not
    // finite, which the reader notes.
    const abut__moving_block* (*block_ends)(const abut__view* view, uint32_t block, int side,
                                            abut__reader* reader);
    // Vertices at one end, as answers see them.
    void (*vertices)(const abut__view* view, int end, const uint32_t* ids, uint32_t count,
                     double (*out)[3]);
    // True only with a proof that nothing under the node, or in the block, touches during the window,
    // triangles that share a vertex left aside. Called only if the view `proves`.
    bool (*apart)(const abut__view* view, abut__ref ref);
} abut__view_kind;

struct abut__view {
    const abut__view_kind* kind;
    abut__body* body;  // for its identity and its caches: queries read nothing else of it
    const abut_shape* shape;
    const abut__tree* tree;
    const abut__state* state[2];   // that the motion is in at both ends; now: twice the same
    const abut_frame* frame;       // of the body at the end
    const abut_frame* placing[2];  // to apply to vertices at the ends; NULL: they are decided as is
    const abut__boxes8*
        stored;          // all nodes' boxes as `bound` gives them; NULL: they are not stored
    abut__usage* usage;  // where queries count what they do; NULL: nowhere
    struct abut__step_body* table;  // of a step: caches of this call
    const struct abut__part_side* part;
    const struct abut__segment_window* segment;
    uint64_t stamp;  // of the values in `table`
    double extent;   // no coordinate of a box is greater in magnitude
    bool frame_moves;
    bool proves;
};

// Where one worker of a query gets values that no cache holds, and reports to.
struct abut__reader {
    const abut_scene* scene;
    abut_status status;
    uint64_t bad_vertex;         // body << 32 | vertex that is not finite; UINT64_MAX: none
    abut_counters counters;      // of what the query needs
    abut_counters evaluated;     // blocks evaluated for the first time in their states
    abut__block_boxes boxes[2];  // for both sides
    abut__moving_block moving[2];
};

static inline const abut__boxes8* abut__view_bound(const abut__view* view, uint32_t node,
                                                   abut__boxes8* room) {
    return view->stored != NULL ? &view->stored[node] : view->kind->bound(view, node, room);
}
// The box of a node or block around the whole window.
abut__box3 abut__view_box(const abut__view* view, abut__ref ref);

// A view of the current state and frame at both ends; makers change what differs.
abut__view abut__view_make(const abut__view_kind* kind, abut__body* body);
// Vertices of an end from the shape's coordinates to where answers see them.
void abut__view_place(const abut__view* view, int end, const double xyz[3][ABUT__BLOCK_VERTICES],
                      uint32_t count, double (*out)[3]);
// Vertices at an end where the body is in a state: `vertices` of such kinds.
void abut__view_evaluate(const abut__view* view, int end, const uint32_t* ids, uint32_t count,
                         double (*out)[3]);

// ---- makers
// The body in its current state.
abut__view abut__view_now(abut__body* body);
// The body during its last step. The previous state must be valid.
abut__view abut__view_step(abut__body* body);
// The same body elsewhere: `frame` differs from the view's by a translation, and outlives the result.
// Queries through it count nothing.
abut__view abut__view_moved(const abut__view* view, const abut_frame* frame);

// ---- of the current state only: other views have none of these
// Boxes of a block if they are cached, else NULL.
const abut__block_boxes* abut__view_peek(const abut__view* view, uint32_t block,
                                         const abut_scene* scene);
// Proofs about pairs of blocks (motion/motion.h).
bool abut__view_blocks_apart(const abut__view* view, uint32_t a, uint32_t b);
uint32_t abut__view_links_apart(const abut__view* view, uint32_t first, uint32_t count);
// A sphere and a box around the body in the world.
abut__ball abut__view_sphere(const abut__view* view);
abut_box abut__view_world_box(const abut__view* view);

#endif
