// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Builds trees. Triangles are grouped into leaves, which become blocks. The blocks are split into a
// binary tree, which is folded into wide nodes. An edit keeps as many blocks as it can.
#include "simd/kernels.h"
#include "tree/leaves.h"
#include "tree/patch.h"

#define BLOCKS_PER_TASK 32u

typedef struct folder {
    abut__tree* tree;
    const abut__split* splits;
    const abut__item* items;  // in the order of the splits; their ids are blocks
    uint32_t fan_out;
    uint32_t* split_of_node;  // per wide node: the split that it replaces
} folder;

// Returns the most expensive child with more blocks than a node has room for, or ABUT__NONE.
static uint32_t child_to_open(const folder* f, const uint32_t* children, uint32_t count) {
    uint32_t chosen = ABUT__NONE;
    for (uint32_t i = 0; i < count; ++i) {
        const abut__split* candidate = &f->splits[children[i]];
        if (candidate->left != ABUT__NONE &&
            (chosen == ABUT__NONE || candidate->cost > f->splits[children[chosen]].cost)) {
            chosen = i;
        }
    }
    return chosen;
}

// Collects the children of a split: opens the most expensive one until the node is full.
static uint32_t open_children(const folder* f, uint32_t split, uint32_t children[ABUT__FAN]) {
    uint32_t count = 2;
    children[0] = f->splits[split].left;
    children[1] = children[0] + 1;
    while (count < f->fan_out) {
        const uint32_t chosen = child_to_open(f, children, count);
        if (chosen == ABUT__NONE) {
            break;
        }
        const uint32_t left = f->splits[children[chosen]].left;
        children[chosen] = left;
        children[count++] = left + 1;
    }
    return count;
}

static void add_block(folder* f, uint32_t index, uint32_t block) {
    abut__node* node = &f->tree->nodes[index];
    f->tree->block_parent[block] = index;
    f->tree->block_slot[block] = node->count;
    node->child[node->count++] = block | ABUT__REF_BLOCK;
}

static void add_node(folder* f, uint32_t index, uint32_t split) {
    abut__node* node = &f->tree->nodes[index];
    const uint32_t child = f->tree->node_count++;
    f->tree->nodes[child].parent = index;
    f->tree->nodes[child].slot = node->count;
    f->tree->nodes[child].depth = (uint16_t)(node->depth + 1);
    f->split_of_node[child] = split;
    node->child[node->count++] = child;
}

static void fold_node(folder* f, uint32_t index) {
    const uint32_t own = f->split_of_node[index];
    const abut__split* split = &f->splits[own];
    abut__node* node = &f->tree->nodes[index];
    if (f->tree->depth < node->depth + 1u) {
        f->tree->depth = node->depth + 1u;
    }
    for (uint32_t i = 0; i < ABUT__FAN; ++i) {
        node->child[i] = ABUT__NONE;
    }
    if (split->left == ABUT__NONE) {
        for (uint32_t i = 0; i < split->count; ++i) {
            add_block(f, index, f->items[split->first + i].id);
        }
        return;
    }
    uint32_t children[ABUT__FAN];
    const uint32_t count = open_children(f, own, children);
    for (uint32_t i = 0; i < count; ++i) {
        const abut__split* child = &f->splits[children[i]];
        if (child->count == 1) {
            add_block(f, index, f->items[child->first].id);
        } else {
            add_node(f, index, children[i]);
        }
    }
}

// Folds the binary tree into wide nodes, breadth first.
static bool fold(abut__tree* tree, const abut__splits* splits, const abut__item* items,
                 uint32_t fan_out) {
    const abut_context* context = tree->context;
    const size_t most = splits->count;
    uint32_t* split_of_node = abut__alloc(context, most, sizeof *split_of_node);
    abut__node* nodes = abut__alloc_zero(context, most, sizeof *nodes);
    tree->block_parent = abut__alloc(context, tree->block_count, sizeof *tree->block_parent);
    tree->block_slot = abut__alloc(context, tree->block_count, sizeof *tree->block_slot);
    bool done = split_of_node != NULL && nodes != NULL && tree->block_parent != NULL &&
                tree->block_slot != NULL;
    if (done) {
        folder f = {tree, splits->data, items, fan_out, split_of_node};
        tree->nodes = nodes;
        tree->node_count = 1;
        nodes[0].parent = ABUT__NONE;
        split_of_node[0] = 0;
        for (uint32_t n = 0; n < tree->node_count; ++n) {
            fold_node(&f, n);
        }
        // shrink the array to the nodes that exist
        tree->nodes = abut__alloc(context, tree->node_count, sizeof *nodes);
        done = tree->nodes != NULL;
        if (done) {
            memcpy(tree->nodes, nodes, tree->node_count * sizeof *nodes);
        }
        tree->folded_depth = tree->depth;
    }
    abut__free(context, split_of_node, most, sizeof *split_of_node);
    abut__free(context, nodes, most, sizeof *nodes);
    return done;
}

// Stores the boxes of the children of every node.
static bool store_child_boxes(abut__tree* tree, const abut__item* items) {
    tree->child_boxes = abut__alloc(tree->context, tree->node_count, sizeof *tree->child_boxes);
    if (tree->child_boxes == NULL) {
        return false;
    }
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        abut__boxes_infinite(&tree->child_boxes[n], 0);  // lanes without a child stay empty
    }
    for (uint32_t i = 0; i < tree->block_count; ++i) {
        const uint32_t b = items[i].id;
        const abut__box3 box = abut__item_box(&items[i]);
        abut__boxes_put(&tree->child_boxes[tree->block_parent[b]], tree->block_slot[b], &box);
    }
    for (uint32_t n = tree->node_count; n-- > 1;) {
        const abut__node* node = &tree->nodes[n];
        const abut__box3 box = abut__boxes_around(&tree->child_boxes[n], node->count);
        abut__boxes_put(&tree->child_boxes[node->parent], node->slot, &box);
    }
    return true;
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
    abut__slab** place = abut__push(tree->context, &tree->slabs, 1);
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
    abut__free(context, tree->child_boxes, tree->node_count, sizeof *tree->child_boxes);
    for (size_t s = 0; s < tree->slabs.count; ++s) {
        abut__slab_release(context, tree->slabs.data[s]);
    }
    abut__drop(context, &tree->slabs);
    *tree = (abut__tree){.context = context};
}

typedef struct making {
    const abut_context* context;
    const abut_mesh* mesh;
    const abut__leaves* leaves;
    uint32_t kept;   // number of kept blocks
    uint32_t first;  // first block to measure
    abut__slab* slab;
    abut__source source;
    abut__tree* tree;
    abut__item* items;
} making;

static float clamped(float x) {
    const float least = x > -ABUT__ITEM_LIMIT ? x : -ABUT__ITEM_LIMIT;
    return least < ABUT__ITEM_LIMIT ? least : ABUT__ITEM_LIMIT;
}

// Stores the box of a block as an item. Returns the fit of the block (see abut__fit_of()).
static float measure_block(const making* m, uint32_t b) {
    const abut__block* block = m->tree->blocks[b];
    abut__block_points points;
    abut__block_boxes boxes;
    abut__box3 box;
    (void)m->context->kernels->gather_points(block, m->source, &points);
    m->context->kernels->block_boxes(block, &points, NULL, 0, &boxes);
    const double sum = m->context->kernels->measure_block(&boxes, &box);
    abut__item item = {.id = b};
    for (int d = 0; d < 3; ++d) {
        item.box.lo[d] = clamped(box.lo[d]);
        item.box.hi[d] = clamped(box.hi[d]);
    }
    m->items[b] = item;
    return abut__fit_of(abut__box_cost(item.box.lo, item.box.hi), sum);
}

static void make_block(const making* m, uint32_t b) {
    const uint32_t leaf = b - m->kept;
    const uint32_t from = m->leaves->first[leaf];
    abut__block* block = &m->slab->blocks[leaf];
    abut__block_make(m->mesh, m->leaves->ids + from, m->leaves->corners + 3 * (size_t)from,
                     m->leaves->first[leaf + 1] - from, block);
    m->tree->blocks[b] = block;
    m->tree->block_fit[b] = measure_block(m, b);
}

static void make_blocks(void* argument, uint32_t index, uint32_t worker) {
    (void)worker;
    const making* m = argument;
    const uint32_t first = m->first + index * BLOCKS_PER_TASK;
    for (uint32_t b = first; b < first + BLOCKS_PER_TASK && b < m->tree->block_count; ++b) {
        if (b < m->kept) {
            (void)measure_block(m, b);  // it keeps the fit of when it was made
        } else {
            make_block(m, b);
        }
    }
}

// Lists the kept blocks and reserves a slab with one block for every leaf.
static bool list_blocks(making* m, const abut__kept_blocks* kept) {
    abut__tree* tree = m->tree;
    tree->blocks = abut__alloc(m->context, tree->block_count, sizeof *tree->blocks);
    tree->block_fit = abut__alloc(m->context, tree->block_count, sizeof *tree->block_fit);
    if (tree->blocks == NULL || tree->block_fit == NULL) {
        return false;
    }
    for (uint32_t b = 0; b < kept->count; ++b) {
        tree->blocks[b] = kept->blocks[b];
        tree->block_fit[b] = kept->fit[b];
    }
    if (m->leaves->count > 0) {
        m->slab = abut__slab_make(m->context, m->leaves->count);
        if (m->slab == NULL || !abut__tree_adopt(tree, m->slab)) {
            m->slab = NULL;
            return false;
        }
    }
    return true;
}

// Makes the blocks from `first` on that are new, and measures all of them: one item each.
static void run_blocks(making* m, uint32_t first) {
    m->first = first;
    abut__run_tasks(m->context,
                    (m->tree->block_count - first + BLOCKS_PER_TASK - 1) / BLOCKS_PER_TASK,
                    make_blocks, m);
}

// Builds new nodes above all blocks.
static bool fold_all(making* m, const abut__tree_def* def) {
    abut__splits splits = {0};
    run_blocks(m, 0);
    const bool done = abut__split_items(m->context, m->items, m->tree->block_count, def->fan_out,
                                        &splits) &&
                      fold(m->tree, &splits, m->items, def->fan_out) &&
                      (!def->lasting || store_child_boxes(m->tree, m->items));
    abut__drop(m->context, &splits);
    return done;
}

// The older tree whose nodes are to be kept.
typedef struct older {
    const abut__tree* tree;  // NULL: there is none
    const uint32_t* origin;
    abut__descent** descent;
} older;

static bool make_nodes(making* m, const abut__tree_def* def, const older* from) {
    if (from->tree != NULL) {
        run_blocks(m, m->kept);
        const abut__patch patch = {from->tree, from->origin, m->kept, m->items, def->fan_out};
        bool fits;
        if (!abut__tree_patch(&patch, m->tree, from->descent, &fits)) {
            return false;
        }
        if (fits) {
            return true;
        }
    }
    return fold_all(m, def);
}

static bool assemble(abut__tree* tree, const abut_mesh* mesh, abut_positions positions,
                     const abut__kept_blocks* kept, const uint32_t* loose, uint32_t loose_count,
                     const abut__tree_def* def, const older* from, abut__arena* arena) {
    abut__leaves leaves = {0};
    if (loose_count > 0 && !abut__leaves_find(arena, mesh, positions, loose, loose_count,
                                              def->block_triangles, &leaves)) {
        return false;
    }
    tree->block_count = kept->count + leaves.count;
    making m = {.context = tree->context,
                .mesh = mesh,
                .leaves = &leaves,
                .kept = kept->count,
                .source = abut__source_centred(positions),
                .tree = tree,
                .items = abut__arena_push(arena, tree->block_count, sizeof(abut__item))};
    return m.items != NULL && list_blocks(&m, kept) && make_nodes(&m, def, from);
}

abut_status abut__tree_assemble(abut__tree* tree, const abut_mesh* mesh, abut_positions positions,
                                const abut__kept_blocks* kept, const uint32_t* loose,
                                uint32_t loose_count, const abut__tree_def* def,
                                const abut__tree* old, const uint32_t* origin,
                                abut__descent** descent, abut_error* error) {
    abut__arena arena = abut__arena_make(tree->context);
    const older from = {old, origin, descent};
    const bool done = assemble(tree, mesh, positions, kept, loose, loose_count, def, &from, &arena);
    abut__arena_release(&arena);
    if (!done) {
        abut__tree_free(tree);
        return abut__fail_memory(error);
    }
    return ABUT_OK;
}

abut_status abut__tree_build(const abut_context* context, const abut_mesh* mesh,
                             abut_positions positions, const abut__tree_def* def, abut__tree* tree,
                             abut_error* error) {
    *tree = (abut__tree){.context = context};
    const abut__kept_blocks none = {NULL, NULL, 0};
    if (mesh->alive_count == mesh->triangle_count) {
        return abut__tree_assemble(tree, mesh, positions, &none, NULL, mesh->alive_count, def, NULL,
                                   NULL, NULL, error);
    }
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
    const abut_status status = abut__tree_assemble(tree, mesh, positions, &none, ids, count, def,
                                                   NULL, NULL, NULL, error);
    abut__free(context, ids, mesh->alive_count, sizeof *ids);
    return status;
}
