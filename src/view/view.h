// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A view is a body in a window of time: now, a whole step, a part of a step, or a segment of an
// animation. It gives queries boxes and vertices and hides the window, so that one query works for
// all kinds.
//
//   view.c         common parts, and the view of the current state
//   view_step.c    over a whole step: vertices move straight between the last two states
//   view_part.c    in a part of a step, between two breakpoints
//   view_segment.c between two breakpoints of an animation
//   cut.c          cuts a step at the breakpoints of two bodies
//   step_proofs.c  proofs that nothing within a piece of a body touches during the window
//
// All boxes are in world axes, relative to the body's origin at the end of the window.
//
// Caches. A cached value carries the number of the state or call that it was computed for, and is
// valid only if that equals the view's `stamp`. While another thread fills a value, a thread
// computes it in its own reader (base/once.h). A translation of the body changes no cached value,
// so moved views share the cache.
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
    _Alignas(64) atomic_ullong boxes_of;  // claims (base/once.h) with the number of the call
    atomic_ullong vertices_of;
    abut__block_boxes boxes;                                 // around both ends
    double vertices[2][ABUT__BLOCK_VERTICES][3];             // at both, before `placing`
    abut__moving_triangle triangles[ABUT__BLOCK_TRIANGLES];  // in the coordinates of the boxes
    uint32_t bad_vertex;  // the lowest that is not finite, or ABUT__NONE
    double reach;         // in parts of a step: the greatest magnitude of a coordinate at the knots
} abut__moving_block;

typedef struct abut__view_kind {
    bool moves;      // the window has two ends
    bool at_states;  // at both ends the body is in one of its states
    // Boxes of a node's children around the whole window: stored ones, or `room`.
    const abut__boxes8* (*bound)(const abut__view* view, uint32_t node, abut__boxes8* room);
    // NULL, or: the spheres of a node's children at one end, and that of one node or block. Called
    // only if the view's kinds include spheres.
    const abut__balls8* (*balls)(const abut__view* view, uint32_t node, int end,
                                 abut__balls8* room);
    abut__ball4 (*ball_of)(const abut__view* view, abut__ref ref, int end);
    // NULL, or: the box of a node or block at one end.
    abut__box3 (*box_at)(const abut__view* view, abut__ref ref, int end);
    // Boxes of a block's triangles around the whole window.
    const abut__block_boxes* (*block_boxes)(const abut__view* view, uint32_t block, int side,
                                            abut__reader* reader);
    // NULL if the window has one end, or: the block at both ends. Returns NULL if a vertex is not
    // finite or there is no memory, which the reader notes.
    const abut__moving_block* (*block_ends)(const abut__view* view, uint32_t block, int side,
                                            abut__reader* reader);
    // Vertices at one end, in the coordinates in which pairs are decided.
    void (*vertices)(const abut__view* view, int end, const uint32_t* ids, uint32_t count,
                     double (*out)[3]);
    // True only with a proof that no two triangles under the node, or in the block, that share no
    // vertex touch during the window. Called only if the view `proves`.
    bool (*apart)(const abut__view* view, abut__ref ref);
} abut__view_kind;

struct abut__view {
    const abut__view_kind* kind;
    abut__body* body;  // queries use only its identity and its caches
    const abut_shape* shape;
    const abut__tree* tree;
    const abut__state* state[2];    // of the motion at both ends; now: twice the same
    const abut_frame* frame;        // of the body at the end
    const float* own_origin;        // of the body's state at the end, in the shape's coordinates,
    double origin[3];               // and in the world: boxes are relative to it
    double far;                     // see abut__body_far()
    const abut_frame* placing[2];   // frames to apply to vertices at the ends; NULL: none
    const abut__boxes8* stored;     // results of `bound` for all nodes; NULL: they are not stored
    abut__usage* usage;             // counts what queries do; NULL: they count nothing
    struct abut__step_body* table;  // of a step: caches of this call
    const struct abut__part_side* part;
    const struct abut__segment_window* segment;
    uint64_t stamp;  // of the values in `table`
    double extent;   // no coordinate of a box is greater in magnitude
    uint32_t kinds;  // of bounds to compare: ABUT__BOXES, ABUT__SPHERES
    bool frame_moves;
    bool proves;
};

// What one worker of a query reports, and its room for values that it finds in no cache.
struct abut__reader {
    const abut_scene* scene;
    abut_status status;
    uint64_t bad_vertex;         // body << 32 | vertex that is not finite; UINT64_MAX: none
    abut_counters counters;      // of the query
    abut_counters evaluated;     // blocks evaluated for the first time in their states
    abut__block_boxes boxes[2];  // per side of a pair
    abut__moving_block moving[2];
};

// Returns the boxes of a node's children around the whole window: stored ones, or `room`.
static inline const abut__boxes8* abut__view_bound(const abut__view* view, uint32_t node,
                                                   abut__boxes8* room) {
    return view->stored != NULL ? &view->stored[node] : view->kind->bound(view, node, room);
}
// Returns the box of a node or block around the whole window.
abut__box3 abut__view_box(const abut__view* view, abut__ref ref);

// Makes a view of the current state and frame at both ends. Makers change what differs.
void abut__view_make(const abut__view_kind* kind, abut__body* body, abut__view* out);
// Computes vertices in the shape's coordinates: coordinate d of vertex ids[i] goes to out[d][i].
typedef void (*abut__view_evaluator)(const abut__view* view, int end, const uint32_t* ids,
                                     uint32_t count, double* const out[3]);
// Evaluates vertices, at most a block's at once, and applies placing[end] to them.
void abut__view_evaluate_by(abut__view_evaluator evaluate, const abut__view* view, int end,
                            const uint32_t* ids, uint32_t count, double (*out)[3]);
// `vertices` of kinds with `at_states`.
void abut__view_evaluate(const abut__view* view, int end, const uint32_t* ids, uint32_t count,
                         double (*out)[3]);

// ---- makers
// The body in its current state.
void abut__view_now(abut__body* body, abut__view* out);
// The body over its last step. The previous state must be valid.
abut__view abut__view_step(abut__body* body);
// The view of the same body translated: `frame` differs from the view's by a translation and must
// outlive the result. Queries through it count nothing in `usage`.
abut__view abut__view_moved(const abut__view* view, const abut_frame* frame);

// ---- of the current state
// For other views the first four functions return NULL, false, 0 and false.
//
// Returns the boxes of a block if they are cached, else NULL.
const abut__block_boxes* abut__view_peek(const abut__view* view, uint32_t block,
                                         const abut_scene* scene);
// Proofs about pairs of blocks and nodes, as in motion/motion.h.
bool abut__view_blocks_apart(const abut__view* view, uint32_t a, uint32_t b);
uint32_t abut__view_links_apart(const abut__view* view, uint32_t first, uint32_t count);
bool abut__view_nodes_apart(const abut__view* view, uint32_t a, uint32_t b);
// Returns whether the last one can be true.
bool abut__view_proves_nodes(const abut__view* view);
// Return a sphere and a box around the body in the world.
abut__ball abut__view_sphere(const abut__view* view);
abut_box abut__view_world_box(const abut__view* view);

#endif
