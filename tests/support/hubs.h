// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Surfaces with hubs: vertices that very many triangles share.

#ifndef ABUT_TESTS_SUPPORT_HUBS_H
#define ABUT_TESTS_SUPPORT_HUBS_H

#include "support/world.h"

typedef enum hub_kind {
    HUB_FAN = 0,     ///< a disc around one vertex
    HUB_HEDGEHOG,    ///< slivers from one vertex in all directions
    HUB_DUPLICATES,  ///< one triangle many times
    HUB_SOUP,        ///< the same, each with its own vertices
    HUB_BOOK,        ///< triangles about one edge
    HUB_CYLINDER,    ///< two discs, and a wall between them
    HUB_SEVERAL,     ///< eight separate discs
    HUB_TWO,         ///< two discs far apart, and triangles that use both middles
    HUB_BOOK_FANS,   ///< a book, and a cone about each end of its back
    HUB_BIPYRAMID,   ///< two cones with one rim
} hub_kind;
#define HUB_KINDS 10

const char* hub_name(hub_kind kind);
/// Makes about this many triangles. Triangles about one vertex share nothing beyond their common
/// vertices, except duplicates.
surface hub_surface(hub_kind kind, uint32_t triangles);

#endif
