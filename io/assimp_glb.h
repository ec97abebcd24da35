// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Converts what assimp has read to a GLB file in memory. Internal to io/.
#ifndef IO_ASSIMP_GLB_H
#define IO_ASSIMP_GLB_H

#include <stdbool.h>
#include <stddef.h>

struct aiScene;

/// Makes a GLB file of a scene; the caller frees *glb. False if memory is short.
bool assimp_glb(const struct aiScene* scene, char** glb, size_t* size);

#endif
