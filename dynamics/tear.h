// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A slab that is torn in two over a wedge. It follows scattered nodes, as point-based bodies do. A
// crack runs through it: in every frame vertices on its way are copied, the lips of the crack get
// triangles, nodes on the other side lose their influence because the crack hides them, and new
// nodes are sampled along it. That is how Pauly, Keiser, Adams, Dutre, Gross, Guibas tear things in
// "Meshless Animation of Fracturing Solids", 2005; motion and crack are given here, not simulated.
#ifndef DYNAMICS_TEAR_H
#define DYNAMICS_TEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abut/abut.h"

typedef struct tear_def {
    uint32_t triangles;               ///< of the slab at the start, about [20000]
    uint32_t frames;                  ///< the crack is through after two thirds of them [120]
    uint32_t seed;                    ///< of the way that the crack takes [1]
    const abut_context_def* context;  ///< tasks and instruction set; may be NULL
} tear_def;
tear_def tear_def_default(void);

/// What happened in a frame.
typedef struct tear_frame {
    uint32_t rows;           ///< that the crack has passed, of tear_rows()
    bool edited;             ///< the crack went on
    abut_edit_work work;     ///< what the edit cost
    uint32_t changed;        ///< vertices that got other weights
    uint32_t nodes;          ///< in all
    size_t self_pairs;       ///< triangles of the slab that touch
    size_t wedge_pairs;      ///< triangles of the slab and of the wedge that touch
    double edit_seconds;     ///< for the edit and the switch
    double collide_seconds;  ///< for the new state and the two queries
} tear_frame;

typedef struct tear tear;

/// The slab, whole, and the wedge below it. tear_destroy() gives all of it back.
abut_status tear_create(const tear_def* def, tear** made, abut_error* error);
void tear_destroy(tear* t);
/// The next frame: the crack goes on, the slab moves, both queries are asked.
abut_status tear_step(tear* t, abut_error* error);

/// The last frame.
const tear_frame* tear_now(const tear* t);
uint32_t tear_rows(const tear* t);
abut_context* tear_context(const tear* t);
abut_scene* tear_scene(const tear* t);
abut_body_id tear_slab(const tear* t);
abut_body_id tear_wedge(const tear* t);
/// The present transforms, one a node.
abut_transforms tear_transforms(const tear* t);
/// A shape made from scratch of what the slab is now; its triangle i is the i-th living one.
abut_status tear_build(const tear* t, abut_shape** shape, abut_error* error);

#endif
