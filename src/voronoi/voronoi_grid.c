// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Divides sites into pieces and sorts these by cells: see voronoi_grid.h.
#include "voronoi/voronoi_grid.h"

#include <math.h>

// The plane of a triangle, to reject cells that it misses.
typedef struct plane {
    float normal[3];
    float corner[3];
    float reach;  // extent of a cell along the normal, from its middle
} plane;

// `reach` covers half a cell and the pad along the normal, and rounding: coordinates relative to
// the corner are below 1024, so the products are off by less than 2^-12 of the sum of the normal,
// which is itself off by less than 2^-22 of the product of its edges. A moving triangle stays as
// near to the plane as its corners at the start.
static plane plane_of(const abut__site* site, const abut__site_start* start, float pad) {
    plane p = {.reach = 0};
    float u[3];
    float v[3];
    float most[2] = {0, 0};
    float sum = 0;
    for (int d = 0; d < 3; ++d) {
        u[d] = site->corner[1][d] - site->corner[0][d];
        v[d] = site->corner[2][d] - site->corner[0][d];
        most[0] += fabsf(u[d]);
        most[1] += fabsf(v[d]);
        p.corner[d] = site->corner[0][d];
    }
    for (int d = 0; d < 3; ++d) {
        const int e = (d + 1) % 3;
        const int f = (d + 2) % 3;
        p.normal[d] = u[e] * v[f] - u[f] * v[e];
        sum += fabsf(p.normal[d]);
    }
    p.reach = sum * (0.5f + 2 * pad + 0x1p-10f) + 0x1p-9f * most[0] * most[1];
    float away = 0;
    for (int c = 0; c < 3 && start != NULL; ++c) {
        float value = 0;
        for (int d = 0; d < 3; ++d) {
            value += p.normal[d] * (start->corner[c][d] - p.corner[d]);
        }
        away = fabsf(value) > away ? fabsf(value) : away;
    }
    p.reach += away * (1 + 0x1p-18f);
    return p;
}

// Returns whether the plane misses a cell. A triangle without area has no plane: all numbers are 0,
// and no cell is rejected.
static bool misses(const plane* p, const uint32_t at[3]) {
    float value = 0;
    for (int d = 0; d < 3; ++d) {
        value += p->normal[d] * ((float)at[d] + 0.5f - p->corner[d]);
    }
    return fabsf(value) > p->reach;
}

// ---- pieces

// Far from the origin, where coordinates are coarse, to divide sites is of no use.
static bool is_small(const abut__sites* sites, const abut__site* site) {
    if (sites->pad > 0.125f) {
        return true;
    }
    return site->hi[0] - site->lo[0] <= 1 && site->hi[1] - site->lo[1] <= 1 &&
           site->hi[2] - site->lo[2] <= 1;
}

static void take_whole(const abut__grid_cells* grid, const abut__site* site, abut__piece* out) {
    uint32_t at[3];
    for (int d = 0; d < 3; ++d) {
        out->lo[d] = site->lo[d];
        out->hi[d] = site->hi[d];
        at[d] = abut__cell_at(0.5f * (site->lo[d] + site->hi[d]), grid->size[d]);
    }
    out->cell = (at[2] * grid->size[1] + at[1]) * grid->size[0] + at[0];
}

// The part of a site's box in a cell. Both may touch only, because of the pad: then the cell's side
// is taken.
static void take_part(const abut__grid_cells* grid, const abut__site* site, const uint32_t at[3],
                      abut__piece* out) {
    for (int d = 0; d < 3; ++d) {
        const float lo = (float)at[d];
        const float hi = lo + 1;
        out->lo[d] = site->lo[d] < lo ? lo : site->lo[d] > hi ? hi : site->lo[d];
        out->hi[d] = site->hi[d] > hi ? hi : site->hi[d] < lo ? lo : site->hi[d];
    }
    out->cell = (at[2] * grid->size[1] + at[1]) * grid->size[0] + at[0];
}

// Divides a site; returns the number of its pieces. Without `out` only counts them.
static uint32_t divide(const abut__sites* sites, const abut__grid_cells* grid, uint32_t number,
                       abut__piece* out) {
    const abut__site* site = &sites->sites.data[number];
    const abut__site_start* start = sites->starts.count > 0 ? sites->starts.data + number : NULL;
    if (is_small(sites, site)) {
        if (out != NULL) {
            take_whole(grid, site, out);
        }
        return 1;
    }
    uint32_t lo[3];
    uint32_t hi[3];
    for (int d = 0; d < 3; ++d) {
        lo[d] = abut__cell_at(site->lo[d] - sites->pad, grid->size[d]);
        hi[d] = abut__cell_at(site->hi[d] + sites->pad, grid->size[d]);
    }
    const plane p = plane_of(site, start, sites->pad);
    uint32_t count = 0;
    uint32_t at[3];
    for (at[2] = lo[2]; at[2] <= hi[2]; ++at[2]) {
        for (at[1] = lo[1]; at[1] <= hi[1]; ++at[1]) {
            for (at[0] = lo[0]; at[0] <= hi[0]; ++at[0]) {
                if (!misses(&p, at)) {
                    if (out != NULL) {
                        take_part(grid, site, at, &out[count]);
                    }
                    ++count;
                }
            }
        }
    }
    return count;
}

#define TASK 1024u  // sites per task

typedef struct filling {
    const abut__sites* sites;
    abut__grid_cells* grid;
} filling;

// Counts pieces; entry t + 1 receives the number of site t.
static void count_task(void* argument, uint32_t index, uint32_t worker) {
    const filling* f = argument;
    const uint32_t all = abut__site_count(f->sites);
    const uint32_t end = all - index * TASK < TASK ? all : (index + 1) * TASK;
    (void)worker;
    for (uint32_t t = index * TASK; t < end; ++t) {
        f->grid->site_first.data[t + 1] = divide(f->sites, f->grid, t, NULL);
    }
}

static void divide_task(void* argument, uint32_t index, uint32_t worker) {
    const filling* f = argument;
    const uint32_t all = abut__site_count(f->sites);
    const uint32_t end = all - index * TASK < TASK ? all : (index + 1) * TASK;
    (void)worker;
    for (uint32_t t = index * TASK; t < end; ++t) {
        divide(f->sites, f->grid, t, f->grid->pieces.data + f->grid->site_first.data[t]);
    }
}

// ---- sorting

// Finds how far boxes reach beyond their cells. Only whole sites do, and by half of their extent; a
// little more covers the rounding of their middles.
static void measure_beyond(const abut__sites* sites, abut__grid_cells* grid) {
    float most[3] = {0, 0, 0};
    for (uint32_t t = 0; t < abut__site_count(sites); ++t) {
        const abut__site* site = &sites->sites.data[t];
        for (int d = 0; d < 3 && is_small(sites, site); ++d) {
            const float extent = site->hi[d] - site->lo[d];
            most[d] = extent > most[d] ? extent : most[d];
        }
    }
    for (int d = 0; d < 3; ++d) {
        grid->beyond[d] = 0.5f * most[d] + 2 * sites->pad + 0x1p-10f;
    }
}

#define PART_PIECES 8192u  // with fewer pieces there is one part

// Sorting by counting, in parts of the cells. Within a cell boxes keep their order, so the result is
// the same for any number of parts.
typedef struct sorting {
    const abut__sites* sites;
    abut__grid_cells* grid;
    size_t stride;  // from side to side
    uint32_t parts;
} sorting;

// Counts the pieces in the cells of a part; entry c + 2 receives the number of cell c.
static void count_part(void* argument, uint32_t part, uint32_t worker) {
    const sorting* s = argument;
    const uint64_t cells = abut__cell_count(s->grid);
    const uint32_t begin = (uint32_t)(cells * part / s->parts);
    const uint32_t in_part = (uint32_t)(cells * (part + 1) / s->parts) - begin;
    const abut__piece* pieces = s->grid->pieces.data;
    uint32_t* first = s->grid->cell_first.data + 2;
    (void)worker;
    memset(first + begin, 0, in_part * sizeof *first);
    for (size_t i = 0; i < s->grid->pieces.count; ++i) {
        if (pieces[i].cell - begin < in_part) {
            ++first[pieces[i].cell];
        }
    }
}

// Puts the pieces in the cells of a part where they belong. Entry c + 1 is the place of the next one
// of cell c.
static void place_part(void* argument, uint32_t part, uint32_t worker) {
    const sorting* s = argument;
    const abut__grid_cells* grid = s->grid;
    const uint64_t cells = abut__cell_count(grid);
    const uint32_t begin = (uint32_t)(cells * part / s->parts);
    const uint32_t in_part = (uint32_t)(cells * (part + 1) / s->parts) - begin;
    uint32_t* first = grid->cell_first.data + 1;
    (void)worker;
    for (uint32_t t = 0; t < abut__site_count(s->sites); ++t) {
        for (uint32_t i = grid->site_first.data[t]; i < grid->site_first.data[t + 1]; ++i) {
            const abut__piece* piece = &grid->pieces.data[i];
            if (piece->cell - begin >= in_part) {
                continue;
            }
            const uint32_t at = first[piece->cell]++;
            grid->site_of.data[at] = t;
            grid->body_of.data[at] = (int32_t)s->sites->places.data[t].body;
            for (size_t d = 0; d < 3; ++d) {
                grid->sides.data[d * s->stride + at] = piece->lo[d];
                grid->sides.data[(d + 3) * s->stride + at] = piece->hi[d];
            }
        }
    }
}

static void fill_cells(const abut_context* context, sorting* s) {
    const uint32_t cells = abut__cell_count(s->grid);
    uint32_t* first = s->grid->cell_first.data;
    first[0] = first[1] = 0;
    abut__run_tasks(context, s->parts, count_part, s);
    for (uint32_t c = 2; c < cells + 2; ++c) {
        first[c] += first[c - 1];  // where cell c - 1 begins
    }
    abut__run_tasks(context, s->parts, place_part, s);
}

static bool sort_pieces(const abut_context* context, const abut__sites* sites,
                        abut__grid_cells* grid) {
    const size_t count = grid->pieces.count;
    const size_t stride = count + 16;
    sorting s = {sites, grid, stride, count < PART_PIECES ? 1 : abut__worker_count(context)};
    uint32_t* first = abut__renew(context, &grid->cell_first, (size_t)abut__cell_count(grid) + 2);
    int32_t* body_of = abut__renew(context, &grid->body_of, stride);
    float* sides = abut__renew(context, &grid->sides, 6 * stride);
    if (first == NULL || body_of == NULL || sides == NULL ||
        abut__renew(context, &grid->site_of, stride) == NULL) {
        return false;
    }
    fill_cells(context, &s);
    for (size_t i = 0; i < 6 * (stride - count); ++i) {  // read, but not used
        sides[i % 6 * stride + count + i / 6] = 0;
        body_of[count + i / 6] = 0;
    }
    grid->bins = (abut__bins){.first = first, .body = body_of};
    memcpy(grid->bins.size, grid->size, sizeof grid->size);
    for (int i = 0; i < 6; ++i) {
        grid->bins.side[i] = sides + (size_t)i * stride;
    }
    return true;
}

bool abut__grid_fill(const abut_context* context, const abut__sites* sites,
                     abut__grid_cells* grid) {
    const uint32_t count = abut__site_count(sites);
    filling f = {sites, grid};
    memcpy(grid->size, sites->size, sizeof grid->size);
    uint32_t* first = abut__renew(context, &grid->site_first, (size_t)count + 1);
    if (first == NULL) {
        return false;
    }
    abut__run_tasks(context, (count + TASK - 1) / TASK, count_task, &f);
    first[0] = 0;
    for (uint32_t t = 0; t < count; ++t) {
        first[t + 1] += first[t];
    }
    if (abut__renew(context, &grid->pieces, first[count]) == NULL && count > 0) {
        return false;
    }
    abut__run_tasks(context, (count + TASK - 1) / TASK, divide_task, &f);
    grid->split = first[count] > count;
    measure_beyond(sites, grid);
    return sort_pieces(context, sites, grid);
}

void abut__grid_free(const abut_context* context, abut__grid_cells* grid) {
    abut__drop(context, &grid->pieces);
    abut__drop(context, &grid->site_first);
    abut__drop(context, &grid->sides);
    abut__drop(context, &grid->site_of);
    abut__drop(context, &grid->body_of);
    abut__drop(context, &grid->cell_first);
}
