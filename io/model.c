// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads models and computes their poses. See model.h.
#include "io/model.h"

#include "io/assimp.h"
#include "io/cache.h"
#include "io/file.h"
#include "io/gltf.h"
#include "io/mesh_file.h"
#include "io/output.h"
#include "io/pvd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the end of a name, without .gz
enum { PLAIN_SIZE = 256 };
static const char* plain_end(const char* name, char plain[PLAIN_SIZE]) {
    const size_t length = strlen(name);
    const char* from = length < PLAIN_SIZE ? name : name + (length - PLAIN_SIZE + 1);
    const int packed = io_is_packed_name(name) ? 3 : 0;
    snprintf(plain, PLAIN_SIZE, "%.*s", (int)strlen(from) - packed, from);
    return plain;
}

// whether a name is that of a packed model that only assimp can read
static bool is_packed_foreign(const char* name) {
    char plain[PLAIN_SIZE];
    return io_is_packed_name(name) && io_is_assimp_name(plain_end(name, plain));
}

bool io_is_object_name(const char* name) {
    char plain[PLAIN_SIZE];
    return io_format_of_name(name) != IO_FORMAT_UNKNOWN || io_is_model_name(name) ||
           io_is_cache_name(plain_end(name, plain)) || io_is_pvd_name(name);
}

bool io_is_model_name(const char* name) {
    return io_has_ending(name, ".glb") || io_has_ending(name, ".gltf") || io_is_assimp_name(name) ||
           is_packed_foreign(name);
}

bool io_input_is_model(void) {
    char* bytes = NULL;
    size_t size = 0;
    if (!io_read_input("-", &bytes, &size, NULL)) {
        return false;
    }
    size_t at = 0;
    while (at < size &&
           (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r' || bytes[at] == '\n')) {
        ++at;
    }
    const bool model = (size >= 4 && memcmp(bytes, "glTF", 4) == 0) ||
                       (at < size && bytes[at] == '{');
    free(bytes);
    return model;
}

static bool parse(gltf_file* file, const io_model_settings* settings, io_model* out) {
    return gltf_read_draco(file) && gltf_read_meshes(file, out) && gltf_read_graph(file, out) &&
           gltf_read_clips(file, settings, out) && gltf_make_bodies(file, out);
}

bool io_parse_gltf(const char* name, const void* bytes, size_t size,
                   const io_model_settings* settings, io_model* out, io_error* error) {
    gltf_file file;
    *out = (io_model){.format = "glTF", .fps = settings->fps};
    const bool done = gltf_file_open(&file, name, bytes, size, error) &&
                      parse(&file, settings, out);
    gltf_file_free(&file);
    if (!done) {
        io_model_free(out);
        return false;
    }
    io_model_show(out, 0);
    return true;
}

bool io_read_model(const char* path, const io_model_settings* settings, io_model* out,
                   io_error* error) {
    char* bytes = NULL;
    size_t size = 0;
    *out = (io_model){0};
    if (is_packed_foreign(path)) {
        return io_fail_in(error, path,
                          "assimp cannot read packed files; unpack it first: gunzip -k");
    }
    const bool foreign = io_is_assimp_name(path);
    io_input_note(path);
    if (!(foreign ? io_assimp_to_glb(path, &bytes, &size, error)
                  : io_read_input(path, &bytes, &size, error))) {
        return false;
    }
    const bool done = io_parse_gltf(io_input_name(path), bytes, size, settings, out, error);
    free(bytes);
    out->format = done && foreign ? "assimp" : out->format;
    return done;
}

void io_model_free(io_model* model) {
    for (size_t i = 0; i < model->mesh_count; ++i) {
        io_model_mesh* mesh = &model->meshes[i];
        free(mesh->name);
        free(mesh->positions);
        free(mesh->triangles);
        free(mesh->fields);
        free(mesh->joints);
        free(mesh->weights);
        io_tags_free(&mesh->tags);
    }
    for (size_t i = 0; i < model->body_count; ++i) {
        free(model->bodies[i].name);
    }
    for (size_t i = 0; i < model->clip_count; ++i) {
        free(model->clips[i].name);
    }
    gltf_graph_free(model->graph, model->clip_count);
    free(model->meshes);
    free(model->bodies);
    free(model->clips);
    *model = (io_model){0};
}

// ---- poses

static void take_rest_pose(const io_model* model) {
    gltf_graph* graph = model->graph;
    for (size_t i = 0; i < graph->node_count; ++i) {
        gltf_node* node = &graph->nodes[i];
        memcpy(node->translation, node->rest_translation, sizeof node->translation);
        memcpy(node->rotation, node->rest_rotation, sizeof node->rotation);
        memcpy(node->scale, node->rest_scale, sizeof node->scale);
        if (node->weights != NULL) {
            memcpy(node->weights, node->rest_weights,
                   model->meshes[node->mesh].field_count * sizeof *node->weights);
        }
    }
}

static void play(gltf_graph* graph, size_t clip, double time) {
    const gltf_tracks* tracks = &graph->clips[clip];
    for (size_t i = 0; i < tracks->count; ++i) {
        const gltf_track* track = &tracks->tracks[i];
        gltf_node* node = &graph->nodes[track->node];
        double* to = track->path == GLTF_TRANSLATION ? node->translation
                     : track->path == GLTF_ROTATION  ? node->rotation
                     : track->path == GLTF_SCALE     ? node->scale
                                                     : node->weights;
        gltf_track_value(track, time, to);
    }
}

static void place_nodes(gltf_graph* graph) {
    for (size_t i = 0; i < graph->node_count; ++i) {
        gltf_node* node = &graph->nodes[graph->order[i]];
        double local[12];
        if (node->has_matrix) {
            memcpy(local, node->matrix, sizeof local);
        } else {
            affine_compose(node->translation, node->rotation, node->scale, local);
        }
        if (node->parent == GLTF_NONE) {
            memcpy(node->global, local, sizeof local);
        } else {
            affine_product(graph->nodes[node->parent].global, local, node->global);
        }
    }
}

void io_model_show_time(io_model* model, size_t clip, double time) {
    take_rest_pose(model);
    if (clip < model->clip_count) {
        play(model->graph, clip, time);
    }
    place_nodes(model->graph);
}

void io_model_show(io_model* model, size_t frame) {
    size_t clip = 0;
    while (clip + 1 < model->clip_count && frame >= model->clips[clip].frame_count) {
        frame -= model->clips[clip++].frame_count;
    }
    io_model_show_time(model, clip, (double)frame / model->fps);
}

const double* io_model_coordinates(const io_model* model, size_t body) {
    return model->graph->nodes[model->bodies[body].node].weights;
}

void io_model_transforms(const io_model* model, size_t body, double* rows) {
    const gltf_graph* graph = model->graph;
    const io_model_body* b = &model->bodies[body];
    if (b->motion != IO_MODEL_SKINNED) {
        memcpy(rows, graph->nodes[b->node].global, 12 * sizeof *rows);
        return;
    }
    // a skinned mesh follows its joints, not its node
    const gltf_skin* skin = &graph->skins[b->skin];
    for (size_t j = 0; j < skin->joint_count; ++j) {
        affine_product(graph->nodes[skin->joints[j]].global, skin->inverse_bind + 12 * j,
                       rows + 12 * j);
    }
}

void io_model_frame(const io_model* model, size_t body, double rows[12]) {
    memcpy(rows, model->graph->nodes[model->bodies[body].node].global, 12 * sizeof *rows);
}
