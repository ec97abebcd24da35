// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Builds the tables of pairs that have certificates, sorted by the lower block or node.
#include "bound/certificate_index.h"

#include "base/sort.h"

static uint32_t groups_of(uint32_t count) {
    return (count + ABUT__GROUP - 1) / ABUT__GROUP;
}

bool abut__certificate_index_make(const abut_context* context, const abut__tree* tree,
                                  abut__certificate_index* index) {
    *index = (abut__certificate_index){.node_count = tree->node_count,
                                       .block_count = tree->block_count};
    index->pair_first = abut__alloc_zero(context, index->block_count + 1u,
                                         sizeof *index->pair_first);
    return index->pair_first != NULL;
}

static void list_pairs(const abut__keyed* sorted, uint32_t count, abut__certificate_index* index) {
    for (uint32_t i = 0; i < count; ++i) {
        index->pair_other[i] = (uint32_t)sorted[i].key;
        index->pair_number[i] = (uint32_t)sorted[i].value;
        ++index->pair_first[(sorted[i].key >> 32) + 1];
    }
    for (uint32_t b = 0; b < index->block_count; ++b) {
        index->pair_first[b + 1] += index->pair_first[b];
    }
}

bool abut__certificate_index_pairs(const abut_context* context, const uint64_t* keys,
                                   uint32_t count, abut__certificate_index* index) {
    index->pair_count = count;
    index->pair_other = abut__alloc_zero(context, abut__certificate_pair_room(count),
                                         sizeof *index->pair_other);
    index->pair_number = abut__alloc(context, count, sizeof *index->pair_number);
    abut__keyed* sorted = abut__alloc(context, count, 2 * sizeof *sorted);
    const bool room = index->pair_other != NULL &&
                      (count == 0 || (index->pair_number != NULL && sorted != NULL));
    for (uint32_t p = 0; p < count && room; ++p) {
        sorted[p] = (abut__keyed){keys[p], p};
    }
    if (count > 0 && room) {
        abut__sort_keyed(sorted, sorted + count, count);
        list_pairs(sorted, count, index);
    }
    abut__free(context, sorted, count, 2 * sizeof *sorted);
    return room;
}

bool abut__certificate_index_node_pairs(const abut_context* context, const uint64_t* keys,
                                        uint32_t count, abut__certificate_index* index) {
    index->node_pair_first = abut__alloc_zero(context, index->node_count + 1u,
                                              sizeof *index->node_pair_first);
    index->node_pair_other = abut__alloc_zero(context, abut__certificate_pair_room(count),
                                              sizeof *index->node_pair_other);
    index->node_pair_count = count;
    if (index->node_pair_first == NULL || index->node_pair_other == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        index->node_pair_other[i] = (uint32_t)keys[i];
        ++index->node_pair_first[(keys[i] >> 32) + 1];
    }
    for (uint32_t n = 0; n < index->node_count; ++n) {
        index->node_pair_first[n + 1] += index->node_pair_first[n];
    }
    return true;
}

void abut__certificate_index_group(abut__certificate_index* index) {
    index->first_block_group = groups_of(index->node_count);
    index->first_pair_group = index->first_block_group + groups_of(index->block_count);
    index->first_node_pair_group = index->first_pair_group + groups_of(index->pair_count);
    index->group_count = index->first_node_pair_group + groups_of(index->node_pair_count);
}

void abut__certificate_index_free(const abut_context* context, abut__certificate_index* index) {
    abut__free(context, index->pair_first, index->block_count + 1u, sizeof *index->pair_first);
    abut__free(context, index->pair_other, abut__certificate_pair_room(index->pair_count),
               sizeof *index->pair_other);
    abut__free(context, index->pair_number, index->pair_count, sizeof *index->pair_number);
    abut__free(context, index->node_pair_first, index->node_count + 1u,
               sizeof *index->node_pair_first);
    abut__free(context, index->node_pair_other, abut__certificate_pair_room(index->node_pair_count),
               sizeof *index->node_pair_other);
}
