// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// An independent evaluation of glTF that follows the specification word by word. It shares no code
// with the reader, trusts its files and is slow.
#ifndef TEST_SUPPORT_GLTF_ORACLE_H
#define TEST_SUPPORT_GLTF_ORACLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct gltf_oracle {
    json_t* root;
    const unsigned char* buffers[4];
    unsigned char* memory[4];
} gltf_oracle;

/// Opens a document of few buffers; `folder` contains those in files.
void gltf_oracle_open(gltf_oracle* o, const char* bytes, size_t size, const char* folder);
void gltf_oracle_close(gltf_oracle* o);

/// World positions of the vertices of a node's mesh, primitive after primitive, at a time of an
/// animation (-1: none). Returns their number; `out` has room for `room` of them.
size_t gltf_oracle_pose(const gltf_oracle* o, size_t node, int animation, double time, double* out,
                        size_t room);
/// The largest time of an animation.
double gltf_oracle_duration(const gltf_oracle* o, int animation);

#endif
