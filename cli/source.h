// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Where the frames of objects come from: what one argument of the command line stands for. Each
// kind of it is one file, source_*.c.
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include "cli/object.h"

typedef struct source_kind {
    /// Lets the bodies of the source's objects have this frame, which it has. The first call adds
    /// the bodies. False after a sentence.
    bool (*show)(source* s, object* objects, world* w, size_t frame);
    void (*free)(source* s);
} source_kind;

struct source {
    const char* name;  ///< as it was typed
    const source_kind* kind;
    void* data;               ///< of the kind
    size_t frames;            ///< at least one
    const uint64_t* numbers;  ///< of the frames, in the names of the files; NULL if they have none
    size_t first_object;      ///< the first of its objects
    size_t object_count;
    bool loaded;     ///< its bodies are in the world
    size_t showing;  ///< the frame that they have now
};

/// Each opens the source of a name, sets its data, frames and object_count, and appends its objects
/// to the list. False after a sentence; source_kind.free is then called all the same.
bool source_open_meshes(source* s, object_list* list);
bool source_open_parts(source* s, object_list* list);
bool source_open_cache(source* s, object_list* list);
bool source_open_model(source* s, object_list* list, const io_model_settings* settings);

/// The cache in "mesh+cache"; NULL if a name is not of that kind.
const char* cache_part(const char* name);

/// A new object at the end of the list.
object* objects_append(object_list* list, source* s);

#endif
