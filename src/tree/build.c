// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Building trees: triangles are split into blocks, the binary tree of splits is folded into wide
// nodes, links are found. An edit keeps the blocks it can and folds new nodes above all of them.
#include "tree/split.h"
#include "tree/tree.h"

// a leaf of the splits becomes this block
typedef struct folder {
    abut__tree* tree;
    const abut__split* splits;
    const uint32_t* leaf_block;  // per split: its block, if it is a leaf
    uint32_t fan_out;
    uint32_t* split_of_node;  // per wide node: the split it stands for
} folder;

// the children of a wide node: the split's two, then the largest one opened again and again
static uint32_t open_children(const folder* f, uint32_t split, uint32_t children[ABUT__FAN]) {
    if (f->splits[split].left == ABUT__NONE) {
        children[0] = split;  // a tree of one block
        return 1;
    }
    uint32_t count = 2;
    children[0] = f->splits[split].left;
    children[1] = children[0] + 1;
    while (count < f->fan_out) {
        uint32_t widest = ABUT__NONE;
        for (uint32_t i = 0; i < count; ++i) {
            const abut__split* candidate = &f->splits[children[i]];
            if (candidate->left != ABUT__NONE &&
                (widest == ABUT__NONE || candidate->cost > f->splits[children[widest]].cost)) {
                widest = i;
            }
        }
        if (widest == ABUT__NONE) {
            break;
        }
        const uint32_t left = f->splits[children[widest]].left;
        children[widest] = left;
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
bool abut__tree_fold(abut__tree* tree, const abut__vector* splits, const uint32_t* leaf_block,
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
    abut__item item = {{0}, {0}, id};
    for (size_t c = 0; c < 3; ++c) {
        double p[3];
        abut__read_position(positions.data, stride, positions.type == ABUT_FLOAT64,
                            mesh->triangles[3 * (size_t)id + c], p);
        for (int d = 0; d < 3; ++d) {
            const float x = clamped(p[d]);
            item.lo[d] = c == 0 || x < item.lo[d] ? x : item.lo[d];
            item.hi[d] = c == 0 || x > item.hi[d] ? x : item.hi[d];
        }
    }
    return item;
}

static void ids_of(const abut__item* items, uint32_t count, uint32_t* ids) {
    for (uint32_t i = 0; i < count; ++i) {
        ids[i] = items[i].id;
    }
}

static bool triangles_fit(const void* user, const abut__item* items, uint32_t count) {
    uint32_t ids[ABUT__BLOCK_TRIANGLES];
    ids_of(items, count, ids);
    return abut__block_make(user, ids, count, NULL);
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
    abut__free(context, tree->block_hub, tree->block_count, sizeof *tree->block_hub);
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

bool abut__split_triangles(const abut_mesh* mesh, abut__item* items, uint32_t count,
                           const abut__tree_def* def, abut__vector* splits) {
    const abut__split_def split_def = {def->block_triangles, triangles_fit, mesh};
    return abut__split_items(mesh->context, items, count, &split_def, splits);
}

void abut__make_blocks(const abut_mesh* mesh, const abut__item* items, const abut__vector* splits,
                       abut__block* blocks, uint32_t* leaf_block) {
    const abut__split* nodes = splits->data;
    uint32_t made = 0;
    for (size_t i = 0; i < splits->count; ++i) {
        if (nodes[i].left == ABUT__NONE) {
            uint32_t ids[ABUT__BLOCK_TRIANGLES];
            ids_of(items + nodes[i].first, nodes[i].count, ids);
            (void)abut__block_make(mesh, ids, nodes[i].count, &blocks[made]);
            leaf_block[i] = made++;
        }
    }
}

static bool build_into(abut__tree* tree, const abut_mesh* mesh, abut_positions positions,
                       const abut__tree_def* def, abut__arena* arena, abut__vector* splits) {
    const abut_context* context = tree->context;
    abut__item* items = abut__arena_push(arena, mesh->alive_count, sizeof *items);
    if (items == NULL) {
        return false;
    }
    uint32_t count = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (abut__mesh_alive(mesh, t)) {
            items[count++] = abut__triangle_item(mesh, positions, t);
        }
    }
    if (!abut__split_triangles(mesh, items, count, def, splits)) {
        return false;
    }
    tree->block_count = (uint32_t)splits->count / 2 + 1;  // leaves of a binary tree
    uint32_t* leaf_block = abut__arena_push(arena, splits->count, sizeof *leaf_block);
    tree->blocks = abut__alloc(context, tree->block_count, sizeof *tree->blocks);
    abut__slab* slab = abut__slab_make(context, tree->block_count);
    if (slab == NULL || !abut__tree_adopt(tree, slab) || leaf_block == NULL ||
        tree->blocks == NULL) {
        return false;
    }
    abut__make_blocks(mesh, items, splits, slab->blocks, leaf_block);
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        tree->blocks[b] = &slab->blocks[b];
    }
    return abut__tree_fold(tree, splits, leaf_block, def->fan_out);
}

abut_status abut__tree_build(const abut_context* context, const abut_mesh* mesh,
                             abut_positions positions, const abut__tree_def* def, abut__tree* tree,
                             abut_error* error) {
    *tree = (abut__tree){.context = context};
    abut__arena arena = abut__arena_make(context);
    abut__vector splits = {0};
    const bool done = build_into(tree, mesh, positions, def, &arena, &splits);
    abut__vector_free(context, &splits, sizeof(abut__split));
    abut__arena_release(&arena);
    const abut_status status = done ? abut__tree_link(tree, mesh, error) : abut__fail_memory(error);
    if (status != ABUT_OK) {
        abut__tree_free(tree);
    }
    return status;
}
