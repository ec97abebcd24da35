// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The C side of two rows of compare.py: sets the positions of a mesh and asks for its self-collision, again and again,
// and prints the median time of a round in seconds. Input: a file of vertex count, triangle count, positions of as many
// frames as there are, and triangles.
#include <abut/abut.h>
#include <abut/threads.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void require(bool is_good, const char* what) {
    if (!is_good) {
        fprintf(stderr, "cloth: %s\n", what);
        exit(1);
    }
}

#define OK(call) require((call) == ABUT_OK, #call)

static int by_size(const void* a, const void* b) {
    const double x = *(const double*)a;
    const double y = *(const double*)b;
    return (x > y) - (x < y);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argument_count, char** arguments) {
    require(argument_count == 3, "usage: cloth FILE ROUNDS");
    FILE* file = fopen(arguments[1], "rb");
    require(file != NULL, "the file cannot be opened");
    uint32_t head[3];
    require(fread(head, 4, 3, file) == 3, "the file is too short");
    const size_t vertices = head[0], triangles = head[1], frames = head[2];
    uint32_t* faces = malloc(triangles * 12);
    double* xyz = malloc(frames * vertices * 24);
    require(faces != NULL && xyz != NULL, "memory ran out");
    require(fread(faces, 12, triangles, file) == triangles, "the file is too short");
    require(fread(xyz, 24 * vertices, frames, file) == frames, "the file is too short");
    fclose(file);

    abut_context_def def = abut_context_def_default();  // one thread, as in compare.py
    abut_context* context;
    OK(abut_context_create(&def, &context, NULL));
    abut_mesh_def mesh_def = abut_mesh_def_default();
    mesh_def.positions = abut_positions_f64(xyz, vertices);
    mesh_def.triangles = faces;
    mesh_def.triangle_count = triangles;
    abut_mesh* mesh;
    abut_shape* shape;
    abut_scene* scene;
    abut_body_id body;
    abut_collide_result* result;
    OK(abut_mesh_create(context, &mesh_def, &mesh, NULL));
    OK(abut_shape_create(context, mesh, NULL, &shape, NULL));
    OK(abut_scene_create(context, NULL, &scene, NULL));
    OK(abut_body_create(scene, shape, NULL, &body, NULL));
    OK(abut_collide_result_create(context, &result, NULL));
    const size_t rounds = strtoull(arguments[2], NULL, 10);
    double* seconds = malloc((rounds + 1) * sizeof *seconds);
    size_t found = 0;
    for (size_t i = 0; i < rounds; ++i) {
        const double start = now();
        OK(abut_body_set_positions(
            scene, body, abut_positions_f64(xyz + (i % frames) * 3 * vertices, vertices), NULL));
        OK(abut_collide_self(scene, body, NULL, result, NULL));
        size_t count;
        abut_collide_result_pairs(result, &count);
        seconds[i] = now() - start;
        found += count;
    }
    qsort(seconds, rounds, sizeof *seconds, by_size);
    printf("%.9g %zu\n", seconds[rounds / 2], found);
    return 0;
}
