// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A tree over the boxes of bodies: see body_tree.h.
#include "query/body_tree.h"

#include <math.h>

#include "base/curve.h"

#define FAN 8u

static void grow(abut_box* box, const abut_box* other) {
    for (int d = 0; d < 3; ++d) {
        box->lo[d] = other->lo[d] < box->lo[d] ? other->lo[d] : box->lo[d];
        box->hi[d] = other->hi[d] > box->hi[d] ? other->hi[d] : box->hi[d];
    }
}

static abut_box empty_box(void) {
    return (abut_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void middle_of(const abut_box* box, double middle[3]) {
    for (int d = 0; d < 3; ++d) {
        middle[d] = 0.5 * box->lo[d] + 0.5 * box->hi[d];
    }
}

static void sort_bodies(abut__body_tree* tree, const abut_box* boxes) {
    abut_box around = empty_box();
    double middle[3];
    for (uint32_t i = 0; i < tree->count; ++i) {
        middle_of(&boxes[i], middle);
        if (isfinite(middle[0] + middle[1] + middle[2])) {
            grow(&around,
                 &(abut_box){{middle[0], middle[1], middle[2]}, {middle[0], middle[1], middle[2]}});
        }
    }
    abut__keyed* order = tree->order.data;
    for (uint32_t i = 0; i < tree->count; ++i) {
        middle_of(&boxes[i], middle);
        order[i] = (abut__keyed){abut__curve_cell(&around, middle), i};
    }
    abut__sort_keyed(order, order + tree->count, tree->count);
}

bool abut__body_tree_build(const abut_context* context, abut__body_tree* tree,
                           const abut_box* boxes, uint32_t count) {
    tree->count = count;
    tree->levels = 0;
    size_t total = 0;
    for (size_t own = count; own > 0; own = own > 1 ? (own + FAN - 1) / FAN : 0) {
        tree->first[tree->levels++] = total;
        total += own;
    }
    tree->first[tree->levels] = total;
    if (count == 0) {
        return true;
    }
    if (abut__renew(context, &tree->boxes, total) == NULL ||
        abut__renew(context, &tree->order, 2 * (size_t)count) == NULL) {
        return false;
    }
    sort_bodies(tree, boxes);
    for (uint32_t i = 0; i < count; ++i) {
        tree->boxes.data[i] = boxes[abut__body_tree_at(tree, i)];
    }
    for (uint32_t level = 1; level < tree->levels; ++level) {
        abut_box* below = tree->boxes.data + tree->first[level - 1];
        abut_box* own = tree->boxes.data + tree->first[level];
        const size_t below_count = tree->first[level] - tree->first[level - 1];
        for (size_t i = 0; i < below_count; ++i) {
            if (i % FAN == 0) {
                own[i / FAN] = empty_box();
            }
            grow(&own[i / FAN], &below[i]);
        }
    }
    return true;
}

void abut__body_tree_free(const abut_context* context, abut__body_tree* tree) {
    abut__drop(context, &tree->boxes);
    abut__drop(context, &tree->order);
}

static double gap_sq_of(const abut_box* box, const double point[3]) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        const double below = box->lo[d] - point[d];
        const double above = point[d] - box->hi[d];
        const double gap = below > above ? below : above;
        sum += gap > 0 ? gap * gap : 0;
    }
    return sum;
}

uint32_t abut__body_tree_begin(const abut__body_tree* tree, const double point[3],
                               abut__body_gap* stack) {
    if (tree->levels == 0) {
        return 0;
    }
    const uint32_t top = tree->levels - 1;
    stack[0] = (abut__body_gap){gap_sq_of(&tree->boxes.data[tree->first[top]], point), top, 0};
    return 1;
}

uint32_t abut__body_tree_open(const abut__body_tree* tree, const double point[3],
                              abut__body_gap entry, abut__body_gap* stack, uint32_t count) {
    const uint32_t level = entry.level - 1;
    const size_t own = tree->first[level + 1] - tree->first[level];
    const uint32_t bottom = count;
    for (size_t i = (size_t)entry.index * FAN; i < own && i < ((size_t)entry.index + 1) * FAN;
         ++i) {
        const double gap_sq = gap_sq_of(&tree->boxes.data[tree->first[level] + i], point);
        uint32_t place = count++;
        for (; place > bottom && stack[place - 1].gap_sq < gap_sq; --place) {
            stack[place] = stack[place - 1];
        }
        stack[place] = (abut__body_gap){gap_sq, level, (uint32_t)i};
    }
    return count;
}
