// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic BoxTree, event by event.
#include "bound/kinetic/boxtree.h"

// ---- the splits of a shape's tree

static void vertex_at_start(const abut__boxtree* boxtree, uint32_t vertex, double out[3]) {
    const abut__source* source = &boxtree->source[0];
    abut__read_position(source->data, source->stride, source->is_double, vertex, out);
}

// some point of a node or block: its first vertex does for telling where it lies
static void place_of(const abut__boxtree* boxtree, abut__ref ref, double out[3]) {
    while (!abut__is_block(ref)) {
        ref = boxtree->tree->nodes[ref].child[0];
    }
    vertex_at_start(boxtree, boxtree->tree->blocks[abut__block_of(ref)]->vertex[0], out);
}

typedef struct placed {
    abut__ref ref;
    double place[3];
} placed;

static uint32_t longest_axis(const placed* list, uint32_t count) {
    uint32_t longest = 0;
    double most = -1;
    for (uint32_t d = 0; d < 3; ++d) {
        double lo = list[0].place[d];
        double hi = lo;
        for (uint32_t i = 1; i < count; ++i) {
            lo = list[i].place[d] < lo ? list[i].place[d] : lo;
            hi = list[i].place[d] > hi ? list[i].place[d] : hi;
        }
        longest = hi - lo > most ? d : longest;
        most = hi - lo > most ? hi - lo : most;
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

// Hangs a node, a block or several of them below a split. What is to become a split again waits in
// `list` until its turn comes, so that children get numbers after their parents.
typedef struct pending {
    placed list[ABUT__FAN];
    uint32_t count;
    uint32_t parent;  // split, and which of its children
    uint32_t child;
} pending;

static void open_node(const abut__boxtree* boxtree, pending* p) {
    while (p->count == 1 && !abut__is_block(p->list[0].ref)) {
        const abut__node* node = &boxtree->tree->nodes[p->list[0].ref];
        p->count = node->count;
        for (uint32_t k = 0; k < node->count; ++k) {
            p->list[k].ref = node->child[k];
            place_of(boxtree, node->child[k], p->list[k].place);
        }
    }
}

static void hang(abut__boxtree* boxtree, const pending* p, abut__ref ref) {
    if (p->parent != ABUT__NONE) {
        boxtree->splits[p->parent].child[p->child] = ref;
    }
    if (abut__is_block(ref)) {
        boxtree->block_parent[abut__block_of(ref)] = p->parent;
    } else {
        boxtree->splits[ref].parent = p->parent;
    }
}

static void split_all(abut__boxtree* boxtree, pending* queue) {
    uint32_t queued = 1;
    queue[0].count = 1;
    queue[0].list[0].ref = 0;
    queue[0].parent = ABUT__NONE;
    for (uint32_t i = 0; i < queued; ++i) {
        pending p = queue[i];
        open_node(boxtree, &p);
        if (p.count == 1) {
            hang(boxtree, &p, p.list[0].ref);
            continue;
        }
        const uint32_t split = boxtree->split_count++;
        const uint32_t axis = longest_axis(p.list, p.count);
        const uint32_t half = p.count / 2;
        boxtree->splits[split].axis = axis;
        hang(boxtree, &p, split);
        sort_along(p.list, p.count, axis);
        queue[queued] = (pending){.count = half, .parent = split, .child = 0};
        memcpy(queue[queued++].list, p.list, half * sizeof(placed));
        queue[queued] = (pending){.count = p.count - half, .parent = split, .child = 1};
        memcpy(queue[queued++].list, p.list + half, (p.count - half) * sizeof(placed));
    }
}

// ---- what a plane chooses from

// the side of a box that a plane is, numbered as in aabb.h
static uint32_t side_of(const abut__boxtree* boxtree, uint32_t plane) {
    return boxtree->splits[plane / 2].axis + (plane % 2 == 0 ? 3 : 0);
}

static abut__plane* plane_of(const abut__boxtree* boxtree, uint32_t plane) {
    return &boxtree->splits[plane / 2].plane[plane % 2];
}

typedef struct search {
    const abut__boxtree* boxtree;
    uint32_t kind;  // of plane: 0 upper ends, 1 lower ends
    uint32_t axis;
    uint32_t side;
    abut__line_search best;  // by a choice,
    uint32_t from;           // and whose line it is
    const abut__line* held;  // or, if not NULL: when this one
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

// as deep as the tree is: at most three levels of splits to a level of nodes
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

static void foresee(abut__boxtree* boxtree, uint32_t plane) {
    search s = search_of(boxtree, plane);
    s.held = &plane_of(boxtree, plane)->line;
    search_below(&s, boxtree->splits[plane / 2].child[plane % 2]);
    abut__heap_set(&boxtree->heap, plane, s.first > boxtree->part ? s.first : boxtree->part);
}

// ---- events

// the next plane above that sees this one
static uint32_t seen_by(const abut__boxtree* boxtree, uint32_t plane) {
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

static void pass_on(abut__boxtree* boxtree, uint32_t plane) {
    bool had = true;
    for (uint32_t above = seen_by(boxtree, plane); above != ABUT__NONE && had;
         above = seen_by(boxtree, plane)) {
        abut__plane* to = plane_of(boxtree, above);
        had = to->from == (plane | ABUT__FROM_PLANE);
        if (had) {
            to->line = plane_of(boxtree, plane)->line;
            ++boxtree->counts.updates;
        }
        ++boxtree->counts.visits;
        foresee(boxtree, above);
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
        foresee(boxtree, plane);
        pass_on(boxtree, plane);
    } else {
        abut__heap_set(&boxtree->heap, plane, INFINITY);
    }
}

void abut__boxtree_go(abut__boxtree* boxtree, double part) {
    uint32_t plane;
    while (abut__heap_due(&boxtree->heap, part, &plane)) {
        handle(boxtree, plane);
    }
    boxtree->part = part;
    ++boxtree->counts.steps;
}

// ---- the rest

bool abut__boxtree_init(abut__boxtree* boxtree, const abut_context* context, const abut__tree* tree,
                        const abut__source source[2]) {
    *boxtree = (abut__boxtree){.context = context,
                               .tree = tree,
                               .source = {source[0], source[1]},
                               .block_count = tree->block_count};
    const size_t blocks = tree->block_count;
    pending* queue = abut__alloc(context, 2 * blocks, sizeof *queue);
    boxtree->splits = abut__alloc(context, blocks, sizeof *boxtree->splits);
    boxtree->block_parent = abut__alloc(context, blocks, sizeof *boxtree->block_parent);
    bool made = queue != NULL && boxtree->splits != NULL && boxtree->block_parent != NULL;
    if (made) {
        split_all(boxtree, queue);
    }
    abut__free(context, queue, 2 * blocks, sizeof *queue);
    if (!made || !abut__heap_init(&boxtree->heap, context, 2 * tree->block_count)) {
        abut__boxtree_free(boxtree);
        return false;
    }
    for (uint32_t plane = 2 * boxtree->split_count; plane-- > 0;) {
        choose(boxtree, plane, -INFINITY);
        foresee(boxtree, plane);
    }
    boxtree->counts.starts = 1;
    return true;
}

void abut__boxtree_free(abut__boxtree* boxtree) {
    const size_t blocks = boxtree->block_count;
    abut__free(boxtree->context, boxtree->splits, blocks, sizeof *boxtree->splits);
    abut__free(boxtree->context, boxtree->block_parent, blocks, sizeof *boxtree->block_parent);
    abut__heap_free(&boxtree->heap, boxtree->context);
    *boxtree = (abut__boxtree){0};
}

abut__box3 abut__boxtree_box(const abut__boxtree* boxtree, uint32_t block, abut__box3 root) {
    abut__ref below = block | ABUT__REF_BLOCK;
    for (uint32_t s = boxtree->block_parent[block]; s != ABUT__NONE;
         s = boxtree->splits[s].parent) {
        const abut__boxtree_split* split = &boxtree->splits[s];
        const uint32_t c = split->child[0] == below ? 0 : 1;
        const float at = (float)abut__line_at(split->plane[c].line, boxtree->part);
        if (c == 0) {
            root.hi[split->axis] = at < root.hi[split->axis] ? at : root.hi[split->axis];
        } else {
            root.lo[split->axis] = -at > root.lo[split->axis] ? -at : root.lo[split->axis];
        }
        below = s;
    }
    return root;
}
