// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Converts a scene of assimp to GLB: see assimp_glb.h. Every mesh of assimp becomes a mesh, with a
// skin of its own if it has bones. Nodes keep their order; every mesh that a node shows becomes a
// child node of it. Trees are walked without recursion, because a file can make them deep.
#include "io/assimp_glb.h"

#ifdef ABUT_HAVE_ASSIMP

#include <assimp/cimport.h>
#include <assimp/scene.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLOAT32 = 5126, UINT32 = 5125, SET = 4 };

typedef struct builder {
    const struct aiScene* scene;
    json_t* views;
    json_t* accessors;
    json_t* nodes;
    json_t* skins;
    json_t* meshes;
    const struct aiNode** order;  // assimp's nodes, by their index in the GLB
    size_t node_count;
    char* bytes;
    size_t size;
    size_t room;
    bool failed;  // memory is short
} builder;

// ---- numbers

// room for `count` elements of `width` four-byte numbers; NULL if memory is short
static void* add_accessor(builder* b, size_t count, size_t width, int kind, const char* type,
                          size_t* accessor) {
    const size_t bytes = 4 * width * count;
    while (b->room - b->size < bytes && !b->failed) {
        char* grown = realloc(b->bytes, 2 * b->room + bytes);
        b->failed = grown == NULL;
        b->bytes = grown != NULL ? grown : b->bytes;
        b->room = grown != NULL ? 2 * b->room + bytes : b->room;
    }
    if (b->failed) {
        return NULL;
    }
    *accessor = json_array_size(b->accessors);
    json_array_append_new(b->views,
                          json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset",
                                    (json_int_t)b->size, "byteLength", (json_int_t)bytes));
    json_array_append_new(b->accessors, json_pack("{s:I, s:i, s:I, s:s}", "bufferView",
                                                  (json_int_t)*accessor, "componentType", kind,
                                                  "count", (json_int_t)count, "type", type));
    void* place = b->bytes + b->size;
    b->size += bytes;
    return place;
}

static void set_index(json_t* object, const char* key, size_t index) {
    json_object_set_new(object, key, json_integer((json_int_t)index));
}

// ---- nodes

static bool number_nodes(builder* b) {
    size_t room = 64;
    b->order = malloc(room * sizeof *b->order);
    if (b->order == NULL) {
        return false;
    }
    b->order[b->node_count++] = b->scene->mRootNode;
    for (size_t i = 0; i < b->node_count; ++i) {
        const struct aiNode* node = b->order[i];
        if (room - b->node_count < node->mNumChildren) {
            room = 2 * room + node->mNumChildren;
            void* grown = realloc(b->order, room * sizeof *b->order);
            if (grown == NULL) {
                return false;
            }
            b->order = grown;
        }
        for (unsigned k = 0; k < node->mNumChildren; ++k) {
            b->order[b->node_count++] = node->mChildren[k];
        }
    }
    return true;
}

static size_t node_named(const builder* b, const struct aiString* name) {
    for (size_t i = 0; i < b->node_count; ++i) {
        if (strcmp(b->order[i]->mName.data, name->data) == 0) {
            return i;
        }
    }
    return 0;
}

static json_t* number_list(const float* numbers, size_t count) {
    json_t* list = json_array();
    for (size_t i = 0; i < count; ++i) {
        json_array_append_new(list, json_real((double)numbers[i]));  // NULL, and refused, if NaN
    }
    return list;
}

// as translation, rotation and scale, because these can be animated
static json_t* node_json(const struct aiNode* node) {
    struct aiVector3D s;
    struct aiQuaternion r;
    struct aiVector3D t;
    aiDecomposeMatrix(&node->mTransformation, &s, &r, &t);
    json_t* json = json_object();
    const struct aiMatrix4x4* m = &node->mTransformation;
    const float columns[16] = {m->a1, m->b1, m->c1, 0, m->a2, m->b2, m->c2, 0,
                               m->a3, m->b3, m->c3, 0, m->a4, m->b4, m->c4, 1};
    json_t* name = json_string(node->mName.data);
    if (name != NULL) {
        json_object_set_new(json, "name", name);
    }
    json_object_set_new(json, "matrix", number_list(columns, 16));
    json_object_set_new(json, "translation", number_list((const float[]){t.x, t.y, t.z}, 3));
    json_object_set_new(json, "rotation", number_list((const float[]){r.x, r.y, r.z, r.w}, 4));
    json_object_set_new(json, "scale", number_list((const float[]){s.x, s.y, s.z}, 3));
    return json;
}

// the nodes of assimp, then one for every mesh that one of them shows
static void add_nodes(builder* b) {
    size_t child = 1;
    for (size_t i = 0; i < b->node_count; ++i) {
        json_t* json = node_json(b->order[i]);
        json_t* children = json_array();
        for (unsigned k = 0; k < b->order[i]->mNumChildren; ++k) {
            json_array_append_new(children, json_integer((json_int_t)child++));
        }
        json_object_set_new(json, "children", children);
        json_array_append_new(b->nodes, json);
    }
    for (size_t i = 0; i < b->node_count; ++i) {
        json_t* children = json_object_get(json_array_get(b->nodes, i), "children");
        for (unsigned k = 0; k < b->order[i]->mNumMeshes; ++k) {
            const size_t mesh = b->order[i]->mMeshes[k];
            json_t* json = json_object();
            json_t* name = json_string(b->order[i]->mName.data);
            if (name != NULL) {
                json_object_set_new(json, "name", name);
            }
            set_index(json, "mesh", mesh);
            if (b->scene->mMeshes[mesh]->mNumBones != 0) {
                json_t* skin = json_object_get(json_array_get(b->meshes, mesh), "skin");
                set_index(json, "skin", (size_t)json_integer_value(skin));
            }
            json_array_append_new(children, json_integer((json_int_t)json_array_size(b->nodes)));
            json_array_append_new(b->nodes, json);
        }
    }
}

// ---- meshes

static void add_points(builder* b, json_t* to, const struct aiVector3D* points,
                       const struct aiVector3D* less, size_t count) {
    size_t accessor = 0;
    float* place = add_accessor(b, count, 3, FLOAT32, "VEC3", &accessor);
    for (size_t i = 0; place != NULL && i < count; ++i) {
        place[3 * i] = points[i].x - (less != NULL ? less[i].x : 0);
        place[3 * i + 1] = points[i].y - (less != NULL ? less[i].y : 0);
        place[3 * i + 2] = points[i].z - (less != NULL ? less[i].z : 0);
    }
    set_index(to, "POSITION", accessor);
}

static void add_corners(builder* b, json_t* primitive, const struct aiMesh* mesh) {
    size_t count = 0;
    size_t accessor = 0;
    for (unsigned i = 0; i < mesh->mNumFaces; ++i) {
        count += mesh->mFaces[i].mNumIndices == 3;
    }
    if (count == 0) {
        json_object_set_new(primitive, "mode", json_integer(0));  // points, which the reader skips
        return;
    }
    uint32_t* place = add_accessor(b, 3 * count, 1, UINT32, "SCALAR", &accessor);
    for (unsigned i = 0; place != NULL && i < mesh->mNumFaces; ++i) {
        for (unsigned k = 0; mesh->mFaces[i].mNumIndices == 3 && k < 3; ++k) {
            *place++ = mesh->mFaces[i].mIndices[k];
        }
    }
    set_index(primitive, "indices", accessor);
}

// the largest number of bones of a vertex
static unsigned most_bones(const struct aiMesh* mesh, unsigned* used) {
    unsigned most = 0;
    memset(used, 0, mesh->mNumVertices * sizeof *used);
    for (unsigned j = 0; j < mesh->mNumBones; ++j) {
        for (unsigned i = 0; i < mesh->mBones[j]->mNumWeights; ++i) {
            const unsigned v = mesh->mBones[j]->mWeights[i].mVertexId;
            if (v < mesh->mNumVertices && ++used[v] > most) {
                most = used[v];
            }
        }
    }
    return most;
}

// influence number `place` of every vertex belongs to set place / 4
static void add_set(builder* b, json_t* attributes, const struct aiMesh* mesh, unsigned set,
                    unsigned* used) {
    char name[32];
    size_t accessor = 0;
    const size_t count = mesh->mNumVertices;
    uint32_t* joints = calloc(SET * count, sizeof *joints);
    float* weights = calloc(SET * count, sizeof *weights);
    memset(used, 0, count * sizeof *used);
    b->failed = b->failed || joints == NULL || weights == NULL;
    for (unsigned j = 0; !b->failed && j < mesh->mNumBones; ++j) {
        for (unsigned i = 0; i < mesh->mBones[j]->mNumWeights; ++i) {
            const struct aiVertexWeight* w = &mesh->mBones[j]->mWeights[i];
            const unsigned place = w->mVertexId < count ? used[w->mVertexId]++ : 0;
            if (w->mVertexId < count && place / SET == set) {
                joints[SET * w->mVertexId + place % SET] = j;
                weights[SET * w->mVertexId + place % SET] = w->mWeight;
            }
        }
    }
    uint32_t* to = add_accessor(b, count, SET, UINT32, "VEC4", &accessor);
    if (to != NULL && joints != NULL) {
        memcpy(to, joints, SET * count * sizeof *joints);
    }
    snprintf(name, sizeof name, "JOINTS_%u", set);
    set_index(attributes, name, accessor);
    float* values = add_accessor(b, count, SET, FLOAT32, "VEC4", &accessor);
    if (values != NULL && weights != NULL) {
        memcpy(values, weights, SET * count * sizeof *weights);
    }
    snprintf(name, sizeof name, "WEIGHTS_%u", set);
    set_index(attributes, name, accessor);
    free(joints);
    free(weights);
}

static void add_skin(builder* b, json_t* json, json_t* attributes, const struct aiMesh* mesh) {
    unsigned* used = calloc((size_t)mesh->mNumVertices + 1, sizeof *used);
    size_t accessor = 0;
    if (used == NULL) {
        b->failed = true;
        return;
    }
    const unsigned sets = (most_bones(mesh, used) + SET - 1) / SET;
    for (unsigned set = 0; set < (sets == 0 ? 1 : sets); ++set) {
        add_set(b, attributes, mesh, set, used);
    }
    free(used);
    json_t* joints = json_array();
    float* bind = add_accessor(b, mesh->mNumBones, 16, FLOAT32, "MAT4", &accessor);
    for (unsigned j = 0; bind != NULL && j < mesh->mNumBones; ++j) {
        const struct aiMatrix4x4* m = &mesh->mBones[j]->mOffsetMatrix;
        const float columns[16] = {m->a1, m->b1, m->c1, 0, m->a2, m->b2, m->c2, 0,
                                   m->a3, m->b3, m->c3, 0, m->a4, m->b4, m->c4, 1};
        memcpy(bind + 16 * j, columns, sizeof columns);
        json_array_append_new(joints,
                              json_integer((json_int_t)node_named(b, &mesh->mBones[j]->mName)));
    }
    set_index(json, "skin", json_array_size(b->skins));
    json_t* skin = json_object();
    json_object_set_new(skin, "joints", joints);
    set_index(skin, "inverseBindMatrices", accessor);
    json_array_append_new(b->skins, skin);
}

static void add_mesh(builder* b, const struct aiMesh* mesh) {
    json_t* json = json_object();
    json_t* primitive = json_object();
    json_t* attributes = json_object();
    json_t* name = json_string(mesh->mName.data);
    if (name != NULL) {
        json_object_set_new(json, "name", name);
    }
    add_points(b, attributes, mesh->mVertices, NULL, mesh->mNumVertices);
    add_corners(b, primitive, mesh);
    if (mesh->mNumBones != 0) {
        add_skin(b, json, attributes, mesh);
    }
    json_object_set_new(primitive, "attributes", attributes);
    if (mesh->mNumAnimMeshes != 0) {
        json_t* targets = json_array();
        json_t* weights = json_array();
        for (unsigned i = 0; i < mesh->mNumAnimMeshes; ++i) {
            const struct aiAnimMesh* shape = mesh->mAnimMeshes[i];
            json_t* target = json_object();
            if (shape->mVertices != NULL && shape->mNumVertices == mesh->mNumVertices) {
                add_points(b, target, shape->mVertices, mesh->mVertices, mesh->mNumVertices);
            }
            json_array_append_new(targets, target);
            json_array_append_new(weights, json_real((double)shape->mWeight));
        }
        json_object_set_new(primitive, "targets", targets);
        json_object_set_new(json, "weights", weights);
    }
    json_object_set_new(json, "primitives", json_pack("[o]", primitive));
    json_array_append_new(b->meshes, json);
}

// ---- animation

typedef struct track {
    const char* path;
    size_t count;
    size_t width;
    size_t stride;       // bytes from key to key
    const char* keys;    // a time (double), then a vector or a quaternion
    size_t value_place;  // of the value in a key
} track;

static void add_track(builder* b, json_t* samplers, json_t* channels, size_t node, double rate,
                      const track* t) {
    size_t input = 0;
    size_t output = 0;
    if (t->count == 0) {
        return;
    }
    float* times = add_accessor(b, t->count, 1, FLOAT32, "SCALAR", &input);
    for (size_t i = 0; times != NULL && i < t->count; ++i) {
        double time;
        memcpy(&time, t->keys + i * t->stride, sizeof time);
        times[i] = (float)(time / rate);
    }
    float* values = add_accessor(b, t->count, t->width, FLOAT32, t->width == 4 ? "VEC4" : "VEC3",
                                 &output);
    for (size_t i = 0; values != NULL && i < t->count; ++i) {
        float value[4];
        memcpy(value, t->keys + i * t->stride + t->value_place, t->width * sizeof *value);
        if (t->width == 4) {  // assimp has w first
            const float turned[4] = {value[1], value[2], value[3], value[0]};
            memcpy(value, turned, sizeof value);
        }
        memcpy(values + t->width * i, value, t->width * sizeof *value);
    }
    const size_t sampler = json_array_size(samplers);
    json_array_append_new(samplers, json_pack("{s:I, s:I}", "input", (json_int_t)input, "output",
                                              (json_int_t)output));
    json_array_append_new(channels, json_pack("{s:I, s:{s:I, s:s}}", "sampler", (json_int_t)sampler,
                                              "target", "node", (json_int_t)node, "path", t->path));
}

static json_t* animation_json(builder* b, const struct aiAnimation* animation) {
    json_t* samplers = json_array();
    json_t* channels = json_array();
    const double rate = animation->mTicksPerSecond > 0 ? animation->mTicksPerSecond : 25;
    for (unsigned i = 0; i < animation->mNumChannels; ++i) {
        const struct aiNodeAnim* c = animation->mChannels[i];
        const size_t node = node_named(b, &c->mNodeName);
        const track tracks[] = {
            {"translation", c->mNumPositionKeys, 3, sizeof(struct aiVectorKey),
             (const char*)c->mPositionKeys, offsetof(struct aiVectorKey, mValue)},
            {"rotation", c->mNumRotationKeys, 4, sizeof(struct aiQuatKey),
             (const char*)c->mRotationKeys, offsetof(struct aiQuatKey, mValue)},
            {"scale", c->mNumScalingKeys, 3, sizeof(struct aiVectorKey),
             (const char*)c->mScalingKeys, offsetof(struct aiVectorKey, mValue)},
        };
        json_object_del(json_array_get(b->nodes, node), "matrix");
        for (size_t k = 0; k < 3; ++k) {
            add_track(b, samplers, channels, node, rate, &tracks[k]);
        }
    }
    json_t* name = json_string(animation->mName.data);
    json_t* json = json_pack("{s:o, s:o}", "samplers", samplers, "channels", channels);
    if (name != NULL) {
        json_object_set_new(json, "name", name);
    }
    return json;
}

// ---- the file

static json_t* document(builder* b) {
    json_t* animations = json_array();
    for (unsigned i = 0; i < b->scene->mNumMeshes; ++i) {
        add_mesh(b, b->scene->mMeshes[i]);
    }
    add_nodes(b);
    for (unsigned i = 0; i < b->scene->mNumAnimations; ++i) {
        json_array_append_new(animations, animation_json(b, b->scene->mAnimations[i]));
    }
    return json_pack("{s:{s:s}, s:o, s:o, s:o, s:o, s:[{s:I}], s:o, s:o, s:[{s:[i]}]}", "asset",
                     "version", "2.0", "meshes", b->meshes, "nodes", b->nodes, "skins", b->skins,
                     "animations", animations, "buffers", "byteLength", (json_int_t)b->size,
                     "bufferViews", b->views, "accessors", b->accessors, "scenes", "nodes", 0);
}

static void put(char* to, size_t number) {
    for (int k = 0; k < 4; ++k) {
        to[k] = (char)(number >> 8 * k & 255);
    }
}

static bool pack(const builder* b, const char* json, char** glb, size_t* size) {
    const size_t length = (strlen(json) + 3) / 4 * 4;
    *size = 28 + length + b->size;
    *glb = *size > UINT32_MAX ? NULL : malloc(*size);
    if (*glb == NULL) {
        return false;
    }
    memcpy(*glb, "glTF", 4);
    put(*glb + 4, 2);
    put(*glb + 8, *size);
    put(*glb + 12, length);
    memcpy(*glb + 16, "JSON", 4);
    memset(*glb + 20, ' ', length);
    memcpy(*glb + 20, json, strlen(json));
    put(*glb + 20 + length, b->size);
    memcpy(*glb + 24 + length, "BIN", 4);
    if (b->size != 0) {
        memcpy(*glb + 28 + length, b->bytes, b->size);
    }
    return true;
}

bool assimp_glb(const struct aiScene* scene, char** glb, size_t* size) {
    builder b = {.scene = scene,
                 .views = json_array(),
                 .accessors = json_array(),
                 .nodes = json_array(),
                 .skins = json_array(),
                 .meshes = json_array()};
    char* text = NULL;
    if (number_nodes(&b)) {
        json_t* root = document(&b);
        text = b.failed ? NULL : json_dumps(root, JSON_COMPACT);
        json_decref(root);
    }
    const bool done = text != NULL && pack(&b, text, glb, size);
    free(text);
    free(b.order);
    free(b.bytes);
    return done;
}

#endif
