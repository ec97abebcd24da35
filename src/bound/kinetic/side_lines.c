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

static uint32_t positions_of(abut__stretch stretch) {
    return (16 - abut__stretch_spare(stretch)) / 3;
}

static float lesser(float a, float b) {
    return a < b ? a : b;
}

static float greater(float a, float b) {
    return a > b ? a : b;
}

// Return the least or the greatest coordinate of the five of a full stretch.
static float least_of(const float* x) {
    return lesser(lesser(lesser(x[0], x[3]), lesser(x[6], x[9])), x[12]);
}

static float greatest_of(const float* x) {
    return greater(greater(greater(x[0], x[3]), greater(x[6], x[9])), x[12]);
}

static bool is_full(abut__stretch stretch) {
    return abut__stretch_spare(stretch) == 16 - 3 * ABUT__STRETCH_MOST;
}

// Returns the sides of a box that a full stretch reaches, a bit each.
static uint32_t sides_reached(const float* x, const abut__box3* box) {
    uint32_t here = 0;
    for (uint32_t d = 0; d < 3; ++d) {
        here |= (uint32_t)(least_of(x + d) <= box->lo[d]) << d |
                (uint32_t)(greatest_of(x + d) >= box->hi[d]) << (3 + d);
    }
    return here;
}

// Returns the sides of a box at which a position is, a bit each.
static uint32_t sides_at(const float x[3], const abut__box3* box) {
    uint32_t here = 0;
    for (uint32_t d = 0; d < 3; ++d) {
        here |= (uint32_t)(x[d] <= box->lo[d]) << d | (uint32_t)(x[d] >= box->hi[d]) << (3 + d);
    }
    return here;
}

static uint32_t put_vertex(uint32_t vertex, uint32_t here, uint32_t found[ABUT__SIDES]) {
    for (uint32_t left = here; left != 0; left &= left - 1) {
        found[__builtin_ctz(left)] = vertex;
    }
    return here;
}

// Finds the vertices of a full stretch at the sides that it reaches.
static uint32_t put_reached(const float* x, const abut__box3* box, uint32_t vertex, uint32_t here,
                            uint32_t found[ABUT__SIDES]) {
    for (uint32_t left = here; left != 0; left &= left - 1) {
        const uint32_t side = (uint32_t)__builtin_ctz(left);
        const float end = side < 3 ? box->lo[side] : box->hi[side - 3];
        const float* along = x + side % 3;
        found[side] = vertex + (along[0] == end   ? 0
                                : along[3] == end ? 1
                                : along[6] == end ? 2
                                : along[9] == end ? 3
                                                  : 4);
    }
    return here;
}

// Finds a vertex of each side at which the box at the beginning ends. Returns the sides for which
// there is one.
static uint32_t find_ends(const abut__kinetic_run* run, uint32_t b, uint32_t sides,
                          uint32_t found[ABUT__SIDES]) {
    const abut__block* block = run->tree->blocks[b];
    const abut__source source = run->segment->source[0];
    const abut__box3 box = abut__boxes_get(&run->segment->boxes[0][run->tree->block_parent[b]],
                                           run->tree->block_slot[b]);
    const abut__stretch* list;
    const uint32_t stretches = abut__kinetic_stretches(run, b, 0, &list);
    uint32_t left = sides;
    for (uint32_t i = 0; i < stretches && left != 0; ++i) {
        const uint32_t at = abut__stretch_first(list[i]);
        const uint32_t positions = positions_of(list[i]);
        const float* x = (const float*)(const void*)source.data + at;
        if (is_full(list[i])) {
            left &= ~put_reached(x, &box, at / 3, sides_reached(x, &box) & left, found);
            continue;
        }
        for (uint32_t v = 0; v < positions; ++v) {
            left &= ~put_vertex(at / 3 + v, sides_at(x + 3 * (size_t)v, &box) & left, found);
        }
    }
    for (uint32_t v = 0; v < block->vertex_count && stretches == 0 && left != 0; ++v) {
        const float x[3] = {abut__coordinate(&source, block->vertex[v], 0),
                            abut__coordinate(&source, block->vertex[v], 1),
                            abut__coordinate(&source, block->vertex[v], 2)};
        left &= ~put_vertex(block->vertex[v], sides_at(x, &box) & left, found);
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

// ---- following the extreme line

// Lists the vertices of a block that end above a limit, by its stretches.
static uint32_t scan_stretches(const abut__kinetic_run* run, const abut__stretch* list,
                               uint32_t stretches, uint32_t side, float limit,
                               abut__contender* out) {
    const float* xyz = (const float*)(const void*)run->segment->source[1].data;
    const float sign = side < 3 ? -1 : 1;
    uint32_t vertices[ABUT__BLOCK_VERTICES];
    const uint32_t found = run->kinetic->context->kernels->kinetic_stretched(
        list, stretches, xyz, side % 3, sign, limit, vertices);
    for (uint32_t i = 0; i < found; ++i) {
        out[i].vertex = vertices[i];
        out[i].after = sign * xyz[3 * (size_t)vertices[i] + side % 3];
    }
    return found;
}

static uint32_t scan_block(const abut__kinetic_run* run, uint32_t b, uint32_t side, float limit,
                           abut__contender* out) {
    const abut__block* block = run->tree->blocks[b];
    const float sign = side < 3 ? -1 : 1;
    uint32_t found = 0;
    for (uint64_t left = find_beyond(run, block, 1, side, sign * limit); left != 0;
         left &= left - 1) {
        const uint32_t vertex = block->vertex[__builtin_ctzll(left)];
        out[found].after = sign * abut__coordinate(&run->segment->source[1], vertex, side % 3);
        out[found++].vertex = vertex;
    }
    return found;
}

void abut__kinetic_scan_side(const abut__kinetic_run* run, abut__side_scan* scan, uint32_t b,
                             uint32_t side) {
    if (scan->side_count == ABUT__SCAN_SIDES ||
        scan->line_count + ABUT__BLOCK_VERTICES > ABUT__SCAN_LINES) {
        abut__kinetic_end_scan(run, scan);
    }
    const abut__boxes8* held = &run->kinetic->ends[1][run->tree->block_parent[b]];
    const float limit = (side < 3 ? -1.0f : 1.0f) *
                            abut__kinetic_lanes(held, side)[run->tree->block_slot[b]] +
                        run->kinetic->tolerance;
    const abut__source* source = &run->segment->source[0];
    abut__contender* out = scan->line + scan->line_count;
    const abut__stretch* list;
    // near vertices are gathered in fewer cycles, but stretches take less memory than ids
    const bool far = run->kinetic->block_count > ABUT__KINETIC_NEAR;
    const uint32_t stretches = far ? abut__kinetic_stretches(run, b, 1, &list) : 0;
    const uint32_t count = stretches > 0 ? scan_stretches(run, list, stretches, side, limit, out)
                                         : scan_block(run, b, side, limit, out);
    for (uint32_t i = 0; i < count; ++i) {
        __builtin_prefetch(source->data + out[i].vertex * source->stride);
    }
    scan->side[scan->side_count].block = b;
    scan->side[scan->side_count].side = side;
    scan->side[scan->side_count].first = scan->line_count;
    scan->side[scan->side_count++].count = count;
    scan->line_count += count;
}

// Returns the least float that is not less than a number from 0 to 1.
static float rounded_up(double time) {
    union {
        float number;
        uint32_t bits;
    } to = {.number = (float)time};
    to.bits += (double)to.number < time;
    return to.number;
}

// Replaces the extreme line by the first one that overtakes it, and `now` by the time when it does.
// That is gap / (gap + excess), where the gap is that at the beginning and the excess that at the
// end, so the quotient of both says which is first. Drops the lines that do not end above the old
// line, and all if none ends above the new one. False: none overtakes it.
static bool overtake(abut__contender* held, float tolerance, abut__contender* list, uint32_t* count,
                     float* now) {
    const float limit = held->after + tolerance;
    double gap = 0;
    double excess = 0;
    float most = limit;
    uint32_t first = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; ++i) {
        const abut__contender line = list[i];
        if (line.after > limit) {
            const double g = (double)held->before - (double)line.before;
            const double e = (double)line.after - (double)held->after;
            const double order = g * excess - gap * e;
            if (kept == 0 || order < 0 || (order == 0 && e > excess)) {
                first = kept;
                gap = g;
                excess = e;
            }
            most = greater(most, line.after);
            list[kept++] = line;
        }
    }
    if (kept > 0) {
        const float time = gap > 0 ? rounded_up(gap / (gap + excess)) : 0;
        *now = greater(*now, time);
        *held = list[first];
    }
    *count = most > held->after + tolerance ? kept : 0;
    return kept > 0;
}

// Follows the extreme line of a side, which holds an extreme vertex at the beginning, to the end.
// Times up to the present give the present line, later ones are events. False: no room for them.
static bool follow_side(const abut__kinetic_run* run, uint32_t task, uint32_t b, uint32_t side,
                        abut__contender* list, uint32_t count) {
    abut__kinetic* kinetic = run->kinetic;
    const uint32_t parent = run->tree->block_parent[b];
    const uint32_t slot = run->tree->block_slot[b];
    const uint32_t found = kinetic->side_events.count[task];
    const float sign = side < 3 ? -1 : 1;
    float* before = abut__kinetic_lane(&kinetic->ends[0][parent], side, slot);
    float* after = abut__kinetic_lane(&kinetic->ends[1][parent], side, slot);
    abut__contender held = {sign * *before, sign * *after, kinetic->held[b][side]};
    float now = 0;
    while (overtake(&held, kinetic->tolerance, list, &count, &now)) {
        if (now <= kinetic->part) {
            *before = sign * held.before;
            *after = sign * held.after;
            kinetic->held[b][side] = held.vertex;
            continue;
        }
        const abut__side_event event = {now,
                                        sign * held.before,
                                        sign * held.after,
                                        held.vertex,
                                        b,
                                        abut__side_place(parent, slot, side)};
        if (!abut__side_events_add(&kinetic->side_events, task, &event)) {
            kinetic->side_events.count[task] = found;
            return false;
        }
    }
    return true;
}

void abut__kinetic_end_scan(const abut__kinetic_run* run, abut__side_scan* scan) {
    const abut__source* source = &run->segment->source[0];
    for (uint32_t i = 0; i < scan->side_count; ++i) {
        const uint32_t side = scan->side[i].side;
        const uint32_t block = scan->side[i].block;
        const uint32_t count = scan->side[i].count;
        abut__contender* list = scan->line + scan->side[i].first;
        const float sign = side < 3 ? -1 : 1;
        if (run->kinetic->held[block][ABUT__HELD_ALONE] != 0) {
            continue;
        }
        for (uint32_t k = 0; k < count; ++k) {
            list[k].before = sign * abut__coordinate(source, list[k].vertex, side % 3);
        }
        if (!follow_side(run, scan->task, block, side, list, count)) {
            (void)abut__kinetic_isolate_block(run, block);
        }
    }
    scan->side_count = scan->line_count = 0;
}

void abut__kinetic_enter_block(const abut__kinetic_run* run, abut__side_scan* scan, uint32_t block,
                               uint32_t at_first, uint32_t all) {
    uint32_t lost = 0;
    const uint32_t sides = (all & ~at_first) |
                           (at_first != 0 ? seek_first(run, block, at_first, &lost) : 0);
    if (lost != 0) {
        (void)abut__kinetic_isolate_block(run, block);
        return;
    }
    for (uint32_t left = sides; left != 0; left &= left - 1) {
        abut__kinetic_scan_side(run, scan, block, (uint32_t)__builtin_ctz(left));
    }
}

// ---- blocks that are alone

// Compares all vertices.
uint32_t abut__kinetic_renew_block(const abut__kinetic_run* run, uint32_t b, uint32_t sides) {
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

uint32_t abut__kinetic_isolate_block(const abut__kinetic_run* run, uint32_t block) {
    run->kinetic->held[block][ABUT__HELD_ALONE] = 1;
    atomic_store_explicit(&run->kinetic->lonely, true, memory_order_relaxed);
    return abut__kinetic_renew_block(run, block, ALL_SIDES);
}
