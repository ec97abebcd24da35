// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds the file that was probably meant: see near_name.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/near_name.h"

#include "cli/message.h"
#include "cli/source.h"
#include "io/model.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_NAMES = 4096 };  // of a folder; more are not looked at

static bool is_missing(const char* path) {
    struct stat info;
    return stat(path, &info) != 0 && errno == ENOENT;
}

// the objects in a folder, and folders; returns how many
static size_t list_names(const char* folder, const char* names[MOST_NAMES]) {
    size_t count = 0;
    DIR* open = opendir(folder);
    const struct dirent* entry = NULL;
    while (open != NULL && count < MOST_NAMES && (entry = readdir(open)) != NULL) {
        const size_t length = strlen(entry->d_name);
        if (entry->d_name[0] == '.' ||
            (!io_is_object_name(entry->d_name) && strchr(entry->d_name, '.') != NULL)) {
            continue;
        }
        char* copy = allocate(length + 1, 1);
        names[count++] = memcpy(copy, entry->d_name, length + 1);
    }
    if (open != NULL) {
        closedir(open);
    }
    return count;
}

static int compare(const void* a, const void* b) {
    return strcmp(*(const char* const*)a, *(const char* const*)b);
}

// where the ending of a name begins, or the name ends
static size_t stem_length(const char* name) {
    const char* dot = strrchr(name, '.');
    return dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name);
}

// a copy of the stem or of the ending
static char* part_of(const char* name, bool ending) {
    const size_t stem = stem_length(name);
    const size_t length = ending ? strlen(name + stem) : stem;
    return memcpy(allocate(length + 1, 1), ending ? name + stem : name, length);
}

// whether the other part of two names is the same: the stem, if endings are compared
static bool other_part_agrees(const char* a, const char* b, bool ending) {
    const size_t stem = stem_length(a);
    const size_t other = stem_length(b);
    return ending ? stem == other && memcmp(a, b, stem) == 0 : strcmp(a + stem, b + other) == 0;
}

// the name whose stem, or whose ending, is nearest, among those with the same other part
static const char* nearest_by(const char* name, const char* const* names, size_t count,
                              bool ending) {
    const char** parts = allocate(count, sizeof *parts);
    const char** whole = allocate(count, sizeof *whole);
    const char* best = NULL;
    size_t used = 0;
    for (size_t i = 0; i < count; ++i) {
        if (other_part_agrees(name, names[i], ending)) {
            whole[used] = names[i];
            parts[used++] = part_of(names[i], ending);
        }
    }
    char* given = part_of(name, ending);
    const char* near = nearest_word(given, parts, used);
    for (size_t i = 0; i < used; ++i) {
        best = parts[i] == near ? whole[i] : best;
        free((void*)parts[i]);
    }
    free(given);
    free(whole);
    free(parts);
    return best;
}

// all names end alike, so that whole names would look similar: stems are compared, then endings
static const char* nearest_name(const char* name, const char* const* names, size_t count) {
    const char* near = nearest_by(name, names, count, false);
    return near != NULL ? near : nearest_by(name, names, count, true);
}

// prints the sentence for a file that is missing; false if there is no similar one
static bool complain_of_file(const char* path) {
    const char* slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash + 1 - path);
    char* folder = allocate(length + 2, 1);
    memcpy(folder, length == 0 ? "." : path, length == 0 ? 1 : length);
    const char** names = allocate(MOST_NAMES, sizeof *names);
    const size_t count = list_names(folder, names);
    qsort(names, count, sizeof *names, compare);  // the same answer on all systems
    const char* near = nearest_name(path + length, names, count);
    if (near != NULL) {
        complain("%s: there is no such file or folder; did you mean '%.*s%s'?", path, (int)length,
                 path, near);
    }
    for (size_t i = 0; i < count; ++i) {
        free((void*)names[i]);
    }
    free(names);
    free(folder);
    return near != NULL;
}

bool complain_of_name(const char* name) {
    const char* cache = cache_part(name);
    if (name[0] == '\0' || strcmp(name, "-") == 0 || strpbrk(name, "*?[%") != NULL ||
        !is_missing(name)) {
        return false;
    }
    if (cache == NULL) {
        return complain_of_file(name);
    }
    const size_t length = (size_t)(cache - name) - 1;
    char* mesh = allocate(length + 1, 1);
    memcpy(mesh, name, length);
    const bool told = is_missing(mesh) ? complain_of_file(mesh)
                                       : is_missing(cache) && complain_of_file(cache);
    free(mesh);
    return told;
}
