// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Animated models: meshes, how they deform, and their poses in each frame. glTF and GLB files are
// read by our own code, many other formats through assimp where it is built in.
//
// Files are not trusted: every defect gives an error message, and memory stays below a multiple of
// the file's size.
#ifndef IO_MODEL_H
#define IO_MODEL_H

#include "io/error.h"
#include "io/tags.h"

#include <stdint.h>

/// A mesh with its morph targets and joint weights. Indices are below vertex_count; all numbers are
/// finite. The primitives of a file's mesh are joined: vertices and triangles keep their order, and
/// primitives that use the same vertex data share its vertices.
typedef struct io_model_mesh {
    char* name;
    double* positions;  ///< x, y, z per vertex
    size_t vertex_count;
    uint32_t* triangles;
    size_t triangle_count;
    size_t field_count;    ///< morph targets
    float* fields;         ///< target after target, x y z of every vertex
    uint32_t influences;   ///< joints per vertex; 0: no skin can move it
    uint32_t joint_limit;  ///< all joint indices are below this
    uint32_t* joints;
    float* weights;  ///< not negative; at least one of each vertex is positive
    io_tags tags;    ///< materials of the triangles
} io_model_mesh;

typedef enum io_model_motion {
    IO_MODEL_RIGID = 0,  ///< morph targets, if any, then the node's rotation and translation
    IO_MODEL_AFFINE,   ///< morph targets, if any, then the node's transform, which scales or shears
    IO_MODEL_SKINNED,  ///< morph targets, if any, then the joints of a skin
} io_model_motion;

/// A node that shows a mesh.
typedef struct io_model_body {
    char* name;
    size_t mesh;
    size_t node;
    size_t skin;  ///< of IO_MODEL_SKINNED
    io_model_motion motion;
    size_t transform_count;  ///< joints of the skin; 1 for IO_MODEL_AFFINE, 0 for IO_MODEL_RIGID
    size_t like;             ///< the first body of the same mesh, motion and skin; may be itself
} io_model_body;

/// A selected animation; clips are played one after the other.
typedef struct io_model_clip {
    char* name;       ///< empty if the file has none
    double duration;  ///< seconds
    size_t frame_count;
} io_model_clip;

/// The graph of nodes and the tracks; opaque outside io/.
typedef struct gltf_graph gltf_graph;

typedef struct io_model {
    const char* format;  ///< such as "glTF"
    io_model_mesh* meshes;
    size_t mesh_count;
    io_model_body* bodies;
    size_t body_count;  ///< at least one
    io_model_clip* clips;
    size_t clip_count;
    size_t frame_count;  ///< of all clips together; 1 without clips
    double fps;
    gltf_graph* graph;
} io_model;

/// How to read.
typedef struct io_model_settings {
    const char* animation;  ///< its name, its number from 0, or "all"; NULL: the first, if any
    double fps;             ///< frames per second, above 0
} io_model_settings;

/// Whether a name has the ending of a model: .glb, .gltf, or a format of assimp where it is built
/// in.
bool io_is_model_name(const char* name);

/// Whether a name has the ending of an input: a mesh, a model or a point cache, packed or not.
/// Reports must have other names.
bool io_is_object_name(const char* name);

/// Whether the standard input holds a model rather than a mesh; reads it.
bool io_input_is_model(void);

/// Reads a file. On failure `out` is empty and `error` (may be NULL) has the reason. Free the model
/// with io_model_free().
bool io_read_model(const char* path, const io_model_settings* settings, io_model* out,
                   io_error* error);
/// The same for a glTF or GLB file in memory; `name` is for messages, and buffers in other files
/// are looked for in its folder.
bool io_parse_gltf(const char* name, const void* bytes, size_t size,
                   const io_model_settings* settings, io_model* out, io_error* error);
void io_model_free(io_model* model);

/// Sets the pose of all nodes to that of a frame, or of a clip at a time in seconds.
void io_model_show(io_model* model, size_t frame);
void io_model_show_time(io_model* model, size_t clip, double time);

/// The pose of a body as last set. Coordinates: one per morph target. Transforms: three rows of
/// four numbers per node. Rigid bodies: rotation and translation as three rows of four.
const double* io_model_coordinates(const io_model* model, size_t body);
void io_model_transforms(const io_model* model, size_t body, double* rows);
void io_model_frame(const io_model* model, size_t body, double rows[12]);

#endif
