// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads the nodes and skins of a glTF document and makes bodies of them. See gltf.h.
#include "io/gltf.h"

#include <stdlib.h>

// ---- nodes

static bool read_matrix(const gltf_file* file, const gltf_entry* of, gltf_node* node) {
    double m[16];
    if (!gltf_numbers(file, of, "matrix", m, 16, &node->has_matrix)) {
        return false;
    }
    for (int i = 0; i < 3 && node->has_matrix; ++i) {
        for (int k = 0; k < 4; ++k) {
            node->matrix[4 * i + k] = m[4 * k + i];  // columns in the file
        }
    }
    return true;
}

static bool normalise(double q[4]) {
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(length > 0 && length < INFINITY)) {
        return false;
    }
    for (int k = 0; k < 4; ++k) {
        q[k] /= length;
    }
    return true;
}

static bool read_node(gltf_file* file, size_t index, const io_model* model, gltf_node* node) {
    gltf_entry of;
    bool given = false;
    *node = (gltf_node){.parent = GLTF_NONE, .rest_rotation = {0, 0, 0, 1}};
    node->rest_scale[0] = node->rest_scale[1] = node->rest_scale[2] = 1;
    if (!gltf_find(file, "nodes", "node", index, &of) ||
        !gltf_size(file, &of, of.value, "mesh", GLTF_NONE, &node->mesh) ||
        !gltf_size(file, &of, of.value, "skin", GLTF_NONE, &node->skin) ||
        !read_matrix(file, &of, node) ||
        !gltf_numbers(file, &of, "translation", node->rest_translation, 3, &given) ||
        !gltf_numbers(file, &of, "rotation", node->rest_rotation, 4, &given) ||
        !gltf_numbers(file, &of, "scale", node->rest_scale, 3, &given)) {
        return false;
    }
    if (!normalise(node->rest_rotation)) {
        return gltf_fail(file, "node %zu has a rotation that is not a unit quaternion", index);
    }
    if (node->mesh != GLTF_NONE && node->mesh >= model->mesh_count) {
        return gltf_fail(file, "node %zu shows mesh %zu, but there are only %zu", index, node->mesh,
                         model->mesh_count);
    }
    return true;
}

// reads the morph weights of a node: its own, else those of its mesh, else none
static bool read_rest_weights(gltf_file* file, size_t index, const io_model* model,
                              gltf_node* node) {
    gltf_entry of;
    gltf_entry mesh;
    bool given = false;
    const size_t count = node->mesh == GLTF_NONE ? 0 : model->meshes[node->mesh].field_count;
    if (count == 0) {
        return true;
    }
    node->rest_weights = gltf_allocate(file, count, sizeof(double));
    node->weights = node->rest_weights == NULL ? NULL : gltf_allocate(file, count, sizeof(double));
    return node->weights != NULL && gltf_find(file, "nodes", "node", index, &of) &&
           gltf_find(file, "meshes", "mesh", node->mesh, &mesh) &&
           gltf_numbers(file, &of, "weights", node->rest_weights, count, &given) &&
           (given || gltf_numbers(file, &mesh, "weights", node->rest_weights, count, &given));
}

static bool link_children(const gltf_file* file, gltf_graph* graph) {
    for (size_t i = 0; i < graph->node_count; ++i) {
        gltf_entry of;
        json_t* children = NULL;
        size_t count = 0;
        if (!gltf_find(file, "nodes", "node", i, &of) ||
            !gltf_list(file, of.value, "children", &children, &count)) {
            return false;
        }
        for (size_t k = 0; k < count; ++k) {
            json_t* entry = json_array_get(children, k);
            const json_int_t child = json_is_integer(entry) ? json_integer_value(entry) : -1;
            if (child < 0 || (size_t)child >= graph->node_count) {
                return gltf_fail(file, "node %zu has a child that does not exist", i);
            }
            if (graph->nodes[child].parent != GLTF_NONE) {
                return gltf_fail(file, "node %zu has two parents, or one twice: %zu and %zu",
                                 (size_t)child, graph->nodes[child].parent, i);
            }
            graph->nodes[child].parent = i;
        }
    }
    return true;
}

// Orders nodes so that parents precede children. Every node has at most one parent, so nodes that
// no root reaches form a cycle.
static bool put_in_order(gltf_file* file, gltf_graph* graph) {
    const size_t count = graph->node_count;
    graph->order = gltf_allocate(file, count, sizeof *graph->order);
    size_t* first = gltf_allocate(file, count + 1, sizeof *first);  // first child of a node
    size_t* next = gltf_allocate(file, count + 1, sizeof *next);    // next child of the same parent
    size_t used = 0;
    if (graph->order != NULL && first != NULL && next != NULL) {
        for (size_t i = count; i-- > 0;) {
            const size_t parent = graph->nodes[i].parent;
            size_t* head = parent == GLTF_NONE ? &first[count] : &first[parent];
            next[i] = *head;
            *head = i + 1;  // 0: none
        }
        for (size_t i = first[count]; i != 0; i = next[i - 1]) {
            graph->order[used++] = i - 1;
        }
        for (size_t at = 0; at < used; ++at) {
            for (size_t i = first[graph->order[at]]; i != 0; i = next[i - 1]) {
                graph->order[used++] = i - 1;
            }
        }
    }
    const bool ready = graph->order != NULL && first != NULL && next != NULL;
    free(first);
    free(next);
    return ready &&
           (used == count || gltf_fail(file, "its nodes form a cycle: one is its own ancestor"));
}

// Marks the nodes that the file's scene shows; without scenes all are shown.
static bool mark_scene(gltf_file* file, gltf_graph* graph) {
    gltf_entry of = {"document", 0, file->root};
    json_t* roots = NULL;
    size_t scene = 0;
    size_t count = 0;
    const bool has_scenes = json_array_size(json_object_get(file->root, "scenes")) != 0;
    if (!gltf_size(file, &of, file->root, "scene", 0, &scene) ||
        (has_scenes && (!gltf_find(file, "scenes", "scene", scene, &of) ||
                        !gltf_list(file, of.value, "nodes", &roots, &count)))) {
        return false;
    }
    for (size_t k = 0; k < count; ++k) {
        json_t* entry = json_array_get(roots, k);
        const json_int_t root = json_is_integer(entry) ? json_integer_value(entry) : -1;
        if (root < 0 || (size_t)root >= graph->node_count) {
            return gltf_fail(file, "scene %zu shows a node that does not exist", scene);
        }
        graph->nodes[root].in_scene = true;
    }
    for (size_t i = 0; i < graph->node_count; ++i) {
        gltf_node* node = &graph->nodes[graph->order[i]];
        node->in_scene = node->in_scene || !has_scenes ||
                         (node->parent != GLTF_NONE && graph->nodes[node->parent].in_scene);
    }
    return true;
}

// ---- skins

static bool read_inverse_bind(gltf_file* file, const gltf_entry* of, gltf_skin* skin) {
    gltf_accessor a;
    size_t index = 0;
    for (size_t j = 0; j < skin->joint_count; ++j) {
        affine_identity(skin->inverse_bind + 12 * j);
    }
    if (!gltf_size(file, of, of->value, "inverseBindMatrices", GLTF_NONE, &index)) {
        return false;
    }
    if (index == GLTF_NONE) {
        return true;
    }
    if (!gltf_accessor_open(file, index, 16, &a)) {
        return false;
    }
    if (a.count < skin->joint_count) {
        return gltf_fail(file, "skin %zu has %zu joints, but only %zu inverse bind matrices",
                         of->index, skin->joint_count, a.count);
    }
    double* columns = gltf_allocate(file, a.count, 16 * sizeof *columns);
    const bool done = columns != NULL && gltf_accessor_numbers(file, &a, columns);
    for (size_t j = 0; j < skin->joint_count && done; ++j) {
        for (size_t i = 0; i < 12; ++i) {
            skin->inverse_bind[12 * j + i] = columns[16 * j + 4 * (i % 4) + i / 4];
        }
    }
    free(columns);
    return done;
}

static bool read_skin(gltf_file* file, size_t index, const gltf_graph* graph, gltf_skin* skin) {
    gltf_entry of;
    json_t* joints = NULL;
    size_t count = 0;
    if (!gltf_find(file, "skins", "skin", index, &of) ||
        !gltf_list(file, of.value, "joints", &joints, &count)) {
        return false;
    }
    if (count == 0 || count > 65535) {
        return gltf_fail(file, "skin %zu has %zu joints; it must have 1 to 65535", index, count);
    }
    skin->joints = gltf_allocate(file, count, sizeof *skin->joints);
    skin->inverse_bind = skin->joints == NULL
                             ? NULL
                             : gltf_allocate(file, count, 12 * sizeof *skin->inverse_bind);
    if (skin->inverse_bind == NULL) {
        return false;
    }
    skin->joint_count = count;
    for (size_t k = 0; k < count; ++k) {
        json_t* entry = json_array_get(joints, k);
        const json_int_t joint = json_is_integer(entry) ? json_integer_value(entry) : -1;
        if (joint < 0 || (size_t)joint >= graph->node_count) {
            return gltf_fail(file, "skin %zu: joint %zu is not a node of the file", index, k);
        }
        skin->joints[k] = (size_t)joint;
    }
    return read_inverse_bind(file, &of, skin);
}

static bool read_skins(gltf_file* file, gltf_graph* graph) {
    json_t* list = NULL;
    size_t count = 0;
    if (!gltf_list(file, file->root, "skins", &list, &count)) {
        return false;
    }
    graph->skins = gltf_allocate(file, count, sizeof *graph->skins);
    if (graph->skins == NULL) {
        return false;
    }
    graph->skin_count = count;
    for (size_t i = 0; i < count; ++i) {
        if (!read_skin(file, i, graph, &graph->skins[i])) {
            return false;
        }
    }
    return true;
}

bool gltf_read_graph(gltf_file* file, io_model* model) {
    json_t* list = NULL;
    size_t count = 0;
    gltf_graph* graph = gltf_allocate(file, 1, sizeof *graph);
    model->graph = graph;
    if (graph == NULL || !gltf_list(file, file->root, "nodes", &list, &count)) {
        return false;
    }
    graph->nodes = gltf_allocate(file, count, sizeof *graph->nodes);
    if (graph->nodes == NULL) {
        return false;
    }
    graph->node_count = count;
    for (size_t i = 0; i < count; ++i) {
        if (!read_node(file, i, model, &graph->nodes[i]) ||
            !read_rest_weights(file, i, model, &graph->nodes[i])) {
            return false;
        }
    }
    return link_children(file, graph) && put_in_order(file, graph) && mark_scene(file, graph) &&
           read_skins(file, graph);
}

void gltf_graph_free(gltf_graph* graph, size_t clip_count) {
    if (graph == NULL) {
        return;
    }
    for (size_t i = 0; i < graph->node_count; ++i) {
        free(graph->nodes[i].rest_weights);
        free(graph->nodes[i].weights);
    }
    for (size_t i = 0; i < graph->skin_count; ++i) {
        free(graph->skins[i].joints);
        free(graph->skins[i].inverse_bind);
    }
    for (size_t i = 0; graph->clips != NULL && i < clip_count; ++i) {
        free(graph->clips[i].tracks);
    }
    for (size_t i = 0; i < graph->sample_count; ++i) {
        free(graph->samples[i]);
    }
    free(graph->samples);
    free(graph->clips);
    free(graph->skins);
    free(graph->order);
    free(graph->nodes);
    free(graph);
}

// ---- bodies

// largest stretch of a rigid node; the library accepts more
#define RIGID_STRETCH 1e-4

// bound of the stretch that a track of scales causes
static double track_stretch(const gltf_track* track) {
    const bool cubic = track->interpolation == GLTF_CUBIC;
    const size_t count = track->key_count * (cubic ? 9 : 3);
    double stretch = 0;
    for (size_t i = 0; i < count; ++i) {
        const double wanted = cubic && i / 3 % 3 != 1 ? 0 : 1;  // tangents
        stretch = fmax(stretch, fabs(track->values[i] - wanted));
    }
    return 3 * stretch;  // |s^2 - 1| <= 3 |s - 1| for s from 0 to 2
}

// computes the stretch of all nodes from rest pose, tracks and ancestors
static void find_stretch(gltf_graph* graph, size_t clip_count) {
    for (size_t i = 0; i < graph->node_count; ++i) {
        gltf_node* node = &graph->nodes[i];
        double local[12];
        affine_compose(node->rest_translation, node->rest_rotation, node->rest_scale, local);
        node->stretch = affine_stretch(node->has_matrix ? node->matrix : local);
    }
    for (size_t c = 0; c < clip_count; ++c) {
        for (size_t k = 0; k < graph->clips[c].count; ++k) {
            const gltf_track* track = &graph->clips[c].tracks[k];
            if (track->path == GLTF_SCALE) {
                gltf_node* node = &graph->nodes[track->node];
                node->stretch = fmax(node->stretch, track_stretch(track));
            }
        }
    }
    for (size_t i = 0; i < graph->node_count; ++i) {
        gltf_node* node = &graph->nodes[graph->order[i]];
        node->stretch += node->parent == GLTF_NONE ? 0 : graph->nodes[node->parent].stretch;
    }
}

// checks that the joints of a shape exist, and charges its memory to the file's budget
static bool check_shape(gltf_file* file, const io_model* model, const io_model_body* b) {
    const io_model_mesh* mesh = &model->meshes[b->mesh];
    if (b->motion == IO_MODEL_SKINNED && mesh->joint_limit > b->transform_count) {
        return gltf_fail(file, "a vertex of mesh %zu follows joint %u, but skin %zu has only %zu",
                         b->mesh, mesh->joint_limit - 1, b->skin, b->transform_count);
    }
    const size_t numbers = 3 * (1 + mesh->field_count) + 2 * (size_t)mesh->influences;
    return gltf_charge(file, mesh->vertex_count, numbers * sizeof(float)) &&
           gltf_charge(file, mesh->triangle_count, 3 * sizeof(uint32_t));
}

static char* body_name(gltf_file* file, size_t node, const io_model_mesh* mesh) {
    gltf_entry of;
    if (!gltf_find(file, "nodes", "node", node, &of)) {
        return NULL;
    }
    char* name = gltf_text(file, of.value, "name");
    if (name == NULL || name[0] != '\0') {
        return name;
    }
    free(name);
    const size_t length = strlen(mesh->name);
    name = gltf_allocate(file, length + 1, 1);
    if (name != NULL) {
        memcpy(name, mesh->name, length + 1);
    }
    return name;
}

static bool add_body(gltf_file* file, io_model* model, size_t index) {
    const gltf_graph* graph = model->graph;
    const gltf_node* node = &graph->nodes[index];
    const io_model_mesh* mesh = &model->meshes[node->mesh];
    io_model_body* b = &model->bodies[model->body_count++];
    *b = (io_model_body){.mesh = node->mesh, .node = index, .skin = GLTF_NONE};
    b->name = body_name(file, index, mesh);
    if (b->name == NULL) {
        return false;
    }
    if (node->skin != GLTF_NONE) {
        if (node->skin >= graph->skin_count) {
            return gltf_fail(file, "node %zu has skin %zu, but there are only %zu", index,
                             node->skin, graph->skin_count);
        }
        if (mesh->influences == 0) {
            return gltf_fail(file, "node %zu has a skin, but mesh %zu has no joints and weights",
                             index, node->mesh);
        }
        b->skin = node->skin;
        b->motion = IO_MODEL_SKINNED;
        b->transform_count = graph->skins[node->skin].joint_count;
    } else {
        const bool rigid = node->stretch < RIGID_STRETCH;
        b->motion = rigid ? IO_MODEL_RIGID : IO_MODEL_AFFINE;
        b->transform_count = rigid ? 0 : 1;
    }
    return true;
}

static int compare_bodies(const void* a, const void* b) {
    const io_model_body* x = *(io_model_body* const*)a;
    const io_model_body* y = *(io_model_body* const*)b;
    if (x->mesh != y->mesh) {
        return x->mesh < y->mesh ? -1 : 1;
    }
    if (x->motion != y->motion) {
        return x->motion < y->motion ? -1 : 1;
    }
    if (x->skin != y->skin) {
        return x->skin < y->skin ? -1 : 1;
    }
    return (x > y) - (x < y);
}

// finds bodies that can share a shape, and checks each shape once
static bool find_shared_shapes(gltf_file* file, io_model* model) {
    io_model_body** sorted = gltf_allocate(file, model->body_count, sizeof *sorted);
    bool done = sorted != NULL;
    for (size_t i = 0; i < model->body_count && done; ++i) {
        sorted[i] = &model->bodies[i];
    }
    if (done) {
        qsort(sorted, model->body_count, sizeof *sorted, compare_bodies);
    }
    for (size_t i = 0; i < model->body_count && done; ++i) {
        const io_model_body* before = i == 0 ? NULL : sorted[i - 1];
        const bool same = before != NULL && before->mesh == sorted[i]->mesh &&
                          before->motion == sorted[i]->motion && before->skin == sorted[i]->skin;
        sorted[i]->like = same ? before->like : (size_t)(sorted[i] - model->bodies);
        done = (same || check_shape(file, model, sorted[i])) &&
               gltf_charge(file, sorted[i]->transform_count, 12 * sizeof(double));
    }
    free(sorted);
    return done;
}

bool gltf_make_bodies(gltf_file* file, io_model* model) {
    gltf_graph* graph = model->graph;
    size_t count = 0;
    find_stretch(graph, model->clip_count);
    for (size_t i = 0; i < graph->node_count; ++i) {
        const gltf_node* node = &graph->nodes[i];
        count += node->in_scene && node->mesh != GLTF_NONE &&
                 model->meshes[node->mesh].triangle_count != 0;
    }
    if (count == 0) {
        return gltf_fail(file, "it shows no triangles; a surface of triangles is needed");
    }
    model->bodies = gltf_allocate(file, count, sizeof *model->bodies);
    for (size_t i = 0; i < graph->node_count && model->bodies != NULL; ++i) {
        const gltf_node* node = &graph->nodes[i];
        if (node->in_scene && node->mesh != GLTF_NONE &&
            model->meshes[node->mesh].triangle_count != 0 && !add_body(file, model, i)) {
            return false;
        }
    }
    return model->bodies != NULL && find_shared_shapes(file, model);
}
