// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Surfaces with hubs: vertices of very many triangles.

#ifndef ABUT_TESTS_SUPPORT_HUBS_H
#define ABUT_TESTS_SUPPORT_HUBS_H

#include "support/world.h"

typedef enum hub_kind {
    HUB_FAN = 0,     ///< a disc around one vertex
    HUB_HEDGEHOG,    ///< slivers from one vertex in all directions
    HUB_DUPLICATES,  ///< one triangle again and again
    HUB_SOUP,        ///< the same, each with vertices of its own
    HUB_BOOK,        ///< triangles about one edge
    HUB_CYLINDER,    ///< two discs, and a wall between them
    HUB_SEVERAL,     ///< eight discs, which have nothing to do with each other
    HUB_TWO,         ///< two discs far apart, and triangles with both middles
    HUB_BOOK_FANS,   ///< a book, and a cone about each end of its back
    HUB_BIPYRAMID,   ///< two cones with one rim
} hub_kind;
#define HUB_KINDS 10

const char* hub_name(hub_kind kind);
/// About so many triangles. Those about one vertex do not overlap beyond what they share, duplicates
/// excepted.
surface hub_surface(hub_kind kind, uint32_t triangles);

#endif
