// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Checks a tree: every node and block is reached exactly once, every living triangle is in exactly
// one lane, blocks agree with the mesh, and links miss no neighbours.
#include "tree/links.h"
#include "tree/stretches.h"

typedef struct checker {
    const abut__tree* tree;
    const abut_mesh* mesh;
    const abut__links* links;
    const abut__stretches* stretches;
    abut_error* error;
    uint32_t* lane_of;  // per triangle: block * 64 + lane, or ABUT__NONE
} checker;

static abut_status broken(const checker* c, abut_element element, uint64_t index,
                          const char* what) {
    return abut__fail(c->error, ABUT_ERR_STATE, element, index, "%s %llu: %s",
                      element == ABUT_ELEMENT_NODE ? "node" : "triangle", (unsigned long long)index,
                      what);
}

static abut_status check_child(const checker* c, uint32_t n, uint32_t slot) {
    const abut__tree* tree = c->tree;
    const abut__ref child = tree->nodes[n].child[slot];
    if (abut__is_block(child)) {
        const uint32_t block = abut__block_of(child);
        if (block >= tree->block_count || tree->block_parent[block] != n ||
            tree->block_slot[block] != slot) {
            return broken(c, ABUT_ELEMENT_NODE, n, "a block does not know it as its parent");
        }
        return ABUT_OK;
    }
    if (child <= n || child >= tree->node_count || tree->nodes[child].parent != n ||
        tree->nodes[child].slot != slot || tree->nodes[child].depth != tree->nodes[n].depth + 1) {
        return broken(c, ABUT_ELEMENT_NODE, n, "a child does not know it as its parent");
    }
    return ABUT_OK;
}

// Checks the nodes. Every child names its only parent, and there are as many children as nodes and
// blocks without the root. Therefore each is reached exactly once.
static abut_status check_nodes(const checker* c) {
    const abut__tree* tree = c->tree;
    uint64_t children = 0;
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        const abut__node* node = &tree->nodes[n];
        if (node->count == 0 || node->count > ABUT__FAN || node->depth >= tree->depth) {
            return broken(c, ABUT_ELEMENT_NODE, n, "its count or depth is out of range");
        }
        for (uint32_t slot = 0; slot < node->count; ++slot) {
            const abut_status status = check_child(c, n, slot);
            if (status != ABUT_OK) {
                return status;
            }
        }
        children += node->count;
    }
    if (children + 1 != (uint64_t)tree->node_count + tree->block_count) {
        return broken(c, ABUT_ELEMENT_NODE, 0, "some nodes or blocks are never reached");
    }
    return ABUT_OK;
}

static bool share_class(const abut_mesh* mesh, uint32_t a, uint32_t b) {
    for (size_t i = 0; i < 3; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            if (mesh->classes[mesh->triangles[3 * (size_t)a + i]] ==
                mesh->classes[mesh->triangles[3 * (size_t)b + k]]) {
                return true;
            }
        }
    }
    return false;
}

static abut_status check_lane(const checker* c, uint32_t b, uint32_t k) {
    const abut__block* block = c->tree->blocks[b];
    const uint32_t id = block->triangle[k];
    if (id >= c->mesh->triangle_count || !abut__mesh_alive(c->mesh, id)) {
        return broken(c, ABUT_ELEMENT_TRIANGLE, id,
                      "it is dead or not in the mesh, but in a block");
    }
    if (c->lane_of[id] != ABUT__NONE) {
        return broken(c, ABUT_ELEMENT_TRIANGLE, id, "it is in two lanes");
    }
    c->lane_of[id] = b * 64 + k;
    for (size_t corner = 0; corner < 3; ++corner) {
        if (block->vertex[block->corner[corner][k]] !=
            c->mesh->triangles[3 * (size_t)id + corner]) {
            return broken(c, ABUT_ELEMENT_TRIANGLE, id, "its block gives it other vertices");
        }
    }
    for (uint32_t other = k + 1; other < block->triangle_count; ++other) {
        const bool apart = (c->links->later[b].lanes[k] >> other & 1) != 0;
        if (apart == share_class(c->mesh, id, block->triangle[other])) {
            return broken(c, ABUT_ELEMENT_TRIANGLE, id, "its neighbours in the block are wrong");
        }
    }
    return ABUT_OK;
}

// Tells whether the stretches of a block, if it has any, cover exactly its vertices.
static bool stretches_fit(const checker* c, uint32_t b) {
    const abut__stretches* stretches = c->stretches;
    const abut__block* block = c->tree->blocks[b];
    if (stretches->count == 0 || stretches->first[b] == stretches->first[b + 1]) {
        return true;
    }
    uint64_t meant = 0;
    for (uint32_t s = stretches->first[b]; s < stretches->first[b + 1]; ++s) {
        const uint32_t first = abut__stretch_first(stretches->list[s]) / 3;
        const uint32_t length = (16 - abut__stretch_spare(stretches->list[s])) / 3;
        if (3 * (size_t)first + 16 > 3 * (size_t)c->mesh->vertex_count) {
            return false;  // a load would go beyond the array
        }
        for (uint32_t id = first; id < first + length; ++id) {
            uint32_t v = 0;
            while (v < block->vertex_count && block->vertex[v] != id) {
                ++v;
            }
            if (v == block->vertex_count) {
                return false;
            }
            meant |= UINT64_C(1) << v;
        }
    }
    return meant == UINT64_MAX >> (64 - block->vertex_count);
}

static abut_status check_blocks(const checker* c) {
    uint32_t found = 0;
    for (uint32_t b = 0; b < c->tree->block_count; ++b) {
        const abut__block* block = c->tree->blocks[b];
        if (block->triangle_count == 0 || block->triangle_count > ABUT__BLOCK_TRIANGLES ||
            block->vertex_count > ABUT__BLOCK_VERTICES ||
            block->valid != (UINT64_C(1) << block->triangle_count) - 1) {
            return broken(c, ABUT_ELEMENT_NODE, c->tree->block_parent[b],
                          "a block's counts are wrong");
        }
        if (!stretches_fit(c, b)) {
            return broken(c, ABUT_ELEMENT_NODE, c->tree->block_parent[b],
                          "a block's stretches are not its vertices");
        }
        for (uint32_t k = 0; k < block->triangle_count; ++k) {
            const abut_status status = check_lane(c, b, k);
            if (status != ABUT_OK) {
                return status;
            }
        }
        found += block->triangle_count;
    }
    if (found != c->mesh->alive_count) {
        return broken(c, ABUT_ELEMENT_TRIANGLE, found, "so many are in blocks, but not all");
    }
    return ABUT_OK;
}

// Tells whether both the lists of blocks and those of nodes have a link.
static bool are_linked(const checker* c, uint32_t a, uint32_t b) {
    const abut__tree* tree = c->tree;
    const uint64_t beside = abut__links_beside(c->links, tree->block_parent[a],
                                               tree->block_parent[b]);
    const uint32_t bit = (uint32_t)ABUT__FAN * tree->block_slot[a] + tree->block_slot[b];
    return abut__blocks_linked(c->links, a, b) && (beside >> bit & 1) != 0;
}

static uint64_t count_beside(const abut__links* links) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < links->beside_count; ++i) {
        sum += (uint64_t)__builtin_popcountll(links->beside_blocks[i]);
    }
    return sum;
}

// Returns which child of a node is a block, or is above it.
static uint32_t child_above(const abut__tree* tree, uint32_t block, uint32_t node) {
    abut__ref ref = block | ABUT__REF_BLOCK;
    while (abut__ref_parent(tree, ref) != node) {
        ref = abut__ref_parent(tree, ref);
    }
    uint32_t k = 0;
    while (tree->nodes[node].child[k] != ref) {
        ++k;
    }
    return k;
}

// Checks that each node has a bit for the children that its links are between, and no other.
static bool crossings_agree(const checker* c) {
    const abut__links* links = c->links;
    bool agree = true;
    for (uint32_t n = 0; n < c->tree->node_count; ++n) {
        uint64_t wanted = 0;
        for (uint32_t i = links->node_first[n]; i < links->node_first[n + 1]; ++i) {
            const uint32_t a = child_above(c->tree, links->list[i].a, n);
            const uint32_t b = child_above(c->tree, links->list[i].b, n);
            wanted |= UINT64_C(1) << (a < b ? ABUT__FAN * a + b : ABUT__FAN * b + a);
        }
        agree = agree && links->crossing[n] == wanted;
    }
    return agree;
}

// Checks that every row of every link agrees with the classes, and that every link is listed.
static abut_status check_links(const checker* c) {
    const abut__tree* tree = c->tree;
    const abut__links* links = c->links;
    if (links->node_first[0] != 0 || links->node_first[tree->node_count] != links->count ||
        count_beside(links) != 2 * (uint64_t)links->count) {
        return broken(c, ABUT_ELEMENT_NODE, 0, "links are listed at no node or at several");
    }
    if (!crossings_agree(c)) {
        return broken(c, ABUT_ELEMENT_NODE, 0, "links are between other children than it says");
    }
    for (uint32_t i = 0; i < links->count; ++i) {
        const abut__link* link = &links->list[i];
        const abut__block* a = tree->blocks[link->a];
        const abut__block* b = tree->blocks[link->b];
        if (link->a >= link->b || !are_linked(c, link->a, link->b) ||
            !are_linked(c, link->b, link->a)) {
            return broken(c, ABUT_ELEMENT_TRIANGLE, a->triangle[0], "its block's links are wrong");
        }
        // rows may omit neighbours across a hub, because queries compare classes there
        const bool hubs = links->hub[link->a] != 0 && links->hub[link->b] != 0;
        for (uint32_t k = 0; k < a->triangle_count; ++k) {
            const uint64_t row = abut__link_row(links, link, k);
            for (uint32_t m = 0; m < b->triangle_count; ++m) {
                const bool listed_here = (row >> m & 1) != 0;
                const bool share = share_class(c->mesh, a->triangle[k], b->triangle[m]);
                if (listed_here != share && !(share && hubs)) {
                    return broken(c, ABUT_ELEMENT_TRIANGLE, a->triangle[k],
                                  "its neighbours in a linked block are wrong");
                }
            }
        }
    }
    return ABUT_OK;
}

// Checks that no link is missing: consecutive triangles at every class must be in one block, in
// linked blocks, or both in blocks with hubs.
static abut_status check_missing_links(const checker* c, uint32_t* last) {
    const abut__links* links = c->links;
    memset(last, 0xff, c->mesh->vertex_count * sizeof *last);
    for (uint32_t t = 0; t < c->mesh->triangle_count; ++t) {
        if (!abut__mesh_alive(c->mesh, t)) {
            continue;
        }
        for (size_t corner = 0; corner < 3; ++corner) {
            const uint32_t id = c->mesh->classes[c->mesh->triangles[3 * (size_t)t + corner]];
            const uint32_t before = last[id];
            last[id] = t;
            if (before == ABUT__NONE || before == t) {
                continue;
            }
            const uint32_t a = c->lane_of[before] / 64;
            const uint32_t b = c->lane_of[t] / 64;
            if (a != b && !(links->hub[a] != 0 && links->hub[b] != 0) &&
                !abut__blocks_linked(links, a, b)) {
                return broken(c, ABUT_ELEMENT_TRIANGLE, t,
                              "its block lacks a link to a neighbour's");
            }
        }
    }
    return ABUT_OK;
}

// Checks that each triangle has the common classes of its block and of all nodes above it.
static abut_status check_common(const checker* c) {
    const abut__links* links = c->links;
    for (uint32_t t = 0; t < c->mesh->triangle_count && links->common[0] != NULL; ++t) {
        if (!abut__mesh_alive(c->mesh, t)) {
            continue;
        }
        uint32_t own[3];
        abut__mesh_triangle_classes(c->mesh, t, own);
        for (abut__ref ref = c->lane_of[t] / 64 | ABUT__REF_BLOCK; ref != ABUT__NONE;
             ref = abut__ref_parent(c->tree, ref)) {
            const uint32_t* all = links->common[abut__is_block(ref)][abut__block_of(ref)].class_id;
            for (int i = 0; i < 3; ++i) {
                if (all[i] != ABUT__NONE && all[i] != own[0] && all[i] != own[1] &&
                    all[i] != own[2]) {
                    return broken(c, ABUT_ELEMENT_TRIANGLE, t,
                                  "it lacks a vertex that all of its node are said to have");
                }
            }
        }
    }
    return ABUT_OK;
}

abut_status abut__tree_validate(const abut__tree* tree, const abut_mesh* mesh,
                                const abut__links* links, const abut__stretches* stretches,
                                abut_error* error) {
    abut__arena arena = abut__arena_make(tree->context);
    checker c = {tree,  mesh,
                 links, stretches,
                 error, abut__arena_push(&arena, mesh->triangle_count, sizeof(uint32_t))};
    uint32_t* last = abut__arena_push(&arena, mesh->vertex_count, sizeof *last);
    if (c.lane_of == NULL || last == NULL) {
        abut__arena_release(&arena);
        return abut__fail_memory(error);
    }
    memset(c.lane_of, 0xff, mesh->triangle_count * sizeof *c.lane_of);
    abut_status status = check_nodes(&c);
    if (status == ABUT_OK) {
        status = check_blocks(&c);
    }
    if (status == ABUT_OK) {
        status = check_links(&c);
    }
    if (status == ABUT_OK) {
        status = check_missing_links(&c, last);
    }
    if (status == ABUT_OK) {
        status = check_common(&c);
    }
    abut__arena_release(&arena);
    return status;
}
