// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes JUnit XML, which build servers show: a test suite for each scene, and in it a test case for each
// event. Cases that fail the check are failures; a scene that could not be checked is an error.
#ifndef CLI_GATE_JUNIT_H
#define CLI_GATE_JUNIT_H

#include "cli/gate/scene.h"

#include <stdio.h>

void junit_begin(FILE* file);
void junit_scene(FILE* file, const scene* s);
void junit_end(FILE* file);

#endif
