// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the runs of `abut bench scale` share: counted memory, and the line of counts that a run prints.
#ifndef BENCH_SCALE_SCALE_H
#define BENCH_SCALE_SCALE_H

#include "abut/mpi.h"

/// Steps before counting, with a balance after each.
#define WARM_UP 2

/// Bytes of abut's allocators: now, and at most.
typedef struct tally {
    size_t now;
    size_t most;
} tally;

/// An allocator that counts, and a context with it.
abut_allocator tally_allocator(tally* t);
abut_context* tally_context(tally* t);

/// Ends the program after a message, unless the status is ABUT_OK.
void must(abut_status status, const abut_error* error);

/// What was run.
typedef struct scale_run {
    const char* name;  ///< of the scene
    uint32_t count;    ///< of its bodies or triangles
    uint32_t steps;    ///< that were counted
    uint64_t rows;     ///< of this rank, in all of them
} scale_run;

/// Prints the line of a world, on rank 0. Collective. Numbers per rank and step are means over ranks.
void scale_print(const scale_run* run, const abut_world* world, const tally* memory);
/// Prints the line of one process. `triangles` and `vertices` are those of a body.
void scale_print_plain(const scale_run* run, const abut_counters* work, const tally* memory,
                       uint32_t triangles, uint32_t vertices);

/// Run a crowd of bodies, as a world or in one scene.
void crowd_run(const char* name, uint32_t bodies, uint32_t steps);
void crowd_run_plain(const char* name, uint32_t bodies, uint32_t steps);
/// Run one cloth of about so many triangles, of which each rank has a strip, or in one scene.
void cloth_run(uint32_t triangles, uint32_t steps);
void cloth_run_plain(uint32_t triangles, uint32_t steps);

#endif
