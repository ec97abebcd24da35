// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Numbers the certificates of a shape: of its nodes, of its blocks, of pairs of blocks and of pairs
// of nodes. Each kind is divided into groups of sixteen, which are tested together.
#ifndef ABUT_BOUND_CERTIFICATE_INDEX_H
#define ABUT_BOUND_CERTIFICATE_INDEX_H

#include "base/ascending.h"
#include "base/memory.h"
#include "base/offset.h"
#include "simd/layout.h"
#include "tree/tree.h"

typedef struct abut__certificate_index {
    uint32_t node_count;
    uint32_t block_count;
    uint32_t pair_count;
    uint32_t node_pair_count;
    uint32_t first_block_group;      // groups of nodes come first, then those of blocks,
    uint32_t first_pair_group;       // then those of pairs of blocks,
    uint32_t first_node_pair_group;  // then those of pairs of nodes
    uint32_t group_count;
    uint32_t* pair_first;   // per block: places [pair_first[a] .. [a + 1]) have it as the lower one
    uint32_t* pair_other;   // per place: the upper block, ascending for each lower one,
    uint32_t* pair_number;  // and the number of the pair
    uint32_t* node_pair_first;  // per node, likewise; the place is the number of the pair
    uint32_t* node_pair_other;
} abut__certificate_index;

// Returns the allocated length of pair_other and of node_pair_other.
static inline size_t abut__certificate_pair_room(uint32_t pair_count) {
    return (size_t)pair_count + ABUT__ASCENDING_BEYOND;
}
// Numbers nodes and blocks; there are no pairs yet. False: no memory.
bool abut__certificate_index_make(const abut_context* context, const abut__tree* tree,
                                  abut__certificate_index* index);
// Numbers pairs in the order of their keys: lower block << 32 | upper block. False: no memory.
bool abut__certificate_index_pairs(const abut_context* context, const uint64_t* keys,
                                   uint32_t count, abut__certificate_index* index);
// Numbers pairs of nodes: lower node << 32 | upper node, ascending. False: no memory.
bool abut__certificate_index_node_pairs(const abut_context* context, const uint64_t* keys,
                                        uint32_t count, abut__certificate_index* index);
// Numbers the groups, once there are pairs.
void abut__certificate_index_group(abut__certificate_index* index);
void abut__certificate_index_free(const abut_context* context, abut__certificate_index* index);

// A sample has the certificates of one group of blocks out of so many, and no others: they show
// whether it is worth while to make all.
#define ABUT__SAMPLE_EVERY 16u
#define ABUT__SAMPLE_FIRST 8u  // the first group of the sample

typedef enum abut__certificate_kind {
    ABUT__CERTIFICATES_OF_NODES,
    ABUT__CERTIFICATES_OF_BLOCKS,
    ABUT__CERTIFICATES_OF_PAIRS,
    ABUT__CERTIFICATES_OF_NODE_PAIRS,
} abut__certificate_kind;

// Consecutive certificates of one group.
typedef struct abut__certificate_range {
    uint32_t group;
    uint32_t first;  // number, within the kind, of the group's first certificate
    uint16_t lanes;  // a bit for each certificate of the range; 0: there is none
    uint8_t lane;    // the lowest of them
    uint8_t kind;    // abut__certificate_kind
} abut__certificate_range;

// Returns the range of certificates first .. first + count - 1 of a kind.
static inline abut__certificate_range abut__certificates_from(abut__certificate_kind kind,
                                                              uint32_t first_group, uint32_t first,
                                                              uint32_t count) {
    const uint32_t lane = first % ABUT__GROUP;
    return (abut__certificate_range){.group = first_group + first / ABUT__GROUP,
                                     .first = first - lane,
                                     .lanes = (uint16_t)(((1u << count) - 1) << lane),
                                     .lane = (uint8_t)lane,
                                     .kind = (uint8_t)kind};
}

static inline abut__certificate_range abut__certificate_of_ref(const abut__certificate_index* index,
                                                               abut__ref ref) {
    return abut__is_block(ref)
               ? abut__certificates_from(ABUT__CERTIFICATES_OF_BLOCKS, index->first_block_group,
                                         abut__block_of(ref), 1)
               : abut__certificates_from(ABUT__CERTIFICATES_OF_NODES, 0, ref, 1);
}

// The certificate of two blocks, in either order.
static inline abut__certificate_range abut__certificate_of_pair(
    const abut__certificate_index* index, uint32_t block_a, uint32_t block_b) {
    const uint32_t lower = block_a < block_b ? block_a : block_b;
    const uint32_t upper = block_a < block_b ? block_b : block_a;
    const uint32_t first = index->pair_first[lower];
    const uint32_t count = index->pair_first[lower + 1] - first;
    const uint32_t place = abut__ascending_find(ABUT__AT(index->pair_other, first), count, upper);
    return place < count
               ? abut__certificates_from(ABUT__CERTIFICATES_OF_PAIRS, index->first_pair_group,
                                         index->pair_number[first + place], 1)
               : (abut__certificate_range){0};
}

// Returns the number of the certificate of two nodes, in either order; ABUT__NONE: there is none.
static inline uint32_t abut__certificate_node_pair(const abut__certificate_index* index,
                                                   uint32_t node_a, uint32_t node_b) {
    if (index->node_pair_count == 0) {
        return ABUT__NONE;
    }
    const uint32_t lower = node_a < node_b ? node_a : node_b;
    const uint32_t upper = node_a < node_b ? node_b : node_a;
    const uint32_t first = index->node_pair_first[lower];
    const uint32_t count = index->node_pair_first[lower + 1] - first;
    const uint32_t place = abut__ascending_find(index->node_pair_other + first, count, upper);
    return place < count ? first + place : ABUT__NONE;
}

static inline abut__certificate_range abut__certificate_of_node_pair(
    const abut__certificate_index* index, uint32_t node_a, uint32_t node_b) {
    const uint32_t number = abut__certificate_node_pair(index, node_a, node_b);
    return number != ABUT__NONE ? abut__certificates_from(ABUT__CERTIFICATES_OF_NODE_PAIRS,
                                                          index->first_node_pair_group, number, 1)
                                : (abut__certificate_range){0};
}

// The certificates of links, which are the first pairs. All must lie in one group.
static inline abut__certificate_range abut__certificates_of_links(
    const abut__certificate_index* index, uint32_t first, uint32_t count) {
    return index->pair_count > 0 ? abut__certificates_from(ABUT__CERTIFICATES_OF_PAIRS,
                                                           index->first_pair_group, first, count)
                                 : (abut__certificate_range){0};
}

#endif
