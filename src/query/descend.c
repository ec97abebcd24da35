// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The descent of pairs of nodes. Two nodes are opened together; of a node and a block only the node
// is. So the depths alone determine an entry's parent, and in the order of the descent all entries
// below one parent are adjacent. Fronts depend on that.
#include <math.h>

#include "query/cones.h"
#include "query/query.h"

static abut__entry self_entry(uint32_t job, abut__ref ref) {
    return (abut__entry){job, ref, ref, 0};
}

static bool is_self(const abut__job* job, const abut__entry* entry) {
    return job->self && entry->a == entry->b;
}

bool abut__entry_parent(const abut__job* job, const abut__entry* entry, abut__entry* parent) {
    if (entry->b == ABUT__LINKS) {
        *parent = self_entry(entry->job, entry->a);
        return true;
    }
    const abut__tree* tree_a = job->view[0].tree;
    const abut__tree* tree_b = job->view[1].tree;
    const uint32_t depth_a = abut__ref_depth(tree_a, entry->a);
    const uint32_t depth_b = abut__ref_depth(tree_b, entry->b);
    if (depth_a == 0 && depth_b == 0) {
        return false;
    }
    *parent = (abut__entry){entry->job, entry->a, entry->b, 0};
    if (depth_a >= depth_b) {
        parent->a = abut__ref_parent(tree_a, entry->a);
    }
    if (depth_b >= depth_a) {
        parent->b = abut__ref_parent(tree_b, entry->b);
    }
    return true;
}

uint32_t abut__entry_level(const abut__job* job, const abut__entry* entry) {
    const uint32_t depth_a = abut__ref_depth(job->view[0].tree, entry->a);
    if (entry->b == ABUT__LINKS) {
        return depth_a + 1;
    }
    const uint32_t depth_b = abut__ref_depth(job->view[1].tree, entry->b);
    return depth_a > depth_b ? depth_a : depth_b;
}

static abut__box3 shifted(abut__box3 box, const abut__shift* shift) {
    for (int d = 0; d < 3; ++d) {
        box.lo[d] += shift->lo[d];
        box.hi[d] += shift->hi[d];
    }
    return box;
}

// tests one box, as the kernel does for eight
static bool meets_sphere(const abut__box3* box, const abut__sphere3* sphere) {
    float sum = 0;
    for (int d = 0; d < 3; ++d) {
        const float below = box->lo[d] - sphere->c[d];
        const float above = sphere->c[d] - box->hi[d];
        const float away = fmaxf(fmaxf(below, above), 0);
        sum += away * away;
    }
    return sum <= sphere->square;
}

bool abut__hubs_skip(const abut__run* run, const abut__job* job, abut__ref a, abut__ref b) {
    if (!run->def->include_neighbours && abut__links_all_neighbours(job->links, a, b)) {
        return true;
    }
    return job->cones != NULL && abut__cones_apart(run, job, a, b);
}

static bool nodes_certified(abut__worker* worker, const abut__job* job, abut__ref a, abut__ref b) {
    const bool apart = !abut__is_block(a) && !abut__is_block(b) &&
                       abut__view_nodes_apart(&job->view[0], a, b);
    worker->reader.counters.node_pairs_certified += apart;
    return apart;
}

static bool proves_nodes(const abut__job* job) {
    return job->self && job->view[0].proves && abut__view_proves_nodes(&job->view[0]);
}

bool abut__entry_stops(const abut__run* run, abut__worker* worker, const abut__entry* entry) {
    const abut__job* job = &run->jobs[entry->job];
    if (entry->b != ABUT__LINKS && abut__may_skip(job) &&
        abut__hubs_skip(run, job, entry->a, entry->b)) {
        return true;
    }
    if (entry->b == ABUT__LINKS || job->unbounded) {
        return false;
    }
    if (is_self(job, entry)) {
        const abut__view* view = &job->view[0];
        const bool apart = view->proves && view->kind->apart(view, entry->a);
        if (apart) {
            ++*(abut__is_block(entry->a) ? &worker->reader.counters.blocks_certified
                                         : &worker->reader.counters.nodes_certified);
            if (view->usage != NULL) {
                atomic_fetch_add_explicit(&view->usage->proven, 1, memory_order_relaxed);
            }
        }
        return apart;
    }
    if (proves_nodes(job) && nodes_certified(worker, job, entry->a, entry->b)) {
        return true;
    }
    if (job->compares_spheres) {
        ++worker->reader.counters.boxes_tested;
        ++worker->spent;
        return !abut__refs_meet(run, worker, job, entry->a, entry->b);
    }
    worker->reader.counters.boxes_computed += 2;
    ++worker->reader.counters.boxes_tested;
    ++worker->spent;
    const abut__box3 a = shifted(abut__view_box(&job->view[0], entry->a), &job->shift);
    const abut__box3 b = abut__view_box(&job->view[1], entry->b);
    for (int d = 0; d < 3; ++d) {
        if (!(a.lo[d] <= b.hi[d] && b.lo[d] <= a.hi[d])) {
            return true;
        }
    }
    return (job->has_sphere[1] && !meets_sphere(&a, &job->sphere[1])) ||
           (job->has_sphere[0] && !meets_sphere(&b, &job->sphere[0])) ||
           (job->refines && !abut__refs_meet(run, worker, job, entry->a, entry->b));
}

bool abut__entry_is_leaf(const abut__entry* entry) {
    return entry->b == ABUT__LINKS || (abut__is_block(entry->a) && abut__is_block(entry->b));
}

static void push(abut__entries* out, uint32_t job, abut__ref a, abut__ref b, uint32_t flags) {
    out->data[out->count++] = (abut__entry){job, a, b, flags};
}

// some children of a node
typedef struct children {
    const abut__ref* refs;
    uint32_t first;
    uint32_t end;
} children;

// pushes each child with `one`; children that do not overlap it only for fronts, as stopped
static void push_children(const abut__run* run, abut__entries* out, uint32_t job, abut__ref one,
                          bool one_first, children of, uint32_t overlap) {
    const uint32_t all = ((1u << of.end) - 1) & ~((1u << of.first) - 1);
    for (uint32_t left = run->keep ? all : overlap & all; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        push(out, job, one_first ? one : of.refs[k], one_first ? of.refs[k] : one,
             (overlap >> k & 1) != 0 ? 0 : ABUT__ENTRY_STOPPED);
    }
}

static const abut__boxes8* bound(abut__worker* worker, const abut__view* view, uint32_t node,
                                 abut__boxes8* room) {
    worker->reader.counters.boxes_computed += view->tree->nodes[node].count;
    return abut__view_bound(view, node, room);
}

static const abut__shift no_shift = {{0, 0, 0}, {0, 0, 0}};

// returns which children of a node of a, or of b, meet the other body's sphere
static uint32_t sphere_mask(const abut__run* run, const abut__job* job, int side,
                            const abut__boxes8* boxes, uint32_t count) {
    return job->has_sphere[1 - side]
               ? run->kernels->overlap_sphere(boxes, count, side == 0 ? &job->shift : &no_shift,
                                              &job->sphere[1 - side])
               : 0xff;
}

static void count_tests(abut__worker* worker, uint64_t tests) {
    worker->reader.counters.boxes_tested += tests;
    worker->spent += tests;
}

// removes from the rows of a's children those of b that hubs rule out
static void remove_hubs(const abut__run* run, const abut__job* job, uint32_t a, uint32_t b,
                        uint8_t rows[ABUT__FAN]) {
    const abut__node* nodes = job->view[0].tree->nodes;
    for (uint32_t i = 0; i < nodes[a].count; ++i) {
        for (uint32_t left = rows[i] & ((1u << nodes[b].count) - 1); left != 0; left &= left - 1) {
            const uint32_t k = (uint32_t)__builtin_ctz(left);
            if (abut__hubs_skip(run, job, nodes[a].child[i], nodes[b].child[k])) {
                rows[i] &= (uint8_t) ~(1u << k);
            }
        }
    }
}

// Removes from the rows of a's children those of b that hubs rule out, or that are linked to them:
// linked blocks come with the links of a node above. Fronts need all children, linked ones too.
static void remove_linked(const abut__run* run, const abut__job* job, uint32_t a, uint32_t b,
                          uint8_t rows[ABUT__FAN]) {
    if (abut__may_skip(job)) {
        remove_hubs(run, job, a, b, rows);
    }
    if (job->self && !run->keep) {
        const uint64_t linked = abut__links_beside(job->links, a, b);
        for (uint32_t i = 0; i < ABUT__FAN && linked != 0; ++i) {
            rows[i] &= (uint8_t) ~(linked >> ABUT__FAN * i);
        }
    }
}

// the same for one block: returns which children of the node to remove
static uint32_t linked_to(const abut__run* run, const abut__job* job, uint32_t block,
                          uint32_t node) {
    const abut__tree* tree = job->view[0].tree;
    uint32_t out = 0;
    if (abut__may_skip(job)) {
        for (uint32_t k = 0; k < tree->nodes[node].count; ++k) {
            out |= (uint32_t)abut__hubs_skip(run, job, block | ABUT__REF_BLOCK,
                                             tree->nodes[node].child[k])
                   << k;
        }
    }
    if (!job->self || run->keep) {
        return out;
    }
    const uint64_t linked = abut__links_beside(job->links, tree->block_parent[block], node);
    return out | ((uint32_t)(linked >> ABUT__FAN * tree->block_slot[block]) & 0xff);
}

// Removes from the rows of a's children those of b that are proven apart from them. Returns them:
// bit 8 i + k for child i of a and child k of b. In a node with itself only k > i count.
static uint64_t remove_certified(abut__worker* worker, const abut__job* job, uint32_t a, uint32_t b,
                                 uint8_t rows[ABUT__FAN]) {
    const abut__node* nodes = job->view[0].tree->nodes;
    uint64_t removed = 0;
    for (uint32_t i = 0; i < nodes[a].count && proves_nodes(job); ++i) {
        const uint32_t later = a == b ? 0xfeu << i : 0xffu;
        const uint32_t all = (1u << nodes[b].count) - 1;
        for (uint32_t left = rows[i] & all & later; left != 0; left &= left - 1) {
            const uint32_t k = (uint32_t)__builtin_ctz(left);
            if (nodes_certified(worker, job, nodes[a].child[i], nodes[b].child[k])) {
                rows[i] &= (uint8_t) ~(1u << k);
                removed |= UINT64_C(1) << (ABUT__FAN * i + k);
            }
        }
    }
    return removed;
}

// Refines rows of a node with itself: child i with later children.
static void refine_later(const abut__run* run, abut__worker* worker, const abut__job* job,
                         uint32_t node, uint8_t rows[ABUT__FAN]) {
    if (job->refines && !job->unbounded) {
        for (uint32_t i = 0; i < ABUT__FAN; ++i) {
            rows[i] &= (uint8_t)(0xfeu << i);
        }
        abut__rows_refine(run, worker, job, node, node, rows);
    }
}

// opens a node with itself: its links, each child with itself, each two children that overlap
static void open_self(const abut__run* run, abut__worker* worker, const abut__entry* entry,
                      abut__entries* out) {
    const abut__job* job = &run->jobs[entry->job];
    const abut__node* node = &job->view[0].tree->nodes[entry->a];
    abut__boxes8 room;
    uint8_t rows[ABUT__FAN];
    memset(rows, 0xff, sizeof rows);
    if (!job->unbounded && job->compares_spheres) {
        abut__rows_meet(run, worker, job, entry->a, entry->a, rows);
    } else if (!job->unbounded) {
        const abut__boxes8* boxes = bound(worker, &job->view[0], entry->a, &room);
        run->kernels->overlap_nodes(boxes, node->count, boxes, node->count, &job->shift, rows);
    }
    remove_linked(run, job, entry->a, entry->a, rows);
    refine_later(run, worker, job, entry->a, rows);
    const uint64_t apart = remove_certified(worker, job, entry->a, entry->a, rows);
    count_tests(worker, (uint64_t)node->count * (node->count - 1u) / 2);
    for (uint32_t i = 0; i < node->count; ++i) {
        push_children(run, out, entry->job, node->child[i], true,
                      (children){node->child, i + 1, node->count}, rows[i]);
    }
    for (uint32_t i = 0; i < node->count; ++i) {
        push(out, entry->job, node->child[i], node->child[i], 0);
    }
    // Links between children that are proven apart need no test. Fronts have an entry for all links.
    if (abut__links_at(job->links, entry->a) > 0 &&
        (run->keep || (job->links->crossing[entry->a] & ~apart) != 0)) {
        push(out, entry->job, entry->a, ABUT__LINKS, 0);
    }
}

static void open_both(const abut__run* run, abut__worker* worker, const abut__entry* entry,
                      abut__entries* out) {
    const abut__job* job = &run->jobs[entry->job];
    const abut__node* a = &job->view[0].tree->nodes[entry->a];
    const abut__node* b = &job->view[1].tree->nodes[entry->b];
    abut__boxes8 room_a;
    abut__boxes8 room_b;
    uint8_t rows[ABUT__FAN];
    uint32_t near_a = 0xff;
    uint32_t near_b = 0xff;
    memset(rows, 0xff, sizeof rows);
    if (!job->unbounded) {
        const abut__boxes8* boxes_a = bound(worker, &job->view[0], entry->a, &room_a);
        const abut__boxes8* boxes_b = bound(worker, &job->view[1], entry->b, &room_b);
        run->kernels->overlap_nodes(boxes_a, a->count, boxes_b, b->count, &job->shift, rows);
        near_a = sphere_mask(run, job, 0, boxes_a, a->count);
        near_b = sphere_mask(run, job, 1, boxes_b, b->count);
    }
    remove_linked(run, job, entry->a, entry->b, rows);
    count_tests(worker, (uint64_t)a->count * b->count);
    for (uint32_t i = 0; i < a->count; ++i) {
        rows[i] = (near_a >> i & 1) != 0 ? rows[i] & (uint8_t)near_b : 0;
    }
    if (job->refines && !job->unbounded) {
        abut__rows_refine(run, worker, job, entry->a, entry->b, rows);
    }
    (void)remove_certified(worker, job, entry->a, entry->b, rows);
    for (uint32_t i = 0; i < a->count; ++i) {
        push_children(run, out, entry->job, a->child[i], true, (children){b->child, 0, b->count},
                      rows[i]);
    }
}

// the same by spheres
static void open_both_round(const abut__run* run, abut__worker* worker, const abut__entry* entry,
                            abut__entries* out) {
    const abut__job* job = &run->jobs[entry->job];
    const abut__node* a = &job->view[0].tree->nodes[entry->a];
    const abut__node* b = &job->view[1].tree->nodes[entry->b];
    uint8_t rows[ABUT__FAN];
    abut__rows_meet(run, worker, job, entry->a, entry->b, rows);
    remove_linked(run, job, entry->a, entry->b, rows);
    count_tests(worker, (uint64_t)a->count * b->count);
    for (uint32_t i = 0; i < a->count; ++i) {
        push_children(run, out, entry->job, a->child[i], true, (children){b->child, 0, b->count},
                      rows[i]);
    }
}

// Opens one node, against a node or block of the other side.
static void open_side(const abut__run* run, abut__worker* worker, const abut__entry* entry,
                      int side, abut__entries* out) {
    const abut__job* job = &run->jobs[entry->job];
    const abut__ref other = side == 0 ? entry->b : entry->a;
    const uint32_t node = side == 0 ? entry->a : entry->b;
    const abut__node* opened = &job->view[side].tree->nodes[node];
    uint32_t row = abut__children_meet(run, worker, job, side, node, other);
    count_tests(worker, opened->count);
    if (abut__is_block(other)) {
        row &= ~linked_to(run, job, abut__block_of(other), node);
    }
    push_children(run, out, entry->job, other, side == 1,
                  (children){opened->child, 0, opened->count}, row);
}

// Opens an entry by spheres. Without a front the larger of two nodes is opened alone: fewer
// spheres are compared.
static void open_round(const abut__run* run, abut__worker* worker, const abut__entry* entry,
                       abut__entries* out) {
    const abut__job* job = &run->jobs[entry->job];
    if (abut__is_block(entry->a) || abut__is_block(entry->b) || (!run->keep && !job->self)) {
        open_side(run, worker, entry, abut__larger_side(job, entry->a, entry->b), out);
    } else {
        open_both_round(run, worker, entry, out);
    }
}

// opens a node of b against a block of a
static void open_b(const abut__run* run, abut__worker* worker, const abut__entry* entry,
                   abut__entries* out) {
    const abut__job* job = &run->jobs[entry->job];
    const abut__node* b = &job->view[1].tree->nodes[entry->b];
    uint32_t row = 0xff;
    if (!job->unbounded) {
        abut__boxes8 room;
        const abut__box3 box = shifted(abut__view_box(&job->view[0], entry->a), &job->shift);
        const abut__boxes8* boxes = bound(worker, &job->view[1], entry->b, &room);
        row = run->kernels->overlap_box(boxes, b->count, &no_shift, &box) &
              sphere_mask(run, job, 1, boxes, b->count);
    }
    row &= ~linked_to(run, job, abut__block_of(entry->a), entry->b);
    if (job->refines && !job->unbounded && row != 0) {
        row &= abut__spheres_meet(run, worker, job, 1, entry->b, entry->a);
    }
    count_tests(worker, b->count);
    push_children(run, out, entry->job, entry->a, true, (children){b->child, 0, b->count}, row);
}

// opens a node of a against a block of b
static void open_a(const abut__run* run, abut__worker* worker, const abut__entry* entry,
                   abut__entries* out) {
    const abut__job* job = &run->jobs[entry->job];
    const abut__node* a = &job->view[0].tree->nodes[entry->a];
    uint32_t row = 0xff;
    if (!job->unbounded) {
        abut__boxes8 room;
        const abut__box3 box = abut__view_box(&job->view[1], entry->b);
        const abut__boxes8* boxes = bound(worker, &job->view[0], entry->a, &room);
        row = run->kernels->overlap_box(boxes, a->count, &job->shift, &box) &
              sphere_mask(run, job, 0, boxes, a->count);
    }
    row &= ~linked_to(run, job, abut__block_of(entry->b), entry->a);
    if (job->refines && !job->unbounded && row != 0) {
        row &= abut__spheres_meet(run, worker, job, 0, entry->a, entry->b);
    }
    count_tests(worker, a->count);
    push_children(run, out, entry->job, entry->b, false, (children){a->child, 0, a->count}, row);
}

void abut__entry_open(const abut__run* run, abut__worker* worker, const abut__entry* entry,
                      abut__entries* out) {
    ABUT_ASSERT(out->count + ABUT__OPEN_MOST <= out->capacity);
    if (is_self(&run->jobs[entry->job], entry)) {
        open_self(run, worker, entry, out);
    } else if (run->jobs[entry->job].compares_spheres && !run->jobs[entry->job].unbounded) {
        open_round(run, worker, entry, out);
    } else if (abut__is_block(entry->a)) {
        open_b(run, worker, entry, out);
    } else if (abut__is_block(entry->b)) {
        open_a(run, worker, entry, out);
    } else {
        open_both(run, worker, entry, out);
    }
}

static void leaf(const abut__run* run, abut__worker* worker, const abut__entry* entry) {
    const abut__job* job = &run->jobs[entry->job];
    const uint32_t a = abut__block_of(entry->a);
    const uint32_t b = abut__block_of(entry->b);
    ++worker->spent;
    if (entry->b == ABUT__LINKS) {
        abut__self_links(run, worker, entry->job, entry->a);
    } else if (!job->self) {
        abut__collide_blocks(run, worker, entry->job, a, b);
    } else if (a == b) {
        abut__self_block(run, worker, entry->job, a);
    } else {
        abut__self_blocks(run, worker, entry->job, a, b);
    }
}

// stores an entry for the front, if there is one
static void keep(const abut__run* run, abut__worker* worker, abut__entry entry, uint32_t flags) {
    if (!run->keep || (entry.flags & ABUT__ENTRY_LISTED) != 0) {
        return;
    }
    entry.flags = flags;
    abut__entry* place = abut__push(run->context, &worker->task->kept, 1);
    if (place == NULL) {
        worker->reader.status = ABUT_ERR_NO_MEMORY;
        return;
    }
    *place = entry;
}

static void visit(const abut__run* run, abut__worker* worker, const abut__entry* entry) {
    if ((entry->flags & ABUT__ENTRY_STOPPED) != 0) {
        keep(run, worker, *entry, ABUT__ENTRY_STOPPED);
        return;
    }
    // opening an entry tests all its children; only entries that were not made so are tested here
    const bool untested = (entry->flags & ABUT__ENTRY_TEST) != 0 ||
                          is_self(&run->jobs[entry->job], entry);
    if (untested && abut__entry_stops(run, worker, entry)) {
        keep(run, worker, *entry, ABUT__ENTRY_STOPPED);
        return;
    }
    if (abut__swept_is_timed(&run->jobs[entry->job], worker) &&
        abut__swept_enter(&run->jobs[entry->job], entry->a, entry->b) > worker->before) {
        return;
    }
    if (abut__entry_is_leaf(entry)) {
        leaf(run, worker, entry);
        keep(run, worker, *entry, ABUT__ENTRY_LEAF);
    } else {
        abut__entry_open(run, worker, entry, &worker->stack);
    }
}

static bool reserve_rows(const abut__run* run, abut__worker* worker) {
    worker->rows = worker->rows != NULL ? worker->rows
                                        : abut__alloc(run->context, 1, sizeof *worker->rows);
    return worker->rows != NULL;
}

// each level of the descent adds at most ABUT__OPEN_MOST entries to the stack
bool abut__descend_reserve(const abut__run* run, abut__workspace* work) {
    size_t levels = 0;
    for (size_t j = 0; j < work->jobs.count; ++j) {
        const abut__job* job = &run->jobs[j];
        const size_t deep = (size_t)job->view[0].tree->depth + job->view[1].tree->depth + 2;
        levels = deep > levels ? deep : levels;
    }
    const bool thins = !run->sweeps && !run->def->features && !run->def->intervals;
    for (uint32_t w = 0; w < work->worker_count; ++w) {
        abut__worker* worker = &work->workers[w];
        worker->stack.count = worker->candidates.count = worker->thinned = 0;
        if (!abut__reserve(run->context, &worker->stack, (levels + 1) * ABUT__OPEN_MOST) ||
            !abut__reserve(run->context, &worker->candidates, ABUT__CANDIDATES_MOST) ||
            (thins && !reserve_rows(run, worker))) {
            return false;
        }
    }
    return true;
}

static bool must_stop(const abut__run* run, const abut__worker* worker) {
    return worker->reader.status != ABUT_OK ||
           (run->def->any && atomic_load_explicit(&((abut__run*)run)->stop, memory_order_relaxed));
}

void abut__descend(const abut__run* run, abut__worker* worker, abut__task* task) {
    worker->task = task;
    worker->spent = 0;
    worker->before = run->before;
    abut__entries* stack = &worker->stack;
    for (uint32_t s = 0; s < task->seed_count; ++s) {
        stack->count = 1;
        stack->data[0] = run->seeds[task->first_seed + s];
        while (stack->count > 0 && !must_stop(run, worker)) {
            const abut__entry entry = stack->data[--stack->count];
            if (worker->spent >= run->task_budget && (entry.flags & ABUT__ENTRY_STOPPED) == 0) {
                keep(run, worker, entry, ABUT__ENTRY_PENDING);
            } else {
                visit(run, worker, &entry);
            }
        }
    }
    // A rest waits for the next task, to fill a batch. Not with `any`, which stops at the first
    // hit, nor with `first`, where the earliest time so far must not depend on other tasks of the
    // worker.
    abut__candidates_decide(run, worker, run->def->any || run->first);
    abut__usage_flush(worker, 0);
    abut__usage_flush(worker, 1);
    worker->spent_in_all += worker->spent;
}
