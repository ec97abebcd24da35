// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs of neighbouring points on one body, for which only the closest triangle is wanted. Each point
// begins in the block where its closest triangle was last. Then the tree is descended once for a group
// of packs, which lists the blocks near each. A pack goes through its list: sixteen points at once are
// compared with a block's box and disc, and each point that may be near the block with the discs of its
// triangles, sixteen at once. Centres of discs shorten the reach. The triangle of the nearest centre is
// bounded in float, for all points of the pack at once. Then few triangles are left, and these are
// bounded in float, sixteen at once. closest.h has the bounds.
#include <math.h>

#include "exact/sides.h"
#include "query/closest.h"

#define SLACK (1 + 0x1p-23)  // as in closest_search.c
#define FEWEST 4u            // points whose blocks are listed together

static const abut__asked* asked_of(const abut__searcher* s) {
    return &s->run->result->asked.data[0];
}

// Floats at or above and at or below a number that is at least 0, faster than the nearest such ones.
static float above(double x) {
    return (float)(x * (1 + 0x1p-22) + 0x1p-140);
}
static float below(double x) {
    return x > 0x1p-100 ? (float)(x * (1 - 0x1p-22)) : 0;
}

// ---- the reach of a point

static float box_limit(double reach, double pad) {
    const double most = reach * SLACK + 2 * pad;
    return above(most * most * (1 + 0x1p-20));
}

// Sets what may be near point k of a pack.
static void set_limits(abut__point_pack* pack, uint32_t k) {
    const abut__pack_point* own = &pack->points[k];
    const double most = (own->reach * SLACK + own->disc_error) * (1 + 0x1p-18);
    pack->near.limit_sq[k] = box_limit(own->reach, own->pad);
    pack->near.disc_limit_sq[k] = above(most * most);
}

// Squared gaps of discs up to which they are near a point, if gaps are off by `error` in all.
static float gap_limit(const abut__pack_point* own, float error) {
    const double most = (own->reach * SLACK + (double)error) * (1 + 0x1p-19);
    return above(most * most);
}

// by how much bounds of a triangle in float may be off, if `error` are the errors of its points
static double bound_error(double error, float upper, float radius) {
    return error + 0x1.01p-20 * ((double)upper + 2 * (double)radius);
}

// ---- sixteen pairs

// Pairs of points and triangles whose distances are bounded together.
typedef struct some_pairs {
    uint32_t count;
    abut__point_pairs lanes;
    float lower[16];
    float upper[16];
    double error[16];  // of their points, then of the bounds
    float radius[16];
    uint32_t block[16];
    uint8_t lane[16];
    uint8_t of[16];
} some_pairs;

static void add_pair(const abut__searcher* s, some_pairs* some, const abut__point_pack* pack,
                     uint32_t of, const abut__near_block* near, uint32_t lane) {
    const uint32_t n = some->count++;
    const abut__block* fixed = asked_of(s)->view.tree->blocks[near->block];
    for (int c = 0; c < 3; ++c) {
        const uint32_t v = fixed->corner[c][lane];
        for (int d = 0; d < 3; ++d) {
            some->lanes.corner[c][d][n] = near->points->xyz[d][v];
        }
    }
    for (int d = 0; d < 3; ++d) {
        some->lanes.point[d][n] = pack->near.at[d][of];
    }
    some->error[n] = pack->points[of].error + near->error;
    some->radius[n] = near->discs.radius[lane];
    some->block[n] = near->block;
    some->lane[n] = (uint8_t)lane;
    some->of[n] = (uint8_t)of;
}

// Bounds the distances, and shortens the reach of the points.
static void bound_pairs(const abut__searcher* s, abut__point_pack* pack, some_pairs* some) {
    if (some->count == 0) {
        return;
    }
    s->run->kernels->bound_point_pairs(&some->lanes, (1u << some->count) - 1, some->lower,
                                       some->upper);
    for (uint32_t n = 0; n < some->count; ++n) {
        abut__pack_point* own = &pack->points[some->of[n]];
        some->error[n] = bound_error(some->error[n], some->upper[n], some->radius[n]);
        const double most = (double)some->upper[n] + some->error[n];
        own->reach = most < own->reach ? most : own->reach;
    }
}

// Bounds the triangles at `last` of the points for which this was not done.
static void bound_last(abut__searcher* s, abut__point_pack* pack) {
    some_pairs some;
    some.count = 0;
    for (uint32_t k = 0; k < pack->count; ++k) {
        abut__pack_point* own = &pack->points[k];
        if (own->loose) {
            own->loose = false;
            add_pair(s, &some, pack, k, abut__closest_block(s, own->last.block), own->last.lane);
        }
    }
    bound_pairs(s, pack, &some);
    for (uint32_t n = 0; n < some.count; ++n) {
        set_limits(pack, some.of[n]);
    }
}

// Keeps the pairs that may be the closest. False: no memory.
static bool keep_pairs(abut__searcher* s, abut__point_pack* pack, some_pairs* some) {
    bound_pairs(s, pack, some);
    for (uint32_t n = 0; n < some->count; ++n) {
        const double least = (double)some->lower[n] - some->error[n];
        if (least > pack->points[some->of[n]].reach * SLACK) {
            continue;
        }
        abut__near_triangle* kept = abut__push(s->run->result->work.context, &s->triangles, 1);
        if (kept == NULL) {
            s->status = ABUT_ERR_NO_MEMORY;
            return false;
        }
        *kept = (abut__near_triangle){0, some->block[n], some->lane[n], below(least), some->of[n]};
    }
    some->count = 0;
    return true;
}

// Empties the group's lanes: bounds those that are still near enough. False: no memory.
static bool keep_lanes(abut__searcher* s, abut__point_pack* pack) {
    abut__point_group* group = s->group;
    some_pairs some;
    some.count = 0;
    bound_last(s, pack);
    float limit[ABUT__PACK_POINTS];
    for (uint32_t k = 0; k < pack->count; ++k) {
        limit[k] = gap_limit(&pack->points[k], pack->points[k].lane_error);
    }
    for (uint32_t i = 0; i < group->lane_count; ++i) {
        const abut__near_lane* own = &group->lanes[i];
        if (own->gap_sq > limit[own->of]) {
            continue;
        }
        add_pair(s, &some, pack, own->of, abut__closest_block(s, own->block), own->lane);
        if (some.count == 16 && !keep_pairs(s, pack, &some)) {
            return false;
        }
    }
    group->lane_count = 0;
    return keep_pairs(s, pack, &some);
}

// ---- blocks

// Returns the lanes of a block that are near a point, with the gaps of their discs. The nearest centre
// may shorten the reach.
static uint64_t scan_block(const abut__searcher* s, abut__pack_point* own,
                           const abut__near_block* near, float error,
                           float gap_sq[ABUT__BLOCK_TRIANGLES]) {
    float reach = above(own->reach * SLACK);
    uint32_t nearest = ABUT__BLOCK_TRIANGLES;
    const uint64_t lanes = s->run->kernels->disc_nearest(&near->discs, own->point, error, &reach,
                                                         &nearest, gap_sq);
    if (nearest < ABUT__BLOCK_TRIANGLES && (double)reach < own->reach) {
        own->reach = (double)reach;
        own->last.block = near->block;
        own->last.lane = nearest;
        own->loose = true;
    }
    return lanes & asked_of(s)->view.tree->blocks[near->block]->valid;
}

// Takes the lanes of a block that are near a point. False: floats do not bound the block, or
// there is no memory.
static bool take_block(abut__searcher* s, abut__point_pack* pack, uint32_t of,
                       const abut__near_block* near) {
    abut__point_group* group = s->group;
    abut__pack_point* own = &pack->points[of];
    ++s->counters.boxes_tested;
    if (!(near->radius < INFINITY)) {
        return false;
    }
    const float error = above(own->disc_error + near->lane_error);
    const double reach = own->reach;
    own->lane_error = ABUT__GREATER(own->lane_error, error);
    float gap_sq[ABUT__BLOCK_TRIANGLES];
    uint64_t lanes = scan_block(s, own, near, error, gap_sq);
    if (own->reach < reach) {
        set_limits(pack, of);
    }
    if (group->lane_count + ABUT__BLOCK_TRIANGLES > ABUT__NEAR_LANES && !keep_lanes(s, pack)) {
        return false;
    }
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t k = (uint32_t)__builtin_ctzll(lanes);
        group->lanes[group->lane_count++] = (abut__near_lane){gap_sq[k], near->block, (uint8_t)k,
                                                              (uint8_t)of};
    }
    return true;
}

// Sets the box and the disc around a block's points. Without bounds in float the disc has no end.
static void know_entry(abut__searcher* s, abut__near_entry* entry) {
    const abut__near_block* near = abut__closest_block(s, entry->block);
    entry->known = true;
    entry->box = near->boxes->all;
    entry->disc = near->disc;
    if (!(near->radius < INFINITY)) {
        entry->disc = (abut__disc){.radius = INFINITY};
    }
}

// Looks at the listed blocks that are near points of a pack.
static bool take_listed(abut__searcher* s, abut__point_pack* pack) {
    abut__point_group* group = s->group;
    const uint32_t bit = 1u << (uint32_t)(pack - group->packs);
    for (uint32_t i = 0; i < group->entry_count; ++i) {
        abut__near_entry* entry = &group->entries[i];
        if ((entry->packs & bit) == 0) {
            continue;
        }
        s->counters.boxes_tested += pack->count;
        uint32_t mask = s->run->kernels->points_near(&pack->near, &entry->box);
        if (mask == 0) {
            continue;
        }
        if (!entry->known) {
            know_entry(s, entry);
            mask &= s->run->kernels->points_near(&pack->near, &entry->box);
        }
        if (mask != 0) {
            mask &= s->run->kernels->points_near_disc(&pack->near, &entry->disc);
        }
        for (; mask != 0; mask &= mask - 1) {
            const uint32_t k = (uint32_t)__builtin_ctz(mask);
            if (pack->points[k].first != entry->block &&
                !take_block(s, pack, k, abut__closest_block(s, entry->block))) {
                return false;
            }
        }
    }
    return true;
}

// ---- the first block

// Whether floats serve, and there is a triangle to begin with.
static bool set_point(abut__searcher* s, abut__pack_point* own) {
    const abut__asked* asked = asked_of(s);
    memcpy(s->at, own->at, sizeof s->at);
    abut__closest_turn_to(s, 0);
    double most = 0;
    for (int d = 0; d < 3; ++d) {
        most = fmax(most, fabs(s->offset[d]));
        own->point[d] = s->point[d];
    }
    own->pad = s->pad;
    // what the pad has for rounding to double, which is far less than 2^-23 of all where floats serve
    const double doubles = s->pad - 0x1p-20 * (asked->size + most);
    own->error = 1.75 * (0x1p-23 * (asked->size + most) + fmax(doubles, 0) + 0x1p-50 * s->pad);
    // gaps of discs with a radius, and distances of their centres, without what the radius and the
    // distance themselves are off by, which is at most 2^-20 of both
    own->disc_error = own->error + 1.75 * 0x1p-23 * asked->size;
    own->reach = s->run->def->max_distance;
    own->first = own->last.block;
    own->loose = false;
    own->lane_error = 0;
    own->best = NULL;
    return !s->careful && own->last.body == asked->view.body->index &&
           own->last.block < asked->view.tree->block_count;
}

// Finds the nearest triangle of the block that each point begins with, and the lanes of the block that
// are not farther.
static bool take_first(abut__searcher* s, abut__point_pack* pack) {
    float gap_sq[ABUT__PACK_POINTS][ABUT__BLOCK_TRIANGLES];
    float error[ABUT__PACK_POINTS];
    const uint32_t count = pack->count;
    for (uint32_t k = 0; k < count; ++k) {
        abut__pack_point* own = &pack->points[k];
        const abut__near_block* near = abut__closest_block(s, own->first);
        ++s->counters.boxes_tested;
        if (!(near->radius < INFINITY)) {
            return false;
        }
        error[k] = above(own->disc_error + near->lane_error);
        own->first_lanes = scan_block(s, own, near, error[k], gap_sq[k]);
    }
    bound_last(s, pack);
    for (uint32_t k = 0; k < count; ++k) {
        abut__pack_point* own = &pack->points[k];
        const float limit = gap_limit(own, error[k]);
        for (uint64_t left = own->first_lanes; left != 0; left &= left - 1) {
            if (gap_sq[k][__builtin_ctzll(left)] > limit) {
                own->first_lanes ^= left & -left;
            }
        }
        set_limits(pack, k);
    }
    return true;
}

static bool begin_pack(abut__searcher* s, abut__point_pack* pack) {
    for (uint32_t k = 0; k < ABUT__PACK_POINTS; ++k) {
        abut__pack_point* own = &pack->points[k];
        if (k < pack->count && !set_point(s, own)) {
            return false;
        }
        for (int d = 0; d < 3; ++d) {
            pack->near.at[d][k] = k < pack->count ? own->point[d] : pack->near.at[d][0];
        }
        pack->near.limit_sq[k] = pack->near.disc_limit_sq[k] = -1;
    }
    return take_first(s, pack);
}

void abut__closest_begin(abut__searcher* s) {
    for (uint32_t p = 0; p < s->group->count; ++p) {
        abut__point_pack* pack = &s->group->packs[p];
        pack->together = begin_pack(s, pack);
    }
}

// ---- the list of blocks

// Sets the box around points first .. end - 1 of a pack as a lane, and widens that around all.
static void set_pack(abut__point_group* group, uint32_t p, uint32_t first, uint32_t end,
                     abut__box3* around, float* limit) {
    const abut__near_points* near = &group->packs[p].near;
    abut__near_packs* packs = &group->near;
    float most = -1;
    for (uint32_t k = first; k < end; ++k) {
        most = ABUT__GREATER(most, near->limit_sq[k]);
    }
    for (int d = 0; d < 3; ++d) {
        float lo = INFINITY;
        float hi = -INFINITY;
        for (uint32_t k = first; k < end; ++k) {
            lo = ABUT__LESSER(lo, near->at[d][k]);
            hi = ABUT__GREATER(hi, near->at[d][k]);
        }
        packs->lo[d][p] = lo;
        packs->hi[d][p] = hi;
        around->lo[d] = ABUT__LESSER(around->lo[d], lo);
        around->hi[d] = ABUT__GREATER(around->hi[d], hi);
    }
    packs->limit_sq[p] = most;
    *limit = ABUT__GREATER(*limit, most);
}

// Returns the packs with a point that a box may be near: one of them, or all.
static uint32_t packs_of(const abut__searcher* s, const abut__box3* box, bool all) {
    const abut__point_group* group = s->group;
    uint32_t packs = 0;
    for (uint32_t left = s->run->kernels->packs_near(&group->near, box);
         left != 0 && (all || packs == 0); left &= left - 1) {
        const abut__near_points* near = &group->packs[__builtin_ctz(left)].near;
        packs |= s->run->kernels->points_near(near, box) != 0 ? left & -left : 0;
    }
    return packs;
}

// Lists the blocks that may be near the packs whose lanes are set. False: there are too many.
static bool list_blocks(abut__searcher* s, const abut__box3* around, float limit) {
    abut__point_group* group = s->group;
    const abut__asked* asked = asked_of(s);
    abut__ref* stack = s->refs.data;
    size_t count = 1;
    stack[0] = 0;
    group->entry_count = 0;
    while (count > 0) {
        const abut__ref at = stack[--count];
        const abut__node* node = &asked->view.tree->nodes[at];
        abut__boxes8 room;
        float gaps[ABUT__FAN];
        const abut__boxes8* boxes = abut__view_bound(&asked->view, at, &room);
        s->run->kernels->distance_box(around, boxes, gaps);
        s->counters.boxes_computed += node->count;
        s->counters.boxes_tested += node->count;
        for (uint32_t k = 0; k < node->count; ++k) {
            if (!(gaps[k] <= limit)) {
                continue;
            }
            const abut__box3 box = abut__boxes_get(boxes, k);
            const bool is_block = abut__is_block(node->child[k]);
            const uint32_t packs = packs_of(s, &box, is_block);
            if (packs == 0) {
                continue;
            }
            if (!is_block) {
                stack[count++] = node->child[k];
                continue;
            }
            if (group->entry_count == ABUT__NEAR_ENTRIES) {
                return false;
            }
            abut__near_entry* entry = &group->entries[group->entry_count++];
            entry->block = abut__block_of(node->child[k]);
            entry->packs = packs;
            entry->known = false;
            entry->box = box;
        }
    }
    return true;
}

static const abut__box3 no_box = {{INFINITY, INFINITY, INFINITY},
                                  {-INFINITY, -INFINITY, -INFINITY}};

static bool list_packs(abut__searcher* s, uint32_t first, uint32_t end) {
    abut__point_group* group = s->group;
    abut__box3 around = no_box;
    float limit = -1;
    for (uint32_t p = 0; p < 16; ++p) {
        group->near.limit_sq[p] = -1;
    }
    for (uint32_t p = first; p < end; ++p) {
        if (group->packs[p].together) {
            set_pack(group, p, 0, group->packs[p].count, &around, &limit);
        }
    }
    return list_blocks(s, &around, limit);
}

uint32_t abut__closest_list(abut__searcher* s, uint32_t first) {
    uint32_t end = s->group->count;
    while (end - first > 1 && !list_packs(s, first, end)) {
        end = first + (end - first) / 2;
    }
    s->group->listed = end - first > 1;
    return end;
}

// ---- a pack

// Searches some points of a pack alone. Those that are far apart have too long a list: then halves of
// them have one each.
static bool search_some(abut__searcher* s, abut__point_pack* pack, uint32_t first, uint32_t end) {
    abut__point_group* group = s->group;
    abut__box3 around = no_box;
    float limit = -1;
    for (uint32_t k = 0; k < pack->count; ++k) {
        if (k >= first && k < end) {
            set_limits(pack, k);
        } else {
            pack->near.limit_sq[k] = -1;
        }
    }
    for (uint32_t p = 0; p < 16; ++p) {
        group->near.limit_sq[p] = -1;
    }
    set_pack(group, (uint32_t)(pack - group->packs), first, end, &around, &limit);
    if (!list_blocks(s, &around, limit)) {
        const uint32_t middle = first + (end - first) / 2;
        return end - first >= 2 * FEWEST && search_some(s, pack, first, middle) &&
               search_some(s, pack, middle, end);
    }
    return take_listed(s, pack);
}

void abut__closest_pack(abut__searcher* s, abut__point_pack* pack) {
    abut__point_group* group = s->group;
    s->triangles.count = group->lane_count = 0;
    if (!pack->together) {
        return;
    }
    for (uint32_t k = 0; k < pack->count; ++k) {
        const abut__pack_point* own = &pack->points[k];
        for (uint64_t left = own->first_lanes; left != 0; left &= left - 1) {
            group->lanes[group->lane_count++] = (abut__near_lane){
                0, own->first, (uint8_t)__builtin_ctzll(left), (uint8_t)k};
        }
    }
    pack->together = (group->listed ? take_listed(s, pack)
                                    : search_some(s, pack, 0, pack->count)) &&
                     keep_lanes(s, pack);
}
