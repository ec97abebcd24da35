// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Computes the cells of triangles and the triangles of cells: see voronoi_grid.h.
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

static uint32_t cell_at(float x, uint32_t size) {
    return x <= 0 ? 0 : x < (float)size ? (uint32_t)x : size - 1;
}

// Appends the cells of one triangle.
static bool add_cells(const abut_context* context, const abut__sites* sites, uint32_t number,
                      abut__grid_cells* grid) {
    const abut__site* site = &sites->sites.data[number];
    const abut__site_start* start = sites->starts.count > 0 ? sites->starts.data + number : NULL;
    uint32_t lo[3];
    uint32_t hi[3];
    for (int d = 0; d < 3; ++d) {
        lo[d] = cell_at(site->lo[d] - sites->pad, grid->size[d]);
        hi[d] = cell_at(site->hi[d] + sites->pad, grid->size[d]);
    }
    const size_t box = (size_t)(hi[0] - lo[0] + 1) * (hi[1] - lo[1] + 1) * (hi[2] - lo[2] + 1);
    if (!abut__reserve(context, &grid->of_site, grid->of_site.count + box)) {
        return false;
    }
    uint32_t* out = grid->of_site.data + grid->of_site.count;
    const plane p = plane_of(site, start, sites->pad);
    uint32_t at[3];
    for (at[2] = lo[2]; at[2] <= hi[2]; ++at[2]) {
        for (at[1] = lo[1]; at[1] <= hi[1]; ++at[1]) {
            const uint32_t row = (at[2] * grid->size[1] + at[1]) * grid->size[0];
            for (at[0] = lo[0]; at[0] <= hi[0]; ++at[0]) {
                if (box <= 2 || !misses(&p, at)) {
                    *out++ = row + at[0];
                }
            }
        }
    }
    grid->of_site.count = (size_t)(out - grid->of_site.data);
    return true;
}

// Inverts the cells of triangles to the triangles of cells, by counting.
static bool invert_cells(const abut_context* context, uint32_t sites, abut__grid_cells* grid) {
    const uint32_t cells = abut__cell_count(grid);
    const uint32_t* of_site = grid->of_site.data;
    const uint32_t* site_first = grid->site_first.data;
    uint32_t* first = abut__renew(context, &grid->cell_first, (size_t)cells + 1);
    uint32_t* in_cell = abut__renew(context, &grid->in_cell, grid->of_site.count);
    if (first == NULL || in_cell == NULL) {
        return false;
    }
    memset(first, 0, ((size_t)cells + 1) * sizeof *first);
    for (size_t i = 0; i < grid->of_site.count; ++i) {
        ++first[of_site[i]];
    }
    uint32_t sum = 0;
    for (uint32_t c = 0; c <= cells; ++c) {
        sum += first[c];
        first[c] = sum;  // the end of the cell
    }
    for (uint32_t t = sites; t-- > 0;) {
        for (uint32_t i = site_first[t]; i < site_first[t + 1]; ++i) {
            in_cell[--first[of_site[i]]] = t;
        }
    }
    return true;
}

bool abut__grid_fill(const abut_context* context, const abut__sites* sites,
                     abut__grid_cells* grid) {
    const uint32_t count = abut__site_count(sites);
    memcpy(grid->size, sites->size, sizeof grid->size);
    grid->of_site.count = 0;
    uint32_t* first = abut__renew(context, &grid->site_first, (size_t)count + 1);
    if (first == NULL) {
        return false;
    }
    for (uint32_t t = 0; t < count; ++t) {
        first[t] = (uint32_t)grid->of_site.count;
        if (!add_cells(context, sites, t, grid)) {
            return false;
        }
    }
    first[count] = (uint32_t)grid->of_site.count;
    return invert_cells(context, count, grid);
}

void abut__grid_free(const abut_context* context, abut__grid_cells* grid) {
    abut__drop(context, &grid->of_site);
    abut__drop(context, &grid->site_first);
    abut__drop(context, &grid->in_cell);
    abut__drop(context, &grid->cell_first);
}
