// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The head of a saved shape, and the order of what follows it: the motion, the settings of the tree,
// ignored tags, the mesh, what the motion keeps, the tree, and what the motion made at first use.
#ifndef ABUT_SHAPE_SHAPE_SAVE_H
#define ABUT_SHAPE_SHAPE_SAVE_H

#include "abut/save.h"

// The format's version. Any change of what is packed, or of its meaning, needs a new one.
#define ABUT__SAVED_VERSION 3u

// Places in the head. The checksum is that of all bytes after the head, seeded with the version and
// the size, so that it covers these, too.
#define ABUT__SAVED_MAGIC "abutSHP\n"
#define ABUT__SAVED_MAGIC_SIZE 8u
#define ABUT__SAVED_VERSION_AT 8u
#define ABUT__SAVED_SIZE_AT 16u
#define ABUT__SAVED_CHECKSUM_AT 24u
#define ABUT__SAVED_HEAD 32u

// Returns the checksum of `count` bytes that begin with a head.
uint64_t abut__saved_checksum(const uint8_t* bytes, size_t count);

#endif
