// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds the farthest point along a direction: see farthest.h. Points are sorted by the cells of a
// grid along a space-filling curve. Eight that follow each other share a box, and so do eight
// boxes, up to one box of all. A search opens the boxes that may have a farther point.
//
// The bound of a box takes the upper one of both coordinates for each axis, and then the same
// operations as the point's value. Each is monotonic with rounding, so no point exceeds the bound
// of its box, and the search gives the same bits as a pass over all points.
#include "depth/farthest.h"

#include <math.h>
#include <string.h>

#include "base/curve.h"
#include "base/vec3.h"

enum {
    FEW = 64,      // points that are compared one by one
    LEAF = 8,      // points of a box
    FAN = 8,       // boxes of a box
    MOST_BITS = 5  // of a cell's number along one axis
};

// ---- sorting by cells

static const abut__farthest_box empty_box = {
    {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, UINT32_MAX};

static void add_to_box(abut__farthest_box* box, const double lo[3], const double hi[3],
                       uint32_t place) {
    for (int d = 0; d < 3; ++d) {
        box->lo[d] = lo[d] < box->lo[d] ? lo[d] : box->lo[d];
        box->hi[d] = hi[d] > box->hi[d] ? hi[d] : box->hi[d];
    }
    box->place = place < box->place ? place : box->place;
}

// Returns the cell of each point on a curve through a grid of 2^bits cells along each axis.
static void find_cells(const double (*p)[3], size_t count, uint32_t bits, uint32_t* cells) {
    abut__farthest_box box = empty_box;
    for (size_t i = 0; i < count; ++i) {
        add_to_box(&box, p[i], p[i], 0);
    }
    const double most = (double)((1u << bits) - 1);
    double factor[3];
    for (int d = 0; d < 3; ++d) {
        const double size = box.hi[d] - box.lo[d];
        factor[d] = size > 0 ? (most + 0.5) / size : 0;
    }
    for (size_t i = 0; i < count; ++i) {
        uint32_t cell = 0;
        for (int d = 0; d < 3; ++d) {
            const double x = (p[i][d] - box.lo[d]) * factor[d];
            // a number that is not finite counts as 0 or the last
            const uint32_t at = x > 0 ? (x < most ? (uint32_t)x : (uint32_t)most) : 0;
            cell |= (uint32_t)abut__curve_spread(at) << d;
        }
        cells[i] = cell;
    }
}

// surfaces fill about the square of the number of cells along an axis
static uint32_t bits_for(size_t count) {
    uint32_t bits = 1;
    while (bits < MOST_BITS && (size_t)LEAF << (2 * bits) < count) {
        ++bits;
    }
    return bits;
}

static bool sort_points(const abut_context* context, abut__farthest* f) {
    const uint32_t bits = bits_for(f->count);
    const size_t cell_count = (size_t)1 << 3 * bits;
    abut__farthest_point* points = abut__renew(context, &f->points, f->count);
    uint32_t* cells = abut__renew(context, &f->cells, f->count);
    uint32_t* first = abut__renew(context, &f->cell_first, cell_count + 1);
    if (points == NULL || cells == NULL || first == NULL) {
        return false;
    }
    memset(first, 0, (cell_count + 1) * sizeof *first);
    find_cells(f->given, f->count, bits, cells);
    for (size_t i = 0; i < f->count; ++i) {
        ++first[cells[i] + 1];
    }
    for (size_t k = 0; k < cell_count; ++k) {
        first[k + 1] += first[k];
    }
    for (size_t i = 0; i < f->count; ++i) {
        abut__farthest_point* to = &points[first[cells[i]]++];
        memcpy(to->p, f->given[i], sizeof to->p);
        to->place = (uint32_t)i;
    }
    return true;
}

// ---- boxes

static size_t parts_of(size_t count, size_t size) {
    return (count + size - 1) / size;
}

// sets where the boxes of each level begin, and returns the number of all
static size_t plan_levels(abut__farthest* f) {
    size_t count = parts_of(f->count, LEAF);
    size_t all = 0;
    for (f->level_count = 0; all == 0 || count > 1; ++f->level_count) {
        count = f->level_count == 0 ? count : parts_of(count, FAN);
        f->first[f->level_count] = all;
        all += count;
    }
    f->first[f->level_count] = all;
    return all;
}

static bool make_boxes(const abut_context* context, abut__farthest* f) {
    const size_t all = plan_levels(f);
    abut__farthest_box* boxes = abut__renew(context, &f->boxes, all);
    for (size_t i = 0; i < all && boxes != NULL; ++i) {
        boxes[i] = empty_box;
    }
    for (size_t i = 0; i < f->count && boxes != NULL; ++i) {
        const abut__farthest_point* point = &f->points.data[i];
        add_to_box(&boxes[i / LEAF], point->p, point->p, point->place);
    }
    for (uint32_t level = 1; level < f->level_count && boxes != NULL; ++level) {
        for (size_t i = f->first[level - 1]; i < f->first[level]; ++i) {
            add_to_box(&boxes[f->first[level] + (i - f->first[level - 1]) / FAN], boxes[i].lo,
                       boxes[i].hi, boxes[i].place);
        }
    }
    return boxes != NULL;
}

bool abut__farthest_set(const abut_context* context, abut__farthest* f, const double (*points)[3],
                        size_t count) {
    f->given = points;
    f->count = count;
    f->level_count = 0;
    return count <= FEW || (sort_points(context, f) && make_boxes(context, f));
}

void abut__farthest_free(const abut_context* context, abut__farthest* f) {
    abut__drop(context, &f->points);
    abut__drop(context, &f->boxes);
    abut__drop(context, &f->cells);
    abut__drop(context, &f->cell_first);
}

// ---- searching

typedef struct search {
    const abut__farthest* f;
    const double* direction;
    size_t limit;  // only places below this count
    double best;
    size_t place;  // of two points that are equally far, one below this counts
    bool ties;
    size_t work;
} search;

static double bound_of(const abut__farthest_box* box, const double direction[3]) {
    const double corner[3] = {direction[0] < 0 ? box->lo[0] : box->hi[0],
                              direction[1] < 0 ? box->lo[1] : box->hi[1],
                              direction[2] < 0 ? box->lo[2] : box->hi[2]};
    return abut__dot3(corner, direction);
}

static void take(search* s, const double p[3], size_t place) {
    const double along = abut__dot3(p, s->direction);
    if (place < s->limit && (along > s->best || (along == s->best && place < s->place))) {
        s->best = along;
        s->place = s->ties ? place : 0;
    }
}

static void search_points(search* s, size_t leaf) {
    const abut__farthest_point* points = s->f->points.data;
    const size_t end = (leaf + 1) * LEAF < s->f->count ? (leaf + 1) * LEAF : s->f->count;
    for (size_t i = leaf * LEAF; i < end; ++i) {
        take(s, points[i].p, points[i].place);
    }
    s->work += end - leaf * LEAF;
}

// lists the boxes below a box by descending bounds, and returns their number
static size_t farthest_first(search* s, uint32_t level, size_t number, double bounds[FAN],
                             size_t order[FAN]) {
    const size_t below = s->f->first[level] - s->f->first[level - 1];
    const size_t begin = number * FAN;
    const size_t end = begin + FAN < below ? begin + FAN : below;
    for (size_t i = begin; i < end; ++i) {
        const double bound = bound_of(&s->f->boxes.data[s->f->first[level - 1] + i], s->direction);
        size_t k = i - begin;
        for (; k > 0 && bounds[k - 1] < bound; --k) {
            bounds[k] = bounds[k - 1];
            order[k] = order[k - 1];
        }
        bounds[k] = bound;
        order[k] = i;
    }
    s->work += end - begin;
    return end - begin;
}

static void search_box(search* s, uint32_t level, size_t number) {
    double bounds[FAN];
    size_t order[FAN];
    if (level == 0) {
        search_points(s, number);
        return;
    }
    const size_t count = farthest_first(s, level, number, bounds, order);
    const abut__farthest_box* boxes = s->f->boxes.data + s->f->first[level - 1];
    for (size_t k = 0; k < count; ++k) {
        const bool ties = bounds[k] == s->best && boxes[order[k]].place < s->place;
        if (ties || !(bounds[k] <= s->best)) {
            search_box(s, level - 1, order[k]);
        }
    }
}

// `ties`: finds the lowest place, too
static search find(const abut__farthest* f, const double direction[3], size_t limit, bool ties) {
    search s = {.f = f, .direction = direction, .limit = limit, .best = -INFINITY, .ties = ties};
    s.place = ties ? limit : 0;
    if (f->level_count > 0) {
        search_box(&s, f->level_count - 1, 0);
        return s;
    }
    for (size_t i = 0; i < f->count; ++i) {
        take(&s, f->given[i], i);
    }
    s.work = f->count;
    return s;
}

double abut__farthest_along(const abut__farthest* f, const double direction[3]) {
    return find(f, direction, f->count, false).best;
}

size_t abut__farthest_place(const abut__farthest* f, const double direction[3], size_t count) {
    const size_t place = find(f, direction, count, true).place;
    return place < count ? place : 0;
}

size_t abut__farthest_work(const abut__farthest* f, const double direction[3]) {
    return find(f, direction, f->count, true).work;
}
