// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Events: contact of two objects, or of one with itself, in consecutive frames. Each has its first, last
// and worst frame, and the measure of the worst one. With times an event ends where the continuous motion
// frees the two, also if they touch again in the next frame; a gap within one step is bridged.
#ifndef CLI_GATE_EVENTS_H
#define CLI_GATE_EVENTS_H

#include "cli/frame_name.h"
#include "cli/gate/meter.h"

typedef struct event {
    uint32_t first;
    uint32_t last;
    uint32_t worst;     ///< the deepest; of equals that with most pairs, the nearest, the first
    contact_kind kind;  ///< the worst of its frames
    measure now;        ///< in the worst frame
    size_t most_pairs;  ///< of its frames
    double start;       ///< when it begins and ends, in frames
    double stop;
    bool timed;       ///< these times are known,
    bool continuous;  ///< and are those of the continuous motion
    bool fails;       ///< --fail-if holds
} event;

/// Ascending by first frame, then a, then b. Start zeroed.
typedef struct events {
    event* list;
    size_t count;
    size_t room;
    size_t* open;  ///< events that may go on, ascending by a, then b
    size_t open_count;
    size_t* next;
    bool timed;  ///< events have times
} events;

/// Adds the measures of a frame, which are ascending by a, then b.
void events_add(events* e, const measure* list, size_t count, uint32_t frame);
void events_free(events* e);

/// The worst first: events that fail, then by kind, depth, length. The caller frees the list.
const event** events_sorted(const events* e);

/// The number of frames of an event.
static inline size_t event_length(const event* e) {
    return (size_t)(e->last - e->first) + 1;
}

/// An event as JSON; `fps` gives times, `judged`: there is a condition.
json_t* event_json(const event* e, const frame_names* names, double fps, bool judged);
/// Prints a table of the worst events.
void events_print(const events* e, const frame_names* names, const char* const* labels,
                  bool judged);

#endif
