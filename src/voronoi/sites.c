// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Gathers triangles and lays the grid: see sites.h.
#include "voronoi/sites.h"

#include <math.h>

#include "simd/kernels.h"

// Cells per triangle; a good choice for crowds of small bodies and for cloth alike.
#define CELLS_PER_TRIANGLE 10.0
#define CELLS_LEAST 4096.0
#define CELLS_MOST 2097152.0

void abut__sites_clear(abut__sites* sites) {
    sites->bodies.count = sites->places.count = sites->sites.count = sites->world.count = 0;
    sites->before.count = sites->starts.count = 0;
    sites->bad_vertex = UINT64_MAX;
    sites->stretch = 1;
}

void abut__sites_free(const abut_context* context, abut__sites* sites) {
    abut__drop(context, &sites->bodies);
    abut__drop(context, &sites->places);
    abut__drop(context, &sites->sites);
    abut__drop(context, &sites->runs);
    abut__drop(context, &sites->world);
    abut__drop(context, &sites->before);
    abut__drop(context, &sites->starts);
}

static void note_bad(abut__sites* sites, const abut__body* body, const abut__block* block,
                     double xyz[3][ABUT__BLOCK_VERTICES]) {
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        if (!(isfinite(xyz[0][v]) && isfinite(xyz[1][v]) && isfinite(xyz[2][v]))) {
            const uint64_t bad = (uint64_t)body->index << 32 | block->vertex[v];
            sites->bad_vertex = bad < sites->bad_vertex ? bad : sites->bad_vertex;
        }
    }
}

// Computes the vertices of a block in the world, at the start or the end of the step.
static void place_block(const abut_context* context, abut__sites* sites, const abut__body* body,
                        const abut__block* block, int end, double xyz[3][ABUT__BLOCK_VERTICES]) {
    double* const rows[3] = {xyz[0], xyz[1], xyz[2]};
    const abut_frame* frame = abut__body_frame(body, end);
    body->shape->motion->vertices(body->shape, abut__body_state(body, end), block->vertex,
                                  block->vertex_count, rows);
    if (!abut__frame_is_identity(frame)) {
        context->kernels->place_points(frame, rows, block->vertex_count, ABUT__BLOCK_VERTICES);
    }
    note_bad(sites, body, block, xyz);
}

static void take_corners(const abut__block* block, uint32_t lane,
                         double xyz[3][ABUT__BLOCK_VERTICES], double out[9]) {
    for (int i = 0; i < 9; ++i) {
        out[i] = xyz[i % 3][block->corner[i / 3][lane]];
    }
}

// Adds the triangles of a block, with their corners in the world.
static void add_block(const abut_context* context, abut__sites* sites, const abut__body* body,
                      uint32_t number) {
    const abut__block* block = body->shape->tree.blocks[number];
    double xyz[3][ABUT__BLOCK_VERTICES];
    place_block(context, sites, body, block, 1, xyz);
    const uint32_t owner = (uint32_t)sites->bodies.count - 1;
    const uint32_t* classes = body->shape->mesh->classes;
    abut__site_place* places = sites->places.data + sites->places.count;
    double(*world)[9] = sites->world.data + sites->places.count;
    for (uint32_t k = 0; k < block->triangle_count; ++k) {
        places[k] = (abut__site_place){
            .body = owner, .block = number, .lane = k, .triangle = block->triangle[k]};
        for (int c = 0; c < 3; ++c) {
            places[k].corner[c] = classes[block->vertex[block->corner[c][k]]];
        }
        take_corners(block, k, xyz, world[k]);
    }
    sites->places.count += block->triangle_count;
}

bool abut__sites_add(const abut_context* context, abut__sites* sites, abut__body* body) {
    const abut__tree* tree = &body->shape->tree;
    const size_t first = sites->places.count;
    const size_t most = first + body->shape->mesh->alive_count;
    abut__site_body* own = abut__push(context, &sites->bodies, 1);
    if (own == NULL || !abut__reserve(context, &sites->places, most) ||
        !abut__reserve(context, &sites->world, most)) {
        return false;
    }
    *own = (abut__site_body){.body = body, .first = (uint32_t)first};
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        add_block(context, sites, body, b);
    }
    own->count = (uint32_t)(sites->places.count - first);
    sites->world.count = sites->places.count;
    // r r^T is within 1e-3 of the identity, entry by entry, so lengths change by less than this.
    sites->stretch = body->turned ? 1.002 : sites->stretch;
    return true;
}

bool abut__sites_add_swept(const abut_context* context, abut__sites* sites, abut__body* body) {
    const abut__tree* tree = &body->shape->tree;
    const size_t first = sites->places.count;
    if (!abut__sites_add(context, sites, body)) {
        return false;
    }
    double(*before)[9] = abut__push(context, &sites->before, sites->places.count - first);
    if (before == NULL && sites->places.count > first) {
        return false;
    }
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        double xyz[3][ABUT__BLOCK_VERTICES];
        place_block(context, sites, body, tree->blocks[b], 0, xyz);
        for (uint32_t k = 0; k < tree->blocks[b]->triangle_count; ++k) {
            take_corners(tree->blocks[b], k, xyz, *before++);
        }
    }
    sites->stretch = 1.002;  // either of its frames may be rotated
    return true;
}

// ---- the grid

static void grow_world(const abut__site_corners* corners, double lo[3], double hi[3]) {
    const double(*at)[9] = corners->data;
    for (size_t t = 0; t < corners->count; ++t) {
        for (int c = 0; c < 9; ++c) {
            lo[c % 3] = at[t][c] < lo[c % 3] ? at[t][c] : lo[c % 3];
            hi[c % 3] = at[t][c] > hi[c % 3] ? at[t][c] : hi[c % 3];
        }
    }
}

static void bound_world(const abut__sites* sites, double lo[3], double hi[3]) {
    for (int d = 0; d < 3; ++d) {
        lo[d] = INFINITY;
        hi[d] = -INFINITY;
    }
    grow_world(&sites->world, lo, hi);
    grow_world(&sites->before, lo, hi);
}

static double cells_of(const double extent[3], double side) {
    double cells = 1;
    for (int d = 0; d < 3; ++d) {
        cells *= floor(extent[d] / side) + 1;
    }
    return cells;
}

// Returns the number of cells along the longest side, from the number of triangles.
static uint32_t choose_cells(const abut__sites* sites, const double extent[3], double longest) {
    double wanted = CELLS_PER_TRIANGLE * (double)sites->world.count;
    wanted = wanted > CELLS_LEAST ? wanted : CELLS_LEAST;
    wanted = wanted < CELLS_MOST ? wanted : CELLS_MOST;
    uint32_t cells = ABUT__GRID_SIDE;
    while (cells > 1 && cells_of(extent, longest / cells) > wanted) {
        cells -= (cells + 31) / 32;
    }
    return cells;
}

static void lay_grid(abut__sites* sites, uint32_t cells) {
    double lo[3];
    double hi[3];
    double extent[3];
    double longest = 0;
    double far = 0;
    bound_world(sites, lo, hi);
    for (int d = 0; d < 3; ++d) {
        // Half extents, so that nothing overflows.
        extent[d] = 0.5 * hi[d] - 0.5 * lo[d];
        longest = extent[d] > longest ? extent[d] : longest;
        const double most = fabs(lo[d]) > fabs(hi[d]) ? fabs(lo[d]) : fabs(hi[d]);
        far = most > far ? most : far;
        sites->origin[d] = lo[d];
    }
    // With almost no extent, or one beyond the range that can be scaled, the grid is one cell.
    const bool flat = !(longest > 0x1p-1000 * (far + 0x1p-20)) || longest > 0x1p1000;
    const uint32_t chosen = cells != 0 ? cells : flat ? 1 : choose_cells(sites, extent, longest);
    sites->scale = flat ? 0 : 0.5 * (double)chosen / longest;
    for (int d = 0; d < 3; ++d) {
        const double most = flat ? 0 : floor(2 * extent[d] * sites->scale);
        sites->size[d] = most < chosen ? (uint32_t)most + 1 : chosen;
    }
    sites->pad = (float)(0x1p-21 * chosen + 0x1p-47 * far * sites->scale);
}

float abut__cells_above(const abut__sites* sites, double length) {
    const double cells = length * sites->scale * sites->stretch * (1 + 0x1p-20);
    return cells < 1e30 ? (float)cells + sites->pad : INFINITY;
}

// Converts three corners to units of cells, clamped to the grid.
static void place_corners(const abut__sites* sites, const double world[9], float corner[3][3]) {
    for (int i = 0; i < 9; ++i) {
        const double most = (double)sites->size[i % 3];
        const double x = (world[i] - sites->origin[i % 3]) * sites->scale;
        corner[i / 3][i % 3] = x > 0 ? x < most ? (float)x : (float)most : 0;
    }
}

static void grow_box(abut__site* site, float corner[3][3]) {
    for (int i = 0; i < 9; ++i) {
        const float x = corner[i / 3][i % 3];
        site->lo[i % 3] = x < site->lo[i % 3] ? x : site->lo[i % 3];
        site->hi[i % 3] = x > site->hi[i % 3] ? x : site->hi[i % 3];
    }
}

// Computes one triangle in cells, and the box around it.
static void place_site(const abut__sites* sites, const double world[9], abut__site* site) {
    place_corners(sites, world, site->corner);
    for (int d = 0; d < 3; ++d) {
        site->lo[d] = INFINITY;
        site->hi[d] = -INFINITY;
    }
    grow_box(site, site->corner);
}

// In sweeps: computes the triangles at the start of the step, and grows their boxes.
static bool place_starts(const abut_context* context, abut__sites* sites) {
    const size_t count = sites->before.count;
    const double(*before)[9] = sites->before.data;
    abut__site_start* starts = abut__renew(context, &sites->starts, count);
    for (size_t t = 0; t < count && starts != NULL; ++t) {
        place_corners(sites, before[t], starts[t].corner);
        grow_box(&sites->sites.data[t], starts[t].corner);
    }
    return starts != NULL || count == 0;
}

static void bound_run(const abut__site* site, uint32_t count, abut__site_run* run) {
    for (int d = 0; d < 3; ++d) {
        run->lo[d] = INFINITY;
        run->hi[d] = -INFINITY;
        for (uint32_t t = 0; t < count; ++t) {
            run->lo[d] = site[t].lo[d] < run->lo[d] ? site[t].lo[d] : run->lo[d];
            run->hi[d] = site[t].hi[d] > run->hi[d] ? site[t].hi[d] : run->hi[d];
        }
    }
}

// Computes the boxes of a body and of its runs.
static bool bound_body(const abut_context* context, abut__sites* sites, abut__site_body* body) {
    const abut__site* site = sites->sites.data + body->first;
    const uint32_t count = (body->count + ABUT__SITE_RUN - 1) / ABUT__SITE_RUN;
    body->first_run = (uint32_t)sites->runs.count;
    abut__site_run* runs = abut__push(context, &sites->runs, count);
    if (runs == NULL && count > 0) {
        return false;
    }
    for (int d = 0; d < 3; ++d) {
        body->lo[d] = INFINITY;
        body->hi[d] = -INFINITY;
    }
    for (uint32_t r = 0; r < count; ++r) {
        const uint32_t first = r * ABUT__SITE_RUN;
        const uint32_t left = body->count - first;
        bound_run(site + first, left < ABUT__SITE_RUN ? left : ABUT__SITE_RUN, &runs[r]);
        for (int d = 0; d < 3; ++d) {
            body->lo[d] = runs[r].lo[d] < body->lo[d] ? runs[r].lo[d] : body->lo[d];
            body->hi[d] = runs[r].hi[d] > body->hi[d] ? runs[r].hi[d] : body->hi[d];
        }
    }
    return true;
}

bool abut__sites_place(const abut_context* context, abut__sites* sites, uint32_t cells) {
    sites->runs.count = 0;
    abut__site* site = abut__renew(context, &sites->sites, sites->world.count);
    if (site == NULL && sites->world.count > 0) {
        return false;
    }
    const double(*world)[9] = sites->world.data;
    lay_grid(sites, cells);
    for (size_t t = 0; t < sites->world.count; ++t) {
        place_site(sites, world[t], &site[t]);
    }
    bool done = place_starts(context, sites);
    for (size_t b = 0; b < sites->bodies.count && done; ++b) {
        done = bound_body(context, sites, &sites->bodies.data[b]);
    }
    return done;
}
