// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs of rays that go nearly the same way, such as those of neighbouring pixels: they walk the tree
// together. A node is opened if bounds of all rays meet it, and a child is kept with those rays that
// meet it. Blocks are decided ray by ray, as for single rays, so answers are the same.
#include <math.h>

#include "query/cast.h"

#define FEWEST 4u  // rays for which a pack pays
// How far apart rays may be, where they enter and where they leave the body, as a part of its size.
#define SPREAD_MOST 0.25f

// ---- forming a pack

// Sets the lanes of a ray. Rays that miss the body have a limit below 0.
static void put_ray(abut__ray_pack* pack, uint32_t k, const abut__cast_aim* aim, bool meets) {
    for (int d = 0; d < 3; ++d) {
        // NOLINTNEXTLINE(clang-analyzer-*): some ray of a pack meets the body
        pack->near_o[d][k] = aim->lanes.near_o[d];
        pack->far_o[d][k] = aim->lanes.far_o[d];
        pack->inverse[d][k] = aim->lanes.inverse[d];
    }
    pack->limit[k] = meets ? aim->limit : -1;
}

// The least and the greatest of a row, in four chains, so that none waits for another.
static void range_of(const float* x, float range[2]) {
    float least[4] = {x[0], x[1], x[2], x[3]};
    float most[4] = {x[0], x[1], x[2], x[3]};
    for (int k = 4; k < ABUT__PACK; k += 4) {
        for (int i = 0; i < 4; ++i) {
            least[i] = x[k + i] < least[i] ? x[k + i] : least[i];
            most[i] = x[k + i] > most[i] ? x[k + i] : most[i];
        }
    }
    range[0] = least[0];
    range[1] = most[0];
    for (int i = 1; i < 4; ++i) {
        range[0] = least[i] < range[0] ? least[i] : range[0];
        range[1] = most[i] > range[1] ? most[i] : range[1];
    }
}

static float limit_of(const abut__ray_pack* pack) {
    float range[2];
    range_of(pack->limit, range);
    return range[1];
}

// Sets the bounds of all rays. False: they are too far apart.
static bool set_bounds(abut__ray_pack* pack, double size) {
    double spread = 0;
    const double length = (double)limit_of(pack);
    for (int d = 0; d < 3; ++d) {
        const bool back = pack->near_side[d] >= 3;
        float near[2];
        float far[2];
        float inverse[2];
        range_of(pack->near_o[d], near);
        range_of(pack->far_o[d], far);
        range_of(pack->inverse[d], inverse);
        pack->least[d] = inverse[0];
        pack->most[d] = inverse[1];
        pack->first_o[d] = back ? near[0] : near[1];
        pack->last_o[d] = back ? far[1] : far[0];
        spread = fmax(spread, (double)near[1] - (double)near[0]);
        spread = fmax(spread, length * fabs(1 / (double)inverse[0] - 1 / (double)inverse[1]));
    }
    return spread <= (double)SPREAD_MOST * size;
}

// whether a ray enters and leaves boxes by the same sides as another one
static bool goes_alike(const abut__ray_lanes* a, const abut__ray_lanes* b) {
    return a->near_side[0] == b->near_side[0] && a->near_side[1] == b->near_side[1] &&
           a->near_side[2] == b->near_side[2];
}

// Returns those of the shots that meet the target's box, a bit each. *packed: they are a pack.
static uint32_t form(abut__caster* caster, uint32_t count, bool* packed) {
    abut__ray_pack* pack = &caster->pack;
    const abut__cast_aim* any = NULL;
    uint32_t rays = 0;
    *packed = false;
    for (uint32_t k = 0; k < count; ++k) {
        const abut__cast_shot* shot = &caster->shots[k];
        if (!shot->meets) {
            continue;
        }
        any = any == NULL ? &shot->aim : any;
        if (shot->aim.all || !goes_alike(&any->lanes, &shot->aim.lanes)) {
            return 0;
        }
        rays |= 1u << k;
    }
    if (__builtin_popcount(rays) < (int)FEWEST) {
        return 0;
    }
    for (uint32_t k = 0; k < ABUT__PACK; ++k) {
        const bool meets = (rays >> k & 1) != 0;
        put_ray(pack, k, meets ? &caster->shots[k].aim : any, meets);
    }
    memcpy(pack->near_side, any->lanes.near_side, sizeof pack->near_side);
    memcpy(pack->far_side, any->lanes.far_side, sizeof pack->far_side);
    *packed = set_bounds(pack, 2 * caster->target.view.extent);
    return rays;
}

// ---- the walk

// Puts the children that rays meet on the stack, the nearest last.
static void open_node(abut__caster* caster, uint32_t at, uint32_t rays, float limit,
                      uint32_t* count) {
    const abut__view* view = &caster->target.view;
    const abut__node* node = &view->tree->nodes[at];
    abut__pack_entry* stack = caster->pack_stack.data;
    const uint32_t bottom = *count;
    float near[ABUT__FAN];
    abut__boxes8 room;
    const abut__boxes8* boxes = abut__view_bound(view, at, &room);
    uint32_t mask = caster->kernels->pack_boxes(boxes, &caster->pack, limit, near);
    caster->reader->counters.boxes_computed += node->count;
    caster->reader->counters.boxes_tested += node->count;
    for (mask &= (1u << node->count) - 1; mask != 0; mask &= mask - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(mask);
        const abut__box3 box = abut__boxes_get(boxes, k);
        const uint32_t met = caster->kernels->pack_box(&caster->pack, &box) & rays;
        if (met == 0) {
            continue;
        }
        uint32_t place = (*count)++;
        for (; place > bottom && stack[place - 1].near < near[k]; --place) {
            stack[place] = stack[place - 1];
        }
        stack[place] = (abut__pack_entry){near[k], node->child[k], met};
    }
}

// Decides a block for rays that meet its box.
static void visit_block(abut__caster* caster, uint32_t block, uint32_t rays) {
    const abut__block_boxes* boxes = abut__cast_boxes(caster, block);
    const abut__cast_corners* corners = __builtin_popcount(rays) >= (int)FEWEST
                                            ? abut__cast_corners_of(caster, block)
                                            : NULL;
    for (uint32_t left = rays; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        abut__cast_shot* shot = caster->shot = &caster->shots[k];
        uint64_t lanes = caster->kernels->ray_block(boxes, &shot->aim.lanes, shot->aim.limit);
        if (corners != NULL && lanes != 0) {
            lanes = abut__cast_sift_by(caster, corners, lanes);
        }
        if (lanes != 0) {
            abut__cast_lanes(caster, block, lanes);
            caster->pack.limit[k] = shot->aim.limit;
        }
    }
}

static void walk(abut__caster* caster, uint32_t rays) {
    const abut__pack_entry* stack = caster->pack_stack.data;
    uint32_t count = 0;
    float limit = limit_of(&caster->pack);
    open_node(caster, 0, rays, limit, &count);
    while (count > 0 && caster->reader->status == ABUT_OK) {
        const abut__pack_entry entry = stack[--count];
        if (entry.near > limit) {
            continue;
        }
        if (abut__is_block(entry.ref)) {
            visit_block(caster, abut__block_of(entry.ref), entry.rays);
            limit = limit_of(&caster->pack);
        } else {
            open_node(caster, entry.ref, entry.rays, limit, &count);
        }
    }
}

bool abut__cast_pack(abut__caster* caster, uint32_t count) {
    bool packed = false;
    const uint32_t rays = form(caster, count, &packed);
    if (packed) {
        walk(caster, rays);
    }
    return packed;
}
