// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The demo in which a ray picks figures of a crowd: each has a pose of its own, and none is skinned
// beforehand.
#ifndef CLI_DEMO_PICKING_H
#define CLI_DEMO_PICKING_H

#include <stdint.h>

#define PICKING_NAME "picking"
#define PICKING_ABOUT "A ray moves over a crowd of skinned figures and picks what it meets first."

/// The options; 0 and NULL are the defaults.
typedef struct picking_ask {
    uint32_t figures;
    uint32_t triangles;  ///< of a figure
    uint32_t frames;
    uint32_t seed;
    uint32_t threads;
    const char* json;
    const char* html;
} picking_ask;

/// Runs the demo and prints its result; returns the command's exit code.
int picking_demo(const picking_ask* ask);

#endif
