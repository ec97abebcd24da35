// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Meshes of a glTF document: triangles, strips and fans, morph targets, joints and weights. The
// primitives of a mesh are joined into one surface. See gltf.h.
#include "io/gltf.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_SETS = 64, POINTS_AND_LINES = 3, TRIANGLES = 4, STRIP = 5, FAN = 6 };

// one primitive, with its place in the joined mesh
typedef struct primitive {
    json_t* json;
    size_t mode;
    size_t position;      // accessor
    size_t indices;       // accessor; GLTF_NONE: the vertices in their order
    size_t target_count;  // morph targets
    size_t set_count;     // JOINTS_0, JOINTS_1, ...
    size_t vertex_count;
    size_t corner_count;  // of indices, or of vertices if there are none
    size_t first_vertex;
    size_t first_triangle;
    size_t triangle_count;
    bool shares;  // uses the vertices of an earlier primitive
} primitive;

typedef struct joiner {
    gltf_file* file;
    gltf_entry of;  // the mesh
    primitive* primitives;
    size_t count;
    io_model_mesh* mesh;
    size_t set_count;
} joiner;

static size_t triangles_of(size_t mode, size_t corners) {
    return mode == TRIANGLES ? corners / 3 : corners < 3 ? 0 : corners - 2;
}

static size_t count_sets(json_t* attributes) {
    char name[32];
    size_t count = 0;
    for (; count < MOST_SETS; ++count) {
        snprintf(name, sizeof name, "JOINTS_%zu", count);
        if (json_object_get(attributes, name) == NULL) {
            break;
        }
    }
    return count;
}

// gets the sizes of a primitive; they stay 0 unless it consists of triangles
static bool measure(const joiner* j, json_t* json, primitive* p) {
    gltf_file* file = j->file;
    gltf_accessor a;
    json_t* attributes = json_object_get(json, "attributes");
    json_t* targets = NULL;
    *p = (primitive){.json = json};
    if (!gltf_size(file, &j->of, json, "mode", TRIANGLES, &p->mode) ||
        !gltf_size(file, &j->of, attributes, "POSITION", GLTF_NONE, &p->position) ||
        !gltf_size(file, &j->of, json, "indices", GLTF_NONE, &p->indices) ||
        !gltf_list(file, json, "targets", &targets, &p->target_count)) {
        return false;
    }
    if (p->mode > FAN) {
        return gltf_fail(file, "mesh %zu has a primitive of the unknown mode %zu", j->of.index,
                         p->mode);
    }
    if (p->mode <= POINTS_AND_LINES || p->position == GLTF_NONE) {
        return true;
    }
    p->set_count = count_sets(attributes);
    if (!gltf_accessor_open(file, p->position, 3, &a)) {
        return false;
    }
    p->vertex_count = p->corner_count = a.count;
    if (p->indices != GLTF_NONE) {
        if (!gltf_accessor_open(file, p->indices, 1, &a)) {
            return false;
        }
        p->corner_count = a.count;
    }
    if (p->mode == TRIANGLES && p->corner_count % 3 != 0) {
        return gltf_fail(file,
                         "mesh %zu has %zu corners of triangles, which is not a multiple of 3",
                         j->of.index, p->corner_count);
    }
    p->triangle_count = triangles_of(p->mode, p->corner_count);
    return true;
}

// whether two primitives have the same vertices: positions, targets, joints and weights
static bool same_vertices(const primitive* a, const primitive* b) {
    char name[32];
    json_t* of_a = json_object_get(a->json, "attributes");
    json_t* of_b = json_object_get(b->json, "attributes");
    if (a->position != b->position || a->set_count != b->set_count ||
        a->target_count != b->target_count) {
        return false;
    }
    for (size_t set = 0; set < a->set_count; ++set) {
        snprintf(name, sizeof name, "JOINTS_%zu", set);
        if (!json_equal(json_object_get(of_a, name), json_object_get(of_b, name))) {
            return false;
        }
        snprintf(name, sizeof name, "WEIGHTS_%zu", set);
        if (!json_equal(json_object_get(of_a, name), json_object_get(of_b, name))) {
            return false;
        }
    }
    for (size_t t = 0; t < a->target_count; ++t) {
        json_t* target_a = json_array_get(json_object_get(a->json, "targets"), t);
        json_t* target_b = json_array_get(json_object_get(b->json, "targets"), t);
        json_t* place_a = json_object_get(target_a, "POSITION");
        json_t* place_b = json_object_get(target_b, "POSITION");
        if (place_a != place_b && !json_equal(place_a, place_b)) {
            return false;
        }
    }
    return true;
}

// Places every primitive in the joined mesh. It is compared only with the last LOOK_BACK ones,
// which takes linear time.
static bool place_primitives(joiner* j) {
    enum { LOOK_BACK = 64 };
    io_model_mesh* mesh = j->mesh;
    for (size_t i = 0; i < j->count; ++i) {
        primitive* p = &j->primitives[i];
        if (p->triangle_count == 0) {
            continue;
        }
        p->first_vertex = mesh->vertex_count;
        for (size_t k = i < LOOK_BACK ? 0 : i - LOOK_BACK; k < i && !p->shares; ++k) {
            const primitive* earlier = &j->primitives[k];
            if (earlier->triangle_count != 0 && same_vertices(p, earlier)) {
                p->shares = true;
                p->first_vertex = earlier->first_vertex;
            }
        }
        p->first_triangle = mesh->triangle_count;
        mesh->triangle_count += p->triangle_count;
        mesh->vertex_count += p->shares ? 0 : p->vertex_count;
        if (mesh->vertex_count >= (size_t)1 << 30 || mesh->triangle_count >= (size_t)1 << 30) {
            return gltf_fail(j->file, "mesh %zu has more than 2^30 vertices or triangles",
                             j->of.index);
        }
        j->set_count = p->set_count > j->set_count ? p->set_count : j->set_count;
        mesh->field_count = p->target_count > mesh->field_count ? p->target_count
                                                                : mesh->field_count;
    }
    return mesh->field_count <= 65535 ||
           gltf_fail(j->file, "mesh %zu has %zu morph targets; 65535 can be read", j->of.index,
                     mesh->field_count);
}

static bool allocate_mesh(joiner* j) {
    gltf_file* file = j->file;
    io_model_mesh* mesh = j->mesh;
    mesh->positions = gltf_allocate(file, mesh->vertex_count, 3 * sizeof *mesh->positions);
    mesh->triangles = mesh->positions == NULL
                          ? NULL
                          : gltf_allocate(file, mesh->triangle_count, 3 * sizeof(uint32_t));
    if (mesh->triangles == NULL) {
        return false;
    }
    if (mesh->field_count != 0) {
        mesh->fields = gltf_allocate(file, mesh->vertex_count,
                                     3 * mesh->field_count * sizeof *mesh->fields);
        if (mesh->fields == NULL) {
            return false;
        }
    }
    mesh->influences = (uint32_t)(4 * j->set_count);
    if (mesh->influences != 0) {
        mesh->joints = gltf_allocate(file, mesh->vertex_count,
                                     mesh->influences * sizeof *mesh->joints);
        mesh->weights = mesh->joints == NULL
                            ? NULL
                            : gltf_allocate(file, mesh->vertex_count,
                                            mesh->influences * sizeof *mesh->weights);
        return mesh->weights != NULL;
    }
    return true;
}

// opens an attribute of a primitive; it must have an element per vertex
static bool open_attribute(const joiner* j, const primitive* p, json_t* attributes,
                           const char* name, size_t components, gltf_accessor* a) {
    size_t index = 0;
    if (!gltf_required_size(j->file, &j->of, attributes, name, &index) ||
        !gltf_accessor_open(j->file, index, components, a)) {
        return false;
    }
    return a->count == p->vertex_count ||
           gltf_fail(j->file, "mesh %zu has %zu vertices, but %zu elements of %s", j->of.index,
                     p->vertex_count, a->count, name);
}

static bool read_corners(const joiner* j, const primitive* p, uint32_t** out) {
    gltf_accessor a;
    *out = gltf_allocate(j->file, p->corner_count, sizeof **out);
    if (*out == NULL) {
        return false;
    }
    if (p->indices == GLTF_NONE) {
        for (size_t i = 0; i < p->corner_count; ++i) {
            (*out)[i] = (uint32_t)i;
        }
        return true;
    }
    if (!gltf_accessor_open(j->file, p->indices, 1, &a) ||
        !gltf_accessor_indices(j->file, &a, *out)) {
        return false;
    }
    for (size_t i = 0; i < p->corner_count; ++i) {
        if ((*out)[i] >= p->vertex_count) {
            return gltf_fail(j->file,
                             "mesh %zu uses vertex %u, but there are only %zu (numbers count from "
                             "0)",
                             j->of.index, (*out)[i], p->vertex_count);
        }
    }
    return true;
}

static void fill_triangles(const joiner* j, const primitive* p, const uint32_t* corners) {
    for (size_t i = 0; i < p->triangle_count; ++i) {
        const size_t odd = i % 2;
        const size_t picks[3][3] = {
            {3 * i, 3 * i + 1, 3 * i + 2},  // triangles
            {i, i + 1 + odd, i + 2 - odd},  // a strip flips every other triangle
            {i + 1, i + 2, 0},              // a fan
        };
        uint32_t* out = j->mesh->triangles + 3 * (p->first_triangle + i);
        for (int k = 0; k < 3; ++k) {
            out[k] = corners[picks[p->mode - TRIANGLES][k]] + (uint32_t)p->first_vertex;
        }
    }
}

static bool read_triangles(const joiner* j, const primitive* p) {
    uint32_t* corners = NULL;
    const bool done = read_corners(j, p, &corners);
    if (done) {
        fill_triangles(j, p, corners);
    }
    free(corners);
    j->file->budget += p->corner_count * sizeof *corners;
    return done;
}

static bool read_target(const joiner* j, const primitive* p, size_t t, double* room) {
    gltf_accessor a;
    json_t* target = json_array_get(json_object_get(p->json, "targets"), t);
    if (json_object_get(target, "POSITION") == NULL) {
        return true;  // the target has no positions: it changes normals only
    }
    if (!open_attribute(j, p, target, "POSITION", 3, &a) ||
        !gltf_accessor_numbers(j->file, &a, room)) {
        return false;
    }
    float* out = j->mesh->fields + 3 * (t * j->mesh->vertex_count + p->first_vertex);
    for (size_t i = 0; i < 3 * p->vertex_count; ++i) {
        out[i] = (float)room[i];
    }
    return true;
}

static bool read_targets(const joiner* j, const primitive* p) {
    if (p->target_count == 0) {
        return true;
    }
    double* room = gltf_allocate(j->file, p->vertex_count, 3 * sizeof *room);
    bool done = room != NULL;
    for (size_t t = 0; t < p->target_count && done; ++t) {
        done = read_target(j, p, t, room);
    }
    free(room);
    j->file->budget += 3 * p->vertex_count * sizeof *room;
    return done;
}

// refuses negative weights; a vertex without weight follows its first joint
static bool check_weights(const joiner* j, size_t vertex) {
    const uint32_t count = j->mesh->influences;
    float* weights = j->mesh->weights + vertex * count;
    double sum = 0;
    for (uint32_t k = 0; k < count; ++k) {
        if (!(weights[k] >= 0)) {
            return gltf_fail(j->file, "mesh %zu, vertex %zu: a weight of its joints is %g, below 0",
                             j->of.index, vertex, (double)weights[k]);
        }
        sum += (double)weights[k];
    }
    if (!(sum > 0)) {
        weights[0] = 1;
    }
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t* joint = &j->mesh->joints[vertex * count + k];
        *joint = weights[k] > 0 ? *joint : 0;  // unused
        j->mesh->joint_limit = *joint >= j->mesh->joint_limit ? *joint + 1 : j->mesh->joint_limit;
    }
    return true;
}

static bool read_set(const joiner* j, const primitive* p, size_t set, double* room) {
    char name[32];
    gltf_accessor a;
    json_t* attributes = json_object_get(p->json, "attributes");
    const uint32_t count = j->mesh->influences;
    snprintf(name, sizeof name, "JOINTS_%zu", set);
    if (!open_attribute(j, p, attributes, name, 4, &a) ||
        !gltf_accessor_indices(j->file, &a, (uint32_t*)room)) {
        return false;
    }
    for (size_t i = 0; i < 4 * p->vertex_count; ++i) {
        uint32_t joint;
        memcpy(&joint, (const char*)room + i * sizeof joint, sizeof joint);
        j->mesh->joints[(p->first_vertex + i / 4) * count + 4 * set + i % 4] = joint;
    }
    snprintf(name, sizeof name, "WEIGHTS_%zu", set);
    if (!open_attribute(j, p, attributes, name, 4, &a) ||
        !gltf_accessor_numbers(j->file, &a, room)) {
        return false;
    }
    for (size_t i = 0; i < 4 * p->vertex_count; ++i) {
        j->mesh->weights[(p->first_vertex + i / 4) * count + 4 * set + i % 4] = (float)room[i];
    }
    return true;
}

static bool read_sets(const joiner* j, const primitive* p) {
    if (j->set_count == 0) {
        return true;
    }
    double* room = gltf_allocate(j->file, p->vertex_count, 4 * sizeof *room);
    bool done = room != NULL;
    for (size_t set = 0; set < p->set_count && done; ++set) {
        done = read_set(j, p, set, room);
    }
    for (size_t v = 0; v < p->vertex_count && done; ++v) {
        done = check_weights(j, p->first_vertex + v);
    }
    free(room);
    j->file->budget += 4 * p->vertex_count * sizeof *room;
    return done;
}

static bool read_primitive(const joiner* j, const primitive* p) {
    gltf_accessor a;
    json_t* attributes = json_object_get(p->json, "attributes");
    if (!read_triangles(j, p)) {
        return false;
    }
    return p->shares ||
           (open_attribute(j, p, attributes, "POSITION", 3, &a) &&
            gltf_accessor_numbers(j->file, &a, j->mesh->positions + 3 * p->first_vertex) &&
            read_targets(j, p) && read_sets(j, p));
}

// the name of its material; empty if it has none, or that has no name
static bool read_material(const joiner* j, const primitive* p) {
    json_t* list = json_object_get(j->file->root, "materials");
    const json_t* number = json_object_get(p->json, "material");
    const json_t* material = json_is_integer(number) && json_integer_value(number) >= 0
                                 ? json_array_get(list, (size_t)json_integer_value(number))
                                 : NULL;
    const json_t* name = json_object_get(material, "name");
    return io_tags_add(&j->mesh->tags, p->first_triangle, IO_TAG_MATERIAL,
                       json_is_string(name) ? json_string_value(name) : "",
                       json_string_length(name)) ||
           gltf_fail(j->file, "there is not enough memory");
}

static bool join(joiner* j, json_t* list) {
    for (size_t i = 0; i < j->count; ++i) {
        if (!measure(j, json_array_get(list, i), &j->primitives[i])) {
            return false;
        }
    }
    if (!place_primitives(j)) {
        return false;
    }
    if (j->mesh->triangle_count == 0) {
        j->mesh->field_count = 0;
        return true;
    }
    if (!allocate_mesh(j)) {
        return false;
    }
    for (size_t i = 0; i < j->count; ++i) {
        const primitive* p = &j->primitives[i];
        if (p->triangle_count != 0 && !(read_primitive(j, p) && read_material(j, p))) {
            return false;
        }
    }
    return true;
}

static bool read_mesh(gltf_file* file, size_t index, io_model_mesh* mesh) {
    joiner j = {.file = file, .mesh = mesh};
    json_t* list = NULL;
    if (!gltf_find(file, "meshes", "mesh", index, &j.of) ||
        !gltf_list(file, j.of.value, "primitives", &list, &j.count)) {
        return false;
    }
    mesh->name = gltf_text(file, j.of.value, "name");
    j.primitives = mesh->name == NULL ? NULL : gltf_allocate(file, j.count, sizeof(primitive));
    const bool done = j.primitives != NULL && join(&j, list);
    free(j.primitives);
    return done;
}

bool gltf_read_meshes(gltf_file* file, io_model* model) {
    json_t* list = NULL;
    size_t count = 0;
    if (!gltf_list(file, file->root, "meshes", &list, &count)) {
        return false;
    }
    model->meshes = gltf_allocate(file, count, sizeof *model->meshes);
    if (model->meshes == NULL) {
        return false;
    }
    model->mesh_count = count;
    for (size_t i = 0; i < count; ++i) {
        if (!read_mesh(file, i, &model->meshes[i])) {
            return false;
        }
    }
    return true;
}
