// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A grid over many points, whose cells without surface know the winding number of all their points.
// Cells that the box of a node or of a block overlaps are met. Others that are joined through faces
// form a room: no triangle separates its points, so one ray gives the number of all of them.
//
// The number of a cell along an axis is a function of the coordinate that never falls, rounding
// included. So a box whose ends fall into two cells lies in these and those between.
#include <math.h>
#include <string.h>

#include "query/contains.h"

#define CELLS_ALONG_LEAST 8u
#define CELLS_PER_POINT 4u
#define POINTS_LEAST 128u  // fewer points have rays of their own
#define ROOM_LEAST 8u      // rooms of fewer cells count as met: each would cost a ray

enum { EMPTY = 0, MET = ABUT__CELL_MET };

// ---- cells that boxes overlap

typedef struct marking {
    abut__cells* cells;
    const abut__ray_base* base;
    double pad[3];
    abut_counters* counters;
} marking;

typedef struct cell_range {
    uint32_t first[3];
    uint32_t last[3];
} cell_range;

static cell_range range_of(const marking* m, const abut__boxes8* boxes, uint32_t k) {
    cell_range r;
    for (int d = 0; d < 3; ++d) {
        const double at = m->base->origin[d];
        r.first[d] = abut__cell_along(m->cells, d, at + ((double)boxes->lo[d][k] - m->pad[d]));
        r.last[d] = abut__cell_along(m->cells, d, at + ((double)boxes->hi[d][k] + m->pad[d]));
    }
    return r;
}

static void meet_cells(abut__cells* cells, const cell_range* r) {
    const size_t along = cells->along;
    for (size_t z = r->first[2]; z <= r->last[2]; ++z) {
        for (size_t y = r->first[1]; y <= r->last[1]; ++y) {
            memset(cells->winding + (z * along + y) * along + r->first[0], MET,
                   r->last[0] - r->first[0] + 1);
        }
    }
}

// Children are of no use if there is one cell, or if all cells are outermost ones of the same side:
// if boxes reach these, no points do.
static bool is_fine(const abut__cells* cells, const cell_range* r) {
    bool one = true;
    for (int d = 0; d < 3; ++d) {
        if (r->first[d] == r->last[d] && (r->first[d] == 0 || r->first[d] == cells->along - 1)) {
            return true;
        }
        one = one && r->first[d] == r->last[d];
    }
    return one;
}

static void mark_node(const marking* m, uint32_t node) {
    abut__boxes8 room;
    const abut__node* n = &m->base->body->shape->tree.nodes[node];
    const abut__boxes8* boxes = abut__body_bound(m->base->body, node, 1, &room);
    m->counters->boxes_computed += n->count;
    m->counters->boxes_tested += n->count;
    for (uint32_t k = 0; k < n->count; ++k) {
        const cell_range r = range_of(m, boxes, k);
        if (abut__is_block(n->child[k]) || is_fine(m->cells, &r)) {
            meet_cells(m->cells, &r);
        } else {
            mark_node(m, n->child[k]);
        }
    }
}

// ---- rooms

// Empty cells next to each other in a row. The root of a room is its first run.
typedef abut__cell_run run;

static uint32_t root_of(run* runs, uint32_t i) {
    while (runs[i].parent != i) {
        runs[i].parent = runs[runs[i].parent].parent;
        i = runs[i].parent;
    }
    return i;
}

static void join(run* runs, uint32_t i, uint32_t k) {
    const uint32_t a = root_of(runs, i);
    const uint32_t b = root_of(runs, k);
    const uint32_t root = a < b ? a : b;
    runs[a].parent = runs[b].parent = root;
}

// joins runs [i, i_end) of a row with the runs [k, k_end) of a neighbour row that they touch
static void join_rows(run* runs, uint32_t i, uint32_t i_end, uint32_t k, uint32_t k_end) {
    while (i < i_end && k < k_end) {
        const uint32_t end = runs[i].x + runs[i].count;
        const uint32_t other = runs[k].x + runs[k].count;
        if (runs[i].x < other && runs[k].x < end) {
            join(runs, i, k);
        }
        i += end <= other;
        k += end > other;
    }
}

// Tells where empty cells begin and end in eight cells of a row: bit 7 of a byte if its cell is unlike
// the one before. `carry` is 128 if that before the first one is empty.
static uint64_t changes(const int8_t* cells, uint64_t* carry) {
    uint64_t met;
    memcpy(&met, cells, sizeof met);
    const uint64_t empty = ~met & UINT64_C(0x8080808080808080);
    const uint64_t before = empty << 8 | *carry;
    *carry = empty >> 56;
    return empty ^ before;
}

// counts the runs of all rows, half of the changes; a row ends in cells that are not empty
static uint32_t count_runs(const abut__cells* cells) {
    const uint32_t along = cells->along;
    const size_t cell_count = (size_t)along * along * along;
    uint64_t count = 0;
    for (size_t row = 0; row < cell_count; row += along) {
        uint64_t carry = 0;
        for (size_t x = 0; x < along; x += 8) {
            count += (changes(cells->winding + row + x, &carry) >> 7) *
                         UINT64_C(0x0101010101010101) >>
                     56;
        }
        count += carry != 0;
    }
    return (uint32_t)(count / 2);
}

// writes the runs of a row, of which the first has number `at`; returns how many they are
static uint32_t find_row(const int8_t* row, uint32_t along, uint32_t at, run* runs) {
    uint32_t found = 0;
    uint64_t carry = 0;
    for (uint32_t x = 0; x < along; x += 8) {
        bool inside = carry != 0;
        for (uint64_t left = changes(row + x, &carry); left != 0; left &= left - 1) {
            const uint32_t here = x + (uint32_t)__builtin_ctzll(left) / 8;
            if (inside) {
                runs[found].count = here - runs[found].x;
                ++found;
            } else {
                runs[found] = (run){.parent = at + found, .x = here};
            }
            inside = !inside;
        }
    }
    if (carry != 0) {
        runs[found].count = along - runs[found].x;
        ++found;
    }
    return found;
}

// fills the runs and `first`, the number of the first one of each row
static void join_rooms(const abut__cells* cells, run* runs, uint32_t* first) {
    const uint32_t along = cells->along;
    uint32_t count = 0;
    for (uint32_t row = 0; row < along * along; ++row) {
        first[row] = count;
        count += find_row(cells->winding + (size_t)row * along, along, count, runs + count);
        // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a grid has cells
        if (row % along != 0) {
            join_rows(runs, first[row], count, first[row - 1], first[row]);
        }
        if (row >= along) {
            join_rows(runs, first[row], count, first[row - along], first[row - along + 1]);
        }
    }
    first[along * along] = count;
}

static int8_t winding_of(const abut__ray_base* base, const abut__cells* cells, const uint32_t at[3],
                         abut_counters* counters) {
    int32_t winding;
    const double p[3] = {cells->middle[0][at[0]], cells->middle[1][at[1]], cells->middle[2][at[2]]};
    if (abut__side_in(base, p, &winding, counters) == ABUT_SIDE_SURFACE) {
        return MET;
    }
    return winding > MET && winding <= INT8_MAX ? (int8_t)winding : MET;
}

// gives each run the number of its room, and writes it into the cells
static void fill_rooms(const abut__ray_base* base, const abut__cells* cells, run* runs,
                       const uint32_t* first, abut_counters* counters) {
    const uint32_t along = cells->along;
    for (uint32_t i = 0; i < first[along * along]; ++i) {
        runs[root_of(runs, i)].size += runs[i].count;
    }
    for (uint32_t row = 0; row < along * along; ++row) {
        for (uint32_t i = first[row]; i < first[row + 1]; ++i) {
            const uint32_t root = root_of(runs, i);
            if (root == i) {
                // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a grid has cells
                const uint32_t at[3] = {runs[i].x, row % along, row / along};
                runs[i].winding = runs[i].size < ROOM_LEAST ? MET
                                                            : winding_of(base, cells, at, counters);
            }
            memset(cells->winding + (size_t)row * along + runs[i].x, runs[root].winding,
                   runs[i].count);
        }
    }
}

// ---- the grid

static uint32_t cells_along(size_t count) {
    uint32_t along = CELLS_ALONG_LEAST;
    while (along < ABUT__CELLS_ALONG &&
           (size_t)(along + 8) * (along + 8) * (along + 8) <= CELLS_PER_POINT * count) {
        along += 8;
    }
    return along;
}

// finds a coordinate in the middle of each cell; false if rounding puts one into another cell
static bool find_middles(abut__cells* cells, int d) {
    for (uint32_t i = 0; i < cells->along; ++i) {
        const double x = cells->lo[d] + ((double)i - 0.5) / cells->scale[d];
        cells->middle[d][i] = x;
        if (!isfinite(x) || abut__cell_along(cells, d, x) != i) {
            return false;
        }
    }
    return true;
}

// Lays the grid over the points as far as they are near the body; its outermost cells go on for ever.
// False if coordinates are too great or too small for it.
static bool lay(marking* m, const abut_box* around) {
    abut__cells* cells = m->cells;
    const abut__ray_base* base = m->base;
    for (int d = 0; d < 3; ++d) {
        // at least the pad that a ray has at any point of the body's box: see contains.c
        const double at = base->origin[d];
        const double before = (double)base->whole.lo[d];
        const double behind = (double)base->whole.hi[d];
        const double most = fmax(fabs(before), fabs(behind));
        const double pad = 0x1p-19 * (base->size + most) +
                           0x1p-47 * (base->size + most + fabs(at) + base->far) +
                           2 * (double)ABUT__TINY;
        const double lo = at + (before - 2 * pad);
        const double hi = at + (behind + 2 * pad);
        cells->lo[d] = fmin(fmax(around->lo[d], lo), hi);
        const double width = fmin(around->hi[d], hi) - cells->lo[d];
        cells->scale[d] = (cells->along - 2) * (1 - 0x1p-20) / fmax(width, 0x1p-10 * base->size);
        m->pad[d] = pad;
        if (!isfinite(pad) || !isfinite(cells->scale[d]) || !(cells->scale[d] > 0) ||
            !find_middles(cells, d)) {
            return false;
        }
    }
    return true;
}

abut_status abut__cells_make(const abut__ray_base* base, const abut_box* around, size_t count,
                             abut_contains_result* result, abut_counters* counters) {
    const abut_context* context = result->work.context;
    abut__cells* cells = &result->cells;
    marking m = {.cells = cells, .base = base, .counters = counters};
    cells->along = count < POINTS_LEAST ? 0 : cells_along(count);
    cells->last = (double)cells->along - 1;
    if (cells->along == 0 || !lay(&m, around)) {
        cells->along = 0;
        return ABUT_OK;
    }
    const size_t rows = (size_t)cells->along * cells->along;
    cells->winding = abut__renew(context, &result->cell_windings, rows * cells->along);
    uint32_t* first = abut__renew(context, &result->row_runs, rows + 1);
    if (cells->winding == NULL || first == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    memset(cells->winding, EMPTY, rows * cells->along);
    mark_node(&m, 0);
    const uint32_t run_count = count_runs(cells);
    run* runs = abut__renew(context, &result->runs, (size_t)run_count + 1);
    if (runs == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    join_rooms(cells, runs, first);
    fill_rooms(base, cells, runs, first, counters);
    return ABUT_OK;
}
