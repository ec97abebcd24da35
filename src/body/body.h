// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Internal view of a body: shape, frame, two states, and boxes in world axes relative to the body's
// origin. This is the place of the state's origin (motion/motion.h), which mostly is 0, in the
// world.
//
// Rotated boxes. Let s be the extent (greatest magnitude of a coordinate relative to the state's
// origin) and u = 2^-24. A stored
// box is off by u s; centre and half extents add u s each; |row of R|_1 < 1.75; rounding R, the
// three products and two sums add at most 1.75 s (1 + 1 + 2) u for the centre and as much for the
// half extents, their sum and difference another 3.5 u s. That is below 32 u s in all; the pad is
// 64 u s, plus 2^-140 for underflow. The same pad covers rotated vertices.
#ifndef ABUT_BODY_BODY_H
#define ABUT_BODY_BODY_H

#include "motion/motion.h"

// beyond this extent float arithmetic on boxes could overflow: such boxes count as infinite
#define ABUT__EXTENT_LIMIT 1e37f

// per block: its slot in the pool, and the state in which it was last requested
typedef struct abut__touch {
    atomic_uint slot;  // number + 1; 0: none
    atomic_uint seen;  // low bits of that state's stamp
} abut__touch;

// per node: the boxes of its children, computed at first use in a state
typedef struct abut__cached_boxes {
    _Alignas(64) atomic_ullong stamp;  // claim, with the stamp of their state
    uint64_t walk;                     // when `merged` was found: valid if it is that of the root
    uint32_t merged;                   // children that were opened in the last state, one bit each
    abut__boxes8 boxes;
} abut__cached_boxes;

// the same for spheres; the last entry is the sphere of the root
typedef struct abut__cached_balls {
    _Alignas(64) atomic_ullong stamp;
    abut__balls8 balls;
} abut__cached_balls;

// The same in the shape's axes, for states whose bounds may be widened for the next state. So they
// outlast a rotation.
typedef struct abut__kept_boxes {
    _Alignas(64) atomic_ullong stamp;  // claim, with the state_stamp of their state
    double since;                      // `path` of the state that they were computed for
    abut__boxes8 boxes;
} abut__kept_boxes;
typedef struct abut__kept_balls {
    _Alignas(64) atomic_ullong stamp;
    double since;
    abut__balls8 balls;
} abut__kept_balls;

// Tables that few bodies need, per node.
typedef struct abut__more_bounds {
    uint64_t state_stamp;     // of the current state, whatever the rotation
    double path;              // sum of the distances of all states so far
    abut__once cached_balls;  // abut__cached_balls
    abut__once kept_boxes;    // abut__kept_boxes
    abut__once kept_balls;    // abut__kept_balls
} abut__more_bounds;

struct abut__wear;

typedef struct abut__body {
    const abut_shape* shape;
    abut_frame frame;
    abut__state state[2];
    uint64_t stamp;      // of the current state and rotation; unique in the scene
    uint64_t change;     // of the last change of any kind, including a translation
    abut__once touches;  // abut__touch, per block
    abut__once cached;   // abut__cached_boxes, per node, of lazy motions
    union {
        abut__once more;          // abut__more_bounds, of motions with spheres or widened bounds
        struct abut__wear* wear;  // of motions that wear; NULL: it is new
    };
    uint64_t group;
    uint64_t mask;
    void* user;
    abut_frame* frame_before;  // of the previous state; NULL: the same. Only sweeps need it
    abut__usage usage;
    uint32_t index;
    uint32_t generation;
    uint8_t current;          // index of the current state
    abut__commit has_bounds;  // of valid states, and the next member: see abut__body_ready()
    bool unbounded;           // turned, and too large for float arithmetic
    // bits, because there may be many bodies
    bool turned : 1;  // the rotation is not the identity
    bool turned_before : 1;
    bool changed : 1;  // has left the state in which it was created or its last step was ended
    bool is_static : 1;
    bool keeps_tree : 1;  // by the caller's wish
    bool steady : 1;      // likewise: see abut_body_set_steady()
} abut__body;

// Whether the body has bounds. A body of a motion whose trees are made late (abut__late) gets them
// when a query first needs them; until then its states are bare. Afterwards each new state has them.
static inline bool abut__body_has_bounds(const abut__body* body) {
    return abut__is_committed(&body->has_bounds);
}
// Makes the tree of the body's shape and the bounds of its states, if they are not there. Any number
// of threads may call it at once. False: no memory; a later call tries again. All that follows in
// this file except for states and frames is for bodies with bounds.
bool abut__body_ready(const abut__body* body);
// The same for a query of contact within the body.
bool abut__body_ready_self(const abut__body* body);

// The state at an end of the last step. A body that has had only one state is in it at both ends,
// and so is a static one without another. Of other bodies the state before may be invalid.
static inline const abut__state* abut__body_state(const abut__body* body, int end) {
    const abut__state* now = &body->state[body->current];
    if (end == 1) {
        return now;
    }
    const abut__state* before = &body->state[1 - body->current];
    return !before->valid && (!body->changed || body->is_static) ? now : before;
}
static inline const abut_frame* abut__body_frame(const abut__body* body, int end) {
    return end == 1 || body->frame_before == NULL ? &body->frame : body->frame_before;
}
// Whether state and frame are the same at both ends of the step.
bool abut__body_is_still(const abut__body* body);

// Returns the boxes of a node's children in world axes relative to the body's origin; may use
// `room`. For lazy motions they are computed once per state; a thread that finds another one
// computing them computes them into `room`.
const abut__boxes8* abut__body_bound(const abut__body* body, uint32_t node, int end,
                                     abut__boxes8* room);
// The same for the box of a node or block.
abut__box3 abut__body_ref_box(const abut__body* body, abut__ref ref, int end);
// The rotation of the body with a pad for its extent; NULL: it has none.
const abut__turn* abut__body_turn(const abut__body* body, int end, abut__turn* turn);

// ---- body_balls.c
// The kinds of bounds to compare (ABUT__BOXES, ABUT__SPHERES) at an end.
uint32_t abut__body_kinds(const abut__body* body, int end);
// If they include spheres: those of a node's children in world axes, relative to the body's origin.
// Each contains the turned vertices below it, with all rounding but that of the translation.
const abut__balls8* abut__body_balls(const abut__body* body, uint32_t node, int end,
                                     abut__balls8* room);
// The same for one node or block.
abut__ball4 abut__body_ref_ball(const abut__body* body, abut__ref ref, int end);

// ---- body_boxes.c
// The same as abut__body_bound() for the boxes of a block's triangles.
void abut__body_block_boxes(const abut__body* body, uint32_t block, int end,
                            abut__block_boxes* out);
// Compute the points of a block in the shape's axes, and the boxes of its triangles from them.
void abut__body_block_points(const abut__body* body, uint32_t block, int end,
                             abut__cached_points* out);
void abut__body_boxes_around(const abut__body* body, uint32_t block, int end,
                             const abut__cached_points* points, abut__block_boxes* out);
// The origin of the body's state at an end.
static inline const float* abut__body_own_origin(const abut__body* body, int end) {
    return abut__state_origin(body->shape, abut__body_state(body, end));
}
// The body's origin in the world at an end, in a frame that differs from its own by a translation.
void abut__body_origin_in(const abut__body* body, int end, const abut_frame* frame, double out[3]);
static inline void abut__body_origin(const abut__body* body, int end, double out[3]) {
    abut__body_origin_in(body, end, abut__body_frame(body, end), out);
}
// Returns a bound of the numbers that the body's origin is a sum of: it is off by 2^-50 of this at
// most, and world vertices are off by 2^-50 of this and of twice the extent.
double abut__body_far_in(const abut__body* body, int end, const abut_frame* frame);
static inline double abut__body_far(const abut__body* body, int end) {
    return abut__body_far_in(body, end, abut__body_frame(body, end));
}
// Places an origin of a body's own in the world; returns the same bound of it.
double abut__frame_place(const abut_frame* frame, const float own[3], double origin[3]);
// Transforms a shape position to world by the documented formula.
void abut__frame_apply(const abut_frame* frame, double position[3]);
bool abut__frame_is_identity(const abut_frame* frame);
bool abut__frames_equal(const abut_frame* a, const abut_frame* b);

// ---- kept_bounds.c
// After a new state: widens the bounds that were kept for the state before (NULL: none), so that
// they are valid for this one, too, from the root down to where this would widen them too much.
void abut__body_widen(abut__body* body, const abut__state* last);
// Return the bounds of a node's children in the current state, in the shape's axes: kept ones, or
// `room`. Only for states with `widens`.
const abut__boxes8* abut__kept_boxes_of(const abut__body* body, uint32_t node, abut__boxes8* room);
const abut__balls8* abut__kept_balls_of(const abut__body* body, uint32_t node, abut__balls8* room);
// Returns the tables of the body, which are made at first use; NULL: no memory.
abut__more_bounds* abut__body_more(const abut__body* body);
void abut__body_forget_more(const abut_context* context, abut__body* body);

// ---- body_boxes.c
// Finds the nodes that queries on the last state opened. In the new state their boxes are computed
// first, and those above them are merged: less work, and tighter.
void abut__body_follow_front(abut__body* body, uint64_t last_stamp);
// Forgets what was cached for the body's shape.
void abut__body_forget(const abut_context* context, abut__body* body);
// The first returns a box of the body in world coordinates, in a frame that differs from its own by a
// translation, grown for all rounding. The second does so for the box around the whole body.
abut_box abut__body_box_in(const abut__body* body, int end, const abut_frame* frame,
                           const abut__box3* box);
void abut__body_enclose(const abut__body* body, int end, const abut_frame* frame, abut_box* world);
static inline abut_box abut__body_world_box(const abut__body* body, int end) {
    abut_box box;
    abut__body_enclose(body, end, abut__body_frame(body, end), &box);
    return box;
}

// A sphere likewise; infinite if coordinates are too large.
abut__ball abut__body_sphere(const abut__body* body, const abut_frame* frame);
// How much longer a frame may make a vector: 1 up to rounding, if it is a good rotation.
double abut__frame_stretch(const abut_frame* frame);
// Returns the rounding error of world coordinates due to the body's distance from the world's
// origin, of spheres and the like.
double abut__body_slack(const abut__body* body, const abut_frame* frame);

// Returns the doubles about which answers are exact, in the shape's coordinates.
static inline void abut__body_vertex(const abut__body* body, uint32_t id, int end, double out[3]) {
    double* const places[3] = {&out[0], &out[1], &out[2]};
    body->shape->motion->vertices(body->shape, abut__body_state(body, end), &id, 1, places);
}

// Returns all positions of the current state in shape coordinates, as doubles in memory of the
// context, which the caller frees.
abut_status abut__body_positions(const abut__body* body, abut_positions* positions,
                                 abut_error* error);

// See abut_body_level_boxes().
size_t abut__body_level_boxes(const abut__body* body, uint32_t level, abut_box* boxes,
                              size_t capacity);

// See abut_body_validate() and abut_shape_inspect().
abut_status abut__body_validate(const abut__body* body, abut_error* error);
abut_status abut__body_measure(const abut__body* body, abut_tree_info* stats, abut_error* error);

#endif
