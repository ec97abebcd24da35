// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs the numbers of certificates into bytes, and unpacks them from bytes that may be damaged.
#include "bound/certificate_pack.h"

#define COUNT_MOST (1u << 30)  // of certificates of a kind, so that groups can be numbered

// Writes how many pairs have each number as the lower one, and the upper ones.
static void write_pairs(const uint32_t* first, const uint32_t* other, uint32_t lower_count,
                        uint32_t pair_count, abut__packer* writer) {
    for (uint32_t i = 0; i < lower_count; ++i) {
        abut__write_u32(writer, first[i + 1] - first[i]);
    }
    abut__write_numbers(writer, other, pair_count, sizeof *other);
}

void abut__certificate_index_write(const abut__certificate_index* index, abut__packer* writer) {
    abut__write_u32(writer, index->node_count);
    abut__write_u32(writer, index->block_count);
    abut__write_u32(writer, index->pair_count);
    abut__write_u32(writer, index->node_pair_count);
    abut__write_u32(writer, index->node_pair_first != NULL ? 1 : 0);
    write_pairs(index->pair_first, index->pair_other, index->block_count, index->pair_count,
                writer);
    abut__write_numbers(writer, index->pair_number, index->pair_count, sizeof(uint32_t));
    if (index->node_pair_first != NULL) {
        write_pairs(index->node_pair_first, index->node_pair_other, index->node_count,
                    index->node_pair_count, writer);
    }
}

// Pairs as they are read: `first` has one number more than there are lower ones.
typedef struct pair_table {
    uint32_t* first;
    uint32_t* other;
    uint32_t lower_count;
    uint32_t pair_count;
} pair_table;

// Upper numbers are above the lower one, in range, and ascend.
static bool check_pairs(const pair_table* pairs) {
    for (uint32_t i = 0; i < pairs->lower_count; ++i) {
        uint32_t last = i;
        for (uint32_t k = pairs->first[i]; k < pairs->first[i + 1]; ++k) {
            if (pairs->other[k] <= last || pairs->other[k] >= pairs->lower_count) {
                return false;
            }
            last = pairs->other[k];
        }
    }
    return true;
}

// Reads pairs into tables that are as long as abut__certificate_index_free() expects.
static bool read_pairs(abut__unpacker* reader, pair_table* pairs) {
    const size_t id = sizeof(uint32_t);
    const size_t lower = pairs->lower_count;
    if (!abut__read_check(reader,
                          lower <= reader->left / id && pairs->pair_count <= reader->left / id,
                          "it ends too early")) {
        return false;
    }
    pairs->first = abut__alloc_zero(reader->context, lower + 1, id);
    pairs->other = abut__alloc_zero(reader->context, abut__certificate_pair_room(pairs->pair_count),
                                    id);
    if (pairs->first == NULL || pairs->other == NULL) {
        abut__read_fail(reader, abut__fail_memory(reader->error));
        return false;
    }
    for (uint32_t i = 0; i < pairs->lower_count; ++i) {
        const uint32_t left = pairs->pair_count - pairs->first[i];
        pairs->first[i + 1] = pairs->first[i] +
                              abut__read_up_to(reader, left, "there are too many pairs");
    }
    return abut__read_check(reader, pairs->first[lower] == pairs->pair_count,
                            "there are too few pairs") &&
           abut__read_numbers(reader, pairs->other, pairs->pair_count, id) &&
           abut__read_check(reader, check_pairs(pairs), "a pair of certificates is wrong");
}

// Every pair has a number of its own.
static bool check_numbers(abut__unpacker* reader, const abut__certificate_index* index) {
    uint8_t* used = abut__alloc_zero(reader->context, index->pair_count + (size_t)1, 1);
    if (used == NULL) {
        abut__read_fail(reader, abut__fail_memory(reader->error));
        return false;
    }
    bool right = true;
    for (uint32_t p = 0; p < index->pair_count && right; ++p) {
        const uint32_t number = index->pair_number[p];
        right = number < index->pair_count && used[number] == 0;
        if (right) {
            used[number] = 1;
        }
    }
    abut__free(reader->context, used, index->pair_count + (size_t)1, 1);
    return abut__read_check(reader, right, "the number of a pair is wrong");
}

static void read_block_pairs(abut__unpacker* reader, abut__certificate_index* index) {
    pair_table pairs = {.lower_count = index->block_count, .pair_count = index->pair_count};
    const bool done = read_pairs(reader, &pairs);
    index->pair_first = pairs.first;
    index->pair_other = pairs.other;
    if (done) {
        index->pair_number = abut__read_array(reader, index->pair_count, 1, sizeof(uint32_t));
    }
    if (abut__read_ok(reader) && index->pair_count > 0) {
        (void)check_numbers(reader, index);
    }
}

static void read_node_pairs(abut__unpacker* reader, abut__certificate_index* index) {
    pair_table pairs = {.lower_count = index->node_count, .pair_count = index->node_pair_count};
    (void)read_pairs(reader, &pairs);
    index->node_pair_first = pairs.first;
    index->node_pair_other = pairs.other;
}

bool abut__certificate_index_read(abut__unpacker* reader, abut__certificate_index* index) {
    const char* many = "there are too many certificates";
    *index = (abut__certificate_index){.node_count = abut__read_up_to(reader, COUNT_MOST, many)};
    index->block_count = abut__read_up_to(reader, COUNT_MOST, many);
    index->pair_count = abut__read_up_to(reader, COUNT_MOST, many);
    index->node_pair_count = abut__read_up_to(reader, COUNT_MOST, many);
    const bool has_node_pairs = abut__read_up_to(reader, 1, "a flag is neither 0 nor 1") != 0;
    if (abut__read_check(reader,
                         index->node_count > 0 && index->block_count > 0 &&
                             (has_node_pairs || index->node_pair_count == 0),
                         "there are no certificates")) {
        read_block_pairs(reader, index);
    }
    if (abut__read_ok(reader) && has_node_pairs) {
        read_node_pairs(reader, index);
    }
    if (abut__read_ok(reader)) {
        abut__certificate_index_group(index);
    }
    return abut__read_ok(reader);
}
