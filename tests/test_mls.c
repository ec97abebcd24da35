// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Point-based deformation. Affine motions are reproduced at all scales. Gradients and weights are
// those of an oracle that compares all nodes with all others. The tree of nodes answers like a
// search of all points. Flat neighbourhoods follow the settings. Errors name the bad input.

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "motion/node_tree.h"
#include "scenes/meshless.h"
#include "support/memory.h"
#include "support/mls_oracle.h"
#include "support/threads.h"
#include "support/world.h"

#define SEEDS 6

static abut_context* context;

static int make_context(void** state) {
    (void)state;
    return abut_context_create(NULL, &context, NULL) == ABUT_OK ? 0 : -1;
}

static int destroy_context(void** state) {
    (void)state;
    abut_context_destroy(context);
    return 0;
}

// --- nodes to try -------------------------------------------------------------------------------------

typedef struct node_set {
    uint32_t count;
    double* xyz;
    double* u;
    double* transforms;
} node_set;

static node_set nodes_alloc(uint32_t count) {
    return (node_set){count, test_alloc(3 * (size_t)count, sizeof(double)),
                      test_alloc(3 * (size_t)count, sizeof(double)),
                      test_alloc(12 * (size_t)count, sizeof(double))};
}

static void nodes_free(node_set* n) {
    free(n->xyz);
    free(n->u);
    free(n->transforms);
}

// anywhere in a cube of this size around a point
static node_set nodes_scattered(test_random* random, uint32_t count, double size, double offset) {
    node_set n = nodes_alloc(count);
    for (size_t i = 0; i < 3 * (size_t)count; ++i) {
        n.xyz[i] = offset + random_double(random, -0.5 * size, 0.5 * size);
    }
    return n;
}

static abut_mls* mls_of(const node_set* n, const double* radii, abut_mls_flat flat) {
    abut_mls* mls = NULL;
    abut_error error = {0};
    abut_mls_def def = abut_mls_def_default();
    def.nodes = abut_positions_f64(n->xyz, n->count);
    def.radii = radii;
    def.flat = flat;
    if (abut_mls_create(context, &def, &mls, &error) != ABUT_OK) {
        fail_msg("%s: %s", where_text(), error.message);
    }
    REQUIRE(abut_mls_node_count(mls) == n->count);
    return mls;
}

// displaces all nodes by u = (a - 1) x + b; `a` has rows with b behind them
static void displace(node_set* n, const double a[12]) {
    for (size_t i = 0; i < 3 * (size_t)n->count; ++i) {
        const double* x = n->xyz + i / 3 * 3;
        const double* row = a + 4 * (i % 3);
        n->u[i] = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3] - x[i % 3];
    }
}

static void transform(const abut_mls* mls, node_set* n) {
    REQUIRE_OK(abut_mls_transforms(mls, abut_positions_f64(n->u, n->count), n->transforms, NULL));
}

// each node has the transform a; the shift is right within `error` times the size
static void require_transforms(const node_set* n, const double a[12], double size, double error) {
    for (size_t i = 0; i < 12 * (size_t)n->count; ++i) {
        const double scale = i % 4 == 3 ? size : 1.0;
        REQUIRE(fabs(n->transforms[i] - a[i % 12]) <= error * scale);
    }
}

static void random_affine(test_random* random, double size, double a[12]) {
    for (int k = 0; k < 12; ++k) {
        a[k] = random_double(random, -2.0, 2.0) * (k % 4 == 3 ? size : 1.0);
    }
}

static void random_rigid(test_random* random, double size, double a[12]) {
    const abut_frame frame = frame_random(random, size);
    for (int k = 0; k < 12; ++k) {
        a[k] = k % 4 == 3 ? frame.t[k / 4] : frame.r[k / 4][k % 4];
    }
}

// --- motions that must be reproduced
// -------------------------------------------------------------------

static void test_affine_motions_are_reproduced(void** state) {
    (void)state;
    static const double sizes[] = {1.0, 1e-3, 1e5, 1e-120, 1e120, 1e-290, 1e290};
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
            where("seed %u, size %g", (unsigned)seed, sizes[k]);
            test_random random = random_seed(seed);
            node_set n = nodes_scattered(&random, 20 + random_below(&random, 300), sizes[k], 0.0);
            abut_mls* mls = mls_of(&n, NULL, ABUT_MLS_FLAT_REFUSE);
            for (int rigid = 0; rigid < 2; ++rigid) {
                double a[12];
                (rigid != 0 ? random_rigid : random_affine)(&random, sizes[k], a);
                displace(&n, a);
                transform(mls, &n);
                require_transforms(&n, a, sizes[k], 1e-11);
            }
            abut_mls_destroy(mls);
            nodes_free(&n);
        }
    }
}

// a body far from the origin: displacements have the rounding error of positions, and no more
static void test_bodies_far_away(void** state) {
    (void)state;
    test_random random = random_seed(3);
    node_set n = nodes_scattered(&random, 150, 1.0, 1000.0);
    abut_mls* mls = mls_of(&n, NULL, ABUT_MLS_FLAT_REFUSE);
    double a[12];
    random_rigid(&random, 10.0, a);
    displace(&n, a);
    transform(mls, &n);
    for (size_t i = 0; i < n.count; ++i) {
        const double* t = n.transforms + 12 * i;
        for (size_t d = 0; d < 3; ++d) {
            const double* x = n.xyz + 3 * i;
            const double moved = t[4 * d] * x[0] + t[4 * d + 1] * x[1] + t[4 * d + 2] * x[2] +
                                 t[4 * d + 3];
            REQUIRE(fabs(moved - x[d] - n.u[3 * i + d]) < 1e-11);
            REQUIRE(fabs(t[4 * d] - a[4 * d]) < 1e-10);
        }
    }
    abut_mls_destroy(mls);
    nodes_free(&n);
}

// exact to the last bit
static void test_translations_are_exact(void** state) {
    (void)state;
    test_random random = random_seed(4);
    node_set n = nodes_scattered(&random, 90, 3.0, 1.0);
    for (int flat = 0; flat < 2; ++flat) {
        abut_mls* mls = mls_of(&n, NULL, (abut_mls_flat)flat);
        for (size_t i = 0; i < 3 * (size_t)n.count; ++i) {
            n.u[i] = i % 3 == 0 ? 0.1 : i % 3 == 1 ? -7.3 : 1e9;
        }
        transform(mls, &n);
        for (size_t i = 0; i < 12 * (size_t)n.count; ++i) {
            const size_t e = i % 12;
            REQUIRE(n.transforms[i] == (e % 4 == 3 ? n.u[e / 4] : e % 5 == 0 ? 1.0 : 0.0));
        }
        abut_mls_destroy(mls);
    }
    nodes_free(&n);
}

static void test_layouts_are_the_same(void** state) {
    (void)state;
    enum { COUNT = 40 };
    test_random random = random_seed(5);
    node_set n = nodes_scattered(&random, COUNT, 1.0, 0.0);
    float narrow[4 * COUNT];
    float narrow_u[5 * COUNT];
    for (size_t i = 0; i < COUNT; ++i) {
        for (size_t d = 0; d < 3; ++d) {
            narrow[4 * i + d] = (float)n.xyz[3 * i + d];
            n.xyz[3 * i + d] = (double)narrow[4 * i + d];
            narrow_u[5 * i + d] = (float)random_unit(&random);
            n.u[3 * i + d] = (double)narrow_u[5 * i + d];
        }
        narrow[4 * i + 3] = narrow_u[5 * i + 3] = narrow_u[5 * i + 4] = NAN;  // padding
    }
    abut_mls* wide = mls_of(&n, NULL, ABUT_MLS_FLAT_MINIMAL);
    abut_mls* mls = NULL;
    abut_mls_def def = abut_mls_def_default();
    def.nodes = (abut_positions){narrow, COUNT, 4 * sizeof(float), ABUT_SCALAR_F32};
    REQUIRE_OK(abut_mls_create(context, &def, &mls, NULL));
    double transforms[12 * COUNT];
    REQUIRE_OK(abut_mls_transforms(
        mls, (abut_positions){narrow_u, COUNT, 5 * sizeof(float), ABUT_SCALAR_F32}, transforms,
        NULL));
    transform(wide, &n);
    REQUIRE(memcmp(transforms, n.transforms, sizeof transforms) == 0);
    abut_mls_destroy(mls);
    abut_mls_destroy(wide);
    nodes_free(&n);
}

// --- against brute force ----------------------------------------------------------------------------------

static bool in_ball(const void* user, const double p[3]) {
    (void)user;
    return p[0] * p[0] + p[1] * p[1] + p[2] * p[2] < 1.0;
}

static void check_weights(const mls_oracle* o, const scene_mesh* mesh, abut_weights got) {
    double* wanted = test_alloc(o->node_count, sizeof *wanted);
    REQUIRE(got.node_count == o->node_count && got.type == ABUT_SCALAR_F32 && !got.normalise);
    REQUIRE(got.first[0] == 0);
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        const uint32_t found = mls_oracle_weights(o, mesh->rest + 3 * v, wanted);
        double sum = 0.0;
        REQUIRE(got.first[v + 1] - got.first[v] == found);
        for (uint32_t i = got.first[v]; i < got.first[v + 1]; ++i) {
            const double value = (double)((const float*)got.values)[i];
            REQUIRE(i == got.first[v] || got.nodes[i - 1] < got.nodes[i]);
            REQUIRE(wanted[got.nodes[i]] > 0.0);
            REQUIRE(fabs(value - wanted[got.nodes[i]]) <= 1.2e-7 * value + 1e-12);
            sum += value;
        }
        REQUIRE(fabs(sum - 1.0) < 1e-6);
    }
    free(wanted);
}

static void check_transforms(const mls_oracle* o, const node_set* n) {
    const size_t numbers = 12 * (size_t)n->count;
    double* wanted = test_alloc(numbers, sizeof *wanted);
    double most = 0.0;
    mls_oracle_transforms(o, n->u, wanted);
    for (size_t i = 0; i < numbers; ++i) {
        most = fmax(most, fabs(wanted[i]));
    }
    for (size_t i = 0; i < numbers; ++i) {
        REQUIRE(fabs(n->transforms[i] - wanted[i]) <= 1e-12 * most);
    }
    free(wanted);
}

static void test_agrees_with_brute_force(void** state) {
    (void)state;
    static const meshless_region ball = {in_ball, NULL, {-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
    for (uint32_t seed = 1; seed <= SEEDS; ++seed) {
        where("seed %u", seed);
        scene s = {0};
        scene_mesh mesh;
        meshless m;
        test_random random = random_seed(seed);
        REQUIRE(scene__sphere(&s, &mesh, 8 + seed));
        REQUIRE(scene__meshless(&s, &ball, &mesh, 70 * seed, seed, &m));
        for (uint32_t i = 0; i < m.node_count; ++i) {  // supports of different sizes
            m.reach[i] *= random_double(&random, 1.0, 1.5);
        }
        const mls_oracle brute = {m.node_count, m.place, m.reach};
        node_set n = nodes_alloc(m.node_count);
        memcpy(n.xyz, m.place, 3 * (size_t)n.count * sizeof *n.xyz);
        for (size_t i = 0; i < 3 * (size_t)n.count; ++i) {
            n.u[i] = random_double(&random, -1.0, 1.0);
        }
        abut_mls* mls = mls_of(&n, m.reach, ABUT_MLS_FLAT_REFUSE);
        transform(mls, &n);
        check_transforms(&brute, &n);
        abut_mls_weights* made = NULL;
        REQUIRE_OK(abut_mls_weights_create(mls, abut_positions_f64(mesh.rest, mesh.vertex_count),
                                           &made, NULL));
        check_weights(&brute, &mesh, abut_mls_weights_view(made));
        abut_mls_weights_destroy(made);
        abut_mls_destroy(mls);
        nodes_free(&n);
        scene__free_all(&s);
    }
}

// the oracle in a plane: the gradient along it is right, and the gradient across it is zero
static void test_brute_force_in_a_plane(void** state) {
    (void)state;
    enum { SIDE = 5, NODES = SIDE * SIDE };
    double place[3 * NODES];
    double reach[NODES];
    double u[3 * NODES];
    for (size_t i = 0; i < NODES; ++i) {
        place[3 * i] = (double)(i % SIDE);
        place[3 * i + 1] = (double)(i / SIDE);
        place[3 * i + 2] = 2.0;
        reach[i] = 1.8;
        u[3 * i] = 0.0;
        u[3 * i + 1] = 0.5 * place[3 * i];
        u[3 * i + 2] = place[3 * i + 1];
    }
    const mls_oracle brute = {NODES, place, reach};
    for (uint32_t i = 0; i < NODES; ++i) {
        const double wanted[3][3] = {{0.0, 0.0, 0.0}, {0.5, 0.0, 0.0}, {0.0, 1.0, 0.0}};
        double g[3][3];
        mls_oracle_gradient(&brute, u, i, g);
        for (int e = 0; e < 9; ++e) {
            REQUIRE(fabs(g[e / 3][e % 3] - wanted[e / 3][e % 3]) < 1e-12);
        }
    }
}

// --- the tree of nodes -----------------------------------------------------------------------------------

// clusters, many points in one place, and points far away
static void hostile_places(test_random* random, uint32_t count, double* xyz) {
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t kind = random_below(random, 5);
        for (size_t d = 0; d < 3; ++d) {
            const double unit = random_double(random, -1.0, 1.0);
            xyz[3 * (size_t)i + d] = kind == 0   ? unit
                                     : kind == 1 ? 0.25
                                     : kind == 2 ? 3.0 + 1e-9 * unit
                                     : kind == 3 ? random_dyadic(random, 1.0, 0.25)
                                                 : (d == 0 ? 50.0 * unit : 0.0);
        }
    }
}

static int compare_doubles(const void* left, const void* right) {
    const double l = *(const double*)left;
    const double r = *(const double*)right;
    return (l > r) - (l < r);
}

// distances to all points at other places, sorted
static double brute_distance(const abut__node_tree* tree, const double p[3], uint32_t k) {
    double* squares = test_alloc(tree->count, sizeof *squares);
    uint32_t found = 0;
    for (uint32_t i = 0; i < tree->count; ++i) {
        const double* q = tree->places + 3 * (size_t)i;
        const double x = p[0] - q[0];
        const double y = p[1] - q[1];
        const double z = p[2] - q[2];
        const double square = x * x + y * y + z * z;
        if (square > 0.0) {
            squares[found++] = square;
        }
    }
    qsort(squares, found, sizeof *squares, compare_doubles);
    const double answer = found == 0 ? 0.0 : sqrt(squares[k < found ? k - 1 : found - 1]);
    free(squares);
    return answer;
}

static void check_within(const abut__node_tree* tree, const double p[3], double radius,
                         uint32_t* room) {
    const uint32_t found = abut__node_tree_within(tree, p, radius, room);
    uint32_t at = 0;
    REQUIRE(abut__node_tree_within(tree, p, radius, NULL) == found);
    for (uint32_t i = 0; i < tree->count; ++i) {
        const double* q = tree->places + 3 * (size_t)i;
        const double shrink = 1.0 / (radius > 0.0 ? radius : tree->reaches[i]);
        const double x = (p[0] - q[0]) * shrink;
        const double y = (p[1] - q[1]) * shrink;
        const double z = (p[2] - q[2]) * shrink;
        if (x * x + y * y + z * z < 1.0) {
            REQUIRE(at < found && room[at] == i);
            at += 1;
        }
    }
    REQUIRE(at == found);
}

static void test_tree_answers_as_all_points_would(void** state) {
    (void)state;
    static const uint32_t counts[] = {1, 2, 8, 9, 17, 100, 1000};
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
            where("seed %u, %u points", (unsigned)seed, counts[c]);
            test_random random = random_seed(seed);
            const uint32_t count = counts[c];
            double* places = test_alloc(3 * (size_t)count, sizeof *places);
            double* reaches = test_alloc(count, sizeof *reaches);
            uint32_t* room = test_alloc(count, sizeof *room);
            double near[20];
            abut__node_tree tree;
            hostile_places(&random, count, places);
            REQUIRE(abut__node_tree_make(context, places, reaches, count, &tree));
            for (uint32_t i = 0; i < count; ++i) {
                reaches[i] = pow(10.0, random_double(&random, -3.0, 1.0));
            }
            abut__node_tree_set_reaches(&tree);
            for (int ask = 0; ask < 60; ++ask) {
                double p[3];
                hostile_places(&random, 1, p);
                check_within(&tree, p, 0.0, room);
                check_within(&tree, p, pow(10.0, random_double(&random, -3.0, 1.0)), room);
                const uint32_t k = 1 + random_below(&random, 20);
                REQUIRE(abut__node_tree_distance(&tree, p, k, near) == brute_distance(&tree, p, k));
            }
            abut__node_tree_free(context, &tree);
            free(places);
            free(reaches);
            free(room);
        }
    }
}

static void test_radii_are_chosen_or_given(void** state) {
    (void)state;
    test_random random = random_seed(8);
    node_set n = nodes_scattered(&random, 200, 2.0, 5.0);
    double radii[200] = {0};
    radii[7] = 0.75;
    abut_mls* mls = mls_of(&n, radii, ABUT_MLS_FLAT_MINIMAL);
    const abut__node_tree all = {.count = 200, .places = n.xyz};
    for (uint32_t i = 0; i < 200; ++i) {
        const double wanted = i == 7 ? 0.75 : 1.2 * brute_distance(&all, n.xyz + 3 * i, 12);
        REQUIRE(fabs(abut_mls_radii(mls)[i] - wanted) <= 1e-14 * wanted);
    }
    abut_mls_destroy(mls);
    nodes_free(&n);
}

// --- flat neighbourhoods ------------------------------------------------------------------------------------

// nodes on a plane (2), a line (1) or in a point (0), rotated at random
static node_set nodes_flat(test_random* random, uint32_t dimensions, uint32_t count,
                           abut_frame* frame) {
    node_set n = nodes_alloc(count);
    *frame = frame_random(random, 2.0);
    for (size_t i = 0; i < count; ++i) {
        const double x = dimensions > 0 ? random_double(random, -1.0, 1.0) : 0.0;
        const double y = dimensions > 1 ? random_double(random, -1.0, 1.0) : 0.0;
        for (size_t d = 0; d < 3; ++d) {
            n.xyz[3 * i + d] = frame->r[d][0] * x + frame->r[d][1] * y + frame->t[d];
        }
    }
    return n;
}

// along the plane or line of the nodes the transform is the motion; across it, it does not move
static void test_flat_nodes_have_the_least_gradient(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        for (uint32_t dimensions = 0; dimensions < 3; ++dimensions) {
            where("seed %u, %u dimensions", (unsigned)seed, dimensions);
            test_random random = random_seed(seed);
            abut_frame frame;
            double radii[60];
            double a[12];
            node_set n = nodes_flat(&random, dimensions, 60, &frame);
            for (int i = 0; i < 60; ++i) {
                radii[i] = 0.8;
            }
            abut_mls* mls = mls_of(&n, radii, ABUT_MLS_FLAT_MINIMAL);
            random_affine(&random, 1.0, a);
            displace(&n, a);
            transform(mls, &n);
            for (uint32_t k = 0; k < 36 * 60; ++k) {
                const double* row = n.transforms + 12 * (size_t)(k / 36) + 4 * (size_t)(k % 3);
                const uint32_t axis = k / 3 % 3;
                double got = 0.0;
                double wanted = 0.0;
                for (size_t d = 0; d < 3; ++d) {
                    got += row[d] * frame.r[d][axis];
                    wanted += a[4 * (k % 3) + d] * frame.r[d][axis];
                }
                REQUIRE(fabs(got - (axis < dimensions ? wanted : frame.r[k % 3][axis])) < 1e-9);
            }
            abut_mls_destroy(mls);
            nodes_free(&n);
        }
    }
}

// a sheet that rotates is rotated; around a line the result is the least rotation that fits
static void test_flat_nodes_rotate(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        test_random random = random_seed(seed);
        abut_frame frame;
        double a[12];
        where("seed %u", (unsigned)seed);
        node_set n = nodes_flat(&random, 2, 80, &frame);
        abut_mls* mls = mls_of(&n, NULL, ABUT_MLS_FLAT_ROTATE);
        random_rigid(&random, 1.0, a);
        displace(&n, a);
        transform(mls, &n);
        require_transforms(&n, a, 3.0, 1e-9);
        abut_mls_destroy(mls);
        nodes_free(&n);

        n = nodes_flat(&random, 1, 80, &frame);
        mls = mls_of(&n, NULL, ABUT_MLS_FLAT_ROTATE);
        for (int half = 0; half < 2; ++half) {
            random_rigid(&random, 1.0, a);
            for (size_t e = 0; e < 12 && half == 1; ++e) {  // point reflection: half a turn
                a[e] = e % 5 == 0 && e % 4 != 3 ? -1.0 : 0.0;
            }
            displace(&n, a);
            transform(mls, &n);
            for (size_t i = 0; i < n.count; ++i) {
                const double* t = n.transforms + 12 * i;
                const double line[3] = {frame.r[0][0], frame.r[1][0], frame.r[2][0]};
                for (size_t d = 0; d < 3; ++d) {
                    const double to = t[4 * d] * line[0] + t[4 * d + 1] * line[1] +
                                      t[4 * d + 2] * line[2];
                    const double wanted = a[4 * d] * line[0] + a[4 * d + 1] * line[1] +
                                          a[4 * d + 2] * line[2];
                    REQUIRE(fabs(to - wanted) < 1e-9);
                    for (size_t e = 0; e < 3; ++e) {
                        const double dot = t[4 * d] * t[4 * e] + t[4 * d + 1] * t[4 * e + 1] +
                                           t[4 * d + 2] * t[4 * e + 2];
                        REQUIRE(fabs(dot - (d == e ? 1.0 : 0.0)) < 1e-9);
                    }
                }
                const double det = t[0] * (t[5] * t[10] - t[6] * t[9]) -
                                   t[1] * (t[4] * t[10] - t[6] * t[8]) +
                                   t[2] * (t[4] * t[9] - t[5] * t[8]);
                REQUIRE(det > 0.9);
            }
        }
        abut_mls_destroy(mls);
        nodes_free(&n);
    }
}

// --- refusals -----------------------------------------------------------------------------------------------

static void require_refused(const abut_mls_def* def, abut_status status, abut_element element,
                            uint64_t index) {
    abut_error error;
    abut_mls* mls = NULL;
    memset(&error, 0x5a, sizeof error);
    REQUIRE(abut_mls_create(context, def, &mls, &error) == status && mls == NULL);
    REQUIRE(error.status == status && error.element == element);
    REQUIRE(element == ABUT_ELEMENT_NONE || error.index == index);
    REQUIRE(strlen(error.message) > 10 && strlen(error.message) < sizeof error.message);
    REQUIRE(abut_mls_create(context, def, &mls, NULL) == status);
}

static void test_nodes_refused(void** state) {
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    test_random random = random_seed(9);
    node_set n = nodes_scattered(&random, 30, 1.0, 0.0);
    double radii[30] = {0};
    abut_mls_def def = abut_mls_def_default();
    def.nodes = abut_positions_f64(n.xyz, n.count);
    def.radii = radii;
    for (size_t k = 0; k < 3; ++k) {
        where("bad value %zu", k);
        n.xyz[3 * 11 + k] = bad[k];
        require_refused(&def, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NODE, 11);
        n.xyz[3 * 11 + k] = 0.5;
        radii[29] = bad[k];
        require_refused(&def, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NODE, 29);
        radii[29] = 0.0;
    }
    radii[3] = -1e-300;
    require_refused(&def, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NODE, 3);
    radii[3] = 1e-300;  // reaches no other node: fine, unless the settings refuse it
    def.flat = ABUT_MLS_FLAT_REFUSE;
    require_refused(&def, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NODE, 3);
    radii[3] = 0.0;
    def.nodes.count = 3;  // three are always in a plane
    require_refused(&def, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NODE, 0);
    def.flat = ABUT_MLS_FLAT_MINIMAL;
    def.nodes.count = 1;
    require_refused(&def, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NODE, 0);
    memset(n.xyz, 0, 90 * sizeof *n.xyz);
    def.nodes.count = 30;
    require_refused(&def, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NODE, 0);
    nodes_free(&n);
}

static void test_settings_refused(void** state) {
    (void)state;
    const double xyz[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    abut_mls* mls = NULL;
    abut_mls_def good = abut_mls_def_default();
    good.nodes = abut_positions_f64(xyz, 4);
    REQUIRE(good.neighbours == 12 && good.radii == NULL && good.flat == ABUT_MLS_FLAT_MINIMAL);
    abut_mls_def def = good;
    def.cookie = 0;
    require_refused(&def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    def = good;
    def.nodes.count = 0;
    require_refused(&def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    def.nodes.count = 65536;
    require_refused(&def, ABUT_ERR_LIMIT, ABUT_ELEMENT_NONE, 0);
    def = good;
    def.nodes.data = NULL;
    require_refused(&def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    def = good;
    def.nodes.stride = 7;
    require_refused(&def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    def = good;
    def.neighbours = 0;
    require_refused(&def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    def.neighbours = 1001;
    require_refused(&def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    def = good;
    def.flat = (abut_mls_flat)3;
    require_refused(&def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    REQUIRE_STATUS(abut_mls_create(NULL, &good, &mls, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_mls_create(context, NULL, &mls, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_mls_create(context, &good, NULL, NULL), ABUT_ERR_INVALID_ARGUMENT);
    abut_mls_destroy(NULL);
    abut_mls_weights_destroy(NULL);
}

static void require_error(abut_status got, const abut_error* error, abut_status wanted,
                          abut_element element, uint64_t index) {
    REQUIRE(got == wanted && error->status == wanted && error->element == element);
    REQUIRE(element == ABUT_ELEMENT_NONE || error->index == index);
}

static void test_displacements_refused(void** state) {
    (void)state;
    test_random random = random_seed(10);
    node_set n = nodes_scattered(&random, 25, 1.0, 0.0);
    abut_mls* mls = mls_of(&n, NULL, ABUT_MLS_FLAT_MINIMAL);
    abut_error error;
    memset(n.u, 0, 75 * sizeof *n.u);
    abut_positions u = abut_positions_f64(n.u, 25);
    for (size_t d = 0; d < 3; ++d) {
        n.u[3 * 24 + d] = d == 1 ? INFINITY : NAN;
        require_error(abut_mls_transforms(mls, u, n.transforms, &error), &error,
                      ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NODE, 24);
        n.u[3 * 24 + d] = 0.0;
    }
    for (size_t i = 0; i < 75; ++i) {  // differences overflow
        n.u[i] = i / 3 % 2 == 0 ? DBL_MAX : -DBL_MAX;
    }
    require_error(abut_mls_transforms(mls, u, n.transforms, &error), &error, ABUT_ERR_INVALID_DATA,
                  ABUT_ELEMENT_NODE, 0);
    u.count = 24;
    require_error(abut_mls_transforms(mls, u, n.transforms, &error), &error,
                  ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    u.count = 25;
    REQUIRE_STATUS(abut_mls_transforms(NULL, u, n.transforms, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_mls_transforms(mls, u, NULL, NULL), ABUT_ERR_INVALID_ARGUMENT);
    u.data = NULL;
    REQUIRE_STATUS(abut_mls_transforms(mls, u, n.transforms, NULL), ABUT_ERR_INVALID_ARGUMENT);
    abut_mls_destroy(mls);
    nodes_free(&n);
}

static void test_vertices_refused(void** state) {
    (void)state;
    enum { VERTICES = 3000 };  // more than one task
    test_random random = random_seed(11);
    node_set n = nodes_scattered(&random, 100, 1.0, 0.0);
    node_set v = nodes_scattered(&random, VERTICES, 0.5, 0.0);
    abut_mls* mls = mls_of(&n, NULL, ABUT_MLS_FLAT_MINIMAL);
    abut_mls_weights* weights = NULL;
    abut_error error;
    abut_positions p = abut_positions_f64(v.xyz, VERTICES);
    static const double bad[] = {NAN, INFINITY, 1e300, 5.0, -DBL_MAX};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        where("bad value %zu", k);
        const double good = v.xyz[3 * 2900 + 1];
        v.xyz[3 * 2900 + 1] = bad[k];
        require_error(abut_mls_weights_create(mls, p, &weights, &error), &error,
                      ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, 2900);
        v.xyz[3 * 2900 + 1] = good;
    }
    p.count = 0;
    require_error(abut_mls_weights_create(mls, p, &weights, &error), &error,
                  ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    p.count = VERTICES;
    REQUIRE_STATUS(abut_mls_weights_create(NULL, p, &weights, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_mls_weights_create(mls, p, NULL, NULL), ABUT_ERR_INVALID_ARGUMENT);
    p.data = NULL;
    REQUIRE_STATUS(abut_mls_weights_create(mls, p, &weights, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE(weights == NULL);
    abut_mls_destroy(mls);
    nodes_free(&n);
    nodes_free(&v);
}

// radii of all sizes at once: weights stay convex, transforms finite
static void test_wild_radii(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        where("seed %u", (unsigned)seed);
        test_random random = random_seed(seed);
        node_set n = nodes_scattered(&random, 60, 1.0, 0.0);
        double radii[60];
        double a[12];
        for (int i = 0; i < 60; ++i) {
            radii[i] = i == 0 ? DBL_MAX : pow(10.0, random_double(&random, -307.0, 308.0));
        }
        abut_mls* mls = mls_of(&n, radii, ABUT_MLS_FLAT_MINIMAL);
        abut_mls_weights* weights = NULL;
        REQUIRE_OK(abut_mls_weights_create(mls, abut_positions_f64(n.xyz, 60), &weights, NULL));
        const abut_weights w = abut_mls_weights_view(weights);
        for (size_t v = 0; v < 60; ++v) {
            double sum = 0.0;
            for (uint32_t i = w.first[v]; i < w.first[v + 1]; ++i) {
                const double value = (double)((const float*)w.values)[i];
                REQUIRE(value >= 0.0 && value <= 1.0);
                sum += value;
            }
            REQUIRE(fabs(sum - 1.0) < 1e-6);
        }
        random_affine(&random, 1.0, a);
        displace(&n, a);
        transform(mls, &n);
        n.count = 1;  // the one that reaches all others
        require_transforms(&n, a, 1.0, 1e-10);
        abut_mls_weights_destroy(weights);
        abut_mls_destroy(mls);
        nodes_free(&n);
    }
}

// --- memory, threads, use -----------------------------------------------------------------------------------

// nodes, weights and transforms while allocation `refused` fails; true once none failed
static bool try_all(test_memory* memory, const node_set* n, size_t refused) {
    abut_context* own = NULL;
    abut_mls* mls = NULL;
    abut_mls_weights* weights = NULL;
    abut_error error;
    abut_context_def context_def = abut_context_def_default();
    context_def.allocator = memory_allocator(memory);
    REQUIRE_OK(abut_context_create(&context_def, &own, NULL));
    abut_mls_def def = abut_mls_def_default();
    def.nodes = abut_positions_f64(n->xyz, n->count);
    def.flat = ABUT_MLS_FLAT_ROTATE;
    memory_fail(memory, refused, false);
    abut_status status = abut_mls_create(own, &def, &mls, &error);
    if (status == ABUT_OK) {
        status = abut_mls_weights_create(mls, def.nodes, &weights, &error);
        const size_t calls = memory->calls;
        REQUIRE_OK(abut_mls_transforms(mls, def.nodes, n->transforms, NULL));
        REQUIRE(memory->calls == calls);
    }
    REQUIRE(status == ABUT_OK ||
            (status == ABUT_ERR_NO_MEMORY && error.status == ABUT_ERR_NO_MEMORY));
    const bool done = memory->refused == 0;
    REQUIRE(done == (status == ABUT_OK));
    memory->refused = 0;
    memory_fail(memory, 0, false);
    abut_mls_weights_destroy(weights);
    abut_mls_destroy(mls);
    abut_context_destroy(own);
    REQUIRE(memory_clean(memory));
    return done;
}

static void test_failed_allocations_leak_nothing(void** state) {
    (void)state;
    test_random random = random_seed(12);
    test_memory memory;
    node_set n = nodes_scattered(&random, 50, 1.0, 0.0);
    size_t refused = 1;
    memory_init(&memory);
    for (; !try_all(&memory, &n, refused); ++refused) {
        where("allocation %zu refused", refused);
    }
    REQUIRE(refused > 10);
    memory_destroy(&memory);
    nodes_free(&n);
}

static void test_threads_give_the_same_bits(void** state) {
    (void)state;
    enum { VERTICES = 5000 };
    test_random random = random_seed(13);
    test_threads* threads = threads_create(3, 5);
    abut_context_def context_def = abut_context_def_default();
    context_def.tasks = threads_tasks(threads);
    abut_context* own = NULL;
    REQUIRE_OK(abut_context_create(&context_def, &own, NULL));
    node_set n = nodes_scattered(&random, 100, 1.0, 0.0);
    node_set v = nodes_scattered(&random, VERTICES, 0.7, 0.0);
    abut_mls_weights* weights[2];
    abut_mls* mls[2];
    abut_weights w[2];
    for (int k = 0; k < 2; ++k) {
        abut_mls_def def = abut_mls_def_default();
        def.nodes = abut_positions_f64(n.xyz, n.count);
        REQUIRE_OK(abut_mls_create(k == 0 ? context : own, &def, &mls[k], NULL));
        REQUIRE_OK(abut_mls_weights_create(mls[k], abut_positions_f64(v.xyz, VERTICES), &weights[k],
                                           NULL));
        w[k] = abut_mls_weights_view(weights[k]);
    }
    const size_t influences = w[0].first[VERTICES];
    REQUIRE(memcmp(w[0].first, w[1].first, (VERTICES + 1) * sizeof(uint32_t)) == 0);
    REQUIRE(memcmp(w[0].nodes, w[1].nodes, influences * sizeof(uint32_t)) == 0);
    REQUIRE(memcmp(w[0].values, w[1].values, influences * sizeof(float)) == 0);
    for (int k = 0; k < 2; ++k) {
        abut_mls_weights_destroy(weights[k]);
        abut_mls_destroy(mls[k]);
    }
    abut_context_destroy(own);
    threads_destroy(threads);
    nodes_free(&n);
    nodes_free(&v);
}

// from end to end: nodes, weights, a blend shape, a body; an affine motion moves all vertices
static void test_surface_follows_its_nodes(void** state) {
    (void)state;
    test_random random = random_seed(14);
    world w = world_make(NULL, NULL);
    surface ball = surface_ball(12, 20, 0.5);
    node_set n = nodes_scattered(&random, 120, 1.2, 0.0);
    abut_mls* mls = mls_of(&n, NULL, ABUT_MLS_FLAT_MINIMAL);
    abut_mls_weights* weights = NULL;
    REQUIRE_OK(abut_mls_weights_create(mls, abut_positions_f64(ball.xyz, ball.vertex_count),
                                       &weights, NULL));
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_BLEND;
    def.weights = abut_mls_weights_view(weights);
    const abut_body_id body = world_add(&w, &ball, &def, NULL);
    abut_mls_weights_destroy(weights);
    double a[12];
    random_affine(&random, 1.0, a);
    displace(&n, a);
    transform(mls, &n);
    REQUIRE_OK(abut_body_set_transforms(w.scene, body, abut_transforms_f64(n.transforms, n.count),
                                        NULL, 0, NULL));
    for (uint32_t v = 0; v < ball.vertex_count; ++v) {
        const double* x = ball.xyz + 3 * (size_t)v;
        double moved[3];
        REQUIRE_OK(abut_body_vertex(w.scene, body, v, moved, NULL));
        for (size_t d = 0; d < 3; ++d) {
            const double* row = a + 4 * d;
            const double wanted = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3];
            REQUIRE(fabs(moved[d] - wanted) < 2e-6);  // weights are floats
        }
    }
    abut_mls_destroy(mls);
    surface_free(&ball);
    world_free(&w);
    nodes_free(&n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_affine_motions_are_reproduced),
        cmocka_unit_test(test_bodies_far_away),
        cmocka_unit_test(test_translations_are_exact),
        cmocka_unit_test(test_layouts_are_the_same),
        cmocka_unit_test(test_agrees_with_brute_force),
        cmocka_unit_test(test_brute_force_in_a_plane),
        cmocka_unit_test(test_tree_answers_as_all_points_would),
        cmocka_unit_test(test_radii_are_chosen_or_given),
        cmocka_unit_test(test_flat_nodes_have_the_least_gradient),
        cmocka_unit_test(test_flat_nodes_rotate),
        cmocka_unit_test(test_nodes_refused),
        cmocka_unit_test(test_settings_refused),
        cmocka_unit_test(test_displacements_refused),
        cmocka_unit_test(test_vertices_refused),
        cmocka_unit_test(test_wild_radii),
        cmocka_unit_test(test_failed_allocations_leak_nothing),
        cmocka_unit_test(test_threads_give_the_same_bits),
        cmocka_unit_test(test_surface_follows_its_nodes),
    };
    return cmocka_run_group_tests(tests, make_context, destroy_context);
}
