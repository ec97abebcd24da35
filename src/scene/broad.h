// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The broad phase: which pairs of bodies may touch at all. Two ways that find the same pairs: a
// sweep over intervals along one axis, kept in order from step to step, and a uniform grid for
// crowds of bodies of like size. Which one is chosen by counts of the work, never by a clock.
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

// What is kept from call to call: memory, the order of the last sweep, and the choice.
typedef struct abut__broad {
    ABUT__VECTOR(abut__broad_box) boxes;
    ABUT__VECTOR(abut__keyed) order;  // by low end along `axis`; then as much scratch
    ABUT__VECTOR(abut__keyed) cells;  // cell and place in boxes; then as much scratch
    ABUT__VECTOR(abut__body_pair) pairs;
    ABUT__VECTOR(uint64_t) scratch;
    int axis;
    uint32_t ordered;  // places in order that are still good for a start
    bool use_grid;
    uint64_t comparisons;  // of boxes, in the last call
} abut__broad;

// Finds all pairs a < b of bodies whose boxes, grown by half the margin each, overlap, whose
// groups and masks agree and that are not both static; broad->pairs, sorted. False: no memory.
bool abut__broad_phase(const abut_scene* scene, double margin, abut__broad* broad);
// The same with boxes from another rule, which returns false for bodies to be left out.
bool abut__broad_phase_by(const abut_scene* scene, bool (*box_of)(const abut__body*, abut_box*),
                          double margin, abut__broad* broad);
void abut__broad_free(const abut_context* context, abut__broad* broad);

// Whether groups and masks agree, and not both are static.
bool abut__bodies_may_meet(const abut__body* a, const abut__body* b);

// the two ways by themselves, for tests
bool abut__broad_sweep(const abut_context* context, abut__broad* broad, uint64_t comparisons_most,
                       bool* gave_up);
bool abut__broad_grid(const abut_context* context, abut__broad* broad);
// notes a pair (places in boxes) if the boxes overlap and the bodies may meet; false: no memory
bool abut__broad_test(const abut_context* context, abut__broad* broad, size_t i, size_t k);

#endif
