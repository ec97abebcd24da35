// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Elastic motion of a point-based body: see elastic.h.

#include "scenes/elastic.h"

#include <math.h>
#include <string.h>

#define SPACING_NODES 6  // number of nodes whose mean distance is the spacing at a node
#define STEADY 0.35      // step relative to the largest that is stable for small strains

// ---- the material at rest

// Returns the mean distance of the nearest nodes.
static double spacing_at(const meshless* m, uint32_t node) {
    double least[SPACING_NODES];
    uint32_t found = 0;
    for (size_t i = m->first[node]; i < m->first[node + 1]; ++i) {
        double square = 0.0;
        for (size_t d = 0; d < 3; ++d) {
            const double off = m->place[3 * (size_t)m->neighbours[i] + d] -
                               m->place[3 * (size_t)node + d];
            square += off * off;
        }
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
    return found > 0 ? sum / (double)found : m->reach[node];
}

// Computes masses by spacing. The volume of a node is its mass over the density around it.
static void set_masses(elastic* e) {
    const meshless* m = e->body;
    for (uint32_t i = 0; i < m->node_count; ++i) {
        const double spacing = spacing_at(m, i);
        e->mass[i] = e->def.density * spacing * spacing * spacing;
    }
    for (uint32_t i = 0; i < m->node_count; ++i) {
        const double h = m->reach[i];
        double density = e->mass[i] * scene__meshless_kernel(0.0, h);
        for (size_t k = m->first[i]; k < m->first[i + 1]; ++k) {
            double square = 0.0;
            for (size_t d = 0; d < 3; ++d) {
                const double off = m->place[3 * (size_t)m->neighbours[k] + d] -
                                   m->place[3 * (size_t)i + d];
                square += off * off;
            }
            density += e->mass[m->neighbours[k]] * scene__meshless_kernel(square, h);
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
        for (size_t k = 3 * (size_t)m->first[i]; k < 3 * (size_t)m->first[i + 1]; ++k) {
            own[k % 3] += m->slopes[k];
        }
        for (size_t k = m->first[i]; k < m->first[i + 1]; ++k) {
            sum += length(m->slopes + 3 * k);
        }
        sum += length(own);
        row[i] += stiff * e->volume[i] * length(own) * sum;
        for (size_t k = m->first[i]; k < m->first[i + 1]; ++k) {
            row[m->neighbours[k]] += stiff * e->volume[i] * length(m->slopes + 3 * k) * sum;
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
    if (s->failed) {
        return false;
    }
    set_masses(out);
    const double most = fastest_sq(&scratch, out);
    out->step = most > 0.0 ? STEADY * 2.0 / sqrt(most) : 1.0;
    s->failed = scratch.failed;
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
    for (uint32_t i = 0; i < m->node_count; ++i) {
        double j[3][3];
        double change[3][3];
        scene__meshless_gradient(m, u, i, j);
        for (int d = 0; d < 3; ++d) {
            j[d][d] += 1.0;
        }
        energy += e->volume[i] * material(&e->def, (const double(*)[3])j, change);
        for (size_t k = m->first[i]; k < m->first[i + 1]; ++k) {
            const double* slope = m->slopes + 3 * k;
            for (size_t d = 0; d < 3; ++d) {
                const double push = e->volume[i] *
                                    (change[d][0] * slope[0] + change[d][1] * slope[1] +
                                     change[d][2] * slope[2]);
                force[3 * (size_t)m->neighbours[k] + d] -= push;
                force[3 * (size_t)i + d] += push;
            }
        }
    }
    return energy;
}

// Damps the relative speed of neighbours along their connecting line, which leaves translations and
// rotations unchanged.
static void add_damping(const elastic* e, double* force) {
    const meshless* m = e->body;
    for (uint32_t i = 0; i < m->node_count; ++i) {
        const double share = 1.0 / (double)(m->first[i + 1] - m->first[i] + 1);
        for (size_t k = m->first[i]; k < m->first[i + 1]; ++k) {
            const uint32_t other = m->neighbours[k];
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

void scene__elastic_step(elastic* e, const double* outer) {
    scene__elastic_forces(e, e->u, e->force);
    add_damping(e, e->force);
    for (size_t i = 0; i < 3 * (size_t)e->body->node_count; ++i) {
        const double force = e->force[i] + (outer != NULL ? outer[i] : 0.0);
        e->v[i] = e->held[i / 3] ? 0.0 : e->v[i] + e->step * force / e->mass[i / 3];
        e->u[i] += e->step * e->v[i];
    }
}
