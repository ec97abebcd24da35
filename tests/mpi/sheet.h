// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Random surfaces for tests of worlds: every rank draws the same mesh and the same cut, gives its own piece to
// the world, and the whole mesh to a plain scene, which is the oracle.
#ifndef TESTS_MPI_SHEET_H
#define TESTS_MPI_SHEET_H

#include "abut/mpi.h"

#define SHEET_ID 7u

typedef struct sheet {
    uint64_t random;
    uint64_t seed;
    int rank;
    int ranks;
    // the whole mesh
    uint32_t vertices;
    uint32_t triangles;
    uint32_t* corners;
    double (*rest)[3];
    double (*at)[3];  // now
    uint32_t* classes;
    abut_class_rule rule;
    bool floats;
    double size;     // of an edge, about
    int* owner;      // rank of each triangle
    uint32_t* own;   // vertices of this rank's piece, in some order
    uint32_t count;  // of them
    void* packed;    // room for positions
    abut_context* context;
    abut_scene* scene;
    abut_body_id body;
    abut_world* world;
} sheet;

uint32_t sheet_draw(sheet* s, uint32_t below);
double sheet_number(sheet* s, double from, double to);

// Makes a sheet of about `triangles`, or fewer. `def` and `memory` (of the context) may be NULL. The surface
// is added if `add` is set.
void sheet_open(sheet* s, MPI_Comm comm, uint64_t seed, uint32_t triangles,
                const abut_world_def* def, const abut_allocator* memory, bool add);
void sheet_close(sheet* s);
// Adds the surface to the world.
abut_status sheet_add(sheet* s, abut_error* error);
// Moves all vertices, in the world and in the plain scene.
void sheet_step(sheet* s);
// Sets the positions of this rank's piece to those of the whole.
abut_status sheet_set(sheet* s, abut_error* error);

#endif
