// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Primitives of a glTF document that are compressed with Draco (KHR_draco_mesh_compression). All of
// them are decoded at once, in a process of its own; then their accessors point to the decoded
// numbers. See gltf.h and draco.h.
// Based on: Khronos, "KHR_draco_mesh_compression".
#include "io/gltf.h"

#include <stdlib.h>

static const char extension[] = "KHR_draco_mesh_compression";

bool gltf_is_draco(const char* name) {
    return strcmp(name, extension) == 0;
}

// the description of a primitive's compressed data; NULL if it has none, or if its positions are
// also there uncompressed
static json_t* description(const gltf_file* file, json_t* primitive) {
    json_t* of = json_object_get(primitive, "extensions");
    json_t* found = json_object_get(of, extension);
    json_t* position = json_object_get(json_object_get(primitive, "attributes"), "POSITION");
    json_t* accessor = json_array_get(json_object_get(file->root, "accessors"),
                                      (size_t)json_integer_value(position));
    return json_object_get(accessor, "bufferView") == NULL ? found : NULL;
}

#ifdef ABUT_HAVE_DRACO

#include "io/child.h"
#include "io/draco.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum {
    MOST_ATTRIBUTES = 32,
    LEAST_SECONDS = 60,
    BYTES_A_SECOND = 1 << 20,
    CLOCK_FACTOR = 4,
    MOST_COMPONENTS = 4,
};
#define MOST_MEMORY ((uint64_t)8 << 30)

// an accessor whose numbers come out of the decoder
typedef struct target {
    size_t accessor;
    size_t bytes;
    gltf_component type;
} target;

// a compressed primitive: its corners are the last target
typedef struct job {
    draco_mesh mesh;
    draco_attribute attributes[MOST_ATTRIBUTES];
    target targets[MOST_ATTRIBUTES + 1];
} job;

typedef struct jobs {
    gltf_file* file;
    job* list;
    size_t count;
    size_t room;
    size_t packed;  // bytes of all
    size_t bytes;   // that come out
} jobs;

static size_t element_size(const gltf_accessor* a) {
    return a->components * gltf_component_size(a->type);
}

static bool add_target(jobs* all, target* t, size_t accessor, const gltf_accessor* a,
                       gltf_component type) {
    const size_t element = a->components * gltf_component_size(type);
    *t = (target){accessor, a->count * element, type};
    gltf_raise_budget(all->file, t->bytes);
    all->bytes += t->bytes;
    return gltf_charge(all->file, a->count, element);
}

// an attribute that moves vertices; others stay compressed
static bool is_needed(const char* name) {
    return strcmp(name, "POSITION") == 0 || strncmp(name, "JOINTS_", 7) == 0 ||
           strncmp(name, "WEIGHTS_", 8) == 0;
}

static bool add_attributes(jobs* all, const gltf_entry* of, json_t* ids, json_t* accessors,
                           job* j) {
    const char* name = NULL;
    json_t* unused = NULL;
    json_object_foreach(ids, name, unused) {
        gltf_accessor a;
        size_t id = 0;
        size_t accessor = 0;
        if (!is_needed(name)) {
            continue;
        }
        if (j->mesh.attribute_count == MOST_ATTRIBUTES) {
            return gltf_fail(all->file, "mesh %zu has too many compressed attributes", of->index);
        }
        if (!gltf_required_size(all->file, of, ids, name, &id) ||
            !gltf_required_size(all->file, of, accessors, name, &accessor) ||
            !gltf_accessor_open(all->file, accessor, 0, &a)) {
            return false;
        }
        if (a.components > MOST_COMPONENTS || id > UINT32_MAX ||
            (j->mesh.attribute_count != 0 && a.count != j->mesh.vertex_count)) {
            return gltf_fail(all->file, "mesh %zu has compressed attributes of different sizes",
                             of->index);
        }
        const size_t i = j->mesh.attribute_count++;
        j->mesh.vertex_count = a.count;
        j->attributes[i] = (draco_attribute){
            .id = (uint32_t)id, .type = (uint32_t)a.type, .components = (uint32_t)a.components};
        if (element_size(&a) == 0 || !add_target(all, &j->targets[i], accessor, &a, a.type)) {
            return false;
        }
    }
    return true;
}

static bool add_job(jobs* all, const gltf_entry* of, json_t* primitive, json_t* packed) {
    gltf_accessor corners;
    size_t indices = 0;
    if (all->count == all->room) {
        const size_t room = 2 * all->room + 8;
        if (!gltf_charge(all->file, room - all->room, sizeof *all->list)) {
            return false;
        }
        job* grown = realloc(all->list, room * sizeof *grown);
        if (grown == NULL) {
            return gltf_fail(all->file, "there is not enough memory for it");
        }
        all->list = grown;
        all->room = room;
    }
    job* j = &all->list[all->count++];
    *j = (job){0};
    if (!gltf_view_bytes(all->file, of, packed, &j->mesh.bytes, &j->mesh.size) ||
        !add_attributes(all, of, json_object_get(packed, "attributes"),
                        json_object_get(primitive, "attributes"), j) ||
        !gltf_required_size(all->file, of, primitive, "indices", &indices) ||
        !gltf_accessor_open(all->file, indices, 1, &corners)) {
        return false;
    }
    j->mesh.corner_count = corners.count;
    all->packed += j->mesh.size;
    return add_target(all, &j->targets[j->mesh.attribute_count], indices, &corners, GLTF_UINT32);
}

// ---- the child decodes: a byte 1, then all numbers in the order of jobs and targets; or a byte 0
// and a message

static void send_all(int to, const void* bytes, size_t size) {
    const char* at = bytes;
    while (size != 0) {
        const ssize_t count = write(to, at, size);
        if (count < 0 && errno != EINTR) {
            return;  // the parent has closed the pipe
        }
        at += count < 0 ? 0 : count;
        size -= count < 0 ? 0 : (size_t)count;
    }
}

static const char* decode_into(const jobs* all, unsigned char* out) {
    for (size_t i = 0; i < all->count; ++i) {
        job* j = &all->list[i];
        uint32_t* corners = malloc(j->mesh.corner_count * sizeof *corners);
        if (corners == NULL) {
            return "need more memory than there is";
        }
        for (size_t k = 0; k < j->mesh.attribute_count; ++k) {
            j->attributes[k].out = out;
            out += j->targets[k].bytes;
        }
        j->mesh.attributes = j->attributes;
        j->mesh.corners = corners;
        const char* problem = draco_decode(&j->mesh);
        if (problem == NULL) {
            memcpy(out, corners, j->mesh.corner_count * sizeof *corners);
            out += j->targets[j->mesh.attribute_count].bytes;
        }
        free(corners);
        if (problem != NULL) {
            return problem;
        }
    }
    return NULL;
}

static void decode_all(void* user, int to) {
    const jobs* all = user;
    unsigned char* out = malloc(all->bytes + 1);
    const char* problem = out == NULL ? "need more memory than there is" : decode_into(all, out);
    const char mark = problem == NULL ? 1 : 0;
    send_all(to, &mark, 1);
    if (problem == NULL) {
        send_all(to, out, all->bytes);
    } else {
        send_all(to, problem, strlen(problem) + 1);
    }
    free(out);
}

static bool fail_child(const gltf_file* file, child_end end, unsigned seconds) {
    if (end == CHILD_TOO_LONG) {
        return gltf_fail(file, "its Draco data take more than %u s; they are damaged", seconds);
    }
    return gltf_fail(file, end == CHILD_NOT_BEGUN
                               ? "there is not enough memory to decode its Draco data"
                               : "the library that decodes its Draco data crashed; they are "
                                 "damaged");
}

// makes the accessors point to the decoded numbers
static bool point_accessors(gltf_file* file, const jobs* all) {
    const size_t count = json_array_size(json_object_get(file->root, "accessors"));
    const unsigned char* at = (const unsigned char*)file->draco + 1;
    file->decoded = gltf_allocate(file, count, sizeof *file->decoded);
    if (file->decoded == NULL) {
        return false;
    }
    for (size_t i = 0; i < all->count; ++i) {
        const job* j = &all->list[i];
        for (size_t k = 0; k <= j->mesh.attribute_count; ++k) {
            file->decoded[j->targets[k].accessor] = (gltf_decoded){at, j->targets[k].bytes,
                                                                   j->targets[k].type};
            at += j->targets[k].bytes;
        }
    }
    return true;
}

static bool run(gltf_file* file, jobs* all) {
    size_t size = 0;
    const unsigned seconds = LEAST_SECONDS + (unsigned)(all->packed / BYTES_A_SECOND);
    const child_limits limits = {seconds, CLOCK_FACTOR * seconds, MOST_MEMORY};
    const child_end end = child_run(decode_all, all, &limits, &file->draco, &size);
    if (end != CHILD_DONE || size == 0) {
        return fail_child(file, end, seconds);
    }
    if (file->draco[0] != 1) {
        file->draco[size - 1] = '\0';
        return gltf_fail(file, "its Draco data %.200s", size == 1 ? "" : file->draco + 1);
    }
    if (size != all->bytes + 1) {
        return fail_child(file, CHILD_CRASHED, seconds);
    }
    return point_accessors(file, all);
}

static bool add_mesh(jobs* all, size_t index) {
    gltf_entry of;
    json_t* list = NULL;
    size_t count = 0;
    if (!gltf_find(all->file, "meshes", "mesh", index, &of) ||
        !gltf_list(all->file, of.value, "primitives", &list, &count)) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        json_t* primitive = json_array_get(list, i);
        json_t* packed = description(all->file, primitive);
        if (packed != NULL && !add_job(all, &of, primitive, packed)) {
            return false;
        }
    }
    return true;
}

bool gltf_read_draco(gltf_file* file) {
    jobs all = {.file = file};
    json_t* list = NULL;
    size_t count = 0;
    bool done = gltf_list(file, file->root, "meshes", &list, &count);
    for (size_t i = 0; i < count && done; ++i) {
        done = add_mesh(&all, i);
    }
    done = done && (all.count == 0 || run(file, &all));
    free(all.list);
    return done;
}

#else

bool gltf_read_draco(gltf_file* file) {
    json_t* meshes = json_object_get(file->root, "meshes");
    for (size_t i = 0; i < json_array_size(meshes); ++i) {
        json_t* list = json_object_get(json_array_get(meshes, i), "primitives");
        for (size_t k = 0; k < json_array_size(list); ++k) {
            if (description(file, json_array_get(list, k)) != NULL) {
                return gltf_fail(file,
                                 "its meshes are compressed with Draco (%s), which this abut was "
                                 "built without; build it with libdraco-dev, or export the model "
                                 "without compression",
                                 extension);
            }
        }
    }
    return true;
}

#endif
