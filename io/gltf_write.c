// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes GLB files: see gltf_write.h. The bytes follow in the order of their buffer views.
#include "io/gltf_write.h"

#include "io/output.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLOAT32 = 5126, UINT32 = 5125 };

// a piece of the buffer: four-byte numbers
typedef struct piece {
    const void* numbers;
    size_t count;
} piece;

typedef struct document {
    json_t* views;
    json_t* accessors;
    piece* pieces;
    size_t piece_count;
    uint64_t size;
} document;

// adds an accessor of `count` elements with `width` numbers each; returns its index
static size_t add_accessor(document* d, const void* numbers, size_t count, size_t width, int kind,
                           const char* type) {
    const size_t index = json_array_size(d->accessors);
    const uint64_t bytes = 4 * (uint64_t)count * width;
    d->pieces[d->piece_count++] = (piece){numbers, count * width};
    json_array_append_new(d->views,
                          json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset",
                                    (json_int_t)d->size, "byteLength", (json_int_t)bytes));
    json_array_append_new(d->accessors, json_pack("{s:I, s:i, s:I, s:s}", "bufferView",
                                                  (json_int_t)index, "componentType", kind, "count",
                                                  (json_int_t)count, "type", type));
    d->size += bytes;
    return index;
}

// adds an accessor of positions, which needs their bounds
static size_t add_positions(document* d, const float* xyz, size_t count) {
    const size_t index = add_accessor(d, xyz, count, 3, FLOAT32, "VEC3");
    float lo[3] = {INFINITY, INFINITY, INFINITY};
    float hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * count; ++i) {
        lo[i % 3] = fminf(lo[i % 3], xyz[i]);
        hi[i % 3] = fmaxf(hi[i % 3], xyz[i]);
    }
    json_t* accessor = json_array_get(d->accessors, index);
    json_object_set_new(accessor, "min",
                        json_pack("[f, f, f]", (double)lo[0], (double)lo[1], (double)lo[2]));
    json_object_set_new(accessor, "max",
                        json_pack("[f, f, f]", (double)hi[0], (double)hi[1], (double)hi[2]));
    return index;
}

static json_t* target_names(const io_gltf_mesh* mesh) {
    json_t* names = json_array();
    for (size_t t = 0; t < mesh->target_count; ++t) {
        json_t* name = json_string(mesh->target_names[t]);
        json_array_append_new(names, name != NULL ? name : json_string("?"));
    }
    return json_pack("{s:o}", "targetNames", names);
}

static json_t* mesh_json(document* d, const io_gltf_mesh* mesh) {
    const size_t positions = add_positions(d, mesh->positions, mesh->vertex_count);
    const size_t corners = add_accessor(d, mesh->triangles, 3 * mesh->triangle_count, 1, UINT32,
                                        "SCALAR");
    json_t* primitive = json_pack("{s:{s:I}, s:I}", "attributes", "POSITION", (json_int_t)positions,
                                  "indices", (json_int_t)corners);
    json_t* json = json_pack("{s:[o]}", "primitives", primitive);
    json_t* name = json_string(mesh->name);  // NULL if it is not UTF-8
    if (name != NULL) {
        json_object_set_new(json, "name", name);
    }
    if (mesh->target_count == 0) {
        return json;
    }
    json_t* targets = json_array();
    json_t* weights = json_array();
    for (size_t t = 0; t < mesh->target_count; ++t) {
        const size_t target = add_positions(d, mesh->targets + 3 * mesh->vertex_count * t,
                                            mesh->vertex_count);
        json_array_append_new(targets, json_pack("{s:I}", "POSITION", (json_int_t)target));
        json_array_append_new(weights, json_real((double)mesh->weights[t]));
    }
    json_object_set_new(primitive, "targets", targets);
    json_object_set_new(json, "weights", weights);
    if (mesh->target_names != NULL) {
        json_object_set_new(json, "extras", target_names(mesh));
    }
    return json;
}

static json_t* animation_json(document* d, const io_gltf_mesh* meshes, size_t count,
                              size_t frame_count, const float* times) {
    json_t* samplers = json_array();
    json_t* channels = json_array();
    const size_t input = add_accessor(d, times, frame_count, 1, FLOAT32, "SCALAR");
    json_t* accessor = json_array_get(d->accessors, input);
    json_object_set_new(accessor, "min", json_pack("[f]", (double)times[0]));
    json_object_set_new(accessor, "max", json_pack("[f]", (double)times[frame_count - 1]));
    for (size_t i = 0; i < count; ++i) {
        if (meshes[i].target_count == 0) {
            continue;
        }
        const size_t output = add_accessor(
            d, meshes[i].weights, frame_count * meshes[i].target_count, 1, FLOAT32, "SCALAR");
        const size_t sampler = json_array_size(samplers);
        json_array_append_new(samplers,
                              json_pack("{s:I, s:I, s:s}", "input", (json_int_t)input, "output",
                                        (json_int_t)output, "interpolation", "LINEAR"));
        json_array_append_new(channels,
                              json_pack("{s:I, s:{s:I, s:s}}", "sampler", (json_int_t)sampler,
                                        "target", "node", (json_int_t)i, "path", "weights"));
    }
    return json_pack("[{s:o, s:o}]", "samplers", samplers, "channels", channels);
}

static json_t* document_json(document* d, const io_gltf_mesh* meshes, size_t count,
                             size_t frame_count, const float* times) {
    json_t* list = json_array();
    json_t* nodes = json_array();
    json_t* roots = json_array();
    bool animated = false;
    for (size_t i = 0; i < count; ++i) {
        json_array_append_new(list, mesh_json(d, &meshes[i]));
        json_t* node = json_pack("{s:I}", "mesh", (json_int_t)i);
        json_t* name = json_string(meshes[i].name);
        if (name != NULL) {
            json_object_set_new(node, "name", name);
        }
        json_array_append_new(nodes, node);
        json_array_append_new(roots, json_integer((json_int_t)i));
        animated = animated || meshes[i].target_count != 0;
    }
    json_t* root = json_pack("{s:{s:s, s:s}, s:i, s:[{s:o}], s:o, s:o}", "asset", "version", "2.0",
                             "generator", "abut", "scene", 0, "scenes", "nodes", roots, "nodes",
                             nodes, "meshes", list);
    if (animated && frame_count > 1) {
        json_object_set_new(root, "animations",
                            animation_json(d, meshes, count, frame_count, times));
    }
    json_object_set_new(root, "buffers", json_pack("[{s:I}]", "byteLength", (json_int_t)d->size));
    json_object_set_new(root, "bufferViews", d->views);
    json_object_set_new(root, "accessors", d->accessors);
    return root;
}

static void put(FILE* file, uint32_t number) {
    const unsigned char bytes[4] = {(unsigned char)number, (unsigned char)(number >> 8),
                                    (unsigned char)(number >> 16), (unsigned char)(number >> 24)};
    fwrite(bytes, 1, sizeof bytes, file);
}

static void put_numbers(FILE* file, const piece* p) {
    for (size_t i = 0; i < p->count; ++i) {
        uint32_t bits;
        memcpy(&bits, (const char*)p->numbers + 4 * i, sizeof bits);
        put(file, bits);
    }
}

static bool write_file(const char* path, const document* d, const char* json, io_error* error) {
    const size_t length = (strlen(json) + 3) / 4 * 4;
    const uint64_t size = 28 + (uint64_t)length + d->size;
    if (size > UINT32_MAX) {
        return io_fail_in(error, path, "it would have %llu bytes; a GLB file can have 2^32 - 1",
                          (unsigned long long)size);
    }
    FILE* file = io_output_open(path, error);
    if (file == NULL) {
        return false;
    }
    fwrite("glTF", 1, 4, file);
    put(file, 2);
    put(file, (uint32_t)size);
    put(file, (uint32_t)length);
    fwrite("JSON", 1, 4, file);
    fprintf(file, "%-*s", (int)length, json);
    put(file, (uint32_t)d->size);
    fwrite("BIN", 1, 4, file);
    for (size_t i = 0; i < d->piece_count; ++i) {
        put_numbers(file, &d->pieces[i]);
    }
    return io_output_end(file, error);
}

bool io_write_glb(const char* path, const io_gltf_mesh* meshes, size_t count, size_t frame_count,
                  double fps, io_error* error) {
    document d = {.views = json_array(), .accessors = json_array()};
    size_t pieces = 1;
    for (size_t i = 0; i < count; ++i) {
        pieces += 3 + meshes[i].target_count;
    }
    d.pieces = calloc(pieces, sizeof *d.pieces);
    float* times = calloc(frame_count + 1, sizeof *times);
    char* text = NULL;
    if (d.pieces != NULL && times != NULL && d.views != NULL && d.accessors != NULL) {
        for (size_t i = 0; i < frame_count; ++i) {
            times[i] = (float)((double)i / fps);
        }
        json_t* root = document_json(&d, meshes, count, frame_count, times);
        text = json_dumps(root, JSON_COMPACT);
        json_decref(root);
    }
    const bool done = text == NULL ? io_fail_in(error, path, "there is not enough memory for it")
                                   : write_file(path, &d, text, error);
    free(text);
    free(times);
    free(d.pieces);
    return done;
}
