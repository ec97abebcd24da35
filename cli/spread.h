// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The command under mpirun: frames of `abut check` and bodies of demos of dynamics are spread over ranks.
// Only in a command that was built with ABUT_COMMAND_MPI.
#ifndef CLI_SPREAD_H
#define CLI_SPREAD_H

#include <stdbool.h>

/// Whether mpirun has started this process as one of several.
bool spread_is_wanted(void);
/// Runs the command on all ranks. Rank 0 has all outputs and the exit code. `alone` runs the command in one
/// process, for what cannot be spread.
int spread_main(int argc, char** argv, int (*alone)(int argc, char** argv));

#endif
