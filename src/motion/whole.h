// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// All vertices of a state at once, for motions that compute them. Where most blocks are opened
// anyway, that is less work than block by block, and their boxes are the tightest. Chosen by the
// number of blocks opened in the last state.
#ifndef ABUT_MOTION_WHOLE_H
#define ABUT_MOTION_WHOLE_H

#include "bound/refit.h"
#include "motion/demand.h"

typedef struct abut__whole {
    bool here;  // valid for this state
    uint32_t room;
    double (*all)[3];
    float origin[3];  // of the state
    uint32_t node_room;
    abut__refit_boxes refit;
    bool has_normals;  // for proofs, as in the free motion
    uint32_t normals_room;
    abut__boxes8* normals;
} abut__whole;

// Computes vertices `first` .. `end` - 1 of a state into out[first] ...
typedef void abut__whole_mover(const abut_shape* shape, const abut__state* state, uint32_t first,
                               uint32_t end, double (*out)[3]);

// Decides for a new state, and computes the vertices if that pays; and normals if there were self
// queries that gain from them. *place is NULL until it is first needed. `last` is that of the last
// state. Where certificates would otherwise prove something, they are tried again now and then.
void abut__whole_begin(const abut_shape* shape, const abut__state* state, const abut__whole* last,
                       abut__usage* usage, abut__demand demand, abut__whole_mover* mover,
                       abut__whole** place);
// Computes the vertices without a choice.
void abut__whole_make(const abut_shape* shape, const abut__state* state, abut__demand demand,
                      abut__whole_mover* mover, abut__whole** place);
// Whether all at once is less work than block by block if `opened` blocks are needed.
bool abut__whole_pays(const abut_shape* shape, const abut__whole* last, uint32_t opened);
void abut__whole_release(const abut_context* context, abut__whole* whole);

static inline bool abut__whole_is_here(const abut__whole* whole) {
    return whole != NULL && whole->here;
}

// The boxes of all nodes' children; NULL: there are none for this state.
static inline const abut__boxes8* abut__whole_boxes(const abut__whole* whole) {
    return abut__whole_is_here(whole) ? whole->refit.boxes : NULL;
}

static inline bool abut__whole_proves(const abut__whole* whole) {
    return abut__whole_is_here(whole) && whole->has_normals;
}

// The operation `apart` of a motion, for a whole that proves.
bool abut__whole_apart(const abut_shape* shape, const abut__whole* whole, abut__ref ref);

// Returns the boxes of a node's children, rotated, as abut__motion.bound does.
const abut__boxes8* abut__whole_bound(const abut_shape* shape, const abut__whole* whole,
                                      const abut__turn* turn, uint32_t node, abut__boxes8* room);

static inline abut__source abut__whole_source(const abut__whole* whole) {
    abut__source source = abut__source_make(whole->all, sizeof *whole->all, true);
    memcpy(source.origin, whole->origin, sizeof source.origin);
    return source;
}

#endif
