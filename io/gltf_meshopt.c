// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Compressed buffer views of a glTF document (EXT_meshopt_compression, KHR_meshopt_compression):
// each is decoded once. See gltf.h and meshopt.h.
#include "io/gltf.h"
#include "io/meshopt.h"

static const char* const extensions[] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};

bool gltf_is_meshopt(const char* extension) {
    return strcmp(extension, extensions[0]) == 0 || strcmp(extension, extensions[1]) == 0;
}

// the description of a view's compressed data; NULL if it has none
static json_t* description(json_t* view) {
    json_t* of_view = json_object_get(view, "extensions");
    json_t* found = json_object_get(of_view, extensions[0]);
    return found != NULL ? found : json_object_get(of_view, extensions[1]);
}

bool gltf_view_is_packed(const gltf_entry* view) {
    return description(view->value) != NULL;
}

typedef enum stream_mode { MODE_ATTRIBUTES, MODE_TRIANGLES, MODE_INDICES } stream_mode;

typedef struct packed_view {
    meshopt_stream stream;
    stream_mode mode;
    meshopt_filter filter;
} packed_view;

// the place of a word in a list
static bool word_of(json_t* object, const char* key, const char* missing, const char* const* words,
                    size_t count, size_t* out) {
    json_t* value = json_object_get(object, key);
    const char* word = value == NULL ? missing : json_string_value(value);
    for (*out = 0; word != NULL && *out < count; ++*out) {
        if (strcmp(word, words[*out]) == 0) {
            return true;
        }
    }
    return false;
}

static bool read_words(const gltf_file* file, const gltf_entry* view, json_t* json,
                       packed_view* p) {
    static const char* const modes[] = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
    static const char* const filters[] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL",
                                          "COLOR"};
    size_t mode = 0;
    size_t filter = 0;
    if (!word_of(json, "mode", NULL, modes, 3, &mode) ||
        !word_of(json, "filter", "NONE", filters, 5, &filter)) {
        return gltf_fail(file,
                         "buffer view %zu is compressed in an unknown mode or by a filter "
                         "that is unknown",
                         view->index);
    }
    p->mode = (stream_mode)mode;
    p->filter = (meshopt_filter)filter;
    return true;
}

static bool check_sizes(const gltf_file* file, const gltf_entry* view, const packed_view* p,
                        size_t length) {
    const size_t stride = p->stream.stride;
    const bool attributes = p->mode == MODE_ATTRIBUTES;
    const bool fits = attributes ? stride >= 4 && stride <= MESHOPT_MOST_STRIDE &&
                                       stride % 4 == 0 && meshopt_filter_fits(p->filter, stride)
                                 : (stride == 2 || stride == 4) && p->filter == MESHOPT_NONE &&
                                       (p->mode == MODE_INDICES || p->stream.count % 3 == 0);
    if (!fits) {
        return gltf_fail(file,
                         "buffer view %zu is compressed with a stride, count or filter that "
                         "do not belong together",
                         view->index);
    }
    return (p->stream.count <= length / stride && p->stream.count * stride == length) ||
           gltf_fail(file,
                     "buffer view %zu has %zu bytes, but its compressed data has %zu times %zu",
                     view->index, length, p->stream.count, stride);
}

static bool open_packed(gltf_file* file, const gltf_entry* view, size_t length, packed_view* p) {
    json_t* json = description(view->value);
    size_t buffer = 0;
    size_t offset = 0;
    size_t buffer_size = 0;
    const unsigned char* bytes = NULL;
    if (!gltf_required_size(file, view, json, "buffer", &buffer) ||
        !gltf_size(file, view, json, "byteOffset", 0, &offset) ||
        !gltf_required_size(file, view, json, "byteLength", &p->stream.size) ||
        !gltf_required_size(file, view, json, "byteStride", &p->stream.stride) ||
        !gltf_required_size(file, view, json, "count", &p->stream.count) ||
        !read_words(file, view, json, p) || !check_sizes(file, view, p, length) ||
        !gltf_buffer_bytes(file, buffer, &bytes, &buffer_size)) {
        return false;
    }
    if (offset > buffer_size || p->stream.size > buffer_size - offset) {
        return gltf_fail(file,
                         "the compressed data of buffer view %zu reaches beyond the end of "
                         "buffer %zu",
                         view->index, buffer);
    }
    p->stream.bytes = bytes + offset;
    return true;
}

static bool unpack(gltf_file* file, const gltf_entry* view, size_t length, unsigned char** out) {
    packed_view p;
    if (!open_packed(file, view, length, &p)) {
        return false;
    }
    gltf_raise_budget(file, length);
    *out = gltf_allocate(file, length, 1);
    if (*out == NULL) {
        return false;
    }
    const char* problem = p.mode == MODE_ATTRIBUTES  ? meshopt_attributes(&p.stream, *out)
                          : p.mode == MODE_TRIANGLES ? meshopt_triangles(&p.stream, *out)
                                                     : meshopt_indices(&p.stream, *out);
    if (problem != NULL) {
        return gltf_fail(file, "buffer view %zu is compressed, and its stream %s; is it damaged?",
                         view->index, problem);
    }
    meshopt_filter_apply(p.filter, *out, p.stream.count, p.stream.stride);
    return true;
}

bool gltf_unpacked_view(gltf_file* file, const gltf_entry* view, size_t length,
                        const unsigned char** bytes) {
    if (file->unpacked == NULL) {
        file->view_count = json_array_size(json_object_get(file->root, "bufferViews"));
        file->unpacked = gltf_allocate(file, file->view_count, sizeof *file->unpacked);
    }
    if (file->unpacked == NULL) {
        return false;
    }
    unsigned char** memory = &file->unpacked[view->index];
    const bool done = *memory != NULL || unpack(file, view, length, memory);
    *bytes = *memory;
    return done;
}
