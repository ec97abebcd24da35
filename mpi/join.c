// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Pairs of overlapping boxes: see join.h. The tree halves the list along its widest axis.
#include "mpi/join.h"

#include <math.h>

#define LEAF 8u

// One search.
typedef struct joining {
    const abut_allocator* memory;
    abut__join* join;
    const abut__record* records;
    abut__join_fn found;
    void* user;
} joining;

static double centre_of(const abut__record* record, int d) {
    const double lo = fmax((double)record->box[d], -1e30);
    const double hi = fmin((double)record->box[3 + d], 1e30);
    return lo + hi;
}

static int widest_axis(const joining* j, uint32_t first, uint32_t count) {
    const uint32_t* order = j->join->order.data;
    int widest = 0;
    double most = -1;
    for (int d = 0; d < 3; ++d) {
        double lo = INFINITY;
        double hi = -INFINITY;
        for (uint32_t i = first; i < first + count; ++i) {
            const double centre = centre_of(&j->records[order[i]], d);
            lo = fmin(lo, centre);
            hi = fmax(hi, centre);
        }
        if (hi - lo > most) {
            most = hi - lo;
            widest = d;
        }
    }
    return widest;
}

// puts the lower half along an axis before the upper one, by quickselect
static void halve(const joining* j, uint32_t first, uint32_t count, int axis) {
    uint32_t* order = j->join->order.data;
    int64_t lo = first;
    int64_t hi = (int64_t)first + count - 1;
    const int64_t middle = (int64_t)first + count / 2;
    while (lo < hi) {
        const double pivot = centre_of(&j->records[order[(lo + hi) / 2]], axis);
        int64_t a = lo;
        int64_t b = hi;
        while (a <= b) {
            while (centre_of(&j->records[order[a]], axis) < pivot) {
                ++a;
            }
            while (centre_of(&j->records[order[b]], axis) > pivot) {
                --b;
            }
            if (a <= b) {
                const uint32_t swapped = order[a];
                order[a++] = order[b];
                order[b--] = swapped;
            }
        }
        if (middle <= b) {
            hi = b;
        } else if (middle >= a) {
            lo = a;
        } else {
            return;
        }
    }
}

static void enclose(float box[6], const float other[6]) {
    for (int d = 0; d < 3; ++d) {
        box[d] = other[d] < box[d] ? other[d] : box[d];
        box[3 + d] = other[3 + d] > box[3 + d] ? other[3 + d] : box[3 + d];
    }
}

// makes a node and those below it; 0: no memory, or it is the root
static bool build(joining* j, uint32_t first, uint32_t count, uint32_t* made) {
    abut__join_node node = {.box = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY},
                            .first = first,
                            .count = count};
    for (uint32_t i = first; i < first + count; ++i) {
        enclose(node.box, j->records[j->join->order.data[i]].box);
    }
    *made = (uint32_t)j->join->nodes.count;
    if (abut__append(j->memory, &j->join->nodes, 1) == NULL) {
        return false;
    }
    bool room = true;
    if (count > LEAF) {
        halve(j, first, count, widest_axis(j, first, count));
        room = build(j, first, count / 2, &node.child[0]) &&
               build(j, first + count / 2, count - count / 2, &node.child[1]);
    }
    j->join->nodes.data[*made] = node;
    return room;
}

static bool overlap(joining* j, const float a[6], const float b[6]) {
    ++j->join->tests;
    return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] &&
           b[2] <= a[5];
}

static bool test(joining* j, uint32_t a, uint32_t b) {
    const uint32_t* order = j->join->order.data;
    return !overlap(j, j->records[order[a]].box, j->records[order[b]].box) ||
           j->found(j->user, order[a], order[b]);
}

static bool between(joining* j, uint32_t a, uint32_t b) {
    const abut__join_node* x = &j->join->nodes.data[a];
    const abut__join_node* y = &j->join->nodes.data[b];
    if (!overlap(j, x->box, y->box)) {
        return true;
    }
    if (x->child[0] != 0 && (y->child[0] == 0 || x->count >= y->count)) {
        return between(j, x->child[0], b) && between(j, x->child[1], b);
    }
    if (y->child[0] != 0) {
        return between(j, a, y->child[0]) && between(j, a, y->child[1]);
    }
    bool go_on = true;
    for (uint32_t i = x->first; i < x->first + x->count; ++i) {
        for (uint32_t k = y->first; k < y->first + y->count && go_on; ++k) {
            go_on = test(j, i, k);
        }
    }
    return go_on;
}

static bool inside(joining* j, uint32_t a) {
    const abut__join_node* x = &j->join->nodes.data[a];
    if (x->child[0] != 0) {
        return inside(j, x->child[0]) && inside(j, x->child[1]) &&
               between(j, x->child[0], x->child[1]);
    }
    bool go_on = true;
    for (uint32_t i = x->first; i < x->first + x->count; ++i) {
        for (uint32_t k = i + 1; k < x->first + x->count && go_on; ++k) {
            go_on = test(j, i, k);
        }
    }
    return go_on;
}

bool abut__join_pairs(const abut_allocator* memory, abut__join* join, const abut__records* records,
                      abut__join_fn found, void* user) {
    joining j = {memory, join, records->data, found, user};
    const size_t count = records->count;
    join->nodes.count = join->order.count = 0;
    if (count < 2) {
        return true;
    }
    uint32_t* order = count < UINT32_MAX / 4 ? abut__append(memory, &join->order, count) : NULL;
    if (order == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        order[i] = i;
    }
    uint32_t root = 0;
    return build(&j, 0, (uint32_t)count, &root) && inside(&j, root);
}

void abut__join_free(const abut_allocator* memory, abut__join* join) {
    abut__discard(memory, &join->nodes);
    abut__discard(memory, &join->order);
}
