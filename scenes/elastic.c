// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Elastic motion of a point-based body: see elastic.h.

#include "scenes/elastic.h"

#include <math.h>
#include <string.h>

#define SPACING_NODES 6  // number of nodes whose mean distance is the spacing at a node
#define STEADY 0.35      // step relative to the largest that is stable for small strains
#define PROBE 0x1p60     // displacement that finds slopes; beside it the 1 in a transform is lost

// ---- neighbours

static double apart_sq(const meshless* m, uint32_t node, uint32_t other) {
    double square = 0.0;
    for (size_t d = 0; d < 3; ++d) {
        const double off = m->place[3 * (size_t)other + d] - m->place[3 * (size_t)node + d];
        square += off * off;
    }
    return square;
}

// Finds the neighbours of a node. Only counts them if `out` is NULL.
static uint32_t find_neighbours(const meshless* m, uint32_t node, uint32_t* out) {
    const double reach_sq = m->reach[node] * m->reach[node];
    uint32_t found = 0;
    for (uint32_t j = 0; j < m->node_count; ++j) {
        if (j != node && apart_sq(m, node, j) < reach_sq) {
            if (out != NULL) {
                out[found] = j;
            }
            found += 1;
        }
    }
    return found;
}

// Finds all slopes. The gradient is linear in the displacements, so the slope of a neighbour is the
// gradient when only this neighbour moves. Three nodes move at once, each along an axis of its own.
static bool find_slopes(elastic* e, uint32_t* next) {
    const meshless* m = e->body;
    memcpy(next, e->first, m->node_count * sizeof *next);
    for (uint32_t moved = 0; moved < m->node_count; moved += 3) {
        const uint32_t end = moved + 3 < m->node_count ? moved + 3 : m->node_count;
        for (uint32_t j = moved; j < end; ++j) {
            e->u[3 * (size_t)j + (j - moved)] = PROBE;
        }
        if (!scene__meshless_transforms(m, e->u, e->transforms)) {
            return false;
        }
        memset(e->u + 3 * (size_t)moved, 0, 3 * (size_t)(end - moved) * sizeof *e->u);
        for (uint32_t i = 0; i < m->node_count; ++i) {
            for (; next[i] < e->first[i + 1] && e->neighbours[next[i]] < end; ++next[i]) {
                const size_t axis = e->neighbours[next[i]] - moved;
                const double* row = e->transforms + 12 * (size_t)i + 4 * axis;
                for (size_t d = 0; d < 3; ++d) {
                    const double gradient = row[d] - (d == axis ? 1.0 : 0.0);
                    e->slopes[3 * (size_t)next[i] + d] = gradient / PROBE;
                }
            }
        }
    }
    return true;
}

static bool connect(scene* s, scene* scratch, elastic* e) {
    const meshless* m = e->body;
    uint32_t* next = scene__alloc(scratch, m->node_count, sizeof *next);
    e->first = scene__alloc(s, (size_t)m->node_count + 1, sizeof *e->first);
    if (next == NULL || e->first == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < m->node_count; ++i) {
        e->first[i + 1] = e->first[i] + find_neighbours(m, i, NULL);
    }
    const size_t links = e->first[m->node_count];
    e->neighbours = scene__alloc(s, links + 1, sizeof *e->neighbours);
    e->slopes = scene__alloc(s, links + 1, 3 * sizeof *e->slopes);
    if (s->failed) {
        return false;
    }
    for (uint32_t i = 0; i < m->node_count; ++i) {
        find_neighbours(m, i, e->neighbours + e->first[i]);
    }
    s->failed = !find_slopes(e, next);
    return !s->failed;
}

// ---- the material at rest

// Returns the mean distance of the nearest nodes.
static double spacing_at(const elastic* e, uint32_t node) {
    double least[SPACING_NODES];
    uint32_t found = 0;
    for (size_t i = e->first[node]; i < e->first[node + 1]; ++i) {
        const double square = apart_sq(e->body, node, e->neighbours[i]);
        uint32_t at = found < SPACING_NODES ? found++ : SPACING_NODES;
        if (at == SPACING_NODES && least[at - 1] <= square) {
            continue;
        }
        for (at = at == SPACING_NODES ? at - 1 : at; at > 0 && least[at - 1] > square; --at) {
            least[at] = least[at - 1];
        }
        least[at] = square;
    }
    double sum = 0.0;
    for (uint32_t i = 0; i < found; ++i) {
        sum += sqrt(least[i]);
    }
    return found > 0 ? sum / (double)found : e->body->reach[node];
}

// Returns the kernel of a node at a distance r, at most the radius of its support h.
static double kernel(double r_sq, double h) {
    const double rest = h * h - r_sq;
    return rest > 0.0 ? 315.0 / (64.0 * SCENE_PI * pow(h, 9.0)) * rest * rest * rest : 0.0;
}

// Computes masses by spacing. The volume of a node is its mass over the density around it.
static void set_masses(elastic* e) {
    const meshless* m = e->body;
    for (uint32_t i = 0; i < m->node_count; ++i) {
        const double spacing = spacing_at(e, i);
        e->mass[i] = e->def.density * spacing * spacing * spacing;
    }
    for (uint32_t i = 0; i < m->node_count; ++i) {
        const double h = m->reach[i];
        double density = e->mass[i] * kernel(0.0, h);
        for (size_t k = e->first[i]; k < e->first[i + 1]; ++k) {
            const uint32_t other = e->neighbours[k];
            density += e->mass[other] * kernel(apart_sq(m, i, other), h);
        }
        e->volume[i] = e->mass[i] / density;
    }
}

static double length(const double* p) {
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
}

// Returns an upper bound of the largest frequency squared, from row sums of the stiffness matrix.
static double fastest_sq(scene* scratch, const elastic* e) {
    const meshless* m = e->body;
    const double stiff = 4.0 * (e->def.stretch + 2.0 * e->def.shear) + e->def.volume;
    double* row = scene__alloc(scratch, m->node_count, sizeof *row);
    double most = 0.0;
    if (row == NULL) {
        return 0.0;
    }
    for (uint32_t i = 0; i < m->node_count; ++i) {
        double own[3] = {0.0, 0.0, 0.0};
        double sum = 0.0;
        for (size_t k = 3 * (size_t)e->first[i]; k < 3 * (size_t)e->first[i + 1]; ++k) {
            own[k % 3] += e->slopes[k];
        }
        for (size_t k = e->first[i]; k < e->first[i + 1]; ++k) {
            sum += length(e->slopes + 3 * k);
        }
        sum += length(own);
        row[i] += stiff * e->volume[i] * length(own) * sum;
        for (size_t k = e->first[i]; k < e->first[i + 1]; ++k) {
            row[e->neighbours[k]] += stiff * e->volume[i] * length(e->slopes + 3 * k) * sum;
        }
    }
    for (uint32_t i = 0; i < m->node_count; ++i) {
        most = fmax(most, row[i] / e->mass[i]);
    }
    return most;
}

bool scene__elastic(scene* s, const meshless* body, const elastic_def* def, elastic* out) {
    const size_t nodes = body->node_count;
    scene scratch = {0};
    *out = (elastic){.body = body, .def = *def};
    out->mass = scene__alloc(s, nodes, sizeof *out->mass);
    out->volume = scene__alloc(s, nodes, sizeof *out->volume);
    out->held = scene__alloc(s, nodes, sizeof *out->held);
    out->u = scene__alloc(s, nodes, 3 * sizeof *out->u);
    out->v = scene__alloc(s, nodes, 3 * sizeof *out->v);
    out->force = scene__alloc(s, nodes, 3 * sizeof *out->force);
    out->transforms = scene__alloc(s, nodes, 12 * sizeof *out->transforms);
    if (!s->failed && connect(s, &scratch, out)) {
        set_masses(out);
        const double most = fastest_sq(&scratch, out);
        out->step = most > 0.0 ? STEADY * 2.0 / sqrt(most) : 1.0;
    }
    s->failed = s->failed || scratch.failed;
    scene__free_all(&scratch);
    return !s->failed;
}

// ---- forces

// Computes the cofactors of a matrix, the derivatives of its determinant; returns the determinant.
static double cofactors(const double j[3][3], double out[3][3]) {
    for (int d = 0; d < 9; ++d) {
        const int a = d / 3;
        const int b = d % 3;
        out[a][b] = j[(a + 1) % 3][(b + 1) % 3] * j[(a + 2) % 3][(b + 2) % 3] -
                    j[(a + 1) % 3][(b + 2) % 3] * j[(a + 2) % 3][(b + 1) % 3];
    }
    return j[0][0] * out[0][0] + j[0][1] * out[0][1] + j[0][2] * out[0][2];
}

// Returns the energy per volume for the deformation j, and its derivatives by the entries of j.
static double material(const elastic_def* def, const double j[3][3], double change[3][3]) {
    double strain[3][3];
    double stress[3][3];
    double cofactor[3][3];
    double energy = 0.0;
    for (int e = 0; e < 9; ++e) {
        const int a = e / 3;
        const int b = e % 3;
        strain[a][b] = j[0][a] * j[0][b] + j[1][a] * j[1][b] + j[2][a] * j[2][b] -
                       (a == b ? 1.0 : 0.0);
    }
    const double trace = strain[0][0] + strain[1][1] + strain[2][2];
    for (int e = 0; e < 9; ++e) {
        const int a = e / 3;
        const int b = e % 3;
        stress[a][b] = 2.0 * def->shear * strain[a][b] + (a == b ? def->stretch * trace : 0.0);
        energy += 0.5 * strain[a][b] * stress[a][b];
    }
    const double swelling = cofactors(j, cofactor) - 1.0;
    for (int e = 0; e < 9; ++e) {
        const int a = e / 3;
        const int b = e % 3;
        change[a][b] = 2.0 * (j[a][0] * stress[0][b] + j[a][1] * stress[1][b] +
                              j[a][2] * stress[2][b]) +
                       def->volume * swelling * cofactor[a][b];
    }
    return energy + 0.5 * def->volume * swelling * swelling;
}

double scene__elastic_forces(const elastic* e, const double* u, double* force) {
    const meshless* m = e->body;
    double energy = 0.0;
    memset(force, 0, 3 * (size_t)m->node_count * sizeof *force);
    if (!scene__meshless_transforms(m, u, e->transforms)) {
        return INFINITY;
    }
    for (uint32_t i = 0; i < m->node_count; ++i) {
        double j[3][3];
        double change[3][3];
        for (size_t d = 0; d < 3; ++d) {
            memcpy(j[d], e->transforms + 12 * (size_t)i + 4 * d, sizeof j[d]);
        }
        const double volume = e->volume[i];
        double own[3];  // kept apart: the compiler cannot know that no neighbour is the node itself
        memcpy(own, force + 3 * (size_t)i, sizeof own);
        energy += volume * material(&e->def, (const double(*)[3])j, change);
        for (size_t k = e->first[i]; k < e->first[i + 1]; ++k) {
            const double* slope = e->slopes + 3 * k;
            double* other = force + 3 * (size_t)e->neighbours[k];
            for (size_t d = 0; d < 3; ++d) {
                const double push = volume * (change[d][0] * slope[0] + change[d][1] * slope[1] +
                                              change[d][2] * slope[2]);
                other[d] -= push;
                own[d] += push;
            }
        }
        memcpy(force + 3 * (size_t)i, own, sizeof own);
    }
    return energy;
}

// Damps the relative speed of neighbours along their connecting line, which leaves translations and
// rotations unchanged.
static void add_damping(const elastic* e, double* force) {
    const meshless* m = e->body;
    for (uint32_t i = 0; i < m->node_count && e->def.damping > 0.0; ++i) {
        const double share = 1.0 / (double)(e->first[i + 1] - e->first[i] + 1);
        for (size_t k = e->first[i]; k < e->first[i + 1]; ++k) {
            const uint32_t other = e->neighbours[k];
            double along[3];
            double square = 0.0;
            double speed = 0.0;
            for (size_t d = 0; d < 3; ++d) {
                const size_t to = 3 * (size_t)other + d;
                const size_t from = 3 * (size_t)i + d;
                along[d] = m->place[to] + e->u[to] - m->place[from] - e->u[from];
                square += along[d] * along[d];
                speed += along[d] * (e->v[to] - e->v[from]);
            }
            const double mass = fmin(e->mass[i], e->mass[other]);
            const double pull = square > 0.0 ? e->def.damping * mass * share * speed / square : 0.0;
            for (size_t d = 0; d < 3; ++d) {
                force[3 * (size_t)i + d] += pull * along[d];
                force[3 * (size_t)other + d] -= pull * along[d];
            }
        }
    }
}

double scene__elastic_kinetic(const elastic* e) {
    double sum = 0.0;
    for (size_t i = 0; i < 3 * (size_t)e->body->node_count; ++i) {
        sum += 0.5 * e->mass[i / 3] * e->v[i] * e->v[i];
    }
    return sum;
}

bool scene__elastic_step(elastic* e, const double* outer) {
    if (!isfinite(scene__elastic_forces(e, e->u, e->force))) {
        return false;
    }
    add_damping(e, e->force);
    for (size_t i = 0; i < 3 * (size_t)e->body->node_count; ++i) {
        const double force = e->force[i] + (outer != NULL ? outer[i] : 0.0);
        e->v[i] = e->held[i / 3] ? 0.0 : e->v[i] + e->step * force / e->mass[i / 3];
        e->u[i] += e->step * e->v[i];
    }
    return true;
}
