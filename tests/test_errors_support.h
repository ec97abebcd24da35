// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shared by the tests of refused calls: a world of two sheets, its answer, and the check that a
// refusal names the element, has a sentence, and leaves the world unchanged.
#ifndef ABUT_TESTS_TEST_ERRORS_SUPPORT_H
#define ABUT_TESTS_TEST_ERRORS_SUPPORT_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abut/abut.h"
#include "support/grid.h"
#include "support/memory.h"
#include "support/motion_def.h"

#define SIDE 8u
#define VERTICES (SIDE * SIDE)
#define TRIANGLES (2 * (SIDE - 1) * (SIDE - 1))

static const double not_finite[] = {NAN, INFINITY, -INFINITY, -NAN};

typedef struct world {
    test_memory memory;
    abut_context* context;
    abut_mesh* mesh;
    abut_shape* shape;
    abut_scene* scene;
    abut_body_id a;
    abut_body_id b;
    abut_collide_result* result;
    abut_front* front;
    abut_changes* changes;
    uint32_t triangles[3 * TRIANGLES];
    double xyz[3 * VERTICES];
    uint64_t answer;  // of the state that must stay
} world;

static void mix(uint64_t* sum, const void* bytes, size_t size) {
    const unsigned char* b = bytes;
    for (size_t i = 0; i < size; ++i) {
        *sum = (*sum ^ b[i]) * UINT64_C(0x100000001b3);
    }
}

static uint64_t answer_of(const world* w) {
    uint64_t sum = 1;
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(k == 0 ? abut_collide_all(w->scene, NULL, w->result, NULL)
                                : abut_collide_self_all(w->scene, NULL, w->result, NULL),
                         ABUT_OK);
        size_t count = 0;
        const abut_pair* pairs = abut_collide_result_pairs(w->result, &count);
        mix(&sum, &count, sizeof count);
        mix(&sum, pairs, count * sizeof *pairs);
    }
    const abut_body_id ids[2] = {w->a, w->b};
    for (int k = 0; k < 2; ++k) {
        for (uint32_t v = 0; v < VERTICES; ++v) {
            double p[3];
            assert_int_equal(abut_body_world_vertex(w->scene, ids[k], v, p, NULL), ABUT_OK);
            mix(&sum, p, sizeof p);
        }
    }
    const abut_scene_info info = scene_info(w->scene);
    mix(&sum, &info.bodies, sizeof info.bodies);
    return sum;
}

// a wavy sheet; `phase` moves the waves
static void fill_positions(double* xyz, double phase) {
    for (uint32_t v = 0; v < VERTICES; ++v) {
        xyz[3 * v] = v % SIDE;
        xyz[3 * v + 1] = v / SIDE;
        xyz[3 * v + 2] = sin(phase + v % SIDE) * cos(v / SIDE);
    }
}

static abut_mesh_def good_mesh(const world* w) {
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(w->xyz, VERTICES);
    def.triangles = w->triangles;
    def.triangle_count = TRIANGLES;
    return def;
}

static int setup(void** state) {
    world* w = calloc(1, sizeof *w);
    assert_non_null(w);
    memory_init(&w->memory);
    grid_triangles(SIDE, w->triangles);
    fill_positions(w->xyz, 0);
    abut_context_def context_def = abut_context_def_default();
    context_def.allocator = memory_allocator(&w->memory);
    assert_int_equal(abut_context_create(&context_def, &w->context, NULL), ABUT_OK);
    const abut_mesh_def def = good_mesh(w);
    assert_int_equal(abut_mesh_create(w->context, &def, &w->mesh, NULL), ABUT_OK);
    assert_int_equal(motion_create(w->context, w->mesh, NULL, &w->shape, NULL), ABUT_OK);
    assert_int_equal(abut_scene_create(w->context, NULL, &w->scene, NULL), ABUT_OK);
    assert_int_equal(abut_body_create(w->scene, w->shape, NULL, &w->a, NULL), ABUT_OK);
    assert_int_equal(abut_body_create(w->scene, w->shape, NULL, &w->b, NULL), ABUT_OK);
    assert_int_equal(abut_collide_result_create(w->context, &w->result, NULL), ABUT_OK);
    assert_int_equal(abut_front_create(w->context, &w->front, NULL), ABUT_OK);
    assert_int_equal(abut_changes_create(w->context, &w->changes, NULL), ABUT_OK);
    double moved[3 * VERTICES];
    fill_positions(moved, 1);
    assert_int_equal(abut_body_set_positions(w->scene, w->a, abut_positions_f64(moved, VERTICES),
                                             NULL),
                     ABUT_OK);
    w->answer = answer_of(w);
    assert_int_equal(abut_collide(w->scene, w->a, w->b, NULL, w->result, NULL), ABUT_OK);
    assert_true(abut_collide_result_found(w->result));
    *state = w;
    return 0;
}

static int teardown(void** state) {
    world* w = *state;
    abut_scene_destroy(w->scene);
    abut_collide_result_destroy(w->result);
    abut_front_destroy(w->front);
    abut_changes_destroy(w->changes);
    abut_shape_destroy(w->shape);
    abut_mesh_destroy(w->mesh);
    abut_context_destroy(w->context);
    const bool clean = memory_clean(&w->memory);
    memory_destroy(&w->memory);
    free(w);
    return clean ? 0 : -1;
}

// requires the expected error and an unchanged world
static void check_refused(const world* w, const char* what, abut_status status,
                          const abut_error* error, abut_status wanted, abut_element element,
                          uint64_t index) {
    if (status != wanted || error->status != wanted || error->element != element ||
        (element != ABUT_ELEMENT_NONE && error->index != index)) {
        fail_msg("%s: status %d (not %d), error %d, element %d (not %d), index %llu (not %llu)",
                 what, (int)status, (int)wanted, (int)error->status, (int)error->element,
                 (int)element, (unsigned long long)error->index, (unsigned long long)index);
    }
    const size_t length = strlen(error->message);
    if (length < 10 || length >= sizeof error->message || strchr(error->message, ' ') == NULL) {
        fail_msg("%s: '%s' is no sentence", what, error->message);
    }
    if (w != NULL && answer_of(w) != w->answer) {
        fail_msg("%s: was refused, but answers have changed", what);
    }
}

static abut_error fresh_error(void) {
    abut_error error;
    memset(&error, 0x5a, sizeof error);
    return error;
}

// ---- positions

// one bad coordinate in an otherwise good array of any layout
typedef struct layout {
    abut_scalar type;
    size_t extra;  // scalars of padding behind each position
} layout;
static const layout layouts[] = {
    {ABUT_SCALAR_F32, 0}, {ABUT_SCALAR_F32, 1}, {ABUT_SCALAR_F64, 0}, {ABUT_SCALAR_F64, 3}};

static abut_positions spread(const layout* l, const double* xyz, void* room) {
    const size_t stride = 3 + l->extra;
    for (size_t v = 0; v < VERTICES; ++v) {
        for (size_t k = 0; k < stride; ++k) {
            const double x = k < 3 ? xyz[3 * v + k] : NAN;  // padding must not be read
            if (l->type == ABUT_SCALAR_F64) {
                ((double*)room)[v * stride + k] = x;
            } else {
                ((float*)room)[v * stride + k] = (float)x;
            }
        }
    }
    const size_t scalar = l->type == ABUT_SCALAR_F64 ? sizeof(double) : sizeof(float);
    return (abut_positions){room, VERTICES, l->extra == 0 ? 0 : stride * scalar, l->type};
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif
