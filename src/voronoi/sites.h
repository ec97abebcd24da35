// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sites: all triangles of some bodies in their present state, in units of the cells of a grid over
// all of them. They are computed anew for every query, from the triangles of the mesh and the state
// of the body alone, so bodies may break, appear or vanish.
//
// Coordinates are floats, with an error of at most `pad`, in cells. A float is at most 2^-24 of its
// place in the grid from its double, which is at most 2^-50 of the magnitudes of its terms from the
// exact value. The pad is eight times both.
#ifndef ABUT_VORONOI_SITES_H
#define ABUT_VORONOI_SITES_H

#include "scene/scene.h"

#define ABUT__GRID_SIDE 512u  // greatest number of cells along a side

// A body among the sites.
typedef struct abut__site_body {
    abut__body* body;
    uint32_t first;  // its first triangle
    uint32_t count;
    uint32_t first_run;         // its first run
    bool in_place;              // its frame is the identity
    uint32_t first_in_line;     // see site_line.c
    size_t first_point;         // its first vertex among the points
    const uint32_t* triangles;  // of its mesh
    float lo[3];                // in cells
    float hi[3];
} abut__site_body;

// This many consecutive triangles of a body, which are mostly near each other, share a box.
#define ABUT__SITE_RUN 32u
typedef struct abut__site_run {
    float lo[3];
    float hi[3];
} abut__site_run;

// Where a triangle comes from.
typedef struct abut__site_place {
    uint32_t body;  // among the sites
    uint32_t triangle;
    uint32_t corner[3];  // classes of its vertices
} abut__site_place;

// A triangle in the grid: a cache line, so that kernels load it at once.
typedef struct abut__site {
    float corner[3][3];
    float lo[3];
    float hi[3];
    float unused;
} abut__site;

// In sweeps: the corners at the start of the step. The box of the site is then around both ends.
typedef struct abut__site_start {
    float corner[3][3];
} abut__site_start;

// Vertices in world coordinates. Those that no triangle has are where one that some triangle has is.
typedef ABUT__VECTOR(double[3]) abut__site_points;

typedef struct abut__sites {
    ABUT__VECTOR(abut__site_body) bodies;
    ABUT__VECTOR(abut__site_place) places;
    ABUT__VECTOR(abut__site) sites;
    ABUT__VECTOR(abut__site_run) runs;
    ABUT__VECTOR(abut__site_start) starts;  // in sweeps; else empty
    abut__site_points points;               // of all bodies
    abut__site_points before;               // in sweeps, these at the start of the step; else empty
    ABUT__VECTOR(float[4])
    cell_points[2];                      // at the start and at the end: points in cells, and a
                                         // number of no use
    ABUT__VECTOR(uint8_t) has_triangle;  // by vertex of the body that is being added
    double origin[3];
    double scale;    // cells per unit of length
    double stretch;  // greatest ratio of world lengths to true lengths, and of these to those
    float pad;
    uint32_t size[3];     // cells of the grid
    uint64_t bad_vertex;  // body << 32 | vertex that is not finite; UINT64_MAX: none
} abut__sites;

static inline uint32_t abut__site_count(const abut__sites* sites) {
    return (uint32_t)sites->places.count;
}

// Gets the corners of a triangle in world coordinates, at the end of the step or, in sweeps, at its
// start (end = 0).
static inline void abut__site_corners(const abut__sites* sites, uint32_t site, int end,
                                      double out[9]) {
    const abut__site_place* place = &sites->places.data[site];
    const abut__site_body* body = &sites->bodies.data[place->body];
    const abut__site_points* points = end == 0 ? &sites->before : &sites->points;
    for (int c = 0; c < 3; ++c) {
        const uint32_t vertex = body->triangles[3 * (size_t)place->triangle + (size_t)c];
        memcpy(out + 3 * c, points->data[body->first_point + vertex], 3 * sizeof *out);
    }
}

// Returns an upper bound of a true length, in cells.
float abut__cells_above(const abut__sites* sites, double length);

// Returns a bound, in cells, within which the nearest pair is found if some pair of sites is at most
// `above` cells apart. Distances that are measured in the shape may be stretched in the world.
static inline float abut__reach_of(const abut__sites* sites, float above) {
    return above * (float)(sites->stretch * sites->stretch * (1 + 0x1p-18)) + 2 * sites->pad;
}

// Removes all bodies.
void abut__sites_clear(abut__sites* sites);
// Adds a body with all its triangles. False: no memory.
bool abut__sites_add(const abut_context* context, abut__sites* sites, abut__body* body);
// The same for sweeps, with the start of the step. Use it for all bodies or for none. The body must
// have a previous state.
bool abut__sites_add_swept(const abut_context* context, abut__sites* sites, abut__body* body);
// Lays the grid over all bodies, `cells` along its longest side (0: chosen by the number of
// triangles), and computes the sites. To be called after the last body. False: no memory.
bool abut__sites_place(const abut_context* context, abut__sites* sites, uint32_t cells);
// Computes the box around some consecutive sites, in cells.
void abut__sites_bound(const abut__sites* sites, uint32_t first, uint32_t count, float lo[3],
                       float hi[3]);
void abut__sites_free(const abut_context* context, abut__sites* sites);

#endif
