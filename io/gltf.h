// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the parts of the glTF 2.0 reader share. Internal to io/.
// Based on: Khronos, "glTF 2.0 Specification", "KHR_mesh_quantization", "EXT_meshopt_compression" and
// "KHR_meshopt_compression".
#ifndef IO_GLTF_H
#define IO_GLTF_H

#include "io/affine.h"
#include "io/model.h"

#include <jansson.h>

#define GLTF_NONE SIZE_MAX  // no such index

// ---- gltf_json.c: the document, and access to its values with checks

typedef struct gltf_buffer {
    const unsigned char* bytes;  // NULL: not read yet
    size_t size;
    void* memory;  // to be freed; NULL if the buffer owns none
} gltf_buffer;

typedef struct gltf_file {
    const char* name;  // for messages; other files are looked for beside it
    io_error* error;
    json_t* root;
    const unsigned char* binary;  // the second chunk of a GLB file, or NULL
    size_t binary_size;
    gltf_buffer* buffers;
    size_t buffer_count;
    size_t external_count;
    size_t budget;             // bytes that may still be allocated
    size_t reserve;            // bytes by which unpacked data may still raise the budget
    unsigned char** unpacked;  // per buffer view; NULL: not unpacked; NULL: none is
    size_t view_count;
} gltf_file;

/// An entry of a list of the document, for messages: "accessor 3".
typedef struct gltf_entry {
    const char* kind;
    size_t index;
    json_t* value;
} gltf_entry;

/// Writes an error about the file; evaluates to false.
#define gltf_fail(file, ...) io_fail_in((file)->error, (file)->name, __VA_ARGS__)

/// Subtracts count * size bytes from the budget of the file; false, with an error, if it is
/// exceeded.
bool gltf_charge(gltf_file* file, size_t count, size_t size);
/// Allocates zeroed memory within the budget of the file; NULL after an error.
void* gltf_allocate(gltf_file* file, size_t count, size_t size);

/// Raises the budget because so many bytes are unpacked, which the size of the file does not show.
/// All calls together raise it by a multiple of the file's size at most.
void gltf_raise_budget(gltf_file* file, size_t unpacked);

/// Gets a list of an object; a missing one has length 0. False if the value is not a list.
bool gltf_list(const gltf_file* file, json_t* object, const char* key, json_t** list,
               size_t* count);
/// Gets an entry of a top-level list, such as "accessors"; it must be an object.
bool gltf_find(const gltf_file* file, const char* list, const char* kind, size_t index,
               gltf_entry* out);

/// Gets a whole number >= 0. If there is none, gltf_size() gives `missing` and gltf_required_size()
/// fails.
bool gltf_size(const gltf_file* file, const gltf_entry* of, json_t* object, const char* key,
               size_t missing, size_t* out);
bool gltf_required_size(const gltf_file* file, const gltf_entry* of, json_t* object,
                        const char* key, size_t* out);
/// Gets a list of exactly `count` finite numbers; *given says whether the list is there.
bool gltf_numbers(const gltf_file* file, const gltf_entry* of, const char* key, double* out,
                  size_t count, bool* given);
/// Copies a string, cleaned (io/clean.h); an empty one if there is none. NULL after an error.
char* gltf_text(gltf_file* file, json_t* object, const char* key);

// ---- gltf_container.c

/// Reads the container: JSON, or GLB with its chunks. `bytes` must outlive the file. Call
/// gltf_file_free() after success and after failure.
bool gltf_file_open(gltf_file* file, const char* name, const unsigned char* bytes, size_t size,
                    io_error* error);
void gltf_file_free(gltf_file* file);
/// Gets the bytes of a buffer, at least its declared length; the first call reads them.
bool gltf_buffer_bytes(gltf_file* file, size_t index, const unsigned char** bytes, size_t* size);

// ---- gltf_meshopt.c

/// Whether an extension is one of those that compress buffer views.
bool gltf_is_meshopt(const char* extension);
/// Whether a buffer view is compressed.
bool gltf_view_is_packed(const gltf_entry* view);
/// Gets the `length` bytes of a compressed buffer view; the first call unpacks them.
bool gltf_unpacked_view(gltf_file* file, const gltf_entry* view, size_t length,
                        const unsigned char** bytes);

// ---- gltf_accessor.c

typedef enum gltf_component {
    GLTF_INT8 = 5120,
    GLTF_UINT8 = 5121,
    GLTF_INT16 = 5122,
    GLTF_UINT16 = 5123,
    GLTF_UINT32 = 5125,
    GLTF_FLOAT32 = 5126,
} gltf_component;

typedef struct gltf_accessor {
    size_t index;
    size_t count;
    size_t components;  // numbers per element
    gltf_component type;
    bool normalised;
    const unsigned char* bytes;  // NULL: zeros
    size_t stride;
    size_t sparse_count;
    const unsigned char* sparse_places;
    gltf_component sparse_type;
    const unsigned char* sparse_values;
} gltf_accessor;

/// Opens an accessor; its elements must have `components` numbers (0: any).
bool gltf_accessor_open(gltf_file* file, size_t index, size_t components, gltf_accessor* out);
/// Reads all elements; every number must be finite.
bool gltf_accessor_numbers(gltf_file* file, const gltf_accessor* a, double* out);
/// Reads whole numbers; the accessor must be of an unsigned type.
bool gltf_accessor_indices(gltf_file* file, const gltf_accessor* a, uint32_t* out);

// ---- gltf_mesh.c

/// Reads all meshes of the document. Those without triangles are left empty.
bool gltf_read_meshes(gltf_file* file, io_model* model);

// ---- gltf_graph.c: nodes and skins

typedef struct gltf_node {
    size_t parent;  // GLTF_NONE: a root
    size_t mesh;
    size_t skin;
    bool in_scene;
    bool has_matrix;
    double stretch;  // affine_stretch() with ancestors, at most, in all clips
    double matrix[12];
    double rest_translation[3];
    double rest_rotation[4];
    double rest_scale[3];
    double* rest_weights;  // of the mesh's targets, or NULL
    // as last shown
    double translation[3];
    double rotation[4];
    double scale[3];
    double* weights;
    double global[12];
} gltf_node;

typedef struct gltf_skin {
    size_t* joints;
    size_t joint_count;
    double* inverse_bind;  // per joint three rows of four
} gltf_skin;

typedef struct gltf_track {
    size_t node;
    enum { GLTF_TRANSLATION, GLTF_ROTATION, GLTF_SCALE, GLTF_WEIGHTS } path;
    enum { GLTF_STEP, GLTF_LINEAR, GLTF_CUBIC } interpolation;
    size_t width;  // numbers per key
    size_t key_count;
    const double* times;
    const double* values;  // cubic: tangent in, value, tangent out
} gltf_track;

typedef struct gltf_tracks {
    gltf_track* tracks;
    size_t count;
} gltf_tracks;

struct gltf_graph {
    gltf_node* nodes;
    size_t node_count;
    size_t* order;  // parents come before their children
    gltf_skin* skins;
    size_t skin_count;
    gltf_tracks* clips;  // one per clip of the model
    double** samples;    // owned arrays that tracks point to
    size_t sample_count;
};

bool gltf_read_graph(gltf_file* file, io_model* model);
/// Makes a body of each node that shows a mesh; call it after gltf_read_clips().
bool gltf_make_bodies(gltf_file* file, io_model* model);
void gltf_graph_free(gltf_graph* graph, size_t clip_count);

// ---- gltf_animation.c

/// Reads the clips that the settings select.
bool gltf_read_clips(gltf_file* file, const io_model_settings* settings, io_model* model);
/// Evaluates a track at a time: writes `width` numbers.
void gltf_track_value(const gltf_track* track, double time, double* out);

#endif
