// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The native side of the benchmark of the npm package (compare.mjs):
//
//     native record FILE SCENE TRIANGLES FRAMES   writes body 0 of a scene: counts, triangles, then
//                                                 the positions of every frame as floats
//     native time FILE ISA ROUNDS                 prints milliseconds of an update and of a self
//                                                 query, and the number of pairs of all frames
//     native walk FILE TRIANGLES FRAMES           writes a skinned figure that walks, and prints
//                                                 the number of pairs of all frames
//
// The time of a frame is the least of all rounds, and the time printed is the median of the frames,
// as in compare.mjs.
#include <abut/abut.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scenes/scenes.h"

static void need(bool condition, const char* what) {
    if (!condition) {
        fprintf(stderr, "native: %s\n", what);
        exit(2);
    }
}

static void* allocate(size_t count, size_t size) {
    void* memory = calloc(count + 1, size);
    need(memory != NULL, "out of memory");
    return memory;
}

static int record(const char* path, const char* name, uint32_t triangles, uint32_t frames) {
    FILE* file = fopen(path, "wb");
    scene* s = scene_create(name, triangles, frames, 1);
    need(file != NULL && s != NULL, "the scene or the file cannot be made");
    const scene_body* body = scene_get_body(s, 0);
    const uint32_t head[3] = {body->vertex_count, body->triangle_count, scene_frame_count(s)};
    bool good = fwrite(head, sizeof head, 1, file) == 1;
    good &= fwrite(body->triangles, sizeof(uint32_t[3]), head[1], file) == head[1];
    double* xyz = allocate(head[0], sizeof(double[3]));
    float* rounded = allocate(head[0], sizeof(float[3]));
    for (uint32_t frame = 0; frame < head[2]; ++frame) {
        scene_positions(s, 0, frame, xyz);
        for (size_t k = 0; k < 3 * (size_t)head[0]; ++k) {
            rounded[k] = (float)xyz[k];
        }
        good &= fwrite(rounded, sizeof(float[3]), head[0], file) == head[0];
    }
    need(fclose(file) == 0 && good, "the file cannot be written");
    free(rounded);
    free(xyz);
    scene_destroy(s);
    return 0;
}

static double now(void) {
    struct timespec t;
    (void)timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a;
    const double y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median(double* values, uint32_t count) {
    qsort(values, count, sizeof *values, ascending);
    return values[count / 2];
}

typedef struct cloth {
    uint32_t vertices, triangles, frames;
    uint32_t* index;
    float* positions;
} cloth;

static cloth load(const char* path) {
    FILE* file = fopen(path, "rb");
    uint32_t head[3];
    need(file != NULL && fread(head, sizeof head, 1, file) == 1, "the file cannot be read");
    cloth c = {head[0], head[1], head[2], NULL, NULL};
    c.index = allocate(c.triangles, sizeof(uint32_t[3]));
    c.positions = allocate((size_t)c.vertices * c.frames, sizeof(float[3]));
    const size_t all = (size_t)c.vertices * c.frames;
    need(fread(c.index, sizeof(uint32_t[3]), c.triangles, file) == c.triangles &&
             fread(c.positions, sizeof(float[3]), all, file) == all,
         "the file ends too early");
    fclose(file);
    return c;
}

static abut_isa isa_of(const char* name) {
    int isa = ABUT_ISA_BEST;
    while (strcmp(abut_isa_name((abut_isa)isa), name) != 0 && isa < ABUT_ISA_SIMD128) {
        ++isa;
    }
    return (abut_isa)isa;
}

static int measure(const cloth* c, const char* isa, int rounds) {
    abut_context* context = NULL;
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    abut_scene* space = NULL;
    abut_collide_result* result = NULL;
    abut_body_id body = {0};
    abut_context_def def = abut_context_def_default();
    def.isa = isa_of(isa);
    abut_mesh_def mesh_def = abut_mesh_def_default();
    mesh_def.positions = abut_positions_f32(c->positions, c->vertices);
    mesh_def.triangles = c->index;
    mesh_def.triangle_count = c->triangles;
    need(abut_context_create(&def, &context, NULL) == ABUT_OK, "no such instruction set here");
    need(abut_mesh_create(context, &mesh_def, &mesh, NULL) == ABUT_OK &&
             abut_shape_create(context, mesh, NULL, &shape, NULL) == ABUT_OK &&
             abut_scene_create(context, NULL, &space, NULL) == ABUT_OK &&
             abut_body_create(space, shape, NULL, &body, NULL) == ABUT_OK &&
             abut_collide_result_create(context, &result, NULL) == ABUT_OK,
         "no body");
    double* updates = allocate(c->frames, sizeof(double));
    double* selfs = allocate(c->frames, sizeof(double));
    size_t pairs = 0;
    for (int round = 0; round < rounds; ++round) {
        pairs = 0;
        for (uint32_t frame = 0; frame < c->frames; ++frame) {
            const float* xyz = c->positions + 3 * (size_t)c->vertices * frame;
            const double start = now();
            need(abut_body_set_positions(space, body, abut_positions_f32(xyz, c->vertices), NULL) ==
                     ABUT_OK,
                 "no state");
            const double updated = now();
            need(abut_collide_self(space, body, NULL, result, NULL) == ABUT_OK, "no answer");
            const double end = now();
            size_t found = 0;
            (void)abut_collide_result_pairs(result, &found);
            pairs += found;
            const bool first = round == 0;
            updates[frame] = first || updated - start < updates[frame] ? updated - start
                                                                       : updates[frame];
            selfs[frame] = first || end - updated < selfs[frame] ? end - updated : selfs[frame];
        }
    }
    printf("%.6f %.6f %zu\n", median(updates, c->frames), median(selfs, c->frames), pairs);
    free(updates);
    free(selfs);
    abut_collide_result_destroy(result);
    abut_scene_destroy(space);
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
    abut_context_destroy(context);
    return 0;
}

// ---- the figure that walks

static void write_all(FILE* file, const void* values, size_t count, size_t size) {
    need(count == 0 || fwrite(values, size, count, file) == count, "the file cannot be written");
}

static void write_rounded(FILE* file, const double* values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const float rounded = (float)values[i];
        write_all(file, &rounded, 1, sizeof rounded);
    }
}

// counts, triangles, positions at rest, fields, first, nodes and values of the weights
static void write_figure(FILE* file, const scene_body* b, uint32_t frames) {
    const uint32_t influences = b->weight_first[b->vertex_count];
    const uint32_t head[6] = {b->vertex_count, b->triangle_count, b->node_count,
                              b->field_count,  influences,        frames};
    write_all(file, head, 6, sizeof *head);
    write_all(file, b->triangles, 3 * (size_t)b->triangle_count, sizeof *b->triangles);
    write_rounded(file, b->rest, 3 * (size_t)b->vertex_count);
    write_all(file, b->fields, 3 * (size_t)b->vertex_count * b->field_count, sizeof *b->fields);
    write_all(file, b->weight_first, (size_t)b->vertex_count + 1, sizeof *b->weight_first);
    write_all(file, b->weight_nodes, influences, sizeof *b->weight_nodes);
    write_all(file, b->weights, influences, sizeof *b->weights);
}

typedef struct figure {
    abut_context* context;
    abut_mesh* mesh;
    abut_shape* shape;
    abut_scene* space;
    abut_collide_result* result;
    abut_body_id body;
} figure;

static void open_figure(figure* f, const scene_body* b) {
    abut_context_def def = abut_context_def_default();
    def.isa = ABUT_ISA_SCALAR;
    need(abut_context_create(&def, &f->context, NULL) == ABUT_OK, "no context");
    float* rest = allocate(b->vertex_count, sizeof(float[3]));
    for (size_t i = 0; i < 3 * (size_t)b->vertex_count; ++i) {
        rest[i] = (float)b->rest[i];
    }
    abut_mesh_def mesh = abut_mesh_def_default();
    mesh.positions = abut_positions_f32(rest, b->vertex_count);
    mesh.triangles = b->triangles;
    mesh.triangle_count = b->triangle_count;
    abut_field* fields = allocate(b->field_count, sizeof *fields);
    for (uint32_t j = 0; j < b->field_count; ++j) {
        const float* values = b->fields + 3 * (size_t)b->vertex_count * j;
        fields[j] = (abut_field){.values = abut_positions_f32(values, b->vertex_count)};
    }
    abut_blend_def blend = abut_blend_def_default();
    blend.weights.node_count = b->node_count;
    blend.weights.first = b->weight_first;
    blend.weights.nodes = b->weight_nodes;
    blend.weights.values = b->weights;
    blend.weights.type = ABUT_SCALAR_F32;
    blend.weights.normalise = true;
    blend.fields = fields;
    blend.field_count = b->field_count;
    need(abut_mesh_create(f->context, &mesh, &f->mesh, NULL) == ABUT_OK &&
             abut_shape_create_blend(f->context, f->mesh, &blend, &f->shape, NULL) == ABUT_OK &&
             abut_scene_create(f->context, NULL, &f->space, NULL) == ABUT_OK &&
             abut_body_create(f->space, f->shape, NULL, &f->body, NULL) == ABUT_OK &&
             abut_collide_result_create(f->context, &f->result, NULL) == ABUT_OK,
         "no figure");
    free(fields);
    free(rest);
}

static void close_figure(figure* f) {
    abut_collide_result_destroy(f->result);
    abut_scene_destroy(f->space);
    abut_shape_destroy(f->shape);
    abut_mesh_destroy(f->mesh);
    abut_context_destroy(f->context);
}

static int walk(const char* path, uint32_t triangles, uint32_t frames) {
    FILE* file = fopen(path, "wb");
    scene* s = scene_create("walk", triangles, frames, 1);
    need(file != NULL && s != NULL, "the scene or the file cannot be made");
    const scene_body* b = scene_get_body(s, 0);
    double* transforms = allocate(b->node_count, sizeof(double[12]));
    double* coordinates = allocate(b->field_count, sizeof(double));
    figure f = {0};
    size_t pairs = 0;
    write_figure(file, b, frames);
    open_figure(&f, b);
    for (uint32_t frame = 0; frame < frames; ++frame) {
        size_t found = 0;
        scene_transforms(s, 0, frame, transforms);
        scene_coordinates(s, 0, frame, coordinates);
        write_all(file, transforms, 12 * (size_t)b->node_count, sizeof *transforms);
        write_all(file, coordinates, b->field_count, sizeof *coordinates);
        need(abut_body_set_transforms(f.space, f.body,
                                      abut_transforms_f64(transforms, b->node_count), coordinates,
                                      b->field_count, NULL) == ABUT_OK &&
                 abut_collide_self(f.space, f.body, NULL, f.result, NULL) == ABUT_OK,
             "no answer");
        (void)abut_collide_result_pairs(f.result, &found);
        pairs += found;
    }
    need(fclose(file) == 0, "the file cannot be written");
    printf("%zu\n", pairs);
    close_figure(&f);
    free(coordinates);
    free(transforms);
    scene_destroy(s);
    return 0;
}

int main(int argc, char** argv) {
    if (argc == 5 && strcmp(argv[1], "walk") == 0) {
        return walk(argv[2], (uint32_t)strtoul(argv[3], NULL, 10),
                    (uint32_t)strtoul(argv[4], NULL, 10));
    }
    if (argc == 6 && strcmp(argv[1], "record") == 0) {
        return record(argv[2], argv[3], (uint32_t)strtoul(argv[4], NULL, 10),
                      (uint32_t)strtoul(argv[5], NULL, 10));
    }
    need(argc == 5 && strcmp(argv[1], "time") == 0, "usage: see the first lines of its source");
    cloth c = load(argv[2]);
    const int code = measure(&c, argv[3], (int)strtol(argv[4], NULL, 10));
    free(c.index);
    free(c.positions);
    return code;
}
