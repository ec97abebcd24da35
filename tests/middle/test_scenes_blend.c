// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Scenes whose bodies follow nodes: weights are convex and sorted, positions equal the documented
// formula bit by bit, and sizes are those requested. Also the parts of point-based bodies:
// gradients are exact for affine motions; elastic forces are the gradient of the energy, vanish for
// rigid motions and conserve momentum; the motion is stable.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exact/triangles.h"
#include "scenes/elastic.h"
#include "scenes/scenes.h"
#include "support/brute.h"
#include "support/mls_oracle.h"
#include "support/world.h"

static const struct {
    const char* name;
    uint32_t triangles;
    uint32_t frames;
    uint32_t nodes;
} blend_scenes[] = {
    {"brain", 1500, 0, 0},     {"brain", 700, 12, 65},     {"brain", 20, 3, 1},
    {"brain", 300, 4, 14},     {"fishes", 800, 12, 0},     {"fishes", 1200, 2, 550},
    {"soft_ring", 800, 7, 30}, {"soft_fishes", 400, 5, 0},
};
#define BLEND_SCENES (sizeof blend_scenes / sizeof blend_scenes[0])

static scene* make_blend(size_t i, uint32_t seed) {
    scene* s = scene_create_with(blend_scenes[i].name,
                                 &(scene_options){.triangles = blend_scenes[i].triangles,
                                                  .frames = blend_scenes[i].frames,
                                                  .seed = seed,
                                                  .nodes = blend_scenes[i].nodes});
    assert_non_null(s);
    where("%s of %u triangles, %u nodes, seed %u", blend_scenes[i].name, blend_scenes[i].triangles,
          blend_scenes[i].nodes, seed);
    return s;
}

// --- weights and transforms ------------------------------------------------------------------------

static void check_weights(const scene_body* b) {
    REQUIRE(b->reduced && b->moves && b->weight_first[0] == 0);
    for (uint32_t v = 0; v < b->vertex_count; ++v) {
        double sum = 0.0;
        REQUIRE(b->weight_first[v + 1] > b->weight_first[v]);
        for (uint32_t i = b->weight_first[v]; i < b->weight_first[v + 1]; ++i) {
            REQUIRE(b->weight_nodes[i] < b->node_count);
            REQUIRE(i == b->weight_first[v] || b->weight_nodes[i - 1] < b->weight_nodes[i]);
            REQUIRE(b->weights[i] >= 0.0f && b->weights[i] <= 1.0f);
            sum += (double)b->weights[i];
        }
        REQUIRE(fabs(sum - 1.0) < 1e-6);
    }
}

static void test_weights_are_convex_and_sorted(void** state) {
    (void)state;
    for (size_t i = 0; i < BLEND_SCENES; ++i) {
        scene* s = make_blend(i, 1);
        REQUIRE(scene_get_body(s, 0)->node_count > 0);
        for (uint32_t b = 0; b < scene_body_count(s); ++b) {
            if (scene_get_body(s, b)->node_count > 0) {
                check_weights(scene_get_body(s, b));
            }
        }
        scene_destroy(s);
    }
}

// a vertex depends on about 5 to 20 nodes, however many there are
static void test_influences_are_few(void** state) {
    (void)state;
    static const uint32_t nodes[] = {65, 96, 115, 225, 509, 550};
    for (size_t i = 0; i < 6; i += effort(2, 1, 1)) {
        for (int kind = 0; kind < 2; ++kind) {
            scene* s = scene_create_with(
                kind == 0 ? "brain" : "fishes",
                &(scene_options){.triangles = 1500, .frames = 2, .nodes = nodes[i]});
            assert_non_null(s);
            where("kind %d, %u nodes", kind, nodes[i]);
            const scene_body* b = scene_get_body(s, 0);
            const double mean = (double)b->weight_first[b->vertex_count] / (double)b->vertex_count;
            REQUIRE(b->node_count == nodes[i]);
            REQUIRE(mean > 5.0 && mean < 22.0);
            scene_destroy(s);
        }
    }
}

static void test_transforms_are_finite_and_move(void** state) {
    (void)state;
    for (size_t i = 0; i < BLEND_SCENES; ++i) {
        scene* s = make_blend(i, 2);
        const size_t numbers = 12 * (size_t)scene_get_body(s, 0)->node_count;
        double* first = test_alloc(numbers, sizeof *first);
        double* t = test_alloc(numbers, sizeof *t);
        scene_transforms(s, 0, 0, first);
        for (uint32_t f = 1; f < scene_frame_count(s); ++f) {
            scene_transforms(s, 0, f, t);
            for (size_t k = 0; k < numbers; ++k) {
                REQUIRE(fabs(t[k]) < 10.0);
            }
            REQUIRE(memcmp(first, t, numbers * sizeof *t) != 0);
        }
        free(first);
        free(t);
        scene_destroy(s);
    }
}

// an independent implementation of the text of scenes.h; volatile keeps every rounding
static double formula(const scene_body* b, const double* transforms, double r[3][3],
                      const double t[3], uint32_t vertex, int d) {
    volatile double blended[3];
    for (size_t row = 0; row < 3; ++row) {
        volatile double m[4] = {0.0, 0.0, 0.0, 0.0};
        for (uint32_t i = b->weight_first[vertex]; i < b->weight_first[vertex + 1]; ++i) {
            for (size_t e = 0; e < 4; ++e) {
                volatile double product = (double)b->weights[i] *
                                          transforms[12 * (size_t)b->weight_nodes[i] + 4 * row + e];
                m[e] = i == b->weight_first[vertex] ? product : m[e] + product;
            }
        }
        const double* p = b->rest + 3 * (size_t)vertex;
        volatile double x = m[0] * p[0];
        volatile double y = m[1] * p[1];
        volatile double z = m[2] * p[2];
        volatile double xy = x + y;
        volatile double xyz = xy + z;
        blended[row] = xyz + m[3];
    }
    bool identity = t[0] == 0.0 && t[1] == 0.0 && t[2] == 0.0;
    for (int i = 0; i < 9; ++i) {
        identity = identity && r[i / 3][i % 3] == (i / 3 == i % 3 ? 1.0 : 0.0);
    }
    volatile double x = r[d][0] * blended[0];
    volatile double y = r[d][1] * blended[1];
    volatile double z = r[d][2] * blended[2];
    volatile double xy = x + y;
    volatile double xyz = xy + z;
    return identity ? blended[d] : xyz + t[d];
}

static void test_positions_are_the_formula_bit_by_bit(void** state) {
    (void)state;
    for (size_t i = 0; i < BLEND_SCENES; ++i) {
        scene* s = make_blend(i, 3);
        const uint32_t body = scene_body_count(s) / 3;  // the brain, or a fish of many
        const scene_body* b = scene_get_body(s, body);
        const uint32_t frame = scene_frame_count(s) - 1;
        double* transforms = test_alloc(12 * (size_t)b->node_count, sizeof *transforms);
        double* xyz = test_alloc(3 * (size_t)b->vertex_count, sizeof *xyz);
        double r[3][3];
        double t[3];
        scene_transforms(s, body, frame, transforms);
        scene_frame(s, body, frame, r, t);
        scene_positions(s, body, frame, xyz);
        for (uint32_t v = 0; v < b->vertex_count; ++v) {
            for (int d = 0; d < 3; ++d) {
                const double wanted = formula(b, transforms, r, t, v, d);
                REQUIRE(memcmp(&wanted, &xyz[3 * (size_t)v + (size_t)d], sizeof wanted) == 0);
            }
        }
        free(transforms);
        free(xyz);
        scene_destroy(s);
    }
}

static void test_sizes_are_those_of_the_paper(void** state) {
    (void)state;
    static const struct {
        const char* name;
        uint32_t triangles;
        uint32_t nodes;
        double vertices;
    } sizes[] = {{"brain", 7000, 65, 3500.0},
                 {"brain", 0, 0, 30000.0},
                 {"brain", 290000, 509, 145000.0},
                 {"fishes", 0, 0, 8000.0}};
    for (size_t i = 0; i < 4; ++i) {
        if (sizes[i].triangles > 100000 && effort(1, 0, 0)) {
            continue;  // takes long to make
        }
        where("%s of %u triangles", sizes[i].name, sizes[i].triangles);
        scene* s = scene_create_with(sizes[i].name,
                                     &(scene_options){.triangles = sizes[i].triangles,
                                                      .frames = 2,
                                                      .nodes = sizes[i].nodes});
        assert_non_null(s);
        const scene_body* b = scene_get_body(s, 0);
        REQUIRE(fabs((double)b->vertex_count / sizes[i].vertices - 1.0) < 0.04);
        REQUIRE(sizes[i].nodes == 0 || b->node_count == sizes[i].nodes);
        check_weights(b);
        scene_destroy(s);
    }
}

// --- what the scenes show ------------------------------------------------------------------------------

static size_t pairs_between(const scene* s, uint32_t body_a, uint32_t body_b, uint32_t frame) {
    const scene_body* a = scene_get_body(s, body_a);
    const scene_body* b = scene_get_body(s, body_b);
    double* p = test_alloc(3 * (size_t)a->vertex_count, sizeof *p);
    double* q = test_alloc(3 * (size_t)b->vertex_count, sizeof *q);
    scene_positions(s, body_a, frame, p);
    scene_positions(s, body_b, frame, q);
    const size_t count = brute_collide(p, a->triangles, a->triangle_count, q, b->triangles,
                                       b->triangle_count, 0.0, abut__triangles_touch, NULL);
    free(p);
    free(q);
    return count;
}

// the probe is free at first and touches now and then; the brain moves far from its rest pose
static void test_brain_is_pulled_and_tapped(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 3; ++seed) {
        scene* s = scene_create("brain", 2000, 60, seed);
        assert_non_null(s);
        where("seed %u", seed);
        const scene_body* b = scene_get_body(s, 0);
        double* xyz = test_alloc(3 * (size_t)b->vertex_count, sizeof *xyz);
        double farthest = 0.0;
        uint32_t touching = 0;
        scene_positions(s, 0, 0, xyz);
        for (size_t k = 0; k < 3 * (size_t)b->vertex_count; ++k) {
            REQUIRE(fabs(xyz[k] - b->rest[k]) < 1e-6);
        }
        for (uint32_t f = 0; f < scene_frame_count(s); ++f) {
            scene_positions(s, 0, f, xyz);
            for (size_t k = 0; k < 3 * (size_t)b->vertex_count; ++k) {
                farthest = fmax(farthest, fabs(xyz[k] - b->rest[k]));
            }
            touching += pairs_between(s, 0, 1, f) > 0 ? 1 : 0;
        }
        REQUIRE(farthest > 0.4 && farthest < 1.5);
        REQUIRE(touching >= 5 && touching <= 40);
        free(xyz);
        scene_destroy(s);
    }
}

static uint32_t touching_fish(scene_contact contact) {
    scene* s = scene_create_with("fishes", &(scene_options){.triangles = effort(400, 1000, 1000),
                                                            .frames = 5,
                                                            .seed = 1,
                                                            .contact = contact});
    assert_non_null(s);
    const scene_body* first = scene_get_body(s, 0);
    assert_int_equal(scene_body_count(s), 24);
    uint32_t touching = 0;
    for (uint32_t a = 0; a < 24; ++a) {
        const scene_body* b = scene_get_body(s, a);
        assert_true(b->rest == first->rest && b->triangles == first->triangles);
        assert_true(b->weights == first->weights && b->weight_nodes == first->weight_nodes &&
                    b->weight_first == first->weight_first);
        for (uint32_t other = 0; other < a; ++other) {
            for (uint32_t f = 0; f < 5; ++f) {
                touching += pairs_between(s, a, other, f) > 0 ? 1 : 0;
            }
        }
    }
    scene_destroy(s);
    return touching;
}

static void test_fishes_touch_as_requested(void** state) {
    (void)state;
    const uint32_t some = touching_fish(SCENE_CONTACT_SMALL);
    assert_int_equal(touching_fish(SCENE_CONTACT_NONE), 0);
    assert_in_range(some, 3, 5 * 12);
    assert_true(touching_fish(SCENE_CONTACT_LARGE) > 2 * some);
}

// The transforms of a fish are the gradient of one smooth motion: where nodes are dense, all nodes
// around a vertex move it to nearly the same place.
static void test_fishes_bend_smoothly(void** state) {
    (void)state;
    scene* s = scene_create_with(
        "fishes", &(scene_options){.triangles = 2000, .frames = 8, .seed = 1, .nodes = 2000});
    assert_non_null(s);
    const scene_body* b = scene_get_body(s, 0);
    double* t = test_alloc(12 * (size_t)b->node_count, sizeof *t);
    for (uint32_t f = 0; f < 8; ++f) {
        scene_transforms(s, 0, f, t);
        for (uint32_t k = 0; k < 3 * b->vertex_count; ++k) {
            const double* p = b->rest + k / 3 * 3;
            double low = 10.0;
            double high = -10.0;
            for (uint32_t i = b->weight_first[k / 3]; i < b->weight_first[k / 3 + 1]; ++i) {
                const double* row = t + 12 * (size_t)b->weight_nodes[i] + 4 * (k % 3);
                const double to = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
                low = b->weights[i] > 0.02f ? fmin(low, to) : low;
                high = b->weights[i] > 0.02f ? fmax(high, to) : high;
            }
            assert_true(high - low < 0.004);
        }
    }
    free(t);
    scene_destroy(s);
}

// --- gradients -----------------------------------------------------------------------------------------

static bool in_ball(const void* user, const double p[3]) {
    (void)user;
    return p[0] * p[0] + p[1] * p[1] + p[2] * p[2] < 1.0;
}

static const meshless_region ball = {in_ball, NULL, {-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};

static void make_ball(scene* s, uint32_t nodes, uint32_t seed, meshless* m) {
    scene_mesh mesh;
    assert_true(scene__sphere(s, &mesh, 6));
    assert_true(scene__meshless(s, &ball, &mesh, nodes, seed, m));
    assert_int_equal(m->node_count, nodes);
}

static void test_nodes_are_spread_evenly(void** state) {
    (void)state;
    scene s = {0};
    meshless m;
    make_ball(&s, 120, 1, &m);
    for (size_t i = 0; i < m.node_count; ++i) {
        double nearest = 10.0;
        uint32_t reached = 0;
        for (size_t j = 0; j < m.node_count; ++j) {
            double square = 0.0;
            for (size_t d = 0; d < 3; ++d) {
                const double off = m.place[3 * i + d] - m.place[3 * j + d];
                square += off * off;
            }
            nearest = j != i ? fmin(nearest, sqrt(square)) : nearest;
            reached += j != i && sqrt(square) < m.reach[i] ? 1 : 0;
        }
        assert_true(nearest > 0.2 && nearest < 0.6);
        assert_in_range(reached, 8, 40);
    }
    scene__free_all(&s);
}

// u = a x + b: each node finds a, and its transform is the motion itself
static void test_gradients_of_affine_motions_are_exact(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 5; ++seed) {
        scene s = {0};
        meshless m;
        double a[12];
        make_ball(&s, 50 + 40 * seed, seed, &m);
        for (uint32_t k = 0; k < 12; ++k) {
            a[k] = scene__random_in(seed, 900 + k, -2.0, 2.0);
        }
        double* u = test_alloc(3 * (size_t)m.node_count, sizeof *u);
        double* t = test_alloc(12 * (size_t)m.node_count, sizeof *t);
        for (size_t i = 0; i < 3 * (size_t)m.node_count; ++i) {
            const double* x = m.place + i / 3 * 3;
            const double* row = a + 4 * (i % 3);
            u[i] = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3];
        }
        assert_true(scene__meshless_transforms(&m, u, t));
        for (size_t i = 0; i < 12 * (size_t)m.node_count; ++i) {
            const double wanted = a[i % 12] + (i % 12 % 5 == 0 ? 1.0 : 0.0);
            assert_true(fabs(t[i] - wanted) < 1e-11);
        }
        free(u);
        free(t);
        scene__free_all(&s);
    }
}

// --- elastic motion --------------------------------------------------------------------------------------

static const elastic_def rubber = {
    .density = 1.3, .stretch = 0.4, .shear = 0.7, .volume = 0.5, .damping = 0.8};

typedef struct soft_ball {
    scene scratch;
    meshless m;
    elastic e;
    size_t numbers;
} soft_ball;

static void make_soft(soft_ball* b, uint32_t seed) {
    *b = (soft_ball){0};
    make_ball(&b->scratch, 80, seed, &b->m);
    assert_true(scene__elastic(&b->scratch, &b->m, &rubber, &b->e));
    b->numbers = 3 * (size_t)b->m.node_count;
}

static void shake(double* x, size_t count, uint32_t seed, double size) {
    for (uint32_t i = 0; i < count; ++i) {
        x[i] += scene__random_in(seed, 3000 + i, -size, size);
    }
}

// the neighbours are all nodes within the support, and their slopes give the oracle's gradient
static void check_slopes(const elastic* e, const double* u, uint32_t node) {
    const meshless* m = e->body;
    const mls_oracle brute = {m->node_count, m->place, m->reach};
    double wanted[3][3];
    double got[3][3] = {{0.0}};
    uint32_t at = e->first[node];
    for (uint32_t j = 0; j < m->node_count; ++j) {
        const double* from = m->place + 3 * (size_t)node;
        const double* to = m->place + 3 * (size_t)j;
        const double gap = hypot(hypot(to[0] - from[0], to[1] - from[1]), to[2] - from[2]);
        if (j == node || gap >= m->reach[node]) {
            continue;
        }
        REQUIRE(at < e->first[node + 1] && e->neighbours[at] == j);
        for (size_t k = 0; k < 9; ++k) {
            const double step = u[3 * (size_t)j + k / 3] - u[3 * (size_t)node + k / 3];
            got[k / 3][k % 3] += step * e->slopes[3 * (size_t)at + k % 3];
        }
        at += 1;
    }
    REQUIRE(at == e->first[node + 1]);
    mls_oracle_gradient(&brute, u, node, wanted);
    for (int k = 0; k < 9; ++k) {
        REQUIRE(fabs(got[k / 3][k % 3] - wanted[k / 3][k % 3]) < 1e-12);
    }
}

static void test_slopes_give_the_gradient(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 4; ++seed) {
        where("seed %u", seed);
        soft_ball b;
        make_soft(&b, seed);
        for (size_t i = 0; i < b.numbers; ++i) {
            REQUIRE(b.e.u[i] == 0.0);
        }
        shake(b.e.u, b.numbers, seed, 1.0);
        for (uint32_t i = 0; i < b.m.node_count; ++i) {
            check_slopes(&b.e, b.e.u, i);
        }
        scene__free_all(&b.scratch);
    }
}

static void test_rigid_motions_cause_no_force(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 4; ++seed) {
        soft_ball b;
        double r[3][3];
        make_soft(&b, seed);
        scene__rotation((const double[3]){0.6, 0.0, 0.8}, 0.7 * (double)seed, r);
        for (size_t i = 0; i < b.numbers; ++i) {
            const double* x = b.m.place + i / 3 * 3;
            const size_t d = i % 3;
            b.e.u[i] = r[d][0] * x[0] + r[d][1] * x[1] + r[d][2] * x[2] - x[d] + (double)d;
        }
        assert_true(scene__elastic_forces(&b.e, b.e.u, b.e.force) < 1e-20);
        for (size_t i = 0; i < b.numbers; ++i) {
            assert_true(fabs(b.e.force[i]) < 1e-11);
        }
        scene__free_all(&b.scratch);
    }
}

// forces against finite differences of the energy
static void test_forces_are_the_gradient_of_the_energy(void** state) {
    (void)state;
    soft_ball b;
    make_soft(&b, 2);
    shake(b.e.u, b.numbers, 7, 0.1);
    double* other = test_alloc(b.numbers, sizeof *other);
    scene__elastic_forces(&b.e, b.e.u, b.e.force);
    double most = 0.0;
    for (size_t i = 0; i < b.numbers; ++i) {
        most = fmax(most, fabs(b.e.force[i]));
    }
    for (size_t i = 0; i < b.numbers; i += 7) {
        const double at = b.e.u[i];
        const double step = 1e-5;
        b.e.u[i] = at + step;
        const double above = scene__elastic_forces(&b.e, b.e.u, other);
        b.e.u[i] = at - step;
        const double below = scene__elastic_forces(&b.e, b.e.u, other);
        b.e.u[i] = at;
        assert_true(fabs(b.e.force[i] + (above - below) / (2.0 * step)) < 1e-6 * most);
    }
    free(other);
    scene__free_all(&b.scratch);
}

// momentum (3) and angular momentum (3) of the nodes where they are
static void momenta(const elastic* e, double out[6]) {
    memset(out, 0, 6 * sizeof *out);
    for (size_t i = 0; i < e->body->node_count; ++i) {
        for (size_t d = 0; d < 3; ++d) {
            const size_t k = (d + 1) % 3;
            const size_t l = (d + 2) % 3;
            const double* v = e->v + 3 * i;
            const double y = e->body->place[3 * i + k] + e->u[3 * i + k];
            const double z = e->body->place[3 * i + l] + e->u[3 * i + l];
            out[d] += e->mass[i] * v[d];
            out[3 + d] += e->mass[i] * (y * v[l] - z * v[k]);
        }
    }
}

static void test_momentum_is_conserved(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 3; ++seed) {
        soft_ball b;
        double before[6];
        double after[6];
        make_soft(&b, seed);
        shake(b.e.u, b.numbers, seed, 0.05);
        shake(b.e.v, b.numbers, 50 + seed, 0.3);
        for (size_t i = 0; i < b.numbers; i += 3) {
            b.e.v[i] += 0.5;
            b.e.v[i + 1] += 0.4 * b.m.place[i];
        }
        momenta(&b.e, before);
        for (int k = 0; k < 400; ++k) {
            assert_true(scene__elastic_step(&b.e, NULL));
        }
        momenta(&b.e, after);
        for (int k = 0; k < 6; ++k) {
            assert_true(fabs(after[k] - before[k]) < 1e-10);
        }
        assert_true(fabs(before[0]) > 0.5 && fabs(before[5]) > 0.1);
        scene__free_all(&b.scratch);
    }
}

// the energy never grows beyond the error of a step, and is lost in the end
static void test_energy_is_bounded_and_lost(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= effort(1, 3, 3); ++seed) {
        soft_ball b;
        make_soft(&b, seed);
        for (size_t i = 0; i < b.numbers; ++i) {  // stretched by half, and compressed
            b.e.u[i] = (i % 3 == 0 ? 0.5 : -0.2) * b.m.place[i];
        }
        shake(b.e.u, b.numbers, seed, 0.02);
        const double start = scene__elastic_forces(&b.e, b.e.u, b.e.force);
        double energy = start;
        for (int k = 0; k < 3000; ++k) {
            assert_true(scene__elastic_step(&b.e, NULL));
            energy = scene__elastic_forces(&b.e, b.e.u, b.e.force) + scene__elastic_kinetic(&b.e);
            assert_true(energy < 1.05 * start);
        }
        assert_true(energy < 0.1 * start);
        scene__free_all(&b.scratch);
    }
}

static void test_held_nodes_stay(void** state) {
    (void)state;
    soft_ball b;
    make_soft(&b, 1);
    double* outer = test_alloc(b.numbers, sizeof *outer);
    for (size_t i = 0; i < b.numbers; ++i) {
        outer[i] = i % 3 == 2 ? 0.05 * b.e.mass[i / 3] : 0.0;
        b.e.held[i / 3] = b.m.place[i / 3 * 3 + 2] < -0.5;
    }
    for (int k = 0; k < 200; ++k) {
        assert_true(scene__elastic_step(&b.e, outer));
    }
    for (size_t i = 2; i < b.numbers; i += 3) {
        assert_true((b.e.u[i] == 0.0) == b.e.held[i / 3]);
    }
    free(outer);
    scene__free_all(&b.scratch);
}

static void test_infinite_motion_is_refused(void** state) {
    (void)state;
    soft_ball b;
    make_soft(&b, 1);
    b.e.u[7] = INFINITY;
    assert_true(scene__elastic_forces(&b.e, b.e.u, b.e.force) == (double)INFINITY);
    assert_false(scene__elastic_step(&b.e, NULL));
    for (size_t i = 0; i < b.numbers; ++i) {
        assert_true(b.e.force[i] == 0.0 && b.e.u[i] == (i == 7 ? (double)INFINITY : 0.0));
    }
    scene__free_all(&b.scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_are_convex_and_sorted),
        cmocka_unit_test(test_influences_are_few),
        cmocka_unit_test(test_transforms_are_finite_and_move),
        cmocka_unit_test(test_positions_are_the_formula_bit_by_bit),
        cmocka_unit_test(test_sizes_are_those_of_the_paper),
        cmocka_unit_test(test_brain_is_pulled_and_tapped),
        cmocka_unit_test(test_fishes_touch_as_requested),
        cmocka_unit_test(test_fishes_bend_smoothly),
        cmocka_unit_test(test_nodes_are_spread_evenly),
        cmocka_unit_test(test_gradients_of_affine_motions_are_exact),
        cmocka_unit_test(test_slopes_give_the_gradient),
        cmocka_unit_test(test_rigid_motions_cause_no_force),
        cmocka_unit_test(test_forces_are_the_gradient_of_the_energy),
        cmocka_unit_test(test_momentum_is_conserved),
        cmocka_unit_test(test_energy_is_bounded_and_lost),
        cmocka_unit_test(test_held_nodes_stay),
        cmocka_unit_test(test_infinite_motion_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
