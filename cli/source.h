// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sources of frames: what one argument of the command line stands for. Each kind of source is one
// file, source_*.c.
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include "cli/object.h"

typedef struct source_kind {
    /// Sets the bodies of the source's objects to this frame, which exists. The first call adds the
    /// bodies. False after an error message.
    bool (*show)(source* s, object* objects, world* w, size_t frame);
    void (*free)(source* s);
    bool has_rest;  ///< show() takes REST_FRAME, which differs from the first frame
} source_kind;

struct source {
    const char* name;  ///< as typed
    const source_kind* kind;
    void* data;     ///< of the kind
    size_t frames;  ///< at least one
    const uint64_t*
        numbers;          ///< of the frames, from the names of the files; NULL if there are none
    size_t first_object;  ///< the first of its objects
    size_t object_count;
    bool loaded;     ///< its bodies are in the world
    size_t showing;  ///< the frame that they are set to
};

/// Each opens a source, sets its data, frames and object_count, and appends its objects to the
/// list. False after an error message; source_kind.free is called also then.
bool source_open_meshes(source* s, object_list* list);
bool source_open_parts(source* s, object_list* list);
/// "mesh+cache", or a file that io_has_frames().
bool source_open_cache(source* s, object_list* list);
bool source_open_model(source* s, object_list* list, const io_model_settings* settings);

/// The model of a source, in the pose that it shows; NULL if it is no model.
const io_model* source_model(const source* s);

/// The name of the cache in "mesh+cache"; NULL for other names.
const char* cache_part(const char* name);

/// Appends a new object to the list.
object* objects_append(object_list* list, source* s);

#endif
