// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The loop of every test of the promise that answers are the same for any number of threads and any
// instruction set:
//
//     everywhere at = everywhere_each((const uint32_t[]){2, 5, 0}, seed);
//     while (everywhere_next(&at)) {
//         where("seed %u, %s", seed, at.text);
//         world w = world_make(&at.def, NULL);
//         ... the first run is the reference: at.first ...
//     }

#ifndef ABUT_TESTS_SUPPORT_EVERYWHERE_H
#define ABUT_TESTS_SUPPORT_EVERYWHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abut/base.h"
#include "simd/kernels.h"
#include "support/threads.h"

/// Runs what follows with the kernels of each instruction set that this processor has, the scalar one
/// (set 0) first. A `break` in it only goes on to the next set.
#define FOR_EACH_KERNELS(set, kernels)       \
    for (int set = 0; set < ISA_SETS; ++set) \
        for (const abut__kernels* kernels = kernels_of(set); kernels != NULL; kernels = NULL)
#define ISA_SETS 3
/// NULL where the processor lacks the set.
const abut__kernels* kernels_of(int set);
abut_isa isa_of(int set);

typedef struct everywhere {
    abut_context_def def;   ///< of the present run: its tasks and its instruction set are set
    bool first;             ///< the present run is the first one
    bool same_set;          ///< it has the instruction set of the first one
    uint32_t workers;       ///< 0: no hook for tasks
    abut_isa isa;           ///< ABUT_ISA_BEST in runs that are about threads
    char text[48];          ///< for messages: "5 workers, avx2"
    test_threads* threads;  ///< of the present run; NULL without a hook

    abut_isa sets[ISA_SETS];  // those that are here
    uint32_t set_count;
    const uint32_t* list;
    uint64_t shuffle;
    bool cross;
    uint32_t worker_count;
    uint32_t next;
} everywhere;

/// First without a hook and with the best set, then with each of these numbers of workers (a list that 0
/// ends, which must live on), then in each instruction set. `shuffle` as for threads_create().
everywhere everywhere_each(const uint32_t* workers, uint64_t shuffle);
/// Every number of workers in every instruction set.
everywhere everywhere_cross(const uint32_t* workers, uint64_t shuffle);
/// Ends the present run, whose contexts are gone by then, and prepares the next; false: there is none.
bool everywhere_next(everywhere* e);

/// Bytes of the first run, which all others must give again.
typedef struct reference {
    bool known;
    void* bytes;
    size_t size;
} reference;
/// Keeps these bytes if they are the first; otherwise says whether they are the same as those.
bool reference_same(reference* r, const void* bytes, size_t size);
void reference_free(reference* r);

#endif  // ABUT_TESTS_SUPPORT_EVERYWHERE_H
