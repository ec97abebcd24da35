// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proofs by certificates: see certified.h.
#include "motion/certified.h"

#define SAMPLED_FROM 512u  // blocks; smaller shapes get certificates without a sample
#define SAMPLE_PART 8u     // of the queries until certificates are due are those until a sample
#define PART_LEAST 0.5     // of a sample that must hold

// In units of about a microsecond, a block: to make its certificate and those of its pairs, for each
// sixteen fields; and a self query without certificates, and what each sixteen fields add to it.
#define MAKING_COST 420u
#define QUERY_COST 3u
#define NODE_FIELDS 8u    // that nodes of a blend shape count as
#define SLICE_LEAST 256u  // units
#define SLICE_MOST 8192u

static const abut__certified* certified_of(const abut_shape* shape) {
    return abut__once_peek(&shape->certificates);
}

void* abut__certified_made(const abut_shape* shape) {
    const abut__certified* c = certified_of(shape);
    return c != NULL ? c->set->made : NULL;
}

static const abut__certificate_index* index_of(const abut__certified* c) {
    return c->set->made;
}

static uint32_t test(const abut__certified* c, const abut__state* state,
                     abut__certificate_range range) {
    return range.lanes != 0 ? c->set->how->test(c->set->made, state, range, false) : 0;
}

static uint32_t number_of(const abut__certified* c, abut__ref ref) {
    const uint32_t own = abut__is_block(ref) ? abut__block_of(ref) : ref;
    return !c->mapped ? own : abut__is_block(ref) ? c->blocks[own] : c->nodes[own];
}

static bool test_block(const abut__certified* c, const abut__state* state, uint32_t number) {
    return test(c, state, abut__certificate_of_ref(index_of(c), number | ABUT__REF_BLOCK)) != 0;
}

bool abut__certified_apart(const abut_shape* shape, const abut__state* state, abut__ref ref) {
    const abut__certified* c = certified_of(shape);
    const uint32_t number = c != NULL ? number_of(c, ref) : ABUT__NONE;
    if (number == ABUT__NONE) {
        return false;
    }
    return abut__is_block(ref) ? test_block(c, state, number)
                               : test(c, state, abut__certificate_of_ref(index_of(c), number)) != 0;
}

// Two blocks that were one before have its certificate.
bool abut__certified_blocks(const abut_shape* shape, const abut__state* state, uint32_t block_a,
                            uint32_t block_b) {
    const abut__certified* c = certified_of(shape);
    if (c == NULL) {
        return false;
    }
    const uint32_t a = number_of(c, block_a | ABUT__REF_BLOCK);
    const uint32_t b = number_of(c, block_b | ABUT__REF_BLOCK);
    if (a == ABUT__NONE || b == ABUT__NONE) {
        return false;
    }
    return a == b && block_a != block_b
               ? test_block(c, state, a)
               : test(c, state, abut__certificate_of_pair(index_of(c), a, b)) != 0;
}

// The set of two nodes of an edited shape is a part of the set that they had before.
bool abut__certified_nodes(const abut_shape* shape, const abut__state* state, uint32_t node_a,
                           uint32_t node_b) {
    const abut__certified* c = certified_of(shape);
    const uint32_t a = c != NULL ? number_of(c, node_a) : ABUT__NONE;
    const uint32_t b = c != NULL ? number_of(c, node_b) : ABUT__NONE;
    return a != ABUT__NONE && b != ABUT__NONE && a != b &&
           test(c, state, abut__certificate_of_node_pair(index_of(c), a, b)) != 0;
}

// Tests links of an edited shape one by one.
static uint32_t mapped_links_apart(const abut__certified* c, const abut__state* state,
                                   uint32_t first, uint32_t count) {
    const abut__certified_numbers* links = abut__once_peek(&c->links);
    const abut__certificate_index* index = index_of(c);
    uint32_t apart = 0;
    for (uint32_t i = 0; i < count && links != NULL; ++i) {
        const uint32_t number = links->number[first + i];
        if (number == ABUT__NONE) {
            continue;
        }
        const bool in_block = (number & ABUT__CERTIFIED_IN_BLOCK) != 0;
        const bool holds = in_block ? test_block(c, state, number & ~ABUT__CERTIFIED_IN_BLOCK)
                                    : test(c, state,
                                           abut__certificates_from(ABUT__CERTIFICATES_OF_PAIRS,
                                                                   index->first_pair_group, number,
                                                                   1)) != 0;
        apart |= (uint32_t)holds << i;
    }
    return apart;
}

uint32_t abut__certified_links(const abut_shape* shape, const abut__state* state, uint32_t first,
                               uint32_t count) {
    const abut__certified* c = certified_of(shape);
    if (c == NULL) {
        return 0;
    }
    return c->mapped ? mapped_links_apart(c, state, first, count)
                     : test(c, state, abut__certificates_of_links(index_of(c), first, count));
}

// ---- making

// Takes the certificates, or NULL. NULL: there are none, or no memory.
static abut__certificate_set* make_set(const abut_shape* shape, void* made) {
    const abut_context* context = shape->context;
    const abut__certifying* how = shape->motion->certifying;
    abut__certificate_set* set = made != NULL ? abut__alloc_zero(context, 1, sizeof *set) : NULL;
    if (set != NULL) {
        *set = (abut__certificate_set){.context = context, .how = how, .made = made};
        atomic_init(&set->holders, 1);
    } else if (made != NULL) {
        how->destroy(made);
    }
    return set;
}

void abut__certificate_set_release(abut__certificate_set* set) {
    if (set != NULL && atomic_fetch_sub(&set->holders, 1) == 1) {
        set->how->destroy(set->made);
        abut__free(set->context, set, 1, sizeof *set);
    }
}

static void undo(const void* of, void* made) {
    (void)of;
    abut__certified_drop(made);
}

// A table for the links of an edited shape.
typedef struct linking {
    const abut__certified* certified;
    const abut__links* links;
} linking;

static uint32_t number_of_link(const abut__certified* c, const abut__link* link) {
    const uint32_t a = c->blocks[link->a];
    const uint32_t b = c->blocks[link->b];
    if (a == ABUT__NONE || b == ABUT__NONE) {
        return ABUT__NONE;
    }
    if (a == b) {
        return ABUT__CERTIFIED_IN_BLOCK | a;
    }
    const abut__certificate_range range = abut__certificate_of_pair(index_of(c), a, b);
    return range.lanes != 0 ? range.first + range.lane : ABUT__NONE;
}

static size_t links_size(uint32_t count) {
    return sizeof(abut__certified_numbers) + count * sizeof(uint32_t);
}

static void* make_links(const void* of) {
    const linking* l = of;
    const uint32_t count = l->links->count;
    abut__certified_numbers* made = abut__alloc(l->certified->context, 1, links_size(count));
    if (made == NULL) {
        return NULL;
    }
    made->count = count;
    for (uint32_t i = 0; i < count; ++i) {
        made->number[i] = number_of_link(l->certified, &l->links->list[i]);
    }
    return made;
}

static void free_links(const abut_context* context, abut__certified_numbers* links) {
    if (links != NULL) {
        abut__free(context, links, 1, links_size(links->count));
    }
}

static void undo_links(const void* of, void* made) {
    const linking* l = of;
    free_links(l->certified->context, made);
}

// ---- whether they pay

static void undo_sample(const void* of, void* made) {
    (void)of;
    abut__certificate_set_release(made);
}

// Tells whether most certificates of a sample hold.
static bool sample_holds(const abut__certificate_set* set, const abut__state* state) {
    const abut__certificate_index* index = set->made;
    const uint32_t blocks = index->block_count;
    uint32_t all = 0;
    uint32_t held = 0;
    for (uint32_t first = ABUT__SAMPLE_FIRST * ABUT__GROUP; first < blocks;
         first += ABUT__SAMPLE_EVERY * ABUT__GROUP) {
        const uint32_t count = blocks - first < ABUT__GROUP ? blocks - first : ABUT__GROUP;
        const abut__certificate_range range = abut__certificates_from(
            ABUT__CERTIFICATES_OF_BLOCKS, index->first_block_group, first, count);
        held += (uint32_t)__builtin_popcount(set->how->test(set->made, state, range, true));
        all += count;
    }
    return (double)held >= PART_LEAST * all;
}

bool abut__certified_holds(const abut_shape* shape, const abut__state* state) {
    const abut__certified* c = certified_of(shape);
    return c != NULL && (shape->tree.block_count < SAMPLED_FROM || sample_holds(c->set, state));
}

static uint32_t groups_of(const abut_shape* shape) {
    const uint32_t fields = shape->field_count + (shape->node_count > 1 ? NODE_FIELDS : 0);
    return (fields + ABUT__GROUP - 1) / ABUT__GROUP;
}

uint32_t abut__certified_due(const abut_shape* shape) {
    return MAKING_COST * groups_of(shape) / (QUERY_COST + groups_of(shape));
}

uint64_t abut__certified_slice(const abut_shape* shape, uint32_t queries) {
    const uint64_t units = (uint64_t)queries * shape->tree.block_count *
                           (QUERY_COST + groups_of(shape)) / 2;
    return units < SLICE_LEAST ? SLICE_LEAST : units > SLICE_MOST ? SLICE_MOST : units;
}

// Whether the answers of self queries may change: a shape without fields is rigid.
static bool may_deform(const abut_shape* shape) {
    return shape->field_count > 0 || shape->node_count > 1;
}

static bool needs_sample(const abut_shape* shape) {
    return shape->tree.block_count >= SAMPLED_FROM && abut__once_peek(&shape->sample) == NULL;
}

// Counts queries in a state in which certificates would have helped. Returns whether it is time to
// make them, or a sample.
static bool are_due(const abut_shape* shape, const abut__state* last, uint32_t queries) {
    abut__certify_plan* plan = &((abut_shape*)shape)->certify;
    const abut__certificate_set* sample = abut__once_peek(&shape->sample);
    const uint32_t due = abut__certified_due(shape) / (needs_sample(shape) ? SAMPLE_PART : 1);
    const uint32_t before = atomic_load_explicit(&plan->queries, memory_order_relaxed);
    if (before >= due || (sample != NULL && !sample_holds(sample, last))) {
        return before >= due;
    }
    const uint32_t now = before + (queries < due ? queries : due);
    atomic_store_explicit(&plan->queries, now, memory_order_relaxed);
    return now >= due;
}

// ---- slices

// Returns true to one thread, which then may use the plan.
static bool take_plan(abut__certify_plan* plan) {
    unsigned seen = 0;
    return atomic_compare_exchange_strong_explicit(&plan->busy, &seen, 1, memory_order_acquire,
                                                   memory_order_relaxed);
}

static void give_plan(abut__certify_plan* plan) {
    atomic_store_explicit(&plan->busy, 0, memory_order_release);
}

static void cancel(const abut_shape* shape, abut__certify_plan* plan) {
    if (plan->making != NULL) {
        // the end of a making that is not finished returns NULL
        void* made = shape->motion->certifying->end(plan->making);
        plan->making = NULL;
        if (made != NULL) {
            shape->motion->certifying->destroy(made);
        }
    }
}

static bool begin_making(const abut_shape* shape, abut__certify_plan* plan, bool sample) {
    const abut__links* links = abut__shape_links(shape);
    plan->sampling = sample;
    plan->making = links != NULL ? shape->motion->certifying->begin(shape, links, sample) : NULL;
    return plan->making != NULL;
}

// Shows finished certificates, or a finished sample, to all threads. False: no memory.
static bool publish(const abut_shape* shape, void* made, bool sample) {
    abut__certificate_set* set = make_set(shape, made);
    if (set == NULL) {
        return false;
    }
    if (sample) {
        (void)abut__once_put(&shape->sample, set, undo_sample, shape);
        return true;
    }
    abut__certified* certified = abut__alloc_zero(shape->context, 1, sizeof *certified);
    if (certified == NULL) {
        abut__certificate_set_release(set);
        return false;
    }
    *certified = (abut__certified){.context = shape->context, .set = set};
    (void)abut__once_put(&shape->certificates, certified, undo, shape);
    return true;
}

// Makes a slice of what is under way. False: no memory, and nothing is under way any more.
static bool go_on(const abut_shape* shape, abut__certify_plan* plan, uint64_t units) {
    const abut__certifying* how = shape->motion->certifying;
    plan->spent = 0;
    ++plan->slices;
    const abut__certify_status status = how->work(plan->making, units, &plan->spent);
    if (status == ABUT__CERTIFY_MORE) {
        return true;
    }
    void* made = how->end(plan->making);
    plan->making = NULL;
    return publish(shape, made, plan->sampling);
}

// Without memory the next trial comes after as many queries again.
static void watch(const abut_shape* shape, const abut__state* last, uint32_t queries) {
    abut__certify_plan* plan = &((abut_shape*)shape)->certify;
    if (plan->on_request || !may_deform(shape) || !take_plan(plan)) {
        return;
    }
    const bool under_way = plan->making != NULL ||
                           (certified_of(shape) == NULL && are_due(shape, last, queries) &&
                            begin_making(shape, plan, needs_sample(shape)));
    if (under_way && !go_on(shape, plan, abut__certified_slice(shape, queries))) {
        atomic_store_explicit(&plan->queries, 0, memory_order_relaxed);
    }
    give_plan(plan);
}

void abut__certified_begin(const abut_shape* shape, const abut__state* last,
                           const abut__demand* demand, abut__once* verdicts) {
    if (!demand->asked) {
        return;
    }
    if (certified_of(shape) == NULL) {
        watch(shape, last, demand->queries);
    }
    const abut__certified* c = certified_of(shape);
    if (c != NULL) {
        (void)abut__verdicts_get(shape->context, verdicts, index_of(c)->group_count);
    }
}

// Without memory links have no certificates, which only costs time later.
void abut__certified_expect(const abut_shape* shape) {
    abut__certified* c = abut__once_peek(&shape->certificates);
    const abut__links* links = c != NULL && c->mapped ? abut__shape_links(shape) : NULL;
    if (links != NULL) {
        const linking l = {c, links};
        (void)abut__once_get(&c->links, make_links, undo_links, &l);
    }
}

// If another thread makes a slice now, this one makes all of them beside it.
bool abut__certified_prepare(const abut_shape* shape) {
    if (shape->motion->certifying == NULL || certified_of(shape) != NULL) {
        return true;
    }
    abut__certify_plan* plan = &((abut_shape*)shape)->certify;
    abut__certify_plan own = {0};
    const bool taken = take_plan(plan);
    if (taken && plan->sampling) {
        cancel(shape, plan);
    }
    abut__certify_plan* used = taken ? plan : &own;
    const bool done = (used->making != NULL || begin_making(shape, used, false)) &&
                      go_on(shape, used, UINT64_MAX);
    if (taken) {
        give_plan(plan);
    }
    return done;
}

void abut__certified_share_sample(abut_shape* shape, const abut_shape* before) {
    const abut__certify_plan* plan = &before->certify;
    shape->certify.on_request = plan->on_request;
    atomic_store_explicit(&shape->certify.queries,
                          atomic_load_explicit(&((abut__certify_plan*)plan)->queries,
                                               memory_order_relaxed),
                          memory_order_relaxed);
    abut__certificate_set* set = abut__once_peek(&before->sample);
    if (set != NULL) {
        atomic_fetch_add(&set->holders, 1);
        atomic_store(&shape->sample, set);
    }
}

void abut__certified_drop(abut__certified* certified) {
    if (certified != NULL) {
        const abut_context* context = certified->context;
        free_links(context, abut__once_peek(&certified->links));
        abut__free(context, certified->nodes, certified->node_count, sizeof *certified->nodes);
        abut__free(context, certified->blocks, certified->block_count, sizeof *certified->blocks);
        abut__certificate_set_release(certified->set);
        abut__free(context, certified, 1, sizeof *certified);
    }
}

void abut__certified_free(abut_shape* shape) {
    cancel(shape, &shape->certify);
    abut__certificate_set_release(abut__once_peek(&shape->sample));
    abut__certified_drop(abut__once_peek(&shape->certificates));
}
