// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A stack of 256 KiB is enough: building, states, queries of every kind and the deepest exact
// decisions run on a thread that has no more.
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "abut/abut.h"
#include "scenes/scenes.h"

#if defined(ABUT_SANITIZED)
#define STACK_BYTES ((size_t)4 << 20)  // the sanitizer's frames are many times larger
#else
#define STACK_BYTES ((size_t)256 << 10)
#endif

// exact ties at the two ends of the range of doubles: the wide integers' case
static bool decide_extremes(void) {
    static const double p[3][3] = {{0, 0, 0}, {1e300, 0, 0}, {0, 1e300, 5e-324}};
    static const double q[3][3] = {{1e299, 1e299, 0}, {1e299, 1e299, 1e300}, {5e-324, 0, 1e300}};
    bool answer = false;
    abut_intersection shared;
    abut_distance measured;
    return abut_triangles_touch(p, q, &answer, &shared) == ABUT_OK &&
           abut_triangles_within(p, q, 1e-300, &answer) == ABUT_OK &&
           abut_triangles_distance(p, q, &measured) == ABUT_OK;
}

static bool ask_all(abut_scene* world, abut_body_id body, abut_result* result) {
    abut_query_def query = abut_query_def_default();
    bool done = abut_collide_all(world, &query, result) == ABUT_OK;
    query.shared = true;
    done = done && abut_self(world, body, &query, result) == ABUT_OK;
    query.margin = 0.001;
    done = done && abut_collide_all(world, &query, result) == ABUT_OK;
    query.margin = 0;
    query.neighbours = true;
    return done && abut_self(world, body, &query, result) == ABUT_OK;
}

static bool play(scene* source, abut_context* context, abut_scene* world, abut_result* result) {
    bool done = true;
    abut_body_id body[2];
    for (uint32_t b = 0; b < 2 && done; ++b) {
        const scene_body* surface = scene_get_body(source, b);
        abut_mesh_def def = abut_mesh_def_default();
        def.positions = abut_positions_f64(surface->rest, surface->vertex_count);
        def.triangles = surface->triangles;
        def.triangle_count = surface->triangle_count;
        abut_mesh* mesh = NULL;
        abut_shape* shape = NULL;
        done = abut_mesh_create(context, &def, &mesh, NULL) == ABUT_OK &&
               abut_shape_create(context, mesh, NULL, &shape, NULL) == ABUT_OK &&
               abut_body_create(world, shape, NULL, &body[b], NULL) == ABUT_OK;
        abut_shape_destroy(shape);
        abut_mesh_destroy(mesh);
    }
    const uint32_t count = scene_get_body(source, 0)->vertex_count;
    double* xyz = malloc(3 * sizeof(double) * count);
    for (uint32_t f = 0; f < scene_frame_count(source) && done; f += 6) {
        scene_positions(source, 0, f, xyz);
        done = abut_body_set_positions(world, body[0], abut_positions_f64(xyz, count), NULL) ==
                   ABUT_OK &&
               ask_all(world, body[0], result) &&
               abut_body_validate(world, body[0], NULL) == ABUT_OK &&
               abut_body_renew(world, body[0], 1, NULL, NULL) == ABUT_OK;
    }
    free(xyz);
    return done;
}

static void* run(void* argument) {
    abut_context* context = NULL;
    abut_scene* world = NULL;
    abut_result* result = NULL;
    const bool done = abut_context_create(NULL, &context, NULL) == ABUT_OK &&
                      abut_scene_create(context, NULL, &world, NULL) == ABUT_OK &&
                      abut_result_create(context, &result, NULL) == ABUT_OK &&
                      play(argument, context, world, result) && decide_extremes();
    abut_result_destroy(result);
    abut_scene_destroy(world);
    abut_context_destroy(context);
    return done ? argument : NULL;
}

static void test_small_stack(void** state) {
    (void)state;
    scene* source = scene_create("tablecloth", 8000, 0, 1);
    assert_non_null(source);
    pthread_attr_t attributes;
    pthread_t thread;
    void* done = NULL;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run, source), 0);
    assert_int_equal(pthread_join(thread, &done), 0);
    assert_int_equal(pthread_attr_destroy(&attributes), 0);
    assert_ptr_equal(done, source);
    scene_destroy(source);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small_stack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
