// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// One scene on many machines. Sheets that sink through each other are spread over the ranks of MPI: each
// rank sets the states of its own, and the answer is the same for any number of ranks. Run it by
//
//     mpirun -n 4 example_mpi
#include <abut/mpi.h>
#include <math.h>

#include "grid.h"

#define SHEETS 24u

// waves differ from sheet to sheet and from step to step
static void set_wave(grid* sheet, uint32_t id, int step) {
    for (int v = 0; v < GRID_VERTICES; ++v) {
        sheet->xyz[v][2] = 0.2 * id + 0.4 * sin(3 * sheet->xyz[v][0] + 0.7 * id + 0.2 * step);
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank;
    int ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    abut_error error;
    abut_context* context = NULL;
    abut_world* world = NULL;
    abut_world_answer* answer = NULL;
    need(abut_context_create(NULL, &context, &error), &error);
    need(abut_world_create(MPI_COMM_WORLD, context, NULL, &world, &error), &error);
    need(abut_world_answer_create(world, &answer, &error), &error);

    // every rank makes the shape, which has one name because it has one content
    static grid sheet;
    grid_make(&sheet, 2, 0);
    abut_shape_name shape;
    need(abut_world_add_shape(world, grid_shape(context, &sheet), &shape, &error), &error);
    for (uint32_t id = (uint32_t)rank; id < SHEETS; id += (uint32_t)ranks) {
        need(abut_world_add_body(world, id, shape, NULL, &error), &error);
    }

    for (int step = 0; step < 6; ++step) {
        size_t count = 0;
        const uint32_t* own = abut_world_bodies(world, &count);
        for (size_t i = 0; i < count; ++i) {
            set_wave(&sheet, own[i], step);
            need(abut_world_set_positions(world, own[i], grid_positions(&sheet), &error), &error);
        }
        if (step == 0) {
            need(abut_world_balance(world, &error), &error);  // neighbours move to one rank
        }
        need(abut_world_collide_all(world, NULL, NULL, answer, &error), &error);
        const abut_pair* pairs = abut_world_answer_pairs(answer, &count);
        if (rank == 0) {  // where answers are gathered
            printf("step %d: %zu pairs of triangles", step, count);
            if (count > 0) {
                printf(", the first of sheets %u and %u", pairs[0].body_a, pairs[0].body_b);
            }
            printf("\n");
        }
    }
    const abut_world_stats stats = abut_world_stats_get(world);
    if (rank == 0) {
        printf("rank 0 of %d has %u sheets and sent %llu bytes\n", ranks, stats.owned,
               (unsigned long long)stats.bytes_sent);
    }
    abut_world_answer_destroy(answer);
    abut_world_destroy(world);
    abut_context_destroy(context);
    MPI_Finalize();
    return 0;
}
