// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic BoxTree, event by event.
#include "bound/kinetic/boxtree.h"

#include <string.h>

#include "bound/kinetic/planes.h"

#define OVERLAP_MOST 0.25  // allowed growth of overlap, relative to the spread of the children
#define SPREAD_LEAST 0.5   // least spread along the axis of a split, relative to the widest axis
#define CHECKS_LEAST 8u    // nodes that every step checks
#define CHECKS_PART 16u    // or one in so many, if that is more

// ---- splitting the nodes of a shape's tree

typedef struct placed {
    abut__ref ref;  // split or block
    uint32_t slot;  // in its node
    double place[3];
} placed;

static abut__ref top_of(const abut__boxtree* boxtree, abut__ref ref) {
    return abut__is_block(ref) ? ref : boxtree->top[ref];
}

// Returns the position of a child of a node: the middle of its boxes at both ends, at present.
static placed place_of(const abut__boxtree* boxtree, uint32_t n, uint32_t k) {
    placed one = {.ref = top_of(boxtree, boxtree->tree->nodes[n].child[k]), .slot = k};
    const abut__boxes8* before = &boxtree->segment.boxes[0][n];
    const abut__boxes8* after = &boxtree->segment.boxes[1][n];
    for (uint32_t d = 0; d < 3; ++d) {
        const abut__line line = {(double)before->lo[d][k] + (double)before->hi[d][k],
                                 (double)after->lo[d][k] + (double)after->hi[d][k]};
        one.place[d] = 0.5 * abut__line_at(line, boxtree->part);
    }
    return one;
}

// Computes the spread of positions along each axis; returns the widest axis.
static uint32_t longest_axis(const placed* list, uint32_t count, double spread[3]) {
    uint32_t longest = 0;
    for (uint32_t d = 0; d < 3; ++d) {
        double lo = list[0].place[d];
        double hi = lo;
        for (uint32_t i = 1; i < count; ++i) {
            lo = list[i].place[d] < lo ? list[i].place[d] : lo;
            hi = list[i].place[d] > hi ? list[i].place[d] : hi;
        }
        spread[d] = hi - lo;
        longest = spread[d] > spread[longest] ? d : longest;
    }
    return longest;
}

static void sort_along(placed* list, uint32_t count, uint32_t axis) {
    for (uint32_t i = 1; i < count; ++i) {  // at most eight
        const placed one = list[i];
        uint32_t k = i;
        for (; k > 0 && list[k - 1].place[axis] > one.place[axis]; --k) {
            list[k] = list[k - 1];
        }
        list[k] = one;
    }
}

static void attach(abut__boxtree* boxtree, abut__ref ref, uint32_t parent, uint32_t child) {
    if (parent != ABUT__NONE) {
        boxtree->splits[parent].child[child] = ref;
    }
    if (abut__is_block(ref)) {
        boxtree->block_parent[abut__block_of(ref)] = parent;
    } else {
        boxtree->splits[ref].parent = parent;
    }
}

// Splits some children of a node; uses splits from *next on. Recurses at most three levels.
static void split_children(abut__boxtree* boxtree, placed* list, uint32_t count, uint32_t parent,
                           uint32_t child, uint32_t* next) {
    if (count == 1) {
        attach(boxtree, list[0].ref, parent, child);
        return;
    }
    const uint32_t split = (*next)++;
    abut__boxtree_split* of = &boxtree->splits[split];
    const uint32_t half = count / 2;
    double spread[3];
    of->axis = longest_axis(list, count, spread);
    of->allowed = spread[of->axis];  // the spread, until the overlap is computed
    of->plane[0].from = of->plane[1].from = ABUT__NONE;
    attach(boxtree, split, parent, child);
    sort_along(list, count, of->axis);
    of->lanes[0] = of->lanes[1] = 0;
    for (uint32_t i = 0; i < count; ++i) {
        of->lanes[i < half ? 0 : 1] |= (uint8_t)(1u << list[i].slot);
    }
    split_children(boxtree, list, half, split, 0, next);
    split_children(boxtree, list + half, count - half, split, 1, next);
}

// Splits the children of a node by their present positions, below its present parent.
static void split_node(abut__boxtree* boxtree, uint32_t n) {
    const abut__node* node = &boxtree->tree->nodes[n];
    uint32_t next = boxtree->first[n];
    if (node->count < 2) {
        return;  // the top of its child is its own
    }
    const uint32_t parent = boxtree->splits[next].parent;
    const uint32_t child = parent != ABUT__NONE && boxtree->splits[parent].child[1] == next ? 1 : 0;
    placed list[ABUT__FAN];
    for (uint32_t k = 0; k < node->count; ++k) {
        list[k] = place_of(boxtree, n, k);
        boxtree->splits[next + (k > 0 ? k - 1 : 0)].node = n;
    }
    split_children(boxtree, list, node->count, parent, child, &next);
}

// Numbers the splits of all nodes. Children come after their parents in the shape's tree.
static void number_splits(abut__boxtree* boxtree) {
    const abut__tree* tree = boxtree->tree;
    boxtree->split_count = 0;
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        boxtree->first[n] = boxtree->split_count;
        boxtree->split_count += tree->nodes[n].count - 1u;
    }
    for (uint32_t n = tree->node_count; n-- > 0;) {
        boxtree->top[n] = tree->nodes[n].count > 1 ? boxtree->first[n]
                                                   : top_of(boxtree, tree->nodes[n].child[0]);
    }
    attach(boxtree, boxtree->top[0], ABUT__NONE, 0);
}

// ---- rebuilding degraded splits

static double overlap_of(const abut__boxtree* boxtree, const abut__boxtree_split* split) {
    return abut__line_at(split->plane[0].line, boxtree->part) +
           abut__line_at(split->plane[1].line, boxtree->part);
}

// Recomputes the planes of a node's splits, bottom-up, and the overlap allowed from now on.
static void recompute_node(abut__boxtree* boxtree, uint32_t n) {
    const uint32_t first = boxtree->first[n];
    for (uint32_t split = first + boxtree->tree->nodes[n].count - 1u; split-- > first;) {
        abut__boxtree_split* of = &boxtree->splits[split];
        abut__plane_certify(boxtree, 2 * split);
        abut__plane_certify(boxtree, 2 * split + 1);
        const double overlap = overlap_of(boxtree, of);
        of->allowed = OVERLAP_MOST * of->allowed + (overlap > 0 ? overlap : 0);
    }
}

// The children of a node below one of its splits, at their present positions.
typedef struct children_below {
    uint32_t node;
    placed all[ABUT__FAN];
    placed below[ABUT__FAN];
    uint32_t count;  // of those below
} children_below;

// Returns whether a split of the node, here or farther down, is across an axis along which the
// children are hardly spread by now.
static bool has_poor_axis(const abut__boxtree* boxtree, children_below* l, abut__ref ref) {
    if (abut__is_block(ref) || boxtree->splits[ref].node != l->node) {
        uint32_t k = 0;
        while (l->all[k].ref != ref) {
            ++k;
        }
        l->below[l->count++] = l->all[k];
        return false;
    }
    const abut__boxtree_split* split = &boxtree->splits[ref];
    const uint32_t first = l->count;
    const bool lower[2] = {has_poor_axis(boxtree, l, split->child[0]),
                           has_poor_axis(boxtree, l, split->child[1])};
    double spread[3];
    const uint32_t longest = longest_axis(l->below + first, l->count - first, spread);
    return lower[0] || lower[1] || spread[split->axis] < SPREAD_LEAST * spread[longest];
}

static bool has_degraded(const abut__boxtree* boxtree, uint32_t n) {
    const abut__node* node = &boxtree->tree->nodes[n];
    const uint32_t first = boxtree->first[n];
    if (node->count < 2) {
        return false;
    }
    for (uint32_t split = first; split + 1 < first + node->count; ++split) {
        if (overlap_of(boxtree, &boxtree->splits[split]) > boxtree->splits[split].allowed) {
            return true;
        }
    }
    children_below l = {.node = n};
    for (uint32_t k = 0; k < node->count; ++k) {
        l.all[k] = place_of(boxtree, n, k);
    }
    return has_poor_axis(boxtree, &l, first);
}

static void rebuild_degraded(abut__boxtree* boxtree) {
    const uint32_t share = boxtree->node_count / CHECKS_PART;
    const uint32_t most = share > CHECKS_LEAST ? share : CHECKS_LEAST;
    for (uint32_t k = 0; k < most && k < boxtree->node_count; ++k) {
        const uint32_t n = boxtree->next_check++;
        boxtree->next_check %= boxtree->node_count;
        if (has_degraded(boxtree, n)) {
            split_node(boxtree, n);
            recompute_node(boxtree, n);
            ++boxtree->counts.rebuilds;
        }
    }
}

void abut__boxtree_go(abut__boxtree* boxtree, double part) {
    uint32_t turn;
    boxtree->part = part;
    while (abut__heap_due(&boxtree->heap, part, &turn)) {
        abut__plane_handle(boxtree, abut__plane_turn(boxtree, turn));
    }
    rebuild_degraded(boxtree);
    ++boxtree->counts.steps;
}

// ---- starting

// Certifies all planes for the present segment; the splits stay as they are.
static void start(abut__boxtree* boxtree) {
    for (uint32_t plane = 0; plane < 2 * boxtree->split_count; ++plane) {
        abut__plane_certify(boxtree, plane);
    }
    ++boxtree->counts.starts;
}

static size_t mark_words(const abut__boxtree* boxtree) {
    return (2 * (size_t)boxtree->block_count + 63) / 64;
}

static bool make_members(abut__boxtree* boxtree) {
    const abut_context* context = boxtree->context;
    const size_t blocks = boxtree->block_count;
    const size_t nodes = boxtree->node_count;
    boxtree->splits = abut__alloc(context, blocks, sizeof *boxtree->splits);
    boxtree->block_parent = abut__alloc(context, blocks, sizeof *boxtree->block_parent);
    boxtree->first = abut__alloc(context, nodes, sizeof *boxtree->first);
    boxtree->top = abut__alloc(context, nodes, sizeof *boxtree->top);
    boxtree->marks = abut__alloc_zero(context, mark_words(boxtree), sizeof *boxtree->marks);
    return boxtree->splits != NULL && boxtree->block_parent != NULL && boxtree->first != NULL &&
           boxtree->top != NULL && boxtree->marks != NULL &&
           abut__heap_init(&boxtree->heap, context, 2 * boxtree->block_count);
}

// Allocates the memory for a tree, which has no splits yet.
static bool reserve(abut__boxtree* boxtree, const abut_context* context, const abut__tree* tree) {
    *boxtree = (abut__boxtree){.context = context,
                               .tree = tree,
                               .key = {ABUT__NONE, ABUT__NONE},
                               .block_count = tree->block_count,
                               .node_count = tree->node_count};
    if (!make_members(boxtree)) {
        abut__boxtree_free(boxtree);
        return false;
    }
    return true;
}

// Splits all nodes by their present positions.
static void split_all(abut__boxtree* boxtree) {
    boxtree->has_splits = true;
    number_splits(boxtree);
    for (uint32_t n = 0; n < boxtree->node_count; ++n) {
        split_node(boxtree, n);
    }
    for (uint32_t n = boxtree->node_count; n-- > 0;) {
        recompute_node(boxtree, n);
    }
    ++boxtree->counts.starts;
}

// Takes the ends of a segment, in the direction of time, and an extent that does not shrink.
static void take_segment(abut__boxtree* boxtree, const abut__kinetic_segment* segment) {
    for (int e = 0; e < 2; ++e) {
        const int from = boxtree->back ? 1 - e : e;
        boxtree->segment.source[e] = segment->source[from];
        boxtree->segment.boxes[e] = segment->boxes[from];
        boxtree->key[e] = segment->key[from];
    }
    boxtree->extent = segment->extent > boxtree->extent ? segment->extent : boxtree->extent;
    boxtree->tolerance = (double)ABUT__KINETIC_TOLERANCE * (double)boxtree->extent;
}

bool abut__boxtree_init(abut__boxtree* boxtree, const abut_context* context, const abut__tree* tree,
                        const abut__kinetic_segment* segment) {
    if (!reserve(boxtree, context, tree)) {
        return false;
    }
    take_segment(boxtree, segment);
    split_all(boxtree);
    return true;
}

void abut__boxtree_free(abut__boxtree* boxtree) {
    const abut_context* context = boxtree->context;
    const size_t blocks = boxtree->block_count;
    const size_t nodes = boxtree->node_count;
    abut__free(context, boxtree->splits, blocks, sizeof *boxtree->splits);
    abut__free(context, boxtree->block_parent, blocks, sizeof *boxtree->block_parent);
    abut__free(context, boxtree->first, nodes, sizeof *boxtree->first);
    abut__free(context, boxtree->top, nodes, sizeof *boxtree->top);
    abut__free(context, boxtree->marks, mark_words(boxtree), sizeof *boxtree->marks);
    abut__heap_free(&boxtree->heap, context);
    *boxtree = (abut__boxtree){0};
}

// ---- boxes

// Cuts a box by one half of a split.
static void cut(const abut__boxtree* boxtree, const abut__boxtree_split* split, uint32_t half,
                abut__box3* box) {
    const float at = (float)abut__line_at(split->plane[half].line, boxtree->part);
    if (half == 0) {
        box->hi[split->axis] = at < box->hi[split->axis] ? at : box->hi[split->axis];
    } else {
        box->lo[split->axis] = -at > box->lo[split->axis] ? -at : box->lo[split->axis];
    }
}

static abut__box3 cut_by_planes(const abut__boxtree* boxtree, abut__ref below, abut__box3 box) {
    uint32_t s = abut__is_block(below) ? boxtree->block_parent[abut__block_of(below)]
                                       : boxtree->splits[below].parent;
    for (; s != ABUT__NONE; s = boxtree->splits[s].parent) {
        const abut__boxtree_split* split = &boxtree->splits[s];
        cut(boxtree, split, split->child[0] == below ? 0 : 1, &box);
        below = s;
    }
    return box;
}

abut__box3 abut__boxtree_box(const abut__boxtree* boxtree, uint32_t block, abut__box3 root) {
    return cut_by_planes(boxtree, block | ABUT__REF_BLOCK, root);
}

// Recurses as deep as the splits of a node.
static void bound_below(const abut__boxtree* boxtree, uint32_t node, abut__ref ref, abut__box3 box,
                        abut__boxes8* out) {
    if (!abut__is_block(ref) && boxtree->splits[ref].node == node) {
        const abut__boxtree_split* split = &boxtree->splits[ref];
        for (uint32_t half = 0; half < 2; ++half) {
            abut__box3 part = box;
            cut(boxtree, split, half, &part);
            bound_below(boxtree, node, split->child[half], part, out);
        }
        return;
    }
    const abut__node* of = &boxtree->tree->nodes[node];
    uint32_t k = 0;
    while (k + 1 < of->count && top_of(boxtree, of->child[k]) != ref) {
        ++k;
    }
    for (uint32_t d = 0; d < 3; ++d) {
        out->lo[d][k] = box.lo[d];
        out->hi[d][k] = box.hi[d];
    }
}

void abut__boxtree_bound(const abut__boxtree* boxtree, uint32_t node, abut__box3 root,
                         abut__boxes8* out) {
    const abut__ref top = boxtree->top[node];
    abut__boxes_infinite(out, 0);  // lanes without a child stay empty
    bound_below(boxtree, node, top, cut_by_planes(boxtree, top, root), out);
}

// ---- as a bound of bodies

abut__boxtree* abut__boxtree_make(const abut_context* context, const abut__tree* tree) {
    abut__boxtree* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made != NULL && !reserve(made, context, tree)) {
        abut__free(context, made, 1, sizeof *made);
        return NULL;
    }
    return made;
}

void abut__boxtree_destroy(abut__boxtree* boxtree) {
    if (boxtree != NULL) {
        const abut_context* context = boxtree->context;
        abut__boxtree_free(boxtree);
        abut__free(context, boxtree, 1, sizeof *boxtree);
    }
}

void abut__boxtree_forget(abut__boxtree* boxtree) {
    boxtree->key[0] = boxtree->key[1] = ABUT__NONE;
}

static bool is_current(const abut__boxtree* boxtree, const abut__kinetic_segment* segment) {
    const int first = boxtree->back ? 1 : 0;
    return boxtree->key[0] == segment->key[first] && boxtree->key[1] == segment->key[1 - first];
}

void abut__boxtree_seek(abut__boxtree* boxtree, const abut__kinetic_segment* segment, float part) {
    const bool current = is_current(boxtree, segment);
    const float time = boxtree->back ? 1 - part : part;
    if (current && (double)time >= boxtree->part) {
        take_segment(boxtree, segment);
        abut__boxtree_go(boxtree, (double)time);
        return;
    }
    boxtree->back = current ? !boxtree->back : boxtree->key[0] == segment->key[1];
    boxtree->extent = 0;
    take_segment(boxtree, segment);
    boxtree->part = (double)(boxtree->back ? 1 - part : part);
    if (!boxtree->has_splits) {
        split_all(boxtree);
    } else {
        start(boxtree);
    }
    rebuild_degraded(boxtree);
}

// Marks the planes above a block.
static void mark_above(abut__boxtree* boxtree, uint32_t b) {
    abut__ref below = b | ABUT__REF_BLOCK;
    for (uint32_t s = boxtree->block_parent[b]; s != ABUT__NONE; s = boxtree->splits[s].parent) {
        const uint32_t plane = 2 * s + (boxtree->splits[s].child[0] == below ? 0 : 1);
        boxtree->marks[plane / 64] |= UINT64_C(1) << plane % 64;
        below = s;
    }
}

static void certify_marked(abut__boxtree* boxtree) {
    for (size_t w = 0; w < mark_words(boxtree); ++w) {
        for (; boxtree->marks[w] != 0; boxtree->marks[w] &= boxtree->marks[w] - 1) {
            abut__plane_certify(boxtree,
                                (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(boxtree->marks[w]));
            ++boxtree->counts.visits;
        }
    }
}

void abut__boxtree_update(abut__boxtree* boxtree, const abut__kinetic_segment* segment,
                          const uint64_t* blocks) {
    if (!is_current(boxtree, segment)) {
        abut__boxtree_forget(boxtree);
        return;
    }
    take_segment(boxtree, segment);
    for (uint32_t b = 0; b < boxtree->block_count; ++b) {
        if ((blocks[b / 64] >> b % 64 & 1) != 0) {
            mark_above(boxtree, b);
            ++boxtree->counts.blocks_updated;
        }
    }
    certify_marked(boxtree);
}

// ---- edits

typedef struct edit {
    abut__boxtree* boxtree;
    const abut__boxtree* before;
    const abut__descent* descent;
} edit;

// Returns the present number of an old split, or ABUT__NONE if its node has other children now.
static uint32_t split_now(const edit* f, uint32_t split) {
    const uint32_t node = f->before->splits[split].node;
    const uint32_t now = f->descent->now[node];
    return now == ABUT__NONE || abut__descent_has(f->descent->changed, now)
               ? ABUT__NONE
               : f->boxtree->first[now] + (split - f->before->first[node]);
}

// Returns the present child below an old split of a node whose children are the same.
static abut__ref child_now(const edit* f, uint32_t n, abut__ref child) {
    const uint32_t from = f->descent->node[n];
    const abut__node* old = &f->before->tree->nodes[from];
    if (!abut__is_block(child) && f->before->splits[child].node == from) {
        return split_now(f, child);
    }
    uint32_t k = 0;
    while (k + 1u < old->count && top_of(f->before, old->child[k]) != child) {
        ++k;
    }
    return top_of(f->boxtree, f->boxtree->tree->nodes[n].child[k]);
}

// Takes over the splits of a node. Ids of vertices stay.
static void take_over_node(const edit* f, uint32_t n) {
    const uint32_t from = f->before->first[f->descent->node[n]];
    const uint32_t first = f->boxtree->first[n];
    for (uint32_t i = 0; i + 1u < f->boxtree->tree->nodes[n].count; ++i) {
        const abut__boxtree_split* old = &f->before->splits[from + i];
        abut__boxtree_split* split = &f->boxtree->splits[first + i];
        split->axis = old->axis;
        split->node = n;
        split->allowed = old->allowed;
        for (uint32_t c = 0; c < 2; ++c) {
            split->plane[c] = old->plane[c];
            split->lanes[c] = old->lanes[c];
            attach(f->boxtree, child_now(f, n, old->child[c]), first + i, c);
            abut__heap_set(&f->boxtree->heap, abut__plane_turn(f->boxtree, 2 * (first + i) + c),
                           f->before->heap.time[abut__plane_turn(f->before, 2 * (from + i) + c)]);
        }
    }
}

abut__boxtree* abut__boxtree_descend(const abut__boxtree* before, const abut__tree* tree,
                                     const abut__descent* descent) {
    if (before->key[0] == ABUT__NONE || !before->has_splits || before->edited) {
        return NULL;
    }
    abut__boxtree* made = abut__boxtree_make(before->context, tree);
    if (made == NULL) {
        return NULL;
    }
    memcpy(made->key, before->key, sizeof made->key);
    made->back = before->back;
    made->part = before->part;
    made->extent = before->extent;
    made->next_check = before->next_check % made->node_count;
    made->counts = before->counts;
    made->has_splits = made->edited = true;
    number_splits(made);
    const edit f = {made, before, descent};
    for (uint32_t n = 0; n < made->node_count; ++n) {
        if (!abut__descent_has(descent->changed, n)) {
            take_over_node(&f, n);
        }
    }
    return made;
}

// Splits parents before children. The planes of all nodes above a change are certified again.
static void recompute_touched(abut__boxtree* boxtree, const abut__descent* descent) {
    for (uint32_t n = 0; n < boxtree->node_count; ++n) {
        if (abut__descent_has(descent->changed, n)) {
            split_node(boxtree, n);
        }
    }
    for (uint32_t n = boxtree->node_count; n-- > 0;) {
        const uint32_t planes = 2 * (boxtree->tree->nodes[n].count - 1u);
        if (abut__descent_has(descent->changed, n)) {
            recompute_node(boxtree, n);
            boxtree->counts.visits += planes;
        } else if (abut__descent_has(descent->touched, n)) {
            for (uint32_t i = 0; i < planes; ++i) {
                const uint32_t plane = 2 * boxtree->first[n] + i;
                abut__plane_of(boxtree, plane)->from = ABUT__NONE;  // it may be below no longer
                abut__plane_certify(boxtree, plane);
            }
            boxtree->counts.visits += planes;
        }
    }
}

void abut__boxtree_update_edited(abut__boxtree* boxtree, const abut__kinetic_segment* segment,
                                 const abut__descent* descent) {
    boxtree->edited = false;
    if (!is_current(boxtree, segment)) {
        boxtree->has_splits = false;
        abut__boxtree_forget(boxtree);
        return;
    }
    take_segment(boxtree, segment);
    recompute_touched(boxtree, descent);
    for (uint32_t b = 0; b < boxtree->block_count; ++b) {
        boxtree->counts.blocks_updated += abut__descent_has(descent->placed, b) ? 1 : 0;
    }
}
