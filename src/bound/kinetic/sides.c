// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sides of blocks: see sides.h.
#include "bound/kinetic/sides.h"

#include <math.h>

#include "bound/kinetic/line.h"

#define EARLY (1 - 0x1p-22)  // times are rounded towards the present, as in kernels
#define ALL_SIDES ((1u << ABUT__SIDES) - 1)
#define RIVALS_FEW 12  // up to so many are compared one by one

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

// Reads the coordinates of a block's vertices.
static void read_row(const abut__block* block, const abut__source* source, uint32_t axis,
                     float* row) {
    if (!source->is_double && source->stride == 3 * sizeof(float)) {
        const float* xyz = (const float*)(const void*)source->data + axis;
        for (uint32_t v = 0; v < block->vertex_count; ++v) {
            row[v] = xyz[3 * (size_t)block->vertex[v]];
        }
        return;
    }
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        row[v] = abut__coordinate(source, block->vertex[v], axis);
    }
}

// Lets sides hold the extreme vertices at the beginning of the segment.
static void seek_first(const abut__kinetic_run* run, uint32_t b, uint32_t sides) {
    abut__kinetic* kinetic = run->kinetic;
    const abut__block* block = run->tree->blocks[b];
    const uint32_t parent = run->tree->block_parent[b];
    const uint32_t slot = run->tree->block_slot[b];
    for (uint32_t left = sides; left != 0; left &= left - 1) {
        const uint32_t side = (uint32_t)__builtin_ctz(left);
        const float sign = side < 3 ? -1 : 1;
        float row[ABUT__BLOCK_VERTICES];
        read_row(block, &run->segment->source[0], side % 3, row);
        uint32_t most = 0;
        for (uint32_t v = 1; v < block->vertex_count; ++v) {
            most = sign * row[v] > sign * row[most] ? v : most;
        }
        kinetic->held[b][side] = block->vertex[most];
        *abut__kinetic_lane(&kinetic->ends[0][parent], side, slot) = row[most];
        *abut__kinetic_lane(&kinetic->ends[1][parent], side, slot) = abut__coordinate(
            &run->segment->source[1], block->vertex[most], side % 3);
    }
}

// Finds the vertices that end above the held ones.
static void find_rivals(const abut__kinetic_run* run, uint32_t b, uint32_t sides) {
    const abut__kinetic* kinetic = run->kinetic;
    const abut__block* block = run->tree->blocks[b];
    const abut__boxes8* held = &kinetic->ends[1][run->tree->block_parent[b]];
    const uint32_t slot = run->tree->block_slot[b];
    float row[ABUT__BLOCK_VERTICES];
    uint32_t has = 3;  // the axis of the row
    for (uint32_t left = sides; left != 0; left &= left - 1) {
        const uint32_t side = (uint32_t)__builtin_ctz(left);
        const float limit = abut__kinetic_lanes(held, side)[slot] +
                            (side < 3 ? -kinetic->tolerance : kinetic->tolerance);
        uint64_t rivals = 0;
        if (has != side % 3) {
            has = side % 3;
            read_row(block, &run->segment->source[1], has, row);
        }
        if (side < 3) {
            for (uint32_t v = block->vertex_count; v-- > 0;) {
                rivals = 2 * rivals + (row[v] < limit);
            }
        } else {
            for (uint32_t v = block->vertex_count; v-- > 0;) {
                rivals = 2 * rivals + (row[v] > limit);
            }
        }
        kinetic->rivals[b][side] = rivals;
    }
}

// ---- computing sides

// Returns when the first of some lines overtakes the extreme one. Drops those that never do.
static double first_overtaking(const abut__line* lines, const uint8_t* numbers, uint32_t count,
                               abut__line best, const abut__kinetic* kinetic, uint64_t* rivals) {
    const double part = (double)kinetic->part;
    const double value = abut__line_at(best, part);
    const double limit = best.after + (double)kinetic->tolerance;
    double wait = INFINITY;
    *rivals = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const double steeper = abut__line_slope(lines[i]) - abut__line_slope(best);
        if (lines[i].after > limit && steeper > 0) {
            const double until = (value - abut__line_at(lines[i], part)) / steeper;
            wait = until < wait ? until : wait;
            *rivals |= UINT64_C(1) << numbers[i];
        }
    }
    return (part + wait) * EARLY;
}

// Reads the lines of the rivals; returns their number, or more than RIVALS_FEW.
static uint32_t read_rivals(const abut__kinetic_run* run, uint32_t b, uint32_t side,
                            abut__line* lines, uint8_t* numbers) {
    const uint32_t* vertices = run->tree->blocks[b]->vertex;
    const abut__source source[2] = {run->segment->source[0], run->segment->source[1]};
    const double sign = abut__side_sign(side);
    const uint32_t axis = side % 3;
    uint32_t count = 0;
    for (uint64_t left = run->kinetic->rivals[b][side]; left != 0; left &= left - 1) {
        const uint32_t v = (uint32_t)__builtin_ctzll(left);
        if (count == RIVALS_FEW) {
            return count + 1;
        }
        lines[count].before = sign * (double)abut__coordinate(&source[0], vertices[v], axis);
        lines[count].after = sign * (double)abut__coordinate(&source[1], vertices[v], axis);
        numbers[count++] = (uint8_t)v;
    }
    return count;
}

// Finds the extreme vertex of a side among the held one and few rivals, and when it is overtaken.
// False: the rivals are many.
static bool contest(const abut__kinetic_run* run, uint32_t b, uint32_t side, bool* changed) {
    abut__kinetic* kinetic = run->kinetic;
    const uint32_t parent = run->tree->block_parent[b];
    const uint32_t slot = run->tree->block_slot[b];
    const double sign = abut__side_sign(side);
    float* before = abut__kinetic_lane(&kinetic->ends[0][parent], side, slot);
    float* after = abut__kinetic_lane(&kinetic->ends[1][parent], side, slot);
    const abut__line held = {sign * (double)*before, sign * (double)*after};
    abut__line lines[RIVALS_FEW];
    uint8_t numbers[RIVALS_FEW];
    const uint32_t count = read_rivals(run, b, side, lines, numbers);
    if (count > RIVALS_FEW) {
        return false;
    }
    abut__line best = held;
    double value = abut__line_at(held, (double)kinetic->part);
    for (uint32_t i = 0; i < count; ++i) {
        const double now = abut__line_at(lines[i], (double)kinetic->part);
        if (now > value || (now == value && abut__line_slope(lines[i]) > abut__line_slope(best))) {
            value = now;
            best = lines[i];
            kinetic->held[b][side] = run->tree->blocks[b]->vertex[numbers[i]];
        }
    }
    kinetic->next[b][side] = (float)first_overtaking(lines, numbers, count, best, kinetic,
                                                     &kinetic->rivals[b][side]);
    *changed = best.before != held.before || best.after != held.after;
    *before = (float)(sign * best.before);
    *after = (float)(sign * best.after);
    return true;
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
        bool other = false;
        if (!contest(run, block, side, &other)) {
            many |= 1u << side;
        }
        changed |= (uint32_t)other << side;
    }
    return many != 0 ? changed | compare_all(run, block, many) : changed;
}

void abut__kinetic_enter_block(const abut__kinetic_run* run, uint32_t block, uint32_t at_first,
                               uint32_t all) {
    seek_first(run, block, at_first);
    find_rivals(run, block, all);
    (void)abut__kinetic_renew_block(run, block, all);
}

// The kernel compares all vertices now, and again at events, because all may be rivals.
uint32_t abut__kinetic_repair_block(const abut__kinetic_run* run, uint32_t block) {
    const uint32_t spare = 64 - run->tree->blocks[block]->vertex_count;
    for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
        run->kinetic->rivals[block][side] = UINT64_MAX >> spare;
    }
    return compare_all(run, block, ALL_SIDES);
}
