// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sides of blocks: see side_lines.h.
#include "bound/kinetic/side_lines.h"

#include <math.h>

#include "bound/kinetic/line.h"

#define EARLY (1 - 0x1p-22)  // times are rounded towards the present, as in kernels
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

// Lets sides hold the extreme vertices at the beginning of the segment: those at the box. Returns
// the sides that do not hold one at the end.
static uint32_t seek_first(const abut__kinetic_run* run, uint32_t b, uint32_t sides) {
    abut__kinetic* kinetic = run->kinetic;
    const abut__block* block = run->tree->blocks[b];
    const uint32_t parent = run->tree->block_parent[b];
    const uint32_t slot = run->tree->block_slot[b];
    uint32_t unsteady = 0;
    for (uint32_t left = sides; left != 0; left &= left - 1) {
        const uint32_t side = (uint32_t)__builtin_ctz(left);
        const float box = abut__kinetic_lanes(&run->segment->boxes[0][parent], side)[slot];
        const float last = abut__kinetic_lanes(&run->segment->boxes[1][parent], side)[slot];
        const float inside = nextafterf(box, side < 3 ? INFINITY : -INFINITY);
        const uint64_t there = find_beyond(run, block, 0, side, inside);
        const uint32_t vertex = block->vertex[__builtin_ctzll(there)];
        const float after = abut__coordinate(&run->segment->source[1], vertex, side % 3);
        ABUT_ASSERT(there != 0);
        kinetic->held[b][side] = vertex;
        *abut__kinetic_lane(&kinetic->ends[0][parent], side, slot) = box;
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

static abut__line line_of(const abut__rival* rival, double sign) {
    return (abut__line){sign * (double)rival->before, sign * (double)rival->after};
}

// Returns when the first of the rivals overtakes the extreme line. Drops those that never do.
static double first_overtaking(abut__rivals* rivals, abut__rival* list, double sign,
                               abut__line best, const abut__kinetic* kinetic) {
    const double part = (double)kinetic->part;
    const double value = abut__line_at(best, part);
    const double limit = best.after + (double)kinetic->tolerance;
    const uint32_t count = rivals->count;
    double wait = INFINITY;
    rivals->count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const abut__rival rival = list[i];
        const abut__line line = line_of(&rival, sign);
        const double steeper = abut__line_slope(line) - abut__line_slope(best);
        if (line.after > limit && steeper > 0) {
            const double until = (value - abut__line_at(line, part)) / steeper;
            wait = until < wait ? until : wait;
            list[rivals->count++] = rival;
        }
    }
    return (part + wait) * EARLY;
}

// Finds the extreme vertex of a side among the held one and few rivals, and when it is overtaken.
// Returns whether the line has changed.
static bool contest(const abut__kinetic_run* run, uint32_t b, uint32_t side) {
    abut__kinetic* kinetic = run->kinetic;
    const uint32_t parent = run->tree->block_parent[b];
    const uint32_t slot = run->tree->block_slot[b];
    const double sign = abut__side_sign(side);
    const double part = (double)kinetic->part;
    float* before = abut__kinetic_lane(&kinetic->ends[0][parent], side, slot);
    float* after = abut__kinetic_lane(&kinetic->ends[1][parent], side, slot);
    abut__rivals* rivals = &kinetic->rivals[b][side];
    abut__rival* list = kinetic->rival[parent] + rivals->first;
    const abut__line held = {sign * (double)*before, sign * (double)*after};
    abut__line best = held;
    double value = abut__line_at(held, part);
    for (uint32_t i = 0; i < rivals->count; ++i) {
        const abut__line line = line_of(&list[i], sign);
        const double now = abut__line_at(line, part);
        if (now > value || (now == value && abut__line_slope(line) > abut__line_slope(best))) {
            value = now;
            best = line;
            kinetic->held[b][side] = list[i].vertex;
        }
    }
    kinetic->next[b][side] = (float)first_overtaking(rivals, list, sign, best, kinetic);
    *before = (float)(sign * best.before);
    *after = (float)(sign * best.after);
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

void abut__kinetic_enter_block(const abut__kinetic_run* run, uint32_t block, uint32_t at_first,
                               uint32_t all, uint32_t* used) {
    const uint32_t sides = (all & ~at_first) | seek_first(run, block, at_first);
    find_rivals(run, block, sides, used);
    (void)abut__kinetic_renew_block(run, block, sides);
}

// The kernel compares all vertices now, and again at events, because all may be rivals.
uint32_t abut__kinetic_repair_block(const abut__kinetic_run* run, uint32_t block) {
    for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
        run->kinetic->rivals[block][side].count = ABUT__RIVALS_FEW + 1;
    }
    return compare_all(run, block, ALL_SIDES);
}
