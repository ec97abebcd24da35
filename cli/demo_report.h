// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What abut demo tells.
#ifndef CLI_DEMO_REPORT_H
#define CLI_DEMO_REPORT_H

#include "cli/findings.h"
#include "cli/history.h"
#include "cli/table.h"
#include "scenes/scenes.h"

typedef struct demo {
    const scene_kind* kind;
    scene* scene;
    uint32_t triangles;  ///< asked for
    world w;
    question ask;
    history found;
    findings now;              ///< of the frame at hand
    verdict said;              ///< about all frames so far
    bool verbose;              ///< also times, and all counters
    struct report* report;     ///< NULL: none is wanted
    uint64_t blocks;           ///< of all bodies
    uint64_t blocks_between;   ///< opened in all frames by the question between bodies
    uint64_t moving_vertices;  ///< of all bodies that move
    bool lazy;                 ///< some body is deformed where it must be, not everywhere
    uint32_t exchanged;        ///< bodies that appeared or vanished
    double seconds;            ///< for all frames: motion, update, queries
    double work_seconds;       ///< of that in the library
    double first_seconds;      ///< and of that in the first frame
    uint32_t known;            ///< frames whose answer the construction tells
    uint32_t known_right;      ///< those of them that were answered so
} demo;

/// What is about to be checked.
void print_demo_start(const demo* d);
/// What was found, how much work it took, and what to try next.
void print_demo_report(const demo* d);

#endif
