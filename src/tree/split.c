// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Splits boxes top-down. Each split is the best of 16 bins by a surface area heuristic whose unit
// of cost is a full wide node. A split is then moved to a whole number of units unless that would
// extend a box across a gap.
// Based on: Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007.
#include "tree/split.h"

#include <float.h>

#include "tree/tree.h"

#define BINS 16
#define MEDIAN_DEPTH 40  // deeper splits are at the median, which bounds the depth

double abut__box_area(const float lo[3], const float hi[3]) {
    const double x = (double)hi[0] - (double)lo[0];
    const double y = (double)hi[1] - (double)lo[1];
    const double z = (double)hi[2] - (double)lo[2];
    return 2 * (x * y + y * z + z * x);
}

double abut__box_cost(const float lo[3], const float hi[3]) {
    const double sides = ((double)hi[0] - (double)lo[0]) + ((double)hi[1] - (double)lo[1]) +
                         ((double)hi[2] - (double)lo[2]);
    return sides * sides;
}

float abut__fit_of(double box_cost, double triangle_cost_sum) {
    return triangle_cost_sum > 0 ? (float)(box_cost / triangle_cost_sum) : 1;
}

static abut__box4 box_empty(void) {
    return (abut__box4){{FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX},
                        {-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX}};
}

static abut__box4 box_of(const abut__item* items, uint32_t count) {
    abut__box4 box = box_empty();
    for (uint32_t i = 0; i < count; ++i) {
        abut__box4_grow(&box, &items[i].box);
    }
    return box;
}

static double cost_of(const abut__box4* box) {
    return box->lo[0] > box->hi[0] ? 0 : abut__box_cost(box->lo, box->hi);
}

// Returns twice the centre along an axis: the key by which items are split.
static float key_of(const abut__item* item, int axis) {
    return item->box.lo[axis] + item->box.hi[axis];
}

static abut__box4 key_box(const abut__item* items, uint32_t count) {
    abut__box4 box = box_empty();
    for (uint32_t i = 0; i < count; ++i) {
        abut__box4 keys;
        for (int d = 0; d < 4; ++d) {
            keys.lo[d] = keys.hi[d] = key_of(&items[i], d);
        }
        abut__box4_grow(&box, &keys);
    }
    return box;
}

static int longest_axis(const abut__box4* b) {
    int axis = 0;
    for (int d = 1; d < 3; ++d) {
        if (b->hi[d] - b->lo[d] > b->hi[axis] - b->lo[axis]) {
            axis = d;
        }
    }
    return axis;
}

static bool before(const abut__item* a, const abut__item* b, int axis) {
    const float ka = key_of(a, axis);
    const float kb = key_of(b, axis);
    return ka < kb || (ka == kb && a->id < b->id);  // ties by id: deterministic
}

static void swap_items(abut__item* a, abut__item* b) {
    const abut__item item = *a;
    *a = *b;
    *b = item;
}

// Moves the first `rank` items along the axis to the front. Expected linear time. The pivots come
// from a generator with a fixed seed.
static void select_items(abut__item* items, uint32_t count, uint32_t rank, int axis) {
    uint32_t lo = 0;
    uint32_t hi = count;
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15) ^ count;
    while (hi - lo > 1) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        swap_items(&items[lo + (uint32_t)((random >> 33) % (hi - lo))], &items[hi - 1]);
        const abut__item pivot = items[hi - 1];
        uint32_t store = lo;
        for (uint32_t i = lo; i + 1 < hi; ++i) {
            if (before(&items[i], &pivot, axis)) {
                swap_items(&items[i], &items[store++]);
            }
        }
        swap_items(&items[store], &items[hi - 1]);
        if (rank == store || rank == store + 1) {
            return;
        }
        if (rank < store) {
            hi = store;
        } else {
            lo = store + 1;
        }
    }
}

typedef struct choice {
    double cost;
    int axis;
    uint32_t rank;  // items on the left
} choice;

typedef struct bin {
    abut__box4 box;
    uint32_t count;
} bin;

static double units_of(uint32_t count, uint32_t unit) {
    const uint32_t units = (count + unit - 1) / unit;
    return (double)units;
}

// Fills the bins along all axes. An axis without extent has all items in its first bin.
static void fill_bins(const abut__item* items, uint32_t count, const abut__box4* keys,
                      bin bins[3][BINS]) {
    float scale[4];
    for (int d = 0; d < 4; ++d) {
        scale[d] = BINS / (keys->hi[d] - keys->lo[d]);
        scale[d] = scale[d] <= FLT_MAX ? scale[d] : 0;
    }
    for (int b = 0; b < BINS; ++b) {
        bins[0][b] = bins[1][b] = bins[2][b] = (bin){box_empty(), 0};
    }
    for (uint32_t i = 0; i < count; ++i) {
        for (int d = 0; d < 3; ++d) {
            const int raw = (int)((key_of(&items[i], d) - keys->lo[d]) * scale[d]);
            bin* target = &bins[d][raw < BINS ? raw : BINS - 1];
            abut__box4_grow(&target->box, &items[i].box);
            ++target->count;
        }
    }
}

static void try_axis(const bin bins[BINS], uint32_t count, int axis, uint32_t unit, choice* best) {
    double right_cost[BINS];
    abut__box4 box = box_empty();
    for (int b = BINS - 1; b > 0; --b) {
        abut__box4_grow(&box, &bins[b].box);
        right_cost[b] = cost_of(&box);
    }
    box = box_empty();
    uint32_t left = 0;
    for (int b = 0; b + 1 < BINS; ++b) {
        abut__box4_grow(&box, &bins[b].box);
        left += bins[b].count;
        if (left == 0 || left == count) {
            continue;
        }
        const double cost = cost_of(&box) * units_of(left, unit) +
                            right_cost[b + 1] * units_of(count - left, unit);
        if (cost < best->cost) {
            *best = (choice){cost, axis, left};
        }
    }
}

// Returns the rank nearest to `rank` that makes one side a whole number of units.
static uint32_t snapped(uint32_t rank, uint32_t count, uint32_t unit) {
    const uint32_t right = count - rank;
    const uint32_t options[4] = {
        rank / unit * unit,
        (rank + unit - 1) / unit * unit,
        count - right / unit * unit,
        count - (right + unit - 1) / unit * unit,
    };
    uint32_t best = rank;
    uint32_t best_gap = UINT32_MAX;
    for (int i = 0; i < 4; ++i) {
        const uint32_t option = options[i];
        if (option == 0 || option >= count) {  // the last one may also wrap around
            continue;
        }
        const uint32_t gap = option > rank ? option - rank : rank - option;
        if (gap < best_gap) {
            best_gap = gap;
            best = option;
        }
    }
    return best;
}

static double cost_sum(const abut__item* items, uint32_t count, uint32_t rank) {
    const abut__box4 left = box_of(items, rank);
    const abut__box4 right = box_of(items + rank, count - rank);
    return cost_of(&left) + cost_of(&right);
}

// Splits more than `unit` items in two. Returns the number of items on the left.
static uint32_t split_once(abut__item* items, uint32_t count, uint32_t depth, uint32_t unit) {
    const abut__box4 keys = key_box(items, count);
    choice best = {DBL_MAX, longest_axis(&keys), count / 2};
    if (depth < MEDIAN_DEPTH) {
        bin bins[3][BINS];
        fill_bins(items, count, &keys, bins);
        for (int axis = 0; axis < 3; ++axis) {
            try_axis(bins[axis], count, axis, unit, &best);
        }
    }
    select_items(items, count, best.rank, best.axis);
    const bool wasteful = units_of(best.rank, unit) + units_of(count - best.rank, unit) >
                          units_of(count, unit);
    if (wasteful) {
        const double cost = cost_sum(items, count, best.rank);
        const uint32_t rank = snapped(best.rank, count, unit);
        // this reorders only one of the two sides, so the first cut stays valid
        if (rank < best.rank) {
            select_items(items, best.rank, rank, best.axis);
        } else {
            select_items(items + best.rank, count - best.rank, rank - best.rank, best.axis);
        }
        if (cost_sum(items, count, rank) <= 1.3 * cost) {
            return rank;
        }
    }
    return best.rank;
}

static abut__split make_split(const abut__item* items, uint32_t first, uint32_t count,
                              uint32_t depth) {
    const abut__box4 box = box_of(items + first, count);
    return (abut__split){first, count, ABUT__NONE, depth, cost_of(&box)};
}

bool abut__split_items(const abut_context* context, abut__item* items, uint32_t count,
                       uint32_t group, abut__splits* splits) {
    abut__split* root = abut__push(context, splits, 1);
    if (root == NULL) {
        return false;
    }
    *root = make_split(items, 0, count, 0);
    for (size_t i = 0; i < splits->count; ++i) {
        const abut__split parent = splits->data[i];
        abut__item* own = items + parent.first;
        if (parent.count <= group) {
            continue;
        }
        const uint32_t left = split_once(own, parent.count, parent.depth, group);
        abut__split* pair = abut__push(context, splits, 2);
        if (pair == NULL) {
            return false;
        }
        pair[0] = make_split(items, parent.first, left, parent.depth + 1);
        pair[1] = make_split(items, parent.first + left, parent.count - left, parent.depth + 1);
        splits->data[i].left = (uint32_t)splits->count - 2;
    }
    return true;
}
