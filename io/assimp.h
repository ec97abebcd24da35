// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads formats through assimp: FBX, COLLADA and others. Internal to io/.
#ifndef IO_ASSIMP_H
#define IO_ASSIMP_H

#include "io/error.h"

/// Whether the name ends in the extension of one of these formats.
bool io_is_assimp_name(const char* name);

/// Reads a file and converts it to GLB, which the caller frees: meshes, nodes, skins, node
/// animation and morph targets at their rest weights. Runs assimp in a child process, because files
/// are not trusted and assimp may crash. False, also after a crash, with the reason in `error`.
bool io_assimp_to_glb(const char* path, char** glb, size_t* size, io_error* error);

#endif
