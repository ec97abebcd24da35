// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A few rays at a body with boxes and positions in memory. They walk the tree level by level: all visits
// of nodes of one level come one after the other, so that none waits for a branch or for memory. The
// blocks that a ray may meet are then decided from the nearest on, until one is beyond the first hit.
// So nodes behind the first hit are opened, too, which costs less than to put them in order. Answers are
// those of single rays.
#include "query/cast.h"

#define BLOCKS_AHEAD 5u  // looks between the prefetch of a block and its use

// Lists the visits of the root. False: some ray has no numbers for it.
static bool begin(abut__caster* caster, uint32_t count, abut__ray_visits* visits) {
    visits->count = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const abut__cast_shot* shot = &caster->shots[k];
        if (!shot->meets) {
            continue;
        }
        if (shot->aim.all) {
            return false;
        }
        caster->wave[k].lanes = shot->aim.lanes;
        caster->wave[k].limit = shot->aim.limit;
        visits->ray[visits->count] = k;
        visits->ref[visits->count++] = 0;
    }
    return true;
}

// Walks down to the blocks, which become the last of the caster's lists.
static bool descend(abut__caster* caster, uint32_t count) {
    const abut__view* view = &caster->target.view;
    abut__ray_visits* nodes = &caster->visits[0];
    abut__ray_visits* below = &caster->visits[1];
    abut__ray_visits* blocks = &caster->visits[2];
    uint64_t tested = 0;
    if (!begin(caster, count, nodes)) {
        return false;
    }
    blocks->count = 0;
    while (nodes->count > 0) {
        below->count = 0;
        if (!caster->kernels->ray_wave(view->stored, view->tree->nodes, caster->wave, nodes, below,
                                       blocks, &tested)) {
            return false;
        }
        abut__ray_visits* last = nodes;
        nodes = below;
        below = last;
    }
    caster->reader->counters.boxes_computed += tested;
    caster->reader->counters.boxes_tested += tested;
    return true;
}

// Sorts the visits of blocks by ray, and those of a ray by where it enters; those of ray k are from first[k]
// to end[k] - 1.
static void sort(abut__caster* caster, uint32_t first[ABUT__PACK], uint32_t end[ABUT__PACK]) {
    const abut__ray_visits* blocks = &caster->visits[2];
    memset(first, 0, ABUT__PACK * sizeof *first);
    for (uint32_t i = 0; i < blocks->count; ++i) {
        ++first[blocks->ray[i]];
    }
    for (uint32_t k = 0, sum = 0; k < ABUT__PACK; ++k) {
        const uint32_t some = first[k];
        end[k] = first[k] = sum;
        sum += some;
    }
    for (uint32_t i = 0; i < blocks->count; ++i) {
        const uint32_t k = blocks->ray[i];
        uint32_t place = end[k]++;
        for (; place > first[k] && caster->visit[place - 1].near > blocks->near[i]; --place) {
            caster->visit[place] = caster->visit[place - 1];
        }
        caster->visit[place] = (abut__cast_entry){blocks->near[i], blocks->ref[i]};
    }
}

// Prefetches what a glance at a block reads.
static void expect_block(const abut__caster* caster, uint32_t visit) {
    const uint32_t block = abut__block_of(caster->visit[visit].ref);
    const abut__block* fixed = caster->target.view.tree->blocks[block];
    for (size_t at = 0; at < offsetof(abut__block, triangle); at += 64) {
        __builtin_prefetch((const char*)fixed + at);
    }
}

// Where rays are in their visits.
typedef struct turns {
    uint32_t at[ABUT__PACK];
    uint32_t end[ABUT__PACK];
    uint64_t lanes[ABUT__PACK];
    uint32_t count;
    uint8_t ray[ABUT__PACK];  // those with a visit left that is not beyond the limit
} turns;

// Leaves out rays that are done.
static void close_rays(const abut__caster* caster, turns* t) {
    const uint32_t count = t->count;
    t->count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint8_t k = t->ray[i];
        const bool open = t->at[k] < t->end[k] &&
                          caster->visit[t->at[k]].near <= caster->shots[k].aim.limit;
        t->ray[t->count] = k;
        t->count += open;
    }
}

// Lets each ray look at its next block.
static void look(abut__caster* caster, turns* t) {
    for (uint32_t i = 0; i < t->count && i < BLOCKS_AHEAD; ++i) {
        expect_block(caster, t->at[t->ray[i]]);
    }
    for (uint32_t i = 0; i < t->count; ++i) {
        const uint32_t k = t->ray[i];
        if (i + BLOCKS_AHEAD < t->count) {
            expect_block(caster, t->at[t->ray[i + BLOCKS_AHEAD]]);
        }
        caster->shot = &caster->shots[k];
        t->lanes[k] = abut__cast_glance(caster, abut__block_of(caster->visit[t->at[k]].ref));
    }
}

static void decide(abut__caster* caster, turns* t) {
    for (uint32_t i = 0; i < t->count; ++i) {
        const uint32_t k = t->ray[i];
        const uint32_t block = abut__block_of(caster->visit[t->at[k]++].ref);
        if (t->lanes[k] != 0) {
            caster->shot = &caster->shots[k];
            abut__cast_lanes(caster, block, t->lanes[k]);
        }
    }
}

// Round after round, each ray looks at its next block. No look waits for the decision of another one.
bool abut__cast_wave(abut__caster* caster, uint32_t count) {
    turns t = {.count = count};
    if (!caster->target.fleeting || !descend(caster, count)) {
        return false;
    }
    sort(caster, t.at, t.end);
    for (uint32_t k = 0; k < count; ++k) {
        t.ray[k] = (uint8_t)k;
    }
    for (close_rays(caster, &t); t.count > 0 && caster->reader->status == ABUT_OK;
         close_rays(caster, &t)) {
        look(caster, &t);
        decide(caster, &t);
    }
    return true;
}
