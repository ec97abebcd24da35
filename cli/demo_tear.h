// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The demo in which a shape changes while it moves: a slab is torn in two.
#ifndef CLI_DEMO_TEAR_H
#define CLI_DEMO_TEAR_H

#include <stdint.h>

#define TEAR_NAME "tear"
#define TEAR_ABOUT "a crack runs through a slab, whose halves part"
enum { TEAR_TRIANGLES = 20000, TEAR_FRAMES = 120, TEAR_NODES = 578 };  // nodes at first

/// The options; 0 and NULL are the defaults.
typedef struct tear_ask {
    uint32_t triangles;
    uint32_t frames;
    uint32_t seed;
    uint32_t threads;
    const char* json;
    const char* snapshot;
} tear_ask;

/// Runs the demo and prints its result; returns the command's exit code.
int tear_demo(const tear_ask* ask);

#endif
