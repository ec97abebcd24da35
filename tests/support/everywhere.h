// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The loop for tests of the promise that answers are equal for any number of threads and any
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

/// Runs the block with the kernels of each instruction set of this processor, the scalar one (set
/// 0) first. A `break` in the block only continues with the next set.
#define FOR_EACH_KERNELS(set, kernels)       \
    for (int set = 0; set < ISA_SETS; ++set) \
        for (const abut__kernels* kernels = kernels_of(set); kernels != NULL; kernels = NULL)
#if defined(__wasm__)
#define ISA_SETS 2
#else
#define ISA_SETS 3
#endif
/// NULL where the processor lacks the set.
const abut__kernels* kernels_of(int set);
abut_isa isa_of(int set);

typedef struct everywhere {
    abut_context_def def;   ///< of the present run, with its tasks and instruction set
    bool first;             ///< the present run is the first one
    bool same_set;          ///< the present run has the instruction set of the first
    uint32_t workers;       ///< 0: no hook for tasks
    abut_isa isa;           ///< ABUT_ISA_BEST in runs that vary threads
    char text[48];          ///< for messages: "5 workers, avx2"
    test_threads* threads;  ///< of the present run; NULL without a hook

    abut_isa sets[ISA_SETS];  // those of this processor
    uint32_t set_count;
    const uint32_t* list;
    uint64_t shuffle;
    bool cross;
    uint32_t worker_count;
    uint32_t next;
} everywhere;

/// First without a hook and with the best set, then with each of these numbers of workers, then in
/// each instruction set. The list of workers ends with 0 and must outlive the loop. `shuffle` as
/// for threads_create().
everywhere everywhere_each(const uint32_t* workers, uint64_t shuffle);
/// Every number of workers in every instruction set.
everywhere everywhere_cross(const uint32_t* workers, uint64_t shuffle);
/// Ends the present run, whose contexts must be destroyed by then, and prepares the next. False: no
/// further run.
bool everywhere_next(everywhere* e);

/// The bytes of the first run, which all other runs must reproduce.
typedef struct reference {
    bool known;
    void* bytes;
    size_t size;
} reference;
/// Stores the first bytes; compares later ones with them. True if equal, or first.
bool reference_same(reference* r, const void* bytes, size_t size);
void reference_free(reference* r);

#endif  // ABUT_TESTS_SUPPORT_EVERYWHERE_H
