// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A slab that is torn in two over a wedge. It follows scattered nodes, like point-based bodies. A
// crack runs through it: in every frame, vertices on its path are duplicated, its faces get
// triangles, nodes on the other side lose their influence because the crack hides them, and new
// nodes are sampled along it. This follows Pauly, Keiser, Adams, Dutre, Gross, Guibas, "Meshless
// Animation of Fracturing Solids", 2005; but motion and crack are prescribed here, not simulated.
#ifndef DYNAMICS_TEAR_H
#define DYNAMICS_TEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abut/abut.h"

typedef struct tear_def {
    uint32_t triangles;               ///< of the slab at the start, approximately [20000]
    uint32_t frames;                  ///< the slab is cut through after two thirds of them [120]
    uint32_t seed;                    ///< of the path of the crack [1]
    const abut_context_def* context;  ///< tasks and instruction set; may be NULL
} tear_def;
tear_def tear_def_default(void);

/// The results of a frame.
typedef struct tear_frame {
    uint32_t rows;           ///< number of rows that the crack has passed, of tear_rows()
    bool edited;             ///< the crack advanced
    abut_edit_work work;     ///< cost of the edit
    uint32_t changed;        ///< number of vertices whose weights changed
    uint32_t nodes;          ///< total number
    size_t self_pairs;       ///< triangles of the slab that touch
    size_t wedge_pairs;      ///< triangles of the slab and of the wedge that touch
    double edit_seconds;     ///< for editing and setting the shape
    double collide_seconds;  ///< for the new state and the two queries
} tear_frame;

typedef struct tear tear;

/// Creates the intact slab and the wedge below it. tear_destroy() frees everything.
abut_status tear_create(const tear_def* def, tear** made, abut_error* error);
void tear_destroy(tear* t);
/// Computes the next frame: advances the crack, moves the slab and runs both queries.
abut_status tear_step(tear* t, abut_error* error);

/// Returns the last frame.
const tear_frame* tear_now(const tear* t);
uint32_t tear_rows(const tear* t);
abut_context* tear_context(const tear* t);
abut_scene* tear_scene(const tear* t);
abut_body_id tear_slab(const tear* t);
abut_body_id tear_wedge(const tear* t);
/// Returns the present transforms, one per node.
abut_transforms tear_transforms(const tear* t);
/// Builds the present slab from scratch; triangle i of the shape is the i-th that is not removed.
abut_status tear_build(const tear* t, abut_shape** shape, abut_error* error);

#endif
