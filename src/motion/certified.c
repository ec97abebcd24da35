// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proofs by certificates: see certified.h.
#include "motion/certified.h"

#define SAMPLED_FROM 512u  // blocks; smaller shapes get certificates without a sample
#define PART_LEAST 0.5     // of a sample that must hold
#define REST_QUERIES 32u   // at rest until certificates are made

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

void abut__certified_begin(const abut_shape* shape, abut__once* verdicts) {
    const abut__certified* c = certified_of(shape);
    if (c != NULL) {
        (void)abut__verdicts_get(shape->context, verdicts, index_of(c)->group_count);
    }
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

// Makes certificates, or a sample. NULL: no memory.
static abut__certificate_set* make_set(const abut_shape* shape, bool sample) {
    const abut_context* context = shape->context;
    const abut__certifying* how = shape->motion->certifying;
    const abut__links* links = abut__shape_links(shape);
    abut__certificate_set* set = abut__alloc_zero(context, 1, sizeof *set);
    void* made = links != NULL && set != NULL ? how->make(shape, links, sample) : NULL;
    if (made == NULL) {
        abut__free(context, set, 1, sizeof *set);
        return NULL;
    }
    *set = (abut__certificate_set){.context = context, .how = how, .made = made};
    atomic_init(&set->holders, 1);
    return set;
}

void abut__certificate_set_release(abut__certificate_set* set) {
    if (set != NULL && atomic_fetch_sub(&set->holders, 1) == 1) {
        set->how->destroy(set->made);
        abut__free(set->context, set, 1, sizeof *set);
    }
}

static void* make(const void* of) {
    const abut_shape* shape = of;
    const abut_context* context = shape->context;
    abut__certified* certified = abut__alloc_zero(context, 1, sizeof *certified);
    abut__certificate_set* set = certified != NULL ? make_set(shape, false) : NULL;
    if (set == NULL) {
        abut__free(context, certified, 1, sizeof *certified);
        return NULL;
    }
    *certified = (abut__certified){.context = context, .set = set};
    return certified;
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

static void* make_sample(const void* of) {
    return make_set(of, true);
}

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

bool abut__certified_pays(const abut_shape* shape, const abut__state* state) {
    if (certified_of(shape) != NULL || shape->tree.block_count < SAMPLED_FROM) {
        return true;
    }
    const abut__certificate_set* set = abut__once_get(&shape->sample, make_sample, undo_sample,
                                                      shape);
    return set != NULL && sample_holds(set, state);
}

static bool are_to_make(const abut_shape* shape, const abut__state* state) {
    if (shape->tree.block_count < SAMPLED_FROM || !shape->motion->certifying->at_rest(state)) {
        return abut__certified_pays(shape, state);
    }
    atomic_uint* queries = (atomic_uint*)&shape->rest_queries;
    return atomic_fetch_add_explicit(queries, 1, memory_order_relaxed) >= REST_QUERIES;
}

// Without memory there are no certificates, which only costs time later.
void abut__certified_expect(const abut_shape* shape, const abut__state* state) {
    if (certified_of(shape) == NULL && !are_to_make(shape, state)) {
        return;
    }
    abut__certified* c = abut__once_get(&shape->certificates, make, undo, shape);
    const abut__links* links = abut__shape_links(shape);
    if (c != NULL && c->mapped && links != NULL) {
        const linking l = {c, links};
        (void)abut__once_get(&c->links, make_links, undo_links, &l);
    }
}

bool abut__certified_prepare(const abut_shape* shape) {
    return abut__once_get(&shape->certificates, make, undo, shape) != NULL;
}

void abut__certified_share_sample(abut_shape* shape, const abut_shape* before) {
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
    abut__certificate_set_release(abut__once_peek(&shape->sample));
    abut__certified_drop(abut__once_peek(&shape->certificates));
}
