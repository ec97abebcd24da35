// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes a scene for other programs: all bodies as one PLY file, each in a colour of its own.
#ifndef CLI_SNAPSHOT_H
#define CLI_SNAPSHOT_H

#include <abut/abut.h>
#include <stdio.h>

/// Opens the file. Call it before the long work, so that a wrong name does not waste it. NULL after
/// an error message.
FILE* snapshot_open(const char* path);
/// Writes all bodies of the scene in their current state and closes the file. False after an error
/// message.
bool snapshot_write(FILE* file, const abut_scene* scene);

#endif
