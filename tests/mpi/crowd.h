// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Random crowds for tests of worlds: bodies of all motions that move at random. Every rank draws the same
// crowd. It sets the states of its own bodies in the world, and those of all bodies in a plain scene,
// which is the oracle.
#ifndef TESTS_MPI_CROWD_H
#define TESTS_MPI_CROWD_H

#include "abut/mpi.h"

#define CROWD_KINDS 5
#define CROWD_NODES 3
#define CROWD_FIELDS 2
#define CROWD_MOST 200
#define CROWD_VERTICES 1200

typedef struct crowd {
    uint64_t random;
    uint32_t count;
    uint32_t kind[CROWD_MOST];  // of the shape
    bool is_static[CROWD_MOST];
    uint64_t groups[CROWD_MOST];
    double place[CROWD_MOST][3];
    double time[CROWD_MOST];
    bool planned[CROWD_MOST];  // has new plans, and so no previous state
    bool plans;                // flight bodies get plans
    double spread;
    uint32_t
        cloth;  // vertices along a side of free bodies, which are large then; 0: they are small
    // shapes of this rank, for the plain scene
    abut_context* context;
    abut_shape* shapes[CROWD_KINDS];
    abut_mesh* meshes[CROWD_KINDS];
    uint32_t vertices[CROWD_KINDS];
    double (*rest[CROWD_KINDS])[3];
    float* keys[2];         // of the last flight shape,
    float* second_keys[2];  // and of the one before, if there are two
    // the oracle
    abut_scene* scene;
    abut_body_id bodies[CROWD_MOST];
    // the world
    abut_world* world;
    abut_shape_name names[CROWD_KINDS];
    int rank;
    int ranks;
} crowd;

uint32_t crowd_draw(crowd* c, uint32_t below);
double crowd_number(crowd* c, double from, double to);

// Makes a crowd: kinds of shapes are free, modal, blend, flight, rigid. `lone`: only rank 0 has the
// shapes, so that others fetch them; all bodies are its own then, until they are balanced.
// `cloth`: half of few bodies are large cloths with so many vertices a side; 0: all bodies are small.
// `def` and `memory` (of the context) may be NULL.
void crowd_open(crowd* c, MPI_Comm comm, uint64_t seed, bool lone, uint32_t cloth,
                const abut_world_def* def, const abut_allocator* memory);
void crowd_close(crowd* c);
// Moves some bodies, in the world and in the plain scene. What is drawn does not depend on the rank.
void crowd_step(crowd* c);
// Gives plans to all flight bodies, and then a new state.
void crowd_plan(crowd* c);
// Whether this rank owns a body now.
bool crowd_owns(crowd* c, uint32_t body);

#endif
