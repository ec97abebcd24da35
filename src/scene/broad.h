// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The broad phase: finds the pairs of bodies that may touch. Two methods find the same pairs: a
// sweep over intervals along one axis, whose order is reused from step to step, and a uniform grid
// for many bodies of similar size. Counts of the work choose the method, never a clock.
#ifndef ABUT_SCENE_BROAD_H
#define ABUT_SCENE_BROAD_H

#include "base/sort.h"
#include "scene/scene.h"

typedef struct abut__body_pair {
    uint32_t a;
    uint32_t b;
} abut__body_pair;

// One body in the broad phase.
typedef struct abut__broad_box {
    abut_box box;
    abut__body* body;
} abut__broad_box;

// Data that persists from call to call: memory, the order of the last sweep, and the choice.
typedef struct abut__broad {
    ABUT__VECTOR(abut__broad_box) boxes;
    ABUT__VECTOR(abut__keyed) order;  // by low end along `axis`; then as much scratch
    ABUT__VECTOR(abut__keyed) cells;  // cell and index in boxes; then as much scratch
    ABUT__VECTOR(abut__body_pair) pairs;
    ABUT__VECTOR(uint64_t) scratch;
    int axis;
    uint32_t ordered;  // entries of `order` that the next sweep can start from
    bool use_grid;
    uint64_t comparisons;  // of boxes, in the last call
} abut__broad;

// Finds all pairs a < b of bodies whose boxes, grown by half the margin each, overlap, whose groups
// and masks agree and that are not both static. Stores them in broad->pairs, sorted. Makes the
// bounds of bodies that have none. False: no memory.
bool abut__broad_phase(const abut_scene* scene, double margin, abut__broad* broad);
// The same with boxes from another function, which returns false for bodies to leave out. Makes no
// bounds.
bool abut__broad_phase_by(const abut_scene* scene, bool (*box_of)(const abut__body*, abut_box*),
                          double margin, abut__broad* broad);
void abut__broad_free(const abut_context* context, abut__broad* broad);

// Whether two boxes overlap that are grown by half the margin each, as the broad phase decides it.
bool abut__boxes_meet(const abut_box* a, const abut_box* b, double margin);

// Whether groups and masks agree, and at most one of the bodies is static.
bool abut__bodies_may_meet(const abut__body* a, const abut__body* b);

// the two methods separately, for tests
bool abut__broad_sweep(const abut_context* context, abut__broad* broad, uint64_t comparisons_most,
                       bool* gave_up);
bool abut__broad_grid(const abut_context* context, abut__broad* broad);
// adds a pair (indices in boxes) if the boxes overlap and the bodies may meet; false: no memory
bool abut__broad_test(const abut_context* context, abut__broad* broad, size_t i, size_t k);

#endif
