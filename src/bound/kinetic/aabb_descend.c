// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Carries the data of a kinetic AABB tree over to an edited tree.
#include <math.h>
#include <string.h>

#include "bound/kinetic/aabb_parts.h"

static void take_over_member(abut__kinetic* kinetic, uint32_t member, const abut__kinetic* before,
                             uint32_t from) {
    if (from == ABUT__NONE) {
        for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
            kinetic->next[member][side] = INFINITY;  // until it is repaired
        }
        return;
    }
    memcpy(kinetic->next[member], before->next[from], sizeof kinetic->next[member]);
    memcpy(kinetic->held[member], before->held[from], sizeof kinetic->held[member]);
    if (member >= kinetic->block_count || kinetic->held[member][ABUT__HELD_ALONE] != 0) {
        abut__kinetic_schedule(kinetic, member);
    }
}

// Carries over an event of a block. Without room the block will be alone, and is due at once.
static void take_over_event(abut__kinetic* kinetic, const abut__tree* tree, uint32_t block,
                            const abut__side_event* event, uint32_t bucket) {
    abut__side_events* side_events = &kinetic->side_events;
    if (kinetic->held[block][ABUT__HELD_ALONE] != 0) {
        return;
    }
    if (side_events->total == side_events->room) {
        kinetic->held[block][ABUT__HELD_ALONE] = 1;
        for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
            kinetic->next[block][side] = kinetic->part;
        }
        abut__kinetic_schedule(kinetic, block);
        return;
    }
    abut__side_event* out = &side_events->events[side_events->total++];
    *out = *event;
    out->block = block;
    out->place = abut__side_place(tree->block_parent[block], tree->block_slot[block],
                                  event->place / 8 % 8);
    side_events->end[bucket] = side_events->total;
    ++side_events->waiting;
}

// Carries over the events of the blocks that remain. False: no memory.
static bool take_over_events(abut__kinetic* kinetic, const abut__tree* tree,
                             const abut__kinetic* before, const abut__descent* descent) {
    abut__side_events* side_events = &kinetic->side_events;
    uint32_t* now = abut__alloc(kinetic->context, before->block_count, sizeof *now);
    if (now == NULL) {
        return false;
    }
    memset(now, 0xff, before->block_count * sizeof *now);
    for (uint32_t b = 0; b < kinetic->block_count; ++b) {
        if (descent->block[b] != ABUT__NONE) {
            now[descent->block[b]] = b;
        }
    }
    side_events->present = before->side_events.present;
    for (uint32_t k = side_events->present; k < ABUT__CALENDAR_BUCKETS; ++k) {
        side_events->begin[k] = side_events->end[k] = side_events->total;
        for (uint32_t i = before->side_events.begin[k]; i < before->side_events.end[k]; ++i) {
            const abut__side_event* event = &before->side_events.events[i];
            if (now[event->block] != ABUT__NONE) {
                take_over_event(kinetic, tree, now[event->block], event, k);
            }
        }
    }
    abut__free(kinetic->context, now, before->block_count, sizeof *now);
    return true;
}

static void take_over(abut__kinetic* kinetic, const abut__tree* tree, const abut__kinetic* before,
                      const abut__descent* descent) {
    memcpy(kinetic->points.key, before->points.key, sizeof kinetic->points.key);
    kinetic->back = before->back;
    kinetic->part = before->part;
    kinetic->extent = before->extent;
    kinetic->tolerance = before->tolerance;
    kinetic->counts = before->counts;
    kinetic->serial = before->serial;
    kinetic->settled = before->settled;
    kinetic->edited = true;
    atomic_store(&kinetic->lonely, true);
    abut__calendar_clear(&kinetic->calendar, kinetic->part);
    for (uint32_t b = 0; b < kinetic->block_count; ++b) {
        const uint32_t from = descent->block[b];
        if (from != ABUT__NONE) {
            abut__key_points_copy(&kinetic->points, b, &before->points, from);
        }
        take_over_member(kinetic, b, before, from);
        for (uint32_t side = 0; side < ABUT__SIDES && from != ABUT__NONE; ++side) {
            kinetic->held[b][side] = abut__kinetic_block_vertex(before, tree->blocks[b], from,
                                                                side);
        }
    }
    for (uint32_t n = 1; n < kinetic->node_count; ++n) {
        const uint32_t from = descent->node[n];
        take_over_member(kinetic, kinetic->block_count + n, before,
                         from != ABUT__NONE ? before->block_count + from : ABUT__NONE);
    }
    for (int e = 0; e < 2; ++e) {
        abut__descent_lanes(descent, before->ends[e], kinetic->ends[e]);
    }
}

abut__kinetic* abut__kinetic_descend(const abut__kinetic* before, const abut__tree* tree,
                                     const abut__descent* descent) {
    if (before->part < 0 || before->edited) {
        return NULL;
    }
    abut__kinetic* made = abut__kinetic_make(before->context, tree);
    if (made == NULL) {
        return NULL;
    }
    take_over(made, tree, before, descent);
    if (!take_over_events(made, tree, before, descent)) {
        abut__kinetic_free(made);
        return NULL;
    }
    return made;
}
