// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Keeps nodes across edits: removes blocks, inserts blocks, and renumbers the nodes.
#include "tree/patch.h"

#include <math.h>

#define CHANGED_MOST 4u        // an edit may change one block in this many
#define CHANGED_SINCE_MOST 2u  // all edits since the last full build may change one in this many
#define DEEPER_MOST 4u         // levels by which the depth may grow

bool abut__tree_lasts(const abut__tree* tree, uint32_t gone, uint32_t come) {
    const uint64_t changed = (uint64_t)gone + come;
    return tree->child_boxes != NULL && CHANGED_MOST * changed <= tree->block_count &&
           CHANGED_SINCE_MOST * (tree->changed_blocks + changed) <= tree->block_count;
}

// ---- descents

static size_t word_count(uint32_t bits) {
    return ((size_t)bits + 63) / 64;
}

void abut__descent_free(abut__descent* descent) {
    if (descent == NULL) {
        return;
    }
    const abut_context* context = descent->context;
    const uint32_t nodes = descent->node_count;
    abut__free(context, descent->block, descent->block_count, sizeof *descent->block);
    abut__free(context, descent->node, nodes, sizeof *descent->node);
    abut__free(context, descent->now, descent->before_count, sizeof *descent->now);
    abut__free(context, descent->slot, nodes, sizeof *descent->slot);
    abut__free(context, descent->changed, word_count(nodes), sizeof *descent->changed);
    abut__free(context, descent->touched, word_count(nodes), sizeof *descent->touched);
    abut__free(context, descent->placed, word_count(descent->block_count), sizeof *descent->placed);
    abut__free(context, descent, 1, sizeof *descent);
}

static abut__descent* make_descent(const abut__tree* old, const abut__tree* tree) {
    const abut_context* context = tree->context;
    abut__descent* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->context = context;
    made->block_count = tree->block_count;
    made->node_count = tree->node_count;
    made->before_count = old->node_count;
    made->block = abut__alloc(context, made->block_count, sizeof *made->block);
    made->node = abut__alloc(context, made->node_count, sizeof *made->node);
    made->now = abut__alloc(context, made->before_count, sizeof *made->now);
    made->slot = abut__alloc(context, made->node_count, sizeof *made->slot);
    made->changed = abut__alloc_zero(context, word_count(made->node_count), sizeof(uint64_t));
    made->touched = abut__alloc_zero(context, word_count(made->node_count), sizeof(uint64_t));
    made->placed = abut__alloc_zero(context, word_count(made->block_count), sizeof(uint64_t));
    if (made->block == NULL || made->node == NULL || made->now == NULL || made->slot == NULL ||
        made->changed == NULL || made->touched == NULL || made->placed == NULL) {
        abut__descent_free(made);
        return NULL;
    }
    return made;
}

void abut__descent_lanes(const abut__descent* descent, const abut__boxes8* before,
                         abut__boxes8* now) {
    for (uint32_t n = 0; n < descent->node_count; ++n) {
        const uint32_t from = descent->node[n];
        if (!abut__descent_has(descent->changed, n)) {
            now[n] = before[from];
            continue;
        }
        abut__boxes_infinite(&now[n], 0);
        for (uint32_t k = 0; k < ABUT__FAN; ++k) {
            if (descent->slot[n][k] != ABUT__NEW_CHILD) {
                const abut__box3 box = abut__boxes_get(&before[from], descent->slot[n][k]);
                abut__boxes_put(&now[n], k, &box);
            }
        }
    }
}

// ---- patching

// A node in progress. Indices are those of the old tree; new nodes follow. A node without children
// is removed.
typedef struct member {
    abut__node node;
    abut__boxes8 child_boxes;
    uint8_t slot[ABUT__FAN];
    bool changed;
    bool shrunk;  // the box of a child got smaller
    uint32_t number;
} member;

typedef struct patcher {
    const abut__patch* patch;
    abut__tree* tree;
    uint32_t* now;  // per old block: its new index, or ABUT__NONE
    member* members;
    uint32_t count;
} patcher;

static bool is_gone(const patcher* p, abut__ref child) {
    return abut__is_block(child) ? p->now[abut__block_of(child)] == ABUT__NONE
                                 : p->members[child].node.count == 0;
}

static abut__ref renumbered(const patcher* p, abut__ref child) {
    return abut__is_block(child) ? p->now[abut__block_of(child)] | ABUT__REF_BLOCK : child;
}

// Closes the gaps among the children of an old node. The remaining children keep their order.
static void close_up(patcher* p, uint32_t n) {
    const abut__node* from = &p->patch->old->nodes[n];
    member* m = &p->members[n];
    m->node.count = 0;
    for (uint32_t k = 0; k < from->count; ++k) {
        if (!is_gone(p, from->child[k])) {
            const uint32_t at = m->node.count++;
            const abut__box3 box = abut__boxes_get(&m->child_boxes, k);
            abut__boxes_put(&m->child_boxes, at, &box);
            m->node.child[at] = renumbered(p, from->child[k]);
            m->slot[at] = (uint8_t)k;
        }
    }
    m->changed = m->node.count != from->count;
    for (uint32_t k = m->node.count; k < ABUT__FAN; ++k) {
        static const abut__box3 empty = {{INFINITY, INFINITY, INFINITY},
                                         {-INFINITY, -INFINITY, -INFINITY}};
        abut__boxes_put(&m->child_boxes, k, &empty);
        m->node.child[k] = ABUT__NONE;
        m->slot[k] = ABUT__NEW_CHILD;
    }
}

// Removes blocks from the nodes, from the last node to the first: children before their parents.
static void take_out_blocks(patcher* p) {
    const abut__tree* old = p->patch->old;
    for (uint32_t n = old->node_count; n-- > 0;) {
        member* m = &p->members[n];
        m->node = old->nodes[n];
        m->child_boxes = m->shrunk ? m->child_boxes : old->child_boxes[n];
        close_up(p, n);
        if ((m->changed || m->shrunk) && n > 0 && m->node.count > 0) {
            member* parent = &p->members[m->node.parent];
            const abut__box3 box = abut__boxes_around(&m->child_boxes, m->node.count);
            parent->child_boxes = parent->shrunk ? parent->child_boxes
                                                 : old->child_boxes[m->node.parent];
            parent->shrunk = true;
            abut__boxes_put(&parent->child_boxes, m->node.slot, &box);
        }
    }
}

static abut__box3 joined(const abut__box3* a, const abut__box3* b) {
    abut__box3 box = *a;
    for (int d = 0; d < 3; ++d) {
        box.lo[d] = b->lo[d] < box.lo[d] ? b->lo[d] : box.lo[d];
        box.hi[d] = b->hi[d] > box.hi[d] ? b->hi[d] : box.hi[d];
    }
    return box;
}

// Returns the child whose cost grows least with a box. Ties: the cheapest child, then the first.
static uint32_t child_to_grow(const member* m, const abut__box3* box) {
    uint32_t best = 0;
    double least = INFINITY;
    double size = INFINITY;
    for (uint32_t k = 0; k < m->node.count; ++k) {
        const abut__box3 child = abut__boxes_get(&m->child_boxes, k);
        const abut__box3 both = joined(&child, box);
        const double cost = abut__box_cost(child.lo, child.hi);
        const double growth = abut__box_cost(both.lo, both.hi) - cost;
        if (growth < least || (growth == least && cost < size)) {
            best = k;
            least = growth;
            size = cost;
        }
    }
    return best;
}

static void add_child(member* m, abut__ref child, const abut__box3* box) {
    const uint32_t k = m->node.count++;
    m->node.child[k] = child;
    m->slot[k] = ABUT__NEW_CHILD;
    m->changed = true;
    abut__boxes_put(&m->child_boxes, k, box);
}

// Replaces a block by a new node that has the block as its child.
static member* push_down(patcher* p, member* m, uint32_t k) {
    member* made = &p->members[p->count];
    const abut__box3 box = abut__boxes_get(&m->child_boxes, k);
    *made = (member){.changed = true};
    memset(made->node.child, 0xff, sizeof made->node.child);
    memset(made->slot, 0xff, sizeof made->slot);
    abut__boxes_infinite(&made->child_boxes, 0);
    add_child(made, m->node.child[k], &box);
    m->node.child[k] = p->count++;
    m->slot[k] = ABUT__NEW_CHILD;
    m->changed = true;
    return made;
}

// Inserts a block below the root. False: it would be too deep.
static bool put_in(patcher* p, uint32_t block) {
    const abut__box3 box = abut__item_box(&p->patch->items[block]);
    member* m = &p->members[0];
    const uint32_t most = p->patch->old->folded_depth + DEEPER_MOST;
    for (uint32_t depth = 1; depth <= most; ++depth) {
        const uint32_t k = child_to_grow(m, &box);
        const bool is_last = abut__is_block(m->node.child[k]);
        if (is_last && m->node.count < p->patch->fan_out) {
            add_child(m, block | ABUT__REF_BLOCK, &box);
            return true;
        }
        if (is_last && depth == most) {
            return false;
        }
        const abut__box3 child = abut__boxes_get(&m->child_boxes, k);
        const abut__box3 both = joined(&child, &box);
        member* below = is_last ? push_down(p, m, k) : &p->members[m->node.child[k]];
        abut__boxes_put(&m->child_boxes, k, &both);
        if (is_last) {
            add_child(below, block | ABUT__REF_BLOCK, &box);
            return true;
        }
        m = below;
    }
    return false;
}

static bool put_in_blocks(patcher* p) {
    bool fits = true;
    for (uint32_t b = p->patch->kept; b < p->tree->block_count && fits; ++b) {
        fits = put_in(p, b);
    }
    return fits;
}

// ---- writing the tables

static void number_members(patcher* p) {
    p->tree->node_count = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        p->members[i].number = p->members[i].node.count > 0 ? p->tree->node_count++ : ABUT__NONE;
    }
}

// Writes a node. Parents are written before their children.
static void write_node(const patcher* p, const member* m) {
    abut__tree* tree = p->tree;
    abut__node* node = &tree->nodes[m->number];
    node->count = m->node.count;
    for (uint32_t k = 0; k < ABUT__FAN; ++k) {
        const abut__ref child = m->node.child[k];
        node->child[k] = child;
        if (k >= node->count) {
            continue;
        }
        if (abut__is_block(child)) {
            tree->block_parent[abut__block_of(child)] = m->number;
            tree->block_slot[abut__block_of(child)] = (uint8_t)k;
            continue;
        }
        node->child[k] = p->members[child].number;
        abut__node* below = &tree->nodes[node->child[k]];
        below->parent = m->number;
        below->slot = (uint8_t)k;
        below->depth = (uint16_t)(node->depth + 1);
    }
    tree->depth = node->depth + 1u > tree->depth ? node->depth + 1u : tree->depth;
    tree->child_boxes[m->number] = m->child_boxes;
}

static void write_nodes(const patcher* p) {
    abut__tree* tree = p->tree;
    tree->depth = 0;
    tree->nodes[0].parent = ABUT__NONE;
    tree->nodes[0].slot = 0;
    tree->nodes[0].depth = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        if (p->members[i].number != ABUT__NONE) {
            write_node(p, &p->members[i]);
        }
    }
    const abut__tree* old = p->patch->old;
    tree->folded_depth = old->folded_depth;
    tree->changed_blocks = old->changed_blocks + (old->block_count - p->patch->kept) +
                           (tree->block_count - p->patch->kept);
}

static void set_bit(uint64_t* bits, uint32_t n) {
    bits[n / 64] |= UINT64_C(1) << n % 64;
}

static void note_placed(const member* m, abut__descent* out) {
    for (uint32_t k = 0; k < m->node.count; ++k) {
        if (m->slot[k] == ABUT__NEW_CHILD && abut__is_block(m->node.child[k])) {
            set_bit(out->placed, abut__block_of(m->node.child[k]));
        }
    }
}

static void write_descent(const patcher* p, abut__descent* out) {
    for (uint32_t b = 0; b < out->block_count; ++b) {
        out->block[b] = b < p->patch->kept ? p->patch->origin[b] : ABUT__NONE;
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        const member* m = &p->members[i];
        const bool is_old = i < out->before_count;
        if (is_old) {
            out->now[i] = m->number;
        }
        if (m->number != ABUT__NONE) {
            out->node[m->number] = is_old ? i : ABUT__NONE;
            memcpy(out->slot[m->number], m->slot, sizeof m->slot);
            if (m->changed) {
                set_bit(out->changed, m->number);
                note_placed(m, out);
            }
        }
    }
    for (uint32_t n = out->node_count; n-- > 0;) {
        if (abut__descent_has(out->changed, n) || abut__descent_has(out->touched, n)) {
            set_bit(out->touched, n);
            if (n > 0) {
                set_bit(out->touched, p->tree->nodes[n].parent);
            }
        }
    }
}

static bool make_tables(const patcher* p, abut__descent** descent) {
    abut__tree* tree = p->tree;
    const abut_context* context = tree->context;
    tree->nodes = abut__alloc(context, tree->node_count, sizeof *tree->nodes);
    tree->child_boxes = abut__alloc(context, tree->node_count, sizeof *tree->child_boxes);
    tree->block_parent = abut__alloc(context, tree->block_count, sizeof *tree->block_parent);
    tree->block_slot = abut__alloc(context, tree->block_count, sizeof *tree->block_slot);
    *descent = make_descent(p->patch->old, tree);
    return tree->nodes != NULL && tree->child_boxes != NULL && tree->block_parent != NULL &&
           tree->block_slot != NULL && *descent != NULL;
}

static bool patch_nodes(patcher* p, abut__descent** descent, bool* fits) {
    for (uint32_t b = 0; b < p->patch->old->block_count; ++b) {
        p->now[b] = ABUT__NONE;
    }
    for (uint32_t b = 0; b < p->patch->kept; ++b) {
        p->now[p->patch->origin[b]] = b;
    }
    for (uint32_t n = 0; n < p->count; ++n) {
        p->members[n].shrunk = false;
    }
    take_out_blocks(p);
    *fits = put_in_blocks(p);
    if (!*fits) {
        return true;
    }
    number_members(p);
    if (!make_tables(p, descent)) {
        abut__descent_free(*descent);
        *descent = NULL;
        return false;
    }
    write_nodes(p);
    write_descent(p, *descent);
    return true;
}

bool abut__tree_patch(const abut__patch* patch, abut__tree* tree, abut__descent** descent,
                      bool* fits) {
    abut__arena arena = abut__arena_make(tree->context);
    const size_t most = (size_t)patch->old->node_count + (tree->block_count - patch->kept);
    patcher p = {.patch = patch, .tree = tree, .count = patch->old->node_count};
    p.now = abut__arena_push(&arena, patch->old->block_count, sizeof *p.now);
    p.members = abut__arena_push(&arena, most, sizeof *p.members);
    const bool done = p.now != NULL && p.members != NULL && patch_nodes(&p, descent, fits);
    abut__arena_release(&arena);
    return done;
}
