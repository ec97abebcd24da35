// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Objects: what the arguments of the command line stand for, each with its body in the world. A
// mesh or a sequence of meshes is one object; a model has one for each node that shows a mesh.
#ifndef CLI_OBJECT_H
#define CLI_OBJECT_H

#include "cli/frame_name.h"
#include "cli/options.h"
#include "cli/world.h"
#include "io/model.h"

/// What an OBJECT of the command line is, for the help.
#define OBJECT_HELP                                                                               \
    "An OBJECT is one of\n"                                                                       \
    "  a mesh: OBJ, PLY or OFF\n"                                                                 \
    "  a sequence of meshes: a folder, or a quoted pattern ('cloth_*.obj', 'cloth_%04d.obj')\n"   \
    "  a mesh with a point cache: body.obj+body.pc2 (PC2, MDD, or raw floats: .f32)\n"            \
    "  an animated model, of which every node that shows a mesh is an object: glTF, GLB, and\n"   \
    "    through assimp STL, FBX, COLLADA and others\n"                                           \
    "  -: a mesh or a glTF model from the standard input; what it is shows in its content\n"      \
    "Meshes and glTF may be packed by gzip (shirt.obj.gz).\n"                                     \
    "Frames have the numbers of their files: cloth_040.obj is frame 40. With several sequences\n" \
    "the first of the longest gives the numbers; without any they count from 0."

/// Entries of a table of options, and the number of frames a second; 0 after a sentence.
#define ANIMATION_OPTION                                          \
    {                                                             \
        "animation", OPTION_TEXT, "NAME",                         \
            "of a model: the animation of this name or number,\n" \
            "or all of them, one after the other [the first]"     \
    }
#define FPS_OPTION                                                \
    {                                                             \
        "fps", OPTION_NUMBER, "N",                                \
            "frames a second, for the animation of a model and\n" \
            "for the time of a frame [30]"                        \
    }
double chosen_fps(const option_value* given);

typedef struct source source;

typedef struct object {
    char* name;                  ///< as it was typed, and the node of a model that has several
    const char* format;          ///< such as "OBJ"
    uint32_t body;               ///< in the world; the object's number
    size_t frames;               ///< that it has
    size_t triangle_count;       ///< of the body now
    size_t face_count;           ///< polygons in the file, before they became triangles
    const io_model_clip* clips;  ///< of a model: the animations that it plays
    size_t clip_count;
    uint64_t topology;        ///< differs from frame to frame if the triangles do
    size_t topology_changes;  ///< frames checked so far that came with other triangles
} object;

typedef struct object_list {
    object* objects;
    size_t count;
    size_t frames;      ///< of the longest
    frame_names names;  ///< of the frames
    source* sources;
    size_t source_count;
    bool components;  ///< meshes are taken apart
} object_list;

/// Finds the files of all objects; reads no meshes, but models. False after a sentence.
bool objects_find(object_list* list, const char* const* names, size_t count,
                  const io_model_settings* settings);
/// The same, and every connected component of a mesh is an object of its own.
bool objects_find_components(object_list* list, const char* const* names, size_t count,
                             const io_model_settings* settings);
void objects_free(object_list* list);

/// Says once what may surprise: gaps in the numbers of files, objects whose numbers are not those
/// that are shown, and many files that look like a pattern which was not quoted.
void objects_tell(const object_list* list);

/// Lets every object have this frame; one with fewer frames keeps its last. Reads files as needed,
/// at the first call into new bodies of the world.
bool objects_show(object_list* list, world* w, size_t frame);

#endif
