// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Draws docs/figures/voronoi.svg: slices through the discrete second-order Voronoi diagram of blocks
// that break. On the left each cell has the colour of its nearest body, on the right that of its
// second; cells that bodies pass through are dark. What is far from all bodies stays white. The
// library computes the diagram at the samples of surfaces only; here all cells of a slice are
// samples.
//
//     figure_voronoi OUTPUT.svg
#include "voronoi/voronoi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"

enum { FRAME = 34, FRAMES = 60, CELLS = 100, BAND = 12, SLICES = 2, BODIES = 64 };
enum { LEFT = 12, TOP = 44, BETWEEN = 18, SIZE = 4 };  // SIZE: of a cell on the page

static const double heights[SLICES] = {0.22, 0.40};  // of the slices, in parts of the grid

typedef struct diagram {
    abut_context* context;
    abut_scene* scene;
    abut__voronoi v;
} diagram;

static void add_bodies(diagram* d, const struct scene* from) {
    for (uint32_t i = 0; i < scene_body_count(from); ++i) {
        const scene_body* b = scene_get_body(from, i);
        abut_mesh_def def = abut_mesh_def_default();
        abut_mesh* mesh = NULL;
        abut_shape* shape = NULL;
        abut_body_id id = {0, 0};
        if (!scene_present(from, i, FRAME)) {
            continue;
        }
        double* xyz = calloc(3 * (size_t)b->vertex_count, sizeof *xyz);
        need(xyz != NULL, "no memory");
        scene_positions(from, i, FRAME, xyz);
        def.positions = abut_positions_f64(xyz, b->vertex_count);
        def.triangles = b->triangles;
        def.triangle_count = b->triangle_count;
        need(abut_mesh_create(d->context, &def, &mesh, NULL) == ABUT_OK &&
                 abut_shape_create(d->context, mesh, NULL, &shape, NULL) == ABUT_OK &&
                 abut_body_create(d->scene, shape, NULL, &id, NULL) == ABUT_OK,
             "no body");
        need(abut__sites_add(d->context, &d->v.sites, abut__scene_body(d->scene, id)), "no sites");
        abut_shape_destroy(shape);
        abut_mesh_destroy(mesh);
        free(xyz);
    }
}

static void open_diagram(diagram* d) {
    struct scene* from = scene_create("breaking", 0, FRAMES, 1);
    need(from != NULL && abut_context_create(NULL, &d->context, NULL) == ABUT_OK &&
             abut_scene_create(d->context, NULL, &d->scene, NULL) == ABUT_OK &&
             abut__voronoi_begin(d->context, &d->v),
         "no scene");
    add_bodies(d, from);
    scene_destroy(from);
    need(abut__sites_place(d->context, &d->v.sites, CELLS) &&
             abut__grid_fill(d->context, &d->v.sites, &d->v.grid) &&
             d->v.sites.bodies.count <= BODIES,
         "no diagram");
}

// A body and its distance from a sample, in cells; infinite: none is near.
typedef struct label {
    int body;
    double distance;
} label;

// the two nearest bodies of the middle of a cell
static void labels_of(const diagram* d, uint32_t x, uint32_t y, uint32_t z, label labels[2]) {
    const abut__sites* sites = &d->v.sites;
    const double at[3] = {x + 0.5, y + 0.5, z + 0.5};
    double least[BODIES];
    double point[3][3];
    for (int i = 0; i < 9; ++i) {
        point[i / 3][i % 3] = at[i % 3] / sites->scale + sites->origin[i % 3];
    }
    for (int b = 0; b < BODIES; ++b) {
        least[b] = INFINITY;
    }
    for (uint32_t t = 0; t < abut__site_count(sites); ++t) {
        const abut__site* site = &sites->sites.data[t];
        double gap = 0;
        for (int k = 0; k < 3; ++k) {
            gap = fmax(gap, fmax(site->lo[k] - at[k], at[k] - site->hi[k]));
        }
        if (gap < BAND && gap < least[sites->places.data[t].body]) {
            double corners[3][3];
            abut_distance out;
            abut__site_corners(sites, t, 1, (double*)corners);
            abut__triangles_distance((const double(*)[3])point, (const double(*)[3])corners, &out);
            double* of = &least[sites->places.data[t].body];
            *of = fmin(*of, out.distance * sites->scale);
        }
    }
    labels[0] = labels[1] = (label){0, INFINITY};
    for (int b = 0; b < BODIES; ++b) {
        if (least[b] < labels[0].distance) {
            labels[1] = labels[0];
            labels[0] = (label){b, least[b]};
        } else if (least[b] < labels[1].distance) {
            labels[1] = (label){b, least[b]};
        }
    }
}

// hues far apart for bodies that follow each other
static void colour_of(const label* cell, char text[48]) {
    if (!(cell->distance < BAND)) {
        snprintf(text, 48, "#fff");
        return;
    }
    const int hue = cell->body * 137 % 360;
    const int light = cell->distance < 0.5 ? 34 : 68 + cell->body % 3 * 6;
    snprintf(text, 48, "hsl(%d,55%%,%d%%)", hue, light);
}

// runs of cells of one colour, row by row
static void draw_slice(FILE* file, const diagram* d, uint32_t z, int which, int left, int top) {
    const uint32_t* size = d->v.grid.size;
    for (uint32_t y = 0; y < size[1]; ++y) {
        char run[48] = "";
        uint32_t first = 0;
        for (uint32_t x = 0; x <= size[0]; ++x) {
            char next[48] = "";
            if (x < size[0]) {
                label labels[2];
                labels_of(d, x, y, z, labels);
                colour_of(&labels[which], next);
            }
            if (strcmp(next, run) != 0) {
                if (run[0] != '\0' && strcmp(run, "#fff") != 0) {
                    fprintf(file, "<path fill=\"%s\" d=\"M%u %uh%uv%dh-%uz\"/>\n", run,
                            (uint32_t)left + first * SIZE, (uint32_t)top + (size[1] - 1 - y) * SIZE,
                            (x - first) * SIZE, SIZE, (x - first) * SIZE);
                }
                memcpy(run, next, sizeof run);
                first = x;
            }
        }
    }
}

int main(int count, char** arguments) {
    diagram d = {0};
    need(count == 2, "usage: figure_voronoi OUTPUT.svg");
    open_diagram(&d);
    const uint32_t* size = d.v.grid.size;
    const int width = (int)size[0] * SIZE;
    const int height = (int)size[1] * SIZE;
    FILE* file = fopen(arguments[1], "w");
    need(file != NULL, "cannot write the figure");
    draw_begin(file, 2 * LEFT + 2 * width + BETWEEN, TOP + SLICES * (height + BETWEEN),
               "Slices of the second-order Voronoi diagram of bodies that break");
    static const char* const heads[2] = {"nearest body", "second nearest body"};
    for (int which = 0; which < 2; ++which) {
        const int left = LEFT + which * (width + BETWEEN);
        fprintf(file,
                "<text x=\"%d\" y=\"%d\" style=\"text-anchor:start\" font-size=\"15\">%s</text>\n",
                left, TOP - 12, heads[which]);
        for (int s = 0; s < SLICES; ++s) {
            const int top = TOP + s * (height + BETWEEN);
            fprintf(file,
                    "<path fill=\"none\" stroke=\"#999\" d=\"M%d %dh%dv%dh-%dz\"/>\n"
                    "<g shape-rendering=\"crispEdges\">\n",
                    left, top, width, height, width);
            draw_slice(file, &d, (uint32_t)(heights[s] * size[2]), which, left, top);
            fprintf(file, "</g>\n");
        }
    }
    draw_end(file);
    need(fclose(file) == 0, "cannot write the figure");
    abut__voronoi_free(d.context, &d.v);
    abut_scene_destroy(d.scene);
    abut_context_destroy(d.context);
    return 0;
}
