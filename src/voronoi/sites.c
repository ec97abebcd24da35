// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Gathers triangles and lays the grid: see sites.h.
#include "voronoi/sites.h"

#include <math.h>

#include "simd/kernels.h"

#define CELLS_MOST 2097152.0

void abut__sites_clear(abut__sites* sites) {
    sites->bodies.count = sites->places.count = sites->sites.count = 0;
    sites->points.count = sites->before.count = sites->starts.count = 0;
    sites->bad_vertex = UINT64_MAX;
    sites->stretch = 1;
}

void abut__sites_free(const abut_context* context, abut__sites* sites) {
    abut__drop(context, &sites->bodies);
    abut__drop(context, &sites->places);
    abut__drop(context, &sites->sites);
    abut__drop(context, &sites->runs);
    abut__drop(context, &sites->starts);
    abut__drop(context, &sites->points);
    abut__drop(context, &sites->before);
    abut__drop(context, &sites->cell_points[0]);
    abut__drop(context, &sites->cell_points[1]);
    abut__drop(context, &sites->has_triangle);
}

// ---- gathering

#define POINTS 64u        // vertices that are computed at once
#define POINT_TASK 4096u  // vertices per task; a multiple of POINTS

typedef struct gathering {
    const abut_context* context;
    const abut__body* body;
    int end;                      // of the step: 0 start, 1 end
    double (*points)[3];          // of the body
    const uint8_t* has_triangle;  // by vertex; NULL: all have one
    double spare[3];              // where the others are put
    atomic_bool bad;              // some vertex is not finite
} gathering;

// Computes some vertices of the body in the world, at most POINTS.
static void compute_points(const gathering* g, const uint32_t* ids, uint32_t count,
                           double (*out)[3]) {
    const abut_shape* shape = g->body->shape;
    const abut_frame* frame = abut__body_frame(g->body, g->end);
    double xyz[3][POINTS];
    double* const rows[3] = {xyz[0], xyz[1], xyz[2]};
    shape->motion->vertices(shape, abut__body_state(g->body, g->end), ids, count, rows);
    if (!abut__frame_is_identity(frame)) {
        g->context->kernels->place_points(frame, rows, count, POINTS);
    }
    for (uint32_t i = 0; i < count; ++i) {
        for (int d = 0; d < 3; ++d) {
            out[i][d] = xyz[d][i];
        }
    }
}

static void place_points(void* argument, uint32_t index, uint32_t worker) {
    gathering* g = argument;
    const uint32_t all = g->body->shape->mesh->vertex_count;
    const uint32_t end = all - index * POINT_TASK < POINT_TASK ? all : (index + 1) * POINT_TASK;
    double sum = 0;
    (void)worker;
    for (uint32_t v = index * POINT_TASK; v < end; v += POINTS) {
        const uint32_t count = end - v < POINTS ? end - v : POINTS;
        double(*points)[3] = g->points + v;
        uint32_t ids[POINTS];
        for (uint32_t i = 0; i < count; ++i) {
            ids[i] = v + i;
        }
        compute_points(g, ids, count, points);
        for (uint32_t i = 0; i < count && g->has_triangle != NULL; ++i) {
            if (!g->has_triangle[v + i]) {
                memcpy(points[i], g->spare, sizeof points[i]);
            }
        }
        for (uint32_t i = 0; i < count; ++i) {
            sum += 0 * (points[i][0] + points[i][1] + points[i][2]);  // NaN if one is not finite
        }
    }
    if (!(sum == 0)) {
        g->bad = true;
    }
}

// Finds the lowest vertex of a triangle that is not finite. There may be none: sums of three finite
// numbers can overflow.
static void note_bad(const gathering* g, abut__sites* sites) {
    for (uint32_t v = 0; v < g->body->shape->mesh->vertex_count; ++v) {
        const double* p = g->points[v];
        const uint64_t bad = (uint64_t)g->body->index << 32 | v;
        if ((g->has_triangle == NULL || g->has_triangle[v]) &&
            !(isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]))) {
            sites->bad_vertex = bad < sites->bad_vertex ? bad : sites->bad_vertex;
            return;
        }
    }
}

// Computes the vertices of a body, which has a triangle, at one end of the step.
static void gather(gathering* g, abut__sites* sites) {
    const uint32_t count = g->body->shape->mesh->vertex_count;
    const uint8_t* flags = sites->has_triangle.data;
    if (memchr(flags, 0, count) != NULL) {
        const uint32_t first = (uint32_t)((const uint8_t*)memchr(flags, 1, count) - flags);
        g->has_triangle = flags;
        compute_points(g, &first, 1, &g->spare);
    }
    abut__run_tasks(g->context, (count + POINT_TASK - 1) / POINT_TASK, place_points, g);
    if (g->bad) {
        note_bad(g, sites);
    }
}

// Lists the triangles of a body, and marks their vertices.
static void list_triangles(const abut_mesh* mesh, uint32_t body, abut__site_place* places,
                           uint8_t* has_triangle) {
    memset(has_triangle, 0, mesh->vertex_count);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t* ids = mesh->triangles + 3 * (size_t)t;
        if (!abut__mesh_alive(mesh, t)) {
            continue;
        }
        *places++ = (abut__site_place){.body = body,
                                       .triangle = t,
                                       .corner = {mesh->classes[ids[0]], mesh->classes[ids[1]],
                                                  mesh->classes[ids[2]]}};
        has_triangle[ids[0]] = has_triangle[ids[1]] = has_triangle[ids[2]] = 1;
    }
}

bool abut__sites_add(const abut_context* context, abut__sites* sites, abut__body* body) {
    const abut_mesh* mesh = body->shape->mesh;
    const uint32_t number = (uint32_t)sites->bodies.count;
    abut__site_body* own = abut__push(context, &sites->bodies, 1);
    if (own == NULL) {
        return false;
    }
    *own = (abut__site_body){.body = body,
                             .first = (uint32_t)sites->places.count,
                             .count = mesh->alive_count,
                             .in_place = abut__frame_is_identity(&body->frame),
                             .first_point = sites->points.count,
                             .triangles = mesh->triangles};
    // r r^T is within 1e-3 of the identity, entry by entry, so lengths change by less than this.
    sites->stretch = body->turned ? 1.002 : sites->stretch;
    if (mesh->alive_count == 0) {
        return true;
    }
    abut__site_place* places = abut__push(context, &sites->places, mesh->alive_count);
    uint8_t* has_triangle = abut__renew(context, &sites->has_triangle, mesh->vertex_count);
    double(*points)[3] = abut__push(context, &sites->points, mesh->vertex_count);
    if (places == NULL || has_triangle == NULL || points == NULL) {
        return false;
    }
    list_triangles(mesh, number, places, has_triangle);
    gathering g = {.context = context, .body = body, .end = 1, .points = points};
    gather(&g, sites);
    return true;
}

bool abut__sites_add_swept(const abut_context* context, abut__sites* sites, abut__body* body) {
    if (!abut__sites_add(context, sites, body)) {
        return false;
    }
    sites->stretch = 1.002;  // either of its frames may be rotated
    if (body->shape->mesh->alive_count == 0) {
        return true;
    }
    double(*before)[3] = abut__push(context, &sites->before, body->shape->mesh->vertex_count);
    if (before == NULL) {
        return false;
    }
    gathering g = {.context = context, .body = body, .end = 0, .points = before};
    gather(&g, sites);
    return true;
}

// ---- the grid

static void grow_world(const abut__site_points* points, double lo[3], double hi[3]) {
    for (size_t i = 0; i < points->count; ++i) {
        const double* p = points->data[i];
        for (int d = 0; d < 3; ++d) {
            lo[d] = p[d] < lo[d] ? p[d] : lo[d];
            hi[d] = p[d] > hi[d] ? p[d] : hi[d];
        }
    }
}

static void bound_world(const abut__sites* sites, double lo[3], double hi[3]) {
    for (int d = 0; d < 3; ++d) {
        lo[d] = INFINITY;
        hi[d] = -INFINITY;
    }
    grow_world(&sites->points, lo, hi);
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
    const size_t all = sites->places.count;
    extent_sample sample = {.count = (uint32_t)(all < SAMPLES ? all : SAMPLES)};
    sample.each = (double)all / sample.count;
    for (uint32_t i = 0; i < sample.count; ++i) {
        const uint32_t t = (uint32_t)(i * all / sample.count);
        double end[9];
        double start[9];
        double longest = 0;
        abut__site_corners(sites, t, 1, end);
        abut__site_corners(sites, t, sites->before.count > 0 ? 0 : 1, start);
        for (int d = 0; d < 3; ++d) {
            double lo = INFINITY;
            double hi = -INFINITY;
            for (int c = 0; c < 3; ++c) {
                const double x = end[3 * c + d];
                const double y = start[3 * c + d];
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

#define SITE_TASK 2048u  // sites, or points, per task

// Converts some points to units of cells, clamped to the grid.
static void scale_points(const abut__sites* sites, size_t first, const abut__site_points* points,
                         float (*out)[4]) {
    const size_t end = points->count - first < SITE_TASK ? points->count : first + SITE_TASK;
    for (size_t i = first; i < end; ++i) {
        for (int d = 0; d < 3; ++d) {
            const double most = (double)sites->size[d];
            const double x = (points->data[i][d] - sites->origin[d]) * sites->scale;
            out[i][d] = (float)(x > 0 ? x < most ? x : most : 0);
        }
    }
}

static void scale_task(void* argument, uint32_t index, uint32_t worker) {
    abut__sites* sites = argument;
    (void)worker;
    scale_points(sites, (size_t)index * SITE_TASK, &sites->points, sites->cell_points[1].data);
    if (sites->before.count > 0) {
        scale_points(sites, (size_t)index * SITE_TASK, &sites->before, sites->cell_points[0].data);
    }
}

// Grows the box of a site to contain corners.
static inline void grow_box(abut__site* site, const float corner[3][3]) {
    const float* a = corner[0];
    const float* b = corner[1];
    const float* c = corner[2];
    for (int d = 0; d < 3; ++d) {
        const float lo = a[d] < b[d] ? a[d] : b[d];
        const float hi = a[d] > b[d] ? a[d] : b[d];
        const float least = lo < c[d] ? lo : c[d];
        const float most = hi > c[d] ? hi : c[d];
        site->lo[d] = least < site->lo[d] ? least : site->lo[d];
        site->hi[d] = most > site->hi[d] ? most : site->hi[d];
    }
}

// Gets the corners of a site in cells, at one end of the step.
static inline void get_corners(const abut__sites* sites, size_t site, int end, float corner[3][3]) {
    const abut__site_place* place = &sites->places.data[site];
    const abut__site_body* body = &sites->bodies.data[place->body];
    const uint32_t* ids = body->triangles + 3 * (size_t)place->triangle;
    for (int c = 0; c < 3; ++c) {
        memcpy(corner[c], sites->cell_points[end].data[body->first_point + ids[c]],
               sizeof(float[3]));
    }
}

// Computes some triangles in cells, and the boxes around them; in sweeps also the triangles at the
// start of the step, and the boxes around both.
static void place_sites(void* argument, uint32_t index, uint32_t worker) {
    abut__sites* sites = argument;
    const size_t first = (size_t)index * SITE_TASK;
    const size_t all = sites->places.count;
    const size_t end = all - first < SITE_TASK ? all : first + SITE_TASK;
    (void)worker;
    for (size_t t = first; t < end; ++t) {
        abut__site* site = &sites->sites.data[t];
        get_corners(sites, t, 1, site->corner);
        for (int d = 0; d < 3; ++d) {
            site->lo[d] = site->hi[d] = site->corner[0][d];
        }
        grow_box(site, (const float(*)[3])site->corner);
        if (sites->before.count > 0) {
            get_corners(sites, t, 0, sites->starts.data[t].corner);
            grow_box(site, (const float(*)[3])sites->starts.data[t].corner);
        }
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

// Makes room for the sites and the points in cells. False: no memory.
static bool reserve_sites(const abut_context* context, abut__sites* sites) {
    const size_t count = sites->places.count;
    const bool swept = sites->before.count > 0;
    return (abut__renew(context, &sites->sites, count) != NULL || count == 0) &&
           (abut__renew(context, &sites->starts, swept ? count : 0) != NULL || !swept) &&
           (abut__renew(context, &sites->cell_points[1], sites->points.count) != NULL ||
            count == 0) &&
           (abut__renew(context, &sites->cell_points[0], sites->before.count) != NULL || !swept);
}

bool abut__sites_place(const abut_context* context, abut__sites* sites, uint32_t cells) {
    const size_t count = sites->places.count;
    const size_t points = sites->points.count;
    sites->runs.count = 0;
    if (!reserve_sites(context, sites)) {
        return false;
    }
    lay_grid(sites, cells);
    abut__run_tasks(context, (uint32_t)((points + SITE_TASK - 1) / SITE_TASK), scale_task, sites);
    abut__run_tasks(context, (uint32_t)((count + SITE_TASK - 1) / SITE_TASK), place_sites, sites);
    bool done = true;
    for (size_t b = 0; b < sites->bodies.count && done; ++b) {
        done = bound_body(context, sites, &sites->bodies.data[b]);
    }
    return done;
}

void abut__sites_bound(const abut__sites* sites, uint32_t first, uint32_t count, float lo[3],
                       float hi[3]) {
    for (int d = 0; d < 3; ++d) {
        lo[d] = INFINITY;
        hi[d] = -INFINITY;
    }
    for (uint32_t t = first; t < first + count; ++t) {
        const abut__site* site = &sites->sites.data[t];
        for (int d = 0; d < 3; ++d) {
            lo[d] = site->lo[d] < lo[d] ? site->lo[d] : lo[d];
            hi[d] = site->hi[d] > hi[d] ? site->hi[d] : hi[d];
        }
    }
}
