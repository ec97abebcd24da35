// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Prints what abut demo shows.
#ifndef CLI_DEMO_REPORT_H
#define CLI_DEMO_REPORT_H

#include "cli/findings.h"
#include "cli/history.h"
#include "cli/table.h"
#include "scenes/scenes.h"

typedef struct demo {
    const scene_kind* kind;
    scene* scene;
    uint32_t triangles;  ///< as requested
    world w;
    question ask;
    history found;
    findings now;              ///< of the current frame
    verdict said;              ///< on all frames so far
    bool verbose;              ///< also print times and all counters
    struct report* report;     ///< NULL: no report
    uint64_t blocks;           ///< of all bodies
    uint64_t blocks_between;   ///< opened in all frames by the query between bodies
    uint64_t moving_vertices;  ///< of all bodies that move
    bool lazy;                 ///< some body is deformed only where needed
    uint32_t exchanged;        ///< bodies that appeared or vanished
    double seconds;            ///< for all frames: motion, update, queries
    double work_seconds;       ///< of these, in the library
    double first_seconds;      ///< of these, in the first frame
    uint32_t known;            ///< frames whose answer is known from the construction
    uint32_t known_right;      ///< of these, frames with that answer
} demo;

/// Prints what is about to be checked.
void print_demo_start(const demo* d);
/// Prints what was found, how much work it took, and what to try next.
void print_demo_report(const demo* d);

#endif
