// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Counted memory and lines of counts: see scale.h.
#include "bench/scale/scale.h"

#include <stdio.h>
#include <stdlib.h>

// ---- memory, counted

static void* counted_alloc(void* user, size_t size, size_t alignment) {
    tally* t = user;
    t->now += size;
    t->most = t->now > t->most ? t->now : t->most;
    return aligned_alloc(alignment, (size + alignment) / alignment * alignment);
}

static void counted_free(void* user, void* memory, size_t size, size_t alignment) {
    (void)alignment;
    ((tally*)user)->now -= size;
    free(memory);
}

abut_allocator tally_allocator(tally* t) {
    return (abut_allocator){counted_alloc, counted_free, t};
}

abut_context* tally_context(tally* t) {
    abut_error error;
    abut_context* context = NULL;
    abut_context_def def = abut_context_def_default();
    def.allocator = tally_allocator(t);
    must(abut_context_create(&def, &context, &error), &error);
    return context;
}

void must(abut_status status, const abut_error* error) {
    if (status != ABUT_OK) {
        fprintf(stderr, "abut_scale: %s\n", error->message);
        exit(1);
    }
}

// ---- lines

void scale_print(const scale_run* run, const abut_world* world, const tally* memory) {
    int rank;
    int ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const abut_world_stats s = abut_world_stats_get(world);
    enum {
        BOXES,
        EXACT,
        BYTES,
        MESSAGES,
        GHOSTS,
        VERTICES,
        NEIGHBOURS,
        WORK,
        MEMORY,
        OWNED,
        SHAPES,
        STATES,
        ROWS,
        NUMBERS
    };
    uint64_t own[NUMBERS] = {[BOXES] = s.box_tests + s.counters.boxes_tested,
                             [EXACT] = s.counters.exact_tests,
                             [BYTES] = s.bytes_sent,
                             [MESSAGES] = s.messages_sent,
                             [GHOSTS] = s.ghosts,
                             [VERTICES] = s.ghost_vertices,
                             [NEIGHBOURS] = s.neighbours,
                             [WORK] = s.box_tests + s.counters.boxes_tested +
                                      s.counters.exact_tests,
                             [MEMORY] = memory->most,
                             [OWNED] = s.owned,
                             [SHAPES] = s.shape_bytes,
                             [STATES] = s.states_sent,
                             [ROWS] = run->rows};
    uint64_t sum[NUMBERS];
    uint64_t most[NUMBERS];
    MPI_Reduce(own, sum, NUMBERS, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(own, most, NUMBERS, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        const double n = (double)ranks * run->steps;
        printf(
            "ranks %d scene %s bodies %u steps %u rows %llu box_tests %.0f exact_tests %llu "
            "bytes %.0f messages %.1f ghosts %.1f states %.1f whole_bytes %llu sent_bytes %llu "
            "neighbours %.2f balance %.3f memory %llu owned_most %llu bytes_most %llu\n",
            ranks, run->name, run->count, run->steps, (unsigned long long)sum[ROWS],
            (double)sum[BOXES] / n, (unsigned long long)sum[EXACT], (double)sum[BYTES] / n,
            (double)sum[MESSAGES] / n, (double)sum[GHOSTS] / n, (double)sum[STATES] / n,
            (unsigned long long)(12 * sum[VERTICES]), (unsigned long long)sum[BYTES],
            (double)sum[NEIGHBOURS] / ranks,
            most[WORK] > 0 ? (double)sum[WORK] / ranks / (double)most[WORK] : 1,
            (unsigned long long)most[MEMORY], (unsigned long long)most[OWNED],
            (unsigned long long)most[BYTES] / run->steps);
    }
}

void scale_print_plain(const scale_run* run, const abut_counters* work, const tally* memory,
                       uint32_t triangles, uint32_t vertices) {
    printf(
        "ranks 0 scene %s bodies %u steps %u rows %llu box_tests %.0f exact_tests %llu memory "
        "%llu triangles %u vertices %u\n",
        run->name, run->count, run->steps, (unsigned long long)run->rows,
        (double)work->boxes_tested / run->steps, (unsigned long long)work->exact_tests,
        (unsigned long long)memory->most, triangles, vertices);
}
