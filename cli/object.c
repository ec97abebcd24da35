// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Opens the objects of the command line: see object.h.
#include "cli/object.h"

#include "cli/message.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/source.h"
#include "io/cache.h"
#include "io/file.h"
#include "io/output.h"

#include <stdlib.h>
#include <string.h>

double chosen_fps(const option_value* given) {
    if (given->given && given->number == 0) {
        complain("--fps needs a number larger than 0");
    }
    return given->given ? given->number : 30;
}

object* objects_append(object_list* list, source* s) {
    list->objects = reallocate(list->objects, list->count + 1, sizeof *list->objects);
    object* o = &list->objects[list->count++];
    const char* name = io_input_name(s->name);
    *o = (object){.name = allocate(strlen(name) + 1, 1), .file_length = strlen(name)};
    memcpy(o->name, name, strlen(name) + 1);
    ++s->object_count;
    return o;
}

static bool is_model(const char* name) {
    return strcmp(name, "-") == 0 ? io_input_is_model() : io_is_model_name(name);
}

// point caches are read at random places, which gzip does not allow
static bool is_packed_cache(const char* name) {
    return io_is_packed_name(name) && (io_has_ending(name, ".pc2") || io_has_ending(name, ".mdd") ||
                                       io_has_ending(name, ".f32"));
}

static bool open_source(source* s, object_list* list, const io_model_settings* settings) {
    const bool cache = cache_part(s->name) != NULL || io_has_frames(s->name);
    const bool model = !cache && is_model(s->name);
    const bool meshes = !cache && !model;
    if (is_packed_cache(s->name)) {
        complain("%s: a point cache cannot be read while it is packed; unpack it: gunzip -k",
                 s->name);
        return false;
    }
    if (list->components && !meshes) {
        complain("%s: --components splits only meshes and sequences of them", s->name);
        return false;
    }
    if (list->components) {
        return source_open_parts(s, list);
    }
    return cache   ? source_open_cache(s, list)
           : model ? source_open_model(s, list, settings)
                   : source_open_meshes(s, list);
}

// Takes the frame numbers from the first of the longest sources that has any, and the animations
// from the longest model.
static void name_frames(object_list* list) {
    frame_names* names = &list->names;
    size_t longest = 0;
    names->count = list->frames;
    for (size_t i = 0; i < list->source_count; ++i) {
        const source* s = &list->sources[i];
        const object* o = &list->objects[s->first_object];
        if (s->frames == list->frames && names->numbers == NULL) {
            names->numbers = s->numbers;
        }
        if (o->clip_count != 0 && s->frames > longest) {
            longest = s->frames;
            names->clips = o->clips;
            names->clip_count = o->clip_count;
        }
    }
}

static bool find(object_list* list, const char* const* names, size_t count,
                 const io_model_settings* settings, bool components) {
    *list = (object_list){.sources = allocate(count, sizeof(source)), .components = components};
    for (size_t i = 0; i < count; ++i) {  // before any message is printed
        io_input_note(names[i]);
    }
    for (size_t i = 0; i < count; ++i) {
        source* s = &list->sources[list->source_count++];
        *s = (source){.name = names[i], .first_object = list->count};
        progress bar = progress_begin_on("opening", io_input_name(s->name));
        const bool opened = open_source(s, list, settings);
        progress_end(&bar);
        if (!opened) {
            return false;
        }
        list->frames = s->frames > list->frames ? s->frames : list->frames;
    }
    for (size_t i = 0; i < list->source_count; ++i) {
        const source* s = &list->sources[i];
        for (size_t k = 0; k < s->object_count; ++k) {
            list->objects[s->first_object + k].frames = s->frames;
        }
    }
    name_frames(list);
    return inputs_apart();
}

bool objects_find(object_list* list, const char* const* names, size_t count,
                  const io_model_settings* settings) {
    return find(list, names, count, settings, false);
}

bool objects_find_components(object_list* list, const char* const* names, size_t count,
                             const io_model_settings* settings) {
    return find(list, names, count, settings, true);
}

void objects_free(object_list* list) {
    for (size_t i = 0; i < list->source_count; ++i) {
        if (list->sources[i].kind != NULL) {
            list->sources[i].kind->free(&list->sources[i]);
        }
    }
    for (size_t i = 0; i < list->count; ++i) {
        free(list->objects[i].name);
    }
    free(list->sources);
    free(list->objects);
    *list = (object_list){0};
}

// the first call takes long, because it reads files and builds trees
static bool show_source(source* s, object_list* list, world* w, size_t frame) {
    if (s->loaded) {
        return s->kind->show(s, list->objects + s->first_object, w, frame);
    }
    progress bar = progress_begin_on("preparing", io_input_name(s->name));
    const bool done = s->kind->show(s, list->objects + s->first_object, w, frame);
    progress_end(&bar);
    return done;
}

bool objects_show(object_list* list, world* w, size_t frame) {
    for (size_t i = 0; i < list->source_count; ++i) {
        source* s = &list->sources[i];
        const size_t shown = frame < s->frames ? frame : s->frames - 1;
        if (s->loaded && s->showing == shown) {
            continue;
        }
        if (!show_source(s, list, w, shown)) {
            return false;
        }
        s->loaded = true;
        s->showing = shown;
    }
    return inputs_apart();  // a mesh may name further files
}

bool objects_show_rest(object_list* list, world* w) {
    if (!objects_show(list, w, 0)) {
        return false;
    }
    for (size_t i = 0; i < list->source_count; ++i) {
        source* s = &list->sources[i];
        if (s->kind->has_rest) {
            if (!show_source(s, list, w, REST_FRAME)) {
                return false;
            }
            s->showing = REST_FRAME;
        }
    }
    return true;
}
