// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The events of the report's page, the worst first, with their patches and pictures.
#ifndef CLI_REPORT_EVENTS_H
#define CLI_REPORT_EVENTS_H

#include "cli/gate/events.h"
#include "cli/gate/tracks.h"
#include "cli/picture_terminal.h"
#include "cli/report_keep.h"

typedef struct page_events {
    const events* events;
    const tracks* tracks;
    const keeper* kept;  ///< for pictures
    size_t first;        ///< the first frame of the page
    bool judged;         ///< there is a condition
    char up;
} page_events;

/// The events as the page has them: frames count from 0, and the worst have pictures. `all` is the
/// number of all; the list has the worst ones.
json_t* page_events_json(const page_events* e, size_t* all);
/// Prints pictures of the worst ones; `labels` are those of the bodies.
void page_events_show(const page_events* e, const char* const* labels, const frame_names* names,
                      picture_protocol by);

#endif
