// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The broad phase by a uniform grid. A body is listed in each cell that its box overlaps. Bodies of
// one cell are compared, each pair only in the cell that contains the low corner of the boxes'
// intersection, so that no pair is found twice. Bodies that overlap many cells are compared with
// all others instead.
#include <math.h>

#include "base/sort.h"
#include "scene/broad.h"

#define CELLS_MOST 64u      // a body in more cells than this counts as large
#define AXIS_CELLS 0xfffff  // cells along an axis: 20 bits

typedef struct grid {
    double low[3];
    double cell;
} grid;

// cells of twice the mean side of the boxes: most bodies then overlap at most eight
static grid make_grid(const abut__broad_box* boxes, size_t count) {
    grid g = {{INFINITY, INFINITY, INFINITY}, 0};
    double sum = 0;
    double high = 0;
    size_t bounded = 0;
    for (size_t i = 0; i < count; ++i) {
        double longest = 0;
        for (int d = 0; d < 3; ++d) {
            const double side = boxes[i].box.hi[d] - boxes[i].box.lo[d];
            longest = side > longest ? side : longest;
        }
        if (!(longest <= 1e100)) {
            continue;
        }
        sum += longest;
        ++bounded;
        for (int d = 0; d < 3; ++d) {
            g.low[d] = boxes[i].box.lo[d] < g.low[d] ? boxes[i].box.lo[d] : g.low[d];
            high = boxes[i].box.hi[d] - g.low[d] > high ? boxes[i].box.hi[d] - g.low[d] : high;
        }
    }
    g.cell = bounded > 0 ? 2 * sum / (double)bounded : 1;
    // `high` may be less than the true extent, since low decreased meanwhile: twice it is enough
    const double least = 2 * high / AXIS_CELLS;
    g.cell = g.cell > least ? g.cell : least;
    g.cell = g.cell > 0 ? g.cell : 1;
    return g;
}

static int64_t cell_of(const grid* g, double x, int d) {
    const double cell = floor((x - g->low[d]) / g->cell);
    return cell < 0 ? 0 : cell < AXIS_CELLS ? (int64_t)cell : AXIS_CELLS;
}

static uint64_t key_of(const int64_t cell[3]) {
    return (uint64_t)cell[0] << 40 | (uint64_t)cell[1] << 20 | (uint64_t)cell[2];
}

typedef struct reach {
    int64_t from[3];
    int64_t to[3];
    bool large;
} reach;

static reach reach_of(const grid* g, const abut_box* box) {
    reach r;
    double cells = 1;
    for (int d = 0; d < 3; ++d) {
        r.from[d] = cell_of(g, box->lo[d], d);
        r.to[d] = cell_of(g, box->hi[d], d);
        cells *= (double)(r.to[d] - r.from[d] + 1);
    }
    r.large = cells > CELLS_MOST;
    return r;
}

static bool list_cells(const abut_context* context, abut__broad* broad, const reach* r, size_t i) {
    int64_t cell[3];
    for (cell[0] = r->from[0]; cell[0] <= r->to[0]; ++cell[0]) {
        for (cell[1] = r->from[1]; cell[1] <= r->to[1]; ++cell[1]) {
            for (cell[2] = r->from[2]; cell[2] <= r->to[2]; ++cell[2]) {
                abut__keyed* place = abut__push(context, &broad->cells, 1);
                if (place == NULL) {
                    return false;
                }
                *place = (abut__keyed){key_of(cell), i};
            }
        }
    }
    return true;
}

// tests a large body against all others; of two large ones the first does it
static bool test_large(const abut_context* context, abut__broad* broad, const grid* g, size_t i) {
    for (size_t k = 0; k < broad->boxes.count; ++k) {
        if (k == i || (k < i && reach_of(g, &broad->boxes.data[k].box).large)) {
            continue;
        }
        if (!abut__broad_test(context, broad, i, k)) {
            return false;
        }
    }
    return true;
}

// whether a cell is the one in which the pair is tested
static bool is_home(const grid* g, const abut_box* a, const abut_box* b, uint64_t key) {
    int64_t cell[3];
    for (int d = 0; d < 3; ++d) {
        cell[d] = cell_of(g, a->lo[d] > b->lo[d] ? a->lo[d] : b->lo[d], d);
    }
    return key_of(cell) == key;
}

static bool test_cell(const abut_context* context, abut__broad* broad, const grid* g,
                      const abut__keyed* listed, size_t count) {
    const abut__broad_box* boxes = broad->boxes.data;
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = i + 1; k < count; ++k) {
            const size_t x = (size_t)listed[i].value;
            const size_t y = (size_t)listed[k].value;
            if (is_home(g, &boxes[x].box, &boxes[y].box, listed[i].key) &&
                !abut__broad_test(context, broad, x, y)) {
                return false;
            }
        }
    }
    return true;
}

static bool test_cells(const abut_context* context, abut__broad* broad, const grid* g) {
    const size_t count = broad->cells.count;
    if (!abut__reserve(context, &broad->cells, 2 * count + 1)) {
        return false;
    }
    abut__keyed* cells = broad->cells.data;
    abut__sort_keyed(cells, cells + count, count);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && cells[end].key == cells[i].key) {
            ++end;
        }
        if (!test_cell(context, broad, g, cells + i, end - i)) {
            return false;
        }
        i = end;
    }
    return true;
}

bool abut__broad_grid(const abut_context* context, abut__broad* broad) {
    const abut__broad_box* boxes = broad->boxes.data;
    const grid g = make_grid(boxes, broad->boxes.count);
    broad->cells.count = 0;
    for (size_t i = 0; i < broad->boxes.count; ++i) {
        const reach r = reach_of(&g, &boxes[i].box);
        if (!(r.large ? test_large(context, broad, &g, i) : list_cells(context, broad, &r, i))) {
            return false;
        }
    }
    return test_cells(context, broad, &g);
}
