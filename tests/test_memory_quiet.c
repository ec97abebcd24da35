// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// No allocation after warm-up: an animation is played until no buffer grows, and then again with a
// counting allocator, with one thread and with several.

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
#include "scenes/scenes.h"
#include "support/memory.h"
#include "support/threads.h"
#include "support/world.h"

// ---- no allocation after warm-up

typedef struct film {
    test_memory memory;
    abut_context* context;
    abut_scene* scene;
    abut_collide_result* result;
    abut_collide_result* with_shared;
    abut_front* front[2];
    abut_changes* changes;
    abut_nearest_result* nearest[3];
    abut_within_result* within;
    abut_features_result* features[2];
    scene* source;
    abut_body_id body[64];
    double* xyz[64];
} film;

static void film_body(film* f, uint32_t i) {
    const scene_body* b = scene_get_body(f->source, i);
    f->xyz[i] = malloc(3 * sizeof(double) * b->vertex_count);
    assert_non_null(f->xyz[i]);
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(b->rest, b->vertex_count);
    def.triangles = b->triangles;
    def.triangle_count = b->triangle_count;
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    assert_int_equal(abut_mesh_create(f->context, &def, &mesh, NULL), ABUT_OK);
    assert_int_equal(motion_create(f->context, mesh, NULL, &shape, NULL), ABUT_OK);
    assert_int_equal(abut_body_create(f->scene, shape, NULL, &f->body[i], NULL), ABUT_OK);
    abut_mesh_destroy(mesh);
    abut_shape_destroy(shape);
}

static void film_start(film* f, const char* name, uint32_t triangles, test_threads* threads,
                       size_t pool_bytes) {
    memset(f, 0, sizeof *f);
    memory_init(&f->memory);
    f->source = scene_create(name, triangles, 6, 1);
    assert_non_null(f->source);
    abut_context_def def = abut_context_def_default();
    def.allocator = memory_allocator(&f->memory);
    if (threads != NULL) {
        def.tasks = threads_tasks(threads);
    }
    assert_int_equal(abut_context_create(&def, &f->context, NULL), ABUT_OK);
    abut_scene_def scene_def = abut_scene_def_default();
    scene_def.pool_bytes = pool_bytes;
    assert_int_equal(abut_scene_create(f->context, &scene_def, &f->scene, NULL), ABUT_OK);
    assert_int_equal(abut_collide_result_create(f->context, &f->result, NULL), ABUT_OK);
    assert_int_equal(abut_collide_result_create(f->context, &f->with_shared, NULL), ABUT_OK);
    assert_int_equal(abut_front_create(f->context, &f->front[0], NULL), ABUT_OK);
    assert_int_equal(abut_front_create(f->context, &f->front[1], NULL), ABUT_OK);
    assert_int_equal(abut_changes_create(f->context, &f->changes, NULL), ABUT_OK);
    assert_int_equal(abut_within_result_create(f->context, &f->within, NULL), ABUT_OK);
    assert_int_equal(abut_features_result_create(f->context, &f->features[0], NULL), ABUT_OK);
    assert_int_equal(abut_features_result_create(f->context, &f->features[1], NULL), ABUT_OK);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(abut_nearest_result_create(f->context, &f->nearest[i], NULL), ABUT_OK);
    }
    assert_true(scene_body_count(f->source) <= 64);
    for (uint32_t i = 0; i < scene_body_count(f->source); ++i) {
        film_body(f, i);
    }
}

static void film_end(film* f) {
    abut_scene_destroy(f->scene);
    abut_collide_result_destroy(f->result);
    abut_collide_result_destroy(f->with_shared);
    abut_front_destroy(f->front[0]);
    abut_front_destroy(f->front[1]);
    abut_changes_destroy(f->changes);
    abut_within_result_destroy(f->within);
    abut_features_result_destroy(f->features[0]);
    abut_features_result_destroy(f->features[1]);
    for (int i = 0; i < 3; ++i) {
        abut_nearest_result_destroy(f->nearest[i]);
    }
    abut_context_destroy(f->context);
    for (uint32_t i = 0; i < scene_body_count(f->source); ++i) {
        free(f->xyz[i]);
    }
    scene_destroy(f->source);
    assert_true(memory_clean(&f->memory));
    memory_destroy(&f->memory);
}

static void film_frame(film* f, uint32_t frame) {
    for (uint32_t i = 0; i < scene_body_count(f->source); ++i) {
        scene_positions(f->source, i, frame, f->xyz[i]);
        const abut_positions view = abut_positions_f64(f->xyz[i],
                                                       scene_get_body(f->source, i)->vertex_count);
        assert_int_equal(abut_body_set_positions(f->scene, f->body[i], view, NULL), ABUT_OK);
    }
    abut_collide_def def = abut_collide_def_default();
    assert_int_equal(abut_collide_self_all(f->scene, &def, f->result, NULL), ABUT_OK);
    assert_int_equal(abut_collide_all(f->scene, &def, f->result, NULL), ABUT_OK);
    assert_int_equal(abut_changes_update(f->changes, f->result, NULL), ABUT_OK);
    def.intersections = true;
    def.include_neighbours = true;
    assert_int_equal(abut_collide_self_all(f->scene, &def, f->with_shared, NULL), ABUT_OK);
    def.include_neighbours = false;
    def.margin = 1e-3;
    assert_int_equal(abut_collide_all(f->scene, &def, f->with_shared, NULL), ABUT_OK);
    def = abut_collide_def_default();
    def.front = f->front[0];
    assert_int_equal(abut_collide_all(f->scene, &def, f->result, NULL), ABUT_OK);
    def.front = f->front[1];
    assert_int_equal(abut_collide_self_all(f->scene, &def, f->result, NULL), ABUT_OK);
    const abut_nearest_def near = abut_nearest_def_default();
    assert_int_equal(abut_nearest_all(f->scene, &near, f->nearest[0], NULL), ABUT_OK);
    assert_int_equal(abut_nearest_triangles(f->scene, f->body[0], &near, f->nearest[1], NULL),
                     ABUT_OK);
    assert_int_equal(abut_nearest_self(f->scene, f->body[0], &near, f->nearest[2], NULL), ABUT_OK);
    abut_within_def within = abut_within_def_default();
    within.distance = 1e-3;
    assert_int_equal(abut_within_all(f->scene, &within, f->within, NULL), ABUT_OK);
    abut_features_def features = abut_features_def_default();
    features.distance = 1e-3;
    assert_int_equal(abut_features_all(f->scene, &features, f->features[0], NULL), ABUT_OK);
    assert_int_equal(abut_features_self_all(f->scene, &features, f->features[1], NULL), ABUT_OK);
}

static void film_show(film* f) {
    for (uint32_t frame = 0; frame < scene_frame_count(f->source); ++frame) {
        film_frame(f, frame);
    }
}

static void check_quiet(const char* name, uint32_t triangles, uint32_t workers, size_t pool_bytes) {
    test_threads* threads = workers > 1 ? threads_create(workers, 5) : NULL;
    film* f = malloc(sizeof *f);
    assert_non_null(f);
    film_start(f, name, triangles, threads, pool_bytes);
    film_show(f);
    film_show(f);  // the front of the last frame continues at the first one
    const size_t before = f->memory.calls;
    const int again = workers > 1 ? 4 : 1;
    for (int round = 0; round < again; ++round) {
        film_show(f);
        if (f->memory.calls != before) {
            fail_msg("%s with %u workers, pool of %zu: %zu allocations in round %d", name, workers,
                     pool_bytes, f->memory.calls - before, round);
        }
    }
    film_end(f);
    free(f);
    threads_destroy(threads);
}

static void test_quiet_after_warm_up(void** state) {
    (void)state;
    if (effort(0, 1, 1) != 0) {
        check_quiet("tablecloth", 2048, 1, (size_t)64 << 20);
    }
    check_quiet("blobs", 2000, 1, (size_t)64 << 20);
    check_quiet("funnel", 3600, 1, (size_t)64 << 20);
    check_quiet("sheet", 1152, 1, (size_t)1 << 19);
    check_quiet("sheet", 1152, 1, 0);
}

static void test_quiet_after_warm_up_with_threads(void** state) {
    (void)state;
    if (effort(0, 1, 1) != 0) {
        check_quiet("tablecloth", 2048, 4, (size_t)64 << 20);
        check_quiet("funnel", 3600, 4, (size_t)64 << 20);
    }
    check_quiet("sheet", 1152, 4, (size_t)1 << 19);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quiet_after_warm_up),
        cmocka_unit_test(test_quiet_after_warm_up_with_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
