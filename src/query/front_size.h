// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The size of a front, for tests. It is no part of the public interface.
#ifndef ABUT_QUERY_FRONT_SIZE_H
#define ABUT_QUERY_FRONT_SIZE_H

#include "abut/collide.h"

// Returns the number of pairs of nodes and blocks that a front holds.
size_t abut__front_size(const abut_front* front);

#endif
