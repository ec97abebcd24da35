// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs a tree into bytes, and unpacks one from bytes that may be damaged. Of nodes only the children
// are packed, of blocks only the triangles and their corners: all else follows from these.
#include "tree/tree_pack.h"

#define BOX_NUMBERS (sizeof(abut__boxes8) / sizeof(float))

// ---- writing

static void write_block(const abut__block* block, abut__packer* writer) {
    abut__write_u32(writer, block->triangle_count);
    abut__write_numbers(writer, block->triangle, block->triangle_count, sizeof *block->triangle);
    for (int c = 0; c < 3; ++c) {
        abut__write_numbers(writer, block->corner[c], block->triangle_count, 1);
    }
}

void abut__tree_write(const abut__tree* tree, abut__packer* writer) {
    abut__write_u32(writer, tree->node_count);
    abut__write_u32(writer, tree->block_count);
    abut__write_u32(writer, tree->folded_depth);
    abut__write_u32(writer, tree->changed_blocks);
    abut__write_u32(writer, tree->child_boxes != NULL ? 1 : 0);
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        abut__write_u32(writer, tree->nodes[n].count);
        abut__write_numbers(writer, tree->nodes[n].child, tree->nodes[n].count, sizeof(abut__ref));
    }
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        write_block(tree->blocks[b], writer);
    }
    abut__write_numbers(writer, tree->block_fit, tree->block_count, sizeof *tree->block_fit);
    if (tree->child_boxes != NULL) {
        abut__write_numbers(writer, tree->child_boxes, tree->node_count * BOX_NUMBERS,
                            sizeof(float));
    }
}

// ---- reading

typedef struct unpacking {
    abut__unpacker* reader;
    const abut_mesh* mesh;
    abut__tree* tree;
    uint32_t fan_out;
    uint8_t* reached;    // per node, then per block: it is a child of a node
    uint8_t* placed;     // per triangle: it is in a block
    uint32_t* in_block;  // per vertex: the last block that uses it, plus 1
} unpacking;

static bool take_child(unpacking* u, uint32_t n, uint32_t slot, abut__ref child) {
    abut__tree* tree = u->tree;
    const bool is_block = abut__is_block(child);
    const uint32_t own = abut__block_of(child);
    const bool known = is_block ? own < tree->block_count : child > n && child < tree->node_count;
    uint8_t* reached = known ? &u->reached[is_block ? tree->node_count + own : own] : NULL;
    if (reached == NULL || *reached != 0) {
        return abut__read_refuse(u->reader, "a node has an unknown child, or that of another");
    }
    *reached = 1;
    if (is_block) {
        tree->block_parent[own] = n;
        tree->block_slot[own] = (uint8_t)slot;
    } else {
        tree->nodes[own].parent = n;
        tree->nodes[own].slot = (uint8_t)slot;
        tree->nodes[own].depth = (uint16_t)(tree->nodes[n].depth + 1);
    }
    return true;
}

static bool read_node(unpacking* u, uint32_t n) {
    abut__tree* tree = u->tree;
    abut__node* node = &tree->nodes[n];
    const uint32_t count = abut__read_up_to(u->reader, u->fan_out, "a node has many children");
    abut__ref child[ABUT__FAN];
    if (!abut__read_check(u->reader, count > 0 && (n == 0 || u->reached[n] != 0),
                          "a node has no children or no parent") ||
        !abut__read_check(u->reader, node->depth < ABUT__DEPTH_MOST, "its tree is too deep") ||
        !abut__read_numbers(u->reader, child, count, sizeof *child)) {
        return false;
    }
    node->count = (uint8_t)count;
    tree->depth = node->depth + 1u > tree->depth ? node->depth + 1u : tree->depth;
    for (uint32_t i = 0; i < ABUT__FAN; ++i) {
        node->child[i] = i < count ? child[i] : ABUT__NONE;
        if (i < count && !take_child(u, n, i, child[i])) {
            return false;
        }
    }
    return true;
}

// Reads the nodes. Parents come before their children, so a node knows its depth when it is read.
static bool read_nodes(unpacking* u) {
    abut__tree* tree = u->tree;
    tree->nodes[0].parent = ABUT__NONE;
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        if (!read_node(u, n)) {
            return false;
        }
    }
    bool all = true;
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        all &= u->reached[tree->node_count + b] != 0;
    }
    return abut__read_check(u->reader, all, "a block is not below any node");
}

// Tells whether the places of a block's corners are those of its vertices: each place has one vertex,
// each vertex one place, and there is no gap.
static bool check_corners(unpacking* u, uint32_t number, const uint32_t* triangles,
                          const uint8_t* corners, uint32_t count) {
    uint32_t vertex[ABUT__BLOCK_VERTICES];
    uint64_t used = 0;
    for (uint32_t i = 0; i < 3 * count; ++i) {
        const uint32_t id = u->mesh->triangles[3 * (size_t)triangles[i / 3] + i % 3];
        const uint8_t place = corners[i];
        if (place >= ABUT__BLOCK_VERTICES) {
            return false;
        }
        const bool is_new = (used >> place & 1) == 0;
        if (is_new ? u->in_block[id] == number + 1 : vertex[place] != id) {
            return false;
        }
        vertex[place] = id;
        u->in_block[id] = number + 1;
        used |= UINT64_C(1) << place;
    }
    return (used & (used + 1)) == 0;
}

static bool take_triangles(unpacking* u, const uint32_t* triangles, uint32_t count) {
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t t = triangles[k];
        if (t >= u->mesh->triangle_count || !abut__mesh_alive(u->mesh, t) || u->placed[t] != 0) {
            return false;
        }
        u->placed[t] = 1;
    }
    return true;
}

static bool read_block(unpacking* u, uint32_t number, abut__block* block) {
    uint32_t triangles[ABUT__BLOCK_TRIANGLES];
    uint8_t packed[3][ABUT__BLOCK_TRIANGLES];
    uint8_t corners[3 * ABUT__BLOCK_TRIANGLES];
    const uint32_t count = abut__read_up_to(u->reader, ABUT__BLOCK_TRIANGLES,
                                            "a block has too many triangles");
    (void)abut__read_check(u->reader, count > 0, "a block has no triangles");
    (void)abut__read_numbers(u->reader, triangles, count, sizeof *triangles);
    for (int c = 0; c < 3; ++c) {
        (void)abut__read_numbers(u->reader, packed[c], count, 1);
    }
    if (!abut__read_ok(u->reader)) {
        return false;
    }
    for (uint32_t i = 0; i < 3 * count; ++i) {
        corners[i] = packed[i % 3][i / 3];
    }
    if (!abut__read_check(u->reader, take_triangles(u, triangles, count),
                          "a triangle is unknown, dead or in two blocks") ||
        !abut__read_check(u->reader, check_corners(u, number, triangles, corners, count),
                          "the corners of a block are wrong")) {
        return false;
    }
    abut__block_make(u->mesh, triangles, corners, count, block);
    return true;
}

static bool read_blocks(unpacking* u) {
    abut__tree* tree = u->tree;
    abut__slab* slab = abut__slab_make(tree->context, tree->block_count);
    if (slab == NULL || !abut__tree_adopt(tree, slab)) {
        abut__read_fail(u->reader, abut__fail_memory(u->reader->error));
        return false;
    }
    uint32_t found = 0;
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        if (!read_block(u, b, &slab->blocks[b])) {
            return false;
        }
        tree->blocks[b] = &slab->blocks[b];
        found += slab->blocks[b].triangle_count;
    }
    return abut__read_check(u->reader, found == u->mesh->alive_count,
                            "a triangle is not in any block");
}

static bool reserve(unpacking* u, abut__arena* arena) {
    abut__tree* tree = u->tree;
    const size_t nodes = tree->node_count;
    const size_t blocks = tree->block_count;
    tree->nodes = abut__alloc_zero(tree->context, nodes, sizeof *tree->nodes);
    tree->blocks = abut__alloc(tree->context, blocks, sizeof *tree->blocks);
    tree->block_parent = abut__alloc(tree->context, blocks, sizeof *tree->block_parent);
    tree->block_slot = abut__alloc(tree->context, blocks, sizeof *tree->block_slot);
    u->reached = abut__arena_push(arena, nodes + blocks, 1);
    u->placed = abut__arena_push(arena, u->mesh->triangle_count, 1);
    u->in_block = abut__arena_push(arena, u->mesh->vertex_count, sizeof *u->in_block);
    if (tree->nodes == NULL || tree->blocks == NULL || tree->block_parent == NULL ||
        tree->block_slot == NULL || u->reached == NULL || u->placed == NULL ||
        u->in_block == NULL) {
        abut__read_fail(u->reader, abut__fail_memory(u->reader->error));
        return false;
    }
    memset(u->reached, 0, nodes + blocks);
    memset(u->placed, 0, u->mesh->triangle_count);
    memset(u->in_block, 0, u->mesh->vertex_count * sizeof *u->in_block);
    return true;
}

static void read_tables(unpacking* u, bool has_boxes) {
    abut__tree* tree = u->tree;
    tree->block_fit = abut__read_array(u->reader, tree->block_count, 1, sizeof *tree->block_fit);
    if (has_boxes) {
        tree->child_boxes = abut__read_array(u->reader, tree->node_count, BOX_NUMBERS,
                                             sizeof(float));
    }
}

bool abut__tree_read(abut__unpacker* reader, const abut_mesh* mesh, const abut__tree_def* def,
                     abut__tree* tree) {
    *tree = (abut__tree){.context = reader->context};
    const uint32_t most = mesh->alive_count;
    tree->node_count = abut__read_up_to(reader, ABUT__REF_BLOCK - 1, "it has too many nodes");
    tree->block_count = abut__read_up_to(reader, most, "it has too many blocks");
    tree->folded_depth = abut__read_up_to(reader, ABUT__DEPTH_MOST, "its tree is too deep");
    tree->changed_blocks = abut__read_u32(reader);
    const bool has_boxes = abut__read_up_to(reader, 1, "a flag is neither 0 nor 1") != 0;
    unpacking u = {.reader = reader, .mesh = mesh, .tree = tree, .fan_out = def->fan_out};
    abut__arena arena = abut__arena_make(reader->context);
    // a node has at least eight bytes, a block eleven
    if (abut__read_check(reader, tree->node_count > 0 && tree->block_count > 0,
                         "its tree is empty") &&
        abut__read_check(reader, tree->node_count <= reader->left / 8, "it ends too early") &&
        reserve(&u, &arena) && read_nodes(&u) && read_blocks(&u)) {
        read_tables(&u, has_boxes);
    }
    abut__arena_release(&arena);
    if (!abut__read_ok(reader)) {
        abut__tree_free(tree);
        return false;
    }
    return true;
}
