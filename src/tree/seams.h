// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Seams: pairs of nodes right above blocks that are linked, that is, share classes. Where a large
// node is not proven apart as a whole, the proof of a seam covers the links between two of its
// small parts.
#ifndef ABUT_TREE_SEAMS_H
#define ABUT_TREE_SEAMS_H

#include "tree/contour.h"
#include "tree/links.h"

typedef struct abut__seams {
    const abut_context* context;
    uint32_t count;
    uint32_t link_count;
    uint64_t* nodes;           // per seam: lower node << 32 | upper node, ascending
    uint32_t* of_link;         // per link: the seam of its blocks; ABUT__NONE: one node has both
    abut__contours* contours;  // per seam: of both nodes together
} abut__seams;

// NULL: no memory.
abut__seams* abut__seams_make(const abut__tree* tree, const abut__links* links);
void abut__seams_free(abut__seams* seams);

// Returns the seam of the nodes right above two blocks; ABUT__NONE: there is none.
uint32_t abut__seam_of(const abut__seams* seams, const abut__tree* tree, uint32_t block_a,
                       uint32_t block_b);

#endif
