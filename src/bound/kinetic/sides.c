// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sides of blocks: see sides.h.
#include "bound/kinetic/sides.h"

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

// Reads the coordinates of a block's vertices.
static void read_row(const abut__block* block, const abut__source* source, uint32_t axis,
                     float* row) {
    const uint32_t count = block->vertex_count;
    if (!source->is_double && source->stride == 3 * sizeof(float)) {
        const float* xyz = (const float*)(const void*)source->data + axis;
        for (uint32_t v = 0; v < count; ++v) {
            row[v] = xyz[3 * (size_t)block->vertex[v]];
        }
        return;
    }
    for (uint32_t v = 0; v < count; ++v) {
        row[v] = abut__coordinate(source, block->vertex[v], axis);
    }
}

static uint32_t find_most(const float* row, uint32_t count) {
    uint32_t most = 0;
    for (uint32_t v = 1; v < count; ++v) {
        most = row[v] > row[most] ? v : most;
    }
    return most;
}

static uint32_t find_least(const float* row, uint32_t count) {
    uint32_t least = 0;
    for (uint32_t v = 1; v < count; ++v) {
        least = row[v] < row[least] ? v : least;
    }
    return least;
}

// Lets sides hold the extreme vertices at the beginning of the segment.
static void seek_first(const abut__kinetic_run* run, uint32_t b, uint32_t sides) {
    abut__kinetic* kinetic = run->kinetic;
    const abut__block* block = run->tree->blocks[b];
    const uint32_t parent = run->tree->block_parent[b];
    const uint32_t slot = run->tree->block_slot[b];
    for (uint32_t d = 0; d < 3; ++d) {
        float row[ABUT__BLOCK_VERTICES];
        if ((sides >> d & 9) != 0) {
            read_row(block, &run->segment->source[0], d, row);
        }
        for (uint32_t side = d; side < ABUT__SIDES; side += 3) {
            if ((sides >> side & 1) == 0) {
                continue;
            }
            const uint32_t v = (side < 3 ? find_least : find_most)(row, block->vertex_count);
            kinetic->held[b][side] = block->vertex[v];
            *abut__kinetic_lane(&kinetic->ends[0][parent], side, slot) = row[v];
            *abut__kinetic_lane(&kinetic->ends[1][parent], side, slot) = abut__coordinate(
                &run->segment->source[1], block->vertex[v], d);
        }
    }
}

// Returns the vertices whose coordinates are beyond a limit, a bit each.
static uint64_t find_beyond(const float* row, uint32_t count, float limit, bool is_low) {
    uint64_t beyond = 0;
    if (is_low) {
        for (uint32_t v = count; v-- > 0;) {
            beyond = 2 * beyond + (row[v] < limit);
        }
    } else {
        for (uint32_t v = count; v-- > 0;) {
            beyond = 2 * beyond + (row[v] > limit);
        }
    }
    return beyond;
}

// Stores the lines of the rivals of a side, unless they are many.
static void note_rivals(const abut__kinetic_run* run, const abut__block* block, uint32_t axis,
                        const float* row, uint64_t beyond, abut__rivals* out) {
    const abut__source source = run->segment->source[0];
    uint32_t count = 0;
    for (uint64_t left = beyond; left != 0 && count <= ABUT__RIVALS_FEW; left &= left - 1) {
        const uint32_t v = (uint32_t)__builtin_ctzll(left);
        if (count < ABUT__RIVALS_FEW) {
            const uint32_t vertex = block->vertex[v];
            out->list[count] = (abut__rival){abut__coordinate(&source, vertex, axis), row[v],
                                             vertex};
        }
        ++count;
    }
    out->count = count;
}

// Finds the vertices that end above the held ones.
static void find_rivals(const abut__kinetic_run* run, uint32_t b, uint32_t sides) {
    const abut__kinetic* kinetic = run->kinetic;
    const abut__block* block = run->tree->blocks[b];
    const abut__boxes8* held = &kinetic->ends[1][run->tree->block_parent[b]];
    const uint32_t slot = run->tree->block_slot[b];
    for (uint32_t d = 0; d < 3; ++d) {
        float row[ABUT__BLOCK_VERTICES];
        if ((sides >> d & 9) != 0) {
            read_row(block, &run->segment->source[1], d, row);
        }
        for (uint32_t side = d; side < ABUT__SIDES; side += 3) {
            if ((sides >> side & 1) != 0) {
                const float limit = abut__kinetic_lanes(held, side)[slot] +
                                    (side < 3 ? -kinetic->tolerance : kinetic->tolerance);
                note_rivals(run, block, d, row,
                            find_beyond(row, block->vertex_count, limit, side < 3),
                            &kinetic->rivals[b][side]);
            }
        }
    }
}

// ---- computing sides

static abut__line line_of(const abut__rival* rival, double sign) {
    return (abut__line){sign * (double)rival->before, sign * (double)rival->after};
}

// Returns when the first of the rivals overtakes the extreme line. Drops those that never do.
static double first_overtaking(abut__rivals* rivals, double sign, abut__line best,
                               const abut__kinetic* kinetic) {
    const double part = (double)kinetic->part;
    const double value = abut__line_at(best, part);
    const double limit = best.after + (double)kinetic->tolerance;
    const uint32_t count = rivals->count;
    double wait = INFINITY;
    rivals->count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const abut__rival rival = rivals->list[i];
        const abut__line line = line_of(&rival, sign);
        const double steeper = abut__line_slope(line) - abut__line_slope(best);
        if (line.after > limit && steeper > 0) {
            const double until = (value - abut__line_at(line, part)) / steeper;
            wait = until < wait ? until : wait;
            rivals->list[rivals->count++] = rival;
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
    const abut__line held = {sign * (double)*before, sign * (double)*after};
    abut__line best = held;
    double value = abut__line_at(held, part);
    for (uint32_t i = 0; i < rivals->count; ++i) {
        const abut__line line = line_of(&rivals->list[i], sign);
        const double now = abut__line_at(line, part);
        if (now > value || (now == value && abut__line_slope(line) > abut__line_slope(best))) {
            value = now;
            best = line;
            kinetic->held[b][side] = rivals->list[i].vertex;
        }
    }
    kinetic->next[b][side] = (float)first_overtaking(rivals, sign, best, kinetic);
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
                               uint32_t all) {
    seek_first(run, block, at_first);
    find_rivals(run, block, all);
    (void)abut__kinetic_renew_block(run, block, all);
}

// The kernel compares all vertices now, and again at events, because all may be rivals.
uint32_t abut__kinetic_repair_block(const abut__kinetic_run* run, uint32_t block) {
    for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
        run->kinetic->rivals[block][side].count = ABUT__RIVALS_FEW + 1;
    }
    return compare_all(run, block, ALL_SIDES);
}
