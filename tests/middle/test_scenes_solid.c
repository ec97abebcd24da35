// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The parts of bodies with vibration modes. Surfaces of solids are closed and free of self-contact.
// Modes of a lattice solve its eigenproblem, by comparison with a dense matrix that the test
// assembles. Fields are those modes, with the right masses and frequencies.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exact/triangles.h"
#include "scenes/chair.h"
#include "scenes/eigen.h"
#include "scenes/modes.h"
#include "support/brute.h"
#include "support/world.h"

// --- surfaces ------------------------------------------------------------------------------------

static double ball_value(const double p[3], double fine) {
    (void)fine;
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 1.0;
}

// noise: balls of all sizes anywhere, which touch in points and edges within the resolution of the
// grid
static double heap_value(const double p[3], double fine) {
    (void)fine;
    double value = 1.0;
    for (uint32_t i = 0; i < 40; ++i) {
        double square = 0.0;
        for (uint32_t d = 0; d < 3; ++d) {
            const double off = p[d] - scene__random_in(3, 4 * i + d, -0.8, 0.8);
            square += off * off;
        }
        value = fmin(value, sqrt(square) - scene__random_in(3, 4 * i + 3, 0.02, 0.3));
    }
    return value;
}

// cubes in a checkerboard, which meet only along edges and in corners
static double board_value(const double p[3], double fine) {
    (void)fine;
    const double size = fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2]))) - 0.9;
    const double wave = sin(9.0 * p[0]) * sin(9.0 * p[1]) * sin(9.0 * p[2]);
    return fmax(size, -0.1 * wave);
}

static const solid ball = {ball_value, {-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
static const solid heap = {heap_value, {-1.1, -1.1, -1.1}, {1.1, 1.1, 1.1}};
static const solid board = {board_value, {-0.9, -0.9, -0.9}, {0.9, 0.9, 0.9}};

static double volume_of(const scene_mesh* mesh) {
    double six = 0.0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const double* a = mesh->rest + 3 * (size_t)mesh->triangles[3 * t];
        const double* b = mesh->rest + 3 * (size_t)mesh->triangles[3 * t + 1];
        const double* c = mesh->rest + 3 * (size_t)mesh->triangles[3 * t + 2];
        six += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return six / 6.0;
}

// by the library: each edge has two triangles in opposite directions, and every vertex is used
static void check_closed(const scene_mesh* mesh) {
    world w = world_make(NULL, NULL);
    abut_mesh* made = NULL;
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(mesh->rest, mesh->vertex_count);
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    abut_mesh_info health;
    REQUIRE_OK(abut_mesh_create(w.context, &def, &made, NULL));
    REQUIRE_OK(abut_mesh_inspect(made, &health, NULL));
    REQUIRE(health.boundary_edges == 0 && health.nonmanifold_edges == 0);
    REQUIRE(health.inconsistent_edges == 0 && health.degenerate_triangles == 0);
    REQUIRE(health.unreferenced_vertices == 0 && health.classes == mesh->vertex_count);
    abut_mesh_destroy(made);
    world_free(&w);
}

static int compare_corners(const void* left, const void* right) {
    const uint64_t l = *(const uint64_t*)left;
    const uint64_t r = *(const uint64_t*)right;
    return (l > r) - (l < r);
}

// the triangles at each vertex form one fan: a walk from the first one reaches all
static void check_fans(const scene_mesh* mesh) {
    const size_t count = 3 * (size_t)mesh->triangle_count;
    uint64_t* corners = test_alloc(count, sizeof *corners);  // vertex, corner
    for (size_t i = 0; i < count; ++i) {
        corners[i] = (uint64_t)mesh->triangles[i] << 32 | i;
    }
    qsort(corners, count, sizeof *corners, compare_corners);
    for (size_t from = 0, to = 0; from < count; from = to) {
        while (to < count && corners[to] >> 32 == corners[from] >> 32) {
            to += 1;
        }
        const size_t first = (size_t)(corners[from] & UINT32_MAX);
        size_t at = first;
        size_t met = 0;
        do {
            const uint32_t next = mesh->triangles[at / 3 * 3 + (at + 2) % 3];
            size_t k = from;
            while (k < to) {
                const size_t other = (size_t)(corners[k] & UINT32_MAX);
                if (mesh->triangles[other / 3 * 3 + (other + 1) % 3] == next) {
                    at = other;
                    break;
                }
                k += 1;
            }
            REQUIRE(k < to);
            met += 1;
        } while (at != first && met <= to - from);
        REQUIRE(met == to - from);
    }
    free(corners);
}

static void test_surfaces_of_solids_are_closed_manifolds(void** state) {
    (void)state;
    const solid* solids[] = {&ball, &heap, &board};
    for (uint32_t i = 0; i < 3; ++i) {
        for (uint32_t triangles = 300; triangles <= 5000; triangles *= 4) {
            where("solid %u, %u triangles", i, triangles);
            scene s = {0};
            scene_mesh mesh;
            double fine = 0.0;
            REQUIRE(scene__solid_surface(&s, solids[i], triangles, &mesh, &fine));
            REQUIRE(fine > 0.0 && mesh.triangle_count > 100);
            check_closed(&mesh);
            check_fans(&mesh);
            REQUIRE(volume_of(&mesh) > 0.0);
            scene__free_all(&s);
        }
    }
}

static void test_surface_of_a_ball_is_round(void** state) {
    (void)state;
    scene s = {0};
    scene_mesh mesh;
    double fine = 0.0;
    assert_true(scene__solid_surface(&s, &ball, 8000, &mesh, &fine));
    assert_true(abs((int)mesh.triangle_count - 8000) < 200);
    for (size_t i = 0; i < mesh.vertex_count; ++i) {
        assert_true(fabs(ball_value(mesh.rest + 3 * i, fine)) < 0.3 * fine);
    }
    assert_true(fabs(volume_of(&mesh) - 4.0 / 3.0 * SCENE_PI) < 0.05);
    assert_int_equal(brute_self(mesh.rest, mesh.triangles, mesh.triangle_count, NULL, 0.0,
                                abut__triangles_touch, NULL),
                     0);
    scene__free_all(&s);
}

static void test_chair_at_rest_is_sound_in_all_sizes(void** state) {
    (void)state;
    static const uint32_t sizes[] = {1, 800, 2500, 7000, 17914, 40000};
    const size_t count = sizeof sizes / sizeof sizes[0];
    for (size_t i = 0; i < count - effort(1, 0, 0); ++i) {
        where("%u triangles", sizes[i]);
        scene s = {0};
        chair_model chair;
        REQUIRE(scene__chair(&s, sizes[i], 2, &chair));
        check_closed(&chair.mesh);
        check_fans(&chair.mesh);
        REQUIRE(brute_self(chair.mesh.rest, chair.mesh.triangles, chair.mesh.triangle_count, NULL,
                           0.0, abut__triangles_touch, NULL) == 0);
        scene__free_all(&s);
    }
}

// --- modes -----------------------------------------------------------------------------------------

static double beam_value(const double p[3], double fine) {
    (void)fine;
    return fmax(fmax(fabs(p[0]) - 1.0, fabs(p[1]) - 0.2), fabs(p[2]) - 0.15);
}

static bool hold_left(const double p[3]) {
    return p[0] < -0.9;
}

static const solid beam = {beam_value, {-1.0, -0.2, -0.15}, {1.0, 0.2, 0.15}};

typedef struct modal_case {
    scene scratch;
    scene_mesh mesh;
    lattice l;
    uint32_t count;
    double values[SCENE_MOST_FIELDS];
    double* shapes;
} modal_case;

static void make_case(modal_case* c, const solid* body, double cell, bool held, uint32_t count) {
    *c = (modal_case){0};
    double fine = 0.0;
    assert_true(scene__solid_surface(&c->scratch, body, 3000, &c->mesh, &fine));
    const lattice_def def = {cell, fine, 2.5, held ? hold_left : NULL};
    assert_true(scene__lattice(&c->scratch, body, &c->mesh, &def, &c->l));
    c->shapes = scene__alloc(&c->scratch, 3 * (size_t)c->l.node_count, count * sizeof(double));
    assert_non_null(c->shapes);
    c->count = scene__modes(&c->scratch, &c->l, count, c->values, c->shapes);
    assert_int_equal(c->count, count);
}

// the stiffness matrix K, assembled independently; held nodes have no springs
static double* dense_stiffness(const lattice* l) {
    const size_t n = 3 * (size_t)l->node_count;
    double* k = test_alloc(n * n, sizeof *k);
    memset(k, 0, n * n * sizeof *k);
    for (uint32_t i = 0; i < l->spring_count; ++i) {
        const lattice_spring* s = &l->springs[i];
        const uint32_t ends[2] = {s->a, s->b};
        double along[3];
        double length = 0.0;
        for (int d = 0; d < 3; ++d) {
            along[d] = l->place[3 * s->a + (uint32_t)d] - l->place[3 * s->b + (uint32_t)d];
            length += along[d] * along[d];
        }
        for (int e = 0; e < 36; ++e) {
            const uint32_t x = ends[e / 18];
            const uint32_t y = ends[e / 9 % 2];
            const size_t row = 3 * (size_t)x + (size_t)(e / 3 % 3);
            const size_t column = 3 * (size_t)y + (size_t)(e % 3);
            const double sign = x == y ? 1.0 : -1.0;
            if (!l->held[x] && !l->held[y]) {
                k[row * n + column] += sign * s->stiffness * along[e / 3 % 3] * along[e % 3] /
                                       length;
            }
        }
    }
    return k;
}

static double mass_dot(const lattice* l, const double* x, const double* y) {
    double sum = 0.0;
    for (size_t i = 0; i < 3 * (size_t)l->node_count; ++i) {
        sum += l->mass[i / 3] * x[i] * y[i];
    }
    return sum;
}

// K x = value M x, and x^T M y is 0 or 1
static void check_eigenpairs(const modal_case* c) {
    const size_t n = 3 * (size_t)c->l.node_count;
    double* k = dense_stiffness(&c->l);
    for (uint32_t j = 0; j < c->count; ++j) {
        const double* x = c->shapes + j * n;
        double off_sq = 0.0;
        for (size_t i = 0; i < n; ++i) {
            double force = -c->values[j] * c->l.mass[i / 3] * x[i];
            for (size_t m = 0; m < n; ++m) {
                force += k[i * n + m] * x[m];
            }
            off_sq += force * force / c->l.mass[i / 3];
            REQUIRE(!c->l.held[i / 3] || x[i] == 0.0);
        }
        REQUIRE(c->values[j] > 0.0 && (j == 0 || c->values[j] >= c->values[j - 1]));
        REQUIRE(sqrt(off_sq) < 1e-6 * c->values[j]);
        for (uint32_t m = 0; m <= j; ++m) {
            const double product = mass_dot(&c->l, x, c->shapes + m * n);
            REQUIRE(fabs(product - (m == j ? 1.0 : 0.0)) < 1e-10);
        }
    }
    free(k);
}

// no lower mode is missing: compares with all eigenvalues of M^-1/2 K M^-1/2
static void check_lowest(const modal_case* c) {
    const size_t n = 3 * (size_t)c->l.node_count;
    double* k = dense_stiffness(&c->l);
    double* values = test_alloc(n, sizeof *values);
    double* vectors = test_alloc(n * n, sizeof *vectors);
    uint32_t skipped = c->l.any_held ? 0 : 6;
    for (size_t i = 0; i < n * n; ++i) {
        k[i] /= sqrt(c->l.mass[i / n / 3] * c->l.mass[i % n / 3]);
    }
    for (size_t i = 0; i < n; ++i) {
        skipped += c->l.held[i / 3] ? 1 : 0;  // rows of held nodes are 0
    }
    scene__eigen(k, (uint32_t)n, values, vectors);
    REQUIRE(skipped == 0 || fabs(values[skipped - 1]) < 1e-9 * values[n - 1]);
    for (uint32_t j = 0; j < c->count; ++j) {
        REQUIRE(fabs(values[skipped + j] / c->values[j] - 1.0) < 1e-9);
    }
    free(k);
    free(values);
    free(vectors);
}

static void check_no_rigid_part(const modal_case* c) {
    for (uint32_t j = 0; j < c->count; ++j) {
        const double* x = c->shapes + 3 * (size_t)j * c->l.node_count;
        double shift[3] = {0.0, 0.0, 0.0};
        double turn[3] = {0.0, 0.0, 0.0};
        for (size_t i = 0; i < c->l.node_count; ++i) {
            const double* p = c->l.place + 3 * i;
            for (size_t d = 0; d < 3; ++d) {
                const size_t e = (d + 1) % 3;
                const size_t f = (d + 2) % 3;
                shift[d] += c->l.mass[i] * x[3 * i + d];
                turn[d] += c->l.mass[i] * (p[e] * x[3 * i + f] - p[f] * x[3 * i + e]);
            }
        }
        for (int d = 0; d < 3; ++d) {
            REQUIRE(fabs(shift[d]) < 1e-10 && fabs(turn[d]) < 1e-10);
        }
    }
}

static void test_modes_are_the_lowest_eigenvectors(void** state) {
    (void)state;
    for (uint32_t held = 0; held < 2; ++held) {
        for (uint32_t count = 1; count <= 13; count += 6) {
            where("%u modes, held %u", count, held);
            modal_case c;
            make_case(&c, &beam, 0.4, held != 0, count);
            check_eigenpairs(&c);
            check_lowest(&c);
            if (held == 0) {
                check_no_rigid_part(&c);
            }
            scene__free_all(&c.scratch);
        }
    }
}

// finer lattices, by the residual alone
static void test_modes_of_finer_lattices(void** state) {
    (void)state;
    for (uint32_t held = 0; held < 2; ++held) {
        where("held %u", held);
        modal_case c;
        make_case(&c, &beam, 0.13, held != 0, 10);
        check_eigenpairs(&c);
        if (held == 0) {
            check_no_rigid_part(&c);
        }
        scene__free_all(&c.scratch);
    }
}

// the weights of a point in a cell give the point, and their sum is 1
static void test_lattice_contains_the_surface(void** state) {
    (void)state;
    modal_case c;
    make_case(&c, &heap, 0.3, false, 1);
    for (size_t i = 0; i < c.mesh.vertex_count; ++i) {
        uint32_t nodes[8];
        double weights[8];
        double p[3] = {0.0, 0.0, 0.0};
        scene__lattice_embed(&c.l, c.mesh.rest + 3 * i, nodes, weights);
        for (int k = 0; k < 8; ++k) {
            assert_true(nodes[k] < c.l.node_count);
            assert_true(weights[k] >= -1e-12 && weights[k] <= 1.0 + 1e-12);
            for (size_t d = 0; d < 3; ++d) {
                p[d] += weights[k] * c.l.place[3 * (size_t)nodes[k] + d];
            }
        }
        for (size_t d = 0; d < 3; ++d) {
            assert_true(fabs(p[d] - c.mesh.rest[3 * i + d]) < 1e-12);
        }
    }
    double total = 0.0;
    for (size_t i = 0; i < c.l.node_count; ++i) {
        total += c.l.mass[i];
    }
    assert_true(fabs(total - 2.5) < 1e-12);
    scene__free_all(&c.scratch);
}

// --- fields ----------------------------------------------------------------------------------------

// fields are modes times a size; size^2 is the mass, and all have the same energy at 1
static void test_fields_are_scaled_modes(void** state) {
    (void)state;
    modal_case c;
    make_case(&c, &beam, 0.13, false, 6);
    scene_mesh moved = c.mesh;
    scene_fields fields;
    const modes_def def = {.count = 6, .frequency = 12.0, .reach = 0.25};
    moved.rest = test_alloc(3 * (size_t)moved.vertex_count, sizeof *moved.rest);
    memcpy(moved.rest, c.mesh.rest, 3 * (size_t)moved.vertex_count * sizeof *moved.rest);
    assert_true(scene__modal_fields(&c.scratch, &c.l, &moved, &def, &fields));
    assert_int_equal(fields.count, 6);
    const scene_dynamics* dynamics = fields.dynamics;
    assert_true(fabs(dynamics->mass - 2.5) < 1e-12);
    assert_true(dynamics->inertia[0][0] > 0.0 && dynamics->inertia[1][1] > 0.5);
    for (uint32_t j = 0; j < fields.count; ++j) {
        const double size = sqrt(dynamics->masses[j]);
        double most = 0.0;
        for (size_t i = 0; i < moved.vertex_count; ++i) {
            const float* u = fields.values + 3 * ((size_t)j * moved.vertex_count + i);
            uint32_t nodes[8];
            double weights[8];
            double wanted[3] = {0.0, 0.0, 0.0};
            scene__lattice_embed(&c.l, c.mesh.rest + 3 * i, nodes, weights);
            for (size_t k = 0; k < 24; ++k) {
                const double* x = c.shapes + 3 * ((size_t)j * c.l.node_count + nodes[k / 3]);
                wanted[k % 3] += size * weights[k / 3] * x[k % 3];
            }
            for (int d = 0; d < 3; ++d) {
                assert_true(fabs((double)u[d] - wanted[d]) < 1e-5);
            }
            most = fmax(most, sqrt((double)(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])));
        }
        assert_true(j > 0 || fabs(most - 0.25) < 1e-6);
        assert_true(most > 0.01 && most < 0.6);
        const double energy = dynamics->masses[j] * dynamics->frequencies_sq[j];
        assert_true(fabs(energy / (dynamics->masses[0] * 144.0) - 1.0) < 1e-9);
        assert_true(fabs(dynamics->frequencies_sq[j] / c.values[j] * c.values[0] / 144.0 - 1.0) <
                    1e-9);
    }
    free(moved.rest);
    scene__free_all(&c.scratch);
}

// the origin is the centre of mass; for a beam that is its middle
static void test_chair_balances_at_its_origin(void** state) {
    (void)state;
    scene s = {0};
    chair_model chair;
    assert_true(scene__chair(&s, 6000, 10, &chair));
    double low[3] = {10.0, 10.0, 10.0};
    double high[3] = {-10.0, -10.0, -10.0};
    for (size_t i = 0; i < 3 * (size_t)chair.mesh.vertex_count; ++i) {
        low[i % 3] = fmin(low[i % 3], chair.mesh.rest[i]);
        high[i % 3] = fmax(high[i % 3], chair.mesh.rest[i]);
    }
    assert_true(fabs(low[0] + high[0]) < 0.01);  // symmetric
    assert_true(low[2] == -chair.height && chair.height > 0.3 && chair.height < 0.6);
    assert_true(fabs(chair.fields.dynamics->inertia[0][1]) < 1e-6);
    scene__free_all(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_surfaces_of_solids_are_closed_manifolds),
        cmocka_unit_test(test_surface_of_a_ball_is_round),
        cmocka_unit_test(test_chair_at_rest_is_sound_in_all_sizes),
        cmocka_unit_test(test_modes_are_the_lowest_eigenvectors),
        cmocka_unit_test(test_modes_of_finer_lattices),
        cmocka_unit_test(test_lattice_contains_the_surface),
        cmocka_unit_test(test_fields_are_scaled_modes),
        cmocka_unit_test(test_chair_balances_at_its_origin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
