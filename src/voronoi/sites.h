// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sites: all triangles of some bodies, as they are in this state, side by side and in units of the
// cells of a grid over all of them. Made anew for every query: there is nothing to keep when bodies
// break, appear or vanish.
//
// Coordinates are floats, grown for what they may be off: `pad`, in cells. A point is at most 2^-24
// of its place in the grid from its double, and that at most 2^-50 of the magnitudes that it was made
// of from the exact one; both are doubled, thrice over.
#ifndef ABUT_VORONOI_SITES_H
#define ABUT_VORONOI_SITES_H

#include "scene/scene.h"

#define ABUT__GRID_SIDE 512u  // most cells along a side

// A body among the sites.
typedef struct abut__site_body {
    abut__body* body;
    uint32_t first;  // of its triangles
    uint32_t count;
    uint32_t first_run;  // of its runs
    float lo[3];         // in cells
    float hi[3];
} abut__site_body;

// So many triangles of a body that follow each other, and are mostly near each other, have a box.
#define ABUT__SITE_RUN 32u
typedef struct abut__site_run {
    float lo[3];
    float hi[3];
} abut__site_run;

// Where a triangle is to be found.
typedef struct abut__site_place {
    uint32_t body;   // among the sites
    uint32_t block;  // of its tree
    uint32_t lane;
    uint32_t triangle;
    uint32_t corner[3];  // classes of its vertices
} abut__site_place;

// What the grid sees of a triangle.
typedef struct abut__site {
    float corner[3][3];
    float lo[3];
    float hi[3];
} abut__site;

// In sweeps: where its corners come from. Its box is then around both ends.
typedef struct abut__site_start {
    float corner[3][3];
} abut__site_start;

typedef ABUT__VECTOR(double[9]) abut__site_corners;

typedef struct abut__sites {
    ABUT__VECTOR(abut__site_body) bodies;
    ABUT__VECTOR(abut__site_place) places;
    ABUT__VECTOR(abut__site) sites;
    ABUT__VECTOR(abut__site_run) runs;
    abut__site_corners world;   // corners in the world, as answers between frames see them
    abut__site_corners before;  // in sweeps, where these come from; else empty
    ABUT__VECTOR(abut__site_start) starts;  // the same in cells
    double origin[3];
    double scale;    // cells per unit of length
    double stretch;  // world lengths may be so many times the true ones, and the other way round
    float pad;
    uint32_t size[3];     // cells of the grid
    uint64_t bad_vertex;  // body << 32 | vertex that is not finite; UINT64_MAX: none
} abut__sites;

static inline uint32_t abut__site_count(const abut__sites* sites) {
    return (uint32_t)sites->places.count;
}

// A true length in cells, never less; and a length in cells as a true one, never more.
float abut__cells_above(const abut__sites* sites, double length);

// Forgets all bodies.
void abut__sites_clear(abut__sites* sites);
// Adds a body with all its triangles. False: no memory.
bool abut__sites_add(const abut_context* context, abut__sites* sites, abut__body* body);
// The same with where it comes from in this step; of all bodies or of none. The body has a previous
// state.
bool abut__sites_add_swept(const abut_context* context, abut__sites* sites, abut__body* body);
// After the last body: lays the grid over them, `cells` along its longest side (0: chosen by counts
// of the work), and works out the sites. False: no memory.
bool abut__sites_place(const abut_context* context, abut__sites* sites, uint32_t cells);
void abut__sites_free(const abut_context* context, abut__sites* sites);

#endif
