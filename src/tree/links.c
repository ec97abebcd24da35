// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Links: pairs of blocks that share a class, and the lanes that share it. The boxes of such blocks
// always overlap, so self queries read the pairs from here instead of searching the tree. Each link
// belongs to the lowest node above both blocks; a query that skips this node skips the link. For
// pairs within a block, each lane lists the later lanes that share no class with it.
//
// A class in very many blocks (the apex of a fan) would give a quadratic number of links. Such a
// hub gives none. Blocks that use a hub are marked, and queries compare classes there. If all
// triangles under two nodes have a hub in common, nothing is compared. The tree keeps triangles of
// a hub together (tree/hubs.h), so this ends most such pairs.
#include "tree/links.h"

#include "base/ascending.h"

#include "base/sort.h"
#include "tree/hubs.h"

// A class in a block, and the lanes that use it.
typedef struct use {
    uint32_t block;
    uint32_t filled;  // in the first use of a class: number of its uses
    uint64_t lanes;
} use;

typedef struct linker {
    const abut__tree* tree;
    const abut_mesh* mesh;
    abut__links* out;
    abut__arena arena;
    uint32_t* first;  // per class: uses[first[c] .. first[c + 1]), blocks ascending
    use* uses;
    abut__keyed* pairs;  // key: block a, block b; value: indices of the two uses
    size_t pair_count;
} linker;

// Counts the blocks of each class. Most classes are in one block and give no links. Several copies
// of a class in one block (at a seam) count once.
static bool count_uses(linker* l) {
    const size_t classes = l->mesh->vertex_count;
    uint32_t* last = abut__arena_push(&l->arena, classes, sizeof *last);
    l->first = abut__arena_push(&l->arena, classes + 1, sizeof *l->first);
    if (last == NULL || l->first == NULL) {
        return false;
    }
    memset(last, 0xff, classes * sizeof *last);
    memset(l->first, 0, (classes + 1) * sizeof *l->first);
    for (uint32_t b = 0; b < l->tree->block_count; ++b) {
        const abut__block* block = l->tree->blocks[b];
        for (uint32_t v = 0; v < block->vertex_count; ++v) {
            const uint32_t class_id = abut__mesh_class(l->mesh, block->vertex[v]);
            if (last[class_id] != b) {
                ++l->first[class_id + 1];
                last[class_id] = b;
            }
        }
    }
    for (size_t c = 0; c < classes; ++c) {
        const uint32_t uses = l->first[c + 1];
        l->first[c + 1] = l->first[c] + (uses > 1 ? uses : 0);
    }
    return true;
}

static uint32_t use_count(const linker* l, size_t class_id) {
    return l->first[class_id + 1] - l->first[class_id];
}

// Adds lanes of a block to a class: to its last use if that is the block's, otherwise to a new one.
static void place_use(linker* l, uint32_t class_id, uint32_t block, uint64_t lanes) {
    use* list = l->uses + l->first[class_id];
    uint32_t i = list[0].filled;
    if (i > 0 && list[i - 1].block == block) {
        list[i - 1].lanes |= lanes;
        return;
    }
    list[i].block = block;
    list[i].lanes = lanes;
    list[0].filled = i + 1;
}

static void place_block(linker* l, uint32_t b) {
    const abut__block* block = l->tree->blocks[b];
    uint64_t lanes[ABUT__BLOCK_VERTICES] = {0};
    for (uint32_t k = 0; k < block->triangle_count; ++k) {
        for (int c = 0; c < 3; ++c) {
            lanes[block->corner[c][k]] |= UINT64_C(1) << k;
        }
    }
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        const uint32_t class_id = abut__mesh_class(l->mesh, block->vertex[v]);
        if (use_count(l, class_id) > 0) {
            place_use(l, class_id, b, lanes[v]);
        }
    }
}

static bool gather_uses(linker* l) {
    if (!count_uses(l)) {
        return false;
    }
    const size_t total = l->first[l->mesh->vertex_count];
    l->uses = abut__arena_push(&l->arena, total + 1, sizeof *l->uses);
    if (l->uses == NULL) {
        return false;
    }
    memset(l->uses, 0, total * sizeof *l->uses);
    for (uint32_t b = 0; b < l->tree->block_count; ++b) {
        place_block(l, b);
    }
    return true;
}

// Collects all pairs of blocks at every class except hubs, and marks the blocks that use a hub.
static bool gather_pairs(linker* l) {
    const size_t classes = l->mesh->vertex_count;
    size_t most = 0;
    for (size_t c = 0; c < classes; ++c) {
        const size_t n = use_count(l, c);
        most += n > 1 && n <= ABUT__HUB_BLOCKS ? n * (n - 1) / 2 : 0;
    }
    l->pairs = abut__arena_push(&l->arena, most + 1, sizeof *l->pairs);
    if (l->pairs == NULL) {
        return false;
    }
    for (size_t c = 0; c < classes; ++c) {
        const uint32_t n = use_count(l, c);
        const uint64_t first = l->first[c];
        for (uint32_t i = 0; i < n; ++i) {
            if (n > ABUT__HUB_BLOCKS) {
                l->out->hub[l->uses[first + i].block] = 1;
                continue;
            }
            for (uint32_t k = i + 1; k < n; ++k) {
                const uint64_t a = l->uses[first + i].block;
                const uint64_t b = l->uses[first + k].block;
                l->pairs[l->pair_count++] = (abut__keyed){a << 32 | b,
                                                          (first + i) << 32 | (first + k)};
            }
        }
    }
    return true;
}

// Returns the end of the run of pairs with the same two blocks.
static size_t run_end(const linker* l, size_t begin) {
    size_t end = begin + 1;
    while (end < l->pair_count && l->pairs[end].key == l->pairs[begin].key) {
        ++end;
    }
    return end;
}

static uint64_t rows_of(const linker* l, size_t begin, size_t end) {
    uint64_t rows = 0;
    for (size_t i = begin; i < end; ++i) {
        rows |= l->uses[l->pairs[i].value >> 32].lanes;
    }
    return rows;
}

static void fill_masks(const linker* l, size_t begin, size_t end, uint64_t rows, uint64_t* masks) {
    for (uint64_t left = rows; left != 0; left &= left - 1) {
        const uint64_t lane = left & (~left + 1);
        uint64_t mask = 0;
        for (size_t i = begin; i < end; ++i) {
            if ((l->uses[l->pairs[i].value >> 32].lanes & lane) != 0) {
                mask |= l->uses[l->pairs[i].value & UINT32_MAX].lanes;
            }
        }
        *masks++ = mask;
    }
}

static bool make_links(linker* l) {
    abut__links* out = l->out;
    abut__keyed* scratch = abut__arena_push(&l->arena, l->pair_count + 1, sizeof *scratch);
    if (scratch == NULL) {
        return false;
    }
    abut__sort_keyed(l->pairs, scratch, l->pair_count);
    size_t links = 0;
    size_t masks = 0;
    for (size_t i = 0; i < l->pair_count;) {
        const size_t end = run_end(l, i);
        ++links;
        masks += (size_t)__builtin_popcountll(rows_of(l, i, end));
        i = end;
    }
    if (masks > UINT32_MAX) {
        return false;
    }
    out->count = (uint32_t)links;
    out->mask_count = (uint32_t)masks;
    // one more than needed, to avoid an empty allocation
    out->list = abut__alloc(out->context, links + 1, sizeof *out->list);
    out->masks = abut__alloc(out->context, masks + 1, sizeof *out->masks);
    if (out->list == NULL || out->masks == NULL) {
        return false;
    }
    links = masks = 0;
    for (size_t i = 0; i < l->pair_count;) {
        const size_t end = run_end(l, i);
        const uint64_t rows = rows_of(l, i, end);
        const uint64_t key = l->pairs[i].key;
        out->list[links++] = (abut__link){(uint32_t)(key >> 32), (uint32_t)key, rows,
                                          (uint32_t)masks};
        fill_masks(l, i, end, rows, out->masks + masks);
        masks += (size_t)__builtin_popcountll(rows);
        i = end;
    }
    return true;
}

// Returns the slot of a block, or of the node above it, among the children of a node.
static uint32_t slot_under(const abut__tree* tree, uint32_t block, uint32_t node) {
    uint32_t slot = tree->block_slot[block];
    for (uint32_t n = tree->block_parent[block]; n != node; n = tree->nodes[n].parent) {
        slot = tree->nodes[n].slot;
    }
    return slot;
}

static uint64_t crossing_bit(const abut__tree* tree, const abut__link* link, uint32_t node) {
    const uint32_t i = slot_under(tree, link->a, node);
    const uint32_t k = slot_under(tree, link->b, node);
    return UINT64_C(1) << (i < k ? ABUT__FAN * i + k : ABUT__FAN * k + i);
}

// Sorts the links by their lowest common node, so that the links of a node are one range.
static bool group_links(linker* l) {
    abut__links* out = l->out;
    uint32_t* node = abut__arena_push(&l->arena, (size_t)out->count + 1, sizeof *node);
    abut__link* copy = abut__arena_push(&l->arena, (size_t)out->count + 1, sizeof *copy);
    out->node_first = abut__alloc_zero(out->context, (size_t)out->node_count + 1,
                                       sizeof *out->node_first);
    out->crossing = abut__alloc_zero(out->context, (size_t)out->node_count + 1,
                                     sizeof *out->crossing);
    if (node == NULL || copy == NULL || out->node_first == NULL || out->crossing == NULL) {
        return false;
    }
    uint32_t* first = out->node_first;
    for (uint32_t i = 0; i < out->count; ++i) {
        node[i] = abut__common_node(l->tree, out->list[i].a, out->list[i].b);
        copy[i] = out->list[i];
        out->crossing[node[i]] |= crossing_bit(l->tree, &copy[i], node[i]);
        ++first[node[i]];
    }
    uint32_t sum = 0;
    for (uint32_t n = 0; n <= out->node_count; ++n) {
        sum += first[n];
        first[n] = sum;  // the end of n's range, which is filled backwards
    }
    for (uint32_t i = out->count; i-- > 0;) {
        out->list[--first[node[i]]] = copy[i];
    }
    return true;
}

static size_t near_room(size_t links) {
    return 2 * links + 1 + ABUT__ASCENDING_BEYOND;
}

// Lists the linked blocks of every block, ascending. The links must be sorted by (a, b).
static bool list_near(abut__links* out) {
    const size_t blocks = out->block_count;
    out->near_first = abut__alloc_zero(out->context, blocks + 1, sizeof *out->near_first);
    out->near = abut__alloc_zero(out->context, near_room(out->count), sizeof *out->near);
    if (out->near_first == NULL || out->near == NULL) {
        return false;
    }
    uint32_t* first = out->near_first;
    for (uint32_t i = 0; i < out->count; ++i) {
        ++first[out->list[i].a];
        ++first[out->list[i].b];
    }
    uint32_t sum = 0;
    for (size_t b = 0; b <= blocks; ++b) {
        sum += first[b];
        first[b] = sum;  // the end of b's range, which is filled backwards
    }
    for (uint32_t i = out->count; i-- > 0;) {  // partners with a higher index, descending
        out->near[--first[out->list[i].a]] = out->list[i].b;
    }
    for (uint32_t i = out->count; i-- > 0;) {  // then those with a lower index, descending
        out->near[--first[out->list[i].b]] = out->list[i].a;
    }
    return true;
}

// Lists the pairs of nodes with linked blocks as sorted, unique keys, in both orders; returns how
// many.
static uint32_t sort_beside(const linker* l, uint64_t* keys, uint64_t* scratch) {
    const abut__links* out = l->out;
    const uint32_t* parent = l->tree->block_parent;
    uint32_t count = 0;
    for (uint32_t i = 0; i < out->count; ++i) {
        const uint64_t a = parent[out->list[i].a];
        const uint64_t b = parent[out->list[i].b];
        keys[2 * (size_t)i] = a << 32 | b;
        keys[2 * (size_t)i + 1] = b << 32 | a;
    }
    abut__sort_keys(keys, scratch, 2 * (size_t)out->count);
    for (size_t i = 0; i < 2 * (size_t)out->count; ++i) {
        if (i == 0 || keys[i] != keys[i - 1]) {
            keys[count++] = keys[i];
        }
    }
    return count;
}

static uint32_t place_beside(const abut__links* links, uint32_t node_a, uint32_t node_b) {
    const uint32_t first = links->beside_first[node_a];
    const uint32_t count = links->beside_first[node_a + 1] - first;
    const uint32_t place = abut__ascending_find(links->beside + first, count, node_b);
    return place < count ? first + place : ABUT__NONE;
}

static void put_beside(const linker* l, uint32_t a, uint32_t b) {
    const abut__tree* tree = l->tree;
    const uint32_t place = place_beside(l->out, tree->block_parent[a], tree->block_parent[b]);
    const uint32_t bit = (uint32_t)ABUT__FAN * tree->block_slot[a] + tree->block_slot[b];
    l->out->beside_blocks[place] |= UINT64_C(1) << bit;
}

static size_t beside_room(uint32_t count) {
    return (size_t)count + 1 + ABUT__ASCENDING_BEYOND;
}

static bool list_beside(linker* l) {
    abut__links* out = l->out;
    const size_t most = 2 * (size_t)out->count + 1;
    uint64_t* keys = abut__arena_push(&l->arena, most, sizeof *keys);
    uint64_t* scratch = abut__arena_push(&l->arena, most, sizeof *scratch);
    out->beside_first = abut__alloc_zero(out->context, (size_t)out->node_count + 1,
                                         sizeof *out->beside_first);
    if (keys == NULL || scratch == NULL || out->beside_first == NULL) {
        return false;
    }
    const uint32_t count = sort_beside(l, keys, scratch);
    out->beside_count = count;
    out->beside = abut__alloc_zero(out->context, beside_room(count), sizeof *out->beside);
    out->beside_blocks = abut__alloc_zero(out->context, beside_room(count),
                                          sizeof *out->beside_blocks);
    if (out->beside == NULL || out->beside_blocks == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        ++out->beside_first[(keys[i] >> 32) + 1];
        out->beside[i] = (uint32_t)keys[i];
    }
    for (uint32_t n = 0; n < out->node_count; ++n) {
        out->beside_first[n + 1] += out->beside_first[n];
    }
    for (uint32_t i = 0; i < out->count; ++i) {
        put_beside(l, out->list[i].a, out->list[i].b);
        put_beside(l, out->list[i].b, out->list[i].a);
    }
    return true;
}

// The lanes that share a class with lane i are the union, over its corners, of the lanes at that
// class. `last` has room for one entry per class: the index of one of the block's vertices in it.
static void fill_later(const abut_mesh* mesh, const abut__block* block, uint8_t* last,
                       abut__later* later) {
    uint64_t lanes[ABUT__BLOCK_VERTICES] = {0};
    uint8_t place[ABUT__BLOCK_VERTICES];
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        last[abut__mesh_class(mesh, block->vertex[v])] = (uint8_t)v;
    }
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        place[v] = last[abut__mesh_class(mesh, block->vertex[v])];
    }
    for (uint32_t k = 0; k < block->triangle_count; ++k) {
        for (int c = 0; c < 3; ++c) {
            lanes[place[block->corner[c][k]]] |= UINT64_C(1) << k;
        }
    }
    for (uint32_t k = 0; k < ABUT__BLOCK_TRIANGLES; ++k) {
        uint64_t adjacent = 0;
        for (int c = 0; c < 3; ++c) {
            adjacent |= lanes[place[block->corner[c][k]]];
        }
        const uint64_t after = ~((UINT64_C(2) << k) - 1);
        later->lanes[k] = block->valid & after & ~adjacent;
    }
}

static bool make_later(linker* l) {
    abut__links* out = l->out;
    uint8_t* last = abut__arena_push(&l->arena, l->mesh->vertex_count, 1);
    out->later = abut__alloc(out->context, out->block_count, sizeof *out->later);
    if (last == NULL || out->later == NULL) {
        return false;
    }
    for (uint32_t b = 0; b < out->block_count; ++b) {
        fill_later(l->mesh, l->tree->blocks[b], last, &out->later[b]);
    }
    return true;
}

static bool has_class(const uint32_t* classes, uint32_t class_id) {
    return classes[0] == class_id || classes[1] == class_id || classes[2] == class_id;
}

// Removes the classes that are not in the second set.
static void intersect_common(abut__common* all, const uint32_t classes[3]) {
    for (int i = 0; i < 3; ++i) {
        all->class_id[i] = has_class(classes, all->class_id[i]) ? all->class_id[i] : ABUT__NONE;
    }
}

static abut__common common_of_block(const abut_mesh* mesh, const abut__block* block) {
    abut__common common = {{ABUT__NONE, ABUT__NONE, ABUT__NONE}, ABUT__NONE};
    for (uint32_t k = 0; k < block->triangle_count; ++k) {
        uint32_t classes[3];
        for (int c = 0; c < 3; ++c) {
            classes[c] = abut__mesh_class(mesh, block->vertex[block->corner[c][k]]);
        }
        if (k == 0) {
            memcpy(common.class_id, classes, sizeof classes);
        }
        intersect_common(&common, classes);
    }
    return common;
}

static bool has_hub(const abut__links* links) {
    uint8_t any = 0;
    for (uint32_t b = 0; b < links->block_count; ++b) {
        any |= links->hub[b];
    }
    return any != 0;
}

static abut__common* common_at(const abut__links* links, abut__ref ref) {
    return &links->common[abut__is_block(ref)][abut__block_of(ref)];
}

static uint32_t first_class(const abut__common* common) {
    const uint32_t* c = common->class_id;
    return c[0] != ABUT__NONE ? c[0] : c[1] != ABUT__NONE ? c[1] : c[2];
}

// Sets the hubs, from parents to children.
static void name_hubs(const linker* l) {
    const abut__links* out = l->out;
    out->common[0][0].hub = first_class(&out->common[0][0]);
    for (uint32_t n = 0; n < out->node_count; ++n) {
        const abut__node* node = &l->tree->nodes[n];
        const uint32_t hub = out->common[0][n].hub;
        for (uint32_t i = 0; i < node->count; ++i) {
            abut__common* child = common_at(out, node->child[i]);
            child->hub = hub != ABUT__NONE ? hub : first_class(child);
        }
    }
}

// Finds the classes that all triangles have in common: of blocks, then of nodes, children first.
static bool find_common(const linker* l) {
    abut__links* out = l->out;
    if (!has_hub(out)) {
        return true;
    }
    out->common[0] = abut__alloc(out->context, out->node_count, sizeof(abut__common));
    out->common[1] = abut__alloc(out->context, out->block_count, sizeof(abut__common));
    if (out->common[0] == NULL || out->common[1] == NULL) {
        return false;
    }
    for (uint32_t b = 0; b < out->block_count; ++b) {
        out->common[1][b] = common_of_block(l->mesh, l->tree->blocks[b]);
    }
    for (uint32_t n = out->node_count; n-- > 0;) {
        const abut__node* node = &l->tree->nodes[n];
        if (node->count == 0) {
            out->common[0][n] = (abut__common){{ABUT__NONE, ABUT__NONE, ABUT__NONE}, ABUT__NONE};
            continue;
        }
        out->common[0][n] = *common_at(out, node->child[0]);
        for (uint32_t i = 1; i < node->count; ++i) {
            intersect_common(&out->common[0][n], common_at(out, node->child[i])->class_id);
        }
    }
    name_hubs(l);
    return true;
}

abut__links* abut__links_make(const abut__tree* tree, const abut_mesh* mesh) {
    const abut_context* context = tree->context;
    abut__links* out = abut__alloc_zero(context, 1, sizeof *out);
    if (out == NULL) {
        return NULL;
    }
    out->context = context;
    out->node_count = tree->node_count;
    out->block_count = tree->block_count;
    out->hub = abut__alloc_zero(context, tree->block_count, 1);
    linker l = {tree, mesh, out, abut__arena_make(context), NULL, NULL, NULL, 0};
    const bool done = out->hub != NULL && make_later(&l) && gather_uses(&l) && gather_pairs(&l) &&
                      make_links(&l) && list_near(out) && list_beside(&l) && group_links(&l) &&
                      find_common(&l);
    abut__arena_release(&l.arena);
    if (!done) {
        abut__links_free(out);
        return NULL;
    }
    return out;
}

void abut__links_free(abut__links* links) {
    if (links == NULL) {
        return;
    }
    const abut_context* context = links->context;
    const size_t blocks = links->block_count;
    const size_t count = links->count;
    abut__free(context, links->list, count + 1, sizeof *links->list);
    abut__free(context, links->masks, (size_t)links->mask_count + 1, sizeof *links->masks);
    abut__free(context, links->node_first, (size_t)links->node_count + 1,
               sizeof *links->node_first);
    abut__free(context, links->crossing, (size_t)links->node_count + 1, sizeof *links->crossing);
    abut__free(context, links->near_first, blocks + 1, sizeof *links->near_first);
    abut__free(context, links->near, near_room(count), sizeof *links->near);
    abut__free(context, links->beside_first, (size_t)links->node_count + 1,
               sizeof *links->beside_first);
    abut__free(context, links->beside, beside_room(links->beside_count), sizeof *links->beside);
    abut__free(context, links->beside_blocks, beside_room(links->beside_count),
               sizeof *links->beside_blocks);
    abut__free(context, links->later, blocks, sizeof *links->later);
    abut__free(context, links->hub, blocks, 1);
    abut__free(context, links->common[0], links->node_count, sizeof(abut__common));
    abut__free(context, links->common[1], blocks, sizeof(abut__common));
    abut__free(context, links, 1, sizeof *links);
}

bool abut__blocks_linked(const abut__links* links, uint32_t a, uint32_t b) {
    const uint32_t first = links->near_first[a];
    const uint32_t count = links->near_first[a + 1] - first;
    return abut__ascending_find(links->near + first, count, b) < count;
}

uint64_t abut__links_beside(const abut__links* links, uint32_t node_a, uint32_t node_b) {
    const uint32_t place = place_beside(links, node_a, node_b);
    return place != ABUT__NONE ? links->beside_blocks[place] : 0;
}
