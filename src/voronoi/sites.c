// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Gathers triangles and lays the grid: see sites.h.
#include "voronoi/sites.h"

#include <math.h>

#include "simd/kernels.h"

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
    abut__drop(context, &sites->points);
}

// ---- gathering

#define POINTS 64u         // vertices that are computed at once
#define POINT_TASK 4096u   // vertices per task; a multiple of POINTS
#define CORNER_TASK 4096u  // triangles per task

typedef struct gathering {
    const abut_context* context;
    abut__sites* sites;
    const abut__body* body;
    int end;         // of the step: 0 start, 1 end
    uint32_t first;  // site
    double (*corners)[9];
    atomic_bool bad;  // some corner is not finite
} gathering;

// Computes vertices of the body in the world.
static void place_points(void* argument, uint32_t index, uint32_t worker) {
    const gathering* g = argument;
    const abut_shape* shape = g->body->shape;
    const abut_frame* frame = abut__body_frame(g->body, g->end);
    const uint32_t all = shape->mesh->vertex_count;
    const uint32_t end = all - index * POINT_TASK < POINT_TASK ? all : (index + 1) * POINT_TASK;
    const bool moved = !abut__frame_is_identity(frame);
    (void)worker;
    for (uint32_t v = index * POINT_TASK; v < end; v += POINTS) {
        const uint32_t count = end - v < POINTS ? end - v : POINTS;
        uint32_t ids[POINTS];
        double xyz[3][POINTS];
        double* const rows[3] = {xyz[0], xyz[1], xyz[2]};
        for (uint32_t i = 0; i < count; ++i) {
            ids[i] = v + i;
        }
        shape->motion->vertices(shape, abut__body_state(g->body, g->end), ids, count, rows);
        if (moved) {
            g->context->kernels->place_points(frame, rows, count, POINTS);
        }
        for (uint32_t i = 0; i < 3 * count; ++i) {
            g->sites->points.data[v + i / 3][i % 3] = xyz[i % 3][i / 3];
        }
    }
}

static void place_triangles(void* argument, uint32_t index, uint32_t worker) {
    gathering* g = argument;
    const uint32_t first = g->first + index * CORNER_TASK;
    const uint32_t all = (uint32_t)g->sites->places.count;
    const uint32_t end = all - first < CORNER_TASK ? all : first + CORNER_TASK;
    const abut_mesh* mesh = g->body->shape->mesh;
    abut__site_place* places = g->sites->places.data;
    const double(*points)[3] = g->sites->points.data;
    bool finite = true;
    (void)worker;
    for (uint32_t t = first; t < end; ++t) {
        const uint32_t* ids = mesh->triangles + 3 * (size_t)places[t].triangle;
        double* out = g->corners[t - g->first];
        double sum = 0;
        for (int c = 0; c < 3; ++c) {
            places[t].corner[c] = mesh->classes[ids[c]];
            for (int d = 0; d < 3; ++d) {
                out[3 * c + d] = points[ids[c]][d];
                sum += 0 * out[3 * c + d];  // not a number if one is not finite
            }
        }
        finite = finite && sum == 0;
    }
    if (!finite) {
        g->bad = true;
    }
}

// Finds the lowest vertex of a triangle that is not finite.
static void note_bad(const gathering* g) {
    const abut_mesh* mesh = g->body->shape->mesh;
    for (size_t t = g->first; t < g->sites->places.count; ++t) {
        const uint32_t* ids = mesh->triangles + 3 * (size_t)g->sites->places.data[t].triangle;
        for (int c = 0; c < 3; ++c) {
            const double* p = g->sites->points.data[ids[c]];
            const uint64_t bad = (uint64_t)g->body->index << 32 | ids[c];
            if (!(isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2])) &&
                bad < g->sites->bad_vertex) {
                g->sites->bad_vertex = bad;
            }
        }
    }
}

// Computes the corners of the sites of a body at one end of the step. False: no memory.
static bool gather(gathering* g) {
    const uint32_t vertices = g->body->shape->mesh->vertex_count;
    const uint32_t count = (uint32_t)g->sites->places.count - g->first;
    if (abut__renew(g->context, &g->sites->points, vertices) == NULL && vertices > 0) {
        return false;
    }
    abut__run_tasks(g->context, (vertices + POINT_TASK - 1) / POINT_TASK, place_points, g);
    abut__run_tasks(g->context, (count + CORNER_TASK - 1) / CORNER_TASK, place_triangles, g);
    if (g->bad) {
        note_bad(g);
    }
    return true;
}

bool abut__sites_add(const abut_context* context, abut__sites* sites, abut__body* body) {
    const abut_mesh* mesh = body->shape->mesh;
    const uint32_t first = (uint32_t)sites->places.count;
    abut__site_body* own = abut__push(context, &sites->bodies, 1);
    if (own == NULL) {
        return false;
    }
    *own = (abut__site_body){.body = body,
                             .first = first,
                             .count = mesh->alive_count,
                             .in_place = abut__frame_is_identity(&body->frame)};
    abut__site_place* places = abut__push(context, &sites->places, mesh->alive_count);
    double(*world)[9] = abut__push(context, &sites->world, mesh->alive_count);
    if (mesh->alive_count > 0 && (places == NULL || world == NULL)) {
        return false;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (abut__mesh_alive(mesh, t)) {
            *places++ = (abut__site_place){.body = (uint32_t)sites->bodies.count - 1,
                                           .triangle = t};
        }
    }
    gathering g = {.context = context,
                   .sites = sites,
                   .body = body,
                   .end = 1,
                   .first = first,
                   .corners = world};
    // r r^T is within 1e-3 of the identity, entry by entry, so lengths change by less than this.
    sites->stretch = body->turned ? 1.002 : sites->stretch;
    return gather(&g);
}

bool abut__sites_add_swept(const abut_context* context, abut__sites* sites, abut__body* body) {
    const uint32_t first = (uint32_t)sites->places.count;
    if (!abut__sites_add(context, sites, body)) {
        return false;
    }
    const size_t count = sites->places.count - first;
    double(*before)[9] = abut__push(context, &sites->before, count);
    if (before == NULL && count > 0) {
        return false;
    }
    gathering g = {.context = context,
                   .sites = sites,
                   .body = body,
                   .end = 0,
                   .first = first,
                   .corners = before};
    sites->stretch = 1.002;  // either of its frames may be rotated
    return gather(&g);
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

// The extents of some triangles, evenly spread over all, for the choice of the resolution.
#define SAMPLES 32u
typedef struct extent_sample {
    uint32_t count;
    double each;  // triangles that a sample stands for
    double extent[SAMPLES][3];
    double mean;  // of the longest extents
} extent_sample;

static extent_sample sample_extents(const abut__sites* sites) {
    const size_t all = sites->world.count;
    extent_sample sample = {.count = (uint32_t)(all < SAMPLES ? all : SAMPLES)};
    sample.each = (double)all / sample.count;
    for (uint32_t i = 0; i < sample.count; ++i) {
        const size_t t = i * all / sample.count;
        double longest = 0;
        for (int d = 0; d < 3; ++d) {
            double lo = INFINITY;
            double hi = -INFINITY;
            for (int c = 0; c < 3; ++c) {
                const double x = sites->world.data[t][3 * c + d];
                const double y = sites->before.count > 0 ? sites->before.data[t][3 * c + d] : x;
                lo = x < lo ? x : lo;
                lo = y < lo ? y : lo;
                hi = x > hi ? x : hi;
                hi = y > hi ? y : hi;
            }
            sample.extent[i][d] = hi - lo;
            longest = hi - lo > longest ? hi - lo : longest;
        }
        sample.mean += longest / sample.count;
    }
    return sample;
}

// What a cell, a piece, a row of cells and a box in them cost a query, relative to each other. The
// numbers were fitted to the times of crowds of small bodies and of cloth.
#define COST_CELL 1.0
#define COST_PIECE 30.0
#define COST_ROW 4.0
#define COST_BOX 1.0

// Estimates the cost of a query with cells of a given side: cells to clear, pieces of triangles to
// enter (voronoi_grid.h), and for each the rows of cells and the boxes to look at. A triangle is
// surrounded by others of its size, and looks for them up to about half that size.
static double cost_of(const extent_sample* sample, double cells, double side) {
    const double mean = sample->mean / side;
    const double wide = 2 * mean + (mean < 1 ? mean : 1) + 1;  // of a search, in cells
    const double around = 2 * (wide / mean) * (wide / mean);
    double cost = COST_CELL * cells;
    for (uint32_t i = 0; i < sample->count; ++i) {
        double pieces = 1;
        bool split = false;
        for (int d = 0; d < 3; ++d) {
            pieces *= sample->extent[i][d] / side + 1;
            split = split || sample->extent[i][d] > side;
        }
        pieces = split ? pieces : 1;
        cost += sample->each * pieces * (COST_PIECE + COST_ROW * wide * wide + COST_BOX * around);
    }
    return cost;
}

// Returns the number of cells along the longest side: that of the least cost.
static uint32_t choose_cells(const abut__sites* sites, const double extent[3], double longest) {
    const extent_sample sample = sample_extents(sites);
    uint32_t best = 1;
    double least = INFINITY;
    for (uint32_t cells = ABUT__GRID_SIDE; cells > 1; cells -= (cells + 5) / 6) {
        const double half = longest / cells;  // extents are halved, too
        const double count = cells_of(extent, half);
        const double cost = count > CELLS_MOST ? INFINITY : cost_of(&sample, count, 2 * half);
        best = cost < least ? cells : best;
        least = cost < least ? cost : least;
    }
    return best;
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
    uint32_t chosen = cells != 0 ? cells : flat ? 1 : choose_cells(sites, extent, longest);
    // far from the origin, where coordinates are coarse, small cells would be of no use
    while (cells == 0 && chosen > 1 && 0x1p-48 * far / longest * chosen > 0x1p-5) {
        chosen /= 2;
    }
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

#define SITE_TASK 2048u  // sites per task

// Computes some sites; in sweeps also their triangles at the start of the step, and the boxes of
// both.
static void place_sites(void* argument, uint32_t index, uint32_t worker) {
    abut__sites* sites = argument;
    const size_t first = (size_t)index * SITE_TASK;
    const size_t all = sites->world.count;
    const size_t end = all - first < SITE_TASK ? all : first + SITE_TASK;
    (void)worker;
    for (size_t t = first; t < end; ++t) {
        place_site(sites, sites->world.data[t], &sites->sites.data[t]);
    }
    for (size_t t = first; t < end && sites->before.count > 0; ++t) {
        place_corners(sites, sites->before.data[t], sites->starts.data[t].corner);
        grow_box(&sites->sites.data[t], sites->starts.data[t].corner);
    }
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
    const size_t count = sites->world.count;
    sites->runs.count = 0;
    if ((abut__renew(context, &sites->sites, count) == NULL && count > 0) ||
        (abut__renew(context, &sites->starts, sites->before.count) == NULL &&
         sites->before.count > 0)) {
        return false;
    }
    lay_grid(sites, cells);
    abut__run_tasks(context, (uint32_t)((count + SITE_TASK - 1) / SITE_TASK), place_sites, sites);
    bool done = true;
    for (size_t b = 0; b < sites->bodies.count && done; ++b) {
        done = bound_body(context, sites, &sites->bodies.data[b]);
    }
    return done;
}
