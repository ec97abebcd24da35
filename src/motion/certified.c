// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proofs by certificates: see certified.h.
#include "motion/certified.h"

static const abut__certificate_index* index_of(const abut_shape* shape) {
    return abut__once_peek(&shape->certificates);
}

static uint32_t test(const abut_shape* shape, const abut__state* state,
                     const abut__certificate_index* certificates, abut__certificate_range range) {
    return range.lanes != 0 ? shape->motion->certifying->test(certificates, state, range) : 0;
}

bool abut__certified_apart(const abut_shape* shape, const abut__state* state, abut__ref ref) {
    const abut__certificate_index* index = index_of(shape);
    return index != NULL && test(shape, state, index, abut__certificate_of_ref(index, ref)) != 0;
}

static bool blocks_certified(const abut_shape* shape, const abut__state* state, uint32_t block_a,
                             uint32_t block_b) {
    const abut__certificate_index* index = index_of(shape);
    return index != NULL &&
           test(shape, state, index, abut__certificate_of_pair(index, block_a, block_b)) != 0;
}

static uint32_t links_apart(const abut_shape* shape, const abut__state* state, uint32_t first,
                            uint32_t count) {
    const abut__certificate_index* index = index_of(shape);
    return index != NULL
               ? test(shape, state, index, abut__certificates_of_links(index, first, count))
               : 0;
}

static void* make(const void* of) {
    const abut_shape* shape = of;
    const abut__links* links = abut__shape_links(shape);
    return links != NULL ? shape->motion->certifying->make(shape, links) : NULL;
}

static void undo(const void* of, void* made) {
    const abut_shape* shape = of;
    shape->motion->certifying->destroy(made);
}

// Without memory there are no certificates, which only costs time later.
static void expect(const abut_shape* shape, const abut__state* state) {
    (void)state;
    (void)abut__once_get(&shape->certificates, make, undo, shape);
}

const abut__proofs abut__certified_proofs = {.expect = expect};

const abut__pair_proofs abut__certified_pair_proofs = {
    .blocks_certified = blocks_certified,
    .links_apart = links_apart,
};

void abut__certified_free(abut_shape* shape) {
    void* certificates = abut__once_peek(&shape->certificates);
    if (certificates != NULL) {
        shape->motion->certifying->destroy(certificates);
    }
}
