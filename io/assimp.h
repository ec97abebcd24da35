// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Formats beyond our own readers, through assimp: STL, FBX, COLLADA and others. Internal to io/.
#ifndef IO_ASSIMP_H
#define IO_ASSIMP_H

#include "io/error.h"

/// Whether a name's ending is one of these formats.
bool io_is_assimp_name(const char* name);

/// Reads a file and gives it back as GLB, which the caller frees: meshes, nodes, skins, node
/// animation and morph targets at their weights at rest. This is done in a process of its own, for
/// files are not trusted and assimp may fall over one: then, too, it ends in a sentence.
bool io_assimp_to_glb(const char* path, char** glb, size_t* size, io_error* error);

#endif
