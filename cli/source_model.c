// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Opens a model: every node with a mesh is a body. Morph targets become fields of a modal body; the
// joints of a skin, or a node that scales, become nodes of a blend body. Other bodies are free, and
// only their frames move. See source.h.
#include "cli/message.h"
#include "cli/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct model_source {
    io_model model;
    double* transforms;  // room for the largest body
} model_source;

static abut_motion motion_of(const io_model_body* body, const io_model_mesh* mesh) {
    return body->motion != IO_MODEL_RIGID ? ABUT_MOTION_BLEND
           : mesh->field_count > 0        ? ABUT_MOTION_MODAL
                                          : ABUT_MOTION_FREE;
}

static surface surface_of(const io_model* model, size_t body, const char* name) {
    const io_model_body* b = &model->bodies[body];
    const io_model_mesh* mesh = &model->meshes[b->mesh];
    surface s = {.name = name,
                 .positions = mesh->positions,
                 .vertex_count = mesh->vertex_count,
                 .triangles = mesh->triangles,
                 .triangle_count = mesh->triangle_count,
                 .motion = motion_of(b, mesh),
                 .field_count = (uint32_t)mesh->field_count,
                 .fields = mesh->fields};
    if (b->motion == IO_MODEL_SKINNED) {
        s.weights = (abut_weights){.node_count = b->transform_count,
                                   .per_vertex = mesh->influences,
                                   .nodes = mesh->joints,
                                   .values = mesh->weights,
                                   .normalise = true};  // quantised weights do not sum to 1
    }
    return s;
}

// adds a mesh all of whose vertices follow one node
static bool add_affine(world* w, const surface* shown) {
    const size_t count = shown->vertex_count;
    uint32_t* nodes = allocate(count, sizeof *nodes);
    float* values = allocate(count, sizeof *values);
    for (size_t i = 0; i < count; ++i) {
        values[i] = 1;
    }
    surface following = *shown;
    following.weights = (abut_weights){
        .node_count = 1, .per_vertex = 1, .nodes = nodes, .values = values};
    const bool added = world_add(w, &following, false);
    free(nodes);
    free(values);
    return added;
}

static bool add_body(const source* s, object* o, world* w, size_t body) {
    const model_source* m = s->data;
    const io_model_body* b = &m->model.bodies[body];
    o->body = w->body_count;
    if (b->like != body) {
        const object* first = o - body;  // the objects of a model are consecutive
        return world_add_like(w, first[b->like].body, o->name, false);
    }
    const surface shown = surface_of(&m->model, body, o->name);
    return b->motion == IO_MODEL_AFFINE ? add_affine(w, &shown) : world_add(w, &shown, false);
}

static bool pose_body(const source* s, const object* o, world* w, size_t body) {
    const model_source* m = s->data;
    const io_model_body* b = &m->model.bodies[body];
    surface shown = surface_of(&m->model, body, o->name);
    shown.weights.node_count = b->transform_count;
    state now = {.coordinates = io_model_coordinates(&m->model, body),
                 .transforms = m->transforms,
                 .frame = abut_frame_identity()};
    if (b->motion != IO_MODEL_RIGID) {
        io_model_transforms(&m->model, body, m->transforms);
        return world_deform(w, o->body, &shown, &now);
    }
    double rows[12];
    io_model_frame(&m->model, body, rows);
    for (int i = 0; i < 3; ++i) {
        memcpy(now.frame.r[i], rows + 4 * i, sizeof now.frame.r[i]);
        now.frame.t[i] = rows[4 * i + 3];
    }
    return world_deform(w, o->body, &shown, &now);
}

static bool show(source* s, object* objects, world* w, size_t frame) {
    model_source* m = s->data;
    if (frame == REST_FRAME) {
        io_model_show_time(&m->model, m->model.clip_count, 0);  // no animation
    } else {
        io_model_show(&m->model, frame);
    }
    for (size_t i = 0; i < m->model.body_count; ++i) {
        if ((!s->loaded && !add_body(s, &objects[i], w, i)) || !pose_body(s, &objects[i], w, i)) {
            return false;
        }
    }
    return true;
}

static void release(source* s) {
    model_source* m = s->data;
    io_model_free(&m->model);
    free(m->transforms);
    free(m);
}

// makes the name "file:node", or "file:3" if the node has no name
static void name_body(object* o, const io_model* model, size_t body) {
    const char* node = model->bodies[body].name;
    char number[32];
    snprintf(number, sizeof number, "%zu", body);
    node = node[0] == '\0' ? number : node;
    const size_t length = strlen(o->name);
    o->name = reallocate(o->name, length + strlen(node) + 2, 1);
    o->name[length] = ':';
    memcpy(o->name + length + 1, node, strlen(node) + 1);
}

static void append_objects(source* s, object_list* list) {
    model_source* m = s->data;
    size_t most = 1;
    for (size_t i = 0; i < m->model.body_count; ++i) {
        const io_model_body* b = &m->model.bodies[i];
        object* o = objects_append(list, s);
        o->format = m->model.format;
        o->clips = m->model.clips;
        o->clip_count = m->model.clip_count;
        o->triangle_count = o->face_count = m->model.meshes[b->mesh].triangle_count;
        o->tags = &m->model.meshes[b->mesh].tags;
        most = b->transform_count > most ? b->transform_count : most;
        if (m->model.body_count > 1) {
            name_body(o, &m->model, i);
        }
    }
    m->transforms = allocate(most, 12 * sizeof *m->transforms);
}

static const source_kind model_kind = {show, release, true};

const io_model* source_model(const source* s) {
    return s->kind == &model_kind ? &((const model_source*)s->data)->model : NULL;
}

bool source_open_model(source* s, object_list* list, const io_model_settings* settings) {
    model_source* m = allocate(1, sizeof *m);
    io_error error;
    s->kind = &model_kind;
    s->data = m;
    if (!io_read_model(s->name, settings, &m->model, &error)) {
        complain("%s", error.message);
        return false;
    }
    s->frames = m->model.frame_count;
    append_objects(s, list);
    return true;
}
