// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Processes that use a processor each until they are stopped, or until this process ends, however
// it does.
#ifndef BENCH_SPIN_H
#define BENCH_SPIN_H

#include <stdint.h>

typedef struct spin spin;

/// Starts so many processes. Ends this one with a message if that fails.
spin* spin_start(uint32_t count);
/// Ends them and waits for that.
void spin_stop(spin* s);

#endif
