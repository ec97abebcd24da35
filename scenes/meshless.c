// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Point-based bodies: see meshless.h.

#include "scenes/meshless.h"

#include <math.h>
#include <string.h>

#include "scenes/eigen.h"

#define NEAREST 11          // number of other nodes in a support
#define BEYOND 1.18         // factor by which a support reaches farther
#define LEAST_INFLUENCES 4  // of a vertex, if there are so many nodes
#define FLAT 1e-6           // relative moments below this count as zero

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

// ---- gradients

double scene__meshless_kernel(double r_sq, double h) {
    const double rest = h * h - r_sq;
    return rest > 0.0 ? 315.0 / (64.0 * SCENE_PI * pow(h, 9.0)) * rest * rest * rest : 0.0;
}

static uint32_t count_neighbours(const meshless* m, uint32_t node, uint32_t* out) {
    uint32_t found = 0;
    for (uint32_t j = 0; j < m->node_count; ++j) {
        const double square = distance_sq(m->place + 3 * (size_t)node, m->place + 3 * (size_t)j);
        if (j != node && scene__meshless_kernel(square, m->reach[node]) > 0.0) {
            if (out != NULL) {
                out[found] = j;
            }
            found += 1;
        }
    }
    return found;
}

// Computes the pseudo-inverse of a symmetric matrix, without eigenvalues that are nearly zero.
static void invert(double matrix[9], double inverse[3][3]) {
    double values[3];
    double vectors[9];
    scene__eigen(matrix, 3, values, vectors);
    memset(inverse, 0, 9 * sizeof(double));
    for (int k = 0; k < 3; ++k) {
        if (values[k] > FLAT * values[2]) {
            for (int e = 0; e < 9; ++e) {
                inverse[e / 3][e % 3] += vectors[e / 3 * 3 + k] * vectors[e % 3 * 3 + k] /
                                         values[k];
            }
        }
    }
}

// Computes the slopes of a node: (sum_j w x x^T)^-1 w x, with lengths in units of the support.
static void make_slopes(const meshless* m, uint32_t node) {
    const double h = m->reach[node];
    double moments[9] = {0.0};
    double inverse[3][3];
    for (size_t i = m->first[node]; i < m->first[node + 1]; ++i) {
        const double* from = m->place + 3 * (size_t)node;
        const double* to = m->place + 3 * (size_t)m->neighbours[i];
        double* x = m->slopes + 3 * i;
        double square = 0.0;
        for (int d = 0; d < 3; ++d) {
            x[d] = (to[d] - from[d]) / h;
            square += x[d] * x[d];
        }
        const double w = scene__meshless_kernel(square, 1.0);
        for (int e = 0; e < 9; ++e) {
            moments[e] += w * x[e / 3] * x[e % 3];
        }
        for (int d = 0; d < 3; ++d) {
            x[d] *= w;
        }
    }
    invert(moments, inverse);
    for (size_t i = m->first[node]; i < m->first[node + 1]; ++i) {
        double* x = m->slopes + 3 * i;
        const double wx[3] = {x[0], x[1], x[2]};
        for (int d = 0; d < 3; ++d) {
            x[d] = (inverse[d][0] * wx[0] + inverse[d][1] * wx[1] + inverse[d][2] * wx[2]) / h;
        }
    }
}

bool scene__meshless_connect(scene* s, meshless* m) {
    m->first = scene__alloc(s, (size_t)m->node_count + 1, sizeof *m->first);
    if (m->first == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < m->node_count; ++i) {
        m->first[i + 1] = m->first[i] + count_neighbours(m, i, NULL);
    }
    const size_t links = m->first[m->node_count];
    m->neighbours = scene__alloc(s, links + 1, sizeof *m->neighbours);
    m->slopes = scene__alloc(s, links + 1, 3 * sizeof *m->slopes);
    if (s->failed) {
        return false;
    }
    for (uint32_t i = 0; i < m->node_count; ++i) {
        count_neighbours(m, i, m->neighbours + m->first[i]);
        make_slopes(m, i);
    }
    return true;
}

void scene__meshless_gradient(const meshless* m, const double* u, uint32_t node,
                              double gradient[3][3]) {
    memset(gradient, 0, 9 * sizeof(double));
    for (size_t i = m->first[node]; i < m->first[node + 1]; ++i) {
        const double* to = u + 3 * (size_t)m->neighbours[i];
        const double* from = u + 3 * (size_t)node;
        for (int e = 0; e < 9; ++e) {
            gradient[e / 3][e % 3] += (to[e / 3] - from[e / 3]) * m->slopes[3 * i + (size_t)e % 3];
        }
    }
}

void scene__meshless_transforms(const meshless* m, const double* u, double* transforms) {
    for (uint32_t j = 0; j < m->node_count; ++j) {
        const double* x = m->place + 3 * (size_t)j;
        double g[3][3];
        scene__meshless_gradient(m, u, j, g);
        for (size_t d = 0; d < 3; ++d) {
            double* row = transforms + 12 * (size_t)j + 4 * d;
            row[3] = u[3 * (size_t)j + d] - (g[d][0] * x[0] + g[d][1] * x[1] + g[d][2] * x[2]);
            for (size_t e = 0; e < 3; ++e) {
                row[e] = g[d][e] + (d == e ? 1.0 : 0.0);
            }
        }
    }
}

// ---- weights

// Computes the kernels of all nodes at p; returns how many are not zero.
static uint32_t vertex_kernels(const meshless* m, const double p[3], uint32_t* nodes,
                               double* kernels) {
    uint32_t found = 0;
    for (uint32_t j = 0; j < m->node_count; ++j) {
        const double square = distance_sq(p, m->place + 3 * (size_t)j);
        if (square < m->reach[j] * m->reach[j]) {
            nodes[found] = j;
            kernels[found++] = scene__meshless_kernel(square, m->reach[j]);
        }
    }
    return found;
}

bool scene__meshless_weights(scene* s, const meshless* m, const scene_mesh* mesh,
                             scene_weights* weights) {
    scene scratch = {0};
    uint32_t* nodes = scene__alloc(&scratch, m->node_count, sizeof *nodes);
    double* kernels = scene__alloc(&scratch, m->node_count, sizeof *kernels);
    *weights = (scene_weights){.node_count = m->node_count};
    weights->first = scene__alloc(s, (size_t)mesh->vertex_count + 1, sizeof *weights->first);
    if (scratch.failed || s->failed) {
        s->failed = true;
        scene__free_all(&scratch);
        return false;
    }
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        weights->first[i + 1] = weights->first[i] +
                                vertex_kernels(m, mesh->rest + 3 * i, nodes, kernels);
    }
    const size_t influences = weights->first[mesh->vertex_count];
    weights->nodes = scene__alloc(s, influences + 1, sizeof *weights->nodes);
    weights->values = scene__alloc(s, influences + 1, sizeof *weights->values);
    for (size_t i = 0; i < mesh->vertex_count && !s->failed; ++i) {
        const uint32_t found = vertex_kernels(m, mesh->rest + 3 * i, nodes, kernels);
        double sum = 0.0;
        for (uint32_t k = 0; k < found; ++k) {
            sum += kernels[k];
        }
        for (uint32_t k = 0; k < found; ++k) {
            weights->nodes[weights->first[i] + k] = nodes[k];
            weights->values[weights->first[i] + k] = (float)(kernels[k] / sum);
        }
    }
    scene__free_all(&scratch);
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
    return scene__meshless_connect(s, out);
}
