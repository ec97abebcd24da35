// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// One mesh on many machines. Each rank owns a strip of a cloth that is folded over and sinks onto itself, and
// no rank ever has the whole cloth. The contacts are those of the whole. Run it by
//
//     mpirun -n 4 example_mpi_surface
#include <abut/mpi.h>
#include <math.h>

#include "grid.h"

#define SIDE 96u  // vertices along an edge of the cloth
#define CLOTH 1u  // the id of the surface

// where a vertex of the cloth is: one half lies on the other, and both have waves
static void place(uint32_t vertex, int step, float at[3]) {
    const double u = 2.0 * (vertex % SIDE) / (SIDE - 1) - 1;
    const double v = (double)(vertex / SIDE) / (SIDE - 1);
    at[0] = (float)fabs(u);
    at[1] = (float)v;
    at[2] = (float)(0.3 * u + 0.02 * (6 - step) * u + 0.1 * sin(9 * v + 4 * u));
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

    // rows of quads from `first` on belong to this rank; neighbours share a row of vertices
    const uint32_t first = (SIDE - 1) * (uint32_t)rank / (uint32_t)ranks;
    const uint32_t rows = (SIDE - 1) * ((uint32_t)rank + 1) / (uint32_t)ranks - first;
    static float xyz[SIDE * SIDE][3];
    static uint32_t vertex_ids[SIDE * SIDE];
    static uint32_t triangles[2 * SIDE * SIDE][3];
    static uint32_t triangle_ids[2 * SIDE * SIDE];
    abut_surface_def piece = abut_surface_def_default();
    const uint32_t vertices = (rows + 1) * SIDE;
    for (uint32_t v = 0; v < vertices; ++v) {
        vertex_ids[v] = first * SIDE + v;
        place(vertex_ids[v], 0, xyz[v]);
    }
    for (uint32_t q = 0; q < rows * (SIDE - 1); ++q) {
        const uint32_t corner = q / (SIDE - 1) * SIDE + q % (SIDE - 1);
        for (uint32_t k = 0; k < 2; ++k) {
            uint32_t* t = triangles[piece.triangle_count];
            t[0] = corner + 1 - k;
            t[1] = corner + (k == 0 ? SIDE : 1);
            t[2] = corner + (k == 0 ? SIDE + 1 : SIDE);
            triangle_ids[piece.triangle_count++] = 2 * (first * (SIDE - 1) + q) + k;
        }
    }
    piece.positions = abut_positions_f32(&xyz[0][0], vertices);
    piece.vertex_ids = vertex_ids;
    piece.triangles = &triangles[0][0];
    piece.triangle_ids = triangle_ids;
    need(abut_world_add_surface(world, CLOTH, &piece, &error), &error);

    for (int step = 1; step < 6; ++step) {
        for (uint32_t v = 0; v < vertices; ++v) {
            place(vertex_ids[v], step, xyz[v]);
        }
        need(abut_world_set_surface_positions(world, CLOTH, piece.positions, &error), &error);
        need(abut_world_sweep_surface(world, CLOTH, NULL, NULL, answer, &error), &error);
        size_t count = 0;
        const abut_sweep_pair* contacts = abut_world_answer_sweeps(answer, &count);
        if (rank == 0) {  // where answers are gathered
            printf("step %d: %zu contacts", step, count);
            if (count > 0) {
                printf(", the first of triangles %u and %u", contacts[0].triangle_a,
                       contacts[0].triangle_b);
            }
            printf("\n");
        }
    }
    abut_world_answer_destroy(answer);
    abut_world_destroy(world);
    abut_context_destroy(context);
    MPI_Finalize();
    return 0;
}
