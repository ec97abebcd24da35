// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bodies near a box: see near_bodies.h. Bodies are sorted along a space-filling curve, so that eight
// that follow each other are mostly neighbours. A box of a level contains those of the level below.
// All operations on ends of boxes are monotonic with rounding, so that a bound of a box holds for what
// is in it.
#include "query/near_bodies.h"

#include <math.h>

#include "base/curve.h"

enum { FAN = 8 };

// ---- building

static const abut_box empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void add_box(abut_box* to, const abut_box* box) {
    for (int d = 0; d < 3; ++d) {
        to->lo[d] = box->lo[d] < to->lo[d] ? box->lo[d] : to->lo[d];
        to->hi[d] = box->hi[d] > to->hi[d] ? box->hi[d] : to->hi[d];
    }
}

static void centre_of(const abut_box* box, double out[3]) {
    for (int d = 0; d < 3; ++d) {
        out[d] = 0.5 * box->lo[d] + 0.5 * box->hi[d];
    }
}

// boxes that are not finite are left out of the curve's box, which only costs order
static abut_box curve_box(const abut__near_bodies* all) {
    abut_box whole = empty;
    for (size_t i = 0; i < all->bodies.count; ++i) {
        double p[3];
        centre_of(&all->bodies.data[i].box, p);
        if (isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2])) {
            add_box(&whole, &(abut_box){{p[0], p[1], p[2]}, {p[0], p[1], p[2]}});
        }
    }
    return whole;
}

// sets where the levels begin, and returns the number of all boxes
static size_t plan_levels(abut__near_bodies* all) {
    size_t count = all->bodies.count;
    size_t sum = 0;
    all->level_count = 0;
    for (bool more = count > 0; more; count = (count + FAN - 1) / FAN) {
        all->first[all->level_count++] = sum;
        sum += count;
        more = count > 1;
    }
    all->first[all->level_count] = sum;
    return sum;
}

bool abut__near_bodies_build(const abut_context* context, abut__near_bodies* all) {
    const size_t count = all->bodies.count;
    const size_t sum = plan_levels(all);
    abut__keyed* order = abut__renew(context, &all->order, 2 * count);
    abut_box* boxes = abut__renew(context, &all->boxes, sum);
    if (count == 0 || order == NULL || boxes == NULL) {
        return count == 0;
    }
    const abut_box whole = curve_box(all);
    for (size_t i = 0; i < count; ++i) {
        double p[3];
        centre_of(&all->bodies.data[i].box, p);
        order[i] = (abut__keyed){abut__curve_cell(&whole, p), i};
    }
    abut__sort_keyed(order, order + count, count);
    for (size_t i = 0; i < count; ++i) {
        boxes[i] = all->bodies.data[order[i].value].box;
    }
    for (size_t i = count; i < sum; ++i) {
        boxes[i] = empty;
    }
    for (uint32_t level = 1; level < all->level_count; ++level) {
        for (size_t i = all->first[level - 1]; i < all->first[level]; ++i) {
            add_box(&boxes[all->first[level] + (i - all->first[level - 1]) / FAN], &boxes[i]);
        }
    }
    return true;
}

void abut__near_bodies_free(const abut_context* context, abut__near_bodies* all) {
    abut__drop(context, &all->bodies);
    abut__drop(context, &all->order);
    abut__drop(context, &all->boxes);
}

// ---- searching

// Returns a lower bound of the squared distance of two boxes, up to rounding. Unbounded boxes have
// distance 0.
static double box_distance_sq(const abut_box* a, const abut_box* b) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        const double below = b->lo[d] - a->hi[d];
        const double above = a->lo[d] - b->hi[d];
        const double gap = below > above ? below : above;
        sum += gap > 0 ? gap * gap : 0;
    }
    return sum;
}

static uint64_t key_of(const abut_box* a, const abut_box* b) {
    const double least_sq = box_distance_sq(a, b);
    uint64_t key;
    memcpy(&key, &least_sq, sizeof key);
    return key;
}

static bool is_wanted(const abut__near_bodies* all, const abut__near_wish* wish, uint32_t number) {
    const abut__body* body = all->bodies.data[number].body;
    return body != wish->asked && abut__bodies_may_meet(wish->asked, body);
}

// Squared distance of twice the centre of the wish's box to twice a point of a box, at least. Of a
// body `lo` and `hi` are both the sum of its ends.
static double centre_distance_sq(const abut_box* own, const double lo[3], const double hi[3]) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        const double centre = own->lo[d] + own->hi[d];
        const double below = lo[d] - centre;
        const double above = centre - hi[d];
        const double offset = below > above ? below : above;
        sum += offset > 0 ? offset * offset : 0;
    }
    return sum;
}

static double least_centre_sq(const abut_box* own, const abut_box* box, bool is_body) {
    double lo[3];
    double hi[3];
    for (int d = 0; d < 3; ++d) {
        lo[d] = is_body ? box->lo[d] + box->hi[d] : 2 * box->lo[d];
        hi[d] = is_body ? lo[d] : 2 * box->hi[d];
    }
    const double sum = centre_distance_sq(own, lo, hi);
    return sum >= 0 ? sum : 0;  // infinite ends
}

typedef struct search {
    const abut__near_bodies* all;
    const abut__near_wish* wish;
    double least;
    uint32_t nearest;
} search;

// boxes of one level below a box, by ascending bounds
typedef struct children {
    double bound[FAN];
    size_t place[FAN];  // in the level
    uint32_t count;
} children;

static children sort_children(const search* s, uint32_t level, size_t number) {
    const abut__near_bodies* all = s->all;
    const size_t first = all->first[level - 1];
    const size_t below = all->first[level] - first;
    children list = {.count = 0};
    for (size_t i = number * FAN; i < (number + 1) * FAN && i < below; ++i) {
        const abut_box* box = &all->boxes.data[first + i];
        if (!abut__may_be_nearer(key_of(s->wish->box, box), s->wish->most)) {
            continue;
        }
        const double bound = least_centre_sq(s->wish->box, box, level == 1);
        uint32_t k = list.count++;
        for (; k > 0 && list.bound[k - 1] > bound; --k) {
            list.bound[k] = list.bound[k - 1];
            list.place[k] = list.place[k - 1];
        }
        list.bound[k] = bound;
        list.place[k] = i;
    }
    return list;
}

static void take_nearest(search* s, uint32_t number, double bound) {
    if ((bound < s->least || (bound == s->least && number < s->nearest)) &&
        is_wanted(s->all, s->wish, number)) {
        s->least = bound;
        s->nearest = number;
    }
}

static void search_first(search* s, uint32_t level, size_t number) {
    const children list = sort_children(s, level, number);
    for (uint32_t k = 0; k < list.count && list.bound[k] <= s->least; ++k) {
        if (level == 1) {
            take_nearest(s, (uint32_t)s->all->order.data[list.place[k]].value, list.bound[k]);
        } else {
            search_first(s, level - 1, list.place[k]);
        }
    }
}

uint32_t abut__near_bodies_first(const abut__near_bodies* all, const abut__near_wish* wish) {
    search s = {all, wish, INFINITY, ABUT__NONE};
    if (all->level_count > 1) {  // one body has no other
        search_first(&s, all->level_count - 1, 0);
    }
    return s.nearest;
}

static size_t list_below(const search* s, uint32_t level, size_t number, abut__keyed* out) {
    const abut__near_bodies* all = s->all;
    const size_t first = all->first[level - 1];
    const size_t below = all->first[level] - first;
    size_t count = 0;
    for (size_t i = number * FAN; i < (number + 1) * FAN && i < below; ++i) {
        const uint64_t key = key_of(s->wish->box, &all->boxes.data[first + i]);
        if (!abut__may_be_nearer(key, s->wish->most)) {
            continue;
        }
        if (level > 1) {
            count += list_below(s, level - 1, i, out + count);
            continue;
        }
        const uint32_t body = (uint32_t)all->order.data[i].value;
        if (body != s->nearest && is_wanted(all, s->wish, body)) {
            out[count++] = (abut__keyed){key, body};
        }
    }
    return count;
}

size_t abut__near_bodies_list(const abut__near_bodies* all, const abut__near_wish* wish,
                              uint32_t except, abut__keyed* out) {
    const search s = {all, wish, INFINITY, except};
    return all->level_count > 1 ? list_below(&s, all->level_count - 1, 0, out) : 0;
}
