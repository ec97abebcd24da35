// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes labels of objects: see labels.h.
#include "cli/labels.h"

#include "cli/message.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_WIDTH = 40 };

// the length of the common prefix of all names, up to a '/' or ':'; no name is cut to nothing
static size_t shared_prefix(const char* const* names, size_t count) {
    size_t cut = 0;
    for (size_t i = 0; count > 0 && names[0][i] != '\0'; ++i) {
        for (size_t k = 0; k < count; ++k) {
            if (names[k][i] != names[0][i] || names[k][i + 1] == '\0') {
                return cut;
            }
        }
        cut = names[0][i] == '/' || names[0][i] == ':' ? i + 1 : cut;
    }
    return cut;
}

typedef struct entry {
    const char* text;
    size_t place;
} entry;

static int compare(const void* x, const void* y) {
    return strcmp(((const entry*)x)->text, ((const entry*)y)->text);
}

static void number(char** label, size_t place) {
    char text[NAME_SIZE + 32];
    const int used = snprintf(text, sizeof text, "%s (object %zu)", *label, place);
    free(*label);
    *label = memcpy(allocate((size_t)used + 1, 1), text, (size_t)used + 1);
}

static void number_equal_labels(char** labels, size_t count) {
    entry* sorted = allocate(count, sizeof *sorted);
    bool* same = allocate(count, sizeof *same);
    for (size_t i = 0; i < count; ++i) {
        sorted[i] = (entry){labels[i], i};
    }
    qsort(sorted, count, sizeof *sorted, compare);
    for (size_t i = 1; i < count; ++i) {
        if (strcmp(sorted[i].text, sorted[i - 1].text) == 0) {
            same[sorted[i].place] = same[sorted[i - 1].place] = true;
        }
    }
    for (size_t i = 0; i < count; ++i) {
        if (same[i]) {
            number(&labels[i], i);
        }
    }
    free(sorted);
    free(same);
}

char** labels_make(const char* const* names, size_t count) {
    char** labels = allocate(count, sizeof *labels);
    const size_t cut = shared_prefix(names, count);
    for (size_t i = 0; i < count; ++i) {
        char text[NAME_SIZE];
        shown_name(names[i] + cut, LABEL_WIDTH, text);
        const size_t size = strlen(text) + 1;
        labels[i] = memcpy(allocate(size, 1), text, size);
    }
    if (count > 1) {
        number_equal_labels(labels, count);
    }
    return labels;
}

void labels_free(char** labels, size_t count) {
    for (size_t i = 0; labels != NULL && i < count; ++i) {
        free(labels[i]);
    }
    free(labels);
}
