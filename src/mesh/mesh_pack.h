// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs meshes, displacement fields and weights into bytes (base/packing.h). What is unpacked has
// been checked whole: every index is in range, and every number is finite.
#ifndef ABUT_MESH_MESH_PACK_H
#define ABUT_MESH_MESH_PACK_H

#include "base/packing.h"
#include "mesh/fields.h"
#include "mesh/weights.h"

void abut__mesh_write(const abut_mesh* mesh, abut__packer* writer);
void abut__fields_write(const abut__fields* fields, abut__packer* writer);
void abut__weights_write(const abut__weights* weights, abut__packer* writer);

// NULL: the reader has failed.
abut_mesh* abut__mesh_read(abut_context* context, abut__unpacker* reader);
// The same for fields and weights of a mesh with so many vertices.
abut__fields* abut__fields_read(abut_context* context, uint32_t vertex_count,
                                abut__unpacker* reader);
abut__weights* abut__weights_read(abut_context* context, uint32_t vertex_count,
                                  abut__unpacker* reader);

abut_scalar abut__read_scalar(abut__unpacker* reader);

#endif
