// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Lists of files of VTK: see pvd.h.
#include "io/pvd.h"

#include "io/file.h"
#include "io/gltf_uri.h"
#include "io/number.h"
#include "io/xml.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    char* path;
    double time;
    size_t number;  // in the list
} entry;

typedef struct lister {
    const char* path;
    io_error* error;
    entry* entries;
    size_t count;
} lister;

bool io_is_pvd_name(const char* name) {
    return io_has_ending(name, ".pvd") && !io_is_packed_name(name);
}

// the name of a file is no URI: a '%' stands for itself
static bool escape(const char* name, char* out, size_t room) {
    size_t used = 0;
    for (; *name != '\0'; ++name) {
        if (used + 4 > room) {
            return false;
        }
        out[used++] = *name;
        if (*name == '%') {
            memcpy(out + used, "25", 2);
            used += 2;
        }
    }
    out[used] = '\0';
    return true;
}

static bool add(lister* l, char* path, double time) {
    if ((l->count & (l->count - 1)) == 0) {  // full when a power of two
        entry* grown = realloc(l->entries, (l->count == 0 ? 1 : 2 * l->count) * sizeof *grown);
        if (grown == NULL) {
            free(path);
            return io_fail_in(l->error, l->path, "there is not enough memory for its file names");
        }
        l->entries = grown;
    }
    l->entries[l->count] = (entry){path, time, l->count};
    ++l->count;
    return true;
}

static bool read_entry(lister* l, const xml_tag* tag) {
    char name[2048];
    char escaped[4096];
    const char* value = NULL;
    const char* reason = NULL;
    size_t length = 0;
    double time = (double)l->count;
    if (!xml_attribute(tag, "file", &value, &length) ||
        !xml_copy(value, length, name, sizeof name) || !escape(name, escaped, sizeof escaped)) {
        return io_fail_in(l->error, l->path,
                          "entry %zu of the list has no name of a file, or one "
                          "that is too long",
                          l->count);
    }
    if (xml_attribute(tag, "timestep", &value, &length)) {
        const char* end = value + length;
        if (io_read_double(&value, end, &time) != IO_NUMBER_OK || value != end) {
            return io_fail_in(l->error, l->path, "entry %zu of the list has a damaged timestep",
                              l->count);
        }
    }
    char* path = gltf_path_beside(l->path, escaped, &reason);
    if (path == NULL) {
        return io_fail_in(l->error, l->path, "file %zu of the list %s", l->count, reason);
    }
    return add(l, path, time);
}

static int compare(const void* a, const void* b) {
    const entry* x = a;
    const entry* y = b;
    if (x->time != y->time) {
        return x->time < y->time ? -1 : 1;
    }
    return (x->number > y->number) - (x->number < y->number);
}

static bool read_entries(lister* l, const char* bytes, size_t size) {
    const char* at = bytes;
    xml_tag tag;
    if (!xml_next(&at, bytes + size, &tag) || !xml_is(&tag, "VTKFile") ||
        !xml_has(&tag, "type", "Collection")) {
        return io_fail_in(l->error, l->path, "this is no list of files of VTK (a Collection)");
    }
    while (xml_next(&at, bytes + size, &tag)) {
        if (xml_is(&tag, "DataSet") && tag.opens && !read_entry(l, &tag)) {
            return false;
        }
    }
    if (l->count == 0) {
        return io_fail_in(l->error, l->path, "the list names no files");
    }
    qsort(l->entries, l->count, sizeof *l->entries, compare);
    for (size_t i = 1; i < l->count; ++i) {
        if (l->entries[i].time == l->entries[i - 1].time) {
            return io_fail_in(l->error, l->path,
                              "the list has several files of the time %g; give the files of one "
                              "part by a pattern, such as 'surface_*.vtp'",
                              l->entries[i].time);
        }
    }
    return true;
}

bool io_parse_pvd(const char* path, const char* bytes, size_t size, io_sequence* out,
                  io_error* error) {
    lister l = {.path = path, .error = error};
    *out = (io_sequence){0};
    char** paths = NULL;
    if (read_entries(&l, bytes, size)) {
        paths = malloc((l.count + 1) * sizeof *paths);
        if (paths == NULL) {
            io_fail_in(error, path, "there is not enough memory for its file names");
        }
    }
    for (size_t i = 0; i < l.count; ++i) {
        if (paths != NULL) {
            paths[i] = l.entries[i].path;
        } else {
            free(l.entries[i].path);
        }
    }
    if (paths != NULL) {
        *out = (io_sequence){paths, NULL, l.count};
    }
    free(l.entries);
    return paths != NULL;
}

bool io_read_pvd(const char* path, io_sequence* out, io_error* error) {
    char* bytes = NULL;
    size_t size = 0;
    *out = (io_sequence){0};
    if (!io_read_file(path, &bytes, &size, error)) {
        return false;
    }
    const bool done = io_parse_pvd(path, bytes, size, out, error);
    free(bytes);
    return done;
}
