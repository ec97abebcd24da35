// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs trees into bytes (base/packing.h). A tree that is unpacked has been checked whole: every
// node and block is reached exactly once, and every living triangle of the mesh is in one lane.
#ifndef ABUT_TREE_TREE_PACK_H
#define ABUT_TREE_TREE_PACK_H

#include "base/packing.h"
#include "tree/tree.h"

#define ABUT__DEPTH_MOST 128u  // of trees that are read; no tree that is built is deeper

void abut__tree_write(const abut__tree* tree, abut__packer* writer);
// Reads a tree of a mesh. False: the reader has failed, and the tree is empty.
bool abut__tree_read(abut__unpacker* reader, const abut_mesh* mesh, const abut__tree_def* def,
                     abut__tree* tree);

#endif
