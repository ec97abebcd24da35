// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Lattices of springs: see lattice.h. Nodes are numbered along the longest axis last, which keeps
// neighbours' numbers near each other (see skyline.h).

#include "scenes/lattice.h"

#include <math.h>
#include <stdlib.h>

#define PARTS 4           // samples along each axis of a cell
#define LEAST_WEIGHT 0.1  // of a cell that barely meets the solid; less would make hinges

// The 13 directions from a grid point to a later one in its cells.
#define WAYS 13
static const int ways[WAYS][3] = {
    {1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 0},  {1, -1, 0}, {0, 1, 1},  {0, 1, -1},
    {1, 0, 1}, {-1, 0, 1}, {1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1},
};

typedef struct cells {
    size_t point_count;
    double* weight;  // of every cell, at its lowest grid point
    double* spring;  // stiffness of WAYS springs per grid point
    double* mass;    // of every grid point
} cells;

static void cell_of(const lattice* l, const double p[3], uint32_t c[3], double part[3]) {
    for (int d = 0; d < 3; ++d) {
        const double x = (p[d] - l->origin[d]) / l->cell;
        const double most = (double)l->n[d] - 1.0;
        c[d] = (uint32_t)fmin(fmax(floor(x), 0.0), most);
        part[d] = x - (double)c[d];
    }
}

static size_t point_index(const lattice* l, const uint32_t c[3]) {
    return c[0] * l->step[0] + c[1] * l->step[1] + c[2] * l->step[2];
}

// Lays cells over the box, with one layer around it. The longest axis counts slowest.
static bool lay_cells(scene* scratch, const solid* body, const lattice_def* def, lattice* l,
                      cells* g) {
    int order[3] = {0, 1, 2};
    l->cell = def->cell;
    g->point_count = 1;
    for (int d = 0; d < 3; ++d) {
        const double size = body->high[d] - body->low[d];
        l->n[d] = (uint32_t)ceil(size / def->cell) + 2;
        l->origin[d] = 0.5 * (body->low[d] + body->high[d] - (double)l->n[d] * def->cell);
    }
    for (int k = 0; k < 3; ++k) {
        const int i = k == 1 ? 1 : 0;  // three swaps sort
        if (l->n[order[i]] > l->n[order[i + 1]]) {
            const int d = order[i];
            order[i] = order[i + 1];
            order[i + 1] = d;
        }
    }
    for (int k = 0; k < 3; ++k) {
        l->step[order[k]] = g->point_count;
        g->point_count *= l->n[order[k]] + 1;
    }
    g->weight = scene__alloc(scratch, g->point_count, sizeof *g->weight);
    g->spring = scene__alloc(scratch, g->point_count, WAYS * sizeof *g->spring);
    g->mass = scene__alloc(scratch, g->point_count, sizeof *g->mass);
    return !scratch->failed;
}

// Returns the solid fraction of a cell.
static double solid_part(const lattice* l, const solid* body, double fine, const uint32_t c[3]) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < PARTS * PARTS * PARTS; ++k) {
        const uint32_t at[3] = {k % PARTS, k / PARTS % PARTS, k / (PARTS * PARTS)};
        double p[3];
        for (int d = 0; d < 3; ++d) {
            p[d] = l->origin[d] + l->cell * ((double)c[d] + ((double)at[d] + 0.5) / PARTS);
        }
        count += body->value(p, fine) < 0.0 ? 1 : 0;
    }
    return (double)count / (PARTS * PARTS * PARTS);
}

static void set_cell_weights(const lattice* l, const solid* body, const scene_mesh* mesh,
                             double fine, cells* g) {
    uint32_t c[3];
    for (c[2] = 0; c[2] < l->n[2]; ++c[2]) {
        for (c[1] = 0; c[1] < l->n[1]; ++c[1]) {
            for (c[0] = 0; c[0] < l->n[0]; ++c[0]) {
                const double part = solid_part(l, body, fine, c);
                g->weight[point_index(l, c)] = part > 0.0 ? fmax(part, LEAST_WEIGHT) : 0.0;
            }
        }
    }
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        double part[3];
        cell_of(l, mesh->rest + 3 * i, c, part);
        double* weight = &g->weight[point_index(l, c)];
        *weight = fmax(*weight, LEAST_WEIGHT);
    }
}

// Adds the springs of one cell: one for each pair of its corners that a direction joins.
static void stiffen_cell(const lattice* l, cells* g, size_t at) {
    const double weight = g->weight[at];
    for (uint32_t w = 0; w < WAYS; ++w) {
        const int* way = ways[w];
        const int steps = abs(way[0]) + abs(way[1]) + abs(way[2]);
        // Longer springs are softer. An edge belongs to four cells, a face diagonal to two.
        const double stiffness = weight * l->cell / (double)(steps * steps);
        for (uint32_t c = 0; c < 8; ++c) {
            size_t from = at;
            bool joins = true;
            for (int d = 0; d < 3; ++d) {
                const int bit = (int)(c >> d & 1);
                from += (size_t)bit * l->step[d];
                joins = joins && bit + way[d] >= 0 && bit + way[d] <= 1;
            }
            if (joins) {
                g->spring[from * WAYS + w] += stiffness;
            }
        }
    }
    for (uint32_t c = 0; c < 8; ++c) {
        const size_t corner = at + (c & 1) * l->step[0] + (c >> 1 & 1) * l->step[1] +
                              (c >> 2) * l->step[2];
        g->mass[corner] += weight / 8.0;
    }
}

static bool number_nodes(scene* s, const cells* g, const lattice_def* def, lattice* l) {
    double total = 0.0;
    l->node_at = scene__alloc(s, g->point_count, sizeof *l->node_at);
    for (size_t at = 0; at < g->point_count && !s->failed; ++at) {
        if (g->mass[at] > 0.0) {
            l->node_at[at] = ++l->node_count;
            total += g->mass[at];
        }
    }
    l->place = scene__alloc(s, l->node_count, 3 * sizeof *l->place);
    l->mass = scene__alloc(s, l->node_count, sizeof *l->mass);
    l->held = scene__alloc(s, l->node_count, sizeof *l->held);
    if (s->failed) {
        return false;
    }
    for (size_t at = 0; at < g->point_count; ++at) {
        if (l->node_at[at] == 0) {
            continue;
        }
        const uint32_t i = l->node_at[at] - 1;
        double* p = l->place + 3 * (size_t)i;
        for (int d = 0; d < 3; ++d) {
            p[d] = l->origin[d] + l->cell * (double)(at / l->step[d] % (l->n[d] + 1));
        }
        l->mass[i] = g->mass[at] * def->mass / total;
        l->held[i] = def->held != NULL && def->held(p);
        l->any_held = l->any_held || l->held[i];
    }
    return true;
}

static bool list_springs(scene* s, const cells* g, lattice* l) {
    for (size_t i = 0; i < WAYS * g->point_count; ++i) {
        l->spring_count += g->spring[i] > 0.0 ? 1 : 0;
    }
    l->springs = scene__alloc(s, l->spring_count, sizeof *l->springs);
    if (s->failed) {
        return false;
    }
    lattice_spring* spring = l->springs;
    for (size_t i = 0; i < WAYS * g->point_count; ++i) {
        if (g->spring[i] <= 0.0) {
            continue;
        }
        const int* way = ways[i % WAYS];
        const double length = sqrt((double)(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]));
        ptrdiff_t to = (ptrdiff_t)(i / WAYS);
        for (int d = 0; d < 3; ++d) {
            to += way[d] * (ptrdiff_t)l->step[d];
            spring->direction[d] = (double)way[d] / length;
        }
        spring->a = l->node_at[i / WAYS] - 1;
        spring->b = l->node_at[to] - 1;
        spring->stiffness = g->spring[i];
        spring += 1;
    }
    return true;
}

bool scene__lattice(scene* s, const solid* body, const scene_mesh* mesh, const lattice_def* def,
                    lattice* out) {
    scene scratch = {0};
    cells g;
    *out = (lattice){0};
    bool done = lay_cells(&scratch, body, def, out, &g);
    if (done) {
        set_cell_weights(out, body, mesh, def->fine, &g);
        for (size_t at = 0; at < g.point_count; ++at) {
            if (g.weight[at] > 0.0) {
                stiffen_cell(out, &g, at);
            }
        }
        done = number_nodes(s, &g, def, out) && list_springs(s, &g, out);
    }
    scene__free_all(&scratch);
    s->failed = s->failed || !done;
    return done;
}

void scene__lattice_embed(const lattice* l, const double p[3], uint32_t nodes[8],
                          double weights[8]) {
    uint32_t c[3];
    double part[3];
    cell_of(l, p, c, part);
    for (uint32_t k = 0; k < 8; ++k) {
        size_t at = 0;
        weights[k] = 1.0;
        for (int d = 0; d < 3; ++d) {
            const uint32_t bit = k >> d & 1;
            at += (c[d] + bit) * l->step[d];
            weights[k] *= bit != 0 ? part[d] : 1.0 - part[d];
        }
        nodes[k] = l->node_at[at] - 1;
    }
}
