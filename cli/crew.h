// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Checks several frames at a time. Each worker has objects and a world of its own and takes one
// frame of a batch. The findings do not depend on the number of workers.
#ifndef CLI_CREW_H
#define CLI_CREW_H

#include "cli/gate/meter.h"
#include "cli/gate/sieve.h"
#include "cli/inspection.h"
#include "cli/object.h"

typedef struct worker {
    object_list* objects;
    world* w;
    sieve* sieve;  ///< NULL: all findings count
    meter* meter;  ///< NULL: contact is not measured
    size_t frame;
    size_t shown;  ///< the frame that the world is set to
    abut_counters work;
    bool done;
} worker;

typedef struct crew {
    worker* workers;
    size_t count;
    bool inspects;           ///< set it to inspect meshes beside the next query
    inspection* inspection;  ///< what that found, of the first worker's bodies; NULL: nothing
} crew;

/// Opens a crew of `jobs` workers. The first uses these objects and this world, the others open the
/// same objects again. False after an error message; call crew_close() also then.
bool crew_open(crew* c, size_t jobs, object_list* objects, world* w, const char* const* names,
               size_t name_count, const io_model_settings* settings);
void crew_close(crew* c);

/// Runs the queries on one frame, or at rest, with the first worker, before any other frame. False after
/// an error message.
bool crew_ask_rest(crew* c, size_t frame, const question* q);
/// Sets the world of the first worker to the first frame of all, before any other frame.
bool crew_show_first(crew* c);

/// Runs the queries on frames from `first` on, up to `last`, one per worker, in order. Returns the
/// number of frames done; fewer than workers and frames after an error message.
size_t crew_ask(crew* c, size_t first, size_t last, const question* q);

#endif
