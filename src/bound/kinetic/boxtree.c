// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic BoxTree, event by event.
#include "bound/kinetic/boxtree.h"

#include <string.h>

#define OVERLAP_MOST 0.25  // allowed growth of overlap, relative to the spread of the children
#define SPREAD_LEAST 0.5   // least spread along the axis of a split, relative to the widest axis
#define CHECKS_LEAST 8u    // nodes that every step checks
#define CHECKS_PART 16u    // or one in so many, if that is more

// ---- splitting the nodes of a shape's tree

typedef struct placed {
    abut__ref ref;  // split or block
    double place[3];
} placed;

static abut__ref top_of(const abut__boxtree* boxtree, abut__ref ref) {
    return abut__is_block(ref) ? ref : boxtree->top[ref];
}

// Returns the position of a node or block, approximated by its first vertex at present.
static placed place_of(const abut__boxtree* boxtree, abut__ref ref) {
    placed one = {.ref = top_of(boxtree, ref)};
    while (!abut__is_block(ref)) {
        ref = boxtree->tree->nodes[ref].child[0];
    }
    const uint32_t vertex = boxtree->tree->blocks[abut__block_of(ref)]->vertex[0];
    for (uint32_t d = 0; d < 3; ++d) {
        one.place[d] = abut__line_at(abut__line_read(boxtree->source, vertex, 3 + d),
                                     boxtree->part);
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
    attach(boxtree, split, parent, child);
    sort_along(list, count, of->axis);
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
        list[k] = place_of(boxtree, node->child[k]);
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

// ---- the candidates of a plane

// Returns the side of a box that a plane bounds, numbered as in aabb.h.
static uint32_t side_of(const abut__boxtree* boxtree, uint32_t plane) {
    return boxtree->splits[plane / 2].axis + (plane % 2 == 0 ? 3 : 0);
}

static abut__plane* plane_of(const abut__boxtree* boxtree, uint32_t plane) {
    return &boxtree->splits[plane / 2].plane[plane % 2];
}

typedef struct search {
    const abut__boxtree* boxtree;
    uint32_t kind;  // kind of plane: 0 upper ends, 1 lower ends
    uint32_t axis;
    uint32_t side;
    abut__line_search best;  // the best line found,
    uint32_t from;           // and its origin
    const abut__line* held;  // or, if not NULL: search for the time when this line
    double first;            // is first overtaken
} search;

static void offer(search* s, abut__line line, uint32_t from) {
    if (s->held != NULL) {
        const double time = abut__line_overtakes(line, *s->held);
        s->first = time < s->first ? time : s->first;
    } else if (abut__line_search_try(&s->best, line)) {
        s->from = from;
    }
}

// Recurses as deep as the tree: at most three levels of splits per level of nodes.
static void search_below(search* s, abut__ref ref) {
    const abut__boxtree* boxtree = s->boxtree;
    if (abut__is_block(ref)) {
        const abut__block* block = boxtree->tree->blocks[abut__block_of(ref)];
        for (uint32_t v = 0; v < block->vertex_count; ++v) {
            offer(s, abut__line_read(boxtree->source, block->vertex[v], s->side), block->vertex[v]);
        }
        return;
    }
    const abut__boxtree_split* split = &boxtree->splits[ref];
    for (uint32_t c = 0; c < 2; ++c) {
        if (split->axis == s->axis && c == s->kind) {
            offer(s, split->plane[c].line, (2 * ref + c) | ABUT__FROM_PLANE);
        } else {
            search_below(s, split->child[c]);
        }
    }
}

static search search_of(const abut__boxtree* boxtree, uint32_t plane) {
    return (search){.boxtree = boxtree,
                    .kind = plane % 2,
                    .axis = boxtree->splits[plane / 2].axis,
                    .side = side_of(boxtree, plane),
                    .first = INFINITY};
}

static bool choose(abut__boxtree* boxtree, uint32_t plane, double steeper_than) {
    search s = search_of(boxtree, plane);
    s.best = abut__line_search_make(boxtree->part, steeper_than);
    search_below(&s, boxtree->splits[plane / 2].child[plane % 2]);
    const bool found = s.best.value > -INFINITY;
    if (found) {
        *plane_of(boxtree, plane) = (abut__plane){s.best.found, s.from};
    }
    return found;
}

static void predict(abut__boxtree* boxtree, uint32_t plane) {
    search s = search_of(boxtree, plane);
    s.held = &plane_of(boxtree, plane)->line;
    search_below(&s, boxtree->splits[plane / 2].child[plane % 2]);
    abut__heap_set(&boxtree->heap, plane, s.first > boxtree->part ? s.first : boxtree->part);
}

// ---- events

// Returns the next plane above that has this one as a candidate, or ABUT__NONE.
static uint32_t user_above(const abut__boxtree* boxtree, uint32_t plane) {
    const uint32_t axis = boxtree->splits[plane / 2].axis;
    uint32_t below = plane / 2;
    for (uint32_t s = boxtree->splits[below].parent; s != ABUT__NONE;
         s = boxtree->splits[s].parent) {
        if (boxtree->splits[s].axis == axis && boxtree->splits[s].child[plane % 2] == below) {
            return 2 * s + plane % 2;
        }
        below = s;
    }
    return ABUT__NONE;
}

static void propagate(abut__boxtree* boxtree, uint32_t plane) {
    bool had = true;
    for (uint32_t above = user_above(boxtree, plane); above != ABUT__NONE && had;
         above = user_above(boxtree, plane)) {
        abut__plane* to = plane_of(boxtree, above);
        had = to->from == (plane | ABUT__FROM_PLANE);
        if (had) {
            to->line = plane_of(boxtree, plane)->line;
            ++boxtree->counts.updates;
        }
        ++boxtree->counts.visits;
        predict(boxtree, above);
        plane = above;
    }
}

static void handle(abut__boxtree* boxtree, uint32_t plane) {
    ++boxtree->counts.events;
    ++boxtree->counts.visits;
    boxtree->part = boxtree->heap.time[plane];
    if (choose(boxtree, plane, abut__line_slope(plane_of(boxtree, plane)->line))) {
        ++boxtree->counts.outer;
        ++boxtree->counts.updates;
        predict(boxtree, plane);
        propagate(boxtree, plane);
    } else {
        abut__heap_set(&boxtree->heap, plane, INFINITY);
    }
}

// ---- rebuilding degraded splits

static double overlap_of(const abut__boxtree* boxtree, const abut__boxtree_split* split) {
    return abut__line_at(split->plane[0].line, boxtree->part) +
           abut__line_at(split->plane[1].line, boxtree->part);
}

static void recompute_plane(abut__boxtree* boxtree, uint32_t plane) {
    choose(boxtree, plane, -INFINITY);
    predict(boxtree, plane);
}

// Recomputes the planes of a node's splits, bottom-up, and the overlap allowed from now on.
static void recompute_node(abut__boxtree* boxtree, uint32_t n) {
    const uint32_t first = boxtree->first[n];
    for (uint32_t split = first + boxtree->tree->nodes[n].count - 1u; split-- > first;) {
        abut__boxtree_split* of = &boxtree->splits[split];
        recompute_plane(boxtree, 2 * split);
        recompute_plane(boxtree, 2 * split + 1);
        const double overlap = overlap_of(boxtree, of);
        of->allowed = OVERLAP_MOST * of->allowed + (overlap > 0 ? overlap : 0);
    }
}

// Recomputes all planes above that have candidates here.
static void recompute_above(abut__boxtree* boxtree, abut__ref ref) {
    uint32_t parent = abut__is_block(ref) ? boxtree->block_parent[abut__block_of(ref)]
                                          : boxtree->splits[ref].parent;
    for (; parent != ABUT__NONE; parent = boxtree->splits[parent].parent) {
        const uint32_t child = boxtree->splits[parent].child[0] == ref ? 0 : 1;
        recompute_plane(boxtree, 2 * parent + child);
        ++boxtree->counts.visits;
        ref = parent;
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
        l.all[k] = place_of(boxtree, node->child[k]);
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
            recompute_above(boxtree, boxtree->first[n]);
            ++boxtree->counts.rebuilds;
        }
    }
}

void abut__boxtree_go(abut__boxtree* boxtree, double part) {
    uint32_t plane;
    while (abut__heap_due(&boxtree->heap, part, &plane)) {
        handle(boxtree, plane);
    }
    boxtree->part = part;
    rebuild_degraded(boxtree);
    ++boxtree->counts.steps;
}

// ---- starting

// Recomputes all planes for the present ends of the segment; the splits stay as they are.
static void start(abut__boxtree* boxtree) {
    for (uint32_t plane = 2 * boxtree->split_count; plane-- > 0;) {
        recompute_plane(boxtree, plane);
    }
    ++boxtree->counts.starts;
}

static bool make_members(abut__boxtree* boxtree) {
    const abut_context* context = boxtree->context;
    const size_t blocks = boxtree->block_count;
    const size_t nodes = boxtree->node_count;
    boxtree->splits = abut__alloc(context, blocks, sizeof *boxtree->splits);
    boxtree->block_parent = abut__alloc(context, blocks, sizeof *boxtree->block_parent);
    boxtree->first = abut__alloc(context, nodes, sizeof *boxtree->first);
    boxtree->top = abut__alloc(context, nodes, sizeof *boxtree->top);
    return boxtree->splits != NULL && boxtree->block_parent != NULL && boxtree->first != NULL &&
           boxtree->top != NULL &&
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

bool abut__boxtree_init(abut__boxtree* boxtree, const abut_context* context, const abut__tree* tree,
                        const abut__source source[2]) {
    if (!reserve(boxtree, context, tree)) {
        return false;
    }
    boxtree->source[0] = source[0];
    boxtree->source[1] = source[1];
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
        abut__boxtree_go(boxtree, (double)time);
        return;
    }
    boxtree->back = current ? !boxtree->back : boxtree->key[0] == segment->key[1];
    for (int e = 0; e < 2; ++e) {
        const int from = boxtree->back ? 1 - e : e;
        boxtree->source[e] = segment->source[from];
        boxtree->key[e] = segment->key[from];
    }
    boxtree->part = (double)(boxtree->back ? 1 - part : part);
    if (!boxtree->has_splits) {
        split_all(boxtree);
    } else {
        start(boxtree);
    }
    rebuild_degraded(boxtree);
}

void abut__boxtree_update(abut__boxtree* boxtree, const abut__kinetic_segment* segment,
                          const uint64_t* blocks) {
    if (!is_current(boxtree, segment)) {
        abut__boxtree_forget(boxtree);
        return;
    }
    for (uint32_t b = 0; b < boxtree->block_count; ++b) {
        if ((blocks[b / 64] >> b % 64 & 1) != 0) {
            recompute_above(boxtree, b | ABUT__REF_BLOCK);
            ++boxtree->counts.blocks_updated;
        }
    }
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

// Takes over the splits of a node. Lines come from vertices, whose ids stay, or from planes. A
// plane whose source is gone has changed candidates, so it will be recomputed.
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
            const uint32_t plane = old->plane[c].from;
            split->plane[c] = old->plane[c];
            if ((plane & ABUT__FROM_PLANE) != 0) {
                const uint32_t now = split_now(f, (plane & ~ABUT__FROM_PLANE) / 2);
                split->plane[c].from = now == ABUT__NONE ? ABUT__NONE
                                                         : (2 * now + plane % 2) | ABUT__FROM_PLANE;
            }
            attach(f->boxtree, child_now(f, n, old->child[c]), first + i, c);
            abut__heap_set(&f->boxtree->heap, 2 * (first + i) + c,
                           f->before->heap.time[2 * (from + i) + c]);
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

// Recomputes the planes of a node with the same children that have a changed child as candidate.
static void recompute_affected(abut__boxtree* boxtree, uint32_t n, const abut__descent* descent) {
    const abut__node* node = &boxtree->tree->nodes[n];
    const uint32_t first = boxtree->first[n];
    bool affected[ABUT__FAN][2] = {{false}};
    for (uint32_t k = 0; k < node->count; ++k) {
        if (abut__is_block(node->child[k]) ||
            !abut__descent_has(descent->touched, node->child[k])) {
            continue;
        }
        abut__ref below = boxtree->top[node->child[k]];
        uint32_t split = abut__is_block(below) ? boxtree->block_parent[abut__block_of(below)]
                                               : boxtree->splits[below].parent;
        for (; split != ABUT__NONE && boxtree->splits[split].node == n;
             split = boxtree->splits[split].parent) {
            affected[split - first][boxtree->splits[split].child[0] == below ? 0 : 1] = true;
            below = split;
        }
    }
    for (uint32_t i = node->count - 1u; i-- > 0;) {  // lower splits have greater numbers
        for (uint32_t c = 0; c < 2; ++c) {
            if (affected[i][c]) {
                recompute_plane(boxtree, 2 * (first + i) + c);
                ++boxtree->counts.visits;
            }
        }
    }
}

// Splits parents before children, and recomputes planes after those below.
static void recompute_touched(abut__boxtree* boxtree, const abut__descent* descent) {
    for (uint32_t n = 0; n < boxtree->node_count; ++n) {
        if (abut__descent_has(descent->changed, n)) {
            split_node(boxtree, n);
        }
    }
    for (uint32_t n = boxtree->node_count; n-- > 0;) {
        if (abut__descent_has(descent->changed, n)) {
            recompute_node(boxtree, n);
            boxtree->counts.visits += 2 * (boxtree->tree->nodes[n].count - 1u);
        } else if (abut__descent_has(descent->touched, n)) {
            recompute_affected(boxtree, n, descent);
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
    for (int e = 0; e < 2; ++e) {
        boxtree->source[e] = segment->source[boxtree->back ? 1 - e : e];
    }
    recompute_touched(boxtree, descent);
    for (uint32_t b = 0; b < boxtree->block_count; ++b) {
        boxtree->counts.blocks_updated += abut__descent_has(descent->placed, b) ? 1 : 0;
    }
}
