// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Certificates across edits: see certified.h.
#include "motion/certified.h"

#define WITHOUT_MOST 8u  // up to 1 / so many of the blocks may be without a certificate

typedef struct descender {
    const abut_shape* shape;
    const abut__lineage* lineage;
    const abut__certified* from;
    abut__certified* made;
    uint32_t* owner;   // per triangle: its old block, or ABUT__NONE
    uint32_t* origin;  // per block: the old block that has all its triangles, or one below
    uint8_t* unsound;  // per vertex: it moves differently, or its class was split
} descender;

// Triangles that shared a class count as neighbours, about which certificates say nothing.
static void mark_split_classes(descender* d, uint32_t* room) {
    const abut_mesh* old = d->lineage->shape->mesh;
    const abut_mesh* mesh = d->shape->mesh;
    const uint32_t split = ABUT__NONE - 1;
    for (uint32_t v = 0; v < old->vertex_count; ++v) {
        room[v] = ABUT__NONE;
    }
    for (uint32_t v = 0; v < old->vertex_count; ++v) {
        uint32_t* now = &room[abut__mesh_class(old, v)];
        *now = *now == ABUT__NONE || *now == abut__mesh_class(mesh, v) ? abut__mesh_class(mesh, v)
                                                                       : split;
    }
    for (uint32_t v = 0; v < old->vertex_count; ++v) {
        d->unsound[v] |= room[abut__mesh_class(old, v)] == split;
    }
}

static void find_owners(descender* d) {
    const abut__tree* old = &d->lineage->shape->tree;
    for (uint32_t t = 0; t < d->shape->mesh->triangle_count; ++t) {
        d->owner[t] = ABUT__NONE;
    }
    for (uint32_t b = 0; b < old->block_count; ++b) {
        for (uint32_t k = 0; k < old->blocks[b]->triangle_count; ++k) {
            d->owner[old->blocks[b]->triangle[k]] = b;
        }
    }
}

#define SEVERAL (ABUT__NONE - 1)  // its triangles are from several old blocks

// Returns ABUT__NONE if a triangle is new or a vertex moves differently.
static uint32_t origin_of(const descender* d, const abut__block* block) {
    const uint32_t origin = d->owner[block->triangle[0]];
    bool same = true;
    for (uint32_t k = 0; k < block->triangle_count; ++k) {
        same = same && d->owner[block->triangle[k]] == origin;
        if (d->owner[block->triangle[k]] == ABUT__NONE) {
            return ABUT__NONE;
        }
    }
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        if (d->unsound[block->vertex[v]] != 0) {
            return ABUT__NONE;
        }
    }
    return same ? origin : SEVERAL;
}

static uint32_t number_before(const uint32_t* map, bool mapped, uint32_t number) {
    return number >= SEVERAL ? ABUT__NONE : mapped ? map[number] : number;
}

// Returns the number of blocks without a certificate.
static uint32_t map_blocks(descender* d) {
    const abut__tree* tree = &d->shape->tree;
    uint32_t without = 0;
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        d->origin[b] = origin_of(d, tree->blocks[b]);
        d->made->blocks[b] = number_before(d->from->blocks, d->from->mapped, d->origin[b]);
        without += d->made->blocks[b] == ABUT__NONE;
    }
    return without;
}

static bool is_under(const abut__tree* tree, uint32_t block, uint32_t node) {
    uint32_t n = tree->block_parent[block];
    while (n != node && n != ABUT__NONE) {
        n = tree->nodes[n].parent;
    }
    return n == node;
}

// Tells whether all triangles of a block were under a node before.
static bool was_under(const descender* d, uint32_t block, uint32_t node) {
    const abut__tree* old = &d->lineage->shape->tree;
    const abut__block* own = d->shape->tree.blocks[block];
    if (d->origin[block] != SEVERAL) {
        return d->origin[block] != ABUT__NONE && is_under(old, d->origin[block], node);
    }
    bool under = true;
    for (uint32_t k = 0; k < own->triangle_count; ++k) {
        under = under && is_under(old, d->owner[own->triangle[k]], node);
    }
    return under;
}

// A node keeps its certificate if all its triangles were under it before.
static void map_nodes(descender* d) {
    const abut__tree* tree = &d->shape->tree;
    uint32_t* nodes = d->made->nodes;
    memcpy(nodes, d->shape->descent->node, tree->node_count * sizeof *nodes);
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        for (uint32_t n = tree->block_parent[b]; n != ABUT__NONE; n = tree->nodes[n].parent) {
            nodes[n] = nodes[n] != ABUT__NONE && was_under(d, b, nodes[n]) ? nodes[n] : ABUT__NONE;
        }
    }
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        nodes[n] = number_before(d->from->nodes, d->from->mapped, nodes[n]);
    }
}

static abut__certified* start(const abut_shape* shape, const abut__certified* from) {
    const abut_context* context = shape->context;
    abut__certified* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    *made = (abut__certified){.context = context,
                              .mapped = true,
                              .node_count = shape->tree.node_count,
                              .block_count = shape->tree.block_count};
    made->nodes = abut__alloc(context, made->node_count, sizeof *made->nodes);
    made->blocks = abut__alloc(context, made->block_count, sizeof *made->blocks);
    if (made->nodes == NULL || made->blocks == NULL) {
        abut__certified_drop(made);
        return NULL;
    }
    atomic_fetch_add(&from->set->holders, 1);
    made->set = from->set;
    return made;
}

static bool map_all(descender* d, uint32_t* room, const uint8_t* changed) {
    if (changed != NULL) {
        memcpy(d->unsound, changed, d->shape->mesh->vertex_count);
    }
    mark_split_classes(d, room);
    find_owners(d);
    if (WITHOUT_MOST * map_blocks(d) > d->shape->tree.block_count) {
        return false;
    }
    map_nodes(d);
    return true;
}

void abut__certified_descend(abut_shape* shape, const abut__lineage* lineage,
                             const uint8_t* changed) {
    descender d = {
        .shape = shape, .lineage = lineage, .from = abut__once_peek(&lineage->shape->certificates)};
    abut__certified_share_sample(shape, lineage->shape);
    if (d.from == NULL || shape->descent == NULL) {
        return;
    }
    abut__arena arena = abut__arena_make(shape->context);
    const uint32_t vertices = shape->mesh->vertex_count;
    uint32_t* room = abut__arena_push(&arena, vertices + (size_t)1, sizeof *room);
    d.owner = abut__arena_push(&arena, shape->mesh->triangle_count + (size_t)1, sizeof *d.owner);
    d.origin = abut__arena_push(&arena, shape->tree.block_count + (size_t)1, sizeof *d.origin);
    d.unsound = abut__arena_push(&arena, vertices + (size_t)1, 1);
    d.made = room != NULL && d.owner != NULL && d.origin != NULL && d.unsound != NULL
                 ? start(shape, d.from)
                 : NULL;
    if (d.made != NULL) {
        memset(d.unsound, 0, vertices);
        if (map_all(&d, room, changed)) {
            atomic_store(&shape->certificates, d.made);
        } else {
            abut__certified_drop(d.made);
        }
    }
    abut__arena_release(&arena);
}
