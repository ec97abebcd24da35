// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A picture of a scene for other programs: all bodies as one PLY file, each in a colour of its own.
#ifndef CLI_SNAPSHOT_H
#define CLI_SNAPSHOT_H

#include <abut/abut.h>
#include <stdio.h>

/// Opens the file, before the long work, so that a wrong name does not waste it. NULL after a
/// sentence on the standard error output.
FILE* snapshot_open(const char* path);
/// Writes all bodies of the scene in their present state and closes the file. False after a
/// sentence on the standard error output.
bool snapshot_write(FILE* file, const abut_scene* scene);

#endif
