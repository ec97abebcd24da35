// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The refit that reads runs of packed floats, against the one that loads vertices one by one, on
// meshes in good and in random order, also with vertices that are not finite. And tasks beside a refit.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound/refit.h"
#include "scenes/scenes.h"
#include "shape/shape.h"
#include "support/everywhere.h"
#include "support/random.h"
#include "support/motion_def.h"

static void* need(void* memory) {
    assert_non_null(memory);
    return memory;
}

static void check(abut_status status, const abut_error* error) {
    if (status != ABUT_OK) {
        fail_msg("%s", error->message);
    }
}

static abut_shape* make_shape(abut_context* context, const double* xyz, uint32_t vertex_count,
                              const uint32_t* triangles, uint32_t triangle_count) {
    abut_error error;
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(xyz, vertex_count);
    def.triangles = triangles;
    def.triangle_count = triangle_count;
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    check(abut_mesh_create(context, &def, &mesh, &error), &error);
    check(motion_create(context, mesh, NULL, &shape, &error), &error);
    check(abut_shape_validate(shape, &error), &error);
    abut_mesh_destroy(mesh);
    return shape;
}

static abut__refit_boxes refit(const abut_shape* shape, const float* xyz, size_t stride,
                               abut__beside beside) {
    abut__refit_boxes out = {0};
    memset(&out, 0, sizeof out);
    out.boxes = need(calloc(shape->tree.node_count, sizeof *out.boxes));
    const abut__source source = abut__source_make(xyz, stride * sizeof(float), false);
    abut__refit(shape->context, &shape->tree, abut__shape_stretches(shape), source, beside, &out);
    return out;
}

// three floats a vertex, with nothing behind the last one, or four
static void check_refits(const abut_shape* shape, const float* packed) {
    const uint32_t count = shape->mesh->vertex_count;
    float* loose = need(malloc(4 * (size_t)count * sizeof *loose));
    for (size_t v = 0; v < count; ++v) {
        memcpy(loose + 4 * v, packed + 3 * v, 3 * sizeof *loose);
        loose[4 * v + 3] = -1e9f;
    }
    abut__refit_boxes a = refit(shape, packed, 3, (abut__beside){0});
    abut__refit_boxes b = refit(shape, loose, 4, (abut__beside){0});
    assert_int_equal(a.bad_vertex, b.bad_vertex);
    assert_true(a.extent == b.extent);
    for (uint32_t n = 0; n < shape->tree.node_count; ++n) {
        for (int d = 0; d < 3; ++d) {
            for (int k = 0; k < ABUT__FAN; ++k) {
                assert_true(a.boxes[n].lo[d][k] == b.boxes[n].lo[d][k]);
                assert_true(a.boxes[n].hi[d][k] == b.boxes[n].hi[d][k]);
            }
        }
    }
    for (int d = 0; d < 3; ++d) {
        assert_true(a.root.lo[d] == b.root.lo[d] && a.root.hi[d] == b.root.hi[d]);
    }
    free(a.boxes);
    free(b.boxes);
    free(loose);
}

static void check_surface(const scene_body* body, const abut_context_def* def, bool shuffled) {
    abut_context* context = NULL;
    assert_int_equal(abut_context_create(def, &context, NULL), ABUT_OK);
    const uint32_t count = body->vertex_count;
    test_random random = random_seed(count);
    uint32_t* number = need(malloc(count * sizeof *number));
    for (uint32_t v = 0; v < count; ++v) {
        const uint32_t other = random_below(&random, v + 1);
        number[v] = v;
        if (shuffled) {
            number[v] = number[other];
            number[other] = v;
        }
    }
    double* xyz = need(malloc(3 * (size_t)count * sizeof *xyz));
    float* packed = need(malloc(3 * (size_t)count * sizeof *packed));
    uint32_t* triangles = need(malloc(3 * (size_t)body->triangle_count * sizeof *triangles));
    for (size_t i = 0; i < 3 * (size_t)count; ++i) {
        const size_t to = 3 * (size_t)number[i / 3] + i % 3;
        xyz[to] = body->rest[i];
        packed[to] = (float)body->rest[i];
    }
    for (size_t i = 0; i < 3 * (size_t)body->triangle_count; ++i) {
        triangles[i] = number[body->triangles[i]];
    }
    abut_shape* shape = make_shape(context, xyz, count, triangles, body->triangle_count);
    // almost all blocks of a grid use runs, and no block of a random order does
    const abut__stretches* stretches = need((void*)abut__shape_stretches(shape));
    uint32_t with = 0;
    for (uint32_t b = 0; b < shape->tree.block_count && stretches->count > 0; ++b) {
        with += stretches->first[b] < stretches->first[b + 1];
    }
    if (shuffled) {
        assert_int_equal(with, 0);
    } else {
        assert_true(with >= shape->tree.block_count * 9 / 10);
    }
    check_refits(shape, packed);
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 9; ++i) {
        packed[random_below(&random, 3 * count)] = bad[i % 3];
        check_refits(shape, packed);
    }
    abut_shape_destroy(shape);
    abut_context_destroy(context);
    free(number);
    free(xyz);
    free(packed);
    free(triangles);
}

static void test_runs_of_floats_give_the_same_boxes(void** state) {
    (void)state;
    static const char* const names[] = {"sheet", "tablecloth", "blobs"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        scene* s = need(scene_create(names[i], 8000, 1, 1));
        everywhere at = everywhere_cross((const uint32_t[]){1, 0}, 0);
        while (everywhere_next(&at)) {
            check_surface(scene_get_body(s, 0), &at.def, false);
            check_surface(scene_get_body(s, 0), &at.def, true);
        }
        scene_destroy(s);
    }
}

static void count_run(void* argument, uint32_t index, uint32_t worker) {
    (void)worker;
    ++((uint32_t*)argument)[index];
}

// Tasks of the caller run between those of the refit, each once, and the boxes are the same.
static void test_tasks_beside_a_refit_run_once(void** state) {
    (void)state;
    scene* s = need(scene_create("sheet", 100000, 1, 1));
    const scene_body* body = scene_get_body(s, 0);
    abut_context* context = NULL;
    assert_int_equal(abut_context_create(NULL, &context, NULL), ABUT_OK);
    abut_shape* shape = make_shape(context, body->rest, body->vertex_count, body->triangles,
                                   body->triangle_count);
    float* packed = need(malloc(3 * (size_t)body->vertex_count * sizeof *packed));
    for (size_t i = 0; i < 3 * (size_t)body->vertex_count; ++i) {
        packed[i] = (float)body->rest[i];
    }
    abut__refit_boxes alone = refit(shape, packed, 3, (abut__beside){0});
    for (uint32_t count = 1; count <= 50; ++count) {
        uint32_t runs[50] = {0};
        abut__refit_boxes mixed = refit(shape, packed, 3, (abut__beside){count_run, runs, count});
        for (uint32_t i = 0; i < 50; ++i) {
            assert_int_equal(runs[i], i < count);
        }
        for (uint32_t n = 0; n < shape->tree.node_count; ++n) {
            assert_memory_equal(&alone.boxes[n], &mixed.boxes[n], sizeof alone.boxes[n]);
        }
        free(mixed.boxes);
    }
    free(alone.boxes);
    free(packed);
    abut_shape_destroy(shape);
    abut_context_destroy(context);
    scene_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_of_floats_give_the_same_boxes),
        cmocka_unit_test(test_tasks_beside_a_refit_run_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
