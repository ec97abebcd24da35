// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Marks fields as bits from the blocks up, and then writes the lists.
#include "bound/lists.h"

typedef struct maker {
    abut__field_lists* made;
    const abut__tree* tree;
    uint32_t field_count;
    size_t words;  // 64 fields each
    uint64_t* node_bits;
    uint64_t* block_bits;
} maker;

void abut__mark_fields(const void* of, uint32_t vertex, uint64_t* bits) {
    const abut__fields* fields = of;
    const abut__field_list list = abut__fields_of(fields, vertex);
    for (uint32_t k = 0; k < list.count; ++k) {
        const uint32_t field = fields->ids[list.first + k];
        bits[field / 64] |= UINT64_C(1) << field % 64;
    }
}

static const uint64_t* child_bits(const maker* m, abut__ref child) {
    return abut__is_block(child) ? m->block_bits + abut__block_of(child) * m->words
                                 : m->node_bits + child * m->words;
}

static void mark_all(const maker* m, abut__field_marker* marker, const void* of) {
    for (uint32_t b = 0; b < m->tree->block_count; ++b) {
        const abut__block* block = m->tree->blocks[b];
        for (uint32_t v = 0; v < block->vertex_count; ++v) {
            marker(of, block->vertex[v], m->block_bits + b * m->words);
        }
    }
    for (uint32_t n = m->tree->node_count; n-- > 0;) {
        const abut__node* node = &m->tree->nodes[n];
        for (uint32_t k = 0; k < node->count; ++k) {
            const uint64_t* bits = child_bits(m, node->child[k]);
            for (size_t w = 0; w < m->words; ++w) {
                m->node_bits[n * m->words + w] |= bits[w];
            }
        }
    }
}

// Writes a list, or shares the previous one if it is the same.
static bool write_list(const maker* m, const uint64_t* bits, uint32_t index,
                       abut__field_list* list) {
    if (index > 0 && memcmp(bits, bits - m->words, m->words * sizeof *bits) == 0) {
        *list = list[-1];
        return true;
    }
    abut__uint32s* out = &m->made->ids;
    *list = (abut__field_list){(uint32_t)out->count, 0};
    for (uint32_t f = 0; f < m->field_count; ++f) {
        if ((bits[f / 64] >> f % 64 & 1) == 0) {
            continue;
        }
        uint32_t* place = abut__push(m->made->context, out, 1);
        if (place == NULL) {
            return false;
        }
        *place = f;
        ++list->count;
    }
    return true;
}

static bool write_all(const maker* m) {
    bool room = true;
    for (uint32_t n = 0; n < m->made->node_count && room; ++n) {
        room = write_list(m, m->node_bits + n * m->words, n, &m->made->nodes[n]);
    }
    for (uint32_t b = 0; b < m->made->block_count && room; ++b) {
        room = write_list(m, m->block_bits + b * m->words, b, &m->made->blocks[b]);
    }
    return room;
}

bool abut__field_lists_make(const abut_context* context, const abut__tree* tree,
                            uint32_t field_count, abut__field_marker* marker, const void* of,
                            abut__field_lists* made) {
    *made = (abut__field_lists){
        .context = context, .node_count = tree->node_count, .block_count = tree->block_count};
    made->nodes = abut__alloc(context, made->node_count, sizeof *made->nodes);
    made->blocks = abut__alloc(context, made->block_count, sizeof *made->blocks);
    maker m = {made, tree, field_count, field_count / 64 + (size_t)1, NULL, NULL};
    m.node_bits = abut__alloc_zero(context, tree->node_count, m.words * sizeof(uint64_t));
    m.block_bits = abut__alloc_zero(context, tree->block_count, m.words * sizeof(uint64_t));
    bool done = made->nodes != NULL && made->blocks != NULL && m.node_bits != NULL &&
                m.block_bits != NULL;
    if (done) {
        mark_all(&m, marker, of);
        done = write_all(&m);
    }
    abut__free(context, m.node_bits, tree->node_count, m.words * sizeof(uint64_t));
    abut__free(context, m.block_bits, tree->block_count, m.words * sizeof(uint64_t));
    return done;
}

void abut__field_lists_free(abut__field_lists* lists) {
    if (lists->context != NULL) {
        abut__free(lists->context, lists->nodes, lists->node_count, sizeof *lists->nodes);
        abut__free(lists->context, lists->blocks, lists->block_count, sizeof *lists->blocks);
        abut__drop(lists->context, &lists->ids);
    }
}
