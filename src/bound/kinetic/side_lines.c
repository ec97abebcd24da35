// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sides of blocks: see side_lines.h.
#include "bound/kinetic/side_lines.h"

#include <math.h>

#define ALL_SIDES ((1u << ABUT__SIDES) - 1)

uint32_t abut__kinetic_put(abut__kinetic* kinetic, uint32_t member, const uint32_t* names,
                           uint32_t sides, const abut__extremes* found, uint32_t parent,
                           uint32_t slot) {
    uint32_t changed = 0;
    for (uint32_t left = sides; left != 0; left &= left - 1) {
        const uint32_t side = (uint32_t)__builtin_ctz(left);
        float* before = abut__kinetic_lane(&kinetic->ends[0][parent], side, slot);
        float* after = abut__kinetic_lane(&kinetic->ends[1][parent], side, slot);
        if (*before != found->before[side] || *after != found->after[side]) {
            *before = found->before[side];
            *after = found->after[side];
            changed |= 1u << side;
        }
        kinetic->next[member][side] = found->next[side];
        kinetic->held[member][side] = names != NULL ? names[found->which[side]]
                                                    : found->which[side];
    }
    return changed;
}

// ---- scanning the vertices of a block along an axis

// Returns the vertices that are beyond a limit at an end, a bit each.
static uint64_t find_beyond(const abut__kinetic_run* run, const abut__block* block, int end,
                            uint32_t side, float limit) {
    const abut__source source = run->segment->source[end];
    if (!source.is_double && source.stride == 3 * sizeof(float)) {
        const float* xyz = (const float*)(const void*)source.data + side % 3;
        return run->kinetic->context->kernels->kinetic_beyond(block, xyz, limit, side < 3);
    }
    uint64_t beyond = 0;
    for (uint32_t v = block->vertex_count; v-- > 0;) {
        const float x = abut__coordinate(&source, block->vertex[v], side % 3);
        beyond = 2 * beyond + (side < 3 ? x < limit : x > limit);
    }
    return beyond;
}

// Finds the first vertex of each side at which the box at the beginning ends. Returns the sides for
// which there is one.
static uint32_t find_ends(const abut__kinetic_run* run, uint32_t b, uint32_t sides,
                          uint32_t found[ABUT__SIDES]) {
    const abut__block* block = run->tree->blocks[b];
    const abut__source source = run->segment->source[0];
    const abut__box3 box = abut__boxes_get(&run->segment->boxes[0][run->tree->block_parent[b]],
                                           run->tree->block_slot[b]);
    uint32_t left = sides;
    for (uint32_t v = 0; v < block->vertex_count && left != 0; ++v) {
        uint32_t here = 0;
        for (uint32_t d = 0; d < 3; ++d) {
            const float x = abut__coordinate(&source, block->vertex[v], d);
            here |= (uint32_t)(x == box.lo[d]) << d | (uint32_t)(x == box.hi[d]) << (3 + d);
        }
        for (here &= left; here != 0; here &= here - 1) {
            const uint32_t side = (uint32_t)__builtin_ctz(here);
            found[side] = block->vertex[v];
            left &= ~(1u << side);
        }
    }
    return sides & ~left;
}

// Lets sides hold the extreme vertices at the beginning of the segment. Returns the sides that do
// not hold one at the end. Those of `lost` have none.
static uint32_t seek_first(const abut__kinetic_run* run, uint32_t b, uint32_t sides,
                           uint32_t* lost) {
    abut__kinetic* kinetic = run->kinetic;
    const uint32_t parent = run->tree->block_parent[b];
    const uint32_t slot = run->tree->block_slot[b];
    uint32_t vertex[ABUT__SIDES];
    uint32_t unsteady = 0;
    *lost = sides & ~find_ends(run, b, sides, vertex);
    for (uint32_t left = sides & ~*lost; left != 0; left &= left - 1) {
        const uint32_t side = (uint32_t)__builtin_ctz(left);
        const float last = abut__kinetic_lanes(&run->segment->boxes[1][parent], side)[slot];
        const float after = abut__coordinate(&run->segment->source[1], vertex[side], side % 3);
        kinetic->held[b][side] = vertex[side];
        *abut__kinetic_lane(&kinetic->ends[0][parent], side, slot) = abut__kinetic_lanes(
            &run->segment->boxes[0][parent], side)[slot];
        *abut__kinetic_lane(&kinetic->ends[1][parent], side, slot) = after;
        unsteady |= (uint32_t) !(fabsf(after - last) <= kinetic->tolerance) << side;
    }
    return unsteady;
}

// Stores the lines of the rivals of a side, unless they are many.
static void note_rivals(const abut__kinetic_run* run, uint32_t b, uint32_t side, uint64_t beyond,
                        uint32_t* used) {
    const abut__block* block = run->tree->blocks[b];
    const abut__source source[2] = {run->segment->source[0], run->segment->source[1]};
    abut__rivals* rivals = &run->kinetic->rivals[b][side];
    abut__rival* list = run->kinetic->rival[run->tree->block_parent[b]] + *used;
    const uint32_t room = ABUT__RIVALS_OF_NODE - *used;
    const uint32_t most = room < ABUT__RIVALS_FEW ? room : ABUT__RIVALS_FEW;
    uint32_t count = 0;
    *rivals = (abut__rivals){(uint8_t)*used, ABUT__RIVALS_FEW + 1};
    for (uint64_t left = beyond; left != 0; left &= left - 1, ++count) {
        const uint32_t vertex = block->vertex[__builtin_ctzll(left)];
        if (count == most) {
            return;
        }
        list[count] = (abut__rival){abut__coordinate(&source[0], vertex, side % 3),
                                    abut__coordinate(&source[1], vertex, side % 3), vertex};
    }
    rivals->count = (uint8_t)count;
    *used += count;
}

// Finds the vertices that end above the held ones.
static void find_rivals(const abut__kinetic_run* run, uint32_t b, uint32_t sides, uint32_t* used) {
    const float tolerance = run->kinetic->tolerance;
    const abut__boxes8* held = &run->kinetic->ends[1][run->tree->block_parent[b]];
    const uint32_t slot = run->tree->block_slot[b];
    for (uint32_t left = sides; left != 0; left &= left - 1) {
        const uint32_t side = (uint32_t)__builtin_ctz(left);
        const float limit = abut__kinetic_lanes(held, side)[slot] +
                            (side < 3 ? -tolerance : tolerance);
        note_rivals(run, b, side, find_beyond(run, run->tree->blocks[b], 1, side, limit), used);
    }
}

// ---- computing sides

// Returns when the first of the rivals overtakes the extreme line. Drops those that never do.
static float first_overtaking(abut__rivals* rivals, abut__rival* list, float sign,
                              const abut__rival* best, const abut__kinetic* kinetic) {
    const float part = kinetic->part;
    const float s = sign * part;
    const float r = sign * (1 - part);
    const float value = best->before * r + best->after * s;
    const float slope = (best->after - best->before) * sign;
    const float limit = best->after * sign + kinetic->tolerance;
    const uint32_t count = rivals->count;
    uint32_t kept = 0;
    float wait = INFINITY;
    for (uint32_t i = 0; i < count; ++i) {
        const abut__rival rival = list[i];
        if (rival.after * sign > limit) {
            const float until = (value - (rival.before * r + rival.after * s)) /
                                ((rival.after - rival.before) * sign - slope);
            wait = until < wait ? until : wait;
            list[kept++] = rival;
        }
    }
    rivals->count = (uint8_t)kept;
    return wait > 0 ? (part + wait) * (float)ABUT__KINETIC_EARLY : part;
}

// Finds the extreme vertex of a side among the held one and few rivals, and when it is overtaken.
// Returns whether the line has changed. The arithmetic is that of the kernel.
static bool contest(const abut__kinetic_run* run, uint32_t b, uint32_t side) {
    abut__kinetic* kinetic = run->kinetic;
    const uint32_t parent = run->tree->block_parent[b];
    const uint32_t slot = run->tree->block_slot[b];
    const float sign = side < 3 ? -1 : 1;
    const float s = sign * kinetic->part;
    const float r = sign * (1 - kinetic->part);
    float* before = abut__kinetic_lane(&kinetic->ends[0][parent], side, slot);
    float* after = abut__kinetic_lane(&kinetic->ends[1][parent], side, slot);
    abut__rivals* rivals = &kinetic->rivals[b][side];
    abut__rival* list = kinetic->rival[parent] + rivals->first;
    const abut__rival held = {*before, *after, kinetic->held[b][side]};
    abut__rival best = held;
    float value = held.before * r + held.after * s;
    for (uint32_t i = 0; i < rivals->count; ++i) {
        const float now = list[i].before * r + list[i].after * s;
        if (now > value || (now == value && (list[i].after - list[i].before) * sign >
                                                (best.after - best.before) * sign)) {
            value = now;
            best = list[i];
        }
    }
    kinetic->next[b][side] = first_overtaking(rivals, list, sign, &best, kinetic);
    kinetic->held[b][side] = best.vertex;
    *before = best.before;
    *after = best.after;
    return best.before != held.before || best.after != held.after;
}

// Computes sides by comparing all vertices.
static uint32_t compare_all(const abut__kinetic_run* run, uint32_t b, uint32_t sides) {
    abut__kinetic* kinetic = run->kinetic;
    const abut__block* block = run->tree->blocks[b];
    abut__extremes found;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        if ((sides >> axis & 9) != 0) {
            abut__key_points_need(&kinetic->points, block, b, axis, run->segment->source);
        }
    }
    kinetic->context->kernels->kinetic_block(&kinetic->points.points[0][b],
                                             &kinetic->points.points[1][b], block->vertex_count,
                                             sides, kinetic->part, kinetic->tolerance, &found);
    return abut__kinetic_put(kinetic, b, block->vertex, sides, &found, run->tree->block_parent[b],
                             run->tree->block_slot[b]);
}

uint32_t abut__kinetic_renew_block(const abut__kinetic_run* run, uint32_t block, uint32_t sides) {
    uint32_t changed = 0;
    uint32_t many = 0;
    for (uint32_t left = sides; left != 0; left &= left - 1) {
        const uint32_t side = (uint32_t)__builtin_ctz(left);
        if (run->kinetic->rivals[block][side].count > ABUT__RIVALS_FEW) {
            many |= 1u << side;
        } else {
            changed |= (uint32_t)contest(run, block, side) << side;
        }
    }
    return many != 0 ? changed | compare_all(run, block, many) : changed;
}

// Makes all vertices rivals of some sides.
static void fear_all(const abut__kinetic_run* run, uint32_t block, uint32_t sides) {
    for (uint32_t left = sides; left != 0; left &= left - 1) {
        run->kinetic->rivals[block][__builtin_ctz(left)].count = ABUT__RIVALS_FEW + 1;
    }
}

void abut__kinetic_enter_block(const abut__kinetic_run* run, uint32_t block, uint32_t at_first,
                               uint32_t all, uint32_t* used) {
    uint32_t lost = 0;
    const uint32_t sides = (all & ~at_first) |
                           (at_first != 0 ? seek_first(run, block, at_first, &lost) : 0);
    find_rivals(run, block, sides, used);
    (void)abut__kinetic_renew_block(run, block, sides);
    if (lost != 0) {
        fear_all(run, block, lost);
        (void)compare_all(run, block, lost);
    }
}

// The kernel compares all vertices now, and again at events, because all may be rivals.
uint32_t abut__kinetic_repair_block(const abut__kinetic_run* run, uint32_t block) {
    fear_all(run, block, ALL_SIDES);
    return compare_all(run, block, ALL_SIDES);
}
