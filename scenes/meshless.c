// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Point-based bodies: see meshless.h.

#include "scenes/meshless.h"

#include <math.h>
#include <string.h>

#define NEAREST 11          // number of other nodes in a support
#define BEYOND 1.18         // factor by which a support reaches farther
#define LEAST_INFLUENCES 4  // of a vertex, if there are so many nodes

static double distance_sq(const double* p, const double* q) {
    const double x = p[0] - q[0];
    const double y = p[1] - q[1];
    const double z = p[2] - q[2];
    return x * x + y * y + z * z;
}

// ---- places

typedef struct cloud {
    double* xyz;
    size_t count;
} cloud;

// Puts one point into every cell of a grid that is inside. Only counts if `xyz` is NULL.
static size_t fill_grid(const meshless_region* region, double cell, uint32_t seed, double* xyz) {
    uint32_t n[3];
    for (int d = 0; d < 3; ++d) {
        n[d] = (uint32_t)ceil((region->high[d] - region->low[d]) / cell);
    }
    size_t found = 0;
    for (uint32_t at = 0; at < n[0] * n[1] * n[2]; ++at) {
        const uint32_t place[3] = {at % n[0], at / n[0] % n[1], at / n[0] / n[1]};
        double p[3];
        for (uint32_t d = 0; d < 3; ++d) {
            const double shift = scene__random_in(seed, 3 * at + d, 0.2, 0.8);
            p[d] = region->low[d] + cell * ((double)place[d] + shift);
        }
        if (region->inside(region->user, p)) {
            if (xyz != NULL) {
                memcpy(xyz + 3 * found, p, sizeof p);
            }
            found += 1;
        }
    }
    return found;
}

// Makes the candidates for nodes: many more than needed, inside and on the surface.
static bool make_cloud(scene* scratch, const meshless_region* region, const scene_mesh* mesh,
                       uint32_t nodes, uint32_t seed, cloud* c) {
    const size_t wanted = 16 * (size_t)nodes + 2000;
    double box = 1.0;
    for (int d = 0; d < 3; ++d) {
        box *= region->high[d] - region->low[d];
    }
    double cell = cbrt(box / (double)wanted);
    size_t inside = fill_grid(region, cell, seed, NULL);
    for (int tries = 0; tries < 4 && 2 * inside < wanted; ++tries) {
        cell *= fmax(cbrt((double)(inside + 1) / (double)wanted), 0.5);
        inside = fill_grid(region, cell, seed, NULL);
    }
    const size_t step = 1 + mesh->vertex_count / wanted;
    c->xyz = scene__alloc(scratch, inside + mesh->vertex_count / step + 1, 3 * sizeof *c->xyz);
    if (c->xyz == NULL) {
        return false;
    }
    c->count = fill_grid(region, cell, seed, c->xyz);
    for (size_t i = 0; i < mesh->vertex_count; i += step) {
        memcpy(c->xyz + 3 * c->count++, mesh->rest + 3 * i, 3 * sizeof *c->xyz);
    }
    return true;
}

// Returns the point of the cloud that is nearest to its centroid.
static size_t find_middle(const cloud* c) {
    double middle[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < 3 * c->count; ++i) {
        middle[i % 3] += c->xyz[i] / (double)c->count;
    }
    size_t nearest = 0;
    for (size_t i = 1; i < c->count; ++i) {
        if (distance_sq(c->xyz + 3 * i, middle) < distance_sq(c->xyz + 3 * nearest, middle)) {
            nearest = i;
        }
    }
    return nearest;
}

// Chooses each node as the point farthest from those before it; returns the number of distinct
// ones.
static uint32_t pick_farthest(scene* scratch, const cloud* c, uint32_t count, double* place) {
    double* nearest_sq = scene__alloc(scratch, c->count, sizeof *nearest_sq);
    if (nearest_sq == NULL) {
        return 0;
    }
    for (size_t i = 0; i < c->count; ++i) {
        nearest_sq[i] = 1e300;
    }
    size_t next = find_middle(c);
    for (uint32_t made = 0; made < count; ++made) {
        if (nearest_sq[next] == 0.0) {
            return made;
        }
        const double* node = c->xyz + 3 * next;
        memcpy(place + 3 * (size_t)made, node, 3 * sizeof *place);
        next = 0;
        for (size_t i = 0; i < c->count; ++i) {
            nearest_sq[i] = fmin(nearest_sq[i], distance_sq(c->xyz + 3 * i, node));
            next = nearest_sq[i] > nearest_sq[next] ? i : next;
        }
    }
    return count;
}

// ---- supports

// Finds the `count` nodes nearest to p, the nearest first; returns how many there are.
static uint32_t find_nearest(const meshless* m, const double p[3], uint32_t count, uint32_t* nodes,
                             double* squares) {
    uint32_t found = 0;
    for (uint32_t j = 0; j < m->node_count; ++j) {
        const double square = distance_sq(p, m->place + 3 * (size_t)j);
        if (found == count && square >= squares[count - 1]) {
            continue;
        }
        uint32_t at = found < count ? found++ : count - 1;
        for (; at > 0 && squares[at - 1] > square; --at) {
            squares[at] = squares[at - 1];
            nodes[at] = nodes[at - 1];
        }
        squares[at] = square;
        nodes[at] = j;
    }
    return found;
}

// Widens the supports of the nearest nodes for the few vertices that lie outside of all supports.
static void reach_vertex(meshless* m, const double p[3]) {
    uint32_t nodes[LEAST_INFLUENCES];
    double squares[LEAST_INFLUENCES];
    uint32_t reached = 0;
    for (uint32_t j = 0; j < m->node_count && reached < LEAST_INFLUENCES; ++j) {
        const double reach = m->reach[j] / 1.02;  // the kernel almost vanishes at the rim
        reached += distance_sq(p, m->place + 3 * (size_t)j) < reach * reach ? 1 : 0;
    }
    if (reached == LEAST_INFLUENCES) {
        return;
    }
    const uint32_t found = find_nearest(m, p, LEAST_INFLUENCES, nodes, squares);
    for (uint32_t i = 0; i < found; ++i) {
        double* reach = &m->reach[nodes[i]];
        *reach = fmax(*reach, 1.1 * sqrt(squares[i]) + 1e-9);
    }
}

static void choose_supports(meshless* m, const scene_mesh* mesh) {
    uint32_t nodes[NEAREST + 1];
    double squares[NEAREST + 1];
    for (size_t i = 0; i < m->node_count; ++i) {
        const uint32_t found = find_nearest(m, m->place + 3 * i, NEAREST + 1, nodes, squares);
        m->reach[i] = BEYOND * sqrt(squares[found - 1]);
    }
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        reach_vertex(m, mesh->rest + 3 * i);
    }
}

// ---- moving least squares

typedef struct solver {
    abut_context* context;
    abut_mls* mls;
} solver;

static void end_solver(void* memory) {
    const solver* v = memory;
    abut_mls_destroy(v->mls);
    abut_context_destroy(v->context);
}

static bool make_solver(scene* s, meshless* m) {
    solver* v = scene__alloc_with_end(s, 1, sizeof *v, end_solver);
    abut_mls_def def = abut_mls_def_default();
    def.nodes = abut_positions_f64(m->place, m->node_count);
    def.radii = m->reach;
    if (v == NULL || abut_context_create(NULL, &v->context, NULL) != ABUT_OK ||
        abut_mls_create(v->context, &def, &v->mls, NULL) != ABUT_OK) {
        s->failed = true;
        return false;
    }
    m->mls = v->mls;
    return true;
}

bool scene__meshless_transforms(const meshless* m, const double* u, double* transforms) {
    const abut_positions displacements = abut_positions_f64(u, m->node_count);
    return abut_mls_transforms(m->mls, displacements, transforms, NULL) == ABUT_OK;
}

static void* copy(scene* s, const void* from, size_t count, size_t size) {
    void* to = scene__alloc(s, count, size);
    if (to != NULL) {
        memcpy(to, from, count * size);
    }
    return to;
}

bool scene__meshless_weights(scene* s, const meshless* m, const scene_mesh* mesh,
                             scene_weights* weights) {
    abut_mls_weights* made = NULL;
    if (abut_mls_weights_create(m->mls, abut_positions_f64(mesh->rest, mesh->vertex_count), &made,
                                NULL) != ABUT_OK) {
        s->failed = true;
        return false;
    }
    const abut_weights from = abut_mls_weights_view(made);
    const size_t influences = from.first[mesh->vertex_count];
    weights->node_count = m->node_count;
    weights->first = copy(s, from.first, (size_t)mesh->vertex_count + 1, sizeof *weights->first);
    weights->nodes = copy(s, from.nodes, influences, sizeof *weights->nodes);
    weights->values = copy(s, from.values, influences, sizeof *weights->values);
    abut_mls_weights_destroy(made);
    return !s->failed;
}

// ---- all together

bool scene__meshless(scene* s, const meshless_region* region, const scene_mesh* mesh,
                     uint32_t count, uint32_t seed, meshless* out) {
    scene scratch = {0};
    cloud c;
    *out = (meshless){0};
    out->place = scene__alloc(s, count, 3 * sizeof *out->place);
    out->reach = scene__alloc(s, count, sizeof *out->reach);
    if (!s->failed && make_cloud(&scratch, region, mesh, count, seed, &c)) {
        out->node_count = pick_farthest(&scratch, &c, count, out->place);
    }
    scene__free_all(&scratch);
    if (s->failed || out->node_count == 0) {
        s->failed = true;
        return false;
    }
    choose_supports(out, mesh);
    return make_solver(s, out);
}
