// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Stores names of triangles: see tags.h.
#include "io/tags.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 255 };

static char* copy(const char* name, size_t length) {
    length = length < LONGEST ? length : LONGEST;
    char* text = malloc(length + 1);
    if (text != NULL) {
        memcpy(text, name, length);
        text[length] = '\0';
    }
    return text;
}

// the run of a kind that begins at a triangle; NULL if there is none
static io_tag_run* find(io_tags* tags, size_t first, io_tag_kind kind) {
    for (size_t i = tags->count; i-- > 0 && tags->runs[i].first == first;) {
        if (tags->runs[i].kind == kind) {
            return &tags->runs[i];
        }
    }
    return NULL;
}

bool io_tags_add(io_tags* tags, size_t first, io_tag_kind kind, const char* name, size_t length) {
    io_tag_run* same = find(tags, first, kind);
    char* text = copy(name, length);
    if (text == NULL) {
        return false;
    }
    if (same != NULL) {
        free(same->name);
        same->name = text;
        return true;
    }
    if (tags->count == tags->room) {
        const size_t room = 2 * tags->room + 4;
        io_tag_run* runs = realloc(tags->runs, room * sizeof *runs);
        if (runs == NULL) {
            free(text);
            return false;
        }
        tags->runs = runs;
        tags->room = room;
    }
    tags->runs[tags->count++] = (io_tag_run){first, kind, text};
    return true;
}

void io_tags_free(io_tags* tags) {
    for (size_t i = 0; i < tags->count; ++i) {
        free(tags->runs[i].name);
    }
    free(tags->runs);
    *tags = (io_tags){0};
}
