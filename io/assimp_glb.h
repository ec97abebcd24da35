// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What assimp has read as a GLB file in memory. Internal to io/.
#ifndef IO_ASSIMP_GLB_H
#define IO_ASSIMP_GLB_H

#include <stdbool.h>
#include <stddef.h>

struct aiScene;

/// Makes a GLB file of a scene, which the caller frees. False when memory is short.
bool assimp_glb(const struct aiScene* scene, char** glb, size_t* size);

#endif
