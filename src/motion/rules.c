// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rules that bound flight bodies: see rules.h.
#include "motion/rules.h"

#include "motion/plans.h"

#define SPAN_KEY 0x40000000u  // above the numbers of keyframes

// ---- choice of the rule

// identifies segments: ends of spans have other numbers than keyframes
static uint32_t end_key(const abut__flight_state* own, int e) {
    const uint32_t keys[2] = {own->keys.from, own->keys.to};
    return own->plans != NULL ? SPAN_KEY | (own->plans->end[e].serial & ~SPAN_KEY) : keys[e];
}

// at a keyframe the segment is still the previous one
static bool is_new_segment(abut__flight_state* own) {
    const uint32_t keys[2] = {end_key(own, 0), end_key(own, 1)};
    if (!own->between || (own->segment[0] == keys[0] && own->segment[1] == keys[1])) {
        return false;
    }
    own->segment[0] = keys[0];
    own->segment[1] = keys[1];
    return true;
}

// `whole`: all vertices are computed at once, by the rule, or because most blocks are opened
// anyway.
typedef struct verdict {
    abut__rule rule;
    bool whole;
} verdict;

static verdict choose(const abut_shape* shape, abut__flight_state* own, const abut__state* last,
                      abut__usage* usage) {
    const uint32_t opened = abut__usage_take(&usage->opened);
    const uint32_t false_opens = abut__usage_take(&usage->false_opens);
    const abut__whole* had = last != NULL ? abut__flight_state_of(last)->whole : own->whole;
    const bool most = (own->between || own->plans != NULL) && abut__whole_pays(shape, had, opened);
    switch (abut__flight_of(shape)->bound) {
        case ABUT_FLIGHT_BOUND_KINETIC: return (verdict){ABUT__RULE_KINETIC, false};
        case ABUT_FLIGHT_BOUND_BOXTREE: return (verdict){ABUT__RULE_BOXTREE, false};
        case ABUT_FLIGHT_BOUND_LINEAR: return (verdict){ABUT__RULE_LINEAR, most};
        default: break;
    }
    abut__choice_count(&own->choice, opened, false_opens);
    if (is_new_segment(own)) {
        (void)abut__choice_next(&own->choice, shape->tree.block_count);
    }
    const abut__rule rule = own->choice.rule;
    return (verdict){rule, most || rule == ABUT__RULE_REFIT};
}

// ---- trees that follow time

// takes the trees from the last state, which keeps linear boxes
static void take_over(abut__flight_state* own, const abut__state* last) {
    if (last == NULL) {
        return;
    }
    if (own->kinetic == NULL) {
        own->kinetic = abut__flight_state_of(last)->kinetic;
        abut__flight_state_of(last)->kinetic = NULL;
        abut__flight_state_of(last)->tight = false;
    }
    if (own->boxtree == NULL) {
        own->boxtree = abut__flight_state_of(last)->boxtree;
        abut__flight_state_of(last)->boxtree = NULL;
        abut__flight_state_of(last)->parted = false;
    }
}

// Positions at ends of spans change, so a tree that does not follow them is reset.
static void reset_stale(abut__flight_state* own) {
    if (own->kinetic != NULL && !own->tight &&
        (own->plans != NULL || own->kinetic->points.key[0] >= SPAN_KEY)) {
        abut__kinetic_forget(own->kinetic);
    }
    if (own->boxtree != NULL && !own->parted &&
        (own->plans != NULL || own->boxtree->key[0] >= SPAN_KEY)) {
        abut__boxtree_forget(own->boxtree);
    }
}

static void go_kinetic(const abut_shape* shape, abut__flight_state* own,
                       const abut__kinetic_segment* segment) {
    if (own->kinetic->edited) {
        abut__kinetic_update_edited(own->kinetic, &shape->tree, segment, shape->descent);
    }
    if (own->plans != NULL && own->plans->repaired) {
        abut__kinetic_update(own->kinetic, &shape->tree, segment, own->plans->block_marks);
    }
    abut__kinetic_go(own->kinetic, &shape->tree, segment, own->part);
    own->tight_pad = ABUT__KINETIC_PAD * own->kinetic->extent + own->age_pad + 0x1p-140f;
}

static void go_boxtree(const abut_shape* shape, abut__flight_state* own,
                       const abut__kinetic_segment* segment) {
    if (own->boxtree->edited) {
        abut__boxtree_update_edited(own->boxtree, segment, shape->descent);
    }
    if (own->plans != NULL && own->plans->repaired) {
        abut__boxtree_update(own->boxtree, segment, own->plans->block_marks);
    }
    abut__boxtree_seek(own->boxtree, segment, own->part);
    own->tight_pad = ABUT__KINETIC_PAD * own->boxtree->extent + own->age_pad + 0x1p-140f;
    abut__boxes8 boxes;
    shape->context->kernels->flight_boxes(&own->ends[0]->refit.boxes[0],
                                          &own->ends[1]->refit.boxes[0], own->part, 0, &boxes);
    own->root = abut__boxes_around(&boxes, shape->tree.nodes[0].count);
}

// whether an end of a segment in an edited shape is the same as before
static bool is_descended(const abut_shape* shape, const abut__flight_state* own, uint32_t key) {
    if (key >= SPAN_KEY) {
        return own->plans != NULL && own->plans->is_descended;
    }
    const abut__key_boxes* boxes = key < abut__flight_of(shape)->key_count
                                       ? abut__linear_find(&abut__flight_of(shape)->linear, key)
                                       : NULL;
    return boxes != NULL && boxes->is_descended;
}

void abut__rules_descend(const abut_shape* shape, abut__flight_state* own,
                         const abut__flight_state* from) {
    const abut__kinetic* kinetic = from->kinetic;
    const abut__boxtree* boxtree = from->boxtree;
    own->choice = from->choice;
    memcpy(own->segment, from->segment, sizeof own->segment);
    if (kinetic != NULL && is_descended(shape, own, kinetic->points.key[0]) &&
        is_descended(shape, own, kinetic->points.key[1])) {
        own->kinetic = abut__kinetic_descend(kinetic, &shape->tree, shape->descent);
    }
    if (boxtree != NULL && is_descended(shape, own, boxtree->key[0]) &&
        is_descended(shape, own, boxtree->key[1])) {
        own->boxtree = abut__boxtree_descend(boxtree, &shape->tree, shape->descent);
    }
}

static void begin_trees(const abut_shape* shape, abut__state* state, abut__rule rule) {
    abut__flight_state* own = abut__flight_state_of(state);
    const bool able = own->between && !own->unbounded && state->bad_vertex == ABUT__NONE;
    // kinetic trees read positions without an origin, and are not chosen where there is one
    if (own->plans == NULL && abut__flight_is_far(abut__flight_of(shape))) {
        rule = ABUT__RULE_LINEAR;
    }
    if (rule == ABUT__RULE_KINETIC && own->kinetic == NULL) {
        own->kinetic = abut__kinetic_make(shape->context, &shape->tree);
    }
    if (rule == ABUT__RULE_BOXTREE && own->boxtree == NULL) {
        own->boxtree = abut__boxtree_make(shape->context, &shape->tree);
    }
    own->tight = able && rule == ABUT__RULE_KINETIC && own->kinetic != NULL;
    own->parted = able && rule == ABUT__RULE_BOXTREE && own->boxtree != NULL;
    reset_stale(own);
    if (!own->tight && !own->parted) {
        return;
    }
    const abut__kinetic_segment segment = {
        .source = {own->source[0], own->source[1]},
        .boxes = {own->ends[0]->refit.boxes, own->ends[1]->refit.boxes},
        .places = {own->ends[0]->refit.places, own->ends[1]->refit.places},
        .key = {end_key(own, 0), end_key(own, 1)},
        .extent = state->extent,
        .stretches = abut__shape_stretches(shape),
    };
    (own->tight ? go_kinetic : go_boxtree)(shape, own, &segment);
    state->extent += own->tight_pad;
}

void abut__rules_begin(const abut_shape* shape, abut__state* state, const abut__state* last,
                       abut__usage* usage, abut__demand demand, abut__whole_mover* mover) {
    abut__flight_state* own = abut__flight_state_of(state);
    if (last != NULL) {
        memcpy(own->segment, abut__flight_state_of(last)->segment, sizeof own->segment);
        own->choice = abut__flight_state_of(last)->choice;
    }
    const verdict v = choose(shape, own, last, usage);
    take_over(own, last);
    begin_trees(shape, state, v.rule);
    if (own->whole != NULL) {
        own->whole->here = false;
    }
    if (v.whole && !own->unbounded && !own->tight && !own->parted) {
        abut__whole_make(shape, state, demand, mover, &own->whole);
    }
}

void abut__rules_bound(const abut_shape* shape, const abut__flight_state* own, uint32_t node,
                       abut__boxes8* out) {
    const abut__kernels* kernels = shape->context->kernels;
    if (own->parted) {
        abut__boxes8 boxes;
        abut__boxtree_bound(own->boxtree, node, own->root, &boxes);
        kernels->flight_boxes(&boxes, &boxes, 0, own->tight_pad, out);
        return;
    }
    const abut__boxes8* before = own->tight ? abut__kinetic_end(own->kinetic, 0)
                                            : own->ends[0]->refit.boxes;
    const abut__boxes8* after = own->tight ? abut__kinetic_end(own->kinetic, 1)
                                           : own->ends[1]->refit.boxes;
    kernels->flight_boxes(&before[node], &after[node], own->part,
                          own->tight ? own->tight_pad : own->pad, out);
}

void abut__rules_release(const abut_context* context, abut__flight_state* own) {
    abut__kinetic_free(own->kinetic);
    abut__boxtree_destroy(own->boxtree);
    abut__whole_release(context, own->whole);
}

static abut_flight_bound bound_in_use(const abut__flight_state* own) {
    if (abut__whole_is_here(own->whole)) {
        return ABUT_FLIGHT_BOUND_AUTO;
    }
    return own->tight    ? ABUT_FLIGHT_BOUND_KINETIC
           : own->parted ? ABUT_FLIGHT_BOUND_BOXTREE
                         : ABUT_FLIGHT_BOUND_LINEAR;
}

bool abut__rules_measure(const abut_shape* shape, const abut__flight_state* own,
                         abut__kinetic_stats* out) {
    const uint32_t vertices = shape->mesh->vertex_count;
    const abut__kinetic_counts* counts = NULL;
    abut__kinetic_measures measures = {0};
    *out = (abut__kinetic_stats){.bound = bound_in_use(own)};
    for (int e = 0; e < (own->between ? 2 : 1) && own->ends[e] != NULL; ++e) {
        out->bounded += own->ends[e]->looks;
    }
    if (own->tight && abut__kinetic_measure(own->kinetic, &shape->tree, vertices, &measures)) {
        counts = &own->kinetic->counts;
    } else if (own->parted && abut__boxtree_measure(own->boxtree, vertices, &measures)) {
        counts = &own->boxtree->counts;
    }
    if (counts == NULL) {
        return !own->tight && !own->parted;
    }
    out->nodes = shape->tree.node_count + shape->tree.block_count;
    out->starts = counts->starts;
    out->steps = counts->steps;
    out->events = counts->events;
    out->updates = counts->updates;
    out->visits = counts->visits;
    out->most_visits = counts->most_visits;
    out->blocks_updated = counts->blocks_updated;
    out->rebuilds = counts->rebuilds;
    out->queue_per_node = measures.queue_per_node;
    out->certificates_per_node = measures.certificates_per_node;
    out->most_per_vertex = measures.most_per_vertex;
    out->events_per_vertex = measures.events_per_vertex;
    out->updates_per_event = measures.updates_per_event;
    out->outer_per_inner = measures.outer_per_inner;
    return true;
}
