// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Warns about objects and their frames: see object.h.
#include "cli/message.h"
#include "cli/object.h"
#include "cli/source.h"
#include "io/sequence.h"

#include <stdlib.h>

enum { PATTERN_SIZE = 512, MOST_TWO = 2 };

static bool is_single_file(const source* s) {
    return s->frames == 1 && s->numbers == NULL;
}

// warns of many similar names: a shell expands an unquoted pattern to one object per file
static void hint_at_quotes(const object_list* list) {
    const char** names = allocate(list->source_count, sizeof *names);
    for (size_t i = 0, next = 0; i < list->source_count; i = next) {
        char pattern[PATTERN_SIZE];
        size_t count = 0;
        while (i + count < list->source_count && is_single_file(&list->sources[i + count])) {
            names[count] = list->sources[i + count].name;
            ++count;
        }
        const size_t alike = io_sequence_alike(names, count, pattern, sizeof pattern);
        next = i + (alike == 0 ? 1 : alike);
        if (alike > MOST_TWO) {  // two similar names are common
            warn(
                "%s to %s are %zu separate objects; if they are the frames of one "
                "object, quote the pattern: '%s'",
                names[0], names[alike - 1], alike, pattern);
        }
    }
    free(names);
}

static void warn_of_numbers(const object_list* list, const source* s) {
    const frame_names own = {.count = s->frames, .numbers = s->numbers};
    char text[FRAME_LIST_SIZE];
    if (frame_numbers_have_gaps(&own)) {
        warn("%s: the files are numbered %s; each file is one frame", s->name,
             frame_numbers(&own, text));
    }
    for (size_t i = 0; i < s->frames; ++i) {
        if (s->numbers[i] != frame_number(&list->names, i)) {
            char shown[FRAME_LIST_SIZE];
            warn(
                "%s: the files are numbered %s, but the frames %s; the first file belongs to frame "
                "%llu",
                s->name, frame_numbers(&own, text), frame_numbers(&list->names, shown),
                (unsigned long long)frame_number(&list->names, 0));
            return;
        }
    }
}

void objects_warn(const object_list* list) {
    hint_at_quotes(list);
    for (size_t i = 0; i < list->source_count; ++i) {
        if (list->sources[i].numbers != NULL) {
            warn_of_numbers(list, &list->sources[i]);
        }
    }
}
