// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT

#include "support/claims.h"
#include "support/inside.h"

#include "motion/certified.h"

#include <math.h>
#include <stdlib.h>

static bool has_certificates(const abut__body* body) {
    return body->shape->motion->certifying != NULL;
}

bool proven_apart(const world* w, abut_body_id id, abut__ref ref) {
    const abut__body* body = inside_body(w->scene, id);
    return body->shape->motion->apart(body->shape, abut__body_state(body, 1), ref);
}

bool apart(const world* w, abut_body_id id, abut__ref ref) {
    const abut__body* body = inside_body(w->scene, id);
    return has_certificates(body)
               ? abut__certified_apart(body->shape, abut__body_state(body, 1), ref)
               : proven_apart(w, id, ref);
}

bool blocks_certified(const world* w, abut_body_id id, uint32_t a, uint32_t b) {
    const abut__body* body = inside_body(w->scene, id);
    if (has_certificates(body)) {
        return abut__certified_blocks(body->shape, abut__body_state(body, 1), a, b);
    }
    const abut__pair_proofs* proofs = body->shape->motion->pair_proofs;
    return proofs != NULL && proofs->blocks_certified(body->shape, abut__body_state(body, 1), a, b);
}

bool nodes_certified(const world* w, abut_body_id id, uint32_t a, uint32_t b) {
    const abut__body* body = abut__scene_body(w->scene, id);
    return has_certificates(body) &&
           abut__certified_nodes(body->shape, abut__body_state(body, 1), a, b);
}

uint32_t* blocks_of_triangles(const abut_shape* shape) {
    uint32_t* block_of = test_alloc(shape->mesh->triangle_count, sizeof *block_of);
    for (uint32_t b = 0; b < shape->tree.block_count; ++b) {
        const abut__block* block = shape->tree.blocks[b];
        for (uint32_t k = 0; k < block->triangle_count; ++k) {
            block_of[block->triangle[k]] = b;
        }
    }
    return block_of;
}

bool is_above(const abut__tree* tree, uint32_t node, uint32_t block) {
    uint32_t n = tree->block_parent[block];
    while (n != node && n != 0) {
        n = tree->nodes[n].parent;
    }
    return n == node;
}

// tests the links sixteen at a time and one by one; both must agree
static void check_links(const world* w, abut_body_id id) {
    const abut__body* body = inside_body(w->scene, id);
    const abut__pair_proofs* proofs = body->shape->motion->pair_proofs;
    const abut__links* links = abut__shape_links(body->shape);
    for (uint32_t i = 0; i < links->count && proofs != NULL; i += ABUT__GROUP) {
        const uint32_t left = links->count - i;
        const uint32_t count = left < ABUT__GROUP ? left : ABUT__GROUP;
        const abut__state* now = abut__body_state(body, 1);
        const uint32_t bits = has_certificates(body)
                                  ? abut__certified_links(body->shape, now, i, count)
                                  : proofs->links_apart(body->shape, now, i, count);
        REQUIRE(bits >> count == 0);
        for (uint32_t k = 0; k < count; ++k) {
            const abut__link* link = &links->list[i + k];
            REQUIRE(blocks_certified(w, id, link->a, link->b) == ((bits >> k & 1) != 0));
        }
    }
}

// no two nodes above blocks that touch are proven apart
static void check_node_pairs(const world* w, abut_body_id id, uint32_t block_a, uint32_t block_b) {
    const abut__tree* tree = &abut_body_shape(w->scene, id)->tree;
    for (uint32_t a = tree->block_parent[block_a]; a != ABUT__NONE; a = tree->nodes[a].parent) {
        for (uint32_t b = tree->block_parent[block_b]; b != ABUT__NONE; b = tree->nodes[b].parent) {
            REQUIRE(!nodes_certified(w, id, a, b));
        }
    }
}

size_t check_claims(const world* w, abut_body_id id) {
    const abut_shape* shape = abut_body_shape(w->scene, id);
    REQUIRE_OK(abut_shape_build_certificates(shape, NULL));
    const size_t found = check_self(w, id, NULL);
    check_links(w, id);
    uint32_t* block_of = blocks_of_triangles(shape);
    pair_list hits = oracle_self(w->scene, id, NULL);
    for (size_t i = 0; i < hits.count; ++i) {
        const uint32_t a = block_of[hits.pairs[i].triangle_a];
        const uint32_t b = block_of[hits.pairs[i].triangle_b];
        REQUIRE(a == b ? !apart(w, id, a | ABUT__REF_BLOCK) : !blocks_certified(w, id, a, b));
        check_node_pairs(w, id, a, b);
        for (uint32_t n = 0; n < shape->tree.node_count; ++n) {
            REQUIRE(!is_above(&shape->tree, n, a) || !is_above(&shape->tree, n, b) ||
                    (!apart(w, id, n) && !proven_apart(w, id, n)));
        }
    }
    pairs_free(&hits);
    free(block_of);
    return found;
}

bool certificates_lack_memory(const world* w, abut_body_id id, test_memory* memory, size_t call) {
    const abut_shape* shape = inside_shape(abut_body_shape(w->scene, id));
    memory_fail(memory, call, false);
    const bool made = abut__certified_prepare(shape);
    const bool refused = memory->refused > 0;
    memory_fail(memory, 0, false);
    REQUIRE(refused == (atomic_load(&shape->certificates) == NULL) && made == !refused);
    return refused;
}

abut_counters counters_of(const world* w, abut_body_id body) {
    abut_counters counters = {0};
    abut_collide_def def = abut_collide_def_default();
    def.head.counters = &counters;
    REQUIRE_OK(abut_shape_build_certificates(abut_body_shape(w->scene, body), NULL));
    (void)check_self(w, body, &def);
    return counters;
}

surface two_sheets(uint32_t n, double gap) {
    surface lower = surface_sheet(n, n, 1);
    surface upper = surface_sheet(n, n, 1);
    surface_shift(&upper, 0.013, 0.007, gap);
    surface both = surface_join(&lower, &upper);
    surface_free(&lower);
    surface_free(&upper);
    return both;
}

surface random_surface(test_random* random, uint32_t which) {
    switch (which % 5) {
        case 0: return surface_ball(8, 12, 1);
        case 1: return surface_sheet(11, 11, 2);
        case 2: return two_sheets(7, ldexp(1, -(int)random_below(random, 9)));
        case 3: return surface_soup(random, 100, 2, 0.5, 0.25);
        default: return surface_soup(random, 60, 6, 0.5, 0x1p-24);
    }
}
