// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A user's program in C17: two crossing triangles, queried with two OpenMP workers.
#include <abut/abut.h>
#include <abut/openmp.h>
#include <abut/threads.h>
#include <stdio.h>
#include <string.h>

#define NEED(condition)                                             \
    do {                                                            \
        if (!(condition)) {                                         \
            fprintf(stderr, "line %d: " #condition "\n", __LINE__); \
            return 1;                                               \
        }                                                           \
    } while (0)

static const float corners[2][3][3] = {
    {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
    {{0.25f, 0.25f, -1}, {0.25f, 0.25f, 1}, {2, 2, 1}},
};
static const uint32_t triangle[3] = {0, 1, 2};

static abut_status add_body(abut_context* context, abut_scene* scene, const float xyz[3][3],
                            abut_body_id* body) {
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f32(&xyz[0][0], 3);
    def.triangles = triangle;
    def.triangle_count = 1;
    abut_status status = abut_mesh_create(context, &def, &mesh, NULL);
    if (status == ABUT_OK) {
        status = abut_shape_create(context, mesh, NULL, &shape, NULL);
    }
    if (status == ABUT_OK) {
        status = abut_body_create(scene, shape, NULL, body, NULL);
    }
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
    return status;
}

static void add_index(void* argument, uint32_t index, uint32_t worker) {
    (void)worker;
    ((uint32_t*)argument)[index] += index;
}

int main(void) {
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", ABUT_VERSION_MAJOR, ABUT_VERSION_MINOR,
             ABUT_VERSION_PATCH);
    NEED(strcmp(version, ABUT_VERSION_STRING) == 0);

    abut_context* context = NULL;
    abut_scene* scene = NULL;
    abut_collide_result* result = NULL;
    abut_body_id bodies[2];
    abut_context_def def = abut_context_def_default();
    def.tasks = abut_openmp_tasks(2);
    NEED(def.tasks.workers == 2);
    uint32_t seen[9] = {0};
    def.tasks.run(def.tasks.user, 9, add_index, seen);
    NEED(seen[0] == 0 && seen[1] == 1 && seen[8] == 8);
    abut_threads* threads = NULL;
    NEED(abut_threads_create(2, &threads, NULL) == ABUT_OK);
    def.tasks = abut_threads_tasks(threads);
    def.tasks.run(def.tasks.user, 9, add_index, seen);
    NEED(seen[0] == 0 && seen[1] == 2 && seen[8] == 16);

    NEED(abut_context_create(&def, &context, NULL) == ABUT_OK);
    NEED(abut_scene_create(context, NULL, &scene, NULL) == ABUT_OK);
    NEED(abut_collide_result_create(context, &result, NULL) == ABUT_OK);
    NEED(add_body(context, scene, corners[0], &bodies[0]) == ABUT_OK);
    NEED(add_body(context, scene, corners[1], &bodies[1]) == ABUT_OK);
    NEED(abut_collide(scene, bodies[0], bodies[1], NULL, result, NULL) == ABUT_OK);
    size_t count = 0;
    abut_collide_result_pairs(result, &count);
    NEED(count == 1);
    abut_collide_result_destroy(result);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    abut_threads_destroy(threads);
    puts(ABUT_VERSION_STRING);
    return 0;
}
