// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// An OBJECT of the command line: a mesh, or a sequence of them, and its body in the world.
#ifndef CLI_OBJECT_H
#define CLI_OBJECT_H

#include "cli/world.h"
#include "io/mesh_file.h"
#include "io/sequence.h"

typedef struct object {
    const char* name;  ///< as it was typed
    io_sequence files;
    uint32_t body;   ///< in the world; the object's number
    io_mesh mesh;    ///< what the body has now
    size_t showing;  ///< frame of the sequence that it has now
    bool loaded;
    size_t topology_changes;  ///< frames so far that came with other triangles
    uint32_t part;            ///< the connected component that it is,
    uint32_t parts;           ///< of so many; 0: it is all of its mesh
    char* own_name;           ///< of a part: where `name` is, to be freed
} object;

typedef struct object_list {
    object* objects;
    size_t count;
    size_t frames;  ///< of the longest
} object_list;

/// Finds the files of all objects; reads none. False after a sentence.
bool objects_find(object_list* list, const char* const* names, size_t count);
void objects_free(object_list* list);
/// Takes every object apart into the connected components of its first mesh: each becomes an object
/// of its own, with the numbers of triangles that it has in the file. False after a sentence.
bool objects_part(object_list* list);

/// Lets every object have this frame; one with fewer frames keeps its last. Reads files as needed,
/// at the first call into new bodies of the world.
bool objects_show(object_list* list, world* w, size_t frame);

#endif
