// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The container of a glTF document: JSON or GLB, the extensions that it needs, and its buffers
// (in the GLB file, in base64, or in files beside it). See gltf.h.
#include "io/base64.h"
#include "io/file.h"
#include "io/gltf.h"
#include "io/gltf_uri.h"
#include "io/output.h"

#include <stdlib.h>

enum {
    GLB_HEADER = 12,
    CHUNK_HEADER = 8,
    MOST_EXTERNAL_BUFFERS = 64,
};
#define CHUNK_JSON 0x4E4F534Au
#define CHUNK_BINARY 0x004E4942u
#define GLB_MAGIC "glTF"

// A decoded model is larger than its file: floats become doubles, sparse targets dense, one-byte
// indices four bytes. A file that needs more than this budget is malformed.
#define LEAST_BUDGET ((size_t)64 << 20)
#define BUDGET_A_BYTE 64
// the same for bytes that were unpacked, and how much that may be per byte of the file
#define BUDGET_AN_UNPACKED_BYTE 16
#define RESERVE_A_BYTE 256

static uint32_t little(const unsigned char* b) {
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static size_t plus_times(size_t sum, size_t size, size_t factor) {
    const size_t more = size > SIZE_MAX / 4 / factor ? SIZE_MAX / 4 : size * factor;
    return sum > SIZE_MAX - more ? SIZE_MAX : sum + more;
}

static void grow_budget(gltf_file* file, size_t size) {
    file->budget = plus_times(file->budget, size, BUDGET_A_BYTE);
    file->reserve = plus_times(file->reserve, size, RESERVE_A_BYTE);
}

void gltf_raise_budget(gltf_file* file, size_t unpacked) {
    const size_t wanted = plus_times(0, unpacked, BUDGET_AN_UNPACKED_BYTE);
    const size_t more = wanted < file->reserve ? wanted : file->reserve;
    file->reserve -= more;
    file->budget = plus_times(file->budget, more, 1);
}

static bool parse_json(gltf_file* file, const unsigned char* bytes, size_t size) {
    json_error_t problem;
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {  // the byte order mark of UTF-8
        bytes += 3;
        size -= 3;
    }
    file->root = json_loadb((const char*)bytes, size, 0, &problem);
    if (file->root == NULL) {
        return gltf_fail(file, "its JSON is wrong in line %d: %s; is it cut off?", problem.line,
                         problem.text);
    }
    return json_is_object(file->root) || gltf_fail(file, "its JSON is not an object");
}

static bool parse_glb(gltf_file* file, const unsigned char* bytes, size_t size) {
    const uint32_t version = size >= GLB_HEADER ? little(bytes + 4) : 0;
    const uint32_t length = size >= GLB_HEADER ? little(bytes + 8) : 0;
    if (version != 2) {
        return gltf_fail(file, "this is version %u of the GLB format; only version 2 can be read",
                         version);
    }
    if (length > size || length < GLB_HEADER + CHUNK_HEADER) {
        return gltf_fail(file, "it says that it has %u bytes, but has %zu; is it cut off?", length,
                         size);
    }
    size_t at = GLB_HEADER;
    for (size_t chunk = 0; length - at >= CHUNK_HEADER; ++chunk) {
        const size_t chunk_size = little(bytes + at);
        const uint32_t kind = little(bytes + at + 4);
        at += CHUNK_HEADER;
        if (chunk_size > length - at) {
            return gltf_fail(file, "chunk %zu is longer than the file; is it cut off?", chunk);
        }
        if (chunk == 0 && kind != CHUNK_JSON) {
            return gltf_fail(file, "its first chunk is not JSON");
        }
        if (chunk == 0 && !parse_json(file, bytes + at, chunk_size)) {
            return false;
        }
        if (chunk == 1 && kind == CHUNK_BINARY) {
            file->binary = bytes + at;
            file->binary_size = chunk_size;
        }
        at += chunk_size;
    }
    return true;
}

static bool starts_with(const char* text, const char* start) {
    return strncmp(text, start, strlen(start)) == 0;
}

// whether an extension affects appearance only, or only how numbers are stored
static bool is_harmless(const char* extension) {
    static const char* const exact[] = {
        "KHR_mesh_quantization",    "KHR_lights_punctual",
        "KHR_techniques_webgl",     "KHR_xmp",
        "KHR_xmp_json_ld",          "EXT_lights_ies",
        "EXT_lights_image_based",   "EXT_mesh_features",
        "EXT_instance_features",    "EXT_structural_metadata",
        "CESIUM_primitive_outline", "FB_geometry_metadata",
    };
    // families: materials, textures and what characters of VRM know about themselves
    static const char* const starts[] = {
        "KHR_materials_", "KHR_texture_", "EXT_texture_", "EXT_materials_", "MSFT_texture_", "VRM",
    };
    for (size_t i = 0; i < sizeof exact / sizeof *exact; ++i) {
        if (strcmp(extension, exact[i]) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof starts / sizeof *starts; ++i) {
        if (starts_with(extension, starts[i])) {
            return true;
        }
    }
    return false;
}

static bool fail_extension(const gltf_file* file, const char* extension) {
    char excerpt[IO_EXCERPT_SIZE];
    const char* shown = io_excerpt(extension, extension + strlen(extension), excerpt);
    if (strcmp(extension, "KHR_draco_mesh_compression") == 0) {
        return gltf_fail(file,
                         "its meshes are compressed with Draco (%s), which cannot be read; export "
                         "it without compression",
                         extension);
    }
    return gltf_fail(file, "it needs the extension %s, which cannot be read; export it without it",
                     shown);
}

static bool check_extensions(const gltf_file* file) {
    json_t* list = NULL;
    size_t count = 0;
    if (!gltf_list(file, file->root, "extensionsRequired", &list, &count)) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        const char* extension = json_string_value(json_array_get(list, i));
        if (extension == NULL) {
            return gltf_fail(file, "'extensionsRequired' has an entry that is not a name");
        }
        if (!is_harmless(extension) && !gltf_is_meshopt(extension)) {
            return fail_extension(file, extension);
        }
    }
    return true;
}

static bool check_version(const gltf_file* file) {
    json_t* asset = json_object_get(file->root, "asset");
    const char* version = json_string_value(json_object_get(asset, "version"));
    if (version == NULL) {
        return gltf_fail(file, "its JSON has no 'asset' with a 'version', so it is not glTF");
    }
    return starts_with(version, "2.") ||
           gltf_fail(file, "this is version %.8s of glTF; only version 2 can be read", version);
}

// notes the files of a model as inputs, also those that are not read (images)
static void note_files(const gltf_file* file, const char* list) {
    json_t* entries = json_object_get(file->root, list);
    for (size_t i = 0; i < json_array_size(entries); ++i) {
        const char* reason = NULL;
        const char* uri = json_string_value(json_object_get(json_array_get(entries, i), "uri"));
        char* path = uri == NULL || gltf_is_data(uri) ? NULL
                                                      : gltf_path_beside(file->name, uri, &reason);
        if (path != NULL) {
            io_input_note(path);
        }
        free(path);
    }
}

bool gltf_file_open(gltf_file* file, const char* name, const unsigned char* bytes, size_t size,
                    io_error* error) {
    *file = (gltf_file){.name = name, .error = error, .budget = LEAST_BUDGET};
    grow_budget(file, size);
    if (size == 0) {
        return gltf_fail(file, "the file is empty");
    }
    const bool binary = size >= 4 && memcmp(bytes, GLB_MAGIC, 4) == 0;
    json_t* buffers = NULL;
    if (!(binary ? parse_glb(file, bytes, size) : parse_json(file, bytes, size)) ||
        !check_version(file) || !check_extensions(file) ||
        !gltf_list(file, file->root, "buffers", &buffers, &file->buffer_count)) {
        return false;
    }
    note_files(file, "buffers");
    note_files(file, "images");
    file->buffers = gltf_allocate(file, file->buffer_count, sizeof *file->buffers);
    return file->buffers != NULL;
}

void gltf_file_free(gltf_file* file) {
    for (size_t i = 0; file->buffers != NULL && i < file->buffer_count; ++i) {
        free(file->buffers[i].memory);
    }
    free(file->buffers);
    for (size_t i = 0; file->unpacked != NULL && i < file->view_count; ++i) {
        free(file->unpacked[i]);
    }
    free(file->unpacked);
    json_decref(file->root);
    *file = (gltf_file){0};
}

// ---- buffers

static bool decode_data(gltf_file* file, size_t index, const char* uri, gltf_buffer* out) {
    const char* comma = strchr(uri, ',');
    const size_t head = comma == NULL ? 0 : (size_t)(comma - uri);
    if (head < 7 || strncmp(comma - 7, ";base64", 7) != 0) {
        return gltf_fail(file, "buffer %zu has a data URI that is not base64", index);
    }
    const size_t size = strlen(comma + 1) + 1;
    char* text = gltf_allocate(file, size, 1);
    if (text == NULL) {
        return false;
    }
    memcpy(text, comma + 1, size);
    const size_t length = gltf_decode_percent(text);
    unsigned char* bytes = gltf_allocate(file, base64_room(length), 1);
    out->bytes = out->memory = bytes;
    const bool done = bytes != NULL &&
                      (base64_decode(text, length, bytes, &out->size) ||
                       gltf_fail(file, "the base64 data of buffer %zu is damaged", index));
    free(text);
    return done;
}

// an earlier buffer of the same file, or NULL
static const gltf_buffer* same_file(const gltf_file* file, size_t index, const char* uri) {
    json_t* buffers = json_object_get(file->root, "buffers");
    for (size_t i = 0; i < file->buffer_count; ++i) {
        const gltf_buffer* other = &file->buffers[i];
        const char* text = json_string_value(json_object_get(json_array_get(buffers, i), "uri"));
        if (i != index && other->memory != NULL && text != NULL && strcmp(text, uri) == 0) {
            return other;
        }
    }
    return NULL;
}

static bool read_beside(gltf_file* file, size_t index, const char* uri, gltf_buffer* out) {
    if (file->external_count++ == MOST_EXTERNAL_BUFFERS) {
        return gltf_fail(file, "it has more than %d buffers in other files", MOST_EXTERNAL_BUFFERS);
    }
    const gltf_buffer* same = same_file(file, index, uri);
    if (same != NULL) {
        *out = (gltf_buffer){same->bytes, same->size, NULL};
        return true;
    }
    char* bytes = NULL;
    const char* reason = NULL;
    char* path = gltf_path_beside(file->name, uri, &reason);
    if (path == NULL) {
        return gltf_fail(file, "buffer %zu %s; save the model with its buffers", index, reason);
    }
    const bool done = io_read_file(path, &bytes, &out->size, file->error);
    free(path);
    if (done) {
        out->bytes = (const unsigned char*)bytes;
        out->memory = bytes;
        grow_budget(file, out->size);
    }
    return done;
}

static bool load_buffer(gltf_file* file, size_t index, const gltf_entry* of, gltf_buffer* out) {
    json_t* uri = json_object_get(of->value, "uri");
    if (uri == NULL && index == 0 && file->binary != NULL) {
        *out = (gltf_buffer){file->binary, file->binary_size, NULL};
        return true;
    }
    if (!json_is_string(uri)) {
        return gltf_fail(file, "buffer %zu has no data; was the file cut off or compressed?",
                         index);
    }
    const char* text = json_string_value(uri);
    return gltf_is_data(text) ? decode_data(file, index, text, out)
                              : read_beside(file, index, text, out);
}

bool gltf_buffer_bytes(gltf_file* file, size_t index, const unsigned char** bytes, size_t* size) {
    gltf_entry of;
    size_t length = 0;
    if (!gltf_find(file, "buffers", "buffer", index, &of) ||
        !gltf_required_size(file, &of, of.value, "byteLength", &length)) {
        return false;
    }
    gltf_buffer* buffer = &file->buffers[index];
    if (buffer->bytes == NULL && !load_buffer(file, index, &of, buffer)) {
        return false;
    }
    if (length > buffer->size) {
        return gltf_fail(file, "buffer %zu should have %zu bytes, but has %zu; is it cut off?",
                         index, length, buffer->size);
    }
    *bytes = buffer->bytes;
    *size = length;
    return true;
}
