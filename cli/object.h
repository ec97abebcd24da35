// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The objects that the arguments of the command line stand for, each with a body in the world. A
// mesh or a sequence of meshes is one object; a model has one for each node with a mesh.
#ifndef CLI_OBJECT_H
#define CLI_OBJECT_H

#include "cli/frame_name.h"
#include "cli/options.h"
#include "cli/world.h"
#include "io/model.h"

/// The help about OBJECT.
#define OBJECT_HELP                                                                                \
    "An OBJECT is one of\n"                                                                        \
    "  a mesh: OBJ, PLY, OFF, STL; VTK (.vtp, .vtu); arrays of numpy: .npz (vertices and faces,\n" \
    "    also of many frames), .npy (corners of triangles)\n"                                      \
    "  a sequence of meshes: a folder, a list of VTK (.pvd), or a quoted pattern\n"                \
    "    ('cloth_*.obj', 'cloth_%04d.obj')\n"                                                      \
    "  a mesh with a point cache: body.obj+body.pc2 (PC2, MDD, .npy, .npz, or raw floats: .f32)\n" \
    "  an animated model: glTF, GLB, and through assimp FBX, COLLADA and others; each\n"           \
    "    node with a mesh is an object\n"                                                          \
    "  -: a mesh or a glTF model from the standard input, recognised by its content\n"             \
    "Meshes and glTF may be compressed with gzip (shirt.obj.gz).\n"                                \
    "Frames have the numbers of their files: cloth_040.obj is frame 40. With several sequences\n"  \
    "the longest gives the numbers (the first of equals); without any they count from 0."

/// Entries of a table of options, and the frames per second; 0 after an error message.
#define ANIMATION_OPTION                                          \
    {                                                             \
        "animation", OPTION_TEXT, "NAME",                         \
            "of a model: the animation of this name or number,\n" \
            "or all of them, one after the other [the first]"     \
    }
#define FPS_OPTION                                              \
    {                                                           \
        "fps", OPTION_NUMBER, "N",                              \
            "frames per second, for the animation of a model\n" \
            "and for the times of frames [30]"                  \
    }
double chosen_fps(const option_value* given);

typedef struct source source;

typedef struct object {
    char* name;                  ///< as typed, with the node if a model has several
    size_t file_length;          ///< of the file's name, at the start of the name
    const char* format;          ///< such as "OBJ"
    uint32_t body;               ///< in the world; the object's number
    size_t frames;               ///< number of frames
    size_t triangle_count;       ///< of the body in the current frame
    size_t face_count;           ///< polygons in the file, before triangulation
    const io_model_clip* clips;  ///< animations of a model
    size_t clip_count;
    const io_tags* tags;  ///< names of the triangles; NULL before the first frame, or without any
    uint64_t topology;    ///< hash of the triangles
    size_t topology_changes;  ///< frames checked so far in which the triangles changed
} object;

typedef struct object_list {
    object* objects;
    size_t count;
    size_t frames;      ///< of the longest object
    frame_names names;  ///< of the frames
    source* sources;
    size_t source_count;
    bool components;  ///< meshes are split into components
} object_list;

/// Finds the files of all objects; reads models, but not meshes. False after an error message.
bool objects_find(object_list* list, const char* const* names, size_t count,
                  const io_model_settings* settings);
/// The same, with every connected component of a mesh as an object.
bool objects_find_components(object_list* list, const char* const* names, size_t count,
                             const io_model_settings* settings);
void objects_free(object_list* list);

/// Warns of gaps in the numbers of files, of objects whose file numbers differ from the frame
/// numbers, and of many files that look like an unquoted pattern.
void objects_warn(const object_list* list);

/// Sets every object to this frame; one with fewer frames stays at its last. Reads files as needed.
/// The first call adds the bodies to the world.
bool objects_show(object_list* list, world* w, size_t frame);

/// Sets every object to its state at rest: a model without animation, others in their first frame.
/// Call it after objects_show().
#define REST_FRAME SIZE_MAX
bool objects_show_rest(object_list* list, world* w);

#endif
