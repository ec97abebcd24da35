// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Several frames at a time: each worker has objects and a world of its own, and takes one frame of
// a batch. What is found does not depend on how many there are.
#ifndef CLI_CREW_H
#define CLI_CREW_H

#include "cli/object.h"

typedef struct worker {
    object_list* objects;
    world* w;
    size_t frame;
    size_t shown;  ///< the last frame that was shown
    abut_counters work;
    bool done;
} worker;

typedef struct crew {
    worker* workers;
    size_t count;
} crew;

/// Opens a crew of `jobs` workers, the first with these objects and this world, further ones with
/// the same objects opened anew. False after a sentence; crew_close() closes what was opened.
bool crew_open(crew* c, size_t jobs, object_list* objects, world* w, const char* const* names,
               size_t name_count, const io_model_settings* settings);
void crew_close(crew* c);

/// Lets the first workers show the frames from `first` on, one each, at most up to `last`, and ask.
/// Returns how many did, in order; fewer than workers and frames after a sentence.
size_t crew_ask(crew* c, size_t first, size_t last, const question* q);

#endif
