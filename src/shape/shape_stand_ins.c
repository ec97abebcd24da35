// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds marked vertices that stand for all others: see body/body_reach.c. A vertex takes the position of
// one in the lowest node above its block that has marked ones. If those are marked that the box of a node
// rests on, then all stand-ins of its vertices lie in its box.
#include "shape/shape.h"

static bool is_marked(const uint64_t* marks, uint32_t v) {
    return (marks[v / 64] >> v % 64 & 1) != 0;
}

// the lowest marked vertex of a block, or ABUT__NONE
static uint32_t lowest_in(const abut__block* block, const uint64_t* marks) {
    uint32_t lowest = ABUT__NONE;
    for (uint32_t i = 0; i < block->vertex_count; ++i) {
        const uint32_t v = block->vertex[i];
        lowest = v < lowest && is_marked(marks, v) ? v : lowest;
    }
    return lowest;
}

// the lowest marked vertices of all nodes; children come after their parents
static void find_lowest(const abut__tree* tree, const uint64_t* marks, uint32_t* lowest) {
    for (uint32_t n = tree->node_count; n-- > 0;) {
        const abut__node* node = &tree->nodes[n];
        lowest[n] = ABUT__NONE;
        for (uint32_t k = 0; k < node->count; ++k) {
            const abut__ref child = node->child[k];
            const uint32_t least = abut__is_block(child)
                                       ? lowest_in(tree->blocks[abut__block_of(child)], marks)
                                       : lowest[child];
            lowest[n] = least < lowest[n] ? least : lowest[n];
        }
    }
}

static void fill_block(const abut__tree* tree, uint32_t b, const uint64_t* marks,
                       const uint32_t* lowest, uint32_t* vertices) {
    const abut__block* block = tree->blocks[b];
    uint32_t found = lowest_in(block, marks);
    for (uint32_t n = tree->block_parent[b]; found == ABUT__NONE && n != ABUT__NONE;
         n = tree->nodes[n].parent) {
        found = lowest[n];
    }
    for (uint32_t i = 0; i < block->vertex_count && found != ABUT__NONE; ++i) {
        if (!is_marked(marks, block->vertex[i])) {
            vertices[block->vertex[i]] = found;
        }
    }
}

// itself for marked vertices, and the first one of these for all others; ABUT__NONE: none is marked
static uint32_t begin(uint32_t count, const uint64_t* marks, uint32_t* vertices) {
    uint32_t first = 0;
    while (first < count && !is_marked(marks, first)) {
        ++first;
    }
    for (uint32_t v = 0; v < count; ++v) {
        vertices[v] = is_marked(marks, v) ? v : first;
    }
    return first < count ? first : ABUT__NONE;
}

abut_status abut_shape_stand_ins(const abut_shape* shape, const uint64_t* marks, uint32_t* vertices,
                                 abut_error* error) {
    if (shape == NULL || marks == NULL || vertices == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "shape, marks and vertices must not be NULL");
    }
    if (!abut__shape_ready(shape)) {
        return abut__fail_memory(error);
    }
    if (begin(shape->mesh->vertex_count, marks, vertices) == ABUT__NONE) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "no vertex is marked");
    }
    const abut__tree* tree = &shape->tree;
    uint32_t* lowest = abut__alloc(shape->context, tree->node_count, sizeof *lowest);
    if (lowest == NULL) {
        return abut__fail_memory(error);
    }
    find_lowest(tree, marks, lowest);
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        fill_block(tree, b, marks, lowest, vertices);
    }
    abut__free(shape->context, lowest, tree->node_count, sizeof *lowest);
    return ABUT_OK;
}
