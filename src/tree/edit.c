// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The tree of an edited mesh. Blocks that lost a triangle are dissolved; their survivors and the
// new triangles are split into new blocks; all others are shared as they are. The nodes are folded
// anew above the blocks, which are few, so that edits do not wear the tree out.
#include "tree/split.h"
#include "tree/tree.h"

#define SLABS_MOST 8  // with more, the kept blocks are copied into one new slab

typedef struct editor {
    const abut__tree* old;
    const abut_mesh* mesh;
    const abut__tree_def* def;
    abut__tree* tree;
    abut__arena arena;
    abut__item* loose;  // triangles that need a new block
    uint32_t loose_count;
    const abut__block** kept;
    uint32_t kept_count;
} editor;

static bool block_lost_one(const abut_mesh* mesh, const abut__block* block) {
    for (uint32_t k = 0; k < block->triangle_count; ++k) {
        if (!abut__mesh_alive(mesh, block->triangle[k])) {
            return true;
        }
    }
    return false;
}

static bool sort_out_blocks(editor* e, uint32_t first_added) {
    const abut_mesh* mesh = e->mesh;
    const abut_positions rest = abut_mesh_rest_positions(mesh);
    uint32_t dissolved = 0;
    e->kept = abut__arena_push(&e->arena, e->old->block_count, sizeof *e->kept);
    uint8_t* lost = abut__arena_push(&e->arena, e->old->block_count, 1);
    if (e->kept == NULL || lost == NULL) {
        return false;
    }
    for (uint32_t b = 0; b < e->old->block_count; ++b) {
        lost[b] = block_lost_one(mesh, e->old->blocks[b]);
        dissolved += lost[b] != 0 ? e->old->blocks[b]->triangle_count : 0;
    }
    const size_t most = (size_t)dissolved + (mesh->triangle_count - first_added);
    e->loose = abut__arena_push(&e->arena, most + 1, sizeof *e->loose);
    if (e->loose == NULL) {
        return false;
    }
    for (uint32_t b = 0; b < e->old->block_count; ++b) {
        const abut__block* block = e->old->blocks[b];
        if (lost[b] == 0) {
            e->kept[e->kept_count++] = block;
            continue;
        }
        for (uint32_t k = 0; k < block->triangle_count; ++k) {
            if (abut__mesh_alive(mesh, block->triangle[k])) {
                e->loose[e->loose_count++] = abut__triangle_item(mesh, rest, block->triangle[k]);
            }
        }
    }
    for (uint32_t t = first_added; t < mesh->triangle_count; ++t) {
        e->loose[e->loose_count++] = abut__triangle_item(mesh, rest, t);
    }
    return true;
}

static bool slab_has(const abut__slab* slab, const abut__block* block) {
    return block >= slab->blocks && block < slab->blocks + slab->count;
}

// holds the slabs that still have a kept block, and tells how many blocks those have in all
static bool share_slabs(editor* e, size_t* held) {
    abut__slab** slabs = e->old->slabs.data;
    *held = 0;
    for (size_t s = 0; s < e->old->slabs.count; ++s) {
        bool wanted = false;
        for (uint32_t i = 0; i < e->kept_count && !wanted; ++i) {
            wanted = slab_has(slabs[s], e->kept[i]);
        }
        if (wanted) {
            atomic_fetch_add_explicit(&slabs[s]->holders, 1, memory_order_relaxed);
            if (!abut__tree_adopt(e->tree, slabs[s])) {
                return false;
            }
            *held += slabs[s]->count;
        }
    }
    return true;
}

static void drop_slabs(abut__tree* tree) {
    for (size_t s = 0; s < tree->slabs.count; ++s) {
        abut__slab_release(tree->context, ((abut__slab**)tree->slabs.data)[s]);
    }
    tree->slabs.count = 0;
}

// many slabs, or slabs of mostly dead blocks, are replaced by one
static bool keep_blocks(editor* e) {
    size_t held = 0;
    if (!share_slabs(e, &held)) {
        return false;
    }
    if (e->kept_count == 0 ||
        (e->tree->slabs.count < SLABS_MOST && held <= 2 * (size_t)e->kept_count)) {
        return true;
    }
    abut__slab* slab = abut__slab_make(e->tree->context, e->kept_count);
    if (slab == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < e->kept_count; ++i) {
        slab->blocks[i] = *e->kept[i];
        e->kept[i] = &slab->blocks[i];
    }
    drop_slabs(e->tree);
    return abut__tree_adopt(e->tree, slab);
}

// new blocks after the kept ones
static bool make_new_blocks(editor* e, abut__vector* splits) {
    abut__tree* tree = e->tree;
    uint32_t made = 0;
    abut__slab* slab = NULL;
    if (e->loose_count > 0) {
        if (!abut__split_triangles(e->mesh, e->loose, e->loose_count, e->def, splits)) {
            return false;
        }
        made = (uint32_t)splits->count / 2 + 1;
        uint32_t* leaf_block = abut__arena_push(&e->arena, splits->count, sizeof *leaf_block);
        slab = abut__slab_make(tree->context, made);
        if (slab == NULL || !abut__tree_adopt(tree, slab) || leaf_block == NULL) {
            return false;
        }
        abut__make_blocks(e->mesh, e->loose, splits, slab->blocks, leaf_block);
        splits->count = 0;
    }
    tree->blocks = abut__alloc(tree->context, (size_t)e->kept_count + made, sizeof *tree->blocks);
    if (tree->blocks == NULL) {
        return false;
    }
    tree->block_count = e->kept_count + made;
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        tree->blocks[b] = b < e->kept_count ? e->kept[b] : &slab->blocks[b - e->kept_count];
    }
    return true;
}

static abut__item block_item(const abut_mesh* mesh, const abut__block* block, uint32_t id) {
    const abut_positions rest = abut_mesh_rest_positions(mesh);
    abut__item item = abut__triangle_item(mesh, rest, block->triangle[0]);
    for (uint32_t k = 1; k < block->triangle_count; ++k) {
        const abut__item other = abut__triangle_item(mesh, rest, block->triangle[k]);
        for (int d = 0; d < 3; ++d) {
            item.lo[d] = other.lo[d] < item.lo[d] ? other.lo[d] : item.lo[d];
            item.hi[d] = other.hi[d] > item.hi[d] ? other.hi[d] : item.hi[d];
        }
    }
    item.id = id;
    return item;
}

static bool fold_blocks(editor* e, abut__vector* splits) {
    abut__tree* tree = e->tree;
    abut__item* items = abut__arena_push(&e->arena, tree->block_count, sizeof *items);
    if (items == NULL) {
        return false;
    }
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        items[b] = block_item(e->mesh, tree->blocks[b], b);
    }
    const abut__split_def one_each = {1, NULL, NULL};
    if (!abut__split_items(tree->context, items, tree->block_count, &one_each, splits)) {
        return false;
    }
    uint32_t* leaf_block = abut__arena_push(&e->arena, splits->count, sizeof *leaf_block);
    if (leaf_block == NULL) {
        return false;
    }
    const abut__split* nodes = splits->data;
    for (size_t i = 0; i < splits->count; ++i) {
        leaf_block[i] = items[nodes[i].first].id;
    }
    return abut__tree_fold(tree, splits, leaf_block, e->def->fan_out);
}

abut_status abut__tree_edit(const abut__tree* old, const abut_mesh* mesh, uint32_t first_added,
                            const abut__tree_def* def, abut__tree* tree, uint32_t* blocks_shared,
                            abut_error* error) {
    *tree = (abut__tree){.context = old->context};
    editor e = {old, mesh, def, tree, abut__arena_make(old->context), NULL, 0, NULL, 0};
    abut__vector splits = {0};
    const bool done = sort_out_blocks(&e, first_added) && keep_blocks(&e) &&
                      make_new_blocks(&e, &splits) && fold_blocks(&e, &splits);
    abut__vector_free(old->context, &splits, sizeof(abut__split));
    abut__arena_release(&e.arena);
    const abut_status status = done ? abut__tree_link(tree, mesh, error) : abut__fail_memory(error);
    if (status != ABUT_OK) {
        abut__tree_free(tree);
        return status;
    }
    *blocks_shared = e.kept_count;
    return ABUT_OK;
}
