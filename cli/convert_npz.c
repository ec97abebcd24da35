// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes objects as arrays of numpy. Each stays as the file has it: a mesh with positions of all
// frames; of a model the rest positions, morph targets and weights, and a state for each frame.
//
// Arrays of object 3 are named "3/faces"; a single object has no number. docs/files.md lists them.
#include "cli/convert.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/source.h"
#include "cli/terminal.h"
#include "io/npz_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAY_NAME = 48 };

// What is collected of one object, frame after frame.
typedef struct collected {
    const io_model* model;  // NULL: a mesh, or a sequence of meshes
    size_t body;            // of the model
    size_t vertex_count;
    size_t triangle_count;
    uint32_t* triangles;
    double* positions;    // of meshes: of all frames
    double* coordinates;  // of models: one per field
    double* transforms;   // of models: three rows of four per node, or of the body
} collected;

typedef struct archive {
    collected* all;
    io_npz_writer out;
    size_t frame_count;
} archive;

static bool fail(const io_error* error) {
    complain("%s", error->message);
    return false;
}

// ---- frames

static const io_model_body* body_of(const collected* o) {
    return &o->model->bodies[o->body];
}

static size_t field_count(const collected* o) {
    return o->model != NULL ? o->model->meshes[body_of(o)->mesh].field_count : 0;
}

static size_t node_count(const collected* o) {
    return body_of(o)->motion == IO_MODEL_RIGID ? 1 : body_of(o)->transform_count;
}

static const abut_mesh* mesh_of(const conversion* c, size_t number) {
    const uint32_t body = c->objects.objects[number].body;
    return abut_shape_mesh(abut_body_shape(c->w.scene, c->w.bodies[body]));
}

// finds the model of each object
static void find_models(const conversion* c, archive* a) {
    for (size_t i = 0; i < c->objects.source_count; ++i) {
        const source* s = &c->objects.sources[i];
        for (size_t k = 0; k < s->object_count; ++k) {
            a->all[s->first_object + k].model = source_model(s);
            a->all[s->first_object + k].body = k;
        }
    }
}

static void begin_object(const conversion* c, size_t number, archive* a) {
    collected* o = &a->all[number];
    const abut_mesh* mesh = mesh_of(c, number);
    o->vertex_count = abut_mesh_vertex_count(mesh);
    o->triangle_count = abut_mesh_triangle_count(mesh);
    o->triangles = allocate(o->triangle_count, 3 * sizeof *o->triangles);
    memcpy(o->triangles, abut_mesh_triangles(mesh), 3 * o->triangle_count * sizeof *o->triangles);
    if (o->model == NULL) {
        o->positions = allocate(a->frame_count, 3 * o->vertex_count * sizeof *o->positions);
    } else {
        o->coordinates = allocate(a->frame_count, (field_count(o) + 1) * sizeof *o->coordinates);
        o->transforms = allocate(a->frame_count, 12 * node_count(o) * sizeof *o->transforms);
    }
}

static bool is_same_mesh(const conversion* c, size_t number, const collected* o, size_t frame) {
    const abut_mesh* mesh = mesh_of(c, number);
    char label[FRAME_TEXT_SIZE];
    if (abut_mesh_vertex_count(mesh) == o->vertex_count &&
        abut_mesh_triangle_count(mesh) == o->triangle_count &&
        memcmp(abut_mesh_triangles(mesh), o->triangles,
               3 * o->triangle_count * sizeof *o->triangles) == 0) {
        return true;
    }
    complain("%s: the triangles change in frame %s, and an .npz file has one list of them",
             c->objects.objects[number].name, frame_label(&c->objects.names, frame, label));
    return false;
}

static bool take_state(const conversion* c, size_t number, collected* o, size_t row) {
    if (o->model == NULL) {
        const abut_body_id id = c->w.bodies[c->objects.objects[number].body];
        return abut_body_world_vertices(c->w.scene, id, 0, (uint32_t)o->vertex_count,
                                        o->positions + 3 * row * o->vertex_count, NULL) == ABUT_OK;
    }
    const size_t fields = field_count(o);
    double* rows = o->transforms + 12 * row * node_count(o);
    if (fields > 0) {
        memcpy(o->coordinates + row * fields, io_model_coordinates(o->model, o->body),
               fields * sizeof *o->coordinates);
    }
    if (body_of(o)->motion == IO_MODEL_RIGID) {
        io_model_frame(o->model, o->body, rows);
    } else {
        io_model_transforms(o->model, o->body, rows);
    }
    return true;
}

static bool take_frame(void* user, conversion* c, size_t frame) {
    archive* a = user;
    for (size_t i = 0; i < c->objects.count; ++i) {
        if (frame == c->first) {
            begin_object(c, i, a);
        }
        if (!is_same_mesh(c, i, &a->all[i], frame) ||
            !take_state(c, i, &a->all[i], frame - c->first)) {
            return false;
        }
    }
    return true;
}

// ---- the file

static bool add(archive* a, const char* prefix, io_npz_array array) {
    char name[ARRAY_NAME];
    io_error error;
    snprintf(name, sizeof name, "%s%s", prefix, array.name);
    array.name = name;
    return io_npz_add(&a->out, &array, &error) || fail(&error);
}

static bool add_reals(archive* a, const char* prefix, const char* name, const double* data,
                      const size_t shape[4], size_t dimensions) {
    io_npz_array array = {name, 'f', sizeof *data, {0}, dimensions, data};
    memcpy(array.shape, shape, dimensions * sizeof *shape);
    return add(a, prefix, array);
}

static bool add_wholes(archive* a, const char* prefix, const char* name, const uint32_t* data,
                       size_t rows, size_t columns) {
    return add(a, prefix,
               (io_npz_array){name, 'u', sizeof *data, {rows, columns}, columns > 0 ? 2 : 1, data});
}

static bool add_floats(archive* a, const char* prefix, const char* name, const float* data,
                       const size_t shape[3], size_t dimensions) {
    return add(
        a, prefix,
        (io_npz_array){name, 'f', sizeof *data, {shape[0], shape[1], shape[2]}, dimensions, data});
}

static bool add_mesh(archive* a, const char* prefix, const collected* o) {
    const size_t shape[4] = {a->frame_count, o->vertex_count, 3, 0};
    const size_t skip = a->frame_count == 1;
    return add_reals(a, prefix, "vertices", o->positions, shape + skip, 3 - skip);
}

static bool add_model(archive* a, const char* prefix, const collected* o) {
    const io_model_mesh* mesh = &o->model->meshes[body_of(o)->mesh];
    const bool rigid = body_of(o)->motion == IO_MODEL_RIGID;
    const size_t rest[4] = {o->vertex_count, 3, 0, 0};
    const size_t fields[4] = {mesh->field_count, o->vertex_count, 3, 0};
    const size_t coordinates[4] = {a->frame_count, mesh->field_count, 0, 0};
    const size_t transforms[4] = {a->frame_count, node_count(o), 3, 4};
    const size_t frames[4] = {a->frame_count, 3, 4, 0};
    const size_t weights[4] = {o->vertex_count, mesh->influences, 0, 0};
    bool done = add_reals(a, prefix, "vertices", mesh->positions, rest, 2);
    if (mesh->field_count > 0) {
        done = done && add_floats(a, prefix, "fields", mesh->fields, fields, 3) &&
               add_reals(a, prefix, "coordinates", o->coordinates, coordinates, 2);
    }
    if (body_of(o)->motion == IO_MODEL_SKINNED) {
        done = done &&
               add_wholes(a, prefix, "joints", mesh->joints, o->vertex_count, mesh->influences) &&
               add_floats(a, prefix, "weights", mesh->weights, weights, 2);
    }
    return done && (rigid ? add_reals(a, prefix, "frames", o->transforms, frames, 3)
                          : add_reals(a, prefix, "transforms", o->transforms, transforms, 4));
}

static bool add_object(const conversion* c, archive* a, size_t number) {
    const collected* o = &a->all[number];
    char prefix[24] = "";
    if (c->objects.count > 1) {
        snprintf(prefix, sizeof prefix, "%zu/", number);
    }
    return (o->model != NULL ? add_model : add_mesh)(a, prefix, o) &&
           add_wholes(a, prefix, "faces", o->triangles, o->triangle_count, 3) &&
           add_wholes(a, prefix, "classes", abut_mesh_classes(mesh_of(c, number)), o->vertex_count,
                      0);
}

static bool add_names(const conversion* c, archive* a) {
    size_t longest = 1;
    for (size_t i = 0; i < c->objects.count; ++i) {
        const size_t length = strlen(c->objects.objects[i].name);
        longest = length > longest ? length : longest;
    }
    char* names = allocate(c->objects.count, longest);
    for (size_t i = 0; i < c->objects.count; ++i) {
        memcpy(names + i * longest, c->objects.objects[i].name, strlen(c->objects.objects[i].name));
    }
    const bool done = add(a, "",
                          (io_npz_array){"objects", 'S', longest, {c->objects.count}, 1, names});
    free(names);
    return done;
}

static bool add_times(const conversion* c, archive* a) {
    double* times = allocate(a->frame_count, sizeof *times);
    for (size_t i = 0; i < a->frame_count; ++i) {
        times[i] = (double)(c->first + i) / c->fps;
    }
    const size_t shape[4] = {a->frame_count, 0, 0, 0};
    const bool done = add_reals(a, "", "times", times, shape, 1);
    free(times);
    return done;
}

static bool write_archive(const conversion* c, archive* a) {
    io_error error;
    if (!io_npz_begin(&a->out, c->output, &error)) {
        return fail(&error);
    }
    bool done = add_names(c, a) && add_times(c, a);
    for (size_t i = 0; i < c->objects.count && done; ++i) {
        done = add_object(c, a, i);
    }
    return done && (io_npz_end(&a->out, &error) || fail(&error));
}

bool convert_to_npz(conversion* c) {
    archive a = {.frame_count = c->last - c->first + 1};
    a.all = allocate(c->objects.count, sizeof *a.all);
    find_models(c, &a);
    const bool done = output_claim(c->output) && convert_frames(c, take_frame, &a) &&
                      write_archive(c, &a);
    io_npz_drop(&a.out);  // no-op after success
    for (size_t i = 0; i < c->objects.count; ++i) {
        free(a.all[i].triangles);
        free(a.all[i].positions);
        free(a.all[i].coordinates);
        free(a.all[i].transforms);
    }
    free(a.all);
    if (done && !c->quiet) {
        char name[NAME_SIZE];
        printf("Wrote %zu object%s of %zu frame%s to %s.\n", c->objects.count,
               c->objects.count == 1 ? "" : "s", a.frame_count, a.frame_count == 1 ? "" : "s",
               shown_name(c->output, NAME_SIZE - 1, name));
    }
    return done;
}
