// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Pieces of surface that are proven apart by normals and contour. With and without the proof the
// pairs are the same, on scenes that fold, coil and stay smooth. The proof fails where normals
// alone would mislead.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abut/abut.h"
#include "bound/surface.h"
#include "motion/free.h"
#include "scene/scene.h"
#include "scenes/scenes.h"
#include "support/everywhere.h"
#include "support/random.h"
#include "support/motion_def.h"

// a scene of scenes/ whose first body had so many self queries that normals are computed
typedef struct culled_scene {
    scene* source;
    const scene_body* body;
    abut_context* context;
    abut_scene* scene;
    abut_shape* shape;
    abut_body_id id;
    abut_collide_result* result;
    double* xyz;
} culled_scene;

static culled_scene culled_open(const char* name, uint32_t triangles, uint32_t seed) {
    culled_scene a = {.source = scene_create(name, triangles, 0, seed)};
    assert_non_null(a.source);
    a.body = scene_get_body(a.source, 0);
    assert_int_equal(abut_context_create(NULL, &a.context, NULL), ABUT_OK);
    assert_int_equal(abut_scene_create(a.context, NULL, &a.scene, NULL), ABUT_OK);
    assert_int_equal(abut_collide_result_create(a.context, &a.result, NULL), ABUT_OK);
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(a.body->rest, a.body->vertex_count);
    def.triangles = a.body->triangles;
    def.triangle_count = a.body->triangle_count;
    abut_mesh* mesh = NULL;
    assert_int_equal(abut_mesh_create(a.context, &def, &mesh, NULL), ABUT_OK);
    assert_int_equal(motion_create(a.context, mesh, NULL, &a.shape, NULL), ABUT_OK);
    abut_mesh_destroy(mesh);
    assert_int_equal(abut_body_create(a.scene, a.shape, NULL, &a.id, NULL), ABUT_OK);
    a.xyz = malloc(3 * sizeof(double) * a.body->vertex_count);
    return a;
}

static void culled_close(culled_scene* a) {
    abut_collide_result_destroy(a->result);
    abut_scene_destroy(a->scene);
    abut_shape_destroy(a->shape);
    abut_context_destroy(a->context);
    scene_destroy(a->source);
    free(a->xyz);
}

static void set(culled_scene* a, abut_body_id id) {
    assert_int_equal(abut_body_set_positions(
                         a->scene, id, abut_positions_f64(a->xyz, a->body->vertex_count), NULL),
                     ABUT_OK);
}

// the pairs of a new body in the same state: it had no query yet, so it has no normals
static void check_against_unculled(culled_scene* a, const char* what) {
    abut_body_id fresh;
    abut_collide_result* other = NULL;
    abut_counters work = {0};
    abut_collide_def query = abut_collide_def_default();
    query.head.counters = &work;
    assert_int_equal(abut_body_create(a->scene, a->shape, NULL, &fresh, NULL), ABUT_OK);
    assert_int_equal(abut_collide_result_create(a->context, &other, NULL), ABUT_OK);
    set(a, fresh);
    assert_int_equal(abut_collide_self(a->scene, fresh, &query, other, NULL), ABUT_OK);
    assert_int_equal(work.nodes_certified, 0);
    size_t count = 0;
    size_t expected = 0;
    const abut_pair* pairs = abut_collide_result_pairs(a->result, &count);
    const abut_pair* oracle = abut_collide_result_pairs(other, &expected);
    if (count != expected) {
        fail_msg("%s: %zu pairs with the proof, %zu without", what, count, expected);
    }
    for (size_t i = 0; i < count; ++i) {
        assert_int_equal(pairs[i].triangle_a, oracle[i].triangle_a);
        assert_int_equal(pairs[i].triangle_b, oracle[i].triangle_b);
    }
    abut_collide_result_destroy(other);
    assert_int_equal(abut_body_destroy(a->scene, fresh, NULL), ABUT_OK);
}

// a self query with normals: an earlier one comes before the state is set
static uint64_t self_with_normals(culled_scene* a) {
    abut_counters work = {0};
    abut_collide_def query = abut_collide_def_default();
    query.head.counters = &work;
    abut__body* body = abut__scene_body(a->scene, a->id);
    body->usage.pause = body->usage.failures = 0;  // resets the statistics of earlier queries
    assert_int_equal(abut_collide_self(a->scene, a->id, NULL, a->result, NULL), ABUT_OK);
    body->usage.pause = 0;
    set(a, a->id);
    if (!abut__free_state_of(abut__body_state(body, 1))
             ->has_normals) {  // the failure in the last state made a pause
        assert_int_equal(abut_collide_self(a->scene, a->id, NULL, a->result, NULL), ABUT_OK);
        body->usage.pause = 0;
        set(a, a->id);
    }
    assert_true(abut__free_state_of(abut__body_state(body, 1))->has_normals);
    assert_int_equal(abut_collide_self(a->scene, a->id, &query, a->result, NULL), ABUT_OK);
    return work.nodes_certified;
}

static void test_culled_equals_unculled(void** state) {
    (void)state;
    static const struct {
        const char* name;
        uint32_t triangles;
        bool must_gain;
    } scenes[] = {{"washer", 8800, true},    {"coil", 8192, true},  {"tablecloth", 8000, true},
                  {"curtain", 6000, false},  {"blobs", 5120, true}, {"sheet", 8000, true},
                  {"tablecloth", 2048, true}};
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; ++s) {
        for (uint32_t seed = 1; seed <= 2; ++seed) {
            culled_scene a = culled_open(scenes[s].name, scenes[s].triangles, seed);
            uint64_t gained = 0;
            for (uint32_t f = 0; f < scene_frame_count(a.source); f += 3) {
                char what[80];
                (void)snprintf(what, sizeof what, "%s, seed %u, frame %u", scenes[s].name, seed, f);
                scene_positions(a.source, 0, f, a.xyz);
                gained += self_with_normals(&a);
                check_against_unculled(&a, what);
            }
            assert_true(gained > 0 || !scenes[s].must_gain);
            culled_close(&a);
        }
    }
}

// far from the origin, where float positions would be too coarse, and with collapsed vertices
static void test_culled_equals_unculled_on_bad_input(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        culled_scene a = culled_open("tablecloth", 8000, 4);
        test_random random = random_seed(seed);
        for (uint32_t f = 20; f < 40; f += 5) {
            scene_positions(a.source, 0, f, a.xyz);
            for (uint32_t v = 0; v < a.body->vertex_count; ++v) {
                for (int d = 0; d < 3; ++d) {
                    a.xyz[3 * v + (uint32_t)d] += seed % 2 == 0 ? 1e5 : 0;
                }
                if (v > 0 && random_chance(&random, 0.02)) {  // triangles without area
                    memcpy(a.xyz + 3 * v, a.xyz + 3 * (v - 1), 3 * sizeof(double));
                }
                if (seed >= 5 && random_chance(&random, 0.01)) {
                    a.xyz[3 * v + random_below(&random, 3)] += random_double(&random, -0.3, 0.3);
                }
            }
            char what[64];
            (void)snprintf(what, sizeof what, "spoilt, seed %d, frame %u", (int)seed, f);
            (void)self_with_normals(&a);
            check_against_unculled(&a, what);
        }
        culled_close(&a);
    }
}

// The washer: all normals point up, so a test of normals alone would accept it, but it overlaps.
static void test_normals_alone_would_miss(void** state) {
    (void)state;
    culled_scene a = culled_open("washer", 8800, 1);
    scene_positions(a.source, 0, 0, a.xyz);
    (void)self_with_normals(&a);
    const abut__body* body = abut__scene_body(a.scene, a.id);
    const abut__state* now = abut__body_state(body, 1);
    const abut__tree* tree = &body->shape->tree;
    for (uint32_t k = 0; k < tree->nodes[0].count; ++k) {
        assert_true(abut__free_state_of(now)->normals[0].lo[2][k] > 0.5f);
    }
    assert_true(abut__shape_contours(body->shape)->count[0] > 0);  // one loop, and still no proof
    assert_false(body->shape->motion->apart(body->shape, now, 0));
    size_t count = 0;
    (void)abut_collide_result_pairs(a.result, &count);
    assert_int_equal(count, 79);
    culled_close(&a);
}

// A sheet whose middle is folded over itself while its border is unchanged: only normals show it.
static void test_contour_alone_would_miss(void** state) {
    (void)state;
    culled_scene a = culled_open("sheet", 8000, 1);
    for (int strength = 0; strength < 4; ++strength) {
        for (uint32_t v = 0; v < a.body->vertex_count; ++v) {
            const double* rest = a.body->rest + 3 * (size_t)v;
            const double x = rest[0];
            const double y = rest[1];
            const double bump = exp(-12 * (x * x + y * y));
            a.xyz[3 * (size_t)v] = x + 0.25 * strength * bump * sin(9 * x);
            a.xyz[3 * (size_t)v + 1] = y;
            a.xyz[3 * (size_t)v + 2] = 0.02 * bump * cos(7 * x + 5 * y);
        }
        (void)self_with_normals(&a);
        check_against_unculled(&a, "folded within");
    }
    size_t count = 0;
    (void)abut_collide_result_pairs(a.result, &count);
    assert_true(count > 0);
    culled_close(&a);
}

// nodes above triangles with the wrong orientation have no contour
static void test_flipped_triangles_have_no_contour(void** state) {
    (void)state;
    culled_scene a = culled_open("sheet", 8000, 1);
    assert_int_equal(abut_shape_build_tree(a.shape, NULL), ABUT_OK);
    assert_true(abut__shape_contours(a.shape)->count[0] > 0);
    uint32_t* flipped = malloc(3 * sizeof(uint32_t) * (size_t)a.body->triangle_count);
    memcpy(flipped, a.body->triangles, 3 * sizeof(uint32_t) * (size_t)a.body->triangle_count);
    const size_t one = 3 * (size_t)(a.body->triangle_count / 2);
    flipped[one] = a.body->triangles[one + 1];
    flipped[one + 1] = a.body->triangles[one];
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(a.body->rest, a.body->vertex_count);
    def.triangles = flipped;
    def.triangle_count = a.body->triangle_count;
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    assert_int_equal(abut_mesh_create(a.context, &def, &mesh, NULL), ABUT_OK);
    assert_int_equal(motion_create(a.context, mesh, NULL, &shape, NULL), ABUT_OK);
    assert_int_equal(abut_shape_build_tree(shape, NULL), ABUT_OK);
    assert_int_equal(abut__shape_contours(shape)->count[0], 0);
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
    free(flipped);
    culled_close(&a);
}

static void unit_normal(const double* xyz, const uint32_t corner[3], long double out[3]) {
    const double* p = xyz + 3 * (size_t)corner[0];
    const double* q = xyz + 3 * (size_t)corner[1];
    const double* r = xyz + 3 * (size_t)corner[2];
    long double length = 0;
    for (int d = 0; d < 3; ++d) {
        const int i = (d + 1) % 3;
        const int k = (d + 2) % 3;
        out[d] = ((long double)q[i] - p[i]) * ((long double)r[k] - p[k]) -
                 ((long double)q[k] - p[k]) * ((long double)r[i] - p[i]);
        length += out[d] * out[d];
    }
    length = sqrtl(length);
    for (int d = 0; d < 3; ++d) {
        out[d] /= length;
    }
}

// every box of normals contains the true normals, also where floats cannot distinguish vertices
static void test_normals_are_contained(void** state) {
    (void)state;
    culled_scene a = culled_open("tablecloth", 8000, 2);
    assert_int_equal(abut_shape_build_tree(a.shape, NULL), ABUT_OK);
    const abut__tree* tree = &a.shape->tree;
    for (int far = 0; far < 3; ++far) {
        scene_positions(a.source, 0, 30, a.xyz);
        for (uint32_t i = 0; i < 3 * a.body->vertex_count; ++i) {
            a.xyz[i] += far == 0 ? 0 : far == 1 ? 300 : 1e6;
        }
        const abut__source source = abut__source_make(a.xyz, 3 * sizeof(double), true);
        for (uint32_t b = 0; b < tree->block_count; ++b) {
            const abut__block* block = tree->blocks[b];
            abut__box3 box;
            a.context->kernels->block_normals(block, source, &box);
            for (uint32_t k = 0; k < block->triangle_count; ++k) {
                long double n[3];
                unit_normal(a.xyz, a.body->triangles + 3 * (size_t)block->triangle[k], n);
                for (int d = 0; d < 3; ++d) {
                    assert_true(n[d] >= (long double)box.lo[d] && n[d] <= (long double)box.hi[d]);
                }
            }
            assert_true(box.hi[0] - box.lo[0] < 3.9f);  // and is not the whole range
        }
    }
    culled_close(&a);
}

static bool simple(const float (*corner)[2], uint32_t count, float reach) {
    float x[96];
    float y[96];
    for (uint32_t i = 0; i < count + 32; ++i) {
        x[i] = corner[i < count ? i : 0][0];
        y[i] = corner[i < count ? i : 0][1];
    }
    bool answer = false;
    FOR_EACH_KERNELS(set, kernels) {
        const bool here = kernels->polygon_simple(x, y, count, reach);
        assert_true(set == 0 || here == answer);  // the same for every instruction set
        answer = here;
    }
    return answer;
}

static void test_constructed_polygons(void** state) {
    (void)state;
    static const float square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    static const float straight[5][2] = {{0, 0}, {0.5f, 0}, {1, 0}, {1, 1}, {0, 1}};
    static const float bow[4][2] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}};
    static const float spike[5][2] = {{0, 0}, {1, 0}, {0.5f, 0}, {1, 1}, {0, 1}};
    static const float pinched[6][2] = {{0, 0}, {1, 0.5f}, {2, 0}, {2, 1}, {1, 0.5f}, {0, 1}};
    static const float touching[5][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 0}, {0, 1}};
    static const float needle[3][2] = {{0, 0}, {2, 0}, {1, 0}};
    assert_false(simple(needle, 3, 4));
    assert_true(simple(square, 4, 2));
    assert_true(simple(straight, 5, 2));
    assert_false(simple(bow, 4, 2));
    assert_false(simple(spike, 5, 2));
    assert_false(simple(pinched, 6, 4));
    assert_false(simple(touching, 5, 4));
    assert_false(simple(square, 4, NAN));
}

// long polygons: a circle is simple, one that winds twice is not, wherever it crosses itself
static void test_long_polygons(void** state) {
    (void)state;
    static float corner[60][2];
    for (uint32_t count = 5; count <= 60; ++count) {
        for (uint32_t turns = 1; turns <= 2; ++turns) {
            for (uint32_t i = 0; i < count; ++i) {
                const double angle = 6.283185307179586 * turns * i / count;
                const double radius = 1 + 0.2 * i / count;
                corner[i][0] = (float)(radius * cos(angle));
                corner[i][1] = (float)(radius * sin(angle));
            }
            assert_int_equal(simple((const float(*)[2])corner, count, 3), turns == 1);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_culled_equals_unculled),
        cmocka_unit_test(test_culled_equals_unculled_on_bad_input),
        cmocka_unit_test(test_normals_alone_would_miss),
        cmocka_unit_test(test_contour_alone_would_miss),
        cmocka_unit_test(test_flipped_triangles_have_no_contour),
        cmocka_unit_test(test_normals_are_contained),
        cmocka_unit_test(test_constructed_polygons),
        cmocka_unit_test(test_long_polygons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
