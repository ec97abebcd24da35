// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Demos of dynamics under mpirun: the bodies of a swarm are those of a world (abut/mpi.h). Only in a
// command that was built with ABUT_COMMAND_MPI.
#ifndef CLI_SPREAD_RANKS_H
#define CLI_SPREAD_RANKS_H

#include "dynamics/ranks.h"

/// Makes ranks of MPI_COMM_WORLD; rank 0 leads. Free them with spread_ranks_free().
swarm_ranks* spread_ranks_make(void);
void spread_ranks_free(swarm_ranks* ranks);

#endif
