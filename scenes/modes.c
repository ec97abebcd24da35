// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Vibration modes: see modes.h. Subspace iteration with the inverse of K + shift M, which is
// factored once. The shift is far below the lowest frequency; it only handles rigid motions, which
// are projected out at every step. Based on: Bathe, "Finite Element Procedures", 11.6.

#include "scenes/modes.h"

#include <math.h>
#include <string.h>

#include "scenes/eigen.h"
#include "scenes/skyline.h"

#define ITERATIONS 60
#define TOLERANCE 1e-7  // of the residual, relative to the eigenvalue
#define SHIFT 1e-9      // relative to the largest eigenvalue, roughly
#define SPARE 8         // additional vectors, which speed up the convergence of the wanted ones

typedef struct subspace {
    const lattice* l;
    skyline factor;
    uint32_t rigid_count;
    double* rigid;  // orthonormal by mass
    uint32_t count;
    double* x;       // the vectors, one after the other
    double* kx;      // K times them
    double* sides;   // some of them, as right-hand sides
    double* values;  // Ritz values
    double* small;   // three count x count matrices
} subspace;

static size_t numbers(const lattice* l) {
    return 3 * (size_t)l->node_count;
}

void scene__lattice_apply(const lattice* l, const double* x, double* y) {
    memset(y, 0, numbers(l) * sizeof *y);
    for (uint32_t i = 0; i < l->spring_count; ++i) {
        const lattice_spring* spring = &l->springs[i];
        const double* dir = spring->direction;
        const double* a = x + 3 * (size_t)spring->a;
        const double* b = x + 3 * (size_t)spring->b;
        const double force = spring->stiffness * (dir[0] * (a[0] - b[0]) + dir[1] * (a[1] - b[1]) +
                                                  dir[2] * (a[2] - b[2]));
        for (size_t d = 0; d < 3; ++d) {
            y[3 * (size_t)spring->a + d] += force * dir[d];
            y[3 * (size_t)spring->b + d] -= force * dir[d];
        }
    }
    for (size_t i = 0; i < l->node_count; ++i) {
        if (l->held[i]) {
            y[3 * i] = y[3 * i + 1] = y[3 * i + 2] = 0.0;
        }
    }
}

static double mass_dot(const lattice* l, const double* x, const double* y) {
    double sum = 0.0;
    for (size_t i = 0; i < l->node_count; ++i) {
        sum += l->mass[i] *
               (x[3 * i] * y[3 * i] + x[3 * i + 1] * y[3 * i + 1] + x[3 * i + 2] * y[3 * i + 2]);
    }
    return sum;
}

static double plain_dot(const double* x, const double* y, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

static void add(double* x, double factor, const double* y, size_t n) {
    for (size_t i = 0; i < n; ++i) {
        x[i] += factor * y[i];
    }
}

static void scale(double* x, double factor, size_t n) {
    for (size_t i = 0; i < n; ++i) {
        x[i] *= factor;
    }
}

// Subtracts from x its projection on `count` orthonormal vectors; twice, because of rounding.
static void project_out(const lattice* l, double* x, const double* basis, uint32_t count) {
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t k = 0; k < count; ++k) {
            const double* v = basis + k * numbers(l);
            add(x, -mass_dot(l, x, v), v, numbers(l));
        }
    }
}

// Gram-Schmidt in the mass norm; returns false if the vectors are dependent.
static bool orthonormalise(const subspace* s, double* basis, uint32_t count) {
    const size_t n = numbers(s->l);
    for (uint32_t k = 0; k < count; ++k) {
        double* x = basis + k * n;
        const double before = mass_dot(s->l, x, x);
        if (basis != s->rigid) {
            project_out(s->l, x, s->rigid, s->rigid_count);
        }
        project_out(s->l, x, basis, k);
        const double square = mass_dot(s->l, x, x);
        if (!(square > 1e-24 * before)) {
            return false;
        }
        scale(x, 1.0 / sqrt(square), n);
    }
    return true;
}

// ---- setting up

// Three translations and three rotations; a fixed body has none.
static bool make_rigid(scene* scratch, subspace* s) {
    const lattice* l = s->l;
    s->rigid_count = l->any_held ? 0 : 6;
    s->rigid = scene__alloc(scratch, numbers(l), 6 * sizeof *s->rigid);
    if (scratch->failed) {
        return false;
    }
    for (size_t i = 0; i < l->node_count && s->rigid_count > 0; ++i) {
        const double* p = l->place + 3 * i;
        for (size_t d = 0; d < 3; ++d) {
            const size_t e = (d + 1) % 3;
            const size_t f = (d + 2) % 3;
            s->rigid[d * numbers(l) + 3 * i + d] = 1.0;
            s->rigid[(3 + d) * numbers(l) + 3 * i + e] = -p[f];
            s->rigid[(3 + d) * numbers(l) + 3 * i + f] = p[e];
        }
    }
    return orthonormalise(s, s->rigid, s->rigid_count);
}

// Finds the first entries of rows, at the lowest neighbour.
static bool lay_matrix(scene* scratch, subspace* s) {
    const lattice* l = s->l;
    uint32_t* first = scene__alloc(scratch, numbers(l), sizeof *first);
    if (first == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < 3 * l->node_count; ++i) {
        first[i] = i / 3 * 3;
    }
    for (uint32_t i = 0; i < l->spring_count; ++i) {
        const uint32_t a = l->springs[i].a;
        const uint32_t b = l->springs[i].b;
        const uint32_t low = 3 * (a < b ? a : b);
        const size_t high = 3 * (size_t)(a < b ? b : a);
        for (size_t d = 0; d < 3; ++d) {
            first[high + d] = low < first[high + d] ? low : first[high + d];
        }
    }
    return scene__skyline_alloc(scratch, &s->factor, 3 * l->node_count, first);
}

static void add_block(const subspace* s, uint32_t i, uint32_t k, const lattice_spring* spring,
                      double sign) {
    for (uint32_t d = 0; d < 3; ++d) {
        for (uint32_t e = 0; e < 3; ++e) {
            if (3 * k + e <= 3 * i + d) {
                *scene__skyline_at(&s->factor, 3 * i + d, 3 * k + e) += sign * spring->stiffness *
                                                                        spring->direction[d] *
                                                                        spring->direction[e];
            }
        }
    }
}

static bool factor_matrix(scene* scratch, subspace* s) {
    const lattice* l = s->l;
    if (!lay_matrix(scratch, s)) {
        return false;
    }
    for (uint32_t i = 0; i < l->spring_count; ++i) {
        const lattice_spring* spring = &l->springs[i];
        const uint32_t a = spring->a;
        const uint32_t b = spring->b;
        if (!l->held[a]) {
            add_block(s, a, a, spring, 1.0);
        }
        if (!l->held[b]) {
            add_block(s, b, b, spring, 1.0);
        }
        if (!l->held[a] && !l->held[b]) {
            add_block(s, a < b ? b : a, a < b ? a : b, spring, -1.0);
        }
    }
    double largest = 0.0;
    for (uint32_t i = 0; i < 3 * l->node_count; ++i) {
        largest = fmax(largest, *scene__skyline_at(&s->factor, i, i) / l->mass[i / 3]);
    }
    for (uint32_t i = 0; i < 3 * l->node_count; ++i) {
        // The row of a fixed node is empty; any positive number will do.
        *scene__skyline_at(&s->factor, i, i) += (l->held[i / 3] ? largest : SHIFT * largest) *
                                                l->mass[i / 3];
    }
    return scene__skyline_factor(&s->factor);
}

static bool make_start(scene* scratch, subspace* s, uint32_t wanted) {
    const lattice* l = s->l;
    uint32_t held = 0;
    for (uint32_t i = 0; i < l->node_count; ++i) {
        held += l->held[i] ? 1 : 0;
    }
    const uint32_t all = 3 * (l->node_count - held) - s->rigid_count;
    s->count = wanted + SPARE < all ? wanted + SPARE : all;
    s->x = scene__alloc(scratch, numbers(l), (s->count + 1) * sizeof *s->x);
    s->kx = scene__alloc(scratch, numbers(l), (s->count + 1) * sizeof *s->kx);
    s->sides = scene__alloc(scratch, numbers(l), SKYLINE_SIDES * sizeof *s->sides);
    s->values = scene__alloc(scratch, s->count + 1, sizeof *s->values);
    s->small = scene__alloc(scratch, (size_t)s->count + 1, 2 * s->count * sizeof *s->small);
    if (scratch->failed) {
        return false;
    }
    for (size_t i = 0; i < s->count * numbers(l); ++i) {
        const bool is_held = l->held[i % numbers(l) / 3];
        s->x[i] = is_held ? 0.0 : scene__random_in(7, (uint32_t)i, -1.0, 1.0);
    }
    return orthonormalise(s, s->x, s->count);
}

// ---- iteration

static void apply_inverse(const subspace* s) {
    const lattice* l = s->l;
    const size_t n = numbers(l);
    for (uint32_t from = 0; from < s->count; from += SKYLINE_SIDES) {
        const uint32_t left = s->count - from;
        const uint32_t sides = left < SKYLINE_SIDES ? left : SKYLINE_SIDES;
        memset(s->sides, 0, SKYLINE_SIDES * n * sizeof *s->sides);
        for (size_t i = 0; i < n; ++i) {
            for (uint32_t r = 0; r < sides; ++r) {
                s->sides[SKYLINE_SIDES * i + r] = s->x[(from + r) * n + i] *
                                                  (l->held[i / 3] ? 0.0 : l->mass[i / 3]);
            }
        }
        scene__skyline_solve(&s->factor, s->sides);
        for (size_t i = 0; i < n; ++i) {
            for (uint32_t r = 0; r < sides; ++r) {
                s->x[(from + r) * n + i] = s->sides[SKYLINE_SIDES * i + r];
            }
        }
    }
}

// Replaces vectors by their linear combinations with the columns of `turn`, node by node.
static void combine(const subspace* s, double* vectors, const double* turn) {
    const size_t n = numbers(s->l);
    double sums[SCENE_MOST_FIELDS + SPARE];
    for (size_t i = 0; i < n; ++i) {
        for (uint32_t j = 0; j < s->count; ++j) {
            sums[j] = 0.0;
            for (uint32_t k = 0; k < s->count; ++k) {
                sums[j] += vectors[k * n + i] * turn[k * s->count + j];
            }
        }
        for (uint32_t j = 0; j < s->count; ++j) {
            vectors[j * n + i] = sums[j];
        }
    }
}

// Computes the best approximations within the span: eigenvectors of x^T K x.
static void ritz(const subspace* s) {
    const size_t n = numbers(s->l);
    double* gram = s->small;
    double* turn = s->small + (size_t)s->count * s->count;
    for (uint32_t k = 0; k < s->count; ++k) {
        scene__lattice_apply(s->l, s->x + k * n, s->kx + k * n);
    }
    for (uint32_t j = 0; j < s->count; ++j) {
        for (uint32_t k = 0; k <= j; ++k) {
            gram[j * s->count + k] = gram[k * s->count + j] = plain_dot(s->x + j * n, s->kx + k * n,
                                                                        n);
        }
    }
    scene__eigen(gram, s->count, s->values, turn);
    combine(s, s->x, turn);
    combine(s, s->kx, turn);
}

// K x - value M x| in the norm of 1 / M, over value.
static double residual(const subspace* s, uint32_t j) {
    const lattice* l = s->l;
    const double* x = s->x + j * numbers(l);
    const double* kx = s->kx + j * numbers(l);
    double sum = 0.0;
    for (size_t i = 0; i < numbers(l); ++i) {
        const double mass = l->mass[i / 3];
        const double off = kx[i] - s->values[j] * mass * x[i];
        sum += off * off / mass;
    }
    return sqrt(sum) / s->values[j];
}

static bool iterate(const subspace* s, uint32_t wanted) {
    for (int k = 0; k < ITERATIONS; ++k) {
        apply_inverse(s);
        if (!orthonormalise(s, s->x, s->count)) {
            return false;
        }
        ritz(s);
        double worst = 0.0;
        for (uint32_t j = 0; j < wanted; ++j) {
            worst = fmax(worst, residual(s, j));
        }
        if (worst < TOLERANCE) {
            break;
        }
    }
    return true;
}

uint32_t scene__modes(scene* s, const lattice* l, uint32_t count, double* values, double* shapes) {
    scene scratch = {0};
    subspace space = {.l = l};
    uint32_t found = 0;
    if (make_rigid(&scratch, &space) && factor_matrix(&scratch, &space) &&
        make_start(&scratch, &space, count)) {
        found = count < space.count ? count : space.count;
        found = iterate(&space, found) ? found : 0;
        memcpy(values, space.values, found * sizeof *values);
        memcpy(shapes, space.x, found * numbers(l) * sizeof *shapes);
    }
    scene__free_all(&scratch);
    s->failed = s->failed || found == 0;
    return found;
}

// ---- fields

static void mass_centre(const lattice* l, double centre[3]) {
    double total = 0.0;
    centre[0] = centre[1] = centre[2] = 0.0;
    for (size_t i = 0; i < l->node_count; ++i) {
        total += l->mass[i];
        for (size_t d = 0; d < 3; ++d) {
            centre[d] += l->mass[i] * l->place[3 * i + d];
        }
    }
    scale(centre, 1.0 / total, 3);
}

static void mass_and_inertia(const lattice* l, const double origin[3], scene_dynamics* out) {
    for (size_t i = 0; i < l->node_count; ++i) {
        double p[3];
        for (size_t d = 0; d < 3; ++d) {
            p[d] = l->place[3 * i + d] - origin[d];
        }
        const double square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
        out->mass += l->mass[i];
        for (int d = 0; d < 3; ++d) {
            for (int e = 0; e < 3; ++e) {
                out->inertia[d][e] += l->mass[i] * ((d == e ? square : 0.0) - p[d] * p[e]);
            }
        }
    }
}

// Writes the mode at all vertices, without scaling; returns the greatest displacement.
static double embed_mode(const lattice* l, const scene_mesh* mesh, const double* shape,
                         float* field) {
    double most_sq = 0.0;
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        uint32_t nodes[8];
        double weights[8];
        double sum[3] = {0.0, 0.0, 0.0};
        scene__lattice_embed(l, mesh->rest + 3 * i, nodes, weights);
        for (int k = 0; k < 8; ++k) {
            add(sum, weights[k], shape + 3 * (size_t)nodes[k], 3);
        }
        for (size_t d = 0; d < 3; ++d) {
            field[3 * i + d] = (float)sum[d];
        }
        most_sq = fmax(most_sq, sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    }
    return sqrt(most_sq);
}

static void make_fields(const lattice* l, const scene_mesh* mesh, const modes_def* def,
                        const double* values, double* shapes, const scene_fields* fields,
                        double* frequencies_sq, double* masses) {
    double lowest = 1.0;
    for (uint32_t j = 0; j < fields->count; ++j) {
        float* field = fields->values + 3 * (size_t)j * mesh->vertex_count;
        double* shape = shapes + j * numbers(l);
        if (j == 0) {
            lowest = def->reach / embed_mode(l, mesh, shape, field);
        }
        // As much energy as the lowest mode: mass times frequency_sq is the same.
        const double size = lowest * sqrt(values[0] / values[j]);
        scale(shape, size, numbers(l));
        embed_mode(l, mesh, shape, field);
        masses[j] = size * size;
        frequencies_sq[j] = def->frequency * def->frequency * values[j] / values[0];
    }
}

void scene__vibrate(const scene_dynamics* dynamics, uint32_t count, const vibration* v, double time,
                    double* q) {
    for (uint32_t j = 0; j < count; ++j) {
        const double phase = scene__random_in(v->seed, 1000 + j, 0.0, 2.0 * SCENE_PI);
        const double part = scene__random_in(v->seed, 2000 + j, 0.6, 1.0);
        q[j] = v->amplitude * part * sin(sqrt(dynamics->frequencies_sq[j]) * time + phase);
    }
}

bool scene__modal_fields(scene* s, const lattice* l, scene_mesh* mesh, const modes_def* def,
                         scene_fields* fields) {
    scene scratch = {0};
    double values[SCENE_MOST_FIELDS];
    double* shapes = scene__alloc(&scratch, numbers(l), def->count * sizeof *shapes);
    const uint32_t count = shapes != NULL ? scene__modes(&scratch, l, def->count, values, shapes)
                                          : 0;
    scene_dynamics* dynamics = scene__alloc(s, 1, sizeof *dynamics);
    double* frequencies_sq = scene__alloc(s, def->count, sizeof *frequencies_sq);
    double* masses = scene__alloc(s, def->count, sizeof *masses);
    float* room = scene__alloc(s, mesh->vertex_count, 3 * (size_t)def->count * sizeof *room);
    s->failed = s->failed || count == 0;
    if (!s->failed) {
        *fields = (scene_fields){.count = count, .values = room, .dynamics = dynamics};
        make_fields(l, mesh, def, values, shapes, fields, frequencies_sq, masses);
        double origin[3] = {0.0, 0.0, 0.0};
        if (!l->any_held) {
            mass_centre(l, origin);
        }
        mass_and_inertia(l, origin, dynamics);
        dynamics->frequencies_sq = frequencies_sq;
        dynamics->masses = masses;
        for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; ++i) {
            mesh->rest[i] -= origin[i % 3];
        }
    }
    scene__free_all(&scratch);
    return !s->failed;
}

bool scene__modal_solid(scene* s, const modal_solid* def, uint32_t triangles, uint32_t count,
                        scene_mesh* mesh, scene_fields* fields) {
    scene scratch = {0};
    lattice l;
    lattice_def frame = {.mass = def->mass, .held = def->held};
    const modes_def modes = {count, def->frequency, def->reach};
    bool done = scene__solid_surface(s, &def->body, triangles, mesh, &frame.fine);
    frame.cell = fmax(def->cell, frame.fine);
    done = done && scene__lattice(&scratch, &def->body, mesh, &frame, &l) &&
           scene__modal_fields(s, &l, mesh, &modes, fields);
    scene__free_all(&scratch);
    s->failed = s->failed || !done;
    return done;
}
