// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Building trees: triangles are grouped into leaves, which become blocks; the blocks are split into
// a binary tree, which is folded into wide nodes; links are found. An edit keeps the blocks it can.
#include "tree/leaves.h"

#define LEAVES_PER_TASK 32u

// a leaf of the splits becomes this block
typedef struct folder {
    abut__tree* tree;
    const abut__split* splits;
    const uint32_t* leaf_block;  // per split: its block, if it is a leaf
    uint32_t fan_out;
    uint32_t* split_of_node;  // per wide node: the split it stands for
} folder;

// the child to open next: the one that costs most, of those too large for one node; if all fit in
// this very node, whichever is not yet a block
static uint32_t child_to_open(const folder* f, const uint32_t* children, uint32_t count,
                              bool all_fit) {
    uint32_t chosen = ABUT__NONE;
    for (uint32_t i = 0; i < count; ++i) {
        const abut__split* candidate = &f->splits[children[i]];
        const bool opens = all_fit ? candidate->count > 1 : candidate->count > f->fan_out;
        if (opens && (chosen == ABUT__NONE || candidate->cost > f->splits[children[chosen]].cost)) {
            chosen = i;
        }
    }
    return chosen;
}

// the children of a wide node: the split's two, then one of them opened again and again
static uint32_t open_children(const folder* f, uint32_t split, uint32_t children[ABUT__FAN]) {
    if (f->splits[split].left == ABUT__NONE) {
        children[0] = split;  // a tree of one block
        return 1;
    }
    uint32_t count = 2;
    children[0] = f->splits[split].left;
    children[1] = children[0] + 1;
    while (count < f->fan_out) {
        const uint32_t chosen = child_to_open(f, children, count,
                                              f->splits[split].count <= f->fan_out);
        if (chosen == ABUT__NONE) {
            break;
        }
        const uint32_t left = f->splits[children[chosen]].left;
        children[chosen] = left;
        children[count++] = left + 1;
    }
    return count;
}

static void fold_node(folder* f, uint32_t index) {
    abut__tree* tree = f->tree;
    abut__node* node = &tree->nodes[index];
    uint32_t children[ABUT__FAN];
    node->count = (uint8_t)open_children(f, f->split_of_node[index], children);
    if (tree->depth < node->depth + 1u) {
        tree->depth = node->depth + 1u;
    }
    for (uint32_t i = 0; i < ABUT__FAN; ++i) {
        node->child[i] = ABUT__NONE;
    }
    for (uint32_t i = 0; i < node->count; ++i) {
        if (f->splits[children[i]].left == ABUT__NONE) {
            const uint32_t block = f->leaf_block[children[i]];
            tree->block_parent[block] = index;
            tree->block_slot[block] = (uint8_t)i;
            node->child[i] = block | ABUT__REF_BLOCK;
        } else {
            const uint32_t child = tree->node_count++;
            tree->nodes[child].parent = index;
            tree->nodes[child].slot = (uint8_t)i;
            tree->nodes[child].depth = (uint16_t)(node->depth + 1);
            f->split_of_node[child] = children[i];
            node->child[i] = child;
        }
    }
}

// folds the binary tree into wide nodes, breadth first
static bool fold(abut__tree* tree, const abut__vector* splits, const uint32_t* leaf_block,
                 uint32_t fan_out) {
    const abut_context* context = tree->context;
    const uint32_t most = (uint32_t)splits->count / 2 + 1;  // inner splits, or one for the root
    uint32_t* split_of_node = abut__alloc(context, most, sizeof *split_of_node);
    abut__node* nodes = abut__alloc_zero(context, most, sizeof *nodes);
    tree->block_parent = abut__alloc(context, tree->block_count, sizeof *tree->block_parent);
    tree->block_slot = abut__alloc(context, tree->block_count, sizeof *tree->block_slot);
    bool done = split_of_node != NULL && nodes != NULL && tree->block_parent != NULL &&
                tree->block_slot != NULL;
    if (done) {
        folder f = {tree, splits->data, leaf_block, fan_out, split_of_node};
        tree->nodes = nodes;
        tree->node_count = 1;
        nodes[0].parent = ABUT__NONE;
        split_of_node[0] = 0;
        for (uint32_t n = 0; n < tree->node_count; ++n) {
            fold_node(&f, n);
        }
        // keep only as many as there are
        tree->nodes = abut__alloc(context, tree->node_count, sizeof *nodes);
        done = tree->nodes != NULL;
        if (done) {
            memcpy(tree->nodes, nodes, tree->node_count * sizeof *nodes);
        }
    }
    abut__free(context, split_of_node, most, sizeof *split_of_node);
    abut__free(context, nodes, most, sizeof *nodes);
    return done;
}

static float clamped(double x) {
    const float limit = ABUT__ITEM_LIMIT;
    return x > (double)limit ? limit : x < -(double)limit ? -limit : (float)x;
}

abut__item abut__triangle_item(const abut_mesh* mesh, abut_positions positions, uint32_t id) {
    const size_t stride = abut__positions_stride(positions);
    const uint32_t* corner = mesh->triangles + 3 * (size_t)id;
    double p[3][3];
    for (size_t c = 0; c < 3; ++c) {
        abut__read_position(positions.data, stride, positions.type == ABUT_FLOAT64, corner[c],
                            p[c]);
    }
    abut__item item = {{0}, {0}, id};
    for (int d = 0; d < 3; ++d) {
        const double low = p[0][d] < p[1][d] ? p[0][d] : p[1][d];
        const double high = p[0][d] > p[1][d] ? p[0][d] : p[1][d];
        item.lo[d] = clamped(low < p[2][d] ? low : p[2][d]);
        item.hi[d] = clamped(high > p[2][d] ? high : p[2][d]);
    }
    return item;
}

abut__slab* abut__slab_make(const abut_context* context, uint32_t count) {
    abut__slab* slab = abut__alloc_zero(context, 1, sizeof *slab);
    abut__block* blocks = abut__alloc(context, count, sizeof *blocks);
    if (slab == NULL || blocks == NULL) {
        abut__free(context, slab, 1, sizeof *slab);
        abut__free(context, blocks, count, sizeof *blocks);
        return NULL;
    }
    atomic_init(&slab->holders, 1);
    slab->count = count;
    slab->blocks = blocks;
    return slab;
}

void abut__slab_release(const abut_context* context, abut__slab* slab) {
    if (atomic_fetch_sub_explicit(&slab->holders, 1, memory_order_acq_rel) == 1) {
        abut__free(context, slab->blocks, slab->count, sizeof *slab->blocks);
        abut__free(context, slab, 1, sizeof *slab);
    }
}

bool abut__tree_adopt(abut__tree* tree, abut__slab* slab) {
    abut__slab** place = abut__vector_push(tree->context, &tree->slabs, 1, sizeof(abut__slab*));
    if (place == NULL) {
        abut__slab_release(tree->context, slab);
        return false;
    }
    *place = slab;
    return true;
}

void abut__tree_free(abut__tree* tree) {
    const abut_context* context = tree->context;
    abut__free(context, tree->nodes, tree->node_count, sizeof *tree->nodes);
    abut__free(context, tree->blocks, tree->block_count, sizeof *tree->blocks);
    abut__free(context, tree->block_parent, tree->block_count, sizeof *tree->block_parent);
    abut__free(context, tree->block_slot, tree->block_count, sizeof *tree->block_slot);
    abut__free(context, tree->block_fit, tree->block_count, sizeof *tree->block_fit);
    abut__free(context, tree->block_hub, tree->block_count, sizeof *tree->block_hub);
    abut__free(context, tree->stretches, (size_t)tree->stretch_count + ABUT__STRETCH_AHEAD,
               sizeof *tree->stretches);
    abut__free(context, tree->stretch_first, (size_t)tree->block_count + 1,
               sizeof *tree->stretch_first);
    abut__free(context, tree->links, (size_t)tree->link_count + 1, sizeof *tree->links);
    abut__free(context, tree->masks, (size_t)tree->mask_count + 1, sizeof *tree->masks);
    abut__free(context, tree->near_first, (size_t)tree->block_count + 1, sizeof *tree->near_first);
    abut__free(context, tree->near, 2 * (size_t)tree->link_count + 1, sizeof *tree->near);
    for (size_t s = 0; s < tree->slabs.count; ++s) {
        abut__slab_release(context, ((abut__slab**)tree->slabs.data)[s]);
    }
    abut__vector_free(context, &tree->slabs, sizeof(abut__slab*));
    *tree = (abut__tree){.context = context};
}

typedef struct making {
    const abut_mesh* mesh;
    const abut__leaves* leaves;
    abut__block* blocks;
} making;

static void make_blocks(void* argument, uint32_t index, uint32_t worker) {
    (void)worker;
    const making* m = argument;
    const uint32_t first = index * LEAVES_PER_TASK;
    for (uint32_t i = first; i < first + LEAVES_PER_TASK && i < m->leaves->count; ++i) {
        const uint32_t from = m->leaves->first[i];
        (void)abut__block_make(m->mesh, m->leaves->ids + from, m->leaves->first[i + 1] - from,
                               &m->blocks[i]);
    }
}

// the blocks that were kept, then one for every leaf
static bool list_blocks(abut__tree* tree, const abut_mesh* mesh, const abut__kept* kept,
                        const abut__leaves* leaves) {
    const abut_context* context = tree->context;
    tree->block_count = kept->count + leaves->count;
    tree->blocks = abut__alloc(context, tree->block_count, sizeof *tree->blocks);
    tree->block_fit = abut__alloc(context, tree->block_count, sizeof *tree->block_fit);
    if (tree->blocks == NULL || tree->block_fit == NULL) {
        return false;
    }
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        const bool old = b < kept->count;
        tree->blocks[b] = old ? kept->blocks[b] : NULL;
        tree->block_fit[b] = old ? kept->fit[b] : leaves->fit[b - kept->count];
    }
    if (leaves->count == 0) {
        return true;
    }
    abut__slab* slab = abut__slab_make(context, leaves->count);
    if (slab == NULL || !abut__tree_adopt(tree, slab)) {
        return false;
    }
    making m = {mesh, leaves, slab->blocks};
    abut__run_tasks(context, (leaves->count + LEAVES_PER_TASK - 1) / LEAVES_PER_TASK, make_blocks,
                    &m);
    for (uint32_t b = 0; b < leaves->count; ++b) {
        tree->blocks[kept->count + b] = &slab->blocks[b];
    }
    return true;
}

static abut__item block_item(const abut_mesh* mesh, abut_positions positions,
                             const abut__block* block) {
    abut__item item = abut__triangle_item(mesh, positions, block->triangle[0]);
    for (uint32_t k = 1; k < block->triangle_count; ++k) {
        const abut__item other = abut__triangle_item(mesh, positions, block->triangle[k]);
        for (int d = 0; d < 3; ++d) {
            item.lo[d] = other.lo[d] < item.lo[d] ? other.lo[d] : item.lo[d];
            item.hi[d] = other.hi[d] > item.hi[d] ? other.hi[d] : item.hi[d];
        }
    }
    return item;
}

// nodes over all blocks
static bool fold_blocks(abut__tree* tree, const abut_mesh* mesh, abut_positions positions,
                        const abut__kept* kept, const abut__leaves* leaves, uint32_t fan_out,
                        abut__arena* arena, abut__vector* splits) {
    abut__item* items = abut__arena_push(arena, tree->block_count, sizeof *items);
    if (items == NULL) {
        return false;
    }
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        items[b] = b < kept->count ? block_item(mesh, positions, tree->blocks[b])
                                   : leaves->boxes[b - kept->count];
        items[b].id = b;
    }
    if (!abut__split_items(tree->context, items, tree->block_count, fan_out, splits)) {
        return false;
    }
    uint32_t* leaf_block = abut__arena_push(arena, splits->count, sizeof *leaf_block);
    if (leaf_block == NULL) {
        return false;
    }
    const abut__split* nodes = splits->data;
    for (size_t i = 0; i < splits->count; ++i) {
        leaf_block[i] = items[nodes[i].first].id;
    }
    return fold(tree, splits, leaf_block, fan_out);
}

abut_status abut__tree_assemble(abut__tree* tree, const abut_mesh* mesh, abut_positions positions,
                                const abut__kept* kept, const uint32_t* loose, uint32_t loose_count,
                                const abut__tree_def* def, abut_error* error) {
    abut__arena arena = abut__arena_make(tree->context);
    abut__vector splits = {0};
    abut__leaves leaves = {0};
    const bool done =
        (loose_count == 0 || abut__leaves_find(&arena, mesh, positions, loose, loose_count,
                                               def->block_triangles, &leaves)) &&
        list_blocks(tree, mesh, kept, &leaves) &&
        fold_blocks(tree, mesh, positions, kept, &leaves, def->fan_out, &arena, &splits) &&
        abut__tree_stretch(tree, mesh, &arena);
    abut__vector_free(tree->context, &splits, sizeof(abut__split));
    abut__arena_release(&arena);
    const abut_status status = done ? abut__tree_link(tree, mesh, error) : abut__fail_memory(error);
    if (status != ABUT_OK) {
        abut__tree_free(tree);
    }
    return status;
}

abut_status abut__tree_build(const abut_context* context, const abut_mesh* mesh,
                             abut_positions positions, const abut__tree_def* def, abut__tree* tree,
                             abut_error* error) {
    *tree = (abut__tree){.context = context};
    uint32_t* ids = abut__alloc(context, mesh->alive_count, sizeof *ids);
    if (ids == NULL) {
        return abut__fail_memory(error);
    }
    uint32_t count = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (abut__mesh_alive(mesh, t)) {
            ids[count++] = t;
        }
    }
    const abut__kept none = {NULL, NULL, 0};
    const abut_status status = abut__tree_assemble(tree, mesh, positions, &none, ids, count, def,
                                                   error);
    abut__free(context, ids, mesh->alive_count, sizeof *ids);
    return status;
}
