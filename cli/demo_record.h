// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The record of a demo of dynamics: a CSV file with the costs, the contacts, the memory and the
// energy of every step. docs/files.md describes the columns.
#ifndef CLI_DEMO_RECORD_H
#define CLI_DEMO_RECORD_H

#include "cli/demo_checkpoint.h"

/// Writes all completed steps of the first `manner_count` manners. `step_seconds` is the time that a
/// step simulates.
void record_write(FILE* file, const checkpoint* done, uint32_t manner_count, double step_seconds);

#endif
