// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Builds the tree of an edited mesh. Blocks that lost a triangle, or that are degraded, are
// dissolved. Their remaining triangles and the new triangles go into new blocks; all other blocks
// are shared. By default the nodes are built anew above the blocks, which are few, so that edits do
// not degrade the tree. Where bodies cache much per node, the nodes are kept (patch.h).
#include "tree/patch.h"

#define SLABS_MOST 8  // with this many, the kept blocks are copied into one new slab

typedef struct editor {
    const abut__tree* old;
    const abut_mesh* mesh;
    abut__tree* tree;
    abut__arena arena;
    uint32_t* loose;  // triangles that need a new block
    uint32_t loose_count;
    abut__kept_blocks kept;
    uint32_t* origin;  // per kept block: its index in the old tree
} editor;

static bool block_lost_one(const abut_mesh* mesh, const abut__block* block) {
    for (uint32_t k = 0; k < block->triangle_count; ++k) {
        if (!abut__mesh_alive(mesh, block->triangle[k])) {
            return true;
        }
    }
    return false;
}

static bool sort_out_blocks(editor* e, uint32_t first_added, const uint8_t* degraded) {
    const abut_mesh* mesh = e->mesh;
    uint32_t dissolved = 0;
    e->kept.blocks = abut__arena_push(&e->arena, e->old->block_count, sizeof *e->kept.blocks);
    e->kept.fit = abut__arena_push(&e->arena, e->old->block_count, sizeof *e->kept.fit);
    uint8_t* lost = abut__arena_push(&e->arena, e->old->block_count, 1);
    if (e->kept.blocks == NULL || e->kept.fit == NULL || lost == NULL) {
        return false;
    }
    for (uint32_t b = 0; b < e->old->block_count; ++b) {
        lost[b] = block_lost_one(mesh, e->old->blocks[b]) || (degraded != NULL && degraded[b] != 0);
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
            e->origin[e->kept.count] = b;
            e->kept.fit[e->kept.count] = e->old->block_fit[b];
            e->kept.blocks[e->kept.count++] = block;
            continue;
        }
        for (uint32_t k = 0; k < block->triangle_count; ++k) {
            if (abut__mesh_alive(mesh, block->triangle[k])) {
                e->loose[e->loose_count++] = block->triangle[k];
            }
        }
    }
    for (uint32_t t = first_added; t < mesh->triangle_count; ++t) {
        e->loose[e->loose_count++] = t;
    }
    return true;
}

static bool slab_has(const abut__slab* slab, const abut__block* block) {
    return block >= slab->blocks && block < slab->blocks + slab->count;
}

// Takes a reference to every slab that has a kept block. `held` receives their total block count.
static bool share_slabs(editor* e, size_t* held) {
    abut__slab** slabs = e->old->slabs.data;
    *held = 0;
    for (size_t s = 0; s < e->old->slabs.count; ++s) {
        bool wanted = false;
        for (uint32_t i = 0; i < e->kept.count && !wanted; ++i) {
            wanted = slab_has(slabs[s], e->kept.blocks[i]);
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
        abut__slab_release(tree->context, tree->slabs.data[s]);
    }
    tree->slabs.count = 0;
}

// Shares the slabs of kept blocks, or copies these if the slabs are many or hold mostly dead
// blocks.
static bool keep_blocks(editor* e) {
    size_t held = 0;
    if (!share_slabs(e, &held)) {
        return false;
    }
    if (e->kept.count == 0 ||
        (e->tree->slabs.count < SLABS_MOST && held <= 2 * (size_t)e->kept.count)) {
        return true;
    }
    abut__slab* slab = abut__slab_make(e->tree->context, e->kept.count);
    if (slab == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < e->kept.count; ++i) {
        slab->blocks[i] = *e->kept.blocks[i];
        e->kept.blocks[i] = &slab->blocks[i];
    }
    drop_slabs(e->tree);
    return abut__tree_adopt(e->tree, slab);
}

// Tells whether to keep the old nodes.
static bool keeps_nodes(const editor* e, const abut__tree_def* def) {
    return def->lasting && e->kept.count > 0 &&
           abut__tree_lasts(e->old, e->old->block_count - e->kept.count,
                            (e->loose_count + def->block_triangles - 1) / def->block_triangles);
}

abut_status abut__tree_edit(const abut__tree* old, const abut_mesh* mesh, abut_positions positions,
                            uint32_t first_added, const uint8_t* degraded,
                            const abut__tree_def* def, abut__tree* tree, uint32_t* blocks_reused,
                            uint32_t* origin, abut__descent** descent, abut_error* error) {
    *tree = (abut__tree){.context = old->context};
    *descent = NULL;
    editor e = {.old = old, .mesh = mesh, .tree = tree, .arena = abut__arena_make(old->context)};
    e.origin = origin;
    abut_status status = ABUT_OK;
    if (sort_out_blocks(&e, first_added, degraded) && keep_blocks(&e)) {
        status = abut__tree_assemble(tree, mesh, positions, &e.kept, e.loose, e.loose_count, def,
                                     keeps_nodes(&e, def) ? old : NULL, origin, descent, error);
    } else {
        abut__tree_free(tree);
        status = abut__fail_memory(error);
    }
    abut__arena_release(&e.arena);
    *blocks_reused = status == ABUT_OK ? e.kept.count : 0;
    return status;
}
