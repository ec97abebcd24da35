// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Points in a tree of boxes: see node_tree.h.
#include "motion/node_tree.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"

// with fewer than 2^30 points the stack never has more boxes
#define STACK 64

typedef struct range {
    uint32_t box;
    uint32_t first;
    uint32_t last;  // one past the end
} range;

static bool is_leaf(range r) {
    return r.last - r.first <= ABUT__NODE_LEAF;
}

static range child(range r, uint32_t which) {
    const uint32_t middle = r.first + (r.last - r.first) / 2;
    return which == 0 ? (range){2 * r.box + 1, r.first, middle}
                      : (range){2 * r.box + 2, middle, r.last};
}

// --- building ------------------------------------------------------------------------------------

static void fit_box(abut__node_tree* tree, range r) {
    abut__node_box* box = &tree->boxes[r.box];
    for (size_t d = 0; d < 3; ++d) {
        box->lo[d] = INFINITY;
        box->hi[d] = -INFINITY;
    }
    for (uint32_t i = r.first; i < r.last; ++i) {
        const double* p = tree->places + 3 * (size_t)tree->order[i];
        for (size_t d = 0; d < 3; ++d) {
            box->lo[d] = fmin(box->lo[d], p[d]);
            box->hi[d] = fmax(box->hi[d], p[d]);
        }
    }
}

// sorts the points of a range along the axis in which they spread most
static void sort_range(abut__node_tree* tree, range r, abut__keyed* items, abut__keyed* scratch) {
    const abut__node_box* box = &tree->boxes[r.box];
    size_t axis = 0;
    for (size_t d = 1; d < 3; ++d) {
        axis = box->hi[d] - box->lo[d] > box->hi[axis] - box->lo[axis] ? d : axis;
    }
    for (uint32_t i = r.first; i < r.last; ++i) {
        const uint32_t point = tree->order[i];
        items[i - r.first].key = abut__key_of_double(tree->places[3 * (size_t)point + axis]);
        items[i - r.first].value = point;
    }
    abut__sort_keyed(items, scratch, r.last - r.first);
    for (uint32_t i = r.first; i < r.last; ++i) {
        tree->order[i] = (uint32_t)items[i - r.first].value;
    }
}

static void build(abut__node_tree* tree, abut__keyed* items, abut__keyed* scratch) {
    range stack[STACK] = {{0, 0, tree->count}};
    for (uint32_t open = 1; open > 0;) {
        const range r = stack[--open];
        fit_box(tree, r);
        if (!is_leaf(r)) {
            sort_range(tree, r, items, scratch);
            stack[open++] = child(r, 0);
            stack[open++] = child(r, 1);
        }
    }
}

bool abut__node_tree_make(const abut_context* context, const double* places, const double* reaches,
                          uint32_t count, abut__node_tree* tree) {
    uint32_t boxes = 1;
    for (uint32_t widest = count; widest > ABUT__NODE_LEAF; widest -= widest / 2) {
        boxes = 2 * boxes + 1;
    }
    *tree = (abut__node_tree){
        .count = count, .box_count = boxes, .places = places, .reaches = reaches};
    abut__arena arena = abut__arena_make(context);
    abut__keyed* items = abut__arena_push(&arena, count, sizeof *items);
    abut__keyed* scratch = abut__arena_push(&arena, count, sizeof *scratch);
    tree->order = abut__alloc(context, count, sizeof *tree->order);
    tree->shrinks = abut__alloc(context, count, sizeof *tree->shrinks);
    tree->boxes = abut__alloc_zero(context, boxes, sizeof *tree->boxes);
    const bool made = items != NULL && scratch != NULL && tree->order != NULL &&
                      tree->shrinks != NULL && tree->boxes != NULL;
    if (made) {
        for (uint32_t i = 0; i < count; ++i) {
            tree->order[i] = i;
        }
        build(tree, items, scratch);
    } else {
        abut__node_tree_free(context, tree);
    }
    abut__arena_release(&arena);
    return made;
}

void abut__node_tree_free(const abut_context* context, abut__node_tree* tree) {
    abut__free(context, tree->order, tree->count, sizeof *tree->order);
    abut__free(context, tree->shrinks, tree->count, sizeof *tree->shrinks);
    abut__free(context, tree->boxes, tree->box_count, sizeof *tree->boxes);
    tree->order = NULL;
    tree->shrinks = NULL;
    tree->boxes = NULL;
}

void abut__node_tree_set_reaches(abut__node_tree* tree) {
    for (uint32_t i = 0; i < tree->count; ++i) {
        tree->shrinks[i] = 1 / tree->reaches[tree->order[i]];
    }
    range stack[STACK] = {{0, 0, tree->count}};
    for (uint32_t open = 1; open > 0;) {
        const range r = stack[--open];
        double most = 0;
        for (uint32_t i = r.first; i < r.last; ++i) {
            most = fmax(most, tree->reaches[tree->order[i]]);
        }
        tree->boxes[r.box].shrink = 1 / most;
        if (!is_leaf(r)) {
            stack[open++] = child(r, 0);
            stack[open++] = child(r, 1);
        }
    }
}

// --- queries -------------------------------------------------------------------------------------

// returns the point of a box that is nearest to p
static void nearest_of(const abut__node_box* box, const double p[3], double q[3]) {
    for (size_t d = 0; d < 3; ++d) {
        const double above = p[d] > box->lo[d] ? p[d] : box->lo[d];
        q[d] = above < box->hi[d] ? above : box->hi[d];
    }
}

// Shell sort: there are few, and it needs no memory
static void sort_numbers(uint32_t* numbers, uint32_t count) {
    static const uint32_t gaps[] = {29524, 9841, 3280, 1093, 364, 121, 40, 13, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; ++g) {
        for (uint32_t i = gaps[g]; i < count; ++i) {
            const uint32_t number = numbers[i];
            uint32_t at = i;
            for (; at >= gaps[g] && numbers[at - gaps[g]] > number; at -= gaps[g]) {
                numbers[at] = numbers[at - gaps[g]];
            }
            numbers[at] = number;
        }
    }
}

// A box is left out if its nearest point is too far. Rounding preserves the order of differences,
// products, squares and sums, so no point in it is near enough.
uint32_t abut__node_tree_within(const abut__node_tree* tree, const double p[3], double radius,
                                uint32_t* out) {
    range stack[STACK];
    const double given = radius > 0 ? 1 / radius : 0;
    uint32_t found = 0;
    stack[0] = (range){0, 0, tree->count};
    for (uint32_t open = 1; open > 0;) {
        const range r = stack[--open];
        const abut__node_box* box = &tree->boxes[r.box];
        double q[3];
        nearest_of(box, p, q);
        if (!(abut__node_apart_sq(p, q, given > 0 ? given : box->shrink) < 1)) {
            continue;
        }
        if (!is_leaf(r)) {
            stack[open++] = child(r, 0);
            stack[open++] = child(r, 1);
            continue;
        }
        for (uint32_t i = r.first; i < r.last; ++i) {
            const uint32_t point = tree->order[i];
            const double shrink = given > 0 ? given : tree->shrinks[i];
            if (abut__node_apart_sq(p, tree->places + 3 * (size_t)point, shrink) < 1) {
                if (out != NULL) {
                    out[found] = point;
                }
                found += 1;
            }
        }
    }
    if (out != NULL) {
        sort_numbers(out, found);
    }
    return found;
}

// inserts a candidate into the ascending list of the nearest
static uint32_t insert(double* room, uint32_t held, uint32_t k, double square) {
    uint32_t at = held < k ? held : k - 1;
    for (; at > 0 && room[at - 1] > square; --at) {
        room[at] = room[at - 1];
    }
    room[at] = square;
    return held < k ? held + 1 : k;
}

static bool all_in(const abut__node_box* box, const double p[3]) {
    bool all = true;
    for (int d = 0; d < 3; ++d) {
        all = all && box->lo[d] == p[d] && box->hi[d] == p[d];
    }
    return all;
}

double abut__node_tree_distance(const abut__node_tree* tree, const double p[3], uint32_t k,
                                double* room) {
    range stack[STACK];
    uint32_t held = 0;
    stack[0] = (range){0, 0, tree->count};
    for (uint32_t open = 1; open > 0;) {
        const range r = stack[--open];
        const abut__node_box* box = &tree->boxes[r.box];
        double q[3];
        nearest_of(box, p, q);
        // skip a box whose points all coincide with p
        if (all_in(box, p) || (held == k && abut__node_apart_sq(p, q, 1) >= room[k - 1])) {
            continue;
        }
        for (uint32_t i = r.first; i < r.last && is_leaf(r); ++i) {
            const double* point = tree->places + 3 * (size_t)tree->order[i];
            const double square = abut__node_apart_sq(p, point, 1);
            if (square > 0 && (held < k || square < room[k - 1])) {
                held = insert(room, held, k, square);
            }
        }
        if (!is_leaf(r)) {  // the nearer half is next
            range near = child(r, 0);
            range far = child(r, 1);
            double near_q[3];
            double far_q[3];
            nearest_of(&tree->boxes[near.box], p, near_q);
            nearest_of(&tree->boxes[far.box], p, far_q);
            const bool swap = abut__node_apart_sq(p, far_q, 1) < abut__node_apart_sq(p, near_q, 1);
            stack[open++] = swap ? near : far;
            stack[open++] = swap ? far : near;
        }
    }
    return held > 0 ? sqrt(room[held - 1]) : 0;
}
