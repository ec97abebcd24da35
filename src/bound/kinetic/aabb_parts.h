// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the files of the kinetic AABB tree share: evaluating nodes, and scheduling events.
#ifndef ABUT_BOUND_KINETIC_AABB_PARTS_H
#define ABUT_BOUND_KINETIC_AABB_PARTS_H

#include "bound/kinetic/side_lines.h"

static inline size_t abut__kinetic_member_count(const abut__kinetic* kinetic) {
    return (size_t)kinetic->block_count + kinetic->node_count;
}

static inline void abut__kinetic_node_extremes(const abut__kinetic* kinetic, const abut__tree* tree,
                                               uint32_t node, uint32_t sides, abut__extremes* out) {
    kinetic->context->kernels->kinetic_node(&kinetic->ends[0][node], &kinetic->ends[1][node],
                                            tree->nodes[node].count, sides, kinetic->part, out);
}

// Returns the time when the first of the six sides is overtaken.
static inline float abut__kinetic_first_time(const abut__kinetic* kinetic, uint32_t member) {
    const float* next = kinetic->next[member];
    float first = next[0];
    for (uint32_t side = 1; side < ABUT__SIDES; ++side) {
        first = next[side] < first ? next[side] : first;
    }
    return first;
}

static inline void abut__kinetic_schedule(abut__kinetic* kinetic, uint32_t member) {
    abut__calendar_set(&kinetic->calendar, member, abut__kinetic_first_time(kinetic, member));
}

// Notes that lines of a node's children change.
static inline void abut__kinetic_note_change(abut__kinetic* kinetic, uint32_t node) {
    kinetic->marks[node / 64] |= UINT64_C(1) << node % 64;
}

// Returns the extreme vertex of a side of a block.
static inline uint32_t abut__kinetic_block_vertex(const abut__kinetic* kinetic,
                                                  const abut__block* block, uint32_t number,
                                                  uint32_t side) {
    const uint32_t* held = kinetic->held[number];
    if (kinetic->places[0] == NULL || held[ABUT__HELD_ALONE] != 0) {
        return held[side];
    }
    const uint32_t place = kinetic->places[0][number].of[side];
    return place == kinetic->places[1][number].of[side]
               ? abut__place_vertex(kinetic->stretches, block, number, place)
               : held[side];
}

// Gives a side of a block the line of an event.
static inline void abut__kinetic_put_event(abut__kinetic* kinetic, const abut__side_event* event) {
    const uint32_t node = event->place / 64;
    const uint32_t slot = event->place % 8;
    const uint32_t side = event->place / 8 % 8;
    *abut__kinetic_lane(&kinetic->ends[0][node], side, slot) = event->before;
    *abut__kinetic_lane(&kinetic->ends[1][node], side, slot) = event->after;
    kinetic->held[event->block][side] = event->vertex;
    abut__kinetic_note_change(kinetic, node);
}

// Returns the number of sides in a set. There is a table because not every processor can count bits.
static inline uint64_t abut__kinetic_count_sides(uint32_t sides) {
    static const uint8_t of_three[8] = {0, 1, 1, 2, 1, 2, 2, 3};
    return (uint64_t)of_three[sides & 7] + of_three[sides >> 3];
}

// Enters the blocks of a task by the places of their extreme vertices, which both keyframes of the
// segment must have.
void abut__kinetic_enter_places(const abut__kinetic_run* run, uint32_t task);
// Enters a segment at a part of it.
void abut__kinetic_enter(const abut__kinetic_run* run, float part);

#endif
