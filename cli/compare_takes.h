// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Compares the events of two checks, such as two takes of a shot: which are new, worse, better, gone
// or the same. Events are those of 'abut check --events --json'.
#ifndef CLI_COMPARE_TAKES_H
#define CLI_COMPARE_TAKES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// An event as a file has it. Names belong to the take.
typedef struct take_event {
    const char* a;
    const char* b;  ///< the same as a within one object
    const char* kind;
    uint64_t first;
    uint64_t last;
    uint64_t worst;
    uint64_t frames;
    uint64_t pairs;
    double depth;  ///< NAN: not known
    bool fails;
    bool matched;
} take_event;

/// A file of a check. Start zeroed.
typedef struct take {
    const char* path;
    json_t* json;
    const char** names;  ///< of the objects
    size_t name_count;
    take_event* events;
    size_t count;
    uint64_t first;  ///< the frames of all events
    uint64_t last;
} take;

/// Reads a file; "-" is the standard input. False after an error message.
bool take_read(take* t, const char* path);
void take_free(take* t);

/// Ascending by how much people care.
typedef enum change_kind {
    CHANGE_NEW = 0,
    CHANGE_WORSE,
    CHANGE_BETTER,
    CHANGE_GONE,
    CHANGE_SAME,
    CHANGES
} change_kind;
const char* change_name(change_kind kind);

/// What became of an event; one of both is NULL if it is new or gone.
typedef struct change {
    change_kind kind;
    const take_event* before;
    const take_event* after;
} change;

/// Matches events of the same two objects whose frames overlap, those with the longest overlap
/// first. Sorted by kind, the deepest first. The caller frees the list.
change* takes_compare(take* before, take* after, size_t* count);

#endif
