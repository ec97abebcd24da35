// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// From trees to triangles: nearest boxes first, eight at a time. Only nodes and blocks that the ray
// comes near are looked at, so bodies that compute their boxes and vertices compute no others.
#include <math.h>

#include "query/cast.h"

static bool is_suspect(const abut__view* view) {
    const bool far = !(view->far < 1e300);
    return view->state[1]->bad_vertex != ABUT__NONE || far || !isfinite(view->state[1]->extent);
}

// Whether all positions are in memory, so that looking at a few blocks costs little.
static bool has_points(abut__cast_target* target) {
    const abut__view* view = &target->view;
    const abut__lazy* lazy = view->shape->motion->lazy;
    target->points = target->source;
    target->radius = 0;  // rounding to float preserves order: see simd/kernels.h
    return target->direct || (lazy != NULL && lazy->points != NULL &&
                              lazy->points(view->state[1], &target->points, &target->radius));
}

void abut__cast_at(abut__caster* caster, abut__body* body, const abut_box* box,
                   const abut__needs* needs) {
    abut__cast_target* target = &caster->target;
    abut__view* view = &target->view;
    target->box = *box;
    target->needed = needs != NULL ? abut__needs_of(needs, body) : NULL;
    if (view->body == body) {
        return;
    }
    abut__view_now(body, view);
    if (!abut__frame_is_identity(view->frame)) {
        view->placing[0] = view->placing[1] = view->frame;
    }
    const abut__stored* stored = abut__state_stored(view->shape, view->state[1]);
    target->direct = stored != NULL;
    target->source = stored != NULL ? stored->positions : (abut__source){0};
    target->costly = view->state[1]->costly;
    target->suspect = is_suspect(view);
    target->turned = abut__body_turn(body, 1, &target->turn) != NULL;
    target->fleeting = view->stored != NULL && !target->suspect &&
                       caster->ray_count < 2 * (size_t)view->tree->block_count &&
                       has_points(target);
}

bool abut__cast_is_done(const abut__caster* caster) {
    return (caster->shot->found && caster->def->mode == ABUT_CAST_ANY) ||
           caster->reader->status != ABUT_OK;
}

// Returns the boxes of eight that the ray meets, and where it enters them.
static inline uint32_t meet(const abut__caster* caster, const abut__cast_aim* aim,
                            const abut__boxes8* boxes, uint32_t count, float near[ABUT__FAN]) {
    if (aim->all) {
        memset(near, 0, ABUT__FAN * sizeof *near);
        return (1u << count) - 1;
    }
    return caster->kernels->ray_boxes(boxes, &aim->lanes, aim->limit, near) & ((1u << count) - 1);
}

// Puts all but the nearest of some children on the stack, the next nearest last, and returns the
// nearest. They are sorted by insertion, since there are few.
static inline uint32_t push(abut__cast_entry* stack, uint32_t* count, uint32_t mask,
                            const float near[ABUT__FAN], const uint32_t* refs) {
    const uint32_t first = *count;
    uint32_t end = first;
    uint32_t k = (uint32_t)__builtin_ctz(mask);
    abut__cast_entry nearest = {near[k], refs[k]};
    for (mask &= mask - 1; mask != 0; mask &= mask - 1) {
        k = (uint32_t)__builtin_ctz(mask);
        abut__cast_entry entry = {near[k], refs[k]};
        if (entry.near < nearest.near) {
            const abut__cast_entry last = nearest;
            nearest = entry;
            entry = last;
        }
        uint32_t place = end++;
        while (place > first && stack[place - 1].near < entry.near) {
            stack[place] = stack[place - 1];
            --place;
        }
        stack[place] = entry;
    }
    *count = end;
    return nearest.ref;
}

const abut__block_boxes* abut__cast_boxes(abut__caster* caster, uint32_t block) {
    const abut__view* view = &caster->target.view;
    abut__need(caster->target.needed, view->tree, block, &caster->reader->counters);
    return view->kind->block_boxes(view, block, 0, caster->reader);
}

// corners are wanted soon after the boxes, from memory that is not in a cache
static void expect_block(const abut__caster* caster, uint32_t block) {
    const abut__block* fixed = caster->target.view.tree->blocks[block];
    for (size_t at = 0; at < sizeof *fixed; at += 64) {
        __builtin_prefetch((const char*)fixed + at);
    }
}

static void visit_block(abut__caster* caster, uint32_t block) {
    const abut__cast_aim* aim = &caster->shot->aim;
    const abut__block* fixed = caster->target.view.tree->blocks[block];
    uint64_t lanes;
    if (caster->target.fleeting && !aim->all) {
        lanes = abut__cast_glance(caster, block);
    } else {
        const abut__block_boxes* boxes = abut__cast_boxes(caster, block);
        lanes = aim->all ? fixed->valid
                         : caster->kernels->ray_block(boxes, &aim->lanes, aim->limit);
        lanes = lanes != 0 && caster->target.costly ? abut__cast_sift(caster, block, lanes) : lanes;
    }
    if (lanes != 0) {
        abut__cast_lanes(caster, block, lanes);
    }
}

// Takes the next entry that is not beyond the limit from the stack. False: there is none, or the
// search is over.
static inline bool next(const abut__caster* caster, const abut__cast_entry* stack, uint32_t* count,
                        abut__ref* at) {
    while (*count > 0) {
        const abut__cast_entry entry = stack[--*count];
        if (entry.near <= caster->shot->aim.limit) {
            *at = entry.ref;
            return !abut__cast_is_done(caster);
        }
    }
    return false;
}

void abut__cast_walk(abut__caster* caster) {
    const abut__view* view = &caster->target.view;
    abut_counters* counters = &caster->reader->counters;
    if (!caster->shot->meets) {
        return;
    }
    if (caster->shot->found && caster->def->mode == ABUT_CAST_FIRST) {
        abut__aim_shorten(&caster->shot->ray, &caster->shot->best.at, &caster->shot->aim);
    }
    abut__cast_entry* stack = caster->stack.data;
    uint32_t count = 0;
    uint32_t visits = 0;
    abut__ref at = 0;  // the next node or block
    bool more = true;
    while (more) {
        if (abut__is_block(at)) {
            expect_block(caster, abut__block_of(at));
            visit_block(caster, abut__block_of(at));
        } else {
            float near[ABUT__FAN];
            abut__boxes8 room;
            const abut__node* node = &view->tree->nodes[at];
            const abut__boxes8* boxes = abut__view_bound(view, at, &room);
            const uint32_t mask = meet(caster, &caster->shot->aim, boxes, node->count, near);
            visits += node->count;
            if (mask != 0) {
                at = push(stack, &count, mask, near, node->child);
                continue;
            }
        }
        more = next(caster, stack, &count, &at);
    }
    counters->boxes_computed += visits;
    counters->boxes_tested += visits;
}

// ---- scenes

static bool may_meet(const abut_cast_def* def, const abut__body* body) {
    return (def->groups & body->mask) != 0 && (body->group & def->mask) != 0;
}

// A cheap box is replaced by a tight one before the walk, which needs tables of the body.
static void visit_body(abut__caster* caster, const abut__top_body* entry,
                       const abut__needs* needs) {
    abut__cast_aim aim;
    if (!may_meet(caster->def, entry->body)) {
        return;
    }
    const abut_box box = entry->rough ? abut__body_world_box(entry->body, 1) : entry->box;
    if (entry->rough && !abut__ray_aim(&caster->shot->ray, &box, box.lo, 0, 0, &aim)) {
        return;
    }
    abut__cast_at(caster, entry->body, &box, needs);
    abut__cast_take_aim(caster, caster->shot);
    abut__cast_walk(caster);
}

// Levels of nodes count from the lowest, whose children are bodies.
typedef struct place {
    uint32_t level;
    uint32_t node;
} place;

// the level and the number within it of an entry: nodes are numbered level by level
static place place_of(const abut__top* top, uint32_t node) {
    uint32_t level = 0;
    while (node >= top->first[level + 1]) {
        ++level;
    }
    return (place){level, node - top->first[level]};
}

void abut__cast_scene(abut__caster* caster, const abut__top* top, const abut__needs* needs) {
    abut__cast_aim aim;
    double extent = 0;
    for (int k = 0; k < 3 && top->count > 0; ++k) {
        const double half = top->all.hi[k] - top->centre[k];
        extent = half > extent ? half : extent;
    }
    if (top->count == 0 ||
        !abut__ray_aim(&caster->shot->ray, &top->all, top->centre, extent, 0, &aim)) {
        return;
    }
    abut__cast_entry* stack = caster->top_stack.data;
    uint32_t count = 1;
    stack[0] = (abut__cast_entry){0, top->first[top->levels] - 1};
    while (count > 0 && !abut__cast_is_done(caster)) {
        const abut__cast_entry entry = stack[--count];
        if (entry.near > aim.limit) {
            continue;
        }
        if (abut__is_block(entry.ref)) {  // a body
            visit_body(caster, &top->bodies.data[abut__block_of(entry.ref)], needs);
            if (caster->shot->found && caster->def->mode == ABUT_CAST_FIRST) {
                abut__aim_shorten(&caster->shot->ray, &caster->shot->best.at, &aim);
            }
            continue;
        }
        const place at = place_of(top, entry.ref);
        const uint32_t below = at.level == 0 ? top->count
                                             : top->first[at.level] - top->first[at.level - 1];
        const uint32_t first = at.node * ABUT__FAN;
        const uint32_t children = below - first < ABUT__FAN ? below - first : ABUT__FAN;
        uint32_t refs[ABUT__FAN];
        float near[ABUT__FAN];
        for (uint32_t k = 0; k < children; ++k) {
            refs[k] = at.level == 0 ? (uint32_t)top->order.data[first + k].value | ABUT__REF_BLOCK
                                    : top->first[at.level - 1] + first + k;
        }
        caster->reader->counters.boxes_tested += children;
        const uint32_t mask = meet(caster, &aim, &top->nodes.data[entry.ref], children, near);
        if (mask != 0) {
            const uint32_t nearest = push(stack, &count, mask, near, refs);
            stack[count++] = (abut__cast_entry){0, nearest};
        }
    }
}
