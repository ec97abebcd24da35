// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Checks one scene: opens its objects, runs the queries on its frames, and makes the outputs.
#ifndef CLI_CHECK_JOB_H
#define CLI_CHECK_JOB_H

#include "cli/check_shared.h"

/// Checks the objects of the arguments, whose options are check_options; `number` is that of the scene,
/// from 1. Returns the exit code.
int check_scene(check_shared* all, const arguments* given, size_t number);

#endif
